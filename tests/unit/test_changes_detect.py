"""Change detection: stat is a hint, content is the truth."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from everdex.changes import detect, read_stable
from everdex.changes.model import ChangeSet, IndexedFile
from everdex.config import IndexConfig
from everdex.discover import discover
from everdex.roots import Root, git_environment

LONG_AGO = 1_600_000_000_000_000_000


@pytest.fixture
def root(tmp_path: Path) -> Root:
    for name, text in (("a.py", "a = 1\n"), ("b.py", "b = 22\n"), ("c.py", "c = 333\n"), ("zero.py", "")):
        (tmp_path / name).write_text(text)
    return Root(tmp_path, False)


def indexed(root: Root, *, settled: bool = True) -> dict[str, IndexedFile]:
    """The tree as a snapshot would record it; `settled` means looked at long after the last write."""
    records = {}
    for candidate in discover(root, IndexConfig()).files:
        source = read_stable(root, candidate)
        assert source is not None
        observed = source.observed_ns + (60_000_000_000 if settled else 0)
        records[source.path_key] = IndexedFile(source.path_key, source.content_hash, source.stat, observed, None)
    return records


def changes(root: Root, known: Mapping[str, IndexedFile], **options: object) -> ChangeSet:
    return detect(root, discover(root, IndexConfig()), known, **options)  # type: ignore[arg-type]


def keys(candidates: object) -> list[str]:
    return [candidate.path_key for candidate in candidates]  # type: ignore[attr-defined]


def test_nothing_changed(root: Root) -> None:
    """An untouched tree is an empty change set, and its files are not read again."""
    known = {key: replace(item, content_hash="not the hash") for key, item in indexed(root).items()}
    found = changes(root, known)
    assert found.empty
    assert (found.unchanged, found.touched) == (4, ())


def test_first_look_adds_everything(root: Root) -> None:
    """With nothing indexed, all is new, in path order."""
    found = changes(root, {})
    assert keys(found.add) == ["a.py", "b.py", "c.py", "zero.py"]
    assert found.to_index == found.add


def test_add_modify_delete(root: Root) -> None:
    """The three plain changes are told apart."""
    known = indexed(root)
    (root.path / "a.py").write_text("a = 'longer'\n")
    (root.path / "b.py").unlink()
    (root.path / "new.py").write_text("brand new\n")
    found = changes(root, known)
    assert (keys(found.add), keys(found.modify), found.delete) == (["new.py"], ["a.py"], ("b.py",))
    assert found.unchanged == 2


def test_same_size_and_same_mtime_is_found(root: Root) -> None:
    """An edit that keeps size and restores mtime still shows in ctime."""
    known = indexed(root)
    before = (root.path / "a.py").stat()
    (root.path / "a.py").write_text("a = 2\n")
    os.utime(root.path / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert keys(changes(root, known).modify) == ["a.py"]


def test_same_size_edit_in_the_same_moment_is_found(root: Root) -> None:
    """Edits right after the file was indexed are never lost to the clock's grain, however often tried."""
    for number in range(50):
        (root.path / "a.py").write_text(f"a = {number:02}\n")
        known = indexed(root, settled=False)
        (root.path / "a.py").write_text(f"a = {number + 1:02}\n")
        assert keys(changes(root, known).modify) == ["a.py"]


def test_racily_clean_file_is_read_again(root: Root) -> None:
    """A stat that agrees proves nothing when it was taken within the clock's grain of the write."""
    known = indexed(root)
    stale = replace(known["a.py"], content_hash="of other content")
    racy = replace(stale, observed_ns=stale.stat.ctime_ns + 10_000_000)
    assert keys(changes(root, {**known, "a.py": racy}).modify) == ["a.py"]
    settled = replace(stale, observed_ns=stale.stat.ctime_ns + 30_000_000)
    assert changes(root, {**known, "a.py": settled}).empty


def test_racily_clean_and_equal_is_unchanged(root: Root) -> None:
    """Reading a racy file again and finding the same content is no change."""
    found = changes(root, indexed(root, settled=False))
    assert found.empty
    assert (found.unchanged, found.touched) == (4, ())


def test_future_stamp_is_always_read(root: Root) -> None:
    """A file stamped later than we looked can be rewritten without a trace, so it is never trusted."""
    later = time.time_ns() + 3_600_000_000_000
    os.utime(root.path / "a.py", ns=(later, later))
    known = indexed(root)
    wrong = replace(known["a.py"], content_hash="of other content")
    assert keys(changes(root, {**known, "a.py": wrong}).modify) == ["a.py"]


def test_touch_is_not_a_change(root: Root) -> None:
    """A new mtime with the same content is reported as touched and nothing else."""
    known = indexed(root)
    os.utime(root.path / "a.py", ns=(LONG_AGO, LONG_AGO))
    found = changes(root, known)
    assert found.empty
    assert found.touched == ("a.py",)


def test_replaced_by_an_equal_file_is_touched(root: Root) -> None:
    """Another inode with the same bytes, as editors leave it, is no change."""
    known = indexed(root)
    (root.path / "tmp").write_text("a = 1\n")
    (root.path / "tmp").rename(root.path / "a.py")
    assert changes(root, known).touched == ("a.py",)


