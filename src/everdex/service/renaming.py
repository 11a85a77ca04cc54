"""A rename plan as an answer's body: edits that are sure, places in doubt, names that clash, and where the old name is
left in comments, strings and documents. The tree is not touched.

The plan is of one snapshot: each edit names the content it counts in, and the bytes around it, so that whoever carries
it out can make sure that it is still there. It is kept by its id (`applying.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from everdex.graph.answers.mentions import in_prose
from everdex.graph.definitions.accessors import accessors
from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.model import Role, Status
from everdex.graph.stored.record import asked_key
from everdex.service import paging
from everdex.state import plans
from everdex.state.rename import plan
from everdex.state.rename_model import RenamePlan
from everdex.wording import plural

MAX_EDITS: Final = 10_000
_LOOSE: Final = (Status.AMBIGUOUS, Status.EXTERNAL, Status.UNRESOLVED)


class RenameLeft(msgspec.Struct, frozen=True):
    """A comment, a string or a document that writes the old name, and keeps it."""

    path: str
    line: int
    column: int
    text: str
    likely: bool  # in a file that is edited, or written as code is; else it may be a word like any other


def rename_body(
    atlas: Atlas, definition: Definition, new: str, take: tuple[str, ...], offset: int, limit: int
) -> tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]:
    """The fields, `edits` when there are more from `offset` on than fit, and what else to know; `take`: doubts that are
    to be edits."""
    found = plan(atlas, definition, new, take)
    plans.keep(atlas.view.store, found, take)
    edits = paging.Room().fill(map(msgspec.to_builtins, found.edits[offset : offset + MAX_EDITS]), least=1)
    end = offset + len(edits)
    left = _left(atlas, found)
    room, paths = paging.Room.beside(), sorted({edit.path for edit in found.edits})
    definitions = room.fill(map(atlas.describe, found.definitions))
    clashes = room.fill(map(msgspec.to_builtins, found.clashes))
    doubts = room.fill(map(msgspec.to_builtins, found.doubts[:limit]))
    files, remaining = room.fill(paths), room.fill(map(msgspec.to_builtins, left[:limit]))
    is_cut = end < len(found.edits)
    body = {
        "old_name": found.old,
        "new_name": new,
        "plan_id": found.plan_id,
        "definitions": definitions,
        "definitions_omitted": len(found.definitions) - len(definitions),
        "edits": edits,
        "edits_omitted": max(0, len(found.edits) - end),
        "cursor": {"snapshot_id": atlas.view.manifest.snapshot_id, "offset": end} if is_cut else None,
        "files": files,
        "files_omitted": len(paths) - len(files),
        "doubts": doubts,
        "doubts_omitted": len(found.doubts) - len(doubts),
        "left": remaining,
        "left_omitted": len(left) - len(remaining),
        "clashes": clashes,
        "clashes_omitted": len(found.clashes) - len(clashes),
        "counts": {
            "edits": len(found.edits), "files": len(paths), "taken": sum(bool(edit.doubt) for edit in found.edits),
            "doubts": len(found.doubts), "left": len(left),
            "takeable": sum(doubt.takeable and not doubt.elsewhere for doubt in found.doubts),
            **dict(sorted(Counter(doubt.certainty for doubt in found.doubts).items())),
        },
    }  # fmt: skip
    return body, ("edits",) if is_cut else (), tuple(_by_accessors(atlas, found))


def _by_accessors(atlas: Atlas, found: RenamePlan) -> Iterator[str]:
    """That a field is used by the names of methods which are made of it, and will be made of its new name."""
    asked, names = atlas.graph.asked, {name for item in found.definitions for name in accessors(atlas, item)}
    counts = {
        name: asked.total([asked_key(status, role, name) for status in _LOOSE for role in (Role.CALL, Role.REFERENCE)])
        for name in sorted(names)
    }
    used = [name for name, count in counts.items() if count]
    if used:
        places = plural(sum(counts.values()), "place")
        yield f"{places} with {' or '.join(used)} may use what is made of {found.old}, and would not be renamed"


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
            text = atlas.line(place.path, place.line, place.column)
            places.append(RenameLeft(place.path, place.line, place.column, text, likely))
    return sorted(places, key=lambda place: (not place.likely, place.path not in edited))


def _is_like_code(before: str, after: str) -> bool:
    """Whether a word in prose is written as code is: quoted, called, behind its owner."""
    return after.startswith(("(", "`")) or before.endswith((".", "#", "::", "->", "`"))
