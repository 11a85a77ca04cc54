"""What a property of a value is: through classes and their bases, prototypes, objects, interfaces, modules.

A slot is where a property was found: its definition, if it has one, and how to come by its value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import augmented, beside, builtins, outside, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.files import File
from everdex.graph.javascript.keys import member_key
from everdex.graph.javascript.slots import Slot, computed, direct, expression_node, held, on_this, own, wholes
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

NO_SUCH: Final = v.unknown("no such member")
_JUMP: Final = 4
_MAX_SPREADS: Final = 8
_MAX_STORES: Final = 8
_MADE_BY: Final = {v.INSTANCE: v.CLASS, v.MADE: v.FUNCTION}
_BUILTIN: Final = {v.ARRAY: "Array", v.TUPLE: "Array", v.PROMISE: "Promise", v.MAP: "Map"}


def get(engine: Engine, value: Value, name: str, fuel: int) -> Values:
    """What a property may be."""
    if value[0] == v.UNKNOWN:
        return (value,)
    if name == "constructor" and value[0] in _MADE_BY:
        return ((_MADE_BY[value[0]], *value[1:3]),)
    slots = find(engine, value, name, fuel)
    if not slots:
        return NO_SUCH if value[0] != v.HOLDER else v.NOTHING
    read = [slot for slot in slots if slot.kind != "s"] or slots
    return v.union(slot_values(engine, slot, value, fuel - 1) for slot in read)


def slot_values(engine: Engine, slot: Slot, receiver: Value, fuel: int) -> Values:
    if slot.kind in ("x", "d"):
        return slot.given
    file = engine.files[slot.path]
    if slot.kind == "g":
        return v.union(
            types.result_of(engine, function, fuel) for function in engine.evaluate(file, slot.value, fuel - 1)
        )
    if slot.kind == "s":
        return v.unknown("setter")
    declared = types.of(engine, file, slot.type, fuel - 1) if slot.type else v.NOTHING
    given = engine.evaluate(file, slot.value, fuel - 1) if slot.value else v.NOTHING
    return types.agreed(given, declared) or v.unknown("never assigned")


def find(engine: Engine, value: Value, name: str, fuel: int) -> tuple[Slot, ...]:
    """Where a value has a property."""
    kind = value[0]
    if kind == v.EXTERNAL:
        more = _added(engine, value[1], name, fuel) or augmented.of_library(engine, value[1], name, fuel)
        return more or outside.member(engine, value, name)
    if kind == v.MAP and name not in builtins.MEMBERS["Map"] and name not in builtins.OF_OBJECTS:
        return _values(value)  # of a Record
    if kind in _BUILTIN:
        added = _added(engine, _BUILTIN[kind], name, fuel)
        has = name in builtins.OF_OBJECTS or name in builtins.MEMBERS[_BUILTIN[kind]]
        return added or (direct((v.METHOD, _BUILTIN[kind], name, value)) if has else ())
    if kind in (v.UNKNOWN, v.NAMED_TYPE):
        return ()
    if kind == v.AFFIXED:
        return direct((v.METHOD, "Function", name, value)) if name in builtins.OF_FUNCTIONS else ()
    if kind == v.METHOD:
        return direct((v.EXTERNAL, f"Function.{name}")) if name in builtins.OF_FUNCTIONS else ()
    if fuel <= 0:
        return (Slot("x", "", -1, 0, 0, engine.exhausted()),)
    engine.came_to(fuel)
    if kind == v.MODULE:
        found = engine.export(value[1], name, fuel - 1)
        return (Slot("x", value[1], -1, 0, 0, found),)
    file = engine.files[value[1]]
    if kind in (v.INSTANCE, v.CLASS):
        answer: tuple[Slot, ...] = engine.remember(
            file, ("m", kind, value[2], name), fuel, _of_class, engine, file, value[2], name, kind == v.CLASS
        )
        return direct(v.DEEP) if answer == (v.DEEP,) else answer
    if kind == v.OBJECT:
        if not file.expressions[value[2]][2]:
            return _of_object(engine, file, value[2], name, fuel)
        # what is spread into it has spreads of its own, as often as not of the same things
        spread: tuple[Slot, ...] = engine.remember(
            file, ("o", value[2], name), fuel, _of_object, engine, file, value[2], name
        )
        return direct(v.DEEP) if spread == (v.DEEP,) else spread
    if kind == v.FUNCTION:
        return _of_function(engine, file, value, name, fuel)
    if kind == v.MADE:
        return _of_made(engine, file, value[2], name, fuel)
    if kind == v.TYPED:
        return _of_interface(engine, file, value[2], name, fuel) or outside.merged(engine, file, value[2], name)
    if kind == v.NAMESPACE:
        index = file.facts.namespaces[value[2]].get(name)
        engine.touch(file, next((b.home for b in file.bindings if b.kind == m.MODULE_NAME), ""))
        return () if index is None else (Slot("x", file.path, -1, 0, 0, engine.binding(file, index, fuel - _JUMP)),)
    if kind == v.ENUM:
        engine.touch(file, file.home(file.interfaces[value[2]].node))
        return tuple(
            Slot("x", file.path, node, 0, 0, ((v.EXTERNAL, "Number"),))
            for member, _, node in file.interfaces[value[2]].members
            if member == name
        )
    if kind == v.HOLDER:
        return _stored(engine, file, value[2], name, fuel)
    return direct((v.EXTERNAL, f"Function.{name}")) if name in builtins.OF_FUNCTIONS else ()


def _added(engine: Engine, host: str, name: str, fuel: int) -> tuple[Slot, ...]:
    """What the root's ambient declarations add to something of the host: members of its interface, global variables."""
    if "." in host or fuel <= 0:
        return ()
    around = builtins.GLOBAL_OBJECTS.get(host, host)
    slots: list[Slot] = []
    declared = engine.declared_global(around, fuel - _JUMP)
    for each in declared:
        if each[0] == v.NAMED_TYPE and not outside.is_whole(engine, each, around):
            slots += _of_interface(engine, engine.files[each[1]], each[2], name, fuel - _JUMP)
    if not slots and around == "Window" and name not in builtins.GLOBALS:
        found = v.known(engine.declared_global(name, fuel - _JUMP))
        return (Slot("x", "", -1, 0, 0, found),) if found else ()
    return tuple(slots)


