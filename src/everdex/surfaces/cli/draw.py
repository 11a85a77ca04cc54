"""Results on a terminal: grouped by file, with breadcrumb, the best lines and the matching words marked.

The only module that draws with rich; a pipe never loads it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from everdex.surfaces.cli.lines import Matcher, numbered_lines
from everdex.surfaces.cli.output import duration, escape

_TAB: Final = "    "


def draw(document: Mapping[str, Any], *, coloured: bool, elapsed_ms: float, window: int) -> None:
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
    matcher = Matcher(document["query"])
    lines_only = document["mode"] in ("regex", "literal")
    for path, results in by_file.items():
        _print(console, Text(escape(path), "bold magenta"))
        for result in results:
            if lines_only:
                _print(console, _numbered(result["start_line"], result["snippet"], None))
            else:
                _draw_hit(console, result, matcher, window)
        _print(console, Text())
    _draw_footer(console, document, elapsed_ms)


def _draw_hit(console: Console, result: Mapping[str, Any], matcher: Matcher, window: int) -> None:
    names = [escape(name) for name in result["breadcrumb"]]
    head = Text("  ")
    head.append(" › ".join(names) or result["language"], "bold cyan")
    kind = f"{escape(result['symbol_kind'])} " if result["symbol_kind"] else ""
    head.append(f"  {kind}{result['start_line']}-{result['end_line']}  {result['score']:.3f}", "dim")
    _print(console, head)
    lines = numbered_lines(result)
    while lines and not lines[-1][1].strip():
        lines.pop()
    shown = matcher.best_window(lines, window)
    if shown and lines and shown[0][0] > lines[0][0]:
        _print(console, Text("       ⋮", "dim"))
    for number, text in shown:
        _print(console, _numbered(number, text, matcher))
    if shown and shown[-1][0] < lines[-1][0]:
        _print(console, Text("       ⋮", "dim"))
    for share in result.get("explain", ()):
        detail = f"  {escape(share['detail'])}" if share["detail"] else ""
        _print(console, Text(f"       {share['feature']} {share['value']:.4f}{detail}", "dim italic"))


def _numbered(number: int, text: str, matcher: Matcher | None) -> Text:
    safe = escape(text).replace("\t", _TAB)
    line = Text(f"{number:>6}  ", "green")
    body = Text(safe, "default")
    if matcher is not None:
        for start, end, _ in matcher.spans(safe):
            body.stylize("bold red", start, end)
    return line.append_text(body)


def _print(console: Console, text: Text) -> None:
    console.print(text, no_wrap=True, overflow="ellipsis", crop=True)


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
