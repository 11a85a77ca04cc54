"""Pass 4b, continued: how one call site calls one function, whatever the value that is called is made of.

The reverse of `calls`: there a call is asked for what it gives, here for the arguments with which it reaches a function
that is known. A call by a name that few methods have may be of each of them, where nothing is known of the receiver:
what it passes is little to assume. It does not look for the call sites (`callers`).
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.model import Target
from everdex.graph.python.builtins import builtin_calls
from everdex.graph.python.builtins.rules import CALLS_ARGUMENT
from everdex.graph.python.calls import callers, calls, parameters, registered, rounds
from everdex.graph.python.classes import classes, made_classes
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Argument, Context, Keywords, Positional
from everdex.graph.python.engine.engine import CALL_STEP, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MADE,
    MANAGER,
    METHOD,
    PARTIAL,
    STATIC,
    Value,
    is_known,
    is_open,
    ordered,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.file.slots import FEW
from everdex.graph.python.sites import targets

MAX_KEEPING: Final = 16  # classes that have another as an attribute, and are told apart
_REACHING: Final = frozenset((FUNCTION, CLASS, PARTIAL, STATIC, MANAGER, INSTANCE, EXTERNAL, METHOD, MADE))


def contexts_of(engine: Engine, file: File, number: int, path: str, scope: int, fuel: int) -> list[Context]:
    """How one call site calls one function; nothing when it does not."""
    meant = {(path, scope), *wrappers(engine, path, scope, fuel)}
    meant |= registered.generics(engine, engine.file(path), scope, fuel)
    found = _contexts_in(engine, file, number, 0, path, scope, meant, fuel)
    if found and (apart := _kept_by(engine, file, number, path, scope, fuel)):
        several = [_contexts_in(engine, file, number, each, path, scope, meant, fuel) for each in apart]
        return [context for each in several for context in each] or found
    taken = file.taken_together(number) if found else None
    if taken is not None:
        around = callers.contexts(engine, file.path, *taken, fuel)
        apart = [engine.contexts.enter(each) for each in around] if len(around) <= FEW else []
        if len(apart) > 1 and all(apart):
            several = [_contexts_in(engine, file, number, each, path, scope, meant, fuel) for each in apart]
            return [context for each in several for context in each] or found
    return found


def _kept_by(engine: Engine, file: File, number: int, path: str, scope: int, fuel: int) -> list[int]:
    """The contexts in which a method calls a class that is an attribute of its object, one for each class that has it
    so: what the object passes of itself is of that class. None when they are many."""
    callee = file.entries[file.entries[number][1]]
    around = file.owner(file.where[number])
    owner = engine.file(path).class_of(scope)
    if owner < 0 or callee[0] != m.ATTRIBUTE or file.receiver_class(callee[1]) != file.class_of(around):
        return []
    below = classes.subclasses(engine, path, owner, fuel - LOOKUP_STEP) or ()
    names = dict.fromkeys(engine.file(each[1]).scopes[each[2]].name for each in ((CLASS, path, owner), *below))
    having = [kind for name in names for attribute, kind in callers.keeping(engine, name) if attribute == callee[2]]
    found: list[int] = []
    for kind in dict.fromkeys(having) if len(having) <= MAX_KEEPING else ():
        receiver = Argument("", -1, 0, frozenset(((INSTANCE, *kind[1:], True),)))
        found.append(engine.contexts.enter(Context(file.path, around, 0, (receiver,), (), True)))
    return found


def _contexts_in(
    engine: Engine, file: File, number: int, context: int, path: str, scope: int, meant: set[tuple[str, int]], fuel: int
) -> list[Context]:
    """The same in one call of the function around."""
    entry = file.entries[number]
    found: list[Context] = []
    # Most calls of a name are of another function.
    values = engine.values(file.path, entry[1], context, fuel)
    callees = [
        value for value in values if value[0] in _REACHING and (value[0] != FUNCTION or value[1:3] in meant)
    ]
    if not callees and not is_known(values) and _may_be_by_name(engine, file, entry[1], path, scope):
        owner = (INSTANCE, path, engine.file(path).class_of(scope), True)
        callees = [(FUNCTION, path, scope, 0, owner)]
    if callees:
        for chain in rounds.of(engine, file, file.in_rounds[number], context, fuel) if number in file.in_rounds else ():
            for each in chain.rounds:
                _reach(engine, each.layer, each.positional, each.keywords, path, scope, fuel, found)
        if found:
            return found
        positional, keywords = calls.arguments(file, number, context)
        ran = registered.chosen(engine, frozenset(callees), positional, fuel)
        for value in registered.running(engine, callees, ran, path, scope):
            if value[0] == FUNCTION and value[1:3] != (path, scope):
                found.append(Context(path, scope, 0, calls.with_receiver(value[4], positional), keywords))
            else:
                _reach(engine, value, positional, keywords, path, scope, fuel, found)
    return found


def _may_be_by_name(engine: Engine, file: File, callee: int, path: str, scope: int) -> bool:
    """Whether a call of something of which nothing is known is by a name that few methods have, this one among them."""
    entry = file.entries[callee]
    own = engine.file(path).scopes[scope]
    if entry[0] != m.ATTRIBUTE or entry[2] != own.name:
        return False
    return Target(path, own.key) in targets.by_method_name(engine, own.name)


def context_at(file: File, number: int, function: File, scope: int, is_bound: bool) -> Context:
    """How one call site calls a function that is known to be called there, as a method of an instance or as it is."""
    positional, keywords = calls.arguments(file, number, 0)
    if number in file.prepared:
        positional = positional[1:]
    owner = function.class_of(scope)
    receiver = (INSTANCE, function.path, owner, True) if is_bound and owner >= 0 else None
    return Context(function.path, scope, 0, calls.with_receiver(receiver, positional), keywords)


def wrappers(engine: Engine, path: str, scope: int, fuel: int) -> tuple[tuple[str, int], ...]:
    """The functions that decorators put in a function's place and that pass on to it what they are called with."""
    decorators = engine.file(path).scopes[scope].decorators
    if not decorators:
        return ()
    made = sorted(each[1:3] for each in engine.values(path, decorators[-1], 0, fuel) if each[0] == FUNCTION)
    return tuple([each for each in made if engine.look_at(each[0], each[1]).passes_on(each[1])])