def _stored(engine: Engine, file: File, binding: int, name: str, fuel: int) -> tuple[Slot, ...]:
    """Properties that were assigned on a name, or that it has been given with all that something else has."""
    if binding < 0:
        return ()
    stored = engine.touch_name(file, binding).properties
    if own := held(file, stored, name):
        return own
    return _mixed(engine, file, wholes(stored), builtins.MIXES, name, fuel) or computed(file, stored)


def _mixed(
    engine: Engine, file: File, calls: list[int], wanted: frozenset[str], name: str, fuel: int
) -> tuple[Slot, ...]:
    """What calls like `Object.assign(X, …)` have put into something, or made it inherit. Remembered, for what they put
    there may have been given something in the same way, as often as not this."""
    if not calls:
        return ()
    few = tuple(calls[:_MAX_SPREADS])
    found: tuple[Slot, ...] = engine.remember(
        file, ("a", few, wanted is builtins.INHERITS, name), fuel, _given, engine, file, few, wanted, name
    )
    return direct(v.DEEP) if found == (v.DEEP,) else found


def _given(
    engine: Engine, file: File, calls: tuple[int, ...], wanted: frozenset[str], name: str, fuel: int
) -> tuple[Slot, ...]:
    slots: list[Slot] = []
    for call in calls:
        _, callee, arguments = file.expressions[call]
        called = {value[1] for value in engine.evaluate(file, callee, fuel - _JUMP) if value[0] == v.EXTERNAL}
        if not called & wanted:
            continue
        for value in v.union(engine.evaluate(file, argument, fuel - _JUMP) for argument in arguments[1:]):
            if wanted is builtins.INHERITS:  # of which instances are made
                value = ({v.CLASS: v.INSTANCE, v.FUNCTION: v.MADE}.get(value[0], value[0]), *value[1:])
            if value[0] not in (v.UNKNOWN, v.EXTERNAL):
                slots += find(engine, value, name, fuel - _JUMP)
    return tuple(dict.fromkeys(slots))


# -- classes ------------------------------------------------------------------------------------


def _of_class(engine: Engine, file: File, index: int, name: str, static: bool, fuel: int) -> tuple[Slot, ...]:
    found = _in_class(engine, file, index, name, static, fuel)
    if name == "constructor" or any(_is_function(engine, slot) for slot in found):
        return found
    if not found:
        return beside.of_class(engine, file, index, name, static, fuel)
    return (*found, *beside.of_field(engine, file, index, name, static, fuel))


def _is_function(engine: Engine, slot: Slot) -> bool:
    """Whether something that runs is found, so that no type says more of it."""
    return slot.kind in "gsa" or bool(slot.path and engine.files[slot.path].expressions[slot.value][0] == m.FUNCTION)


