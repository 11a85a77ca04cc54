"""Symlinks are eligible when they lead to an eligible file inside the root, and to nothing else."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from everdex import limits
from everdex.config import IndexConfig
from everdex.discover import discover, read_beneath
from everdex.discover.model import SkipReason
from everdex.roots import Root, git_environment


@pytest.fixture(params=["git", "walk"])
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Root:
    path = tmp_path / "tree"
    (path / "src").mkdir(parents=True)
    (path / "src" / "a.py").write_text("x = 1\n")
    (tmp_path / "secret.py").write_text("secret\n")
    if request.param == "git":
        subprocess.run(["git", "-C", str(path), "init", "-q"], check=True, env=git_environment())
    return Root(path, request.param == "git")


def reason(root: Root, name: str) -> SkipReason:
    found = discover(root, IndexConfig())
    return next(skip.reason for skip in found.skipped if skip.path_key == name)


@pytest.mark.parametrize("target", ["src/a.py", "./src/../src/a.py", "hop.py", "dirlink/a.py", "ABSOLUTE"])
def test_link_to_a_candidate_is_eligible_under_its_own_key(root: Root, target: str) -> None:
    """However the link is written, the candidate opens the real file."""
    (root.path / "hop.py").symlink_to("src/a.py")
    (root.path / "dirlink").symlink_to("src")
    (root.path / "link.py").symlink_to(str(root.path / "src/a.py") if target == "ABSOLUTE" else target)
    found = {candidate.path_key: candidate for candidate in discover(root, IndexConfig()).files}
    assert found["link.py"].disk_path == "src/a.py"
    assert found["link.py"].stat == found["src/a.py"].stat


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("../secret.py", SkipReason.OUT_OF_ROOT),
        ("OUTSIDE", SkipReason.OUT_OF_ROOT),
        ("/nonexistent/x.py", SkipReason.OUT_OF_ROOT),
        ("up/secret.py", SkipReason.OUT_OF_ROOT),
        ("nothing.py", SkipReason.SYMLINK_BROKEN),
        ("src/a.py/..", SkipReason.SYMLINK_BROKEN),
        ("link.py", SkipReason.SYMLINK_LOOP),
        ("loop.py", SkipReason.SYMLINK_LOOP),
        ("src", SkipReason.SYMLINK_DIRECTORY),
        (".", SkipReason.SYMLINK_DIRECTORY),
        ("data.xyz", SkipReason.SYMLINK_TO_INELIGIBLE),
        ("ignored.py", SkipReason.SYMLINK_TO_INELIGIBLE),
    ],
)
def test_other_links_are_skipped_with_their_reason(root: Root, target: str, expected: SkipReason) -> None:
    """Escapes, loops, broken links, directories and ineligible targets each have a name."""
    (root.path / "up").symlink_to("..")
    (root.path / "loop.py").symlink_to("link.py")
    (root.path / "data.xyz").write_text("x\n")
    (root.path / "ignored.py").write_text("x\n")
    (root.path / ".gitignore").write_text("ignored.py\n")
    outside = str(root.path.parent / "secret.py")
    (root.path / "link.py").symlink_to(outside if target == "OUTSIDE" else target)
    assert reason(root, "link.py") is expected


def test_chain_is_followed_up_to_the_limit(root: Root) -> None:
    """The longest allowed chain is in, one hop more is out."""
    previous = "src/a.py"
    for number in range(limits.MAX_SYMLINK_HOPS + 1):
        name = f"l{number:02}.py"
        (root.path / name).symlink_to(previous)
        previous = name
    found = [candidate.path_key for candidate in discover(root, IndexConfig()).files]
    assert f"l{limits.MAX_SYMLINK_HOPS - 1:02}.py" in found
    assert reason(root, f"l{limits.MAX_SYMLINK_HOPS:02}.py") is SkipReason.SYMLINK_LOOP


def test_content_below_a_directory_link_is_listed_once(root: Root) -> None:
    """A directory link is never entered: its content has its real place."""
    (root.path / "again").symlink_to("src")
    (root.path / "src" / "cycle").symlink_to("..")
    assert [candidate.path_key for candidate in discover(root, IndexConfig()).files] == ["src/a.py"]


ESCAPES = ("../secret.py", "link.py", "dir/secret.py", "inside.py", "src/../../secret.py")


def _refusals(path: Path) -> list[int | None]:
    answers: list[int | None] = []
    for name in ESCAPES:
        try:
            os.close(read_beneath(path, name))
            answers.append(None)
        except OSError as error:
            answers.append(error.errno)
    return answers


@pytest.fixture
def escapes(tmp_path: Path) -> Path:
    path = tmp_path / "tree"
    (path / "src").mkdir(parents=True)
    (path / "src" / "a.py").write_text("x = 1\n")
    (tmp_path / "secret.py").write_text("secret\n")
    (path / "link.py").symlink_to(tmp_path / "secret.py")
    (path / "dir").symlink_to("..")
    (path / "inside.py").symlink_to("src/a.py")
    return path


def test_kernel_refuses_every_escape(escapes: Path) -> None:
    """Opening beneath the root follows no link and no `..` out of it."""
    assert all(number in (errno.EXDEV, errno.ELOOP) for number in _refusals(escapes))
    os.close(read_beneath(escapes, "src/a.py"))
    with pytest.raises(FileNotFoundError):
        read_beneath(escapes, "src/none.py")


@pytest.mark.skipif(sys.byteorder != "little", reason="the filter below is written for little-endian machines")
@pytest.mark.parametrize("answer", [errno.ENOSYS, errno.EPERM])
def test_without_openat2_the_same_is_refused(escapes: Path, answer: int) -> None:
    """Where a sandbox forbids openat2, opening and then verifying gives the same protection."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _forbid(437, answer)
            from everdex.discover import beneath

            beneath.openat2_works.cache_clear()
            assert not beneath.openat2_works()
            os.close(read_beneath(escapes, "src/a.py"))
            refusals = _refusals(escapes)
            assert all(number in (errno.EXDEV, errno.ELOOP) for number in refusals), refusals
            code = 0
        except BaseException as error:  # noqa: BLE001  the child must report, whatever happens, and never return
            os.write(writing, repr(error).encode())
        os._exit(code)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    said = os.read(reading, 4096)
    os.close(reading)
    assert (status, said) == (0, b"")


def _forbid(number: int, answer: int) -> None:
    """A seccomp filter for this process: system call `number` fails with `answer`."""
    instructions = (
        (0x20, 0, 0, 0),  # load the number
        (0x15, 0, 1, number),  # equal?
        (0x06, 0, 0, 0x00050000 | answer),  # fail
        (0x06, 0, 0, 0x7FFF0000),  # allow
    )
    program = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *line) for line in instructions))
    header = struct.pack("<HxxxxxxQ", len(instructions), ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, ctypes.c_char_p(header), 0, 0) == 0, os.strerror(ctypes.get_errno())
