"""Pass 3, continued: what is assigned to attributes of instances and classes: through self, and through other names.

Assignments through other names count in the files of a class and in the file that reads the attribute; where nothing
else is known of the attribute, or it holds what others may replace, in the few other files that assign one of its name.
It does not follow `__dict__`.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.python.classes import classes, decorated_classes, kept, named_stores, replacing
from everdex.graph.python.classes.binding import bind_instance
from everdex.graph.python.containers import own_keys
from everdex.graph.python.engine.contexts import Argument, Context
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    LITERAL,
    NOTHING,
    PARTIAL,
    Making,
    Value,
    Values,
    is_known,
    is_open,
    ordered,
    plain,
    union,
)
from everdex.graph.python.file.keys import computed_stores_key, stored_key
from everdex.graph.python.names import standard
from everdex.languages import role_of


def storing(engine: Engine, path: str, wanted: str) -> str:
    """The file when it assigns such an attribute, else ''."""
    if not path:
        return ""
    file = engine.file(path)
    engine.seen.append(file.seen_stores(wanted))
    return path if wanted in file.other_stores else ""


def values(
    engine: Engine, line: tuple[Value, ...], wanted: str, fuel: int, receiver: Value, importer: str
) -> list[Values]:
    """What is assigned to the attribute: through self in its classes, through other names in their files and here."""
    own, others = engine.once(("stored", line, wanted, importer), lambda: stores(engine, line, wanted, importer))
    parts = [_made_for(engine, path, value, receiver, fuel) for path, value in own]
    named = NOTHING if own else named_stores.given(engine, line, wanted, fuel, receiver)
    parts.extend([named] if named else ())
    for path, base, name, value in others:
        names = engine.values(path, name, 0, fuel - 2 * LOOKUP_STEP) if name >= 0 and not named else NOTHING
        if name >= 0 and (LITERAL, "str", wanted) not in names:
            continue
        for each in ordered(engine.values(path, base, 0, fuel - 2 * LOOKUP_STEP)):
            is_above = each[0] in (INSTANCE, CLASS) and (CLASS, each[1], each[2]) in line
            if is_above or _is_alike(engine, each, receiver, fuel):
                stored = own_keys.held(engine, engine.file(path), name, value, 0, wanted, fuel - LOOKUP_STEP)
                is_method = each[0] == CLASS and receiver[0] == INSTANCE  # as if the class had been written with it
                parts.append(bind_instance(stored, receiver, each) if is_method else stored)
                break
    if receiver[0] == INSTANCE:  # a decorator that reads an attribute of the class reads what it had before
        given = decorated_classes.assigned(engine, line, wanted, fuel)
        given = given | replacing.replaced(engine, line, wanted, fuel)
        parts.extend([bind_instance(given, receiver, line[0])] if given else ())
    return parts


def elsewhere(engine: Engine, receiver: Value, wanted: str, fuel: int) -> Values:
    """What any files assign to an attribute of an object; tests do not count."""
    if wanted.startswith("__"):
        return NOTHING
    parts: list[Values] = []
    for path in engine.offering_few(stored_key(wanted)) or ():
        if role_of(path) == "test":  # what tests do to a program's objects is not what the program does
            continue
        for base, value in engine.file(path).other_stores.get(wanted, ())[:8]:
            owners = ordered(engine.values(path, base, 0, fuel - LOOKUP_STEP))
            if any(_is_alike(engine, each, receiver, fuel) for each in owners):
                parts.append(engine.values(path, value, 0, fuel - LOOKUP_STEP))
    return union(parts)


def on_outside(engine: Engine, receiver: Value, wanted: str, fuel: int, importer: str) -> Values:
    """What of the root is assigned to an attribute of something from outside, or of another object of the same library,
    which may be a stand-in for it: `app.manager = self`, `current_app.manager`. Where the file that asks does that
    itself, to an object of its own, others do not count."""
    if wanted.startswith("__") or (receiver[0] == EXTERNAL and _is_standard(receiver)):
        return NOTHING  # most of what stands for itself there are modules and their functions
    parts: list[Values] = []
    own = receiver[0] == EXTERNAL_INSTANCE and storing(engine, importer, wanted)
    for path in (importer,) if own else engine.offering_few(stored_key(wanted)) or ():
        if role_of(path) == "test":
            continue
        for base, value in engine.file(path).other_stores.get(wanted, ())[:8]:
            owners = engine.values(path, base, 0, fuel - LOOKUP_STEP)
            if any(each == receiver or _is_of_library(each, receiver) for each in owners):
                given = engine.values(path, value, 0, fuel - LOOKUP_STEP)
                parts.append(frozenset(each for each in given if each[0] in _GIVEN))
    return union(parts)


def _is_of_library(value: Value, receiver: Value) -> bool:
    """Whether something from outside is an object of the library that another is from; of Python's own each class is
    one by itself."""
    if value[0] != EXTERNAL_INSTANCE or _is_standard(value):
        return False
    return bool(value[1].partition(".")[0] == receiver[1].partition(".")[0])


def _is_standard(value: Value) -> bool:
    return value[1].partition(".")[0] in standard.MODULES


_GIVEN: Final = frozenset((INSTANCE, FUNCTION, CLASS, PARTIAL))


def _is_alike(engine: Engine, value: Value, receiver: Value, fuel: int) -> bool:
    """Whether what is assigned to one thing may be read of another: one of a class above it, the same, or one of a
    class below, where it may be of such."""
    if value[0] != INSTANCE or receiver[0] != INSTANCE:
        return value == receiver
    if (CLASS, *value[1:3]) in classes.mro(engine, receiver[1], receiver[2], fuel):
        return True
    return is_open(receiver) and (CLASS, *receiver[1:3]) in classes.mro(engine, value[1], value[2], fuel)


def _made_for(engine: Engine, path: str, value: int, receiver: Value, fuel: int) -> Values:
    """What a method stores; where it has that from the object itself, or was given it for the object, what it has from
    or for one of this class."""
    file = engine.file(path)
    if receiver[0] == INSTANCE and type(receiver[3]) is Making:
        if own := kept.given(engine, path, value, receiver, fuel):
            return own
        receiver = plain(receiver)
    made = file.made_by_self.get(value) if receiver[0] == INSTANCE else None
    is_given = receiver[0] == INSTANCE and value in file.given_to_self
    if made or is_given:
        scope = file.owner(file.where[value])
        owner = (CLASS, path, file.class_of(scope))
        is_other = receiver[1:3] != owner[1:] if is_given else receiver != (INSTANCE, *owner[1:], True)
        if is_other and (is_given or _is_made_below(engine, owner, made or "", fuel)):
            given = (Argument("", -1, 0, frozenset((receiver,))),)
            context = engine.contexts.enter(Context(path, scope, 0, given, (), True))
            found = engine.values(path, value, context, fuel)  # reading the attribute has cost a step
            if is_known(found):
                return found
    return engine.values(path, value, 0, fuel)


def _is_made_below(engine: Engine, owner: Value, name: str, fuel: int) -> bool:
    """Whether a class below has such an attribute of its own: else it is one for all."""

    def answer(fuel: int) -> bool:
        below = classes.subclasses(engine, owner[1], owner[2], fuel - LOOKUP_STEP)
        return below is None or any(_has(engine, each, name) for each in below)

    found: bool = engine.ask(("made below", owner, name), fuel, answer, False) if owner[2] >= 0 else False
    return found


def _has(engine: Engine, owner: Value, name: str) -> bool:
    file = engine.look_up(owner[1], owner[2], name)
    return name in file.names[owner[2]] or name in file.self_stores.get(owner[2], ())


def stores(
    engine: Engine, line: tuple[Value, ...], wanted: str, importer: str
) -> tuple[list[tuple[str, int]], list[tuple[str, int, int, int]]]:
    """Assignments to the attribute: values that methods of these classes give self, and of the others (base, name,
    value), where the name is -1 when it is written out; one that is computed may be any that no class has."""
    own: list[tuple[str, int]] = []
    is_written = False
    for owner in line:
        if owner[0] == CLASS:
            file = engine.look_up(owner[1], owner[2], wanted)
            stored = file.self_stores.get(owner[2], {}).get(wanted, ())
            own.extend((owner[1], value) for value in stored[:16])
            is_written = is_written or bool(stored) or wanted in file.names[owner[2]]
    others: list[tuple[str, int, int, int]] = []
    for path in dict.fromkeys([*(owner[1] for owner in line if owner[0] != EXTERNAL), importer]):
        if path:
            file = engine.file(path)
            engine.seen.append(file.seen_stores(wanted))
            others.extend((path, base, -1, value) for base, value in file.other_stores.get(wanted, ())[:8])
            if not is_written and not wanted.startswith("__"):
                engine.note(file, computed_stores_key(path))
                others.extend((path, *each) for each in file.computed_stores[:8])
    return own, others
