r"""Finds the lines of a file that a pattern matches, with RE2: time grows with the text, whatever the pattern.

The answer is rg's: lines end at `\n` (a `\r` belongs to the line), a match never leaves its line, a byte order
mark is no part of the first one, and `\b` is Unicode's. RE2's `\b` is ASCII's, so a line with other characters is
decided on a respelling of it in which both agree. It knows patterns and bytes, nothing of files or indexes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from everdex.errors import QueryError
from everdex.search import regex_classes as classes
from everdex.search.regex_tree import Characters, Choice, Edge, Node, Repeat, Sequence, Text

if TYPE_CHECKING:
    import re2

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
# A search is asked to end after about this many bytes, so that a caller can look at the clock.
_WINDOW: Final = 262_144
# The respelling: a character stands between two marks that are ASCII word characters just when it is a word's.
_WORD_MARK: Final = "0"
_OTHER_MARK: Final = "\x01"
_DOUBLED: Final = {_WORD_MARK: "aa", _OTHER_MARK: "bb"}
_MARK: Final = r"[0\x01]"


class Matcher:
    """A compiled pattern."""

    def __init__(self, tree: Node) -> None:
        self._tree = tree
        self._exact = _compile(_plain(tree, boundaries=True))
        self._has_boundary = _has_boundary(tree)
        # Without its \b a pattern matches at least what it matched with them.
        self._loose = _compile(_plain(tree, boundaries=False)) if self._has_boundary else self._exact
        self._respelt: re2._Regexp | None = None

    def lines(self, data: bytes) -> Iterator[tuple[int, int, int] | None]:
        """(start of line, end of line, start of first match) of each matching line, and None now and then."""
        offset = len(BYTE_ORDER_MARK) if data.startswith(BYTE_ORDER_MARK) else 0
        text = data[offset:] if offset else data
        verify = self._has_boundary and not text.isascii()
        search = self._loose.search if verify else self._exact.search
        position, size = 0, len(text)
        # After a last line feed there is no line; without one the last line has an end to be matched.
        last = size if text.endswith(b"\n") else size + 1
        while position < size:
            window, bound = size, last
            if size - position > _WINDOW:
                window = text.find(b"\n", position + _WINDOW) + 1 or size
                bound = window if window < size else last
            while position < window:
                match = search(text, position, window)
                if match is None or (start := match.start()) >= bound:
                    break
                line_start = text.rfind(b"\n", position, start) + 1 or position
                line_end = text.find(b"\n", start)
                line_end = size if line_end < 0 else line_end
                position = line_end + 1
                if verify:
                    column = self._column(text[line_start:line_end])
                    if column is None:
                        continue
                    start = line_start + column
                yield line_start + offset, line_end + offset, start + offset
            position = max(position, window)
            yield None

    def _column(self, line: bytes) -> int | None:
        if line.isascii():
            match = self._exact.search(line)
            return match.start() if match else None
        if self._respelt is None:
            # Whole spellings before the match: an edge alone could otherwise be found inside one.
            self._respelt = _compile(f"^(?:{_MARK}[^0\\x01]+{_MARK})*?({_respelt(self._tree)})", captures=True)
        characters = line.decode()
        spelling = "".join(map(_respell, characters))
        match = self._respelt.search(spelling)
        if match is None:
            return None
        before = spelling[: match.start(1)]
        count = (before.count(_WORD_MARK) + before.count(_OTHER_MARK)) // 2
        return len(characters[:count].encode())


def _compile(source: str, *, captures: bool = False) -> re2._Regexp:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    options.never_capture = not captures
    try:
        return re2.compile(f"(?m){source}", options)
    except re2.error as error:
        problem = error.args[0] if error.args else b""
        text = problem.decode("utf-8", "replace") if isinstance(problem, bytes) else str(problem)
        raise QueryError(f"the regex cannot be compiled: {text}", hint="simplify it or use smaller counts") from error


def _plain(node: Node, *, boundaries: bool) -> str:
    """The pattern in RE2's syntax."""
    match node:
        case Text(character, fold):
            return f"(?i:{_quoted(character)})" if fold else _quoted(character)
        case Characters(source, fold):
            return f"(?i:{source})" if fold else source
        case Edge(kind):
            return kind if boundaries or kind in "^$" else "(?:)"
        case Repeat(inner, low, high):
            return f"(?:{_plain(inner, boundaries=boundaries)}){_counts(low, high)}"
        case Sequence(nodes):
            return "(?:" + "".join(_plain(inner, boundaries=boundaries) for inner in nodes) + ")"
        case Choice(nodes):
            return "(?:" + "|".join(_plain(inner, boundaries=boundaries) for inner in nodes) + ")"


def _respelt(node: Node) -> str:
    """The pattern for a respelt line. An edge of the pattern lies between characters, so between two marks."""
    match node:
        case Text() | Characters():
            source = _plain(node, boundaries=True)
            kinds = [source, *(spelling for mark, spelling in _DOUBLED.items() if _holds(source, mark))]
            return f"{_MARK}(?:{'|'.join(kinds)}){_MARK}"
        case Edge(kind):
            return kind
        case Repeat(inner, low, high):
            return f"(?:{_respelt(inner)}){_counts(low, high)}"
        case Sequence(nodes):
            return "(?:" + "".join(map(_respelt, nodes)) + ")"
        case Choice(nodes):
            return "(?:" + "|".join(map(_respelt, nodes)) + ")"


@lru_cache(maxsize=4_096)
def _respell(character: str) -> str:
    # A mark may not stand for itself, or a match could begin inside a character's spelling.
    mark = _WORD_MARK if classes.is_word(character) else _OTHER_MARK
    return mark + _DOUBLED.get(character, character) + mark


def _holds(source: str, character: str) -> bool:
    import re2

    return re2.fullmatch(source, character) is not None


def _counts(low: int, high: int | None) -> str:
    common = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    return common.get((low, high)) or f"{{{low},{'' if high is None else high}}}"


def _quoted(character: str) -> str:
    return character if character.isalnum() or not character.isascii() else f"\\x{{{ord(character):X}}}"


def _has_boundary(node: Node) -> bool:
    match node:
        case Edge(kind):
            return kind not in "^$"
        case Repeat(inner):
            return _has_boundary(inner)
        case Sequence(nodes) | Choice(nodes):
            return any(map(_has_boundary, nodes))
    return False
