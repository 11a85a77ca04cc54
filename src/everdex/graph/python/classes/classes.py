"""Pass 3: classes: linearisation, attributes of classes and instances, overriding methods.

Classes are told apart by where they are defined; instances by their class, and by what few were made with (`kept`). An
instance is *open* when it may be of a subclass (self, an annotation): what is found on it may then be overridden, and
what known subclasses have in its place counts too. It does not follow __slots__, or mixins that are only combined at
run time.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import GIVING_METHODS, INHERITED_CONTAINERS
from everdex.graph.python.classes import (
    decorated_classes,
    handed,
    hooks,
    living,
    made_classes,
    overrides,
    records,
    stored,
)
from everdex.graph.python.classes.binding import BOUND, bind_class, bind_instance
from everdex.graph.python.engine.engine import LOOKUP_STEP, WORTH_GIVEN, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    LITERAL,
    MADE,
    MANY,
    METHOD,
    NONE,
    NOTHING,
    PARTIAL,
    Value,
    Values,
    is_known,
    open_class,
    order,
    union,
    unknown,
)
from everdex.graph.python.file.keys import BASE_KEY, CALLED_META_KEY, MAX_BASE_FILES
from everdex.graph.python.names import names, standard
from everdex.graph.python.names.standard import OBJECT

MAX_OVERRIDES: Final = 24  # more ways to override than this, and the answer is ambiguous
MAX_AMBIGUOUS_OVERRIDES: Final = 40  # and more than this, the base's method speaks for all
MAX_DEFINING: Final = 40  # of one that is only declared, and never runs, so many that define it are each meant
MAX_AMBIGUOUS_DEFINING: Final = 100  # and so many are candidates
MAX_CLASSES: Final = 6  # `cls` that may be more classes than this is an open one


def bases(engine: Engine, path: str, scope: int, fuel: int) -> tuple[Value, ...]:
    """The classes it names as bases, one each."""
    found: tuple[Value, ...] = engine.ask_within(
        ("bases", path, scope), fuel, lambda fuel: _bases(engine, path, scope, fuel), ()
    )
    return found


def _bases(engine: Engine, path: str, scope: int, fuel: int) -> tuple[Value, ...]:
    file = engine.file(path)
    engine.seen.append(file.seen_head(scope))
    found: list[Value] = []
    for base in file.bases_of(file.scopes[scope]):
        entry = file.entries[base]
        while entry[0] == m.SUBSCRIPT:  # Generic[T]
            base = entry[1]
            entry = file.entries[base]
        for value in sorted(engine.values(path, base, 0, fuel - LOOKUP_STEP), key=order):
            if value[0] in (CLASS, EXTERNAL) and value[:3] != (CLASS, path, scope):
                found.append(value[:3])
                break
            if value[0] == MADE:  # of what it has itself nothing is said here
                found.extend(made_classes.bases(engine, value, fuel - LOOKUP_STEP))
                break
    return tuple(found)


def mro(engine: Engine, path: str, scope: int, fuel: int) -> tuple[Value, ...]:
    """C3; where it does not exist, depth first. However long the line is, it costs what its dearest base does."""

    def answer(fuel: int) -> tuple[Value, ...]:
        return tuple(_line(engine, (CLASS, path, scope), {}, fuel))

    found: tuple[Value, ...] = engine.ask(("mro", path, scope), fuel, answer, ((CLASS, path, scope),))
    return found


def _line(engine: Engine, value: Value, lines: dict[Value, list[Value]], fuel: int) -> list[Value]:
    known = lines.get(value)
    if known is not None:
        return known
    lines[value] = [value]  # what a class that is its own ancestor finds of itself
    if value[0] == CLASS:
        parents = bases(engine, value[1], value[2], fuel)
        merged = _merge([*(_line(engine, each, lines, fuel) for each in parents), list(parents)])
        lines[value] = [value, *(each for each in merged if each != value)]
    return lines[value]


def _merge(lines: list[list[Value]]) -> list[Value]:
    """Passes each value once a line: to look behind every head would take the cube of the length of long lines."""
    behind = Counter(each for line in lines for each in line[1:])
    waiting = [(line[0], iter(line[1:])) for line in lines if line]
    merged: dict[Value, None] = {}
    while waiting:
        head = next((first for first, _ in waiting if not behind[first]), waiting[0][0])
        merged[head] = None
        left = []
        for first, rest in waiting:
            if first == head:
                for each in rest:
                    behind[each] -= 1
                    if each not in merged:
                        left.append((each, rest))
                        break
            else:
                left.append((first, rest))
        waiting = left
    return list(merged)


def raw_attribute(engine: Engine, classes: tuple[Value, ...], wanted: str, fuel: int) -> tuple[Values, Value | None]:
    """What the first class of a line binds under a name, and which class that is."""
    having = engine.once(("first", classes, wanted), lambda: owners_of(engine, classes, wanted, only_first=True))
    for owner, bindings in having:
        return engine.bound(engine.file(owner[1]), bindings, 0, fuel), owner
    return NOTHING, None


def owners_of(
    engine: Engine, classes: tuple[Value, ...], wanted: str, *, only_first: bool
) -> list[tuple[Value, list[int]]]:
    """The classes among these whose statements bind a name, each with the bindings that last."""
    found = []
    for owner in classes:
        if owner[0] == CLASS:
            file = engine.look_up(owner[1], owner[2], wanted)
            bindings = file.final(owner[2], wanted)
            if bindings:
                found.append((owner, bindings))
                if only_first:
                    break
    return found


def outside(classes: tuple[Value, ...]) -> str:
    """The first base from outside the root, by name; ''."""
    for owner in classes:
        if owner[0] == EXTERNAL and owner[1] not in ("builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC"):
            return str(owner[1])
    return ""


def class_attribute(engine: Engine, path: str, scope: int, wanted: str, fuel: int, importer: str) -> Values:
    """C.name"""
    importer = stored.storing(engine, importer, wanted)

    def answer(fuel: int) -> Values:
        line = mro(engine, path, scope, fuel)
        values, _ = raw_attribute(engine, line, wanted, fuel)
        values = hooks.descriptors(engine, values, NONE, (CLASS, path, scope), fuel)
        parts = [bind_class(values, (CLASS, path, scope))]
        parts.extend(stored.values(engine, line, wanted, fuel, (CLASS, path, scope), importer))
        found = union(parts)
        if not found - {NONE} and wanted not in OBJECT:
            given = decorated_classes.assigned(engine, line, wanted, fuel)
            found = union((found, given, _added(engine, line, wanted, fuel)))
        if found:
            return found
        if wanted not in OBJECT:  # what every class has itself is not looked for in its metaclass
            found = of_metaclass(engine, (CLASS, path, scope), wanted, fuel)
            if found:
                return found
        base = outside(line)
        if base and not is_without(base, wanted):
            return frozenset(((EXTERNAL, f"{base}.{wanted}"),))
        if wanted in OBJECT:
            return frozenset(((EXTERNAL, f"builtins.object.{wanted}"),))
        if wanted == "__subclasses__":
            return frozenset(((METHOD, (CLASS, path, scope), wanted),))
        if wanted in _OF_CLASSES:  # every class is one
            return frozenset(((EXTERNAL, f"builtins.type.{wanted}"),))
        return unknown("no such attribute")

    key = ("class attribute", path, scope, wanted, importer)
    found: Values = engine.ask_within(key, fuel, answer, unknown("too many steps"))
    return found


def metaclasses(engine: Engine, line: tuple[Value, ...], fuel: int) -> list[Value]:
    is_called = engine.is_offered(CALLED_META_KEY)
    for owner in line:
        if owner[0] == CLASS:
            file = engine.file(owner[1])
            named = file.metaclass_of(file.scopes[owner[2]])
            if named >= 0:
                found = engine.values(owner[1], named, 0, fuel - LOOKUP_STEP)
                return sorted(each for each in found if each[0] == CLASS)
            made = engine.ask(("called meta", owner), fuel, partial(_called, engine, owner), []) if is_called else ()
            if made:
                return sorted(made)
    return []


def _called(engine: Engine, owner: Value, fuel: int) -> list[Value]:
    """The metaclass that was called to make a base: `Base = Meta("Base", (Root,), {})`."""
    file = engine.file(owner[1])
    found: list[Value] = []
    for base in file.bases_of(file.scopes[owner[2]]):
        if file.entries[base][0] == m.NAME:
            source, name = names.landing(engine, owner[1], file.entries[base][1])
            home = engine.look_for(source[1], name)
            if name in home.made_by_metaclass:
                made = engine.values(source[1], home.made_by_metaclass[name], 0, fuel - LOOKUP_STEP)
                found.extend(each for each in made if each[0] == CLASS)
    return found


def of_metaclass(engine: Engine, value: Value, wanted: str, fuel: int) -> Values:
    """What a class has from its metaclass."""
    for meta in metaclasses(engine, mro(engine, value[1], value[2], fuel), fuel):
        values, owner = raw_attribute(engine, mro(engine, meta[1], meta[2], fuel), wanted, fuel)
        if owner is not None:
            return bind_instance(values, value[:3], value[:3])
    return NOTHING


_REPLACEABLE: Final = frozenset((FUNCTION, PARTIAL, INSTANCE))  # what an object holds and another file may exchange


def instance_attribute(engine: Engine, receiver: Value, wanted: str, fuel: int, importer: str = "") -> Values:
    """x.name for an instance: the class's, bound, and what methods assign to self; properties stay properties."""
    importer = stored.storing(engine, importer, wanted)

    def answer(fuel: int) -> Values:
        _, path, scope, is_open = receiver
        line = mro(engine, path, scope, fuel)
        values, owner = raw_attribute(engine, line, wanted, fuel)
        values = hooks.descriptors(engine, values, receiver, (CLASS, path, scope), fuel)
        parts = [bind_instance(values, receiver, open_class(path, scope) if is_open else (CLASS, path, scope))]
        if all(hooks.gives_way(value) for value in values):
            parts.extend(stored.values(engine, line, wanted, fuel, receiver, importer))
        if owner is not None and len(parts) == 1 and hooks.is_only_declared(engine.file(owner[1]), owner[2], wanted):
            parts.append(hooks.missing(engine, line, receiver, wanted, fuel))
        if owner is not None and (records.is_vague(values) or records.is_default(engine, owner, wanted)):
            parts.append(records.passed(engine, line, wanted, fuel))
        if owner is not None and not any(part - {NONE} and is_known(part) for part in parts[1:]):
            parts.append(handed.out(engine, owner, wanted, values, fuel))
        if is_open:
            parts.append(made_classes.below(engine, path, scope, wanted, fuel))
        if is_open and owner is None:
            parts.extend(overrides.stored_below(engine, path, scope, wanted, fuel))
        if is_open and (owner is None or any(_may_differ(value) for value in values)):
            below, is_inherited = overrides.overriding(engine, path, scope, wanted, values, owner, fuel)
            if not is_inherited or (any(value[0] != MANY for value in below) and overrides.are_stubs(engine, values)):
                parts = parts[1:]
            parts.append(below)
            if any(value[0] == CLASS for value in values):
                parts.append(overrides.replaced_below(engine, path, scope, wanted, fuel))
        found = union(parts)
        if not found - {NONE} and wanted not in OBJECT:
            found = union((found, _added(engine, line, wanted, fuel)))
        if not found and is_open:
            found = overrides.only_below(engine, path, scope, wanted, fuel)
        if not found - {NONE}:
            assigned = stored.elsewhere(engine, receiver, wanted, fuel)
            if assigned:  # to some of them: others may still be asked for what they have not
                rest = _elsewhere if outside(line) == "builtins.type" else hooks.missing
                found = union((found, assigned, rest(engine, line, receiver, wanted, fuel)))
        elif owner is None and any(value[0] in _REPLACEABLE for value in found):
            found = union((found, stored.elsewhere(engine, receiver, wanted, fuel)))
        return found or _elsewhere(engine, line, receiver, wanted, fuel)

    key = ("attribute", receiver, wanted, importer)
    found: Values = engine.ask_within(key, fuel, answer, unknown("too many steps"), WORTH_GIVEN)
    return found


