"""The Python API: what docs/api.md promises, typed answers whoever gives them, and an import that costs nothing."""

from __future__ import annotations

import asyncio
import doctest
import inspect
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import everdex
from everdex.errors import QueryError, SnapshotNotFound, UsageError
from everdex.surfaces.api.aio import AsyncIndex
from everdex.surfaces.api.index import Index
from everdex.surfaces.cli.app import COMMANDS
from support.daemons import Daemon
from support.trees import tree

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
SHOP = {
    "src/cart.py": (
        "class Cart:\n    items: list\n\n"
        "    def total(self):\n        return sum(item.price for item in self.items)\n\n"
        "    def add_item(self, item):\n        self.items.append(item)\n\n"
        "    def drop_item(self, item):\n        self.items.remove(item)\n"
    ),
    "src/till.py": "from cart import Cart\n\n\ndef scan(cart: Cart, item):\n    cart.add_item(item)\n",
    "docs/guide.md": "# Guide\n\nA guide for shoppers.\n",
    "build/out.js": "x\n",
    ".gitignore": "build/\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return tree(tmp_path / "shop", SHOP, git=True)


def test_the_examples_of_the_page_run(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/api.md, line by line."""
    monkeypatch.chdir(shop.parent)
    result = doctest.testfile(os.fspath(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert (result.failed, result.attempted > 30) == (0, True)


def test_importing_the_package_imports_nothing() -> None:
    """Neither numpy, click nor msgspec; the public names are there all the same, and no others."""
    script = (
        "import sys; before = set(sys.modules); import everdex\n"
        "print(*sorted(set(sys.modules) - before))\n"
        "print(sorted(dir(everdex)) == sorted(everdex.__all__), all(getattr(everdex, n) for n in everdex.__all__))\n"
        "try: everdex.nonsense\nexcept AttributeError as error: print(error)\n"
    )
    source = os.fspath(Path(everdex.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    assert done.stdout.splitlines() == ["everdex", "True True", "module 'everdex' has no attribute 'nonsense'"]


def test_the_page_names_every_method() -> None:
    """And every command of the command line has its method."""
    page = PAGE.read_text()
    methods = [name for name, _ in inspect.getmembers(Index, inspect.isfunction) if not name.startswith("_")]
    assert [name for name in methods if f"`{name}(" not in page and f"{name}()`" not in page and name != "close"] == []
    # For agents, editors and shells, which are not Python.
    without = {"mcp", "hook", "install", "uninstall", "doctor", "completions"}
    documented = {"serve": "start_daemon", "stop": "stop_daemon", "graph": "export_graph"}
    missing = [name for name in COMMANDS if name not in without and f"`{documented.get(name, name)}" not in page]
    assert missing == []


def test_the_asynchronous_form_has_every_method() -> None:
    """With the same parameters."""
    for name, method in inspect.getmembers(Index, inspect.isfunction):
        if not name.startswith("_"):
            twin = getattr(AsyncIndex, name)
            assert list(inspect.signature(twin).parameters) == list(inspect.signature(method).parameters), name
            assert inspect.iscoroutinefunction(twin) or inspect.isasyncgenfunction(twin), name


def _everything(index: everdex.Index) -> list[msgspec.Struct]:
    return [
        index.search("cart", explain=True), index.search("item", mode="literal"), index.search("cart", budget=500),
        index.symbol("Cart"), index.symbol("src/cart.py"), index.symbol("add_itm"), index.files(skipped=True),
        index.refs("Cart.add_item"), index.callers("Cart.add_item"), index.callees("scan"), index.impact("Cart"),
        index.similar("src/cart.py:2", k=3, explain=True),
        index.map(), index.explain("src/cart.py"), index.explain("build/out.js"), index.chunks(meta=True),
        index.status(), index.health(), index.audit(),
        index.refs("Cart.add_item", role="call", k=1, wait=False), index.callers("Cart.add_item", wait=False),
        index.impact_picture("Cart", format="png", dark=True, max_bytes=50_000, depth=2), index.map(budget=500),
        index.architecture(depth=2, dark=True), index.architecture(format=None), index.contexts(),
        index.files(paths=["src"]), index.gate(["src/cart.py"], intent="semantic"), index.state(["src/cart.py"]),
        index.rename_plan("Cart.add_item", "put", take=["."], k=5), index.board.show(everything=True),
    ]  # fmt: skip


def _lasting(answer: msgspec.Struct) -> dict[str, object]:
    plain = everdex.to_dict(answer)
    for name in ("request_id", "timings_ms", "daemon", "checks", "size_bytes", "board_id"):
        plain.pop(name, None)
    return {**plain, "freshness": {**plain["freshness"], "checked_at": None}}


def test_the_daemon_gives_the_same_values(shop: Path, home: Path) -> None:
    """Every question, asked in process and through a daemon; both are frozen."""
    with everdex.open(shop, daemon=False) as alone:
        here = [_lasting(answer) for answer in _everything(alone)]
        with pytest.raises(AttributeError):
            alone.status().seq = 5  # type: ignore[misc]
    with Daemon(shop) as daemon, everdex.open(shop) as index:
        before = daemon.metrics()["answered"]
        through = [_lasting(answer) for answer in _everything(index)]
        assert daemon.metrics()["answered"] == before + len(through) + 1
    assert through == here


def test_errors_are_typed_both_ways(shop: Path) -> None:
    """An unknown snapshot, an impossible question: the same exception with and without a daemon."""
    with everdex.open(shop, daemon=False) as index:
        index.sync()
        with pytest.raises(SnapshotNotFound):
            index.search("x", snapshot_id="01M7GS87GMGZXMEVWWWWQRVVAP")
        with pytest.raises(QueryError):
            index.search("(", mode="regex")
        with pytest.raises(UsageError, match="telepathy"):
            index.search("x", mode="telepathy")
        with pytest.raises(QueryError, match="klingon"):
            index.search("x", languages=["klingon"])
    with Daemon(shop), everdex.open(shop) as index, pytest.raises(SnapshotNotFound):
        index.search("x", snapshot_id="01M7GS87GMGZXMEVWWWWQRVVAP")


def test_an_open_index_follows_the_repository(shop: Path) -> None:
    """Edits and a new configuration are in the next answer; many threads may ask."""

    async def ask() -> list[int]:
        async with await everdex.aopen(shop, daemon=False) as index:
            answers = await asyncio.gather(*(index.search("item", mode="literal") for _ in range(8)))
            return [len(answer.results) for answer in answers]

    assert set(asyncio.run(ask())) == {8}
    with everdex.open(shop, daemon=False) as index:
        assert index.search("item", mode="literal").results
        (shop / ".everdex.toml").write_text('[index]\nexclude = ["src/"]\n')
        assert index.search("item", mode="literal", paths=["src"]).results == ()
