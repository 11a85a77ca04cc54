"""Trees made to break an indexer, through the real command: each a named skip or one clear line, never a traceback."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.commands import COMMAND, Done, clear_error, everdex
from support.trees import run_git, tree

_HEALTHY = "def healthy_widget():\n    return 'fine'\n"
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH, _PR_CAPBSET_DROP = 1, 2, 24


@pytest.fixture(params=[False, True], ids=["walk", "git"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A tree with one healthy file, as a plain directory and as a repository."""
    return tree(tmp_path / "tree", {"healthy.py": _HEALTHY}, git=request.param)


def _skips(root: Path) -> dict[str, str]:
    return {skip["path"]: skip["reason"] for skip in everdex("files", "--skipped", "--json", root).json["skipped"]}


def _still_answers(root: Path) -> None:
    """The healthy file is found, and the whole store passes its own checks."""
    found = everdex("search", "healthy_widget", root, "--json")
    assert found.code == 0, found.err
    assert found.json["results"][0]["path"] == "healthy.py"
    audited = everdex("audit", root, "--json")
    assert audited.code == 0, audited.out


def _links(root: Path) -> dict[str, str]:
    (root / "deep").mkdir()
    for number in range(60):
        (root / f"deep/link{number}.py").symlink_to(f"link{number + 1}.py")
    (root / "deep/link60.py").symlink_to("link0.py")
    (root / "self").symlink_to(".")
    (root / "deep/up").symlink_to("..")
    (root / "absolute.py").symlink_to("/etc/hostname")
    (root / "long.py").symlink_to("x" * 250)
    return {
        "deep/link0.py": "symlink_loop", "deep/link60.py": "symlink_loop", "self": "symlink_directory",
        "deep/up": "symlink_directory", "absolute.py": "out_of_root", "long.py": "symlink_broken",
    }  # fmt: skip


def _special(root: Path) -> dict[str, str]:
    os.mkfifo(root / "pipe.py")
    (root / "pipes").mkdir()
    os.mkfifo(root / "pipes/inner.md")
    with socket.socket(socket.AF_UNIX) as server:
        before = os.getcwd()
        os.chdir(root)  # a socket's path is short
        try:
            server.bind("socket.py")
        finally:
            os.chdir(before)
    return {"pipe.py": "not_regular", "pipes/inner.md": "not_regular", "socket.py": "not_regular"}


def _contents(root: Path) -> dict[str, str]:
    (root / "nul.py").write_bytes(b"a = 1\n\0")
    (root / "latin.py").write_bytes("# caf\xe9\n".encode("latin-1"))
    (root / "half.py").write_bytes("x = '😀'\n".encode()[:-4])
    (root / "surrogate.py").write_bytes(b"x = '\xed\xa0\x80'\n")
    (root / "utf16.py").write_bytes("x = 1\n".encode("utf-16"))
    (root / "huge.py").write_bytes(b"x = 1\n" * 3_400_000)
    with open(root / "sparse.py", "wb") as stream:
        stream.truncate(1 << 40)
    (root / "many.py").write_bytes(b"".join(b"def f%d():\n%s\n" % (n, b"    x = 1\n" * 14) for n in range(2_500)))
    return {
        "nul.py": "binary", "latin.py": "encoding", "half.py": "encoding", "surrogate.py": "encoding",
        "utf16.py": "binary", "huge.py": "too_large", "sparse.py": "too_large", "many.py": "too_many_chunks",
    }  # fmt: skip


