"""The one way bytes get to disk, and the modes they get there with."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from everdex.durable import PRIVATE, file_of_the_user, hash_tree, open_lasting, replace_atomically
from everdex.errors import Incompatible, StorageFailure, UsageError
from everdex.snapshot import log, store
from everdex.snapshot.store import create_store, open_store_at
from support.stores import synced, workspace


def _modes(directory: Path) -> tuple[set[int], set[int]]:
    directories, files = {stat.S_IMODE(directory.stat().st_mode)}, set()
    for path in directory.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        (directories if path.is_dir() else files).add(mode)
    return directories, files


def test_replacing_a_file_leaves_only_the_new_bytes(tmp_path: Path) -> None:
    """After an atomic replace there is one file with the new content and no temporary beside it."""
    target = tmp_path / "pointer"
    replace_atomically(target, b"old", PRIVATE)
    replace_atomically(target, b"new", PRIVATE)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("pointer", b"new")]


def test_a_lock_or_log_is_never_somewhere_else(tmp_path: Path) -> None:
    """What is written in place is not written through a link that somebody put there."""
    (tmp_path / "elsewhere").touch()
    (tmp_path / "lock").symlink_to("elsewhere")
    with pytest.raises(StorageFailure):
        open_lasting(tmp_path / "lock", os.O_RDWR, PRIVATE)


def test_the_hash_of_a_directory_is_also_of_its_names(tmp_path: Path) -> None:
    """The same bytes under another name are another directory."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.db").write_bytes(b"rows")
    assert hash_tree(tmp_path / "one") != hash_tree(tmp_path / "two")


def test_threads_may_replace_the_same_file_at_once(tmp_path: Path) -> None:
    """Two threads of one process that replace one file never disturb each other's temporary."""
    target = tmp_path / "verified.json"
    failures: list[BaseException] = []

    def work(content: bytes) -> None:
        try:
            for _ in range(200):
                replace_atomically(target, content, PRIVATE)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(bytes([65 + n]) * 5_000,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(set(target.read_bytes())) == 1
    assert len(list(tmp_path.iterdir())) == 1


def test_a_refused_write_names_the_path(tmp_path: Path) -> None:
    """What the operating system refuses comes out as StorageFailure with the path in it, and leaves nothing."""
    (tmp_path / "taken").mkdir()
    with pytest.raises(StorageFailure, match="taken"):
        replace_atomically(tmp_path / "taken", b"x", PRIVATE)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


@pytest.mark.parametrize("umask", [0o022, 0o000, 0o077])
def test_a_private_store_is_closed_to_others(tmp_path: Path, umask: int) -> None:
    """Directories are 0700 and files 0600 whatever the umask."""
    before = os.umask(umask)
    try:
        made = synced(tmp_path / "tree", {"a.py": "x = 1\n"})
        made.texts()
        made.store.touch_last_used()
    finally:
        os.umask(before)
    assert _modes(made.store.path) == ({0o700}, {0o600})


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_shared_store_is_open_to_its_group(tmp_path: Path, umask: int) -> None:
    """Directories of a shared store are 02770 and files 0660 whatever the umask."""
    private = workspace(tmp_path / "tree", {"a.py": "x = 1\n"})
    before = os.umask(umask)
    try:
        shared = create_store(
            private.root, private.store.info.config_fingerprint, shared_path=tmp_path / "group" / "store"
        )
        made = type(private)(private.root, private.config, shared)
        made.sync()
        made.write({"a.py": "x = 2\n"})
        made.sync()
        assert made.texts() == {"a.py": "x = 2\n"}
        shared.touch_last_used()
    finally:
        os.umask(before)
    assert _modes(shared.path) == ({0o2770}, {0o660})


def test_a_store_keeps_the_policy_it_was_made_with(tmp_path: Path) -> None:
    """A single-user store cannot be used as a shared one, nor the other way round."""
    made = workspace(tmp_path / "tree", {"a.py": "x = 1\n"})
    fingerprint = made.store.info.config_fingerprint
    with pytest.raises(UsageError, match="single-user"):
        create_store(made.root, fingerprint, shared_path=made.store.path)


def test_a_shared_store_refuses_another_configuration(tmp_path: Path) -> None:
    """Users of one shared store must agree on what is indexed and how."""
    made = workspace(tmp_path / "tree")
    create_store(made.root, made.store.info.config_fingerprint, shared_path=tmp_path / "shared")
    with pytest.raises(Incompatible, match="configuration"):
        create_store(made.root, "f" * 64, shared_path=tmp_path / "shared")


def test_a_shared_store_leaves_untracked_files_out(tmp_path: Path) -> None:
    """One user's scratch files are not published to the others, and the manifest says so."""
    made = workspace(tmp_path / "tree", {"tracked.py": "x = 1\n"}, git=True)
    made.write({"scratch.py": "y = 1\n"})
    store = create_store(made.root, made.store.info.config_fingerprint, shared_path=tmp_path / "shared")
    shared = type(made)(made.root, made.config, store)
    assert shared.sync().manifest.git.untracked_included is False
    assert shared.texts() == {"tracked.py": "x = 1\n"}
    made.sync()
    assert set(made.texts()) == {"tracked.py", "scratch.py"}


def test_a_shared_store_on_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The capability check looks at the file system before anything is written."""
    made = workspace(tmp_path / "tree")
    monkeypatch.setattr(store, "_file_system_magic", lambda path: 0x6969)
    with pytest.raises(UsageError, match="nfs"):
        create_store(made.root, made.store.info.config_fingerprint, shared_path=tmp_path / "shared")


def test_a_shared_store_proves_exclusive_create_at_every_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system whose O_EXCL does not exclude cannot hold a shared store."""
    made = workspace(tmp_path / "tree")
    shared = create_store(made.root, made.store.info.config_fingerprint, shared_path=tmp_path / "shared")
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, flags, *rest, **named: real(path, flags & ~os.O_EXCL, *rest, **named))
    with pytest.raises(StorageFailure, match="exclusive create"):
        open_store_at(shared.path)


