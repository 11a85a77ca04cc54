"""What a parameter may receive: by its type, by what a callback is handed to, by the calls of its function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import beside, builtins, members, overloads, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.calls import members_of, settled
from everdex.graph.javascript.files import File
from everdex.graph.javascript.keys import ASIDE_KEY, CALLS_KEY, CROWD_KEY, MAX_CALLS, called_key
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP: Final = 4
_FROM_OUTSIDE: Final = v.unknown("given by a library")


def parameter(engine: Engine, file: File, function: int, number: int, fuel: int) -> Values:
    """What a function may be given."""
    answer: Values = engine.remember(file, ("p", function, number), fuel, _parameter, engine, file, function, number)
    return answer


def _parameter(engine: Engine, file: File, function: int, number: int, fuel: int) -> Values:
    row = engine.touch_takes(file, function, number)
    engine.touch(file, file.home(row.node))
    default = row.parameters[number][2]
    declared = _stated(engine, file, function, number, fuel)
    useful = v.kept(declared)
    if useful and not any(value[0] == v.CALLABLE for value in useful):
        if any(value[0] == v.TYPED for value in useful):
            # literals and functions implement a type without saying so: those that are handed in here are known
            passed = _from_calls(engine, file, function, number, fuel)
            more = v.union((useful, tuple(value for value in passed if value[0] in (v.OBJECT, v.FUNCTION))))
            return useful if v.MANY in (*passed, *more) else more  # of very many the type says as much
        return useful
    given: list[Values] = [engine.evaluate(file, default, fuel - 1)] if default else []
    if not useful:
        given.append(_expected(engine, file, function, number, fuel))
    if not v.known(v.union(given)):
        given.append(_from_calls(engine, file, function, number, fuel))
    everything = v.union((*given, useful))
    found = v.kept(everything)
    if found and row.rest and number == len(row.parameters) - 1 and not useful:
        return ((v.ARRAY, found),)
    return found or v.unknown(v.reason_of(declared) or v.reason_of(everything) or "untyped parameter")


def _stated(engine: Engine, file: File, function: int, number: int, fuel: int) -> Values:
    """The type that is stated for a parameter, in its own file or beside it."""
    type_ = engine.touch_takes(file, function, number).parameters[number][1]
    if type_:
        return types.of(engine, file, type_, fuel - 1)
    return beside.parameter(engine, file, function, number, fuel - 1)


def _expected(engine: Engine, file: File, function: int, number: int, fuel: int) -> Values:
    """What a callback's parameter is by where the callback is handed to, or a method's by its object's type."""
    row = file.functions[function]
    call, argument = row.passed
    if call >= 0:
        return v.union(
            _handed(engine, value, argument, number, fuel - _JUMP) for value in _callees(engine, file, call, fuel - 1)
        )
    if row.binding >= 0 and (stated := engine.touch_name(file, row.binding).type):
        declared = types.of(engine, file, stated, fuel - 1)
        return v.union(types.parameter_type(engine, value, number, fuel) for value in declared)
    if function in file.placed[0]:
        literal, name = file.placed[0][function]
        wanted = [
            members.get(engine, value, name, fuel - _JUMP) if value[0] != v.EXTERNAL else _FROM_OUTSIDE
            for value in v.known(literal_type(engine, file, literal, fuel - 1))
        ]
        given = v.union(wanted)
        return v.union((*(types.parameter_type(engine, value, number, fuel) for value in given), _unknown(given)))
    if function in file.returned:
        wanted_types = _result_type(engine, file, file.returned[function], fuel - 1)
        return v.union(types.parameter_type(engine, value, number, fuel) for value in wanted_types)
    return v.NOTHING


def _unknown(values: Values) -> Values:
    return tuple(value for value in values if value == _FROM_OUTSIDE[0])


def literal_type(engine: Engine, file: File, literal: int, fuel: int) -> Values:
    """The type that an object literal (or what holds one) has to have where it stands."""
    if literal not in file.placed[1]:
        return v.NOTHING
    answer: Values = engine.remember(file, ("o", literal), fuel, _required, engine, file, literal)
    return answer


