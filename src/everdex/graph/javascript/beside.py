"""What a file of declarations says of the script that it stands beside (`node.d.ts` of `node.js`).

An import of both means the script: what is called runs there. Its classes and functions state no types, so that what is
declared under the same name beside it is asked for them. Nothing else of a declaration is taken over: where the script
says what something is, that is how it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import members, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.files import File
from everdex.graph.javascript.keys import def_key
from everdex.graph.javascript.slots import Slot
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP: Final = 4


def declared(engine: Engine, file: File, name: str, fuel: int) -> Values:
    """What is declared beside a script under a name that the script has, too."""
    path = engine.modules.declaring(file.path, engine.reads)
    return _bound(engine, path, name, fuel) if path and name else v.NOTHING


def implementing(engine: Engine, value: Value, fuel: int) -> Values:
    """The classes of scripts that a class is the declaration of."""
    file = engine.files[value[1]]
    scripts = engine.modules.declared(file.path, engine.reads)
    found = v.union(_bound(engine, path, file.classes[value[2]].name, fuel) for path in scripts)
    return tuple(each for each in found if each[0] == v.CLASS)


def _bound(engine: Engine, path: str, name: str, fuel: int) -> Values:
    """What a module defines under a name."""
    file = engine.files[path]
    engine.reads.add(def_key(path, name))
    known: dict[str, list[int]] | None = file.memo.get("bound")
    if known is None:
        known = file.memo["bound"] = {}
        for index, binding in enumerate(file.bindings):
            if binding.home == binding.name and binding.kind != m.IMPORTED:
                known.setdefault(binding.name, []).append(index)
    return v.union(engine.binding(file, index, fuel - _JUMP) for index in known.get(name, ()))


def of_class(engine: Engine, file: File, index: int, name: str, static: bool, fuel: int) -> tuple[Slot, ...]:
    """Where the class that is declared beside a script has a property."""
    wanted = v.CLASS if static else v.INSTANCE
    return tuple(
        _as_field(engine, slot)
        for value in declared(engine, file, file.classes[index].name, fuel)
        if value[0] == v.CLASS or (static and value[0] == v.NAMESPACE)
        for slot in members.find(engine, (wanted, *value[1:]) if value[0] == v.CLASS else value, name, fuel - _JUMP)
    )


def _as_field(engine: Engine, slot: Slot) -> Slot:
    """An accessor that is only declared runs nothing: it says of what type a property is."""
    if slot.kind != "g":
        return slot
    file = engine.files[slot.path]
    function = file.functions[file.expressions[slot.value][1]]
    engine.touch(file, file.home(function.node))
    is_declared = function.flags & m.DECLARED_ONLY and function.result
    return slot._replace(kind="f", value=0, type=function.result) if is_declared else slot


def of_field(engine: Engine, file: File, index: int, name: str, static: bool, fuel: int) -> tuple[Slot, ...]:
    """The type that is declared beside a script for what one of its classes stores."""
    return tuple(
        Slot("x", "", -1, 0, 0, types.of(engine, engine.files[slot.path], slot.type, fuel - 1))
        for slot in of_class(engine, file, index, name, static, fuel)
        if slot.type
    )


def of_function(engine: Engine, file: File, function: int, fuel: int) -> Values:
    """What is declared beside a script of one of its functions: functions without a body, or their types."""
    row = file.functions[function]
    kind, index = row.this
    if kind in (m.THIS_INSTANCE, m.THIS_STATIC) and not row.flags & m.ARROW:
        name = "constructor" if row.flags & m.CONSTRUCTOR else row.name
        found = _values(engine, of_class(engine, file, index, name, kind == m.THIS_STATIC, fuel), fuel)
    elif file.facts.nodes[row.node].parent == 0:
        found = declared(engine, file, file.facts.nodes[row.node].name, fuel)
    else:
        return v.NOTHING
    return tuple(value for value in found if value[0] in (v.FUNCTION, v.CALLABLE))


def _values(engine: Engine, slots: tuple[Slot, ...], fuel: int) -> Values:
    return v.union(members.slot_values(engine, slot, v.DEEP, fuel - 1) for slot in slots)


def gives_receiver(engine: Engine, file: File, function: int, fuel: int) -> bool:
    """Whether a function is declared to give what it is called on."""
    for value in of_function(engine, file, function, fuel):
        declaring = engine.files[value[1]]
        if value[0] == v.FUNCTION:
            engine.touch(declaring, declaring.home(declaring.functions[value[2]].node))
        result = declaring.functions[value[2]].result if value[0] == v.FUNCTION else declaring.types[value[2]][2]
        if declaring.types[result][0] == m.T_THIS:
            return True
    return False


def parameter(engine: Engine, file: File, function: int, number: int, fuel: int) -> Values:
    """The type of a parameter."""
    return v.union(_nth(engine, value, number, fuel) for value in of_function(engine, file, function, fuel))


def _nth(engine: Engine, value: Value, number: int, fuel: int) -> Values:
    if value[0] == v.CALLABLE:
        return types.parameter_type(engine, value, number, fuel)
    file = engine.files[value[1]]
    rows = engine.touch_takes(file, value[2], number).parameters
    engine.touch(file, file.home(file.functions[value[2]].node))
    type_ = rows[number][1] if number < len(rows) else 0
    return types.of(engine, file, type_, fuel - 1) if type_ else v.NOTHING


def result(engine: Engine, file: File, function: int, fuel: int) -> Values:
    """The type of what a function gives; a getter gives what the property is."""
    kind, index = file.functions[function].this
    if kind in (m.THIS_INSTANCE, m.THIS_STATIC):
        for name, member, static, value, _, _ in file.classes[index].members:
            if member == "g" and file.expressions[value] == (m.FUNCTION, function):
                return _values(engine, of_class(engine, file, index, name, static, fuel), fuel)
    return v.union(types.result_of(engine, value, fuel - 1) for value in of_function(engine, file, function, fuel))
