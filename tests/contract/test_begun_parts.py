"""Asked before the graph is finished, a file is resolved in parts: those that decide the answer. What is kept of them
is of use to the next question and to the finished graph, and changes neither."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import everdex
from everdex.graph.answers import begun, queries
from everdex.graph.answers.ways import Way
from everdex.graph.definitions import naming
from everdex.graph.definitions.atlas import Atlas, InPart
from everdex.graph.making.build import build
from everdex.graph.model import Role
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.view import SnapshotView, open_view
from support.graphs import silent
from support.stores import synced

_FIXTURES = Path(__file__).parents[1] / "fixtures" / "callgraph"
_OWN = Path(everdex.__file__).parent / "facts"  # Python's fixtures are short
_KNOWN = Resolvers()


def _built(view: SnapshotView, base: Graph | None = None, **how: Any) -> Graph:
    return Graph(build(view, _KNOWN, base, workers=1, progress=silent, **how).data, "built")


def _callers(atlas: Atlas, asked: str) -> set[tuple[str, int, int]]:
    edges = queries.callers(atlas, naming.find(atlas, asked)[0])[0:2_000]
    return {(use.path, use.site.line, use.site.column) for edge in edges for use in edge.uses}


@pytest.mark.parametrize("tree", [_FIXTURES / "go", _FIXTURES / "javascript", _OWN], ids=lambda tree: tree.name)
def test_parts_that_were_resolved_for_questions_are_parts_of_the_finished_graph(tmp_path: Path, tree: Path) -> None:
    """One question after another goes on from what the ones before have resolved. What they are told the finished graph
    says, which has the same bytes as one that nobody asked before."""
    files = {
        f"{path.relative_to(tree)}": path.read_text()
        for path in sorted(tree.rglob("*"))
        if path.is_file() and path.suffix not in (".cases", ".pyc")
    }
    made = synced(tmp_path / "tree", files)
    with open_view(made.store) as view:
        clean, some = _built(view), _built(view, only=())
        finished, told, in_part = Atlas(view, clean), 0, 0
        for file, path in enumerate(clean.paths):
            for item in finished.definitions(file)[1::9]:
                asked = f"{path}::{item.node.key}"

                def known(atlas: Atlas, _: tuple[Way, ...], asked: str = asked) -> set[tuple[str, int, int]]:
                    return _callers(atlas, asked)

                with begun.begun(view, _KNOWN, some, silent) as now:
                    early = begun.answered(view, now, asked, "callers", known)
                    some = now.graph
                if early is not None and len(naming.find(finished, asked)) == 1:
                    told += 1
                    assert early <= _callers(finished, asked), asked
            in_part += len(some.waiting - some.untouched)
        assert told
        assert bool(in_part) == (tree.name != "go")
        assert bytes(_built(view, some).data) == bytes(clean.data)


_TWO = {
    "a.py": (
        "def run(): ...\n\n\ndef one():\n    run()\n\n\ndef two():\n    three()\n\n\ndef three(): ...\n\n\n"
        "class A(B):\n    def four(self):\n        return run\n"
    ),
    "b.js": (
        "function run() {}\nfunction one() {\n  run();\n}\nfunction two() {\n  three();\n}\nfunction three() {\n}\n"
    ),
}


@pytest.mark.parametrize("path", _TWO)
def test_functions_that_do_not_write_a_name_wait(tmp_path: Path, path: str) -> None:
    """They are resolved when somebody asks for what they write; who asks the same again has nothing resolved."""
    made = synced(tmp_path / "tree", {path: _TWO[path]})

    def waiting(atlas: Atlas, _: tuple[Way, ...] = ()) -> set[str]:
        columns = atlas.columns(atlas.graph.paths.index(path))
        unresolved = columns.unresolved if isinstance(columns, InPart) else ()
        return {columns.nodes[number].key for number in unresolved}

    with open_view(made.store) as view, begun.begun(view, _KNOWN, _built(view, only=()), silent) as some:
        found = begun.answered(view, some, f"{path}::run", "callers", waiting)
        assert found == {"two", "three"}
        with begun.begun(view, _KNOWN, some.graph, silent) as again:
            assert begun.answered(view, again, f"{path}::run", "callers", waiting) == found
        assert (some.resolved, again.resolved) == (1, 0)
        assert begun.answered(view, some, f"{path}::three", "callers", waiting) == set()


def test_what_waits_is_not_said_to_be_nothing(tmp_path: Path) -> None:
    """Who asks what a class inherits from that stands in a function nobody has resolved is told that it waits."""
    made = synced(tmp_path / "tree", {
        "a.py": "from b import made\nclass A(made()):\n    def run(self): ...\n",
        "b.py": "import lib\ndef made():\n    class Inner(lib.Base): ...\n    return Inner\ndef other(): ...\n",
    })  # fmt: skip

    def bases(atlas: Atlas, _: tuple[Way, ...]) -> list[str]:
        number = atlas.graph.paths.index("b.py")
        columns = atlas.columns(number)
        assert isinstance(columns, InPart)
        return [target.key for target in columns.above(columns.by_key["made.Inner"], Role.INHERIT)]

    with open_view(made.store) as view, begun.begun(view, _KNOWN, _built(view, only=()), silent) as some:
        assert some.resolve({"b.py": begun.DEFINITIONS})
        assert begun.answered(view, some, "a.py::A.run", "callers", bases) == ["lib.Base"]