def _required(engine: Engine, file: File, literal: int, fuel: int) -> Values:
    kind, index, which = file.placed[1][literal]
    if kind == "type":
        return types.of(engine, file, index, fuel - 1)
    if kind == "choice":
        return literal_type(engine, file, index, fuel - 1)
    if kind == "element":
        return v.union(members_of(value) for value in literal_type(engine, file, index, fuel - 1))
    if kind == "member":
        outer = literal_type(engine, file, index, fuel - 1)
        return v.union(_declared_member(engine, value, which, fuel - 1) for value in outer)
    if kind == "stored":
        code, receiver, name = file.expressions[index]
        found = engine.evaluate(file, receiver, fuel - 1)
        if code in (m.ITEM, m.KEYED):
            return v.union(members_of(value) for value in found)
        return v.union(_declared_member(engine, value, name, fuel - 1) for value in found)
    if kind == "result":
        return _result_type(engine, file, index, fuel)
    return _asked_for(engine, file, index, which, fuel)


def _result_type(engine: Engine, file: File, function: int, fuel: int) -> Values:
    """The type that what a function returns has to have."""
    result = file.functions[function].result
    engine.touch(file, file.home(file.functions[function].node))
    if result:
        return settled(types.of(engine, file, result, fuel - 1))
    wanted = _function_type(engine, file, function, fuel - 1)
    return settled(v.union(types.result_of(engine, value, fuel - 1) for value in wanted))


def _asked_for(engine: Engine, file: File, call: int, argument: int, fuel: int) -> Values:
    """The type that an argument of a call has to have."""
    return v.union(
        _argument_type(engine, value, argument, fuel - _JUMP) for value in _callees(engine, file, call, fuel - 1)
    )


def _callees(engine: Engine, file: File, call: int, fuel: int) -> Values:
    """What says of the arguments of a call what they have to be."""
    _, callee, arguments = file.expressions[call]
    found: list[Value] = []
    for value in engine.evaluate(file, callee, fuel):
        found += overloads.declared(engine, file, value, arguments) if value[0] == v.FUNCTION else (value,)
    return overloads.counted(engine, file, arguments, tuple(found))


def _function_type(engine: Engine, file: File, function: int, fuel: int) -> Values:
    """The function type that a function has to have where it stands."""
    row = file.functions[function]
    call, argument = row.passed
    if call >= 0:
        found = [_asked_for(engine, file, call, argument, fuel)]
    elif row.binding >= 0 and (stated := engine.touch_name(file, row.binding).type):
        found = [types.of(engine, file, stated, fuel - 1)]
    elif function in file.placed[0]:
        literal, name = file.placed[0][function]
        outer = literal_type(engine, file, literal, fuel - 1)
        found = [_declared_member(engine, value, name, fuel - 1) for value in outer]
    elif function in file.returned:
        found = [_result_type(engine, file, file.returned[function], fuel - 1)]
    else:
        return v.NOTHING
    return tuple(value for value in v.union(found) if value[0] in (v.CALLABLE, v.TYPED))


def _declared_member(engine: Engine, value: Value, name: str, fuel: int) -> Values:
    """What a property of something is by its type alone."""
    if value[0] in (v.EXTERNAL, v.UNKNOWN):
        return (value,)
    if value[0] == v.MAP:
        return members_of(value)
    return v.union(
        types.of(engine, engine.files[slot.path], slot.type, fuel - 1)
        for slot in members.find(engine, value, name, fuel)
        if slot.type
    )


def _argument_type(engine: Engine, callee: Value, argument: int, fuel: int) -> Values:
    """The declared type of a parameter of something that is called."""
    if callee[0] == v.CLASS:
        made = members.find(engine, (v.INSTANCE, *callee[1:]), "constructor", fuel)
        rows = [(slot.path, engine.files[slot.path].expressions[slot.value]) for slot in made if slot.value]
        path, row = rows[0] if rows else ("", (m.UNKNOWN,))
        callee = (v.FUNCTION, path, row[1]) if row[0] == m.FUNCTION else v.DEEP
    if callee[0] == v.FUNCTION:
        file = engine.files[callee[1]]
        function = engine.touch_takes(file, callee[2], argument)
        engine.touch(file, file.home(function.node))
        is_there = argument < len(function.parameters)
        return _stated(engine, file, callee[2], argument, fuel) if is_there else v.NOTHING
    if callee[0] == v.METHOD:
        taken = builtins.TAKES_INTO.get((callee[1], callee[2]))
        return members_of(callee[3]) if taken in (argument, builtins.ANY) else v.NOTHING
    return (callee,) if callee[0] == v.EXTERNAL else types.parameter_type(engine, callee, argument, fuel)


