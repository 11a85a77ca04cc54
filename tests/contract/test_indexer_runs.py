"""An indexer is a stranger's build run on the user's machine: bounded, confined, and gone when it is over."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from everdex import limits
from everdex.errors import Cancelled, IndexerFailed, LimitExceeded, Timeout
from everdex.semantic import keeper, running
from everdex.semantic.running import Ran, Run
from everdex.semantic.tools import TOOLS, environment, installed, locate
from support.indexers import put_indexer
from support.processes import PATIENCE_S, Child, alive, until

# Runs an indexer and is killed in the middle of it.
_RUNNING = """
from pathlib import Path
from everdex.semantic.running import Run
from everdex.semantic.tools import TOOLS, installed
root, scratch = Path(ARGS[0]), Path(ARGS[1])
Run(installed(TOOLS["scip-python"], root), root, scratch, "", "tree").run(600)
"""
# A child that left the process group, and its number in a file.
_ESCAPING = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open(os.environ["TMPDIR"] + "/escaped.new", "w") as stream:
            stream.write(str(os.getpid()))
        os.rename(os.environ["TMPDIR"] + "/escaped.new", os.environ["TMPDIR"] + "/escaped")
        time.sleep(600)
    os._exit(0)
"""
_TRIED = """
def tried(what):
    try:
        what()
    except PermissionError:
        return "refused"
    return "done"
"""


class Place:
    """A repository, a scratch directory, and programs."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.scratch = tmp_path / "repository", tmp_path / "scratch"
        self._bin, self._monkeypatch = tmp_path / "bin", monkeypatch
        self.root.mkdir()
        (self.scratch / "tree" / "sub").mkdir(parents=True)

    def prepared(self, body: str) -> Run:
        put_indexer(self._bin, self._monkeypatch, body)
        program = installed(TOOLS["scip-python"], self.root)
        assert program is not None
        return Run(program, self.root, self.scratch, "sub", "the-name")

    def run(self, body: str, seconds: float = PATIENCE_S) -> Ran:
        return self.prepared(body).run(seconds)

    def escaped(self) -> int:
        """The process that an indexer left behind, once there is one."""
        told = self.scratch / "tmp" / "escaped"
        until(told.exists, "a process that leaves")
        return int(told.read_text())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


# -- what it is given ----------------------------------------------------------------------------


def test_an_indexer_writes_one_file_and_is_told_where(place: Place) -> None:
    """It runs in the context's directory of the copy; its output is in the scratch directory."""
    ran = place.run('open(output, "w").write(os.getcwd())')
    assert ran.output.read_text() == str(place.scratch / "tree" / "sub")
    assert (ran.output.parent, ran.size) == (place.scratch, ran.output.stat().st_size)


