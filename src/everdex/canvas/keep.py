"""The canvas directory of a store: pictures and pages named by digest, the latest of each, and `graph_meta.json`, last.

Written under the store's one guard, by atomic replacement, and only while what they show is still what there is:
whoever comes late, or knows less than what is there, keeps his picture and publishes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from everdex import clock, versions
from everdex.canvas.meta import Claim, Drawn, claim, graph_meta, moved_on, read_meta
from everdex.durable import encode_json, make_directory, remove_leftovers, replace_atomically
from everdex.errors import Busy
from everdex.graph.definitions.atlas import Atlas
from everdex.snapshot import active
from everdex.snapshot.guard import hold_guard
from everdex.snapshot.lease import guard_path
from everdex.snapshot.store import Store

LATEST: Final = "architecture.png"
LATEST_PAGE: Final = "explorer.html"
META: Final = "graph_meta.json"
_WAIT_MS: Final = 2_000


class Kept(msgspec.Struct, frozen=True):
    """What came of keeping a picture."""

    path: str  # of the picture named by digest
    latest: str  # of the pointer, or ''
    drawn: bool  # now, and not before
    published: bool
    reason: str  # why it was not published


def architecture_path(store: Store, digest: str) -> Path:
    return store.canvas / f"architecture.{digest}.png"


def keep_architecture(atlas: Atlas, draw: Callable[[], bytes]) -> Kept:
    """Have the picture of this digest, and make it the latest if nothing speaks against it."""
    store, digest = atlas.view.store, atlas.view.manifest.digest
    path = architecture_path(store, digest)
    if _is_current(store, digest, atlas.graph.resolvers):
        return Kept(str(path), str(store.canvas / LATEST), False, True, "")
    data = draw()
    drawn = Drawn(
        LATEST, path.name, digest, clock.rfc3339(), versions.PICTURES_VERSION, hashlib.sha256(data).hexdigest()
    )
    claimed = claim(atlas)
    meta = encode_json(graph_meta(atlas, claimed, drawn))
    return _keep(store, claimed, path, data, {store.canvas / LATEST: data, store.canvas / META: meta})


def _is_current(store: Store, digest: str, resolvers: str) -> bool:
    """Whether the published picture need not be drawn again: same digest, resolvers and drawing, both files intact."""
    known = read_meta(store.canvas / META)
    if known is None or known.parser.resolvers != resolvers:
        return False
    drawn = known.architecture
    wanted = (digest, digest, versions.PICTURES_VERSION)
    if (known.graph.digest, drawn.digest, drawn.pictures_version) != wanted:
        return False
    try:
        return all(
            hashlib.sha256(path.read_bytes()).hexdigest() == drawn.sha256
            for path in (architecture_path(store, digest), store.canvas / LATEST)
        )
    except FileNotFoundError:
        return False


def keep_explorer(atlas: Atlas, page: bytes) -> Kept:
    """Keep the page of this digest, and make it the latest if nothing speaks against it."""
    store, claimed = atlas.view.store, claim(atlas)
    path = store.canvas / f"explorer.{claimed.digest}.html"
    return _keep(store, claimed, path, page, {store.canvas / LATEST_PAGE: page})


def _keep(store: Store, claimed: Claim, path: Path, data: bytes, latest: dict[Path, bytes]) -> Kept:
    """Write what is named by digest; then, if nothing speaks against it, what points to the latest, in that order."""
    make_directory(store.canvas, store.permissions)
    try:
        with hold_guard(guard_path(store), store.permissions, wait_ms=_WAIT_MS) as guard:
            remove_leftovers(store.canvas)
            replace_atomically(path, data, store.permissions)
            reason = _objection(store, claimed)
            if not reason:
                guard.require()
                for pointer, content in latest.items():
                    replace_atomically(pointer, content, store.permissions)
    except Busy as busy:
        return Kept("", "", True, False, busy.message)
    return Kept(str(path), "" if reason else str(next(iter(latest))), True, not reason, reason)


def _objection(store: Store, claimed: Claim) -> str:
    """Why this must not become the latest; asked inside the guard."""
    if active.read_pointer(store) != claimed.snapshot_id:
        return "another snapshot is active"
    changed = moved_on(claimed)
    if changed:
        return f"the tree has moved on: {changed}"
    known = read_meta(store.canvas / META)
    if known is not None and known.graph.digest == claimed.digest and known.parser == claimed.parser:
        better = known.graph.quality.rank() > claimed.quality.rank()
        return "what is published was read more completely" if better else ""
    return ""


def keep_impact(store: Store, digest: str, subject: str, data: bytes) -> str:
    """Keep the picture of one symbol's impact; its path. `subject` says of which, and how far."""
    name = hashlib.sha256(f"{versions.PICTURES_VERSION}\0{subject}".encode()).hexdigest()[:16]
    path = store.canvas / "impact" / f"{digest}-{name}.png"
    make_directory(path.parent, store.permissions)
    with hold_guard(guard_path(store), store.permissions, wait_ms=_WAIT_MS):
        remove_leftovers(path.parent)
        replace_atomically(path, data, store.permissions)
    return str(path)
