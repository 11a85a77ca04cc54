"""Results on a terminal: grouped by file, with breadcrumb, the best lines and the matching words marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from everdex.surfaces.cli import rows
from everdex.surfaces.cli.lines import Words, literal_spans, numbered_lines, telling_line
from everdex.surfaces.cli.links import Links
from everdex.surfaces.cli.output import Style, duration
from everdex.surfaces.cli.rows import Piece, safe

_ELISION: Final = "     ⋮"
_DIM: Final = {"dim": True}


def draw(
    document: Mapping[str, Any], shown: Style, *, elapsed_ms: float, window: int, links: Links | None
) -> None:
    """Draw an answer on stdout."""
    by_file: dict[str, list[Mapping[str, Any]]] = {}
    for result in document["results"]:
        by_file.setdefault(result["path"], []).append(result)
    words = Words("" if document["mode"] == "like" else document["query"])
    for path, results in by_file.items():
        rows.file(path, shown, links.begin(path) if links else "")
        for result in results:
            link = links.begin(path, result["start_line"]) if links else ""
            if document["mode"] in ("regex", "literal"):
                rows.line(_match(result, document), shown, link)
            else:
                rows.line(_about(result), shown, link)
                for pieces in _hit(result, words, window):
                    rows.line(pieces, shown)
        rows.line([], shown)
    for text in _footer(document, elapsed_ms):
        rows.line([(text, _DIM)], shown)


def _match(result: Mapping[str, Any], document: Mapping[str, Any]) -> list[Piece]:
    text = safe(result["snippet"].rstrip("\r\n"))
    marks: list[tuple[int, int]] = []
    # A regular expression is not run again here: on a hostile line it could take for ever.
    if document["mode"] == "literal":
        marks = literal_spans(text, safe(document["query"]), ignore_case=document["ignore_case"])
    return _numbered(result["start_line"], text, marks)


def _about(result: Mapping[str, Any]) -> list[Piece]:
    names = " › ".join(result["breadcrumb"]) or result["language"]
    kind = f"{result['symbol_kind']} " if result["symbol_kind"] else ""
    place = f"  {kind}{result['start_line']}-{result['end_line']}  {result['score']:.3f}"
    return [("  ", {}), (safe(names), {"fg": "cyan", "bold": True}), (safe(place), _DIM)]


def _hit(result: Mapping[str, Any], words: Words, window: int) -> Iterator[list[Piece]]:
    lines = numbered_lines(result)
    while len(lines) > 1 and not lines[-1][1].strip():
        lines.pop()
    head_number, head_text = telling_line(result, words)
    shown = list(words.best_window(lines, window, head_number))
    if head_number < shown[0][0]:
        # Lines from the middle of a definition say little without its first one.
        shown = shown[1:] if len(shown) > 1 else shown
        yield _marked(head_number, head_text, words)
        if head_number + 1 < shown[0][0]:
            yield [(_ELISION, _DIM)]
    for number, text in shown:
        yield _marked(number, text, words)
    if shown[-1][0] < lines[-1][0]:
        yield [(_ELISION, _DIM)]
    for share in result.get("explain", ()):
        detail = f"  {share['detail']}" if share["detail"] else ""
        yield [(safe(f"       {share['feature']} {share['value']:.4f}{detail}"), _DIM)]


def _marked(number: int, text: str, words: Words) -> list[Piece]:
    shown = safe(text)
    return _numbered(number, shown, [(start, end) for start, end, _ in words.spans(shown)])


def _numbered(number: int, text: str, marks: Sequence[tuple[int, int]]) -> list[Piece]:
    pieces: list[Piece] = [(f"{number:>6}  ", {"fg": "green"})]
    done = 0
    for start, end in marks:
        pieces += [(text[done:start], {}), (text[start:end], {"fg": "red", "bold": True})]
        done = end
    return [*pieces, (text[done:], {})]


def _footer(document: Mapping[str, Any], elapsed_ms: float) -> Iterator[str]:
    results, freshness = document["results"], document["freshness"]
    state = freshness["state"]
    if freshness["dirty_count"]:
        state += f" ({freshness['dirty_count']:,} changed since)"
    found = f"{len(results):,} shown" if results else "nothing found"
    more = f", {document['omitted']:,} more (-k)" if document["omitted"] else ""
    note = "; no strong match" if document["no_strong_match"] and results else ""
    yield " · ".join((f"{found}{more}{note}", f"snapshot {document['snapshot_id']}", state, duration(elapsed_ms)))
    yield from (f"try: {safe(suggestion)}" for suggestion in document["suggestions"])