def _handed(engine: Engine, callee: Value, argument: int, number: int, fuel: int) -> Values:
    """What a callee gives to parameter `number` of the function it gets as an argument."""
    kind = callee[0]
    if kind == v.METHOD:
        _, owner, name, receiver = callee
        wanted = 0 if owner in ("Promise", "Map") and argument == 0 else builtins.TAKES_ELEMENT.get(name, -1)
        return members_of(receiver) if number == wanted else v.NOTHING
    if kind == v.FUNCTION:
        file = engine.files[callee[1]]
        row = engine.touch_takes(file, callee[2], argument)
        engine.touch(file, file.home(row.node))
        if argument >= len(row.parameters):
            return v.NOTHING
        binding = row.parameters[argument][0]
        declared = _stated(engine, file, callee[2], argument, fuel)
        found = v.known(v.union(types.parameter_type(engine, value, number, fuel) for value in declared))
        if any(value[0] != v.CALLABLE for value in found):
            return found
        given = engine.touch_name(file, binding).calls if binding >= 0 else []
        passed = v.union(
            engine.evaluate(file, arguments[number], fuel - 1)
            for call in given[:MAX_CALLS]
            if number < len(arguments := file.expressions[call][2])
        )
        return v.union((v.known(passed), found)) if found else passed  # a function says more than its type
    if kind == v.EXTERNAL:
        if callee[1] == "Promise":
            return ((v.EXTERNAL, "Promise.resolve" if number == 0 else "Promise.reject"),)
        return _FROM_OUTSIDE
    if kind in (v.CALLABLE, v.TYPED):
        wanted_types = types.parameter_type(engine, callee, argument, fuel)
        return v.union(types.parameter_type(engine, value, number, fuel) for value in wanted_types)
    return v.NOTHING


def _few_calls(engine: Engine, name: str, kind: str) -> list[tuple[File, int]] | None:
    """The calls by a name, in sources or aside from them; None where there are more than are looked at."""
    if engine.is_offered(CROWD_KEY + kind + name):
        return None
    paths = engine.offering_few(kind + name, MAX_CALLS)
    files = [engine.files[path] for path in paths or ()]
    sites = [(file, call) for file in files for call in file.calls.get(name, ())]
    return sites if paths is not None and len(sites) <= MAX_CALLS else None


def _from_calls(engine: Engine, file: File, function: int, number: int, fuel: int) -> Values:
    """What is given to a function where it is called by its name."""
    row = file.functions[function]
    name, everywhere = file.called_by(function)
    if name.startswith("<"):
        return v.NOTHING
    is_constructor = bool(row.flags & m.CONSTRUCTOR)
    wanted = (v.CLASS, file.path, row.this[1]) if is_constructor else (v.FUNCTION, file.path, function)
    if everywhere:
        sites = _few_calls(engine, name, CALLS_KEY)
        # what tests pass is left out where they are many: the calls of the program itself still say what it passes
        aside = _few_calls(engine, name, ASIDE_KEY) or []
        sites = sites if sites is None or len(sites) + len(aside) > MAX_CALLS else [*sites, *aside]
    else:
        engine.reads.add(called_key(file.path, name))
        own = [(file, call) for call in file.calls.get(name, ())]
        sites = own if len(own) <= MAX_CALLS else None
    if sites is None:
        return v.unknown("untyped parameter")
    return v.union(
        engine.evaluate(caller, arguments[number], fuel - _JUMP)
        for caller, call in sites
        if number < len(arguments := caller.expressions[call][2])
        and wanted in engine.evaluate(caller, caller.expressions[call][1], fuel - _JUMP)
    )
