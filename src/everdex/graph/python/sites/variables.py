"""Variables: names that modules and classes assign to, attributes that methods store on self, and what means them.

An attribute belongs to the first class of the line whose body binds it, and else to the last one whose methods store
it: what a subclass stores in an attribute of its base is the base's. Local variables are none. It does not follow
setattr(), __dict__, or keywords that become attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.model import Status, Target
from everdex.graph.python.builtins import methods
from everdex.graph.python.classes import classes
from everdex.graph.python.engine.engine import FUEL, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    BUILTIN,
    CLASS,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    HANDED_OUT,
    INSTANCE,
    KEEPING,
    MANY,
    MODULE,
    SUPER,
    UNKNOWN,
    Value,
    Values,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.names import names
from everdex.graph.python.sites.targets import Answer

_MAX_BASES: Final = 16  # a receiver that may be more things than this is not followed


class Variable(NamedTuple):
    """One variable of a file, where it is first assigned."""

    scope: int  # of the module or class it belongs to
    name: str
    start: int
    end: int
    name_start: int
    is_alias: bool
    annotation: int  # expression or -1
    is_inside: bool  # only bodies of functions assign it


class Written(NamedTuple):
    """One assignment to a name of a module or class."""

    home: int
    name: str
    where: int  # the scope it stands in
    start: int
    end: int
    is_value: bool  # not only an annotation, nor a `type` statement


def key_of(file: File, scope: int, name: str) -> str:
    around = file.scopes[scope].key
    return f"{around}.{name}" if around else name


def is_bare(file: File, value: int) -> bool:
    """An annotation without a value: it declares and does not write."""
    entry = file.entries[value]
    return bool(entry[0] == m.TYPED and entry[2] < 0)


# -- of one file -------------------------------------------------------------------------------


def written(file: File) -> list[Written]:
    """Assignments to names of modules and classes."""
    found = []
    flat = iter(file.places.writes)
    for binding, where, start, length, whole in zip(flat, flat, flat, flat, flat, strict=True):
        home, name, value, _ = file.bindings[binding]
        is_value = whole != m.ALIAS and not is_bare(file, value)
        found.append(Written(home, name, where, start, start + length, is_value))
    return found


def variables(file: File, is_own: Callable[[int, str], bool]) -> list[Variable]:
    """The variables of a file that no function or class of the same name hides.

    `is_own` says whether an attribute that methods of a class give to self belongs to that class.
    """
    found: dict[str, Variable] = {}
    flat = iter(file.places.writes)
    for binding, _, start, length, whole in zip(flat, flat, flat, flat, flat, strict=True):
        home, name, value, flag = file.bindings[binding]
        key = key_of(file, home, name)
        inside = flag == m.FROM_INSIDE
        known = found.get(key)
        if known is None or (known.is_inside and not inside):
            entry = file.entries[value]
            annotation = entry[1] if entry[0] == m.TYPED else -1
            end = start + max(length, whole)
            found[key] = Variable(home, name, start, end, start, whole == m.ALIAS, annotation, inside)
    for store, value, _, name, owner in file.facts.stores:
        if owner < 0 or not is_own(owner, name) or (name in file.names[owner] and not file.is_variable(owner, name)):
            continue
        key = key_of(file, owner, name)
        start = file.places.starts[store]
        known = found.get(key)
        if known is None or (known.is_inside and start < known.start):
            entry = file.entries[value]
            annotation = entry[1] if entry[0] == m.TYPED else -1
            end = start + file.places.lengths[store]
            found[key] = Variable(owner, name, start, end, end - len(name.encode()), False, annotation, True)
    return [variable for key, variable in found.items() if key not in file.scope_by_key]


# -- what means them ---------------------------------------------------------------------------


def home_of(engine: Engine, path: str, scope: int, name: str) -> Value | None:
    """The class to which an attribute of this class belongs; None when nothing in its line has it."""

    def answer(fuel: int) -> Value | None:
        return _home(engine, classes.mro(engine, path, scope, fuel), name)

    found: Value | None = engine.ask(("home", path, scope, name), FUEL, answer, None)
    return found


def _home(engine: Engine, line: tuple[Value, ...], name: str) -> Value | None:
    last: Value | None = None
    for owner in line:
        if owner[0] == CLASS:
            file = engine.look_up(owner[1], owner[2], name)
            if name in file.names[owner[2]]:
                return owner
            if name in file.self_stores.get(owner[2], ()):
                last = owner
    return last


def _target(engine: Engine, home: Value, name: str, *, only_variables: bool) -> Target | None:
    """The attribute of its class; None when it is no variable, or none that is written here.

    A name that decorators stand before is one: it holds what they give back, and means what they are given.
    """
    file, scope = engine.file(home[1]), home[2]
    key = file.decorated(scope, name)
    if key:
        return Target(home[1], key)
    key = key_of(file, scope, name)
    if file.is_variable(scope, name) or name not in file.names[scope]:
        return Target(home[1], key) if key not in file.scope_by_key or not only_variables else None
    return Target(home[1], key) if not only_variables and key in file.scope_by_key else None


def _below(engine: Engine, value: Value, name: str, home: Value | None) -> tuple[list[Target], bool]:
    """What classes below a receiver's have in the place of its attribute; whether they are too many to be sure."""
    below = classes.subclasses(engine, value[1], value[2], FUEL - LOOKUP_STEP) or ()
    found: dict[Target, None] = {}
    for each in below:
        if home is None:
            other = home_of(engine, each[1], each[2], name)
        else:
            other = each if name in engine.look_up(each[1], each[2], name).names[each[2]] else None
        target = _target(engine, other, name, only_variables=True) if other is not None else None
        if target is not None:
            found[target] = None
        if len(found) > classes.MAX_AMBIGUOUS_OVERRIDES:
            return [], True
    return list(found), len(found) > classes.MAX_OVERRIDES


