"""The program of a resolving worker: which snapshot once, then questions in and answers out, until the end.

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
    from everdex.graph.crew import Alone
    from everdex.graph.resolvers import Resolvers
    from everdex.view import open_view

    store, snapshot_id, modules = pickle.loads(settings)
    # The parent holds the readers' lock, too: the snapshot cannot be collected before we have it open.
    with open_view(store, snapshot_id) as view:
        alone = Alone(view, Resolvers(modules))
        while (frame := read_frame(sys.stdin.buffer)) is not None:
            answer: object
            try:
                method, argument = pickle.loads(frame)
                if method == "enter":
                    alone.enter(*argument)
                    answer = None
                else:
                    answer = list(getattr(alone, method)(argument))
            except EverdexError as error:
                answer = error
            except Exception as error:  # noqa: BLE001 - the parent must hear of it, whatever it is
                answer = InternalError(f"resolving failed: {type(error).__name__}: {error}")
            write_frame(answers, pickle.dumps(answer))


if __name__ == "__main__":
    main(int(sys.argv[1]))