def _elsewhere(engine: Engine, line: tuple[Value, ...], receiver: Value, wanted: str, fuel: int) -> Values:
    base = outside(line)
    hook = hooks.missing(engine, line, receiver, wanted, fuel) if not base or is_without(base, wanted) else NOTHING
    if hook:
        return hook
    if wanted in GIVING_METHODS and base in INHERITED_CONTAINERS and receiver[0] == INSTANCE:
        return frozenset(((METHOD, receiver, wanted),))
    if base and not is_without(base, wanted):
        return frozenset((hooks.from_outside(f"{base}.{wanted}", receiver),))
    if base == "builtins.type":
        from everdex.graph.python.classes import metaclasses

        return metaclasses.attribute(engine, receiver[1], receiver[2], wanted, fuel) or unknown("no such attribute")
    return frozenset(((EXTERNAL, f"builtins.object.{wanted}"),)) if wanted in OBJECT else unknown("no such attribute")


def is_without(base: str, wanted: str) -> bool:
    """Whether a class from outside is known not to have an attribute: a builtin one, or one of `collections`."""
    module, _, name = base.rpartition(".")
    return module in _WRITTEN_DOWN and standard.is_without(name, wanted)


_WRITTEN_DOWN: Final = frozenset(("builtins", "collections", "collections.abc", "typing"))


