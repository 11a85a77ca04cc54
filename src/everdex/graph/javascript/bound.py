"""Types that are bound: a value, and by type parameter what is bound to it (applied.py)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from everdex.graph.javascript import builtins
from everdex.graph.javascript import values as v
from everdex.graph.javascript.values import Value, Values

_MAX_BOUND: Final = 6  # of one expression
_CONTAINERS: Final = frozenset((v.ARRAY, v.MAP, v.PROMISE))
_PARAMETER: Final[Value] = (v.UNKNOWN, "type parameter")

Given: TypeAlias = "tuple[tuple[tuple[str, int], Bounds], ...]"  # by file and type parameter
Bound: TypeAlias = tuple[Value, Given]  # of a container: what is in it
Bounds: TypeAlias = tuple[Bound, ...]


def lacks(values: Values) -> bool:
    """Whether something of which these are is known to be of a type parameter, and no more."""
    return any(value == _PARAMETER or (value[0] in _CONTAINERS and _PARAMETER in value[1]) for value in values)


def plain(found: Iterable[Bound]) -> Values:
    """The values alone."""
    return v.union(
        ((value[0], plain(bound[0][1])),) if value[0] in _CONTAINERS and bound else (value,) for value, bound in found
    )


def some(found: Iterable[Bound]) -> Bounds:
    return tuple(dict.fromkeys(found))[:_MAX_BOUND]


def settled(found: Bounds) -> Bounds:
    """What comes of promises."""
    inside = (bound[0][1] if value[0] == v.PROMISE and bound else ((value, bound),) for value, bound in found)
    return some(each for group in inside for each in group)


def leaves(values: Values) -> Bounds:
    """Values of which no type parameters are known."""
    return tuple((value, ()) for value in v.said(values))


def container(kind: str, inside: Bounds) -> Bound:
    return (kind, ()), ((("", 0), inside),)


def of_language(name: str, given: list[Bounds]) -> Bounds:
    """A type of the language that is given types."""
    if name in builtins.PROMISE_TYPES:
        return (container(v.PROMISE, given[0]),)
    if name in builtins.ARRAY_TYPES:
        return (container(v.ARRAY, given[0]),)
    if name in builtins.MAP_TYPES:
        return (container(v.MAP, given[-1]),)
    if name == "Awaited":
        return settled(given[0])
    return given[0] if name in builtins.TRANSPARENT_TYPES else ()
