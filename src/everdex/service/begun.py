"""Questions about one symbol, answered while the first graph of a large tree is not finished.

An answer is given once every file is resolved that decides it, and says how many are not. Where other files may decide
it too there is none, and whoever asks waits for the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from everdex.graph import begun, resolvers
from everdex.graph.artifact import Graph
from everdex.graph.atlas import Atlas
from everdex.graph.build import Progress
from everdex.graph.keep import begin_graph, begun_graph
from everdex.graph.resolvers import Resolvers
from everdex.graph.unfinished import Saving, are_many
from everdex.memory import trim
from everdex.service.answers import Answer
from everdex.sync.model import SyncOptions
from everdex.view import SnapshotView

METHODS: Final = ("refs", "callers", "callees")
Refused: TypeAlias = set[tuple[str, str]]  # method and symbol: only the finished graph answers them


def from_kept(
    view: SnapshotView, refused: Refused, method: str, symbol: str, answer: Callable[[Atlas], Answer]
) -> Answer | None:
    """The answer from what somebody else has begun; who is told to wait asks again and again, so that is remembered."""
    known = Resolvers(resolvers.MODULES)
    graph = begun_graph(view, known) if (method, symbol) not in refused else None
    if graph is None:
        return None
    found, _ = _answered(view, known, graph, _in_silence, method, symbol, answer)
    if found is None:
        refused.add((method, symbol))
    trim()
    return found


def from_new(
    view: SnapshotView, options: SyncOptions, method: str, symbol: str, answer: Callable[[Atlas], Answer]
) -> Answer | None:
    """The same from one that is begun here, if need be; what it takes is kept for the next question."""
    known = Resolvers(resolvers.MODULES)
    if not are_many(sum(known.of(language) is not None for language in view.file_languages)):
        return None
    graph = begin_graph(view, known, workers=options.workers, progress=options.progress)
    if graph is None:
        return None
    found, after = _answered(view, known, graph, options.progress, method, symbol, answer)
    if after is not graph:
        Saving(view.store, known).save((memoryview(after.data),))
    return found


def _answered(
    view: SnapshotView, known: Resolvers, graph: Graph, progress: Progress, method: str, symbol: str,
    answer: Callable[[Atlas], Answer],
) -> tuple[Answer | None, Graph]:  # fmt: skip
    """The answer, and the graph with what was resolved for it."""
    if not are_many(len(graph.waiting)):
        return None, graph
    with begun.begun(view, known, graph, progress) as some:
        return begun.answered(view, some, symbol, method, answer), some.graph


def _in_silence(phase: str, done: int, total: int) -> None:
    pass
