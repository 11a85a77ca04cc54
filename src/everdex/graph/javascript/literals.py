"""Object literals and the types they have to have where they stand: which members of those their keys write.

Nothing but declarations is asked: an annotation, a parameter, a result, a field, a cast. A literal that no declared
type waits for writes nobody's members.
"""

from __future__ import annotations

from typing import TypeAlias

from everdex.graph.javascript import members, overloads, parameters
from everdex.graph.javascript import values as v
from everdex.graph.javascript.engine import FUEL, Engine
from everdex.graph.javascript.files import File
from everdex.graph.javascript.values import Values

# the members (path, definition) that a key may write, and whether that is certain
Written: TypeAlias = tuple[tuple[tuple[str, int], ...], bool]


def written(engine: Engine, file: File, literal: int, name: str) -> Written:
    """The members of declared types that a key of an object literal writes."""
    engine.look_at_literals(file, literal)
    if literal not in file.placed[1]:
        return (), False
    wanted, sure = engine.remember(file, ("w", literal), FUEL, _fitting, engine, file, literal)
    found = {
        (slot.path, slot.node): None
        for value in wanted
        for slot in members.find(engine, value, name, FUEL)
        if slot.node >= 0
    }
    return tuple(found), sure and (len(found) == 1 or len(overloads.sets(engine, found)) == 1)


def _fitting(engine: Engine, file: File, literal: int, fuel: int) -> tuple[Values, bool]:
    """Of several types those that have every key, if any has: the others were not meant."""
    required = parameters.literal_type(engine, file, literal, fuel)
    wanted = tuple(value for value in required if value[0] in (v.TYPED, v.INSTANCE))
    if len(wanted) > 1:
        names = [name for name, *_ in file.expressions[literal][1]]
        wanted = tuple(
            value for value in wanted if all(members.find(engine, value, name, fuel) for name in names)
        ) or wanted  # fmt: skip
    return wanted, len(v.known(required)) == len(required)
