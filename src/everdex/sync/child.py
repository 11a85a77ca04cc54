"""The life of a worker process: settings once, then messages in and answers out, until the parent has no more.

Standard output is the pipe to the parent; whatever a library prints goes to standard error instead. It dies with its
parent. What is asked and answered is the program's own matter.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from everdex.errors import EverdexError, InternalError
from everdex.sync.frames import read_frame, write_frame

_PR_SET_PDEATHSIG = 1


def serve(
    parent: int, work: str, prepare: Callable[[Any], AbstractContextManager[Callable[[Any], object]]]
) -> None:
    """Answer the parent's messages with what `prepare` makes of its settings, when the first of them comes."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return  # the parent died before we asked to die with it
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    settings = read_frame(sys.stdin.buffer)
    if settings is None:
        return
    handle: Callable[[Any], object] | None = None
    with ExitStack() as stack:
        while (frame := read_frame(sys.stdin.buffer)) is not None:
            answer: object
            try:
                handle = handle or stack.enter_context(prepare(pickle.loads(settings)))
                answer = handle(pickle.loads(frame))
            except EverdexError as error:
                answer = error
            except Exception as error:  # noqa: BLE001 - the parent must hear of it, whatever it is
                answer = InternalError(f"{work} failed: {type(error).__name__}: {error}")
            write_frame(answers, pickle.dumps(answer))