def test_the_log_rotates_and_holds_metadata_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sync log is bounded in size and number, and says nothing of paths or contents."""
    made = synced(tmp_path / "tree", {"secret_name.py": "secret_content = 1\n"})
    text = (made.store.logs / "sync.log.jsonl").read_text()
    assert '"event":"publish"' in text
    assert "secret" not in text
    monkeypatch.setattr("everdex.limits.LOG_MAX_BYTES", 500)
    for number in range(100):
        log.append(made.store, "publish", seq=number)
    logs = sorted(path.name for path in made.store.logs.iterdir())
    assert logs == ["sync.log.jsonl", "sync.log.jsonl.1", "sync.log.jsonl.2", "sync.log.jsonl.3"]
    assert all(path.stat().st_size < 700 for path in made.store.logs.iterdir())
    assert '"seq":99' in (made.store.logs / "sync.log.jsonl").read_text()


def test_a_log_that_cannot_be_written_does_not_stop_a_publish(tmp_path: Path) -> None:
    """Logging never changes what publishing does."""
    made = workspace(tmp_path / "tree", {"a.py": "x = 1\n"})
    (made.store.logs / "sync.log.jsonl").mkdir()
    assert made.sync().published
    assert made.texts() == {"a.py": "x = 1\n"}


def test_last_used_is_written_at_most_once_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store in steady use costs no write per query."""
    made = workspace(tmp_path / "tree")
    made.store.touch_last_used()
    marker = made.store.path / "last_used"
    os.utime(marker, (1_000_000, 1_000_000))
    monkeypatch.setattr("everdex.clock.now", lambda: 1_000_000 + 3_599)
    made.store.touch_last_used()
    assert marker.stat().st_mtime == 1_000_000
    monkeypatch.setattr("everdex.clock.now", lambda: 1_000_000 + 3_601)
    made.store.touch_last_used()
    assert marker.stat().st_mtime > 1_000_000 + 3_601


@pytest.mark.parametrize("before", [None, b"as it was"])
def test_a_file_of_the_user_is_whole_or_as_it_was(tmp_path: Path, before: bytes | None) -> None:
    """An interrupt in the middle leaves neither half an export nor a file of ours beside it; modes and links stay."""
    path, link = tmp_path / "graph.scip", tmp_path / "link.scip"
    link.symlink_to(path)
    if before is not None:
        path.write_bytes(before)
        path.chmod(0o640)
    with suppress(KeyboardInterrupt), file_of_the_user(link) as stream:
        stream.write(b"half")
        stream.flush()
        raise KeyboardInterrupt
    assert (path.read_bytes() if path.exists() else None) == before
    with file_of_the_user(link) as stream:
        stream.write(b"all of it")
    assert (path.read_bytes(), link.is_symlink()) == (b"all of it", True)
    assert sorted(os.listdir(tmp_path)) == ["graph.scip", "link.scip"]
    if before is not None:
        assert path.stat().st_mode & 0o777 == 0o640


def test_a_file_of_the_user_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """As with every other file, and with what to do."""
    with pytest.raises(StorageFailure, match="nowhere") as caught, file_of_the_user(tmp_path / "nowhere" / "out.svg"):
        pass
    assert caught.value.hint == "name a file that can be written"


def test_what_is_no_plain_file_is_written_in_place(tmp_path: Path) -> None:
    """`-o /dev/null` and a pipe stay what they are."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with file_of_the_user(pipe) as stream:
        stream.write(b"through")
    assert os.read(reading, 100) == b"through"
    os.close(reading)
    assert os.listdir(tmp_path) == ["pipe"]
