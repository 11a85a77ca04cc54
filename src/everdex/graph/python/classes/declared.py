"""Pass 3, continued: what an annotation says a value is.

Classes of the root become open instances; unions, Optional and the like their parts; containers keep their element
types for when they are iterated or indexed. Callable, type variables and protocols of libraries say nothing.
"""

from __future__ import annotations

from typing import Any

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import BUILTIN_TYPES, NUMBERS, TYPES
from everdex.graph.python.classes import attributes, classes, protocols, records
from everdex.graph.python.classes.forms import AWAITABLES, CLASS_OF, ITERABLES, MAPPINGS, TRANSPARENT, UNIONS
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Argument
from everdex.graph.python.engine.engine import LOOKUP_STEP, NAME_STEP, Engine
from everdex.graph.python.engine.values import (
    AFFIXES,
    ANNOTATED,
    BUILTIN,
    CLASS,
    DISPLAY,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FORM,
    FUNCTION,
    INSTANCE,
    LITERAL,
    MAX_VALUES,
    NONE,
    NOTHING,
    PARTIAL,
    Value,
    Values,
    is_known,
    open_class,
    order,
    ordered,
    union,
    unknown,
)
from everdex.graph.python.file.around import binding_scope, look_around
from everdex.graph.python.file.files import File
from everdex.graph.python.names import names

_CONTAINERS = frozenset(("list", "dict", "tuple", "set", "frozenset"))
_PLAIN = frozenset(("int", "float", "complex", "bool", "bytes", "str"))
_SILENT = frozenset(("Any", "Callable", "TypeVar", "ParamSpec", "Protocol", "Hashable", "AnyStr"))


def instances(engine: Engine, file: File, expression: int, context: int, fuel: int) -> Values:
    """What a value declared with this type may be."""
    found: Values = engine.ask_within(
        ("instances", file.path, expression, context),
        fuel,
        lambda fuel: _instances(engine, file, expression, context, fuel),
        unknown("too many steps"),
    )
    return found


def plain(engine: Engine, function: Value) -> Values:
    """What a function gives back by a declaration that leaves nothing to be found in its body: None, or a number."""
    file = engine.file(function[1])
    own = file.scopes[function[2]]
    if own.annotation < 0 or own.flags & m.IS_ASYNC:
        return NOTHING
    found = at_once(engine, file, own.annotation)
    return NOTHING if (BUILTIN, "str") in found else found  # a text may name something


def at_once(engine: Engine, file: File, expression: int) -> Values:
    """What is declared to be None, a number or a text; nothing for all else."""
    entry = file.entries[expression]
    if entry[0] == m.LITERAL and entry[1] == "None":
        return frozenset((NONE,))
    if entry[0] != m.NAME or entry[1] not in _PLAIN or entry[2]:
        return NOTHING
    scope, name = file.where[expression], entry[1]
    home, _ = binding_scope(file, scope, name, later=True)
    engine.look_for(file.path, name)
    look_around(engine, file, scope, -1, name)
    return frozenset(((BUILTIN, name),)) if home < 0 else NOTHING


def _instances(engine: Engine, file: File, expression: int, context: int, fuel: int) -> Values:
    engine.seen.append(file.seen_at(expression))
    entry = file.entries[expression]
    kind = entry[0]
    if kind == m.SUBSCRIPT:
        return _generic(engine, file, entry, expression, context, fuel)
    if kind == m.BINARY and entry[1] == "|":
        return union(instances(engine, file, each, context, fuel) for each in (entry[2], entry[3]))
    if kind == m.LITERAL:
        if entry[1] == "str" and entry[2] and entry[2].isidentifier():
            values = names.by_name(engine, file, file.where[expression], entry[2], context, fuel, later=True)
            return union(_instance(engine, value, fuel) for value in values)
        return frozenset(((BUILTIN, "NoneType"),)) if entry[1] == "None" else unknown("annotation")
    if (kind == m.NAME and entry[1] == "Self") or (kind == m.ATTRIBUTE and entry[2] == "Self"):
        return _own_class(file, file.where[expression])
    return union(_instance(engine, value, fuel) for value in _named(engine, file, expression, context, fuel))


def _named(engine: Engine, file: File, expression: int, context: int, fuel: int) -> Values:
    """What a type's name stands for; one that nothing before it binds is looked up later, as if it were in quotes."""
    entry = file.entries[expression]
    if entry[0] == m.NAME and not entry[2]:
        return names.by_name(engine, file, file.where[expression], entry[1], context, fuel, later=True)
    return engine.values(file.path, expression, context, fuel)


