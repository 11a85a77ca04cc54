"""Pass 4b: what a call gives back.

Functions return what their return expressions are in the context of the call; classes give instances; things from
outside follow the table of rules. It does not follow exceptions.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins import builtin_calls, making, methods
from everdex.graph.python.builtins.rules import CONTAINERS, PARAMETRIZE
from everdex.graph.python.calls import guards
from everdex.graph.python.classes import classes, declared, generics, kept, made_classes, records, supers
from everdex.graph.python.classes.binding import bind_instance
from everdex.graph.python.engine.contexts import Argument, Context, Keywords, Positional
from everdex.graph.python.engine.engine import CALL_STEP, LOOKUP_STEP, WORTH_GIVEN, Engine
from everdex.graph.python.engine.values import (
    ANNOTATED,
    BUILTIN,
    CLASS,
    COROUTINE,
    DISPLAY,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FORM,
    FUNCTION,
    GENERATOR,
    HANDED_OUT,
    INSTANCE,
    KEEPING,
    KEYED,
    LIST,
    LITERAL,
    MADE,
    MANAGED,
    MANAGER,
    MAY_BE_DESCRIPTOR,
    METHOD,
    MODULE,
    NONE,
    NOTHING,
    OBJECT,
    PAIRS,
    PARTIAL,
    RECORD,
    STATIC,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    alike,
    are_more,
    is_known,
    is_open,
    plain,
    union,
    unknown,
)
from everdex.graph.python.file.files import File

MAX_FOLLOWED: Final = 8  # the results of a call that may be more functions than this are not followed
MAX_DISPATCHED: Final = 24  # but for the methods that one object is asked for by a name that is put together
# Calls are told apart for functions that are small enough to be decorators, factories or wrappers; a large one is
# looked through once for all its callers, or every call of it would look through it again.
MAX_RETURNS_APART: Final = 4
MAX_SIZE_APART: Final = 20  # expressions behind what it gives back: what it does beside that makes no function large
_AT_HAND: Final = frozenset((KEYED, LIST, LITERAL, PAIRS, TUPLE))
_OWN_NAMES: Final = ("builtins.globals", "builtins.vars", "builtins.locals")  # of the module: the others only there


def arguments(file: File, number: int, context: int) -> tuple[Positional, Keywords]:
    """Of a call, or of a decorator's application."""
    if context:
        return _arguments(file, number, context)
    found = file.arguments.get(number)
    if found is None:
        found = file.arguments[number] = _arguments(file, number, 0)
    return found


def _arguments(file: File, number: int, context: int) -> tuple[Positional, Keywords]:
    entry = file.entries[number]
    if entry[0] == m.DECORATED:
        return (Argument(file.path, entry[2], context),), ()
    positional = []
    for each in entry[2]:
        inner = file.entries[each]
        if inner[0] == m.STAR:
            positional.append(Argument(file.path, inner[1], context, NOTHING, True))
        else:
            positional.append(Argument(file.path, each, context))
    return tuple(positional), tuple((key, Argument(file.path, value, context)) for key, value in entry[3])


def _is_followed(callee: Value) -> bool:
    """Whether its result has to be looked for: what a method does with values that are at hand is said at once."""
    return callee[0] != METHOD or callee[1][0] not in _AT_HAND


def _are_too_many(callees: Values) -> bool:
    followed = frozenset(filter(_is_followed, callees))
    receivers = {each[4] if each[0] == FUNCTION else None for each in followed if each[0] != UNKNOWN and each != NONE}
    is_one_object = len(receivers) == 1 and None not in receivers
    return are_more(followed, MAX_DISPATCHED if is_one_object else MAX_FOLLOWED)


def _anywhere(callee: Value) -> Value:
    """A function, or a method of a container, whatever the calls were that it was made in: one for all of them."""
    if callee[0] == FUNCTION:
        receiver = callee[4]
        return (*callee[:3], 0, plain(receiver) if receiver is not None and receiver[0] == INSTANCE else receiver)
    if callee[0] == METHOD and callee[1][0] in (ANNOTATED, DISPLAY):
        return (METHOD, (*callee[1][:3], 0), callee[2])
    return callee


