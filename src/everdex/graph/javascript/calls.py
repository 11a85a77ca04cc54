"""What calls give back: through returns, arguments that are handed back, and what builtins do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import affixed, applied, beside, builtins, generics, guards, members, overloads, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.bound import lacks
from everdex.graph.javascript.files import File
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP: Final = 4


def settled(values: Values) -> Values:
    return v.union(value[1] if value[0] == v.PROMISE else (value,) for value in values)


# -- results ------------------------------------------------------------------------------------


def result(engine: Engine, file: File, index: int, fuel: int) -> Values:
    """What a call expression gives."""
    _, callee, arguments = file.expressions[index]
    called = overloads.counted(engine, file, arguments, engine.evaluate(file, callee, fuel - 1))
    found = v.union(_given(engine, file, value, index, fuel) for value in called)
    return applied.result(engine, file, index, found, fuel) if lacks(found) else found


def _given(engine: Engine, file: File, value: Value, call: int, fuel: int) -> Values:
    _, callee, arguments = file.expressions[call]
    kind = value[0]
    if kind == v.FUNCTION:
        return _stated(engine, file, value, call, _through(engine, file, value, callee, arguments, fuel), fuel)
    if kind == v.METHOD:
        return _builtin(engine, file, value, arguments, fuel)
    if kind == v.AFFIXED:
        found = affixed.functions(engine, value, fuel - 1)
        return v.union(returned(engine, function, fuel - _JUMP) for function in found)
    if kind == v.EXTERNAL:
        return _external(engine, file, value, arguments, fuel)
    if kind == v.CALLABLE:
        target = engine.files[value[1]]
        row = target.types[value[2]][2]
        if target.types[row][0] == m.T_THIS:
            return _receiver(engine, file, callee, fuel)
        return _stated(engine, file, value, call, returned(engine, value, fuel - _JUMP), fuel)
    return returned(engine, value, fuel - _JUMP)


def _stated(engine: Engine, file: File, value: Value, call: int, given: Values, fuel: int) -> Values:
    """What a call gives, with what the types say that it is given: that counts for more than what any call gives."""
    said = generics.result(engine, file, call, value, fuel)
    if not said:
        return given
    is_overloaded = value[0] == v.FUNCTION and engine.files[value[1]].functions[value[2]].overloads
    kept = v.DEFINED + v.TYPED if is_overloaded else v.DEFINED  # another signature may be the one that is meant
    return v.union((said, tuple(each for each in given if each[0] in kept)))


def returned(
    engine: Engine, value: Value, fuel: int, signatures: tuple[int, ...] = (), but: tuple[int, ...] = ()
) -> Values:
    """What calling something gives, whatever the arguments; by these of its signatures, or by all of them. What it
    returns by these expressions is known otherwise."""
    kind = value[0]
    if kind == v.FUNCTION:
        file = engine.files[value[1]]
        said = signatures or tuple(file.functions[value[2]].overloads)
        answer: Values = engine.remember(
            file, ("r", value[2], said, but), fuel, _returns, engine, file, value[2], said, but
        )
        return answer
    if kind == v.CALLABLE:
        file = engine.files[value[1]]
        return types.of(engine, file, file.types[value[2]][2], fuel - 1)
    if kind == v.TYPED:
        file = engine.files[value[1]]
        rows = [row for name, row, _ in file.interfaces[value[2]].members if not name]
        return v.union(types.of(engine, file, file.types[row][2], fuel - 1) for row in rows)
    return (value,) if kind in (v.EXTERNAL, v.UNKNOWN) else v.NOTHING


def _returns(
    engine: Engine, file: File, index: int, signatures: tuple[int, ...], but: tuple[int, ...], fuel: int
) -> Values:
    row = file.functions[index]
    engine.touch(file, file.home(row.node))
    for number in signatures:
        engine.touch(file, file.home(file.functions[number].node))
    results = [file.functions[number].result for number in signatures]
    declared = v.union(types.of(engine, file, result, fuel - 1) for result in results if result)
    if not v.known(declared) and row.result:
        declared = types.of(engine, file, row.result, fuel - 1)
    elif not signatures and not row.result:
        declared = beside.result(engine, file, index, fuel)
    plain = settled(declared) if row.flags & m.ASYNC else declared
    useful = v.known(plain)
    whole = bool(useful) and len(useful) == len(plain)  # of `T & Outside` the other part may be anything
    if whole and not any(value[0] in (v.TYPED, v.CALLABLE) for value in useful):
        # a comment that says otherwise of a function that is returned is wrong; a type from outside says less than it
        says_less = row.flags & m.DOCUMENTED or all(value[0] == v.EXTERNAL for value in useful)
        if not says_less or all(file.expressions[each][0] != m.FUNCTION for each in row.returns):
            return declared
    if row.flags & m.GENERATOR:
        return v.kept(declared) or ((v.ARRAY, v.union(engine.evaluate(file, e, fuel - 1) for e in row.yields)),)
    given = v.union(guards.returned(engine, file, each, fuel - 1) for each in row.returns if each not in but)
    if row.flags & m.ASYNC:
        return ((v.PROMISE, types.agreed(settled(given), plain)),)
    return types.agreed(given, declared)


def _through(engine: Engine, file: File, value: Value, callee: int, arguments: list[int], fuel: int) -> Values:
    """A function's result at one call: an argument that it hands back is the one given here, `this` the receiver."""
    target = engine.files[value[1]]
    row = target.functions[value[2]]
    engine.touch(target, target.home(row.node))
    if row.receiver and _generic(target, target.types[row.result]) == _generic(target, target.types[row.receiver]) >= 0:
        stated = v.known(_receiver(engine, file, callee, fuel))  # `make(this: T): T`
        if stated:
            return stated
    signatures = overloads.declared(engine, file, value, arguments) if row.overloads else ()
    handed, receiver = _handed_back(engine, target, value[2], len(arguments))
    for signature in signatures:
        more, itself = _handed_back(engine, target, signature[2], len(arguments))
        handed, receiver = {*handed, *more}, receiver or itself
    passed = _passed(engine, target, value[2], len(arguments), fuel)
    positions = sorted({*handed, *passed.values()})
    groups: list[Values] = [engine.evaluate(file, arguments[i], fuel - 1) for i in positions]
    if receiver or (not row.result and beside.gives_receiver(engine, target, value[2], fuel - 1)):
        groups.append(_receiver(engine, file, callee, fuel))
    is_known = any(v.known(group) for group in groups)
    # of a parameter that is handed back what other calls pass is not what this one gives
    given = all(file.expressions[argument][0] != m.SPREAD for argument in arguments) and is_known
    but = tuple(passed) if given else ()
    general = returned(engine, value, fuel - _JUMP, tuple(signature[2] for signature in signatures), but)
    groups.append(v.kept(general) if is_known else general)
    return v.union(groups)


