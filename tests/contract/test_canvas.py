"""The canvas directory: pictures by digest, published last and only when they are the latest. (DIGEST's five tests.)"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from everdex import clock, limits
from everdex.canvas import keep
from everdex.canvas.meta import Quality, read_meta
from everdex.durable import encode_json
from everdex.service import exploring
from everdex.service.index import Index, Reading
from everdex.service.relations import Question
from everdex.snapshot.guard import hold_guard
from everdex.snapshot.lease import guard_path
from everdex.snapshot.store import Store
from everdex.sync.model import SyncOptions
from everdex.upkeep.health import health
from everdex.upkeep.housekeeping import gc_now
from support.asked import asked
from support.processes import PATIENCE_S
from support.trees import tree

FILES = {
    "shop/__init__.py": "",
    "shop/stock.py": "def check(count: int) -> int:\n    return count\n",
    "shop/till.py": "from shop.stock import check\n\n\ndef sell(count: int) -> int:\n    return check(count)\n",
}


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    monkeypatch.setenv("EVERDEX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("EVERDEX_EMBEDDER", "fake")
    return Index.open(tree(tmp_path / "project", FILES))


def _draw(index: Index, snapshot_id: str | None = None, **question: Any) -> dict[str, Any]:
    question = Question("architecture", **{"picture": "kept", **question})
    reading = Reading(snapshot_id=snapshot_id)
    return asked(index, "relations", question, reading=reading)


def _meta(store: Store) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((store.canvas / "graph_meta.json").read_bytes())
    return found


def test_the_same_content_has_the_same_digest_and_the_same_bytes(index: Index, tmp_path: Path) -> None:
    """Merkle determinism: another tree with the same files, written in another order, gets the same picture."""
    first = _draw(index)
    other = Index.open(tree(tmp_path / "other" / "project", dict(reversed(FILES.items()))))
    second = _draw(other)
    assert first["digest"] == second["digest"]
    assert Path(first["canvas"]["path"]).read_bytes() == Path(second["canvas"]["path"]).read_bytes()
    assert _meta(index.store())["merkle"]["root"] == _meta(other.store())["merkle"]["root"] == first["digest"]


def test_a_new_module_has_a_new_digest_and_a_new_picture(index: Index) -> None:
    """Digest change: the new picture is there under its digest, the pointer has its bytes, the old one stays."""
    before = _draw(index)
    (index.root.path / "shop" / "bill.py").write_text("def bill():\n    return 1\n")
    after = _draw(index)
    canvas = index.store().canvas
    assert before["digest"] != after["digest"]
    assert Path(before["canvas"]["path"]).is_file()
    assert (canvas / f"architecture.{after['digest']}.png").read_bytes() == (canvas / "architecture.png").read_bytes()
    meta = _meta(index.store())
    assert meta["graph"]["digest"] == meta["architecture"]["digest"] == meta["merkle"]["root"] == after["digest"]


def test_a_graph_of_another_digest_is_never_used(index: Index) -> None:
    """Call-edge gating: edges live in the graph named by digest, and a file of another digest is made again."""
    assert _draw(index)["architecture"]["edges"]
    old = next(index.store().graphs.glob("*.graph"))
    held = old.read_bytes()
    (index.root.path / "shop" / "till.py").write_text("def sell(count: int) -> int:\n    return count\n")
    index.sync()
    digest = index.status().to_dict()["digest"]
    old.with_name(old.name.replace(old.name.partition("-")[0], digest)).write_bytes(held)
    assert _draw(index)["architecture"]["edges"] == []


def test_what_is_described_follows_the_tree(index: Index) -> None:
    """State reconciliation: after the next picture `symbol_files` has a new symbol, and the counts are the graph's."""
    _draw(index)
    before = _meta(index.store())["graph"]
    (index.root.path / "shop" / "bill.py").write_text("class Bill:\n    def total(self):\n        return 1\n")
    _draw(index)
    after = _meta(index.store())["graph"]
    assert "shop/bill.py" in after["symbol_files"].values()
    assert len(after["symbol_files"]) == len(before["symbol_files"]) + 2
    assert after["stats"]["modules"] == before["stats"]["modules"] + 1
    assert (after["stats"]["classes"], after["stats"]["funcs"]) == (1, before["stats"]["funcs"] + 1)


def test_a_worse_description_never_replaces_a_better_one(index: Index) -> None:
    """Quality gating: with the same digest, one that read less is refused and the answer says so."""
    _draw(index)
    store = index.store()
    meta = read_meta(store.canvas / keep.META)
    assert meta is not None
    raw = json.loads(encode_json(meta))
    raw["graph"]["quality"]["parsed_files"] += 1
    raw["architecture"]["sha256"] = "0" * 64  # so that it is drawn again
    (store.canvas / keep.META).write_text(json.dumps(raw))
    refused = _draw(index)
    assert not refused["canvas"]["published"]
    assert "more completely" in refused["canvas"]["reason"]
    assert _meta(store)["graph"]["quality"]["parsed_files"] == raw["graph"]["quality"]["parsed_files"]
    assert Quality(2, 0, 9, 9).rank() < Quality(2, 0, 9, 10).rank() < Quality(2, 0, 10, 0).rank()
    assert Quality(2, 1, 99, 99).rank() < Quality(2, 0, 0, 0).rank() < Quality(3, 9, 0, 0).rank()


def test_a_picture_is_drawn_once_a_digest(index: Index) -> None:
    """The second question finds it; a damaged or missing one is drawn again, to the same bytes."""
    first = _draw(index)["canvas"]
    assert (first["drawn"], first["published"]) == (True, True)
    assert not _draw(index)["canvas"]["drawn"]
    whole = Path(first["path"]).read_bytes()
    Path(first["path"]).write_bytes(whole[:-20])
    assert _draw(index)["canvas"]["drawn"]
    assert Path(first["path"]).read_bytes() == whole
    (index.store().canvas / "architecture.png").unlink()
    assert _draw(index)["canvas"]["drawn"]
    assert hashlib.sha256(whole).hexdigest() == _meta(index.store())["architecture"]["sha256"]


