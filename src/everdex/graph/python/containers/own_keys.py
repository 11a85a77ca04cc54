"""What a mapping has under a key, or a class under a name, where each thing is kept under something of its own:
`TABLE[f.__name__] = f`, `setattr(cls, f.__name__, f)`.

Key and thing are then told together, thing by thing. It does not look for keys that are made from it in other ways.
"""

from __future__ import annotations

from everdex.facts.python import model as m
from everdex.graph.python.classes import attributes
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import Values
from everdex.graph.python.file.files import File


def held(
    engine: Engine, file: File, key: int, stored: int, context: int, wanted: int | str | None, fuel: int
) -> Values:
    """What is put into a mapping, of things with a key of their own those that may have the wanted one; all, when none
    has it: it may have been given another since."""
    values = engine.values(file.path, stored, context, fuel)
    asked = file.entries[key] if key >= 0 and wanted is not None else None
    if asked is None or asked[0] != m.ATTRIBUTE or file.entries[asked[1]] != file.entries[stored]:
        return values
    found = []
    for value in values:
        known = containers.literals(attributes.read(engine, value, asked[2], fuel - LOOKUP_STEP, file.path))
        if known is None or wanted in known:
            found.append(value)
    return frozenset(found) or values
