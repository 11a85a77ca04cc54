"""The places where syntax calls what it does not name: operators, iteration, `with`, items, truth, formatted strings.

The part of `Sites` that knows the special methods. Such a place is a call site when it reaches a function of the root,
and otherwise none. It does not know what comparing inside containers or pickling calls.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.model import Role
from everdex.graph.python.builtins import operators, texts
from everdex.graph.python.builtins.rules import UNARY
from everdex.graph.python.calls import calls
from everdex.graph.python.classes import classes, hooks
from everdex.graph.python.containers import heirs, lookups
from everdex.graph.python.engine.engine import FUEL
from everdex.graph.python.engine.values import (
    CLASS,
    FUNCTION,
    HANDED_OUT,
    INSTANCE,
    MANAGER,
    PARTIAL,
    STATIC,
    Value,
    Values,
    union,
)
from everdex.graph.python.sites import targets
from everdex.graph.python.sites.variable_sites import VariableSites

HANDED: Final[Values] = frozenset((HANDED_OUT,))
_RUN: Final = frozenset((FUNCTION, MANAGER, STATIC, PARTIAL))


class SyntaxSites(VariableSites):
    """Makes the sites of special methods."""

    def implicit(self, number: int, functions: Values) -> None:
        """A call that nothing in the text names."""
        wanted = frozenset([value for value in functions if value[0] in _RUN]) if functions else functions
        if wanted:
            wanted = wanted | (functions & HANDED)
            self.add(Role.CALL, number, targets.called(self.engine, wanted))

    def special(self, expression: int, name: str) -> Values:
        values = self.values(expression)
        found = operators.special(self.engine, values, name, FUEL, self.file.path)
        return found | (values & HANDED) if found else found

    def intercepted(self, number: int, owner: int) -> None:
        """A class that answers itself for whatever is read of its instances."""
        if self.engine.is_offered(hooks.INTERCEPTING):
            self.implicit(number, hooks.intercepting(self.engine, self.values(owner), FUEL))

    def iteration(self, expression: int, asynchronous: bool = False) -> None:
        values = self.values(expression)
        if not any(value[0] in (INSTANCE, CLASS) for value in values):
            return
        first, second = ("__aiter__", "__anext__") if asynchronous else ("__iter__", "__next__")
        begun = operators.special(self.engine, values, first, FUEL, self.file.path)
        self.implicit(expression, begun or operators.special(self.engine, values, "__getitem__", FUEL, self.file.path))
        made = union(calls.result(self.engine, each, (), (), FUEL) for each in begun)
        self.implicit(expression, operators.special(self.engine, made, second, FUEL, self.file.path))

    def spread(self, expression: int) -> None:
        """A mapping that is copied key by key; `dict` iterates whatever has no keys."""
        keys = self.special(expression, "keys")
        if keys:
            self.implicit(expression, keys)
            self.implicit(expression, self.special(expression, "__getitem__"))
            return
        self.iteration(expression)
        given = frozenset(value for value in self.values(expression) if heirs.has_keys(self.engine, value, FUEL))
        self.implicit(expression, operators.special(self.engine, given, "__getitem__", FUEL, self.file.path))

    def dictionary(self, number: int, entry: Any, is_callee: bool) -> None:
        for key, value in entry[1]:
            if key < 0:
                self.spread(value)
            else:
                self.hashed(key)

    def sequence(self, number: int, entry: Any, is_callee: bool) -> None:
        for each in entry[2] if entry[1] == "set" else ():
            self.hashed(each)

    def hashed(self, expression: int) -> None:
        """What is put into a set, or is a key."""
        if self.file.entries[expression][0] != m.LITERAL:
            self.implicit(expression, self.special(expression, "__hash__"))

    def starred(self, number: int, entry: Any, is_callee: bool) -> None:
        if number not in self._mutations:
            self.iteration(entry[1])
            self.measured(entry[1])

    def measured(self, expression: int) -> None:
        """What is made a list or tuple of is asked for its length first."""
        self.implicit(expression, self.special(expression, "__len__"))

    @cached_property
    def _mutations(self) -> frozenset[int]:
        """What `x.extend(y)` puts into x: a star that nobody wrote."""
        return frozenset(value for _, key, value in self.file.facts.item_stores if key == -2)

    def awaited(self, number: int, entry: Any, is_callee: bool) -> None:
        self.implicit(number, self.special(entry[1], "__await__"))

    def tested(self, number: int, entry: Any, is_callee: bool) -> None:
        if self._is_flag(entry[1]):
            return
        self.implicit(entry[1], operators.truth(self.engine, self.values(entry[1]), FUEL, self.file.path))

    def _is_flag(self, expression: int) -> bool:
        """A parameter without a type of which no attribute is asked: who passes it is not worth looking for."""
        file = self.file
        entry = file.entries[expression]
        if file.receiver_class(expression) >= 0:
            return False
        if entry[0] != m.NAME or len(entry[2]) != 1 or entry[2][0] in self._receivers:
            return False
        bound = file.entries[file.bindings[entry[2][0]][2]]
        return bool(bound[0] == m.PARAMETER and file.scopes[bound[1]].params[bound[2]][2] < 0)

    @cached_property
    def _receivers(self) -> frozenset[int]:
        """The bindings of which some attribute is asked."""
        entries = self.file.entries
        bases = [entries[entries[number][1]] for number in self.file.of_kind(m.ATTRIBUTE)]
        return frozenset(number for base in bases if base[0] == m.NAME for number in base[2])

    def raised(self, number: int, entry: Any, is_callee: bool) -> None:
        """A class that is raised makes an instance of itself."""
        made = frozenset(value for value in self.values(entry[1]) if value[0] == CLASS)
        if made:
            self.add(Role.CALL, entry[1], targets.called(self.engine, made))

    def element(self, number: int, entry: Any, is_callee: bool) -> None:
        self.iteration(entry[1], bool(entry[2]))

    def unpacked(self, number: int, entry: Any, is_callee: bool) -> None:
        """`x, y = pair`: once, with the first of what is taken from it."""
        if entry[2] == 0 or (isinstance(entry[2], list) and entry[2][0] == 0):
            self.iteration(entry[1])

    def entered(self, number: int, entry: Any, is_callee: bool) -> None:
        for name in ("__aenter__", "__aexit__") if entry[2] else ("__enter__", "__exit__"):
            self.implicit(number, self.special(entry[1], name))

    def binary(self, number: int, entry: Any, is_callee: bool) -> None:
        functions, reflected = operators.binary_methods(self.engine, self.file, entry, 0, FUEL)
        self.implicit(number, union((functions, reflected)))
        left = self.file.entries[entry[2]]
        if entry[1] == "%" and left[0] == m.LITERAL and left[1] == "str":
            right = self.file.entries[entry[3]]
            given = right[2] if right[0] == m.SEQUENCE and right[1] == "tuple" else (entry[3],)
            for each, methods in zip(given, texts.percent(left[2], len(given)), strict=True):
                self.shown(each, methods)

    def shown(self, expression: int, methods: tuple[str, ...]) -> None:
        """A value that is put into a text, or of which one is made."""
        if methods and self.file.entries[expression][0] != m.LITERAL:
            values = self.values(expression)
            ran = texts.shown(self.engine, values, methods, FUEL, self.file.path)
            self.implicit(expression, ran | (values & HANDED))

    def unary(self, number: int, entry: Any, is_callee: bool) -> None:
        name = UNARY.get(entry[1])
        if name:
            self.implicit(number, self.special(entry[2], name))

    def compare(self, number: int, entry: Any, is_callee: bool) -> None:
        self.implicit(number, operators.comparison_methods(self.engine, self.file, entry, 0, FUEL))
        for place, operator in enumerate(entry[1][: len(entry[2]) - 1]):
            if operator.endswith("in"):
                self.looked_up(self.values(entry[2][place + 1]), entry[2][place], lookups.CONTAINS)

    def looked_up(self, holders: Values, expression: int, method: str) -> None:
        """What finding a value in containers of builtin types runs."""
        if self.file.entries[expression][0] == m.LITERAL:
            return
        is_hashed = method in lookups.HASHING and any(lookups.hashes(self.engine, each) for each in holders)
        is_hashed = is_hashed and not self._is_flag(expression)
        is_compared = method in lookups.COMPARING and any(lookups.compares(self.engine, each) for each in holders)
        if is_hashed:
            self.implicit(expression, lookups.hashed(self.engine, self.values(expression), FUEL, self.file.path))
        if is_compared:
            self.implicit(expression, self.special(expression, "__eq__"))

    def subscript(self, number: int, entry: Any, is_callee: bool) -> None:
        self.implicit(number, operators.getting(self.engine, self.values(entry[1]), FUEL, self.file.path))

        def of_class(value: Value) -> None:
            if value[0] == CLASS:
                line = classes.mro(self.engine, value[1], value[2], FUEL)
                self.implicit(number, classes.raw_attribute(self.engine, line, "__class_getitem__", FUEL)[0])

        self.of_each(self.values(entry[1]), of_class)
        made = union(lookups.missing(self.engine, each, FUEL) for each in self.values(entry[1]))
        if made:
            self.add(Role.CALL, number, targets.called(self.engine, made))
        self.looked_up(self.values(entry[1]), entry[2], lookups.GETITEM)

    def formatted(self, number: int, entry: Any, is_callee: bool) -> None:
        for place, each in enumerate(entry[1]):
            self.shown(each, texts.REPRESENT if place in entry[3] else texts.FORMAT)

    def item_stores(self, numbers: list[int]) -> None:
        for number in numbers:
            entry = self.file.entries[number]
            if entry[0] == m.STORE_ITEM:
                name = "__delitem__" if (entry[1], entry[2]) in self._deleted_items else "__setitem__"
                self.implicit(number, self.special(entry[1], name))
                self.looked_up(self.values(entry[1]), entry[2], lookups.GETITEM)

    @cached_property
    def _deleted_items(self) -> set[tuple[int, int]]:
        return {(base, key) for base, key, value in self.file.facts.item_stores if value < 0}
