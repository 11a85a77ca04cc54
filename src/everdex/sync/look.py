"""Compares the tree with a snapshot: what a sync would have to do. Reads only, and needs no lease.

A full look asks git for the tree's files, or walks, and looks at each. A narrow one looks at files of which the caller
knows that nothing else differs, and gives up where that is not all there is to it.

Every command runs through here, so nothing in it imports numpy or a grammar.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from everdex.changes import detect, git_suspects, start_git_state
from everdex.changes.model import ChangeSet, GitState, IndexedFile
from everdex.config import Config
from everdex.discover import candidates, start_discovery
from everdex.discover.model import Collision, Discovery, SkipReason
from everdex.errors import NotIndexed, PathCollision
from everdex.roots import Root, everdex_home
from everdex.snapshot import active
from everdex.snapshot.live import EMPTY, LiveMap, live_map
from everdex.snapshot.manifest import DegradedError, Manifest, git_of
from everdex.snapshot.store import Store
from everdex.sync import touched
from everdex.sync.model import Detected, SyncOptions

# Of what is left out by its path answers say how much there is, where they found nothing. So they do of files of no
# known type, which come and go with every build and every editor: those are counted when something else is published.
_TOLD: Final = (
    SkipReason.TOO_LARGE, SkipReason.UNREADABLE, SkipReason.PATH_CONTROL, SkipReason.PATH_NOT_UTF8,
    SkipReason.PATH_TOO_LONG, SkipReason.SUBMODULE, SkipReason.NESTED_REPOSITORY,
)  # fmt: skip


class Look:
    """The tree compared with one snapshot."""

    def __init__(self, root: Root, config: Config, store: Store, base: Manifest | None, options: SyncOptions) -> None:
        # A shared store serves several people: one's scratch files are none of the others' business.
        untracked = config.index.untracked and not store.info.shared
        self.started_ns = time.time_ns()
        with start_discovery(
            root, config.index, include_untracked=untracked, everdex_home=everdex_home()
        ) as discovering:
            # Both git processes are at work before anything is read here.
            asked = start_git_state(root)
            self.base = base
            self.live: LiveMap = live_map(store.path, base) if base else EMPTY
            self.indexed: dict[str, IndexedFile] = touched.apply(store, self.live.indexed())
            discovering.judge_ahead(self.indexed)
            self.discovery: Discovery = discovering.result()
            self.listed = discovering.listed
            self.home = discovering.home
        self.collisions: tuple[DegradedError, ...] = tuple(map(_collision, self.discovery.collisions))
        self.left_out: dict[str, int] = dict(Counter(str(skip.reason) for skip in self.discovery.skipped))
        self.observed_ns = time.time_ns()
        self.git: GitState = asked.result(untracked)
        known = {} if options.rebuild else self.indexed
        head = base.git.head_sha if base else None
        suspects = frozenset() if head == self.git.head_sha else git_suspects(root, head, self.git.head_sha)
        self.changes: ChangeSet = detect(
            root, self.discovery, known, suspects=suspects, always_rehash=options.always_rehash
        )
        if options.rebuild:
            gone = tuple(sorted(set(self.indexed) - {file.path_key for file in self.discovery.files}))
            self.changes = replace(self.changes, delete=gone)

    @property
    def nothing_to_do(self) -> bool:
        """Same content, ignore rules and git state, as much left out, nothing left over from a degraded publish."""
        return (
            self.base is not None
            and self.changes.empty
            and self.base.ignore_fingerprint == self.discovery.ignore_fingerprint
            and self.base.git == git_of(self.git)
            and only_collisions(self.base)
            and self._leaves_out_as_told(self.base)
        )

    def _leaves_out_as_told(self, base: Manifest) -> bool:
        """Whether as many paths are not looked at as answers from the base say."""
        differing = [each for each in _TOLD if self.left_out.get(each, 0) != base.skipped.get(each, 0)]
        if not differing:
            return True
        by_content = Counter(file.line.skip for file in self.live.files.values())
        return all(self.left_out.get(each, 0) + by_content[each] == base.skipped.get(each, 0) for each in differing)


def only_collisions(manifest: Manifest) -> bool:
    """Colliding paths stay as they were published until the tree changes; anything else is tried again."""
    return all(error.code == PathCollision.code for error in manifest.errors)


def _collision(found: Collision) -> DegradedError:
    """Published all the same, because the user said so: the snapshot has to say what is wrong with it."""
    return DegradedError(
        PathCollision.code, f"these paths are one on other systems: {', '.join(found.paths)}", found.paths[0]
    )


class NotNarrow(Exception):
    """More differs than the content of indexed files; control flow between a glance and a look."""


class NarrowLook(Look):
    """Some indexed files compared with a snapshot of which everything else, git's HEAD too, is as it was."""

    def __init__(
        self, root: Root, config: Config, store: Store, base: Manifest, files: Sequence[bytes],
        left_out: Mapping[str, int], started_ns: int,
    ) -> None:  # fmt: skip
        self.started_ns = started_ns
        asked = start_git_state(root)
        try:
            self.base = base
            self.live = live_map(store.path, base)
            known = {path.decode("ascii", "replace") for path in files} & self.live.files.keys()
            found = candidates(root, config.index, files) if len(known) == len(files) else {}
            # A symlink is another file's content, and what is gone or became something else changes what is listed.
            if any(file.disk_path != file.path_key for file in found.values()) or len(found) != len(files):
                raise NotNarrow
            self.observed_ns = time.time_ns()
            self.git = asked.result(config.index.untracked and not store.info.shared)
        finally:
            asked.abandon()
        if self.git.head_sha != base.git.head_sha:
            raise NotNarrow
        self.indexed = touched.apply(store, {key: self.live.files[key].line.indexed_file() for key in known})
        source = "git" if root.is_git else "walk"
        self.discovery = Discovery(tuple(found.values()), (), (), base.ignore_fingerprint, source)
        self.collisions = base.errors  # no name came or went, and a tree with other errors is never remembered
        self.left_out = dict(left_out)
        self.listed, self.home = None, None
        changes = detect(root, self.discovery, self.indexed)
        if changes.delete:
            raise NotNarrow  # gone while we looked
        self.changes = replace(changes, unchanged=changes.unchanged + len(self.live.files) - len(known))


def pinned_or_none(store: Store) -> Manifest | None:
    try:
        return active.pin(store).manifest
    except NotIndexed:
        return None


def look(root: Root, config: Config, store: Store, options: SyncOptions) -> Detected:
    """What a sync would do, without doing it."""
    seen = Look(root, config, store, pinned_or_none(store), options)
    return Detected(seen.discovery, seen.changes, seen.base)
