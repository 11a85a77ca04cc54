"""Pass 4a, continued: the calls of a function that was passed to one of another file, or to a decorator, by where that
puts it.

A function is followed forwards through the parameters that take it: to calls of the parameter, of the attribute of
an object that it is stored in, and of what is taken from a container there or from one that a module has. What a call
or a decorator of its own file passes is followed, and what few calls pass in files that import it, a class for its
constructor, also one that has it from above, through few functions; also calls in a file that has it in a table. It
does not look at methods that other files pass, nor at what returns it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.python.calls import parsed
from everdex.graph.python.classes import classes, records
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import CLASS, DISPLAY, FUNCTION, INSTANCE, Value, is_open, ordered
from everdex.graph.python.file.around import binding_scope
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import (
    given_key,
    head_key,
    indirect_key,
    passed_key,
    taken_key,
    taking_key,
)

MAX_TAKERS: Final = 6  # parameters that one function is followed through
MAX_PASSED: Final = 3  # calls that pass it on: what is passed more often is used for more than one thing
MAX_DECORATORS: Final = 3
MAX_INDIRECT: Final = 60
MAX_TAKING_FILES: Final = 8  # a name that more files take from says too little


class _Taker(NamedTuple):
    """A parameter that takes the function, or a field of a class whose constructor is made from its fields."""

    path: str
    scope: int
    place: int
    field: str = ""


def sites(engine: Engine, path: str, scope: int, fuel: int) -> list[tuple[str, int, bool]]:
    """The calls in other files of a function that is passed on, and whether it was passed by an instance."""
    file = engine.file(path)
    own = file.scopes[scope]
    engine.note(file, passed_key(path, own.name))
    named = file.given.get(scope if own.kind == m.LAMBDA_SCOPE else own.name, ())
    found: dict[tuple[str, int, bool], None] = {}
    for is_bound, given in ((False, named), (True, file.given_attributes.get(own.name, ()))):
        for number in given if len(given) <= MAX_PASSED else ():
            engine.seen.append(file.seen_at(number))
            first = list(_takers(engine, file, number, partial(_is_own, file, scope, is_bound), fuel))
            found.update(dict.fromkeys((*each, is_bound) for each in _followed(engine, path, first, fuel)))
    for number in own.decorators[:MAX_DECORATORS]:
        first = [
            each for value in ordered(engine.values(path, file.entries[number][1], 0, fuel))
            for each in _taking(engine, value, 0, "", fuel)
        ]  # fmt: skip
        # Its own file names a function that is decorated nowhere else, so that calls there are not found by that.
        found.update(dict.fromkeys((*each, False) for each in _followed(engine, "", first, fuel)))
    found.update(dict.fromkeys(_made_and_passed(engine, file, scope, fuel)))
    found.update(dict.fromkeys((*each, False) for each in parsed.sites(engine, file, scope, fuel)))
    is_made = file.class_of(scope) >= 0 and own.name == "__init__"
    if file.class_of(scope) < 0 or is_made:
        found.update(dict.fromkeys((*each, is_made) for each in _passed_elsewhere(engine, file, scope, fuel)))
    return list(found)


def _made_and_passed(engine: Engine, file: File, scope: int, fuel: int) -> Iterator[tuple[str, int, bool]]:
    """The calls of a function that another gives back, or of an object, where what makes it stands in the call that
    takes it: `add(make())`."""
    own = file.scopes[scope]
    around = file.scopes[file.owner(own.parent)] if own.parent > 0 else None
    is_object = around is not None and around.kind == m.CLASS_SCOPE and own.name == "__call__"
    if around is None or (around.kind == m.CLASS_SCOPE and not is_object):
        return
    for other in engine.calling(around.name) or ():
        there = engine.file(other)
        engine.note(there, passed_key(other, f"{around.name}()"))
        taking = there.given_results.get(around.name, ())
        for number, argument in taking if len(taking) <= MAX_TAKERS else ():
            engine.seen.append(there.seen_at(number))
            made = engine.values(other, argument, 0, fuel - LOOKUP_STEP)
            wanted = (INSTANCE, file.path, own.parent) if is_object else (FUNCTION, file.path, scope)
            if any(each[:3] == wanted for each in made):
                first = list(_takers(engine, there, number, partial(operator.eq, argument), fuel))
                for each in _followed(engine, "", first, fuel):
                    yield *each, is_object


def _passed_elsewhere(engine: Engine, file: File, scope: int, fuel: int) -> Iterator[tuple[str, int]]:
    """The calls of a function, or of a class that has a constructor, where a file passes it on that imports it."""
    for other, number, argument in taken_elsewhere(engine, file.path, scope, fuel):
        first = list(_takers(engine, engine.file(other), number, partial(operator.eq, argument), fuel))
        yield from _followed(engine, "", first, fuel)
    owner = file.class_of(scope)
    wanted = (CLASS, file.path, owner) if owner >= 0 else (FUNCTION, file.path, scope)
    name = file.scopes[wanted[2]].name
    for other in engine.offering_few(given_key(name)) or ():
        if other != file.path:
            engine.note(engine.file(other), passed_key(other, name))
            yield from _called_there(engine, engine.file(other), name, wanted, fuel)


def taken_elsewhere(engine: Engine, path: str, scope: int, fuel: int) -> Iterator[tuple[str, int, int]]:
    """The calls that take a function, or a class that has a constructor, in files that import it, and the argument."""
    for kind in having(engine, path, scope, fuel):
        name = engine.file(kind[1]).scopes[kind[2]].name
        for other in engine.offering_few(given_key(name)) or ():
            there = engine.file(other)
            engine.note(there, passed_key(other, name))
            passing = there.given_imports if other != kind[1] else there.given_classes
            taking = passing.get(name, ())
            for number, argument in taking if len(taking) <= MAX_PASSED else ():
                engine.seen.append(there.seen_at(number))
                if any(each[:3] == kind for each in engine.values(other, argument, 0, fuel - LOOKUP_STEP)):
                    yield other, number, argument
                    for taker in there.taking_prepared.get(number, ()):
                        engine.seen.append(there.seen_at(taker[0]))
                        yield other, *taker


def having(engine: Engine, path: str, scope: int, fuel: int) -> list[Value]:
    """What a function is called through: itself, or as a constructor its class, and the few below that have it, too."""
    owner = engine.file(path).class_of(scope)
    if owner < 0:
        return [(FUNCTION, path, scope)]
    below = classes.subclasses(engine, path, owner, fuel - LOOKUP_STEP) or ()
    made = [
        each for each in (below if len(below) <= MAX_TAKERS else ())
        if "__init__" not in engine.look_up(each[1], each[2], "__init__").names[each[2]]
    ]  # fmt: skip
    return [(CLASS, path, owner), *made]


def _called_there(engine: Engine, file: File, name: str, wanted: Value, fuel: int) -> Iterator[tuple[str, int]]:
    """The calls in a file that puts a function of another into a table, by which that is called."""

    def may_be(expression: int) -> bool:
        engine.seen.append(file.seen_at(expression))
        return any(each[:3] == wanted for each in engine.values(file.path, expression, 0, fuel))

    if not any(may_be(each) for each in file.held_imports.get(name, ())[:MAX_PASSED]):
        return
    engine.note(file, indirect_key(file.path))
    for number in file.indirect_calls if len(file.indirect_calls) <= MAX_INDIRECT else ():
        if may_be(file.entries[number][1]):
            yield file.path, number


def _followed(engine: Engine, home: str, waiting: list[_Taker], fuel: int) -> Iterator[tuple[str, int]]:
    """The calls of what takes it, but for those of a file that are found otherwise."""
    done: set[_Taker] = set()
    while waiting and len(done) < MAX_TAKERS:
        taker = waiting.pop(0)
        if taker in done:
            continue
        done.add(taker)
        file = engine.look_at(taker.path, taker.scope)
        engine.note(file, taking_key(taker.path, file.scopes[taker.scope].key))
        for each in _called(engine, file, taker):
            if taker.path != home or each not in file.indirect_calls:
                yield taker.path, each
        filled = {each[1] for each in _filled_attributes(file, taker)}
        for name in sorted(_tables(engine, file, taker) | filled):
            yield from _called_elsewhere(engine, file, name, home, fuel)
        for number in file.given.get(_name(file, taker), ()):
            if _is_inside(file, file.where[number], taker.scope):
                waiting.extend(_takers(engine, file, number, partial(_is_it, file, taker), fuel))
        held = _held(file, taker)
        for owner, name in sorted(held):
            yield from _called_of_others(engine, (CLASS, file.path, owner), name, home, fuel)
            engine.note(file, taking_key(taker.path, name))
        for number in dict.fromkeys(each for _, kept in sorted(held) for each in file.given_attributes.get(kept, ())):
            engine.seen.append(file.seen_at(number))
            waiting.extend(_takers(engine, file, number, partial(_is_held, file, held), fuel))


def _takers(engine: Engine, file: File, number: int, is_it: Callable[[int], bool], fuel: int) -> Iterator[_Taker]:
    """The parameters that take it in a call."""
    entry = file.entries[number]
    places = [(place, "") for place, each in enumerate(entry[2]) if is_it(each)]
    places += [(-1, key) for key, each in entry[3] if key and is_it(each)]
    if not places or any(file.entries[each][0] == m.STAR for each in entry[2][: places[-1][0] + 1]):
        return
    for value in ordered(engine.values(file.path, entry[1], 0, fuel)):
        for place, key in places:
            yield from _taking(engine, value, place, key, fuel)


def _taking(engine: Engine, value: Value, place: int, key: str, fuel: int) -> Iterator[_Taker]:
    """The parameter of a function, or of what a class or an instance is called by, that a place or keyword of a call is
    passed for."""
    if value[0] in (CLASS, INSTANCE):
        made, method = (value, "__call__") if value[0] == INSTANCE else (_made(value), "__init__")
        found = classes.instance_attribute(engine, made, method, fuel - LOOKUP_STEP)
        for each in found:
            if each[0] == FUNCTION:
                yield from _taking(engine, each, place, key, fuel)
        if value[0] == CLASS and not any(each[0] == FUNCTION for each in found):
            yield from _fields(engine, value, place, key, fuel)
    elif value[0] == FUNCTION:
        own = engine.file(value[1]).scopes[value[2]]
        index = place + (value[4] is not None)
        taking = [
            number for number, (name, kind, _, _) in enumerate(own.params)
            if kind not in (m.ALL_POSITIONAL, m.ALL_KEYWORDS)
            and (name == key if key else number == index and kind != m.KEYWORD_ONLY)
        ]  # fmt: skip
        engine.note(engine.file(value[1]), head_key(value[1], own.key))
        for number in taking:
            yield _Taker(value[1], value[2], number)


def _fields(engine: Engine, kind: Value, place: int, key: str, fuel: int) -> Iterator[_Taker]:
    """The same of a class whose constructor is made from its fields: that of the class, and as those above have it."""
    line = classes.mro(engine, kind[1], kind[2], fuel)
    names = records.fields(engine, line)
    wanted = key or (names[place] if place < len(names) else "")
    for owner in line if wanted in names else ():
        if owner[0] == CLASS:
            yield _Taker(owner[1], owner[2], place, wanted)


def _made(kind: Value) -> Value:
    return (INSTANCE, kind[1], kind[2], is_open(kind))


def _held(file: File, taker: _Taker) -> set[tuple[int, str]]:
    """The attributes of self that a parameter is stored in, each with its class."""
    if taker.field:
        return {(taker.scope, taker.field)}
    return {
        (store.owner, store.name)
        for store, each in file.names_stored.get(_name(file, taker), ())
        if _is_it(file, taker, each)
    }


def _called(engine: Engine, file: File, taker: _Taker) -> Iterator[int]:
    """The calls of a parameter, or of the attributes of self that hold it."""
    if taker.field:
        engine.note_calls(file, taker.field)
        for number in file.calls_by_name.get(taker.field, ()):
            engine.seen.append(file.seen_at(number))
            if _attribute(file, file.entries[number][1]) == (taker.scope, taker.field):
                yield number
        return
    held = _held(file, taker)
    filled = _filled_attributes(file, taker)
    tables = _tables(engine, file, taker)
    prepared = sorted(file.prepared)
    if held or filled or tables:
        engine.note(file, indirect_key(file.path))
        for number in (*file.indirect_calls, *prepared) if len(file.indirect_calls) <= MAX_INDIRECT else ():
            engine.seen.append(file.seen_at(number))
            callee = file.meant(number)
            if _attribute(file, callee) in held:
                yield number
            elif filled or tables:
                containers = file.taken_from(callee)
                if any(_attribute(file, each) in filled or _table(file, each) in tables for each in containers):
                    yield number
    for scope in _inside(file, taker.scope):
        engine.seen.append(file.seen_scope(scope))
    for number in (*file.calls_by_name.get(_name(file, taker), ()), *prepared):
        if _is_it(file, taker, file.meant(number)):
            yield number


def _name(file: File, taker: _Taker) -> str:
    """By what the function that takes it calls it; a field is called by its owner."""
    return "" if taker.field else file.scopes[taker.scope].params[taker.place][0]


def _inside(file: File, scope: int) -> Iterator[int]:
    """The functions and lambdas inside one, however deep."""
    for each in file.children.get(scope, ()):
        if file.scopes[each].kind in (m.FUNCTION_SCOPE, m.LAMBDA_SCOPE):
            yield each
        yield from _inside(file, each)


def _attribute(file: File, expression: int) -> tuple[int, str] | None:
    """Class and name, when this is an attribute of self."""
    entry = file.entries[expression]
    if entry[0] == m.NAME and len(entry[2]) == 1:
        expression = file.bindings[entry[2][0]][2]
    return file.own_attribute(expression)


def _filled(file: File, taker: _Taker) -> list[int]:
    """The containers that a parameter is put into, and those that these are in."""
    if taker.field:
        return []
    bases = [base for base, each in file.names_put.get(_name(file, taker), ()) if _is_it(file, taker, each)]
    return [each for base in bases for each in (base, *file.taken_from(base))]


def _filled_attributes(file: File, taker: _Taker) -> set[tuple[int, str]]:
    """The attributes of self among them, each with its class."""
    return {found for each in _filled(file, taker) if (found := _attribute(file, each)) is not None}


def _tables(engine: Engine, file: File, taker: _Taker) -> set[str]:
    """The names of the module's containers among them."""
    found = {file.entries[each][1] for each in _filled(file, taker) if file.entries[each][0] == m.NAME}
    for name in sorted(found):
        engine.look_for(file.path, name)
    return {_table(file, each) for each in _filled(file, taker)} - {""}


