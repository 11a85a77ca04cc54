"""Where a repository is started: commands it declares, scripts of its pages, files named for it, functions called main.

The files are the repository's: any of them may be nonsense, and nothing in them is followed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from posixpath import dirname
from typing import Any, Final

from everdex.graph.definitions.atlas import CONTAINERS, Atlas, Definition
from everdex.graph.overview.about import read_manifest
from everdex.graph.overview.rank import reach
from everdex.graph.overview.workspace import packages
from everdex.graph.stored.postings import key32
from everdex.identity.symbols import plain_name
from everdex.languages import language_of

_NAMED: Final = re.compile(
    r"(^|/)(__main__\.py|manage\.py|main\.(?!s?css$|sass$|less$)\w+|Program\.cs|config\.ru)$|^bin/|"
    r"(^|/)(src/)?index\.[jt]sx?$|^((public|web|www|htdocs)/)?index\.php$"
)
_INDEX: Final = re.compile(r"(^|/)index\.[jt]sx?$")
# Where a program begins in a function, a file's name alone says nothing.
_BY_FUNCTION: Final = (".go", ".rs", ".c", ".cc", ".cpp", ".cxx", ".java", ".kt")
_IN_TYPES: Final = (".java", ".kt", ".scala", ".cs", ".swift")
_STUBS: Final = (".pyi", ".d.ts")
_SCRIPTS: Final = frozenset(("php", "ruby", "python", "perl", "javascript"))
_HIDDEN: Final = re.compile(r"(^|/)\.")
_PAGES_READ: Final = 100
_LARGEST_PAGE: Final = 1 << 20
_SCRIPT: Final = re.compile(r"(?i)<script\b([^<>]{0,400})>")
_IS_MODULE: Final = re.compile(r"""(?i)\btype\s*=\s*["']?module\b""")
_SOURCE: Final = re.compile(r"""(?i)\bsrc\s*=\s*["']([^"']{1,300})["']""")

Item = dict[str, Any]  # `text` is how it reads; the rest are its fields


def entry_points(atlas: Atlas, roles: Mapping[str, str]) -> Iterator[Item]:
    """What is run comes before what is imported, what is outside before what is inside; functions called main where the
    language begins there before those that are only called so, and first those whose files use most of the others."""
    yield from _declared(atlas)
    ours = [path for path in atlas.view.paths if roles[path] == "source" and not _HIDDEN.search(path)]
    told: set[str] = set()
    for path, page in _of_pages(atlas, ours):
        told.add(path)
        yield {"text": f"{path}: run by {page}", "path": path, "line": 1, "name": None, "why": "page"}
    for path in _named(atlas, ours):
        if path not in told:
            told.add(path)
            yield {"text": f"{path}: by its name", "path": path, "line": 1, "name": None, "why": "file name"}
    for item in _mains(atlas, {path for path in ours if path not in told}):
        line, name = item.node.name_line, plain_name(item.node.key)
        text = f"{item.path}:{line}: {name}"
        yield {"text": text, "path": item.path, "line": line, "name": item.node.name, "why": "main"}


def _declared(atlas: Atlas) -> Iterator[Item]:
    """Commands that a package declares."""
    for path in atlas.view.paths:
        name = path.rpartition("/")[2]
        if name not in ("pyproject.toml", "package.json") or path.count("/") > 2:
            continue
        read = read_manifest(atlas.view, path)
        if read is None:
            continue
        project = read.get("project") if name.endswith(".toml") else read
        if not isinstance(project, dict):
            continue
        commands = project.get("scripts" if name.endswith(".toml") else "bin")
        if isinstance(commands, str) and isinstance(project.get("name"), str):
            commands = {project["name"].rpartition("/")[2]: commands}  # npm: one command, called like the package
        for command, what in sorted(commands.items()) if isinstance(commands, dict) else ():
            if isinstance(command, str) and isinstance(what, str):
                text = f"{path}: {command} = {what}"
                yield {"text": text, "path": path, "line": 1, "name": command, "why": what}


def _of_pages(atlas: Atlas, ours: list[str]) -> Iterator[tuple[str, str]]:
    """Modules that a page runs, with the page: how Vite, Parcel and browsers begin. Each once."""
    sources, found = frozenset(ours), set[str]()
    for page in [path for path in ours if path.endswith(".html")][:_PAGES_READ]:
        source = atlas.view.source(page)
        if len(source) > _LARGEST_PAGE or b"module" not in source:
            continue
        for tag in _SCRIPT.findall(source.decode("utf-8", "replace")):
            named = _SOURCE.search(tag) if _IS_MODULE.search(tag) else None
            path = posixpath.normpath(posixpath.join(dirname(page), named[1].lstrip("/"))) if named else ""
            if path in sources and path not in found:
                found.add(path)
                yield path, page


def _named(atlas: Atlas, ours: list[str]) -> list[str]:
    languages = dict(zip(atlas.view.paths, atlas.view.file_languages, strict=True))
    manifests = {dirname(path) for path in atlas.view.paths if path.rpartition("/")[2] == "package.json"}
    listed = tuple(f"{package.directory}/" for package in packages(atlas.view))

    def begins(path: str) -> bool:
        if "/" not in path and "." not in path and language_of(path) is None:
            return languages[path] in _SCRIPTS  # a command at the top: only its first line says what it is
        if not _NAMED.search(path) or path.endswith(_BY_FUNCTION):
            return False
        # An index inside a package only gathers what is beside it; that of one among several is how it is imported.
        return not _INDEX.search(path) or (not path.startswith(listed) and _begins_package(path, manifests))

    return sorted(filter(begins, ours), key=lambda path: (bool(_INDEX.search(path)), path.count("/")))


def _begins_package(path: str, manifests: set[str]) -> bool:
    directory = dirname(path)
    outer = dirname(directory) if directory.rpartition("/")[2] in ("src", "lib") else directory
    return not manifests or directory in manifests or outer in manifests


def _mains(atlas: Atlas, among: set[str]) -> list[Definition]:
    """The first of each file: a file that is compiled in several ways may have many."""
    found: list[Definition] = []
    names = atlas.graph.tables["names"]
    for file in sorted({*names.holders(key32("main")), *names.holders(key32("Main"))}):
        path = atlas.graph.paths[file]
        if path in among and not path.endswith(_STUBS):
            found += [item for item in atlas.definitions(file) if _starts(atlas, item)][:1]
    used = reach(atlas.graph)

    def order(item: Definition) -> tuple[bool, int, int, str]:
        by_habit = not item.path.endswith(_BY_FUNCTION + _IN_TYPES)
        return by_habit, -int(used[item.file]), item.path.count("/"), item.path

    return sorted(found, key=order)


def _starts(atlas: Atlas, item: Definition) -> bool:
    node = item.node
    if node.kind not in ("function", "method") or node.name not in ("main", "Main"):
        return False
    if node.parent == 0:
        return node.name == "main"
    around = atlas.definition(item.file, node.parent).node
    if not item.path.endswith(_IN_TYPES) or around.kind not in CONTAINERS:
        return False
    outer = atlas.definition(item.file, around.parent).node.kind if around.parent else "namespace"
    return outer == "namespace" and (around.kind == "object" or "static" in node.signature.partition("(")[0].split())
