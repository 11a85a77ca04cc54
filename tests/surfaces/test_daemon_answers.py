"""What a daemon answers is what the command line answers without it, and never older than the question."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from everdex.surfaces.cli.app import run
from support.commands import COMMAND, Done, everdex, on_terminal
from support.daemons import Daemon
from support.processes import PATIENCE_S
from support.trees import commit_all, run_git, tree

FILES = {
    "src/session.py": (
        "import hmac\n\n\nclass Session:\n    def sign_cookie(self, value):\n"
        "        return hmac.new(self.key, value)\n\n    def open(self):\n        return self.load()\n"
    ),
    "src/routes.go": "package main\n\nfunc ServeRoutes() int {\n\treturn 42\n}\n",
    "evil\u202eyp.py": "x = 1  # \x1b]0;owned\x07 ünïcode\n",
    "README.md": "# Project\n\nHow a cookie is signed.\n",
}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One daemon for all tests here; each edits its own files only."""
    base = tmp_path_factory.mktemp("daemon")
    root = tree(base / "project", FILES, git=True)
    with Daemon(root, base / "home") as running:
        yield running


@pytest.fixture
def offline(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., Done]:
    """The command line with --offline, in this process; stderr without the one line that only --offline has."""
    monkeypatch.chdir(daemon.root)
    for name, value in daemon.env.items():
        monkeypatch.setenv(name, value)

    def call(*arguments: str) -> Done:
        capsysbinary.readouterr()
        code = run([*arguments, "--offline"])
        out, err = capsysbinary.readouterr()
        remarks = [line for line in err.decode().splitlines(True) if not line.startswith("warning: offline: ")]
        return Done(code, out.decode(), "".join(remarks))

    return call


@pytest.mark.parametrize("command", [("search", "cookie", "-k", "1"), ("callers", "Session.load"), ("refs", "Session")])
def test_where_both_streams_are_one_what_is_said_first_stands_first(daemon: Daemon, command: tuple[str, ...]) -> None:
    """Warnings stand before the results and counts behind them, as without a daemon."""
    everdex("map", "--offline", cwd=daemon.root, env=daemon.env)  # before the graph some answers have other words
    said = [
        subprocess.run(
            [*COMMAND, *command, *more], cwd=daemon.root, env={**os.environ, **daemon.env}, timeout=PATIENCE_S,
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ).stdout.decode().splitlines()
        for more in ((), ("--offline",))
    ]  # fmt: skip
    assert said[0] == [line for line in said[1] if not line.startswith("warning: offline: ")]
    assert len(said[0]) > 1


def _lasting(document: dict[str, Any]) -> dict[str, Any]:
    """An answer without what belongs to the moment of asking."""
    if "error" in document:
        return {**document["error"], "request_id": None}
    rest = {key: value for key, value in document.items() if key not in ("request_id", "timings_ms", "daemon")}
    rest["warnings"] = [text for text in rest["warnings"] if not text.startswith("offline: ")]
    rest["freshness"] = {**rest["freshness"], "checked_at": None}
    if "canvas" in rest:  # only the first who asks draws it
        rest["canvas"] = {**rest["canvas"], "drawn": None}
    if "checks" in rest:  # health tells ages and free space
        rest["checks"] = [(check["code"], check["status"]) for check in rest["checks"]]
    return rest


@pytest.mark.parametrize(
    "arguments",
    [
        ("sign cookie",), ("ServeRoutes", "-k", "1"), ("--mode", "regex", r"return \w+"), ("zebra", "--mode=lexical"),
        ("--mode", "literal", "x = 1"), ("cookie", "--lang", "markdown", "--path", "*.md"), ("cookie", "--explain"),
        ("how is a cookie signed", "--budget", "500"), ("cookie", "--no-sync"), ("SignCooki",), ('"open',),
        ("cookie", "--no-rerank"), ("cookie", "--mode", "regex", "--rerank"), ("(unclosed", "--mode", "regex"),
        ("--mode", "literal", "COOKIE", "-i"), ("cookie", "--lang", "klingon"), ("cookie", "--profile", "debug", "src"),
        ("e", "--mode", "regex", "--offset", "2", "-k", "2"),
    ],
)  # fmt: skip
def test_a_search_prints_the_same_bytes(
    daemon: Daemon, offline: Callable[..., Done], arguments: tuple[str, ...]
) -> None:
    """Through the daemon or offline: stdout, remarks and exit code of a pipe agree, and so does the document."""
    before = daemon.metrics()["answered"]
    through, as_json = daemon.run("search", *arguments), daemon.run("search", *arguments, "--json")
    assert daemon.metrics()["answered"] == before + 3, "the daemon was not asked"
    assert through == offline("search", *arguments)
    here = offline("search", *arguments, "--json")
    assert (as_json.code, as_json.err) == (here.code, here.err)
    assert _lasting(as_json.json) == _lasting(here.json)


