"""Who implements an interface or extends a class, and which functions are declared to be of a function type: found by
the name in the heritage clause or annotation, then checked."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, NamedTuple

from everdex.facts import javascript_model as m
from everdex.graph.javascript import builtins, members, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.files import File
from everdex.graph.javascript.keys import HEIRS_KEY, MAX_HEIR_FILES, export_key
from everdex.graph.javascript.modules import stem
from everdex.graph.javascript.parameters import literal_type
from everdex.graph.javascript.slots import Slot, wholes
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP: Final = 4
MAX_HEIRS: Final = 24
_MAX_FUNCTIONS: Final = 8  # of more, any function may be one of such a type
_MAX_BELOW: Final = 96  # classes and interfaces that are looked through for what is below them
_MAX_NAMES: Final = 8
_DEFAULT: Final = "default"
_MISSING: Final[Value] = (v.UNKNOWN, "missing import")
_NAMING: Final = frozenset((m.NAME, m.MEMBER, m.REQUIRE))
_UNKNOWN_BASE: Final = "unknown base class"
_AROUND: Final = frozenset((
    *builtins.PROMISE_TYPES, *builtins.ARRAY_TYPES, *builtins.MAP_TYPES, *builtins.TRANSPARENT_TYPES,
))  # fmt: skip


def claims(file: File) -> dict[str, list[tuple[str, int]]]:
    """By the last name of what is extended or implemented: classes, interfaces, objects of a declared type; and by
    that of what they are only another name for, types and exports."""
    found: dict[str, list[tuple[str, int]]] = {}
    for index, row in enumerate(file.classes):
        for name in (*_named(file, row.implements), *(_called(file, row.extends) if row.extends else ())):
            found.setdefault(name, []).append(("class", index))
    for index, interface in enumerate(file.interfaces):
        for name in _named(file, interface.extends):
            found.setdefault(name, []).append(("interface", index))
        for name in _named(file, _parts(file, interface.alias)) if interface.alias else ():
            found.setdefault(name, []).append(("alias", index))
    for index, export in enumerate(file.facts.exports):
        name = export.imported if export.specifier else file.called(export.value) if export.value else ""
        if name not in (export.name, "*") and export.name not in ("*", "=", _DEFAULT):
            found.setdefault(name, []).append(("export", index))
    for literal in file.placed[1]:
        if file.expressions[literal][0] == m.OBJECT:
            for name in _type_names(file, stated_type(file, literal)):
                found.setdefault(name, []).append(("literal", literal))
    for index, binding in enumerate(file.bindings):
        if (binding.prototype or binding.properties) and file.functions_of(binding.values):
            for each in _ancestors(file, index):
                for name in _called(file, each):
                    found.setdefault(name, []).append(("prototype", index))
    for index in range(len(file.functions)):
        for name in _type_names(file, stated_function(file, index)):
            found.setdefault(name, []).append(("function", index))
    found.pop("", None)
    return found


def _named(file: File, types_: Iterable[int]) -> list[str]:
    """The names by which types are written."""
    rows = [file.types[index] for index in types_]
    return [name for row in rows if row[0] == m.T_NAME for name in _called(file, row[1])]


def _called(file: File, index: int) -> list[str]:
    """The last name, by which the thing was exported if it was imported under another one. What a module exports as
    its default has any name, and goes by the module's as well."""
    row = file.expressions[index]
    if row[0] == m.CALL:  # a mixin: what it is given
        return _called(file, row[2][0]) if row[2] else []
    if row[0] == m.NEW or (row[0] == m.MEMBER and row[2] == "prototype"):
        return _called(file, row[1])
    if row[0] == m.REQUIRE:
        return [_by_module(stem(row[1])[0])]
    if row[0] == m.NAME and file.bindings[row[1]].kind == m.VARIABLE:
        values = file.bindings[row[1]].values
        is_other = len(values) == 1 and values[0] < index and file.expressions[values[0]][0] in _NAMING
        return [file.called(index), *(_called(file, values[0]) if is_other else ())]
    more = file.bindings[row[1]].more if row[0] == m.NAME and file.bindings[row[1]].kind == m.IMPORTED else ("", "")
    return [file.called(index), *([_by_module(stem(more[0])[0])] if more[1] == _DEFAULT else ())]


