"""Which paths are eligible, and the reason for each that is not."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

import pytest

from everdex import limits
from everdex.config import IndexConfig
from everdex.discover import discover, explain
from everdex.discover.model import Candidate, Discovery, Skip, SkipReason
from everdex.errors import ConfigError, LimitExceeded, UsageError
from everdex.roots import Root, git_environment


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
    subprocess.run(
        ["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True, env=git_environment()
    )


@pytest.fixture(params=["git", "walk"])
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Root:
    """A root listed by git, and the same one walked: every promise holds for both."""
    path = tmp_path / "tree"
    path.mkdir()
    if request.param == "git":
        git(path, "init", "-q")
    return Root(path, request.param == "git")


def write(root: Root, name: str, data: bytes = b"x = 1\n") -> Path:
    path = root.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def keys(discovery: Discovery) -> list[str]:
    return [candidate.path_key for candidate in discovery.files]


def reasons(discovery: Discovery) -> dict[str, SkipReason]:
    return {skip.path_key: skip.reason for skip in discovery.skipped}


def test_supported_files_are_candidates_with_their_stat(root: Root) -> None:
    """A candidate carries the four values by which it is later taken as unchanged."""
    path = write(root, "src/a.py")
    found = discover(root, IndexConfig())
    seen = path.stat()
    assert keys(found) == ["src/a.py"]
    assert found.source == ("git" if root.is_git else "walk")
    about = found.files[0].stat
    assert (about.size, about.mtime_ns, about.ctime_ns, about.inode) == (
        seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino,
    )  # fmt: skip


def test_unsupported_type_unless_included(root: Root) -> None:
    """`include` admits a file type, and nothing else."""
    write(root, "data.xyz")
    write(root, "secret.xyz")
    write(root, "big.xyz", b"x" * 200)
    write(root, ".gitignore", b"secret.xyz\n")
    assert reasons(discover(root, IndexConfig()))["data.xyz"] is SkipReason.UNSUPPORTED_TYPE
    found = discover(root, IndexConfig(include=("*.xyz",), max_file_size_bytes=100), with_ignored=True)
    assert "data.xyz" in keys(found)
    assert reasons(found)["secret.xyz"] is SkipReason.IGNORED
    assert reasons(found)["big.xyz"] is SkipReason.TOO_LARGE


def test_too_large(root: Root) -> None:
    """A file over the limit is out; one at the limit is in."""
    write(root, "at.py", b"x" * 100)
    write(root, "over.py", b"x" * 101)
    found = discover(root, IndexConfig(max_file_size_bytes=100))
    assert keys(found) == ["at.py"]
    assert reasons(found)["over.py"] is SkipReason.TOO_LARGE


def test_everdexignore_and_exclude_win_over_everything(root: Root) -> None:
    """Tracked or included, a path that everdex's own rules name is out, with the rule."""
    for name in ("gone/a.py", "gone/b/c.py", "also.py", "stay.py"):
        write(root, name)
    write(root, ".everdexignore", b"# mine\ngone/\n!gone/a.py\n")
    if root.is_git:
        git(root.path, "add", "-A")
    config = IndexConfig(exclude=("also.*",), include=("gone/*",))
    found = discover(root, config, with_ignored=True)
    assert [key for key in keys(found) if key.endswith(".py")] == ["stay.py"]
    details = {skip.path_key: skip.detail for skip in found.skipped if skip.reason is SkipReason.IGNORED}
    assert details == {
        "gone/": ".everdexignore:2: gone/",
        "also.py": ".everdex.toml [index] exclude:1: also.*",
    }


def test_everdexignore_counts_only_at_the_root(root: Root) -> None:
    """A nested `.everdexignore` is just a file."""
    write(root, "sub/.everdexignore", b"*\n")
    write(root, "sub/a.py")
    assert "sub/a.py" in keys(discover(root, IndexConfig()))


def test_ignored_paths_appear_only_when_asked(root: Root) -> None:
    """Ignored directories appear once, with the file and line that hides them."""
    write(root, ".gitignore", b"\nbuild/\n")
    write(root, "build/a.py")
    write(root, "build/b.py")
    assert SkipReason.IGNORED not in reasons(discover(root, IndexConfig())).values()
    hidden = discover(root, IndexConfig(), with_ignored=True).skipped
    assert Skip("build/", SkipReason.IGNORED, ".gitignore:2: build/") in hidden
    assert not any(skip.path_key.startswith("build/a") for skip in hidden)


