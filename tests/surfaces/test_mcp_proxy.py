"""`everdex mcp` holds no index: it asks the daemon of its root, and says with a code when there is none to ask."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the MCP server is an extra: pip install 'everdex[mcp]'")

from support.agents import Agent
from support.commands import COMMAND, everdex
from support.daemons import Wire
from support.processes import PATIENCE_S, until
from support.trees import tree

MESSAGES = [
    {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "alpha"}},
    },
]  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "project", {"a.py": "def alpha():\n    return 1\n"}, git=True)


def _daemon(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = everdex("status", "--no-sync", "--json", cwd=root).json["daemon"]
    return found


def test_two_agents_share_one_daemon(root: Path) -> None:
    """The first call of the first agent starts it; everybody's questions are answered there."""
    with Agent(root) as one, Agent(root) as two:
        assert one.ask("search", query="alpha")["results"]
        before = _daemon(root)
        assert two.ask("symbol", name="alpha")["definitions"]
        assert one.ask("grep", pattern="return")["matches"]
        after = _daemon(root)
    assert (after["pid"], after["answered"]) == (before["pid"], before["answered"] + 3)
    assert everdex("stop", "--json", cwd=root).json["pid"] == before["pid"]


def test_a_call_that_waits_for_the_graph_reports_progress(root: Path, home: Path) -> None:
    """Progress grows with every word while the graph is made, and the answer comes."""
    with Agent(root) as agent:
        assert agent.ask("references", symbol="alpha")["symbol"]
        (root / "b.py").write_text("from a import alpha\n\n\ndef beta():\n    return alpha()\n")
        store = next((home / "data").iterdir())
        with open(store / "locks" / "graph.lock", "ab") as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # as another process does that makes the same graph

            def heard(reports: list[tuple[float, float | None]]) -> None:
                if len(reports) == 3:
                    fcntl.flock(held, fcntl.LOCK_UN)

            told = [done for done, _ in agent.watch("references", symbol="alpha", heard=heard)]
        assert len(told) >= 3
        assert told == sorted(set(told))
        assert len(agent.ask("references", symbol="alpha")["references"]) == 2
    everdex("stop", cwd=root)


def test_the_server_itself_holds_no_index(root: Path) -> None:
    """After an answer neither numpy nor any file of the store is mapped into the process that speaks MCP."""
    process = subprocess.Popen(
        [*COMMAND, "mcp", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("".join(json.dumps(message) + "\n" for message in MESSAGES))
    process.stdin.flush()
    while json.loads(process.stdout.readline()).get("id") != 2:
        pass
    maps = Path(f"/proc/{process.pid}/maps").read_text()
    process.communicate(timeout=PATIENCE_S)
    assert "_pydantic_core" in maps
    assert [line for line in maps.splitlines() if "numpy" in line or "/data/" in line] == []


def test_a_daemon_that_dies_costs_one_call(root: Path, home: Path) -> None:
    """Killed in the middle of a question: that call gets a code, and the next one starts another daemon."""
    with Agent(root) as agent:
        agent.ask("search", query="alpha")
        running = _daemon(root)
        first = running["pid"]
        (lock,) = home.glob("data/*/locks/readers.lock")
        with ThreadPoolExecutor(1) as pool, Wire(running["socket"]) as wire, lock.open("r+b") as held:
            fcntl.flock(held, fcntl.LOCK_EX)  # no question can be answered
            failed = pool.submit(agent.fail, "search", query="alpha")
            until(lambda: wire.call("ping")["result"]["in_flight"], "the question")
            os.kill(first, signal.SIGKILL)
            assert failed.result(PATIENCE_S)["code"] == "daemon_gone"
        assert agent.ask("search", query="alpha")["results"]
        assert _daemon(root)["pid"] != first


def test_where_no_daemon_can_run_the_answer_is_a_code(root: Path, home: Path) -> None:
    """A file where its socket's folder should be: each call is told so, and works as soon as that is mended."""
    home.mkdir(exist_ok=True)
    (home / "run").write_text("in the way")
    with Agent(root) as agent:
        assert agent.fail("search", query="alpha")["code"] == "io_error"
        (home / "run").unlink()
        assert agent.ask("search", query="alpha")["results"]


def test_a_daemon_that_ends_at_once_is_reported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever kills it at its start, the caller hears `daemon_unavailable` and does not wait."""
    index = everdex("index", root)
    assert index.code == 0
    monkeypatch.setenv("PYTHONHOME", "/nonexistent")  # of the child only: we have started already
    from everdex.errors import DaemonUnavailable
    from everdex.service.index import Index
    from everdex.surfaces.daemon.start import start

    with pytest.raises(DaemonUnavailable):
        start(Index.open(root), lambda *_: None)


@pytest.mark.parametrize(("phase", "said", "stays"), [
    (["index", 1_200, 80_000], "the index is being brought up to date: 1,200 of 80,000 files", True),
    (["wait", 0, 0], "another process is at work on the index", False),
])  # fmt: skip
def test_a_first_index_that_takes_longer_than_clients_wait_is_told(
    root: Path, monkeypatch: pytest.MonkeyPatch, phase: list[Any], said: str, stays: bool
) -> None:
    """How far it is and when to ask again, before the client gives up. Whoever builds it goes on; whoever only waits
    for that does not."""
    from everdex.errors import Busy
    from everdex.service.index import Index
    from everdex.surfaces.mcp import proxy

    program = f"import time; print({json.dumps({'progress': phase})!r}, flush=True); time.sleep(60)"
    began: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def begin(command: list[str], **given: Any) -> subprocess.Popen[bytes]:
        if "serve" not in command:
            return popen(command, **given)
        began.append(popen([command[0], "-c", program], **given))
        return began[-1]

    monkeypatch.setattr("everdex.surfaces.daemon.start.subprocess.Popen", begin)
    monkeypatch.setattr(proxy, "_PATIENCE_S", 6.0)
    heard: list[str] = []
    with pytest.raises(Busy) as raised:
        proxy.Proxy(Index.open(root)).ask("search", {"query": "alpha"}, lambda phase, *_: heard.append(phase))
    monkeypatch.undo()
    [child] = began
    try:
        assert raised.value.message == said
        assert raised.value.retry_after_ms
        assert phase[0] in heard
        if stays:
            assert child.poll() is None
        else:
            assert child.wait(PATIENCE_S) == -signal.SIGKILL
    finally:
        child.kill()
        child.wait()
