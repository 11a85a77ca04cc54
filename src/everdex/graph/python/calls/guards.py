"""What one call of a function can come to: the returns and assignments that its arguments do not rule out.

What a condition asks of a parameter, also of a function around, or of a name that is given parameters and literals, is
known from the facts: whether it is one of some literals, true, callable, a coroutine function or a class, an instance,
or so many. What stands written for a parameter in a call that is told apart, a literal, a definition, or a default, and
what the language passes, rules out by what it is. Of all else, also of what known callers pass, only its type does: the
value may have been changed on its way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import OPERATORS
from everdex.graph.python.calls import asked
from everdex.graph.python.engine.contexts import Argument, Context, Keywords, Positional
from everdex.graph.python.engine.engine import CALLERS_STEP, NAME_STEP, WORTH, Engine
from everdex.graph.python.engine.values import (
    BUILTIN,
    CLASS,
    EXTERNAL,
    FUNCTION,
    KEYED,
    LITERAL,
    NOTHING,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    union,
)
from everdex.graph.python.file.around import binding_scope
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import filled_key

_MAX_DEPTH: Final = 3  # names that are given names, and conditions under conditions
_WRITTEN: Final = frozenset((m.LITERAL, m.DEFINITION, m.DECORATED))
_OF_OPERATORS: Final = frozenset(f"__{kind}{name}__" for name in OPERATORS.values() for kind in ("", "r", "i"))
_BY_TYPE: Final = frozenset((m.IS_A, m.IS_NO))
_CHANGING: Final = frozenset((KEYED, TUPLE))
_BY_CALL: Final = {m.CALLS: "callable", m.CALLS_NOT: "callable", m.IS_A: "isinstance", m.IS_NO: "isinstance"}
_KINDS: Final = {  # what is asked of a function by what the library has for it; None asks for a class
    **dict.fromkeys(
        ("inspect.iscoroutinefunction", "asyncio.iscoroutinefunction", "asgiref.sync.iscoroutinefunction"), m.IS_ASYNC
    ),
    "inspect.isgeneratorfunction": m.IS_GENERATOR,
    "inspect.isasyncgenfunction": m.IS_ASYNC | m.IS_GENERATOR,
    "inspect.isclass": None,
}


def reached(engine: Engine, file: File, scope: int, context: int, fuel: int) -> tuple[list[int], list[int]]:
    """The expressions that a function may return in a context; and those of which it cannot be told because there are
    not the steps to find out of which types what it is given is: to take all of them would be the more, the less is
    known."""
    own = file.scopes[scope]
    if not any(own.guards):
        return own.returns, []
    both = zip(own.returns, own.guards, strict=True)
    # What operators give becomes operands: guessed with few steps left, one guess would be the reason for the next.
    least = WORTH if own.name in _OF_OPERATORS else CALLERS_STEP + NAME_STEP
    told = [(each, _tells(engine, file, guards, context, fuel, least)) for each, guards in both]
    return [each for each, is_known in told if is_known], [each for each, is_known in told if is_known is False]


def _tells(engine: Engine, file: File, guards: list[Any], context: int, fuel: int, least: int) -> bool | None:
    """None where a guard does not hold; False where one asks for a type, and the steps to learn of that are too few."""
    is_known = True
    for guard in guards:
        answers = _holds(engine, file, guard, context, fuel, 0)
        if not _may_hold(answers):
            return None
        is_known = is_known and (guard[2] not in _BY_TYPE or (answers is not None and None not in answers))
    return is_known or engine.can_spend(fuel, least)


def bound(
    engine: Engine, file: File, bindings: Sequence[int], context: int, fuel: int, seen_from: int = -1, depth: int = 0
) -> Sequence[int]:
    """Those of a name's bindings that are made in a context, and not certainly made again by a later one; with
    `seen_from` only those before it are certainly later, for who may run before the others."""
    under = file.bound_under
    if depth > _MAX_DEPTH or not context or under.keys().isdisjoint(bindings):
        return bindings
    kept: list[int] = []
    is_own = all(file.bindings[each][3] != m.FROM_INSIDE for each in bindings)
    for each in sorted(bindings):
        if each in under:
            guards, is_all = under[each]
            answers = [_holds(engine, file, guard, context, fuel, depth + 1) for guard in guards]
            if not all(map(_may_hold, answers)):
                continue
            if is_all and is_own and (seen_from < 0 or each < seen_from) and all(map(_must_hold, answers)):
                kept.clear()
        kept.append(each)
    return kept


_Answers = (
    list[bool | None] | None
)  # of each value that a guard asks about whether it holds; None when they are unknown


def _may_hold(answers: _Answers) -> bool:
    return answers is None or any(each is not False for each in answers)


def _must_hold(answers: _Answers) -> bool:
    return bool(answers) and all(answers or ())


def _holds(engine: Engine, file: File, guard: Any, context: int, fuel: int, depth: int) -> _Answers:
    subject, operands, question = guard
    if question in _BY_CALL and not _is_builtin(engine, file, _BY_CALL[question]):
        return None
    values = _written(engine, file, subject, context, fuel, depth)
    if values is None:
        values = frozenset(map(_as_type, engine.values(file.path, subject, context, fuel - NAME_STEP)))
    if not values:
        return None
    if question in (m.CALLS, m.CALLS_NOT):
        answers = [asked.is_callable(value) for value in values]
    elif question in (m.ASKS, m.ASKS_NOT):
        asking = engine.values(file.path, operands[0], 0, fuel)
        if any(each[0] != EXTERNAL or each[1] not in _KINDS for each in asking):
            return None
        answers = [asked.is_kind(engine, value, _KINDS[each[1]]) for value in values for each in asking]
    elif question in (m.IS_A, m.IS_NO):
        kinds = [kind for each in operands for kind in engine.values(file.path, each, context, fuel)]
        answers = [asked.is_instance(engine, value, kinds, fuel) for value in values]
    else:
        literals = [file.entries[each] for each in operands]
        answers = [asked.is_literal(engine, value, literals, fuel) for value in values]
    if question in (m.CALLS, m.ASKS, m.IS_A, m.IS):
        return answers
    return [each if each is None else not each for each in answers]


def _as_type(value: Value) -> Value:
    """A value that does not stand written there: what was done to it since may have changed it, but not its type."""
    if value[0] == LITERAL:
        return (BUILTIN, value[1])
    return (UNKNOWN, "content") if value[0] in _CHANGING else value


def _is_builtin(engine: Engine, file: File, name: str) -> bool:
    """Whether a module leaves a builtin's name alone."""
    engine.look_for(file.path, name)
    return name not in file.names[0]


