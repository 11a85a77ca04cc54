"""Finds functions that were edited without any difference that other code could see, so that nobody is resolved again.

Other code can see a function's head, what it returns and yields, what it stores, fills, passes on and calls, and what
functions inside it take from it. The facts before and after the edit are compared: the function is alike when the
expressions behind all of that can be paired one to one, kind by kind and operand by operand. When in doubt it is not
alike. Nothing is evaluated: a value that differs behind equal expressions was read under another key, which has
changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.python.files import File
from everdex.graph.python.keys import (
    CALL_KEY,
    DECORATE_KEY,
    default_key,
    filled_key,
    fills_key,
    indirect_key,
    member_key,
    passed_key,
    scope_key,
    stores_key,
    taken_key,
    taking_key,
)
from everdex.graph.python.names import binding_scope
from everdex.graph.python.slices import OPERANDS

MAX_EDITED: Final = 50  # functions; a file in which more changed was rewritten, and each costs a look through all of it


def unseen(old: File, new: File, is_changed: Callable[[str], bool]) -> list[str]:
    """The keys of functions that are not as they were, while all that others may see of them is.

    `is_changed` says of a key whether its offers differ: who went by it to something that is new or gone in a function
    is asked again anyway.
    """
    common = [
        (scope_key(old.path, key), scope, new.scope_by_key[key])
        for key, scope in old.scope_by_key.items()
        if old.scopes[scope].kind == m.FUNCTION_SCOPE and key in new.scope_by_key
    ]
    edited = [each for each in common if is_changed(each[0])]
    if not 0 < len(edited) <= MAX_EDITED or old.facts.partial or new.facts.partial:
        return []
    pair = _Pair(old, new, {old.scopes[scope].key for _, scope, _ in edited}, is_changed)
    return [key for key, scope, other in edited if pair.try_function(scope, other)]


class _Way(NamedTuple):
    """How others come to expressions in a function without going through the function."""

    announced: str  # the key that they noted then; '' for none
    what: tuple[str, ...]


class _Pair:
    """A file before and after, and which expressions of both are the same."""

    def __init__(self, old: File, new: File, functions: set[str], is_changed: Callable[[str], bool]) -> None:
        self.old = old
        self.new = new
        self._is_changed = is_changed
        self._ways = _ways(old, functions), _ways(new, functions)
        self._to: dict[int, int] = {}
        self._from: dict[int, int] = {}
        self._waiting: list[tuple[int, int]] = []

    def try_function(self, old: int, new: int) -> bool:
        """Whether a function can be added to what is the same; if not, nothing was assumed."""
        kept = dict(self._to), dict(self._from)
        if self._function(old, new) and self._walked():
            return True
        self._to, self._from = kept
        self._waiting = []
        return False

    # -- what may be seen of a function

    def _function(self, old: int, new: int) -> bool:
        first, second = self.old.scopes[old], self.new.scopes[new]
        return (
            first.flags == second.flags
            and self._heads(first, second)
            and self._both(first.returns, second.returns)
            and self._both(first.guards, second.guards)
            and self._both(first.yields, second.yields)
            and self._inside(old, new)
            and self._by_ways(first.key)
        )

    def _heads(self, first: m.Scope, second: m.Scope) -> bool:
        """Two definitions up to their bodies."""
        named, named_now = [each[:2] for each in first.params], [each[:2] for each in second.params]
        if (first.kind, first.outer_names, named) != (second.kind, second.outer_names, named_now):
            return False
        written, written_now = [each[2:] for each in first.params], [each[2:] for each in second.params]
        return self._both(
            [written, first.decorators, first.bases, first.base_keywords, first.annotation],
            [written_now, second.decorators, second.bases, second.base_keywords, second.annotation],
        )

    def _inside(self, old: int, new: int) -> bool:
        """The definitions inside: their heads, which stand in this body, and the names that they take from it."""
        inner, others = _inner(self.old, old), _inner(self.new, new)
        if [self.old.scopes[each].key for each in inner] != [self.new.scopes[each].key for each in others]:
            return False
        for each, other in zip(inner, others, strict=True):
            first, second = self.old.scopes[each], self.new.scopes[other]
            if self.old.owner(first.parent) == old and not self._heads(first, second):
                return False
        for name in _taken(self.old, old):
            bound, bound_now = self.old.names[old].get(name, ()), self.new.names[new].get(name, ())
            if not self._bindings(bound, bound_now):
                return False
            for each, other in zip(inner, others, strict=True):
                born, born_now = self.old.scopes[each].born, self.new.scopes[other].born
                if sum(place <= born for place in bound) != sum(place <= born_now for place in bound_now):
                    return False
        return True

    def _by_ways(self, key: str) -> bool:
        before, after = (ways.get(key, {}) for ways in self._ways)
        return all(
            self._both(before[way], after.get(way, [])) if not way.announced or not self._is_changed(way.announced)
            else True
            for way in before
        )  # fmt: skip

    # -- pairs of expressions

    def _both(self, first: Any, second: Any) -> bool:
        """Two operands, or lists of them with other things between: expressions are paired, the rest must be equal."""
        if isinstance(first, int) and isinstance(second, int):
            if first >= 0 and second >= 0:
                self._waiting.append((first, second))
                return True
            return first == second
        if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
            return len(first) == len(second) and all(map(self._both, first, second))
        return bool(first == second)

    def _bindings(self, first: Sequence[int], second: Sequence[int]) -> bool:
        """Bindings by number: what they bind, and whether they always do."""
        bound, bound_now = [self.old.bindings[each] for each in first], [self.new.bindings[each] for each in second]
        return [each[3] for each in bound] == [each[3] for each in bound_now] and self._both(
            [each[2] for each in bound], [each[2] for each in bound_now]
        )

    def _walked(self) -> bool:
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
            return left[1] == right[1] and self._names(first, second, left[1])
        if kind == m.DEFINITION or kind == m.PARAMETER:
            return old.scopes[left[1]].key == new.scopes[right[1]].key and left[2:] == right[2:]
        if kind == m.SUBSCRIPT and not self._both(old.stored_before(left[1]), new.stored_before(right[1])):
            return False
        operands = OPERANDS.get(kind)
        if operands is None or len(left) != len(right):
            return False
        for place in range(1, len(left)):
            if not (self._both(left[place], right[place]) if place in operands else left[place] == right[place]):
                return False
        # A type in quotes is a name as well.
        return kind != m.LITERAL or not _is_name(left) or self._free(first, second, left[2])

    def _names(self, first: int, second: int, name: str) -> bool:
        old, new = self.old, self.new
        reaching, reaching_now = old.entries[first][2], new.entries[second][2]
        if bool(reaching) != bool(reaching_now):
            return False
        if not reaching:
            return self._free(first, second, name)
        inside = old.from_inside.get((old.where[first], name), [])
        inside_now = new.from_inside.get((new.where[second], name), [])
        return self._bindings([*reaching, *inside], [*reaching_now, *inside_now])

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
        return self.old.is_by_name(home) or self._bindings(found, found_now)


def _is_name(entry: Any) -> bool:
    return entry[1] == "str" and isinstance(entry[2], str) and entry[2].isidentifier()


def _inner(file: File, scope: int) -> list[int]:
    """The definitions inside a function, however deep."""
    inside = {scope}
    found = []
    for number in range(scope + 1, len(file.scopes)):
        if file.scopes[number].parent in inside:
            inside.add(number)
            if file.scopes[number].kind != m.COMPREHENSION_SCOPE:
                found.append(number)
    return found


def _taken(file: File, scope: int) -> set[str]:
    """The names that definitions inside a function may take from around them."""
    inner = set(_inner(file, scope))
    found: set[str] = set()
    if inner:
        for number, where in enumerate(file.where):
            entry = file.entries[number]
            is_free = not entry[2] if entry[0] == m.NAME else entry[0] == m.LITERAL and _is_name(entry)
            if is_free and file.owner(where) in inner:
                found.add(entry[1] if entry[0] == m.NAME else entry[2])
    return found


def _ways(file: File, functions: set[str]) -> dict[str, dict[_Way, list[Any]]]:
    """By the key of each of these functions: the ways into it, and the expressions to which each leads, in order."""
    inside = {number for number, scope in enumerate(file.scopes) if scope.key in functions}
    found: dict[str, dict[_Way, list[Any]]] = {}
    for stands, way, expressions in _led(file, [scope in inside for scope in file.where]):
        found.setdefault(file.scopes[file.where[stands]].key, {}).setdefault(way, []).append(expressions)
    return found


def _led(file: File, wanted: Sequence[bool]) -> Iterator[tuple[int, _Way, Any]]:
    """An expression that tells where, the way, and what it leads to; only where it is `wanted`."""
    path = file.path
    for name, numbers in file.calls_by_name.items():
        for each in numbers:
            if wanted[each]:
                yield each, _Way(CALL_KEY + name, ("call", name)), each
    for name, numbers in file.decorations.items():
        for each in numbers:
            if wanted[each]:
                yield each, _Way(DECORATE_KEY + name, ("decoration", name)), each
    for each in file.indirect_calls:
        if wanted[each]:
            yield each, _Way(indirect_key(path), ("indirect call",)), each
    for each, value in file.taking:
        if wanted[each]:
            yield each, _Way(taking_key(path), ("taking",)), [each, value]
    functions = {scope.name for scope in file.scopes if scope.kind == m.FUNCTION_SCOPE}
    for what, numbers in file.given.items():
        for each in numbers:
            if wanted[each]:
                if isinstance(what, int):
                    yield each, _Way("", ("given in place", file.scopes[what].key)), each
                elif what in functions:
                    yield each, _Way(passed_key(path, what), ("given", what)), each
    for name, numbers in file.given_attributes.items():
        for each in numbers:
            if wanted[each] and name in functions:
                yield each, _Way(passed_key(path, name), ("given attribute", name)), each
    for owner, stored in file.self_stores.items():
        for name, numbers in stored.items():
            for each in numbers:
                if wanted[each]:
                    yield each, _Way(member_key(path, name), ("own store", file.scopes[owner].key, name)), each
    for name, stores in file.other_stores.items():
        for base, value in stores:
            if wanted[base]:
                yield base, _Way(stores_key(path), ("store", name)), [base, value]
    for computed in file.computed_stores:
        if wanted[computed[0]]:
            yield computed[0], _Way(stores_key(path), ("computed store",)), computed
    for name, fills in file.item_stores_by_name.items():
        for fill in fills:
            if wanted[fill[0]]:
                yield fill[0], _Way(filled_key(path, name), ("fill", name)), fill
    for name, fills in file.foreign_fills.items():
        for fill in fills:
            if wanted[fill[0]]:
                yield fill[0], _Way(fills_key(name), ("fill elsewhere", name)), fill
    for name, defaults in file.defaults.items():
        for keyword, value in defaults:
            if wanted[value]:
                yield value, _Way(default_key(name), ("default", name, keyword)), value
    for name, numbers in file.foreign_takes.items():
        for each in numbers:
            if wanted[each]:
                yield each, _Way(taken_key(name), ("taken elsewhere", name)), each
    for (scope, name), numbers in file.from_inside.items():
        for each in numbers:
            value = file.bindings[each][2]
            if wanted[value]:
                yield value, _Way("", ("bound outside", file.scopes[scope].key, name)), value
