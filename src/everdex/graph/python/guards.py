"""Which returns of a function one call can come to: those that its arguments do not rule out.

What a condition asks of a parameter, also of a function around, is known from the facts: whether it is one of some
literals, or true. Only calls that are told apart are looked at, and only what stands written for a parameter there, a
literal, a definition, or a default, and what the language passes. All else may be another thing for callers that nobody
here knows, and rules out nothing.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.engine import Engine
from everdex.graph.python.files import File
from everdex.graph.python.names import binding_scope
from everdex.graph.python.values import (
    BUILTIN,
    CLASS,
    DISPLAY,
    EXTERNAL,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    LITERAL,
    MODULE,
    NONE,
    PARTIAL,
    Value,
)

_WRITTEN: Final = frozenset((m.LITERAL, m.DEFINITION, m.DECORATED))
_NEVER_NONE: Final = frozenset((FUNCTION, CLASS, INSTANCE, MODULE, EXTERNAL, PARTIAL, DISPLAY, GENERATOR, LITERAL))
_NEVER_EQUAL: Final = frozenset((FUNCTION, CLASS, MODULE, PARTIAL, DISPLAY, GENERATOR))  # to a text or a number
_NEVER_FALSE: Final = frozenset((FUNCTION, CLASS, MODULE, PARTIAL, GENERATOR))


def reached(engine: Engine, file: File, scope: int, context: int, fuel: int) -> list[int]:
    """The expressions that a function may return in a context."""
    own = file.scopes[scope]
    if not context or not any(own.guards):
        return own.returns
    return [
        each for each, guards in zip(own.returns, own.guards, strict=True)
        if all(_may_hold(engine, file, guard, context, fuel) for guard in guards)
    ]  # fmt: skip


def _may_hold(engine: Engine, file: File, guard: Any, context: int, fuel: int) -> bool:
    name, literals, wanted = guard
    if not _is_written(engine, file, name, context):
        return True
    asked = [file.entries[each] for each in literals]
    return any(_answer(value, asked) is not (wanted != m.IS) for value in engine.values(file.path, name, context, fuel))


def _is_written(engine: Engine, file: File, expression: int, context: int) -> bool:
    """Whether a literal or a definition is named, perhaps by a parameter for which it is passed."""
    entry = file.entries[expression]
    if entry[0] == m.NAME:
        bindings = entry[2] or binding_scope(file, file.where[expression], entry[1])[1]
        if len(bindings) != 1:
            return False
        entry = file.entries[file.bindings[bindings[0]][2]]
        if entry[0] == m.PARAMETER:
            inside = engine.contexts.around(context, file.path, entry[1])
            return bool(inside) and _is_passed(engine, file.scopes[entry[1]].params, entry[2], file, inside)
    return bool(entry[0] in _WRITTEN)


def _is_passed(engine: Engine, params: list[Any], index: int, file: File, context: int) -> bool:
    """The same of what a call passes for a parameter, or of its default."""
    call = engine.contexts[context]
    name, kind, _, default = params[index]
    if any(given.starred for given in call.positional) or any(not key for key, _ in call.keywords):
        return False
    if kind != m.KEYWORD_ONLY and index < len(call.positional):
        given = call.positional[index]
    else:
        named = [passed for key, passed in call.keywords if key == name]
        if not named:
            return bool(default >= 0 and file.entries[default][0] == m.LITERAL)
        given = named[0]
    if given.expression < 0:  # what the language passes: the object that a method or a descriptor is read of
        return bool(given.values)
    return _is_written(engine, engine.file(given.path), given.expression, given.context)


def _answer(value: Value, asked: list[Any]) -> bool | None:
    """Whether a value is one of some literals, or false when there are none; None when it may be or not."""
    if not asked:
        if value[0] in _NEVER_FALSE:
            return False
        return True if value == NONE else not value[2] if value[0] == LITERAL else None
    answers = [_is(value, entry) for entry in asked]
    return True if True in answers else None if None in answers else False


def _is(value: Value, entry: Any) -> bool | None:
    _, kind, text = entry
    if kind == "None":
        return True if value == NONE else False if value[0] in _NEVER_NONE or value[0] == BUILTIN else None
    if value == NONE or value[0] in _NEVER_EQUAL:
        return False
    if text is None or value[0] != LITERAL:
        return None
    return bool((value[1], value[2]) == (kind, text))