# -- what stands written


def _written(engine: Engine, file: File, expression: int, context: int, fuel: int, depth: int) -> Values | None:
    """What an expression is by what stands written for it; None when that is not known, or others may say otherwise."""
    entry = file.entries[expression]
    kind = entry[0]
    if kind in _WRITTEN:
        return engine.values(file.path, expression, context, fuel)
    if kind == m.FROM:  # a class or a function of another file is as good as one of this
        values = engine.values(file.path, expression, context, fuel)
        return values if all(each[0] in (CLASS, FUNCTION) for each in values) else None
    if kind == m.TYPED and entry[2] >= 0:
        return _written(engine, file, entry[2], context, fuel, depth)
    if kind == m.PARAMETER:
        return _passed(engine, file, expression, context, fuel, depth)
    if kind == m.NAME:
        return _named(engine, file, expression, context, fuel, depth)
    if kind in (m.SUBSCRIPT, m.ITEM):  # args[0], (first,) = args
        place = entry[2] if kind == m.ITEM else _number(file.entries[entry[2]])
        rest = _rest(engine, file, entry[1], context, fuel, depth)
        if rest is None or not isinstance(place, int):
            return None
        return _of_argument(engine, rest[place], fuel, depth) if place < len(rest) else NOTHING
    if kind == m.CALL and entry[2]:
        called = file.last_name(entry[1])
        if called == "cast":
            return _written(engine, file, entry[2][-1], context, fuel, depth)
        is_count = called == "len" and _is_builtin(engine, file, called)
        rest = _rest(engine, file, entry[2][0], context, fuel, depth) if is_count else None
        return None if rest is None else frozenset(((LITERAL, "int", len(rest)),))
    return None


