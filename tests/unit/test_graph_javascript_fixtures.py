"""Real code with the expected targets of every call written at its line: `// calls: first | second`.

A target is a qualified name; several are separated by commas. `!name` is external, `~a, b` ambiguous, `?reason` is
unresolved. A line's sites stand in the order of their places.
"""

from __future__ import annotations

import re

import pytest

from everdex.graph.model import FileGraph, Role, Site, Status
from support.javascript import FIXTURES, MemoryWorld, numbered

CASES = sorted(path.name for path in FIXTURES.iterdir())
_EXPECTED = re.compile(r"// calls: (.+)$")


def _files(case: str) -> dict[str, bytes]:
    root = FIXTURES / case
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def _said(site: Site, names: dict[tuple[str, str], str]) -> str:
    if site.status is Status.UNRESOLVED:
        return f"?{site.reason}"
    mark = {Status.EXTERNAL: "!", Status.AMBIGUOUS: "~"}.get(site.status, "")
    return mark + ", ".join(names.get((target.path, target.key), target.key) for target in site.targets)


def _expected(line: str) -> list[str]:
    found = _EXPECTED.search(line)
    return [part.strip() for part in found[1].split("|")] if found else []


def _graphs(case: str) -> tuple[dict[str, bytes], dict[str, FileGraph], dict[tuple[str, str], str]]:
    files = _files(case)
    graphs = MemoryWorld(files).graphs()
    names = {(path, node.key): numbered(node) for path, graph in graphs.items() for node in graph.nodes}
    return files, graphs, names


@pytest.mark.parametrize("case", CASES)
def test_every_call_leads_where_its_line_says(case: str) -> None:
    """Each call site of a fixture has an expectation, and each expectation is met."""
    files, graphs, names = _graphs(case)
    wrong: list[str] = []
    for path, graph in graphs.items():
        lines = files[path].decode().splitlines()
        found: dict[int, list[str]] = {}
        for site in graph.sites:
            if site.role is Role.CALL:
                found.setdefault(site.line, []).append(_said(site, names))
        for number, line in enumerate(lines, 1):
            expected, said = _expected(line), found.get(number, [])
            if expected != said:
                wrong.append(f"{path}:{number}: {line.strip()}\n    found {' | '.join(said)}")
    assert wrong == []


def test_the_fixtures_speak_of_many_rules() -> None:
    """The fixtures hold more than two hundred call sites."""
    lines = [line for case in CASES for data in _files(case).values() for line in data.decode().splitlines()]
    assert sum(len(_expected(line)) for line in lines) > 200
