"""`python -m everdex` and the `everdex` script. Kept tiny: a console script imports this before anything else."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself brings enums along
import os
import sys

# The keys of thin.COMMANDS: other commands need not even look there.
_READING = [
    ["search"], ["symbols"], ["refs"], ["callers"], ["callees"], ["impact"], ["map"], ["architecture"],
    ["explain"], ["gate"], ["state"], ["files"], ["contexts"], ["status"], ["health"], ["audit"],
]  # fmt: skip

# Objects between two looks for cycles in a process that gives one answer: what it loads is there to stay, and looking
# through it every 700 objects took a twentieth of the time.
_YOUNG = 20_000


def main() -> None:
    try:
        _have_streams()
        code = _shortly(sys.argv[1:])
        if code is None:
            from everdex.surfaces.cli.app import run

            code = run(sys.argv[1:])
            _leave_as_it_is()
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)  # what was said stands: nothing is left to interrupt
    except KeyboardInterrupt:  # before or after `run` could catch it
        code = 12
    sys.exit(code)


def _leave_as_it_is() -> None:
    """Have the interpreter look for no cycles on its way out: in all that a command has loaded, twice, to free what is
    freed with the process, which took a sixth of a search."""
    import gc

    gc.freeze()


def _have_streams() -> None:
    """Have something in the place of a stream that whoever started us has closed: or a file of ours would lie there."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115 - as long as we live


def _shortly(arguments: list[str]) -> int | None:
    """What needs no command line library: a hook, and what a daemon answers."""
    if arguments == ["hook"]:
        from everdex.surfaces.hooks import run

        return run.run()
    if arguments[:1] not in _READING:
        return None
    from everdex.surfaces.daemon import thin

    code = thin.run(arguments)
    if code is None:
        import gc

        gc.set_threshold(_YOUNG)
    return code


if __name__ == "__main__":
    main()
