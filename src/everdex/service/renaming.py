"""A rename plan as an answer's body: edits that are sure, places in doubt, names that clash. The tree is not touched.

The plan is of one snapshot: each edit names the content it counts in, and the bytes around it, so that whoever carries
it out can make sure that it is still there. It is kept by its id (`applying.py`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import msgspec

from everdex.graph.atlas import Atlas, Definition
from everdex.state import plans
from everdex.state.rename import plan

MAX_EDITS: Final = 10_000


def rename_body(atlas: Atlas, definition: Definition, new: str, limit: int) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The fields, and `edits` when there are more of them than an answer holds."""
    found = plan(atlas, definition, new)
    plans.keep(atlas.view.store, found)
    edits = found.edits[:MAX_EDITS]
    body = {
        "old_name": found.old,
        "new_name": new,
        "plan_id": found.plan_id,
        "definitions": [atlas.describe(item) for item in found.definitions],
        "edits": [msgspec.to_builtins(edit) for edit in edits],
        "edits_omitted": len(found.edits) - len(edits),
        "files": sorted({edit.path for edit in found.edits}),
        "doubts": [msgspec.to_builtins(doubt) for doubt in found.doubts[:limit]],
        "doubts_omitted": max(0, len(found.doubts) - limit),
        "clashes": [msgspec.to_builtins(clash) for clash in found.clashes],
        "counts": {
            "edits": len(found.edits), "doubts": len(found.doubts),
            **dict(sorted(Counter(doubt.certainty for doubt in found.doubts).items())),
        },
    }  # fmt: skip
    return body, ("edits",) if len(found.edits) > len(edits) else ()
