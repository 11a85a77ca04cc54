"""What names and paths say about a candidate: file name, definitions, role. One small function a feature.

Words are compared by stem, and a stem also matches one that it begins (`regist` in `registry`), because a
stemmer that only truncates leaves families apart. Matches are bit sets over the query's words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from everdex.languages import role_of
from everdex.search.query import Intent, Query
from everdex.search.sentence import asks_for_tests
from everdex.terms import split

# Kinds whose names are plentiful and weak evidence: a local called `engine` is not the type Engine.
_WEAK_KINDS: Final = frozenset(
    ("variable", "field", "constant", "impl", "key", "heading", "property", "module", "namespace")
)
_NAMELESS_KINDS: Final = frozenset(("heading", "key"))
FUNCTION_KINDS: Final = frozenset(("function", "method", "constructor"))
_TYPE_KINDS: Final = frozenset(("class", "struct", "interface", "trait", "enum", "object", "type"))
_HEADERS: Final = (".h", ".hh", ".hpp", ".hxx", ".d.ts", ".pyi")
_FAMILY: Final = 4  # letters that two stems of one family share at least
_NOTHING: Final = (0.0, 0.0)
# Numbered steps of a schema's or of settings' history: what was once so, not how it is.
_MIGRATION: Final = re.compile(r"(?:^|/)\w*migrat\w*/(?:[^/]+/)?[vV]?_?\d{3,}[^/]*$", re.IGNORECASE)
_QUALIFIER: Final = re.compile(r"\.|::|#|/|->")

Definition = tuple[str, str, str]  # name, qualified name of what is around it or "", kind


@lru_cache(maxsize=65_536)
def _place(path_key: str) -> tuple[str, str, bool]:
    """(name without its endings, role, whether it is a header) of a file."""
    file_name = path_key.rpartition("/")[2]
    role = role_of(path_key)
    if role == "source" and _MIGRATION.search(path_key):
        role = "migration"
    return file_name.partition(".")[0] or file_name, role, file_name.endswith(_HEADERS)


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


class PathFeatures(msgspec.Struct, frozen=True):
    stem: float
    stem_query: float
    role: str
    header: bool
    exact: bool
    called_for: bool  # a document such as README, by its name; a test, where tests are asked for


class NameFeatures(msgspec.Struct, frozen=True):
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
        self._tests = asks_for_tests(query.text)
        self._text = query.text.strip("`'\" ")
        spelled = (*query.identifiers, bare) if query.intent is Intent.SYMBOL else query.identifiers
        self._exact = frozenset(_QUALIFIER.split(name.strip("`'\",;:()"))[-1] for name in spelled)

    @property
    def wanted_names(self) -> frozenset[str]:
        """Names that the query spells out as code."""
        return self._exact

    def _mask(self, stem: str) -> int:
        """Which of the query's words a stem matches; remembered."""
        mask = 0
        for place, word in self._by_start.get(stem[:_FAMILY], ()):
            if same_family(stem, word):
                mask |= 1 << place
        self._masks[stem] = mask
        return mask

    def _shares(self, name: str) -> tuple[float, float]:
        """(share of the name's words in the query, share of the query's words in the name)."""
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = self._counted(name) if self._may_share(name) else _NOTHING
        return known

    def _counted(self, name: str) -> tuple[float, float]:
        parts, masks = stems(name), self._masks
        if not parts or not self._words:
            return _NOTHING
        named = asked = 0
        for part in parts:
            mask = masks[part] if part in masks else self._mask(part)
            if mask:
                asked |= mask
                named += 1
        return named / len(parts), asked.bit_count() / len(self._words)

    def _may_share(self, name: str) -> bool:
        """False for most names, and many times faster than taking one apart: a word of a name stands in it."""
        folded = name.lower()
        for start in self._by_start:
            if start in folded:
                return True
        return not name.isascii()  # whose words may be folded in other ways

    def path(self, path_key: str) -> PathFeatures:
        """What the file's name and place say."""
        stem, role, header = _place(path_key)
        named, asked = self._shares(stem)
        exact = self._is_path and (path_key == self._text or path_key.endswith("/" + self._text.lstrip("./")))
        called_for = self._tests if role == "test" else role == "doc" and stem.isupper() and named == 1.0
        return PathFeatures(named, asked, role, header, exact, called_for)

    def definitions(self, found: Sequence[Definition]) -> NameFeatures:
        """What the names defined in a chunk say: the best single one counts."""
        best, exact = 0.0, False
        shown: Definition | None = None
        wanted, names = self._exact, self._names
        for definition in found:
            name, _, kind = definition
            if kind in _NAMELESS_KINDS:
                continue
            if name in wanted and kind not in _WEAK_KINDS:
                exact, shown = True, definition
            named, asked = names[name] if name in names else self._shares(name)
            if named * asked > best:
                best = named * asked
                shown = shown if exact else definition
        return NameFeatures(best, exact, _qualified(shown) if shown else "")


def function_share(found: Sequence[Definition]) -> float:
    """How much a chunk is functions: 1 also for the inside of one, a half where a type begins too, 0 for all else."""
    if not found:
        return 1.0
    kinds = {kind for _, _, kind in found}
    if kinds.isdisjoint(FUNCTION_KINDS):
        return 0.0
    return 1.0 if kinds.isdisjoint(_TYPE_KINDS) else 0.5


def _qualified(definition: Definition) -> str:
    name, container, _ = definition
    return f"{container}.{name}" if container else name
