"""Pass 5: calls of things from outside the root: builtins by what they do, libraries by the table of rules."""

from __future__ import annotations

from everdex.graph.model import COMPUTED
from everdex.graph.python.builtins import getters, making, marked, operators
from everdex.graph.python.builtins.rules import (
    CALLS_ARGUMENT,
    CONTAINERS,
    CONTEXT_MANAGERS,
    EXPECTS,
    FIELDS,
    FROM_KEYS,
    GIVES_BACK,
    IDENTITY,
    MADE_BY_DUNDER,
    MAPPING_TYPES,
    NAMESPACES,
    PROPERTIES,
    RESULTS,
    TAKES,
)
from everdex.graph.python.calls import parameters
from everdex.graph.python.containers import columns, containers, folds, iteration, unpacking
from everdex.graph.python.engine.contexts import Argument, Keywords, Positional
from everdex.graph.python.engine.engine import CALL_STEP, Engine
from everdex.graph.python.engine.values import (
    AFFIXES,
    BUILTIN,
    CLASS,
    CLASSMETHOD,
    DISPLAY,
    EXPECTED,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    KEEPING,
    KEYED,
    LIST,
    LITERAL,
    MANAGED,
    MANAGER,
    METHOD,
    MODULE,
    NONE,
    NOTHING,
    PAIRS,
    PARTIAL,
    PROPERTY,
    ROW,
    STATIC,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    is_known,
    order,
    union,
    unknown,
)
from everdex.graph.python.file.keys import METHOD_KEY
from everdex.graph.python.names import loading, spelling

_CALLABLE = frozenset((FUNCTION, CLASS, PARTIAL, MANAGER, PROPERTY, STATIC, CLASSMETHOD, METHOD))


def first(engine: Engine, positional: Positional, fuel: int) -> Values:
    return nth(engine, positional, 0, fuel)


def nth(engine: Engine, positional: Positional, place: int, fuel: int) -> Values:
    if len(positional) <= place or any(given.starred for given in positional[: place + 1]):
        return NOTHING
    return parameters.argument(engine, positional[place], fuel)


def elements(engine: Engine, values: Values, fuel: int) -> Values:
    return union(containers.elements(engine, each, fuel) for each in values)


def decorate(engine: Engine, dotted: str, inner: Values) -> Values:
    """What a decorator from outside makes of a definition: the definition, unless a rule says otherwise."""
    if dotted in PROPERTIES:
        return frozenset((PROPERTY, each, None, None) if each[0] == FUNCTION else each for each in inner)
    if dotted in ("builtins.staticmethod", "abc.abstractstaticmethod"):
        return frozenset((STATIC, each) for each in inner)
    if dotted in ("builtins.classmethod", "abc.abstractclassmethod"):
        return frozenset((CLASSMETHOD, each) for each in inner)
    if dotted in CONTEXT_MANAGERS:
        return frozenset((MANAGER, each) if each[0] == FUNCTION else each for each in inner)
    return inner


