"""Publishing: everything durable before it is named, and one winner for every number."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from everdex import clock, limits
from everdex.errors import Busy, Corrupt, EverdexError, LeaseLost, PublishConflict
from everdex.snapshot import active, integrity, publish, recover
from everdex.snapshot.lease import hold_lease, lease_path
from everdex.snapshot.recover import begin
from everdex.snapshot.store import Store
from support.processes import Child
from support.stores import bare_store, live_rows, publish_files, synced, workspace

_RACER = """
import contextlib
from pathlib import Path
from everdex.errors import PublishConflict
from everdex.snapshot import active, lease, manifest, publish, recover
from everdex.snapshot.store import open_store_at
from support import stores
from everdex.snapshot.lease import Lease
from everdex import clock
store = open_store_at(Path(ARGS[0]))
# No lease, no guard: only the numbered link is left to arbitrate.
publish.hold_guard = lambda *a, **k: contextlib.nullcontext()
publish.preflight = lambda *a: None
Lease.require = lambda self: None
def newest(lease):
    number, path = active.published(store)[0]
    return recover.Base(manifest.read(path), number + 1)
stores.begin = newest
print("ready", flush=True)
input()
for n in range(int(ARGS[2])):
    while True:
        try:
            stores.publish_files(Lease(store, ARGS[1], 1, clock.new_ulid()), {f"{ARGS[1]}-{n}.py": 1})
            break
        except PublishConflict:
            continue
print("done", flush=True)
"""

_WRITER = """
from pathlib import Path
from everdex.errors import Busy, PublishConflict
from everdex.snapshot.lease import hold_lease
from everdex.snapshot.store import open_store_at
from support.stores import publish_files
import time
store = open_store_at(Path(ARGS[0]))
for n in range(int(ARGS[2])):
    while True:
        try:
            with hold_lease(store) as lease:
                publish_files(lease, {f"{ARGS[1]}-{n}.py": 1})
            break
        except (Busy, PublishConflict):
            time.sleep(0.002)
print("done", flush=True)
"""


def test_eight_uncoordinated_writers_lose_nothing(tmp_path: Path) -> None:
    """Even without lease and guard, link() to the next number lets no publish overwrite another."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        publish_files(lease, {"base.py": 1})
    children = [Child(_RACER, store.path, f"w{number}", 10) for number in range(8)]
    for child in children:
        assert child.line() == "ready"
    for child in children:
        child.go()
    for child in children:
        assert child.line() == "done"
        child.process.communicate()
    newest, path = active.published(store)[0]
    assert newest == 81
    last = publish.manifests.read(path)
    assert set(live_rows(store, last)) == {"base.py", *(f"w{w}-{n}.py" for w in range(8) for n in range(10))}


def test_many_leased_writers_lose_nothing(tmp_path: Path) -> None:
    """Writers in several processes that take turns by lease all end up in the last snapshot."""
    store = bare_store(tmp_path)
    children = [Child(_WRITER, store.path, f"w{number}", 6) for number in range(4)]
    for child in children:
        assert child.line() == "done"
        child.process.communicate()
    manifest = active.pin(store).manifest
    assert set(live_rows(store, manifest)) == {f"w{w}-{n}.py" for w in range(4) for n in range(6)}
    epochs = [publish.manifests.read(path).lease_epoch for _, path in active.published(store)]
    assert epochs == sorted(set(epochs), reverse=True)


def test_everything_is_flushed_before_the_manifest_gets_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IDX.MUST.003: files, directories and manifest are fsynced, in that order, before link and pointer swap."""
    made = synced(tmp_path / "tree", {"a.py": "x = 1\n"})
    made.write({"a.py": "x = 2\n"})
    events: list[str] = []
    real_fsync, real_link, real_replace, real_rename = os.fsync, os.link, os.replace, os.rename

    def name(handle: int) -> str:
        return os.path.relpath(os.readlink(f"/proc/self/fd/{handle}"), made.store.path)

    monkeypatch.setattr(os, "fsync", lambda handle: (events.append(f"fsync {name(handle)}"), real_fsync(handle))[1])
    monkeypatch.setattr(os, "link", lambda a, b, **k: (events.append("link"), real_link(a, b, **k))[1])
    monkeypatch.setattr(os, "rename", lambda a, b: (events.append("rename segment"), real_rename(a, b))[1])
    monkeypatch.setattr(
        os, "replace", lambda a, b: (events.append(f"replace {os.path.basename(b)}"), real_replace(a, b))[1]
    )
    snapshot = made.sync(auto_compact=False).manifest.snapshot_id
    link, pointer = events.index("link"), events.index("replace ACTIVE_SNAPSHOT")
    moved = events.index("rename segment")
    staged = [event for event in events[:moved] if "staging/" in event and "seg_" in event]
    for part in ("rows.db", "vectors.i8", "lexical.bin", "files.jsonl"):
        assert any(event.endswith(part) for event in staged)
    assert any(event.endswith(f"seg_{snapshot}_0") for event in staged)
    ordered = [
        moved,
        events.index("fsync segments"),
        events.index(f"fsync snapshots/{snapshot}/tombstones.jsonl"),
        events.index(f"fsync snapshots/{snapshot}/manifest.json"),
        events.index(f"fsync snapshots/{snapshot}"),
        max(i for i, event in enumerate(events) if event == "fsync snapshots"),
        link,
        events.index("fsync manifests", link),
        pointer,
        events.index("fsync .", pointer),
    ]
    assert ordered == sorted(ordered)


def test_publishing_without_the_lease_is_refused(tmp_path: Path) -> None:
    """IDX.MUST.002: owner and epoch on disk must be the writer's own at the moment of publishing."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        publish_files(lease, {"a.py": 1})
        before = active.read_pointer(store)
        lease_path(store).write_bytes(
            lease_path(store).read_bytes().replace(b'"lease_epoch":1', b'"lease_epoch":2')
        )
        with pytest.raises(LeaseLost):
            publish_files(lease, {"b.py": 1})
    assert active.read_pointer(store) == before
    assert len(list(store.segments.iterdir())) == 1


