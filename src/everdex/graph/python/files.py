"""One file's facts with the indexes that resolution asks for, each made when first asked for."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Any

from everdex.facts.python import model as m
from everdex.graph.python.keys import head_key, member_key, name_key, scope_key, stars_key, stores_key
from everdex.graph.python.rules import CONTAINER_NAMES
from everdex.graph.python.seen import Seen
from everdex.graph.python.values import Values


class File:
    """A decoded file. Read-only; shared by every question of a resolution."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.facts = m.decode(data) if data else _nothing()
        self.entries = self.facts.expressions
        self.where = self.facts.where
        self.scopes = self.facts.scopes
        self.bindings = self.facts.bindings
        self._seen: list[Seen | None] = [None] * len(self.scopes)  # by scope; never of the module's or a class's
        self._seen_statements: list[Seen | None] = [None] * len(self.facts.statements)
        self._seen_keys: dict[str, Seen] = {}
        self._seen_names: dict[str, Seen] = {}
        self._seen_members: dict[str, Seen] = {}
        self.forget()

    def forget(self) -> None:
        """Lose the answers about its expressions, which the engine keeps here."""
        self.answers: dict[int | tuple[int, int], tuple[int, Values, Seen]] = {}
        self.cut: dict[tuple[int, int, int], tuple[Values, Seen]] = {}  # by fuel, too

    # -- what an answer looked at

    def seen_scope(self, scope: int) -> Seen:
        """A scope's content; of the module or a class all of it."""
        found = self._seen[scope]
        if found is None:
            found = self.seen_key(scope_key(self.path, self.scopes[scope].key))
            if not self.is_by_name(self.owner(scope)):
                self._seen[scope] = found
        return found

    def is_by_name(self, scope: int) -> bool:
        """Whether others look at one name of a scope at a time."""
        return self.scopes[scope].kind in (m.MODULE_SCOPE, m.CLASS_SCOPE)

    def seen_head(self, scope: int) -> Seen:
        """What a class inherits from."""
        return self.seen_key(head_key(self.path, self.scopes[scope].key))

    def seen_member(self, scope: int, name: str) -> Seen:
        """What the module or a class binds under a name, and what a class's methods assign to self."""
        if not scope:
            return self.seen_name(name)
        found = self._seen_members.get(name)
        if found is None:
            found = self._seen_members[name] = Seen(member_key(self.path, name), self.path, ())
        return found

    def seen_key(self, key: str) -> Seen:
        """What a key of this file stands for."""
        found = self._seen_keys.get(key)
        if found is None:
            found = self._seen_keys[key] = Seen(key, self.path, ())
        return found

    def seen_name(self, name: str) -> Seen:
        """What the module binds under a name."""
        found = self._seen_names.get(name)
        if found is None:
            found = self._seen_names[name] = Seen(name_key(self.path, name), self.path, ())
        return found

    @cached_property
    def seen_stars(self) -> Seen:
        return Seen(stars_key(self.path), self.path, ())

    @cached_property
    def seen_stores(self) -> Seen:
        return Seen(stores_key(self.path), self.path, ())

    def seen_at(self, expression: int) -> Seen:
        """The content that an expression stands in: a function, or the statement of the module or of a class."""
        scope = self.where[expression]
        found = self._seen[scope]
        if found is None:
            owner = self.owner(scope)
            if not self.is_by_name(owner):
                return self.seen_scope(scope)
            statement = bisect_right(self._first_expressions, expression) - 1
            found = self._seen_statements[statement]
            if found is None:
                names = self.bound_by[statement]
                found = self.seen_member(owner, names[0]) if names else self.seen_scope(owner)
                self._seen_statements[statement] = found
        return found

    @cached_property
    def _first_expressions(self) -> list[int]:
        return [each[0] for each in self.facts.statements]

    @cached_property
    def bound_by(self) -> list[list[str]]:
        """The names that each statement of the module or of a class binds."""
        found: list[list[str]] = [[] for _ in self.facts.statements]
        firsts = [each[1] for each in self.facts.statements]
        by_name = [self.is_by_name(scope) for scope in range(len(self.scopes))]
        for number, (scope, name, _, flag) in enumerate(self.bindings):
            if by_name[scope] and flag != m.FROM_INSIDE:
                found[bisect_right(firsts, number) - 1].append(name)
        return found

    @cached_property
    def names(self) -> list[dict[str, list[int]]]:
        """For each scope: name -> its bindings, in source order."""
        names: list[dict[str, list[int]]] = [{} for _ in self.scopes]
        for number, binding in enumerate(self.bindings):
            names[binding[0]].setdefault(binding[1], []).append(number)
        return names

    def visible(self, scope: int, name: str, born: int) -> list[int]:
        """The bindings of a name that code defined when the file had `born` bindings may see when it runs."""
        found = self.names[scope].get(name)
        if not found or len(found) == 1:
            return found or []
        first = 0
        for place, number in enumerate(found):
            if number <= born and self.bindings[number][3] == m.CERTAIN:
                first = place
        return found[first:]

    def is_variable(self, scope: int, name: str) -> bool:
        """Whether statements of a module or class assign to a name: importing or defining it is not that."""
        return name in self._variables[scope] if self.scopes[scope].kind <= m.CLASS_SCOPE else False

    @cached_property
    def _variables(self) -> list[set[str]]:
        found: list[set[str]] = [set() for _ in self.scopes]
        for scope, name, value, _ in self.bindings:
            if self.scopes[scope].kind <= m.CLASS_SCOPE:
                entry = self.entries[value]
                if entry[0] != m.NARROWED and not self._is_plain(entry):
                    found[scope].add(name)
        return found

    @cached_property
    def sizes(self) -> list[int]:
        """How many expressions stand in each scope itself."""
        sizes = [0] * len(self.scopes)
        for scope in self.where:
            sizes[scope] += 1
        return sizes

    @cached_property
    def from_inside(self) -> dict[tuple[int, str], list[int]]:
        """Bindings that inner functions make in a scope around them."""
        found: dict[tuple[int, str], list[int]] = {}
        for number, binding in enumerate(self.bindings):
            if binding[3] == m.FROM_INSIDE:
                found.setdefault((binding[0], binding[1]), []).append(number)
        return found

    def final(self, scope: int, name: str) -> list[int]:
        """The bindings that may hold once the scope has run."""
        return self.visible(scope, name, len(self.bindings))

    def owner(self, scope: int) -> int:
        """The definition a scope belongs to: itself, unless it is a comprehension."""
        while self.scopes[scope].kind == m.COMPREHENSION_SCOPE:
            scope = self.scopes[scope].parent
        return scope

    def class_of(self, scope: int) -> int:
        """The class whose method this function is; -1."""
        parent = self.scopes[scope].parent
        return parent if parent >= 0 and self.scopes[parent].kind == m.CLASS_SCOPE else -1

    @cached_property
    def scope_by_key(self) -> dict[str, int]:
        return {s.key: n for n, s in enumerate(self.scopes) if s.kind != m.COMPREHENSION_SCOPE}

    @cached_property
    def _kinds(self) -> bytes:
        """The kind of each expression, to be searched through: quicker than looking at every one."""
        return bytes([entry[0] for entry in self.entries])

    def of_kind(self, *kinds: int) -> list[int]:
        """The expressions of these kinds, in order."""
        wanted = re.compile(b"[%s]" % re.escape(bytes(kinds)))
        return [match.start() for match in wanted.finditer(self._kinds)]

    @cached_property
    def calls(self) -> list[int]:
        return self.of_kind(m.CALL)

    @cached_property
    def operators_below(self) -> dict[int, int]:
        """How deeply operators are nested in an expression with one."""
        depths: dict[int, int] = {}
        for number in self.of_kind(m.BINARY):
            if number in depths:
                continue
            waiting = [number]
            while waiting:
                current = waiting[-1]
                operands = [each for each in self.entries[current][2:4] if self.entries[each][0] == m.BINARY]
                missing = [each for each in operands if each not in depths]
                if missing:
                    waiting += missing
                else:
                    depths[current] = 1 + max((depths[each] for each in operands), default=0)
                    waiting.pop()
        return depths

    @cached_property
    def calls_by_name(self) -> dict[str, list[int]]:
        """Called name -> call and decorator-application expressions, by what is called; 'f()' when it is a result."""
        found: dict[str, list[int]] = {}
        for number in self.of_kind(m.CALL, m.DECORATED):
            entry = self.entries[number]
            name = self.last_name(entry[1])
            callee = self.entries[entry[1]]
            if not name and callee[0] == m.CALL:
                name = self.last_name(callee[1])
                name = f"{name}()" if name else ""
            if name:
                found.setdefault(name, []).append(number)
        return found

    def last_name(self, expression: int) -> str:
        entry = self.entries[expression]
        if entry[0] == m.NAME:
            name: str = entry[1]
            if entry[2]:
                value = self.entries[self.bindings[entry[2][-1]][2]]
                if value[0] == m.FROM:
                    name = value[3]
            return name
        if entry[0] == m.ATTRIBUTE:
            attribute: str = entry[2]
            return attribute
        return ""

    @cached_property
    def indirect_calls(self) -> list[int]:
        """Calls through a variable, parameter, item or result: any function of the file may be meant."""
        stored = {self.entries[store[0]][2] for store in self.facts.stores}
        found = []
        for number in self.calls:
            entry = self.entries[self.entries[number][1]]
            kind = entry[0]
            if kind == m.NAME:
                values = [self.entries[self.bindings[each][2]] for each in entry[2]]
                if any(not self._is_plain(value) for value in values):
                    found.append(number)
            elif kind in (m.SUBSCRIPT, m.CALL) or (kind == m.ATTRIBUTE and entry[2] in stored):
                found.append(number)
        return found

    def _is_plain(self, value: Any) -> bool:
        """Whether a binding only gives a definition its own name."""
        if value[0] == m.DEFINITION:
            return bool(self.scopes[value[1]].kind != m.LAMBDA_SCOPE)
        kind: int = value[0]
        return kind in (m.IMPORTED, m.FROM, m.DECORATED)

    @cached_property
    def passed(self) -> frozenset[str]:
        """Names that are used as values, not only called."""
        callees = {self.entries[number][1] for number in self.calls}
        names = {self.entries[number][1] for number in self.of_kind(m.NAME) if number not in callees}
        names |= {self.entries[number][2] for number in self.of_kind(m.ATTRIBUTE) if number not in callees}
        return frozenset(names)

    @cached_property
    def aliases(self) -> dict[int | str, list[str]]:
        """Functions that are given another name, or stored as an attribute: by lambda's scope or by name -> those."""
        found: dict[int | str, list[str]] = {}
        named = [(name, value) for _, name, value, _ in self.bindings]
        named += [(self.entries[store][2], value) for store, value in self.facts.stores]
        for name, value in named:
            what = self.entries[value]
            is_lambda = what[0] == m.DEFINITION and self.scopes[what[1]].kind == m.LAMBDA_SCOPE
            if is_lambda or (what[0] == m.NAME and what[1] != name):
                found.setdefault(what[1], []).append(name)
        return found

    @cached_property
    def given(self) -> dict[int | str, list[int]]:
        """Functions that are passed on, by scope or as a name -> the calls that take them."""
        found: dict[int | str, list[int]] = {}
        for number in self.calls:
            entry = self.entries[number]
            for each in (*entry[2], *(value for _, value in entry[3])):
                what = self.entries[each]
                if what[0] == m.DEFINITION or what[0] == m.NAME:
                    found.setdefault(what[1], []).append(number)
        return found

    @cached_property
    def self_stores(self) -> dict[int, dict[str, list[int]]]:
        """Class -> attribute -> values assigned through the first parameter of its methods."""
        found: dict[int, dict[str, list[int]]] = {}
        for store, value in self.facts.stores:
            entry = self.entries[store]
            owner = self.receiver_class(entry[1])
            if owner >= 0:
                found.setdefault(owner, {}).setdefault(entry[2], []).append(value)
        return found

    @cached_property
    def other_stores(self) -> dict[str, list[tuple[int, int]]]:
        """Attribute -> (base, value) of assignments through anything else."""
        found: dict[str, list[tuple[int, int]]] = {}
        for store, value in self.facts.stores:
            entry = self.entries[store]
            if self.receiver_class(entry[1]) < 0:
                found.setdefault(entry[2], []).append((entry[1], value))
        return found

    def receiver_class(self, expression: int) -> int:
        """The class, when the expression is the first parameter of one of its methods; -1."""
        entry = self.entries[expression]
        if entry[0] != m.NAME:
            return -1
        name = entry[1]
        scope = self.owner(self.where[expression])
        while scope > 0:
            current = self.scopes[scope]
            if name in self.names[scope]:
                if not current.params or current.params[0][0] != name:
                    return -1
                return self.class_of(scope)
            scope = self.owner(current.parent) if current.parent >= 0 else 0
        return -1

    @cached_property
    def children(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for number, scope in enumerate(self.scopes):
            if number:
                found.setdefault(scope.parent, []).append(number)
        return found

    @cached_property
    def methods(self) -> dict[str, list[int]]:
        """Method name -> its functions in classes of this file."""
        found: dict[str, list[int]] = {}
        for number, scope in enumerate(self.scopes):
            if scope.kind == m.FUNCTION_SCOPE and self.class_of(number) >= 0:
                found.setdefault(scope.name, []).append(number)
        return found

    @cached_property
    def classes_by_base(self) -> dict[str, list[int]]:
        """Last name of a base -> classes that name it."""
        found: dict[str, list[int]] = {}
        for number, scope in enumerate(self.scopes):
            if scope.kind == m.CLASS_SCOPE:
                for base in scope.bases:
                    entry = self.entries[base]
                    name = self.last_name(entry[1] if entry[0] == m.SUBSCRIPT else base)
                    if name:
                        found.setdefault(name, []).append(number)
        return found

    @cached_property
    def places(self) -> m.Places:
        return m.decode_places(self.facts)

    @cached_property
    def display_names(self) -> dict[int, set[str]]:
        """Container displays -> the names and attributes they are given to."""
        found: dict[int, set[str]] = {}
        for _, name, value, _ in self.bindings:
            self._note_displays(value, name, found)
        for store, value in self.facts.stores:
            self._note_displays(value, self.entries[store][2], found)
        return found

    def _note_displays(self, value: int, name: str, found: dict[int, set[str]]) -> None:
        entry = self.entries[value]
        if entry[0] == m.TYPED and entry[2] >= 0:
            value = entry[2]
            entry = self.entries[value]
        if self._is_display(entry):
            found.setdefault(value, set()).add(name)
        elif entry[0] == m.EITHER:
            for each in entry[1]:
                if self._is_display(self.entries[each]):
                    found.setdefault(each, set()).add(name)

    def _is_display(self, entry: Any) -> bool:
        if entry[0] == m.CALL:
            return self.last_name(entry[1]) in CONTAINER_NAMES
        return entry[0] in (m.SEQUENCE, m.DICT, m.COMPREHENSION)

    @cached_property
    def item_stores_by_name(self) -> dict[str, list[tuple[int, int, int]]]:
        """Item stores by the receiver's last name; those through a parameter also under ''."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        for store in self.facts.item_stores:
            entry = self.entries[store[0]]
            name = entry[1] if entry[0] == m.NAME else entry[2] if entry[0] == m.ATTRIBUTE else ""
            found.setdefault(name, []).append(store)
            if entry[0] == m.NAME and any(self.entries[self.bindings[each][2]][0] == m.PARAMETER for each in entry[2]):
                found.setdefault("", []).append(store)
        return found

    @cached_property
    def foreign_fills(self) -> dict[str, list[tuple[int, int, int]]]:
        """Item stores into what another file may have made: through an attribute or an imported name."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        for store in self.facts.item_stores:
            entry = self.entries[store[0]]
            if store[2] < 0:
                continue
            root = store[0]
            while self.entries[root][0] == m.ATTRIBUTE:
                root = self.entries[root][1]
            if entry[0] == m.ATTRIBUTE and self.entries[root][0] == m.NAME and self.receiver_class(root) < 0:
                found.setdefault(entry[2], []).append(store)
            elif entry[0] == m.NAME:
                bindings = entry[2] or self.names[0].get(entry[1], ())
                values = [self.entries[self.bindings[each][2]] for each in bindings]
                for value in values:
                    if value[0] == m.FROM:
                        found.setdefault(value[3], []).append(store)
                if not values and self.facts.stars:
                    found.setdefault(entry[1], []).append(store)
        return found


def _nothing() -> m.Facts:
    return m.Facts(False, 0, [_EMPTY], [], [], [], [], [], [], None, m.encode_places(m.Places([0], [], [], [], [])), [])


_EMPTY = m.Scope(m.MODULE_SCOPE, "", "", -1, 0, 0, 0, 0, 0, 0, "", 0, [], [], [], [], [], [], -1, [])