def _in_class(engine: Engine, file: File, index: int, name: str, static: bool, fuel: int) -> tuple[Slot, ...]:
    row = file.classes[index]
    engine.touch(file, file.home(row.node))
    engine.reads.add(member_key(file.path, file.keys[row.node], name))
    own = [
        Slot(kind if kind in "gsa" else "f", file.path, node, value, type_)
        for member, kind, is_static, value, type_, node in row.members
        if member == name and is_static == static
    ]
    if own and any(slot.kind != "f" or slot.value or slot.type for slot in own):
        stores = [value for stored, value, of in row.stores if stored == name and of == static]
        if static and (owner := file.owner(m.CLASS, index)) >= 0:
            stores += [value for stored, value in engine.touch_name(file, owner).properties if stored == name]
        return _assigned(engine, file, own[0], stores, fuel) or (*_by_use(own), *_later(file, own[0], stores))
    stored = [
        Slot("f", file.path, own[0].node if own else expression_node(file, value), value, 0)
        for property_, value, is_static in row.stores
        if property_ == name and is_static == static
    ]
    found = tuple(stored or own)
    if stored and row.extends:
        return _as_declared(engine, file, row, name, static, stored, fuel)
    if not found and static:
        if name == "prototype":
            return direct((v.INSTANCE, file.path, index, v.EXACT))
        found = _stored(engine, file, file.owner(m.CLASS, index), name, fuel)
    elif not found:
        found = _on_prototype(engine, file, file.owner(m.CLASS, index), name, fuel)
        found = found or augmented.of_root(engine, file, (v.CLASS, file.path, index), row.name, name, fuel)
    if not row.extends or any(slot.kind != "c" for slot in found):
        return found
    return (*_of_bases(engine, file, row, name, static, fuel), *found)


def _of_bases(engine: Engine, file: File, row: m.Class, name: str, static: bool, fuel: int) -> tuple[Slot, ...]:
    slots: list[Slot] = []
    for base in engine.evaluate(file, row.extends, fuel - _JUMP):
        if base[0] == v.EXTERNAL and row.arguments and not static:
            (base,) = types.contained(engine, file, base, row.arguments, fuel - 1)
        if base[0] in (v.CLASS, v.FUNCTION) and not static:
            base = (v.INSTANCE if base[0] == v.CLASS else v.MADE, *base[1:])
        if base[0] == v.UNKNOWN:
            slots += direct((v.UNKNOWN, "unknown base class"))
        else:
            slots += find(engine, base, name, fuel - _JUMP)
    return tuple(dict.fromkeys(slots))


def _as_declared(
    engine: Engine, file: File, row: m.Class, name: str, static: bool, stored: list[Slot], fuel: int
) -> tuple[Slot, ...]:
    """What a class stores in a field of its base is the base's; a function that is a definition of its own is called
    in place of the one that the base has, once it is stored."""
    above = [slot for slot in _of_bases(engine, file, row, name, static, fuel) if slot.kind == "f" and slot.path]
    nodes = [slot for slot in above if slot.node >= 0]
    if not nodes:
        return tuple(stored)
    if any(slot.node >= 0 for slot in stored):
        return (*stored, *nodes)
    return (*stored, *(Slot("d", slot.path, slot.node, 0, 0) for slot in nodes[:1]))


def _assigned(engine: Engine, file: File, declared: Slot, stores: list[int], fuel: int) -> tuple[Slot, ...]:
    """The functions that a field which is only declared is given by its class, where that gives it nothing else; what
    it has to be still says what others hand to it."""
    if not stores or declared.kind != "f" or declared.value or len(file.functions_of(stores)) < len(stores):
        return ()
    functions = tuple(Slot("f", file.path, declared.node, value, 0) for value in stores)
    return (*functions, Slot("x", "", -1, 0, 0, types.of(engine, file, declared.type, fuel - 1)))


def _later(file: File, first: Slot, stores: list[int]) -> tuple[Slot, ...]:
    """What a field that begins as something is given afterwards by its class."""
    if first.kind != "f" or not first.value or file.expressions[first.value][0] == m.FUNCTION:
        return ()
    given = [value for value in stores if file.expressions[value][0] != m.LITERAL]
    return tuple(first._replace(value=value) for value in given[:_MAX_STORES])


def _by_use(slots: list[Slot]) -> tuple[Slot, ...]:
    """Overload signatures stand beside the method that implements them."""
    bodies = [slot for slot in slots if slot.kind != "a"]
    return tuple(bodies or slots)


# -- functions and prototypes -------------------------------------------------------------------


def _of_function(engine: Engine, file: File, value: Value, name: str, fuel: int) -> tuple[Slot, ...]:
    if name == "prototype":
        return direct((v.MADE, *value[1:], v.EXACT))
    found = _stored(engine, file, file.owner(m.FUNCTION, value[2]), name, fuel)
    return found or (direct((v.METHOD, "Function", name, value)) if name in builtins.OF_FUNCTIONS else ())


