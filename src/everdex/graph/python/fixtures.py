"""Pass 6: pytest's fixtures: a test's parameter is what the nearest fixture of that name returns or yields.

Nearest is the same file, then conftest.py files upward. Fixtures of plugins from outside stay unknown.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python import calls, containers
from everdex.graph.python.engine import CALL_STEP, LEVEL, LOOKUP_STEP, Engine
from everdex.graph.python.files import File
from everdex.graph.python.rules import FIXTURES
from everdex.graph.python.values import EXTERNAL, FUNCTION, NOTHING, Value, Values, union

FIXTURE_KEY: Final = "py:fixture:"


def value(engine: Engine, file: File, scope: int, name: str, fuel: int) -> Values:
    function = find(engine, file, scope, name, fuel)
    if function is None:
        return NOTHING
    made = calls.returned(engine, function, 0, (fuel | LEVEL) - CALL_STEP)
    parts = [
        containers.elements(engine, each, (fuel | LEVEL) - CALL_STEP) if each[0] == "generator" else frozenset((each,))
        for each in made
    ]
    return union(parts)


def find(engine: Engine, file: File, scope: int, name: str, fuel: int) -> Value | None:
    """The fixture function a parameter of a test or fixture means."""
    own = file.scopes[scope]
    if own.kind != m.FUNCTION_SCOPE:
        return None
    in_test = own.name.startswith("test") or is_fixture(engine, file, scope, fuel)
    if not in_test or name == own.name:
        return None
    directory = file.path.rpartition("/")[0]
    for path in (file.path, *_conftests(directory)):
        if path in engine.offering(FIXTURE_KEY + name):
            other = engine.file(path)
            for number, other_scope in enumerate(other.scopes):
                if other_scope.name == name and other_scope.decorators and is_fixture(engine, other, number, fuel):
                    engine.look_at(path, number)
                    return (FUNCTION, path, number, 0, None)
    return None


def _conftests(directory: str) -> list[str]:
    found = []
    while directory:
        found.append(f"{directory}/conftest.py")
        directory = directory.rpartition("/")[0]
    return [*found, "conftest.py"]


def is_fixture(engine: Engine, file: File, scope: int, fuel: int) -> bool:
    for each in file.scopes[scope].decorators:
        decorator = file.entries[each][1]
        entry = file.entries[decorator]
        named = entry[1] if entry[0] == m.CALL else decorator
        if file.last_name(named) not in ("fixture", "yield_fixture"):
            continue
        for found in engine.values(file.path, named, 0, (fuel | LEVEL) - LOOKUP_STEP):
            if found[0] == EXTERNAL and found[1] in FIXTURES:
                return True
    return False
