"""Takes the text of what is called apart: what it is called on, its name, and what follows the name.

Knows no syntax tree and resolves no name; expressions.py has the form in which a receiver is kept.
"""

from __future__ import annotations

import re
from typing import Final

from everdex.facts.expressions import ESCAPING_LANGUAGES, MAX_DEPTH, PREFIX, chain_of
from everdex.languages import C_FAMILY

_PLAIN: Final = re.compile(r"[\w$@]+")
_QUALIFIED: Final = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)\.([^\W\d]\w*)")
_LAST_NAME: Final = re.compile(r"[\w$~]+[!?]?$")
_LAST_SEPARATOR: Final = re.compile(r"(\?->|->|\?\.|!!\.|!\.|&\.|::|\\|\.|:)$")
_LONGEST_SEPARATOR: Final = 3
_BLOCK_COMMENT: Final = {"lua": ("--[[", "]]")}  # elsewhere as in C
_LINE_COMMENT: Final = {"lua": "--", "ruby": "#"}
_HELD: Final = re.compile(r"\(\s*+(\*?+)\s*+(\w++(?>(?:(?:\.|->|::)\w++){0,256}))\s*+\)")  # `(f)(x)`, `(*p->f)(x)`
_USUAL_NAME: Final = 200


def split_callee(text: str, language: str) -> tuple[str, str, int]:
    """What a callee's text names: receiver chain, name, and how many bytes follow the name; name '' when computed."""
    if _PLAIN.fullmatch(text):
        return "", text, 0
    qualified = _QUALIFIED.fullmatch(text)
    if qualified:
        return qualified[1], qualified[2], 0
    tail = 0
    if text.endswith((">", "]")):
        cut = _generic_start(text)
        bare = text[:cut].rstrip().removesuffix("::").rstrip() if cut > 0 else text
        tail = len(text.encode()) - len(bare.encode())
        text = bare
    escaped = language in ESCAPING_LANGUAGES and text.endswith("`")
    if escaped:
        text, tail = text[:-1], tail + 1
    held = _HELD.fullmatch(text) if text.endswith(")") and language in C_FAMILY else None
    # What a pointer of C++ leads to may be an object that is called; of C it is a function.
    if held and held[2] != "this" and not (held[1] and language != "c"):
        receiver, called, _ = split_callee(held[2], language)
        return receiver, called, len(text[held.end(2) :].encode())
    name = _last_name(text)
    if name is None:
        return "?", "", 0
    written = text[: name.start()].removesuffix("`" if escaped else "")
    before = written.rstrip()
    if not before or PREFIX.fullmatch(before):
        return "", name[0], tail
    separator = _separator(before)
    if separator is None:
        before = _uncommented(written, language)
        if language in C_FAMILY and before.endswith("template"):
            before = before.removesuffix("template").rstrip()
        separator = _separator(before)
    if separator is None:
        return "?", "", 0
    front = before[: separator.start()].rstrip()
    if not front:
        # Of a type that only the context knows (Swift), or from the root of all names.
        return ("?" if language == "swift" else "."), name[0], tail
    return chain_of(front, language), name[0], tail


def _separator(before: str) -> re.Match[str] | None:
    return _LAST_SEPARATOR.search(before, max(0, len(before) - _LONGEST_SEPARATOR))


def _uncommented(text: str, language: str) -> str:
    """Without the comments that stand between a dot and the name behind it."""
    opening, closing = _BLOCK_COMMENT.get(language, ("/*", "*/"))
    for _ in range(MAX_DEPTH):
        short = text.rstrip()
        if short.endswith(closing):
            at = short.rfind(opening)
        elif "\n" in text[len(short) :]:
            first = short.rfind("\n") + 1
            at = short.find(_LINE_COMMENT.get(language, "//"), first)
            if short[first : max(at, first)].strip() and _separator(short[:at].rstrip()) is None:
                at = -1  # it is in a text
        else:
            at = -1
        if at < 0:
            return short
        text = text[:at]
    return text.rstrip()


def _last_name(text: str) -> re.Match[str] | None:
    """The name at the end. Looked for near there: every call of a long chain has all before it in its text."""
    near = max(0, len(text) - _USUAL_NAME)
    found = _LAST_NAME.search(text, near)
    return _LAST_NAME.search(text) if near and found is not None and found.start() == near else found


def _generic_start(text: str) -> int:
    """Where the list begins that ends a text; -1 when nothing opens it, or it is deeper than anybody writes."""
    closing, opening = (">", "<") if text.endswith(">") else ("]", "[")
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        character = text[position]
        if character == closing and text[position - 1 : position + 1] != "->":
            depth += 1
            if depth > MAX_DEPTH:
                return -1
        elif character == opening:
            depth -= 1
            if not depth:
                return position
    return -1
