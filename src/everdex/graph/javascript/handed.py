"""Object literals that implement a declared type only by where they stand: as an argument, inside another literal.

They name no type, so they are found by the methods that they write out; what they have to be is asked where they stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import values as v
from everdex.graph.javascript.files import File
from everdex.graph.javascript.heirs import Heirs, stated_type
from everdex.graph.javascript.keys import HANDED_KEY
from everdex.graph.javascript.parameters import literal_type
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP: Final = 4
MAX_HANDED_FILES: Final = 40
_GIVING: Final = frozenset((m.FUNCTION, m.NAME, m.MEMBER, m.CALL, m.CHOICE, m.CAST))


def handed(file: File) -> dict[str, list[int]]:
    """By the name of a method: the literals that have one and stand where no type is written."""
    found: dict[str, list[int]] | None = file.memo.get("handed")
    if found is None:
        found = file.memo["handed"] = {}
        for literal in file.placed[1]:
            row = file.expressions[literal]
            held = row[1] if row[0] == m.OBJECT else ()
            methods = [name for name, value, _, _ in held if _may_be_called(file, value)]
            if methods and not stated_type(file, literal):
                for name in methods:
                    found.setdefault(name, []).append(literal)
    return found


def _may_be_called(file: File, value: int) -> bool:
    """Whether a function is written there, or something that may give one."""
    return file.expressions[value][0] in _GIVING


def implementing(engine: Engine, types: Values, name: str, fuel: int) -> Heirs:
    """Those that have a method and have to be of one of some types; in how many files they may stand has a limit."""
    paths = engine.offering_few(HANDED_KEY + name, MAX_HANDED_FILES)
    if paths is None:
        return Heirs((), v.MANY[1])
    wanted = set(types)
    found: list[Value] = []
    for path in paths:
        file = engine.files[path]
        for literal in handed(file).get(name, ()):
            engine.look_at_literals(file, literal)
            if not wanted.isdisjoint(literal_type(engine, file, literal, fuel - _JUMP)):
                found.append((v.OBJECT, path, literal))
    return Heirs(tuple(found), "")
