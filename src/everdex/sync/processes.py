"""Worker processes: programs of their own (`everdex.sync.worker_main`), fed with batches, results in order.

Not multiprocessing's: those would run the caller's main script again, and a library must not ask its callers for a
`__main__` guard. They die with their parent.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from everdex.discover.model import Candidate
from everdex.errors import InternalError
from everdex.sync.frames import read_frame, write_frame
from everdex.sync.model import WorkSettings
from everdex.sync.work import BatchResult


def run_on_processes(
    settings: WorkSettings, pieces: Iterable[tuple[Candidate, ...]], workers: int
) -> Generator[BatchResult]:
    """Results in the order of the pieces, of which only a few are in memory at a time."""
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
            for piece in pieces:
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
