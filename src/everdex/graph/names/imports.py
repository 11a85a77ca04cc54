"""Where an import leads: to a package, a definition or a file of the root, or out of it.

One small function a language turns the import's words into lookup names; what is looked up decides.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.index import Reader
from everdex.graph.names.module import Module, rust_crate, stem
from everdex.graph.names.standard_headers import STANDARD_HEADERS
from everdex.languages import C_FAMILY

_VERSION: Final = re.compile(r"(.*)/v\d+")
# A chain of re-exports longer than this is a cycle or a puzzle.
MAX_REEXPORTS: Final = 6
MISSING: Final = "missing import"
_MAX_INCLUDED: Final = 4_096


@dataclass(frozen=True, slots=True)
class Led:
    """Where one import leads. Without names and files, out of the root."""

    local: str  # the name it has in the importing file; '*' for every name
    names: tuple[str, ...] = ()  # lookup names (of spaces or definitions), to be tried in order
    files: tuple[str, ...] = ()
    outside: str = ""  # dotted name of what is outside the root; '' when it should be here and is not


COMPANION: Final = "Companion"  # Kotlin's object beside a class, whose members are the class's


def lead(module: Module, item: facts.Import, reader: Reader) -> Led:
    language = module.outline.language
    if language == "go":
        return _go(item, reader)
    if language == "rust":
        return _rust(module, item, reader)
    if language in C_FAMILY and item.kind:
        return Led("", files=_included(module.path, item.path, item.kind, reader), outside=item.path)
    if language in ("ruby", "lua", "bash") or (language == "php" and item.kind == "file"):
        should_be_here = item.kind == "relative" or item.path.startswith(("./", "../"))
        return Led("", files=_required(module, item, reader), outside="" if should_be_here else item.path)
    local = item.alias or item.path.rpartition(".")[2]
    if language == "swift":
        return Led("*", (), outside=item.path)
    path = item.path
    if language in ("java", "kotlin"):
        path = path.replace(f".{COMPANION}.", ".").removesuffix(f".{COMPANION}")
    names = _from_around(module.outline.package, path) if language in ("scala", "csharp") else (path,)
    package = item.path.rpartition(".")[0]
    # What is named of a package that is here should be here: a file that cannot be read may have it.
    is_here = item.alias != "*" and package and reader.space(package)
    return Led(local, names, outside="" if is_here else item.path)


def _from_around(package: str, path: str) -> tuple[str, ...]:
    """An import is read from inside its package first, and from those around it."""
    names = [path]
    while package:
        names.insert(-1, f"{package}.{path}")
        package = package.rpartition(".")[0]
    return tuple(names)


def _go(item: facts.Import, reader: Reader) -> Led:
    path = item.path
    directory = None
    for name, home in reader.go_modules():
        if path == name or path.startswith(name + "/"):
            directory = posixpath.normpath(posixpath.join(home or ".", path[len(name) + 1 :] or "."))
            break
    else:
        if not reader.go_modules():
            # Without a go.mod: the longest end of the path that is a package here.
            parts = path.split("/")
            directory = next(
                (end for at in range(len(parts)) if reader.space(end := "/".join(parts[at:])) and "/" in path), None
            )
    local = item.alias
    if directory is not None:
        files = reader.space(directory)
        if files:
            known = reader.index.module(files[0])
            package = known.outline.package.removesuffix("_test") if known is not None else ""
            return Led(local or package, (directory,), files, path)
    version = _VERSION.fullmatch(path)
    last = (version[1] if version else path).rpartition("/")[2]
    return Led(local or re.sub(r"^go-|\.v\d+$|-go$", "", last).replace("-", "_"), outside=path)


def _rust(module: Module, item: facts.Import, reader: Reader) -> Led:
    local = item.alias or item.path.rpartition(".")[2]
    names = rust_paths(module, item.scope, item.path, reader)
    return Led(local, names, outside="" if is_own(item.path) else item.path)


def is_own(path: str) -> bool:
    """Whether a Rust path begins in its own crate, found or not."""
    return path.partition(".")[0] in ("crate", "$crate", "self", "super")


def rust_paths(module: Module, scope: int, path: str, reader: Reader) -> tuple[str, ...]:
    """Lookup names of a Rust path as written at a place."""
    head, _, rest = path.partition(".")
    crate = rust_crate(module.path)
    here = inner_space(module, scope)
    found: list[str] = []
    whole = path.rpartition(".")[2] in ("crate", "self", "super")  # of a crate at the top of the root
    if head in ("crate", "$crate"):
        found = [_under(root, rest) for root in _crate_roots(module, crate)]
    elif head == "self":
        found = [_under(here, rest)]
    elif head == "super":
        space = here
        while path == "super" or path.startswith("super."):
            space, path = space.rpartition(".")[0], path[6:]
        found = [_under(space, path)]
    else:
        found = [_under(here, path)]
        if here != crate:
            found.append(_under(crate, path))
        if module.space == crate and "/src/" not in f"/{module.path}":
            # Integration tests and examples keep their modules beside them.
            found.append(_under(crate.rpartition(".")[0], path))
        for directory in reader.crate(head, module.path):
            found.append(_under(directory.replace("/", ".").replace("-", "_"), rest))
            whole = whole or not rest
    return tuple(dict.fromkeys(name for name in found if name or whole))


def _crate_roots(module: Module, crate: str) -> list[str]:
    """Where `crate` may lead: without a `src` the crate's root may be any directory around the file."""
    if "/src/" in f"/{module.path}":
        return [crate]
    directories = module.path.split("/")[:-1]
    around = [".".join(directories[:length]).replace("-", "_") for length in range(len(directories), -1, -1)]
    return [crate, *around]


