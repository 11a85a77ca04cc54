"""What real indexers wrote of two small projects of ours (scip-python 0.6.6, scip-typescript 0.4.0), in answers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from everdex.service import semantics
from everdex.service.index import Index
from everdex.sync.model import SyncOptions
from support.graphs import Ask, asker
from support.indexers import export_index
from support.stores import Workspace, synced, workspace

_FIXTURES = Path(__file__).parents[1] / "fixtures" / "scip"


def _imported(tmp_path: Path, name: str) -> tuple[Workspace, dict[str, Any]]:
    shutil.copytree(_FIXTURES / name, tmp_path / name)
    made = workspace(tmp_path / name)
    made.sync()
    scip_file = _FIXTURES / f"{name}.scip"
    return made, semantics.import_index(Index.open(made.path), scip_file, SyncOptions(workers=1)).to_dict()["imported"]


def _callers(ask: Ask, name: str) -> set[tuple[str, str]]:
    return {(each["qualified_name"], each["layer"]) for each in ask("callers", name)["callers"]}


@pytest.mark.parametrize(("name", "documents"), [("python", 3), ("typescript", 2)])
def test_every_document_proves_itself(tmp_path: Path, name: str, documents: int) -> None:
    """Nobody vouches for these files, and each is found to be what was indexed; nothing of it contradicts the text."""
    made, imported = _imported(tmp_path, name)
    assert (imported["documents"], imported["changed"]) == (documents, ())
    assert asker(made)("map")["coverage"]["disagreements"] == 0


def test_python(tmp_path: Path) -> None:
    """Methods of inferred elements have their callers, and definitions the indexer's name."""
    made, _ = _imported(tmp_path, "python")
    ask = asker(made)
    assert _callers(ask, "Stock.take") == {("shop.till.sell", "semantic")}
    assert ("shop.till.sell.<lambda1>", "semantic") in _callers(ask, "Stock.count")
    symbol = ask("refs", "Stock.take")["symbol"]["symbol"]
    assert symbol["symbolId"] == "scip:scip-python python shop 1 `shop.stock`/Stock#take()."
    assert any(place["name"] == "builtins.str.rjust" for place in ask("callees", "receipt")["external"])


def test_typescript(tmp_path: Path) -> None:
    """Generic results, interfaces and fields; where letters beyond ASCII make positions unclear, the text answers."""
    made, _ = _imported(tmp_path, "typescript")
    ask = asker(made)
    assert _callers(ask, "Square.area") == {
        ("src.main.main", "semantic"), ("src.shapes.größe", "syntactic"), ("src.shapes.largest.<lambda1>", "syntactic"),
    }  # fmt: skip
    assert ("src.shapes.largest.<lambda1>", "semantic") in _callers(ask, "Shape.area")
    assert {place["layer"] for place in ask("refs", "Square.side")["references"]} == {"semantic"}
    assert _callers(ask, "größe") == {("src.main.main", "syntactic")}


def test_what_everdex_exports_it_can_import(tmp_path: Path) -> None:
    """Every definition lies where its name is written; what has no name, as a lambda at the end of a line, nowhere."""
    made = synced(
        tmp_path / "tree",
        {
            "a.py": "def run(items):\n    return sorted(items, key=lambda item: item.x) + [lambda: 1]\n",
            "b.js": "export const all = (items) => items.map((item) => item.x);\nall([]).forEach(a=>a)\n",
        },
    )
    found = semantics.import_index(Index.open(made.path), export_index(made.path, tmp_path / "index.scip"))
    imported = found.to_dict()["imported"]
    assert (imported["documents"], imported["changed"]) == (2, ())
