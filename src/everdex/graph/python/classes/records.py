"""Pass 3, continued: classes whose constructor is made from their fields: dataclasses, attrs, named tuples.

A field is what callers of the class pass for it, by place or by name, when its annotation says nothing. It knows
records by the names of their decorators and bases, and does not follow `replace` or fields that are made at run time.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.calls import calls, handing, parameters
from everdex.graph.python.calls.call_sites import sites_of
from everdex.graph.python.classes import attributes, classes
from everdex.graph.python.engine.contexts import Context
from everdex.graph.python.engine.engine import CALLERS_STEP, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import CLASS, NOTHING, ROW, Value, Values, union
from everdex.graph.python.file.files import File

_DECORATORS: Final = frozenset(("dataclass", "define", "frozen", "mutable", "attrs", "s"))
_FIELDS: Final = frozenset(("field", "ib", "attrib", "Factory"))
MAX_FIELDS: Final = 64
_VAGUE: Final = frozenset(("unknown", "builtin", "literal", "prefix", "external instance", "many"))


def is_record(file: File, scope: int) -> bool:
    own = file.scopes[scope]
    for each in own.decorators:
        decorator = file.entries[each][1]
        entry = file.entries[decorator]
        if file.last_name(entry[1] if entry[0] == m.CALL else decorator) in _DECORATORS:
            return True
    return is_tuple(file, scope)


def _parameter(file: File, scope: int, field: str) -> str:
    """By what name the constructor takes a field: attrs leaves out what makes it private."""
    is_plain = is_tuple(file, scope) or "dataclass" in parameters.decorator_names(file, scope)
    return field if is_plain else field.lstrip("_")


def is_tuple(file: File, scope: int) -> bool:
    return any(file.last_name(base) == "NamedTuple" for base in file.scopes[scope].bases)


def own_fields(file: File, scope: int) -> list[str]:
    names = []
    for name, bindings in file.names[scope].items():
        entry = file.entries[file.bindings[bindings[0]][2]]
        if entry[0] == m.TYPED or (entry[0] == m.CALL and file.last_name(entry[1]) in _FIELDS):
            names.append(name)
    return names


def fields(engine: Engine, line: tuple[Value, ...]) -> list[str]:
    """In the order of the constructor's parameters: the base's first."""
    names: dict[str, None] = {}
    for owner in reversed(line):
        if owner[0] == CLASS:
            file = engine.look_at(owner[1], owner[2])
            if is_record(file, owner[2]):
                names.update(dict.fromkeys(own_fields(file, owner[2])))
    return list(names)


def is_named_tuple(engine: Engine, line: tuple[Value, ...]) -> bool:
    return any(owner[0] == CLASS and is_tuple(engine.file(owner[1]), owner[2]) for owner in line)


def passed(engine: Engine, line: tuple[Value, ...], wanted: str, fuel: int) -> Values:
    """What callers of a record's class pass for a field."""
    owner = next(
        (
            each for each in line
            if each[0] == CLASS and wanted in engine.look_up(each[1], each[2], wanted).names[each[2]]
            and is_record(engine.file(each[1]), each[2])
        ),
        None,
    )  # fmt: skip
    if owner is None:
        return frozenset()
    parts = []
    for kind, call in _constructions(engine, owner, fuel - CALLERS_STEP):
        names = fields(engine, classes.mro(engine, kind[1], kind[2], fuel))
        if wanted in names:
            place = names.index(wanted)
            params = [[_parameter(engine.file(owner[1]), owner[2], name), m.POSITIONAL, -1, -1] for name in names]
            parts.append(parameters.given(engine, params, place, call, fuel - CALLERS_STEP))
    return union(parts)


def _constructions(engine: Engine, owner: Value, fuel: int) -> tuple[tuple[Value, Context], ...]:
    """The calls of a class, or of one below it, that can be found by their names or stand in its own methods."""

    def answer(fuel: int) -> tuple[tuple[Value, Context], ...]:
        below = classes.subclasses(engine, owner[1], owner[2], fuel - LOOKUP_STEP) or ()
        kinds = (owner, *below[:8])
        found: dict[tuple[Value, Context], None] = {}
        first, *others = [_name(engine, each) for each in kinds]
        sites = sites_of(engine, [first], others, owner[1])[0] + handing.by_own(engine, owner, fuel)
        for path, number in dict.fromkeys(sites):
            file = engine.file(path)
            entry = file.entries[number]
            if entry[0] != m.CALL:
                continue
            engine.seen.append(file.seen_at(number))
            positional, keywords = calls.arguments(file, number, 0)
            for value in engine.values(path, entry[1], 0, fuel - LOOKUP_STEP):
                if value in kinds:
                    found[value, Context("", -1, 0, positional, keywords)] = None
        return tuple(found)

    result: tuple[tuple[Value, Context], ...] = engine.ask(("constructions", owner), fuel, answer, ())
    return result


def _name(engine: Engine, value: Value) -> str:
    return engine.file(value[1]).scopes[value[2]].name


def is_vague(values: Values) -> bool:
    return all(value[0] in _VAGUE for value in values)


def is_default(engine: Engine, owner: Value, wanted: str) -> bool:
    """Whether what a class has under a name is only what a field of a record is when nothing is passed for it."""
    file = engine.file(owner[1])
    bound = [file.entries[file.bindings[each][2]] for each in file.final(owner[2], wanted)]
    return any(entry[0] == m.TYPED for entry in bound) and is_record(file, owner[2])


def row(engine: Engine, names: tuple[str, ...], call: Context, fuel: int) -> Values:
    """One tuple of a class that `collections.namedtuple` made."""
    params = [[name, m.POSITIONAL, -1, -1] for name in names]
    return frozenset(
        ((ROW, names, tuple(parameters.given(engine, params, place, call, fuel) for place in range(len(names)))),)
    )


def place(engine: Engine, value: Value, wanted: int | str | None, fuel: int) -> Values:
    """A place of a named tuple that is a class of the root."""
    line = classes.mro(engine, value[1], value[2], fuel)
    if not is_named_tuple(engine, line):
        return NOTHING
    found = fields(engine, line)
    if isinstance(wanted, int):
        found = found[wanted : wanted + 1 or None]
    return union(attributes.read(engine, value, each, fuel, value[1]) for each in found[:MAX_FIELDS])