def _names(root: Path) -> dict[str, str]:
    for name in (b"bad\xff.py", b"new\nline.py", b"esc\x1b[31m.py", b"tab\t.py", b"dir\xfe/inner.py"):
        path = os.path.join(os.fsencode(root), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as stream:
            stream.write(b"x = 1\n")
    return {
        "bad\\xff.py": "path_not_utf8", "new\\x0aline.py": "path_control_character",
        "esc\\x1b[31m.py": "path_control_character", "tab\\x09.py": "path_control_character",
    }  # fmt: skip


@pytest.mark.parametrize("make", [_links, _special, _contents, _names])
def test_what_cannot_be_indexed_is_a_named_skip(root: Path, make: Callable[[Path], dict[str, str]]) -> None:
    """Loops, FIFOs, sockets, bad bytes, terabytes, odd names: each is out for its reason, and the rest answers."""
    expected = make(root)
    indexed = everdex("index", root, "--json")
    assert indexed.code == 0, indexed.out
    found = _skips(root)
    assert {path: found.get(path) for path in expected} == expected
    _still_answers(root)


_ODD_NAMES = (
    "-k", "--help", "-", "--", "-rf.py", "ACTIVE_SNAPSHOT", "manifest.json", "$(id).py", "%s%n.py", "*.py", "[x].py",
    "~.py", "nul.py", "a b .py", "ｗｉｄｅ.py", ":x.py", "-k.d/in.py", "a\\b.py", "'quote\".py",
)  # fmt: skip


def test_a_name_is_only_a_name(root: Path) -> None:
    """Options, globs, formats, shell words and the store's own names are files like any other."""
    tree(root, dict.fromkeys(_ODD_NAMES, "oddly_named = 'gizmo'\n"))
    (root / ".everdex.toml").write_text('[index]\ninclude = ["-*", "ACTIVE_SNAPSHOT"]\n')
    for word in ("gizmo", "doohickey"):
        found = everdex("search", "--mode", "literal", f"'{word}'", root, "--json", "-k", 100)
        assert sorted(result["path"] for result in found.json["results"]) == sorted(_ODD_NAMES)
        tree(root, dict.fromkeys(_ODD_NAMES, "renamed = 'doohickey'\n"))
    for name in ("-k", "--help", "*.py"):
        assert everdex("explain", "--json", "--", name, cwd=root).json["eligible"] is True
    _still_answers(root)


def test_directories_deeper_than_a_path_can_be(tmp_path: Path) -> None:
    """A tree nested far beyond PATH_MAX is walked as far as names go, and says where it stopped."""
    root = tree(tmp_path / "tree", {"healthy.py": _HEALTHY})
    deepest = 600  # 5,400 characters
    handle = os.open(root, os.O_RDONLY)
    for level in range(deepest):
        os.mkdir("d" * 8, dir_fd=handle)
        inner = os.open("d" * 8, os.O_RDONLY, dir_fd=handle)
        if level in (3, 500, deepest - 1):
            os.close(os.open("file.py", os.O_CREAT | os.O_WRONLY, dir_fd=inner))
        os.close(handle)
        handle = inner
    os.close(handle)
    try:
        indexed = everdex("index", root, "--json")
        assert indexed.code == 0, indexed.out
        assert indexed.json["skipped"].get("path_too_long", 0) >= 1
        listed = [file["path"] for file in everdex("files", root, "--json").json["files"]]
        assert "/".join(["d" * 8] * 4 + ["file.py"]) in listed
        _still_answers(root)
        run_git(root, "init", "-q")
        in_git = everdex("index", root, "--json")
        assert in_git.code == 0, in_git.out
    finally:
        subprocess.run(["rm", "-rf", os.fspath(root)], check=True)  # shutil.rmtree recurses


def test_source_nested_beyond_reason(root: Path) -> None:
    """Brackets, blocks, quotes and headings nested by the ten thousand are indexed in some way, and in time."""
    bombs = {
        "paren.py": "(" * 50_000, "list.py": "x = " + "[" * 20_000 + "]" * 20_000, "quote.md": ">" * 20_000,
        "json.json": '{"a":' * 20_000 + "1" + "}" * 20_000, "block.js": "{" * 20_000, "div.html": "<div>" * 20_000,
        "yaml.yaml": "- " * 300 + "x\n", "steps.yaml": "".join(" " * n + "a:\n" for n in range(300)),
        "fence.md": "```yaml\n" + "- " * 300 + "x\n```\n", "question.yml": "? " * 300 + "x\n",
        "else.c": "int f(){" + "if(a){}else " * 5_000 + "{}}\n",
        "plus.py": "x = " + "+".join(["1"] * 20_000) + "\n", "line.txt": "word " * 100_000,
        "toml.toml": "a" + ".a" * 5_000 + " = 1\n", "indent.py": "".join(" " * n + "if x:\n" for n in range(500)),
    }  # fmt: skip
    tree(root, bombs)
    indexed = everdex("index", root, "--json")
    assert indexed.code == 0, indexed.out + indexed.err
    skipped = _skips(root)
    listed = {file["path"] for file in everdex("files", root, "--json").json["files"]}
    assert all(name in listed or skipped.get(name) == "too_many_chunks" for name in bombs)
    _still_answers(root)


_BAD_CONFIGS: dict[str, bytes | str] = {
    "not toml": b"[[[", "not utf-8": b"# \xff\n", "nul": b"a = 1\0\n", "an unknown table": b"[indx]\nk = 1\n",
    "a wrong type": b'[query]\nk = "ten"\n', "a bool": b"[query]\nk = true\n", "nested": b"a=" + b"[" * 30_000,
    "too large": b"#" * 70_000, "over the cap": b"[index]\nmax_bytes_per_sync = 9999999999\n",
    "a float": b"[query]\nk = 1.5\n",
    "zero": b"[query]\nk = 0\n", "nan": b"[query]\nk = nan\n", "an unknown embedder": b'[index]\nembedder = "curl x"\n',
    "an embedder outside": b'[index]\nembedder = "model2vec:/etc"\n',
    "an embedder above": b'[index]\nembedder = "model2vec:../x"\n',
    "a bad glob list": b"[index]\ninclude = [1]\n", "a date": b"[query]\nk = 2020-01-01\n", "a directory": "directory",
    "a FIFO": "fifo", "a link out": "link", "twice": b"[query]\nk = 1\n[query]\nk = 2\n",
}  # fmt: skip


@pytest.mark.parametrize("content", _BAD_CONFIGS.values(), ids=_BAD_CONFIGS.keys())
def test_a_bad_configuration_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | str
) -> None:
    """Whatever `.everdex.toml` is, the message names it, nothing is indexed and nothing outside is quoted."""
    monkeypatch.delenv("EVERDEX_EMBEDDER")
    root = tree(tmp_path / "tree", {"healthy.py": _HEALTHY})
    path = root / ".everdex.toml"
    if content == "directory":
        path.mkdir()
    elif content == "fifo":
        os.mkfifo(path)
    elif content == "link":
        (tmp_path / "secret").write_text("top secret")
        path.symlink_to(tmp_path / "secret")
    else:
        assert isinstance(content, bytes)
        path.write_bytes(content)
    done = everdex("index", root)
    assert "secret" not in done.err
    clear_error(done, "usage", ".everdex.toml")


