"""Follows exports and re-exports to where something is defined; cycles of stars end where they began."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from everdex.facts import javascript_model as m
from everdex.graph.javascript.keys import export_key

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

# ('value', path, expression), ('module', path, 0), ('external', dotted name, 0), ('missing', '', 0), ('many', '', 0)
Place: TypeAlias = tuple[str, str, int]
_MAX_PLACES: Final = 12
_MAX_VISITS: Final = 1_200  # less than the files whose facts are kept, or each name would decode them again


def locate(engine: Engine, path: str, name: str) -> tuple[Place, ...]:
    """Where the export of a module is; nothing when it has none of that name."""
    file = engine.files[path]
    found = file.memo.get(("l", name))
    if found is None:
        looked: set[str] = set()
        places = _search(engine, path, name, looked)
        found = file.memo["l", name] = places, frozenset(looked)
    engine.reads |= found[1]
    answer: tuple[Place, ...] = found[0]
    return answer


def _search(engine: Engine, path: str, name: str, looked: set[str]) -> tuple[Place, ...]:
    """Breadth first, so that what is nearer hides what is behind a star; what is exported by its name hides nothing."""
    found: dict[Place, None] = {}
    outside: dict[Place, None] = {}
    level = [(path, name), *((each, name) for each in engine.modules.variants(path, looked))]
    seen = set(level)
    while level:
        following: list[tuple[str, str]] = []
        behind: list[tuple[str, str]] = []
        for place, wanted in level:
            looked.add(export_key(place, wanted))
            file = engine.files[place]
            own = file.exports.get(wanted, ())
            for export in own:
                if export.specifier:
                    _follow(engine, place, export, export.imported, found, following, looked)
                else:
                    _value(engine, place, export, found, following, looked)
            if own or wanted == "default":
                continue
            looked.add(export_key(place, "*"))
            for export in file.exports.get("*", ()):
                _follow(engine, place, export, wanted, outside, behind, looked)
            if declaring := engine.modules.declaring(place, looked):
                behind.append((declaring, wanted))  # types are only declared
        level = [step for step in dict.fromkeys(following + behind * (not found)) if step not in seen]
        seen.update(level)
        if len(seen) > _MAX_VISITS:
            outside[("many", "", 0)] = None
            break
    return tuple(found or outside)[:_MAX_PLACES]


def _value(
    engine: Engine, path: str, export: m.Export, found: dict[Place, None], following: list[tuple[str, str]],
    looked: set[str],
) -> None:  # fmt: skip
    """Something of the module itself; what it imported first is followed to its origin."""
    file = engine.files[path]
    row = file.expressions[export.value]
    if row[0] == m.NAME and file.bindings[row[1]].kind == m.IMPORTED:
        specifier, name = file.bindings[row[1]].more
        _follow(engine, path, m.Export("", 0, specifier, name), name, found, following, looked)
    elif row[0] != m.GLOBAL:
        found[("value", path, export.value)] = None


def _follow(
    engine: Engine, path: str, export: m.Export, name: str, found: dict[Place, None],
    following: list[tuple[str, str]], looked: set[str],
) -> None:  # fmt: skip
    target, outside = engine.modules.find(path, export.specifier, looked)
    if target and name == "*":
        found[("module", target, 0)] = None
    elif target and name == "default" and "default" not in engine.files[target].exports:
        looked.add(export_key(target, "default"))
        found[("module", target, 0)] = None
    elif target:
        following += ((each, name) for each in (target, *engine.modules.variants(target, looked)))
    elif outside:
        found[("external", outside if name in ("*", "default") else f"{outside}.{name}", 0)] = None
    else:
        found[("missing", "", 0)] = None
