"""What stands in the tree just as it was asked: an error message, a comment, a sentence of a document.

Who asks with so many words in a row has copied them, or will recognise them; whatever else speaks of the same comes
after. The case of letters and the kind of blanks do not count, nor does punctuation at either end.
"""

from __future__ import annotations

import re
from functools import partial, reduce
from typing import Final

from everdex.numeric import np, npt
from everdex.search.bm25 import Bm25
from everdex.search.query import Intent, Query
from everdex.terms import split
from everdex.view import SnapshotView

_LEAST_WORDS: Final = 4
_LOOKED_AT: Final = 64  # documents that have all of the words, the best by words first
_AROUND: Final = "\"'`.,:;!?()[]{}<>-… "


def verbatim(
    view: SnapshotView, bm25: Bm25, query: Query, lexical: npt.NDArray[np.float64],
    allowed: npt.NDArray[np.bool_] | None,
) -> dict[int, int]:  # fmt: skip
    """The documents that have the query's text, each with the line where that begins."""
    words = split.tokens(query.text)
    telling = [word for word in words if split.fold(word) not in split.STOP_WORDS]
    if len(words) < _LEAST_WORDS or not telling or query.intent in (Intent.SYMBOL, Intent.PATH):
        return {}
    having = [bm25.documents_with(split.index_terms(word)[0]) for word in telling]
    docs = reduce(partial(np.intersect1d, assume_unique=True), sorted(having, key=len))
    if allowed is not None:
        docs = docs[allowed[docs]]
    wanted = re.compile(r"\s+".join(map(re.escape, split.fold(query.text).strip(_AROUND).split())))
    found = {}
    for doc in docs[np.lexsort((docs, -lexical[docs]))][:_LOOKED_AT].tolist():
        row = view.document(doc).row
        text = split.fold(row.text)
        place = wanted.search(text)
        if place is not None:
            found[doc] = row.start_line + text.count("\n", 0, place.start())
    return found
