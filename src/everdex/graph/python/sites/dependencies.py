"""What a file imports, in its functions, too: from which files, on which lines, and which names.

Where a module is found is `modules`' business. Imports that were asked for before are only given their lines again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from everdex.facts.python import model as m
from everdex.graph.model import Dependency, Target
from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.engine.values import EXTERNAL, MODULE, Value
from everdex.graph.python.file.files import File
from everdex.graph.python.file.nodes import Places
from everdex.graph.python.names import names
from everdex.graph.python.names.modules import submodule


class Import(NamedTuple):
    expression: int
    line: int


def imports(file: File, places: Places) -> list[Import]:
    found = []
    for number in file.of_kind(m.IMPORTED, m.FROM):
        if number and _is_bound_by(file.entries[number - 1], file.entries[number]):
            continue
        found.append(Import(number, places.at(file.places.starts[number])[0]))
    return found


def _is_bound_by(before: Any, entry: Any) -> bool:
    """Whether it is the name that `import a.b` binds, not a second import."""
    return bool(entry[0] == m.IMPORTED == before[0] and before[1].startswith(f"{entry[1]}."))


def text_of(file: File, found: Sequence[Import]) -> str:
    """All that dependencies follow from: what is imported, and which imports share a line, not on which it is."""
    lines: dict[int, int] = {}
    return "\n".join([f"{lines.setdefault(line, len(lines))} {file.entries[number]}" for number, line in found])


def dependencies(engine: Engine, file: File, found: Sequence[Import]) -> tuple[Dependency, ...]:
    taken: dict[tuple[Target, int], list[str]] = {}
    for number, line in found:
        entry = file.entries[number]
        if entry[0] == m.IMPORTED:
            (value,) = engine.values(file.path, number, 0, 0)
            taken.setdefault((_target(value), line), [])
            continue
        source = names.source_of(engine, file.path, entry[1], entry[2])
        if source[0] != EXTERNAL and entry[3] != "*":
            inner = submodule(engine, source, entry[3], file.path)
            own = source[0] == MODULE and engine.look_for(source[1], entry[3]).names[0].get(entry[3])
            if inner is not None and not own:
                taken.setdefault((_target(inner), line), [])
                continue
        taken.setdefault((_target(source), line), []).append(entry[3])
    return tuple(Dependency(target, line, tuple(each)) for (target, line), each in taken.items())


def moved(kept: Sequence[Dependency], found: Sequence[Import]) -> tuple[Dependency, ...]:
    """Dependencies of a file whose imports have the same text, on their lines now.

    Every import is on the line of some dependency, and both are in the same order.
    """
    lines = zip(dict.fromkeys(each.line for each in kept), dict.fromkeys(line for _, line in found), strict=True)
    now = dict(lines)
    return tuple(replace(each, line=now[each.line]) for each in kept)


def _target(value: Value) -> Target:
    return Target(value[1], "") if value[0] == MODULE else Target("", value[1])
