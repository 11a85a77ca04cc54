"""The words of one free text, such as a query, as embedding wants them: the same as for a file's, counted plainly.

Kept apart from the counting of whole files (bags.py), which a question never needs.
"""

from __future__ import annotations

from collections import Counter

from everdex.numeric import np
from everdex.terms import split
from everdex.terms.model import WordBags


def words_of(text: str) -> WordBags:
    counted = Counter(word for token in split.tokens(text) for word in split.embedding_words(token))
    vocabulary = sorted(counted)
    return WordBags(
        vocabulary=vocabulary,
        offsets=np.array([0, len(vocabulary)], dtype=np.int64),
        ids=np.arange(len(vocabulary), dtype=np.uint32),
        counts=np.array([counted[word] for word in vocabulary], dtype=np.uint32),
    )
