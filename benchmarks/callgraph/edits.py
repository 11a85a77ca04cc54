"""After an edit: CPU of one `build` from the kept graph, for edits of django's own package of growing reach.

    python benchmarks/callgraph/edits.py DJANGO [--repeat N]

DJANGO is the package's directory (738 files of Python); it is copied and indexed with the fake embedder. Offers,
resolution, merged tables and bytes are counted, not the write. Everything is decoded anew each time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Final

from everdex.durable import make_directory
from everdex.graph.artifact import Graph
from everdex.graph.build import Built, build
from everdex.graph.resolvers import MODULES, Resolvers
from everdex.view import open_view
from support.graphs import silent
from support.stores import Workspace, workspace

_FUNCTION: Final = "\n\ndef _added_here(value):\n    return value\n"
_METHOD: Final = "    def _added_here(self):\n        return self\n\n"
# What the edit is, the file, the text before which something is put in ('' for the end), and what.
EDITS: Final = (
    ("a comment in core/paginator.py", "core/paginator.py", "", "# a comment\n"),
    ("a new function in core/paginator.py", "core/paginator.py", "", _FUNCTION),
    ("a new method of Page", "core/paginator.py", "    def next_page_number(self):\n", _METHOD),
    ("a new function in http/response.py", "http/response.py", "", _FUNCTION),
    ("a new function in db/models/base.py", "db/models/base.py", "", _FUNCTION),
    ("a new function in db/models/query.py", "db/models/query.py", "", _FUNCTION),
    ("a new method of QuerySet", "db/models/query.py", "    def _fetch_all(self):\n", _METHOD),
    (
        "a statement more in QuerySet._fetch_all", "db/models/query.py",
        "        if self._prefetch_related_lookups and not self._prefetch_done:\n"
        "            self._prefetch_related_objects()\n\n    def _next",
        "        added_here = self._result_cache\n",
    ),
    (
        "a statement more in Model.save", "db/models/base.py",
        "        self._prepare_related_fields_for_save(operation", "        added_here = 1\n",
    ),
)  # fmt: skip


def timed(made: Workspace, resolvers: Resolvers, base: Graph | None) -> tuple[Built, float]:
    with open_view(made.store) as view:
        view.file_lines()
        begin = time.process_time()
        built = build(view, resolvers, base, workers=1, progress=silent)
        return built, (time.process_time() - begin) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("django", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="also make each graph from nothing and compare")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    resolvers = Resolvers(MODULES)
    with tempfile.TemporaryDirectory() as directory:
        os.environ["EVERDEX_HOME"], os.environ["EVERDEX_EMBEDDER"] = f"{directory}/home", "fake"
        shutil.copytree(options.django, f"{directory}/tree/django")
        made = workspace(Path(directory, "tree"))
        made.sync()
        make_directory(made.store.graphs, made.store.permissions)  # or no facts would be kept
        first, spent = timed(made, resolvers, None)
        base = Graph(first.data, "base")
        print(f"from nothing {spent:.0f} ms, {len(first.data):,} bytes, {len(base.tables['reads'].keys):,} keys read")
        for what, path, before, added in EDITS:
            if options.only not in what:
                continue
            place = made.path / "django" / path
            text = place.read_text()
            at = text.index(before) if before else len(text)
            place.write_text(text[:at] + added + text[at:])
            made.sync()
            runs = [timed(made, resolvers, base) for _ in range(options.repeat)]
            built = runs[0][0]
            print(f"{what}: {built.resolved} files, {min(each for _, each in runs):.0f} ms")
            if options.check:
                print("  same bytes:", timed(made, resolvers, None)[0].data == built.data)
            place.write_text(text)
            made.sync()


if __name__ == "__main__":
    main()
