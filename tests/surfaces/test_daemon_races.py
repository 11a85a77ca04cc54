"""What happens to a daemon between two steps of somebody else: a probe, a signal, another configuration."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from everdex.durable import PRIVATE
from everdex.errors import Busy, DaemonGone, DaemonStopping, EverdexError, Timeout
from everdex.service import rendezvous
from everdex.service.index import Index
from everdex.service.refreshing import RefreshJobs
from everdex.service.resident import ResidentIndex
from everdex.service.work import OwnWork
from everdex.snapshot import guard
from everdex.state.jobs import JobStatus
from everdex.surfaces.daemon import client, thin, wire
from everdex.surfaces.daemon.graphs import Graphs
from everdex.surfaces.daemon.making import Making
from everdex.surfaces.daemon.start import start
from everdex.surfaces.mcp.proxy import Proxy
from everdex.sync.model import SyncOptions
from support.commands import everdex
from support.daemons import resident
from support.trees import tree

FILES = {"app.py": "from core import go\n\n\ndef run():\n    return go()\n", "core.py": "def go():\n    return 1\n"}
OTHER = '[index]\nexclude = ["app.py"]\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "project", FILES)


@pytest.fixture
def warm(root: Path) -> Iterator[ResidentIndex]:
    with resident(root) as index:
        yield index


def test_who_only_looks_at_a_lock_keeps_nobody_from_taking_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`stop` and gc look at a lock by taking it for an instant: a daemon that starts then is not refused."""
    path = tmp_path / "daemon.lock"
    looking = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(looking, fcntl.LOCK_SH)  # as `is_locked` does
    monkeypatch.setattr(guard.time, "sleep", lambda _: os.close(looking))
    taken = guard.lock_for_life(path, PRIVATE)
    with pytest.raises(Busy):
        guard.lock_for_life(path, PRIVATE)
    os.close(taken)


def test_a_daemon_that_leaves_takes_no_other_s_entry_along(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two configurations the old one's daemon may leave after the new one's has come: that one is still found."""
    monkeypatch.chdir(root)
    old = Index.open(root)
    old.sync()
    (root / ".everdex.toml").write_text(OTHER)
    new = Index.open(root)
    new.sync()
    with rendezvous.claim(new) as second:
        with rendezvous.claim(old) as first:
            first.announce()
            second.announce()
        assert thin.find(".") == (os.fspath(second.socket), os.fspath(root))
    assert thin.find(".") is None


def test_the_maker_leaves_with_the_configuration(warm: ResidentIndex, root: Path) -> None:
    """Another configuration is no bug of the maker's: who waits is told that the daemon leaves, and asks the next."""
    found = warm.reader.graph_of()
    (root / ".everdex.toml").write_text(OTHER)
    with pytest.raises(DaemonStopping):
        Making(warm.index, found.snapshot_id).run(1 << 40)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_the_daemon_s_group_is_not_for_the_maker(
    warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """A terminal that closes, or a service that is ended, tells every process: the daemon ends its maker itself."""
    made = Making(warm.index, warm.reader.graph_of().snapshot_id)
    heard = Making._hear

    def hear(self: Making, phase: str, done: int, total: int) -> None:
        if self.phase == "":  # it is at work: its handlers are in place
            assert self._process is not None
            self._process.send_signal(number)
        heard(self, phase, done, total)

    monkeypatch.setattr(Making, "_hear", hear)
    assert made.run(1 << 40) == (2, 2)


def test_a_maker_that_is_killed_is_no_bug(warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel ends what takes too much memory: `daemon_gone` says by what, and to ask again."""
    monkeypatch.setattr(Making, "_hear", lambda self, *_: self._process.kill())
    with pytest.raises(DaemonGone, match="SIGKILL"):
        Making(warm.index, warm.reader.graph_of().snapshot_id).run(1 << 40)


def test_graphs_are_made_where_no_process_can_be_started_ahead(
    warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    """The next one is then started when it is needed: whoever makes graphs is still there."""

    def refused() -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("everdex.surfaces.daemon.graphs.start", refused)
    graphs = Graphs(warm, lambda *_, **__: None, unasked=False)
    graphs.start()
    try:
        graphs.ready(None, 60)
        (root / "core.py").write_text("def go():\n    return 2\n")
        warm.index.sync()
        assert graphs.ready(None, 60) == warm.reader.graph_of().snapshot_id
    finally:
        graphs.end()


def _no_wait(phase: str, _done: int, _total: int) -> None:
    assert phase != "wait", "it waits for a daemon that will never be its own"


def test_a_configuration_that_changes_while_a_daemon_starts_keeps_nobody_waiting(root: Path) -> None:
    """The daemon would be another index's: whoever started it is told at once, and none is left behind."""
    index = Index.open(root)
    (root / ".everdex.toml").write_text(OTHER)
    with pytest.raises(DaemonStopping):
        start(index, _no_wait)
    assert everdex("stop", "--json", cwd=root).json["pid"] is None


def test_a_configuration_that_breaks_while_a_daemon_starts_is_named(root: Path) -> None:
    """The code is the configuration's, not that some daemon ended."""
    index = Index.open(root)
    (root / ".everdex.toml").write_text("[index\n")
    with pytest.raises(EverdexError) as raised:
        start(index, _no_wait)
    assert raised.value.code == "config_invalid"


def test_an_agent_gets_its_answer_though_the_configuration_changes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change between its look at the configuration and the daemon's costs one more attempt."""
    proxy = Proxy(Index.open(root))
    current = Proxy._current

    def overtaken(self: Proxy) -> Index:
        index = current(self)
        (root / ".everdex.toml").write_text(OTHER)
        return index

    monkeypatch.setattr(Proxy, "_current", overtaken)
    try:
        assert [file["path"] for file in proxy.ask("files", {}, _no_wait)["files"]] == [".everdex.toml", "core.py"]
    finally:
        everdex("stop", cwd=root)


def test_a_daemon_that_takes_no_question_is_a_timeout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon that greets and then stands still: a code of ours, not the socket's."""
    path = tmp_path / "daemon.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        wire.at(os.fspath(path), listener.bind)
        listener.listen()
        accepted = []

        def greet() -> None:
            connection, _ = listener.accept()
            accepted.append(connection)
            connection.sendall(wire.frame(b'{"hello":{}}'))

        greeter = threading.Thread(target=greet)
        greeter.start()
        with client.Connection(path) as connection:
            greeter.join()
            monkeypatch.setattr(client, "_PATIENCE_S", 0.01)
            with pytest.raises(Timeout):
                connection.call("search", {"query": "x" * (wire.MAX_REQUEST - 1_000)})
        accepted[0].close()


@pytest.mark.parametrize(
    ("raised", "code"), [(KeyboardInterrupt(), "cancelled"), (OSError(28, "No space left on device"), "io_error")]
)
def test_a_job_that_was_interrupted_is_no_bug(root: Path, raised: BaseException, code: str) -> None:
    """Ctrl-C and a full disk have codes of their own in its record; `internal` is kept for bugs."""
    index = Index.open(root)
    jobs = RefreshJobs(index)
    number = jobs.enqueue(None)
    assert number is not None

    class Ended(OwnWork):
        def sync(self, options: SyncOptions) -> None:
            raise raised

    with pytest.raises(type(raised)):
        jobs.run(number, Ended(index))
    record = jobs.status(number)
    assert (record.status, record.error_code) == (JobStatus.FAILED, code)
