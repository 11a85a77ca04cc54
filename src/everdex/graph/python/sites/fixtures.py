"""Pass 6: pytest: a test's parameter is what the nearest fixture of that name gives, or what the test is run with.

Nearest is the class around and its bases, then the file, then conftest.py files upward, each with what it imports and
the plugins that it names; tests of a base class are run with the fixtures of each class below as well. Fixtures of
plugins from outside stay unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import FIXTURES, PARAMETRIZE
from everdex.graph.python.calls import calls
from everdex.graph.python.classes import classes
from everdex.graph.python.containers import containers, unpacking
from everdex.graph.python.engine.engine import CALL_STEP, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    LITERAL,
    MODULE,
    NOTHING,
    ROW,
    TUPLE,
    Value,
    Values,
    ordered,
    union,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import CONFTEST, FIXTURE_KEY, conftest_key, fixture_key
from everdex.graph.python.file.layout import FIXTURE_NAMES
from everdex.graph.python.names import modules, names

REQUEST: Final = "request"
_PLUGINS: Final = "pytest_plugins"
_MARKS: Final = "pytestmark"
_PARAMETRIZE: Final = "parametrize"


def value(engine: Engine, file: File, scope: int, name: str, fuel: int) -> Values:
    if not _in_test(engine, file, scope, fuel):
        return NOTHING
    if name == REQUEST:
        return _request(engine, file, scope, fuel)
    listed = _listed(engine, file, scope, name, fuel)
    if listed:
        return listed
    parts = []
    for function in find(engine, file, scope, name, fuel):
        for each in calls.returned(engine, function, 0, fuel - CALL_STEP):
            is_generator = each[0] == "generator"
            parts.append(
                containers.elements(engine, each, fuel - CALL_STEP) if is_generator else frozenset((each,))
            )
    return union(parts)


def find(engine: Engine, file: File, scope: int, name: str, fuel: int) -> list[Value]:
    """The fixture functions that a parameter of a test or fixture may mean."""
    own = file.scopes[scope]
    if name == own.name or not _in_test(engine, file, scope, fuel):
        return []
    owner = file.class_of(scope)
    if not engine.is_offered(FIXTURE_KEY + name):
        return []
    if owner >= 0:
        found = _in_classes(engine, file, owner, name, fuel)
        if found:
            return found
    for path in (file.path, *_conftests(engine, file.path.rpartition("/")[0])):
        for each in (path, *_plugins(engine, path, fuel)):
            function = _of_module(engine, each, name, fuel)
            if function is not None:
                return [function]
    return []


def _of_module(engine: Engine, path: str, name: str, fuel: int) -> Value | None:
    """The fixture that a module defines, or has imported."""
    home, known = names.landing(engine, path, name)
    for place, wanted in dict.fromkeys(((path, name), (home[1], known))):
        if engine.offering(fixture_key(place, wanted)):
            other = engine.file(place)
            for number, scope in enumerate(other.scopes):
                is_named = scope.decorators and other.fixture_name(scope) == wanted
                if is_named and is_fixture(engine, other, number, fuel):
                    engine.look_at(place, number)
                    return (FUNCTION, place, number, 0, None)
    return None


def _plugins(engine: Engine, path: str, fuel: int) -> list[str]:
    """The modules of the root that a module says are plugins: `pytest_plugins = ["tests.stores"]`."""
    file = engine.look_for(path, _PLUGINS)
    bindings = file.final(0, _PLUGINS)
    if not bindings:
        return []
    values = engine.bound(file, bindings, 0, fuel - LOOKUP_STEP)
    texts = union((values, *(containers.elements(engine, each, fuel - LOOKUP_STEP) for each in values)))
    named = sorted(each[2] for each in texts if each[0] == LITERAL and isinstance(each[2], str))
    found = [modules.find(engine, each, path) for each in named]
    return [each[1] for each in found if each[0] == MODULE]


def _in_classes(engine: Engine, file: File, owner: int, name: str, fuel: int) -> list[Value]:
    """The first along the class's own line, and one for each class below that has its own."""
    line = classes.mro(engine, file.path, owner, fuel)
    below = classes.subclasses(engine, file.path, owner, fuel - LOOKUP_STEP) or ()
    found: list[Value] = []
    for place, each in enumerate((*line, *below[: classes.MAX_OVERRIDES])):
        if each[0] != CLASS or (place < len(line) and found):
            continue
        other = engine.look_up(each[1], each[2], name)
        for binding in other.names[each[2]].get(name, ()):
            entry = other.entries[other.bindings[binding][2]]
            while entry[0] == m.DECORATED:
                entry = other.entries[entry[2]]
            if entry[0] == m.DEFINITION and is_fixture(engine, other, entry[1], fuel):
                found.append((FUNCTION, each[1], entry[1], 0, None))
    return found


