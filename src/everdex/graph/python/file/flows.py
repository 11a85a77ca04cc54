"""How values move inside one file: what is called, passed on, given another name and stored.

Indexes over the file's layout, made when first asked for. What a value *is* is the engine's business.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import chain
from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.file.layout import Layout

_IMPORTS: Final = frozenset((m.IMPORTED, m.FROM))
_NAMED: Final = frozenset((m.NAME, m.ATTRIBUTE))


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
    def call_names(self) -> dict[int, list[str]]:
        """Calls -> the names and attributes that what they give back is given to."""
        found: dict[int, list[str]] = {}
        given = [(value, name) for _, name, value, _ in self.bindings]
        for value, name in (*given, *((store.value, store.name) for store in self.facts.stores)):
            if self.entries[value][0] == m.CALL:
                found.setdefault(value, []).append(name)
        return found

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
                for each in entry[2] or self._bound_around(number, entry[1]):
                    if not self._is_plain(entries[bindings[each][2]]):
                        found.append(number)
                        break
            elif kind in (m.SUBSCRIPT, m.CALL) or (kind == m.ATTRIBUTE and entry[2] in stored):
                found.append(number)
        return found

    def _bound_around(self, expression: int, name: str) -> Iterable[int]:
        """What a function around binds to a name that is called inside, but for parameters whose only values are what
        is passed: these are followed from there (`forwarded`)."""
        scope = self.owner(self.where[expression])
        while scope > 0:
            scope = self.owner(self.scopes[scope].parent)
            if scope and self.scopes[scope].kind != m.CLASS_SCOPE and name in self.names[scope]:
                return [each for each in self.names[scope][name] if not self._is_only_passed(self.bindings[each][2])]
        return ()

    def _is_only_passed(self, value: int) -> bool:
        entry = self.entries[value]
        default = self.scopes[entry[1]].params[entry[2]][3] if entry[0] == m.PARAMETER else -1
        return entry[0] == m.PARAMETER and (default < 0 or self.entries[default][0] not in _NAMED)

    @cached_property
    def prepared(self) -> frozenset[int]:
        """Calls of `partial`, and of its like for methods: what they are given first is called later, with the rest and
        more."""
        entries = self.entries
        named = (*self.calls_by_name.get("partial", ()), *self.calls_by_name.get("partialmethod", ()))
        made = [each for each in named if entries[each][0] == m.CALL]
        return frozenset(each for each in made if entries[each][2] and entries[entries[each][2][0]][0] != m.STAR)

    @cached_property
    def taking_prepared(self) -> dict[int, list[tuple[int, int]]]:
        """Those of them that say nothing of what is passed by place -> (call, argument) of the calls that take them."""
        few = {each for each in self.prepared if len(self.entries[each][2]) == 1}
        found: dict[int, list[tuple[int, int]]] = {}
        for number in self.calls if few else ():
            entry = self.entries[number]
            for each in (*entry[2], *(value for _, value in entry[3])):
                what = self.entries[each]
                is_named = what[0] == m.NAME and len(what[2]) == 1
                made = self.bindings[what[2][0]][2] if is_named else each
                if made in few:
                    found.setdefault(made, []).append((number, each))
        return found

    def meant(self, number: int) -> int:
        """What a call calls, or prepares."""
        entry = self.entries[number]
        return int(entry[2][0] if number in self.prepared else entry[1])

    @cached_property
    def passed(self) -> frozenset[str]:
        """The names of its functions that are used as values, not only called."""
        return frozenset(self.facts.passed)

    def taken_together(self, number: int) -> tuple[int, int] | None:
        """The parameter that a call calls, where it passes another of the same function: `def f(g, x): g(x)`."""
        entry = self.entries[number]
        called = self._parameter(entry[1])
        if called is None:
            return None
        given = [self.entries[each][1] if self.entries[each][0] == m.STAR else each for each in entry[2]]
        others = [self._parameter(each) for each in (*given, *(value for _, value in entry[3]))]
        return called if any(each is not None and each[0] == called[0] for each in others) else None

    def _parameter(self, expression: int) -> tuple[int, int] | None:
        """Function and place of the parameter that a name is, and nothing else."""
        entry = self.entries[expression]
        value = self.entries[self.bindings[entry[2][0]][2]] if entry[0] == m.NAME and len(entry[2]) == 1 else entry
        return (value[1], value[2]) if value[0] == m.PARAMETER else None

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
    def given_results(self) -> dict[str, list[tuple[int, int]]]:
        """Last name of what is called -> (call, argument) of the calls that take what that gives: `add(make())`."""
        found: dict[str, list[tuple[int, int]]] = {}
        entries = self.entries
        for number in self.calls:
            _, _, positional, keywords = entries[number]
            for each in (*positional, *[value for _, value in keywords]) if keywords else positional:
                if entries[each][0] == m.CALL and (name := self.last_name(entries[each][1])):
                    found.setdefault(name, []).append((number, each))
        return found

    @cached_property
    def given_imports(self) -> dict[str, list[tuple[int, int]]]:
        """Name of what is imported, where it is from -> (call, argument) of the calls that take it."""
        found: dict[str, list[tuple[int, int]]] = {}
        entries = self.entries
        for number in self.calls:
            _, _, positional, keywords = entries[number]
            for each in (*positional, *[value for _, value in keywords]) if keywords else positional:
                if entries[each][0] in _NAMED:  # most are not, in files that are looked through for one name
                    for name in self._imported_as(each):
                        found.setdefault(name, []).append((number, each))
        return found

    @cached_property
    def given_classes(self) -> dict[str, list[tuple[int, int]]]:
        """The same of its own classes."""
        names = {scope.name for scope in self.scopes if scope.kind == m.CLASS_SCOPE}
        found: dict[str, list[tuple[int, int]]] = {}
        for name in sorted(names.intersection(self.given)):
            for number in self.given[name]:
                entry = self.entries[number]
                given = (*entry[2], *(value for _, value in entry[3]))
                found.setdefault(name, []).extend(
                    (number, each) for each in given if self.entries[each][:2] == (m.NAME, name)
                )
        return found

    @cached_property
    def held_imports(self) -> dict[str, list[int]]:
        """Name of what is imported, where it is from -> what stands for it in displays."""
        found: dict[str, list[int]] = {}
        for number in self.of_kind(m.DICT, m.SEQUENCE):
            entry = self.entries[number]
            for each in entry[2] if entry[0] == m.SEQUENCE else [value for _, value in entry[1]]:
                for name in self._imported_as(each):
                    found.setdefault(name, []).append(each)
        return found

    def own_attribute(self, expression: int) -> tuple[int, str] | None:
        """Class and name, when this is written as an attribute of self."""
        entry = self.entries[expression]
        owner = self.receiver_class(entry[1]) if entry[0] == m.ATTRIBUTE else -1
        return (owner, entry[2]) if owner >= 0 else None

    def stored_as(self, value: int) -> list[int]:
        """What a stored value may be as it is written: `a or b`, or one of several that are assigned together."""
        entry = self.entries[value]
        if entry[0] == m.ITEM and isinstance(entry[2], int):
            together = self.entries[entry[1]]
            if together[0] == m.SEQUENCE and -len(together[2]) <= entry[2] < len(together[2]):
                return [together[2][entry[2]]]
        return list(entry[1]) if entry[0] == m.EITHER else [value]

    @cached_property
    def names_stored(self) -> dict[str, list[tuple[m.Store, int]]]:
        """Name -> where an attribute of self is given what may be it, and the name's place."""
        found: dict[str, list[tuple[m.Store, int]]] = {}
        for store in self.facts.stores:
            for each in self.stored_as(store.value) if store.owner >= 0 else ():
                if self.entries[each][0] == m.NAME:
                    found.setdefault(self.entries[each][1], []).append((store, each))
        return found

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
    def given_to_self(self) -> frozenset[int]:
        """Values among those that are what a constructor was given, or a tuple of such."""
        stored = [value for stores in self.self_stores.values() for values in stores.values() for value in values]
        return frozenset(value for value in stored if self._is_given(value))

    def _is_given(self, value: int) -> bool:
        entry = self.entries[value]
        if entry[0] == m.NAME:
            bound = [self.entries[self.bindings[each][2]] for each in entry[2]]
            return any(each[0] == m.PARAMETER and self.scopes[each[1]].name == "__init__" for each in bound)
        inner = entry[2] if entry[:2] == (m.SEQUENCE, "tuple") else entry[1] if entry[0] == m.EITHER else ()
        return any(self.entries[each][0] == m.NAME and self._is_given(each) for each in inner)

    @cached_property
    def other_stores(self) -> dict[str, list[tuple[int, int]]]:
        """Attribute -> (base, value) of assignments through anything else."""
        found: dict[str, list[tuple[int, int]]] = {}
        for store in self.facts.stores:
            if store.owner < 0:
                found.setdefault(store.name, []).append((store.base, store.value))
        return found

    @cached_property
    def replacements(self) -> dict[str, list[tuple[str, int, int]]]:
        """Last name of what may be a module -> (attribute, base, value) of what is assigned to it."""
        found: dict[str, list[tuple[str, int, int]]] = {}
        for name, stores in self.other_stores.items():
            for base, value in stores:
                for module in self._imported_as(base):
                    found.setdefault(module, []).append((name, base, value))
        return found

    def _imported_as(self, expression: int) -> list[str]:
        """The last name that an imported name has where it is from, or an attribute of one."""
        entry = self.entries[expression]
        if entry[0] == m.ATTRIBUTE:
            return [entry[2]] if self._imported_as(entry[1]) else []
        if entry[0] != m.NAME:
            return []
        values = [self.entries[self.bindings[each][2]] for each in entry[2] or self.names[0].get(entry[1], ())]
        sources = [value[1] if value[0] == m.IMPORTED else value[3] for value in values if value[0] in _IMPORTS]
        return [each.rpartition(".")[2] for each in sources]

    @cached_property
    def defaults(self) -> dict[str, list[tuple[str, int]]]:
        """Last name -> (keyword, value) of what is set as a default of arguments that are parsed."""
        found: dict[str, list[tuple[str, int]]] = {}
        for number in self.calls_by_name.get("set_defaults", ()):
            entry = self.entries[number]
            for keyword, value in entry[3] if entry[0] == m.CALL else ():
                found.setdefault(self.last_name(value), []).append((keyword, value))
        return found
