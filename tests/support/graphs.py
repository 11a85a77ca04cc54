"""Graphs for tests: made of the toy language (or whatever resolvers are given) over a real store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from everdex.graph.definitions.atlas import Atlas
from everdex.graph.making.build import Built, build
from everdex.graph.making.keep import Opened, open_graph
from everdex.graph.model import Site
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.service.index import Index, Reading
from everdex.service.relations import Question
from everdex.view import open_view
from support.asked import asked
from support.stores import Workspace

TOY = Resolvers(("support.toy",))


def silent(phase: str, done: int, total: int) -> None:
    """No screen here."""


@contextmanager
def opened(made: Workspace, snapshot_id: str | None = None, resolvers: Resolvers = TOY) -> Iterator[Opened]:
    """The kept graph of a snapshot, made if need be."""
    with open_view(made.store, snapshot_id) as view:
        yield open_graph(view, resolvers, workers=1, progress=silent)


def kept(made: Workspace, snapshot_id: str | None = None, resolvers: Resolvers = TOY) -> Opened:
    with opened(made, snapshot_id, resolvers) as found:
        return found


def rebuilt(made: Workspace, resolvers: Resolvers = TOY, workers: int = 1) -> Built:
    """The active snapshot's graph, made from nothing."""
    with open_view(made.store) as view:
        return build(view, resolvers, None, workers=workers, progress=silent)


def same_bytes(graph: Graph, data: bytes) -> bool:
    return bytes(graph.data) == data


def resolved_now(made: Workspace, resolvers: Resolvers) -> int:
    """How many files are resolved for what the tree has become; the graph is the one made from nothing."""
    made.sync()
    found = kept(made, resolvers=resolvers)
    assert same_bytes(found.graph, rebuilt(made, resolvers).data)
    return found.resolved


def sites(made: Workspace, snapshot_id: str | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """path -> (text, status, targets as path::key) of every site of the kept graph."""
    with open_view(made.store, snapshot_id) as view:
        atlas = Atlas(view, open_graph(view, TOY, workers=1, progress=silent).graph)
        return {
            path: [_brief(site) for site in atlas.columns(number).sites()]
            for number, path in enumerate(atlas.graph.paths)
        }


def _brief(site: Site) -> tuple[Any, ...]:
    return (site.text, str(site.status), *(f"{target.path}::{target.key}" for target in site.targets))


Ask = Callable[..., dict[str, Any]]

# A small program: a test runs the app, which loads through the core from the disk; one file is only loosely related.
PROGRAM = {
    "app.txt": "import core\ndef run(x)\ncall load\ncall lib.start\ncall missing\n",
    "core.txt": "import disk\ndef load(path)\ncall read\n\ndef _helper()\ncall load\n",
    "disk.txt": "def read(path)\nclass Disk(Device)\nclass Device()\n",
    "loose.txt": "call read\ncall load\n",
    "tests/test_app.txt": "import app\ndef test_run()\ncall run\n",
}


def asker(made: Workspace) -> Ask:
    def ask(method: str, symbol: str = "", reading: Reading | None = None, **more: Any) -> dict[str, Any]:
        question = Question(method, symbol, **more)
        return asked(Index.open(made.path), "relations", question, reading=reading)

    return ask


def places_of(items: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(item["path"], item["line"]) for item in items]
