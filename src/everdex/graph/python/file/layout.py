"""One file's facts by scope and name: what is bound where, and which class a function belongs to.

Indexes are made when first asked for. Nothing here follows a value; that begins with `flows.py`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.facts.python.index import last_name, owner, receiver_class
from everdex.numeric import np, npt

_KIND: Final = itemgetter(0)
WITH_METACLASS: Final = "with_metaclass"  # of six and its copies: the metaclass, and bases
ADD_METACLASS: Final = "add_metaclass"
FIXTURE_NAMES: Final = frozenset(("fixture", "yield_fixture"))


class Expressions(dict[int, tuple[Any, ...]]):
    """Those of a file by number, decoded as they are asked for."""

    def __init__(self, facts: m.Facts) -> None:
        super().__init__()
        self._facts = facts

    def __missing__(self, number: int) -> tuple[Any, ...]:
        # Nothing is not the last one: asked for by such a number it would be looked for without an end.
        if number < 0:
            raise IndexError(number)
        stretch = number // m.STRETCH
        self.update(enumerate(m.decode_stretch(self._facts, stretch), stretch * m.STRETCH))
        return self[number]


class Layout:
    """A decoded file as it is written. Read-only."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.facts = m.decode(data) if data else _nothing()
        self.entries: Expressions | list[tuple[Any, ...]] = Expressions(self.facts)
        self.where = m.decode_where(self.facts)
        self.scopes = self.facts.scopes
        self.bindings = self.facts.bindings

    def complete(self) -> list[tuple[Any, ...]]:
        """All expressions, which are at hand from then on."""
        if isinstance(self.entries, Expressions):
            self.entries = m.decode_expressions(self.facts)
        return self.entries

    def stretches(self) -> Iterator[tuple[int, range]]:
        """The expressions in their order, as many together as stand in one scope, with that scope."""
        start = 0
        for scope, count in zip(self.facts.where[::2], self.facts.where[1::2], strict=True):
            yield scope, range(start, start + count)
            start += count

    def is_by_name(self, scope: int) -> bool:
        """Whether others look at one name of a scope at a time."""
        return self.scopes[scope].kind in (m.MODULE_SCOPE, m.CLASS_SCOPE)

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
        certain = self._certain.get((scope, name))
        if certain is None:
            certain = [place for place, number in enumerate(found) if self.bindings[number][3] == m.CERTAIN]
            self._certain[scope, name] = certain
        last = bisect_left(certain, bisect_right(found, born)) - 1
        return found[certain[last] if last >= 0 else 0 :]

    @cached_property
    def _certain(self) -> dict[tuple[int, str], list[int]]:
        """Which bindings of a name were made in any case; filled as names are asked for."""
        return {}

    def is_variable(self, scope: int, name: str) -> bool:
        """Whether statements of a module or class assign to a name: importing or defining it is not that."""
        return name in self._variables[scope] if self.scopes[scope].kind <= m.CLASS_SCOPE else False

    @cached_property
    def _variables(self) -> list[set[str]]:
        found: list[set[str]] = [set() for _ in self.scopes]
        for scope, name, value, _ in self.bindings:
            if self.scopes[scope].kind <= m.CLASS_SCOPE:
                entry = self.entries[value]
                if entry[0] not in (m.NARROWED, m.NARROWED_CLASS) and not self._is_plain(entry):
                    found[scope].add(name)
        return found

    @cached_property
    def from_inside(self) -> dict[tuple[int, str], list[int]]:
        """Bindings that inner functions make in a scope around them."""
        found: dict[tuple[int, str], list[int]] = {}
        for number, binding in enumerate(self.bindings):
            if binding[3] == m.FROM_INSIDE:
                found.setdefault((binding[0], binding[1]), []).append(number)
        return found

    @cached_property
    def in_rounds(self) -> dict[int, int]:
        """Calls that a loop gives in each round what they gave in the round before -> the binding that they make."""
        return {binding[2]: number for number, binding in enumerate(self.bindings) if binding[3] == m.IN_ROUNDS}

    def final(self, scope: int, name: str) -> list[int]:
        """The bindings that may hold once the scope has run."""
        return self.visible(scope, name, len(self.bindings))

    def owner(self, scope: int) -> int:
        """The definition a scope belongs to: itself, unless it is a comprehension."""
        return owner(self.scopes, scope)

    def within(self, scope: int) -> list[int]:
        """The scopes inside one, however deep."""
        inside = {scope}
        found = []
        for number in range(scope + 1, len(self.scopes)):
            if self.scopes[number].parent in inside:
                inside.add(number)
                found.append(number)
        return found

    def class_of(self, scope: int) -> int:
        """The class whose method this function is; -1."""
        parent = self.scopes[scope].parent
        return parent if parent >= 0 and self.scopes[parent].kind == m.CLASS_SCOPE else -1

    def method_around(self, scope: int) -> int:
        """The method that a scope belongs to, also one inside of it; 0 where it belongs to none."""
        method = self.owner(scope)
        while method > 0 and self.class_of(method) < 0:
            method = self.owner(self.scopes[method].parent)
        return method

    def returned_first(self, scope: int) -> int:
        """A `return` of a function's first parameter; -1."""
        for each in self.scopes[scope].returns:
            entry = self.entries[each]
            bound = [self.entries[self.bindings[number][2]] for number in entry[2]] if entry[0] == m.NAME else []
            if bound == [(m.PARAMETER, scope, 0)]:
                return each
        return -1

    @cached_property
    def scope_by_key(self) -> dict[str, int]:
        return {s.key: n for n, s in enumerate(self.scopes) if s.kind != m.COMPREHENSION_SCOPE}

    @cached_property
    def _kinds(self) -> npt.NDArray[np.uint8]:
        """The kind of each expression, to be searched through: quicker than looking at every one."""
        return np.frombuffer(bytes(map(_KIND, self.complete())), dtype=np.uint8)

    def of_kind(self, first: int, *others: int) -> list[int]:
        """The expressions of these kinds, in order."""
        wanted = self._kinds == first
        for kind in others:
            wanted |= self._kinds == kind
        found: list[int] = np.flatnonzero(wanted).tolist()
        return found

    def fixture_name(self, scope: m.Scope) -> str:
        """What tests call what may be a fixture: its own name, or the one that its decorator is given; '' of others."""
        for each in scope.decorators:
            decorator = self.entries[each][1]
            entry = self.entries[decorator]
            if self.last_name(entry[1] if entry[0] == m.CALL else decorator) in FIXTURE_NAMES:
                given = [self.entries[value] for key, value in entry[3] if key == "name"] if entry[0] == m.CALL else []
                texts = [each[2] for each in given if each[0] == m.LITERAL and isinstance(each[2], str)]
                return texts[0] if texts else scope.name
        return ""

    def last_name(self, expression: int) -> str:
        return last_name(self.entries, self.bindings, expression)

    def decorated(self, scope: int, name: str) -> str:
        """The key of the definition that a module or class has under a name, if decorators stand before it; else ''."""
        return self._decorated.get((scope, name), "")

    @cached_property
    def _decorated(self) -> dict[tuple[int, str], str]:
        found: dict[tuple[int, str], str] = {}
        for scope, name, value, _ in self.bindings:
            if self.scopes[scope].kind > m.CLASS_SCOPE:
                continue
            entry = self.entries[value]
            found.pop((scope, name), None)  # the last one counts
            while entry[0] == m.DECORATED:
                entry = self.entries[entry[2]]
                if entry[0] == m.DEFINITION:
                    found[scope, name] = self.scopes[entry[1]].key
        return found

    def _is_plain(self, value: Any) -> bool:
        """Whether a binding only gives a definition its own name."""
        if value[0] == m.DEFINITION:
            return bool(self.scopes[value[1]].kind != m.LAMBDA_SCOPE)
        kind: int = value[0]
        return kind in (m.IMPORTED, m.FROM, m.DECORATED)

    def receiver_class(self, expression: int) -> int:
        """The class, when the expression is the first parameter of one of its methods; -1."""
        return receiver_class(self.scopes, self.entries[expression], self.where[expression], self.names)

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names of all its functions and classes."""
        return frozenset(scope.name for scope in self.scopes)

    @cached_property
    def children(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for number, scope in enumerate(self.scopes):
            if number:
                found.setdefault(scope.parent, []).append(number)
        return found

    @cached_property
    def methods(self) -> dict[str, list[int]]:
        """Method name -> its functions in classes of this file; of overloads the one behind them."""
        found: dict[str, list[int]] = {}
        for number, scope in enumerate(self.scopes):
            if scope.kind == m.FUNCTION_SCOPE and (owner := self.class_of(number)) >= 0:
                same = found.setdefault(scope.name, [])
                if same and self.class_of(same[-1]) == owner and self._is_overload(same[-1]):
                    same.pop()
                same.append(number)
        return found

    def _is_overload(self, function: int) -> bool:
        return any(self.last_name(self.entries[each][1]) == "overload" for each in self.scopes[function].decorators)

    @cached_property
    def classes_by_base(self) -> dict[str, list[int]]:
        """Last name of a base -> classes that name it."""
        found: dict[str, list[int]] = {}
        for number, scope in enumerate(self.scopes):
            if scope.kind == m.CLASS_SCOPE:
                for base in self.bases_of(scope):
                    entry = self.entries[base]
                    name = self.last_name(entry[1] if entry[0] == m.SUBSCRIPT else base)
                    if name:
                        found.setdefault(name, []).append(number)
        return found

    @cached_property
    def classes_by_metaclass(self) -> dict[str, list[int]]:
        """Last name of a metaclass -> classes that name it."""
        found: dict[str, list[int]] = {}
        for number, scope in enumerate(self.scopes):
            value = self.metaclass_of(scope) if scope.kind == m.CLASS_SCOPE else -1
            if value >= 0:
                found.setdefault(self.last_name(value), []).append(number)
        return found

    def bases_of(self, scope: m.Scope) -> Iterator[int]:
        """What a class inherits from: also `with_metaclass(Meta, Base)`, which stands for its bases."""
        for base in scope.bases:
            entry = self.entries[base]
            if entry[0] == m.CALL and self.last_name(entry[1]) == WITH_METACLASS:
                yield from entry[2][1:]
            else:
                yield base

    def metaclass_of(self, scope: m.Scope) -> int:
        """The metaclass that a class names: by a keyword, among its bases or by a decorator; -1."""
        for keyword, value in scope.base_keywords:
            if keyword == "metaclass":
                return int(value)
        naming = [(self.entries[each], WITH_METACLASS) for each in scope.bases]
        above = [self.entries[each] for each in scope.decorators]
        naming.extend((self.entries[each[1]], ADD_METACLASS) for each in above if each[0] == m.DECORATED)
        for entry, name in naming:
            if entry[0] == m.CALL and entry[2] and self.last_name(entry[1]) == name:
                return int(entry[2][0])
        return -1

    @cached_property
    def made_by_metaclass(self) -> dict[str, int]:
        """Name of the module -> what makes the class that it stands for: `Name = Meta("Name", (Base,), {})`."""
        found: dict[str, int] = {}
        for scope, name, value, _ in self.bindings:
            entry = self.entries[value]
            if scope or entry[0] != m.CALL or len(entry[2]) != 3 or self.last_name(entry[1]) == "type":
                continue
            first, bases, _ = (self.entries[each] for each in entry[2])
            if first[:2] == (m.LITERAL, "str") and bases[:2] == (m.SEQUENCE, "tuple"):
                found[name] = entry[1]
        return found

    @cached_property
    def metaclasses(self) -> frozenset[int]:
        """The classes that are metaclasses by the names of their bases."""
        return frozenset(
            number for name, classes in self.classes_by_base.items() if name == "type" or name.endswith("Meta")
            for number in classes
        )  # fmt: skip

    @cached_property
    def renamed(self) -> dict[str, list[str]]:
        """Last name of what may be a class -> the other names that the module gives it, or one made from it."""
        found: dict[str, list[str]] = {}
        for scope, name, value, _ in self.bindings:
            if scope:
                continue
            entry = self.entries[value]
            if entry[0] == m.CALL and len(entry[2]) == 3:  # Meta("Name", (Base,), {})
                bases = self.entries[entry[2][1]]
                sources = [self.last_name(each) for each in bases[2]] if bases[0] == m.SEQUENCE else []
            else:
                sources = [entry[3] if entry[0] == m.FROM else self.last_name(value)]
            for each in sources:
                if each and each != name:
                    found.setdefault(each, []).append(name)
        return found

    @cached_property
    def kept(self) -> dict[str, list[tuple[str, int]]]:
        """Last name of what may be a class -> attributes and classes that have it under them: `kind = Node`."""
        found: dict[str, list[tuple[str, int]]] = {}
        for scope, name, value, _ in self.bindings:
            if self.scopes[scope].kind == m.CLASS_SCOPE and self.entries[value][0] in (m.NAME, m.ATTRIBUTE):
                named = self.last_name(value)
                if named[:1].isupper():
                    found.setdefault(named, []).append((name, scope))
        return found

    @cached_property
    def made(self) -> list[int]:
        """Calls of `type` that make a class with a dictionary that is written there."""
        found: list[int] = []
        for number in m.decode_calls(self.facts).get("type", ()):
            entry = self.entries[number]
            if entry[0] == m.CALL and len(entry[2]) == 3 and self._is_written(entry[2][2]):
                found.append(number)
        return found

    def _is_written(self, expression: int) -> bool:
        """Whether something is written out as a dictionary, all of it."""
        entry = self.entries[expression]
        if entry[0] == m.CALL and self.last_name(entry[1]) == "dict":
            return bool(entry[3]) and all(key for key, _ in entry[3]) and not entry[2]
        return entry[0] == m.DICT and bool(entry[1]) and all(key >= 0 for key, _ in entry[1])

    @cached_property
    def places(self) -> m.Places:
        return m.decode_places(self.facts)


def _nothing() -> m.Facts:
    places = m.encode_places(m.Places([0], [], [], [], []))
    return m.Facts(False, 0, [_EMPTY], [], [], [], [], [], None, m.encode_calls({}), [], {}, [], places)


_EMPTY = m.Scope(m.MODULE_SCOPE, "", "", -1, 0, 0, 0, 0, 0, 0, "", 0, [], [], [], [], [], [], -1, [])