def _number(entry: Any) -> int | None:
    """What a key is that is a number, counted from the front."""
    return entry[2] if entry[0] == m.LITERAL and entry[1] == "int" and isinstance(entry[2], int) else None


def _named(engine: Engine, file: File, name: int, context: int, fuel: int, depth: int) -> Values | None:
    bindings = _bindings_of(engine, file, name)
    is_free = not file.entries[name][2]
    if depth > _MAX_DEPTH or not bindings or (len(bindings) > 1 and is_free):
        return None
    if (file.where[name], file.entries[name][1]) in file.from_inside:
        return None
    parts: list[Values] = []
    for each in bound(engine, file, bindings, context, fuel, depth=depth):
        values = _written(engine, file, file.bindings[each][2], context, fuel, depth + 1)
        if values is None:
            return None
        parts.append(values)
    return union(parts)


def _passed(engine: Engine, file: File, parameter: int, context: int, fuel: int, depth: int) -> Values | None:
    """What a call passes for a parameter, or its default."""
    _, scope, index = file.entries[parameter]
    inside = engine.contexts.around(context, file.path, scope)
    call = engine.contexts[inside] if inside else None
    if call is None or (call.is_any and index):
        return None
    engine.seen.extend(file.seen_parameters(scope))
    name, kind, _, default = file.scopes[scope].params[index]
    positional = _written_out(engine, call.positional, fuel, depth)
    starred = next((place for place, given in enumerate(positional) if given.starred), len(positional))
    if kind in (m.ALL_POSITIONAL, m.ALL_KEYWORDS):
        is_known = starred == len(positional)
        if kind == m.ALL_KEYWORDS:
            is_known = all(key for key, _ in call.keywords) and not _put_in(engine, file, scope, name)
        return engine.values(file.path, parameter, context, fuel) if is_known else None
    if kind != m.KEYWORD_ONLY and index < starred:
        return _of_argument(engine, positional[index], fuel, depth)
    named = [passed for key, passed in call.keywords if key == name]
    if named:
        return _of_argument(engine, named[0], fuel, depth)
    is_silent = (kind == m.KEYWORD_ONLY or starred == len(positional)) and default >= 0
    if not is_silent or file.entries[default][0] != m.LITERAL or _may_name(engine, call.keywords, name, fuel, depth):
        return None
    return engine.values(file.path, default, call.outer, fuel)


def _of_argument(engine: Engine, given: Argument, fuel: int, depth: int) -> Values | None:
    if given.expression < 0:  # what the language passes: the object that a method or a descriptor is read of
        return given.values or None
    file = engine.file(given.path)
    engine.seen.append(file.seen_at(given.expression))
    return _written(engine, file, given.expression, given.context, fuel, depth)


def _rest(engine: Engine, file: File, name: int, context: int, fuel: int, depth: int) -> Positional | None:
    """What a call passes for the `*args` that is named."""
    bindings = _bindings_of(engine, file, name) if file.entries[name][0] == m.NAME else ()
    entry = file.entries[file.bindings[bindings[0]][2]] if len(bindings) == 1 else None
    return (
        _rest_of(engine, file, entry, context, fuel, depth) if entry is not None and entry[0] == m.PARAMETER else None
    )


# -- what starred arguments pass on from the call around them


def _bindings_of(engine: Engine, file: File, name: int) -> Sequence[int]:
    """The bindings of a name where it stands; that it was looked at is noted."""
    entry = file.entries[name]
    if entry[2]:
        return tuple(entry[2])
    home, found = binding_scope(file, file.where[name], entry[1])
    if home > 0:
        engine.look_at(file.path, home)
    else:
        engine.look_for(file.path, entry[1])
    return tuple(found)


