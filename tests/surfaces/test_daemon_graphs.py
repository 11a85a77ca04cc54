"""The daemon's graphs: made unasked beside it, waited for within bounds, told of in its status."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from everdex import limits, machine
from everdex.errors import Busy, DaemonGone, InternalError, LimitExceeded
from everdex.graph.making import unfinished
from everdex.graph.making.build import build
from everdex.graph.making.keep import begin_graph, graph_path
from everdex.graph.resolvers import Resolvers
from everdex.service import opening, relations
from everdex.service.index import Index, Reading
from everdex.service.resident import ResidentIndex
from everdex.surfaces.daemon import making
from everdex.surfaces.daemon.graphs import Graphs
from everdex.surfaces.daemon.making import Cancelled, Making
from everdex.view import open_view
from support.commands import everdex
from support.daemons import Daemon, resident
from support.graphs import silent
from support.processes import PATIENCE_S, alive, children, running, until
from support.trees import run_git, tree

FILES = {
    "app.py": "def helper():\n    return 1\n\n\ndef run():\n    return helper()\n",
    "cli.py": "import app\n\n\ndef main():\n    return app.run()\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "project", FILES, git=True)


@pytest.fixture
def warm(root: Path) -> Iterator[ResidentIndex]:
    with resident(root) as index:
        yield index


def graph_files(warm: ResidentIndex) -> list[str]:
    return [path.name for path in warm.reader.store.graphs.glob("*.graph")]


def test_whatever_happens_to_the_tree_is_in_the_next_answer(root: Path, tmp_path: Path) -> None:
    """Edits by every way of saving, files that come and go, rules and git, one right after the other."""

    def caller(name: str) -> str:
        return f"import app\n\n\ndef {name}():\n    return app.run()\n"

    def saved_beside(name: str) -> None:
        (root / ".cli.tmp").write_text(caller(name))
        (root / ".cli.tmp").replace(root / "cli.py")

    steps: list[tuple[Callable[[], object], set[str]]] = [
        (lambda: (root / "cli.py").write_text(caller("one")), {"cli.one"}),
        (lambda: saved_beside("two"), {"cli.two"}),
        (lambda: saved_beside("six"), {"cli.six"}),
        (lambda: (root / "new.py").write_text(caller("new")), {"cli.six", "new.new"}),
        (lambda: (saved_beside("ten"), (root / "new.py").unlink()), {"cli.ten"}),
        (lambda: tree(root / "sub", {"deep.py": caller("deep")}), {"cli.ten", "sub.deep.deep"}),
        (lambda: (root / "sub").rename(root / "top"), {"cli.ten", "top.deep.deep"}),
        (lambda: ((root / ".gitignore").write_text("top/\n"), saved_beside("end")), {"cli.end"}),
        (lambda: run_git(root, "checkout", "-q", "--", "cli.py"), {"cli.main"}),
        (lambda: (root / "cli.py").write_text(caller("last")), {"cli.last"}),
    ]
    with Daemon(root, tmp_path / "home") as daemon, daemon.wire() as wire:
        for number, (step, expected) in enumerate(steps):
            step()
            reply = wire.call("callers", symbol="app.run")
            while reply.get("error", {}).get("code") == "busy":
                reply = wire.call("callers", symbol="app.run")
            assert {edge["qualified_name"] for edge in reply["result"]["callers"]} == expected, number


def test_a_daemon_makes_the_graph_unasked(root: Path, tmp_path: Path) -> None:
    """After the start and again after an edit the graph is there before anybody asks; status tells."""
    with Daemon(root, tmp_path / "home") as daemon:
        daemon.settled()
        assert daemon.graph()["made"] == 1
        (root / "more.py").write_text("import app\n\n\ndef more():\n    return app.run()\n")
        with daemon.wire() as wire:
            assert wire.call("search", query="symbol:more")["result"]["results"]
        until(lambda: daemon.graph()["made"] == 2, "the graph of the edit")
        with daemon.wire() as wire:
            answer = wire.call("callers", symbol="run")["result"]
            told = wire.call("status")["result"]["daemon"]["graph"]
        assert [edge["qualified_name"] for edge in answer["callers"]] == ["cli.main", "more.more"]
        assert (told["state"], told["code"], told["made"]) == ("ready", None, 2)


def test_making_graphs_unasked_is_a_choice(root: Path, tmp_path: Path) -> None:
    """With `[daemon] graph = false` a graph is made for the first question, and answers it."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text("[daemon]\ngraph = false\n")
    with Daemon(root, home) as daemon:
        assert daemon.graph()["state"] == "unasked"
        with daemon.wire() as wire:
            found = wire.call("callers", symbol="helper")["result"]
        assert [edge["qualified_name"] for edge in found["callers"]] == ["app.run"]
        assert daemon.graph()["made"] == 1


