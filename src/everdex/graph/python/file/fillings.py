"""How containers are filled inside one file, and what is taken from them: displays and their names, item stores, calls.

Indexes over the file's flows, made when first asked for. What a container *holds* is the engine's business.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import CONTAINER_NAMES, FACTORIES, ITEM_METHODS, PUTS
from everdex.graph.python.file.computed import Computed

# From a container to what is taken from it: the part of an expression that has it.
_TAKEN_FROM: Final = {m.SUBSCRIPT: 1, m.ELEMENT: 1, m.ITEM: 1, m.NARROWED: 1, m.NARROWED_CLASS: 1}
_WRITTEN: Final = frozenset((m.SEQUENCE, m.COMPREHENSION))
_MAX_TAKEN: Final = 8  # containers within containers, and names between them


class Fillings(Computed):
    """A decoded file with what is put into containers."""

    @cached_property
    def taking(self) -> list[tuple[int, int]]:
        """(expression, value) of what takes a parameter as it is: calls with it or of it, stores and fills, and calls
        with the attribute of self that holds it, or that is declared; in a function inside another any name from around
        may be one."""
        parameters = {number for number, each in enumerate(self.bindings) if self.entries[each[2]][0] == m.PARAMETER}
        nested = [scope.parent > 0 and self.scopes[scope.parent].kind != m.CLASS_SCOPE for scope in self.scopes]

        def is_one(expression: int) -> bool:
            entry = self.entries[expression]
            if entry[0] != m.NAME:
                return False
            return not parameters.isdisjoint(entry[2]) if entry[2] else nested[self.where[expression]]

        def is_kept(expression: int) -> bool:
            found = self.own_attribute(expression)
            return found is not None and (found in kept or self._is_declared(*found))

        found = []
        kept: set[tuple[int, str]] = set()
        for store in self.facts.stores:
            stored = [(store.store, each) for each in self.stored_as(store.value) if is_one(each)]
            found += stored
            if stored:
                kept.add((store.owner, store.name))
        for number in self.calls:
            entry = self.entries[number]
            for each in (entry[1], *entry[2], *[value for _, value in entry[3]]):
                kind = self.entries[each][0]
                if is_one(each) if kind == m.NAME else kind == m.ATTRIBUTE and is_kept(each):
                    found.append((number, each))
        return [*found, *((base, each) for base, _, value in self.fills for each in self.put_as(value) if is_one(each))]

    def _is_declared(self, owner: int, name: str) -> bool:
        """Whether a class says of what type an attribute is, as records do."""
        bindings = self.names[owner].get(name, ())
        return any(self.entries[self.bindings[each][2]][0] == m.TYPED for each in bindings)

    def takes_for(self, value: int) -> Iterator[str]:
        """Whose a value of those is: the keys of the functions around, or the attribute's name."""
        entry = self.entries[value]
        if entry[0] == m.ATTRIBUTE:
            yield entry[2]
            return
        scope = self.owner(self.where[value])
        while scope > 0:
            if self.scopes[scope].kind != m.CLASS_SCOPE:
                yield self.scopes[scope].key
            scope = self.owner(self.scopes[scope].parent)

    def put_as(self, value: int) -> list[int]:
        """What is put into a container, by itself or in a tuple."""
        entry = self.entries[value] if value >= 0 else (m.UNKNOWN,)
        return [value, *entry[2]] if entry[0] == m.SEQUENCE and entry[1] == "tuple" else [value] if value >= 0 else []

    @cached_property
    def names_put(self) -> dict[str, list[tuple[int, int]]]:
        """Name -> where it is put into a container, by itself or in a tuple: the container, and the name's place."""
        found: dict[str, list[tuple[int, int]]] = {}
        for base, _, value in self.fills:
            for each in self.put_as(value):
                if self.entries[each][0] == m.NAME:
                    found.setdefault(self.entries[each][1], []).append((base, each))
        return found

    @cached_property
    def held_displays(self) -> set[int]:
        """Container displays that are given to attributes: whoever has the object may fill them."""
        found: dict[int, set[str]] = {}
        for store in self.facts.stores:
            self._note_displays(store.value, store.name, found)
        return set(found)

    @cached_property
    def adopting(self) -> dict[str, list[tuple[int, int]]]:
        """Functions that are stored as attributes, not of self, by name -> (what they are stored on, the function)."""
        found: dict[str, list[tuple[int, int]]] = {}
        for store in self.facts.stores:
            entry = self.entries[store.value]
            if store.owner < 0 and entry[0] == m.NAME:
                found.setdefault(entry[1], []).append((store.base, store.value))
        for number in self.made:
            held = self.entries[self.entries[number][2][2]]
            for _, each in held[1] if held[0] == m.DICT else held[3]:
                if self.entries[each][0] == m.NAME:
                    found.setdefault(self.entries[each][1], []).append((number, each))
        return found

    @cached_property
    def display_names(self) -> dict[int, set[str]]:
        """Container displays -> the names and attributes they are given to."""
        found: dict[int, set[str]] = {}
        for _, name, value, _ in self.bindings:
            self._note_displays(value, name, found)
        for store in self.facts.stores:
            self._note_displays(store.value, store.name, found)
        return found

    @cached_property
    def outer_names(self) -> dict[int, set[str]]:
        """Container displays that stand in others, or what makes those -> the names that the others are given to."""
        found: dict[int, set[str]] = {}
        for number, names in self.display_names.items():
            for each in self._inner_displays(self.entries[number]):
                found.setdefault(each, set()).update(names)
        return found

    def _inner_displays(self, entry: Any) -> list[int]:
        if entry[0] == m.CALL:  # defaultdict(list)
            return list(entry[2][:1]) if self.last_name(entry[1]) == "defaultdict" else []
        members = [value for _, value in entry[1]] if entry[0] == m.DICT else entry[2] if entry[0] == m.SEQUENCE else []
        return [each for each in members if self.is_display(self.entries[each])]

    def _note_displays(self, value: int, name: str, found: dict[int, set[str]]) -> None:
        entry = self.entries[value]
        for each in self.stored_as(entry[2] if entry[0] == m.TYPED and entry[2] >= 0 else value):
            entry = self.entries[each]
            if self.is_display(entry):
                found.setdefault(each, set()).add(name)
            elif entry[0] == m.CALL:  # a field of a record, made by a factory
                for key, given in entry[3]:
                    if key in FACTORIES:
                        found.setdefault(given, set()).add(name)

    def is_display(self, entry: Any) -> bool:
        """Whether a container is made where this stands."""
        if entry[0] == m.CALL:
            return self.last_name(entry[1]) in CONTAINER_NAMES
        if entry[0] == m.BINARY:  # names + [name]
            operands = [self.entries[each] for each in entry[2:4]]
            return entry[1] == "+" and any(each[0] in _WRITTEN and each[1] == "list" for each in operands)
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
            is_own = root == entry[1] and self.receiver_class(root) >= 0
            return [entry[2]] if self.entries[root][0] == m.NAME and not is_own else []
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
            filled = self.entries[store[0]]
            outer = filled[1] if filled[0] == m.SUBSCRIPT else store[0]
            for name in self._foreign_names(outer) if store[2] >= 0 else ():
                found.setdefault(name, []).append(store)
        return found


def _has_two(call: Any) -> bool:
    return bool(call[0] == m.CALL and len(call[2]) > 1)
