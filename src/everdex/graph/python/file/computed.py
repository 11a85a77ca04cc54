"""What one file calls without naming it: attributes that are asked for, or stored, under names that are put together
there, and special methods by operators.

Indexes over the file's flows, made when first asked for. What such a name may say is the engine's business.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.file.flows import Flows

_BEGINNING: Final = re.compile(r"([a-zA-Z]\w*_)(?:[%{].*)?\Z", re.DOTALL)  # what a template says before its first part


_SELDOM: Final = {"<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor", "@": "matmul"}


class Computed(Flows):
    """A decoded file with what it calls without a name."""

    @cached_property
    def operations(self) -> dict[str, list[tuple[int, tuple[int, ...]]]]:
        """Special method -> (what it is of, what it is given) of the places that may call it: of operators that are
        seldom used for numbers, of `in`, and of items that are stored. Types are written with operators, too."""
        found: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
        types = self._types
        for number in self.of_kind(m.BINARY):
            _, operator, left, right = self.entries[number]
            name = _SELDOM.get(operator.removesuffix("="))
            if name and number not in types:
                names = [f"__{name}__", *([f"__i{name}__"] if operator.endswith("=") else ())]
                for each in names:
                    found.setdefault(each, []).append((left, (right,)))
                found.setdefault(f"__r{name}__", []).append((right, (left,)))
        for number in self.of_kind(m.UNARY):
            if self.entries[number][1] == "~":
                found.setdefault("__invert__", []).append((self.entries[number][2], ()))
        for number in self.of_kind(m.COMPARE):
            _, comparing, operands = self.entries[number]
            for place, each in enumerate(comparing):
                if each in ("in", "not in"):
                    found.setdefault("__contains__", []).append((operands[place + 1], (operands[place],)))
        for base, key, value in self.facts.item_stores:
            if key >= 0 and value >= 0:
                found.setdefault("__setitem__", []).append((base, (key, value)))
        return found

    @cached_property
    def _types(self) -> set[int]:
        """The operators of annotations."""
        waiting = [self.entries[number][1] for number in self.of_kind(m.TYPED)]
        for scope in self.scopes:
            waiting += [scope.annotation, *(param[2] for param in scope.params)]
        found: set[int] = set()
        while waiting:
            number = waiting.pop()
            if number < 0:
                continue
            entry = self.entries[number]
            if entry[0] == m.BINARY:
                found.add(number)
                waiting += entry[2:4]
            elif entry[0] == m.SUBSCRIPT:
                waiting.append(entry[2])
            elif entry[0] == m.SEQUENCE:
                waiting += entry[2]
        return found

    @cached_property
    def dispatched(self) -> list[tuple[int, int]]:
        """Those of them that call what `getattr` gives under a name that is not written there, with that call of it."""
        found: list[tuple[int, int]] = []
        for number in self.indirect_calls if "getattr" in self.calls_by_name else ():
            callee = self.entries[number][1]
            entry = self.entries[callee]
            values = [self.bindings[each][2] for each in entry[2]] if entry[0] == m.NAME else [callee]
            found.extend((number, each) for each in values if self._asks_computed(self.entries[each]))
        return found

    def _asks_computed(self, entry: Any) -> bool:
        is_getattr = entry[0] == m.CALL and len(entry[2]) > 1 and self.entries[entry[1]][:2] == (m.NAME, "getattr")
        return is_getattr and self.entries[entry[2][1]][0] != m.LITERAL

    @cached_property
    def dispatched_by(self) -> dict[str, list[tuple[int, int]]]:
        """Those whose name is written to begin with a word -> the word, up to where the rest is put in: `visit_`."""
        found: dict[str, list[tuple[int, int]]] = {}
        for number, asked in self.dispatched:
            begins = self._beginning(self.entries[asked][2][1])
            if begins:
                found.setdefault(begins, []).append((number, asked))
        return found

    def _beginning(self, expression: int) -> str:
        entry = self.entries[expression]
        if entry[0] == m.NAME and len(entry[2]) == 1:
            entry = self.entries[self.bindings[entry[2][0]][2]]
        text = None
        if entry[0] == m.BINARY and entry[1] in ("+", "%"):
            text = self._written(entry[2])
        elif entry[0] == m.FORMATTED and entry[2]:
            text = entry[2][0]
        elif entry[0] == m.CALL and self.entries[entry[1]][0] == m.ATTRIBUTE and self.entries[entry[1]][2] == "format":
            text = self._written(self.entries[entry[1]][1])
        said = _BEGINNING.match(text) if isinstance(text, str) else None
        return said[1] if said else ""

    def _written(self, expression: int) -> Any:
        entry = self.entries[expression]
        return entry[2] if entry[:2] == (m.LITERAL, "str") else None

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
    def is_naming(self) -> bool:
        """Whether it may store something under the name that a definition has."""
        asked = self.of_kind(m.ATTRIBUTE) if self.computed_stores else []
        return any(self.entries[number][2] == "__name__" for number in asked)

    @cached_property
    def decorated_by_name(self) -> dict[str, list[int]]:
        """Name -> the definitions in no class that decorators stand before: their own, and what those are given."""
        found: dict[str, dict[int, None]] = {}
        for number, scope in enumerate(self.scopes):
            if scope.decorators and self.class_of(number) < 0:
                made = [self.entries[self.entries[each][1]] for each in scope.decorators]
                calls = [each for each in made if each[0] == m.CALL]
                passed = [self.entries[each] for call in calls for each in (*call[2], *(value for _, value in call[3]))]
                written = [each[2] for each in passed if each[:2] == (m.LITERAL, "str")]
                for name in (scope.name, *written):
                    found.setdefault(name, {})[number] = None
        return {name: list(numbers) for name, numbers in found.items()}

    @cached_property
    def replacing(self) -> dict[int, list[tuple[int, int, int]]]:
        """Function -> (name, call, place): what it stores in a loop, under the name of each member of something, is
        what the call makes of the member, which it is given at the place."""
        found: dict[int, list[tuple[int, int, int]]] = {}
        stores = [(name, value) for _, name, value in self.computed_stores]
        stores.extend((key, value) for _, key, value in self.facts.item_stores if key >= 0 and value >= 0)
        for name, value in stores:
            loop = self._loop(name)
            for call in self._bound(value) if loop >= 0 else ():
                entry = self.entries[call]
                for place, given in enumerate(entry[2]) if entry[0] == m.CALL else ():
                    if self._is_member(given, name, loop):
                        found.setdefault(self.owner(self.where[call]), []).append((name, call, place))
        return found

    def _bound(self, expression: int) -> list[int]:
        """An expression, or what a name stands for."""
        entry = self.entries[expression]
        return [self.bindings[each][2] for each in entry[2]] if entry[0] == m.NAME else [expression]

    def _loop(self, expression: int) -> int:
        """What a loop gives of which a name is the whole, or a part; -1."""
        named = self._bound(expression) if self.entries[expression][0] == m.NAME else ()
        narrowed = [self.entries[each][1] for each in named if self.entries[each][0] == m.NARROWED]
        for value in (*named, *(inner for each in narrowed for inner in self._bound(each))):
            entry = self.entries[value]
            element: int = entry[1] if entry[0] == m.ITEM else value
            if self.entries[element][0] == m.ELEMENT:
                return element
        return -1

    def _is_member(self, expression: int, name: int, loop: int) -> bool:
        """Whether something is the other part of what a loop gives, or what something has under the name."""
        entry = self.entries[expression]
        if entry[0] == m.NAME:
            return entry[1] != self.entries[name][1] and self._loop(expression) == loop
        asked = entry[2][1:2] if entry[0] == m.CALL and self.last_name(entry[1]) == "getattr" else ()
        asked = entry[2:3] if entry[0] == m.SUBSCRIPT else asked
        return any(self._loop(each) == loop for each in asked)
