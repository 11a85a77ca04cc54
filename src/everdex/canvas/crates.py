"""Which files code of Rust can name: those of its own crate, and of the crates that this one is built upon.

Cargo allows no cycle between crates. Code of a crate that is not below was handed in, behind a trait or as a closure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import dirname, join, normpath
from typing import Any, Final

from everdex.graph.overview.about import read_manifest
from everdex.view import SnapshotView

_MANIFEST: Final = "Cargo.toml"
_TABLES: Final = ("dependencies", "dev-dependencies", "build-dependencies")
_MOST: Final = 1_000  # crates of which the manifests are read


def nameable(view: SnapshotView, paths: Iterable[str]) -> dict[str, frozenset[str]]:
    """Of each of these files of Rust that is in a crate the files that it can name; crates share their sets."""
    directories = [dirname(path) for path in view.paths if path.rpartition("/")[2] == _MANIFEST]
    if not 1 < len(directories) <= _MOST:
        return {}
    manifests = {each: read_manifest(view, join(each, _MANIFEST)) or {} for each in directories}
    below = _below({each: read for each, read in manifests.items() if isinstance(read.get("package"), dict)})
    files: dict[str, set[str]] = {each: set() for each in below}
    homes: dict[str, str] = {}
    for path in paths:
        home = _home(path, below) if path.endswith(".rs") else None
        if home is not None:
            homes[path] = home
            files[home].add(path)
    reached = {each: frozenset[str]().union(*(files[other] for other in others)) for each, others in below.items()}
    return {path: reached[home] for path, home in homes.items()}


def _home(path: str, crates: dict[str, set[str]]) -> str | None:
    here = dirname(path)
    while here and here not in crates:
        here = dirname(here)
    return here if here in crates else None


def _below(manifests: dict[str, dict[str, Any]]) -> dict[str, set[str]]:
    """Of each crate itself and all that it is built upon, by their directories."""
    names = ((read["package"].get("name"), each) for each, read in manifests.items())
    called = {name: each for name, each in names if isinstance(name, str)}
    direct = {
        each: {other for other in _dependencies(each, read, called) if other in manifests}
        for each, read in manifests.items()
    }
    found: dict[str, set[str]] = {}
    for each in manifests:
        seen, waiting = {each}, [each]
        while waiting:
            new = direct[waiting.pop()] - seen
            seen |= new
            waiting += new
        found[each] = seen
    return found


def _dependencies(crate: str, manifest: dict[str, Any], called: dict[str, str]) -> Iterator[str]:
    targets = manifest.get("target")
    for holder in (manifest, *(targets.values() if isinstance(targets, dict) else ())):
        for table in _TABLES:
            listed = holder.get(table) if isinstance(holder, dict) else None
            for name, said in listed.items() if isinstance(listed, dict) else ():
                told = said if isinstance(said, dict) else {}
                path, package = told.get("path"), told.get("package")
                if isinstance(path, str):
                    directory = normpath(join(crate, path))
                    yield "" if directory == "." else directory
                elif (known := called.get(package if isinstance(package, str) else name)) is not None:
                    yield known
