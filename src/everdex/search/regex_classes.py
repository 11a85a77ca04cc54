r"""Character classes of the Rust dialect, written so that RE2 reads them with the same meaning.

`\w`, `\d` and `\s` are Unicode's, as in rg; RE2's own are ASCII. Unions stay symbolic; intersections,
differences and complements that RE2 cannot write are worked out as ranges of code points, by asking RE2 itself
which characters a class holds, so that there is one Unicode table and not two. A class never holds a line feed
when it is matched (the engine is told so), whatever it says here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from everdex.errors import QueryError

Ranges = tuple[tuple[int, int], ...]  # inclusive, ascending, apart from each other

_LAST: Final = 0x10FFFF
_MAX_MEMBERS: Final = 4


class Leaf(msgspec.Struct, frozen=True):
    """A class: `inside` goes between RE2's brackets, after `^` when negated. `members` if few and listed."""

    inside: str
    negated: bool = False
    members: str = ""

    @property
    def source(self) -> str:
        if not self.inside and self.negated:
            return f"[{_EVERYTHING}]"
        return f"[^{self.inside}]" if self.negated else f"[{self.inside}]"

    @property
    def is_empty(self) -> bool:
        return not self.inside and not self.negated


# Alphabetic, marks, decimal digits, connectors and joiners: what Unicode calls a word character. RE2 has no
# Alphabetic; it is letters and letter numbers, and the circled letters, once marks are in anyway.
_WORD: Final = (
    r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}"
    r"\x{200C}\x{200D}"
)
_SPACE: Final = r"\x{9}-\x{D}\x{20}\x{85}\p{Z}"
_EVERYTHING: Final = r"\x{0}-\x{10FFFF}"

PERL: Final = {
    "w": Leaf(_WORD),
    "W": Leaf(_WORD, negated=True),
    "s": Leaf(_SPACE),
    "S": Leaf(_SPACE, negated=True),
    "d": Leaf(r"\p{Nd}"),
    "D": Leaf(r"\P{Nd}"),
}

_POSIX: Final = frozenset((
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
    "word", "xdigit",
))  # fmt: skip
_CATEGORIES: Final = {
    "letter": "L", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt",
    "modifierletter": "Lm", "otherletter": "Lo", "mark": "M", "nonspacingmark": "Mn", "spacingmark": "Mc",
    "enclosingmark": "Me", "number": "N", "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No",
    "punctuation": "P", "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps",
    "closepunctuation": "Pe", "initialpunctuation": "Pi", "finalpunctuation": "Pf", "otherpunctuation": "Po",
    "symbol": "S", "mathsymbol": "Sm", "currencysymbol": "Sc", "modifiersymbol": "Sk", "othersymbol": "So",
    "separator": "Z", "spaceseparator": "Zs", "lineseparator": "Zl", "paragraphseparator": "Zp",
    "control": "Cc", "format": "Cf", "privateuse": "Co",
}  # fmt: skip
_SHORT: Final = {short.lower(): short for short in _CATEGORIES.values()}


def single(character: str) -> Leaf:
    return Leaf(f"\\x{{{ord(character):X}}}", members=character)


def span(low: str, high: str) -> Leaf:
    return Leaf(f"\\x{{{ord(low):X}}}-\\x{{{ord(high):X}}}")


def posix_class(name: str) -> Leaf | None:
    """`[:alpha:]` or `[:^alpha:]`: ASCII, in rg as in RE2."""
    return Leaf(f"[:{name}:]") if name.removeprefix("^") in _POSIX else None


def unicode_class(name: str, *, negated: bool) -> Leaf | None:
    """A general category or script by any of its usual spellings; None when RE2 does not know it."""
    if "!=" in name:
        name, negated = name.replace("!=", "="), not negated
    kind, _, value = name.replace(":", "=").rpartition("=")
    if value.startswith("^"):
        value, negated = value[1:], not negated
    loose = re.sub(r"[\s_-]", "", value).lower()
    if not re.fullmatch("[a-z]+", loose) or re.sub(r"[\s_-]", "", kind).lower() not in (
        "", "gc", "generalcategory", "sc", "script"
    ):  # fmt: skip
        return None
    script = "_".join(word.capitalize() for word in re.split(r"[\s_-]+", value.strip()))
    for known in (_SHORT.get(loose), _CATEGORIES.get(loose), "Any" if loose == "any" else None, script):
        if known is not None and _knows(known):
            return Leaf(f"\\{'P' if negated else 'p'}{{{known}}}")
    return None


