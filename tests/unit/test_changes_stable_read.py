"""A file is read whole, unchanged meanwhile and from below the root, or not at all."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from everdex import clock
from everdex.changes import content_skip, read_stable
from everdex.changes.model import ReadFailed, UnstableRead
from everdex.config import IndexConfig
from everdex.discover import discover
from everdex.discover.model import Candidate, FileStat, SkipReason
from everdex.roots import Root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    path = tmp_path / "tree"
    (path / "src").mkdir(parents=True)
    (path / "src" / "a.py").write_bytes(b"x = 1\n")
    (tmp_path / "secret.py").write_bytes(b"secret\n")
    return Root(path, False)


def candidate(root: Root) -> Candidate:
    return next(found for found in discover(root, IndexConfig()).files if found.path_key == "src/a.py")


def test_reads_bytes_hash_and_stat(root: Root) -> None:
    """The hash is SHA-256 of the bytes, the stat the one that belongs to them."""
    found = candidate(root)
    source = read_stable(root, found)
    assert source is not None
    assert (source.data, source.path_key, source.stat) == (b"x = 1\n", "src/a.py", found.stat)
    assert source.content_hash == hashlib.sha256(b"x = 1\n").hexdigest()
    assert source.observed_ns > found.stat.mtime_ns - 1_000_000_000


def test_empty_file_is_a_file(root: Root) -> None:
    """Zero bytes are content."""
    (root.path / "src/a.py").write_bytes(b"")
    source = read_stable(root, candidate(root))
    assert source is not None
    assert source.data == b""


def test_vanished_is_none(root: Root) -> None:
    """A file or its directory gone since discovery is no error."""
    found = candidate(root)
    (root.path / "src/a.py").unlink()
    assert read_stable(root, found) is None
    (root.path / "src").rmdir()
    assert read_stable(root, found) is None


def test_file_that_never_agrees_with_its_stat_is_refused() -> None:
    """A file whose length is never what its stat says, as if always being written, is not half-read."""
    process = Root(Path(f"/proc/{os.getpid()}"), False)  # its files claim no bytes and give many
    with pytest.raises(UnstableRead) as caught:
        read_stable(process, Candidate("status", "status", FileStat(0, 0, 0, 0)))
    assert (caught.value.code, caught.value.path_key) == ("stable_read_failed", "status")


def test_file_that_settles_is_read(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unstable look is followed by another, which counts."""
    found = candidate(root)
    path = root.path / "src/a.py"
    path.write_bytes(b"x" * 101)
    looks: list[float] = []

    def now() -> float:
        looks.append(0.0)
        if len(looks) == 2:
            path.write_bytes(b"settled\n")
        return 1.0

    monkeypatch.setattr(clock, "now", now)
    source = read_stable(root, found, max_bytes=100)
    assert source is not None
    assert (source.data, len(looks)) == (b"settled\n", 2)


def test_file_rewritten_while_it_is_read_is_read_again(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of one version and half of the next has the right length: the stat afterwards tells."""
    path = root.path / "src/a.py"
    found = candidate(root)
    path.write_bytes(b"a" * 2_000)
    real, parts = os.read, iter((1_000, 2_000))

    def read(descriptor: int, size: int) -> bytes:
        data = real(descriptor, next(parts, size))
        if len(data) == 1_000 and set(data) == {ord("a")}:
            os.utime(path, ns=(1, 1))  # a tick of the clock may be longer than this test
            with path.open("r+b") as file:
                file.write(b"b" * 2_000)
        return data

    monkeypatch.setattr(os, "read", read)
    source = read_stable(root, found)
    assert source is not None
    assert source.data == b"b" * 2_000


def test_file_grown_past_the_limit_is_refused(root: Root) -> None:
    """The read is capped, however large the file became."""
    found = candidate(root)
    (root.path / "src/a.py").write_bytes(b"x" * 101)
    with pytest.raises(UnstableRead):
        read_stable(root, found, max_bytes=100)
    (root.path / "src/a.py").write_bytes(b"x" * 100)
    assert read_stable(root, found, max_bytes=100) is not None


@pytest.mark.parametrize("swap", ["absolute", "relative", "directory", "directory inside"])
def test_swap_for_a_symlink_between_discovery_and_read_is_refused(root: Root, swap: str) -> None:
    """Nothing outside the root, nor anything through a link, is read in a candidate's name."""
    found = candidate(root)
    outside = root.path.parent / "a.py"
    outside.write_bytes(b"secret\n")
    if swap.startswith("directory"):
        (root.path / "src").rename(root.path / "moved")
        (root.path / "src").symlink_to("moved" if "inside" in swap else "..")
    else:
        (root.path / "src/a.py").unlink()
        (root.path / "src/a.py").symlink_to(outside if swap == "absolute" else "../../a.py")
    with pytest.raises(ReadFailed) as caught:
        read_stable(root, found)
    assert (caught.value.code, caught.value.path_key) == ("read_failed", "src/a.py")


def test_swap_for_a_fifo_does_not_hang(root: Root) -> None:
    """A FIFO put in a file's place is refused at once."""
    found = candidate(root)
    (root.path / "src/a.py").unlink()
    os.mkfifo(root.path / "src/a.py")
    with pytest.raises(ReadFailed):
        read_stable(root, found)


def test_eligible_symlink_reads_its_target(root: Root) -> None:
    """A link's candidate opens the real file and keeps the link's key."""
    (root.path / "link.py").symlink_to("src/a.py")
    found = next(item for item in discover(root, IndexConfig()).files if item.path_key == "link.py")
    source = read_stable(root, found)
    assert source is not None
    assert (source.path_key, source.data) == ("link.py", b"x = 1\n")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", None),
        (b"plain", None),
        ("é 日本".encode(), None),
        (b"\xef\xbb\xbfwith mark", None),
        (b"a\0b", SkipReason.BINARY),
        (b"\xff\xfea\0", SkipReason.BINARY),
        (b"caf\xe9", SkipReason.ENCODING),
        (b"\xed\xa0\x80", SkipReason.ENCODING),
    ],
)
def test_text_or_not(data: bytes, expected: SkipReason | None) -> None:
    """A NUL byte means binary, anything else that is not UTF-8 an unknown encoding."""
    assert content_skip(data) is expected
