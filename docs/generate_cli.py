"""Puts the real `--help` of every command into docs/cli.md, between its markers.

    python docs/generate_cli.py            rewrites docs/cli.md
    python docs/generate_cli.py --check    says whether that would change it (exit 1)

The prose around the markers is written by hand and stays. A command without markers, or markers without a command, is
an error: nothing is left undocumented by accident.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

import click
from click.testing import CliRunner

from everdex.surfaces.cli.app import COMMANDS, everdex

PAGE: Final = Path(__file__).with_name("cli.md")
_BLOCK: Final = re.compile(r"(<!-- help:([a-z-]*) -->\n).*?(<!-- help end -->)", re.DOTALL)


def help_of(command: str) -> str:
    """What the command, and each that it consists of, prints for --help on a terminal of 100 columns."""
    texts = [_printed(command)]
    found = everdex.get_command(click.Context(everdex), command) if command else None
    if isinstance(found, click.Group):
        texts += [_printed(command, name) for name in found.commands]
    return "\n".join(texts)


def _printed(*command: str) -> str:
    done = CliRunner().invoke(everdex, [*filter(None, command), "--help"], terminal_width=98)  # click leaves a margin
    assert done.exit_code == 0, done.output
    return done.output


def generated(page: str) -> str:
    """The page with every help text renewed."""
    marked = [name for _, name, _ in _BLOCK.findall(page)]
    if sorted(marked) != sorted(["", *COMMANDS]):
        missing, extra = sorted({"", *COMMANDS} - set(marked)), sorted(set(marked) - {"", *COMMANDS})
        raise SystemExit(f"{PAGE.name}: commands without a section: {missing}; sections without a command: {extra}")
    texts = {name: help_of(name) for name in marked}
    return _BLOCK.sub(lambda found: f"{found[1]}```text\n{texts[found[2]]}```\n{found[3]}", page)


def main() -> None:
    before = PAGE.read_text()
    after = generated(before)
    if "--check" in sys.argv[1:]:
        sys.exit(before != after)
    PAGE.write_text(after)


if __name__ == "__main__":
    main()