def _reach(
    engine: Engine, value: Value, positional: Positional, keywords: Keywords, path: str, scope: int, fuel: int,
    found: list[Context],
) -> None:  # fmt: skip
    if not engine.can_spend(fuel, 0):
        return
    kind = value[0]
    if kind == FUNCTION:
        if value[1] == path and value[2] == scope:
            found.append(Context(path, scope, value[3], calls.with_receiver(value[4], positional), keywords))
    elif kind == CLASS:
        own = engine.file(path).scopes[scope]
        if own.name in ("__init__", "__new__", "__post_init__"):
            made = (INSTANCE, value[1], value[2], is_open(value))
            for each in classes.instance_attribute(engine, made, own.name, fuel - LOOKUP_STEP):
                _reach(engine, each, positional, keywords, path, scope, fuel, found)
    elif kind == PARTIAL:
        given, named = (*value[2], *positional), (*keywords, *value[3])
        _reach(engine, value[1], given, named, path, scope, fuel - CALL_STEP, found)
    elif kind == MADE:
        for each in made_classes.constructors(engine, value, fuel - LOOKUP_STEP):
            _reach(engine, each, positional, keywords, path, scope, fuel - CALL_STEP, found)
    elif kind in (STATIC, MANAGER):
        _reach(engine, value[1], positional, keywords, path, scope, fuel, found)
    elif kind == INSTANCE and engine.file(path).scopes[scope].name == "__call__":
        for each in classes.instance_attribute(engine, value, "__call__", fuel - LOOKUP_STEP):
            _reach(engine, each, positional, keywords, path, scope, fuel - CALL_STEP, found)
    elif kind == EXTERNAL and value[1] == "functools.partial" and positional and not positional[0].starred:
        for each in ordered(parameters.argument(engine, positional[0], fuel)):  # who goes on calls it with the rest
            _reach(engine, each, positional[1:], keywords, path, scope, fuel - CALL_STEP, found)
    elif kind == EXTERNAL and value[1] == "functools.partialmethod" and positional and not positional[0].starred:
        made = (INSTANCE, path, engine.file(path).class_of(scope), True)
        for each in ordered(parameters.argument(engine, positional[0], fuel)):
            if each[0] == FUNCTION and made[2] >= 0:
                bound = (*each[:4], made)
                _reach(engine, bound, positional[1:], keywords, path, scope, fuel - CALL_STEP, found)
    elif kind == EXTERNAL and value[1] in CALLS_ARGUMENT:
        for function, given in builtin_calls.called_arguments(engine, value[1], positional, keywords, fuel):
            for each in function:
                if each[0] in (FUNCTION, PARTIAL):
                    _reach(engine, each, given, (), path, scope, fuel - CALL_STEP, found)
    elif kind == METHOD and value[2] == "sort":
        sorted_ones = (Argument("", -1, 0, containers.elements(engine, value[1], fuel)),)
        for key, passed in keywords:
            for each in parameters.argument(engine, passed, fuel) if key == "key" else ():
                if each[0] in (FUNCTION, PARTIAL):
                    _reach(engine, each, sorted_ones, (), path, scope, fuel - CALL_STEP, found)