def _own_class(file: File, scope: int) -> Values:
    while scope > 0:
        if file.scopes[scope].kind == m.CLASS_SCOPE:
            return frozenset(((INSTANCE, file.path, scope, True),))
        scope = file.scopes[scope].parent
    return unknown("annotation")


def _instance(engine: Engine, value: Value, fuel: int) -> Values:
    kind = value[0]
    if kind == CLASS:
        return frozenset(((INSTANCE, value[1], value[2], True),))
    if kind == EXTERNAL:
        name = value[1].rpartition(".")[2]
        if name in _SILENT:
            return unknown("annotation says nothing")
        if (value[1].startswith("builtins.") and name in (*TYPES, "type")) or name in _CONTAINERS:
            return frozenset(((BUILTIN, name),))
        return frozenset(((EXTERNAL_INSTANCE, value[1]),))
    if kind == FORM:
        return instances(engine, engine.file(value[1]), value[2], value[3], fuel - NAME_STEP)
    return unknown("annotation")


def parts_of(file: File, expression: int) -> tuple[str, list[int]]:
    """A generic type's last name and its arguments."""
    entry = file.entries[expression]
    key = file.entries[entry[2]]
    inner = list(key[2]) if key[0] == m.SEQUENCE and key[1] == "tuple" else [entry[2]]
    return file.last_name(entry[1]), inner


