"""Rename plans by their id, so that one that was looked at can be carried out, and one that was begun can be finished.

`plans/<plan_id>.json` in the store. A plan that is only kept says what was asked for: it is worked out again before
anything is written, and must come out the same. From the first write on it says what every file was and becomes. Kept
plans beyond `limits.PLANS_KEPT` go, oldest first; a begun one stays until it is done.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

import msgspec

from everdex import limits, versions
from everdex.durable import decode_json, encode_json, keep_newest, make_directory, replace_atomically
from everdex.errors import Corrupt, UsageError
from everdex.graph.model import Target
from everdex.snapshot.store import Store
from everdex.state.rename_model import RenamePlan
from everdex.state.rewriting import Rewrite

_ID: Final = re.compile(r"[0-9a-f]{32}")
_SUFFIX: Final = ".json"


class KeptPlan(msgspec.Struct, frozen=True):
    """What is needed to carry a plan out."""

    plan_id: str
    path: str  # of the definition that was asked for
    key: str
    old: str
    new: str
    take: tuple[str, ...] = ()  # the places in doubt that are edits of it, as they were named
    rewrites: tuple[Rewrite, ...] = ()  # of one that was begun
    schema_version: int = versions.ARTIFACTS["rename_plan"].writable

    @property
    def begun(self) -> bool:
        return bool(self.rewrites)

    @property
    def target(self) -> Target:
        return Target(self.path, self.key)


def keep(store: Store, plan: RenamePlan, take: tuple[str, ...]) -> None:
    """Remember a plan. One that was begun already is left as it is."""
    path = store.plans / f"{plan.plan_id}{_SUFFIX}"
    if path.exists():
        return
    asked = plan.definitions[0].target
    save(store, KeptPlan(plan.plan_id, asked.path, asked.key, plan.old, plan.new, take))
    keep_newest(store.plans, f"*{_SUFFIX}", limits.PLANS_KEPT, lambda old: _forget_unless_begun(store, old.stem))


def save(store: Store, kept: KeptPlan) -> None:
    make_directory(store.plans, store.permissions)
    replace_atomically(store.plans / f"{kept.plan_id}{_SUFFIX}", encode_json(kept), store.permissions)


def load(store: Store, plan_id: str) -> KeptPlan:
    """The plan with this id; `UsageError` when none is kept."""
    path = store.plans / f"{plan_id}{_SUFFIX}"
    try:
        raw = path.read_bytes() if _ID.fullmatch(plan_id) else None
    except FileNotFoundError:
        raw = None
    if raw is None:
        raise UsageError(
            f"no rename plan has the id {plan_id[:80]!r}", hint="make one: `everdex rename SYMBOL NEW --plan`"
        )
    try:
        loose = decode_json(raw)
        versions.check_readable("rename_plan", loose.get("schema_version"), str(path))
        return msgspec.convert(loose, KeptPlan)
    except (msgspec.DecodeError, msgspec.ValidationError, AttributeError) as error:
        raise Corrupt(f"{path} is damaged: {error}", hint="delete it and make the plan again") from error


def forget(store: Store, plan_id: str) -> None:
    (store.plans / f"{plan_id}{_SUFFIX}").unlink(missing_ok=True)


def _forget_unless_begun(store: Store, plan_id: str) -> None:
    with suppress(UsageError, Corrupt):
        if not load(store, plan_id).begun:
            forget(store, plan_id)
