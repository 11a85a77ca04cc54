"""`python -m everdex` and the `everdex` script. Kept tiny: a console script imports this before anything else."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from everdex.surfaces.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before or after `run` could catch it
        code = 12
    sys.exit(code)


if __name__ == "__main__":
    main()
