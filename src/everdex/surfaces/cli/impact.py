"""`everdex impact`: what a change of a symbol may affect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options, picture_file, related, rows
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Style, escape, write


@click.command("impact", short_help="List what a change of a symbol may affect.")
@related.symbol_argument
@options.root_argument
@click.option(
    "--depth", type=click.IntRange(1, 20), default=3, show_default=True, metavar="N", help="How many steps back to go."
)
@click.option(
    "--picture", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Also draw it into FILE: .svg or .png.",
)  # fmt: skip
@click.option("--draw", is_flag=True, help="Also draw it into the store's canvas directory, as PNG.")
@click.option("--dark", is_flag=True, help="Draw on dark paper.")
@related.listing_options
@related.reading_options
def impact_command(
    symbol: str, root: Path | None, depth: int, picture: Path | None, draw: bool, dark: bool, limit: int, offset: int,
    common: Common,
) -> int:  # fmt: skip
    """List everything that leads to SYMBOL in at most --depth steps, each with one shortest way.

    SYMBOL is named as for `everdex refs`. Steps are calls, references and decorations; a class is also reached
    through its subclasses, a method through the methods it overrides. A way is certain when each of its steps is.
    Affected test files are listed at the end. With --picture the symbol is drawn in the middle, who leads to it on the
    left by distance, what it calls on the right, and its tests apart; what there is no room for is counted.

    \b
    Examples:
      everdex impact open_view
      everdex impact --depth 1 Store.path
      everdex impact --picture impact.svg open_view
      everdex impact --json src/app.py:120 | jq -r '.tests[]'
    """
    form = picture_file.form_of(picture, draw=draw)
    params: dict[str, Any] = {"symbol": symbol, "depth": depth, "k": limit, "offset": offset}
    if form:
        params |= {"picture": form, "dark": dark}
    document = related.ask("impact", params, root, common)
    picture_file.put(document, picture)
    return related.show(document, SHOWN, common)


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for item in document["affected"]:
        doubt = "" if item["certainty"] == "resolved" else " (ambiguous)"
        place = f"{escape(item['path'])}:{item['way'][-1]['line']}"
        yield f"{place}:{_way(document, item)}{doubt}"


def _draw(document: dict[str, Any], shown: Style) -> None:
    for path, items in related.by_path(document["affected"]).items():
        rows.file(path, shown)
        for item in items:
            through = [rows.local_name(step["symbol"]["qualifiedName"], step["path"]) for step in item["way"][-2::-1]]
            notes = ["through " + " → ".join(through)] if through else []
            notes += [] if item["certainty"] == "resolved" else ["ambiguous"]
            name = rows.own_name(item)
            rows.numbered(item["way"][-1]["line"], name, ", ".join(notes), shown)
        write()


def _way(document: dict[str, Any], item: dict[str, Any]) -> str:
    """The chain to the symbol: `h → g → f`."""
    steps = [(step["symbol"]["qualifiedName"], step["path"]) for step in item["way"][-2::-1]]
    steps.append((document["symbol"]["qualified_name"], document["symbol"]["path"]))
    return " → ".join(map(escape, (rows.own_name(item), *(rows.local_name(*step) for step in steps))))


SHOWN = related.shown(_lines, "affected definition", lambda document: document.get("affected", ()), _draw)
