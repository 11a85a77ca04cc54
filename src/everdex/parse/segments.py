"""Spans of a document that are written in another language: fenced code, `<script>` and `<style>`.

Decides where such a span begins and ends, what language it is in and what its number is; the contents are
parsed by the same code as any file, with offsets of the container.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec
from tree_sitter import Node

from everdex.languages import parsed_language

_ATTRIBUTE: Final = re.compile(rb"""\b(lang|type)\s*=\s*["']?([\w./+-]+)""")
_SCRIPT_TYPES: Final = {
    "module": "javascript", "text/javascript": "javascript", "application/javascript": "javascript",
    "text/ecmascript": "javascript", "text/babel": "javascript", "text/jsx": "javascript",
    "text/typescript": "typescript",
    "application/json": "json", "application/ld+json": "json", "importmap": "json", "speculationrules": "json",
    "text/css": "css", "text/x-template": "html", "text/html": "html", "text/template": "html",
}  # fmt: skip
# The info string of a fence may carry anything; a language name is short and plain.
_FENCE_LANGUAGE: Final = re.compile(r"[\w.+#-]{1,40}")


class Segment(msgspec.Struct, frozen=True):
    """An embedded span: `start:end` with its fence or tags, `content_start:content_end` without."""

    kind: str  # fence, script, style
    segment_id: str
    language: str
    grammar: str | None
    start: int
    end: int
    content_start: int
    content_end: int


def locate(nodes: list[tuple[str, Node]], data: bytes) -> list[Segment]:
    """The segments of a document in order; `nodes` are (type, node) as the query found them."""
    found: list[Segment] = []
    counts: dict[str, int] = {}
    for kind, node in sorted(nodes, key=lambda pair: pair[1].start_byte):
        if found and node.start_byte < found[-1].end:
            continue  # a fence inside a fence that broken markup produced
        number = counts.get(kind, 0)
        segment = _fence(node, data, number) if kind == "fence" else _element(kind, node, data, number)
        if segment is not None:
            counts[kind] = number + 1
            found.append(segment)
    return found


def _fence(node: Node, data: bytes, number: int) -> Segment | None:
    language, content = "", None
    for child in node.named_children:
        if child.type == "info_string":
            info = data[child.start_byte : child.end_byte].decode().strip().strip("{}").strip(".")
            match = _FENCE_LANGUAGE.match(info)
            language = match.group().lower() if match else ""
        elif child.type == "code_fence_content":
            content = child
    if content is None:
        return None
    grammar = parsed_language(language) if language else None
    start = data.rfind(b"\n", 0, node.start_byte) + 1
    end = node.end_byte
    if data[end - 1 : end] != b"\n":
        end = data.find(b"\n", end) + 1 or len(data)
    return Segment(
        "fence", f"md:fence:{number}", grammar or language or "text", grammar, start, end,
        content.start_byte, content.end_byte,
    )  # fmt: skip


def _element(kind: str, node: Node, data: bytes, number: int) -> Segment | None:
    content = next((child for child in node.named_children if child.type == "raw_text"), None)
    if content is None:
        return None
    attributes = {
        key.decode(): value.decode().lower()
        for key, value in _ATTRIBUTE.findall(data[node.start_byte : content.start_byte])
    }
    default = "javascript" if kind == "script" else "css"
    declared = attributes.get("lang") or _SCRIPT_TYPES.get(attributes.get("type", ""), attributes.get("type", default))
    grammar = parsed_language(declared)
    start, end = node.start_byte, node.end_byte
    line_start = data.rfind(b"\n", 0, start) + 1
    if not data[line_start:start].strip():
        start = line_start
    line_end = data.find(b"\n", end) + 1 or len(data)
    if not data[end:line_end].strip():
        end = line_end
    language = grammar or declared
    # HTML inside HTML would be found again by its own query; its text is enough here.
    return Segment(
        kind, f"html:{kind}:{number}", language, None if language == "html" else grammar, start, end,
        content.start_byte, content.end_byte,
    )  # fmt: skip
