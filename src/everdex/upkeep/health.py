"""Health: is this index whole, current and within its limits? One check a question, each with a code.

Everything is verified in full here, whatever was verified before. Health changes nothing; it says what a
person or a script should do next.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from everdex import limits
from everdex.canvas.board.file import read_board
from everdex.config import Config
from everdex.discover.git import GitFailed, run_git
from everdex.discover.model import SkipReason
from everdex.embed import identity_of, open_embedder
from everdex.errors import Corrupt, EmbedderUnavailable, EverdexError, NotIndexed
from everdex.roots import Root
from everdex.segment.read import SegmentReader
from everdex.semantic.kept import damaged_facts
from everdex.snapshot import active, integrity
from everdex.snapshot import manifest as manifests
from everdex.snapshot.guard import hold_shared
from everdex.snapshot.lease import holder, lease_path, read_lease
from everdex.snapshot.live import live_map
from everdex.snapshot.manifest import Manifest, SegmentRef
from everdex.snapshot.store import Store
from everdex.snapshot.trees import tree_size
from everdex.sync.look import Look
from everdex.sync.model import SyncOptions
from everdex.upkeep.pictures import damaged_pictures
from everdex.wording import plural

OK: Final = "ok"
WARN: Final = "warn"
FAIL: Final = "fail"
# A failure of one of these means that answers cannot be trusted; of any other, that something needs a look.
_STORE_CHECKS: Final = frozenset(
    {"manifest_present", "segments_present", "tombstones_enforced", "artifact_integrity", "path_safety"}
)
_NEED_A_SNAPSHOT: Final = frozenset(
    {"segments_present", "tombstones_enforced", "artifact_integrity", "compaction_policy", "unicode_normalization"}
)
_UNTRACKED_MANY: Final = 25
_UNSAFE_SKIPS: Final = frozenset({SkipReason.OUT_OF_ROOT, SkipReason.SYMLINK_LOOP, SkipReason.PATH_CONTROL})


@dataclass(frozen=True, slots=True)
class Check:
    code: str
    status: str  # ok, warn, fail
    message: str
    details: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HealthReport:
    status: str  # ok, degraded, corrupt
    snapshot_id: str | None
    checks: tuple[Check, ...]

    def check(self, code: str) -> Check:
        """The check with this code."""
        return next(check for check in self.checks if check.code == code)

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "checks": [asdict(check) for check in self.checks]}


def health(root: Root, config: Config, store: Store, snapshot_id: str | None = None) -> HealthReport:
    """Ask every question; a store too damaged for one of them fails that check, not the command.

    Of a retained snapshot that is named, whether it is what the tree is now is not asked.
    """
    with hold_shared(store.readers_lock, store.permissions):
        manifest, present = _manifest_present(store) if snapshot_id is None else _named_manifest(store, snapshot_id)
        checks = [present]
        if manifest is not None:
            checks += _store_checks(store, manifest)
        checks += [_disk_budgets(store), _lease(store), _embedder(root, config), _board(store), _pictures(store)]
        checks.append(_semantic(store))
        whole = not any(check.status == FAIL for check in checks if check.code in _STORE_CHECKS)
        checks += _tree_checks(root, config, store, manifest if whole else None, pinned=snapshot_id is not None)
    asked = {check.code for check in checks}
    checks += [
        Check(code, FAIL, "cannot be told while the store is damaged") for code in sorted(_NEED_A_SNAPSHOT - asked)
    ]
    return HealthReport(_overall(checks), manifest.snapshot_id if manifest else None, tuple(checks))


def _overall(checks: list[Check]) -> str:
    if any(check.status == FAIL and check.code in _STORE_CHECKS for check in checks):
        return "corrupt"
    return "ok" if all(check.status == OK for check in checks) else "degraded"


def _manifest_present(store: Store) -> tuple[Manifest | None, Check]:
    code = "manifest_present"
    pointer = active.read_pointer(store)
    numbers = active.published(store)
    if not numbers and pointer is None:
        raise NotIndexed(f"{store.info.canonical_root} has no published snapshot yet")
    try:
        unreadable = [path.name for path in _unreadable(store)]
        if pointer is None or not active.manifest_path(store, pointer).is_file():
            newest = active.newest_valid(store)
            if newest is None:
                return None, Check(code, FAIL, "no snapshot passes its checks; run `everdex repair`")
            return newest, Check(code, WARN, "ACTIVE_SNAPSHOT is unreadable; run `everdex repair`")
        manifest = manifests.read(active.manifest_path(store, pointer))
    except EverdexError as error:
        return None, Check(code, FAIL, f"{error.message}; {error.hint}")
    if unreadable:
        message = "older manifests are unreadable; run `everdex repair`"
        return manifest, Check(code, WARN, message, {"manifests": unreadable})
    details: dict[str, object] = {
        "schema_version": manifest.schema_version,
        "chunk_row_schema_version": manifest.chunk_row_schema_version,
        "published": len(numbers),
    }
    if manifest.degraded:
        errors = [{"path_key": error.path_key, "code": error.code} for error in manifest.errors]
        message = f"{plural(len(errors), 'file')} could not be indexed"
        return manifest, Check(code, WARN, message, {**details, "errors": errors})
    return manifest, Check(code, OK, f"snapshot {manifest.snapshot_id} is active", details)


def _named_manifest(store: Store, snapshot_id: str) -> tuple[Manifest | None, Check]:
    code = "manifest_present"
    try:
        return active.retained(store, snapshot_id), Check(code, OK, f"snapshot {snapshot_id} is retained")
    except Corrupt as error:
        return None, Check(code, FAIL, f"{error.message}; {error.hint}")


def _unreadable(store: Store) -> Iterator[Path]:
    for _, path in active.published(store):
        try:
            manifests.read(path)
        except EverdexError:
            yield path


def _store_checks(store: Store, manifest: Manifest) -> list[Check]:
    missing = [item.path for item in manifest.artifacts() if not (store.path / item.path).exists()]
    if missing:
        present = Check("segments_present", FAIL, f"{plural(len(missing), 'artifact')} missing", {"missing": missing})
    else:
        present = Check("segments_present", OK, plural(len(manifest.segments), "segment"))
    broken = [item.path for item in integrity.damaged(store, manifest)]
    if broken:
        message = f"{plural(len(broken), 'artifact')} missing or not as their checksum says; run `everdex repair`"
        damaged = Check("artifact_integrity", FAIL, message, {"damaged": broken})
        return [present, damaged, _compaction_policy(store, manifest)]
    return [
        present,
        _contents(store, manifest),
        _tombstones_enforced(store, manifest),
        _normalization(store, manifest),
        _compaction_policy(store, manifest),
    ]


def _contents(store: Store, manifest: Manifest) -> Check:
    """Checksums hold; do the parts of each segment also fit each other?"""
    problems = [problem for reference in manifest.segments for problem in _segment_problems(store, reference)]
    if problems:
        return Check("artifact_integrity", FAIL, "segments contradict themselves", {"problems": problems})
    total = sum(item.size_bytes for item in manifest.artifacts())
    return Check("artifact_integrity", OK, "every checksum holds", {"bytes_verified": total})


def _segment_problems(store: Store, reference: SegmentRef) -> Iterator[str]:
    try:
        reader = SegmentReader(store.path / reference.path)
    except EverdexError as error:
        yield error.message
        return
    try:
        found = reader.rows.check()
        if found is not None:
            yield f"{reference.segment_id}: rows.db: {found}"
            return
        counts = {len(reader.rows.row_columns()), reader.vectors.rows, reader.lexical.n_docs, reference.rows}
        if len(counts) > 1:
            yield f"{reference.segment_id}: rows, vectors and index disagree: {sorted(counts)}"
    finally:
        reader.close()


def _tombstones_enforced(store: Store, manifest: Manifest) -> Check:
    code = "tombstones_enforced"
    rows = sum(live_map(store.path, manifest).live_rows)
    if rows != manifest.counts.chunks_indexed:
        return Check(code, FAIL, f"{rows} rows are live; the manifest says {manifest.counts.chunks_indexed}")
    buried = sum(segment.rows for segment in manifest.segments) - rows
    return Check(code, OK, f"{rows} live rows, {buried} buried", {"live_rows": rows, "buried_rows": buried})


def _normalization(store: Store, manifest: Manifest) -> Check:
    code = "unicode_normalization"
    odd = [path for path in sorted(live_map(store.path, manifest).files) if unicodedata.normalize("NFC", path) != path]
    if odd:
        return Check(code, FAIL, f"{plural(len(odd), 'indexed path')} not in NFC", {"paths": odd[:20]})
    return Check(code, OK, "every indexed path is NFC")


def _compaction_policy(store: Store, manifest: Manifest) -> Check:
    code = "compaction_policy"
    segments = len(manifest.segments)
    tombstones = sum(item.count for item in manifest.tombstones)
    referenced = sum(1 for path in store.segments.iterdir() if path.is_dir())
    details: dict[str, object] = {"segments": segments, "tombstones": tombstones, "segments_on_disk": referenced}
    if (
        segments > limits.MAX_SEGMENTS_PER_SNAPSHOT
        or tombstones > limits.MAX_TOMBSTONES_PER_SNAPSHOT
        or referenced > limits.MAX_TOTAL_SEGMENTS_REFERENCED
    ):
        return Check(code, FAIL, "over the limit; run `everdex compact --force` and `everdex gc`", details)
    if segments >= limits.COMPACTION_OVERDUE_SEGMENTS or tombstones >= limits.COMPACTION_OVERDUE_TOMBSTONES:
        return Check(code, WARN, "compaction is overdue; run `everdex compact`", details)
    return Check(code, OK, f"{plural(segments, 'segment')}, {plural(tombstones, 'tombstone')}", details)


def _disk_budgets(store: Store) -> Check:
    sizes = {
        name: tree_size(directory)
        for name, directory in (
            ("segments", store.segments), ("snapshots", store.snapshots), ("staging", store.staging),
            ("logs", store.logs), ("cache", store.cache), ("semantic", store.semantic),
        )
    }  # fmt: skip
    free = shutil.disk_usage(store.path).free
    details: dict[str, object] = {**{f"{name}_bytes": size for name, size in sizes.items()}, "free_bytes": free}
    if free < 2 * sizes["segments"]:
        return Check("disk_budgets", WARN, "a compaction or rebuild may not fit on this disk", details)
    if sizes["cache"] > 2 * limits.EMBED_CACHE_MAX_BYTES or sizes["logs"] > 2 * limits.LOG_KEEP * limits.LOG_MAX_BYTES:
        return Check("disk_budgets", WARN, "cache or logs are larger than their limits", details)
    return Check("disk_budgets", OK, f"{sum(sizes.values()):,} bytes", details)


def _lease(store: Store) -> Check:
    try:
        writer = holder(store)
        damaged = lease_path(store).exists() and read_lease(store) is None
    except EverdexError as error:
        return Check("lease", FAIL, error.message)
    if damaged:
        return Check("lease", WARN, "the lease file is unreadable; the next writer replaces it")
    if writer is None:
        return Check("lease", OK, "nobody is writing")
    details: dict[str, object] = {
        "pid": writer.pid, "hostname": writer.hostname, "lease_epoch": writer.lease_epoch,
        "started_at": writer.started_at, "last_heartbeat_at": writer.last_heartbeat_at,
    }  # fmt: skip
    return Check("lease", OK, f"process {writer.pid} on {writer.hostname} is writing", details)


def _embedder(root: Root, config: Config) -> Check:
    spec = config.index.embedder
    try:
        embedder = open_embedder(spec, root.path)
    except EmbedderUnavailable as error:
        return Check("embedder", FAIL, error.message)
    details: dict[str, object] = {"identity": identity_of(spec, root.path), "dim": embedder.dim if embedder else 0}
    return Check("embedder", OK, spec if embedder else "none: lexical search only", details)


def _board(store: Store) -> Check:
    """Whether the evidence board can be read. It is not derived from the tree: nothing could make it again."""
    try:
        counts = read_board(store).counts()
    except EverdexError as error:
        return Check("board", FAIL, f"{error.message}; {error.hint}")
    size = counts["evidence"] + counts["claims"] + counts["decisions"]
    if size >= limits.MAX_BOARD_ITEMS:
        return Check("board", WARN, "the evidence board is full; drop what is settled", dict(counts))
    return Check("board", OK, f"{plural(size, 'item')} on the evidence board", dict(counts))


def _pictures(store: Store) -> Check:
    """Whether kept pictures are intact. Only a warning: they are drawn again when they are asked for."""
    broken = damaged_pictures(store)
    if broken:
        message = f"{plural(len(broken), 'file')} of the canvas damaged; run `everdex architecture` or `explore`"
        return Check("pictures", WARN, message, {"damaged": broken})
    return Check("pictures", OK, "every kept picture is whole")


def _semantic(store: Store) -> Check:
    """Whether imported facts are intact. Damaged ones are not used, and only a new import brings them back."""
    damaged = damaged_facts(store)
    if damaged:
        message = f"{plural(len(damaged), 'file')} of semantic facts damaged and not used; run `everdex repair`"
        return Check("semantic", WARN, message, {"damaged": damaged})
    return Check("semantic", OK, "every file of semantic facts is whole")


def _tree_checks(
    root: Root, config: Config, store: Store, manifest: Manifest | None, *, pinned: bool
) -> list[Check]:
    seen = Look(root, config, store, manifest, SyncOptions())
    collisions = [list(collision.paths) for collision in seen.discovery.collisions]
    twins = f"{plural(len(collisions), 'name')} with a twin on other systems"
    folded = (
        Check("casefold_collisions", WARN, twins, {"paths": collisions})
        if collisions
        else Check("casefold_collisions", OK, "every name is unique after casefolding")
    )
    drift = _not_compared() if pinned and manifest is not None else _drift(seen, manifest)
    return [folded, _path_safety(seen), _repo_hygiene(root, store, manifest), drift]


def _path_safety(seen: Look) -> Check:
    code = "path_safety"
    outside = [path for path in sorted(seen.indexed) if path.startswith(("/", "./")) or ".." in path.split("/")]
    if outside:
        message = f"{plural(len(outside), 'indexed path')} leading outside the root"
        return Check(code, FAIL, message, {"paths": outside[:20]})
    unsafe = [skip for skip in seen.discovery.skipped if skip.reason in _UNSAFE_SKIPS]
    if not unsafe:
        return Check(code, OK, "no path leads outside the root")
    counts = dict(sorted(Counter(str(skip.reason) for skip in unsafe).items()))
    details: dict[str, object] = {"skipped": counts, "paths": [skip.path_key for skip in unsafe[:20]]}
    return Check(code, WARN, f"{plural(len(unsafe), 'unsafe path')} left out", details)


def _repo_hygiene(root: Root, store: Store, manifest: Manifest | None) -> Check:
    code = "repo_hygiene"
    if store.info.shared and manifest is not None and manifest.git.dirty:
        return Check(code, WARN, "the shared store was published from a tree with uncommitted changes")
    if not root.is_git:
        return Check(code, OK, "not a git repository")
    try:
        listed = run_git(root, ["ls-files", "-o", "-z", "--exclude-per-directory=.gitignore"])
    except GitFailed as error:
        return Check(code, WARN, f"git could not tell: {error}")
    count = listed.count(b"\0")
    status = WARN if count > _UNTRACKED_MANY else OK
    return Check(code, status, f"{plural(count, 'untracked file')}, not ignored", {"untracked": count})


def _not_compared() -> Check:
    """The check that stands for a comparison with the tree, when an older snapshot was asked for."""
    return Check("index_drift", OK, "a snapshot that was named is not compared with the tree")


def _drift(seen: Look, manifest: Manifest | None) -> Check:
    if manifest is None:
        return Check("index_drift", FAIL, "there is no whole snapshot to compare the tree with")
    changes = seen.changes
    details: dict[str, object] = {
        "added": len(changes.add), "modified": len(changes.modify), "deleted": len(changes.delete),
        "renamed": len(changes.rename),
    }  # fmt: skip
    if changes.empty and manifest.ignore_fingerprint == seen.discovery.ignore_fingerprint:
        return Check("index_drift", OK, "the index reflects the tree", details)
    return Check("index_drift", WARN, "the tree has changed since the last sync; run `everdex index`", details)
