"""What another process removes between a listing and a look at it is no error, and no damage."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import msgspec
import pytest

from everdex import limits
from everdex.canvas import keep
from everdex.errors import Busy
from everdex.semantic import kept
from everdex.service.index import Index
from everdex.snapshot import log, retention
from everdex.snapshot.guard import hold_exclusive
from everdex.state import decisions
from everdex.state.decisions import Ambiguity, OpenPlace
from everdex.upkeep import pictures
from everdex.upkeep.health import health
from everdex.upkeep.housekeeping import gc_now
from everdex.upkeep.stores import inventory
from support.scips import CONTEXT
from support.stores import Workspace, synced
from support.vanishing import vanish_when_listed, vanish_when_seen

FILES = {"app.py": "def run():\n    return 1\n", "b.py": "def go():\n    return 2\n"}


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    return synced(tmp_path / "tree", FILES, git=True)


def _put(path: Path, data: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


STAGED = "staging/01TXN/segment/rows.db"


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(
    ("name", "doomed"),
    [
        (STAGED, "staging/01TXN"),  # a writer has published
        (STAGED, "staging/01TXN/segment"),
        (STAGED, STAGED),
        ("cache/verified.json.1.abcd.tmp", "cache/verified.json.1.abcd.tmp"),  # replaced by rename
        ("canvas/impact/0-1.png", "canvas/impact/0-1.png"),  # collected
        ("canvas/explorer.0.html", "canvas/explorer.0.html"),
    ],
)
def test_health_answers_while_others_work(
    made: Workspace, monkeypatch: pytest.MonkeyPatch, name: str, doomed: str, times: int
) -> None:
    """A writer's staging, a file that is being replaced, a picture that is collected: none of it fails the command."""
    _put(made.store.path / name)
    gone = vanish_when_listed(monkeypatch, made.store.path / doomed, times=times)
    report = health(made.root, made.config, made.store)
    assert {check.code for check in report.checks if check.status != "ok"} <= {"pictures"}
    assert not gone() or report.status == "ok"


def test_a_picture_that_is_being_published_is_not_damaged(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The latest picture is replaced before what is said of it; who looks between both looks again."""
    old, new = b"old", b"new"
    monkeypatch.setattr(pictures, "_whole", lambda data: data in (old, new))
    said = {"latest_png": keep.LATEST, "digest_png": keep.LATEST}

    def publish(data: bytes) -> None:
        described = {"architecture": {**said, "sha256": hashlib.sha256(data).hexdigest()}}
        _put(made.store.canvas / keep.META, msgspec.json.encode(described))

    publish(old)
    _put(made.store.canvas / keep.LATEST, new)
    real = pictures.hold_guard

    def entered(*arguments: object, **options: object) -> object:
        publish(new)  # whoever had the guard has left it
        return real(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(pictures, "hold_guard", entered)
    assert pictures.damaged_pictures(made.store) == []


def test_stores_are_listed_while_they_are_used(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that goes counts nothing."""
    gone = vanish_when_listed(monkeypatch, _put(made.store.staging / "01TXN" / "rows.db"))
    assert [entry.store_id for entry in inventory()] == [made.store.store_id]
    assert gone()


def test_stores_are_listed_while_one_is_deleted(
    made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that goes is not listed; the others are."""
    other = synced(tmp_path / "other", FILES)
    gone = vanish_when_seen(monkeypatch, other.store.path)
    assert [entry.store_id for entry in inventory()] == [made.store.store_id]
    assert gone()


def test_a_plan_to_collect_is_made_while_others_work(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Staging of a writer that has just published, and a graph that its maker forgot."""
    doomed = [_put(made.store.staging / "01TXN" / "rows.db").parent, _put(made.store.graphs / "0-1.graph")]
    gone = vanish_when_listed(monkeypatch, *doomed)
    assert gc_now(made.store).bytes_freed == 0
    assert gone()


def test_nothing_is_collected_while_a_plan_is_made(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who only asks reads every manifest: he counts as a reader."""
    planned = retention.plan

    def plan(*arguments: object, **options: object) -> object:
        lock = made.store.readers_lock
        with pytest.raises(Busy), hold_exclusive(lock, made.store.permissions, wait_ms=0):  # as a collection does
            pass
        return planned(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(retention, "plan", plan)
    gc_now(made.store)


def test_a_snapshot_that_was_collected_just_now_is_not_a_damaged_one(
    made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`status` lists what is retained; what goes meanwhile is left out, what is damaged is told."""
    made.write({"app.py": "def run():\n    return 3\n"})
    made.sync()
    vanish_when_listed(monkeypatch, made.store.manifests / "000000000001.json")
    listed = Index.open(made.path).status().to_dict()["snapshots"]
    assert [(entry["seq"], entry["error"]) for entry in listed] == [(2, None)]


def test_a_context_that_is_removed_takes_no_other_with_it(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other indexers said still counts: it would be silently missing from every answer."""
    for name in ("one", "two"):
        kept.write(made.store, msgspec.structs.replace(CONTEXT, id=name), frozenset(), [])
    both = [name for name, *_ in kept.stamp(made.store)]
    assert len(both) == 2
    vanish_when_listed(monkeypatch, made.store.semantic / both[0])
    assert [name for name, *_ in kept.stamp(made.store)] == both[1:]


def test_two_processes_forget_the_same_decision(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that comes second has nothing to do."""
    monkeypatch.setattr(limits, "DECISIONS_KEPT", 1)

    def record(number: int) -> None:
        place = OpenPlace("a.py", 1, 0, f"x{number}", "ambiguous", "")
        decisions.record(made.store, Ambiguity(f"change {number}", (place,), {"a.py": "0"}), "looked", None)

    record(1)
    gone = vanish_when_listed(monkeypatch, *made.store.decisions.iterdir(), times=2)
    record(2)
    assert gone()
    assert [item.about for item in decisions.every(made.store)] == ["change 2"]


def test_a_log_that_is_rotated_by_another_process_stops_nobody(
    made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at its size and the rename it may be gone: also a whole store may."""
    monkeypatch.setattr(limits, "LOG_MAX_BYTES", 1)
    path = made.store.logs / "sync.log.jsonl"
    assert path.exists()
    monkeypatch.setattr("os.replace", _gone)
    log.append(made.store, "sync")
    monkeypatch.undo()
    shutil.rmtree(made.store.logs)
    log.append(made.store, "sync")


def _gone(*_: object) -> None:
    raise FileNotFoundError(2, "No such file or directory")