_REPLACED: Final = BOUND | {CLASS, INSTANCE, LITERAL, "display", EXTERNAL}  # what subclasses replace by another


def _may_differ(value: Value) -> bool:
    return value[0] in _REPLACED or value == NONE


_OF_CLASSES: Final = standard.attributes("type")


def _added(engine: Engine, line: tuple[Value, ...], wanted: str, fuel: int) -> Values:
    from everdex.graph.python.classes import metaclasses

    return metaclasses.added(engine, line, wanted, fuel)


def names_of(engine: Engine, name: str) -> tuple[str, ...]:
    """A class's own name, and those that modules give it on the way to who uses it."""
    return engine.once(("names", name), lambda: _names_of(engine, name))


def _names_of(engine: Engine, name: str) -> tuple[str, ...]:
    names = [name]
    for each in names:
        for path in engine.offering_few(BASE_KEY + each, MAX_BASE_FILES) or ():
            names.extend(other for other in engine.file(path).renamed.get(each, ()) if other not in names)
    return tuple(names)


def subclasses(engine: Engine, path: str, scope: int, fuel: int) -> tuple[Value, ...] | None:
    """Every known class below; None when there are too many places to look."""

    def answer(fuel: int) -> tuple[Value, ...] | None:
        found: dict[Value, None] = {}
        waiting: list[Value] = [(CLASS, path, scope)]
        while waiting:
            above = waiting.pop()
            names = names_of(engine, engine.file(above[1]).scopes[above[2]].name)
            offering = [engine.offering_few(BASE_KEY + name, MAX_BASE_FILES) for name in names]
            files = [(name, other) for name, found in zip(names, offering, strict=True) for other in found or ()]
            if None in offering or len(files) > MAX_BASE_FILES:
                if above[1:] == (path, scope):
                    return None
                continue
            for name, other in files:
                for number in engine.file(other).classes_by_base.get(name, ()):
                    each = (CLASS, other, number)
                    if each not in found and above in bases(engine, other, number, fuel - LOOKUP_STEP):
                        found[each] = None
                        waiting.append(each)
        return tuple(sorted(found))

    result: tuple[Value, ...] | None = engine.ask_within(("subclasses", path, scope), fuel, answer, ())
    return result


