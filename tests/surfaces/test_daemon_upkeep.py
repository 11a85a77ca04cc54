"""What a daemon does unasked: it finds what no event told it, counts what it does and keeps a short, discreet log."""

from __future__ import annotations

import json
import mmap
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from everdex.surfaces.daemon.background import Background
from everdex.surfaces.daemon.metrics import Metrics
from support.daemons import Wire
from support.processes import PATIENCE_S, until
from support.trees import tree

# A limit becomes small when the daemon is told so: until then it is as long as ever.
SERVE = """
import sys
import threading
from everdex import limits
from everdex.surfaces.cli.app import run

def hear():
    sys.stdin.readline()
    setattr(limits, sys.argv[1], 1)
    print("heard", flush=True)

threading.Thread(target=hear, daemon=True).start()
sys.exit(run(['serve', sys.argv[2], '--json']))
"""


@contextmanager
def _serving(limit: str, root: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A daemon, and its socket."""
    served = [sys.executable, "-c", SERVE, limit, root]
    with subprocess.Popen(served, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())["socket"]
        finally:
            process.kill()


def _make_small(process: subprocess.Popen[str]) -> None:
    """Come back when the limit is 1."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "heard\n"


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    """A file's bytes; until they are closed, inotify hears nothing of what is written to them."""
    with path.open("r+b") as stream, mmap.mmap(stream.fileno(), 0) as mapped:
        yield mapped


@pytest.mark.parametrize("limit", ["DAEMON_RECONCILE_S", "DAEMON_RECONCILE_IDLE_S"])
def test_what_no_event_reported_is_found_by_comparing(tmp_path: Path, home: Path, limit: str) -> None:
    """From time to time, and once after some time without a question, the tree is compared and what changed indexed."""
    root = tree(tmp_path / "project", {"a.py": "def zebra():\n    return 1\n"}, git=True)
    with _mapped(root / "a.py") as content, _serving(limit, root) as (process, place):
        (store,) = home.glob("data/*")
        before = (store / "ACTIVE_SNAPSHOT").read_text()
        with Wire(place) as wire:
            wire.call("map")  # what it does after its start is over
            content[4:9] = b"hyena"
            content.flush()
            # A question that looks at nothing; from here on it is idle.
            found = wire.call("symbols", name="hyena", no_sync=True)["result"]
            assert (found["definitions"], found["snapshot_id"]) == ([], before.strip())
            _make_small(process)
            until(lambda: (store / "ACTIVE_SNAPSHOT").read_text() != before, "a publish")
            found = wire.call("symbols", name="hyena", no_sync=True)["result"]
            assert [item["path"] for item in found["definitions"]] == ["a.py"]


def test_the_log_is_metadata_and_rotated(tmp_path: Path, home: Path) -> None:
    """JSON lines of what happened; no query, path or content; a full file is put aside, and few are kept."""
    root = tree(tmp_path / "flamingo", {"pelican.py": "def zebra():\n    return 1\n"}, git=True)
    tree(home, {"config.toml": "[daemon]\ngraph = false\n"})  # making one is a line as well, whenever it is done
    with _serving("LOG_MAX_BYTES", root) as (process, place):
        _make_small(process)
        (store,) = home.glob("data/*")
        with Wire(place) as wire:
            for _ in range(6):  # each failure is a line, and with one byte a file is full
                assert "error" in wire.call("search", query="(zebra", mode="regex", no_sync=True)
            assert wire.call("shutdown")["result"]["stopping"]
        assert process.wait(PATIENCE_S) == 0
    logs = sorted(path for path in (store / "logs").iterdir() if path.name.startswith("daemon."))
    assert [path.name for path in logs] == ["daemon.log.jsonl", *(f"daemon.log.jsonl.{n}" for n in (1, 2, 3))]
    lines = [json.loads(line) for path in logs for line in path.read_text().splitlines()]
    assert (lines[0]["event"], lines[0]["reason"]) == ("stop", "shutdown")
    assert "failed" in {line["event"] for line in lines[1:]} <= {"failed", "slow"}
    assert not any(word in str(lines) for word in ("zebra", "pelican", "flamingo"))


def test_times_are_told_of_the_last_two_hundred() -> None:
    """The median and the 95th percentile forget what is long ago; what was slow stays counted."""
    metrics = Metrics()
    for _ in range(50):
        metrics.took(60_000.0)
    for milliseconds in range(1, 201):
        metrics.took(float(milliseconds))
    found = metrics.to_dict()
    assert 99 <= found["p50_ms"] <= 102
    assert 189 <= found["p95_ms"] <= 192
    assert (found["answered"], found["slow"]) == (250, 50)


class _Bursts:
    """A watched tree to which somebody writes four times in a row and then no more."""

    watching = True
    publishes = 0
    index = None

    def __init__(self) -> None:
        self.reports = [True, True, True, True, False]
        self.refreshed_with: list[int] = []
        self.done = threading.Event()

    def wait_for_change(self, seconds: float) -> bool:
        if self.reports:
            return self.reports.pop(0)
        self.done.wait(seconds)
        return False

    def changed(self) -> bool:
        return True

    def freshness(self) -> None:
        self.refreshed_with.append(len(self.reports))
        self.done.set()


def test_several_writes_in_a_row_are_one_change() -> None:
    """The tree is looked at when they stop, not at the first."""
    tree_of_bursts = _Bursts()
    background = Background(cast("Any", tree_of_bursts), cast("Any", None), lambda: 0.0, lambda *_, **__: None, str)
    background.start()
    assert tree_of_bursts.done.wait(PATIENCE_S)
    background.end()
    assert tree_of_bursts.refreshed_with[0] == 0
