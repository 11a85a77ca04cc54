"""`everdex rename`: what renaming a symbol takes, as a plan, and the plan carried out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click

from everdex.errors import UsageError
from everdex.state.taking import EVERYWHERE
from everdex.surfaces.cli import options, related, rows
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, Style, escape, plural, write
from everdex.surfaces.cli.paths import from_root

_LEFT_SHOWN: Final = 10


@click.command("rename", short_help="Plan the renaming of a symbol, and carry a plan out.")
@click.argument("symbol", required=False)
@click.argument("new", required=False)
@options.root_argument
@click.option("--plan", "planned", is_flag=True, help="Make the plan. Nothing is changed.")
@click.option("--apply", "plan_id", metavar="PLAN_ID", help="Carry out the plan with this id, as it was shown.")
@click.option("--leave-doubts", is_flag=True, help="With --apply: leave the places in doubt as they are.")
@click.option("--take-doubts", is_flag=True, help="With --plan: edit all places in doubt that may mean it.")
@click.option(
    "--take", "places", multiple=True, metavar="PLACE",
    help="With --plan: edit this place in doubt, PATH:LINE as it is listed, or those of PATH. Can be repeated.",
)
@click.option(
    "-k", "limit", type=click.IntRange(1, related.MAX_LISTED), default=200, show_default=True, metavar="N",
    help="How many places in doubt to list, and in --json of those left as they are.",
)
@click.option(
    "--offset", type=click.IntRange(0), default=0, metavar="N",
    help="Pass over the first N edits, of a plan with more than one answer holds; see `cursor`.",
)
@related.reading_options
def rename_command(
    symbol: str | None, new: str | None, root: Path | None, planned: bool, plan_id: str | None, leave_doubts: bool,
    take_doubts: bool, places: tuple[str, ...], limit: int, offset: int, common: Common,
) -> int:  # fmt: skip
    """Plan to call SYMBOL by the name NEW: every place to edit with its exact bytes, and apart every place in doubt.

    SYMBOL is named as for `everdex refs`. A place is an edit only when it is resolved and the old name is written
    there; ambiguous and unresolved ones that ask for the same name are listed by themselves. A method is renamed with
    those it overrides and those that override it. Where comments, strings and documents write the old name they are
    left as they are, and listed below.

    Places in doubt that are right can be taken: `--take` with their place, or `--take-doubts` for all of them, makes
    a plan with an id of its own that edits these, too, and says which they are. What leads elsewhere as far as is
    known is taken only by its line. Only code can be taken in which the very name is written; strings, and names that
    stand for something else as well, are to be edited by hand.

    The plan has an id. `--apply` works it out again from the tree as it is; only when it comes out the same are the
    files written, all of them or none. A plan with places in doubt is refused until --leave-doubts says that somebody
    looked at them. When the command is killed half way, the same command finishes it.

    \b
    Examples:
      everdex rename open_view open_snapshot_view --plan
      everdex rename Store.path location --plan --json | jq -r '.files[]'
      everdex rename Store.path location --plan --take tests --take src/app.py:120
      everdex rename --apply 5f0c6a1d2b3e4f708192a3b4c5d6e7f8
    """
    if plan_id is not None:
        if new is None:
            symbol, root = None, Path(symbol) if symbol is not None else root
        if planned or common.no_sync or common.snapshot_id is not None:
            raise UsageError("--apply works on the tree as it is", hint="leave out --plan, --no-sync and --snapshot")
        if take_doubts or places:
            raise UsageError("what is taken is part of the plan", hint="everdex rename SYMBOL NEW --plan --take PLACE")
        return _apply(root, plan_id, symbol, new, leave_doubts, common)
    if not planned or symbol is None or new is None:
        raise UsageError("a rename is planned first", hint="everdex rename SYMBOL NEW --plan, then --apply PLAN_ID")
    take = [EVERYWHERE] if take_doubts else list(places)
    params = {"symbol": symbol, "new": new, "take": take, "k": limit, "offset": offset}
    document = related.ask("rename", params, root, common)
    return related.show(document, SHOWN, common)


def _apply(
    root: Path | None, plan_id: str, symbol: str | None, new: str | None, leave_doubts: bool, common: Common
) -> int:
    from everdex.service import applying

    index = common.index(root)
    names = None if symbol is None or new is None else (from_root(symbol, index.root.path), new)
    with common.syncing() as sync:
        found = applying.apply(index, plan_id, names=names, leave_doubts=leave_doubts, options=sync)
    return common.show(found.to_dict(), APPLIED)


def _lines(document: dict[str, Any]) -> Iterator[str]:
    for edit in document["edits"]:
        yield f"{escape(edit['path'])}:{edit['line']}:{edit['column'] + 1}:{escape(edit['text'])}"


def _draw(document: dict[str, Any], shown: Style) -> None:
    for path, items in related.by_path(document["edits"]).items():
        rows.file(path, shown)
        for item in items:
            role = "" if item["role"] == "call" else item["role"]
            rows.numbered(item["line"], item["text"], ", ".join(filter(None, (role, item["doubt"] and "taken"))), shown)
        write()


def _all_lines(document: dict[str, Any]) -> Iterator[Line]:
    if document["symbol"] is None:
        yield from ((False, line) for line in related.no_symbol(document))
        return
    yield from ((True, line) for line in _lines(document))
    counts = document["counts"]
    taken = f", {counts['taken']:,} of them taken from doubt" if counts["taken"] else ""
    yield False, f"{plural(counts['edits'], 'edit')} in {plural(counts['files'], 'file')}{taken}"
    if document["edits_omitted"]:
        yield False, f"{document['edits_omitted']:,} more edits not shown (--offset {document['cursor']['offset']})"
    for edit in document["edits"]:
        if edit["doubt"]:
            yield False, f"taken: {_at(edit)} ({escape(edit['doubt'])})"
    for doubt in document["doubts"]:
        yield False, f"in doubt: {_at(doubt)} ({escape(doubt['reason'])}{how_taken(doubt)})"
    if document["doubts_omitted"]:
        yield False, f"{document['doubts_omitted']:,} more in doubt (raise -k)"
    yield from ((False, line) for line in _left(document))
    for clash in document["clashes"]:
        yield False, f"has that name: {escape(clash['path'])}:{clash['line']}:{escape(clash['qualified_name'])}"
    if document["clashes_omitted"]:
        yield False, f"{document['clashes_omitted']:,} more that have that name"
    if counts["takeable"]:
        yield False, f"edit those in doubt, too: --take PLACE, or --take-doubts for {counts['takeable']:,} of them"
    decided = " --leave-doubts" if document["doubts"] or document["clashes"] else ""
    yield False, f"carry it out: everdex rename --apply {document['plan_id']}{decided}"


def how_taken(doubt: Mapping[str, Any]) -> str:
    """What is said of a doubt that is not taken with all others."""
    return "; by hand" if not doubt["takeable"] else "; leads elsewhere as far as known" if doubt["elsewhere"] else ""


def _at(place: dict[str, Any]) -> str:
    return f"{escape(place['path'])}:{place['line']}:{place['column'] + 1}:{escape(place['text'].strip())}"


def _left(document: dict[str, Any]) -> Iterator[str]:
    """Where comments, strings and documents write the old name: likely places are listed, the others counted."""
    shown = [place for place in document["left"] if place["likely"]][:_LEFT_SHOWN]
    for place in shown:
        yield f"left as it is: {_at(place)}"
    if more := document["counts"]["left"] - len(shown):
        places = f"{plural(more, 'more place' if shown else 'place')} in comments, strings and documents"
        yield f"left as they are: {places}; see `everdex search --mode regex '\\b{escape(document['old_name'])}\\b'`"


def _code(document: dict[str, Any]) -> int:
    return 2 if document["matches"] else 0 if document["symbol"] is not None else 1


def _applied(document: dict[str, Any]) -> Iterator[Line]:
    for file in document["files"]:
        yield True, f"{escape(file['path'])}: {plural(file['edits'], 'edit')}"
    names = f"{escape(document['old_name'])} is now {escape(document['new_name'])}"
    again = ", finished what was begun before" if document["resumed"] else ""
    done = f"{names}: {plural(document['edits'], 'edit')} in {plural(len(document['files']), 'file')}{again}"
    yield False, f"{done}; snapshot {document['snapshot_id']}"


SHOWN = Shown(_all_lines, _code, _draw)
APPLIED = Shown(_applied)