def test_fifo_and_socket_are_named_and_never_opened(root: Root) -> None:
    """A FIFO in the tree does not hang discovery."""
    write(root, "a.py")
    os.mkfifo(root.path / "pipe.py")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root.path / "sock.py"))
        found = discover(root, IndexConfig(), with_ignored=True)
    assert keys(found) == ["a.py"]
    assert reasons(found)["pipe.py"] is SkipReason.NOT_REGULAR
    assert reasons(found)["sock.py"] is SkipReason.NOT_REGULAR


# ctypes is imported early: the user that the script becomes may not be able to read the interpreter's library.
UNPRIVILEGED = """
import ctypes, json, os, sys
from pathlib import Path
from everdex.config import IndexConfig
from everdex.discover import discover
from everdex.roots import Root
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
found = discover(Root(Path(sys.argv[1]), False), IndexConfig(), with_ignored=True)
print(json.dumps([[f.path_key for f in found.files], {s.path_key: s.reason for s in found.skipped}]))
"""


def test_unreadable_is_named() -> None:
    """What this user may not read is out with the reason; the walk goes on."""
    # pytest's own directories are closed to the user that the script becomes.
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        root = Root(Path(directory), False)
        write(root, "open.py")
        write(root, "closed.py").chmod(0)
        write(root, "locked/in.py")
        (root.path / "locked").chmod(0)
        answer = subprocess.run(
            [sys.executable, "-c", UNPRIVILEGED, directory], capture_output=True, text=True, check=False
        )
        (root.path / "locked").chmod(0o755)
    assert answer.returncode == 0, answer.stderr
    files, skipped = json.loads(answer.stdout)
    assert files == ["open.py"]
    assert skipped == {"closed.py": "unreadable", "locked/": "unreadable"}


def test_names_that_cannot_be_keys(root: Root) -> None:
    """Bad UTF-8, control characters and over-long paths have a reason and a name that can be shown."""
    os.close(os.open(os.fsencode(root.path) + b"/bad\xff.py", os.O_CREAT | os.O_WRONLY))
    for name in ("new\nline.py", "esc\x1b.py", "c1\x85.py", "del\x7f.py"):
        write(root, name)
    deep = "/".join(["d" * 200] * 5)
    write(root, f"{deep}/{'e' * 40}.py")
    found = discover(root, IndexConfig())
    assert keys(found) == []
    shown = reasons(found)
    assert shown["bad\\xff.py"] is SkipReason.PATH_NOT_UTF8
    for name in ("new\\x0aline.py", "esc\\x1b.py", "c1\\x85.py", "del\\x7f.py"):
        assert shown[name] is SkipReason.PATH_CONTROL
    assert SkipReason.PATH_TOO_LONG in shown.values()


def test_odd_but_legal_names_are_eligible(root: Root) -> None:
    """Spaces, quotes, globs and other scripts are ordinary names."""
    names = ["sp ace.py", "quo'te\".py", "st*r?.py", "[x].py", "back\\slash.py", "日本/コード.py", "-dash.py", "é.py"]
    for name in names:
        write(root, name)
    if root.is_git:
        git(root.path, "add", "-A")
    assert keys(discover(root, IndexConfig())) == sorted(names)


def test_keys_are_nfc_and_files_still_open(root: Root) -> None:
    """A decomposed name on disk has a composed key and keeps its own path for opening."""
    decomposed = unicodedata.normalize("NFD", "é.py")
    write(root, decomposed)
    found = discover(root, IndexConfig()).files[0]
    assert (found.path_key, found.disk_path) == ("é.py", decomposed)


def test_nfc_clash_keeps_the_first_and_reports_both(root: Root) -> None:
    """Two names with one key cannot both be stored, and neither is lost silently."""
    for form in ("NFC", "NFD"):
        write(root, unicodedata.normalize(form, "é.py"))
    found = discover(root, IndexConfig())
    assert keys(found) == ["é.py"]
    assert found.files[0].disk_path == unicodedata.normalize("NFD", "é.py")  # "e" sorts before "é" by bytes
    assert [set(collision.paths) for collision in found.collisions] == [
        {unicodedata.normalize("NFC", "é.py"), unicodedata.normalize("NFD", "é.py")}
    ]


