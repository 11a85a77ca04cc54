"""The words that a question means, where the tree spells them in another way.

`rolled back` is `rollback` where something is called that, and a word that stands nowhere is taken for the one in the
names of definitions that is a letter or two away. What stands in the tree is never changed.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec.structs import replace

from everdex.search.bm25 import Bm25
from everdex.search.names import SymbolNames
from everdex.search.query import Intent, Query
from everdex.terms import split

_SENTENCES: Final = frozenset((Intent.NATURAL, Intent.ACTION, Intent.ERROR))
_PARTICLES: Final = "back|down|off|out|up"  # and no preposition: what is plugged in somewhere is no plugin
_APART: Final = re.compile(rf"\b([a-z]{{3,12}})[ -]({_PARTICLES})\b", re.IGNORECASE)
_ENDINGS: Final = ("s", "ed", "ing")
_WORD: Final = re.compile(r"(?<![\w./@\\-])[A-Za-z]{5,30}(?![\w/@\\-]|\.\w)")


class Meant(NamedTuple):
    """A question in the tree's own words."""

    query: Query
    respelled: str = ""  # the question with its misspelt words as they were taken; '' where none is misspelt


def meant(query: Query, bm25: Bm25, names: SymbolNames) -> Meant:
    """Unchanged when it has nothing but the tree's words."""
    if query.intent not in _SENTENCES or query.phrases:
        return Meant(query)

    def stands(word: str) -> bool:
        return any(len(bm25.documents_with(term)) for term in split.index_terms(word))

    def joined(found: re.Match[str]) -> str:
        verb, particle = split.fold(found[1]), split.fold(found[2])
        bases = [verb]
        for ending in _ENDINGS:
            if verb.endswith(ending):
                base = verb.removesuffix(ending)
                bases += [base, base + "e", base[:-1] if base[-1:] == base[-2:-1] else base]  # timing, logged
        return next((base + particle for base in bases if names.exact(base + particle)), found[0])

    def spelled(found: re.Match[str]) -> str:
        return found[0] if stands(found[0]) else names.nearest_word(found[0]) or found[0]

    text = _WORD.sub(spelled, _APART.sub(joined, query.text))
    if text == query.text:
        return Meant(query)
    respelled = _WORD.sub(spelled, query.text)
    # What was asked stays a word of the question: the tree may say both.
    terms = tuple(dict.fromkeys((*split.query_terms(text), *query.terms)))
    return Meant(replace(query, text=text, terms=terms), respelled if respelled != query.text else "")
