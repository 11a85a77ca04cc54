"""Pass 3, continued: what a declared type says that is a variable: of a method of C for a class that inherits from
`C[X]`, and of a function that is given a class of the variable, or one of its instances.

One step: who inherits from such a class is told, who names its variable anew is not followed.
"""

from __future__ import annotations

from everdex.facts.python import model as m
from everdex.graph.python.calls import parameters
from everdex.graph.python.classes import classes, declared
from everdex.graph.python.classes.forms import ITERABLES, TRANSPARENT, UNIONS
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Context
from everdex.graph.python.engine.engine import LOOKUP_STEP, NAME_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL_INSTANCE,
    INSTANCE,
    LIST,
    NONE,
    NOTHING,
    Value,
    Values,
    is_known,
    union,
)
from everdex.graph.python.file.files import File

_VARIABLE: Value = (EXTERNAL_INSTANCE, "typing.TypeVar")
_MAKERS = frozenset(("Generic", "Protocol"))
_CLASS_OF = frozenset(("type", "Type"))


def refined(engine: Engine, function: Value, found: Values, fuel: int) -> Values:
    """What calling a bound method gives, where its declared type is a variable, or a container of one, that the
    receiver's line fills: what its body gives for all classes alike is of this type, or another's."""
    _, path, scope, _, receiver = function
    file = engine.file(path)
    annotation = file.scopes[scope].annotation
    owner = file.class_of(scope)
    if annotation < 0 or owner < 0 or receiver[0] not in (INSTANCE, CLASS):
        return found
    is_held = file.entries[annotation][0] == m.SUBSCRIPT and declared.parts_of(file, annotation)[0] in ITERABLES
    variable = _variable(file, declared.parts_of(file, annotation)[1][0] if is_held else annotation)
    said = _said(engine, function, owner, variable, fuel) if variable >= 0 else NOTHING
    if not any(each[0] == INSTANCE for each in said):
        return found if is_known(found) or is_held else said or found
    held = union(containers.elements(engine, each, fuel) for each in found) if is_held else found
    kinds = {(CLASS, *each[1:3]) for each in said if each[0] == INSTANCE}
    fitting = frozenset(each for each in held if each == NONE or _is_of(engine, each, kinds, fuel))
    if fitting == held and held - {NONE}:
        return found
    fitting = fitting if fitting - {NONE} else union((fitting, said))
    return frozenset(((LIST, fitting),)) if is_held else fitting


def _is_of(engine: Engine, value: Value, kinds: set[Value], fuel: int) -> bool:
    return value[0] == INSTANCE and not kinds.isdisjoint(classes.mro(engine, value[1], value[2], fuel))


def _said(engine: Engine, function: Value, owner: int, variable: int, fuel: int) -> Values:
    """What a variable of a method's class is filled with in the receiver's line."""
    _, path, _, _, receiver = function
    file = engine.file(path)
    if _VARIABLE not in engine.values(path, variable, 0, fuel - NAME_STEP):
        return NOTHING
    place = _place(engine, file, owner, file.entries[variable][1])
    for kind in classes.mro(engine, receiver[1], receiver[2], fuel) if place >= 0 else ():
        if kind[0] != CLASS:
            continue
        other = engine.file(kind[1])
        engine.seen.append(other.seen_head(kind[2]))
        for base in other.scopes[kind[2]].bases:
            if other.entries[base][0] == m.SUBSCRIPT:
                _, inner = declared.parts_of(other, base)
                named = engine.values(kind[1], other.entries[base][1], 0, fuel - LOOKUP_STEP)
                if (CLASS, path, owner) in named and place < len(inner):
                    return declared.instances(engine, other, inner[place], 0, fuel - LOOKUP_STEP)
    return NOTHING


def passed(engine: Engine, path: str, scope: int, call: Context, fuel: int) -> Values:
    """What a call gives by the function's declared type: `def get(kind: type[T]) -> T`, or `def same(one: T) -> T`."""
    file = engine.file(path)
    variable = _variable(file, file.scopes[scope].annotation)
    if variable < 0:
        return NOTHING
    engine.seen.extend(file.seen_parameters(scope))
    params = file.scopes[scope].params
    for place, (_, _, annotation, _) in enumerate(params):
        is_class = annotation >= 0 and file.entries[annotation][0] == m.SUBSCRIPT
        if is_class:
            maker, inner = declared.parts_of(file, annotation)
            annotation = inner[0] if maker in _CLASS_OF and inner else -1
        if annotation < 0 or file.entries[annotation][:2] != file.entries[variable][:2]:
            continue
        if _VARIABLE not in engine.values(path, variable, 0, fuel - NAME_STEP):
            return NOTHING
        given = parameters.given(engine, params, place, call, fuel - NAME_STEP)
        return frozenset((INSTANCE, *each[1:3], True) for each in given if each[0] == CLASS) if is_class else given
    return NOTHING


def _variable(file: File, annotation: int) -> int:
    """The name that a declared type is, but for None; -1."""
    if annotation >= 0 and file.entries[annotation][0] == m.SUBSCRIPT:
        name, inner = declared.parts_of(file, annotation)
        annotation = inner[0] if inner and name in UNIONS | TRANSPARENT else -1
    elif annotation >= 0 and file.entries[annotation][0] == m.BINARY:
        annotation = file.entries[annotation][2]
    return annotation if annotation >= 0 and file.entries[annotation][0] == m.NAME else -1


def _place(engine: Engine, file: File, owner: int, variable: str) -> int:
    """Which of a class's variables one is, by the order in which its bases name them; -1."""
    engine.seen.append(file.seen_head(owner))
    generic = [base for base in file.scopes[owner].bases if file.entries[base][0] == m.SUBSCRIPT]
    generic.sort(key=lambda base: file.last_name(file.entries[base][1]) not in _MAKERS)
    for base in generic[:1]:
        named = [file.last_name(each) for each in declared.parts_of(file, base)[1]]
        return named.index(variable) if variable in named else -1
    return -1