def _table(file: File, expression: int) -> str:
    """The name, when this is a variable of the module; else ''."""
    entry = file.entries[expression]
    if entry[0] != m.NAME:
        return ""
    home, _ = binding_scope(file, file.where[expression], entry[1])
    return entry[1] if home == 0 and file.is_variable(0, entry[1]) else ""


def _called_elsewhere(engine: Engine, file: File, name: str, home: str, fuel: int) -> Iterator[tuple[str, int]]:
    """The calls in other files of what is taken from a container that a module has under a name."""
    for other in engine.offering_few(taken_key(name), MAX_TAKING_FILES) or ():
        there = engine.file(other)
        for number in there.foreign_takes.get(name, ()) if other not in (home, file.path) else ():
            engine.seen.append(there.seen_at(number))
            for container in there.taken_from(there.entries[number][1]):
                held = engine.values(other, container, 0, fuel - LOOKUP_STEP)
                if any(_is_named(file, each, name) for each in held):
                    yield other, number
                    break


def _called_of_others(engine: Engine, owner: Value, name: str, home: str, fuel: int) -> Iterator[tuple[str, int]]:
    """The calls in other files of an attribute of instances of a class."""
    for other in engine.calling(name) or ():
        there = engine.file(other)
        for number in engine.calls_in(other, name) if other not in (home, owner[1]) else ():
            engine.seen.append(there.seen_at(number))
            callee = there.entries[there.entries[number][1]]
            if callee[0] != m.ATTRIBUTE:
                continue
            for each in ordered(engine.values(other, callee[1], 0, fuel - LOOKUP_STEP)):
                if each[0] == INSTANCE and owner in classes.mro(engine, each[1], each[2], fuel):
                    yield other, number
                    break


