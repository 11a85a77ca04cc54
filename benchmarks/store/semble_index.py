"""Indexes a folder with semble in this process and saves the index, as its own command does; prints JSON facts.

Use: semble_index.py ROOT SAVE_TO code|all      (SEMBLE_MODEL_NAME and SEMBLE_CACHE_LOCATION come from the caller)
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def main() -> int:
    from semble import SembleIndex
    from semble.types import ContentType

    root, target, content = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    kinds = list(ContentType) if content == "all" else [ContentType.CODE]
    started = time.perf_counter()
    index = SembleIndex.from_path(root, content=kinds)
    index.save(target)
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "files": index.stats.indexed_files, "chunks": index.stats.total_chunks}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
