"""The packages that a repository is made of, where it is made of several: what their manifests say of them.

The files are the repository's: any of them may be nonsense, and nothing in them is followed.
"""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import dirname
from typing import Any, Final

from everdex.graph.overview.about import described, read_manifest
from everdex.languages import role_of
from everdex.view import SnapshotView

_TABLES: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "package.json": ((),), "Cargo.toml": (("package",),), "pyproject.toml": (("project",), ("tool", "poetry")),
}  # fmt: skip
_MOST_READ: Final = 500


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    directory: str
    manifest: str
    description: str


def packages(view: SnapshotView) -> list[Package]:
    """In the order of their paths; nothing where there are fewer than two below the root. Tests and examples that have
    manifests of their own are no part of what the repository is."""
    manifests = [path for path in view.paths if "/" in path and path.rpartition("/")[2] in _TABLES]
    found: list[Package] = []
    for path in manifests[:_MOST_READ]:
        if role_of(f"{dirname(path)}/index.js") == "source" and (name := _name(view, path)):
            found.append(Package(name, dirname(path), path, described(view, path)))
    return found if len(found) > 1 else []


def _name(view: SnapshotView, path: str) -> str:
    read = read_manifest(view, path) or {}
    for keys in _TABLES[path.rpartition("/")[2]]:
        table: Any = read
        for key in keys:
            table = table.get(key) if isinstance(table, dict) else None
        name = table.get("name") if isinstance(table, dict) else None
        if isinstance(name, str) and name.strip():
            return " ".join(name.split())
    return ""
