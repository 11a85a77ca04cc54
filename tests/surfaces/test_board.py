"""The evidence board at every door: command line, daemon, Python, MCP and hooks say the same of the same board."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import everdex as package
from everdex.errors import UsageError
from everdex.surfaces.api.aio import AsyncBoard
from everdex.surfaces.api.board import Board
from support.commands import Done, everdex, on_terminal
from support.daemons import Daemon
from support.trees import tree

FILES = {
    "app.py": "from core import helper\n\n\ndef run():\n    return helper(1)\n",
    "core.py": "def helper(a):\n    return a\n",
    "deep/inner.py": "def inner():\n    return 1\n",
}
EVIL = "line one\nline two\tred \x1b[31m \u202e end"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon over a repository whose board holds something of everything, one part of it stale."""
    base = tmp_path_factory.mktemp("board")
    with Daemon(tree(base / "project", FILES, git=True), base / "home") as running:
        for arguments in (
            ("add-evidence", "core.py:1-2", "helper", "impact:helper", "run:pytest -q", "--note", "3 passed"),
            ("claim", EVIL, "--evidence", "E1,E2", "--kind", "hypothesis", "--by", "agent", "--session", "s1"),
            ("decide", "pass b to helper", "--on", "C1 E2", "--kind", "edit"),
            ("decide", "was done before", "--state", "done"),
            ("claim", "to be dropped"),
            ("drop", "C2"),
        ):
            assert running.run("board", *arguments).code == 0
        (running.root / "core.py").write_text("def helper(a, b=0):\n    return a\n")
        yield running


def _lasting(document: dict[str, Any]) -> dict[str, Any]:
    """What does not differ from one asking to the next."""
    kept = {name: value for name, value in document.items() if name not in ("request_id", "timings_ms", "warnings")}
    return {**kept, "freshness": {**kept["freshness"], "checked_at": None}}


def _hook(daemon: Daemon, source: str) -> str:
    event = {"session_id": "s", "cwd": str(daemon.root), "hook_event_name": "SessionStart", "source": source}
    done = daemon.hook(event)
    assert (done.code, done.err) == (0, "")
    context: str = json.loads(done.out)["hookSpecificOutput"]["additionalContext"]
    return context


