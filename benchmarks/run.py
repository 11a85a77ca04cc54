"""Runs the benchmarks with modest defaults: the store, the daemon, then search over the corpora that are here.

    python benchmarks/run.py [--corpora DIR --annotations DIR] [--peer-python PATH] [--fast]

Without --corpora the search half uses the docstring set only, which it makes itself. --fast leaves out the long
layered measurement and asks fewer queries.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCSTRINGS = HERE / "corpora" / "docstrings"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpora", help="one folder a repository of the development set")
    parser.add_argument("--annotations", help="folder with repos.json and annotations/")
    parser.add_argument("--peer-python", default=sys.executable, help="interpreter that has the peers")
    parser.add_argument("--fast", action="store_true")
    arguments = parser.parse_args()
    peer = ["--peer-python", arguments.peer_python]
    store = ["store/run.py", *peer]
    if arguments.fast:
        store += ["--only", "cold,nochange,edit,query", "--repeats", "1", "--queries", "100"]
    daemon = ["daemon/run.py", "--session-s", "30" if arguments.fast else "300"]
    docstrings = ["search/docstrings.py", "--out", str(DOCSTRINGS)]
    docstrings += ["--queries", "160"] if arguments.fast else []
    search = ["search/run.py", "--docstrings", str(DOCSTRINGS), *peer]
    if arguments.corpora is not None and arguments.annotations is not None:
        search += ["--corpora", arguments.corpora, "--annotations", arguments.annotations]
    # One part that fails must not keep the other from being measured, and must not look like success.
    codes = [
        subprocess.run([sys.executable, str(HERE / part[0]), *part[1:]], check=False).returncode
        for part in (store, daemon, docstrings, search)
    ]
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
