"""`everdex refs`: where a symbol is defined and every place that names it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options, related, rows
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Style, escape, write
from everdex.surfaces.daemon.thin import ROLES


@click.command("refs", short_help="List every place that names a symbol.")
@related.symbol_argument
@options.root_argument
@click.option(
    "--role", type=click.Choice(ROLES), metavar="ROLE",
    help="Only places that do this with it: " + ", ".join(ROLES) + ".",
)
@related.listing_options
@related.wait_option
@related.reading_options
def refs_command(
    symbol: str, root: Path | None, role: str | None, limit: int, offset: int, wait: bool, common: Common
) -> int:
    """List the definition of SYMBOL and every place that names it, in the repository around ROOT (default: here).

    Reads and writes of a variable or attribute are told apart; its definition is where it is first assigned. Where C
    and C++ declare a function stands after its definition.

    SYMBOL is a name, Class.name, path:line, path::Class.name, a path, or an id from a JSON answer. When several
    definitions fit, they are listed and the exit code is 2. Below the list stands what could be missing from it: sites
    that ask for the same name and could not be decided, and, while they are few, the places whose owner is not known or
    that only write the name. The first question in a large repository is answered as by `everdex callers`: --wait waits
    for all files.

    \b
    Examples:
      everdex refs SnapshotView
      everdex refs src/app.py::Flask.run
      everdex refs --role write settings.TIMEOUT
      everdex refs --json open_view | jq -r '.references[] | "\\(.role) \\(.path):\\(.line)"'
    """
    params = {"symbol": symbol, "k": limit, "offset": offset, "role": role or "", "wait": wait}
    document = related.ask("refs", params, root, common)
    return related.show(document, SHOWN, common)


def _found(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The places to list: the definition first, and the write at the same place (of a variable) not once more."""
    definition, references = {**document["definition"], "certainty": "resolved"}, document["references"]
    declarations = [{**item, "role": "declaration", "certainty": "resolved"} for item in document["declarations"]]
    if document["role"] not in (None, "definition"):
        return list(references)
    place = definition["path"], definition["line"], definition["column"] + len(document["symbol"]["name"].encode())
    others = [
        item for item in references
        if item["role"] != "write" or (item["path"], item["end_line"], item["end_column"]) != place
    ]  # fmt: skip
    if len(others) < len(references):
        definition["role"] = "definition, write"
    return [definition, *declarations, *others]


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for item in _found(document):
        yield f"{escape(item['path'])}:{item['line']}:{escape(item['text'].strip())}"


def _draw(document: dict[str, Any], shown: Style) -> None:
    for path, items in related.by_path(_found(document)).items():
        rows.file(path, shown)
        for item in items:
            doubt = related.doubtful(item["certainty"])
            rows.numbered(item["line"], item["text"], f"{item['role']}{', ' + doubt if doubt else ''}", shown)
        write()


SHOWN = related.shown(_lines, "reference", lambda document: [document["symbol"]] if document["symbol"] else [], _draw)