def _passed(engine: Engine, file: File, index: int, given: int, fuel: int) -> dict[int, int]:
    """By which expressions a function returns one of so many arguments, also through a function that hands it back."""
    function = file.functions[index]
    if not given or not function.returns or function.flags & (m.ASYNC | m.GENERATOR):
        return {}
    positions = {
        binding: number for number, (binding, _, _) in enumerate(function.parameters[:given])
        if binding >= 0 and len(file.bindings[binding].values) <= 1
    }  # fmt: skip
    found: dict[int, int] = {}
    takes = False
    for expression in function.returns:
        row = _uncast(file, expression)
        inner = _uncast(file, row[2][0]) if row[0] == m.CALL and row[2] else row
        if inner[0] != m.NAME or file.bindings[inner[1]].kind != m.PARAMETER_NAME:
            continue
        takes = True
        if inner[1] in positions and (inner is row or _hands_back(engine, file, row[1], fuel)):
            found[expression] = positions[inner[1]]
    if takes:
        engine.touch_takes(file, index, *range(given))
    return found


def _hands_back(engine: Engine, file: File, callee: int, fuel: int) -> bool:
    """Whether a library's function gives what it is passed first."""
    called = engine.evaluate(file, callee, fuel - _JUMP)
    return bool(called) and all(each[0] == v.EXTERNAL and builtins.HANDS_BACK.get(each[1]) == 0 for each in called)


def _uncast(file: File, index: int) -> m.Row:
    row = file.expressions[index]
    while row[0] == m.CAST and row[1]:
        row = file.expressions[row[1]]
    return row


