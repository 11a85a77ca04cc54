"""Fields of the languages that are resolved by names: who reads and who writes them, said on each line.

After `//>` stand the line's sites of fields, properties, variables and variants in order, separated by `;`: `Key` or
`path::Key` of what is read, with `=` before it of what is written; `?…` for ambiguous candidates, `-` for a write that
leads nowhere. A line without a mark has no such site.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.graph.model import FileGraph, Role, Site, Status
from everdex.graph.names import RESOLVER
from everdex.graph.names.rules import VALUES
from support.names import MemoryWorld, load

FIXTURES = Path(__file__).parent.parent / "fixtures" / "fields"
LANGUAGES = tuple(sorted(path.name for path in FIXTURES.iterdir()))


def _written(path: str, site: Site) -> str:
    targets = "|".join(
        target.key if target.path == path else f"{target.path}::{target.key}" for target in site.targets
    )
    doubt = "?" if site.status is Status.AMBIGUOUS else ""
    return ("=" if site.role is Role.WRITE else "") + doubt + (targets or "-")


def _is_of_value(graphs: dict[str, FileGraph], site: Site) -> bool:
    kinds = {
        node.kind for target in site.targets if target.path in graphs for node in graphs[target.path].nodes
        if node.key == target.key
    }  # fmt: skip
    unknown = site.role is Role.WRITE and site.status is not Status.EXTERNAL
    return site.role in (Role.REFERENCE, Role.WRITE) and (bool(kinds & VALUES) or (unknown and not site.targets))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_use_of_a_field_leads_where_its_line_says(language: str) -> None:
    """Each read and write of a field is a site of the field, and nothing else is."""
    files = load(FIXTURES / language)
    world = MemoryWorld(files)
    resolution = RESOLVER.open(world)
    graphs = {path: resolution.resolve(path) for path in world.paths if world.facts(path)}
    wrong, cases = [], 0
    for path, graph in graphs.items():
        found: dict[int, list[str]] = {}
        for site in graph.sites:
            if _is_of_value(graphs, site):
                found.setdefault(site.line, []).append(_written(path, site))
        for number, line in enumerate(files[path].decode().split("\n"), start=1):
            _, marked, said = line.partition("//> ")
            expected = [part.strip() for part in said.split(";")] if marked else []
            cases += len(expected)
            if expected != found.get(number, []):
                wrong.append(f"{path}:{number}: expected {expected}, found {found.get(number, [])}")
    assert wrong == []
    assert cases >= 8
