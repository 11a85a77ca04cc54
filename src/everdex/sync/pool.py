"""Running file batches on worker processes, results in order, bounded in memory.

Small jobs run in this process: starting workers costs more than they would save. Workers die with
their parent, so a killed sync leaves nothing running.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from everdex.discover.model import Candidate
from everdex.errors import InternalError
from everdex.sync.model import WorkSettings
from everdex.sync.work import BatchResult, Worker

_BATCH_BYTES = 1 << 20
_BATCH_FILES = 256
_IN_PROCESS_BYTES = 3 << 20
_PR_SET_PDEATHSIG = 1


def batches(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, ...]]:
    """Candidates in order, cut into pieces of about a megabyte."""
    piece: list[Candidate] = []
    size = 0
    for candidate in candidates:
        piece.append(candidate)
        size += candidate.stat.size
        if size >= _BATCH_BYTES or len(piece) >= _BATCH_FILES:
            yield tuple(piece)
            piece, size = [], 0
    if piece:
        yield tuple(piece)


def run(settings: WorkSettings, candidates: Sequence[Candidate], workers: int) -> Generator[BatchResult]:
    """Process every candidate; results come in the order of the candidates."""
    if workers < 2 or sum(candidate.stat.size for candidate in candidates) < _IN_PROCESS_BYTES:
        worker = Worker(settings)
        for piece in batches(candidates):
            yield worker.process(piece)
        return
    # Not fork: a forked child would keep the parent's locks alive after the parent's death.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(workers, context, initializer=_start, initargs=(settings, os.getpid())) as executor:
        pending: deque[Future[BatchResult]] = deque()
        try:
            for piece in batches(candidates):
                pending.append(_submit(executor, piece))
                if len(pending) > workers * 2:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BrokenProcessPool as error:
            raise InternalError("an indexing worker died (out of memory?)") from error
        except BaseException:
            # Interrupted, or the consumer gave up: nobody wants to wait for the batches that are running.
            for child in set(multiprocessing.active_children()) - others:
                child.terminate()
            raise


def _submit(executor: ProcessPoolExecutor, piece: tuple[Candidate, ...]) -> Future[BatchResult]:
    # Submitting starts workers, which inherit the mask: an interrupt before `_start` must not make them print.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return executor.submit(_process, piece)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_worker: Worker | None = None


def _start(settings: WorkSettings, parent: int) -> None:
    global _worker
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # the parent died before we asked to die with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    _worker = Worker(settings)


def _process(piece: tuple[Candidate, ...]) -> BatchResult:
    assert _worker is not None
    return _worker.process(piece)