def inner_space(module: Module, scope: int) -> str:
    """The innermost Rust module around a place."""
    for index in module.chain(scope):
        if module.outline.definitions[index].kind == "module":
            return module.names[index]
    return module.space


def _under(space: str, rest: str) -> str:
    return f"{space}.{rest}" if space and rest else space or rest


def _included(path: str, wanted: str, kind: str, reader: Reader) -> tuple[str, ...]:
    base = wanted.rpartition("/")[2]
    candidates = reader.files(base)
    if kind == "system" and wanted in STANDARD_HEADERS:
        # The implementation's, whatever is called like it here; but a C library is one, and has them in `include`.
        return tuple(each for each in _library_headers(path, wanted) if each in candidates)[:1]
    relative = posixpath.normpath(posixpath.join(posixpath.dirname(path), wanted))
    if relative in candidates:
        return (relative,)
    ending = "/" + posixpath.normpath(wanted).lstrip("./")
    found = tuple(each for each in candidates if f"/{each}".endswith(ending))
    if kind == "system" and "/" not in wanted and len(found) > 1:
        return ()
    return found if len(found) == 1 else _nearest(path, found)


def _library_headers(path: str, wanted: str) -> Iterator[str]:
    """Where a file of a C library would have its own standard header: beside its directory, or above."""
    directory = path
    while directory:
        directory = directory.rpartition("/")[0]
        yield posixpath.join(directory, "include", wanted)


def reached(module: Module, reader: Reader, surely: bool) -> frozenset[str]:
    """The files that a C file includes, those that these include, and itself; on any condition, or without one."""
    index = reader.index
    known = index.reached.get((module.path, surely))
    if known is None:
        seen, keys, waiting = {module.path}, set[str](), [module.path]
        while waiting and len(seen) < _MAX_INCLUDED:
            paths, looked_at = _includes(waiting.pop(), reader)
            keys |= looked_at
            fresh = [path for path, conditional in paths if path not in seen and not (surely and conditional)]
            seen.update(fresh)
            waiting += fresh
        known = index.reached[module.path, surely] = (frozenset(seen), frozenset(keys))
    reader.reads |= known[1]
    return known[0]


def _includes(path: str, reader: Reader) -> tuple[tuple[tuple[str, bool], ...], frozenset[str]]:
    """What a file includes, each with whether that is under a condition; the keys that were looked at."""
    index = reader.index
    known = index.includes.get(path)
    if known is None:
        module, own = index.module(path), Reader(index, reader.group)
        found: list[tuple[str, bool]] = []
        if module is not None:
            own.context(module)
            for item in module.outline.imports:
                if item.kind:
                    found += [(each, item.conditional) for each in _included(path, item.path, item.kind, own)]
        known = index.includes[path] = (tuple(found), frozenset(own.reads))
    return known


def _nearest(path: str, found: tuple[str, ...]) -> tuple[str, ...]:
    """Of files with the same ending, those in the directory that shares most with the asking one."""
    if not found:
        return ()
    shared = [len(posixpath.commonprefix([path, each])) for each in found]
    best = max(shared)
    return tuple(each for each, length in zip(found, shared, strict=True) if length == best)


def _required(module: Module, item: facts.Import, reader: Reader) -> tuple[str, ...]:
    language, wanted = module.outline.language, item.path
    if language == "lua":
        wanted = wanted.replace(".", "/") if not wanted.endswith(".lua") else wanted
        endings: tuple[str, ...] = (f"{wanted}.lua", f"{wanted}/init.lua")
    elif language == "ruby":
        endings = (wanted if wanted.endswith(".rb") else f"{wanted}.rb",)
    else:
        endings = (wanted,)
    found: tuple[str, ...] = ()
    for ending in endings:
        candidates = reader.files(ending.rpartition("/")[2])
        relative = posixpath.normpath(posixpath.join(posixpath.dirname(module.path), ending.lstrip("/")))
        if relative in candidates and relative != module.path and (item.kind == "relative" or language != "ruby"):
            return (relative,)
        tail = "/" + posixpath.normpath(ending).lstrip("./")
        found += tuple(each for each in candidates if f"/{each}".endswith(tail) and item.kind != "relative")
    # What stands nearest to the root of sources is what a load path would find; no load path leads to programs.
    def distance(path: str) -> tuple[bool, int, str]:
        return f"/{path}".rpartition("/")[0].endswith("/bin") or path == module.path, path.count("/"), path

    return (min(found, key=distance),) if found else ()


def lua_table(module: Module) -> str:
    """The lookup name of what requiring a Lua file gives: the table it returns, or the file itself."""
    package = module.outline.package
    return f"{stem(module.path)}.{package}" if package else stem(module.path)
