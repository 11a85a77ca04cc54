"""Pass 4a: what a parameter may be: its call's argument, its annotation, its default, what known callers pass.

Inside one call's context the argument decides. Otherwise `self` is an instance of its class, an annotation decides
when it names something known, and else those are asked who call the function (`callers`).
"""

from __future__ import annotations

from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.calls import callers, operations, registered
from everdex.graph.python.classes import (
    attributes,
    classes,
    declared,
    descriptors,
    made_classes,
    metaclasses,
    named_stores,
    protocols,
    running,
)
from everdex.graph.python.classes.forms import MAPPINGS
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Argument, Context
from everdex.graph.python.engine.engine import CALLERS_STEP, LOOKUP_STEP, NAME_STEP, Engine
from everdex.graph.python.engine.values import (
    ANNOTATED,
    BUILTIN,
    CLASS,
    DISPLAY,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    KEYED,
    LIST,
    MADE,
    NOTHING,
    PAIRS,
    PARTIAL,
    TEXT,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    alike,
    is_known,
    is_open,
    open_class,
    ordered,
    union,
    unknown,
)
from everdex.graph.python.file.around import binding_scope
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import adopted_key
from everdex.graph.python.sites import fixtures

_CLASS_FIRST: Final = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))
_TOO_MANY: Final = unknown("too many callers")
_SILENT: Final = unknown("annotation says nothing")
MAX_ADOPTING: Final = 8  # classes that one function is stored on
_MEETING: Final = frozenset((INSTANCE, FUNCTION, CLASS, PARTIAL, DISPLAY, LIST, TUPLE))  # what meets one, or may
_BINARY: Final = frozenset((
    "__eq__", "__ne__", "__lt__", "__gt__", "__le__", "__ge__", "__add__", "__sub__", "__mul__", "__truediv__",
    "__floordiv__", "__mod__", "__pow__", "__and__", "__or__", "__xor__", "__iadd__", "__isub__", "__imul__",
    "__iand__", "__ior__", "__ixor__", "__matmul__",
))  # fmt: skip


