"""What an attribute of a class becomes when it is read through an instance or the class: bound methods, properties.

Where the attribute was found is decided before this.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.python.engine.values import CLASSMETHOD, FUNCTION, MANAGER, PROPERTY, STATIC, Value, Values

BOUND: Final = frozenset((FUNCTION, PROPERTY, CLASSMETHOD, STATIC, MANAGER))  # what an instance changes


def bind_instance(values: Values, receiver: Value, owner: Value) -> Values:
    """What reading a class's attribute through an instance gives."""
    if not any(value[0] in BOUND for value in values):
        return values
    bound: list[Value] = []
    for value in values:
        if value[0] == FUNCTION and value[4] is None:
            bound.append((*value[:4], receiver))
        elif value[0] == CLASSMETHOD:
            bound.append((*value[1][:4], owner) if value[1][0] == FUNCTION else value[1])
        elif value[0] == STATIC:
            bound.append(value[1])
        elif value[0] == MANAGER:
            bound.append((MANAGER, _with(value[1], receiver)))
        elif value[0] == PROPERTY:
            bound.append((PROPERTY, *(_with(each, receiver) for each in value[1:])))
        else:
            bound.append(value)
    return frozenset(bound)


def _with(function: Value | None, receiver: Value) -> Value | None:
    return (*function[:4], receiver) if function is not None and function[0] == FUNCTION else function


def bind_class(values: Values, owner: Value) -> Values:
    bound: list[Value] = []
    for value in values:
        if value[0] == CLASSMETHOD:
            bound.append((*value[1][:4], owner) if value[1][0] == FUNCTION else value[1])
        elif value[0] == STATIC:
            bound.append(value[1])
        else:
            bound.append(value)
    return frozenset(bound)
