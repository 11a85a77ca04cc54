"""Pass 4a, continued: what syntax passes to special methods: the other operand of `<<`, what `in` is asked of, an item
that is stored.

Nothing there names the method, so that such places are offered under its name. Only operators that are seldom used for
numbers and texts count: of the others there are too many. Where many files have such places, nothing is said.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.python import operators
from everdex.graph.python.engine import LOOKUP_STEP, Engine
from everdex.graph.python.files import File
from everdex.graph.python.keys import operated_key
from everdex.graph.python.values import FUNCTION, NOTHING, Values, union

MAX_OPERATIONS: Final = 24  # more places say too little of each


def passed(engine: Engine, file: File, scope: int, index: int, fuel: int) -> Values:
    """What a parameter of such a method is, where the places that may call it are few; nothing of any other."""
    own = file.scopes[scope]
    if index not in (1, 2) or file.class_of(scope) < 0 or not own.name.startswith("__"):
        return NOTHING

    def answer(fuel: int) -> Values:
        files = engine.offering_few(operated_key(own.name)) or ()
        places = [(path, *each) for path in files for each in engine.file(path).operations[own.name]]
        if len(places) > MAX_OPERATIONS:
            return NOTHING
        found: list[Values] = []
        for path, receiver, given in places:
            engine.seen.append(engine.file(path).seen_at(receiver))
            values = engine.values(path, receiver, 0, fuel)
            methods = operators.special(engine, values, own.name, fuel - LOOKUP_STEP, path)
            if index <= len(given) and any(each[0] == FUNCTION and each[1:3] == (file.path, scope) for each in methods):
                found.append(engine.values(path, given[index - 1], 0, fuel))
        return union(found)

    result: Values = engine.ask_within(("operated", file.path, scope, index), fuel, answer, NOTHING)
    return result
