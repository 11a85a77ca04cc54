"""A rename plan as an answer's body: edits that are sure, places in doubt, names that clash, and where the old name is
left in comments, strings and documents. The tree is not touched.

The plan is of one snapshot: each edit names the content it counts in, and the bytes around it, so that whoever carries
it out can make sure that it is still there. It is kept by its id (`applying.py`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import msgspec

from everdex.graph.atlas import Atlas, Definition
from everdex.graph.mentions import in_prose
from everdex.state import plans
from everdex.state.rename import plan
from everdex.state.rename_model import RenamePlan

MAX_EDITS: Final = 10_000


class RenameLeft(msgspec.Struct, frozen=True):
    """A comment, a string or a document that writes the old name, and keeps it."""

    path: str
    line: int
    column: int
    text: str
    likely: bool  # in a file that is edited, or written as code is; else it may be a word like any other


def rename_body(
    atlas: Atlas, definition: Definition, new: str, limit: int, take: tuple[str, ...]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The fields, and `edits` when there are more of them than an answer holds; `take`: doubts that are to be edits."""
    found = plan(atlas, definition, new, take)
    plans.keep(atlas.view.store, found, take)
    edits = found.edits[:MAX_EDITS]
    left = _left(atlas, found)
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
        "left": [msgspec.to_builtins(place) for place in left[:limit]],
        "left_omitted": max(0, len(left) - limit),
        "clashes": [msgspec.to_builtins(clash) for clash in found.clashes],
        "counts": {
            "edits": len(found.edits), "taken": sum(bool(edit.doubt) for edit in found.edits),
            "doubts": len(found.doubts), "left": len(left),
            "takeable": sum(doubt.takeable and not doubt.elsewhere for doubt in found.doubts),
            **dict(sorted(Counter(doubt.certainty for doubt in found.doubts).items())),
        },
    }  # fmt: skip
    return body, ("edits",) if len(found.edits) > len(edits) else ()


def _left(atlas: Atlas, found: RenamePlan) -> list[RenameLeft]:
    """Places that write the old name and run nothing; those that look like it first, of edited files before others."""
    told = {(edit.path, edit.line, edit.column) for edit in found.edits}
    told |= {(doubt.path, doubt.line, doubt.column) for doubt in found.doubts}
    edited = {edit.path for edit in found.edits}
    places = []
    for place in in_prose(atlas, found.old):
        if (place.path, place.line, place.column) not in told:
            start = atlas.byte(place.path, place.line, place.column)
            around = atlas.text(place.path).around(start, start + len(found.old.encode()))
            likely = place.path in edited or _is_like_code(*around)
            text = atlas.line(place.path, place.line)
            places.append(RenameLeft(place.path, place.line, place.column, text, likely))
    return sorted(places, key=lambda place: (not place.likely, place.path not in edited))


def _is_like_code(before: str, after: str) -> bool:
    """Whether a word in prose is written as code is: quoted, called, behind its owner."""
    return after.startswith(("(", "`")) or before.endswith((".", "#", "::", "->", "`"))
