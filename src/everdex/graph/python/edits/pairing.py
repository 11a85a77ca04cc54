"""Pairs the expressions of a file with those it had before an edit: kind by kind, operand by operand, and through the
bindings that reach each name.

Expressions that can be paired are the same for whoever evaluates them: a value that differs behind them was read under
a key, which has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everdex.facts.python import model as m
from everdex.graph.python.file.around import binding_scope
from everdex.graph.python.file.files import File
from everdex.graph.python.file.slices import OPERANDS

Mark = tuple[dict[int, int], dict[int, int]]


class Pairing:
    """A file before and after, and which expressions of both are the same."""

    def __init__(self, old: File, new: File) -> None:
        self.old = old
        self.new = new
        self._to: dict[int, int] = {}
        self._from: dict[int, int] = {}
        self._waiting: list[tuple[int, int]] = []
        self.parameters: dict[str, dict[int, int]] = {}  # function -> those that are the same, where not all are

    def mark(self) -> Mark:
        return dict(self._to), dict(self._from)

    def go_back(self, mark: Mark) -> None:
        """Assume nothing that was paired since."""
        self._to, self._from = mark
        self._waiting = []

    def both(self, first: Any, second: Any) -> bool:
        """Two operands, or lists of them with other things between: expressions are paired, the rest must be equal."""
        if isinstance(first, int) and isinstance(second, int):
            if first >= 0 and second >= 0:
                self._waiting.append((first, second))
                return True
            return first == second
        if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
            return len(first) == len(second) and all(map(self.both, first, second))
        return bool(first == second)

    def bindings(self, first: Sequence[int], second: Sequence[int]) -> bool:
        """Bindings by number: what they bind, and whether they always do."""
        bound, bound_now = [self.old.bindings[each] for each in first], [self.new.bindings[each] for each in second]
        under, under_now = self.old.bound_under, self.new.bound_under
        return [each[3] for each in bound] == [each[3] for each in bound_now] and self.both(
            [[each[2] for each in bound], [under.get(each, ()) for each in first]],
            [[each[2] for each in bound_now], [under_now.get(each, ()) for each in second]],
        )

    def walked(self) -> bool:
        """Pair everything behind what is waiting; one with one, or one container would count as two."""
        while self._waiting:
            first, second = self._waiting.pop()
            known, back = self._to.get(first), self._from.get(second)
            if known is None and back is None:
                self._to[first], self._from[second] = second, first
                if not self._entries(first, second):
                    return False
            elif known != second or back != first:
                return False
        return True

    def _entries(self, first: int, second: int) -> bool:
        old, new = self.old, self.new
        left, right = old.entries[first], new.entries[second]
        stands, stands_now = old.scopes[old.where[first]], new.scopes[new.where[second]]
        if (left[0], stands.key) != (right[0], stands_now.key):
            return False
        kind = left[0]
        # A literal is one for a whole body and stands where it is first met: in a comprehension, or not.
        if kind != m.LITERAL and stands.kind != stands_now.kind:
            return False
        if old.display_names.get(first) != new.display_names.get(second):
            return False
        if (first in old.held_displays) != (second in new.held_displays):
            return False
        if kind == m.NAME:
            is_same = left[1] == right[1] or self._are_renamed(left, right)
            return is_same and self.both(left[3:], right[3:]) and self._names(first, second, left[1])
        if kind == m.DEFINITION:
            return bool(old.scopes[left[1]].key == new.scopes[right[1]].key)
        if kind == m.PARAMETER:
            return self._parameters(left, right)
        if kind == m.SUBSCRIPT and not self.both(old.stored_before(left[1]), new.stored_before(right[1])):
            return False
        operands = OPERANDS.get(kind)
        if operands is None or len(left) != len(right):
            return False
        for place in range(1, len(left)):
            if not (self.both(left[place], right[place]) if place in operands else left[place] == right[place]):
                return False
        # A type in quotes is a name as well.
        return kind != m.LITERAL or not is_text_of_name(left) or self._free(first, second, left[2])

    def _parameters(self, left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
        """What a parameter is passed is read under keys; but what stands beside an operator is also what is asked of it
        in the body."""
        key, place = self.old.scopes[left[1]].key, left[2]
        if key in self.parameters:
            place = self.parameters[key].get(place, -1)
        if (key, place) != (self.new.scopes[right[1]].key, right[2]):
            return False
        if left[2] != 1 or not self.old.scopes[left[1]].name.startswith("__"):
            return True
        return (left[1:] in self.old.asked_parameters) == (right[1:] in self.new.asked_parameters)

    def _names(self, first: int, second: int, name: str) -> bool:
        old, new = self.old, self.new
        reaching, reaching_now = old.entries[first][2], new.entries[second][2]
        if bool(reaching) != bool(reaching_now):
            return False
        if not reaching:
            return self._free(first, second, name)
        inside = old.from_inside.get((old.where[first], name), [])
        inside_now = new.from_inside.get((new.where[second], name), [])
        return self.bindings([*reaching, *inside], [*reaching_now, *inside_now])

    def _are_renamed(self, left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
        """Whether two names mean a parameter each, one of which stands for the other; who asks what it is is asked."""
        if not (len(left[2]) == len(right[2]) == 1):
            return False
        old, new = self.old, self.new
        first, second = old.entries[old.bindings[left[2][0]][2]], new.entries[new.bindings[right[2][0]][2]]
        return (
            (first[0], second[0]) == (m.PARAMETER, m.PARAMETER)
            and self.parameters.get(old.scopes[first[1]].key, {}).get(first[2]) == second[2]
        )

    def _free(self, first: int, second: int, name: str) -> bool:
        """A name that is looked up around: found in the same scope, and bound there alike.

        What modules and classes bind has keys of its own, of which who looks takes note.
        """
        home, found = binding_scope(self.old, self.old.where[first], name)
        home_now, found_now = binding_scope(self.new, self.new.where[second], name)
        if home < 0 or home_now < 0:
            return home == home_now
        scope, scope_now = self.old.scopes[home], self.new.scopes[home_now]
        if (scope.kind, scope.key) != (scope_now.kind, scope_now.key):
            return False
        return self.old.is_by_name(home) or self.bindings(found, found_now)


def is_text_of_name(entry: Any) -> bool:
    """A literal that is a name in quotes."""
    return entry[1] == "str" and isinstance(entry[2], str) and entry[2].isidentifier()
