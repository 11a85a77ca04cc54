"""What a resident index tells without looking at everything again is what looking at everything would find."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from everdex import limits
from everdex.changes.detect import RACY_NS
from everdex.graph.overview import repo_map
from everdex.graph.resolvers import Resolvers
from everdex.service import picturing
from everdex.service.answers import Answer
from everdex.service.index import Index, Reading
from everdex.service.opening import make
from everdex.service.relations import Question
from everdex.service.resident import ResidentIndex
from everdex.sync.model import SyncOptions, SyncReport
from support.asked import asked
from support.daemons import resident
from support.processes import PATIENCE_S
from support.trees import commit_all, run_git, tree

_FILES = {
    "shop/cart.py": "def total(items):\n    return sum(items)\n",
    "shop/till.py": "from shop.cart import total\n\n\ndef pay(items):\n    return total(items)\n",
    "picture.png": b"\x89PNG\r\n\x00\x01",
    ".gitignore": "*.log\n",
}
_OF_THE_MOMENT = ("request_id", "freshness", "timings_ms", "size_bytes")


@pytest.fixture
def warm(tmp_path: Path) -> Iterator[ResidentIndex]:
    with resident(tree(tmp_path / "project", _FILES, git=True)) as index:
        _settle(index)
        yield index


def _settle(warm: ResidentIndex) -> None:
    """Have everything be old enough to be trusted, and remembered as it stands."""
    warm.index.sync()
    time.sleep(2 * RACY_NS / 1e9)
    warm.index.sync()


def _said(document: dict[str, Any]) -> dict[str, Any]:
    assert document["freshness"]["state"] == "fresh" or document.get("pending")
    return {name: value for name, value in document.items() if name not in _OF_THE_MOMENT}


def _files(warm: ResidentIndex, *paths: str) -> dict[str, Any]:
    return _said(warm.files(Reading(), skipped=False, paths=paths).to_dict())


_CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda root: (root / "shop/cart.py").write_text("def total(items):\n    return len(items)\n"),
    "added": lambda root: (root / "shop/new.py").write_text("x = 1\n"),
    "added, but skipped": lambda root: (root / "other.png").write_bytes(b"\x89PNG\r\n\x00\x02"),
    "deleted": lambda root: (root / "shop/till.py").unlink(),
    "renamed": lambda root: (root / "shop").rename(root / "store"),
    "ignored": lambda root: (root / ".gitignore").write_text("*.log\nshop/till.py\n"),
    "left out by our own rules": lambda root: (root / ".everdexignore").write_text("shop/\n"),
    "no longer tracked": lambda root: run_git(root, "rm", "-q", "--cached", "shop/till.py"),
    "committed": lambda root: ((root / "b.py").write_text("y = 1\n"), commit_all(root)),
}


@pytest.mark.parametrize("change", _CHANGES)
def test_files_and_status_follow_the_tree(warm: ResidentIndex, change: str) -> None:
    """Before a change, right after it, once it is indexed and once more: always what a process that looks would say."""
    root = warm.index.root.path

    def agree() -> None:
        for _ in range(2):
            assert _files(warm) == _said(warm.index.files().to_dict())
            assert _files(warm, "shop", "*.md") == _said(warm.index.files(paths=("shop", "*.md")).to_dict())
            assert _said(warm.status(Reading()).to_dict()) == _said(warm.index.status().to_dict())

    agree()
    _CHANGES[change](root)
    agree()
    warm.freshness()
    agree()
    _settle(warm)
    agree()


def test_what_is_pending_is_told_and_left_alone(warm: ResidentIndex) -> None:
    """Asking for the status indexes nothing."""
    before = warm.status(Reading()).body
    (warm.index.root.path / "shop/new.py").write_text("x = 1\n")
    after = warm.status(Reading())
    assert before["pending"] == {"add": 0, "modify": 0, "delete": 0, "rename": 0}
    assert after.body["pending"] == {"add": 1, "modify": 0, "delete": 0, "rename": 0}
    assert (after.freshness.state, after.freshness.dirty_count) == ("stale", 1)
    assert after.body["seq"] == before["seq"]


@pytest.fixture
def listings(warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One number for every time that the files of the tree were listed."""
    made: list[int] = []
    plain = warm.index.listing

    def listing(**arguments: Any) -> Answer:
        made.append(len(made))
        return plain(**arguments)

    monkeypatch.setattr(warm.index, "listing", listing)
    return made


