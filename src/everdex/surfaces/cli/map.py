"""`everdex map`: a repository in few words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from everdex.surfaces.cli import options, related, rows
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, Style, escape

_TITLES: Final = {
    "about": "About",
    "languages": "Languages",
    "structure": "Structure",
    "packages": "Packages",
    "entry_points": "Entry points",
    "dependencies": "Dependencies",
    "tests": "Tests",
    "public_api": "Public API",
    "central": "Central symbols",
}


@click.command("map", short_help="Show what a repository consists of and what matters most in it.")
@options.root_argument
@click.option(
    "--budget", type=int, default=2_000, show_default=True, metavar="TOKENS",
    help="How long the map may be, 200 to 100,000; a token is counted as three bytes.",
)  # fmt: skip
@related.reading_options
def map_command(root: Path | None, budget: int, common: Common) -> int:
    """Show languages, structure, packages, entry points, dependencies, tests, public API and the most central symbols.

    Central is what many files refer to, the large before the small, functions and types before variables; a test's
    reference counts less. Each section says how much it left out.

    \b
    Examples:
      everdex map
      everdex map --budget 500 ~/src/flask
      everdex map --json | jq -r '.sections[] | select(.name == "central").items[].text'
    """
    document = related.ask("map", {"budget": budget}, root, common)
    return common.show(document, SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for section in document["sections"]:
        if section["items"]:
            yield True, _TITLES[section["name"]]
            yield from ((True, f"  {escape(item['text'])}") for item in section["items"])
        if section["items"] and section["omitted"]:
            yield True, f"  … {section['omitted']:,} more"
    budget = document["budget"]
    yield False, f"{budget['used']:,} of {budget['tokens']:,} tokens used"


def _draw(document: dict[str, Any], shown: Style) -> None:
    for is_result, line in _lines(document):
        if is_result and not line.startswith(" "):
            rows.heading(line, shown)
        elif is_result:
            rows.wrapped(line)


def _code(document: dict[str, Any]) -> int:
    return 0 if any(section["items"] for section in document["sections"]) else 1


SHOWN = Shown(_lines, _code, _draw)
