"""`everdex architecture`: the parts of a repository and which uses which, as a picture and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from everdex.errors import UsageError
from everdex.surfaces.cli import options, picture_file, related, rows
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, Style, escape, plural


@click.command("architecture", short_help="Draw the parts of a repository and which uses which.")
@options.root_argument
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Draw into FILE: .svg or .png. Without it, into the store's canvas directory.",
)  # fmt: skip
@click.option(
    "--depth", type=click.IntRange(1, 8), metavar="N",
    help="Open directories so far; without it as far as text can be read on one sheet.",
)  # fmt: skip
@click.option("--dark", is_flag=True, help="Draw on dark paper; an SVG without it follows the reader's.")
@related.reading_options
def architecture_command(
    root: Path | None, output: Path | None, depth: int | None, dark: bool, common: Common
) -> int:
    """Draw directories and files as boxes, users above (or left of) what they use, and list what is drawn.

    Boxes are larger where there are more lines, lines are wider where there are more uses. What closes a cycle has the
    colour of a warning. An edge that follows from others is not drawn; parts for which there is no room are one box
    that says how many. Tests stand apart, and each box says how many test files use it.

    Without -o the picture goes to the canvas directory of the store: architecture.<digest>.png, then architecture.png
    with the same bytes, then graph_meta.json. With --depth or --dark a file has to be named, or --json asks for the
    parts without a picture.

    \b
    Examples:
      everdex architecture -o architecture.svg
      everdex architecture --dark -o architecture.png ~/src/flask
      everdex architecture --json | jq -r '.architecture.cycles[]'
    """
    form = picture_file.form_of(output, draw=output is None and depth is None)
    if output is None and dark:
        raise UsageError("the canvas has one look", hint="name a file with -o for dark paper")
    if not form and not common.as_json:
        raise UsageError("the canvas has one look", hint="name a file with -o for another depth, or say --json")
    params = {"levels": depth, "picture": form, "dark": dark}
    document = related.ask("architecture", params, root, common)
    picture_file.put(document, output)
    return common.show(document, SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    found = document["architecture"]
    for line in tree(found["parts"]):
        yield True, escape(line)
    for cycle in found["cycles"]:
        yield True, f"cycle: {escape(', '.join(cycle))}"
    edges = [edge for edge in found["edges"] if not edge["implied"]]
    closing, implied = sum(edge["against"] for edge in edges), len(found["edges"]) - len(edges)
    yield False, f"{plural(len(edges), 'edge')}, {closing:,} of which close cycles; {implied:,} more follow"


def tree(part: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """A part in a line with its size, and below it what is in it."""
    entry = ", entry point" if part["entry_points"] and not part["parts"] else ""
    yield f"{'  ' * depth}{part['label']}: {plural(part['files'], 'file')}, {plural(part['lines'], 'line')}{entry}"
    for child in part["parts"]:
        yield from tree(child, depth + 1)


def _draw(document: dict[str, Any], shown: Style) -> None:
    for number, (is_result, line) in enumerate(_lines(document)):
        if not number:
            rows.heading(line, shown)
        elif is_result:
            rows.wrapped(line)


def _code(document: dict[str, Any]) -> int:
    return 0 if document["architecture"]["parts"]["files"] else 1


SHOWN = Shown(_lines, _code, _draw)
