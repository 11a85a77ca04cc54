"""Carries out a rename plan: every file of it, or none.

The only part of this room that writes to the tree. The plan is worked out again from the tree as it is and must be the
same to the letter: a reference that came meanwhile, or a new doubt, is a new plan. When a file cannot be written the
others are taken back; a process that dies leaves a plan that the next call finishes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from everdex.errors import EverdexError, NeedsDecision, PlanOutdated, QueryError, UsageError
from everdex.graph.definitions import naming
from everdex.service import opening
from everdex.service.answers import Answer
from everdex.service.index import Index, Reading
from everdex.snapshot.guard import lock_for_life
from everdex.state import decisions, plans, rewriting
from everdex.state.plans import KeptPlan
from everdex.state.rename import plan as plan_again
from everdex.state.rename_model import RenamePlan
from everdex.state.rewriting import Rewrite
from everdex.sync.model import SyncOptions
from everdex.view import SnapshotView

LOCK: Final = "rename.lock"


def apply(
    index: Index, plan_id: str, *, names: tuple[str, str] | None = None, leave_doubts: bool = False,
    options: SyncOptions | None = None,
) -> Answer:  # fmt: skip
    """Rename as planned, and bring the index and its graph up to date: the next question finds the files as they are.

    With `leave_doubts` places in doubt stay as they are.

    `names`, the symbol and its new name, may be told again: they must be those of the plan.
    """
    store = index.store()
    chosen = options or SyncOptions()
    handle = lock_for_life(store.locks / LOCK, store.permissions)
    try:
        kept = plans.load(store, plan_id)
        if names is not None and names[1] != kept.new:
            raise UsageError(f"plan {plan_id} calls {kept.old} {kept.new}, not {names[1]}", hint="leave the names out")
        resumed = kept.begun
        if not resumed:
            kept = replace(kept, rewrites=_decided(index, kept, names, leave_doubts, chosen))
            plans.save(store, kept)
        try:
            _carry_out(index.root.path, kept)
        except EverdexError:
            _take_back(index.root.path, kept)
            plans.save(store, replace(kept, rewrites=()))  # nothing of it is in the tree: it may be tried again
            raise
        plans.forget(store, plan_id)
    finally:
        os.close(handle)
    with index.view(Reading(), chosen) as (view, freshness):
        return index.answer(view, freshness, _body(kept, resumed=resumed), warnings=_resolved(view, chosen))


def _resolved(view: SnapshotView, options: SyncOptions) -> tuple[str, ...]:
    """Have the references resolved again; the warnings. The files are written: what fails now does not undo them."""
    try:
        return opening.open_for(view, options).warnings
    except EverdexError as error:
        return (f"references are not resolved again ({error.message}): run `everdex refresh`",)


def _decided(
    index: Index, kept: KeptPlan, names: tuple[str, str] | None, leave_doubts: bool, options: SyncOptions
) -> tuple[Rewrite, ...]:
    """What each file becomes, after making sure that the plan still comes out the same and every doubt is decided."""
    with index.view(Reading(), options) as (view, _):
        atlas = opening.open_for(view, options).atlas
        definition = atlas.at(kept.target)
        if names is not None and kept.target not in {item.target for item in naming.find(atlas, names[0])}:
            raise UsageError(f"plan {kept.plan_id} renames {kept.old} of {kept.path}, not {names[0]}")
        try:
            found = None if definition is None else plan_again(atlas, definition, kept.new, kept.take)
        except QueryError:  # a place that is to be taken is in doubt no longer
            found = None
        if found is None or found.plan_id != kept.plan_id:
            raise PlanOutdated(f"the plan to rename {kept.old} to {kept.new} is not what it would be now")
        contents = {line.path_key: line.content_hash for line in view.file_lines()}
        if found.doubts or found.clashes:
            _decide(index, found, view, contents, leave_doubts=leave_doubts)
        taken = decisions.of_taken(found, contents)
        if taken.places:
            because = f"plan {kept.plan_id} was carried out with these places"
            decisions.record(index.store(), taken, because, view.manifest.git.head_sha, decisions.TAKE)
    return tuple(_rewrites(index.root.path, found))


def _decide(
    index: Index, plan: RenamePlan, view: SnapshotView, contents: dict[str, str], *, leave_doubts: bool
) -> None:
    """Go on when somebody decided about exactly these doubts in exactly these contents, now or before."""
    ambiguity = decisions.of_plan(plan, contents)
    if decisions.find(index.store(), ambiguity) is not None:
        return
    if not leave_doubts:
        raise NeedsDecision(
            f"the plan to rename {plan.old} to {plan.new} has places in doubt ({len(plan.doubts):,}) "
            f"or definitions that have the new name ({len(plan.clashes):,})"
        )
    because = f"plan {plan.plan_id} was carried out with its doubts left as they are"
    decisions.record(index.store(), ambiguity, because, view.manifest.git.head_sha)


def _rewrites(root: Path, plan: RenamePlan) -> list[Rewrite]:
    starts: dict[tuple[str, str], list[int]] = {}
    for edit in plan.edits:
        starts.setdefault((edit.path, edit.content_hash), []).append(edit.byte_start)
    old, new = plan.old.encode(), plan.new.encode()
    return [rewriting.planned(root, path, places, old, new, digest) for (path, digest), places in starts.items()]


def _carry_out(root: Path, kept: KeptPlan) -> None:
    """Write what is not written yet: a run before this one may have died in the middle."""
    for rewrite in kept.rewrites:
        if rewriting.digest_now(root, rewrite.path) != rewrite.after:
            rewriting.write(root, rewrite, kept.old.encode(), kept.new.encode())


def _take_back(root: Path, kept: KeptPlan) -> None:
    """Write the old name again wherever the new one was written and nothing else was changed since."""
    for rewrite in kept.rewrites:
        if rewriting.digest_now(root, rewrite.path) == rewrite.after:
            rewriting.take_back(root, rewrite, kept.old.encode(), kept.new.encode())


def _body(kept: KeptPlan, *, resumed: bool) -> dict[str, Any]:
    return {
        "plan_id": kept.plan_id,
        "old_name": kept.old,
        "new_name": kept.new,
        "resumed": resumed,
        "edits": sum(len(rewrite.starts) for rewrite in kept.rewrites),
        "files": [
            {"path": rewrite.path, "edits": len(rewrite.starts), "content_hash": rewrite.after}
            for rewrite in kept.rewrites
        ],
    }