def _by_module(path: str) -> str:
    return f"{_DEFAULT} {path.removesuffix('/index').rpartition('/')[2]}"


def stated_function(file: File, function: int) -> int:
    """The type that is written for a function where it is bound to a name or returned, or 0."""
    binding = file.functions[function].binding
    if binding >= 0 and file.bindings[binding].type:
        return file.bindings[binding].type
    around = file.returned.get(function, -1)
    return file.functions[around].result if around >= 0 else 0


def stated_type(file: File, literal: int) -> int:
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
    names = _called(file, row[1])
    return _type_names(file, row[2][-1]) if row[2] and names[:1] and names[0] in _AROUND else names


class Heirs(NamedTuple):
    """What is below a class or interface."""

    values: Values  # instances of classes, objects of a declared type
    doubt: str  # why there may be more; '' where these are all
    unsure: Values = ()  # what is below something of the same name that is nowhere
    types: Values = ()  # interfaces, with the one that was asked for
    lost: str = ""  # why a literal among them may hold a function of which nothing is known


def heirs(engine: Engine, value: Value, fuel: int) -> Heirs:
    """Instances of the classes below a class, or what implements an interface; no more than `MAX_HEIRS`."""
    found: dict[Value, None] = {}
    waiting = [value[:3]]
    seen = {value[:3]}
    doubt = ""
    unsure: dict[Value, None] = {}
    for item in waiting:  # which grows
        for heir in _direct(engine, item, fuel):
            if heir[0] == v.UNKNOWN and len(heir) > 2:
                unsure[heir[2]] = None
            elif heir[0] == v.UNKNOWN:
                doubt = doubt or heir[1]
            elif heir not in seen:
                seen.add(heir)
                waiting.append(heir)
                if heir[0] != v.TYPED:
                    found[heir] = None
        if len(found) > MAX_HEIRS or len(seen) > _MAX_BELOW:
            return Heirs(tuple(found)[:MAX_HEIRS], v.MANY[1])
    return Heirs(tuple(found), doubt, tuple(unsure), tuple(each for each in seen if each[0] == v.TYPED))


def _direct(engine: Engine, value: Value, fuel: int) -> Values:
    if value[0] not in (v.INSTANCE, v.MADE, v.TYPED):
        return ()
    answer: Values = engine.remember(engine.files[value[1]], ("h", value), fuel, _search, engine, value)
    return tuple(heir for heir in answer if heir[0] != v.FUNCTION)


def replacing(engine: Engine, value: Value, name: str, fuel: int) -> Heirs:
    """The functions that classes below have in place of a method of a class."""
    answer: Heirs = engine.remember(
        engine.files[value[1]], ("v", *value[:3:2], name), fuel, _replacing, engine, value[:3], name
    )
    return answer if isinstance(answer, Heirs) else Heirs((), v.DEEP[1])


def _replacing(engine: Engine, value: Value, name: str, fuel: int) -> Heirs:
    below = heirs(engine, value, fuel)
    if below.doubt == v.MANY[1]:
        below = _having(engine, value, name, fuel) or below
    own = {(slot.path, slot.node) for slot in members.find(engine, value, name, fuel - 1)}
    return running(engine, below, name, own, fuel)