@pytest.mark.parametrize(
    "arguments",
    [
        ("files",), ("files", "--skipped"), ("explain", "src/session.py"), ("explain", "nowhere.py"),
        ("explain", "/etc"),
        ("symbols", "Session"), ("symbols", "src/session.py"), ("symbols", "Sesion"), ("symbols", "open", "--no-sync"),
        ("symbols", "./src/../src/routes.go", "."), ("chunks",), ("chunks", "--meta"), ("health",), ("audit",),
        ("status", "--no-sync"), ("status",), ("symbols", " "),
        ("refs", "sign_cookie"), ("refs", "sign_cookie", "--role", "call"), ("refs", "src/session.py:4"),
        ("callers", "Session.open", "-k", "1"),
        ("callees", "src/session.py::Session.open"), ("callers", "nothing"), ("callers", " "),
        ("refs", "open", "--no-sync"), ("impact", "sign_cookie", "--depth", "2"), ("map",), ("map", "--budget", "300"),
        ("map", "--budget", "100"), ("architecture",), ("architecture", "--no-sync", "."),
        ("search", "--like", "src/session.py:4"), ("search", "--like", "none.py:3"),
        ("gate", "src/session.py"), ("gate", "./src/../src/session.py", "src/session.py", "nowhere.py", "--no-sync"),
        ("gate", "/etc/passwd"), ("gate", "src/session.py", "--since=never"), ("gate", "src/session.py", "--semantic"),
        ("gate", ""), ("state",), ("state", "src/session.py", "nowhere.py"), ("state", "--no-sync"),
    ],
)  # fmt: skip
def test_other_commands_answer_the_same(
    daemon: Daemon, offline: Callable[..., Done], arguments: tuple[str, ...]
) -> None:
    """Every reading command goes through the daemon: the same documents, and in a pipe the same bytes."""
    before = daemon.metrics()["answered"]
    through, text = daemon.run(*arguments, "--json"), daemon.run(*arguments)
    assert daemon.metrics()["answered"] >= before + 3 or arguments[-1] == "/etc", "the daemon was not asked"
    here, plain = offline(*arguments, "--json"), offline(*arguments)
    assert (through.code, _lasting(through.json)) == (here.code, _lasting(here.json))
    if arguments[0] == "status":
        assert (through.json["daemon"]["pid"], here.json["daemon"]) == (daemon.process.pid, None)
    elif arguments[0] not in ("audit", "health"):  # which tell times
        assert text == plain


