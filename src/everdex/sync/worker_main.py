"""The program of a worker process: settings once, then a batch of files in and its records out, until the end.

Standard output is the pipe to the parent; whatever a library prints goes to standard error instead.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys

from everdex.errors import EverdexError, InternalError
from everdex.sync.frames import read_frame, write_frame

_PR_SET_PDEATHSIG = 1


def main(parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return  # the parent died before we asked to die with it
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    settings = read_frame(sys.stdin.buffer)
    if settings is None:
        return
    from everdex.sync.work import Worker

    worker: Worker | None = None
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        answer: object
        try:
            worker = worker or Worker(pickle.loads(settings))
            answer = worker.process(pickle.loads(frame))
        except EverdexError as error:
            answer = error
        except Exception as error:  # noqa: BLE001 - the parent must hear of it, whatever it is
            answer = InternalError(f"indexing failed: {type(error).__name__}: {error}")
        write_frame(answers, pickle.dumps(answer))


if __name__ == "__main__":
    main(int(sys.argv[1]))