def test_a_lease_lost_while_the_segment_is_flushed_moves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IDX.MUST.002: the first thing inside the guard is the check, before anything leaves staging."""
    store = bare_store(tmp_path)
    renamed: list[str] = []
    with hold_lease(store) as lease:
        real = publish.seal_tree

        def stolen_meanwhile(*arguments: object) -> None:
            real(*arguments)  # type: ignore[arg-type]
            lease_path(store).unlink()

        monkeypatch.setattr(publish, "seal_tree", stolen_meanwhile)
        monkeypatch.setattr(os, "rename", lambda source, target: renamed.append(os.fspath(target)))
        with pytest.raises(LeaseLost):
            publish_files(lease, {"a.py": 1})
    assert renamed == []


def test_a_lease_lost_during_the_publish_itself_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """IDX.MUST.002: the check is repeated after the manifest is written, just before it becomes visible."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        publish_files(lease, {"a.py": 1})
        before = active.read_pointer(store)
        real = publish.write_new

        def stolen_meanwhile(path: Path, *rest: object) -> None:
            real(path, *rest)  # type: ignore[arg-type]
            if path.name == "manifest.json":
                lease_path(store).unlink()

        monkeypatch.setattr(publish, "write_new", stolen_meanwhile)
        with pytest.raises(LeaseLost):
            publish_files(lease, {"b.py": 1})
    assert active.read_pointer(store) == before
    assert len(list(store.snapshots.iterdir())) == 1


def test_a_writer_frozen_just_before_its_link_cannot_publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A zombie past its last check finds its manifest gone once a new writer has begun."""
    store = bare_store(tmp_path)
    real_link, real_now = os.link, clock.now
    with hold_lease(store) as zombie:
        publish_files(zombie, {"a.py": 1})
        before = active.read_pointer(store)

        def frozen(source: Path, target: Path) -> None:
            monkeypatch.setattr(os, "link", real_link)
            monkeypatch.setattr(clock, "now", lambda: real_now() + limits.LEASE_TTL_MS / 1000 + 1)
            with hold_lease(store) as thief:
                begin(thief)
            real_link(source, target)

        monkeypatch.setattr(os, "link", frozen)
        with pytest.raises((LeaseLost, PublishConflict)):
            publish_files(zombie, {"b.py": 1})
    assert active.read_pointer(store) == before
    assert len(active.published(store)) == 1


@pytest.mark.parametrize("look", [1, 2])
def test_a_link_made_while_orphans_are_removed_is_either_published_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look: int
) -> None:
    """A zombie that links between the clean-up's looks at the numbers never leaves half a snapshot."""
    store = bare_store(tmp_path)
    real_link, real_now, real_known = os.link, clock.now, recover._known
    outcome: list[str] = []
    with hold_lease(store) as zombie:
        publish_files(zombie, {"a.py": 1, "c.py": 1})

        def frozen(source: Path, target: Path) -> None:
            looks = 0

            def known(store: Store) -> set[str] | None:
                nonlocal looks
                looks += 1
                found = real_known(store)
                if looks == look:
                    try:
                        real_link(source, target)
                        outcome.append("linked")
                    except FileNotFoundError:
                        outcome.append("refused")
                return found

            monkeypatch.setattr(os, "link", real_link)
            monkeypatch.setattr(recover, "_known", known)
            monkeypatch.setattr(clock, "now", lambda: real_now() + limits.LEASE_TTL_MS / 1000 + 1)
            with hold_lease(store) as thief:
                begin(thief)
            raise FileNotFoundError(source)

        monkeypatch.setattr(os, "link", frozen)
        with pytest.raises(LeaseLost):
            publish_files(zombie, {"b.py": 1}, delete=["a.py"])
    assert outcome == [{1: "linked", 2: "refused"}[look]]
    with hold_lease(store) as lease:
        base = begin(lease)
    assert base.manifest is not None
    integrity.verify(store, base.manifest, full=True)
    expected = {1: {"b.py", "c.py"}, 2: {"a.py", "c.py"}}[look]
    assert set(live_rows(store, base.manifest)) == expected
    assert active.pin(store).manifest == base.manifest


