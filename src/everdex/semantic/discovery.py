"""The semantic contexts of a tree: which directories a one-shot indexer can be run for, and which files each owns.

A pure function of paths and contents, so the same snapshot always has the same contexts, with the same ids. A file
belongs to the nearest root of its language's family above it, and to no other. Build files come from an untrusted
repository: they are parsed within bounds, and what cannot be read says nothing. No tool is looked for here.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from posixpath import basename, dirname, join, normpath
from typing import Any, Final

import msgspec

from everdex import limits
from everdex.semantic.families import FAMILIES, OF_LANGUAGE, Family
from everdex.strangers import read_toml

_MODULE: Final = re.compile(rb"<module>\s*([^<>\s]{1,500})\s*</module>")
_SETTINGS: Final = ("settings.gradle", "settings.gradle.kts")


class Member(msgspec.Struct, frozen=True, gc=False):
    """A file as a snapshot has it."""

    path: str
    language: str
    content_hash: str


class Project(msgspec.Struct, frozen=True):
    """A context as it is found: `files` are those it owns, sorted; `root` is "" at the top."""

    id: str
    name: str
    language: str
    root: str
    config_path: str
    config_hash: str
    tool: str
    files: tuple[Member, ...]


class Projects(msgspec.Struct, frozen=True):
    """The contexts of a tree; `omitted` are those beyond the limit, which keep their files out of all others."""

    found: tuple[Project, ...]
    omitted: int = 0


def discover(files: Iterable[Member], source: Callable[[str], bytes]) -> Projects:
    """Every context that owns a file, by language and root; `source` gives the bytes of a build file."""
    listed = list(files)
    by_family = {family.language: _roots(family, listed, source) for family in FAMILIES}
    owned: dict[tuple[str, str], list[Member]] = defaultdict(list)
    for file in listed:
        family = OF_LANGUAGE.get(file.language)
        if family is None:
            continue
        root = next((above for above in _above(file.path) if above in by_family[family.language]), None)
        if root is not None:
            owned[family.language, root].append(file)
    found: list[Project] = []
    for family in FAMILIES:
        deciding = _deciding(family, listed)
        for root, marker in sorted(by_family[family.language].items()):
            if (family.language, root) in owned:
                found.append(_project(family, root, marker, owned[family.language, root], deciding))
    return Projects(tuple(found[: limits.MAX_CONTEXTS]), max(0, len(found) - limits.MAX_CONTEXTS))


def context_id(language: str, root: str) -> str:
    """The same for the same language and directory, whatever else the repository has."""
    return "ctx_" + hashlib.sha256(f"{language}\0{root}".encode()).hexdigest()[:12]


def _project(
    family: Family, root: str, marker: str, files: list[Member], deciding: Mapping[str, list[Member]]
) -> Project:
    """Everything of the family's names at the root or above it decides, whether the tool reads it or not."""
    digest = hashlib.sha256()
    for directory in (root, *_above(root)):
        for file in deciding.get(directory, ()):
            digest.update(f"{file.path}\0{file.content_hash}\n".encode())
    return Project(
        context_id(family.language, root), f"{family.language}:{root or '.'}", family.language, root, marker,
        digest.hexdigest(), family.tool, tuple(sorted(files, key=lambda file: file.path)),
    )  # fmt: skip


def _above(path: str) -> Iterator[str]:
    """The directories that hold a path, nearest first; the last is ""."""
    while path:
        path = dirname(path)
        yield path


def _deciding(family: Family, files: Iterable[Member]) -> dict[str, list[Member]]:
    found: dict[str, list[Member]] = defaultdict(list)
    for file in files:
        if family.is_deciding(basename(file.path)):
            found[dirname(file.path)].append(file)
    for listed in found.values():
        listed.sort(key=lambda file: file.path)
    return found


# -- roots ---------------------------------------------------------------------------------------


def _roots(family: Family, files: Iterable[Member], source: Callable[[str], bytes]) -> dict[str, str]:
    """Directory -> its marker."""
    strong: dict[str, tuple[int, str]] = {}
    weak: dict[str, str] = {}
    for file in files:
        name, directory = basename(file.path), dirname(file.path)
        rank = family.rank(name)
        if rank is not None:
            strong[directory] = min((rank, file.path), strong.get(directory, (rank, file.path)))
        elif name in family.weak:
            weak[directory] = file.path
    roots = {directory: path for directory, (_, path) in strong.items()}
    if family.language in _MEMBERS:
        roots = _MEMBERS[family.language](roots, source)
    for directory in sorted(weak, key=lambda path: path.count("/") if path else -1):  # from the top downwards
        if directory not in roots and not any(above in roots for above in _above(directory)):
            roots[directory] = weak[directory]
    return roots


def _rust(manifests: dict[str, str], source: Callable[[str], bytes]) -> dict[str, str]:
    """Cargo's rule: a package below a workspace belongs to it, unless the workspace excludes its directory."""
    excluded = {
        directory: [normpath(join(directory, name)) for name in _texts(workspace.get("exclude"))]
        for directory, path in manifests.items()
        if (workspace := _workspace(source(path))) is not None
    }
    roots = {}
    for directory, path in manifests.items():
        nearest = next((above for above in _above(directory) if above in excluded), None)
        if directory in excluded or nearest is None or _is_below(directory, excluded[nearest]):
            roots[directory] = path
    return roots


def _workspace(data: bytes) -> Mapping[str, Any] | None:
    if len(data) > limits.MAX_BUILD_FILE_BYTES:
        return None
    try:
        workspace = read_toml(data).get("workspace")
    except tomllib.TOMLDecodeError:
        return None
    return workspace if isinstance(workspace, dict) else None


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _java(builds: dict[str, str], source: Callable[[str], bytes]) -> dict[str, str]:
    """Gradle's settings begin a build that has everything below it; a Maven module belongs to who lists it."""
    settings = {directory for directory, path in builds.items() if basename(path) in _SETTINGS}
    modules = {
        normpath(join(directory, module))
        for directory, path in builds.items()
        if basename(path) == "pom.xml"
        for module in _modules(source(path))
    }
    roots = {}
    for directory, path in builds.items():
        inside = any(above in settings for above in _above(directory))
        if directory in settings or not (inside or directory in modules):
            roots[directory] = path
    return roots


def _modules(data: bytes) -> list[str]:
    """By pattern: a stranger's XML is not parsed."""
    return [found.decode("utf-8", "replace") for found in _MODULE.findall(data[: limits.MAX_BUILD_FILE_BYTES])]


def _dotnet(projects: dict[str, str], source: Callable[[str], bytes]) -> dict[str, str]:
    """A project below a solution is the solution's."""
    solutions = {directory for directory, path in projects.items() if path.endswith((".sln", ".slnx"))}
    return {
        directory: path
        for directory, path in projects.items()
        if directory in solutions or not any(above in solutions for above in _above(directory))
    }


def _is_below(path: str, directories: Iterable[str]) -> bool:
    return any(path == directory or path.startswith(f"{directory}/") for directory in directories)


_MEMBERS: Final = {"rust": _rust, "java": _java, "dotnet": _dotnet}
