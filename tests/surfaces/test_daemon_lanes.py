"""Searches that wait for each other get a helper process; its answers are the daemon's, and its death costs nothing."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.daemons import Daemon
from support.processes import PATIENCE_S, alive, until
from support.trees import tree


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that has a helper already."""
    files = {f"f{number}.py": f"def function_{number}():\n    return {number}\n" for number in range(30)}
    with Daemon(tree(tmp_path / "project", files, git=True), tmp_path / "home") as running:
        until(lambda: _ask_at_once(running, "function_7") and _helpers(running), "a helper")
        yield running


def _ask_at_once(daemon: Daemon, query: str, clients: int = 16, turns: int = 3) -> list[dict[str, Any]]:
    """The same question from many clients at the same time."""
    replies: list[dict[str, Any]] = []

    def ask() -> None:
        with daemon.wire() as wire:
            for _ in range(turns):
                replies.append(wire.call("search", query=query, mode="literal"))

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(replies) == clients * turns, "an answer was lost"
    return replies


def _helpers(daemon: Daemon) -> list[int]:
    """Process ids of all helpers so far."""
    log = Path(daemon.env["EVERDEX_HOME"]) / "data" / daemon.place["store_id"] / "logs" / "daemon.log.jsonl"
    events = map(json.loads, log.read_text().splitlines())
    return [event["pid"] for event in events if event["event"] == "helper_started"]


def test_an_edit_is_in_every_lane_at_once(daemon: Daemon) -> None:
    """Whoever computes it, the answer after an edit has the edit, one snapshot, and says that it is fresh."""
    for number in range(3):
        (daemon.root / "f1.py").write_text(f"edited_{number} = 1\n")
        replies = _ask_at_once(daemon, f"edited_{number}")
        assert {len(reply["result"]["results"]) for reply in replies} == {1}
        assert {reply["result"]["freshness"]["state"] for reply in replies} == {"fresh"}
        assert len({reply["result"]["snapshot_id"] for reply in replies}) == 1


def test_errors_come_back_from_a_helper_with_their_codes(daemon: Daemon) -> None:
    """A snapshot that is not there, asked for by many: each gets the code, and failures are counted."""
    before = daemon.metrics()["failed"]
    codes = []

    def ask() -> None:
        with daemon.wire() as wire:
            reply = wire.call("search", query="x", snapshot_id="01M7GS87GMGZXMEVWWWWQRVVAP")
            codes.append(reply["error"]["code"])

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert codes == ["snapshot_unknown"] * 8
    assert daemon.metrics()["failed"] == before + 8


def test_a_helper_that_dies_loses_no_answer(daemon: Daemon) -> None:
    """Killed while questions are asked: every one is answered, and a new helper comes when it is needed."""
    (first,) = _helpers(daemon)
    killer = threading.Timer(0.05, os.kill, (first, signal.SIGKILL))
    killer.start()
    replies = _ask_at_once(daemon, "function_7", turns=10)
    assert {len(reply["result"]["results"]) for reply in replies} == {1}
    killer.join()
    until(lambda: _ask_at_once(daemon, "function_7") and len(_helpers(daemon)) == 2, "the next helper")
    assert daemon.metrics()["helpers"] == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_helpers_end_with_their_daemon(daemon: Daemon, number: int) -> None:
    """Whether it leaves or is killed, nothing stays behind."""
    (helper,) = _helpers(daemon)
    daemon.process.send_signal(number)
    daemon.wait()
    until(lambda: not alive(helper), "the helper's end")
