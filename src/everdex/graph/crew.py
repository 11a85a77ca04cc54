"""Who does the resolving: this process for a few files, worker processes of our own for many.

A crew is asked for offers first and for graphs once it has entered a world. Answers come in the order of the
questions, and which process gave them makes no difference. Workers die with their parent.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, Final, Protocol, TypeVar

from everdex.errors import InternalError
from everdex.graph.postings import FileOffers, Offers
from everdex.graph.record import FileRecord, record
from everdex.graph.resolvers import Resolvers
from everdex.graph.world import Bench
from everdex.sync.frames import read_frame, write_frame
from everdex.sync.processes import import_path
from everdex.view import SnapshotView

# Starting a worker and opening the view there costs about as much as resolving this many files.
_WORTH_WORKERS: Final = 400
_BATCH: Final = 64

Wanted = tuple[str, bytes, str, int]  # path, content, language, hash of its offers
_Answer = TypeVar("_Answer")


class Crew(Protocol):
    def offers(self, paths: Sequence[str]) -> Iterator[FileOffers]: ...

    def enter(self, offers: Offers, paths: Sequence[str]) -> None: ...

    def resolve(self, wanted: Sequence[Wanted]) -> Iterator[FileRecord]: ...


@contextmanager
def hire(view: SnapshotView, resolvers: Resolvers, files: int, workers: int) -> Iterator[Crew]:
    if workers < 2 or files < _WORTH_WORKERS:
        alone = Alone(view, resolvers)
        try:
            yield alone
        finally:
            alone.end()
        return
    crew = Many(view, resolvers, workers)
    try:
        yield crew
    finally:
        crew.end()


class Alone:
    """Does everything here."""

    def __init__(self, view: SnapshotView, resolvers: Resolvers) -> None:
        self._view = view
        self._bench = Bench(view, resolvers)

    def offers(self, paths: Sequence[str]) -> Iterator[FileOffers]:
        return map(self._bench.offers, paths)

    def enter(self, offers: Offers, paths: Sequence[str]) -> None:
        self._bench.enter(offers, paths)

    def resolve(self, wanted: Sequence[Wanted]) -> Iterator[FileRecord]:
        for path, content, language, whole in wanted:
            graph, failed = self._bench.resolve(path)
            yield record(path, content, language, whole, self._view.source(path), graph, failed)

    def end(self) -> None:
        self._bench.close()


class Many:
    """Worker processes, each with the view open and every resolver at hand."""

    def __init__(self, view: SnapshotView, resolvers: Resolvers, workers: int) -> None:
        settings = (view.store, view.manifest.snapshot_id, resolvers.modules)
        self._processes = [_Process(settings) for _ in range(workers)]
        self._free: SimpleQueue[_Process] = SimpleQueue()
        for process in self._processes:
            self._free.put(process)

    def offers(self, paths: Sequence[str]) -> Iterator[FileOffers]:
        return self._spread("offers", paths)

    def enter(self, offers: Offers, paths: Sequence[str]) -> None:
        message = pickle.dumps(("enter", (offers, tuple(paths))))
        for process in self._processes:
            process.ask(message)

    def resolve(self, wanted: Sequence[Wanted]) -> Iterator[FileRecord]:
        return self._spread("resolve", wanted)

    def _spread(self, method: str, items: Sequence[Any]) -> Iterator[Any]:
        def ask(batch: Sequence[Any]) -> list[Any]:
            process = self._free.get()
            try:
                answer: list[Any] = process.ask(pickle.dumps((method, batch)))
                return answer
            finally:
                self._free.put(process)

        pending: deque[Future[list[Any]]] = deque()
        with ThreadPoolExecutor(len(self._processes)) as executor:
            try:
                for batch in _batches(items):
                    pending.append(executor.submit(ask, batch))
                    if len(pending) > 2 * len(self._processes):
                        yield from pending.popleft().result()
                while pending:
                    yield from pending.popleft().result()
            except BaseException:
                # Interrupted, failed or given up: nobody wants to wait for the batches that are running.
                for future in pending:
                    future.cancel()
                self.end()
                raise

    def end(self) -> None:
        for process in self._processes:
            process.end()


def _batches(items: Sequence[_Answer]) -> Iterable[Sequence[_Answer]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))


class _Process:
    """One worker process and the pipe to it."""

    def __init__(self, settings: object) -> None:
        self._process = subprocess.Popen(
            # -P: the current directory may be the tree under index, whose numpy.py must not be imported.
            [sys.executable, "-P", "-m", "everdex.graph.worker_main", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(import_path())},
            process_group=0,  # an interrupt from the terminal is the parent's to handle
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        write_frame(self._stdin, pickle.dumps(settings))

    def ask(self, message: bytes) -> Any:
        try:
            write_frame(self._stdin, message)
            frame = read_frame(self._stdout)
        except (OSError, ValueError) as error:
            raise InternalError("a resolving worker is gone") from error
        if frame is None:
            raise InternalError(f"a resolving worker died (exit {self._process.wait()}; out of memory?)")
        answer = pickle.loads(frame)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._stdin.close()
        self._stdout.close()