def test_the_maker_leaves_with_the_daemon(root: Path, tmp_path: Path) -> None:
    """A daemon that is killed leaves no process behind that makes a graph for nobody."""
    with Daemon(root, tmp_path / "home") as daemon:
        daemon.settled()
        store = next((tmp_path / "home" / "data").iterdir())
        with open(store / "locks" / "graph.lock", "ab") as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # as another process does that makes the same graph
            (root / "more.py").write_text("x = 1\n")
            with daemon.wire() as wire:
                wire.call("search", query="x")
            until(lambda: daemon.graph()["state"] == "making", "the maker")
            makers = children(daemon.process.pid)
            assert makers
            daemon.process.send_signal(signal.SIGKILL)
            daemon.process.wait()
            until(lambda: not any(map(alive, makers)), "the maker's end")


class Slow:
    """Stands in for a process that makes a graph: does so when told to."""

    def __init__(
        self, index: Index, snapshot_id: str, *, niceness: int, workers: int, started: None, heard: Callable[[], None]
    ) -> None:
        self.heard = heard
        self.index, self.snapshot_id, self.gives_way = index, snapshot_id, (niceness, workers)
        self.phase, self.done, self.total = "graph", 3, 10
        self.go = self.cancelled = False
        self.left = None
        SLOW.append(self)

    def run(self, _most_bytes: int, _kept_bytes: int) -> tuple[int, int]:
        until(lambda: self.go or self.cancelled, "leave to go on")
        if self.cancelled:
            raise Cancelled
        made = opening.make(self.index, self.snapshot_id, relations.SyncOptions(), Resolvers())
        return made.changed, made.resolved

    def cancel(self) -> None:
        self.cancelled = True

    def seconds_left(self) -> float:
        return 4.0

    def resident_bytes(self) -> int:
        return 0


SLOW: list[Slow] = []


@pytest.fixture
def slow(warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graphs]:
    SLOW.clear()
    monkeypatch.setattr("everdex.surfaces.daemon.graphs.Making", Slow)
    monkeypatch.setattr("everdex.surfaces.daemon.graphs.start", lambda: None)
    monkeypatch.setattr(limits, "DAEMON_GRAPH_PATIENCE_S", 0.1)
    monkeypatch.setattr(limits, "DAEMON_GRAPH_QUIET_S", 0)
    monkeypatch.setattr(limits, "DAEMON_GRAPH_SHARE", 1)  # how long it rests would depend on how fast the machine is
    monkeypatch.setattr(machine, "workers", lambda: 6)
    graphs = Graphs(warm, lambda *_, **__: None, unasked=True)
    warm.graphs = graphs
    graphs.start()
    yield graphs
    graphs.end()


CALLERS = relations.Question("callers", "run")


