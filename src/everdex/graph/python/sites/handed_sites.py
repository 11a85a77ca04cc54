"""Sites where something outside the root is called and calls back into it: `sorted(key=f)`, `map(f, …)`, `str(x)`.

The part of `Sites` that knows builtins and libraries by the tables of `rules`: functions that are handed to them, and
special methods that they call on the values they are handed.
"""

from __future__ import annotations

from typing import Any

from everdex.facts.python import model as m
from everdex.graph.model import Role, Status
from everdex.graph.python.builtins import builtin_calls, getters, methods, named_access, operators, texts
from everdex.graph.python.builtins.rules import (
    CALLS_ARGUMENT,
    CALLS_DUNDER,
    CHECKS,
    COMPARES,
    ITERATES,
    ITERATING_METHODS,
    MEASURES,
)
from everdex.graph.python.calls import calls, parameters
from everdex.graph.python.classes import metaclasses
from everdex.graph.python.containers import containers, folds, lookups
from everdex.graph.python.engine.contexts import Argument
from everdex.graph.python.engine.engine import FUEL
from everdex.graph.python.engine.values import CLASS, EXTERNAL, INSTANCE, LITERAL, Value, Values, union
from everdex.graph.python.sites import targets
from everdex.graph.python.sites.syntax_sites import SyntaxSites


