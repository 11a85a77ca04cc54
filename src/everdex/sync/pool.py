"""Running file batches, here or on worker processes, results in order.

Small jobs run in this process: starting workers costs more than they would save.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from everdex.discover.model import Candidate
from everdex.sync.model import WorkSettings
from everdex.sync.work import BatchResult, Worker

_BATCH_BYTES = 1 << 20
_BATCH_FILES = 256
_WORKER_BYTES = 3 << 19  # as much as starting a worker costs


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
    hired = min(workers, sum(candidate.stat.size for candidate in candidates) // _WORKER_BYTES)
    if hired < 2:
        with closing(Worker(settings)) as worker:
            for piece in batches(candidates):
                yield worker.process(piece)
        return
    # Its imports are worth more than a small job.
    from everdex.sync.processes import run_on_processes

    yield from run_on_processes(settings, batches(candidates), hired)