def _generic(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    name, inner = parts_of(file, expression)
    if name in TRANSPARENT:
        return instances(engine, file, inner[0], context, fuel) if inner else NOTHING
    if name in UNIONS:
        return union(instances(engine, file, each, context, fuel) for each in inner)
    if name in CLASS_OF:
        made = union(instances(engine, file, each, context, fuel) for each in inner)
        return frozenset(open_class(each[1], each[2]) for each in made if each[0] == INSTANCE)
    if name in AWAITABLES:
        return instances(engine, file, inner[-1], context, fuel) if inner else NOTHING
    if name in ITERABLES or name in MAPPINGS or name in ("tuple", "Tuple"):
        return frozenset(((ANNOTATED, file.path, expression, context),))
    if name in ("Callable", "Literal"):
        return unknown("annotation says nothing")
    values = _named(engine, file, entry[1], context, fuel - LOOKUP_STEP)
    made = union(_instance(engine, value, fuel) for value in values)
    if len(inner) == 1 and any(value[0] == INSTANCE for value in made):
        return made | {(ANNOTATED, file.path, expression, context)}
    return made


def element(engine: Engine, value: Value, fuel: int) -> Values:
    """What iterating an annotated container gives."""
    file = engine.file(value[1])
    name, inner = parts_of(file, value[2])
    if not attributes.is_container(engine, value):
        return _given(engine, value, "__iter__", fuel)
    if name in ("tuple", "Tuple"):
        return union(instances(engine, file, each, value[3], fuel) for each in inner)
    return instances(engine, file, inner[0], value[3], fuel) if inner else NOTHING


def item(engine: Engine, value: Value, index: int | str | None, fuel: int) -> Values:
    """What indexing one gives."""
    file = engine.file(value[1])
    name, inner = parts_of(file, value[2])
    if not attributes.is_container(engine, value):
        return _given(engine, value, "__getitem__", fuel)
    if name in MAPPINGS and len(inner) > 1:
        return instances(engine, file, inner[1], value[3], fuel)
    if name in ("tuple", "Tuple") and isinstance(index, int) and -len(inner) <= index < len(inner):
        chosen = inner[index]
        if file.entries[chosen][0] != m.LITERAL or file.entries[chosen][1] != "ellipsis":
            return instances(engine, file, chosen, value[3], fuel)
    return element(engine, value, fuel)


def _given(engine: Engine, value: Value, method: str, fuel: int) -> Values:
    """What a method of a generic class of the root gives that is declared to give what the class is made generic by."""
    file = engine.file(value[1])
    _, inner = parts_of(file, value[2])
    for kind in ordered(_named(engine, file, file.entries[value[2]][1], value[3], fuel - LOOKUP_STEP)):
        if kind[0] != CLASS:
            continue
        found, _ = classes.raw_attribute(engine, classes.mro(engine, kind[1], kind[2], fuel), method, fuel)
        for function in ordered(found):
            if function[0] == FUNCTION and _is_of_variable(engine, function, fuel):
                return instances(engine, file, inner[0], value[3], fuel - LOOKUP_STEP)
    return NOTHING


def _is_of_variable(engine: Engine, function: Value, fuel: int) -> bool:
    """`-> T`, or `-> Iterator[T]`, with a type variable T."""
    file = engine.file(function[1])
    said = file.scopes[function[2]].annotation
    if said >= 0 and file.entries[said][0] == m.SUBSCRIPT:
        name, inner = parts_of(file, said)
        said = inner[0] if name in ITERABLES and inner else -1
    if said < 0 or file.entries[said][0] != m.NAME:
        return False
    return (EXTERNAL_INSTANCE, "typing.TypeVar") in engine.values(file.path, said, 0, fuel - NAME_STEP)


def generic(engine: Engine, file: File, annotation: int, given: Values, context: int, fuel: int) -> Values:
    """What `C[X]` says beside an instance of C, a class of the root."""
    if file.entries[annotation][0] != m.SUBSCRIPT or not any(value[0] == INSTANCE for value in given):
        return NOTHING
    said = instances(engine, file, annotation, context, fuel)
    return frozenset(each for each in said if each[0] == ANNOTATED and not attributes.is_container(engine, each))


def typed(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """`x: T = value`: the value when something is known of it, else an instance of T."""
    given = engine.values(file.path, entry[2], context, fuel) if entry[2] >= 0 else NOTHING
    useful = frozenset(
        value for value in given
        if value[0] not in ("unknown", EXTERNAL_INSTANCE) and value != (BUILTIN, "NoneType")
    )  # fmt: skip
    if useful and not (all(value[0] == DISPLAY for value in useful) and _is_bare(engine, useful, fuel)):
        return given | generic(engine, file, entry[1], given, context, fuel)
    declared = instances(engine, file, entry[1], context, fuel)
    return union((given, declared))


def _is_bare(engine: Engine, displays: Values, fuel: int) -> bool:
    """Whether nothing is known of what containers hold: they begin empty, and who fills them is not found."""
    return not any(is_known(containers.item(engine, each, None, fuel)) for each in ordered(displays))


def cast(engine: Engine, kind: Argument, given: Values, fuel: int) -> Values:
    """What `cast(T, value)` is: what T says; of a protocol, which is met without being named, what the value is."""
    by_type = instances(engine, engine.file(kind.path), kind.expression, kind.context, fuel)
    kinds = [each for each in ordered(by_type) if each[0] == INSTANCE]
    if not kinds:  # of a variable, `cast(F, wrapper)`, nothing is said that the value does not say
        return union((given, by_type)) if is_known(by_type) or not is_known(given) else given
    is_met = bool(given) and all(protocols.is_protocol(engine, each[1], each[2]) for each in kinds)
    return given if is_met and all(each[0] in _MEETING for each in given) else by_type


_MEETING = frozenset((FUNCTION, CLASS, INSTANCE, PARTIAL))


def narrowed(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """What isinstance() leaves of a value: its instances of the classes, or any of them when there are none, when not
    all that it may be is known, or when it may be more things than are followed."""
    given = engine.values(file.path, entry[1], context, fuel)
    if file.entries[entry[2]][0] == m.LITERAL:
        return _begun(given, file.entries[entry[2]][2])
    wanted = _classes(engine, file, entry[2], context, fuel)
    inside = [each for each in wanted if each[0] == CLASS]
    if not inside:
        what = file.entries[entry[2]]
        count = len(what[2]) if what[0] == m.SEQUENCE else 1
        return _of_builtins(engine, given, wanted, fuel) if len(wanted) == count else given
    kept: list[Value] = []
    missing = dict.fromkeys(inside)
    for value in given:
        if value[0] == INSTANCE:
            line = classes.mro(engine, value[1], value[2], fuel)
            found = [each for each in inside if each in line or protocols.is_met(engine, each, line, fuel)]
            if found:
                kept.append(value)
                for each in found:
                    missing.pop(each, None)
        elif len(inside) < len(wanted) and value[0] != "unknown":
            kept.append(value)  # one of the classes is from outside
    if any(value[0] in ("unknown", "many") for value in given):
        kept.extend((INSTANCE, each[1], each[2], True) for each in inside)
    elif not kept:
        kept.extend((INSTANCE, each[1], each[2], True) for each in missing)
    if len(inside) == len(wanted) and len(kept) > attributes.MAX_BASES:
        return frozenset((INSTANCE, each[1], each[2], True) for each in inside)
    return frozenset(kept) if len(kept) <= MAX_VALUES else given


def narrowed_class(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """What issubclass() leaves of a value: the classes below, or any of them when there are none."""
    given = engine.values(file.path, entry[1], context, fuel)
    wanted = [each for each in _classes(engine, file, entry[2], context, fuel) if each[0] == CLASS]
    is_one_of_several = len(wanted) > 1 and file.entries[entry[2]][0] != m.SEQUENCE  # and nobody knows which
    if not wanted or is_one_of_several:
        return given
    kinds = [each for each in given if each[0] == CLASS]
    kept = [each for each in kinds if not set(wanted).isdisjoint(classes.mro(engine, each[1], each[2], fuel))]
    return frozenset(kept) if kept else frozenset(open_class(each[1], each[2]) for each in wanted)


def _of_builtins(engine: Engine, given: Values, wanted: list[Value], fuel: int) -> Values:
    """What is left where only builtin types are asked for: nothing that the root defines and that is none of them."""
    types = ["float" if each[1] in NUMBERS else each[1].removeprefix("builtins.") for each in wanted]
    if not BUILTIN_TYPES.issuperset(types):
        return given
    kept = frozenset(each for each in given if not _is_none_of(engine, each, fuel))
    return kept or (frozenset((BUILTIN, each) for each in types) if given else given)


def _is_none_of(engine: Engine, value: Value, fuel: int) -> bool:
    """Whether a value is no text, number or container: a function or class, or of a class with no base from outside."""
    if value[0] != INSTANCE:
        return value[0] in (FUNCTION, CLASS)
    below = classes.subclasses(engine, value[1], value[2], fuel - LOOKUP_STEP) if value[3] else ()
    kinds = [value, *(below or ())]
    return below is not None and not any(classes.outside(classes.mro(engine, each[1], each[2], fuel)) for each in kinds)


def _begun(given: Values, text: str) -> Values:
    """What startswith() leaves of a value: the texts that begin so; of what is not known it tells more."""
    kept = [
        each for each in given
        if each[0] not in (LITERAL, AFFIXES) or str(each[2] if each[0] == LITERAL else each[1]).startswith(text)
    ]  # fmt: skip
    if len(kept) == len(given) and not any(each == (BUILTIN, "str") or each[0] == "unknown" for each in given):
        return given
    return frozenset((*(each for each in kept if each != (BUILTIN, "str")), (AFFIXES, text, "")))


def _classes(engine: Engine, file: File, expression: int, context: int, fuel: int) -> list[Value]:
    entry = file.entries[expression]
    if entry[0] == m.SEQUENCE:
        return [found for each in entry[2] for found in _classes(engine, file, each, context, fuel)]
    if entry[0] == m.BINARY and entry[1] == "|":
        return [found for each in entry[2:4] for found in _classes(engine, file, each, context, fuel)]
    values = engine.values(file.path, expression, context, fuel)
    return sorted((each[:3] for each in values if each[0] in (CLASS, EXTERNAL)), key=order)


def matched(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """What a class pattern takes by place: the attribute that __match_args__ or the declared fields name."""
    parts: list[Values] = []
    for value in engine.values(file.path, entry[1], context, fuel):
        if value[0] != INSTANCE:
            continue
        names = _match_names(engine, value, fuel)
        if entry[2] < len(names):
            parts.append(attributes.read(engine, value, names[entry[2]], fuel, file.path))
    return union(parts) or unknown("pattern")


def _match_names(engine: Engine, value: Value, fuel: int) -> list[str]:
    line = classes.mro(engine, value[1], value[2], fuel)
    found, owner = classes.raw_attribute(engine, line, "__match_args__", fuel)
    if owner is None:
        return records.fields(engine, line)
    names: list[str] = []
    for each in found:
        if each[0] == DISPLAY:
            file = engine.file(each[1])
            written = file.entries[each[2]]
            members = [file.entries[part] for part in written[2]] if written[0] == m.SEQUENCE else []
            names = [part[2] for part in members if part[0] == m.LITERAL and isinstance(part[2], str)]
    return names