def of_class(engine: Engine, value: Value, name: str) -> tuple[tuple[Target, ...], bool]:
    """The variables that reading an attribute of a class or an instance may mean; whether there may be others."""

    def answer(fuel: int) -> tuple[tuple[Target, ...], bool]:
        home = home_of(engine, value[1], value[2], name)
        own = _target(engine, home, name, only_variables=True) if home is not None else None
        if value[0] != INSTANCE or not value[3] or (home is not None and own is None):
            return ((own,) if own is not None else ()), False
        below, many = _below(engine, value, name, home)
        return tuple(dict.fromkeys((own, *below) if own is not None else below)), many

    found: tuple[tuple[Target, ...], bool] = engine.ask(("variables", *value, name), FUEL, answer, ((), False))
    return found


def of_module(engine: Engine, path: str, name: str, *, only_variables: bool = True) -> Target | None:
    """The variable that a module gives under a name, wherever it comes from."""
    (kind, *place), there = names.landing(engine, path, name)
    if kind != MODULE:
        return None
    file = engine.look_for(place[0], there)
    key = file.decorated(0, there)
    if key:
        return Target(place[0], key)
    if file.is_variable(0, there) and (there not in file.scope_by_key or not only_variables):
        return Target(place[0], there)
    return Target(place[0], there) if not only_variables and there in file.scope_by_key else None


def imported(engine: Engine, file: File, entry: tuple[int, int, str, str]) -> Target | None:
    """The variable that `from module import name` takes."""
    _, level, module, name = entry
    source = names.source_of(engine, file.path, level, module)
    return of_module(engine, source[1], name) if source[0] == MODULE and source[1] != file.path else None


def read(engine: Engine, bases: Values, name: str) -> Answer | None:
    """The variables that reading `x.name` names, for what x may be."""
    if len(bases) > _MAX_BASES:
        return None
    found: set[Target] = set()
    many = False
    for value in bases:
        if value[0] == INSTANCE or value[0] == CLASS:
            targets, more = of_class(engine, value, name)
            found.update(targets)
            many = many or more
        elif value[0] == MODULE:
            target = of_module(engine, value[1], name)
            if target is not None:
                found.add(target)
        elif value[0] == SUPER:
            found.update(_of_super(engine, value, name))
    return _answer(found, many, bases) if found else None


def _answer(found: set[Target], many: bool, bases: Values) -> Answer:
    targets = tuple(sorted(found, key=lambda each: (each.path, each.key)))
    if HANDED_OUT in bases:
        return Answer(Status.AMBIGUOUS, targets, HANDED_OUT[1])
    return Answer(Status.AMBIGUOUS, targets, "too many candidates") if many else Answer(Status.RESOLVED, targets, "")


def _of_super(engine: Engine, value: Value, name: str) -> list[Target]:
    line = classes.mro(engine, value[1], value[2], FUEL)[1:]
    home = _home(engine, line, name)
    target = _target(engine, home, name, only_variables=True) if home is not None else None
    return [target] if target is not None else []


def stored(engine: Engine, bases: Values, name: str) -> Answer:
    """What assigning to `x.name` writes, for what x may be."""
    inside: set[Target] = set()
    outside: set[str] = set()
    reasons: set[str] = set()
    many, never = len(bases) > _MAX_BASES, False
    for value in bases if not many else ():
        kind = value[0]
        target: Target | None = None
        if kind in (INSTANCE, CLASS):
            home = home_of(engine, value[1], value[2], name)
            target = _target(engine, home, name, only_variables=False) if home is not None else None
            base = classes.outside(classes.mro(engine, value[1], value[2], FUEL)) if target is None else ""
            if base:
                outside.add(f"{base}.{name}")
            elif target is None:
                reasons.add("no such attribute")
        elif kind == MODULE:
            target = of_module(engine, value[1], name, only_variables=False)
            if target is None:
                reasons.add("no such name in module")
        elif kind in (EXTERNAL, EXTERNAL_INSTANCE, KEEPING):
            outside.add(f"{value[1]}.{name}")
        elif kind == BUILTIN and value[1] == "NoneType":
            never = True
        elif kind == BUILTIN:
            outside.add(f"builtins.{methods.type_name(engine, value)}.{name}")
        elif kind == UNKNOWN:
            reasons.add(value[1])
        elif kind == MANY:
            many = True
        else:
            reasons.add("attribute of a function" if kind == FUNCTION else "no such attribute")
        if target is not None:
            inside.add(target)
    if inside:
        return _answer(inside, many, bases)
    if many:
        return Answer(Status.UNRESOLVED, (), "too many candidates")
    if outside and not reasons:
        return Answer(Status.EXTERNAL, tuple(Target("", each) for each in sorted(outside)[:4]), "")
    otherwise = "receiver is None" if never else "nothing is known of it"
    return Answer(Status.UNRESOLVED, (), min(reasons, default=otherwise))


def overridden(engine: Engine, file: File, scope: int, name: str) -> Target | None:
    """What a variable of a class's body replaces in the classes above."""
    line = classes.mro(engine, file.path, scope, FUEL)[1:]
    home = _home(engine, line, name)
    return _target(engine, home, name, only_variables=False) if home is not None else None
