"""What names and paths say about a candidate: file name, definitions, role. One small function a feature.

Words are compared by stem, and a stem also matches one that it begins (`regist` in `registry`), because a
stemmer that only truncates leaves families apart. Matches are bit sets over the query's words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from everdex.languages import role_of
from everdex.search.query import Intent, Query
from everdex.terms import split

# Kinds whose names are plentiful and weak evidence: a local called `engine` is not the type Engine.
_WEAK_KINDS: Final = frozenset(
    ("variable", "field", "constant", "impl", "key", "heading", "property", "module", "namespace")
)
_NAMELESS_KINDS: Final = frozenset(("heading", "key"))
_HEADERS: Final = (".h", ".hh", ".hpp", ".hxx", ".d.ts", ".pyi")
_FAMILY: Final = 4  # letters that two stems of one family share at least
_QUALIFIER: Final = re.compile(r"\.|::|#|/|->")

Definition = tuple[str, str, str]  # name, qualified name, kind


_role = lru_cache(maxsize=65_536)(role_of)


@lru_cache(maxsize=65_536)
def stems(text: str) -> tuple[str, ...]:
    """Stems of the identifier parts of a name."""
    return tuple(split.stem(part) for token in split.tokens(text) for part in split.parts(token))


def query_stems(text: str) -> tuple[str, ...]:
    """Distinct stems of a query without its filler words (unless there is nothing else)."""
    words = split.tokens(text)
    telling = [word for word in words if split.fold(word) not in split.STOP_WORDS]
    return tuple(dict.fromkeys(stem for word in telling or words for stem in stems(word)))


def same_family(first: str, second: str) -> bool:
    """Equal stems, or one begins the other and they are close in length."""
    if first == second:
        return True
    shorter = min(len(first), len(second))
    return shorter >= _FAMILY and abs(len(first) - len(second)) <= 3 and first[:shorter] == second[:shorter]


@dataclass(frozen=True, slots=True)
class PathFeatures:
    stem: float
    stem_query: float
    role: str
    header: bool
    exact: bool


@dataclass(frozen=True, slots=True)
class NameFeatures:
    covers: float
    exact: bool
    name: str  # the definition that matched best


class NameMatcher:
    """Compares one query with many names; remembers every stem it has seen."""

    def __init__(self, query: Query) -> None:
        self._words = query_stems(query.text)
        self._masks: dict[str, int] = {}
        self._by_start: dict[str, list[tuple[int, str]]] = {}
        for place, word in enumerate(self._words):
            self._by_start.setdefault(word[:_FAMILY], []).append((place, word))
        self._names: dict[str, tuple[float, float]] = {}
        bare = query.text.strip().removesuffix("()")
        self._is_path = query.intent is Intent.PATH
        self._text = query.text.strip("`'\" ")
        spelled = (*query.identifiers, bare) if query.intent is Intent.SYMBOL else query.identifiers
        self._exact = frozenset(_QUALIFIER.split(name.strip("`'\",;:()"))[-1] for name in spelled)

    @property
    def wanted_names(self) -> frozenset[str]:
        """Names that the query spells out as code."""
        return self._exact

    def _mask(self, stem: str) -> int:
        mask = self._masks.get(stem)
        if mask is None:
            near = self._by_start.get(stem[:_FAMILY], ())
            mask = self._masks[stem] = sum(1 << place for place, word in near if same_family(stem, word))
        return mask

    def _shares(self, name: str) -> tuple[float, float]:
        """(share of the name's words in the query, share of the query's words in the name)."""
        known = self._names.get(name)
        if known is None:
            parts = stems(name)
            masks = [self._mask(part) for part in parts]
            both = 0
            for mask in masks:
                both |= mask
            named = sum(1 for mask in masks if mask) / len(masks) if masks else 0.0
            asked = both.bit_count() / len(self._words) if self._words else 0.0
            known = self._names[name] = (named, asked)
        return known

    def path(self, path_key: str) -> PathFeatures:
        """What the file's name and place say."""
        file_name = path_key.rpartition("/")[2]
        stem = file_name.partition(".")[0] or file_name
        named, asked = self._shares(stem)
        exact = self._is_path and (path_key == self._text or path_key.endswith("/" + self._text.lstrip("./")))
        header = file_name.endswith(_HEADERS)
        return PathFeatures(named, asked, _role(path_key), header, exact)

    def definitions(self, found: Sequence[Definition]) -> NameFeatures:
        """What the names defined in a chunk say: the best single one counts."""
        best, best_name, exact = 0.0, "", False
        for name, qualified, kind in found:
            if kind in _NAMELESS_KINDS:
                continue
            if name in self._exact and kind not in _WEAK_KINDS:
                exact, best_name = True, qualified
            named, asked = self._shares(name)
            if named * asked > best:
                best = named * asked
                best_name = best_name if exact else qualified
        return NameFeatures(best, exact, best_name)
