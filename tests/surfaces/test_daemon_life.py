"""How a daemon comes, is found, and goes: one a store, nobody else's, and nothing left behind that misleads."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import everdex as package
from everdex.surfaces.cli.app import run
from everdex.surfaces.daemon import wire
from support.commands import COMMAND, everdex
from support.daemons import HELLO, Daemon, Wire
from support.processes import PATIENCE_S, until
from support.trees import tree


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return tree(tmp_path / "project", {"src/a.py": "def alpha():\n    return 1\n"}, git=True)


def _log(home: Path) -> list[dict[str, object]]:
    (path,) = home.glob("data/*/logs/daemon.log.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_detached_daemon_serves_until_it_is_stopped(repository: Path, home: Path) -> None:
    """`serve --detach` comes back when it answers, also one that runs already; `stop` when it has gone; then none is
    left to stop."""
    started = everdex("serve", "--detach", "--json", cwd=repository)
    pid = started.json["pid"]
    try:
        assert everdex("status", "--json", cwd=repository).json["daemon"]["pid"] == pid
        again = everdex("serve", "--detach", "--json", cwd=repository)
        assert (again.code, again.json["pid"], again.json["started"]) == (0, pid, False)
        assert (started.json["started"], again.json["socket"]) == (True, started.json["socket"])
        told = everdex("serve", "--detach", cwd=repository)
        assert (told.code, told.out, told.err) == (0, "", f"already serving {repository} (process {pid})\n")
    finally:
        stopped = everdex("stop", "--json", cwd=repository)
    assert (stopped.code, stopped.json["stopped"], stopped.json["pid"]) == (0, True, pid)
    assert everdex("stop", cwd=repository).code == 1
    assert list((home / "run").iterdir()) == []
    assert [line["event"] for line in _log(home) if line["event"] in ("start", "stop")] == ["start", "stop"]


def test_a_second_daemon_is_refused_and_a_signal_ends_the_first(repository: Path, home: Path) -> None:
    """Two for one store: `busy`. SIGTERM: those waiting are told, those at work end, whoever asks on is told and loses
    nothing it had asked before; exit code 0, no socket left."""
    with Daemon(repository) as daemon:
        second = everdex("serve", cwd=repository)
        assert (second.code, f"process {daemon.process.pid}" in second.err) == (10, True)
        ask = {"method": "search", "params": {"query": "alpha", "no_sync": True}}
        clients = [daemon.wire() for _ in range(3)]
        with daemon.held_up():
            for client in clients:
                client.send(*({"id": number, **ask} for number in range(4)), {"id": "seen", "method": "ping"})
                assert client.receive()["id"] == "seen"
            with daemon.wire() as other:
                until(lambda: other.call("ping")["result"]["in_flight"] == 8, "eight at work")
            daemon.process.send_signal(signal.SIGTERM)
            waiting = [clients[2].receive() for _ in range(4)]
            for client in clients[:2]:
                client.send({"id": "late", **ask})
                waiting.append(client.receive())
        assert {reply["error"]["code"] for reply in waiting} == {"daemon_stopping"}
        for client in clients[:2]:
            assert all(client.receive()["result"]["results"] for _ in range(4))
        assert daemon.wait() == 0
        assert all(client.closed() for client in clients)
        assert not os.path.lexists(daemon.socket)
        assert list((home / "run").iterdir()) == []
        assert _log(home)[-1]["reason"] == "sigterm"
        assert everdex("search", "alpha", cwd=repository).lines == ["src/a.py:1:def alpha():"]


def test_a_dead_daemon_is_survived(repository: Path) -> None:
    """Killed without a chance: its socket and entry lie there, questions are answered, a new one starts."""
    with Daemon(repository) as daemon:
        daemon.process.kill()
        daemon.process.wait()
        assert os.path.lexists(daemon.socket)
        assert everdex("search", "alpha", cwd=repository).lines == ["src/a.py:1:def alpha():"]
        assert everdex("stop", cwd=repository).code == 1
    with Daemon(repository) as daemon, daemon.wire() as wire:
        assert wire.call("search", query="alpha")["result"]["results"]


def test_a_daemon_that_is_stuck_is_done_without(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It greets nobody: a question is answered from the store and says so; what needs it names the process."""
    monkeypatch.setattr(wire, "GREETING_S", 0.2)
    with Daemon(repository) as daemon:
        pid = daemon.process.pid
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            assert run(["search", "alpha", os.fspath(repository)]) == 0
            said = capsys.readouterr()
            assert f"warning: the daemon (process {pid}) does not greet anybody: it is suspended" in said.err
            assert said.out
            for command in ("stop", "serve --detach"):
                assert run([*command.split(), os.fspath(repository)]) == 11
                hint = f"hint: wake it with `kill -CONT {pid}` or end it with `kill -9 {pid}`"
                assert hint in capsys.readouterr().err
        finally:
            daemon.process.send_signal(signal.SIGCONT)