def test_a_question_is_told_when_to_come_again(warm: ResidentIndex, slow: Graphs) -> None:
    """While its graph is made a question is busy, with how far it is; afterwards it is answered."""
    until(lambda: slow.describe()["state"] == "making", "the maker")
    with pytest.raises(Busy, match=r"3 of 10 files") as caught:
        warm.relations(CALLERS, Reading())
    assert caught.value.retry_after_ms == 4_000
    assert slow.describe()["state"] == "making"
    SLOW[0].go = True
    until(lambda: slow.describe()["state"] == "ready", "the graph")
    assert len(warm.relations(CALLERS, Reading()).to_dict()["callers"]) == 1
    assert len(SLOW) == 1


def test_a_question_is_answered_as_soon_as_the_graph_is_begun(
    warm: ResidentIndex, slow: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked just after an edit has no graph to be told from; it waits until files are being resolved, and not
    for those that do not decide it."""
    monkeypatch.setattr(limits, "DAEMON_GRAPH_PATIENCE_S", 600.0)
    monkeypatch.setattr(unfinished, "_MANY", 1)
    monkeypatch.setattr(unfinished, "_WAITING", 1)
    until(lambda: slow.describe()["state"] == "making", "the maker")
    SLOW[0].phase = "offers"
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(warm.relations, CALLERS, Reading())
        until(lambda: len(slow._wants) == 1, "the question")
        with warm.reader.pinned() as kept:
            assert begin_graph(kept.view, Resolvers(), workers=1, progress=lambda *_: None) is not None
        SLOW[0].phase = "graph"
        SLOW[0].heard()
        found = asked.result().to_dict()
    assert (len(found["callers"]), slow.describe()["state"]) == (1, "making")


def test_a_failure_before_the_graph_is_begun_is_told_at_once(
    warm: ResidentIndex, slow: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who waits for the graph to be begun hears that it cannot be; it is not made a second time for him."""
    monkeypatch.setattr(limits, "DAEMON_GRAPH_PATIENCE_S", 600.0)
    until(lambda: slow.describe()["state"] == "making", "the maker")
    SLOW[0].phase = "offers"
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(warm.relations, CALLERS, Reading())
        until(lambda: len(slow._wants) == 1, "the question")
        monkeypatch.setattr("everdex.service.opening.make", lambda *_: 1 / 0)
        SLOW[0].go = True
        with pytest.raises(InternalError):
            asked.result()
    assert len(SLOW) == 1


def test_who_is_asked_back_does_not_wait_for_the_graph(warm: ResidentIndex, slow: Graphs, root: Path) -> None:
    """Several definitions fit, or none: that is the answer while the first graph is made, and one has to wait."""
    (root / "other.py").write_text("def run():\n    return 2\n")
    several = warm.relations(relations.Question("callers", "run"), Reading(), wait_s=0.0)
    assert [item["path"] for item in several.body["matches"]] == ["app.py", "other.py"]
    assert warm.relations(relations.Question("impact", "runn"), Reading(), wait_s=0.0).body["symbol"] is None
    with pytest.raises(Busy):
        warm.relations(relations.Question("callers", "helper"), Reading(), wait_s=0.0)


def test_editing_does_not_keep_a_graph_from_being_finished(warm: ResidentIndex, slow: Graphs, root: Path) -> None:
    """Edits while one is made lead to one more, of the newest snapshot; none in between is made."""
    until(lambda: len(SLOW) == 1, "the first")
    for number in range(3):
        (root / f"new{number}.py").write_text("import app\napp.run()\n")
        warm.freshness()
    SLOW[0].go = True
    until(lambda: len(SLOW) == 2, "the second")
    SLOW[1].go = True
    until(lambda: slow.describe()["state"] == "ready", "both")
    assert [maker.gives_way for maker in SLOW] == [(10, 3), (10, 3)], "nobody waits for them"
    assert SLOW[1].snapshot_id == warm.reader.graph_of().snapshot_id
    assert len(warm.relations(CALLERS, Reading()).to_dict()["callers"]) == 4


def test_a_waiting_question_is_answered_though_edits_go_on(
    warm: ResidentIndex, slow: Graphs, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question takes the first graph that is no older than what it asked about, active or not."""
    monkeypatch.setattr(limits, "DAEMON_GRAPH_PATIENCE_S", PATIENCE_S)
    until(lambda: len(SLOW) == 1, "the first")
    answers: list[dict[str, Any]] = []
    asker = threading.Thread(target=lambda: answers.append(warm.relations(CALLERS, Reading()).to_dict()))
    asker.start()
    until(lambda: bool(slow._wants), "the question")
    (root / "later.py").write_text("import app\napp.run()\n")
    warm.freshness()
    SLOW[0].go = True
    asker.join(PATIENCE_S)
    assert answers[0]["snapshot_id"] == SLOW[0].snapshot_id
    assert answers[0]["snapshot_id"] != warm.reader.graph_of().snapshot_id
    assert len(answers[0]["callers"]) == 1


def test_what_somebody_waits_for_gets_the_whole_machine(warm: ResidentIndex, slow: Graphs, root: Path) -> None:
    """A graph begun while a question comes again and again does not give way and has every worker."""
    until(lambda: len(SLOW) == 1, "the first")
    (root / "new.py").write_text("import app\napp.run()\n")
    with pytest.raises(Busy):
        warm.relations(CALLERS, Reading())
    SLOW[0].go = True
    until(lambda: len(SLOW) == 2, "the second")
    SLOW[1].go = True
    assert SLOW[1].gives_way == (0, 6)


def test_few_questions_wait_at_once(warm: ResidentIndex, slow: Graphs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions that wait for a graph never take all places: beyond a few they are busy at once."""
    monkeypatch.setattr(limits, "DAEMON_GRAPH_WAITING", 0)
    monkeypatch.setattr(limits, "DAEMON_GRAPH_PATIENCE_S", 600)
    with pytest.raises(Busy):
        warm.relations(CALLERS, Reading())


def test_the_end_does_not_wait_for_a_graph(warm: ResidentIndex, slow: Graphs) -> None:
    """A daemon that leaves ends what it was making."""
    until(lambda: slow.describe()["state"] == "making", "the maker")
    slow.end()
    until(lambda: SLOW[0].cancelled and slow.describe()["state"] != "making", "the end")
    assert graph_files(warm) == []


def test_memory_is_bounded(warm: ResidentIndex) -> None:
    """A process that needs more than its share is ended, and the reason says what to do."""
    found = warm.reader.graph_of()
    with pytest.raises(LimitExceeded, match="MiB") as caught:
        Making(warm.index, found.snapshot_id).run(1 << 20)
    assert "--offline" in caught.value.hint
    assert graph_files(warm) == []


def test_workers_help_with_much_and_their_memory_is_bounded(
    warm: ResidentIndex, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of new files are resolved by workers; one of those that grows too large ends the whole."""
    for number in range(420):
        (root / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n")
    warm.index.sync()
    found = warm.reader.graph_of()
    seen: set[int] = set()

    def only_workers_are_large(pid: int) -> int:
        seen.add(pid)
        return len(seen) - 1

    monkeypatch.setattr(making, "_LOOK_S", 0.01)
    monkeypatch.setattr(making, "resident_bytes", only_workers_are_large)
    with pytest.raises(LimitExceeded):
        Making(warm.index, found.snapshot_id, workers=2).run(0)
    assert len(seen) in (2, 3)  # both workers may have begun between two looks
    assert graph_files(warm) == []
    monkeypatch.setattr(making, "resident_bytes", lambda pid: 0)
    assert Making(warm.index, found.snapshot_id, workers=2).run(0) == (422, 422)
    assert warm.reader.graph_of().made


def test_a_maker_that_dies_is_an_error(warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked for then fails with a code, and the next attempt is a new one."""
    found = warm.reader.graph_of()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/bin/false")
        with pytest.raises(InternalError, match="ended with code 1"):
            Making(warm.index, found.snapshot_id).run(1 << 40)
    assert Making(warm.index, found.snapshot_id).run(1 << 40) == (2, 2)
    assert warm.reader.graph_of().made


def test_a_maker_that_is_stopped_is_ended(warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or whoever asks would be told to come again, for ever; the next attempt is a new one."""
    monkeypatch.setattr(limits, "STOPPED_S", 0.2)
    found = warm.reader.graph_of()
    process = making.start()
    os.kill(process.pid, signal.SIGSTOP)
    with pytest.raises(DaemonGone, match="was stopped and stood still"):
        Making(warm.index, found.snapshot_id, started=process).run(1 << 40)
    assert process.returncode == -signal.SIGKILL
    assert Making(warm.index, found.snapshot_id).run(1 << 40) == (2, 2)


def test_a_graph_that_cannot_be_kept_is_an_error(root: Path, tmp_path: Path) -> None:
    """On a full disk a question would have it made again and again, for ever; it hears why not, and what to do."""
    (root / "many.py").write_text("".join(f"def f{number}():\n    return f{number}()\n\n\n" for number in range(200)))
    env = {"EVERDEX_HOME": str(tmp_path / "home")}
    made = everdex("map", "--json", cwd=root, env=env)
    (kept,) = (tmp_path / "home").rglob("*.graph")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", kept.parent], check=False)
    if mounted.returncode != 0:
        pytest.skip("mounting needs privileges")
    try:
        with Daemon(root, tmp_path / "home"):
            asked = everdex("map", cwd=root, env=env)
            assert asked.code == 70
            assert "everdex: the graph could not be kept: " in asked.err
            assert "--offline" in asked.err
            offline = everdex("map", "--offline", "--json", cwd=root, env=env)
            assert offline.json["sections"] == made.json["sections"]
    finally:
        subprocess.run(["umount", "-l", kept.parent], check=True)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The processes for graphs, in their order."""
    found: list[Any] = []
    real = making.start

    def start() -> Any:
        found.append(real())
        return found[-1]

    monkeypatch.setattr(making, "start", start)
    monkeypatch.setattr("everdex.surfaces.daemon.graphs.start", start)
    return found


def test_the_process_for_the_next_graph_is_started_ahead(
    warm: ResidentIndex, root: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit is resolved by a process that waited for it; one that waits in vain ends, or with the daemon."""
    graphs = Graphs(warm, lambda *_, **__: None, unasked=False)
    warm.graphs = graphs
    graphs.start()
    try:
        monkeypatch.setattr(limits, "DAEMON_GRAPH_KEPT_BYTES", 0)
        graphs.ready(None, PATIENCE_S)
        until(lambda: len(started) == 2, "the one ahead")
        (root / "more.py").write_text("import app\n\n\ndef more():\n    return app.run()\n")
        warm.index.sync()
        monkeypatch.setattr(limits, "DAEMON_GRAPH_AHEAD_S", 0)
        graphs.ready(None, PATIENCE_S)
        until(lambda: len(started) == 3, "the next one ahead")
        until(lambda: all(each.poll() is not None for each in started), "that it is let go")
        monkeypatch.setattr(limits, "DAEMON_GRAPH_AHEAD_S", 600)
        (root / "more.py").write_text("def other():\n    return 1\n")
        warm.index.sync()
        graphs.ready(None, PATIENCE_S)
        until(lambda: len(started) == 5, "the last one ahead")
        assert graphs.resident_bytes() > 0
    finally:
        graphs.end()
    until(lambda: started[-1].poll() is not None, "the end of all")


def test_the_process_that_made_a_graph_makes_the_next(
    warm: ResidentIndex, root: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an edit asks it knows already; it ends when nothing is wanted for long, or with the daemon."""
    graphs = Graphs(warm, lambda *_, **__: None, unasked=False)
    warm.graphs = graphs
    graphs.start()
    try:
        graphs.ready(None, PATIENCE_S)
        for number in range(3):
            (root / "more.py").write_text(f"import app\n\n\ndef more{number}():\n    return app.run()\n")
            warm.index.sync()
            answered = graphs.ready(None, PATIENCE_S)
            assert answered == warm.reader.graph_of().snapshot_id
            with open_view(warm.index.store()) as view:
                clean = build(view, Resolvers(), None, workers=1, progress=silent)
                assert graph_path(view, Resolvers()).read_bytes() == clean.data
        assert len(started) == 1
        assert started[0].poll() is None
        monkeypatch.setattr(limits, "DAEMON_GRAPH_KEPT_S", 0)
        (root / "more.py").write_text("def other():\n    return 1\n")
        warm.index.sync()
        graphs.ready(None, PATIENCE_S)
        until(lambda: started[0].poll() is not None, "that it is let go")
    finally:
        graphs.end()


def test_a_failure_reaches_the_question(warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that cannot be made is an error of the question, not a wait without end; status names the code."""
    monkeypatch.setattr(limits, "DAEMON_GRAPH_RSS_BYTES", 1 << 20)
    graphs = Graphs(warm, lambda *_, **__: None, unasked=False)
    warm.graphs = graphs
    graphs.start()
    try:
        with pytest.raises(LimitExceeded):
            warm.relations(CALLERS, Reading())
        assert (graphs.describe()["state"], graphs.describe()["code"]) == ("too_large", "limit_exceeded")
    finally:
        graphs.end()


def test_the_command_line_waits_for_the_graph(root: Path, tmp_path: Path) -> None:
    """A command meets a daemon that is still making the graph, waits for it and answers."""
    with Daemon(root, tmp_path / "home") as daemon:
        daemon.settled()
        store = next((tmp_path / "home" / "data").iterdir())
        (root / "more.py").write_text("import app\n\n\ndef more():\n    return app.run()\n")
        with ThreadPoolExecutor(1) as pool, open(store / "locks" / "graph.lock", "ab") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            before = daemon.metrics()["failed"]
            full = {**daemon.env, "EVERDEX_DEBUG": "1"}  # the thin client lets the daemon wait first
            asked = pool.submit(everdex, "callers", "run", "--json", cwd=root, env=full)
            until(lambda: daemon.metrics()["failed"] > before, "that it is told to come again")
            assert not asked.done()
            fcntl.flock(held, fcntl.LOCK_UN)
            done = asked.result(PATIENCE_S)
        assert [edge["qualified_name"] for edge in done.json["callers"]] == ["cli.main", "more.more"]


def test_who_comes_again_hears_that_the_graph_cannot_be_made(root: Path, tmp_path: Path) -> None:
    """A maker that is killed is replaced once; killed again, the question ends with a code and a hint."""
    with Daemon(root, tmp_path / "home") as daemon:
        daemon.settled()
        store = next((tmp_path / "home" / "data").iterdir())
        (root / "more.py").write_text("import app\n\n\ndef more():\n    return app.run()\n")
        full = {**daemon.env, "EVERDEX_ALWAYS_REHASH": "1"}  # the thin client lets the daemon wait first
        with ThreadPoolExecutor(1) as pool, open(store / "locks" / "graph.lock", "ab") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            asked = pool.submit(everdex, "callers", "run", cwd=root, env=full)
            for number in range(2):
                before = daemon.metrics()["failed"]
                until(lambda told=before: daemon.metrics()["failed"] > told, f"that it comes again, {number}")
                (maker,) = running("daemon.grapher", children(daemon.process.pid))
                os.kill(maker, signal.SIGKILL)
                until(lambda gone=maker: not alive(gone), "its end")
            done = asked.result(PATIENCE_S)
        assert (done.code, done.out) == (10, "")
        assert "everdex: the process that makes the graph was ended by SIGKILL\nhint: ask again" in done.err
