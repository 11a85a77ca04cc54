"""Stores for tests: `Workspace` runs the real pipeline over a tree with the fake embedder; `publish_files`
publishes a snapshot of made-up files straight through the snapshot room, for tests that need many."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from everdex import clock, config
from everdex.changes.detect import RACY_NS
from everdex.changes.model import GitState, IndexedFile
from everdex.config import Config
from everdex.discover.model import FileStat
from everdex.embed import identity_of
from everdex.identity.merkle import snapshot_digest
from everdex.roots import Root, canonical_root
from everdex.segment.files import TombstoneLine, encode_lines, file_line
from everdex.segment.model import FILES_NAME
from everdex.snapshot.lease import Lease
from everdex.snapshot.live import EMPTY, live_map
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.publish import Draft, StagedSegment, publish, staging
from everdex.snapshot.recover import begin
from everdex.snapshot.store import Store, create_store
from everdex.sync.look import pinned_or_none
from everdex.sync.model import SyncOptions, SyncReport
from everdex.sync.run import sync
from everdex.view import open_view
from support.trees import tree


@dataclass(frozen=True)
class Workspace:
    """A tree, its configuration and its store."""

    root: Root
    config: Config
    store: Store

    @property
    def path(self) -> Path:
        return self.root.path

    def write(self, files: Mapping[str, str | bytes]) -> None:
        tree(self.path, files)

    def remove(self, *names: str) -> None:
        for name in names:
            (self.path / name).unlink()

    def sync(self, **options: object) -> SyncReport:
        return sync(self.root, self.config, self.store, replace(SyncOptions(workers=1), **options))  # type: ignore[arg-type]

    def settle(self) -> None:
        """Sync until there is nothing to do and everything is old enough to be trusted."""
        self.sync()
        time.sleep(2 * RACY_NS / 1e9)
        assert not self.sync().published

    def base(self) -> Manifest:
        """What is published."""
        base = pinned_or_none(self.store)
        assert base is not None
        return base

    def rows(self, snapshot_id: str | None = None) -> dict[tuple[str, int], tuple[str, str]]:
        """(path_key, ordinal) -> (chunk uid, text) of every live chunk."""
        with open_view(self.store, snapshot_id) as view:
            return {
                (document.row.path_key, document.row.ordinal): (document.row.chunk_uid, document.row.text)
                for path_key in view.paths
                for document in view.documents_of(path_key)
            }

    def texts(self, snapshot_id: str | None = None) -> dict[str, str]:
        """path_key -> the text of its live chunks, in order."""
        joined: dict[str, str] = {}
        for (path_key, _), (_, text) in sorted(self.rows(snapshot_id).items()):
            joined[path_key] = joined.get(path_key, "") + text
        return joined


def rewritten(path: Path, **changes: object) -> None:
    """Change fields of a JSON artifact as another everdex would have written them: with its seal, if it has one."""
    document = {**msgspec.json.decode(path.read_bytes()), **changes}
    for field in document.keys() & {"manifest_sha256", "info_sha256", "board_sha256"}:
        end = b"" if field == "manifest_sha256" else b"\n"
        blank = msgspec.json.encode({**document, field: ""}) + end
        document[field] = hashlib.sha256(blank).hexdigest()
    path.chmod(0o600)
    path.write_bytes(msgspec.json.encode(document) + b"\n")


def use_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """EVERDEX_HOME inside tmp_path and the fake embedder, for this test."""
    home = tmp_path / "home"
    monkeypatch.setenv("EVERDEX_HOME", os.fspath(home))
    monkeypatch.setenv("EVERDEX_EMBEDDER", "fake")
    return home


def workspace(root: Path, files: Mapping[str, str | bytes] | None = None, *, git: bool = False) -> Workspace:
    """A tree and its (still empty) store; `use_home` must have been called."""
    tree(root, files or {}, git=git)
    found = canonical_root(root)
    effective = config.load(found.path)
    fingerprint = config.config_fingerprint(effective.index, identity_of(effective.index.embedder, found.path))
    return Workspace(found, effective, create_store(found, fingerprint))


def synced(root: Path, files: Mapping[str, str | bytes], *, git: bool = False) -> Workspace:
    """A tree that has been indexed once."""
    made = workspace(root, files, git=git)
    made.sync()
    return made


def bare_store(tmp_path: Path) -> Store:
    """A store that no pipeline ever wrote to; `use_home` must have been called."""
    root = tmp_path / "bare"
    root.mkdir(exist_ok=True)
    return create_store(Root(Path(os.path.realpath(root)), False), "0" * 64)


def publish_files(
    lease: Lease,
    files: Mapping[str, int],
    *,
    delete: Sequence[str] = (),
    drop: frozenset[str] = frozenset(),
    bury_replaced: bool = True,
) -> Manifest:
    """Publish a snapshot that adds made-up files (path_key -> number of rows) and deletes others.

    The segment holds only a file list, which is all the snapshot room looks at.
    """
    base = begin(lease)
    live = live_map(lease.store.path, base.manifest) if base.manifest else EMPTY
    snapshot_id = clock.new_ulid()
    with staging(lease):
        staged: tuple[StagedSegment, ...] = ()
        if files:
            directory = lease.staging / f"seg_{snapshot_id}_0"
            directory.mkdir()
            lines = tuple(file_line(_made_up(path_key), rows) for path_key, rows in sorted(files.items()))
            (directory / FILES_NAME).write_bytes(encode_lines(lines))
            staged = (StagedSegment(directory, "delta", lines),)
        tombstones = [TombstoneLine(path_key, "delete") for path_key in delete]
        if bury_replaced:
            tombstones += [TombstoneLine(path_key, "replace") for path_key in files if path_key in live.files]
        return publish(
            lease,
            Draft(
                snapshot_id=snapshot_id,
                seq=base.next_seq,
                parent=base.manifest,
                parent_live=live,
                staged=staged,
                dropped=drop,
                tombstones=tuple(tombstones),
                git=GitState(None, False, True),
                ignore_fingerprint="f" * 64,
                digest=snapshot_digest([], snapshot_id),
                skipped={},
                errors=(),
            ),
        )


def _made_up(path_key: str) -> IndexedFile:
    stat = FileStat(1, 1, 1, 1)
    return IndexedFile(path_key, hashlib.sha256(path_key.encode()).hexdigest(), stat, 2, None)


def live_rows(store: Store, manifest: Manifest) -> dict[str, tuple[str, int]]:
    """path_key -> (segment id, rows) of the live view."""
    found = live_map(store.path, manifest)
    return {key: (found.segments[file.segment], file.line.rows) for key, file in found.files.items()}
