"""Words of a question that say nothing here: the language that the whole index is written in, and "a function to …".

Code seldom names its own language, so the word is rare, weighs much and finds the wrong places: "python" before each of
400 sentences about loose functions took .012 off NDCG@10, "python code to" .026. In an index of several languages it
is a word like any other.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from everdex.languages import KNOWN, role_of
from everdex.search.query import Intent, Query, intent_of
from everdex.terms import split
from everdex.view import SnapshotView

_MOST: Final = 0.9
_SENTENCES: Final = frozenset((Intent.NATURAL, Intent.ACTION))
_NOT_CODE: Final = frozenset(("doc", "config"))
_OTHER_NAMES: Final = {"python3": "python", "py": "python", "js": "javascript", "ts": "typescript", "golang": "go"}
_REQUEST: Final = re.compile(
    r"(?:(?:write|show|give|find)\s+(?:me\s+)?)?(?:an?\s+|the\s+|some\s+)?"
    r"(?:code|function|method|script|program|snippet|example|way)\s+(?:to|for|that)\s+",
    re.IGNORECASE,
)


class Obvious:
    """Knows what one view is written in."""

    def __init__(self, view: SnapshotView) -> None:
        self._view = view

    def without(self, query: Query) -> Query:
        """A query without the words that say nothing here; unchanged when it has none, or has nothing else."""
        if query.intent not in _SENTENCES or query.phrases:
            return query
        text = " ".join(
            word for word in query.text.split() if not self._is_language(split.fold(word).strip(".,;:?!()'\""))
        )
        request = _REQUEST.match(text)
        text = text[request.end() :] if request else text
        if text == query.text or all(split.fold(word) in split.STOP_WORDS for word in split.tokens(text)):
            return query
        return replace(query, text=text, intent=intent_of(text), terms=tuple(split.query_terms(text)))

    def _is_language(self, word: str) -> bool:
        named = _OTHER_NAMES.get(word, word)
        return named in KNOWN and named == self._language

    @cached_property
    def _language(self) -> str | None:
        """What nearly all code of the view is written in."""
        view = self._view
        counts = Counter(
            language
            for path, language in zip(view.paths, view.file_languages, strict=True)
            if role_of(path) not in _NOT_CODE
        )
        language, most = counts.most_common(1)[0] if counts else (None, 0)
        return language if most >= _MOST * counts.total() else None
