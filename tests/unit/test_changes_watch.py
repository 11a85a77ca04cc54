"""The kernel's hint: silence only when nothing happened, and in every doubt a word too many."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from everdex import limits
from everdex.changes.git_state import git_directories
from everdex.changes.watch import Watch
from everdex.search.model import Mode, SearchRequest
from everdex.service.index import Index, Reading
from everdex.service.resident import ResidentIndex
from everdex.sync.model import SyncOptions
from support.processes import PATIENCE_S
from support.trees import commit_all, run_git, tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "r", {"a.py": "x = 1\n", "deep/er/b.py": "y = 1\n", "home/data/file": "z"})


def test_every_kind_of_change_is_reported_once(root: Path) -> None:
    """A write, a touch, a new directory's file, a move and a deletion each break the silence, then it returns."""
    watch = Watch(root, frozenset())
    assert (watch.healthy, watch.touched()) == (True, False)
    changes = [
        lambda: (root / "a.py").write_text("x = 2\n"),
        lambda: os.utime(root / "deep/er/b.py"),
        lambda: (root / "new/below").mkdir(parents=True),
        lambda: (root / "new/below/c.py").write_text(""),
        lambda: (root / "deep").rename(root / "moved"),
        lambda: (root / "moved/er/b.py").write_text("y = 2\n"),
        lambda: (root / "moved/er/b.py").unlink(),
    ]
    for number, change in enumerate(changes):
        change()
        assert watch.touched(), number
        assert not watch.touched(), number
    assert not watch.wait(0)
    watch.close()
    assert watch.touched()


def test_an_excluded_directory_is_none_of_its_business(root: Path) -> None:
    """Our own store may lie in the tree, and writing it must not make us look again."""
    watch = Watch(root, frozenset({root / "home"}))
    (root / "home/data/file").write_text("changed")
    assert not watch.touched()
    (root / "beside").write_text("changed")
    assert watch.touched()
    watch.close()


def test_a_root_that_was_replaced_is_watched_anew(root: Path) -> None:
    """The old directory moves away and another takes its name: changes in the new one are reported."""
    watch = Watch(root, frozenset())
    root.rename(root.with_name("old"))
    tree(root, {"a.py": "other\n"})
    assert watch.touched()
    watch.touched()
    (root / "a.py").write_text("again\n")
    assert watch.touched()
    watch.close()


def test_a_root_whose_parent_was_replaced_is_watched_anew(root: Path, tmp_path: Path) -> None:
    """Nothing happens to the root itself, and its path leads to another directory: that is reported, and watched."""
    above = tmp_path / "above"
    above.mkdir()
    root = root.rename(above / "r")
    watch = Watch(root, frozenset())
    assert not watch.touched()
    above.rename(tmp_path / "gone")
    assert watch.touched()
    tree(root, {"a.py": "other\n"})
    assert watch.touched()
    assert not watch.touched()
    (root / "a.py").write_text("again\n")
    assert watch.touched()
    watch.close()


def test_without_room_for_watches_silence_proves_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree with too many directories is never called untouched."""
    monkeypatch.setattr(limits, "MAX_WATCHED_DIRECTORIES", 1)
    watch = Watch(root, frozenset())
    assert (watch.healthy, watch.touched(), watch.touched()) == (False, True, True)
    watch.close()


def test_a_warm_index_without_a_watch_looks_each_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Freshness rests on a look of its own when the kernel cannot be trusted, and a change is published."""
    monkeypatch.setattr(limits, "MAX_WATCHED_DIRECTORIES", 1)
    index = Index.open(root)
    index.sync(SyncOptions(workers=1))
    warm = ResidentIndex(index)
    first = warm.freshness()
    time.sleep(0.002)  # looks are told apart by their millisecond
    (root / "a.py").write_text("x = 3\n")
    second = warm.freshness()
    assert (first.state, second.state, warm.publishes) == ("fresh", "fresh", 1)
    assert first.checked_at != second.checked_at
    warm.close()


def test_an_untouched_tree_is_not_looked_at_twice(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a while the same look stands, and the answer says when it was; a rehash is always a look."""
    monkeypatch.setattr(limits, "DAEMON_TRUST_WATCH_S", PATIENCE_S)
    index = Index.open(root)
    index.sync(SyncOptions(workers=1))
    warm = ResidentIndex(index)
    first = warm.freshness()
    time.sleep(0.002)  # looks are told apart by their millisecond
    assert warm.freshness() == first
    second = warm.freshness(rehash=True)
    assert second.checked_at != first.checked_at
    monkeypatch.setattr(limits, "DAEMON_TRUST_WATCH_S", 0)
    time.sleep(0.002)
    assert warm.freshness().checked_at != second.checked_at
    warm.close()


def test_a_warm_index_answers_after_it_gave_its_memory_back(root: Path) -> None:
    """Shed, reconciled and collected: the next answer is as before, and what changed meanwhile is in it."""
    index = Index.open(root)
    index.sync(SyncOptions(workers=1))
    warm = ResidentIndex(index)
    warm.reader.warm_up()
    request = SearchRequest("marker", Mode.LITERAL)
    assert warm.reader.search(request, warm.stated(Reading()), Reading()).body["results"] == []
    warm.reader.shed()
    (root / "a.py").write_text("marker = 1\n")
    warm.reconcile()
    warm.collect()
    assert (warm.publishes, warm.collections) == (1, 1)
    assert len(warm.reader.search(request, warm.stated(Reading(sync=False)), Reading(sync=False)).body["results"]) == 1
    warm.close()


def test_a_linked_worktree_is_watched_where_its_head_is(tmp_path: Path) -> None:
    """A commit, a switch of branches and a moved branch change nothing in the tree itself, and are reported."""
    main = tree(tmp_path / "main", {"a.py": "x = 1\n"}, git=True)
    commit_all(main)
    linked = tmp_path / "linked"
    run_git(main, "worktree", "add", "-q", "-b", "side", str(linked))
    root = Index.open(linked).root
    outside = git_directories(root)
    assert outside == (main / ".git", main / ".git/worktrees/linked")
    assert git_directories(Index.open(main).root) == ()
    watch = Watch(linked, frozenset(), outside)
    changes = [
        lambda: commit_all(linked),
        lambda: run_git(linked, "switch", "-q", "-c", "other"),
        lambda: run_git(main, "update-ref", "refs/heads/other", "HEAD"),
        lambda: run_git(main, "branch", "-q", "deep/er"),
    ]
    for number, change in enumerate(changes):
        watch.touched()
        change()
        assert watch.touched(), number
    watch.close()
