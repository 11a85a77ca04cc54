"""The fixtures of the languages that are resolved by imports and names, and their world in memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from everdex.graph.model import FileGraph, Resolver, Role, Site
from everdex.graph.names.resolver import RESOLVER
from support import worlds

FIXTURES = Path(__file__).parent.parent / "fixtures" / "callgraph"
LANGUAGES = (
    "bash", "c", "cpp", "csharp", "go", "java", "kotlin", "lua", "php", "ruby", "rust", "scala", "swift",
)  # fmt: skip


def load(root: Path) -> dict[str, bytes]:
    """The files below a directory, by path key."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
    }


class MemoryWorld(worlds.MemoryWorld):
    def __init__(self, files: Mapping[str, bytes], resolver: Resolver = RESOLVER) -> None:
        super().__init__(files, resolver)


def graphs_of(files: Mapping[str, bytes]) -> dict[str, FileGraph]:
    return MemoryWorld(files).graphs()


def sites_of(graph: FileGraph, role: Role) -> list[Site]:
    return [site for site in graph.sites if site.role is role]


def targets_of(graph: FileGraph, role: Role) -> set[tuple[str, str]]:
    return {(site.text, target.key) for site in sites_of(graph, role) for target in site.targets}


def places_named(graph: FileGraph, role: Role = Role.REFERENCE) -> list[tuple[int, int, str]]:
    """Line, column and target of every site of a role."""
    return [(site.line, site.column, target.key) for site in sites_of(graph, role) for target in site.targets]


def differing(path: str, data: bytes, mark: str, found: Mapping[int, list[str]]) -> tuple[int, list[str]]:
    """How much a file's lines say behind a mark, and the lines that say something else than was found there."""
    said, wrong = 0, []
    for number, line in enumerate(data.decode().split("\n"), start=1):
        _, marked, text = line.partition(mark)
        expected = [part.strip() for part in text.split(";")] if marked else []
        said += len(expected)
        if expected != found.get(number, []):
            wrong.append(f"{path}:{number}: expected {expected}, found {found.get(number, [])}")
    return said, wrong