def test_every_door_says_the_same(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command through the daemon and offline, the daemon's own method, and Python with and without one."""
    for name, value in daemon.env.items():
        monkeypatch.setenv(name, value)
    through = _lasting(daemon.run("board", "--json", "--all").json)
    assert _lasting(daemon.run("board", "--json", "--all", "--offline").json) == through
    with daemon.wire() as wire:
        assert _lasting(wire.call("board", everything=True)["result"]) == through
    with package.open(daemon.root) as asking, package.open(daemon.root, daemon=False) as alone:
        shown = asking.board.show(everything=True)
        assert _typed(alone.board.show(everything=True)) == _typed(shown)
    assert [item.id for item in shown.decisions] == [item["id"] for item in through["decisions"]] == ["D1", "D2"]
    assert shown.claims[0].rests_on_changed == ("E1", "E2")
    assert shown.evidence[1].anchors[0].what == "interface"
    assert shown.counts == through["counts"]


def _typed(answer: msgspec.Struct) -> dict[str, Any]:
    plain = package.to_dict(answer)
    return {name: plain[name] for name in ("counts", "decisions", "claims", "evidence", "dropped", "snapshot_id")}


def test_the_listing_in_a_pipe(daemon: Daemon) -> None:
    """One line an item and what is to be known of it below; nothing in it can drive a terminal; counts on stderr."""
    done = daemon.run("board")
    assert done.lines[:7] == [
        "D1 open edit: pass b to helper",
        "  on C1, E2",
        "  rests on changed evidence: E2, E1",
        "D2 done plan: was done before",
        "C1 open hypothesis: line one line two red \\x1b[31m \\u202e end",
        "  on E1, E2",
        "  rests on changed evidence: E1, E2",
    ]
    assert "E1 changed lines: core.py:1-2  3 passed" in done.lines
    assert "  changed (interface): core.py:1-2 helper" in done.lines
    assert "E4 changed run: pytest -q  3 passed" in done.lines
    assert done.err == "2 decisions (1 open), 1 claim, 4 evidence, 4 of it changed, 1 dropped (--all)\n"
    assert daemon.run("board", "--all").lines[-1].startswith("C2 dropped ")


def test_the_listing_on_a_terminal_fits_it(daemon: Daemon) -> None:
    """Grouped, broken to the width and never cut; without colours the same words."""
    long = "word " * 60
    number = daemon.run("board", "claim", long, "--json").json["touched"][0]
    done = on_terminal("board", cwd=daemon.root, env={**daemon.env, "NO_COLOR": "1", "COLUMNS": "60"})
    *lines, _remark = done.out.replace("\r", "").splitlines()
    assert max(map(len, lines)) <= 60
    assert done.out.count("word") == 60
    assert [line for line in lines if line and not line.startswith(" ")] == ["decisions", "claims", "evidence"]
    assert "\x1b" not in done.out
    assert daemon.run("board", "drop", number).code == 0


def test_the_board_can_be_drawn(daemon: Daemon, tmp_path: Path) -> None:
    """As SVG and PNG by the file's name; the same board gives the same bytes; other names are refused."""
    drawn = daemon.run("board", "-o", tmp_path / "b.svg", "--json").json
    text = (tmp_path / "b.svg").read_text()
    assert (drawn["format"], drawn["bytes"], drawn["output"]) == ("svg", len(text.encode()), str(tmp_path / "b.svg"))
    for words in ("D1  open edit", "pass b to helper", "rests on changed E2, E1", "E4  changed run"):
        assert words in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("<path") >= 4  # what rests on what
    assert daemon.run("board", "-o", tmp_path / "b.png").code == 0
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
    assert daemon.run("board", "-o", tmp_path / "b.gif").code == 2


def test_paths_are_named_from_where_one_is(daemon: Daemon) -> None:
    """In a subdirectory, and with --root from elsewhere."""
    here = everdex("board", "add-evidence", "inner.py:1", "inner.py::inner", "--json", cwd=daemon.root / "deep",
                   env=daemon.env)  # fmt: skip
    assert [item["target"] for item in here.json["evidence"]] == ["deep/inner.py:1", "deep/inner.py::inner"]
    for name in here.json["touched"]:
        daemon.run("board", "drop", name)


def test_an_agent_that_goes_on_is_reminded(daemon: Daemon) -> None:
    """After a compaction or on resuming: open decisions first, what rests on changed evidence marked."""
    for source in ("compact", "resume"):
        context = _hook(daemon, source)
        lines = context.splitlines()
        assert lines[0].startswith("everdex board of earlier work in this repository: 1 open decision, 1 claim, 4 evid")
        assert lines[1] == "D1 open edit: RESTS ON CHANGED EVIDENCE E2, E1: pass b to helper [C1, E2]"
        assert lines[2].startswith("C1 open hypothesis: RESTS ON CHANGED EVIDENCE E1, E2: line one line two red")
        assert len(context) <= 900
        assert "\x1b" not in context
        assert "\u202e" not in context
    start = _hook(daemon, "startup")
    assert "1 open decision" in start.splitlines()[0]
    assert "pass b" not in start
    assert "everdex search" in start


def test_a_reminder_is_bounded_and_an_empty_board_is_silent(tmp_path: Path, home: Path) -> None:
    """Whatever is on it, at most 900 characters, cut between lines and saying so; of nothing, nothing is said."""
    with Daemon(tree(tmp_path / "project", FILES, git=True)) as daemon:
        assert "everdex board" not in _hook(daemon, "compact")
        with package.open(daemon.root) as index:
            for number in range(12):
                index.board.decide(f"number {number}: {'very ' * 60}long", kind="plan")
        context = _hook(daemon, "compact")
        assert 700 < len(context) <= 900
        assert context.endswith("… (cut; `everdex board` has all of it)")
        path = Path(everdex("status", "--json", "--offline", daemon.root).json["store_path"]) / "canvas/state.json"
        path.write_bytes(b"{}")
        assert "cannot be read (corrupt)" in _hook(daemon, "compact")


def test_errors_are_coded_at_every_door(daemon: Daemon) -> None:
    """Through the daemon and without: the same code, exit code and hint."""

    def error(done: Done) -> tuple[int, str, str]:
        return done.code, done.json["error"]["code"], done.json["error"]["message"]

    through = error(daemon.run("board", "drop", "D9", "--json"))
    assert through == error(daemon.run("board", "drop", "D9", "--json", "--offline"))
    assert through == (2, "usage", "there is no D9 on the board")
    assert daemon.run("board", "claim", "x" * 2_001, "--json").json["error"]["code"] == "limit_exceeded"
    assert daemon.run("board", "--json", "drop", "D1").code == 2
    with daemon.wire() as wire:
        assert wire.call("board", action="dance")["error"]["code"] == "usage"
        assert wire.call("board", action="claim", text=5)["error"]["code"] == "usage"
        assert wire.call("board", nonsense=1)["error"]["code"] == "usage"
    with package.open(daemon.root, daemon=False) as index, pytest.raises(UsageError, match="unknown kind"):
        index.board.claim("x", kind="poem")


def test_an_empty_board_is_nothing_found(tmp_path: Path) -> None:
    """Exit code 1, and status says so."""
    root = tree(tmp_path / "project", FILES, git=True)
    done = everdex("board", cwd=root)
    assert (done.code, done.out, done.err.splitlines()[-1]) == (1, "", "the board is empty")
    assert "board       empty" in everdex("status", cwd=root).lines


def test_status_counts_what_is_on_it(daemon: Daemon) -> None:
    """In the document and in words."""
    board = daemon.run("status", "--json").json["board"]
    assert (board["evidence"], board["claims"], board["open_decisions"], board["error"]) == (4, 1, 1, None)
    assert "board       2 decisions (1 open), 1 claim, 4 evidence" in daemon.run("status").lines


def test_the_board_can_be_awaited() -> None:
    """Every method, with the same parameters."""
    for name in ("show", "add_evidence", "claim", "decide", "update", "drop", "reset"):
        assert getattr(AsyncBoard, name).__wrapped__ is getattr(Board, name)