def _in_test(engine: Engine, file: File, scope: int, fuel: int) -> bool:
    own = file.scopes[scope]
    if own.kind != m.FUNCTION_SCOPE:
        return False
    return own.name.startswith("test") or is_fixture(engine, file, scope, fuel)


def _conftests(engine: Engine, directory: str) -> list[str]:
    found = []
    while directory:
        found.append(f"{directory}/{CONFTEST}")
        directory = directory.rpartition("/")[0]
    return [each for each in (*found, CONFTEST) if engine.is_offered(conftest_key(each))]


def is_fixture(engine: Engine, file: File, scope: int, fuel: int) -> bool:
    for each in file.scopes[scope].decorators:
        decorator = file.entries[each][1]
        entry = file.entries[decorator]
        named = entry[1] if entry[0] == m.CALL else decorator
        if file.last_name(named) not in FIXTURE_NAMES:
            continue
        for found in engine.values(file.path, named, 0, fuel - LOOKUP_STEP):
            if found[0] == EXTERNAL and found[1] in FIXTURES:
                return True
    return False


def _request(engine: Engine, file: File, scope: int, fuel: int) -> Values:
    """A fixture's `request`: what it is run with is its param."""
    for each in file.scopes[scope].decorators:
        entry = file.entries[file.entries[each][1]]
        if entry[0] == m.CALL and file.last_name(entry[1]) in FIXTURE_NAMES:
            for key, given in entry[3]:
                if key == "params":
                    return frozenset(((ROW, ("param",), (_alone(_given(engine, file, given, fuel)),)),))
    return NOTHING


def _given(engine: Engine, file: File, expression: int, fuel: int) -> Values:
    values = engine.values(file.path, expression, 0, fuel - LOOKUP_STEP)
    return union(containers.elements(engine, each, fuel - LOOKUP_STEP) for each in values)


def _listed(engine: Engine, file: File, scope: int, name: str, fuel: int) -> Values:
    """What `parametrize` on the test, on its class or for its module lists for a parameter."""
    parts: list[Values] = []
    for home, call in _marks(engine, file, scope, fuel):
        keywords = dict(call[3])
        said = call[2][0] if call[2] else keywords.get("argnames", -1)
        given = call[2][1] if len(call[2]) > 1 else keywords.get("argvalues", -1)
        if said < 0 or given < 0:
            continue
        listed = _names(home, said)
        if name in listed and name not in _indirect(home, call, listed):
            rows = _given(engine, home, given, fuel)
            if len(listed) == 1:
                parts.append(_alone(rows))
            else:
                parts.extend(unpacking.unpack(engine, row, listed.index(name), fuel) for row in rows)
    return union(parts)


def _marks(engine: Engine, file: File, scope: int, fuel: int) -> Iterator[tuple[File, Any]]:
    """The calls of `parametrize` for a test, each with the file where it is written."""
    owner = file.class_of(scope)
    for each in (*file.scopes[scope].decorators, *(file.scopes[owner].decorators if owner >= 0 else ())):
        decorator = file.entries[each][1]
        entry = file.entries[decorator]
        if entry[0] == m.CALL:
            if file.last_name(entry[1]) == _PARAMETRIZE:
                yield file, entry
        elif entry[0] in (m.NAME, m.ATTRIBUTE):
            yield from _made(engine, engine.values(file.path, decorator, 0, fuel - LOOKUP_STEP))
    for around in (0, owner):
        if around >= 0:
            engine.look_up(file.path, around, _MARKS) if around else engine.look_for(file.path, _MARKS)
            bindings = file.final(around, _MARKS)
            if bindings:
                marks = engine.bound(file, bindings, 0, fuel - LOOKUP_STEP)
                held = (containers.elements(engine, each, fuel - LOOKUP_STEP) for each in marks)
                yield from _made(engine, union((marks, *held)))


def _made(engine: Engine, marks: Values) -> Iterator[tuple[File, Any]]:
    for mark in ordered(marks):
        if mark[:2] == (EXTERNAL_INSTANCE, PARAMETRIZE) and len(mark) > 2:
            home = engine.file(mark[2])
            yield home, home.entries[mark[3]]


def _alone(rows: Values) -> Values:
    """The one value of each row: `pytest.param(value, id="name")` is a row, too."""
    return union(row[1][0] if row[0] == TUPLE and row[1] else frozenset((row,)) for row in rows)


def _indirect(file: File, call: Any, names: list[str]) -> list[str]:
    """The parameters whose values are the fixture's to make something of: what it makes is passed, not they."""
    for key, value in call[3]:
        if key == "indirect":
            return names if file.entries[value][0] == m.LITERAL else _names(file, value)
    return []


def _names(file: File, expression: int) -> list[str]:
    entry = file.entries[expression]
    members = [file.entries[each] for each in entry[2]] if entry[0] == m.SEQUENCE else [entry]
    texts = [each[2] for each in members if each[0] == m.LITERAL and each[1] == "str" and each[2]]
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]
