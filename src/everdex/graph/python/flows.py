"""How values move inside one file: what is called, passed on, given another name, stored, and put into containers.

Indexes over the file's layout, made when first asked for. What a value *is* is the engine's business.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.layout import Layout
from everdex.graph.python.rules import CONTAINER_NAMES, FACTORIES, ITEM_METHODS, PUTS

# From a container to what is taken from it: the part of an expression that has it.
_TAKEN_FROM: Final = {m.SUBSCRIPT: 1, m.ELEMENT: 1, m.ITEM: 1, m.NARROWED: 1}
_MAX_TAKEN: Final = 8  # containers within containers, and names between them


class Flows(Layout):
    """A decoded file with the ways that values take in it."""

    @cached_property
    def calls(self) -> list[int]:
        return self.of_kind(m.CALL)

    def operators_below(self, expression: int) -> int:
        """How deeply operators are nested in an expression with one."""
        depths = self._operators_below
        waiting = [expression] if expression not in depths else []
        while waiting:
            current = waiting[-1]
            operands = [each for each in self.entries[current][2:4] if self.entries[each][0] == m.BINARY]
            missing = [each for each in operands if each not in depths]
            if missing:
                waiting += missing
            else:
                depths[current] = 1 + max((depths[each] for each in operands), default=0)
                waiting.pop()
        return depths[expression]

    @cached_property
    def _operators_below(self) -> dict[int, int]:
        """Those that were asked for."""
        return {}

    @cached_property
    def calls_by_name(self) -> dict[str, list[int]]:
        """Called name -> call and decorator-application expressions, by what is called; 'f()' when it is a result."""
        return m.decode_calls(self.facts)

    @cached_property
    def asked_parameters(self) -> set[tuple[int, int]]:
        """Parameters, by scope and place, that are asked for an attribute, gone through, negated or passed on: not only
        what stands beside an operator."""
        used = [self.entries[number][1] for number in self.of_kind(m.ATTRIBUTE, m.STAR, m.ELEMENT)]
        used += [self.entries[number][2] for number in self.of_kind(m.UNARY)]
        used += [each for number in self.calls for each in self.entries[number][2]]
        found: set[tuple[int, int]] = set()
        for each in used:
            entry = self.entries[each]
            for number in entry[2] if entry[0] == m.NAME else ():
                value = self.entries[self.bindings[number][2]]
                if value[0] == m.NARROWED:
                    value = self.entries[value[1]]
                    for inner in value[2] if value[0] == m.NAME else ():
                        value = self.entries[self.bindings[inner][2]]
                if value[0] == m.PARAMETER:
                    found.add((value[1], value[2]))
        return found

    @cached_property
    def decorations(self) -> dict[str, list[int]]:
        """The same of decorator applications alone."""
        found = {
            name: [each for each in numbers if self.entries[each][0] == m.DECORATED]
            for name, numbers in self.calls_by_name.items()
        }
        return {name: numbers for name, numbers in found.items() if numbers}

    @cached_property
    def called_in_class(self) -> set[tuple[int, str]]:
        """Functions of classes that statements of the class call, as decorators most often: they are no methods."""
        found: set[tuple[int, str]] = set()
        for number in chain.from_iterable(self.calls_by_name.values()):
            scope = self.where[number]
            if self.scopes[scope].kind == m.CLASS_SCOPE:
                callee = self.entries[self.entries[number][1]]
                if callee[0] == m.NAME and callee[2]:
                    found.add((scope, callee[1]))
        return found

    @cached_property
    def indirect_calls(self) -> list[int]:
        """Calls through a variable, parameter, item or result: any function of the file may be meant."""
        stored = {store.name for store in self.facts.stores}
        found = []
        entries, bindings = self.entries, self.bindings
        for number in self.calls:
            entry = entries[entries[number][1]]
            kind = entry[0]
            if kind == m.NAME:
                for each in entry[2]:
                    if not self._is_plain(entries[bindings[each][2]]):
                        found.append(number)
                        break
            elif kind in (m.SUBSCRIPT, m.CALL) or (kind == m.ATTRIBUTE and entry[2] in stored):
                found.append(number)
        return found

    @cached_property
    def passed(self) -> frozenset[str]:
        """The names of its functions that are used as values, not only called."""
        return frozenset(self.facts.passed)

    def passes_on(self, scope: int) -> bool:
        """Whether a function takes anything, and calls something with just that: `def f(a, *rest): g(a, *rest)`."""
        params = self.scopes[scope].params
        plain = [param[0] for param in params if param[1] in (m.POSITIONAL, m.POSITIONAL_ONLY)]
        rest = [param[0] for param in params if param[1] == m.ALL_POSITIONAL]
        return bool(rest) and (*plain, *rest) in self._passing.get(scope, ())

    @cached_property
    def _passing(self) -> dict[int, set[tuple[str, ...]]]:
        """Function -> the names that each of its calls passes by place, where the last of them is starred."""
        found: dict[int, set[tuple[str, ...]]] = {}
        for number in self.calls:
            given = self.entries[number][2]
            if given and self.entries[given[-1]][0] == m.STAR:
                named = [self.entries[each] for each in (*given[:-1], self.entries[given[-1]][1])]
                if all(each[0] == m.NAME for each in named):
                    found.setdefault(self.where[number], set()).add(tuple([each[1] for each in named]))
        return found

    @property
    def aliases(self) -> dict[int | str, list[str]]:
        """Functions that are given another name, or stored as an attribute: by lambda's scope or by name -> those."""
        return self.facts.aliases

    @cached_property
    def given(self) -> dict[int | str, list[int]]:
        """Functions that are passed on, by scope or as a name -> the calls that take them, or that call a lambda where
        it is written."""
        found: dict[int | str, list[int]] = {}
        for number in self.calls:
            entry = self.entries[number]
            if self.entries[entry[1]][0] == m.DEFINITION:
                found.setdefault(self.entries[entry[1]][1], []).append(number)
            for each in (*entry[2], *(value for _, value in entry[3])):
                what = self.entries[each]
                if what[0] == m.DEFINITION or what[0] == m.NAME:
                    found.setdefault(what[1], []).append(number)
        return found

    @cached_property
    def taking(self) -> list[tuple[int, int]]:
        """(expression, value) of what takes a parameter as it is: calls with it or of it, stores and fills; in a
        function inside another any name from around may be one."""
        parameters = {number for number, each in enumerate(self.bindings) if self.entries[each[2]][0] == m.PARAMETER}
        nested = [scope.parent > 0 and self.scopes[scope.parent].kind != m.CLASS_SCOPE for scope in self.scopes]

        def is_one(expression: int) -> bool:
            entry = self.entries[expression]
            if entry[0] != m.NAME:
                return False
            return not parameters.isdisjoint(entry[2]) if entry[2] else nested[self.where[expression]]

        found = []
        for number in self.calls:
            entry = self.entries[number]
            parts = (entry[1], *entry[2], *(value for _, value in entry[3]))
            found += [(number, each) for each in parts if is_one(each)]
        for store in self.facts.stores:
            found += [(store.store, each) for each in self.stored_as(store.value) if is_one(each)]
        return [*found, *((base, value) for base, _, value in self.fills if value >= 0 and is_one(value))]

    def stored_as(self, value: int) -> list[int]:
        """What a stored value may be as it is written: `a or b`, or one of several that are assigned together."""
        entry = self.entries[value]
        if entry[0] == m.ITEM and isinstance(entry[2], int):
            together = self.entries[entry[1]]
            if together[0] == m.SEQUENCE and -len(together[2]) <= entry[2] < len(together[2]):
                return [together[2][entry[2]]]
        return list(entry[1]) if entry[0] == m.EITHER else [value]

    @cached_property
    def given_attributes(self) -> dict[str, list[int]]:
        """Attribute -> the calls that take it: of self, the method that is passed on."""
        found: dict[str, list[int]] = {}
        for number in self.calls:
            entry = self.entries[number]
            for each in (*entry[2], *(value for _, value in entry[3])):
                what = self.entries[each]
                if what[0] == m.ATTRIBUTE:
                    found.setdefault(what[2], []).append(number)
        return found

    @cached_property
    def self_stores(self) -> dict[int, dict[str, list[int]]]:
        """Class -> attribute -> values assigned through the first parameter of its methods."""
        found: dict[int, dict[str, list[int]]] = {}
        for store in self.facts.stores:
            if store.owner >= 0:
                found.setdefault(store.owner, {}).setdefault(store.name, []).append(store.value)
        return found

    @cached_property
    def made_by_self(self) -> dict[int, str]:
        """Values among those that come from the object itself -> the attribute that they come from: `self.make()`."""
        stored = [value for stores in self.self_stores.values() for values in stores.values() for value in values]
        return {value: name for value in stored if (name := self._of_self(value, 2))}

    def _of_self(self, value: int, steps: int) -> str:
        entry = self.entries[value]
        if entry[0] == m.NAME and len(entry[2]) == 1 and steps:
            return self._of_self(self.bindings[entry[2][0]][2], steps - 1)
        if entry[0] in (m.CALL, m.AWAIT):
            return self._of_self(entry[1], steps)
        if entry[0] == m.EITHER and steps:
            return next(filter(None, (self._of_self(each, steps - 1) for each in entry[1])), "")
        return str(entry[2]) if entry[0] == m.ATTRIBUTE and self.receiver_class(entry[1]) >= 0 else ""

    @cached_property
    def other_stores(self) -> dict[str, list[tuple[int, int]]]:
        """Attribute -> (base, value) of assignments through anything else."""
        found: dict[str, list[tuple[int, int]]] = {}
        for store in self.facts.stores:
            if store.owner < 0:
                found.setdefault(store.name, []).append((store.base, store.value))
        return found

    @cached_property
    def adopting(self) -> dict[str, list[int]]:
        """Functions that are stored as attributes of something else than self, by name -> what they are stored on."""
        found: dict[str, list[int]] = {}
        for store in self.facts.stores:
            entry = self.entries[store.value]
            if store.owner < 0 and entry[0] == m.NAME:
                found.setdefault(entry[1], []).append(store.base)
        return found

    @cached_property
    def computed_stores(self) -> list[tuple[int, int, int]]:
        """(base, name, value) of `setattr` with a name that is not written there."""
        found = []
        for number in self.calls_by_name.get("setattr", ()):
            entry = self.entries[number]
            is_plain = entry[0] == m.CALL and len(entry[2]) == 3 and self.entries[entry[1]][0] == m.NAME
            if is_plain and self.entries[entry[2][1]][0] != m.LITERAL:
                found.append((entry[2][0], entry[2][1], entry[2][2]))
        return found

    @cached_property
    def held_displays(self) -> set[int]:
        """Container displays that are given to attributes: whoever has the object may fill them."""
        found: dict[int, set[str]] = {}
        for store in self.facts.stores:
            self._note_displays(store.value, store.name, found)
        return set(found)

    @cached_property
    def display_names(self) -> dict[int, set[str]]:
        """Container displays -> the names and attributes they are given to."""
        found: dict[int, set[str]] = {}
        for _, name, value, _ in self.bindings:
            self._note_displays(value, name, found)
        for store in self.facts.stores:
            self._note_displays(store.value, store.name, found)
        return found

    def _note_displays(self, value: int, name: str, found: dict[int, set[str]]) -> None:
        entry = self.entries[value]
        if entry[0] == m.TYPED and entry[2] >= 0:
            value = entry[2]
            entry = self.entries[value]
        if self._is_display(entry):
            found.setdefault(value, set()).add(name)
        elif entry[0] == m.CALL:  # a field of a record, made by a factory
            for key, given in entry[3]:
                if key in FACTORIES:
                    found.setdefault(given, set()).add(name)
        elif entry[0] == m.EITHER:
            for each in entry[1]:
                if self._is_display(self.entries[each]):
                    found.setdefault(each, set()).add(name)

    def _is_display(self, entry: Any) -> bool:
        if entry[0] == m.CALL:
            return self.last_name(entry[1]) in CONTAINER_NAMES
        return entry[0] in (m.SEQUENCE, m.DICT, m.COMPREHENSION)

    @cached_property
    def fills(self) -> list[tuple[int, int, int]]:
        """Item stores with those that functions make for their callers: heappush(queue, item)."""
        calls = [self.entries[each] for name in PUTS for each in self.calls_by_name.get(name, ())]
        return [*self.facts.item_stores, *((call[2][0], -1, call[2][1]) for call in calls if _has_two(call))]

    def stored_before(self, base: int) -> list[tuple[int, int]]:
        """(key, value) of the assignments to items of a name that always happen before it is read there."""
        named = self.entries[base]
        if named[0] != m.NAME or len(named[2]) != 1:
            return []
        return [each for each in self._stored_always.get((self.where[base], named[2][0]), ()) if each[1] < base]

    @cached_property
    def _stored_always(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """Scope and binding of a name -> those assignments, in their order."""
        found: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for number in self.of_kind(m.STORE_ITEM):
            _, base, key, value = self.entries[number]
            named = self.entries[base]
            if value >= 0 and named[0] == m.NAME and len(named[2]) == 1:
                found.setdefault((self.where[number], named[2][0]), []).append((key, value))
        return found

    @cached_property
    def item_stores_by_name(self) -> dict[str, list[tuple[int, int, int]]]:
        """Item stores by the receiver's last name; those through a parameter also under '', those through a name that
        was given to an item (`bucket = table[key]`) under '[]'."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        for store in self.fills:
            entry = self.entries[store[0]]
            name = entry[1] if entry[0] == m.NAME else entry[2] if entry[0] == m.ATTRIBUTE else ""
            found.setdefault(name, []).append(store)
            bound = [self.entries[self.bindings[each][2]] for each in entry[2]] if entry[0] == m.NAME else []
            if any(each[0] == m.PARAMETER for each in bound):
                found.setdefault("", []).append(store)
            if any(self._is_item(each) for each in bound):
                found.setdefault("[]", []).append(store)
        return found

    def _is_item(self, entry: Any) -> bool:
        return bool(entry[0] == m.SUBSCRIPT or (entry[0] == m.CALL and self.last_name(entry[1]) in ITEM_METHODS))

    def taken_from(self, expression: int) -> list[int]:
        """The containers that something is taken from, the nearest first: by a key, a loop, a method or a builtin."""
        found: list[int] = []
        for _ in range(_MAX_TAKEN):
            entry = self.entries[expression]
            if entry[0] == m.NAME and len(entry[2]) == 1:
                expression = self.bindings[entry[2][0]][2]
                continue
            if entry[0] in _TAKEN_FROM:
                expression = entry[_TAKEN_FROM[entry[0]]]
            elif entry[0] == m.CALL and self.entries[entry[1]][0] == m.ATTRIBUTE:  # self.handlers.get(name)
                expression = self.entries[entry[1]][1]
            elif entry[0] == m.CALL and self.entries[entry[1]][0] == m.NAME and entry[2]:  # list(self.handlers)
                expression = entry[2][0]
            else:
                break
            found.append(expression)
        return found

    @cached_property
    def foreign_takes(self) -> dict[str, list[int]]:
        """Calls of what is taken from a container that another file may have made, by the container's name there."""
        found: dict[str, list[int]] = {}
        for number in self.indirect_calls:
            for each in self.taken_from(self.entries[number][1]):
                for name in self._foreign_names(each):
                    found.setdefault(name, []).append(number)
        return found

    def _foreign_names(self, expression: int) -> list[str]:
        """The names that something has in the files it may be from: of an attribute, or of an imported name."""
        entry = self.entries[expression]
        root = expression
        while self.entries[root][0] == m.ATTRIBUTE:
            root = self.entries[root][1]
        if entry[0] == m.ATTRIBUTE:
            return [entry[2]] if self.entries[root][0] == m.NAME and self.receiver_class(root) < 0 else []
        if entry[0] != m.NAME:
            return []
        values = [self.entries[self.bindings[each][2]] for each in entry[2] or self.names[0].get(entry[1], ())]
        if not values and self.facts.stars:
            return [entry[1]]
        return [value[3] for value in values if value[0] == m.FROM]

    @cached_property
    def foreign_fills(self) -> dict[str, list[tuple[int, int, int]]]:
        """Item stores into what another file may have made: through an attribute or an imported name."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        for store in self.fills:
            for name in self._foreign_names(store[0]) if store[2] >= 0 else ():
                found.setdefault(name, []).append(store)
        return found


def _has_two(call: Any) -> bool:
    return bool(call[0] == m.CALL and len(call[2]) > 1)
