"""Is there a real match at all? Ten weak hits cost a reader more than an honest "nothing strong here".

A match is strong when the best results together hold most of what the query's words weigh (rare words weigh
more), or when a vector or a name says so clearly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from everdex.numeric import np
from everdex.search.bm25 import Bm25
from everdex.search.query import Query
from everdex.search.rank import Ranked, Scorer
from everdex.view import SnapshotView

_LOOKED_AT: Final = 5
_ENOUGH_WEIGHT: Final = 0.4
_ENOUGH_COSINE: Final = 0.45
_NAMED: Final = frozenset(("defines_exactly", "path", "name_prefix", "name_humps", "name_fuzzy"))


def is_strong(
    view: SnapshotView, bm25: Bm25, query: Query, best_cosine: float, scorer: Scorer, ordered: Sequence[Ranked]
) -> bool:
    """Whether the head of a ranked list deserves to be called an answer."""
    head = ordered[:_LOOKED_AT]
    if not head:
        return False
    named = any(name in _NAMED for item in head for name, _, _ in scorer.explain(item.doc_id))
    if named or best_cosine >= _ENOUGH_COSINE:
        return True
    weighed = total = 0.0
    files = {int(view.doc_files[item.doc_id]) for item in head}
    read = np.concatenate([view.doc_rows[view.file_offsets[file] : view.file_offsets[file + 1]] for file in files])
    for term in query.terms:
        rows = bm25.rows_with(term)
        weight = math.log(1.0 + (bm25.live_count - len(rows) + 0.5) / (len(rows) + 0.5))
        total += weight
        having = np.zeros(view.row_count, dtype=np.bool_)
        having[rows] = True
        if having[read].any():
            weighed += weight
    return total > 0 and weighed / total >= _ENOUGH_WEIGHT
