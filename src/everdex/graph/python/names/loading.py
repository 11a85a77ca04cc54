"""Pass 5, continued: modules that are imported by a name that a call is given, and those that a package is said to
have.

Names are followed as far as they are written out, or begin or end so. It does not follow entry points of packages.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.python.builtins import builtin_calls
from everdex.graph.python.calls import parameters
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Argument, Keywords, Positional
from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.engine.values import (
    AFFIXES,
    BUILTIN,
    DISPLAY,
    EXTERNAL,
    LIST,
    LITERAL,
    ROW,
    TEXT,
    Value,
    Values,
    union,
    unknown,
)
from everdex.graph.python.names import modules

LOADED: Final[Values] = frozenset(((EXTERNAL, "sys.modules"),))


def module(engine: Engine, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    """A module by its name, when that is written out, or those of a package by what their names begin with."""
    packages = builtin_calls.nth(engine, positional, 1, fuel) or union(
        parameters.argument(engine, value, fuel) for key, value in keywords if key == "package"
    )
    inside = [each[2] for each in packages if each[0] == LITERAL and isinstance(each[2], str)]
    found: list[Value] = []
    for each in builtin_calls.first(engine, positional, fuel):
        start = each[1] if each[0] == AFFIXES else each[2] if each[0] == LITERAL else None
        for package in inside if isinstance(start, str) and start.startswith(".") else [""]:
            if each[0] == AFFIXES:
                found.extend(modules.fitting(engine, (AFFIXES, package + each[1], each[2])))
            elif isinstance(start, str) and (package or not start.startswith(".")):
                found.append(modules.find(engine, package + start, positional[0].path))
    return frozenset(found) or unknown("module by a computed name")


def imported(engine: Engine, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    """What `__import__` gives: the package that a name begins with, or the module, where something is taken from it."""
    wanted = builtin_calls.nth(engine, positional, 3, fuel) or union(
        parameters.argument(engine, value, fuel) for key, value in keywords if key == "fromlist"
    )
    if any(each[0] != DISPLAY or containers.length(engine, each) for each in wanted):
        return module(engine, positional[:1], (), fuel)
    tops = frozenset(
        (LITERAL, "str", each[2].partition(".")[0])
        for each in builtin_calls.first(engine, positional, fuel)
        if each[0] == LITERAL and isinstance(each[2], str)
    )
    return module(engine, (Argument("", -1, 0, tops),), (), fuel)


def listed(engine: Engine, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    """The modules that `pkgutil` lists: what their names begin with, where that is passed."""
    prefixes = builtin_calls.nth(engine, positional, 1, fuel) or union(
        parameters.argument(engine, value, fuel) for key, value in keywords if key == "prefix"
    )
    texts = [each[2] for each in prefixes if each[0] == LITERAL and isinstance(each[2], str)]
    names = frozenset((AFFIXES, each, "") for each in texts) or TEXT
    flag = frozenset(((BUILTIN, "bool"),))
    row = (ROW, ("module_finder", "name", "ispkg"), (unknown("annotation says nothing"), names, flag))
    return frozenset(((LIST, frozenset((row,))),))
