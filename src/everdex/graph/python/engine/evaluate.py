"""Which pass answers for which kind of expression: the table of the whole evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins import coroutines, operators
from everdex.graph.python.calls import calls, parameters
from everdex.graph.python.classes import attributes, declared
from everdex.graph.python.containers import containers, unpacking
from everdex.graph.python.engine.values import Values
from everdex.graph.python.names import names, spelling

HANDLERS: Final[dict[int, Callable[..., Values]]] = {
    m.NAME: names.name,
    m.ATTRIBUTE: attributes.attribute,
    m.CALL: calls.call,
    m.SUBSCRIPT: unpacking.subscript,
    m.LITERAL: operators.literal,
    m.DEFINITION: calls.definition,
    m.SEQUENCE: containers.display,
    m.DICT: containers.display,
    m.COMPREHENSION: containers.display,
    m.EITHER: operators.either,
    m.AWAIT: coroutines.awaited,
    m.YIELD: unpacking.sent,
    m.YIELD_FROM: unpacking.delegated,
    m.STAR: unpacking.starred,
    m.BINARY: operators.binary,
    m.UNARY: operators.unary,
    m.COMPARE: operators.compare,
    m.FORMATTED: spelling.formatted,
    m.ELEMENT: unpacking.element,
    m.ITEM: unpacking.unpacked,
    m.ENTERED: unpacking.managed,
    m.INSTANCE: operators.caught,
    m.IMPORTED: names.imported,
    m.FROM: names.from_import,
    m.PARAMETER: parameters.parameter,
    m.DECORATED: calls.decorated,
    m.UNKNOWN: operators.no_value,
    m.TYPED: declared.typed,
    m.NARROWED: declared.narrowed,
    m.NARROWED_CLASS: declared.narrowed_class,
    m.MATCHED: declared.matched,
    m.STORE: operators.no_value,
    m.STORE_PAST: operators.no_value,
    m.STORE_ITEM: operators.no_value,
    m.TESTED: operators.no_value,
    m.RAISED: operators.no_value,
    m.SLICE: operators.sliced,
}