class HandedSites(SyntaxSites):
    """Makes the sites of what is called from outside."""

    def through(self, number: int, entry: Any, dotted: str) -> None:
        """Functions of the root that a builtin or library function calls in turn."""
        engine = self.engine
        module, _, name = dotted.rpartition(".")
        if dotted in CALLS_ARGUMENT:
            positional, keywords = calls.arguments(self.file, number, 0)
            several = builtin_calls.called_arguments(engine, dotted, positional, keywords, FUEL)
            for functions, given in folds.together(several):
                self._ran(self._argument_of(entry, dotted), functions, given)
                internal = targets.called(engine, functions)
                if internal.status in (Status.RESOLVED, Status.AMBIGUOUS):
                    self.add(
                        Role.CALL, self._argument_of(entry, dotted), internal, self.index_of[self.file.where[number]]
                    )
        if dotted in COMPARES and len(entry[2]) > COMPARES[dotted][0]:
            self._compared(entry, dotted)
        if dotted == "builtins.sum" and entry[2]:
            start = union(self.values(each) for each in entry[2][1:2])
            self.implicit(
                entry[2][0], operators.adding(engine, self._held(entry[2][0]), start, FUEL, self.file.path)
            )
        if name == "enter_context" and entry[2]:
            for special in ("__enter__", "__exit__"):
                self.implicit(entry[2][0], self.special(entry[2][0], special))
        if len(entry[2]) > 1 and (dotted == "types.new_class" or (dotted == "builtins.type" and len(entry[2]) == 3)):
            self.implicit(entry[2][1], metaclasses.made_below(engine, self._held(entry[2][1]), FUEL))
        if dotted == "builtins.type.__new__" and entry[2]:
            metas = [each for each in self.values(entry[2][0]) if each[0] == CLASS]
            held = union(metaclasses.members(engine, each[1], each[2], FUEL) for each in metas)
            self.implicit(entry[1], operators.special(engine, held, "__set_name__", FUEL, self.file.path))
        first, last = ITERATES.get(dotted, (0, 0))
        is_any = last is None  # a starred one stands for any of them, and is what it holds
        for each in entry[2][first:last] if is_any or len(entry[2]) == 1 or name not in ("min", "max") else ():
            if is_any or self.file.entries[each][0] != m.STAR:
                self.iteration(each)
        if module != "builtins" or not entry[2]:
            return
        if name in ("any", "all"):
            self.implicit(entry[2][0], operators.truth(engine, self._held(entry[2][0]), FUEL, self.file.path))
        if name in CHECKS and len(entry[2]) > 1:
            self._checked(entry[2][1], CHECKS[name])
        is_written = len(entry[2]) > 1 and self.file.entries[entry[2][1]][0] == m.LITERAL
        if name in named_access.PARTS and len(entry[2]) > 1 and not (name == "setattr" and is_written):  # a store
            self._reached(entry[2][0], entry[2][1], named_access.PARTS[name])
        if name in ("getattr", "hasattr") and len(entry[2]) > 1:
            self.intercepted(entry[2][0], entry[2][0])
        for each in entry[2] if name == "print" else entry[2][:1]:
            if name in ("set", "frozenset"):
                self.implicit(each, operators.special(engine, self._held(each), "__hash__", FUEL, self.file.path))
            if name == "dict":
                self.spread(each)
            if name in MEASURES:
                self.measured(each)
            if name in texts.BY_BUILTIN:
                self.shown(each, texts.BY_BUILTIN[name])
                continue
            for special in CALLS_DUNDER.get(name, ()):
                found = self.special(each, special)
                if found:
                    self.implicit(each, found)
                    break

    def _checked(self, expression: int, name: str) -> None:
        """`isinstance(x, C)`, with one class or several: their metaclass is asked."""
        what = self.file.entries[expression]
        for each in what[2] if what[0] == m.SEQUENCE else (expression,):
            self.implicit(each, self.special(each, name))

    def _ran(self, number: int, functions: Values, given: tuple[Argument, ...]) -> None:
        """What calling each of some functions with this runs that is not the function itself."""
        self.of_each(functions, lambda each: self.implicit(number, getters.ran(self.engine, each, given, FUEL)))
        for module, _, name in [each[1].rpartition(".") for each in functions if each[0] == EXTERNAL]:
            asked = texts.BY_BUILTIN.get(name) or CALLS_DUNDER.get(name)
            if module == "builtins" and asked and given:  # map(str, things)
                values = parameters.argument(self.engine, given[0], FUEL)
                self.implicit(number, texts.shown(self.engine, values, asked, FUEL, self.file.path))

    def of_builtin(self, entry: Any, receiver: Value, name: str) -> None:
        """What a method of a builtin type runs on what it is given."""
        if name == "sort":
            self._sorted_in_place(entry, receiver)
        elif name == "format" and methods.type_name(self.engine, receiver) == "str":
            self._filled_in(entry, receiver)
        elif entry[2]:
            if name == lookups.GETITEM:
                self.implicit(entry[1], operators.getting(self.engine, frozenset((receiver,)), FUEL, self.file.path))
            if name in ITERATING_METHODS:
                self.iteration(entry[2][0])
            if name in MEASURES:
                self.measured(entry[2][0])
            if name in lookups.HASHING or name in lookups.COMPARING:
                self.looked_up(frozenset((receiver,)), entry[2][0], name)

    def _filled_in(self, entry: Any, receiver: Value) -> None:
        """`text.format(…)`."""
        asked = texts.fields(receiver[2] if receiver[0] == LITERAL else None)
        given = [(str(place), each) for place, each in enumerate(entry[2])]
        for name, each in (*given, *entry[3]):
            if self.file.entries[each][0] != m.STAR:
                self.shown(each, texts.FORMAT if asked is None else asked.get(name, ()))

    def _reached(self, expression: int, name: int, part: int) -> None:
        """An attribute under a name that is a text: a property runs."""

        def reached(value: Value) -> None:
            if value[0] == INSTANCE or (value[0] == CLASS and part == named_access.GETTER):
                given = self.values(name)
                ran = named_access.ran(self.engine, value, given, part, FUEL, self.file.path)
                self.implicit(expression, ran)

        self.of_each(self.values(expression), reached)

    def _compared(self, entry: Any, dotted: str) -> None:
        """What is asked which of two comes first; min(a, b) has no container."""
        place, is_container, operator = COMPARES[dotted]
        given = entry[2][place:]
        if is_container and len(given) == 1:
            values = self._held(given[0])
        else:
            values = union(self.values(each) for each in (given if is_container else given[:1]))
        self._put_in_order(entry[2][place], entry, values, operator)

    def _put_in_order(self, number: int, entry: Any, values: Values, operator: str) -> None:
        """Values are compared, or what a key makes of them."""
        for key in [given for key, given in entry[3] if key == "key"]:
            given = (Argument("", -1, 0, values),)
            values = union(calls.result(self.engine, each, given, (), FUEL) for each in self.values(key))
        self.implicit(number, operators.ordering(self.engine, values, operator, FUEL, self.file.path))

    def _held(self, expression: int) -> Values:
        return union(containers.elements(self.engine, each, FUEL) for each in self.values(expression))

    def _sorted_in_place(self, entry: Any, receiver: Value) -> None:
        """What sorting a list in its place runs, but for functions."""
        held = containers.elements(self.engine, receiver, FUEL)
        self._put_in_order(entry[1], entry, held, "<")
        for key in [given for key, given in entry[3] if key == "key"]:
            self._ran(key, self.values(key), (Argument("", -1, 0, held),))

    def _argument_of(self, entry: Any, dotted: str) -> int:
        for place, _ in CALLS_ARGUMENT[dotted]:
            if isinstance(place, int) and place < len(entry[2]):
                return int(entry[2][place])
            for key, value in entry[3]:
                if key == place:
                    return int(value)
        return int(entry[1])
