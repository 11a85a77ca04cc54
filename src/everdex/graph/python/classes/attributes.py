"""Pass 3, continued: what `x.name` is, for every kind of x. Each kind has its own small rule in one table.

Reading a property gives what its getter returns. Attributes of things from outside stay outside.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import BUILTIN_ATTRIBUTES, BUILTIN_TYPES, EXPECTS, FUNCTION_ATTRIBUTES
from everdex.graph.python.calls import calls, parsed
from everdex.graph.python.classes import classes, homes, made_classes, members, overrides, stored, supers
from everdex.graph.python.classes.forms import ITERABLES, MAPPINGS
from everdex.graph.python.containers import iteration
from everdex.graph.python.engine.engine import CALL_STEP, FUEL, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    AFFIXES,
    ANNOTATED,
    BUILTIN,
    CLASS,
    DISPLAY,
    EXPECTED,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    IMPOSSIBLE,
    INSTANCE,
    KEYED,
    LIST,
    LITERAL,
    MADE,
    MANY,
    METHOD,
    MODULE,
    NAMESPACE,
    NO_RECEIVER,
    NONE,
    NOT_BUILTIN,
    NOTHING,
    OBJECT,
    PAIRS,
    PARTIAL,
    PROPERTY,
    ROW,
    SUPER,
    TEXT,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    alike,
    are_more,
    is_known,
    is_open,
    union,
    unknown,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.names import names, spelling, standard

MAX_APART: Final = 4  # of more values objects of one class are not told apart, nor beside one that is not known
MAX_BASES: Final = 16  # a receiver that may be more things than this is not followed
MAX_ASSIGNED: Final = 8  # assignments of one attribute in a file that are looked at
_PARSED: Final = (EXTERNAL_INSTANCE, parsed.ARGUMENTS)
_PARTS: Final = {"fget": 1, "fset": 2, "fdel": 3}  # of a property that is read of its class
_STOPPED: Final = (EXTERNAL_INSTANCE, "builtins.StopIteration")
_ENUM_VALUE: Final = frozenset(("value", "_value_"))


def attribute(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    found = raw(engine, file, entry, expression, context, fuel)
    if _is_plain(found):
        return found
    file.computed.add(expression)
    return taken(engine, found, fuel)


def before_getters(engine: Engine, file: File, entry: Any, expression: int) -> Values:
    """What stands for an attribute before properties are read: the value, where none is."""
    if expression in file.answers and expression not in file.computed:
        return engine.values(file.path, expression, 0, FUEL)
    return engine.evaluated(file, entry, expression, 0, FUEL, raw, _is_plain)


def _is_plain(found: Values) -> bool:
    return PROPERTY not in [value[0] for value in found]


def read(engine: Engine, value: Value, wanted: str, fuel: int, importer: str) -> Values:
    """One value's attribute, as reading it gives it."""
    return taken(engine, of(engine, value, wanted, fuel, importer), fuel)


def taken(engine: Engine, found: Values, fuel: int) -> Values:
    """What reading gives where this is found: properties run."""
    if _is_plain(found):
        return found
    parts = [frozenset(value for value in found if value[0] != PROPERTY)]
    for value in found:
        if value[0] == PROPERTY and value[1] is not None:
            parts.append(
                calls.result(engine, value[1], (), (), fuel - CALL_STEP)
                if is_bound(value[1])
                else frozenset((value,))
            )
    return union(parts)


def is_bound(getter: Value) -> bool:
    """Whether reading the attribute runs it, rather than giving the property."""
    function = getter[1] if getter[0] == PARTIAL else getter
    return bool(function[0] == FUNCTION and function[4] is not None)


