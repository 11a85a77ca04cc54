"""Runs one system over one corpus in a process of its own, so that its memory and imports are its own.

Reads a job (JSON) and writes a JSON answer: index seconds, hits and milliseconds for each query. Exit code 3
says that the system is not installed here, which the caller reports as skipped. Use: worker.py JOB ANSWER
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

# BLAS threads fight over two cores and make every system look slower than it is.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.search.systems import SYSTEMS

NOT_INSTALLED = 3


def main() -> int:
    job = json.loads(Path(sys.argv[1]).read_text())
    root, queries, k = Path(job["root"]), job["queries"], job["k"]
    try:
        system = SYSTEMS[job["system"]](Path(job["scratch"]), Path(job["model"]))
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        return NOT_INSTALLED
    started = time.perf_counter()
    facts = system.index(root)
    index_seconds = time.perf_counter() - started
    # The first pass fills caches and gives the results; the second is timed: warm is what is claimed.
    hits = [[asdict(hit) for hit in system.search(query, k)] for query in queries]
    milliseconds = []
    for query in queries:
        started = time.perf_counter()
        system.search(query, k)
        milliseconds.append((time.perf_counter() - started) * 1000)
    answer = {"index_seconds": index_seconds, **asdict(facts), "hits": hits, "query_ms": milliseconds}
    Path(sys.argv[2]).write_text(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
