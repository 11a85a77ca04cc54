"""What commands that ask the graph share: how a symbol is named, how the question is put, how an answer is shown.

Nothing here decides between several definitions: they are listed and the exit code is 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from everdex.graph.answers.doubts import doubts, left_open
from everdex.surfaces.cli import options, rows
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, Style, escape, plural, warn, write_error
from everdex.surfaces.cli.outside import from_outside
from everdex.surfaces.cli.paths import from_root, place_from_root, told_of_all

_Function = TypeVar("_Function", bound=Callable[..., Any])
MAX_LISTED: Final = 2_000
_PLACE: Final = re.compile(r"[^:]:\d+\Z")
_TESTS: Final = 10  # files of tests that are named
_ALL_OF_IT: Final = "the whole answer: --wait, or ask again when a daemon has finished the graph"

symbol_argument = click.argument("symbol")
reading_options = options.common(
    options.no_sync_option, options.reading_options, options.workers_option, color=True
)


def listing_options(function: _Function) -> _Function:
    """-k and --offset of answers that list things."""
    limit = click.option(
        "-k", "limit", type=click.IntRange(1, MAX_LISTED), default=200, show_default=True, metavar="N",
        help="How many to list.",
    )  # fmt: skip
    offset = click.option("--offset", type=click.IntRange(0), default=0, metavar="N", help="Pass over the first N.")
    return limit(offset(function))


site_offset_option = click.option(
    "--site-offset", type=click.IntRange(0), default=0, metavar="N",
    help="Pass over the first N places of the first one listed; see `cursor`.",
)  # fmt: skip
_OF_THE_WHOLE = ("map", "architecture")  # who names a directory for these may mean that one

wait_option = click.option(
    "--wait", is_flag=True, help="Wait for the finished graph, also where part of the answer can be told before."
)


def ask(method: str, params: dict[str, Any], root: Path | None, common: Common) -> dict[str, Any]:
    """The answer of the running daemon, or of this process."""
    from everdex.service import relations

    index = common.index(root)
    if "symbol" in params:
        params = {**params, "symbol": from_root(params["symbol"], index.root.path)}
    given = {"limit" if name == "k" else name: value for name, value in params.items()}
    if "take" in params:
        params["take"] = [place_from_root(place, index.root.path) for place in params["take"]]
        given["take"] = tuple(params["take"])
    question = relations.Question(method, **given)
    relations.check(question)
    document = common.ask(
        index, method, params, lambda reader, freshness, reading: reader.relations(question, freshness, reading)
    )
    if method in _OF_THE_WHOLE:
        told_of_all(document, root, index.root.path)
    return document


Lines = Callable[[dict[str, Any]], Iterable[str]]
Found = Callable[[dict[str, Any]], Sequence[Any]]
Draw = Callable[[dict[str, Any], Style], None]


def shown(lines: Lines, noun: str, found: Found, draw: Draw) -> Shown:
    """How an answer looks, and its exit code: 0 found, 1 nothing, 2 when several definitions fit."""

    def all_lines(document: dict[str, Any]) -> Iterator[Line]:
        if document["symbol"] is None:
            yield from ((False, line) for line in no_symbol(document))
        else:
            yield from ((True, line) for line in lines(document))
            yield from ((False, line) for line in _footer(document, noun))

    def code(document: dict[str, Any]) -> int:
        return 2 if document["matches"] else 0 if found(document) else 1

    return Shown(all_lines, code, draw)


def show(document: dict[str, Any], shown: Shown, common: Common) -> int:
    """Print an answer. On a terminal several definitions that fit stand under their files."""
    layout = common.layout
    if document["symbol"] is not None or layout is None:
        return common.show(document, shown)
    warn(document)
    for path, items in by_path(document["matches"]).items():
        rows.file(path, layout)
        for item in items:
            rows.numbered(item["name_line"], item["text"], item["kind"], layout)
    for line in no_symbol(document, listed=False):
        write_error(line)
    return shown.code(document)


def no_symbol(document: dict[str, Any], *, listed: bool = True) -> Iterator[str]:
    """What is said when none or several definitions fit; without `listed` these are listed elsewhere."""
    asked = escape(document["query"])
    if not document["matches"]:
        yield f"no definition is called {asked}"
        yield from like_it(document)
        return
    total = len(document["matches"]) + document["matches_omitted"]
    alike = len({(item["path"], item["qualified_name"]) for item in document["matches"]}) < len(document["matches"])
    ways = [*([] if _PLACE.search(document["query"]) else ["path:line"]), *([] if alike else ["path::name"])]
    yield f"{total:,} definitions fit {asked}" + (f"; name one by {' or '.join(ways)}" if ways else "")
    for item in document["matches"] if listed else ():
        yield f"{escape(item['path'])}:{item['name_line']}:{escape(item['text'])}"
    if document["matches_omitted"]:
        yield f"{document['matches_omitted']:,} more not shown"


def like_it(document: dict[str, Any]) -> Iterator[str]:
    """Suggestions for a name that nothing has: each with its owner and where it is defined."""
    for item in document["suggestions"]:
        for place in item["places"]:
            where = f"{escape(place['path'])}:{place['start_line']}"
            yield f"like it ({item['how']}): {escape(place['qualified_name'])}  {where}  {place['kind']}"


def _left_out(document: Mapping[str, Any]) -> Iterator[str]:
    """What is on the next page, and what no page of this list has."""
    cursor = document["cursor"]
    begin = f"--offset {cursor['offset']}" if cursor else ""
    if cursor and cursor.get("site_offset"):
        begin += f" --site-offset {cursor['site_offset']}"
    beside = ("declarations", "external", "unresolved", "tests")
    edges: Sequence[Mapping[str, Any]] = document.get("callers") or document.get("callees") or ({},)
    for name, left in (
        ("more", document["omitted"]),
        ("more places of the last one", edges[-1].get("sites_omitted", 0)),
        *((f"more {name}", document.get(f"{name}_omitted", 0)) for name in beside),
    ):
        if left:
            yield f"{left:,} {name} not shown ({'raise -k, or ' if begin else 'raise -k'}{begin})"


# -- showing -----------------------------------------------------------------------------------


def doubtful(certainty: str) -> str:
    return "" if certainty == "resolved" else certainty


def by_path(items: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        grouped.setdefault(item["path"], []).append(item)
    return grouped


def may_mean(place: Mapping[str, Any]) -> str:
    """A place that may mean the symbol, as one line with the reason why that is not known."""
    return f"{place['path']}:{place['line']}:{place['text'].strip()[:300]} ({place['why']})"


def _counted(document: dict[str, Any], noun: str, so_far: str) -> str:
    """How many were found. Callers and callees are definitions; resolved are calls, of which one may have several."""
    total, counts, roles = document["total"], document["counts"], document.get("roles")
    parts = [f"{number:,} {name}" for name, number in (roles or counts).items() if number]
    parts += [f"{counts[name]:,} {name}" for name in ("ambiguous",) if roles and counts[name]]
    found = plural(total, noun) + so_far
    calls = sum(counts.values())
    if noun == "callee" and calls:
        return f"{found} in the repository; {plural(calls, 'call')}: {', '.join(parts)}"
    if noun == "caller" and calls != total:
        return f"{found}; {plural(calls, 'call')}: {', '.join(parts)}"
    return ", ".join([found, *parts])


def _footer(document: dict[str, Any], noun: str) -> Iterator[str]:
    """How many there are, and what could be missing; on stderr, so that a pipe gets results only."""
    could, reservation = document.get("could_add"), document.get("reservation")
    yield _counted(document, noun, " so far" if reservation else "")
    if reservation:
        yield from map(escape, left_open(reservation, _ALL_OF_IT))
    if could is not None:
        yield from doubts(could)
    for place in document.get("may_mean", ()):
        yield f"  {escape(may_mean(place))}"
    yield from map(escape, from_outside(document.get("outside", ()), is_alone=not document["total"]))
    yield from _left_out(document)
    if tests := document.get("tests"):
        yield plural(len(tests), "test file")
        yield from (f"  {escape(path)}" for path in tests[:_TESTS])
        if len(tests) > _TESTS:
            yield f"  and {len(tests) - _TESTS:,} more (--json has all)"