def _is_named(file: File, value: Value, name: str) -> bool:
    """Whether it is the container that a file gives a name."""
    return bool(value[0] == DISPLAY and value[1] == file.path and name in file.display_names.get(value[2], ()))


def _is_own(file: File, scope: int, is_bound: bool, expression: int) -> bool:
    """Whether an argument names the function: by itself, or by an attribute."""
    entry = file.entries[expression]
    if entry[0] == m.DEFINITION:
        return bool(entry[1] == scope and not is_bound)
    if entry[0] == m.NAME:
        return not is_bound and entry[1] == file.scopes[scope].name and file.class_of(scope) < 0
    return bool(is_bound and entry[0] == m.ATTRIBUTE and entry[2] == file.scopes[scope].name)


def _is_it(file: File, taker: _Taker, expression: int) -> bool:
    """Whether an expression names a parameter, also from inside its function."""
    entry = file.entries[expression]
    if entry[0] != m.NAME or entry[1] != _name(file, taker):
        return False
    bindings = entry[2]
    if not bindings:
        home, bindings = binding_scope(file, file.where[expression], entry[1])
        if home != taker.scope:
            return False
    return any(file.entries[file.bindings[each][2]] == (m.PARAMETER, taker.scope, taker.place) for each in bindings)


def _is_held(file: File, held: set[tuple[int, str]], expression: int) -> bool:
    return file.own_attribute(expression) in held


def _is_inside(file: File, scope: int, around: int) -> bool:
    while scope > around:
        scope = file.scopes[scope].parent
    return scope == around