def _handed_back(engine: Engine, file: File, index: int, given: int) -> tuple[set[int], bool]:
    """Which of so many arguments a function gives back, and whether what it is called on."""
    row = file.functions[index]
    if not row.returns and not row.result:
        return set(), False
    positions = {binding: number for number, (binding, _, _) in enumerate(row.parameters) if binding >= 0}
    handed: set[int] = set()
    takes = False
    receiver = bool(row.result) and file.types[row.result][0] == m.T_THIS
    for expression in row.returns:
        inner = file.expressions[expression]
        if inner[0] == m.NAME and file.bindings[inner[1]].kind == m.PARAMETER_NAME:
            takes = True
            if positions.get(inner[1], given) < given:
                handed.add(positions[inner[1]])
        elif inner[0] == m.THIS:
            receiver = True
    result_type = file.types[row.result]
    parts = [file.types[part] for part in result_type[1]] if result_type[0] == m.T_UNION else [result_type]
    names = {_generic(file, part) for part in parts} - {-1}  # also of `T & More`
    if given and (takes or names):
        engine.touch_takes(file, index, *range(given))
    for number, (_, type_, _) in enumerate(row.parameters[:given]) if names else ():
        if _generic(file, file.types[type_]) in names:
            handed.add(number)
    return handed, receiver


def _generic(file: File, row: m.Row) -> int:
    """The type parameter that a type is, or -1."""
    if row[0] != m.T_NAME:
        return -1
    name = file.expressions[row[1]]
    return name[1] if name[0] == m.NAME and file.bindings[name[1]].kind == m.GENERIC else -1


def _receiver(engine: Engine, file: File, callee: int, fuel: int) -> Values:
    row = file.expressions[callee]
    if row[0] != m.MEMBER:
        return v.NOTHING
    inner = file.expressions[row[1]]  # what a method of the base is called on is this object
    return engine.this(file, inner[1], fuel - 1) if inner[0] == m.SUPER else engine.evaluate(file, row[1], fuel - 1)


def instance(engine: Engine, file: File, index: int, fuel: int) -> Values:
    """What a `new` expression gives."""
    _, callee, arguments = file.expressions[index]
    found: list[Values] = []
    for value in engine.evaluate(file, callee, fuel - 1):
        kind = value[0]
        if kind == v.CLASS:
            found.append(((v.INSTANCE, *value[1:], v.EXACT),))
        elif kind == v.FUNCTION:
            found.append(((v.MADE, *value[1:], v.EXACT),))
        elif kind == v.EXTERNAL and value[1] in ("Map", "WeakMap"):
            found.append(((v.MAP, ()),))
        elif kind == v.EXTERNAL and value[1] in ("Set", "Array", "WeakSet"):
            given = engine.evaluate(file, arguments[0], fuel - 1) if arguments else ()
            found.append(((v.ARRAY, v.union(members_of(value) for value in given)),))
        elif kind == v.EXTERNAL and value[1] == "Promise":
            found.append(((v.PROMISE, ()),))
        elif kind == v.EXTERNAL and value[1] == "Proxy" and arguments:
            found.append(engine.evaluate(file, arguments[0], fuel - 1))
        elif kind == v.TYPED:
            target = engine.files[value[1]]
            rows = [row for name, row, _ in target.interfaces[value[2]].members if name == "new"]
            found += [types.of(engine, target, target.types[row][2], fuel - 1) for row in rows]
        elif kind in (v.EXTERNAL, v.UNKNOWN):
            found.append((value,))
    return v.union(found)


# -- builtins -----------------------------------------------------------------------------------


def members_of(value: Value) -> Values:
    """The elements of a container, nothing for anything else."""
    if value[0] == v.TUPLE:
        return v.union(value[1])
    inner: Values = value[1] if value[0] in (v.ARRAY, v.MAP, v.PROMISE) else ()
    return inner


def _callback(engine: Engine, file: File, arguments: list[int], fuel: int) -> Values:
    """What the first argument gives when it is called."""
    given = engine.evaluate(file, arguments[0], fuel - 1) if arguments else ()
    return v.union(returned(engine, value, fuel - _JUMP) for value in given)


def _chosen(engine: Engine, file: File, arguments: list[int], fuel: int) -> Values:
    """What a function says of all that it leaves of a list."""
    given = engine.evaluate(file, arguments[0], fuel - 1) if arguments else ()
    return v.union(guards.predicate(engine, value, 0, fuel - _JUMP) for value in given)


