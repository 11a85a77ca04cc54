"""Pass 4a: what a parameter may be: its call's argument, its annotation, its default, what known callers pass.

Inside one call's context the argument decides. Otherwise `self` is an instance of its class, an annotation decides
when it names something known, and else the callers that call the function by its own name are asked, in files that
offer such calls, and in its own file also calls through variables. It does not find callers that got the function from
another file under another name.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python import calls, classes, containers, declared, fixtures
from everdex.graph.python.contexts import Argument, Context
from everdex.graph.python.engine import CALLERS_STEP, LEVEL, LOOKUP_STEP, NAME_STEP, Engine
from everdex.graph.python.files import File
from everdex.graph.python.keys import indirect_key, passed_key
from everdex.graph.python.values import (
    BUILTIN,
    CLASS,
    INSTANCE,
    KEYED,
    LIST,
    NOTHING,
    TUPLE,
    UNKNOWN,
    Values,
    is_known,
    union,
    unknown,
)

CALL_KEY: Final = "py:call:"
MAX_CALLING_FILES: Final = 10
MAX_CALL_SITES: Final = 24
MAX_INDIRECT: Final = 60
_CLASS_FIRST: Final = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))
_BINARY: Final = frozenset(
    f"__{name}__"
    for name in [
        "eq",
        "ne",
        "lt",
        "gt",
        "le",
        "ge",
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "and",
        "or",
        "xor",
        "radd",
        "rsub",
        "rmul",
        "rtruediv",
        "rand",
        "ror",
        "rxor",
        "iadd",
        "isub",
        "imul",
        "iand",
        "ior",
        "ixor",
        "matmul",
    ]
)


def parameter(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    _, scope, index = entry
    inside = engine.contexts.around(context, file.path, scope)
    if inside:
        passed = from_call(engine, file, scope, index, engine.contexts[inside], fuel)
        if passed and (is_known(passed) or file.scopes[scope].params[index][2] < 0):
            return passed
    return anywhere(engine, file, scope, index, fuel)


def argument(engine: Engine, given: Argument, fuel: int) -> Values:
    if given.expression < 0:
        return given.values
    return engine.values(given.path, given.expression, given.context, (fuel | LEVEL) - NAME_STEP)


def from_call(engine: Engine, file: File, scope: int, index: int, call: Context, fuel: int) -> Values:
    """What one call passes for a parameter: nothing when it passes nothing and there is no default."""
    params = file.scopes[scope].params
    name, kind, _, default = params[index]
    positional, keywords = call.positional, call.keywords
    if kind == m.ALL_POSITIONAL:
        return _rest(engine, index, positional, fuel)
    if kind == m.ALL_KEYWORDS:
        named = {param[0] for param in params if param[1] in (m.POSITIONAL, m.KEYWORD_ONLY)}
        pairs = [(key, argument(engine, given, fuel)) for key, given in keywords if key and key not in named]
        spread = [given for key, given in keywords if not key]
        if spread and not pairs:
            return union(argument(engine, given, fuel) for given in spread)
        return frozenset(((KEYED, tuple(pairs)),))
    parts: list[Values] = []
    if kind in (m.POSITIONAL, m.POSITIONAL_ONLY):
        for place, given in enumerate(positional):
            if given.starred:
                sequence = engine.values(given.path, given.expression, given.context, (fuel | LEVEL) - NAME_STEP)
                parts.append(union(containers.item(engine, each, index - place, fuel) for each in sequence))
                break
            if place == index:
                return argument(engine, given, fuel)
    for key, given in keywords:
        if key == name and kind != m.POSITIONAL_ONLY:
            return argument(engine, given, fuel)
        if not key:
            spread_values = argument(engine, given, fuel)
            parts.append(union(containers.by_key(engine, each, name, fuel) for each in spread_values))
    if default >= 0 and not any(is_known(part) for part in parts):
        parts.append(engine.values(file.path, default, call.outer, (fuel | LEVEL) - NAME_STEP))
    return union(parts)


def _rest(engine: Engine, index: int, positional: tuple[Argument, ...], fuel: int) -> Values:
    places: list[Values] = []
    for given in positional[index:]:
        if given.starred:
            sequence = engine.values(given.path, given.expression, given.context, (fuel | LEVEL) - NAME_STEP)
            if len(positional) == index + 1:
                return sequence
            extra = union(containers.elements(engine, each, fuel) for each in sequence)
            return frozenset(((LIST, union([*places, extra])),))
        places.append(argument(engine, given, fuel))
    return frozenset(((TUPLE, tuple(places)),))


def anywhere(engine: Engine, file: File, scope: int, index: int, fuel: int) -> Values:
    """The same for every call alike."""
    own = file.scopes[scope]
    name, kind, annotation, default = own.params[index]
    owner = file.class_of(scope)
    if owner >= 0 and index == 0 and kind in (m.POSITIONAL, m.POSITIONAL_ONLY):
        decorators = decorator_names(file, scope)
        if own.name in _CLASS_FIRST or "classmethod" in decorators:
            return frozenset(((CLASS, file.path, owner),))
        if "staticmethod" not in decorators:
            return frozenset(((INSTANCE, file.path, owner, True),))
    parts: list[Values] = []
    if annotation >= 0:
        by_type = declared.instances(engine, file, annotation, 0, (fuel | LEVEL) - NAME_STEP)
        if kind == m.ALL_POSITIONAL:
            return frozenset(((LIST, by_type),))
        if kind == m.ALL_KEYWORDS:
            return frozenset(((LIST, frozenset(((BUILTIN, "str"),))),))
        if any(each[0] not in (UNKNOWN, "many") for each in by_type):
            if any(each[0] not in (BUILTIN,) for each in by_type):
                return by_type
            parts.append(by_type)
    if default >= 0:
        parts.append(engine.values(file.path, default, 0, (fuel | LEVEL) - NAME_STEP))
    if owner >= 0 and index == 1 and own.name in _BINARY:
        parts.append(frozenset(((INSTANCE, file.path, owner, True),)))
    fixture = fixtures.value(engine, file, scope, name, fuel) if default < 0 else NOTHING
    if fixture:
        parts.append(fixture)
    elif not (annotation >= 0 and parts and is_known(parts[0])):
        for call in callers(engine, file.path, scope, (fuel | LEVEL) - CALLERS_STEP):
            parts.append(from_call(engine, file, scope, index, call, (fuel | LEVEL) - CALLERS_STEP))
    found = union(parts)
    if not is_known(found):
        return union((found, unknown("untyped parameter")))
    return found


def decorator_names(file: File, scope: int) -> list[str]:
    return [file.last_name(file.entries[each][1]) for each in file.scopes[scope].decorators]


def callers(engine: Engine, path: str, scope: int, fuel: int) -> tuple[Context, ...]:
    """The calls of a function that can be found from its name."""

    def answer(fuel: int) -> tuple[Context, ...]:
        file = engine.file(path)
        own = file.scopes[scope]
        wanted = _called_as(engine, file, scope, fuel)
        sites: list[tuple[str, int]] = []
        for name in wanted:
            files = engine.offering(CALL_KEY + name)
            if len(files) > MAX_CALLING_FILES:
                files = (path,) if path in files else ()
            for other in files:
                sites.extend((other, each) for each in engine.file(other).calls_by_name.get(name, ()))
        if len(sites) > MAX_CALL_SITES:
            sites = [site for site in sites if site[0] == path]
        engine.note(file, passed_key(path, own.name))
        if own.kind == m.LAMBDA_SCOPE or own.name in file.passed or own.name == "__call__":
            engine.note(file, indirect_key(path))
            indirect = file.indirect_calls
            if len(indirect) <= MAX_INDIRECT:
                sites.extend((path, each) for each in indirect)
            given = {*file.given.get(scope, ()), *file.given.get(own.name, ())}
            sites.extend((path, each) for each in sorted(given))
        found: dict[Context, None] = {}
        for other, number in dict.fromkeys(sites[: 2 * MAX_INDIRECT]):
            for call in calls.contexts_of(engine, engine.file(other), number, path, scope, fuel):
                found[call] = None
        return tuple(found)

    result: tuple[Context, ...] = engine.ask_within(("callers", path, scope), fuel, answer, ())
    return result


def _called_as(engine: Engine, file: File, scope: int, fuel: int) -> list[str]:
    own = file.scopes[scope]
    if own.kind == m.LAMBDA_SCOPE:
        around = file.scopes[file.owner(own.parent)]
        return [f"{around.name}()"] if around.kind == m.FUNCTION_SCOPE else []
    owner = file.class_of(scope)
    if owner >= 0 and own.name == "__call__":
        return [f"{file.scopes[owner].name}()"]
    if owner < 0 or own.name not in ("__init__", "__new__", "__post_init__"):
        around = file.scopes[file.owner(own.parent)]
        return [own.name, f"{around.name}()"] if around.kind == m.FUNCTION_SCOPE else [own.name]
    below = classes.subclasses(engine, file.path, owner, (fuel | LEVEL) - LOOKUP_STEP) or ()
    names = [file.scopes[owner].name, own.name]
    return [*names, *(engine.file(each[1]).scopes[each[2]].name for each in below[:8])]