@pytest.mark.parametrize("kind", ["bytes", "directory", "fifo", "link out", "long lines", "everything"])
def test_an_odd_ignore_file_hides_nothing_it_does_not_name(root: Path, kind: str) -> None:
    """Bad bytes, directories, FIFOs and links out of the tree in an ignore file's place neither hang nor fail."""
    content = {
        "bytes": b"\xff\xfe\n\0\n[\n!\n\\\n**/**/**\\\n", "long lines": b"a*" * 4_000 + b"\n",
        "everything": b"*\n!healthy.py\n",
    }  # fmt: skip
    for name in (".gitignore", ".everdexignore", "sub/.gitignore"):
        path = root / name
        path.parent.mkdir(exist_ok=True)
        if kind == "directory":
            path.mkdir()
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "link out":
            path.symlink_to("/etc/passwd")
        else:
            path.write_bytes(content[kind])
    done = everdex("search", "healthy_widget", root)
    assert done.out.startswith("healthy.py:1:"), done.err
    # git would wait for ever, so it is told why the tree was walked.
    assert ("which is a FIFO" in done.err) == (kind == "fifo" and (root / ".git").exists())


@pytest.mark.parametrize(
    "kind", ["empty directory", "garbage file", "loop", "missing target", "corrupt index", "corrupt head"]
)
def test_a_broken_git_directory_is_answered_by_walking(tmp_path: Path, kind: str) -> None:
    """What git cannot read is no reason not to search: the tree is walked."""
    root = tree(tmp_path / "tree", {"healthy.py": _HEALTHY}, git=kind.startswith("corrupt"))
    dot_git = root / ".git"
    if kind == "empty directory":
        dot_git.mkdir()
    elif kind == "garbage file":
        dot_git.write_bytes(b"\0\xffgitdir?")
    elif kind == "loop":
        dot_git.symlink_to(".git")
    elif kind == "missing target":
        dot_git.write_text("gitdir: /nowhere/at/all\n")
    elif kind == "corrupt index":
        (dot_git / "index").write_bytes(b"DIRC\0\0\0\2\xff\xff\xff\xff")
    else:
        (dot_git / "HEAD").write_bytes(b"\xff\xff")
    done = everdex("search", "healthy_widget", root)
    assert done.out.startswith("healthy.py:1:"), done.err


def test_a_casefold_collision_is_refused_or_published_as_degraded(root: Path) -> None:
    """Strict: exit code 15 names both. Allowed: both are searchable, and every answer says degraded."""
    tree(root, {"Readme.md": "# The gizmo\n", "README.md": "# The doohickey\n"})
    clear_error(everdex("index", root), "degraded", "README.md", "Readme.md")
    assert everdex("search", "gizmo", root, "--no-sync").code == 2
    clear_error(everdex("search", "gizmo", root), "degraded", "README.md", "Readme.md")
    published = everdex("index", root, "--allow-degraded", "--json").json
    assert published["degraded"] is True
    assert {error["code"] for error in published["errors"]} == {"path_collision"}
    answer = everdex("search", "--mode", "regex", "gizmo|doohickey", root, "--json").json
    assert answer["degraded"] is True
    assert {result["path"] for result in answer["results"]} == {"README.md", "Readme.md"}
    tree(root, {"more.md": "# The thingamajig\n"})
    again = everdex("search", "--mode", "literal", "thingamajig", root, "--json").json
    assert (again["degraded"], len(again["results"])) == (True, 1)  # allowed once, it does not stop every edit
    tree(root, {"More.md": "# The whatsit\n"})
    clear_error(everdex("search", "whatsit", root), "degraded", "More.md", "more.md")  # nobody allowed this one
    (root / "More.md").unlink()
    (root / "Readme.md").unlink()
    mended = everdex("index", root, "--json").json
    assert (mended["degraded"], mended["errors"]) == (False, [])


