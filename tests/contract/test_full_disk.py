"""Collection on a disk where nothing can be written: deleting is how somebody gets room again."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from everdex import clock, limits
from everdex.errors import StorageFailure
from everdex.snapshot import active, integrity
from everdex.snapshot import manifest as manifests
from everdex.snapshot.lease import holder, read_lease
from everdex.upkeep.housekeeping import gc_now
from everdex.view import open_view
from support.commands import everdex
from support.disks import filled
from support.stores import Workspace, synced

_MOUNTS = {
    "blocks": ["-t", "tmpfs", "-o", "size=2m", "tmpfs"],
    "inodes": ["-o", "loop"],
}


@pytest.fixture
def disk(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small disk that holds every store; of blocks, or of files, it has few."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", *_MOUNTS[request.param]]
    if request.param == "inodes":
        image = tmp_path / "image"
        with open(image, "wb") as stream:
            stream.truncate(8 << 20)
        if subprocess.run(["mkfs.ext4", "-q", "-N", "160", image], capture_output=True, check=False).returncode:
            pytest.skip("no mkfs.ext4 here")
        mount.append(os.fspath(image))
    if subprocess.run([*mount, place], capture_output=True, check=False).returncode:
        pytest.skip("mounting needs privileges")
    monkeypatch.setenv("EVERDEX_HOME", os.fspath(place / "home"))
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def _edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshots: int) -> Workspace:
    """A workspace whose older snapshots may go by now."""
    made = synced(tmp_path / "tree", {"a.py": "first = 0\n"})
    for number in range(1, snapshots):
        made.write({"a.py": f"first = {number}\n" * 50})
        made.sync()
    with open_view(made.store):
        pass
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + limits.RETAIN_SNAPSHOTS_MIN_AGE_S + 700)
    return made


def _fill(disk: Path) -> None:
    """Until neither a byte nor a file finds room, whichever is short."""
    (disk / "filling").touch()
    if os.statvfs(disk).f_ffree < 1_000:
        with suppress(OSError):  # before the bytes: a directory grows with its names
            for number in count():
                (disk / f"filling{number}").touch()
        assert not os.statvfs(disk).f_ffree
    filled(disk / "filling")


@pytest.mark.parametrize("disk", sorted(_MOUNTS), indirect=True)
def test_a_full_disk_is_collected(disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no room for a byte or a file, snapshots past retention go, the rest is whole, and nobody holds the lease."""
    made = _edited(tmp_path, monkeypatch, 9)
    _fill(disk)
    epoch = read_lease(made.store).lease_epoch
    report = gc_now(made.store, dry_run=False)
    assert len(report.snapshots) == len(report.segments) == 4
    assert report.bytes_freed > 0
    assert len(active.published(made.store)) == len(list(made.store.snapshots.iterdir())) == 5
    integrity.verify(made.store, active.pin(made.store).manifest, full=True)
    assert made.texts()["a.py"] == "first = 8\n" * 50
    released = read_lease(made.store)
    assert released.released
    assert released.lease_epoch == epoch + 1
    assert holder(made.store) is None
    assert sorted(path.name for path in made.store.locks.iterdir()) == [
        "lease_guard.lock", "readers.lock", "writer_lease.json",
    ]  # fmt: skip


@pytest.mark.parametrize("disk", ["blocks"], indirect=True)
def test_a_pointer_that_a_full_disk_left_behind(disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Published with no room for the pointer: collection deletes first and then moves it to the newest snapshot."""
    made = _edited(tmp_path, monkeypatch, 9)
    numbers = active.published(made.store)
    newest = active.pin(made.store).manifest.snapshot_id
    made.store.active_path.write_text(f"{manifests.read(numbers[1][1]).snapshot_id}\n")
    _fill(disk)
    report = gc_now(made.store, dry_run=False)
    assert len(report.snapshots) == 4
    assert active.read_pointer(made.store) == newest
    assert made.texts()["a.py"] == "first = 8\n" * 50


@pytest.mark.parametrize("disk", ["blocks"], indirect=True)
def test_what_a_killed_sync_left_goes_from_a_full_disk(
    disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A staging directory that filled the disk is removed, although nothing else may go."""
    made = _edited(tmp_path, monkeypatch, 2)
    left = made.store.staging / clock.new_ulid()
    left.mkdir()
    filled(left / "rows.db")
    gc_now(made.store, dry_run=False)
    assert list(made.store.staging.iterdir()) == []
    made.write({"a.py": "second = 1\n"})
    made.sync()
    assert made.texts()["a.py"] == "second = 1\n"


@pytest.mark.parametrize("disk", ["blocks"], indirect=True)
def test_a_full_disk_answers(disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever needs nothing new in the store is answered; what could not be kept, or not be begun, is named."""
    made = synced(
        tmp_path / "tree",
        {"a.py": "def load():\n    return 1\n", "b.py": "import a\n\na.load()\n", "pyproject.toml": "[project]\n"},
    )
    assert everdex("refresh", cwd=made.path).code == 0
    told = {}
    for command in ("callers load", "refs load", "impact load", "map", "symbols load", "search load", "contexts"):
        told[command] = everdex(*command.split(), cwd=made.path)
    shutil.rmtree(made.store.graphs)
    _fill(disk)
    for command, expected in told.items():
        done = everdex(*command.split(), cwd=made.path)
        assert (done.code, done.out) == (expected.code, expected.out) == (0, done.out), command
        assert ("could not be kept" in done.err) == (command.split()[0] in ("callers", "refs", "impact", "map"))
    assert "job 1: succeeded" in everdex("jobs", cwd=made.path).out
    refused = everdex("serve", "--detach", cwd=made.path)
    assert (refused.code, "daemon.lock: No space left on device" in refused.err) == (70, True)


def test_a_lease_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a full disk has the lease written over: any other refusal is an error, and the old lease stays."""
    made = synced(tmp_path / "tree", {"a.py": "first = 0\n"})
    before = read_lease(made.store)

    def refused(*_arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "fsync", refused)
    with pytest.raises(StorageFailure, match="Permission denied"):
        gc_now(made.store, dry_run=False)
    assert read_lease(made.store) == before
