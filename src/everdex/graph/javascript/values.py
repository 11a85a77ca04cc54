"""What an expression may be: small tuples whose first item says what they are.

A set of them is a tuple in the order of discovery, without repetitions and never longer than `MAX_VALUES`; what was
cut off leaves its mark as an unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

Value: TypeAlias = tuple[Any, ...]
Values: TypeAlias = tuple[Value, ...]

FUNCTION: Final = "F"  # path, function
CLASS: Final = "C"  # path, class
INSTANCE: Final = "I"  # path, class; EXACT, or it may be one of a class below
EXACT: Final = 1
MADE: Final = "N"  # path, function: what `new` on a function makes; EXACT, or it may be of one that inherits
OBJECT: Final = "O"  # path, expression
TYPED: Final = "T"  # path, interface: something of that type
NAMED_TYPE: Final = "G"  # path, interface: the type itself
MODULE: Final = "M"  # path
NAMESPACE: Final = "S"  # path, namespace
EXTERNAL: Final = "E"  # dotted name; LENT or HELD
LENT: Final = 1  # it is of a type that was given types of the root
HELD: Final = 2  # something inside such a one
METHOD: Final = "K"  # a builtin's method: class, name, receiver
ARRAY: Final = "A"  # elements
TUPLE: Final = "Q"  # (elements, …)
PROMISE: Final = "P"  # result
MAP: Final = "D"  # values
CALLABLE: Final = "Y"  # path, type row
ENUM: Final = "L"  # path, interface
HOLDER: Final = "B"  # path, binding: something of which only stored properties are known
AFFIXED: Final = "Z"  # value, beginning, end: whichever functions it has under names that begin and end so
UNKNOWN: Final = "U"  # reason

DEFINED: Final = "FCIOM"  # definitions of the project
MAX_VALUES: Final = 12

DEEP: Final[Value] = (UNKNOWN, "too deep")
MANY: Final[Value] = (UNKNOWN, "too many candidates")
NOTHING: Final[Values] = ()


def unknown(reason: str) -> Values:
    return ((UNKNOWN, reason),)


def union(groups: Iterable[Values]) -> Values:
    """All of them once, cut at the cap."""
    seen: dict[Value, None] = {}
    for group in groups:
        for value in group:
            if value not in seen:
                if len(seen) >= MAX_VALUES:
                    seen[MANY] = None
                    return tuple(seen)
                seen[value] = None
    return tuple(seen)


def known(values: Values) -> Values:
    return tuple(value for value in values if value[0] != UNKNOWN)


def kept(values: Values) -> Values:
    """What is known, with the mark of what was cut off: what is taken for all of it has to say that it is not."""
    return tuple(value for value in values if value[0] != UNKNOWN or value == MANY) if known(values) else NOTHING


def said(values: Values) -> Values:
    """What is known of something beside that it is an object, which everything is."""
    return tuple(value for value in known(values) if value != (EXTERNAL, "Object"))


def concrete(values: Values) -> bool:
    """Whether these are all definitions of the project, so that a declared type would add nothing."""
    return bool(values) and all(value[0] in DEFINED for value in values)


def reason_of(values: Values) -> str:
    return next((value[1] for value in values if value[0] == UNKNOWN), "")


def elements(values: Values) -> Values:
    """What somebody comes by who goes through these."""
    return union(_elements(value) for value in values)


def _elements(value: Value) -> Values:
    if value[0] == ARRAY:
        return value[1] or unknown("empty array")
    if value[0] == TUPLE:
        return union(value[1])
    if value[0] == MAP:
        return ((TUPLE, (unknown("key"), value[1])),)
    return (value,) if value[0] in (EXTERNAL, UNKNOWN) else unknown("element")


def item(value: Value, index: int) -> Values:
    """What stands at an index; at any of them when it is -1."""
    if value[0] == MAP:
        return value[1] or unknown("contents of a Map")
    if value[0] == TUPLE and index >= 0:
        return value[1][index] if index < len(value[1]) else unknown("element")
    return _elements(value)
