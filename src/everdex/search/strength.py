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
from everdex.search.rank import Ranked
from everdex.view import SnapshotView

_LOOKED_AT: Final = 5
_ENOUGH_WEIGHT: Final = 0.5
_ENOUGH_COSINE: Final = 0.55
_NAMED: Final = frozenset(("defines_exactly", "path", "name_prefix", "name_humps", "name_fuzzy"))


def is_strong(
    view: SnapshotView, bm25: Bm25, query: Query, best_cosine: float, ordered: Sequence[Ranked]
) -> bool:
    """Whether the head of a ranked list deserves to be called an answer."""
    head = ordered[:_LOOKED_AT]
    if not head:
        return False
    if best_cosine >= _ENOUGH_COSINE or any(part.feature in _NAMED for item in head for part in item.contributions):
        return True
    weighed = total = 0.0
    files = np.unique(view.doc_files[[item.doc_id for item in head]])
    for term in query.terms:
        rows = bm25.rows_with(term)
        weight = math.log(1.0 + (bm25.live_count - len(rows) + 0.5) / (len(rows) + 0.5))
        total += weight
        for file in files.tolist():
            first, last = (int(n) for n in view.file_offsets[file : file + 2])
            if np.isin(view.doc_rows[first:last], rows).any():
                weighed += weight
                break
    return total > 0 and weighed / total >= _ENOUGH_WEIGHT
