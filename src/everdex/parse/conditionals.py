"""Conditional lines of C, C++ and C# (`#if … #else … #endif`) where the grammar cannot take them: inside a statement,
around its head, or around an opening brace without its closing one; and what stands under a condition at all.

There the directives are blanked and the first branch is read; the others are left out, which `read` says so that
nobody takes the file for wholly read. Conditionals around whole statements and declarations stay, with every branch;
in C#, where they bind nothing, without their directives.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_DIRECTIVE: Final = re.compile(  # the first line may begin with a mark of the byte order
    rb"^(?:\xef\xbb\xbf)?[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b", re.MULTILINE
)
QUIET: Final = re.compile(rb'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_NOT_NEWLINE: Final = re.compile(rb"[^\r\n]")
_BEFORE: Final = 400  # bytes: more than any line that says whether a statement goes on
_OPENED: Final = (b",", b"(", b"=", b"+", b"?", b"|", b"&", b"<<")
_CONTINUED: Final = (b",", b":", b"?", b"|", b"&&", b"<<", b")", b"+ ", b".")
_WORK: Final = 8  # times the file: nested conditionals are looked at again with each one around them
_NEVER: Final = re.compile(rb"[ \t]*#[ \t]*if[ \t]+0\b")
_LINES: Final = re.compile(rb"^[ \t]*#(?:[^\\\n]|\\\r?\n|\\.)*", re.MULTILINE)
# The head of a statement or a declaration that goes on behind the branch.
_HEAD: Final = re.compile(
    rb"(?:\b(?:else|extern)|(\b(?:if|while|switch)\s*\([^;{}]*\)|\bfor\s*\([^;{}]*;[^;{}]*;[^;{}]*\)))\Z"
)
# Words before a declaration that goes on behind the branch.
_SPECIFIERS: Final = re.compile(rb"(?:(?:constexpr|static|inline|virtual|explicit|__attribute__\(\([^;{}]*\)\))\s*)+")
# A file that is read once begins so.
_GUARD: Final = re.compile(rb"[ \t]*#[ \t]*ifndef[ \t]+(\w+)[^\n]*\s+#[ \t]*define[ \t]+\1[ \t]*\r?\n")
# C#: what ends a branch that another can follow, and what may stand before it.
_WHOLE: Final = (b";", b"}", b",", b":", b"]")
_WHOLE_BEFORE: Final = (*_WHOLE, b"{")
_ALWAYS: Final = re.compile(rb"[ \t]*#[ \t]*if(?:def[ \t]+__cplusplus|[ \t]+(?:1|defined\(__cplusplus\)))[ \t]*\r?$")


class Read(NamedTuple):
    data: bytes  # the same length as what was given
    whole: bool  # nothing but directives was blanked
    left_out: tuple[tuple[int, int], ...] = ()  # the branches that are not read


class _Group(NamedTuple):
    lines: list[tuple[int, int]]  # of its directives
    never: bool  # `#if 0`


def read(data: bytes, language: str = "cpp") -> Read:
    """As the grammar can read it."""
    sharp = language == "csharp"
    parts: bytearray | None = None
    left_out: list[tuple[int, int]] = []
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
                seen = data if parts is None else parts  # what is inside has been dealt with
                texts = [QUIET.sub(b" ", bytes(seen[start:end])).strip() for start, end in _branches(group)]
                if sharp or _in_the_way(data, group, texts):
                    stays = _follow(data, group, texts) if sharp else _can_stay(data, group, texts)
                    others = [] if stays else _left_out(group)
                    parts = bytearray(data) if parts is None else parts
                    for start, end in (*group.lines, *others):
                        parts[start:end] = _NOT_NEWLINE.sub(b" ", parts[start:end])
                    left_out += [(start, end) for start, end in others if data[start:end].strip()]
    return Read(data if parts is None else bytes(parts), not left_out, tuple(left_out))


def conditional(data: bytes) -> list[tuple[int, int]]:
    """The spans of what stands under a condition, outermost ones only; what C++ or a second reading leaves out does
    not."""
    found: list[tuple[int, int]] = []
    depth, since = 0, -1  # of the outermost open one that counts
    counting: list[bool] = []
    for match in _DIRECTIVE.finditer(data):
        if match[1].startswith(b"if"):
            line = data[match.start() : _line_end(data, match.end())]
            counting.append(_GUARD.match(data, match.start()) is None and _ALWAYS.match(line) is None)
            if counting[-1] and not depth:
                since = match.end()
            depth += counting[-1]
        elif match[1] == b"endif" and counting:
            depth -= counting.pop()
            if not depth and since >= 0:
                found.append((since, match.start()))
                since = -1
    return found


def _line_end(data: bytes, start: int) -> int:
    """Where a directive ends: a backslash or a comment of several lines goes on with it."""
    while True:
        end = data.find(b"\n", start)
        if end < 0:
            return len(data)
        comment = data.find(b"/*", start, end)
        line_comment = data.find(b"//", start, end)
        if comment >= 0 and not 0 <= line_comment < comment:
            closed = data.find(b"*/", comment + 2)
            if closed < 0:
                return len(data)
            start = closed + 2
        elif data[max(0, end - 2) : end].rstrip(b"\r").endswith(b"\\"):
            start = end + 1
        else:
            return end


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
    if any(map(_head, texts)) or any(map(_SPECIFIERS.fullmatch, texts)):
        return True
    before = _before(data, group)
    return before.endswith(_OPENED) or _head(before) is not None


def _before(data: bytes, group: _Group) -> bytes:
    start = group.lines[0][0]
    first = max(0, start - _BEFORE)
    if first:
        first = max(first, data.find(b"\n", first, start))  # half a line may be of a comment
    text = _DIRECTIVE.split(QUIET.sub(b" ", data[first:start]))
    return (text[-1].partition(b"\n")[2] if len(text) > 1 else text[0]).rstrip()


def _head(text: bytes) -> re.Match[bytes] | None:
    return _HEAD.search(_LINES.sub(b"", text).rstrip()[-_BEFORE:])


def _can_stay(data: bytes, group: _Group, texts: list[bytes]) -> bool:
    """Whether the branches can be read one after the other: parts of a list, heads of statements one in the other, or
    whole statements behind a head that is before them."""
    written = [text for text in texts if text]
    if all(text.endswith(b",") for text in written):
        return True
    if any(text.count(b"{") != text.count(b"}") or text.count(b"(") != text.count(b")") for text in written):
        return False
    if all((head := _head(text)) is not None and head[1] for text in written):
        return True
    if len(written) == 1 and _SPECIFIERS.fullmatch(written[0]):
        return True
    return _head(_before(data, group)) is not None and all(text.endswith((b";", b"}")) for text in written)


def _follow(data: bytes, group: _Group, texts: list[bytes]) -> bool:
    """Whether the branches of C# can be read one after the other: there is one, or each is whole, as is what is before
    them."""
    written = [_LINES.sub(b"", text).strip() for text in texts]
    written = [text for text in written if text]
    if len(written) < 2:
        return not group.never
    if any(text.count(b"{") != text.count(b"}") or text.count(b"(") != text.count(b")") for text in written):
        return False
    before = _LINES.sub(b"", _before(data, group)).rstrip()
    return (not before or before.endswith(_WHOLE_BEFORE)) and all(
        text.endswith(_WHOLE) and not text.startswith(_CONTINUED) for text in written
    )
