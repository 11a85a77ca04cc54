"""`everdex callers`: who calls a symbol."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options, related, rows
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Style, escape, write


@click.command("callers", short_help="List who calls a symbol.")
@related.symbol_argument
@options.root_argument
@related.listing_options
@related.site_offset_option
@related.wait_option
@related.reading_options
def callers_command(
    symbol: str, root: Path | None, limit: int, offset: int, site_offset: int, wait: bool, common: Common
) -> int:
    """List the call sites of SYMBOL by caller, in the repository around ROOT (default: here).

    SYMBOL is named as for `everdex refs`. Calling a class counts as calling its constructor. A caller that is only
    possible is marked ambiguous. Below the list stands how many call sites ask for the same name and could not be
    decided, so that an empty list is never taken for more than it says.

    The first question in a large repository is answered from the files that write the name, before all others are
    resolved. What is still open then stands below the list, and --wait waits for all of it; that nobody calls SYMBOL is
    only said after all files were looked at.

    Exit code 0 means found, 1 nothing found, 2 several definitions fit.

    \b
    Examples:
      everdex callers open_view
      everdex callers Index.search ~/src/everdex
      everdex callers src/app.py:120
    """
    params = {"symbol": symbol, "k": limit, "offset": offset, "site_offset": site_offset, "wait": wait}
    document = related.ask("callers", params, root, common)
    return related.show(document, SHOWN, common)


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for edge in document["callers"]:
        for site in edge["sites"]:
            yield f"{escape(site['path'])}:{site['line']}:{escape(site['text'].strip())}"


def _draw(document: dict[str, Any], shown: Style) -> None:
    for path, edges in related.by_path(document["callers"]).items():
        rows.file(path, shown)
        for edge in edges:
            rows.name(rows.own_name(edge), edge["kind"], shown)
            for site in edge["sites"]:
                rows.numbered(site["line"], site["text"], related.doubtful(site["certainty"]), shown)
        write()


SHOWN = related.shown(_lines, "caller", lambda document: document.get("callers", ()), _draw)
