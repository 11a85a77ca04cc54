"""An answer as lines for a pipe: results for stdout, remarks for stderr, every line escaped.

The command line and the daemon both print through here, so that their bytes cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from everdex.surfaces.cli.lines import Words, lines_of, telling_line
from everdex.surfaces.cli.output import Line, Shown, escape


def piped(document: dict[str, Any]) -> Iterator[Line]:
    """path:line:text for every result, then what should be known about them."""
    if "budget" in document:
        yield from _packed(document)
        return
    results = document["results"]
    words = None if document["mode"] in ("regex", "literal", "like") else Words(document["query"])
    for result in results:
        number, text = telling_line(result, words)
        yield True, f"{escape(result['path'])}:{number}:{escape(text)}"
        for share in result.get("explain", ()):
            detail = f" {share['detail']}" if share["detail"] else ""
            yield False, f"  {share['feature']} {share['value']:.4f}{escape(detail)}"
    if not results:
        yield False, "nothing found"
    elif document["no_strong_match"]:
        yield False, "no strong match: these are only the nearest"
    if document["suggestions"]:
        yield False, f"did you mean {escape(', '.join(document['suggestions']))}?"
    if results and not document["no_strong_match"] and document["omitted"]:
        yield False, f"{document['omitted']:,} more not shown (raise -k)"


def vimgrep(document: dict[str, Any]) -> Iterator[Line]:
    """path:line:column:text, which editors put into a list of places; the column is 1-based and in bytes."""
    words = None if document["mode"] in ("regex", "literal") else Words(document["query"])
    for result in document["results"]:
        number, text = telling_line(result, words)
        start = result["column"] if words is None else len(text.encode()) - len(text.lstrip().encode())
        yield True, f"{escape(result['path'])}:{number}:{start + 1}:{escape(text)}"


def _packed(document: dict[str, Any]) -> Iterator[Line]:
    """Snippets as a model reads them best: a heading with place and breadcrumb, then the lines."""
    for result in document["results"]:
        crumbs = " › ".join(result["breadcrumb"])
        part = " of {}-{}".format(*result["part_of"]) if result["part_of"] else ""
        place = f"{result['path']}:{result['start_line']}-{result['end_line']}{part}"
        yield True, f"## {escape(place)}{'  ' + escape(crumbs) if crumbs else ''}"
        for line in lines_of(result["snippet"]):
            yield True, escape(line)
        yield True, ""
    budget = document["budget"]
    used, left = f"{budget['used']:,} of {budget['tokens']:,} tokens used", f"{document['omitted']:,} more results"
    yield False, f"{used}; {left} left out"
    for item in budget["left_out"][:5]:
        yield False, f"left out: {escape(item['path'])}:{item['start_line']} {escape(item['symbol'] or '')}".rstrip()


SHOWN = Shown(piped, lambda document: 0 if document["results"] else 1)
VIMGREP = Shown(vimgrep, SHOWN.code)
