"""What makes a sync look again or publish although no file that is indexed differs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from everdex.changes.model import ReadFailed, SourceFile
from everdex.discover.model import Candidate
from everdex.roots import Root
from everdex.snapshot.lease import Lease, hold_lease
from everdex.snapshot.store import Store
from everdex.sync import run, touched, work
from everdex.upkeep.audit import audit
from support.stores import synced
from support.trees import commit_all


def test_what_another_writer_published_meanwhile_is_built_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree is compared again with what is published by then, so both writers' files are there, once each."""
    made = synced(tmp_path / "tree", {"a.py": "a = 1\n"})
    made.write({"b.py": "b = 1\n"})

    @contextmanager
    def late(store: Store) -> Iterator[Lease]:
        monkeypatch.setattr(run, "hold_lease", hold_lease)
        made.write({"a.py": "a = 2\n", "c.py": "c = 1\n"})
        made.sync()
        with hold_lease(store) as lease:
            yield lease

    monkeypatch.setattr(run, "hold_lease", late)
    made.write({"d.py": "d = 1\n"})
    made.sync()
    assert made.texts() == {"a.py": "a = 2\n", "b.py": "b = 1\n", "c.py": "c = 1\n", "d.py": "d = 1\n"}
    assert audit(made.store).findings == ()
    assert not made.sync().published


def test_a_commit_of_what_is_indexed_is_told(tmp_path: Path) -> None:
    """No file differs, but the snapshot says at which commit the tree is, and whether it is clean."""
    made = synced(tmp_path / "tree", {"a.py": "a = 1\n"}, git=True)
    made.write({"a.py": "a = 2\n"})
    made.sync()
    before = made.base().git
    commit_all(made.path)
    assert made.sync().published
    after = made.base().git
    assert (before.dirty, after.dirty) == (True, False)
    assert after.head_sha != before.head_sha


def test_what_could_not_be_read_and_is_gone_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A snapshot is degraded as long as there is a reason: the file was never indexed, so its end changes no row."""
    made = synced(tmp_path / "tree", {"a.py": "a = 1\n"})
    made.write({"bad.py": "b = 1\n"})
    read = work.read_stable

    def failing(root: Root, candidate: Candidate, **limit: int) -> SourceFile | None:
        if candidate.path_key == "bad.py":
            raise ReadFailed("bad.py", "input/output error")
        return read(root, candidate, **limit)

    monkeypatch.setattr(work, "read_stable", failing)
    made.sync(allow_degraded=True)
    assert made.base().degraded
    made.remove("bad.py")
    made.sync()
    assert not made.base().degraded


def test_a_remembered_stat_counts_for_the_content_that_it_was_seen_with(tmp_path: Path) -> None:
    """Once other bytes are published under the name, what was remembered of the old ones is nothing."""
    made = synced(tmp_path / "tree", {"a.py": "a = 1\n"})
    (made.path / "a.py").touch()
    assert made.sync().touched == 1
    remembered = (made.store.cache / "touched.json").read_bytes()
    made.write({"a.py": "a = 2\n"})
    made.sync()
    (made.store.cache / "touched.json").write_bytes(remembered)
    published = run.Look(made.root, made.config, made.store, made.base(), run.SyncOptions()).live.indexed()
    assert touched.apply(made.store, dict(published)) == published


def test_what_vanishes_while_it_is_read_does_not_answer_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was to be indexed anew; its old rows go with it."""
    made = synced(tmp_path / "tree", {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    made.write({"a.py": "a = 2\n"})
    read = work.read_stable

    def vanishing(root: Root, candidate: Candidate, **limit: int) -> SourceFile | None:
        made.remove("a.py")
        return read(root, candidate, **limit)

    monkeypatch.setattr(work, "read_stable", vanishing)
    made.sync()
    assert made.texts() == {"b.py": "b = 1\n"}
