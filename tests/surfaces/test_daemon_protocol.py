"""Whatever a client sends or leaves undone: a coded refusal for it, and nobody else notices."""

from __future__ import annotations

import os
import re
import select
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everdex import limits
from everdex.errors import Busy
from everdex.surfaces.daemon import wire as wires
from everdex.surfaces.daemon.admission import Admission, Job
from everdex.surfaces.daemon.methods import METHODS
from everdex.surfaces.daemon.metrics import Metrics
from everdex.surfaces.daemon.protocol import Request
from everdex.surfaces.daemon.replies import answered
from support.commands import COMMAND
from support.daemons import HELLO, Daemon, Wire, frame
from support.processes import PATIENCE_S, until
from support.trees import tree

PAGE = Path(__file__).resolve().parents[2] / "docs" / "daemon.md"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    base = tmp_path_factory.mktemp("daemon")
    root = tree(base / "project", {"a.py": "def alpha():\n    return 1\n"}, git=True)
    with Daemon(root, base / "home") as running:
        yield running
        with running.wire() as wire:  # after everything below it is alive and answers
            assert wire.call("search", query="alpha")["result"]["results"]


def test_limits_are_spelled_alike() -> None:
    """The module without imports has the limits of limits.py."""
    assert (wires.MAX_REQUEST, wires.MAX_RESPONSE) == (limits.MAX_REQUEST_BYTES, limits.MAX_RESPONSE_BYTES)


def test_hello_agrees_on_the_highest_common_version(daemon: Daemon) -> None:
    """Versions of the future are offered and the common one is taken."""
    with daemon.wire(greet=False) as wire:
        wire.send({"hello": {"protocols": [9, 1, "x", None]}})
        hello = wire.receive()["hello"]
        assert (hello["protocol"], hello["pid"], hello["root"]) == (1, daemon.process.pid, str(daemon.root))


@pytest.mark.parametrize(
    ("first", "code"),
    [
        ({"hello": {"protocols": [2]}}, "incompatible"),
        ({"hello": {"protocols": 1}}, "usage"),
        ({"id": 1, "method": "ping"}, "usage"),
        (b"not json", "usage"),
        (b"\xff\xfe", "usage"),
        (b"[]", "usage"),
        (b'{"a":' + b"[" * 400_000, "usage"),
        (b"9" * 100_000, "usage"),
        (b"", "usage"),
    ],
)
def test_a_bad_greeting_is_refused_with_a_code(daemon: Daemon, first: object, code: str) -> None:
    """Wrong version, no hello, not JSON, nested without end: one error, and the connection is closed."""
    with daemon.wire(greet=False) as wire:
        wire.send(first)
        assert wire.receive()["error"]["code"] == code
        assert wire.closed()


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (b"{", "usage"),
        (b'{"id":1,"params":' + b'{"a":' * 100_000, "usage"),
        ({"id": 1, "method": "drop"}, "usage"),
        ({"method": "ping"}, "usage"),
        ({"id": True, "method": "ping"}, "usage"),
        ({"id": 1, "method": "ping", "extra": 1}, "usage"),
        ({"id": 1, "method": "search", "params": {}}, "usage"),
        ({"id": 1, "method": "search", "params": {"query": 5}}, "usage"),
        ({"id": 1, "method": "search", "params": {"query": "x", "k": -1}}, "usage"),
        ({"id": 1, "method": "search", "params": {"query": "x", "mode": "none"}}, "usage"),
        ({"id": 1, "method": "search", "params": {"query": "x", "colour": 1}}, "usage"),
        ({"id": 1, "method": "search", "params": {"query": "x", "k": 201}}, "query_invalid"),
        ({"id": 1, "method": "search", "params": {"query": "\ud800"}}, "query_invalid"),
        ({"id": 1, "method": "search", "params": {"query": ""}}, "query_invalid"),
        ({"id": 1, "method": "search", "params": {"query": "x", "snapshot_id": "../.."}}, "snapshot_unknown"),
        ({"id": 1, "method": "search", "params": []}, "usage"),
        ({"id": 1, "method": "ping", "render": "text"}, "usage"),
    ],
)
def test_a_bad_request_costs_an_error_and_no_more(daemon: Daemon, request_: object, code: str) -> None:
    """The sender is told, and its connection goes on."""
    with daemon.wire() as wire:
        wire.send(request_)
        assert wire.receive()["error"]["code"] == code
        assert wire.call("ping")["result"]["pid"] == daemon.process.pid