def _of_made(engine: Engine, file: File, function: int, name: str, fuel: int) -> tuple[Slot, ...]:
    row = file.functions[function]
    engine.touch(file, file.home(row.node))
    binding = file.owner(m.FUNCTION, function)
    stored = tuple(
        Slot("f", file.path, expression_node(file, value), value, 0)
        for property_, value in row.stores
        if property_ == name
    )
    found = _on_prototype(engine, file, binding, name, fuel)
    if not found:
        prototype = engine.touch_name(file, binding).prototype if binding >= 0 else []
        return stored + on_this(engine, file, ("made", function), (value for _, value in prototype), name)
    held = all(engine.files[slot.path].expressions[slot.value][0] != m.FUNCTION for slot in found if slot.path)
    return found + stored if held else found


def _on_prototype(engine: Engine, file: File, binding: int, name: str, fuel: int) -> tuple[Slot, ...]:
    if binding < 0:
        return ()
    row = engine.touch_name(file, binding)
    if not (row.prototype or row.properties):
        return ()
    if own := held(file, row.prototype, name):
        return own
    whole = wholes(row.prototype)
    mixing = [value for value in whole if _is_given(file, binding, file.expressions[value])]
    slots = list(_mixed(engine, file, mixing, builtins.MIXES, name, fuel))
    slots += _mixed(engine, file, wholes(row.properties), builtins.INHERITS, name, fuel)
    for given in v.union(engine.evaluate(file, value, fuel - 1) for value in whole if value not in mixing):
        if given[0] not in (v.UNKNOWN, v.EXTERNAL):
            slots += find(engine, given, name, fuel - _JUMP)
    return tuple(dict.fromkeys(slots)) or computed(file, row.prototype)


def _is_given(file: File, binding: int, row: m.Row) -> bool:
    """Whether a call is given the prototype of a name to put something into."""
    if row[0] != m.CALL or not row[2]:
        return False
    code, *of = file.expressions[row[2][0]]
    return bool(code == m.MEMBER and of[1] == "prototype" and file.expressions[of[0]] == (m.NAME, binding))


# -- objects and interfaces ---------------------------------------------------------------------


def _of_object(engine: Engine, file: File, index: int, name: str, fuel: int) -> tuple[Slot, ...]:
    row = file.expressions[index]
    binding = file.owner(m.OBJECT, index)
    found = own(file, index, name) or _stored(engine, file, binding, name, fuel)
    if all(file.expressions[slot.value][0] != m.FUNCTION for slot in found):
        found += on_this(engine, file, ("this", index), (value for _, value, _, _ in row[1]), name)
    if found:
        return found
    slots: list[Slot] = []
    for spread in row[2][:_MAX_SPREADS]:
        for value in engine.evaluate(file, spread, fuel - 1):
            slots += find(engine, value, name, fuel - _JUMP)
    if not slots and binding >= 0 and (type_ := engine.touch_name(file, binding).type):
        for value in types.of(engine, file, type_, fuel - 1):
            if value[0] in (v.TYPED, v.MAP):
                slots += find(engine, value, name, fuel - _JUMP) if value[0] == v.TYPED else _values(value)
    return tuple(dict.fromkeys(slots))


def _values(value: Value) -> tuple[Slot, ...]:
    return (Slot("x", "", -1, 0, 0, value[1] or v.unknown("contents of a Map")),)


def _signatures(file: File, index: int) -> dict[str, tuple[Slot, ...]]:
    """The members of an interface by name: of a method that is overloaded, each."""
    key = "i", index
    found: dict[str, tuple[Slot, ...]] | None = file.memo.get(key)
    if found is None:
        found = file.memo[key] = {}
        for member, type_, node in file.interfaces[index].members:
            found[member] = (*found.get(member, ()), Slot("t", file.path, node, 0, type_))
    return found


def _of_interface(engine: Engine, file: File, index: int, name: str, fuel: int) -> tuple[Slot, ...]:
    row = file.interfaces[index]
    if row.node >= 0:
        engine.touch(file, file.home(row.node))
        engine.reads.add(member_key(file.path, file.keys[row.node], name))
    own = _signatures(file, index).get(name)
    if own:
        return own
    value = v.NAMED_TYPE, file.path, index
    if row.name and (more := augmented.of_root(engine, file, value, row.name, name, fuel)):
        return more
    slots: list[Slot] = []
    for base in row.extends:
        for value in types.of(engine, file, base, fuel - _JUMP):
            slots += find(engine, value, name, fuel - _JUMP)
    return tuple(dict.fromkeys(slots))