def raw(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """The same before properties are read."""
    bases = engine.values(file.path, entry[1], context, fuel)
    if len(bases) > 1 and (len(bases) > MAX_APART or any(each[0] in (UNKNOWN, MANY) for each in bases)):
        bases = alike(bases)
    if len(bases) > MAX_BASES and are_more(_without_builtin(engine, bases, entry[2]), MAX_BASES):
        return _of_many(engine, bases, entry[2], fuel, file.path)
    if entry[2] in _ENUM_VALUE:
        member = _member_value(engine, file, entry, bases, context, fuel)
        if member:
            return member
        if _STOPPED in bases:
            return iteration.outcomes(engine, file, expression, context, fuel) or frozenset((_STOPPED,))
    if len(bases) == 1:
        (base,) = bases
        found = of(engine, base, entry[2], fuel, file.path)
    else:
        found = union([of(engine, base, entry[2], fuel, file.path) for base in bases])
    if not found.isdisjoint(IMPOSSIBLE):
        found = found - IMPOSSIBLE or found
    return found if is_known(found) else union((found, _assigned_here(engine, file, entry, context, fuel)))


def _of_many(engine: Engine, bases: Values, wanted: str, fuel: int, importer: str) -> Values:
    chosen = homes.gathered(engine, bases, wanted, fuel)
    if are_more(_without_builtin(engine, frozenset(chosen), wanted), MAX_BASES):
        return unknown("too many candidates")
    parts = []
    for base, home in chosen.items():
        found = of(engine, base, wanted, fuel, importer)
        parts.append(found if home is None else homes.of_any(found, base, home))
    joined = union(parts)
    return joined - IMPOSSIBLE or joined


def _assigned_here(engine: Engine, file: File, entry: Any, context: int, fuel: int) -> Values:
    """What the same function assigns to the same attribute of the same name, of which nothing else is known."""
    base = file.entries[entry[1]]
    if base[0] != m.NAME:
        return NOTHING
    engine.seen.append(file.seen_stores(entry[2]))
    stores = file.other_stores.get(entry[2])
    if stores is None:
        return NOTHING
    return union(
        engine.values(file.path, value, context, fuel - LOOKUP_STEP)
        for other, value in stores[:MAX_ASSIGNED]
        if file.where[other] == file.where[entry[1]] and file.entries[other][:3] == base[:3]
    )


def of(engine: Engine, value: Value, wanted: str, fuel: int, importer: str) -> Values:
    kind = value[0]
    if kind == INSTANCE and wanted == "__class__":
        return classes.kinds(engine, value, fuel)
    if kind == INSTANCE:
        return classes.instance_attribute(engine, value, wanted, fuel - LOOKUP_STEP, importer)
    if kind == CLASS:
        return _class(engine, value, wanted, fuel, importer)
    if kind in (MODULE, NAMESPACE):
        found = names.attribute_of(engine, value, wanted, fuel, importer)
        if kind == MODULE:
            found = union((found, names.replaced(engine, value[1], wanted, fuel)))
        return found or unknown("no such name in module")
    if kind in (EXTERNAL, EXTERNAL_INSTANCE):
        known = parsed.attribute(engine, wanted, fuel, importer) if value == _PARSED else NOTHING
        if kind == EXTERNAL_INSTANCE and _is_error_without(value[1], wanted):
            known = _of_errors_below(engine, value[1], wanted, fuel, importer)
        outside = known or frozenset(((EXTERNAL, f"{value[1]}.{wanted}"),))
        return union((outside, stored.on_outside(engine, value, wanted, fuel - LOOKUP_STEP, importer)))
    if kind in (UNKNOWN, MANY):
        return frozenset((value,))
    if kind in (MADE, OBJECT):
        return made_classes.attribute(engine, value, wanted, fuel - LOOKUP_STEP, importer)
    if kind == EXPECTED:
        is_raised = wanted == EXPECTS[value[1].rpartition(".")[2]]
        return value[2] if is_raised else frozenset(((EXTERNAL, f"{value[1]}.{wanted}"),))
    if kind == SUPER:
        return supers.super_attribute(engine, value, wanted, fuel - LOOKUP_STEP)
    if kind == PARTIAL and wanted == "func":
        return frozenset((value[1],))
    if kind == PROPERTY and wanted in _PARTS:
        part: Value | None = value[_PARTS[wanted]]
        return NOTHING if part is None else frozenset((part,))
    if kind == FUNCTION:
        return _function(engine, value, wanted, fuel)
    if value == NONE and wanted not in standard.OBJECT:
        return frozenset((NO_RECEIVER,))
    if kind == ROW and wanted in value[1]:
        field: Values = value[2][value[1].index(wanted)]
        return field
    if kind == ROW:
        assigned = stored.elsewhere(engine, value, wanted, fuel - LOOKUP_STEP)
        if assigned:
            return assigned
    if kind == ANNOTATED and not is_container(engine, value):
        return frozenset((NOT_BUILTIN,))  # the instance beside it has what its class has
    if wanted not in BUILTIN_ATTRIBUTES and _is_builtin(engine, value):
        return frozenset((NOT_BUILTIN,))
    if kind == BUILTIN and value[1] in _ANYTHING and standard.is_without(value[1], wanted):
        return unknown("annotation says nothing")
    return frozenset(((METHOD, value, wanted),))


def _is_error_without(dotted: str, wanted: str) -> bool:
    """Whether it is a builtin exception that has no such attribute: then one of a class below it was caught."""
    module, _, name = dotted.rpartition(".")
    return module == "builtins" and standard.is_error(name) and standard.is_without(name, wanted)


def _of_errors_below(engine: Engine, dotted: str, wanted: str, fuel: int, importer: str) -> Values:
    below = classes.below_outside(engine, dotted, fuel - LOOKUP_STEP)
    if len(below) > MAX_BASES:
        return NOTHING
    found = union(of(engine, (INSTANCE, each[1], each[2], False), wanted, fuel, importer) for each in below)
    return frozenset(value for value in found if value[0] not in (UNKNOWN, EXTERNAL))


def _without_builtin(engine: Engine, bases: Values, wanted: str) -> Values:
    """Those that may have an attribute, but for modules, which are few: values of builtin types have none of another
    name."""
    others = frozenset(value for value in bases if value[0] != MODULE)
    if wanted in BUILTIN_ATTRIBUTES:
        return others
    return frozenset(value for value in others if not _is_builtin(engine, value))


def is_container(engine: Engine, value: Value) -> bool:
    """Whether a generic type that was declared is a container from outside; else it is a class of the root."""
    file = engine.file(value[1])
    return file.last_name(file.entries[value[2]][1]) in _CONTAINERS


def _is_builtin(engine: Engine, value: Value) -> bool:
    """Whether it is of a builtin type; a container that a call makes may be a library's."""
    if value[0] == DISPLAY:
        return engine.file(value[1]).entries[value[2]][0] in (m.SEQUENCE, m.DICT, m.COMPREHENSION, m.BINARY)
    if value[0] == ANNOTATED:
        file = engine.file(value[1])
        return file.last_name(file.entries[value[2]][1]).lower() in BUILTIN_TYPES
    return value[0] in _BUILT_IN or (value[0] == BUILTIN and value[1] in BUILTIN_TYPES)


_ANYTHING: Final = ("type", "object")  # what is declared so may be of any class
_CONTAINERS: Final = ITERABLES | MAPPINGS | {"tuple", "Tuple"}
_BUILT_IN: Final = frozenset((LIST, TUPLE, KEYED, PAIRS, LITERAL, AFFIXES))


def _class(engine: Engine, value: Value, wanted: str, fuel: int, importer: str) -> Values:
    if wanted == "__name__":
        return _name(engine, value, fuel)
    if wanted in ("__qualname__", "__module__", "__doc__"):
        return TEXT
    found = classes.class_attribute(engine, value[1], value[2], wanted, fuel - LOOKUP_STEP, importer)
    if is_open(value):  # a class method is called on whichever class it is
        own = value[:3]
        found = frozenset((*each[:4], value) if each[0] == FUNCTION and each[4] == own else each for each in found)
    if is_open(value) and any(each[0] in _REPLACED for each in found):
        _, home = classes.raw_attribute(engine, classes.mro(engine, value[1], value[2], fuel), wanted, fuel)
        below, _ = overrides.overriding(engine, value[1], value[2], wanted, found, home, fuel)
        found = union((found, frozenset(map(_read_of_class, below))))
    if any(each[0] in _DATA for each in found) and members.is_enum(engine, value, fuel):
        return frozenset(((INSTANCE, value[1], value[2], False), *(each for each in found if each[0] not in _DATA)))
    return found


def _name(engine: Engine, value: Value, fuel: int) -> Values:
    """What a class is called; where it may be one below it, what each of these is, if they are few."""
    below = classes.subclasses(engine, value[1], value[2], fuel - LOOKUP_STEP) if is_open(value) else ()
    if below is None or len(below) > MAX_BASES:
        return TEXT
    kinds = (value, *below)
    return frozenset((LITERAL, "str", engine.file(each[1]).scopes[each[2]].name) for each in kinds)


def _read_of_class(value: Value) -> Value:
    """What an instance would have bound, as its class has it."""
    return (*value[:4], None) if value[0] == FUNCTION and value[4] is not None and value[4][0] == INSTANCE else value


_REPLACED: Final = frozenset((FUNCTION, CLASS, INSTANCE))  # what classes below put another in the place of
_DATA: Final = frozenset(("literal", "builtin", "display", "tuple", "external instance"))


def _member_value(engine: Engine, file: File, entry: Any, bases: Values, context: int, fuel: int) -> Values:
    """What a member of an enumeration was made from: of this member when it is named, else of any."""
    kinds = {value for value in bases if value[0] == INSTANCE and members.is_enum(engine, value, fuel)}
    if len(kinds) != 1:
        return NOTHING
    (kind,) = kinds
    owner = engine.look_at(kind[1], kind[2])
    named = file.entries[entry[1]]
    if named[0] == m.ATTRIBUTE and named[2] in owner.names[kind[2]]:
        wanted = [named[2]]
    else:
        wanted = members.names(owner, kind[2])
    if len(wanted) > members.MAX_MEMBERS:
        return NOTHING
    bindings = [number for name in wanted for number in owner.final(kind[2], name)]
    return union(engine.values(kind[1], owner.bindings[each][2], 0, fuel - LOOKUP_STEP) for each in bindings)


def _function(engine: Engine, value: Value, wanted: str, fuel: int) -> Values:
    if wanted in ("__self__", "im_self") and value[4] is not None:
        return frozenset((value[4],))
    if wanted == "__func__":
        return frozenset(((*value[:4], None),))
    if wanted == "__wrapped__":
        wrapped = _wrapped(engine, value, fuel)
        if wrapped:
            return wrapped
    file = engine.file(value[1])
    engine.seen.append(file.seen_stores(wanted))
    parts = []
    for base, given in file.other_stores.get(wanted, ())[:8]:
        if any(each[:3] == value[:3] for each in engine.values(value[1], base, 0, fuel - LOOKUP_STEP)):
            parts.append(engine.values(value[1], given, 0, fuel - LOOKUP_STEP))
    if wanted == "__name__" and not parts and file.scopes[file.scopes[value[2]].parent].kind in _KEEPING_NAMES:
        return frozenset(((LITERAL, "str", file.scopes[value[2]].name),))
    if parts or wanted in FUNCTION_ATTRIBUTES or _is_dressed_outside(engine, file, value[2], fuel):
        return union(parts) or frozenset(((METHOD, value, wanted),))
    return unknown("no such attribute")


_KEEPING_NAMES: Final = frozenset((m.MODULE_SCOPE, m.CLASS_SCOPE))  # one that a function makes may be given another's


def _wrapped(engine: Engine, value: Value, fuel: int) -> Values:
    """What a function says it stands for: `@wraps(f)`."""
    file = engine.look_at(value[1], value[2])
    parts: list[Values] = []
    for each in file.scopes[value[2]].decorators:
        entry = file.entries[file.entries[each][1]]
        is_given = entry[0] == m.CALL and entry[2]
        callees = engine.values(value[1], entry[1], 0, fuel - LOOKUP_STEP) if is_given else NOTHING
        if (EXTERNAL, "functools.wraps") in callees:
            parts.append(engine.values(value[1], entry[2][0], value[3], fuel - LOOKUP_STEP))
    return union(parts)


def _is_dressed_outside(engine: Engine, file: File, scope: int, fuel: int) -> bool:
    """Whether something from outside decorates a function: what that makes of it may have more than a function has."""
    return any(
        each[0] in (EXTERNAL, EXTERNAL_INSTANCE)
        for number in file.scopes[scope].decorators
        for each in engine.values(file.path, file.entries[number][1], 0, fuel - LOOKUP_STEP)
    )


def fitting(engine: Engine, value: Value, text: Value, fuel: int) -> Values:
    """What an instance, class or module has whose name begins and ends like this: what a computed name may mean."""
    if value[0] not in (INSTANCE, CLASS, MODULE):
        return NOTHING
    if value[0] == MODULE:
        names_there = engine.look_over(value[1], 0).names[0]
        return union(of(engine, value, each, fuel, value[1]) for each in names_there if spelling.fits(text, each))
    line = classes.mro(engine, value[1], value[2], fuel)
    below = classes.subclasses(engine, value[1], value[2], fuel - LOOKUP_STEP) if is_open(value) else ()
    wanted: dict[str, None] = {}
    for owner in (*line, *(below or ())):
        if owner[0] == CLASS:
            file = engine.look_over(owner[1], owner[2])
            wanted.update(dict.fromkeys(name for name in file.names[owner[2]] if spelling.fits(text, name)))
    return union(of(engine, value, each, fuel, value[1]) for each in wanted)
