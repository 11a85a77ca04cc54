"""Variables of Python files: what is one, what reads it, what writes it, and what of it others may rely on."""

from __future__ import annotations

import pytest

from everdex.graph.model import FileGraph, Role, Status
from fixtures.callgraph.python.harness import HERE, Case, MemoryWorld, cases, described, resolve

_KINDS = ("variable", "field", "type")
_WORDS = {Role.WRITE: "write", Role.REFERENCE: "read", Role.IMPORT: "import", Role.OVERRIDE: "replaces"}


def _said(graphs: dict[str, FileGraph], path: str) -> dict[int, list[str]]:
    """Line -> new variables, then what is done with variables, from left to right."""
    kinds = {(each, node.key): node.kind for each, graph in graphs.items() for node in graph.nodes}
    found: dict[int, list[str]] = {}
    for node in graphs[path].nodes:
        if node.kind in _KINDS:
            found.setdefault(node.name_line, []).append(f"new {node.qualified_name}")
    for site in graphs[path].sites:
        about = site.role is Role.WRITE or any(kinds.get((t.path, t.key)) in _KINDS for t in site.targets)
        if about and site.role in _WORDS:
            found.setdefault(site.line, []).append(f"{_WORDS[site.role]} {described(graphs, site)}")
    return found


def _expected(data: bytes) -> dict[int, list[str]]:
    lines = enumerate(data.decode().split("\n"), 1)
    return {number: line.partition("# @ ")[2].split("; ") for number, line in lines if "# @ " in line}


@pytest.mark.parametrize("case", list(cases(HERE / "variables")), ids=lambda case: case.name)
def test_every_line_says_what_it_does_with_variables(case: Case) -> None:
    """Each variable has one definition, and every read and write of it has the target and status beside it."""
    graphs = resolve(MemoryWorld(case.files))
    for path, data in case.files.items():
        assert _said(graphs, path) == _expected(data), path


def _interface(text: str) -> str:
    return resolve(MemoryWorld({"main.py": text.encode()}))["main.py"].interface


def test_public_variables_are_part_of_the_interface() -> None:
    """Their names and types are, their values are not."""
    plain = _interface("LIMIT: int = 1\nclass Box:\n    size = 1\n")
    assert _interface("LIMIT: int = 2\nclass Box:\n    size = 3\n") == plain
    assert _interface("LIMIT: str = 1\nclass Box:\n    size = 1\n") != plain
    assert _interface("LIMIT: int = 1\nclass Box:\n    size = 1\n    more = 1\n") != plain


def test_private_local_and_stored_variables_are_not() -> None:
    """What bodies assign and what begins with an underscore changes no interface."""
    plain = _interface("def f(): pass\nclass Box:\n    def go(self): pass\n")
    more = (
        "_hidden = 1\ndef f():\n    global made\n    made = 1\n    local = 2\n"
        "class Box:\n    _own = 1\n    def go(self):\n        self.stored = 1\n"
    )
    assert _interface(more) == plain


def test_a_variable_knows_its_place() -> None:
    """Its span is the assignment, its name where it stands in it, its signature the annotation."""
    text = "table: dict[str,\n      int] = {\n    'a': 1,\n}\nclass A:\n    def f(self):\n        self.value = 1\n"
    found = resolve(MemoryWorld({"pkg/main.py": text.encode()}))["pkg/main.py"]
    by_key = {node.key: node for node in found.nodes}
    table, value = by_key["table"], by_key["A.value"]
    assert (table.qualified_name, table.kind, table.start_line, table.end_line) == ("pkg.main.table", "variable", 1, 4)
    assert (table.signature, table.public, table.parent) == (": dict[str, int]", True, 0)
    assert (value.qualified_name, value.kind) == ("pkg.main.A.value", "field")
    assert (value.name_line, value.name_column) == (7, 13)
    assert found.nodes[value.parent].key == "A"


def test_a_write_stands_in_the_function_that_makes_it() -> None:
    """The source of a write is what is around it, also for a variable of the module."""
    found = resolve(MemoryWorld({"main.py": b"x = 1\ndef f():\n    global x\n    x = 2\n"}))["main.py"]
    written = [(found.nodes[site.source].key, site.line, site.column, site.status) for site in found.sites]
    assert written == [("", 1, 0, Status.RESOLVED), ("f", 4, 4, Status.RESOLVED)]