@pytest.mark.parametrize(
    "arguments",
    [
        ("architecture", "-o", "FILE.svg"), ("architecture", "--output=FILE.png", "--dark", "--depth", "1"),
        ("architecture", "-o", "HERE/.//FILE.svg"), ("architecture", "--depth=2", "-o", "FILE.SVG"),
        ("impact", "Session.open", "--picture", "FILE.svg"),
        ("impact", "sign_cookie", "--depth", "1", "--picture=FILE.png", "--dark"), ("impact", "sign_cookie", "--draw"),
    ],
)  # fmt: skip
def test_pictures_are_the_same_files(
    daemon: Daemon, offline: Callable[..., Done], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """A picture's file, what is said of it and the document do not depend on who answers, nor does the short way."""
    named = [re.sub("(HERE/.//)?FILE", rf"{tmp_path}/\1drawn", argument) for argument in arguments]
    named = [argument.replace("HERE/", "") for argument in named]
    before = daemon.metrics()["answered"]
    through = daemon.run(*named)
    (there,) = [file.read_bytes() for file in tmp_path.iterdir()] or [b""]
    as_json = daemon.run(*named, "--json")
    assert daemon.metrics()["answered"] >= before + 3, "the daemon was not asked"
    for file in tmp_path.iterdir():
        file.unlink()
    here = offline(*named)
    assert (through, there) == (here, next((file.read_bytes() for file in tmp_path.iterdir()), b""))
    assert bool(there) == (arguments[-1] != "--draw")
    plain = offline(*named, "--json")
    assert (as_json.code, as_json.err, _lasting(as_json.json)) == (plain.code, plain.err, _lasting(plain.json))


def test_parts_without_a_picture_are_the_same(daemon: Daemon, offline: Callable[..., Done]) -> None:
    """With a depth and no file there is no picture, and only JSON."""
    asked = ("architecture", "--depth", "2", "--json")
    through, here = daemon.run(*asked), offline(*asked)
    assert "picture" not in through.json
    assert (through.code, through.err, _lasting(through.json)) == (here.code, here.err, _lasting(here.json))


@pytest.mark.parametrize(
    "arguments",
    [
        ("architecture", "-o", "drawn.gif"), ("architecture", "--dark"), ("architecture", "--depth", "2"),
        ("architecture", "--depth", "9", "-o", "drawn.svg"), ("architecture", "-o", "nowhere/drawn.svg"),
        ("architecture", "-o", "src"), ("impact", "sign_cookie", "--draw", "--picture", "drawn.svg"),
    ],
)  # fmt: skip
def test_a_picture_that_cannot_be_had_is_refused_alike(
    daemon: Daemon, offline: Callable[..., Done], arguments: tuple[str, ...]
) -> None:
    """The short way leaves complaints to the full command line."""
    before = set(daemon.root.iterdir())
    through, here = daemon.run(*arguments), offline(*arguments)
    assert (through.code, through.out, through.err) == (here.code, here.out, here.err)
    assert through.code
    assert set(daemon.root.iterdir()) == before


def test_chunks_come_in_pages_of_one_snapshot(daemon: Daemon) -> None:
    """A page says where the next one begins, and together they are every chunk once."""
    with daemon.wire() as wire:
        whole = wire.call("chunks")["result"]
        assert (whole["cursor"], whole["omitted"]) == (None, 0)
        seen, cursor = [], {"offset": 0}
        while cursor is not None:
            page = wire.call("chunks", count=1, **cursor)["result"]
            seen += page["chunks"]
            cursor = page["cursor"]
        assert seen == whole["chunks"]
        assert len(seen) > 3


@pytest.mark.parametrize(
    "arguments",
    [
        ("symbols", "Session"), ("refs", "sign_cookie", "--wait"), ("callers", "Session.open"),
        ("callees", "Session.open", "--wait"), ("impact", "sign_cookie"), ("map",), ("contexts",), ("board",),
        ("rename", "sign_cookie", "sign", "--plan"),
    ],
)  # fmt: skip
def test_what_is_drawn_is_the_same(daemon: Daemon, offline: Callable[..., Done], arguments: tuple[str, ...]) -> None:
    """A terminal's layout comes from the full command line: the daemon takes every parameter that it sends."""
    before = daemon.metrics()["answered"]
    drawn = daemon.run(*arguments, "--color", "always")
    assert daemon.metrics()["answered"] >= before + 2, "the daemon was not asked"
    assert drawn == offline(*arguments, "--color", "always")


def test_a_terminal_gets_its_groups_through_the_daemon(daemon: Daemon) -> None:
    """The full command line draws what the daemon found."""
    before = daemon.metrics()["answered"]
    drawn = on_terminal("search", "sign_cookie", cwd=daemon.root, env=daemon.env).out
    assert "src/session.py" in drawn
    assert daemon.metrics()["answered"] == before + 2


def test_an_edit_is_in_the_next_answer(daemon: Daemon) -> None:
    """Write, replace by the same size, move and delete: the answer right after each is fresh and true."""
    with daemon.wire() as wire:

        def found(text: str) -> list[str]:
            result = wire.call("search", query=text, mode="literal")["result"]
            assert result["freshness"]["state"] == "fresh"
            return [item["path"] for item in result["results"]]

        path = daemon.root / "edited" / "deep" / "new.py"
        for number in range(8):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"marker_{number:04d} = 1\n")
            assert found(f"marker_{number:04d}") == ["edited/deep/new.py"]
            assert found(f"marker_{number - 1:04d}") == []
        path.rename(daemon.root / "moved.py")
        assert found("marker_0007") == ["moved.py"]
        (daemon.root / "moved.py").unlink()
        assert found("marker_0007") == []


def test_a_commit_is_in_the_next_answer(daemon: Daemon) -> None:
    """HEAD moves without any file of the tree changing, and the next answer names it."""
    with daemon.wire() as wire:
        wire.call("search", query="cookie")
        commit_all(daemon.root)
        head = run_git(daemon.root, "rev-parse", "HEAD").strip()
        assert wire.call("search", query="cookie")["result"]["git"]["head_sha"] == head


def test_a_commit_in_a_linked_worktree_is_in_the_next_answer(daemon: Daemon, tmp_path: Path) -> None:
    """Its HEAD lies outside the tree, in the repository it is linked to."""
    main = tree(tmp_path / "main", {"a.py": "alpha = 1\n"}, git=True)
    commit_all(main)
    linked = tmp_path / "linked"
    run_git(main, "worktree", "add", "-q", "-b", "side", str(linked))
    with Daemon(linked, tmp_path / "home") as own, own.wire() as wire:
        for _ in range(3):
            wire.call("search", query="alpha")
            commit_all(linked)
            head = run_git(linked, "rev-parse", "HEAD").strip()
            assert wire.call("search", query="alpha")["result"]["git"]["head_sha"] == head