def test_an_indexer_sees_little_of_the_user(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """No secrets of the environment, nothing to read from standard input, no priority, no privileges to gain."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    monkeypatch.setenv("LD_PRELOAD", "")
    monkeypatch.setenv("NODE_OPTIONS", "--require=/tmp/evil.js")
    ran = place.run(
        "status = dict(l.split(':', 1) for l in open('/proc/self/status').read().splitlines())\n"
        "said = [sorted(os.environ), sys.stdin.read(), os.nice(0), status['NoNewPrivs'].strip(), os.environ]\n"
        "json.dump(said[:4] + [os.environ['NODE_OPTIONS']], open(output, 'w'))"
    )
    names, read, niceness, locked, options = json.loads(ran.output.read_text())
    assert set(names) <= {"HOME", "PATH", "LC_ALL", "LC_CTYPE", "TMPDIR", "XDG_CACHE_HOME", "NODE_OPTIONS"}
    assert (read, locked) == ("", "1")
    assert niceness >= limits.SEMANTIC_NICENESS
    assert "evil" not in options


_CONFINED = tuple(keeper.confinement(connects=False)["confined"])


@pytest.mark.skipif(keeper.WRITES not in _CONFINED, reason="this kernel has no Landlock of version 3")
def test_an_indexer_writes_nowhere_else(place: Place) -> None:
    """Neither a file of the repository nor the home can be changed, made, truncated or removed by what it runs."""
    (place.root / "kept.py").write_text("kept")
    ran = place.run(
        f"""{_TRIED}
root = {str(place.root)!r}
json.dump([
    tried(lambda: open(root + "/new.py", "w")), tried(lambda: open(root + "/kept.py", "a")),
    tried(lambda: os.truncate(root + "/kept.py", 0)), tried(lambda: os.unlink(root + "/kept.py")),
    tried(lambda: os.mkdir(root + "/directory")), tried(lambda: os.rename(root + "/kept.py", root + "/other.py")),
    tried(lambda: os.symlink("/etc", root + "/link")), tried(lambda: open(os.environ["HOME"] + "/.planted", "w")),
    tried(lambda: open("/dev/null", "w")), tried(lambda: open(os.environ["TMPDIR"] + "/mine", "w")),
], open(output, "w"))
"""
    )
    assert json.loads(ran.output.read_text()) == ["refused"] * 8 + ["done"] * 2
    assert [path.name for path in place.root.iterdir()] == ["kept.py"]
    assert keeper.WRITES in ran.confined


@pytest.mark.skipif(keeper.CONNECTIONS not in _CONFINED, reason="this kernel or machine filters no system calls")
def test_an_indexer_connects_to_nobody(place: Place, home: Path) -> None:
    """No TCP, no UDP, and no socket of another program of the user: many of those do what they are told."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as agent:
        agent.bind(str(home.parent / "agent"))
        agent.listen()
        ran = place.run(
            f"""{_TRIED}
pair = lambda kind: socket.socketpair(socket.AF_UNIX, kind)
json.dump([
    tried(lambda: socket.create_connection(("127.0.0.1", {server.getsockname()[1]}))),
    tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))),
    tried(lambda: socket.socket(socket.AF_UNIX).connect({str(home.parent / "agent")!r})),
    tried(lambda: pair(socket.SOCK_DGRAM)[0].sendto(b"x", {str(home.parent / "agent")!r})),
    tried(lambda: pair(socket.SOCK_STREAM)), tried(lambda: pair(socket.SOCK_SEQPACKET)),
    tried(lambda: subprocess.run(["true"], check=True)),
], open(output, "w"))
"""
        )
    assert json.loads(ran.output.read_text()) == ["refused"] * 4 + ["done"] * 3
    assert keeper.CONNECTIONS in ran.confined


@pytest.mark.skipif(keeper.SIGNALS not in _CONFINED, reason="this kernel has no Landlock of version 6")
def test_an_indexer_cannot_kill_its_keeper(place: Place) -> None:
    """Nor any other process of the user: what it started would outlive it."""
    ran = place.run(
        f"""{_TRIED}
json.dump([tried(lambda: os.kill(pid, signal.SIGKILL)) for pid in (os.getppid(), {os.getpid()})], open(output, "w"))
"""
    )
    assert json.loads(ran.output.read_text()) == ["refused"] * 2


def test_no_indexer_can_write_what_is_run_later() -> None:
    """Caches at most: no directory of programs, of settings or of scripts that other builds start with."""
    run_later = (
        ".gradle/init.d/x.gradle", ".gradle/gradle.properties", ".m2/settings.xml", ".dotnet/tools/scip-dotnet",
        ".nuget/NuGet/NuGet.Config", ".nuget/plugins/x", ".local/bin/x", ".cargo/bin/x", ".bashrc",
    )  # fmt: skip
    for tool in TOOLS.values():
        for name in run_later:
            assert not any(Path(name).is_relative_to(allowed) for allowed in tool.writes), (tool.name, name)


def test_an_indexer_ends_with_its_keeper(place: Place) -> None:
    """A keeper that is killed (for its memory, say) takes the indexer along, and the run says so."""
    run = place.prepared(
        "open(os.environ['TMPDIR'] + '/pids.new', 'w').write(f'{os.getppid()} {os.getpid()}')\n"
        "os.rename(os.environ['TMPDIR'] + '/pids.new', os.environ['TMPDIR'] + '/pids')\ntime.sleep(600)"
    )
    told = place.scratch / "tmp" / "pids"
    killer = threading.Thread(
        target=lambda: (until(told.exists, "the indexer"), os.kill(int(told.read_text().split()[0]), signal.SIGKILL))
    )
    killer.start()
    with pytest.raises(IndexerFailed, match="ended by signal 9"):
        run.run(PATIENCE_S)
    killer.join()
    until(lambda: not alive(int(told.read_text().split()[1])), "the indexer's end")


def test_an_unconfined_run_says_so(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kernel has nothing, the indexer runs all the same and nothing is claimed."""
    monkeypatch.setattr(keeper, "confinement", lambda connects: {"landlock": 0, "filters": False, "confined": []})
    assert place.run('open(output, "w").write("x")').confined == ()


# -- what it may take ----------------------------------------------------------------------------


def test_an_indexer_that_hangs_is_ended_with_all_it_started(place: Place) -> None:
    """Also what has left its process group."""
    run = place.prepared(_ESCAPING + "time.sleep(600)")
    passed = [0.0]

    def look(_: int) -> None:
        """Its time is up once it has started something."""
        passed[0] = 3_600 if (place.scratch / "tmp" / "escaped").exists() else 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "time", SimpleNamespace(monotonic=lambda: passed[0]))
        with pytest.raises(Timeout, match="scip-python was not done within"):
            run.run(60, look)
    assert not alive(place.escaped())


def test_what_an_indexer_leaves_behind_ends_with_it(place: Place) -> None:
    """A daemon that it started is no business of the user's."""
    place.run(_ESCAPING + 'open(output, "w").write("x")\nwhile not os.path.exists(os.environ["TMPDIR"] + "/escaped"):\n'
                          "    time.sleep(.01)")  # fmt: skip
    assert not alive(place.escaped())


def test_an_indexer_ends_when_everdex_is_killed(place: Place) -> None:
    """Nobody is left who could end it later."""
    place.prepared(_ESCAPING + "time.sleep(600)")
    with Child(_RUNNING, str(place.root), str(place.scratch)) as child:
        (place.scratch / "tree").mkdir(exist_ok=True)
        escaped = place.escaped()
        os.kill(child.process.pid, signal.SIGKILL)
        until(lambda: not alive(escaped), "its end")


def test_an_indexer_can_be_cancelled(place: Place) -> None:
    """From another thread, while it runs or before."""
    run = place.prepared(_ESCAPING + "time.sleep(600)")
    threading.Thread(target=lambda: (place.escaped(), run.cancel()), daemon=True).start()
    with pytest.raises(Cancelled):
        run.run(PATIENCE_S)
    assert not alive(place.escaped())
    with pytest.raises(Cancelled):
        run.run(PATIENCE_S)


def test_an_indexer_cannot_fill_the_disk(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by one file nor by many."""
    monkeypatch.setattr(limits, "MAX_SCIP_BYTES", 1 << 20)
    with pytest.raises(IndexerFailed, match="File too large"):
        place.run('open(output, "wb").write(bytes(2 << 20))')
    monkeypatch.setattr(limits, "SEMANTIC_SCRATCH_BYTES", 4 << 20)
    with pytest.raises(LimitExceeded, match="wrote more than 4 MiB"):
        place.run("for n in range(8):\n    open(f'{n}', 'wb').write(bytes(1 << 20))\ntime.sleep(600)")


def test_an_indexer_cannot_take_all_memory(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own allocation fails; nobody else's does."""
    monkeypatch.setattr(limits, "SEMANTIC_MEMORY_BYTES", 256 << 20)
    with pytest.raises(IndexerFailed, match="MemoryError"):
        place.run("bytearray(1 << 30)")


def test_an_indexer_may_say_as_much_as_it_likes(place: Place) -> None:
    """Only the last of it is kept, and it stands in the error."""
    with pytest.raises(IndexerFailed) as told:
        place.run("for n in range(200_000): print('chatter ' * 20)\nsys.exit('the reason')")
    assert told.value.message.endswith("the reason")
    assert len(told.value.message) < 3_000


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("sys.exit(3)", "ended with 3: it said nothing"),
        ("os.kill(os.getpid(), 9)", "ended by signal 9"),
        ("print('no project here')", "wrote no index: no project here"),
        ("open(output, 'w')", "wrote an empty index"),
        ("os.symlink('/etc/passwd', output)", "wrote an empty index"),
        ("os.mkdir(output)", "wrote an empty index"),
    ],
)
def test_a_run_that_comes_to_nothing_says_why(place: Place, body: str, says: str) -> None:
    """Whatever way it fails."""
    with pytest.raises(IndexerFailed, match=says):
        place.run(body)


# -- where it comes from -------------------------------------------------------------------------


def test_an_indexer_is_never_taken_from_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by an entry of PATH inside it, not by a link into it, not by a relative entry."""
    root, outside = tmp_path / "repository", tmp_path / "bin"
    planted = put_indexer(root / "node_modules" / ".bin", monkeypatch, "")
    outside.mkdir()
    (outside / "scip-python").symlink_to(planted)
    (tmp_path / "linked").symlink_to(planted.parent)
    monkeypatch.chdir(root)
    entries = (planted.parent, outside, tmp_path / "linked", "node_modules/.bin", "")
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, entries)))
    assert locate("scip-python", root) is None
    (outside / "scip-python").unlink()
    good = put_indexer(outside, monkeypatch, "")
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, entries)))
    found = installed(TOOLS["scip-python"], root)
    assert found is not None
    assert (found.path, found.version) == (str(good), "9.9.9")
    # nor are the programs that it starts: many an indexer begins with `env node`
    assert environment(TOOLS["scip-python"], root, {})["PATH"] == str(outside)


def test_a_program_that_does_not_run_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found, and of no use."""
    program = put_indexer(tmp_path / "bin", monkeypatch, "")
    program.write_text("#!/bin/sh\necho 'Unknown binary' >&2\nexit 1\n")
    found = installed(TOOLS["scip-python"], tmp_path / "repository")
    assert found is not None
    assert (found.version, found.problem) == (None, "Unknown binary")