def result(engine: Engine, dotted: str, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    if not engine.can_spend(fuel, 0):
        return unknown("too many steps")
    module, _, name = dotted.rpartition(".")
    if name in EXPECTS and module.partition(".")[0] in ("pytest", "unittest"):
        return frozenset(((EXPECTED, dotted, operators.raised(engine, first(engine, positional, fuel), fuel)),))
    if dotted == "builtins.object.__getattribute__":
        return _getattr(engine, positional[:2], fuel)
    if name == "__new__" or dotted == "builtins.type.__call__":
        return making.new(engine, dotted, positional, fuel)
    if module == "builtins":
        found = _builtin(engine, name, positional, keywords, fuel)
        if found is not None:
            return found
        return frozenset(((EXTERNAL_INSTANCE, dotted),))
    if dotted == "functools.partial" or dotted == "functools.partialmethod":
        return _partial(engine, positional, keywords, fuel)
    if dotted in PROPERTIES or dotted in CONTEXT_MANAGERS:
        return decorate(engine, dotted, first(engine, positional, fuel))
    if dotted == "functools.wraps":
        return frozenset(((KEEPING, dotted),))
    if dotted in IDENTITY:
        given = first(engine, positional, fuel)
        if module == "copy" or any(each[0] in _CALLABLE or each[0] == INSTANCE for each in given):
            return given
        # Of a function that was not found nothing is known; what is no function asks for one.
        return given if given and not is_known(given) else frozenset(((KEEPING, dotted),))
    if dotted in ("typing.cast", "typing_extensions.cast"):
        return _cast(engine, positional, fuel)
    if dotted == "itertools.chain":
        given_all = [parameters.argument(engine, each, fuel) for each in positional]
        held = [
            elements(engine, given, fuel) if each.starred else given
            for each, given in zip(positional, given_all, strict=True)
        ]
        return frozenset(((LIST, elements(engine, union(held), fuel)),))
    if dotted == "itertools.chain.from_iterable":
        inner = elements(engine, first(engine, positional, fuel), fuel)
        return frozenset(((LIST, elements(engine, inner, fuel)),))
    if dotted in (
        "itertools.cycle",
        "itertools.islice",
        "itertools.takewhile",
        "itertools.dropwhile",
    ):
        place = 1 if dotted.endswith("while") else 0
        return frozenset(((LIST, elements(engine, nth(engine, positional, place, fuel), fuel)),))
    if dotted == folds.REDUCE:
        return folds.result(engine, positional, keywords, fuel)
    if dotted in getters.MAKERS:
        return getters.made(dotted, positional, keywords)
    if dotted in getters.MADE:
        return getters.result(engine, dotted, positional, keywords, fuel)
    if dotted in GIVES_BACK:  # a context manager of something that is none itself
        return frozenset(((MANAGED, (LIST, first(engine, positional, fuel))),))
    if dotted in FIELDS:
        return _field(engine, dotted, keywords, fuel)
    if dotted in TAKES:
        return elements(engine, first(engine, positional, fuel), fuel)
    if dotted in CONTAINERS:
        return container(engine, dotted, positional, keywords, fuel)
    if dotted == "pytest.param":
        return frozenset(((TUPLE, tuple(parameters.argument(engine, each, fuel) for each in positional)),))
    if dotted == "collections.namedtuple":
        return making.record(engine, positional, fuel)
    if dotted == "types.MethodType":
        return making.bound(engine, positional, fuel)
    if dotted in NAMESPACES:
        fields = [(key, parameters.argument(engine, value, fuel)) for key, value in keywords if key]
        return frozenset(((ROW, tuple(key for key, _ in fields), tuple(values for _, values in fields)),))
    if dotted in ("importlib.import_module", "sys.modules.get"):
        return loading.module(engine, positional, keywords, fuel)
    if dotted in ("pkgutil.iter_modules", "pkgutil.walk_packages"):
        return loading.listed(engine, positional, keywords, fuel)
    if dotted.endswith((".enter_context", ".enter_async_context")):
        given = first(engine, positional, fuel)
        return union(unpacking.entered(engine, each, dotted.endswith("_async_context"), fuel) for each in given)
    if dotted == "inspect.getmembers":
        return marked.pairs(engine, first(engine, positional, fuel), fuel) or frozenset(((EXTERNAL_INSTANCE, dotted),))
    waited = _waited(engine, dotted, positional, fuel)
    return waited if waited is not None else frozenset(((EXTERNAL_INSTANCE, dotted),))


def container(engine: Engine, dotted: str, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    """What a new container holds before anything is put into it."""
    given = first(engine, positional, fuel)
    if dotted == "collections.defaultdict":
        made = _made_by(engine, positional[0], given, fuel) if positional else NOTHING
        return frozenset(((LIST, made), (KEYED, ())))
    if dotted == "contextvars.ContextVar":
        begun = [parameters.argument(engine, value, fuel) for key, value in keywords if key == "default"]
        return frozenset(((LIST, union(begun)),))
    if dotted in FROM_KEYS:
        value = nth(engine, positional, 1, fuel) or frozenset((NONE,))
        return frozenset(((PAIRS, frozenset(((TUPLE, (elements(engine, given, fuel), value)),))),))
    if dotted in MAPPING_TYPES:
        pairs = tuple((key, parameters.argument(engine, value, fuel)) for key, value in keywords if key)
        held = [
            each if each[0] in (KEYED, PAIRS) or containers.is_mapping(engine, each)
            else (PAIRS, containers.elements(engine, each, fuel))
            for each in given
        ]  # fmt: skip
        spread = [parameters.argument(engine, value, fuel) for key, value in keywords if not key]
        return union((frozenset(((KEYED, pairs),)), frozenset(held), *spread))
    if dotted == "builtins.list" and given and all(each[0] == TUPLE for each in given):
        return given
    return frozenset(((LIST, elements(engine, given, fuel)),))


def _made_by(engine: Engine, factory: Argument, given: Values, fuel: int) -> Values:
    """What a factory makes: a container of its own place when it is a type of containers."""
    parts: list[Value] = []
    for each in given:
        if each[0] == EXTERNAL and each[1] in CONTAINERS and factory.expression >= 0:
            parts.append((DISPLAY, factory.path, factory.expression, factory.context))
        else:
            parts.extend(_call(engine, each, (), fuel))
    return frozenset(parts)


def _field(engine: Engine, dotted: str, keywords: Keywords, fuel: int) -> Values:
    """What a field of a record is when nothing is passed for it."""
    parts: list[Values] = []
    for key, value in keywords:
        if key == "default":
            parts.append(parameters.argument(engine, value, fuel))
        elif key == FIELDS[dotted]:
            parts.append(_made_by(engine, value, parameters.argument(engine, value, fuel), fuel))
    return union(parts) or unknown("untyped parameter")


def _waited(engine: Engine, dotted: str, positional: Positional, fuel: int) -> Values | None:
    from everdex.graph.python.builtins import coroutines

    return coroutines.result(engine, dotted, positional, fuel)


def _call(engine: Engine, value: Value, positional: Positional, fuel: int) -> Values:
    from everdex.graph.python.calls import calls

    return calls.result(engine, value, positional, (), fuel)


def _partial(engine: Engine, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    given = first(engine, positional, fuel)
    made = [(PARTIAL, value, positional[1:], keywords) if value[0] in _CALLABLE else value for value in given]
    return frozenset(made) or unknown("partial")


def _cast(engine: Engine, positional: Positional, fuel: int) -> Values:
    from everdex.graph.python.classes import declared

    given = nth(engine, positional, 1, fuel)
    return declared.cast(engine, positional[0], given, fuel) if positional and positional[0].expression >= 0 else given


def _builtin(engine: Engine, name: str, positional: Positional, keywords: Keywords, fuel: int) -> Values | None:
    if name in ("list", "set", "dict"):
        return container(engine, f"builtins.{name}", positional, keywords, fuel)
    if name == "iter" and len(positional) == 2:
        made = [_call(engine, each, (), fuel) for each in first(engine, positional, fuel)]
        return frozenset(((LIST, union(made)),))
    if name in ("tuple", "frozenset", "sorted", "reversed", "iter"):
        if not positional:
            return frozenset(((LIST, NOTHING),))
        given = first(engine, positional, fuel)
        if name == "tuple" and all(each[0] == TUPLE for each in given) and given:
            return given
        return frozenset(((LIST, elements(engine, given, fuel)),))
    if name in ("next", "anext", "min", "max", "sum"):
        if name in ("min", "max") and len(positional) > 1:
            return union(parameters.argument(engine, given, fuel) for given in positional if not given.starred)
        given_first = first(engine, positional, fuel)
        stepped = [
            iteration.stepped(engine, each, fuel) if each[0] == INSTANCE and name == "next"
            else containers.elements(engine, each, fuel) for each in given_first
        ]  # fmt: skip
        return union((*stepped, nth(engine, positional, 1, fuel) if name == "next" else NOTHING))
    if name == "enumerate":
        inner = elements(engine, first(engine, positional, fuel), fuel)
        return frozenset(((LIST, frozenset(((TUPLE, (frozenset(((BUILTIN, "int"),)), inner)),))),))
    if name == "zip":
        return columns.zipped(engine, positional, fuel)
    if name == "map":
        made = [
            _call(engine, each, arguments, fuel)
            for functions, arguments in called_arguments(engine, "builtins.map", positional, keywords, fuel)
            for each in functions
        ]
        return frozenset(((LIST, union(made)),))
    if name == "filter":
        return frozenset(((LIST, elements(engine, nth(engine, positional, 1, fuel), fuel)),))
    if name == "getattr":
        return _getattr(engine, positional, fuel)
    if name == "type":
        return making.type_of(engine, positional, fuel)
    if name == "property":
        getter = first(engine, positional, fuel)
        others = [min(nth(engine, positional, place, fuel), key=order, default=None) for place in (1, 2)]
        return frozenset((PROPERTY, each, *others) for each in getter if each[0] == FUNCTION)
    if name in ("staticmethod", "classmethod"):
        return decorate(engine, f"builtins.{name}", first(engine, positional, fuel))
    if name == "vars" and positional:
        given = first(engine, positional, fuel)
        return frozenset(each for each in given if each[0] == MODULE) or unknown("dynamic code")
    if name == "__import__":
        return loading.imported(engine, positional, keywords, fuel)
    if name in ("vars", "globals", "locals", "eval", "exec", "compile", "setattr"):
        return unknown("dynamic code")
    if name == "str" and len(positional) == 1:
        return spelling.shown(first(engine, positional, fuel))
    method = MADE_BY_DUNDER.get(name, "") if positional else ""
    if method and engine.is_offered(METHOD_KEY + method):  # else numbers are meant
        given = first(engine, positional, fuel)
        functions = operators.special(engine, given, method, fuel, positional[0].path)
        results = union(_call(engine, each, positional[1:], fuel - CALL_STEP) for each in functions)
        if is_known(results):
            return results
    if name in RESULTS:
        return frozenset(((BUILTIN, RESULTS[name]),))
    return None


def _getattr(engine: Engine, positional: Positional, fuel: int) -> Values:
    from everdex.graph.python.classes import attributes, classes, hooks

    keys = nth(engine, positional, 1, fuel)
    fallback = nth(engine, positional, 2, fuel)
    parts: list[Values] = [fallback]
    for key in keys:
        if key[0] == LITERAL and isinstance(key[2], str):
            for base in first(engine, positional, fuel):
                parts.append(attributes.read(engine, base, key[2], fuel, positional[0].path))
        elif key[0] == AFFIXES:
            for base in first(engine, positional, fuel):
                parts.append(attributes.fitting(engine, base, key, fuel) or unknown(COMPUTED))
        elif key[0] == UNKNOWN and marked.is_any_name(engine, positional[1]):
            parts.extend(marked.members(engine, base, fuel) for base in first(engine, positional, fuel))
            parts.append(unknown(COMPUTED))
        else:
            for base in first(engine, positional, fuel):
                if base[0] == INSTANCE:  # of something it does not have: what it makes of any name
                    line = classes.mro(engine, base[1], base[2], fuel)
                    made = hooks.missing(engine, line, base, keys, fuel)
                    parts.append(attributes.taken(engine, made, fuel))
            parts.append(unknown(COMPUTED))
    return union(parts) or unknown(COMPUTED)


def called_arguments(
    engine: Engine, dotted: str, positional: Positional, keywords: Keywords, fuel: int
) -> list[tuple[Values, Positional]]:
    """The functions that something from outside calls, with what it passes them."""
    found: list[tuple[Values, Positional]] = []
    for place, given in CALLS_ARGUMENT.get(dotted, ()):
        functions = NOTHING
        if dotted == "builtins.iter" and len(positional) != 2:
            continue
        if isinstance(place, int):
            functions = nth(engine, positional, place, fuel)
        else:
            functions = union(parameters.argument(engine, value, fuel) for key, value in keywords if key == place)
        if not functions:
            continue
        arguments: list[Argument] = []
        if given == "elements":
            for each in positional[1:]:
                if not each.starred:
                    arguments.append(
                        Argument("", -1, 0, elements(engine, parameters.argument(engine, each, fuel), fuel))
                    )
        elif given == "first elements" and positional:
            arguments.append(Argument("", -1, 0, elements(engine, first(engine, positional, fuel), fuel)))
        elif given == "pairs":
            found.extend((functions, each) for each in folds.given(engine, dotted, positional, keywords, fuel))
            continue
        found.append((functions, tuple(arguments)))
    return found
