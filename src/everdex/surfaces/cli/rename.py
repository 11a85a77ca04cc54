"""`everdex rename`: what renaming a symbol takes, as a plan."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.errors import UsageError
from everdex.surfaces.cli import related, rows
from everdex.surfaces.cli.output import Line, Shown, Style, escape, plural, write


@click.command("rename", short_help="Plan the renaming of a symbol: every place, and those in doubt.")
@related.symbol_argument
@click.argument("new")
@related.root_argument
@click.option("--plan", "planned", is_flag=True, help="Make the plan. Nothing is ever changed.")
@click.option(
    "-k", "limit", type=click.IntRange(1, related.MAX_LISTED), default=200, show_default=True, metavar="N",
    help="How many places in doubt to list.",
)
@related.reading_options
def rename_command(
    symbol: str, new: str, root: Path | None, planned: bool, limit: int, no_sync: bool, snapshot_id: str | None,
    offline: bool, workers: int, shared_store: Path | None, color: str, as_json: bool,
) -> int:  # fmt: skip
    """Plan to call SYMBOL by the name NEW: every place to edit with its exact bytes, and apart every place in doubt.

    SYMBOL is named as for `everdex refs`. A place is an edit only when it is resolved and the old name is written
    there; ambiguous and unresolved ones that ask for the same name are listed by themselves. A method is renamed with
    those it overrides and those that override it. Words in comments, strings and documents are not looked at.

    \b
    Examples:
      everdex rename open_view open_snapshot_view --plan
      everdex rename Store.path location --plan --json | jq -r '.files[]'
    """
    if not planned:
        raise UsageError("a rename is only planned", hint="pass --plan, and carry out the edits yourself")
    document = related.ask(
        "rename", {"symbol": symbol, "new": new, "k": limit}, root, no_sync=no_sync, snapshot_id=snapshot_id,
        offline=offline, workers=workers, shared_store=shared_store, quiet=as_json,
    )  # fmt: skip
    return related.finish(document, SHOWN, _draw, as_json=as_json, color=color)


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for edit in document["edits"]:
        yield f"{escape(edit['path'])}:{edit['line']}:{edit['column'] + 1}:{escape(edit['text'])}"


def _draw(document: dict[str, Any], shown: Style) -> None:
    for path, items in related.by_path(document["edits"]).items():
        rows.heading(path, shown)
        for item in items:
            rows.numbered(item["line"], item["text"], "" if item["role"] == "call" else item["role"], shown)
        write()


def _all_lines(document: dict[str, Any]) -> Iterator[Line]:
    if document["symbol"] is None:
        yield from ((False, line) for line in related.no_symbol(document))
        return
    yield from ((True, line) for line in _lines(document))
    counts = document["counts"]
    yield False, f"{plural(counts['edits'], 'edit')} in {plural(len(document['files']), 'file')}"
    for doubt in document["doubts"]:
        place = f"{escape(doubt['path'])}:{doubt['line']}:{doubt['column'] + 1}"
        yield False, f"in doubt: {place}:{escape(doubt['text'].strip())} ({escape(doubt['reason'])})"
    if document["doubts_omitted"]:
        yield False, f"{document['doubts_omitted']:,} more in doubt (raise -k)"
    for clash in document["clashes"]:
        yield False, f"has that name: {escape(clash['path'])}:{clash['line']}:{escape(clash['qualified_name'])}"


def _code(document: dict[str, Any]) -> int:
    return 2 if document["matches"] else 0 if document["symbol"] is not None else 1


SHOWN = Shown(_all_lines, _code)