def call(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    callees = engine.values(file.path, entry[1], context, fuel)
    if len(callees) > MAX_FOLLOWED and _are_too_many(callees):
        callees = frozenset(map(_anywhere, callees))
        if _are_too_many(callees):
            return unknown("too many candidates")
    if len(callees) == 1:
        (value,) = callees
        if value[0] == UNKNOWN:
            return callees
    positional, keywords = arguments(file, expression, context)
    parts: list[Values] = []
    for value in callees:
        if value[0] != EXTERNAL:
            parts.append(result(engine, value, positional, keywords, fuel))
        elif value[1] in CONTAINERS:
            parts.append(frozenset(((DISPLAY, file.path, expression, context),)))
        elif value[1] == PARAMETRIZE:
            parts.append(frozenset(((EXTERNAL_INSTANCE, value[1], file.path, expression),)))
        elif value[1] == "builtins.super":
            parts.append(supers.super_of(engine, file, expression, context, positional, fuel))
        elif value[1] == "builtins.type" and expression in file.made:
            parts.append(made_classes.at(file, expression, context))
        elif value[1] in _OWN_NAMES and not entry[2] and (value[1] == _OWN_NAMES[0] or not file.where[expression]):
            parts.append(frozenset(((MODULE, file.path),)))
        else:
            parts.append(builtin_calls.result(engine, value[1], positional, keywords, fuel))
    return union(parts)


def result(engine: Engine, value: Value, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    """What calling one value gives."""
    kind = value[0]
    if not engine.can_spend(fuel, CALL_STEP if kind == FUNCTION else 0):
        return unknown("too many steps")
    if kind == FUNCTION:
        if said := declared.plain(engine, value):
            return said
        context = entered(engine, value, positional, keywords)
        found = returned(engine, value, context, fuel - CALL_STEP)
        if value[4] is not None:
            found = generics.refined(engine, value, found, fuel - CALL_STEP)
        if any(each[0] == UNKNOWN for each in found):
            found = _said(engine, value, positional, keywords, found, fuel - CALL_STEP) or found
        return _with_own(engine, value, found, fuel - CALL_STEP) if context == value[3] and value[4] else found
    if kind == CLASS:
        return constructed(engine, value, positional, keywords, fuel)
    if kind == EXTERNAL:
        return builtin_calls.result(engine, value[1], positional, keywords, fuel)
    if kind == INSTANCE:
        found = classes.instance_attribute(engine, value, "__call__", fuel - LOOKUP_STEP)
        return union(
            result(engine, each, positional, keywords, fuel - CALL_STEP)
            for each in found
            if each[0] == FUNCTION
        )
    if kind == PARTIAL:
        _, inner, before, named = value
        return result(engine, inner, (*before, *positional), (*keywords, *named), fuel - CALL_STEP)
    if kind == METHOD:
        return methods.result(engine, value[1], value[2], positional, keywords, fuel)
    if kind == STATIC:
        return result(engine, value[1], positional, keywords, fuel)
    if kind == MANAGER:
        made = result(engine, value[1], positional, keywords, fuel)
        return frozenset((MANAGED, each) if each[0] == GENERATOR else each for each in made)
    if kind == KEEPING:
        return builtin_calls.first(engine, positional, fuel)
    if kind == MADE:
        return frozenset((made_classes.object_of(value),))
    if kind == OBJECT:
        found = made_classes.attribute(engine, value, "__call__", fuel - LOOKUP_STEP, value[1])
        functions = [each for each in found if each[0] == FUNCTION]
        return union(result(engine, each, positional, keywords, fuel - CALL_STEP) for each in functions)
    if kind == FORM:
        return declared.instances(engine, engine.file(value[1]), value[2], value[3], fuel)
    if kind == RECORD:
        return records.row(engine, value[1], Context("", -1, 0, positional, keywords), fuel)
    if kind == UNKNOWN:
        return frozenset((value,))
    return unknown("result of an unknown call")


def _said(
    engine: Engine, function: Value, positional: Positional, keywords: Keywords, found: Values, fuel: int
) -> Values:
    """What a function gives by a declared type that is a variable, where its body does not say all of it. That it may
    give None is said by the body, and so is what a decorator gives in the place of a function: it is declared alike."""
    _, path, scope, outer, receiver = function
    call = Context(path, scope, outer, with_receiver(receiver, positional), keywords)
    said = generics.passed(engine, path, scope, call, fuel)
    is_function = any(each[0] == FUNCTION for each in said)
    return said and said | {each for each in found if each == NONE or (is_function and each[0] == FUNCTION)}


def entered(engine: Engine, function: Value, positional: Positional, keywords: Keywords) -> int:
    """The context of a call of a function value."""
    _, path, scope, _, receiver = function
    outer: int = function[3]
    file = engine.file(path)
    own = file.scopes[scope]
    if not own.params or len(own.returns) > MAX_RETURNS_APART or file.is_larger(scope, MAX_SIZE_APART):
        return outer
    given = with_receiver(receiver, positional)
    return engine.contexts.enter(Context(path, scope, outer, given, keywords)) or outer


def _with_own(engine: Engine, function: Value, found: Values, fuel: int) -> Values:
    """What a method gives back whose calls are not told apart: what it was called on, where it returns its first."""
    _, path, scope, _, receiver = function
    file = engine.file(path)
    first = file.returned_first(scope)
    return (found - engine.values(path, first, 0, fuel)) | {receiver} if first >= 0 else found


def with_receiver(receiver: Value | None, positional: Positional) -> Positional:
    if receiver is None:
        return positional
    return (Argument("", -1, 0, frozenset((receiver,))), *positional)


def returned(engine: Engine, function: Value, context: int, fuel: int) -> Values:
    _, path, scope, _, _ = function

    def answer(fuel: int) -> Values:
        file = engine.look_at(path, scope)
        own = file.scopes[scope]
        if own.flags & m.IS_GENERATOR:
            return frozenset(((GENERATOR, path, scope, context),))
        if own.flags & m.IS_ASYNC:
            return frozenset(((COROUTINE, path, scope, context),))
        return outcome(engine, file, scope, context, fuel)

    key, otherwise = ("returns", path, scope, context), unknown("too many steps")
    found: Values = engine.ask_within(key, fuel, answer, otherwise, WORTH_GIVEN)
    return found


_VAGUE = frozenset((UNKNOWN, BUILTIN, "literal", "prefix", "external instance", "many"))


def outcome(engine: Engine, file: File, scope: int, context: int, fuel: int) -> Values:
    """What its return statements give; what its annotation says when they give nothing known."""
    own = file.scopes[scope]
    returns, doubtful = guards.reached(engine, file, scope, context, fuel)
    found = union(engine.values(file.path, each, context, fuel) for each in returns)
    if doubtful:
        either = union(engine.values(file.path, each, context, fuel) for each in doubtful)
        is_told = all(each[0] == INSTANCE for each in either)  # who makes an object of whatever it is given
        found = union((found, either if is_told else unknown("too many steps")))
    if own.annotation >= 0 and not any(value[0] not in _VAGUE and value[0] != EXTERNAL for value in found):
        by_type = declared.instances(engine, file, own.annotation, context, fuel)
        # What something from outside holds is said by the annotation alone, when that names a class of the root.
        outside = any(value[0] == EXTERNAL for value in found)
        if any(value[0] == INSTANCE for value in by_type) if outside else is_known(by_type):
            return by_type
    elif own.annotation >= 0 and any(value[0] == UNKNOWN for value in found):
        by_type = declared.instances(engine, file, own.annotation, context, fuel)
        closed = alike(found)
        opened = frozenset(each for each in by_type if each[0] == INSTANCE and (*each[:3], False) in closed)
        if HANDED_OUT in found and any(each[0] == INSTANCE for each in by_type):  # what is declared says what it gives
            found = found - {HANDED_OUT} | {MAY_BE_DESCRIPTOR}
        return union((found, opened))
    if not own.returns:
        return frozenset(((BUILTIN, "NoneType"),)) if not own.flags & m.IS_STUB else unknown("abstract method")
    if own.annotation < 0:
        return found
    return found | declared.generic(engine, file, own.annotation, found, context, fuel)


def constructed(engine: Engine, value: Value, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    made = frozenset(((INSTANCE, value[1], value[2], is_open(value)),))
    line = classes.mro(engine, value[1], value[2], fuel)
    for meta in classes.metaclasses(engine, line, fuel):
        found, owner = classes.raw_attribute(
            engine, classes.mro(engine, meta[1], meta[2], fuel), "__call__", fuel
        )
        if owner is not None:
            given = bind_instance(found, value, value)
            special = union(result(engine, each, positional, keywords, fuel - CALL_STEP) for each in given)
            return special if any(each[0] not in _VAGUE for each in special) else made
    if any(each == (EXTERNAL, "builtins.type") for each in line):
        return making.class_made(engine, positional, fuel)
    special = making.by_own_new(engine, value, line, fuel)
    if special or is_open(value):
        return special or made
    return frozenset((kept.made(engine, value, positional, keywords, fuel),))


def decorated(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """What a decorator makes of a definition; the definition itself when that cannot be known."""
    decorators = engine.values(file.path, entry[1], context, fuel)
    inner = engine.values(file.path, entry[2], context, fuel)
    positional, keywords = arguments(file, expression, context)
    parts: list[Values] = []
    for value in decorators:
        if value[0] == EXTERNAL:
            parts.append(builtin_calls.decorate(engine, value[1], inner))
            continue
        if value[0] in (UNKNOWN, KEEPING, "external instance", "many"):
            parts.append(inner)
            continue
        made = result(engine, value, positional, keywords, fuel)
        useful = frozenset(each for each in made if each[0] not in (UNKNOWN, BUILTIN, "external instance"))
        if any(each[0] == CLASS for each in inner):  # what such a decorator gives when it is called without one is none
            kept = frozenset(each for each in useful if each[0] == CLASS)
            useful = kept or (useful if len(useful) == len(made) else inner)
        parts.append(useful)  # of several that it may be the ones that give nothing say nothing
    return union(parts) or inner


def definition(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    scope = entry[1]
    own = file.scopes[scope]
    if own.kind == m.CLASS_SCOPE:
        return frozenset(((CLASS, file.path, scope),))
    around = file.owner(own.parent)
    outer = engine.contexts.around(context, file.path, around) if context and around else 0
    while context and not outer and around > 0:
        around = file.owner(file.scopes[around].parent) if file.scopes[around].parent >= 0 else 0
        outer = engine.contexts.around(context, file.path, around) if around else 0
    return frozenset(((FUNCTION, file.path, scope, outer, None),))