def running(engine: Engine, below: Heirs, name: str, declared: AbstractSet[tuple[str, int]], fuel: int) -> Heirs:
    """The functions that heirs have under a name, but for those that they inherit from what they are below."""
    found: dict[Value, None] = {}
    doubt, lost = below.doubt, ""
    for heir in (*below.values, *below.unsure):
        before = len(found)
        for slot in members.find(engine, heir, name, fuel - 1):
            if slot.kind not in ("t", "a") and (slot.path, slot.node) not in declared:
                given = members.slot_values(engine, slot, heir, fuel - 1)
                functions_ = [each for each in given if each[0] == v.FUNCTION]
                found |= dict.fromkeys(functions_)
                if heir[0] == v.OBJECT and not functions_ and not _is_written(engine, slot):
                    lost = lost or _unknown_function(given)
        if len(found) > before and heir in below.unsure:
            doubt = doubt or _UNKNOWN_BASE
    return Heirs(tuple(found), doubt, lost=lost)


def _is_written(engine: Engine, slot: Slot) -> bool:
    """Whether a property is nothing or another literal, which nobody calls."""
    return bool(slot.path and engine.files[slot.path].expressions[slot.value][0] == m.LITERAL)


def _unknown_function(values: Values) -> str:
    """Why something may be a function that nobody knows; '' where it is none."""
    is_typed = any(value[0] in (v.CALLABLE, v.TYPED) for value in values)
    return v.reason_of(values) or ("function type only" if is_typed else "")


def _having(engine: Engine, value: Value, name: str, fuel: int) -> Heirs | None:
    """Of too many classes below one, those that have a method of a name themselves: found by that; None where too many
    files have one, and where functions may inherit, whose methods have no such list."""
    paths = None if value[0] == v.MADE else engine.offering_few(f"js:method:{name}", MAX_HEIRS)
    if paths is None:
        return None
    found: list[Value] = []
    for path in paths:
        file = engine.files[path]
        for index, row in enumerate(file.classes):
            heir = v.INSTANCE, path, index
            if row.extends and any(member[0] == name for member in row.members):
                engine.touch(file, file.home(row.node))
                found += [heir] if value in types.above(engine, heir, fuel - _JUMP) else []
    return Heirs(tuple(found[:MAX_HEIRS]), v.MANY[1] if len(found) > MAX_HEIRS else "")


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
    if value[0] == v.MADE:
        owner = file.owner(m.FUNCTION, value[2])
        return file.bindings[owner].name if owner >= 0 else file.facts.nodes[file.functions[value[2]].node].name
    if value[0] == v.TYPED and file.interfaces[value[2]].name:
        return file.interfaces[value[2]].name
    named: dict[tuple[str, int], str] | None = file.memo.get("aliases")
    if named is None:
        named = file.memo["aliases"] = {}
        for row in file.interfaces:
            for part in _parts(file, row.alias) if row.alias else ():
                is_object = file.types[part][0] == m.T_OBJECT
                named.setdefault((v.TYPED, file.types[part][1]) if is_object else (v.CALLABLE, part), row.name)
    return named.get((value[0], value[2]), "")


def _parts(file: File, index: int) -> list[int]:
    """A type, or what it is one of, or all of."""
    found: list[int] = []
    waiting = [index]
    while waiting:
        part = waiting.pop()
        row = file.types[part]
        if row[0] == m.T_UNION:
            waiting += reversed(row[1])
        else:
            found.append(part)
    return found


