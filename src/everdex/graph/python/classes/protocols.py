"""Protocols: classes that are met by whoever has their methods, without naming them.

Which classes have a method is known from what files offer; whether they have all of them is looked up in their lines.
"""

from __future__ import annotations

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import COMMON_METHODS
from everdex.graph.python.classes import classes
from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.engine.values import CLASS, Value
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import METHOD_KEY


def is_protocol(engine: Engine, path: str, scope: int) -> bool:
    file = engine.file(path)
    engine.seen.append(file.seen_head(scope))
    return any(_base_name(file, base) == "Protocol" for base in file.scopes[scope].bases)


def are_all(engine: Engine, below: tuple[Value, ...]) -> bool:
    """Whether these are protocols, too: nobody makes one, so that what is only declared in them never runs."""
    answers = [is_protocol(engine, each[1], each[2]) for each in below]  # each is looked at, whatever the others are
    return all(answers)


def _base_name(file: File, base: int) -> str:
    entry = file.entries[base]
    return file.last_name(entry[1] if entry[0] == m.SUBSCRIPT else base)


def meeting(engine: Engine, path: str, scope: int, fuel: int) -> tuple[Value, ...] | None:
    """The classes that have every method of a protocol, without naming it; None when that says too little of them:
    they are many, or all it asks for is one method of a common name. What is only called is mostly a function."""

    def answer(fuel: int) -> tuple[Value, ...] | None:
        wanted = _wanted(engine, path, scope)
        if not wanted or wanted == ["__call__"]:
            return ()
        if len(wanted) == 1 and wanted[0] in COMMON_METHODS:
            return None
        most = classes.MAX_AMBIGUOUS_OVERRIDES
        offering = {name: engine.offering_few(METHOD_KEY + name, most) for name in dict.fromkeys(wanted)}
        few = [(name, files) for name, files in offering.items() if files is not None]
        if not few:
            return None
        having = {
            (CLASS, other, there.class_of(number))
            for name, files in few
            for other, there in ((other, engine.file(other)) for other in files)
            for number in there.methods.get(name, ())
        }
        found = [
            each for each in sorted(having)
            if not is_protocol(engine, each[1], each[2])
            and all(_has(engine, each, name, fuel) for name in offering)
        ]  # fmt: skip
        return tuple(found)

    result: tuple[Value, ...] | None = engine.ask_within(("meeting", path, scope), fuel, answer, ())
    return result


def is_met(engine: Engine, protocol: Value, line: tuple[Value, ...], fuel: int) -> bool:
    """Whether a class with this line has every method of what is a protocol, and so has any."""
    if not is_protocol(engine, protocol[1], protocol[2]):
        return False
    wanted = _wanted(engine, protocol[1], protocol[2])
    return bool(wanted) and all(classes.raw_attribute(engine, line, name, fuel)[1] is not None for name in wanted)


def _wanted(engine: Engine, path: str, scope: int) -> list[str]:
    """The methods that a protocol asks for."""
    scopes = engine.look_at(path, scope).scopes
    own = [each.name for each in scopes if each.parent == scope and each.kind == m.FUNCTION_SCOPE]
    return [name for name in own if name != "__init__"]


def _has(engine: Engine, value: Value, name: str, fuel: int) -> bool:
    line = classes.mro(engine, value[1], value[2], fuel)
    return classes.raw_attribute(engine, line, name, fuel)[1] is not None