def below_outside(engine: Engine, dotted: str, fuel: int) -> tuple[Value, ...]:
    """The classes of the root below one from outside; none when there are too many places to look."""

    def answer(fuel: int) -> tuple[Value, ...]:
        found: dict[Value, None] = {}
        name = dotted.rpartition(".")[2]
        for path in engine.offering_few(BASE_KEY + name, MAX_BASE_FILES) or ():
            for number in engine.file(path).classes_by_base.get(name, ()):
                if (EXTERNAL, dotted) in bases(engine, path, number, fuel - LOOKUP_STEP):
                    below = subclasses(engine, path, number, fuel - LOOKUP_STEP) or ()
                    found.update(dict.fromkeys(((CLASS, path, number), *below)))
        return tuple(sorted(found))

    result: tuple[Value, ...] = engine.ask_within(("below outside", dotted), fuel, answer, ())
    return result


def kinds(engine: Engine, receiver: Value, fuel: int) -> Values:
    """The class of an instance; of an open one also those below it, one by one while they are few."""
    own = (CLASS, receiver[1], receiver[2])
    if not receiver[3]:
        return frozenset((own,))
    alive = living.family(engine, receiver[1], receiver[2], fuel)
    if alive is None:
        alive = (own, *(subclasses(engine, receiver[1], receiver[2], fuel - LOOKUP_STEP) or ()))
    return frozenset(alive) if len(alive) <= MAX_CLASSES + 1 else frozenset((open_class(receiver[1], receiver[2]),))
