"""Conditional lines of C and C++ (`#if … #else … #endif`) where the grammar cannot take them: inside a statement, or
around an opening brace without its closing one.

There the directives are blanked and the first branch is read; the others are left out, which `read` says so that
nobody takes the file for wholly read. Conditionals around whole statements and declarations stay, with every branch.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_DIRECTIVE: Final = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b", re.MULTILINE)
_QUIET: Final = re.compile(rb'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_NOT_NEWLINE: Final = re.compile(rb"[^\r\n]")
_BEFORE: Final = 400  # bytes: more than any line that says whether a statement goes on
_OPENED: Final = (b",", b"(", b"=", b"+", b"?", b"|", b"&", b"<<")
_CONTINUED: Final = (b",", b":", b"?", b"|", b"&&", b"<<", b")", b"+ ", b".")
_WORK: Final = 8  # times the file: nested conditionals are looked at again with each one around them
_NEVER: Final = re.compile(rb"[ \t]*#[ \t]*if[ \t]+0\b")


class Read(NamedTuple):
    data: bytes  # the same length as what was given
    whole: bool  # nothing but directives was blanked


class _Group(NamedTuple):
    lines: list[tuple[int, int]]  # of its directives
    never: bool  # `#if 0`


def read(data: bytes) -> Read:
    """As the grammar can read it."""
    blanks: list[tuple[int, int]] = []
    whole = True
    open_groups: list[_Group] = []
    work = _WORK * len(data)
    for found in _DIRECTIVE.finditer(data):
        line = (found.start(), _line_end(data, found.end()))
        if found[1].startswith(b"if"):
            open_groups.append(_Group([line], _NEVER.match(data, line[0]) is not None))
        elif open_groups:
            open_groups[-1].lines.append(line)
            if found[1] == b"endif":
                group = open_groups.pop()
                work -= line[1] - group.lines[0][0]
                if work < 0:
                    break
                texts = [_QUIET.sub(b" ", data[start:end]).strip() for start, end in _branches(group)]
                if _in_the_way(data, group, texts):
                    # Parts of a list can all stay.
                    listed = all(text.endswith(b",") for text in texts if text)
                    left_out = [] if listed else _left_out(group)
                    blanks += group.lines
                    blanks += left_out
                    whole = whole and not any(data[start:end].strip() for start, end in left_out)
    if not blanks:
        return Read(data, True)
    parts = bytearray(data)
    for start, end in blanks:
        parts[start:end] = _NOT_NEWLINE.sub(b" ", data[start:end])
    return Read(bytes(parts), whole)


def _line_end(data: bytes, start: int) -> int:
    while True:
        end = data.find(b"\n", start)
        if end < 0:
            return len(data)
        if not data[max(0, end - 2) : end].rstrip(b"\r").endswith(b"\\"):
            return end
        start = end + 1


def _branches(group: _Group) -> list[tuple[int, int]]:
    return [(first[1], second[0]) for first, second in zip(group.lines, group.lines[1:], strict=False)]


def _left_out(group: _Group) -> list[tuple[int, int]]:
    branches = _branches(group)
    taken = 1 if group.never and len(branches) > 1 else 0
    return [branch for number, branch in enumerate(branches) if number != taken]


def _in_the_way(data: bytes, group: _Group, texts: list[bytes]) -> bool:
    if any(text.count(b"{") != text.count(b"}") or text.count(b"(") != text.count(b")") for text in texts):
        return True
    if any(text.endswith(b",") or (text.startswith(_CONTINUED) and not text.startswith(b"::")) for text in texts):
        return True
    start = group.lines[0][0]
    before = _DIRECTIVE.split(_QUIET.sub(b" ", data[max(0, start - _BEFORE) : start]))[-1].rstrip()
    return before.endswith(_OPENED)