def _written_out(engine: Engine, given: Positional, fuel: int, depth: int) -> Positional:
    """Arguments with what starred ones pass on in their place; one of which that is not known stays."""
    if not any(each.starred for each in given):
        return given
    found: list[Argument] = []
    for each in given:
        passed = _elements(engine, each, fuel, depth) if each.starred else None
        found.extend((each,) if passed is None else passed)
    return tuple(found)


def _rest_of(
    engine: Engine, file: File, parameter: tuple[int, int, int], context: int, fuel: int, depth: int
) -> Positional | None:
    """What a call passes for `*args`; None when it is not known, or the parameter is another one."""
    _, scope, index = parameter
    engine.seen.extend(file.seen_parameters(scope))
    call = _call(engine, file, scope, context)
    if call is None or file.scopes[scope].params[index][1] != m.ALL_POSITIONAL:
        return None
    given = _written_out(engine, call.positional, fuel, depth)
    return None if any(each.starred for each in given) else given[index:]


def _may_name(engine: Engine, keywords: Keywords, wanted: str, fuel: int, depth: int) -> bool:
    """Whether one of `**kwargs` may pass something by a name."""
    return any(_may_contain(engine, each, wanted, fuel, depth) for key, each in keywords if not key)


def _call(engine: Engine, file: File, scope: int, context: int) -> Context | None:
    inside = engine.contexts.around(context, file.path, scope)
    call = engine.contexts[inside] if inside else None
    return None if call is None or call.is_any else call


def _elements(engine: Engine, given: Argument, fuel: int, depth: int) -> Positional | None:
    file, values = _given(engine, given, fuel, depth)
    several: list[Positional | None] = []
    for value in values:
        entry = file.entries[value]
        if entry[0] == m.PARAMETER:
            several.append(_rest_of(engine, file, entry, given.context, fuel, depth))
        elif entry[0] == m.SEQUENCE and not entry[2]:
            several.append(())
        else:
            several.append(None)
    return several[0] if len(several) == 1 else () if several and all(each == () for each in several) else None


def _may_contain(engine: Engine, given: Argument, wanted: str, fuel: int, depth: int) -> bool:
    file, values = _given(engine, given, fuel, depth)
    entry = file.entries[values[0]] if len(values) == 1 else None
    if entry is None or entry[0] != m.PARAMETER:
        return True
    engine.seen.extend(file.seen_parameters(entry[1]))
    call = _call(engine, file, entry[1], given.context)
    name, kind = file.scopes[entry[1]].params[entry[2]][:2]
    if call is None or kind != m.ALL_KEYWORDS or any(key == wanted for key, _ in call.keywords):
        return True
    for key in _put_in(engine, file, entry[1], name):
        stored = file.entries[key] if key >= 0 else None
        if stored is None or stored[0] != m.LITERAL or stored[2] in (None, wanted):
            return True
    return _may_name(engine, call.keywords, wanted, fuel, depth)


def _put_in(engine: Engine, file: File, scope: int, name: str) -> list[int]:
    """The keys under which a function puts something into a container of this name."""
    engine.note(file, filled_key(file.path, name))
    stores = file.item_stores_by_name.get(name, ())
    return [key for base, key, _ in stores if file.owner(file.where[base]) == scope]


def _given(engine: Engine, given: Argument, fuel: int, depth: int) -> tuple[File, list[int]]:
    """What a name that is passed may have been given, by number; nothing for any other expression."""
    file = engine.file(given.path)
    if given.expression < 0 or file.entries[given.expression][0] != m.NAME:
        return file, []
    engine.seen.append(file.seen_at(given.expression))
    bindings = _bindings_of(engine, file, given.expression)
    return file, [file.bindings[each][2] for each in bound(engine, file, bindings, given.context, fuel, depth=depth)]
