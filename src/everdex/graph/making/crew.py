"""The processes that resolve files: this one when they are few, worker processes when they are many.

The order of work: `offers` of the changed files; `unseen`, which of the changed offers no reader can tell from what
they were; `enter` with all offers of the new snapshot; then `resolve`. Resolved files come back in any order,
everything else in the order it was asked for. The answers do not depend on which process gave them. Workers die with
their parent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final, NamedTuple, Protocol

from everdex.graph.making.world import Before, Bench
from everdex.graph.model import Since
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.kept_values import values_of
from everdex.graph.stored.offers import FileOffers, Offers
from everdex.graph.stored.record import FileRecord, looked_again, record
from everdex.memory import collector_held
from everdex.sync.processes import WorkerProcess, spread
from everdex.view import SnapshotView

# Starting a worker and opening the view there costs about as much as resolving this many files.
_WORTH_A_WORKER: Final = 200
_BATCH: Final = 64  # files
_RESOLVED_AT_ONCE: Final = 16  # files; while one worker does the last of these, the others have nothing to do


class Wanted(NamedTuple):
    """A file to be resolved."""

    path: str
    content: bytes
    language: str
    offers: int  # hash of all it offers
    before: Before | None
    names: frozenset[str] | None = None  # only the parts that write one of these are needed; of none what it defines


class Edited(NamedTuple):
    """A file with other content than before."""

    path: str
    before: bytes  # what its content was, as a hash
    changed: Mapping[int, int]  # keys whose offers by it changed, and how


class Crew(Protocol):
    def offers(self, paths: Sequence[str]) -> Iterator[FileOffers]: ...

    def unseen(self, edited: Sequence[Edited]) -> Iterator[frozenset[int]]: ...

    def enter(self, offers: Offers, paths: Sequence[str], since: Since | None = None) -> None: ...

    def resolve(self, wanted: Sequence[Wanted]) -> Iterator[FileRecord]: ...

    def end(self) -> None: ...


def _hired(files: int, workers: int) -> int:
    return min(workers, files // _WORTH_A_WORKER)


@contextmanager
def hire(view: SnapshotView, resolvers: Resolvers, files: int, workers: int) -> Iterator[Crew]:
    hired = _hired(files, workers)
    if hired < 2:
        alone = Alone(view, resolvers)
        with collector_held():
            try:
                yield alone
            finally:
                alone.end()  # while the collector is held: or it would look through everything once before it goes
        return
    crew = Many(view, resolvers, hired)
    try:
        yield crew
    finally:
        crew.end()


@contextmanager
def helped(crew: Crew, view: SnapshotView, resolvers: Resolvers, files: int, workers: int) -> Iterator[Crew]:
    """The same crew, or more processes where what few files offer leaves many to be resolved. What a process that stays
    knows goes with that: alone it takes longer than two that begin with nothing."""
    if not isinstance(crew, Alone) or _hired(files, workers) < 2:
        yield crew
        return
    with hire(view, resolvers, files, workers) as many:
        yield many


def _batches(method: str, items: Sequence[Any], size: int = _BATCH) -> list[tuple[str, Sequence[Any]]]:
    return [(method, items[start : start + size]) for start in range(0, len(items), size)]


class Alone:
    """Does everything here."""

    def __init__(self, view: SnapshotView, resolvers: Resolvers) -> None:
        self._bench = Bench(view, resolvers)

    def offers(self, paths: Sequence[str]) -> Iterator[FileOffers]:
        return map(self._bench.offers, paths)

    def unseen(self, edited: Sequence[Edited]) -> Iterator[frozenset[int]]:
        return (self._bench.unseen(*each) for each in edited)

    def enter(self, offers: Offers, paths: Sequence[str], since: Since | None = None) -> None:
        self._bench.enter(offers, paths, since)

    def resolve(self, wanted: Sequence[Wanted]) -> Iterator[FileRecord]:
        for path, content, language, offers, before, names in wanted:
            graph, failed, table, is_same = self._bench.resolve(path, before, names)
            if before is not None and table is not None and is_same:
                yield looked_again(before.entry, before.blob, before.parts, table, graph)
            else:
                yield record(path, content, language, offers, graph, failed, table)

    def end(self) -> None:
        self._bench.close()


class Many:
    """Worker processes, each with the view open and every resolver at hand."""

    def __init__(self, view: SnapshotView, resolvers: Resolvers, workers: int) -> None:
        self._store = view.store
        settings = (view.store, view.manifest.snapshot_id, resolvers.modules)
        self._processes = [
            WorkerProcess("everdex.graph.making.worker_main", "a resolving worker", settings) for _ in range(workers)
        ]

    def offers(self, paths: Sequence[str]) -> Iterator[FileOffers]:
        return chain.from_iterable(spread(self._processes, _batches("offers", paths)))

    def unseen(self, edited: Sequence[Edited]) -> Iterator[frozenset[int]]:
        return chain.from_iterable(spread(self._processes, _batches("unseen", edited)))

    def enter(self, offers: Offers, paths: Sequence[str], since: Since | None = None) -> None:
        for process in self._processes:
            process.ask(("enter", (offers, tuple(paths))))

    def resolve(self, wanted: Sequence[Wanted]) -> Iterator[FileRecord]:
        """Each worker has a stretch of the tree of its own, because neighbours ask the same; done, it helps another."""
        batches = _batches("resolve", wanted, _RESOLVED_AT_ONCE)
        share = -(-len(batches) // len(self._processes))
        shares = [deque(batches[number * share :][:share]) for number in range(len(self._processes))]
        running: dict[Future[Any], int] = {}
        with ThreadPoolExecutor(len(self._processes)) as executor:

            def ask_next(number: int) -> None:
                longest = max(shares, key=len)
                if longest:
                    batch = shares[number].popleft() if shares[number] else longest.pop()
                    running[executor.submit(self._processes[number].ask, batch)] = number

            try:
                for number in range(len(self._processes)):
                    ask_next(number)
                while running:
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        ask_next(running.pop(future))
                        yield from future.result()
            except BaseException:
                # Interrupted, failed or given up: nobody wants to wait for the batches that are running.
                self.end()
                raise

    def end(self) -> None:
        for process in self._processes:
            process.end()
        # They are killed, and leave the log of what they remembered beside the file: who closes it last puts it in.
        values_of(self._store).close()
