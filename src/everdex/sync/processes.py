"""Worker processes: programs of their own (see `child.py`), fed with messages, answers in order.

Not multiprocessing's: those would run the caller's main script again, and a library must not ask its callers for a
`__main__` guard. They die with their parent.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final

from everdex.discover.model import Candidate
from everdex.errors import EverdexError, InternalError, WorkerGone
from everdex.machine import StandsStill
from everdex.sync.frames import read_frame, write_frame
from everdex.sync.model import WorkSettings
from everdex.sync.work import BatchResult

# No fault of the process itself; the kernel's way to get memory back is SIGKILL.
_FROM_OUTSIDE: Final = frozenset((signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP))

_LOOK_S: Final = 1.0


def run_on_processes(
    settings: WorkSettings, pieces: Iterable[tuple[Candidate, ...]], workers: int
) -> Generator[BatchResult]:
    """Results in the order of the pieces, of which only a few are in memory at a time."""
    processes = [WorkerProcess("everdex.sync.worker_main", "an indexing worker", settings) for _ in range(workers)]
    try:
        yield from spread(processes, pieces)
    finally:
        for process in processes:
            process.end()


def spread(processes: Sequence[WorkerProcess], messages: Iterable[Any]) -> Generator[Any]:
    """Answers in the order of the messages, of which only a few are in memory at a time."""
    free: SimpleQueue[WorkerProcess] = SimpleQueue()
    for process in processes:
        free.put(process)

    def ask(message: Any) -> Any:
        process = free.get()
        try:
            return process.ask(message)
        finally:
            free.put(process)

    pending: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(len(processes)) as executor:
        try:
            for message in messages:
                pending.append(executor.submit(ask, message))
                if len(pending) > 2 * len(processes):
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        except BaseException:
            # Interrupted, failed or given up: nobody wants to wait for the batches that are running.
            for future in pending:
                future.cancel()
            for process in processes:
                process.end()
            raise


def import_path() -> list[str]:
    """Where this process finds its modules, without the current directory that `python -m` puts in front."""
    here = os.path.realpath(os.getcwd())
    return [entry for entry in sys.path if entry and os.path.realpath(entry) != here]


class WorkerProcess:
    """One worker process and the pipe to it; `module` is its program, `name` what errors call it."""

    def __init__(self, module: str, name: str, settings: object) -> None:
        self._name = name
        self._process = subprocess.Popen(
            # -P: the current directory may be the tree under index, whose numpy.py must not be imported.
            [sys.executable, "-P", "-m", module, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(import_path())},
            process_group=0,  # an interrupt from the terminal is the parent's to handle
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._stood_still = False
        self._over = threading.Event()
        threading.Thread(target=self._watch, name="worker-watch", daemon=True).start()
        write_frame(self._stdin, pickle.dumps(settings))

    def _watch(self) -> None:
        """A worker that is stopped would be waited for without end, by who writes to it or reads from it."""
        stands_still = StandsStill(self._process.pid)
        while not self._over.wait(_LOOK_S):
            if stands_still():
                self._stood_still = True
                self._process.kill()
                return

    def ask(self, message: object) -> Any:
        try:
            write_frame(self._stdin, pickle.dumps(message))
            frame = read_frame(self._stdout)
        except (OSError, ValueError) as error:
            raise self._ended() from error
        if frame is None:
            raise self._ended()
        answer = pickle.loads(frame)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _ended(self) -> EverdexError:
        """Why it says nothing any more: somebody ended it, or there is a bug."""
        code = self._process.wait()
        if self._stood_still:
            said = f"{self._name} was stopped and stood still, so it was ended"
            return WorkerGone(said, hint="run the command again")
        if code >= 0:
            return InternalError(f"{self._name} ended with code {code}")
        by = f"{self._name} was ended by {signal.Signals(-code).name}"
        return WorkerGone(by) if -code in _FROM_OUTSIDE else InternalError(by)

    def end(self) -> None:
        self._over.set()
        self._process.kill()
        self._process.wait()
        # What was not yet written when an interrupt came has nobody to read it, and must not hide the interrupt.
        with suppress(BrokenPipeError):
            self._stdin.close()
        self._stdout.close()
