"""What an expression may be: small hashable tuples, and frozen sets of them.

A value's first item says what it is. Sets that grow past a cap keep their first members in a fixed order and say that
they were cut, so that an answer never depends on the order of asking.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from typing import Any, Final, Self, TypeAlias

Value: TypeAlias = tuple[Any, ...]
Values: TypeAlias = frozenset[Value]

FUNCTION: Final = "function"  # path, scope, context it was defined in, receiver or None
CLASS: Final = "class"  # path, scope; and True when it may be one below it (`open_class`)
INSTANCE: Final = "instance"  # path, scope of the class, open: whether it may be of a subclass; or its `Making`
MODULE: Final = "module"  # path
NAMESPACE: Final = "namespace"  # dotted: a directory without __init__.py
EXTERNAL: Final = "external"  # dotted
EXTERNAL_INSTANCE: Final = "external instance"  # dotted: what calling it gave
LITERAL: Final = "literal"  # "str" | "int" | "bool", the value
BUILTIN: Final = "builtin"  # type's name: an instance of it
DISPLAY: Final = "display"  # path, expression, context: a list, tuple, set, dict or comprehension as written there
TUPLE: Final = "tuple"  # (Values, …): known places
LIST: Final = "list"  # Values: any number of these
KEYED: Final = "keyed"  # (("name", Values), …)
PAIRS: Final = "pairs"  # Values: a mapping made from any number of these (key, value) pairs
GENERATOR: Final = "generator"  # path, scope, context
COROUTINE: Final = "coroutine"  # path, scope, context
PARTIAL: Final = "partial"  # function value, positional arguments, keyword arguments
SUPER: Final = "super"  # path, scope of the class, receiver
METHOD: Final = "method"  # receiver, "name": of a builtin container or an external thing
PROPERTY: Final = "property"  # getter, setter, deleter, each of them or None
STATIC: Final = "staticmethod"  # function value
CLASSMETHOD: Final = "classmethod"  # function value
ANNOTATED: Final = "annotated"  # path, expression, context: an instance of a generic type
MANAGER: Final = "manager"  # function value: a generator function made a factory of context managers
MANAGED: Final = "managed"  # generator value: one such context manager
KEEPING: Final = "keeping"  # dotted: a decorator from outside that gives back what it takes
FORM: Final = "form"  # path, expression, context: a type written as an expression, such as Optional[X]
RECORD: Final = "record"  # ("field", …): a class that collections.namedtuple made
ROW: Final = "row"  # ("field", …), (Values, …): one of its tuples
AFFIXES: Final = "affixes"  # what a text begins with, what it ends with; one of them may be empty
EXPECTED: Final = "expected"  # dotted, Values: what a test waits for to be raised, and by what
MADE: Final = "made"  # path, expression, context: a class that a call of `type` makes there
OBJECT: Final = "object"  # the same: an instance of it
UNKNOWN: Final = "unknown"  # reason
MANY: Final = "many"  # a set that was cut at the cap

NONE: Final[Value] = (BUILTIN, "NoneType")
TEXT: Final[Values] = frozenset(((BUILTIN, "str"),))  # any
# What is read of something that has no such thing: whoever goes on has read another's.
NO_RECEIVER: Final[Value] = (UNKNOWN, "receiver is None")
NOT_BUILTIN: Final[Value] = (UNKNOWN, "no such attribute of a builtin")
# What an object gives in whose class a library's stands (`handed`): anything, or, beside what it may be, more.
MAY_BE_DESCRIPTOR: Final[Value] = (UNKNOWN, "may be a descriptor from outside")
HANDED_OUT: Final[Value] = (UNKNOWN, "what a descriptor from outside may give")
IMPOSSIBLE: Final[Values] = frozenset((NO_RECEIVER, NOT_BUILTIN))
NOTHING: Final[Values] = frozenset()
_UNSAID: Final = frozenset((UNKNOWN, MANY))
MAX_VALUES: Final = 112  # fewer than the calls of one function that are looked at: what these leave out shows


class ContextNumber(int):
    """The number of a context, with what it is the number of: 0, all calls alike, is a plain one."""

    context: tuple[Any, ...]
    depth: int  # calls within calls

    objects: int  # objects told apart that it knows of within each other

    def __new__(cls, number: int, context: tuple[Any, ...], depth: int, objects: int) -> Self:
        self = super().__new__(cls, number)
        self.context = context
        self.depth = depth
        self.objects = objects
        return self

    @cached_property
    def order(self) -> str:
        """By what it is: the number itself is a hash, which every edit changes."""
        return order(self.context)


class Making(ContextNumber):
    """The call that made an object (`kept`), in place of *open* and as false: its class is known."""

    def __bool__(self) -> bool:
        return False


def plain(value: Value) -> Value:
    """An object, whatever call made it."""
    return (INSTANCE, value[1], value[2], False) if type(value[3]) is Making else value


def alike(values: Values) -> Values:
    """Values with each object as any of its class."""
    for value in values:
        if value[0] == INSTANCE and type(value[3]) is Making:
            return frozenset([plain(each) if each[0] == INSTANCE else each for each in values])
    return values


def order(value: Any) -> str:
    """A text that orders values alike in every process: the members of sets stand sorted in it, and numbers by size.

    An edit moves all numbers behind it by as many; their order must not change with how many digits they have.
    """
    if isinstance(value, tuple):
        return f"({','.join([order(each) for each in value])})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted([order(each) for each in value]))}}}"
    if type(value) is ContextNumber or type(value) is Making:
        return value.order
    return f"{value:020}" if type(value) is int else repr(value)


def ordered(values: Values) -> Iterable[Value]:
    """For who stops at one of them: in an order that is the same in every process, for what he looked at is noted."""
    return sorted(values, key=order) if len(values) > 1 else values


def open_class(path: str, scope: int) -> Value:
    """A class or any below it: what `type[X]` says, and `cls` where there are many."""
    return (CLASS, path, scope, True)


def is_open(value: Value) -> bool:
    """Whether a class, or an instance, may be of one below."""
    return value[-1] is True


@cache
def unknown(reason: str) -> Values:
    return frozenset(((UNKNOWN, reason),))


def union(sets: Iterable[Values]) -> Values:
    parts = [each for each in sets if each]
    if not parts:
        return NOTHING
    if len(parts) == 1:
        return parts[0]
    joined = parts[0].union(*parts[1:])
    return joined if len(joined) <= MAX_VALUES else cut(joined)


def cut(values: Values) -> Values:
    """The first members in a fixed order; reasons for not knowing go first."""
    known = [value for value in values if value[0] not in (UNKNOWN, MANY)]
    if len(known) <= MAX_VALUES:
        rest = sorted(value for value in values if value[0] in (UNKNOWN, MANY))
        return frozenset((*known, *rest[:2]))
    known.sort(key=order)
    return frozenset((*known[: MAX_VALUES - 1], (MANY,)))


def are_more(values: Values, most: int) -> bool:
    """Whether there are more values than that: reasons for not knowing are none."""
    return len([value for value in values if value[0] != UNKNOWN]) > most


def is_known(values: Values) -> bool:
    for value in values:  # noqa: SIM110 - asked of every attribute, and mostly of one value: a generator costs more
        if value[0] not in _UNSAID:
            return True
    return False
