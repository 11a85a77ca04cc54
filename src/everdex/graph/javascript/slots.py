"""Where a property was found, and what a file says of one by itself: in a literal, on `this`, on a name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from everdex.facts import javascript_model as m
from everdex.graph.javascript.files import File
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine


class Slot(NamedTuple):
    kind: str  # 'f' field or function, 'g' getter, 's' setter, 'a' declared only, 't' of an interface, 'x' a value,
    # 'd' only the definition of what another slot holds, 'c' a function under a name that the program computes
    path: str
    node: int  # definition, or -1
    value: int  # expression, or 0
    type: int
    given: Values = ()


def direct(value: Value) -> tuple[Slot, ...]:
    return (Slot("x", "", -1, 0, 0, (value,)),)


def expression_node(file: File, value: int) -> int:
    """The definition that a stored value is, or -1."""
    row = file.expressions[value]
    if row[0] == m.FUNCTION:
        return file.functions[row[1]].node
    return file.classes[row[1]].node if row[0] == m.CLASS else -1


def on_this(engine: Engine, file: File, key: tuple[str, int], values: Iterable[int], name: str) -> tuple[Slot, ...]:
    """What those of some values that are functions store on `this` under a name; the key stands for the values."""
    found: tuple[set[str], dict[str, list[int]]] | None = file.memo.get(key)
    if found is None:
        functions = [file.functions[number] for number in file.functions_of(values)]
        stores: dict[str, list[int]] = {}
        for stored, value in (each for function in functions for each in function.stores):
            stores.setdefault(stored, []).append(value)
        found = file.memo[key] = {file.home(function.node) for function in functions}, stores
    for home in found[0]:
        engine.touch(file, home)
    return tuple(Slot("f", file.path, expression_node(file, value), value, 0) for value in found[1].get(name, ()))


def held(file: File, stored: list[tuple[str, int]], name: str) -> tuple[Slot, ...]:
    """What was stored under a name, and the accessors that it was described by."""
    kinds = {name: "f", f"get {name}": "g", f"set {name}": "s"}
    return tuple(
        Slot(kinds[property_], file.path, expression_node(file, value), value, 0)
        for property_, value in stored
        if property_ in kinds
    )


def computed(file: File, stored: list[tuple[str, int]]) -> tuple[Slot, ...]:
    return tuple(
        Slot("c", file.path, expression_node(file, value), value, 0)
        for property_, value in stored
        if property_ == m.COMPUTED
    )


def wholes(stored: list[tuple[str, int]]) -> list[int]:
    return [value for property_, value in stored if not property_]


def own(file: File, literal: int, name: str) -> tuple[Slot, ...]:
    """The properties of a name that an object literal writes out."""
    return tuple(
        Slot("f" if kind == "v" else kind, file.path, node if node >= 0 else expression_node(file, value), value, 0)
        for member, value, kind, node in file.expressions[literal][1]
        if member == name
    )
