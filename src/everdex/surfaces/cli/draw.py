"""Results on a terminal: grouped by file, with breadcrumb, the best lines and the matching words marked.

The only module that draws with rich; a pipe never loads it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from everdex.surfaces.cli.lines import Words, literal_spans, numbered_lines, telling_line
from everdex.surfaces.cli.links import END, Links
from everdex.surfaces.cli.output import duration, escape

_TAB: Final = "    "
_ELISION: Final = "     ⋮"


def draw(
    document: Mapping[str, Any], *, coloured: bool, elapsed_ms: float, window: int, links: Links | None = None
) -> None:
    """Draw an answer on stdout."""
    console = Console(
        file=sys.stdout,
        force_terminal=coloured,
        no_color=not coloured,
        color_system="standard" if coloured else None,
        width=shutil.get_terminal_size((100, 40)).columns,
        highlight=False,
        markup=False,
        emoji=False,
    )
    by_file: dict[str, list[Mapping[str, Any]]] = {}
    for result in document["results"]:
        by_file.setdefault(result["path"], []).append(result)
    words = Words("" if document["mode"] == "like" else document["query"])
    for path, results in by_file.items():
        _print(console, Text(escape(path), "bold magenta"), links.begin(path) if links else None)
        for result in results:
            if document["mode"] in ("regex", "literal"):
                _draw_match(console, result, document, links)
            else:
                _draw_hit(console, result, words, window, links)
        _print(console, Text())
    _draw_footer(console, document, elapsed_ms)


def _draw_match(
    console: Console, result: Mapping[str, Any], document: Mapping[str, Any], links: Links | None
) -> None:
    text = _safe(result["snippet"].rstrip("\r\n"))
    marks: list[tuple[int, int]] = []
    # A regular expression is not run again here: on a hostile line it could take for ever.
    if document["mode"] == "literal":
        marks = literal_spans(text, _safe(document["query"]), ignore_case=document["ignore_case"])
    line = _numbered(result["start_line"], text, marks)
    _print(console, line, links.begin(result["path"], result["start_line"]) if links else None)


def _draw_hit(
    console: Console, result: Mapping[str, Any], words: Words, window: int, links: Links | None
) -> None:
    names = [escape(name) for name in result["breadcrumb"]]
    head = Text("  ")
    head.append(" › ".join(names) or result["language"], "bold cyan")
    kind = f"{escape(result['symbol_kind'])} " if result["symbol_kind"] else ""
    head.append(f"  {kind}{result['start_line']}-{result['end_line']}  {result['score']:.3f}", "dim")
    _print(console, head, links.begin(result["path"], result["start_line"]) if links else None)
    lines = numbered_lines(result)
    while len(lines) > 1 and not lines[-1][1].strip():
        lines.pop()
    head_number, head_text = telling_line(result, words)
    shown = list(words.best_window(lines, window, head_number))
    if head_number < shown[0][0]:
        # Lines from the middle of a definition say little without its first one.
        shown = shown[1:] if len(shown) > 1 else shown
        _print(console, _marked(head_number, head_text, words))
        if head_number + 1 < shown[0][0]:
            _print(console, Text(_ELISION, "dim"))
    for number, text in shown:
        _print(console, _marked(number, text, words))
    if shown[-1][0] < lines[-1][0]:
        _print(console, Text(_ELISION, "dim"))
    for share in result.get("explain", ()):
        detail = f"  {escape(share['detail'])}" if share["detail"] else ""
        _print(console, Text(f"       {share['feature']} {share['value']:.4f}{detail}", "dim italic"))


def _marked(number: int, text: str, words: Words) -> Text:
    safe = _safe(text)
    return _numbered(number, safe, [(start, end) for start, end, _ in words.spans(safe)])


def _numbered(number: int, safe: str, marks: Sequence[tuple[int, int]]) -> Text:
    body = Text(safe)
    for start, end in marks:
        body.stylize("bold red", start, end)
    return Text.assemble((f"{number:>6}  ", "green"), body)


def _safe(text: str) -> str:
    return escape(text).replace("\t", _TAB)


def _print(console: Console, text: Text, link: str | None = None) -> None:
    """One line, all of it a link if there is one; rich would drop links along with colours."""
    console.file.write(link or "")
    console.print(text, no_wrap=True, overflow="ellipsis", crop=True, end="")
    console.file.write(f"{END if link else ''}\n")


def _draw_footer(console: Console, document: Mapping[str, Any], elapsed_ms: float) -> None:
    results = document["results"]
    freshness = document["freshness"]
    state = freshness["state"]
    if freshness["dirty_count"]:
        state += f" ({freshness['dirty_count']:,} changed since)"
    found = f"{len(results):,} shown" if results else "nothing found"
    more = f", {document['omitted']:,} more (-k)" if document["omitted"] else ""
    note = "; no strong match" if document["no_strong_match"] and results else ""
    parts = (f"{found}{more}{note}", f"snapshot {document['snapshot_id']}", state, duration(elapsed_ms))
    _print(console, Text(" · ".join(parts), "dim"))
    for suggestion in document["suggestions"]:
        _print(console, Text(f"try: {escape(suggestion)}", "dim"))
