"""`python -m everdex` and the `everdex` script. Kept tiny: a console script imports this before anything else."""

from __future__ import annotations

import sys

# The keys of thin.COMMANDS: other commands need not even look there.
_READING = [
    ["search"], ["symbols"], ["refs"], ["callers"], ["callees"], ["impact"], ["map"], ["architecture"],
    ["explain"], ["gate"], ["state"], ["files"], ["contexts"], ["status"], ["health"], ["audit"],
]  # fmt: skip


def main() -> None:
    try:
        code = _shortly(sys.argv[1:])
        if code is None:
            from everdex.surfaces.cli.app import run

            code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before or after `run` could catch it
        code = 12
    sys.exit(code)


def _shortly(arguments: list[str]) -> int | None:
    """What needs no command line library: a hook, and what a daemon answers."""
    if arguments == ["hook"]:
        from everdex.surfaces.hooks import run

        return run.run()
    if arguments[:1] not in _READING:
        return None
    from everdex.surfaces.daemon import thin

    return thin.run(arguments)


if __name__ == "__main__":
    main()
