"""`everdex callees`: what a symbol calls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options, related, rows
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Style, escape, write


@click.command("callees", short_help="List what a symbol calls.")
@related.symbol_argument
@options.root_argument
@related.listing_options
@related.site_offset_option
@related.wait_option
@related.reading_options
def callees_command(
    symbol: str, root: Path | None, limit: int, offset: int, site_offset: int, wait: bool, common: Common
) -> int:
    """List the definitions that SYMBOL calls, in the repository around ROOT (default: here).

    SYMBOL is named as for `everdex refs`; what is defined inside it counts with it. In a pipe every callee is one
    line, path:line:signature. Below the list stands how many calls there are, and how many of them leave the repository
    or could not be resolved; --json lists those, too. The first question in a large repository is answered from the
    files that decide it, and says so; --wait waits for all others.

    \b
    Examples:
      everdex callees open_view
      everdex callees --json src/app.py::main | jq -r '.unresolved[] | .reason'
    """
    params = {"symbol": symbol, "k": limit, "offset": offset, "site_offset": site_offset, "wait": wait}
    document = related.ask("callees", params, root, common)
    return related.show(document, SHOWN, common)


def _found(document: dict[str, Any]) -> list[Any]:
    return [item for name in ("callees", "external", "unresolved") for item in document.get(name, ())]


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for edge in document["callees"]:
        yield f"{escape(edge['path'])}:{edge['name_line']}:{escape(edge['text'])}"


def _draw(document: dict[str, Any], shown: Style) -> None:
    for path, edges in related.by_path(document["callees"]).items():
        rows.file(path, shown)
        for edge in edges:
            called = ", ".join(f"{site['line']}" for site in edge["sites"])
            doubt = related.doubtful(edge["sites"][0]["certainty"])
            note = f"called at {called}{', ' + doubt if doubt else ''}"
            rows.numbered(edge["name_line"], rows.own_name(edge), note, shown)
        write()
    if document["external"]:
        rows.heading("outside the repository", shown)
    for name, lines in _by_name(document["external"]).items():
        rows.numbered(lines[0], name, f"called at {', '.join(map(str, lines))}" if len(lines) > 1 else "", shown)
    if document["unresolved"]:
        rows.heading("unresolved", shown)
    for site in document["unresolved"]:
        rows.numbered(site["line"], site["text"], site["reason"] or "", shown)


def _by_name(sites: list[dict[str, Any]]) -> dict[str, list[int]]:
    """What is called outside, each once, with its lines."""
    found: dict[str, dict[int, None]] = {}
    for site in sites:
        found.setdefault(site["name"] or site["text"], {})[site["line"]] = None
    return {name: list(lines) for name, lines in found.items()}


SHOWN = related.shown(_lines, "callee", _found, _draw)