def _builtin(engine: Engine, file: File, value: Value, arguments: list[int], fuel: int) -> Values:
    """The method of a builtin on a receiver of which the contents are known."""
    _, owner, name, receiver = value
    if owner == "Function":
        if name == "bind":
            return (receiver,)
        return returned(engine, receiver, fuel - _JUMP) if name in ("call", "apply") else v.NOTHING
    inside = members_of(receiver)
    if owner == "Promise":
        if name == "then":
            return ((v.PROMISE, settled(_callback(engine, file, arguments, fuel))),)
        return (receiver,) if name in ("catch", "finally") else v.NOTHING
    if owner == "Map":
        if name == "get":
            return inside or v.unknown("contents of a Map")
        if name == "entries":
            return ((v.ARRAY, ((v.TUPLE, (v.unknown("key"), inside)),)),)
        return ((v.ARRAY, inside),) if name == "values" else (receiver,) if name == "set" else v.NOTHING
    if name in builtins.CHOOSES:
        inside = _chosen(engine, file, arguments, fuel) or inside
    if name in builtins.SAME:
        return ((v.ARRAY, inside),)
    if name in builtins.ONE:
        return inside or v.unknown("contents of an array")
    if name in builtins.MAPPED:
        mapped = _callback(engine, file, arguments, fuel)
        return ((v.ARRAY, v.union(members_of(item) or (item,) for item in mapped) if name == "flatMap" else mapped),)
    if name.startswith("reduce"):
        initial = engine.evaluate(file, arguments[1], fuel - 1) if len(arguments) > 1 else inside
        return v.union((initial, _callback(engine, file, arguments, fuel)))
    return ((v.EXTERNAL, "String"),) if name in builtins.TEXT else v.NOTHING


def _external(engine: Engine, file: File, value: Value, arguments: list[int], fuel: int) -> Values:
    name: str = value[1]
    if name == "require":  # of something that is not written there, which may be in the root
        return v.unknown("computed import")
    if name in builtins.GIVES_REQUIRE:
        return ((v.EXTERNAL, "require"),)
    number = builtins.HANDS_BACK.get(name)
    if number is not None and number < len(arguments):
        many = arguments if name == "Object.assign" else arguments[number : number + 1]
        return v.union(engine.evaluate(file, argument, fuel - 1) for argument in many)
    if name in builtins.HANDS_BACK_RESULT:
        return _callback(engine, file, arguments, fuel)
    if not arguments:
        return (value,)
    if name in builtins.LOADS:
        loaded = settled(_callback(engine, file, arguments, fuel))
        found = v.union(members.get(engine, each, "default", fuel - _JUMP) for each in loaded)
        return v.known(found) or (value,)
    if name == "Object.create":
        given = engine.evaluate(file, arguments[0], fuel - 1)
        return v.known(given) or (value,)
    if name in ("Promise.resolve", "Promise.all", "Promise.race", "Promise.any", "Promise.allSettled"):
        given = engine.evaluate(file, arguments[0], fuel - 1)
        if name == "Promise.resolve":
            return ((v.PROMISE, settled(given)),)
        if name == "Promise.all":
            parts = [(v.TUPLE, tuple(settled(part) for part in item[1])) if item[0] == v.TUPLE
                     else (v.ARRAY, settled(members_of(item))) for item in given]  # fmt: skip
            return ((v.PROMISE, v.union([tuple(parts)])),)
        return ((v.PROMISE, settled(v.union(members_of(item) for item in given))),)
    if name in ("Array.from", "Object.values", "Array.of"):
        given = engine.evaluate(file, arguments[0], fuel - 1)
        return ((v.ARRAY, v.union(contents(engine, item, fuel) for item in given)),)
    if name == "Object.fromEntries":
        pairs = v.union(members_of(item) for item in engine.evaluate(file, arguments[0], fuel - 1))
        return ((v.MAP, v.union(pair[1][1] for pair in pairs if pair[0] == v.TUPLE and len(pair[1]) > 1)),)
    if name == "Object.entries":
        given = engine.evaluate(file, arguments[0], fuel - 1)
        inside = v.union(contents(engine, item, fuel) for item in given)
        return ((v.ARRAY, ((v.TUPLE, (((v.EXTERNAL, "String"),), inside)),)),)
    return (value,)


def contents(engine: Engine, value: Value, fuel: int) -> Values:
    """What an object literal or a container holds."""
    if value[0] == v.OBJECT:
        file = engine.files[value[1]]
        row = file.expressions[value[2]]
        return v.union(engine.evaluate(file, inner, fuel - 1) for _, inner, kind, _ in row[1] if kind == "v")
    return members_of(value)
