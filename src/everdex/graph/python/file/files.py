"""One Python file as the passes ask for it: its layout and flows, and the keys that reading a place in it notes."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Any, Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.python.engine.contexts import Keywords, Positional
from everdex.graph.python.engine.seen import Seen
from everdex.graph.python.engine.values import Values
from everdex.graph.python.file.fillings import Fillings
from everdex.graph.python.file.keys import (
    head_key,
    loose_key,
    member_key,
    name_key,
    names_key,
    parameters_key,
    scope_key,
    stars_key,
    stores_key,
)
from everdex.graph.python.file.slices import is_larger, names_behind
from everdex.graph.stored.postings import key32

_MAX_HELD: Final = 8_000_000  # bytes of facts; decoded they take about 24 times that
_MAX_NAMES_BEHIND: Final = 6  # a value that is made through more names of its body is not near
# What leads nowhere in its own body, or only for who looks into it.
ENDS: Final = frozenset((m.LITERAL, m.DEFINITION, m.SEQUENCE, m.DICT, m.COMPREHENSION, m.IMPORTED, m.FROM))
_IMPORTS: Final = frozenset((m.IMPORTED, m.FROM))
_NO_STEP: Final = (-1, False, Seen(0, "", ()))


class Answers(NamedTuple):
    """What is known of a file's expressions."""

    values: dict[int | tuple[int, int], tuple[int, Values, Seen]]
    cut: dict[tuple[int, int, int], tuple[Values, Seen]]  # by fuel, too
    computed: set[int]  # the attributes among them that some answer says a property gives
    keys: tuple[dict[str, Seen], dict[str, Seen], dict[tuple[int, str], Seen]]  # what they looked at in it, one of each