def test_another_process_may_publish(daemon: Daemon) -> None:
    """What `everdex index` published is what the daemon answers from, also without a look of its own."""
    (daemon.root / "other.py").write_text("published_elsewhere = 1\n")
    snapshot = daemon.run("index", "--wait", "--json").json["snapshot_id"]
    with daemon.wire() as wire:
        result = wire.call("search", query="published_elsewhere", mode="literal", no_sync=True)["result"]
    assert (result["snapshot_id"], len(result["results"])) == (snapshot, 1)
    old = daemon.run("search", "published_elsewhere", "--snapshot", snapshot, "--json").json
    assert old["freshness"]["state"] == "pinned"


def test_sixteen_clients_at_once_get_their_own_answers(daemon: Daemon) -> None:
    """Interleaved questions of many clients, edits meanwhile: every answer is to its question and none is lost."""
    wrong: list[object] = []
    right: list[object] = []

    def ask(number: int) -> None:
        wanted = {"ServeRoutes": "src/routes.go", "sign_cookie": "src/session.py"}
        with daemon.wire() as wire:
            for turn in range(10):
                query, path = list(wanted.items())[(number + turn) % 2]
                reply = wire.call("search", query=query, mode="literal", no_sync=turn % 3 == 0)
                found = [item["path"] for item in reply["result"]["results"]]
                (right if found == [path] else wrong).append(reply)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for number in range(5):
        (daemon.root / "busy.py").write_text(f"edit = {number}\n")
    for thread in threads:
        thread.join(PATIENCE_S)
    assert (wrong, len(right)) == ([], 160)


def test_gc_and_health_work_beside_an_idle_daemon(daemon: Daemon) -> None:
    """A warm view blocks nobody: collection runs, and the store is healthy with a socket in it."""
    daemon.settled()
    assert daemon.run("gc", "--apply").code == 0
    assert daemon.run("health").code == 0


def test_a_batch_is_answered_by_the_daemon_from_one_snapshot(daemon: Daemon) -> None:
    """Also while others publish between its lines: the file that appears in the middle is in no answer."""
    before = daemon.metrics()["answered"]
    batch = subprocess.Popen(
        [*COMMAND, "search", "--batch", "-", "--mode", "literal"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        cwd=daemon.root, env={**os.environ, **daemon.env}, text=True,
    )  # fmt: skip
    assert batch.stdin is not None
    assert batch.stdout is not None

    def ask(line: str) -> dict[str, Any]:
        assert batch.stdin is not None
        assert batch.stdout is not None
        batch.stdin.write(line + "\n")
        batch.stdin.flush()
        document: dict[str, Any] = json.loads(batch.stdout.readline())
        return document

    first = ask("ServeRoutes")
    (daemon.root / "between.py").write_text("between_the_lines = 1\n")
    assert daemon.run("search", "between_the_lines", "--mode", "literal").code == 0
    second, third = ask("between_the_lines"), ask("sign_cookie")
    assert (ask("\\")["results"], ask("")["error"]["code"]) == ([], "query_invalid")
    batch.communicate()
    assert batch.returncode == 2
    assert (len(first["results"]), second["results"], len(third["results"])) == (1, [], 1)
    assert {answer["snapshot_id"] for answer in (first, second, third)} == {first["snapshot_id"]}
    assert first["freshness"] == second["freshness"] == third["freshness"]
    assert daemon.metrics()["answered"] == before + 7
    (daemon.root / "between.py").unlink()


def test_a_batch_goes_on_when_its_daemon_leaves(daemon: Daemon, tmp_path: Path) -> None:
    """The lines after that are answered from the store, from the same snapshot."""
    root = tree(tmp_path / "other", {"a.py": "alpha = 1\n"}, git=True)
    with Daemon(root, tmp_path / "home") as own:
        batch = subprocess.Popen(
            [*COMMAND, "search", "--batch", "-", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, **own.env}, text=True,
        )  # fmt: skip
        assert batch.stdin is not None
        assert batch.stdout is not None
        batch.stdin.write("alpha\n")
        batch.stdin.flush()
        first = json.loads(batch.stdout.readline())
        assert own.run("stop").code == 0
        out, _ = batch.communicate("alpha\nalpha\n")
    lost, last = map(json.loads, out.splitlines())
    assert lost["error"]["code"] == "daemon_gone"
    assert (last["snapshot_id"], last["freshness"]) == (first["snapshot_id"], first["freshness"])