def test_a_daemon_leaves_with_its_root(repository: Path) -> None:
    """The tree is deleted: the daemon goes too."""
    with Daemon(repository) as daemon:
        shutil.rmtree(repository)
        assert daemon.wait() == 0


def test_a_changed_configuration_is_never_answered_from_the_old(repository: Path, home: Path) -> None:
    """The very next answer obeys the new .everdex.toml, and the daemon that had the old one has left."""
    with Daemon(repository) as daemon:
        (repository / ".everdex.toml").write_text("[query]\nk = 10\n")  # the default: nothing changes
        assert everdex("search", "alpha", cwd=repository).code == 0
        assert daemon.process.poll() is None
        (repository / ".everdex.toml").write_text('[index]\nexclude = ["src/"]\n')
        assert everdex("search", "alpha", "--mode", "literal", "--path", "src/*", cwd=repository).code == 1
        assert daemon.wait() == 0
    assert _log(home)[-1]["reason"] == "config_changed"


def test_a_changed_program_is_not_asked_any_more(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an upgrade in place the old program leaves at once."""
    copy = tmp_path / "site" / "everdex"
    shutil.copytree(Path(package.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("PYTHONPATH", os.fspath(copy.parent), prepend=os.pathsep)
    with Daemon(repository) as daemon:
        with (copy / "limits.py").open("a") as stream:
            stream.write("# upgraded\n")
        assert daemon.wait() == 0
        assert everdex("search", "alpha", cwd=repository).code == 0


@pytest.mark.parametrize("kind", ["link", "file"])
def test_what_is_not_our_socket_is_refused(repository: Path, tmp_path: Path, kind: str) -> None:
    """A symlink (here to a live impostor) or a file in its place: a coded error, from clients and from serve."""
    with Daemon(repository) as daemon:
        daemon.process.terminate()
        daemon.wait()
    impostor = socket.socket(socket.AF_UNIX)
    wire.at(os.fspath(tmp_path / "impostor"), impostor.bind)
    impostor.listen()
    if kind == "link":
        os.symlink(tmp_path / "impostor", daemon.socket)
    else:
        Path(daemon.socket).write_text("")
    for command in (("status",), ("search", "alpha"), ("serve",)):
        done = everdex(*command, "--json", cwd=repository)
        assert (done.code, done.json["error"]["code"]) == (70, "io_error")
    assert everdex("search", "alpha", "--offline", cwd=repository).code == 0
    impostor.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_refused(repository: Path, home: Path) -> None:
    """Even when the file permissions would let him in."""
    with Daemon(repository) as daemon:
        for path in (Path(daemon.socket), *Path(daemon.socket).parents):
            if path == home.parent.parent:
                break
            path.chmod(0o777)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.setuid(65_534)
                with Wire(daemon.socket, greet=False) as wire:
                    code = 0 if wire.receive()["error"]["code"] == "usage" and wire.closed() else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with daemon.wire() as wire:
            assert wire.call("ping")["result"]["pid"] == daemon.process.pid


def test_the_socket_is_private_and_a_long_path_gets_a_short_one(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0600, in the store where that fits into 100 bytes, otherwise below the home's run directory."""
    base = Path(os.path.realpath("/tmp")) / f"ed{os.getpid()}"
    deep = base / "h"
    monkeypatch.setenv("EVERDEX_HOME", os.fspath(deep))
    try:
        with Daemon(repository) as daemon:
            assert Path(daemon.socket).parent.parent == deep / "data"
            assert os.lstat(daemon.socket).st_mode & 0o777 == 0o600
        long = base / ("n" * 60)
        monkeypatch.setenv("EVERDEX_HOME", os.fspath(long))
        with Daemon(repository) as daemon:
            assert Path(daemon.socket).parent == long / "run"
            assert os.lstat(daemon.socket).st_mode & 0o777 == 0o600
            assert os.lstat(long / "run").st_mode & 0o777 == 0o700
            before = daemon.metrics()["answered"]
            assert daemon.run("search", "alpha").code == 0
            assert daemon.metrics()["answered"] == before + 2
    finally:
        shutil.rmtree(base, ignore_errors=True)


def test_a_home_with_a_long_name_has_a_daemon(repository: Path, tmp_path: Path) -> None:
    """The kernel takes names of 107 bytes for a socket, and no user has to know: serve, either client, stop."""
    home = tmp_path / ("n" * 150)
    with Daemon(repository, home) as daemon:
        assert Path(daemon.socket).parent == home / "run"
        before = daemon.metrics()["answered"]
        assert daemon.run("search", "alpha").lines == ["src/a.py:1:def alpha():"]
        assert daemon.run("search", "alpha", "--vimgrep").lines == ["src/a.py:1:1:def alpha():"]
        assert daemon.metrics()["answered"] == before + 3
        assert daemon.run("stop", "--json").json["pid"] == daemon.process.pid
        assert daemon.wait() == 0
        assert list((home / "run").iterdir()) == []


def test_the_thin_client_asks_only_the_daemon_of_its_own_root(repository: Path, tmp_path: Path) -> None:
    """From below the root it is found; in a nested repository, with another embedder or elsewhere it is not asked."""
    nested = tree(repository / "vendor" / "lib", {"b.py": "def beta():\n    return 2\n"}, git=True)
    outside = tree(tmp_path / "outside", {"c.py": "def gamma():\n    return 3\n"})
    with Daemon(repository) as daemon:

        def asked() -> int:
            return int(daemon.metrics()["answered"])

        before = asked()
        assert everdex("search", "alpha", cwd=repository / "src").code == 0
        assert everdex("search", "alpha", repository / "src" / "a.py").code == 0
        assert asked() == before + 3
        before = asked()
        assert everdex("search", "beta", "--mode", "literal", cwd=nested).lines == ["b.py:1:def beta():"]
        assert everdex("search", "gamma", "--mode", "literal", cwd=outside).lines == ["c.py:1:def gamma():"]
        assert everdex("search", "alpha", cwd=repository, env={"EVERDEX_EMBEDDER": "none"}).code == 0
        assert asked() == before + 1


def test_a_hundred_clients_come_and_go(repository: Path) -> None:
    """Garbage, silence, half a greeting and hang-ups in the middle of a question leave no thread and no file open."""
    with Daemon(repository) as daemon:

        def handles() -> int:
            """Sockets alone: whoever makes a graph meanwhile has pipes and files open, as it should."""
            found = 0
            for handle in Path(f"/proc/{daemon.process.pid}/fd").iterdir():
                with suppress(FileNotFoundError):  # one that has just been closed
                    found += os.readlink(handle).startswith("socket:")
            return found

        daemon.metrics()
        before = handles()
        for number in range(100):
            with daemon.wire(greet=False) as wire:
                if number % 4 == 0:
                    wire.socket.sendall(os.urandom(64))
                elif number % 4 == 1:
                    wire.send(HELLO, {"id": 1, "method": "search", "params": {"query": "alpha"}})
                elif number % 4 == 2:
                    wire.socket.sendall(b"\0\0\0\x20{")
        # Whoever has just hung up may not have been read to the end yet, and that is no leak.
        until(lambda: handles() <= before, "their sockets to be closed")
        until(lambda: daemon.metrics()["clients"] == 1, "their threads to end")


def _stopped(root: Path) -> int | None:
    found: int | None = everdex("stop", "--json", cwd=root).json["pid"]
    return found


def test_the_daemon_option_starts_one_and_asks_it(repository: Path) -> None:
    """The first command starts it (and indexes), the next find it; with --offline it is a contradiction."""
    assert everdex("search", "alpha", "--daemon", cwd=repository).lines == ["src/a.py:1:def alpha():"]
    running = everdex("status", "--json", cwd=repository).json["daemon"]
    assert running["answered"] == 1
    assert everdex("symbols", "alpha", "--daemon", cwd=repository).code == 0
    both = everdex("files", "--daemon", "--offline", "--json", cwd=repository)
    assert (both.code, both.json["error"]["code"]) == (2, "usage")
    assert _stopped(repository) == running["pid"]


@pytest.mark.parametrize("how", ["environment", "file"])
def test_a_user_may_have_daemons_started_unasked(repository: Path, home: Path, how: str) -> None:
    """One line turns it on; without it, and with --offline, nothing is started."""
    everdex("search", "alpha", cwd=repository)
    assert _stopped(repository) is None
    env = {"EVERDEX_AUTOSTART": "1"} if how == "environment" else {}
    if how == "file":
        (home / "config.toml").write_text("[daemon]\nauto_start = true\n")
    everdex("search", "alpha", "--offline", cwd=repository, env=env)
    assert _stopped(repository) is None
    assert everdex("files", cwd=repository, env=env).lines == ["src/a.py"]
    assert everdex("files", cwd=repository, env={"EVERDEX_AUTOSTART": "0"}).code == 0
    assert _stopped(repository) is not None


def test_a_repository_cannot_have_daemons_started(repository: Path) -> None:
    """`.everdex.toml` belongs to the repository: it has no such key."""
    (repository / ".everdex.toml").write_text("[daemon]\nauto_start = true\n")
    done = everdex("search", "alpha", "--json", cwd=repository)
    assert (done.code, done.json["error"]["code"]) == (2, "config_invalid")
    assert list(repository.parent.glob("**/daemon.sock")) == []


@pytest.mark.parametrize(
    "text", ["auto_start = true\n", "[daemon]\nauto_start = 1\n", "[daemon]\nspeed = 1\n", "[x", "daemon = 3\n", "\xff"]
)
def test_bad_settings_of_a_user_are_named(repository: Path, home: Path, text: str) -> None:
    """A typing error in the home's config.toml is told, with the file's name."""
    everdex("index", cwd=repository)
    (home / "config.toml").write_bytes(text.encode("latin-1"))
    done = everdex("search", "alpha", cwd=repository)
    assert (done.code, str(home / "config.toml") in done.err) == (2, True)


def test_without_a_daemon_that_can_start_the_store_is_read(repository: Path, home: Path) -> None:
    """auto_start is for speed: where it fails the answer comes with a warning. --daemon says what is wrong."""
    everdex("index", cwd=repository)
    (home / "run").write_text("in the way")
    unasked = everdex("search", "alpha", cwd=repository, env={"EVERDEX_AUTOSTART": "1"})
    assert (unasked.code, unasked.lines) == (0, ["src/a.py:1:def alpha():"])
    assert "warning: no daemon: " in unasked.err
    asked = everdex("search", "alpha", "--daemon", "--json", cwd=repository)
    assert (asked.code, asked.json["error"]["code"]) == (70, "io_error")


def test_several_who_start_it_at_once_share_one(repository: Path) -> None:
    """Five commands, no daemon, no index: one becomes the daemon, all are answered by it."""
    commands = [
        subprocess.Popen([*COMMAND, "search", "alpha", "--daemon", repository], stdout=subprocess.PIPE, text=True)
        for _ in range(5)
    ]
    assert {command.communicate(timeout=PATIENCE_S)[0] for command in commands} == {"src/a.py:1:def alpha():\n"}
    assert everdex("status", "--json", cwd=repository).json["daemon"]["answered"] == 5
    assert _stopped(repository) is not None


def test_a_shared_store_has_a_daemon_for_each_user(repository: Path, tmp_path: Path, home: Path) -> None:
    """Its socket lies in the user's own home, and the answers are those of the shared store."""
    shared = tmp_path / "shared"
    command = ("files", "--shared-store", shared, "--json")
    assert everdex("index", "--shared-store", shared, cwd=repository).code == 0
    before = everdex(*command, cwd=repository).json
    through = everdex(*command, "--daemon", cwd=repository).json
    assert (through["store_id"], through["files"]) == (before["store_id"], before["files"])
    status = everdex("status", "--shared-store", shared, "--json", cwd=repository).json
    assert Path(status["daemon"]["socket"]).parent == home / "run"
    assert status["shared"]
    assert not list(shared.glob("daemon*"))
    stopped = everdex("stop", "--shared-store", shared, "--json", cwd=repository).json
    assert stopped["pid"] == status["daemon"]["pid"]


@pytest.mark.parametrize(("limit", "reason"), [("DAEMON_IDLE_EXIT_S", "idle"), ("DAEMON_RSS_BYTES", "memory")])
def test_a_daemon_leaves_when_it_is_not_needed_or_too_large(
    repository: Path, home: Path, limit: str, reason: str
) -> None:
    """After the idle time, and when giving up its view does not bring its memory under the limit."""
    script = (
        "import sys\nfrom everdex import limits\nfrom everdex.surfaces.cli.app import run\n"
        "setattr(limits, sys.argv[1], 1)\nsys.exit(run(['serve', sys.argv[2]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, limit, repository], capture_output=True, text=True, check=False,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, _log(home)[-1]["reason"]) == (0, reason)