class Decoded:
    """Files that were decoded for another question: what is offered is asked of every file before it is resolved."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, File]] = {}
        self._held = 0

    def of(self, path: str, data: bytes) -> File:
        known = self._files.get(path)
        if known is None or known[0] != data:
            self._forget(path)
            self._held += len(data)
            while self._held > _MAX_HELD and self._files:
                self._forget(next(iter(self._files)))
            known = self._files[path] = data, File(path, data)
            known[1].complete()  # who asks what it offers goes through all of it
        return known[1]

    def take(self, path: str, data: bytes) -> File:
        """For who remembers answers in it: nobody else gets that one again."""
        known = self._files.get(path)
        self._forget(path)
        return known[1] if known is not None and known[0] == data else File(path, data)

    def _forget(self, path: str) -> None:
        known = self._files.pop(path, None)
        if known is not None:
            self._held -= len(known[0])


class File(Fillings):
    """A decoded file, shared by every question of a resolution, with the answers about its expressions."""

    def __init__(self, path: str, data: bytes) -> None:
        super().__init__(path, data)
        self.size = len(data)
        self._seen: list[Seen | None] = [None] * len(self.scopes)  # by scope; never of the module's or a class's
        self._seen_parameters: dict[int, tuple[Seen, ...]] = {}
        self._seen_statements: list[Seen | None] = [None] * len(self.facts.statements)
        self._imported: dict[int, dict[int, int]] = {}
        self._is_larger: dict[tuple[int, int], bool] = {}
        self._seen_stores: dict[str, Seen] = {}
        self._names_behind: dict[int, int] = {}
        self.steps: dict[int, tuple[int, bool, Seen]] = {}
        self.arguments: dict[int, tuple[Positional, Keywords]] = {}  # of calls, whatever the call around them is
        self.take_up(Answers({}, {}, set(), ({}, {}, {})))

    @property
    def known(self) -> Answers:
        return Answers(self.answers, self.cut, self.computed, (self._seen_keys, self._seen_names, self._seen_members))

    def take_up(self, known: Answers) -> None:
        """Go on with the answers about its expressions, which the engine keeps here."""
        self.answers, self.cut, self.computed, keys = known
        self._seen_keys, self._seen_names, self._seen_members = keys

    def forget(self) -> None:
        """Lose them, for everybody who has this file."""
        for each in (self.answers, self.cut, self.computed, self.arguments):
            each.clear()

    def begin_again(self) -> Answers:
        """Begin with none: those that it had are given to who knows which of them still hold."""
        former = self.known
        self.take_up(Answers({}, {}, former.computed, former.keys))
        return former

    def is_larger(self, scope: int, limit: int) -> bool:
        """Whether more than some expressions stand behind what a function gives back."""
        found = self._is_larger.get((scope, limit))
        if found is None:
            found = self._is_larger[scope, limit] = is_larger(self, scope, limit)
        return found

    def step(self, expression: int) -> tuple[int, bool, Seen]:
        """From a name with one binding to what it is bound to: the expression, whether it is near, and what was looked
        at; of another name the first is -1. Remembered in `steps`."""
        found = _NO_STEP if len(self.entries[expression]) > 3 else self.leads(expression)
        self.steps[expression] = found
        return found

    def leads(self, expression: int) -> tuple[int, bool, Seen]:
        """The same of a name of which something is denied, too."""
        entry = self.entries[expression]
        if len(entry[2]) == 1 and (self.where[expression], entry[1]) not in self.from_inside:
            value = self.bindings[entry[2][0]][2]
            if self.bindings[entry[2][0]][3] != m.IN_ROUNDS:
                return value, self.is_near(value, expression), self.seen_at(expression)
        return _NO_STEP

    def is_near(self, value: int, name: int) -> bool:
        """Whether what a name is bound to stands before it and is soon known: the way there leads only backwards.

        In the module and in classes each statement is edited for itself, so what stands behind others does not count.
        """
        if value >= name:
            return False
        kind = self.entries[value][0]
        if kind in ENDS:
            return True
        if kind == m.PARAMETER or self.is_by_name(self.where[name]):
            return False
        behind = self._names_behind.get(value)
        if behind is None:
            behind = names_behind(self, value, self._names_behind)
        return behind <= _MAX_NAMES_BEHIND

    # -- what an answer looked at

    def seen_scope(self, scope: int) -> Seen:
        """A scope's content; of the module or a class all of it."""
        found = self._seen[scope]
        if found is None:
            found = self.seen_key(scope_key(self.path, self.scopes[scope].key))
            if not self.is_by_name(self.owner(scope)):
                self._seen[scope] = found
        return found

    def seen_head(self, scope: int) -> Seen:
        """What a class inherits from."""
        return self.seen_key(head_key(self.path, self.scopes[scope].key))

    def seen_parameters(self, scope: int) -> tuple[Seen, ...]:
        """What a function of the module or a class takes; nothing of others."""
        found = self._seen_parameters.get(scope)
        if found is None:
            own = self.scopes[scope]
            is_told = own.kind == m.FUNCTION_SCOPE and self.is_by_name(self.owner(own.parent))
            found = (self.seen_key(parameters_key(self.path, own.key)),) if is_told else ()
            self._seen_parameters[scope] = found
        return found

    def seen_names(self, scope: int) -> Seen:
        """Which names the module or a class binds, and to expressions of which kinds."""
        return self.seen_key(names_key(self.path, self.scopes[scope].key))

    def seen_loose(self, scope: int) -> Seen:
        """The statements of the module or a class that give nothing a name."""
        return self.seen_key(loose_key(self.path, self.scopes[scope].key))

    def seen_member(self, scope: int, name: str) -> Seen:
        """What the module or a class binds under a name, and what a class's methods assign to self."""
        if not scope:
            return self.seen_name(name)
        found = self._seen_members.get((scope, name))
        if found is None:
            key = member_key(self.path, self.scopes[scope].key, name)
            found = self._seen_members[scope, name] = Seen(key32(key), self.path, ())
        return found

    def seen_key(self, key: str) -> Seen:
        """What a key of this file stands for."""
        found = self._seen_keys.get(key)
        if found is None:
            found = self._seen_keys[key] = Seen(key32(key), self.path, ())
        return found

    def seen_name(self, name: str) -> Seen:
        """What the module binds under a name."""
        found = self._seen_names.get(name)
        if found is None:
            found = self._seen_names[name] = Seen(key32(name_key(self.path, name)), self.path, ())
        return found

    @cached_property
    def bound_under(self) -> dict[int, tuple[Any, bool]]:
        """What has to hold for a binding to be made, of those where anything has to, and whether that is all."""
        return {number: (guards, is_all) for scope in self.scopes for number, guards, is_all in scope.bound_under}

    @cached_property
    def seen_stars(self) -> Seen:
        return self.seen_key(stars_key(self.path))

    def seen_stores(self, name: str) -> Seen:
        """Where attributes of a name are assigned other than of self."""
        found = self._seen_stores.get(name)
        if found is None:
            found = self._seen_stores[name] = self.seen_key(stores_key(self.path, name))
        return found

    def seen_at(self, expression: int) -> Seen:
        """The content that an expression stands in: a function, or the statement of the module or of a class."""
        scope = self.where[expression]
        found = self._seen[scope]
        if found is None:
            owner = self.owner(scope)
            if not self.is_by_name(owner):
                return self.seen_scope(scope)
            statement = bisect_right(self._first_expressions, expression) - 1
            imported = self.imported_by(statement)
            if expression in imported:
                return self.seen_member(owner, self.bindings[imported[expression]][1])
            found = self._seen_statements[statement]
            if found is None:
                names = self.bound_by[statement]
                found = self.seen_member(owner, names[0]) if names else self.seen_loose(owner)
                self._seen_statements[statement] = found
        return found

    @cached_property
    def _first_expressions(self) -> list[int]:
        return [each[0] for each in self.facts.statements]

    @cached_property
    def _bindings_by(self) -> list[list[int]]:
        """The bindings that each statement of the module or of a class makes."""
        found: list[list[int]] = [[] for _ in self.facts.statements]
        firsts = [each[1] for each in self.facts.statements]
        by_name = [self.is_by_name(scope) for scope in range(len(self.scopes))]
        for number, (scope, _, _, flag) in enumerate(self.bindings):
            if by_name[scope] and flag != m.FROM_INSIDE:
                found[bisect_right(firsts, number) - 1].append(number)
        return found

    @cached_property
    def bound_by(self) -> list[list[str]]:
        """The names that each statement of the module or of a class binds, to something else than what it imports."""
        return [
            [self.bindings[each][1] for each in made if self.entries[self.bindings[each][2]][0] not in _IMPORTS]
            for made in self._bindings_by
        ]

    def imported_by(self, statement: int) -> dict[int, int]:
        """What such a statement imports, and the binding of each: what one name means does not depend on the others."""
        found = self._imported.get(statement)
        if found is None:
            made = [(self.bindings[each][2], each) for each in self._bindings_by[statement]]
            found = {value: each for value, each in made if self.entries[value][0] in _IMPORTS}
            self._imported[statement] = found
        return found
