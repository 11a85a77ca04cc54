"""Replies as a model reads them best: code as code, one heading a place. Never longer than the JSON of the same reply.

The words come from an untrusted repository and may end on a terminal, so control characters go out escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from everdex.surfaces.cli.lines import lines_of
from everdex.surfaces.cli.output import escape
from everdex.surfaces.mcp.related import like_it, missing, use_line

Reply = Mapping[str, Any]
_ALL_OF_THEM: Final = "all of them: `references` with wait: true"


def text_of(reply: Reply, lines: Iterable[str]) -> str:
    """The lines of a reply and, last, what every answer says about itself."""
    return "\n".join(map(escape, (*lines, *_footer(reply))))


def as_json(reply: Reply) -> str:
    """For replies that are numbers and names: no text says it shorter."""
    return json.dumps(reply, ensure_ascii=False, separators=(",", ":"))


def search(reply: Reply) -> Iterator[str]:
    if not reply["results"]:
        yield "nothing found"
    elif reply["no_strong_match"]:
        yield "no strong match; these are only the nearest:"
    for item in reply["results"]:
        crumbs = f" {' › '.join(item['breadcrumb'])}" if item["breadcrumb"] else ""
        part = " of {}-{}".format(*item["part_of"]) if item["part_of"] else ""
        yield f"## {item['path']}:{item['start_line']}-{item['end_line']}{part}{crumbs}"
        for share in item.get("explain", ()):
            yield f"{share['feature']} {share['value']:.4f} {share['detail']}".rstrip()
        yield from lines_of(item["snippet"])
    for place in reply["left_out"]:
        yield f"also {place['path']}:{place['start_line']} {place['symbol'] or ''}".rstrip()
    if reply["suggestions"]:
        yield f"did you mean {', '.join(reply['suggestions'])}?"


def grep(reply: Reply) -> Iterator[str]:
    if not reply["matches"]:
        yield "nothing found"
    for item in reply["matches"]:
        yield f"{item['path']}:{item['line']}:{item['text']}"


def symbol(reply: Reply) -> Iterator[str]:
    if reply["by"] == "name" and not reply["definitions"]:
        yield "no definition has this name"
    for item in reply["definitions"]:
        place = f"{item['path']}:{item['start_line']}-{item['end_line']}"
        yield f"## {place} {item['kind']} {item['qualified_name']}"
        yield from lines_of(item["source"] or item["signature"])
        if item["trimmed"]:
            yield "…"
    yield from like_it(reply)
    if reply["roles"]:
        yield f"# used: {', '.join(f'{count:,} {role}' for role, count in reply['roles'].items())}"
    yield from map(use_line, reply["references"])
    yield from missing(reply, _ALL_OF_THEM)
    if reply["outline"] is not None:
        yield f"# {reply['outline']['path']}"
        for entry in reply["outline"]["symbols"]:
            indent = " " * entry["qualified_name"].count(".")
            yield f"{entry['start_line']} {indent}{entry['signature'] or entry['name']}"


def _footer(reply: Reply) -> Iterator[str]:
    left = ", ".join(f"{count:,} more {name}" for name, count in reply["omitted"].items() if count)
    dirty = reply["freshness"]["dirty_count"]
    state = reply["freshness"]["state"] + (f" ({dirty:,} changed files not seen)" if dirty else "")
    yield f"[snapshot {reply['snapshot_id']} · {state}{' · ' + left if left else ''}]"
    for warning in reply["warnings"]:
        yield f"warning: {warning}"