def test_casefold_clash_keeps_both(root: Root) -> None:
    """Names equal but for case are reported; only eligible ones count."""
    for name in ("A.py", "a.py", "straße.py", "STRASSE.py", "B.xyz", "b.xyz"):
        write(root, name)
    found = discover(root, IndexConfig())
    assert len(found.files) == 4
    assert [collision.paths for collision in found.collisions] == [("A.py", "a.py"), ("STRASSE.py", "straße.py")]


def test_store_and_git_directory_are_reserved(root: Root) -> None:
    """everdex never indexes its own store, wherever it is kept."""
    write(root, "home/data/x.py")
    write(root, "a.py")
    found = discover(root, IndexConfig(), everdex_home=root.path / "home", with_ignored=True)
    assert keys(found) == ["a.py"]
    assert reasons(found)["home/"] is SkipReason.RESERVED
    if root.is_git:
        assert reasons(found)[".git/"] is SkipReason.RESERVED


def test_nested_repository_is_skipped_whole(root: Root) -> None:
    """A repository inside the root belongs to itself."""
    write(root, "inner/b.py")
    git(root.path, "init", "-q", "inner")
    found = discover(root, IndexConfig())
    assert keys(found) == []
    assert reasons(found)["inner/"] is SkipReason.NESTED_REPOSITORY


def test_fingerprint_follows_ignore_files_only(root: Root) -> None:
    """Source edits leave it alone; a changed, added or moved rule does not."""
    write(root, "a.py")
    write(root, "sub/b.py")
    seen = [discover(root, IndexConfig()).ignore_fingerprint]
    write(root, "a.py", b"y = 2\n")
    assert discover(root, IndexConfig()).ignore_fingerprint == seen[0]
    for name, text in (
        (".gitignore", b"z\n"),
        ("sub/.gitignore", b"z\n"),
        (".everdexignore", b"z\n"),
        (".gitignore", b"y\n"),
    ):
        write(root, name, text)
        seen.append(discover(root, IndexConfig()).ignore_fingerprint)
    assert len(set(seen)) == 5


def test_self_ignored_rules_are_part_of_the_fingerprint(root: Root) -> None:
    """A `.gitignore` that hides itself still decides, so it still counts."""
    write(root, "a.py")
    write(root, ".gitignore", b".gitignore\nb.py\n")
    before = discover(root, IndexConfig()).ignore_fingerprint
    write(root, ".gitignore", b".gitignore\nc.py\n")
    assert discover(root, IndexConfig()).ignore_fingerprint != before


@pytest.mark.parametrize("name", [".gitignore", ".everdexignore", "sub/.gitignore"])
def test_oversized_ignore_file_is_a_clear_error(root: Root, name: str) -> None:
    """An ignore file over the cap is refused by name."""
    write(root, "sub/a.py")
    write(root, name, b"#" * (limits.MAX_IGNORE_FILE_BYTES + 1))
    with pytest.raises(ConfigError, match=name):
        discover(root, IndexConfig())


def test_too_many_files(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """More eligible files than a store may hold is an error, not a truncated index."""
    for number in range(4):
        write(root, f"{number}.py")
    monkeypatch.setattr(limits, "MAX_FILES", 3)
    with pytest.raises(LimitExceeded, match="3"):
        discover(root, IndexConfig())


def test_explain_tells_why(root: Root) -> None:
    """Any path below the root has an answer: in, or out with the deciding rule."""
    write(root, "src/a.py")
    write(root, "src/.gitignore", b"*.log\ntmp/\n")
    write(root, "src/x.log")
    write(root, "src/tmp/deep/y.py")
    write(root, "pic.xyz")
    config = IndexConfig()
    assert isinstance(explain(root, config, "src/a.py"), Candidate)
    assert isinstance(explain(root, config, root.path / "src" / "a.py"), Candidate)
    assert explain(root, config, "src/x.log") == Skip("src/x.log", SkipReason.IGNORED, "src/.gitignore:1: *.log")
    below = explain(root, config, "src/tmp/deep/y.py")
    assert below == Skip("src/tmp/deep/y.py", SkipReason.IGNORED, "src/.gitignore:2: tmp/")
    assert explain(root, config, "pic.xyz") == Skip("pic.xyz", SkipReason.UNSUPPORTED_TYPE)
    assert explain(root, config, "../elsewhere.py") == Skip("../elsewhere.py", SkipReason.OUT_OF_ROOT)
    for missing in ("nothing.py", "src"):
        with pytest.raises(UsageError, match=missing):
            explain(root, config, missing)
