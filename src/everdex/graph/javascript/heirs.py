"""Who implements an interface or extends a class, and which functions are declared to be of a function type: found by
the name in the heritage clause or annotation, then checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import builtins, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.files import File
from everdex.graph.javascript.keys import HEIRS_KEY, MAX_HEIR_FILES
from everdex.graph.javascript.parameters import literal_type
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP: Final = 4
MAX_HEIRS: Final = 24
_MAX_FUNCTIONS: Final = 8  # of more, any function may be one of such a type
_MAX_LEVELS: Final = 4
_MAX_NAMES: Final = 8
_AROUND: Final = frozenset((
    *builtins.PROMISE_TYPES, *builtins.ARRAY_TYPES, *builtins.MAP_TYPES, *builtins.TRANSPARENT_TYPES,
))  # fmt: skip


def claims(file: File) -> dict[str, list[tuple[str, int]]]:
    """By the last name of what is extended or implemented: classes, interfaces, objects of a declared type; and by
    that of what they are only another name for, types."""
    found: dict[str, list[tuple[str, int]]] = {}
    for index, row in enumerate(file.classes):
        bases = [_type_name(file, part) for part in row.implements]
        if row.extends:
            bases.append(_name(file, row.extends))
        for name in bases:
            found.setdefault(name, []).append(("class", index))
    for index, interface in enumerate(file.interfaces):
        for part in interface.extends:
            found.setdefault(_type_name(file, part), []).append(("interface", index))
        if interface.alias:
            found.setdefault(_type_name(file, interface.alias), []).append(("alias", index))
    for literal in file.placed[1]:
        if file.expressions[literal][0] == m.OBJECT:
            for name in _type_names(file, _stated(file, literal)):
                found.setdefault(name, []).append(("literal", literal))
    for index in range(len(file.functions)):
        for name in _type_names(file, stated_function(file, index)):
            found.setdefault(name, []).append(("function", index))
    found.pop("", None)
    return found


def stated_function(file: File, function: int) -> int:
    """The type that is written for a function where it is bound to a name or returned, or 0."""
    binding = file.functions[function].binding
    if binding >= 0 and file.bindings[binding].type:
        return file.bindings[binding].type
    around = file.returned.get(function, -1)
    return file.functions[around].result if around >= 0 else 0


def _stated(file: File, literal: int) -> int:
    """The type that is written where a literal stands, also in an array or a choice; 0 where there is none."""
    kind, index, _ = file.placed[1][literal]
    while kind in ("element", "choice") and index in file.placed[1]:
        kind, index, _ = file.placed[1][index]
    if kind == "stored":
        return _field_type(file, file.expressions[index])
    return index if kind == "type" else file.functions[index].result if kind == "result" else 0


def _field_type(file: File, row: m.Row) -> int:
    """The type that a class states of the field that `this.name` is."""
    base = file.expressions[row[1]]
    if row[0] != m.MEMBER or base[0] != m.THIS or base[1] < 0:
        return 0
    kind, index = file.functions[base[1]].this
    if kind not in (m.THIS_INSTANCE, m.THIS_STATIC):
        return 0
    static = kind == m.THIS_STATIC
    stated = (type_ for name, _, of, _, type_, _ in file.classes[index].members if name == row[2] and of == static)
    return next((type_ for type_ in stated if type_), 0)


def _type_names(file: File, index: int) -> list[str]:
    """The names of what a type may hold: of its parts, and of what is in an array or a promise."""
    row = file.types[index]
    if row[0] == m.T_ARRAY:
        return _type_names(file, row[1])
    if row[0] == m.T_UNION:
        return [name for part in row[1] for name in _type_names(file, part)]
    if row[0] != m.T_NAME:
        return []
    name = _name(file, row[1])
    return _type_names(file, row[2][-1]) if row[2] and name in _AROUND else [name]


def _type_name(file: File, index: int) -> str:
    row = file.types[index]
    return _name(file, row[1]) if row[0] == m.T_NAME else ""


def _name(file: File, index: int) -> str:
    """The last name, by which the thing was exported if it was imported under another one."""
    row = file.expressions[index]
    if row[0] == m.CALL:  # a mixin: what it is given
        return _name(file, row[2][0]) if row[2] else ""
    return file.called(index)


def heirs(engine: Engine, value: Value, fuel: int) -> Values:
    """Instances of the classes below a class, or what implements an interface; no more than `MAX_HEIRS`."""
    found: dict[Value, None] = {}
    level = [value]
    seen = {value}
    for _ in range(_MAX_LEVELS):
        following = [heir for item in level for heir in _direct(engine, item, fuel) if heir not in seen]
        for heir in following:
            seen.add(heir)
            if heir[0] != v.TYPED:
                found[heir] = None
        level = following
        if not level or len(found) >= MAX_HEIRS:
            break
    return tuple(found)[: MAX_HEIRS + 1]


def _direct(engine: Engine, value: Value, fuel: int) -> Values:
    if value[0] not in (v.INSTANCE, v.TYPED):
        return ()
    answer: Values = engine.remember(engine.files[value[1]], ("h", value), fuel, _search, engine, value)
    return tuple(heir for heir in v.known(answer) if heir[0] != v.FUNCTION)


def functions(engine: Engine, value: Value, fuel: int) -> Values:
    """The functions that are declared to be of a function type that has a name, where they are few."""
    if value[0] not in (v.CALLABLE, v.TYPED):
        return ()
    answer: Values = engine.remember(engine.files[value[1]], ("h", value), fuel, _search, engine, value)
    found = tuple(heir for heir in answer if heir[0] == v.FUNCTION)
    return found if len(found) <= _MAX_FUNCTIONS else ()


def _name_of(file: File, value: Value) -> str:
    """By which name others say that something is of a type."""
    if value[0] == v.INSTANCE:
        return file.classes[value[2]].name
    if value[0] == v.TYPED:
        return file.interfaces[value[2]].name
    named: dict[int, str] | None = file.memo.get("aliases")
    if named is None:
        named = file.memo["aliases"] = {row.alias: row.name for row in file.interfaces if row.alias}
    return named.get(value[2], "")


def _search(engine: Engine, value: Value, fuel: int) -> Values:
    name = _name_of(engine.files[value[1]], value)
    if not name:
        return ()
    found: dict[Value, None] = {}
    names = [name.rpartition(".")[2]]  # and other names of the type, as they are met
    for each in names:
        engine.reads.add(HEIRS_KEY + each)
        for path in engine.world.offering(HEIRS_KEY + each)[:MAX_HEIR_FILES]:
            file = engine.files[path]
            claimed = file.memo.get("claims")
            if claimed is None:
                claimed = file.memo["claims"] = claims(file)
            for kind, index in claimed.get(each, ()):
                heir = _checked(engine, file, kind, index, value, fuel - _JUMP)
                if heir == value and kind == "alias":
                    alias = file.interfaces[index].name.rpartition(".")[2]
                    names += [alias] if alias not in names and len(names) < _MAX_NAMES else []
                elif heir is not None and heir != value:
                    found[heir] = None
    return tuple(found)[: MAX_HEIRS + 1]


def _checked(engine: Engine, file: File, kind: str, index: int, value: Value, fuel: int) -> Value | None:
    if kind == "class":
        row = file.classes[index]
        bases = [types.of(engine, file, part, fuel) for part in row.implements]
        if row.extends:
            above = engine.evaluate(file, row.extends, fuel)
            bases.append(tuple((v.INSTANCE, *base[1:]) for base in above if base[0] == v.CLASS))
        return (v.INSTANCE, file.path, index) if any(value in base for base in bases) else None
    if kind == "function":
        stated = types.of(engine, file, stated_function(file, index), fuel)
        return (v.FUNCTION, file.path, index) if value in stated else None
    if kind == "alias":
        return value if value in types.of(engine, file, file.interfaces[index].alias, fuel) else None
    if kind == "interface":
        parts = file.interfaces[index].extends
        extends = any(value in types.of(engine, file, part, fuel) for part in parts)
        return (v.TYPED, file.path, index) if extends else None
    engine.look_at_literals(file, index)  # what it has is looked up without a name
    return (v.OBJECT, file.path, index) if value in literal_type(engine, file, index, fuel) else None