@contextmanager
def _rewriting(path: Path) -> Iterator[None]:
    """The file grows and shrinks as fast as it can."""
    stop = threading.Event()

    def rewrite() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            path.write_bytes(b"moving = %d\n" % number * (1 + number % 5_000))

    thread = threading.Thread(target=rewrite)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_file_that_changes_while_it_is_read(root: Path) -> None:
    """Either one whole version is indexed or it is refused by name; half a file never is."""
    moving = root / "moving.py"
    with _rewriting(moving):
        codes = []
        for _ in range(2):
            done = everdex("index", root)
            codes.append(done.code)
            if done.code == 15:
                clear_error(done, "degraded", "moving.py")
            indexed = everdex("search", "--mode", "regex", "^moving", root, "--no-sync", "--json", "-k", 200)
            if indexed.code == 0:
                assert len({result["snippet"] for result in indexed.json["results"]}) == 1
        assert set(codes) <= {0, 15}
    assert everdex("index", root).code == 0
    _still_answers(root)


def test_a_tree_over_the_byte_limit_keeps_its_last_snapshot(root: Path) -> None:
    """limit_exceeded names both numbers; what was published before goes on answering."""
    (root / ".everdex.toml").write_text("[index]\nmax_bytes_per_sync = 4000\n")
    assert everdex("index", root).code == 0
    (root / "new.py").write_text("x = 1\n" * 2_000)
    done = everdex("index", root)
    clear_error(done, "usage", "12,000", "4,000", "max_bytes_per_sync")
    failed = everdex("search", "healthy_widget", root, "--json")
    assert (failed.code, failed.json["error"]["code"]) == (2, "limit_exceeded")
    assert everdex("search", "healthy_widget", root, "--no-sync").code == 0


def test_a_tree_over_the_byte_limit_is_indexed_when_its_user_says_so(root: Path) -> None:
    """The error says how; a repository cannot ask for it, and what is edited afterwards needs it no more."""
    (root / ".everdex.toml").write_text("[index]\nmax_bytes_per_sync = 4000\n")
    (root / "new.py").write_text("class LargeOne: ...\n" * 2_000)
    assert "`everdex index --large`" in everdex("index", root).err
    assert everdex("index", "--large", root).code == 0
    assert everdex("search", "LargeOne", root).code == 0
    (root / "small.py").write_text("class SmallOne: ...\n")
    assert everdex("search", "SmallOne", root).lines[0].startswith("small.py:1:")


def _without_privileges() -> None:
    """Root may read anything by two capabilities; without them a mode of 000 means what it says."""
    library = ctypes.CDLL(None, use_errno=True)
    for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
        if library.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")


def _unprivileged(*arguments: object) -> Done:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False,
        preexec_fn=_without_privileges if os.geteuid() == 0 else None,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def test_unreadable_files_and_directories_are_named(root: Path) -> None:
    """What this user may not read is out as unreadable; once it may, it is in; once it may not again, it is out."""
    tree(root, {"closed.py": "closed_gizmo = 1\n", "locked/in.py": "locked_gizmo = 1\n"})
    (root / "closed.py").chmod(0)
    (root / "locked").chmod(0)
    try:
        assert _unprivileged("index", root).code == 0
        listed = _unprivileged("files", "--skipped", "--json", root).json["skipped"]
        skipped = {skip["path"]: skip["reason"] for skip in listed}
        assert skipped["closed.py"] == "unreadable"
        assert "unreadable" in {skipped.get("locked/"), skipped.get("locked/in.py")}
        assert _unprivileged("search", "--mode", "literal", "gizmo", root).code == 1
        (root / "closed.py").chmod(0o644)
        assert _unprivileged("search", "--mode", "literal", "gizmo", root).out == "closed.py:1:closed_gizmo = 1\n"
        (root / "closed.py").chmod(0)
        assert _unprivileged("search", "--mode", "literal", "gizmo", root).code == 1
    finally:
        (root / "locked").chmod(0o755)
        (root / "closed.py").chmod(0o644)


def test_an_unreadable_home_or_root_is_one_clear_line(root: Path, home: Path) -> None:
    """No permission is an error of the disk that names the place."""
    assert everdex("index", root).code == 0
    home.chmod(0)
    try:
        for command in (("index", root), ("search", "x", root), ("status", root)):
            clear_error(_unprivileged(*command), "disk", os.fspath(home))
    finally:
        home.chmod(0o700)
