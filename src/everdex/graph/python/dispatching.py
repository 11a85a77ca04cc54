"""Pass 4a, continued: the calls of a method by a name that is put together: `getattr(self, "visit_" + kind)(node)`.

Nothing there names the method, so it is looked for from the method: in the files of its class and of those above it,
where such a name is asked of an instance that may have it and may say the method's. It does not find what another class
dispatches, nor names of which nothing is known.
"""

from __future__ import annotations

from everdex.graph.python import classes, spelling
from everdex.graph.python.engine import LOOKUP_STEP, Engine
from everdex.graph.python.files import File
from everdex.graph.python.keys import indirect_key
from everdex.graph.python.values import AFFIXES, CLASS, INSTANCE, LITERAL, Value


def sites(engine: Engine, path: str, scope: int, fuel: int) -> list[tuple[str, int]]:
    """The calls of a method under a computed name."""
    file = engine.file(path)
    name, owner = file.scopes[scope].name, file.class_of(scope)
    if owner < 0 or name.startswith("__"):
        return []
    line = classes.mro(engine, path, owner, fuel)
    found: list[tuple[str, int]] = []
    for other in dict.fromkeys(each[1] for each in line if each[0] == CLASS):
        where = engine.file(other)
        engine.note(where, indirect_key(other))
        for number, asked in where.dispatched:
            engine.seen.append(where.seen_at(number))
            if _says(engine, where, asked, name, fuel) and _is_asked(engine, where, asked, line, fuel):
                found.append((other, number))
    return found


def _says(engine: Engine, file: File, asked: int, name: str, fuel: int) -> bool:
    """Whether the name that is put together may be this one."""
    texts = engine.values(file.path, file.entries[asked][2][1], 0, fuel - LOOKUP_STEP)
    return any(
        spelling.fits(each, name) if each[0] == AFFIXES else each == (LITERAL, "str", name) for each in texts
    )


def _is_asked(engine: Engine, file: File, asked: int, line: tuple[Value, ...], fuel: int) -> bool:
    """Whether it is asked of an instance of a class of this line."""
    owners = engine.values(file.path, file.entries[asked][2][0], 0, fuel - LOOKUP_STEP)
    return any(each[0] == INSTANCE and (CLASS, *each[1:3]) in line for each in owners)