def parameter(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    _, scope, index = entry
    if index or file.class_of(scope) < 0:
        engine.seen.extend(file.seen_parameters(scope))
    inside = engine.contexts.around(context, file.path, scope)
    call = engine.contexts[inside] if inside else None
    if call is not None and (index == 0 or not call.is_any):
        passed = from_call(engine, file, scope, index, call, fuel)
        if passed and (is_known(passed) or file.scopes[scope].params[index][2] < 0):
            return passed
    receiver = call.positional[0].values if call is not None and call.is_any else NOTHING
    return anywhere(engine, file, scope, index, fuel, receiver)


def argument(engine: Engine, given: Argument, fuel: int) -> Values:
    if given.expression < 0:
        return given.values
    return engine.values(given.path, given.expression, given.context, fuel)


def from_call(engine: Engine, file: File, scope: int, index: int, call: Context, fuel: int) -> Values:
    """What one call passes for a parameter: nothing when it passes nothing and there is no default."""
    params = file.scopes[scope].params
    default = params[index][3]
    if params[index][1] == m.ALL_KEYWORDS and file.seen_parameters(scope) and any(key for key, _ in call.keywords):
        engine.seen.append(file.seen_head(scope))  # another may take it instead
    found = given(engine, params, index, call, fuel)
    if default >= 0 and params[index][1] not in (m.ALL_POSITIONAL, m.ALL_KEYWORDS) and not is_known(found):
        return union((found, engine.values(file.path, default, call.outer, fuel - NAME_STEP)))
    return found


def given(engine: Engine, params: list[Any], index: int, call: Context, fuel: int) -> Values:
    """The same without the default."""
    name, kind = params[index][:2]
    positional, keywords = call.positional, call.keywords
    if kind == m.ALL_POSITIONAL:
        return _rest(engine, index, positional, fuel)
    if kind == m.ALL_KEYWORDS:
        named = {param[0] for param in params if param[1] in (m.POSITIONAL, m.KEYWORD_ONLY)}
        pairs = [(key, argument(engine, passed, fuel)) for key, passed in keywords if key and key not in named]
        spread = [passed for key, passed in keywords if not key]
        if spread and not pairs:
            return union(argument(engine, passed, fuel) for passed in spread)
        return frozenset(((KEYED, tuple(pairs)),))
    parts: list[Values] = []
    if kind in (m.POSITIONAL, m.POSITIONAL_ONLY):
        for place, passed in enumerate(positional):
            if passed.starred:
                sequence = argument(engine, passed, fuel)
                parts.append(union(containers.item(engine, each, index - place, fuel) for each in sequence))
                break
            if place == index:
                return argument(engine, passed, fuel)
    for key, passed in keywords:
        if key == name and kind != m.POSITIONAL_ONLY:
            return argument(engine, passed, fuel)
        if not key:
            spread_values = argument(engine, passed, fuel)
            parts.append(union(containers.by_key(engine, each, name, fuel) for each in spread_values))
    return union(parts)


def _rest(engine: Engine, index: int, positional: tuple[Argument, ...], fuel: int) -> Values:
    places: list[Values] = []
    starred = next((place for place, given in enumerate(positional[:index]) if given.starred), -1)
    if starred >= 0:  # what is left of it once the parameters before have taken theirs
        return _left(engine, positional[starred:], index - starred, fuel)
    for given in positional[index:]:
        if given.starred:
            sequence = argument(engine, given, fuel)
            if len(positional) == index + 1:
                return sequence
            extra = union(containers.elements(engine, each, fuel) for each in sequence)
            return frozenset(((LIST, union([*places, extra])),))
        places.append(argument(engine, given, fuel))
    return frozenset(((TUPLE, tuple(places)),))


def _left(engine: Engine, positional: tuple[Argument, ...], taken: int, fuel: int) -> Values:
    """What a starred argument and those after it pass beyond the first few."""
    sequence = list(ordered(argument(engine, positional[0], fuel)))
    after = [argument(engine, given, fuel) for given in positional[1:] if not given.starred]
    lengths = [_length(engine, each) for each in sequence]
    places: list[Values] = []
    for each, length in zip(sequence, lengths, strict=True):
        if length:
            places.extend(containers.item(engine, each, place, fuel) for place in range(taken, length))
        else:
            places.extend(each[1][taken:] if each[0] == TUPLE else [containers.elements(engine, each, fuel)])
    is_told_apart = len(sequence) == 1 and bool(lengths[0] or sequence[0][0] == TUPLE)
    if is_told_apart and len(after) == len(positional) - 1:
        return frozenset(((TUPLE, (*places, *after)),))
    return frozenset(((LIST, union((*places, *after))),))


def _length(engine: Engine, value: Value) -> int:
    """How many places a tuple has that is written out; 0 of anything else."""
    if value[0] != DISPLAY:
        return 0
    file = engine.file(value[1])
    entry = file.entries[value[2]]
    is_plain = entry[:2] == (m.SEQUENCE, "tuple") and all(file.entries[each][0] != m.STAR for each in entry[2])
    return containers.length(engine, value) if is_plain else 0


def anywhere(
    engine: Engine, file: File, scope: int, index: int, fuel: int, receiver: Values
) -> Values:
    """The same for every call alike, or for those that may be on a receiver, where such are known."""
    own = file.scopes[scope]
    name, kind, annotation, default = own.params[index]
    owner = file.class_of(scope)
    first = _receiver(engine, file, scope, owner, fuel) if owner >= 0 and index == 0 else NOTHING
    if first and kind in (m.POSITIONAL, m.POSITIONAL_ONLY):
        return first
    parts: list[Values] = []
    silent, is_told = NOTHING, False
    if first and kind == m.ALL_POSITIONAL:  # `def __call__(*args)`, so that keywords may have any name
        parts.append(frozenset(((TUPLE, (first, unknown("untyped parameter"))),)))
    if owner in file.metaclasses and index == metaclasses.NAMESPACE_PLACE and own.name in ("__new__", "__init__"):
        parts.append(metaclasses.namespace(engine, file.path, owner, fuel - LOOKUP_STEP))
    if annotation >= 0:
        by_type = declared.at_once(engine, file, annotation)
        by_type = by_type or declared.instances(engine, file, annotation, 0, fuel - NAME_STEP)
        if kind in (m.ALL_POSITIONAL, m.ALL_KEYWORDS):
            return union((*parts, _collected(kind, by_type)))
        silent = by_type & _SILENT
        if silent:  # `Callable | None`: who calls it says more
            parts.append(by_type - silent)
        elif is_known(by_type):
            if name == fixtures.REQUEST and all(each[0] == EXTERNAL_INSTANCE for each in by_type):
                return fixtures.value(engine, file, scope, name, fuel) or by_type
            if any(each[0] not in (BUILTIN,) for each in by_type):
                return _implementing(engine, file, scope, index, by_type, fuel, receiver)
            parts.append(by_type)
            is_told = True
    held = descriptors.passed(engine, file, scope, index, fuel - LOOKUP_STEP)
    if held:
        return held
    if annotation < 0 and index == (owner >= 0):
        kinds = registered.taken(engine, file, scope, fuel - NAME_STEP)
        if kinds:
            return kinds
    if owner < 0 and index == 0 and annotation < 0 and own.kind == m.FUNCTION_SCOPE:
        parts.append(_adopted(engine, file, scope, fuel - NAME_STEP))
        parts.append(named_stores.holders(engine, file, scope, fuel - NAME_STEP))
    if default >= 0:
        parts.append(engine.values(file.path, default, 0, fuel - NAME_STEP))
    operated = operations.passed(engine, file, scope, index, fuel - LOOKUP_STEP)
    if is_known(operated):
        parts.append(operated)
    elif owner >= 0 and index == 1 and own.name in _BINARY and (scope, index) in file.asked_parameters:
        parts.append(frozenset(((INSTANCE, file.path, owner, True),)))
    fixture = fixtures.value(engine, file, scope, name, fuel) if default < 0 else NOTHING
    if fixture:
        parts.append(fixture)
    elif not is_told:
        known = _calls(engine, file, scope, index, fuel, receiver)
        passes_on = kind in (m.ALL_POSITIONAL, m.ALL_KEYWORDS)  # what stands between two calls and adds nothing
        # What the only caller passes costs the name it is passed by, and finding the caller did: a cycle costs.
        step = 0 if passes_on or len(known) == 1 else callers.step(len(known))
        passed = alike(union([from_call(engine, file, scope, index, call, fuel - step) for call in known]))
        parts.append(passed if is_known(passed) else union((passed, silent)))
        if callers.are_more(engine, file.path, scope, index, fuel):
            parts.append(_TOO_MANY)
    found = union(parts)
    if not is_known(found):
        found = union((found, unknown("untyped parameter")))
    if kind in (m.ALL_POSITIONAL, m.ALL_KEYWORDS):
        reasons = frozenset(value for value in found if value[0] == UNKNOWN)
        return union((found - reasons, _collected(kind, reasons))) if reasons else found
    return found


def _receiver(engine: Engine, file: File, scope: int, owner: int, fuel: int) -> Values:
    """What a method of a class is called on; nothing of one that is a plain function there."""
    name = file.scopes[scope].name
    engine.look_up(file.path, owner, name)  # its decorators and the class's calls of it stand outside it
    decorators = decorator_names(file, scope)
    if name in _CLASS_FIRST or "classmethod" in decorators:
        return _classes(engine, file.path, owner, name, fuel)
    if "staticmethod" in decorators or (owner, name) in file.called_in_class:
        return NOTHING
    made = metaclasses.receivers(engine, file, owner, fuel)
    if made:
        return made
    few = NOTHING if decorators else running.receivers(engine, file.path, owner, name, fuel)
    few = operations.receivers(engine, file, scope, fuel - LOOKUP_STEP) or few
    return few or frozenset(((INSTANCE, file.path, owner, True),))


def _calls(engine: Engine, file: File, scope: int, index: int, fuel: int, receiver: Values) -> tuple[Context, ...]:
    """The known calls that may pass something for a parameter, where a receiver is known those that may be on it."""
    known = callers.contexts(engine, file.path, scope, index, fuel)
    if receiver and len(known) > 1:
        return tuple(call for call in known if _may_be_on(engine, call, receiver, fuel)) or known
    return known


def _may_be_on(engine: Engine, call: Context, receiver: Values, fuel: int) -> bool:
    """Whether a call may be of a method of this receiver: one of the class, or of a line with it that may be."""
    on = argument(engine, call.positional[0], fuel - NAME_STEP) if call.positional else NOTHING
    if not on or any(each[0] != INSTANCE for each in (*on, *receiver)):
        return True
    pairs = [pair for one in ordered(on) for other in ordered(receiver) for pair in ((one, other), (other, one))]
    return any(_may_be(engine, above, below, fuel) for above, below in pairs)


def _may_be(engine: Engine, above: Value, below: Value, fuel: int) -> bool:
    is_same = above[1:3] == below[1:3]
    return is_same or (is_open(above) and (CLASS, *above[1:3]) in classes.mro(engine, below[1], below[2], fuel))


def _adopted(engine: Engine, file: File, scope: int, fuel: int) -> Values:
    """What a function takes first that is made a method of a class: `cls.show = show`."""
    own = file.scopes[scope].name
    engine.note(file, adopted_key(file.path, own))
    stores = file.adopting.get(own, ())
    engine.seen.extend([file.seen_at(base) for base, _ in stores])
    bases = [base for base, value in stores if _is_named(file, value, scope)]
    found = union(engine.values(file.path, each, 0, fuel) for each in (bases if len(bases) <= MAX_ADOPTING else ()))
    objects = [made_classes.object_of(each) for each in found if each[0] == MADE]
    return frozenset((*objects, *((INSTANCE, *each[1:3], True) for each in found if each[0] == CLASS)))


def _is_named(file: File, expression: int, scope: int) -> bool:
    """Whether a name is a function's, by what binds it there."""
    name, bindings = file.entries[expression][1:3]
    for each in bindings or binding_scope(file, file.where[expression], name)[1]:
        entry = file.entries[file.bindings[each][2]]
        while entry[0] == m.DECORATED:
            entry = file.entries[entry[2]]
        if entry == (m.DEFINITION, scope):
            return True
    return False


def _collected(kind: int, values: Values) -> Values:
    """What stars make of any number of arguments, whatever these are."""
    if kind == m.ALL_POSITIONAL:
        return frozenset(((LIST, values),))
    return frozenset(((PAIRS, frozenset(((TUPLE, (TEXT, values)),))),))


def _implementing(
    engine: Engine, file: File, scope: int, index: int, by_type: Values, fuel: int, receiver: Values
) -> Values:
    """A protocol is met without being named, and a container of anything may hold what is called: what callers pass
    says more than these do."""
    rest = frozenset(value for value in by_type if not _is_met(engine, value, fuel))
    if len(rest) == len(by_type):
        return by_type
    passed = fixtures.value(engine, file, scope, file.scopes[scope].params[index][0], fuel) or union(
        from_call(engine, file, scope, index, call, fuel - CALLERS_STEP)
        for call in _calls(engine, file, scope, index, fuel, receiver)
    )
    if not any(value[0] in _MEETING for value in passed):
        return by_type
    return union((passed, rest, frozenset(value for value in by_type if _has_known_keys(engine, value, fuel))))


def _has_known_keys(engine: Engine, value: Value, fuel: int) -> bool:
    """Whether it is a mapping whose keys are of the root: callers say what it holds, not what they are."""
    if value[0] != ANNOTATED or declared.parts_of(engine.file(value[1]), value[2])[0] not in MAPPINGS:
        return False
    return any(each[0] == INSTANCE for each in declared.element(engine, value, fuel - LOOKUP_STEP))


def _is_met(engine: Engine, value: Value, fuel: int) -> bool:
    """Whether this is a protocol, or a container of what meets one, or of what its type does not say."""
    if value[0] == ANNOTATED:
        if not attributes.is_container(engine, value):
            return False
        held = declared.item(engine, value, None, fuel - LOOKUP_STEP)
        known = [each for each in ordered(held) if each[0] != UNKNOWN]
        if any(each[0] == INSTANCE and _is_met(engine, each, fuel) for each in known):
            return True
        return all(each[0] == ANNOTATED and _is_met(engine, each, fuel - LOOKUP_STEP) for each in known)
    return value[0] == INSTANCE and protocols.is_protocol(engine, value[1], value[2])


def _classes(engine: Engine, path: str, owner: int, method: str, fuel: int) -> Values:
    """`cls`: the class, or one below it; for __init_subclass__ only those."""
    own = (CLASS, path, owner)
    if method in ("__new__", "__class_getitem__"):
        return frozenset((open_class(path, owner),))
    few = running.receivers(engine, path, owner, method, fuel, of_class=True)
    if few:
        return frozenset((CLASS, *each[1:3]) for each in few)
    found = classes.kinds(engine, (INSTANCE, path, owner, True), fuel)
    return found - {own} if len(found) > 1 and method == "__init_subclass__" else found


def decorator_names(file: File, scope: int) -> list[str]:
    return [file.last_name(file.entries[each][1]) for each in file.scopes[scope].decorators]
