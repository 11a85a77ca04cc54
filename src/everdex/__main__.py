"""`python -m everdex` and the `everdex` script. Kept tiny: a console script imports this before anything else."""

from __future__ import annotations

import sys


def main() -> None:
    from everdex.surfaces.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