def test_a_late_writer_publishes_nothing(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a file changes while the picture is drawn, the digest's picture is kept and the latest stays."""
    _draw(index)
    latest = _meta(index.store())
    (index.root.path / "shop" / "bill.py").write_text("def bill():\n    return 1\n")
    real = keep.graph_meta

    def slow(*arguments: Any) -> Any:
        made = real(*arguments)
        (index.root.path / "shop" / "bill.py").write_text("def bill():\n    return 22\n")
        return made

    monkeypatch.setattr(keep, "graph_meta", slow)
    late = _draw(index)
    assert not late["canvas"]["published"]
    assert "shop/bill.py" in late["canvas"]["reason"]
    assert Path(late["canvas"]["path"]).is_file()
    assert _meta(index.store()) == latest


def test_a_touched_file_is_not_a_changed_one(index: Index) -> None:
    """Another time stamp with the same content does not stand in the way."""
    index.sync()
    os.utime(index.root.path / "shop" / "till.py", (1, 1))
    assert _draw(index)["canvas"]["published"]


def test_an_older_snapshot_never_becomes_the_latest(index: Index) -> None:
    """`--snapshot` draws the picture of its digest and leaves the pointer where it is."""
    old = _draw(index)["snapshot_id"]
    (index.root.path / "shop" / "till.py").unlink()
    new = _draw(index)
    again = _draw(index, snapshot_id=old)
    assert not again["canvas"]["published"]
    assert "another snapshot" in again["canvas"]["reason"]
    assert _meta(index.store())["graph"]["digest"] == new["digest"]


def test_nobody_writes_without_the_guard(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another process is inside the guard nothing is written, and the answer still comes and says so."""
    index.sync()
    monkeypatch.setattr(keep, "_WAIT_MS", 50)
    store = index.store()
    inside, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with hold_guard(guard_path(store), store.permissions):
            inside.set()
            leave.wait(PATIENCE_S)

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait(PATIENCE_S)
    try:
        found = _draw_unsynced(index)
    finally:
        leave.set()
        holder.join()
    assert not found["canvas"]["published"]
    assert not list(store.canvas.glob("*"))
    assert found["architecture"]["parts"]["files"] == 3


def _draw_unsynced(index: Index) -> dict[str, Any]:
    question = Question("architecture", picture="kept")
    return asked(index, "relations", question, reading=Reading(sync=False))


def _page(index: Index, snapshot_id: str | None = None) -> dict[str, Any]:
    reading = Reading(snapshot_id=snapshot_id)
    return exploring.explore(index, reading, SyncOptions(workers=1), kept=True).answer.to_dict()


def test_a_page_of_an_older_snapshot_never_becomes_the_latest(index: Index) -> None:
    """It is kept under its digest, and the answer says why it is not the latest."""
    old = _page(index)
    (index.root.path / "shop/new.py").write_text("X = 1\n")
    latest = Path(_page(index)["canvas"]["latest"]).read_bytes()
    again = _page(index, old["snapshot_id"])["canvas"]
    assert (again["published"], again["reason"]) == (False, "another snapshot is active")
    assert Path(again["path"]).name == f"explorer.{old['digest']}.html"
    assert (index.store().canvas / keep.LATEST_PAGE).read_bytes() == latest != Path(again["path"]).read_bytes()


def test_no_page_is_written_without_the_guard(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever cannot have it gets his answer, and nothing is written."""
    monkeypatch.setattr(keep, "_WAIT_MS", 50)
    index.sync()
    store = index.store()
    with hold_guard(guard_path(store), store.permissions, wait_ms=1_000):
        told = _page(index)
    assert (told["canvas"]["path"], told["canvas"]["published"]) == ("", False)
    assert any("not published" in said for said in told["warnings"])
    assert not list(store.canvas.glob("explorer*"))


def test_collection_removes_pictures_of_snapshots_that_are_gone(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`gc` names and deletes them; those of retained snapshots and what else lies there stay."""
    old = _draw(index)
    (index.root.path / "shop" / "till.py").unlink()
    new = _draw(index)
    question = Question("impact", symbol="check", picture="kept")
    asked(index, "relations", question, reading=Reading(snapshot_id=old["snapshot_id"]))
    store = index.store()
    own = store.canvas / "mine.png"
    own.write_bytes(b"mine")
    later = clock.now() + limits.RETAIN_SNAPSHOTS_MIN_AGE_S + 10
    monkeypatch.setattr(clock, "now", lambda: later)
    report = gc_now(store, dry_run=False, keep=1)
    assert len(report.pictures) == 2
    assert all(old["digest"] in name for name in report.pictures)
    left = sorted(path.name for path in store.canvas.rglob("*.png"))
    assert left == sorted(["architecture.png", f"architecture.{new['digest']}.png", "mine.png"])


def test_health_names_damaged_pictures(index: Index) -> None:
    """A flipped byte, a cut file and a pointer that is another picture are found; they do not make a store corrupt."""
    drawn = _draw(index)["canvas"]
    assert health(index.root, index.config, index.store()).check("pictures").status == "ok"
    path = Path(drawn["path"])
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    report = health(index.root, index.config, index.store())
    assert report.status == "degraded"
    assert report.check("pictures").details == {"damaged": [path.name]}
    (index.store().canvas / "graph_meta.json").write_text("{")
    found = health(index.root, index.config, index.store()).check("pictures").details["damaged"]
    assert found == [path.name, "graph_meta.json"]
