"""The program of an indexing worker: a batch of files in and its records out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from everdex.sync.child import serve


@contextmanager
def _worker(settings: Any) -> Iterator[Callable[[Any], object]]:
    from everdex.sync.work import Worker

    with closing(Worker(settings)) as worker:
        yield worker.process


if __name__ == "__main__":
    serve(int(sys.argv[1]), "indexing", _worker)
