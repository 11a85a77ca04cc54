"""Running file batches on worker processes, results in order, bounded in memory.

Small jobs run in this process: starting workers costs more than they would save. Workers are programs of their
own (`everdex.sync.worker_main`), not multiprocessing's: those would run the caller's main script again, and a
library must not ask its callers for a `__main__` guard. They die with their parent.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from everdex.discover.model import Candidate
from everdex.errors import InternalError
from everdex.sync.frames import read_frame, write_frame
from everdex.sync.model import WorkSettings
from everdex.sync.work import BatchResult, Worker

_BATCH_BYTES = 1 << 20
_BATCH_FILES = 256
_IN_PROCESS_BYTES = 3 << 20


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
    processes = [_Process(settings) for _ in range(workers)]
    free: SimpleQueue[_Process] = SimpleQueue()
    for process in processes:
        free.put(process)

    def ask(piece: tuple[Candidate, ...]) -> BatchResult:
        process = free.get()
        try:
            return process.ask(piece)
        finally:
            free.put(process)

    pending: deque[Future[BatchResult]] = deque()
    with ThreadPoolExecutor(workers) as executor:
        try:
            for piece in batches(candidates):
                pending.append(executor.submit(ask, piece))
                if len(pending) > workers * 2:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            # Interrupted, failed or given up: nobody wants to wait for the batches that are running.
            for future in pending:
                future.cancel()
            for process in processes:
                process.end()


def import_path() -> list[str]:
    """Where this process finds its modules, without the current directory that `python -m` puts in front."""
    here = os.path.realpath(os.getcwd())
    return [entry for entry in sys.path if entry and os.path.realpath(entry) != here]


class _Process:
    """One worker process and the pipe to it."""

    def __init__(self, settings: WorkSettings) -> None:
        self._process = subprocess.Popen(
            # -P: the current directory may be the tree under index, whose numpy.py must not be imported.
            [sys.executable, "-P", "-m", "everdex.sync.worker_main", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(import_path())},
            process_group=0,  # an interrupt from the terminal is the parent's to handle
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        write_frame(self._stdin, pickle.dumps(settings))

    def ask(self, piece: tuple[Candidate, ...]) -> BatchResult:
        try:
            write_frame(self._stdin, pickle.dumps(piece))
            frame = read_frame(self._stdout)
        except (OSError, ValueError) as error:
            raise InternalError("an indexing worker is gone") from error
        if frame is None:
            raise InternalError(f"an indexing worker died (exit {self._process.wait()}; out of memory?)")
        answer = pickle.loads(frame)
        if isinstance(answer, BaseException):
            raise answer
        assert isinstance(answer, BatchResult)
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._stdin.close()
        self._stdout.close()
