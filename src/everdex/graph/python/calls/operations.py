"""Pass 4a, continued: what syntax passes to special methods: the other operand of `<<`, what `in` is asked of, an item
that is stored; and what it calls them on, where it alone calls them.

Nothing there names the method, so that such places are offered under its name. Only operators that are seldom used for
numbers and texts count: of the others there are too many. Where many files have such places, nothing is said.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.python.builtins import operators
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    BUILTIN,
    DISPLAY,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    KEYED,
    LIST,
    LITERAL,
    NOTHING,
    ROW,
    TUPLE,
    Value,
    Values,
    ordered,
    union,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import operated_key, used_key

MAX_OPERATIONS: Final = 24  # more places say too little of each
_BY_NAME: Final = {  # what calls a special method without an operator: what the library has for it
    "__and__": ("and_",), "__or__": ("or_",), "__xor__": ("xor",), "__matmul__": ("matmul",), "__lshift__": ("lshift",),
    "__rshift__": ("rshift",), "__invert__": ("invert", "inv"),
}  # fmt: skip
_TOLD: Final = frozenset((INSTANCE, EXTERNAL_INSTANCE, LITERAL, BUILTIN, DISPLAY, LIST, TUPLE, KEYED, ROW))


def passed(engine: Engine, file: File, scope: int, index: int, fuel: int) -> Values:
    """What a parameter of such a method is, where the places that may call it are few; nothing of any other."""
    own = file.scopes[scope]
    if index not in (1, 2) or file.class_of(scope) < 0 or not own.name.startswith("__"):
        return NOTHING

    def answer(fuel: int) -> Values:
        found: list[Values] = []
        for path, receiver, given in _places(engine, own.name):
            values = engine.values(path, receiver, 0, fuel)
            if index <= len(given) and _runs(engine, values, file, scope, path, fuel - LOOKUP_STEP):
                found.append(engine.values(path, given[index - 1], 0, fuel))
        return union(found)

    result: Values = engine.ask_within(("operated", file.path, scope, index), fuel, answer, NOTHING)
    return result


def receivers(engine: Engine, file: File, scope: int, fuel: int) -> Values:
    """What operators call such a method on, where the places that may are few and all known; nothing where it may be
    called in other ways."""
    own = file.scopes[scope]
    if own.name not in _BY_NAME:
        return NOTHING

    def answer(fuel: int) -> Values:
        is_named = any(engine.is_offered(used_key(each)) for each in _BY_NAME[own.name])
        if is_named or engine.calling(own.name) != ():
            return NOTHING
        found: set[Value] = set()
        for path, receiver, _ in _places(engine, own.name):
            values = engine.values(path, receiver, 0, fuel)
            if not values or not all(each[0] in _TOLD for each in values):
                return NOTHING
            for value in ordered(values):
                if _runs(engine, frozenset((value,)), file, scope, path, fuel - LOOKUP_STEP):
                    found.add(value)
        return frozenset(found)

    result: Values = engine.ask_within(("operated on", file.path, scope), fuel, answer, NOTHING)
    return result


def _places(engine: Engine, name: str) -> list[tuple[str, int, tuple[int, ...]]]:
    """The operators that may call a special method: what it is of, what it is given; none of too many."""
    files = engine.offering_few(operated_key(name)) or ()
    places = [(path, *each) for path in files for each in engine.file(path).operations[name]]
    if len(places) > MAX_OPERATIONS:
        return []
    engine.seen.extend([engine.file(path).seen_at(receiver) for path, receiver, _ in places])
    return places


def _runs(engine: Engine, values: Values, file: File, scope: int, path: str, fuel: int) -> bool:
    methods = operators.special(engine, values, file.scopes[scope].name, fuel, path)
    return any(each[0] == FUNCTION and each[1:3] == (file.path, scope) for each in methods)
