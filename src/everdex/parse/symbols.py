"""Turns definitions into symbols: signature, first sentence of documentation, and whether it is public.

Works on text only; which definitions exist was decided before. What is public follows each language's own
convention as far as the definition's own text shows it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from everdex.parse.definitions import CLASS_LIKE, Definition
from everdex.parse.headers import one_line
from everdex.parse.model import Symbol
from everdex.parse.text import Atoms

MAX_SIGNATURE: Final = 240
_MAX_DOCUMENTATION: Final = 240
# Longer headers are cut anyway; reading more of a huge one-line definition would be waste.
_MAX_HEADER_BYTES: Final = 1_000
_BARE_HEADERS: Final = frozenset(("variable", "constant", "field", "key", "heading", "variant", "macro"))

# A word before the name makes it public, or not.
_NEEDS: Final = {
    "rust": re.compile(rb"\bpub\b"),
    "zig": re.compile(rb"\b(pub|export)\b"),
    "java": re.compile(rb"\bpublic\b"),
    "csharp": re.compile(rb"\bpublic\b"),
}
_FORBIDS: Final = {
    "c": re.compile(rb"\bstatic\b"),
    "cpp": re.compile(rb"\bstatic\b"),
    "elixir": re.compile(rb"\bdef(macro|guard)?p\b"),
    "kotlin": re.compile(rb"\b(private|internal|protected)\b"),
    "lua": re.compile(rb"\blocal\b"),
    "php": re.compile(rb"\b(private|protected)\b"),
    "scala": re.compile(rb"\b(private|protected)\b"),
    "swift": re.compile(rb"\b(private|fileprivate)\b"),
    "tsx": re.compile(rb"\b(private|protected)\b"),
    "typescript": re.compile(rb"\b(private|protected)\b"),
}
_COMMENT_MARK: Final = re.compile(r"^\s*(?:/\*+!?|\*+/|///?/*!?|\*+(?!\*)|#+!?|--+\s?[|^]?|\{-+\s?[|^]?|;+|%+)\s?")
_COMMENT_TAIL: Final = re.compile(r"\s*(?:\*+/|-\}|-->)\s*$")
_STRING_MARK: Final = re.compile(r"^@?(?:moduledoc|doc|typedoc)?\s*(?:[rRbBuUfF]{0,2}|~[sS])(?:\"\"\"|'''|\"|')")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s|\n\s*\n|\n\s*@\w")


def symbol_of(item: Definition, data: bytes, atoms: Atoms, lead: tuple[int, int] | None) -> Symbol:
    """The finished symbol; `lead` is the span of the comments right above it, if any."""
    at, lines = atoms.at, atoms.lines
    name_atom = at(item.name_start)
    name_line = lines[name_atom]
    # In an over-long line the atom is a piece: the column counts from the line's first.
    line_start = atoms.starts[name_atom if isinstance(lines, range) else bisect_left(lines, name_line)]
    return Symbol(
        name=item.name,
        qualified_name=".".join(item.path),
        kind=item.kind,
        start_byte=item.start,
        end_byte=item.end,
        start_line=lines[at(item.start)],
        end_line=lines[at(item.end - 1)],
        name_line=name_line,
        name_column=item.name_start - line_start,
        signature=header_of(item, data, _MAX_HEADER_BYTES)[:MAX_SIGNATURE],
        doc=_documentation(item, data, lead),
        public=is_public(item, data),
    )


def header_of(item: Definition, data: bytes, max_bytes: int) -> str:
    """A definition up to its body, in one line."""
    start = item.head
    if item.start != start and b"\n" not in data[item.start : start]:
        start = item.start  # `export`, `type`, `template <…>` on the same line
    limit = min(item.end, start + max_bytes)
    end = limit
    if item.kind not in _BARE_HEADERS:
        body = item.node.child_by_field_name("body")
        if body is not None and start < body.start_byte < limit:
            end = body.start_byte
        else:
            end = _header_end(data, start, min(item.name_start, limit), limit)
    else:
        # Annotations may stand on lines of their own before it: the line that has the name is the one that tells most.
        newline = data.find(b"\n", max(start, min(item.name_start, limit)), limit)
        end = newline if newline != -1 else limit
    return one_line(data[start:end], item.language).rstrip(" {:=").removesuffix(" do")


def _header_end(data: bytes, start: int, name: int, limit: int) -> int:
    """Without a body field: up to the first brace or line end outside brackets, behind annotations' own lines."""
    end = _line_end(data, start, limit)
    while end < name and data[start:end].lstrip().startswith((b"@", b"#[", b"[")):
        start = end + 1
        end = _line_end(data, start, limit)
    return end


def _line_end(data: bytes, start: int, limit: int) -> int:
    depth = 0
    for position in range(start, limit):
        byte = data[position]
        if byte in b"([":
            depth += 1
        elif byte in b")]":
            depth -= 1
        elif depth <= 0 and byte in b"{\n":
            return position
    return limit


def _documentation(item: Definition, data: bytes, lead: tuple[int, int] | None) -> str:
    span = item.docstring or lead
    if span is None:
        return ""
    text = data[span[0] : min(span[1], span[0] + _MAX_HEADER_BYTES)].decode("utf-8", "ignore")
    if item.docstring is not None or text.startswith("@"):
        text = _STRING_MARK.sub("", text).rstrip("\"'").lstrip()
    else:
        lines = (_COMMENT_TAIL.sub("", _COMMENT_MARK.sub("", line)) for line in text.split("\n"))
        text = "\n".join(lines).strip()
        text = re.sub(r"</?summary>", "", text).strip()
    return " ".join(_SENTENCE_END.split(text, maxsplit=1)[0].split())[:_MAX_DOCUMENTATION]


def is_public(item: Definition, data: bytes) -> bool:
    name, language, parent = item.name, item.language, item.parent
    if parent is not None and parent.kind in ("function", "method", "constructor") and parent.segment == item.segment:
        return False
    if language == "go":
        return name[:1].isupper()
    # PHP says so with a word, and calls its own methods __construct and __get.
    if language != "php" and name.startswith(("_", "#")) and not (name.startswith("__") and name.endswith("__")):
        return False
    header = data[item.start : item.name_start][:_MAX_HEADER_BYTES]
    if language in _NEEDS:
        if item.kind == "variant" or (parent is not None and parent.kind in ("interface", "trait")):
            return True
        return _NEEDS[language].search(header) is not None
    if language in ("c", "cpp") and parent is not None and parent.kind in CLASS_LIKE:
        return True
    forbidden = _FORBIDS.get(language)
    return forbidden is None or forbidden.search(header) is None
