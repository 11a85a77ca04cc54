"""The first question about a large tree: answered before its graph is finished, with what is open, or waited for."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import everdex as python
from everdex.errors import Busy
from everdex.surfaces.daemon.client import Connection
from support.commands import everdex
from support.daemons import Daemon
from support.trees import tree

_FILES = {
    "shop/__init__.py": "",
    "shop/tax.py": "def rate_of(country): return 1\n\n\ndef handed(): return 2\n\n\ndef lonely(): return 3\n",
    "shop/box.py": (
        "class Box:\n    def __init__(self):\n        self.size = 1\n\n\n"
        "class Big(Box):\n    pass\n\n\nboxes = [Big]\n"
    ),
    "shop/cart.py": (
        "from shop.box import Box\nfrom shop.tax import handed, rate_of\n\n\n"
        "def total(items):\n    return sum(items) * rate_of('x') * handed() * Box().size\n"
    ),
    "shop/odd.py": "from shop.tax import handed, lonely\n\nevery = [handed]\nothers = [lonely]\n",
    "shop/loop.py": (
        "from shop.odd import every, others\nfrom shop import box\n\n\n"
        "def loop():\n    for each in every:\n        each()\n    for each in others:\n        each()\n"
        "    box.boxes[0]()\n"
    ),
    **{f"filler/m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(640)},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "project", _FILES, git=True)


def _store(home: Path) -> Path:
    return next((home / "data").iterdir())


def _kept(home: Path) -> set[str]:
    return {path.suffix for path in (_store(home) / "graph").iterdir() if path.suffix in (".graph", ".unfinished")}


def _callers(document: dict[str, Any]) -> list[str]:
    return [item["qualified_name"] for item in document["callers"]]


def test_an_answer_that_may_grow_says_so(root: Path, tmp_path: Path) -> None:
    """Field and line say what is open, why, how many files wait and what to do; the exit code is that of any answer."""
    env = {"EVERDEX_HOME": str(tmp_path / "home")}
    early = everdex("callers", "handed", "--json", cwd=root, env=env)
    assert early.code == 0
    assert _callers(early.json) == ["shop.cart.total"]
    left = early.json["reservation"]
    assert [way["way"] for way in left["ways"]] == ["value"]
    assert left["files"] == 646
    assert left["waiting"] == 646 - early.json["coverage"]["resolved"] > 600
    assert "--wait" in left["hint"]
    shown = everdex("callers", "handed", cwd=root, env=env)
    assert shown.code == 0
    assert "shop/cart.py:6:" in shown.out
    said = shown.err.splitlines()
    first = said.index("1 caller so far, 1 resolved")
    assert said[first + 1].startswith("not finished: 64")
    assert "may use it without its name" in said[first + 1]
    assert said[first + 2] == "  it is handed on as a value in 1 place"
    assert "--wait" in said[first + 3]
    assert _kept(tmp_path / "home") == {".unfinished"}


def test_where_nothing_is_open_nothing_is_said(root: Path, tmp_path: Path) -> None:
    env = {"EVERDEX_HOME": str(tmp_path / "home")}
    early = everdex("callers", "rate_of", "--json", cwd=root, env=env).json
    assert (_callers(early), early["reservation"]) == (["shop.cart.total"], None)
    assert early["coverage"]["resolved"] < early["coverage"]["files"]
    assert "so far" not in everdex("refs", "rate_of", cwd=root, env=env).err
    assert _kept(tmp_path / "home") == {".unfinished"}


def test_callees_say_from_how_many_files_and_wait_when_asked(root: Path, tmp_path: Path) -> None:
    """As callers do: the answer is whole either way, and `--wait` takes the finished graph."""
    env = {"EVERDEX_HOME": str(tmp_path / "home")}
    early = everdex("callees", "total", cwd=root, env=env)
    assert "files, those that decide what it calls; the others are not resolved yet" in early.err
    assert _kept(tmp_path / "home") == {".unfinished"}
    late = everdex("callees", "total", "--wait", cwd=root, env=env)
    assert (late.out, "answered from" in late.err) == (early.out, False)
    assert _kept(tmp_path / "home") == {".graph"}


def test_nobody_is_said_by_the_finished_graph_only(root: Path, tmp_path: Path) -> None:
    """Nobody writes a call of it: the question waits, and finds who calls it as a value."""
    env = {"EVERDEX_HOME": str(tmp_path / "home")}
    found = everdex("callers", "lonely", "--json", cwd=root, env=env).json
    assert (_callers(found), found["reservation"]) == (["shop.loop.loop"], None)
    assert found["coverage"]["resolved"] == found["coverage"]["files"]


@pytest.mark.parametrize(("symbol", "early", "late"), [
    ("handed", ["shop.cart.total"], ["shop.cart.total", "shop.loop.loop"]),
    ("Box", ["shop.cart.total"], ["shop.cart.total", "shop.loop.loop"]),
    ("Box.__init__", ["shop.cart.total"], ["shop.cart.total", "shop.loop.loop"]),
])  # fmt: skip
def test_waiting_gives_what_a_finished_graph_gives(
    root: Path, tmp_path: Path, symbol: str, early: list[str], late: list[str]
) -> None:
    """`--wait` after an early answer, without one, and the same question once the graph is there: one answer."""
    env = {"EVERDEX_HOME": str(tmp_path / "home")}
    first = everdex("callers", symbol, "--json", cwd=root, env=env).json
    assert (_callers(first), bool(first["reservation"])) == (early, True)
    waited = everdex("callers", symbol, "--wait", "--json", cwd=root, env=env).json
    assert (_callers(waited), waited["reservation"]) == (late, None)
    again = everdex("callers", symbol, "--json", cwd=root, env=env).json
    clean = everdex("callers", symbol, "--wait", "--json", cwd=root, env={"EVERDEX_HOME": str(tmp_path / "other")}).json
    for name in ("callers", "total", "counts", "could_add", "coverage", "reservation", "cursor"):
        assert waited[name] == again[name] == clean[name], name


def test_a_list_that_may_grow_has_no_next_page(root: Path, tmp_path: Path) -> None:
    """What comes later may belong before the page: there is no cursor, and whoever passes some over waits."""
    env = {"EVERDEX_HOME": str(tmp_path / "home")}
    first = everdex("refs", "handed", "-k", "1", "--json", cwd=root, env=env).json
    assert first["reservation"]
    assert (first["omitted"] > 0, first["cursor"]) == (True, None)
    second = everdex("refs", "handed", "-k", "1", "--offset", "1", "--json", cwd=root, env=env).json
    assert second["reservation"] is None


def test_definitions_with_their_references_do_not_wait_either(root: Path, tmp_path: Path) -> None:
    """`symbols --refs` says what is open, too, and has the same fields when the graph is finished."""
    env = {"EVERDEX_HOME": str(tmp_path / "home")}
    early = everdex("symbols", "--refs", "9", "handed", "--json", cwd=root, env=env).json["references"]
    assert [way["way"] for way in early["reservation"]["ways"]] == ["value"]
    said = everdex("symbols", "--refs", "9", "handed", cwd=root, env=env)
    assert (said.code, "not finished: 64" in said.err) == (0, True)
    assert _kept(tmp_path / "home") == {".unfinished"}
    everdex("callers", "handed", "--wait", cwd=root, env=env)
    late = everdex("symbols", "--refs", "9", "handed", "--json", cwd=root, env=env).json["references"]
    assert late["reservation"] is None
    assert early["total"] < late["total"]
    assert early.keys() == late.keys()


def test_python_waits_unless_told_otherwise(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERDEX_HOME", str(tmp_path / "home"))
    with python.open(root, daemon=False) as index:
        early = index.callers("handed", wait=False)
        assert early.reservation is not None
        assert [way.way for way in early.reservation.ways] == ["value"]
        assert early.total == 1
        late = index.callers("handed")
        assert (late.reservation, late.total) == (None, 2)


@contextmanager
def _unfinished(root: Path, home: Path) -> Iterator[None]:
    """A graph is begun, and whoever wants to finish it waits for somebody else who does."""
    everdex("callees", "total", cwd=root, env={"EVERDEX_HOME": str(home)})
    assert _kept(home) == {".unfinished"}
    with open(_store(home) / "locks" / "graph.lock", "ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def test_a_daemon_says_what_is_open_and_never_nobody(root: Path, tmp_path: Path) -> None:
    """While the graph is made: part of the answer with a reservation; of what nobody is known to use, that this is so
    far; and whoever asks to wait is told to come again. Then the finished answer."""
    home = tmp_path / "home"
    with _unfinished(root, home), Daemon(root, home) as daemon:
        with daemon.wire() as wire:
            early = wire.call("callers", symbol="handed")["result"]
            assert (_callers(early), early["reservation"]["ways"][0]["way"]) == (["shop.cart.total"], "value")
            nobody = wire.call("callers", symbol="lonely", wait_ms=100)["error"]
            assert nobody["code"] == "busy"
            assert "nobody is known to use it yet" in nobody["message"]
            assert nobody["retry_after_ms"] > 0
            assert wire.call("callers", symbol="handed", wait=True, wait_ms=100)["error"]["code"] == "busy"
            assert wire.call("impact", symbol="handed", wait_ms=100)["error"]["code"] == "busy"
        shown = everdex("callers", "handed", cwd=root, env=daemon.env)
        assert (shown.code, "1 caller so far" in shown.err) == (0, True)
    with Daemon(root, home) as daemon:
        waited = everdex("callers", "handed", "--wait", cwd=root, env=daemon.env)
        assert (waited.code, "2 callers" in waited.err, "so far" in waited.err) == (0, True, False)
        assert everdex("callers", "lonely", "--json", cwd=root, env=daemon.env).json["total"] == 1


def test_a_model_is_told_what_is_open(root: Path, tmp_path: Path) -> None:
    """The tools `references` and `symbol`: a reservation in the reply and in its text; with `wait` the whole."""
    pytest.importorskip("mcp", reason="the MCP server is an extra: pip install 'everdex[mcp]'")
    from support.agents import Agent

    home = tmp_path / "home"
    env = {"EVERDEX_HOME": str(home), "EVERDEX_EMBEDDER": "fake"}
    with Agent(root, env=env) as agent:
        with _unfinished(root, home):
            text = agent.call("references", symbol="handed", role="call").content[0].text
            assert "not finished: 64" in text
            assert "wait: true" in text
            early = agent.ask("references", symbol="handed", role="call")
            assert early["reservation"]["ways"] == ["it is handed on as a value in 1 place"]
            assert len(early["references"]) == 1
            shown = agent.call("symbol", name="handed")
            reply = shown.structured_content
            assert [item["role"] for item in reply["references"]] == ["import", "call", "import", "reference"]
            assert reply["reservation"]["ways"] == early["reservation"]["ways"]
            assert "`references` with wait: true" in shown.content[0].text
            lonely = agent.ask("symbol", name="lonely")
            assert (len(lonely["definitions"]), lonely["references"], lonely["reservation"]) == (1, [], None)
            assert "nobody is known to use it yet" in lonely["warnings"][0]
        late = agent.ask("references", symbol="handed", role="call", wait=True)
        assert (late["reservation"], len(late["references"])) == (None, 2)
        finished = agent.ask("symbol", name="lonely")
        assert (finished["reservation"], finished["roles"]["call"]) == (None, 1)
    assert everdex("stop", cwd=root, env=env).code == 0


class _Pinged(Connection):
    """A daemon that makes a graph, as far as its client sees: busy until it is known what all files offer."""

    def __init__(self) -> None:
        self.phases = iter(("", "offers", "offers", "graph", "graph"))
        self.phase, self.asked = "", 0

    def call(
        self, method: str, params: Mapping[str, Any] | None = None, waiting: Callable[[], None] | None = None
    ) -> dict[str, Any]:
        if method == "ping":
            self.phase = next(self.phases)
            return {"graph": {"state": "making", "phase": self.phase, "done": 1, "total": 9}}
        self.asked += 1
        if self.phase != "graph":
            raise Busy("the graph is being made", retry_after_ms=10_000)
        return {"total": 1}


def test_who_waits_asks_again_as_soon_as_files_can_be_resolved() -> None:
    """Not only when the daemon expects the graph to be finished."""
    daemon = _Pinged()
    assert daemon.call_patiently("callers", {"symbol": "x"}, lambda *_: None) == {"total": 1}
    assert (daemon.asked, list(daemon.phases)) == (2, ["graph"])
