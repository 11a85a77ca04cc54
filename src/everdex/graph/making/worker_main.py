"""The program of a resolving worker: which snapshot once, then offers and graphs of the files it is asked for."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from everdex.memory import roomy
from everdex.sync.child import serve


@contextmanager
def _worker(settings: Any) -> Iterator[Callable[[Any], object]]:
    from everdex.graph.making.crew import Alone
    from everdex.graph.resolvers import Resolvers
    from everdex.view import open_view

    # All that is kept here is without cycles, and there is much of it to look through again and again.
    gc.disable()
    store, snapshot_id, modules = settings
    # The parent holds the readers' lock, too: the snapshot cannot be collected before we have it open.
    with open_view(store, snapshot_id) as view:
        alone = Alone(view, Resolvers(modules))

        def answer(message: Any) -> object:
            method, argument = message
            if method == "enter":
                alone.enter(*argument)
                return None
            return list(getattr(alone, method)(argument))

        try:
            yield answer
        finally:
            alone.end()


if __name__ == "__main__":
    roomy(serve)(int(sys.argv[1]), "resolving", _worker)
