"""Pass 4a, continued: the calls of a method by a name that is put together: `getattr(self, "visit_" + kind)(node)`.

Nothing there names the method, so it is looked for from the method: in the files of its class and of those above it,
and elsewhere where the name is written to begin with a word of the method's (`visit_`). Such a name has to be asked of
an instance that may have it and may say the method's. It does not find names of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from everdex.graph.python.classes import classes
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import AFFIXES, CLASS, INSTANCE, LITERAL, Value
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import dispatched_key, indirect_key
from everdex.graph.python.names import spelling

MAX_WORDS: Final = 3  # of a method's name, from its beginning


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
        found += _meaning(engine, where, where.dispatched, name, line, fuel)
    return found


def sites_elsewhere(engine: Engine, path: str, scope: int, fuel: int) -> list[tuple[str, int]]:
    """The same of what goes through objects of other classes: `getattr(each, "before_" + event)(self)`."""
    file = engine.file(path)
    name, owner = file.scopes[scope].name, file.class_of(scope)
    if owner < 0 or name.startswith("_"):
        return []
    line = classes.mro(engine, path, owner, fuel)
    known = {each[1] for each in line if each[0] == CLASS}
    found: list[tuple[str, int]] = []
    for begins in [name[: place + 1] for place, letter in enumerate(name[:-1]) if letter == "_"][:MAX_WORDS]:
        for other in engine.offering_few(dispatched_key(begins)) or ():
            where = engine.file(other)
            if other not in known:
                found += _meaning(engine, where, where.dispatched_by[begins], name, line, fuel)
    return found


def _meaning(
    engine: Engine, file: File, dispatched: Sequence[tuple[int, int]], name: str, line: tuple[Value, ...], fuel: int
) -> Iterator[tuple[str, int]]:
    """Those of a file's calls under computed names that may be of a method of this name, of a class with this line."""
    for number, asked in dispatched:
        engine.seen.append(file.seen_at(number))
        if _says(engine, file, asked, name, fuel) and _is_asked(engine, file, asked, line, fuel):
            yield file.path, number


def _says(engine: Engine, file: File, asked: int, name: str, fuel: int) -> bool:
    """Whether the name that is put together may be this one."""
    texts = engine.values(file.path, file.entries[asked][2][1], 0, fuel - LOOKUP_STEP)
    return any(
        spelling.fits(each, name) if each[0] == AFFIXES else each == (LITERAL, "str", name) for each in texts
    )


def _is_asked(engine: Engine, file: File, asked: int, line: tuple[Value, ...], fuel: int) -> bool:
    """Whether it is asked of an instance of a class of this line, or of one below."""
    owners = engine.values(file.path, file.entries[asked][2][0], 0, fuel - LOOKUP_STEP)
    kinds = [(CLASS, *each[1:3]) for each in owners if each[0] == INSTANCE]
    return any(each in line or line[0] in classes.mro(engine, each[1], each[2], fuel) for each in kinds)