def test_a_tree_that_stands_is_listed_once(warm: ResidentIndex, listings: list[int]) -> None:
    """Whatever part of the list is wanted; every answer has an id and a time of its own."""
    answers = [warm.files(Reading(), skipped=False, paths=paths) for paths in ((), ("shop",), (), ("*.png",))]
    assert len(listings) == 1
    assert [len(answer.body["files"]) for answer in answers] == [3, 2, 3, 0]
    assert len({answer.request_id for answer in answers}) == 4


def test_a_long_list_is_not_kept(
    warm: ResidentIndex, listings: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a process holds between questions is bounded."""
    monkeypatch.setattr(limits, "LISTED_FILES_KEPT", 2)
    for _ in range(3):
        assert len(_files(warm)["files"]) == 3
    assert len(listings) == 3


def test_another_process_that_looked_first_hides_nothing(warm: ResidentIndex) -> None:
    """A skipped file comes and somebody else remembers the tree with it: the list from before is not told again."""
    assert _files(warm)["skipped_by_reason"] == {"unsupported_type": 1}
    (warm.index.root.path / "other.png").write_bytes(b"\x89PNG\r\n\x00\x02")
    time.sleep(2 * RACY_NS / 1e9)
    elsewhere = Index.open(warm.index.root.path)
    elsewhere.sync()
    assert elsewhere.sync().proof
    assert _files(warm)["skipped_by_reason"] == {"unsupported_type": 2}


def test_status_waits_for_nobody_who_writes(warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a question has the tree indexed, the status is told all the same."""
    at_work, done = threading.Event(), threading.Event()

    def slow(options: SyncOptions | None = None, *, wait: bool = False) -> SyncReport:
        at_work.set()
        assert done.wait(PATIENCE_S)
        return Index.sync(warm.index, options, wait=wait)

    monkeypatch.setattr(warm.index, "sync", slow)
    writer = threading.Thread(target=warm.freshness)
    writer.start()
    try:
        assert at_work.wait(PATIENCE_S)
        assert warm.status(Reading()).body["pending"]["add"] == 0
        assert writer.is_alive()
    finally:
        done.set()
        writer.join()


@pytest.mark.parametrize("method", ["map", "architecture"])
def test_a_summary_is_made_once_a_snapshot(
    warm: ResidentIndex, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And made anew for the next; with and without a memory of it the answer is the same."""
    made: list[int] = []

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments: (made.append(1), function(*arguments))[1]

    monkeypatch.setattr(repo_map, "repo_map", counted(repo_map.repo_map))
    monkeypatch.setattr(picturing, "plan", counted(picturing.plan))

    def answered() -> dict[str, Any]:
        make(warm.index, warm.reader.graph_of().snapshot_id, SyncOptions(workers=1), Resolvers())
        return _said(warm.relations(Question(method), Reading()).to_dict())

    first, second = answered(), answered()
    assert (len(made), first) == (1, second)
    assert first == _said(asked(warm.index, "relations", Question(method)))
    (warm.index.root.path / "shop/zz.py").write_text("from shop.till import pay\n\n\ndef buy():\n    return pay([])\n")
    warm.freshness()
    made.clear()
    third, fourth = answered(), answered()
    assert (len(made), third) == (1, fourth)
    assert third["snapshot_id"] != first["snapshot_id"]
    assert third == _said(asked(warm.index, "relations", Question(method)))
