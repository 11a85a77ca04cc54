"""Questions about one symbol, answered while the graph of a large tree is not finished: the first one, or that of what
many files were changed to.

An answer is given once every file is resolved that writes the symbol's name, and says how many are not. Where others
may use it without the name the answer says which ways are open (`reservation`), and if nobody is known to use it there
is none: whoever asks waits for the graph.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from everdex import limits
from everdex.graph.definitions.atlas import CONTAINERS, Atlas
from everdex.graph.making.keep import begin_graph, begun_graph
from everdex.graph.making.unfinished import Saving, are_many, many_wait
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.memory import resident_bytes, trim
from everdex.service.answers import Answer
from everdex.sync.model import Progress, SyncOptions
from everdex.view import SnapshotView

if TYPE_CHECKING:  # what resolves is loaded where there is something to resolve: most find the graph made
    from everdex.graph.answers import begun
    from everdex.graph.answers.ways import Way

METHODS: Final = ("refs", "callers", "callees")
WITH_RESERVATION: Final = ("refs", "callers")  # what a definition calls is decided by its own file
_USES: Final = ("call", "decorate", "inherit", "read")  # roles without which nobody uses it; who only imports may not
_MOST_BYTES: Final = limits.DAEMON_RSS_BYTES * 3 // 4  # of a process; beyond that only resolved files are kept
_NOBODY_YET: Final = "nobody is known to use it yet, but files that are not resolved may, without its name"
Respond: TypeAlias = "Callable[[Atlas, tuple[Way, ...]], Answer]"


class Asked(NamedTuple):
    """What is asked, as far as it decides whether it can be answered now."""

    method: str
    symbol: str
    role: str = ""
    offset: int = 0


class Early:
    """What a process that stays keeps of one view for questions before the graph. Every method may be called from any
    thread; one question at a time is answered."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bench: begun.Workbench | None = None
        self._used = 0.0
        self.refused: dict[Asked, str] = {}  # only the finished graph answers them; what there is to say until then

    def answer(self, view: SnapshotView, asked: Asked, answer: Respond) -> Answer | None:
        """The answer from what somebody else has begun; who is told to wait asks again and again, so that is
        remembered."""
        known = Resolvers()
        graph = begun_graph(view, known) if asked not in self.refused else None
        if graph is None:
            return None
        from everdex.graph.answers import begun

        with self._lock:
            self._bench = self._bench or begun.Workbench(view, known, graph)
            found, _ = _answered(view, known, graph, _in_silence, asked, answer, bench=self._bench)
            self._used = time.monotonic()
            if resident_bytes() > _MOST_BYTES:
                self._bench.close()
        trim()
        if found is None or not may_be_said(asked, found.body):
            self.refused[asked] = _NOBODY_YET if found is not None and _is_nobody(asked, found.body) else ""
            return None
        return found

    def close(self, unused_s: float) -> None:
        """Forget what was resolved, if that was not used for so long, nor is now."""
        if self._lock.acquire(blocking=False):
            try:
                if time.monotonic() - self._used >= unused_s:
                    self._close()
            finally:
                self._lock.release()

    def _close(self) -> None:
        if self._bench is not None:
            self._bench.close()
            self._bench = None


def from_new(view: SnapshotView, options: SyncOptions, asked: Asked, answer: Respond) -> Answer | None:
    """The same from one that is begun here, if need be; what it takes is kept for the next question."""
    known = Resolvers()
    if not are_many(sum(map(known.knows, view.file_languages))):
        return None
    graph = begin_graph(view, known, workers=options.workers, progress=options.progress)
    if graph is None:
        return None
    found, after = _answered(view, known, graph, options.progress, asked, answer, workers=options.workers)
    if after is not graph:
        Saving(view.store, known).save(lambda: (memoryview(after.data),))
    return found if found is not None and may_be_said(asked, found.body) else None


def may_be_said(asked: Asked, body: Mapping[str, Any]) -> bool:
    """Whether an answer is of use that leaves something open, if it does. That nobody is known would be taken for
    "nobody"; and the next page of a list that still grows is the next page of nothing."""
    return body.get("reservation") is None or not (asked.offset or _is_nobody(asked, body))


def _is_nobody(asked: Asked, body: Mapping[str, Any]) -> bool:
    if asked.method == "callers" or asked.role:
        return not body["total"]
    uses = (*_USES, "reference") if body["symbol"]["kind"] in CONTAINERS else _USES  # types are named, not called
    return not any(body["roles"].get(role) for role in uses)


def _answered(
    view: SnapshotView, known: Resolvers, graph: Graph, progress: Progress, asked: Asked, answer: Respond, *,
    workers: int = 1, bench: begun.Workbench | None = None,
) -> tuple[Answer | None, Graph]:  # fmt: skip
    """The answer, and the graph with what was resolved for it."""
    if not many_wait(len(graph.waiting), len(graph.files)):
        return None, graph
    from everdex.graph.answers import begun

    with begun.begun(view, known, graph, progress, workers=workers, bench=bench) as some:
        return begun.answered(view, some, asked.symbol, asked.method, answer), some.graph


def _in_silence(phase: str, done: int, total: int) -> None:
    pass
