"""Graphs for tests: made of the toy language (or whatever resolvers are given) over a real store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from everdex.graph.artifact import Graph
from everdex.graph.build import Built, build
from everdex.graph.keep import Opened, open_graph
from everdex.graph.model import Site
from everdex.graph.resolvers import Resolvers
from everdex.view import open_view
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


def sites(graph: Graph) -> dict[str, list[tuple[Any, ...]]]:
    """path -> (text, status, targets as path::key) of every site."""
    return {
        path: [_brief(site) for site in graph.columns(number).sites()] for number, path in enumerate(graph.paths)
    }


def _brief(site: Site) -> tuple[Any, ...]:
    return site.text, str(site.status), *(f"{target.path}::{target.key}" for target in site.targets)
