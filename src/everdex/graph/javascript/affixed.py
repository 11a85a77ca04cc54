"""Functions under a name that the program puts together and of which the beginning or the end is written
(`this["visit" + kind]`, `` handlers[`on${event}`] ``): each that is called so may be meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import members
from everdex.graph.javascript import values as v
from everdex.graph.javascript.keys import ANY_NAME, member_key
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP: Final = 4
_LEAST: Final = 2  # letters that have to be written
_MAX_BASES: Final = 8


def named(engine: Engine, value: Value, begins: str, ends: str, fuel: int) -> Values:
    """What a value has under such a name, where it has any function under one."""
    if len(begins + ends) < _LEAST:
        return v.NOTHING
    found = (v.AFFIXED, value, begins, ends)
    return (found,) if functions(engine, found, fuel) else v.NOTHING


def functions(engine: Engine, value: Value, fuel: int) -> list[Value]:
    """The functions that something has under names that begin and end so."""
    _, owner, begins, ends = value
    least = len(begins) + len(ends)
    names = dict.fromkeys(
        name
        for name in _names(engine, owner, fuel)
        if len(name) > least and name.startswith(begins) and name.endswith(ends)
    )
    found: dict[Value, None] = {}
    for name in names:
        for slot in members.find(engine, owner, name, fuel - _JUMP):
            if slot.kind == "f":
                given = members.slot_values(engine, slot, owner, fuel - 1)
                found |= dict.fromkeys(each for each in given if each[0] == v.FUNCTION)
    return list(found)


def _names(engine: Engine, value: Value, fuel: int) -> Iterator[str]:
    """The names under which something has functions, those of its bases among them."""
    waiting, seen = [value], {value}
    while waiting:
        kind, *rest = owner = waiting.pop(0)
        if kind not in (v.INSTANCE, v.CLASS, v.OBJECT):
            continue
        file, index = engine.files[rest[0]], rest[1]
        if kind == v.OBJECT:
            yield from (name for name, _, how, _ in file.expressions[index][1] if how == "v")
            binding = file.owner(m.OBJECT, index)
            yield from (name for name, _ in engine.touch_name(file, binding).properties) if binding >= 0 else ()
            continue
        row = file.classes[index]
        engine.touch(file, file.home(row.node))
        engine.reads.add(member_key(file.path, file.keys[row.node], ANY_NAME))
        yield from (name for name, how, static, _, _, _ in row.members if how == "m" and static == (kind == v.CLASS))
        for base in engine.evaluate(file, row.extends, fuel - _JUMP) if row.extends else ():
            above = (owner[0], *base[1:])
            if base[0] == v.CLASS and above not in seen and len(seen) < _MAX_BASES:
                seen.add(above)
                waiting.append(above)