def test_a_writer_frozen_between_link_and_pointer_does_not_turn_the_pointer_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once another writer has rolled forward and published, the zombie leaves the pointer alone."""
    store = bare_store(tmp_path)
    real_link, real_now = os.link, clock.now
    newest: list[str] = []
    with hold_lease(store) as zombie:
        publish_files(zombie, {"a.py": 1})

        def frozen(source: Path, target: Path) -> None:
            monkeypatch.setattr(os, "link", real_link)
            real_link(source, target)
            monkeypatch.setattr(clock, "now", lambda: real_now() + limits.LEASE_TTL_MS / 1000 + 1)
            with hold_lease(store) as thief:
                newest.append(publish_files(thief, {"c.py": 1}).snapshot_id)

        monkeypatch.setattr(os, "link", frozen)
        with pytest.raises(LeaseLost):
            publish_files(zombie, {"b.py": 1})
    pinned = active.pin(store).manifest
    assert pinned.snapshot_id == newest[0]
    assert set(live_rows(store, pinned)) == {"a.py", "b.py", "c.py"}


def test_two_writers_on_one_base_cannot_both_publish(tmp_path: Path) -> None:
    """The number already taken means the race is lost; nothing of the loser remains."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        manifest = publish_files(lease, {"a.py": 1})

        stale = recover.Base(manifest, 2)
        publish_files(lease, {"b.py": 1})
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("support.stores.begin", lambda lease: stale)
            with pytest.raises(PublishConflict, match="number 2"):
                publish_files(lease, {"c.py": 1})

    assert len(list(store.segments.iterdir())) == len(list(store.snapshots.iterdir())) == 2


_SLOW_SYNC = """
from pathlib import Path
from support.stores import workspace
def wait(phase, done, total):
    if phase == "index" and done == 0:
        print("indexing", flush=True)
        input()
made = workspace(Path(ARGS[0]))
print(made.sync(progress=wait).published, flush=True)
"""


def test_of_two_concurrent_syncs_one_publishes_and_the_other_aborts(tmp_path: Path) -> None:
    """While one process indexes, a second sync of the same tree is refused as busy and changes nothing."""
    made = workspace(tmp_path / "tree", {"a.py": "x = 1\n"})
    with Child(_SLOW_SYNC, made.path) as child:
        assert child.line() == "indexing"
        with pytest.raises(Busy) as caught:
            made.sync()
        assert caught.value.exit_code == 10
        child.go()
        assert child.line() == "True"
    assert made.texts() == {"a.py": "x = 1\n"}
    assert len(active.published(made.store)) == 1
    assert not made.sync().published


def test_a_missing_segment_stops_the_publish(tmp_path: Path) -> None:
    """The integrity gate: a snapshot that refers to something missing is never published."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        first = publish_files(lease, {"a.py": 1})
        base = begin(lease)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("support.stores.begin", lambda lease: base)
            real = publish._assemble

            def vanish(*arguments: object) -> object:
                shutil.rmtree(store.path / first.segments[0].path)
                return real(*arguments)  # type: ignore[arg-type]

            patch.setattr(publish, "_assemble", vanish)
            with pytest.raises(Corrupt, match="missing"):
                publish_files(lease, {"b.py": 1})
    assert active.read_pointer(store) == first.snapshot_id


def test_a_file_that_cannot_be_read_stops_a_strict_publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strict: nothing is published and the old snapshot answers; degraded: published and named in the manifest."""
    made = synced(tmp_path / "tree", {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    made.write({"a.py": "x = 2\n", "b.py": "y = 2\n"})
    from everdex.changes.model import UnstableRead
    from everdex.sync import work

    real = work.read_stable

    def unstable(root: object, candidate: object, **rest: object) -> object:
        if candidate.path_key == "a.py":  # type: ignore[attr-defined]
            raise UnstableRead("a.py", "it kept changing while it was read")
        return real(root, candidate, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(work, "read_stable", unstable)
    with pytest.raises(EverdexError) as caught:
        made.sync()
    assert caught.value.exit_code == 15
    assert made.texts() == {"a.py": "x = 1\n", "b.py": "y = 1\n"}
    report = made.sync(allow_degraded=True)
    assert report.manifest.degraded
    assert [(e.code, e.path_key) for e in report.manifest.errors] == [("stable_read_failed", "a.py")]
    assert made.texts() == {"b.py": "y = 2\n"}
    monkeypatch.setattr(work, "read_stable", real)
    assert not made.sync().manifest.degraded
    assert made.texts() == {"a.py": "x = 2\n", "b.py": "y = 2\n"}


def test_the_first_sync_of_an_empty_tree_publishes_an_empty_snapshot(tmp_path: Path) -> None:
    """Nothing to index is a valid answer, not an error."""
    made = workspace(tmp_path / "tree")
    assert made.sync().published
    assert made.texts() == {}
    assert not made.sync().published
