"""Rust: which modules' names a module has by `use …::*`, and by how many stars behind each other.

Worked out once for a world and shared by all files that ask: everything here is a pure function of the world and of the
levels that are left, and is kept with the keys that were looked at.
"""

from __future__ import annotations

from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.imports import rust_paths
from everdex.graph.names.index import Index, Reach, Reader, Used
from everdex.graph.names.module import Module
from everdex.graph.names.rules import TYPES

# Modules that are read for one name, of the hundreds that a large crate may have.
_MAX_SPACES: Final = 512
# A star may lead through a module that only another star gives a name to: so often.
_LEVELS: Final = 3
_MAX_FILES: Final = 4


def is_within(space: str, around: str) -> bool:
    """Whether a module is another one or inside it, and so sees what is private there."""
    return not around or space == around or space.startswith(f"{around}.")


def under(space: str, name: str) -> str:
    return f"{space}.{name}" if space else name


def reach_of(index: Index, space: str, inside: bool, level: int = _LEVELS) -> Reach:
    """From a module on, as somebody sees it who is inside it or not."""
    known = index.reaches.get((space, inside, level))
    if known is None:
        known = index.reaches[space, inside, level] = _worked_out(index, space, inside, level)
    return known


def places_of(index: Index, space: str, inside: bool, name: str) -> tuple[str, ...]:
    """Those modules of a reach that have a name themselves or import it by name."""
    known = index.reached_places.get((space, inside, name))
    if known is None:
        reader = Reader(index, "rust")
        known = index.reached_places[space, inside, name] = tuple(
            each
            for each, named in reach_of(index, space, inside).named.items()
            if name in named or _is_there(reader, under(each, name))
        )
    return known


def space_of(index: Index, path: str, reader: Reader, level: int = _LEVELS) -> str | None:
    """Where a path leads that names a module or a type: also through names that others give them."""
    kinds = {ref.defined.kind for ref in reader.definitions(path)}
    if kinds & TYPES or "module" in kinds or reader.space(path):
        return path
    front, _, last = path.rpartition(".")
    around = space_of(index, front, reader, level) if path and level > 0 and reader.is_name(last) else None
    if around is None:
        return None
    if around != front and _is_there(reader, under(around, last)):
        return under(around, last)
    reach = reach_of(index, around, False, level - 1)
    reader.reads |= reach.keys
    for each, named in reach.named.items():
        if each != around and _is_there(reader, under(each, last)):
            return under(each, last)
        for module, item in named.get(last, ()):
            found = _led(index, module, item, reader, level - 1)
            if found is not None:
                return found
    return None


def _worked_out(index: Index, space: str, inside: bool, level: int) -> Reach:
    reader = Reader(index, "rust")
    named: dict[str, dict[str, list[Used]]] = {}
    starred: dict[str, tuple[str, ...]] = {}
    sees: dict[str, bool] = {}
    waiting = [(space, inside)]
    while waiting and len(sees) < _MAX_SPACES:
        each, all_seen = waiting.pop(0)
        if each in sees and (sees[each] or not all_seen):
            continue
        sees[each] = all_seen
        used = [item for item in _used(index, each, reader) if all_seen or item[1].kind == "pub"]
        named[each] = {}
        for module, item in used:
            if item.alias != "*":
                named[each].setdefault(item.alias or item.path.rpartition(".")[2], []).append((module, item))
        leads = [_led(index, module, item, reader, level) for module, item in used if item.alias == "*"]
        starred[each] = tuple(dict.fromkeys(lead for lead in leads if lead is not None and lead != each))
        waiting += [(lead, is_within(each, lead)) for lead in starred[each]]
    inner = frozenset(each for each, all_seen in sees.items() if all_seen)
    return Reach(named, starred, inner, frozenset(reader.reads))


def _used(index: Index, space: str, reader: Reader) -> list[Used]:
    """What a module's files and blocks use."""
    files = [module for path in reader.space(space)[:_MAX_FILES] if (module := index.module(path))]
    written = [(ref.module, ref.at) for ref in reader.definitions(space) if ref.defined.kind == "module"]
    used: list[Used] = []
    for module, scope in [*((module, -1) for module in files), *written]:
        reader.context(module)
        used += [(module, item) for item in module.imports_by_scope.get(scope, ())]
    return used


def _led(index: Index, module: Module, item: facts.Import, reader: Reader, level: int) -> str | None:
    """The module or type that an import names, or takes everything from."""
    for path in rust_paths(module, item.scope, item.path, reader):
        found = space_of(index, path, reader, level)
        if found is not None:
            return found
    return None


def _is_there(reader: Reader, whole: str) -> bool:
    return bool(reader.space(whole)) or any(
        not ref.defined.flags & facts.SCOPE_ONLY for ref in reader.definitions(whole)
    )