def _search(engine: Engine, value: Value, fuel: int) -> Values:
    name = _name_of(engine.files[value[1]], value)
    if not name:
        return ()
    found: dict[Value, None] = {}
    doubts: dict[Value, None] = {}
    names = [name.rpartition(".")[2]]  # and other names of the type, as they are met
    engine.reads |= {export_key(value[1], _DEFAULT), export_key(value[1], "=")}
    if not engine.files[value[1]].exports.keys().isdisjoint((_DEFAULT, "=")):
        names.append(_by_module(stem(value[1])[0]))
    for each in names:
        engine.reads.add(HEIRS_KEY + each)
        paths = engine.world.offering(HEIRS_KEY + each)
        if len(paths) > MAX_HEIR_FILES:
            doubts[v.MANY] = None
        for path in paths[:MAX_HEIR_FILES]:
            file = engine.files[path]
            claimed = file.memo.get("claims")
            if claimed is None:
                claimed = file.memo["claims"] = claims(file)
            for kind, index in claimed.get(each, ()):
                heir, stated = _claiming(engine, file, kind, index, each, fuel - _JUMP)
                if value not in stated:
                    doubts |= dict.fromkeys(said for said in stated if said in (v.DEEP, v.MANY))
                    if kind in ("class", "prototype", "literal") and _MISSING in stated:
                        doubts[v.UNKNOWN, _UNKNOWN_BASE, heir] = None
                elif kind in ("alias", "export"):
                    other = file.interfaces[index] if kind == "alias" else file.facts.exports[index]
                    alias = other.name.rpartition(".")[2]
                    if alias not in names and len(names) == _MAX_NAMES:
                        doubts[v.MANY] = None
                    elif alias not in names:
                        names.append(alias)
                elif heir != value:
                    found[heir] = None
        if len(found) > MAX_HEIRS:
            doubts[v.MANY] = None
            break
    return (*tuple(found)[: MAX_HEIRS + 1], *doubts)


def _claiming(
    engine: Engine, file: File, kind: str, index: int, name: str, fuel: int
) -> tuple[Value, Values]:
    """What says that it is of a type of some name, and which that is."""
    if kind == "class":
        row = file.classes[index]
        bases = [types.of(engine, file, part, fuel) for part in row.implements if name in _named(file, [part])]
        if row.extends and name in _called(file, row.extends):
            bases.append(_made(engine.evaluate(file, row.extends, fuel)))
        return (v.INSTANCE, file.path, index), v.union(bases)
    if kind == "prototype":
        return _inheriting(engine, file, index, fuel)
    if kind == "export":
        return v.DEEP, _made(engine.export(file.path, file.facts.exports[index].name, fuel))
    if kind == "function":
        return (v.FUNCTION, file.path, index), types.of(engine, file, stated_function(file, index), fuel)
    if kind == "alias":
        parts = [part for part in _parts(file, file.interfaces[index].alias) if name in _named(file, [part])]
        return (v.TYPED, file.path, index), v.union(types.of(engine, file, part, fuel) for part in parts)
    if kind == "interface":
        parts = [part for part in file.interfaces[index].extends if name in _named(file, [part])]
        return (v.TYPED, file.path, index), v.union(types.of(engine, file, part, fuel) for part in parts)
    engine.look_at_literals(file, index)  # what it has is looked up without a name
    return (v.OBJECT, file.path, index), literal_type(engine, file, index, fuel)


def _made(values: Values) -> Values:
    """What is of a class or type."""
    made = {v.CLASS: v.INSTANCE, v.FUNCTION: v.MADE, v.NAMED_TYPE: v.TYPED}
    return tuple((made.get(value[0], value[0]), *value[1:3]) for value in values)


def _ancestors(file: File, binding: int) -> list[int]:
    """What the prototype of a name is made of, or is made to inherit."""
    row = file.bindings[binding]
    found: list[int] = []
    for value in (*wholes(row.prototype), *wholes(row.properties)):
        code, *rest = file.expressions[value]
        is_made = code == m.CALL and len(rest[1]) == 1  # Object.create(Base.prototype)
        found += rest[1] if is_made else rest[1][1:] if code == m.CALL else [value]
    return [rest for rest in found if file.expressions[rest][0] in (m.NAME, m.MEMBER, m.NEW)]


def _inheriting(engine: Engine, file: File, binding: int, fuel: int) -> tuple[Value, Values]:
    """A function that is made to inherit, and from what."""
    engine.touch_name(file, binding)
    (function,) = file.functions_of(file.bindings[binding].values)[:1]
    above = v.union(engine.evaluate(file, each, fuel) for each in _ancestors(file, binding))
    return (v.MADE, file.path, function), _made(above)
