"""Which classes a metaclass has made: what its methods are called on, and what `super().__call__` in it constructs.
What making a class runs, of its metaclass and of its bases.

Classes that name it, and those below them, while they are few. What a metaclass adds to a class is what its methods
assign to the class, or to the namespace that they are given, for all of its classes alike.
An instance of a metaclass is one of these classes, so it has what they have.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins import marked
from everdex.graph.python.classes import attributes, classes
from everdex.graph.python.classes.binding import bind_instance
from everdex.graph.python.engine.contexts import Argument, Context
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    CLASSMETHOD,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    NOTHING,
    PAIRS,
    PARTIAL,
    STATIC,
    TEXT,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    open_class,
    order,
    union,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import MAX_BASE_FILES, META_KEY

MAX_HELD: Final = 64  # members of classes; those of more are not looked through
NAMESPACE_PLACE: Final = 3  # of the parameters of what makes a class


def made_with(engine: Engine, path: str, scope: int, fuel: int) -> tuple[Value, ...]:
    """The classes of a metaclass; none when there are many."""

    def answer(fuel: int) -> tuple[Value, ...]:
        found: dict[Value, None] = {}
        for own in _naming(engine, path, scope, fuel):
            below = classes.subclasses(engine, own[1], own[2], fuel - LOOKUP_STEP) or ()
            found.update(dict.fromkeys((own, *below)))
        return tuple(found) if len(found) <= classes.MAX_OVERRIDES else ()

    made: tuple[Value, ...] = engine.ask_within(("made with", path, scope), fuel, answer, ())
    return made


def receivers(engine: Engine, file: File, scope: int, fuel: int) -> Values:
    """What methods of a metaclass are called on: its classes, while they are few; nothing of any other class."""
    if scope not in file.metaclasses:
        return NOTHING
    made = made_with(engine, file.path, scope, fuel - LOOKUP_STEP)
    return frozenset(made) if len(made) <= classes.MAX_CLASSES else NOTHING


def _naming(engine: Engine, path: str, scope: int, fuel: int) -> list[Value]:
    """The classes that name a metaclass, or one below it, as theirs."""
    found: list[Value] = []
    for meta in ((CLASS, path, scope), *(classes.subclasses(engine, path, scope, fuel) or ())):
        name = engine.file(meta[1]).scopes[meta[2]].name
        for other in engine.offering_few(META_KEY + name, MAX_BASE_FILES) or ():
            for number in engine.file(other).classes_by_metaclass.get(name, ()):
                own = (CLASS, other, number)
                if meta in classes.metaclasses(engine, (own,), fuel):
                    found.append(own)
    return found


def namespace(engine: Engine, path: str, scope: int, fuel: int) -> Values:
    """What a metaclass is given as the namespaces of its classes."""
    held = members(engine, path, scope, fuel)
    return frozenset(((PAIRS, frozenset(((TUPLE, (TEXT, held)),))),)) if held else NOTHING


def members(engine: Engine, path: str, scope: int, fuel: int) -> Values:
    """What stands in the classes of a metaclass, but for plain methods; nothing when that is much."""
    held: list[Values] = []
    for each in made_with(engine, path, scope, fuel - LOOKUP_STEP):
        held.extend(marked.written(engine, each, fuel))
    return union(held) if len(held) <= MAX_HELD else NOTHING


def added(engine: Engine, line: tuple[Value, ...], wanted: str, fuel: int) -> Values:
    """What the methods of a metaclass assign to an attribute of the classes it makes."""
    parts: list[Values] = []
    for meta in classes.metaclasses(engine, line, fuel):
        for _, path, scope in [each for each in classes.mro(engine, meta[1], meta[2], fuel) if each[0] == CLASS]:
            file = engine.look_up(path, scope, wanted)
            engine.seen.append(file.seen_stores(wanted))
            values = list(file.self_stores.get(scope, {}).get(wanted, ()))
            for base, value in file.other_stores.get(wanted, ())[:8]:
                is_own = file.class_of(file.owner(file.where[base])) == scope
                if is_own and line[0] in engine.values(path, base, 0, fuel - LOOKUP_STEP):
                    values.append(value)
            values.extend(_put(engine, file, scope, wanted))
            parts.extend(engine.values(path, value, 0, fuel - LOOKUP_STEP) for value in values)
    return union(parts)


def _put(engine: Engine, file: File, scope: int, wanted: str) -> list[int]:
    """What a metaclass puts into the namespace that it is given under a name."""
    engine.look_up(file.path, scope, "__new__")  # for __init__ the class is made, and has a copy
    makers = {each for each in file.methods.get("__new__", ()) if file.class_of(each) == scope}
    engine.seen.extend([file.seen_scope(each) for each in sorted(makers)])
    found: list[int] = []
    for base, key, value in file.fills:
        if key >= 0 and file.entries[key][0] == m.LITERAL and file.entries[key][2] == wanted:
            bindings = file.entries[base][2] if file.entries[base][0] == m.NAME else ()
            given = [file.entries[file.bindings[each][2]] for each in bindings]
            if any(each == (m.PARAMETER, each[1], NAMESPACE_PLACE) and each[1] in makers for each in given):
                found.append(value)
    return found


def attribute(engine: Engine, path: str, scope: int, wanted: str, fuel: int) -> Values:
    """What the classes of a metaclass have under a name that it has not itself."""
    named = _naming(engine, path, scope, fuel - LOOKUP_STEP)
    parts = [attributes.of(engine, open_class(each[1], each[2]), wanted, fuel, "") for each in named]
    found = union(parts[: classes.MAX_OVERRIDES])
    return frozenset(value for value in found if value[0] not in (UNKNOWN, EXTERNAL))


def constructors(engine: Engine, path: str, scope: int, fuel: int) -> Values:
    """What type.__call__ runs for the classes of a metaclass, and itself, which gives their instances."""
    parts: list[Values] = []
    for each in made_with(engine, path, scope, fuel - LOOKUP_STEP):
        kind = Argument("", -1, 0, frozenset((each,)))
        parts.append(frozenset(((PARTIAL, (EXTERNAL, "builtins.type.__call__"), (kind,), ()),)))
        line = classes.mro(engine, each[1], each[2], fuel)
        for name in ("__new__", "__init__"):
            values, _ = classes.raw_attribute(engine, line, name, fuel)
            functions = frozenset(value for value in values if value[0] == FUNCTION)
            parts.append(bind_instance(functions, (INSTANCE, each[1], each[2], False), each))
    return union(parts)


def making(engine: Engine, line: tuple[Value, ...], fuel: int) -> Values:
    """What the metaclass of a line of classes runs to make one."""
    ran: list[Values] = []
    for meta in classes.metaclasses(engine, line, fuel):
        above = classes.mro(engine, meta[1], meta[2], fuel)
        ran.extend(classes.raw_attribute(engine, above, name, fuel)[0] for name in ("__new__", "__init__"))
    return _functions(union(ran))


def told_of_subclass(engine: Engine, line: tuple[Value, ...], fuel: int) -> Values:
    """What is run of a line of classes when one below is made."""
    return _functions(classes.raw_attribute(engine, line, "__init_subclass__", fuel)[0])


def statements(engine: Engine, path: str, scope: int, fuel: int) -> list[Context]:
    """How the class statements below an `__init_subclass__` call it: with the keywords beside their bases."""
    owner = engine.file(path).class_of(scope)
    found: list[Context] = []
    for each in classes.subclasses(engine, path, owner, fuel - LOOKUP_STEP) or ():
        file = engine.file(each[1])
        engine.seen.append(file.seen_head(each[2]))
        line = classes.mro(engine, each[1], each[2], fuel)
        if classes.raw_attribute(engine, line[1:], "__init_subclass__", fuel)[1] == (CLASS, path, owner):
            given = [(name, Argument(each[1], value, 0)) for name, value in file.scopes[each[2]].base_keywords]
            keywords = tuple(pair for pair in given if pair[0] != "metaclass")
            found.append(Context(path, scope, 0, (Argument("", -1, 0, frozenset((each,))),), keywords))
    return found if len(found) <= MAX_HELD else []


def made_below(engine: Engine, bases: Values, fuel: int) -> Values:
    """What a call runs that makes a class with these bases."""
    lines = [classes.mro(engine, each[1], each[2], fuel) for each in sorted(bases, key=order) if each[0] == CLASS]
    return union(making(engine, line, fuel) or told_of_subclass(engine, line, fuel) for line in lines)


def _functions(values: Values) -> Values:
    return frozenset(
        value[1] if value[0] in (CLASSMETHOD, STATIC) else value
        for value in values
        if value[0] in (FUNCTION, CLASSMETHOD, STATIC)
    )