@pytest.mark.parametrize("greet", [False, True])
def test_an_oversize_frame_is_refused_before_it_is_read(daemon: Daemon, greet: bool) -> None:
    """Four bytes that announce 4 GiB, or one byte too many, are answered at once."""
    for size in (0xFFFFFFFF, limits.MAX_REQUEST_BYTES + 1):
        with daemon.wire(greet=greet) as wire:
            wire.socket.sendall(size.to_bytes(4, "big"))
            assert wire.receive()["error"]["code"] == "limit_exceeded"
            assert wire.closed()


def test_a_frame_of_the_largest_size_is_read(daemon: Daemon) -> None:
    """The limit itself is allowed: the query in it is refused for its own sake."""
    with daemon.wire() as wire:
        request = {"id": 1, "method": "search", "params": {"query": ""}}
        padding = limits.MAX_REQUEST_BYTES - len(frame(request)) + 4
        request["params"] = {"query": "x" * padding}
        wire.send(request)
        assert wire.receive()["error"]["code"] == "usage"


def test_a_truncated_frame_harms_nobody(daemon: Daemon) -> None:
    """A hundred clients that leave in the middle of a frame, at every stage."""
    message = frame(HELLO) + frame({"id": 1, "method": "search", "params": {"query": "alpha"}})
    for cut in range(0, len(message), max(1, len(message) // 100)):
        with daemon.wire(greet=False) as wire:
            wire.socket.sendall(message[:cut])
    until(lambda: daemon.metrics()["clients"] == 1, "all to be gone")


def test_a_dripping_client_is_shown_out(daemon: Daemon) -> None:
    """A frame that drips in byte by byte is refused after seconds, however steadily; others are served meanwhile."""
    with daemon.wire(greet=False) as slow:
        began = time.monotonic()
        slow.socket.sendall(b"\0\0\1\0{")
        while not select.select([slow.socket], [], [], 0.5)[0]:
            assert time.monotonic() - began < PATIENCE_S
            slow.socket.sendall(b" ")
            with daemon.wire() as other:
                assert other.call("ping")["result"]["pid"] == daemon.process.pid
        assert slow.receive()["error"]["code"] == "timeout"


def test_a_rendered_answer_begins_with_its_warnings() -> None:
    """What the command line says on stderr before the results, a thin client says too."""
    document = {
        "query": "x", "mode": "hybrid", "results": [], "warnings": ["half an index"], "limits_hit": ["lines"],
        "suggestions": [],
    }  # fmt: skip
    rendered = wires.split_rendered(answered(Request(1, "search", {}, "text"), document))
    assert rendered is not None
    code, parts = rendered
    assert code == 1
    assert parts == [(wires.STDERR, b"warning: half an index\nwarning: limit reached: lines\nnothing found\n")]


def test_admission_counts_clients_queue_and_hang_ups(daemon: Daemon) -> None:
    """4 of one client, 8 at work, 32 waiting; the next is `busy` with a time; who hangs up frees its places."""
    ask = {"method": "search", "params": {"query": "alpha", "no_sync": True}}
    before = daemon.metrics()
    with daemon.held_up():
        clients = [daemon.wire() for _ in range(10)]
        clients[0].send(*({"id": number, **ask} for number in range(5)))
        refused = clients[0].receive()
        assert (refused["id"], refused["error"]["code"]) == (4, "busy")
        assert refused["error"]["retry_after_ms"] > 0
        for client in clients[1:]:
            client.send(*({"id": number, **ask} for number in range(4)))
            client.send({"id": "seen", "method": "ping"})
            assert client.receive()["id"] == "seen"  # and so are all before it
        with daemon.wire() as late:
            assert late.call("search", query="alpha", no_sync=True)["error"]["code"] == "busy"
        # Never worked around: neither by the thin client nor by the full one.
        thin = daemon.run("search", "alpha", "--no-sync")
        assert (thin.code, thin.out) == (10, "")
        assert daemon.run("status", "--json").json["error"]["code"] == "busy"
        clients.pop().socket.close()
        clients.append(daemon.wire())
        until(lambda: _admitted(clients[-1], ask), "a place")
    for client in clients:
        count = 4 if client is not clients[-1] else 1
        replies = [client.receive() for _ in range(count)]
        assert all(reply["result"]["results"] for reply in replies)
        client.socket.close()
    after = daemon.metrics()
    assert after["cancelled"] - before["cancelled"] == 4
    assert after["busy"] - before["busy"] >= 4


def _admitted(wire: Wire, ask: dict[str, Any]) -> bool:
    """Ask; False when the answer is `busy`, because the hang-up has not been noticed yet."""
    wire.send({"id": 1, **ask}, {"id": "seen", "method": "ping"})
    reply = wire.receive()
    if reply["id"] == "seen":
        return True
    assert reply["error"]["code"] == "busy"
    return wire.receive()["id"] != "seen"


class _Someone:
    gone = False


def test_a_job_that_takes_too_long_is_answered_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting or at work, a job whose time is up is told so once; its late answer is dropped."""
    monkeypatch.setattr(limits, "QUERY_TIMEOUT_MS", 0)
    release, told = threading.Event(), []
    admission = Admission(lambda job: bool(release.wait(PATIENCE_S)) or None, told.append, Metrics())
    jobs = [Job(_Someone(), Request(number, "search", {})) for number in range(limits.DAEMON_WORKERS + 2)]
    for job in jobs:
        admission.submit(job)
    until(lambda: admission.in_flight == limits.DAEMON_WORKERS, "all at work")
    time.sleep(0.01)
    admission.expire()
    admission.expire()
    assert sorted(job.request.number for job in told) == list(range(len(jobs)))
    assert admission.queued == 0
    assert not admission.claim_answer(jobs[0])
    release.set()
    assert admission.close() == []
    assert admission.finish(PATIENCE_S)


def test_a_full_queue_says_when_to_come_back() -> None:
    """The 41st question is `busy`, with a bounded time."""
    release = threading.Event()
    admission = Admission(lambda job: bool(release.wait(PATIENCE_S)) or None, lambda job: None, Metrics())
    for number in range(limits.DAEMON_WORKERS):
        admission.submit(Job(_Someone(), Request(number, "search", {})))
    until(lambda: admission.in_flight == limits.DAEMON_WORKERS, "all at work")
    for number in range(limits.DAEMON_QUEUE):
        admission.submit(Job(_Someone(), Request(number, "search", {})))
    with pytest.raises(Busy) as refused:
        admission.submit(Job(_Someone(), Request(99, "search", {})))
    assert 50 <= (refused.value.retry_after_ms or 0) <= 5_000
    assert len(admission.close()) == limits.DAEMON_QUEUE
    release.set()
    assert admission.finish(PATIENCE_S)


def _documented_client() -> dict[str, Any]:
    """The client that docs/daemon.md prints, as it stands there."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(code, os.fspath(PAGE), "exec"), names)
    return names


def test_the_documented_client_asks_every_documented_method(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing but the standard library and the page: each method of its table, each parameter it names."""
    (tmp_path / "everdex").write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    (tmp_path / "everdex").chmod(0o755)
    monkeypatch.setenv("PATH", os.fspath(tmp_path), prepend=os.pathsep)
    for name, value in daemon.env.items():
        monkeypatch.setenv(name, value)
    client = _documented_client()
    rows = re.findall(r"^\| `(\w+)` \|(.*?)\|", PAGE.read_text().partition("## Protocol")[2], re.MULTILINE)
    documented = {method: re.findall(r"`(\w+)`", params) for method, params in rows}
    assert documented.keys() == METHODS.keys()
    stream, hello = client["connect"](daemon.root)
    with stream:
        assert hello["root"] == str(daemon.root)
        for method, known in documented.items():
            assert sorted(known) == sorted(METHODS[method].takes), method
            if method == "shutdown":
                continue
            values = {"place": "a.py:1", "paths": ["a.py"], "new": "other", "symbol": "absent"}
            needed = {name: values.get(name, "a.py") for name in METHODS[method].needs}
            assert client["call"](stream, method, **needed), method
        with pytest.raises(RuntimeError, match="query_invalid"):
            client["call"](stream, "search", query="")


def test_jsonrpc_is_answered_in_its_words(daemon: Daemon) -> None:
    """A result and an error have JSON-RPC 2.0's fields, the typed error in `data`; other versions are refused."""
    with daemon.wire() as wire:
        wire.send({"jsonrpc": "2.0", "id": "a", "method": "ping"})
        assert wire.receive().keys() == {"jsonrpc", "id", "result"}
        wire.send({"jsonrpc": "2.0", "id": "b", "method": "search", "params": {"query": ""}})
        reply = wire.receive()
        assert (reply["jsonrpc"], reply["id"], reply["error"]["code"]) == ("2.0", "b", -32000)
        assert reply["error"]["data"]["code"] == "query_invalid"
        wire.send({"jsonrpc": "1.0", "id": 3, "method": "ping"})
        assert wire.receive()["error"]["code"] == "usage"
