"""A file's lines by how far they are indented, and the blocks that these show.

A block is a line and what is indented further below it, with the lines that end it and the decorators and attributes
above. Decides by the looks of lines alone, in time that grows with their number; knows no grammar.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

BRACES: Final = frozenset(
    ("javascript", "typescript", "tsx", "go", "rust", "java", "csharp", "c", "cpp", "cuda", "php", "kotlin", "swift",
     "scala", "bash")
)  # fmt: skip
_HASHED: Final = frozenset(("python", "ruby", "bash", "php"))
_DIRECTED: Final = frozenset(("c", "cpp", "cuda", "csharp"))
_TAB: Final = 8
_MAX_HEAD: Final = 2_000  # bytes of the head of a block
_MAX_HEAD_LINES: Final = 30

# A line that goes on with what is above.
_CONTINUES: Final = re.compile(
    rb"[)\]}{>|&?:,.+*=]|//|/\*|\*|--|(?:end|else|elif|elsif|elseif|except|finally|catch|rescue|ensure|when|then|fi|"
    rb"done|esac|until|where|extends|implements|in|of|with|and|or|not|case|default)\b|"
    rb"(?:public|private|protected)[ \t]*:?[ \t]*\Z"
)
_DIRECTIVE: Final = re.compile(rb"#[ \t]*(?:if|ifdef|ifndef|elif|else|endif)\b")
# Decorators, annotations and attributes alone in their line, or begun there.
_PREFIX: Final = re.compile(
    rb"(?:@(?!interface\b)[\w.:]+(?:[ \t]*\((?:.*\)|[^)]*))?|#!?\[(?:.*\]|[^\]]*)|\[(?:.*\]|[^\]]*)|"
    rb"template\b[^;{]*>)\Z"
)
# The end of a head: of one whose inside follows, or of a list that does.
_OPENS: Final = (
    re.compile(rb"(?:\{|[^:]:|=>|->|=|\b(?:do|then)|\|)[ \t\r]*(?:(?://|#)[^\n]*)?\Z"),
    re.compile(rb"[(\[][ \t\r]*(?:(?://|#)[^\n]*)?\Z"),
)
_STATEMENT: Final = re.compile(rb"(?:def|class|async|return|import|from|raise|try|with|while)\b|@")  # in no list
_CLOSES: Final = re.compile(rb"[}\])]|(?:end|fi|done|esac)\b")
# What begins a text or a comment of several lines, and ends it.
_TEXTS: Final = ((b'"""', b'"""'), (b"'''", b"'''"), (b"`", b"`"), (b"/*", b"*/"), (b"[[", b"]]"), (b'"', b'"'))
_HERE: Final = re.compile(rb"<<[-~]?[ \t]*[\"']?([A-Z_a-z]\w*)")


class Block(NamedTuple):
    first: int  # its lines
    proper: int  # the first behind decorators and attributes
    last: int  # one behind


class Lines:
    def __init__(self, language: str, data: bytes) -> None:
        self.data = data
        self.starts = [0]
        self.indents: list[int] = []  # -1 of an empty line
        self._is_python = language == "python"
        self._braces = language in BRACES
        self._hashed = language in _HASHED
        self._directed = language in _DIRECTED
        for line in data.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
            bare = line.lstrip(b" \t")
            self.indents.append(len(line[: len(line) - len(bare)].expandtabs(_TAB)) if bare.strip() else -1)
        self.starts[-1] = len(data)

    def text(self, first: int, last: int) -> bytes:
        return self.data[self.starts[first] : self.starts[last]]

    def blocks(self, first: int, last: int) -> tuple[list[Block], int]:
        """The blocks between two lines, and how many blocks are open there whose lines are not indented."""
        begins = [line for line in range(first, last) if self.indents[line] >= 0 and self._is_start(line)]
        level = self.indents[begins[0]] if begins else 0
        starts = frozenset(line for line in begins if self.indents[line] == level)
        found: list[Block] = []
        begin, proper, prefixed = -1, -1, False
        unindented = 0  # blocks that are open and whose lines are not indented
        above = level  # how far the line above is indented
        for line in range(first, last):
            if self.indents[line] < 0:
                continue
            text = self._line(line)
            opens = line in starts and self._opens_unindented(line, last, level)
            closes = unindented > 0 and above <= level and self.indents[line] == level and text[:1] == b"}"
            above = self.indents[line]
            if opens or closes or (self._directed and _DIRECTIVE.match(text)):
                if begin >= 0:
                    found.append(Block(begin, proper, line))
                begin, prefixed = -1, False
                unindented += opens - closes
            elif line in starts:
                if begin >= 0 and not prefixed:
                    found.append(Block(begin, proper, line))
                begin, proper = line if begin < 0 or not prefixed else begin, line
                prefixed = _PREFIX.match(text) is not None
        if begin >= 0:
            found.append(Block(begin, proper, last))
        return found, unindented

    def _is_start(self, line: int) -> bool:
        text = self._line(line)
        return not _CONTINUES.match(text) and not self._is_comment(line) and not text.startswith(b"<?")

    def _is_comment(self, line: int) -> bool:
        text = self._line(line)
        return text.startswith((b"//", b"/*", b"*", b"--")) or (self._hashed and text.startswith(b"#"))

    def _opens_unindented(self, line: int, last: int, level: int) -> bool:
        if not self._braces or not self._line(line).endswith(b"{"):
            return False
        after = self._next(line + 1, last)
        return after < last and self.indents[after] == level and not self._line(after).startswith(b"}")

    def _next(self, line: int, last: int) -> int:
        """The next line that is not empty."""
        return next((other for other in range(line, last) if self.indents[other] >= 0), last)

    def _line(self, line: int) -> bytes:
        return self.data[self.starts[line] : self.starts[line + 1]].strip()

    def ends(self, block: Block) -> tuple[int, int]:
        """The first line of what ends a block, and one behind its last; empty lines and comments below are no part."""
        level = self.indents[block.proper]
        last = block.last
        while last > block.first and (self.indents[last - 1] < 0 or self._is_comment(last - 1)):
            last -= 1
        closing = last
        while closing - 1 > block.proper and self.indents[closing - 1] <= level and (
            self.indents[closing - 1] < 0 or _CLOSES.match(self._line(closing - 1))
        ):
            closing -= 1
        return closing, last

    def heads(self, first: int, last: int) -> list[int]:
        """Where what is inside a block may begin."""
        level = self.indents[first]
        nearest = self._next(first + 1, last)
        while nearest < last and self.indents[nearest] <= level and not self._is_start(nearest):
            nearest = self._next(nearest + 1, last)
        if nearest == last or self.indents[nearest] <= level:
            return []
        found: list[int] = []
        for opens in _OPENS:
            listed = 0  # parentheses that are open
            for line in range(first, min(last, first + _MAX_HEAD_LINES)):
                if self.indents[line] < 0:
                    continue
                text = self._line(line)
                listed = 0 if self._is_python and _STATEMENT.match(text) else listed
                if line > first and listed <= 0 and self.indents[line] > level and self._is_start(line):
                    break  # this is inside
                listed += text.count(b"(") + text.count(b"[") - text.count(b")") - text.count(b"]")
                after = self._next(line + 1, last)
                if after < last and self.indents[after] > level and opens.search(text):
                    found.append(after)
                    break
        heads = dict.fromkeys((*found, nearest))
        return [head for head in heads if self.starts[head] - self.starts[first] <= _MAX_HEAD]


def unclosed(text: bytes) -> bytes | None:
    """What ends a text or a comment that goes on behind this one."""
    here = _HERE.search(text)
    if here is not None and b"\n" + here[1] not in text:
        return here[1]
    for begin, end in _TEXTS:
        if begin == end and text.count(begin) % 2:
            return end
        if begin != end and text.rfind(begin) > text.rfind(end):
            return end
    return None