def negate(leaf: Leaf) -> Leaf:
    return Leaf(leaf.inside, not leaf.negated)


def union(items: Sequence[Leaf], *, fold: bool) -> Leaf:
    if len(items) == 1:
        return items[0]
    if any(item.negated for item in items):
        # RE2 has no brackets inside brackets, so a complement among others has to be spelt out.
        return _leaf(_merge([both for item in items for both in ranges(item, fold=fold)]))
    members = "".join(item.members for item in items) if all(item.members for item in items) else ""
    return Leaf("".join(item.inside for item in items), members=members if len(members) <= _MAX_MEMBERS else "")


def combine(operator: str, left: Leaf, right: Leaf, *, fold: bool) -> Leaf:
    """`&&` both, `--` the left without the right, `~~` one but not both."""
    one, two = ranges(left, fold=fold), ranges(right, fold=fold)
    if operator == "&&":
        return _leaf(_both(one, two))
    if operator == "--":
        return _leaf(_both(one, _complement(two)))
    return _leaf(_merge([*_both(one, _complement(two)), *_both(two, _complement(one))]))


def ranges(leaf: Leaf, *, fold: bool) -> Ranges:
    """The characters of a class; with `fold` also their other cases."""
    return () if leaf.is_empty else _scan(leaf.source, fold)


@lru_cache(maxsize=64)
def _scan(source: str, fold: bool) -> Ranges:
    import re2

    text, starts = _every_character()
    found: list[tuple[int, int]] = []
    try:
        expression = re2.compile(f"(?s{'i' if fold else ''})(?:{source})+")
    except re2.error as error:
        raise QueryError(f"invalid regex: {error}") from error
    for match in expression.finditer(text):
        begin, end = match.span()
        found.append((_code_point(starts, begin), _code_point(starts, end - 1)))
    return _merge(found)


@lru_cache(maxsize=1)
def _every_character() -> tuple[bytes, tuple[int, int, int]]:
    everything = [*range(0xD800), *range(0xE000, _LAST + 1)]
    text = "".join(map(chr, everything)).encode()
    return text, (0x80, 0x80 + 2 * 0x780, 0x80 + 2 * 0x780 + 3 * (0x10000 - 0x800 - 0x800))


def _code_point(starts: tuple[int, int, int], offset: int) -> int:
    """Which character stands at (or over) a byte offset of the text that holds them all in order."""
    if offset < starts[0]:
        return offset
    if offset < starts[1]:
        return 0x80 + (offset - starts[0]) // 2
    if offset < starts[2]:
        code = 0x800 + (offset - starts[1]) // 3
        return code if code < 0xD800 else code + 0x800
    return 0x10000 + (offset - starts[2]) // 4


def _merge(found: list[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(found):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def _complement(found: Ranges) -> Ranges:
    edges = [-1, *(edge for low, high in found for edge in (low, high)), _LAST + 1]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return tuple((low + 1, high - 1) for low, high in gaps if low + 1 <= high - 1)


def _both(one: Ranges, two: Ranges) -> Ranges:
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(one) and j < len(two):
        low, high = max(one[i][0], two[j][0]), min(one[i][1], two[j][1])
        if low <= high:
            found.append((low, high))
        if one[i][1] < two[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def _leaf(found: Ranges) -> Leaf:
    return Leaf("".join(f"\\x{{{low:X}}}-\\x{{{high:X}}}" for low, high in found))


@lru_cache(maxsize=256)
def _knows(name: str) -> bool:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(f"\\p{{{name}}}", options)
    except re2.error:
        return False
    return True


@lru_cache(maxsize=4_096)
def is_word(character: str) -> bool:
    r"""Whether `\w` holds this character."""
    import re2

    return re2.fullmatch(PERL["w"].source, character) is not None