def test_emptied_file_is_modified(root: Root) -> None:
    """A file emptied to zero bytes is a modification, so that its rows go."""
    known = indexed(root)
    (root.path / "a.py").write_bytes(b"")
    found = changes(root, known)
    assert (keys(found.modify), found.delete) == (["a.py"], ())


def test_rename_is_same_content_under_a_new_name(root: Root) -> None:
    """A rename is neither an add nor a delete."""
    known = indexed(root)
    (root.path / "sub").mkdir()
    (root.path / "b.py").rename(root.path / "sub" / "moved.py")
    found = changes(root, known)
    assert [(old, new.path_key) for old, new in found.rename] == [("b.py", "sub/moved.py")]
    assert (found.add, found.delete, found.modify) == ((), (), ())


def test_renames_pair_one_to_one_in_path_order(tmp_path: Path) -> None:
    """Equal files pair off by path; the rest are adds or deletes."""
    root = Root(tmp_path, False)
    for name in ("a1.py", "a2.py", "a3.py"):
        (tmp_path / name).write_text("same\n")
    known = indexed(root)
    for name in ("a1.py", "a2.py", "a3.py"):
        (tmp_path / name).unlink()
    for name in ("z1.py", "z2.py"):
        (tmp_path / name).write_text("same\n")
    found = changes(root, known)
    assert [(old, new.path_key) for old, new in found.rename] == [("a1.py", "z1.py"), ("a2.py", "z2.py")]
    assert (found.add, found.delete) == ((), ("a3.py",))


def test_copy_is_not_a_rename(root: Root) -> None:
    """While the old file is still there, a file with its content is new."""
    known = indexed(root)
    (root.path / "copy.py").write_text("b = 22\n")
    found = changes(root, known)
    assert (keys(found.add), found.rename) == (["copy.py"], ())


def test_empty_files_are_never_renames(root: Root) -> None:
    """All empty files are alike, which is no evidence of a move."""
    known = indexed(root)
    (root.path / "zero.py").rename(root.path / "nil.py")
    found = changes(root, known)
    assert (keys(found.add), found.delete, found.rename) == (["nil.py"], ("zero.py",), ())


def test_suspects_are_read_again(root: Root) -> None:
    """What git says changed is hashed, whatever its stat says; the others are not."""
    known = {key: replace(item, content_hash="stale") for key, item in indexed(root).items()}
    assert keys(changes(root, known, suspects=frozenset({"b.py", "unknown.py"})).modify) == ["b.py"]


@pytest.mark.parametrize("options", [{"suspects": None}, {"always_rehash": True}])
def test_everything_can_be_read_again(root: Root, options: dict[str, object]) -> None:
    """When git cannot tell, or the user says so, no stat is believed."""
    known = indexed(root)
    assert changes(root, known, **options).unchanged == 4
    stale = {key: replace(item, content_hash="stale") for key, item in known.items()}
    assert len(changes(root, stale, **options).modify) == 4


def test_file_that_vanishes_after_discovery_is_deleted(root: Root) -> None:
    """A known file gone by the time it is hashed is a delete; an unknown one never was."""
    known = indexed(root)
    gone = replace(known.pop("b.py"), path_key="old.py")  # b.py looks like old.py renamed, until it is read
    os.utime(root.path / "a.py", ns=(LONG_AGO, LONG_AGO))
    seen = discover(root, IndexConfig())
    (root.path / "a.py").unlink()
    (root.path / "b.py").unlink()
    found = detect(root, seen, {**known, "old.py": gone})
    assert found.delete == ("a.py", "old.py")
    assert (found.add, found.rename) == ((), ())


def test_a_single_file_that_vanishes_after_discovery_is_deleted(root: Root) -> None:
    """As many files are listed as are known: only the read that fails tells that one is gone."""
    known = indexed(root)
    os.utime(root.path / "a.py", ns=(LONG_AGO, LONG_AGO))
    seen = discover(root, IndexConfig())
    (root.path / "a.py").unlink()
    assert detect(root, seen, known).delete == ("a.py",)


def test_unreadable_file_stays_for_the_sync_to_judge(root: Root) -> None:
    """Detection never fails on a file; it leaves it where the sync will meet it."""
    known = indexed(root)
    os.utime(root.path / "a.py", ns=(LONG_AGO, LONG_AGO))
    seen = discover(root, IndexConfig())
    (root.path / "a.py").unlink()
    os.mkfifo(root.path / "a.py")
    assert keys(detect(root, seen, known).modify) == ["a.py"]


def test_file_that_became_ineligible_is_deleted(root: Root) -> None:
    """A new ignore rule removes what it hides."""
    known = indexed(root)
    (root.path / ".everdexignore").write_text("b.py\n")
    assert changes(root, known).delete == ("b.py",)


def test_git_operations_keep_the_truth(tmp_path: Path) -> None:
    """A checkout that restores older content is found by stat and content alone."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, env=git_environment())

    root = Root(tmp_path, True)
    git("init", "-q")
    (tmp_path / "a.py").write_text("old\n")
    git("add", "-A")
    git("commit", "-qm", "old")
    (tmp_path / "a.py").write_text("new\n")
    git("commit", "-qam", "new")
    known = indexed(root)
    git("checkout", "-q", "HEAD~1")
    assert keys(changes(root, known).modify) == ["a.py"]
