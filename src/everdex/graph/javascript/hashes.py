"""Hashes of what a JavaScript file says, by which two versions of it are told apart; nothing in them is a place.

Expressions refer to each other by index, and indexes move with every edit above them. So each row is hashed by what it
says: names, keys of definitions, and the hashes of the rows it refers to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final
from zlib import crc32

import msgspec

from everdex.facts import javascript_model as m
from everdex.graph.javascript.files import File
from everdex.graph.javascript.heirs import stated_function
from everdex.graph.javascript.keys import ANY_NAME, SPLIT, UNNAMED, def_key, member_key, name_key, takes_key

_encode: Final = msgspec.msgpack.Encoder().encode
_BY_TEXT: Final = frozenset((m.GLOBAL, m.REQUIRE, m.IMPORT))  # what a type is named by that says all there is


class Hashes:
    """Hashes of the rows of one file, none of which depends on an index or a place."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._keys = file.keys
        counts: dict[tuple[str, str], int] = {}
        self._places: list[int] = []  # of each binding among those of its name in the same content
        for binding in file.bindings:
            place = counts[binding.home, binding.name] = counts.get((binding.home, binding.name), -1) + 1
            self._places.append(place)
        self.types: list[int] = [0] * len(file.types)
        self.rows: list[int] = [0] * len(file.expressions)
        # a row refers to earlier ones, except through types; those are then seen as they were on the way
        satisfied = file.facts.satisfied
        for index, row in enumerate(file.expressions):
            said = self._row(index, row)
            if index in satisfied:
                said = [said, self._outline(satisfied[index])]
            self.rows[index] = crc32(_encode(said))
        for index, row in enumerate(file.types[1:], start=1):  # the first stands for none, which is not an unknown one
            self.types[index] = crc32(_encode(self._type(row)))

    def _key(self, node: int) -> str:
        """A definition, and of what kind."""
        return f"{self._keys[node]} {self._file.facts.nodes[node].kind}" if node >= 0 else ""

    def _binding(self, index: int) -> tuple[Any, ...]:
        """Which binding it is, and of what kind."""
        binding = self._file.bindings[index]
        said = binding.home, binding.name, self._places[index], binding.kind, self._key(binding.node)
        return (*said, binding.more) if binding.kind == m.IMPORTED else said

    def _owner(self, code: int, index: int) -> Any:
        """The name with which something is looked up that has none itself, but is what a name is bound to."""
        owner = self._file.owner(code, index)
        return self._binding(owner) if owner >= 0 else None

    def _row(self, index: int, row: m.Row) -> Any:
        code = row[0]
        if code == m.NAME:
            return [code, *self._binding(row[1])]
        if code in (m.LITERAL, m.GLOBAL, m.REQUIRE, m.IMPORT, m.TEXT):
            return row
        if code in (m.CALL, m.NEW):
            types = [self._outline(part) for part in self._file.facts.typed.get(index, ())]
            return [code, self.rows[row[1]], [self.rows[part] for part in row[2]], types]
        if code in (m.ARRAY, m.CHOICE):
            return [code, [self.rows[part] for part in row[1]]]
        if code in (m.MEMBER, m.ITEM):
            return [code, self.rows[row[1]], row[2]]
        if code == m.KEYED:
            return [code, self.rows[row[1]], self.rows[row[2]]]
        if code in (m.AWAIT, m.ELEMENT, m.SPREAD):
            return [code, self.rows[row[1]]]
        if code == m.CAST:
            return [code, self.rows[row[1]], self._outline(row[2])]
        if code == m.FUNCTION:
            return [code, self._key(self._file.functions[row[1]].node), self._owner(code, row[1])]
        if code in (m.THIS, m.SUPER, m.PARAMETER):
            function = self._key(self._file.functions[row[1]].node) if row[1] >= 0 else ""
            return [code, function, *row[2:]]
        if code == m.CLASS:
            return [code, self._key(self._file.classes[row[1]].node), self._owner(code, row[1])]
        if code == m.OBJECT:
            return [code, [(name, self.rows[value], kind, self._key(node)) for name, value, kind, node in row[1]],
                    [self.rows[part] for part in row[2]], self._owner(code, index)]  # fmt: skip
        return [code]

    def _outline(self, index: int) -> Any:
        """A type by the names in it, without the rows it refers to."""
        row = self._file.types[index]
        if not index:
            return 0
        if row[0] == m.T_NAME:
            return [row[0], self._named(row[1]), [self._outline(part) for part in row[2]]]
        if row[0] == m.T_ARRAY:
            return [row[0], self._outline(row[1])]
        if row[0] in (m.T_UNION, m.T_TUPLE):
            return [row[0], [self._outline(part) for part in row[1]]]
        if row[0] == m.T_OBJECT:
            interface = self._file.interfaces[row[1]]
            return [row[0], [(name, self._outline(type_)) for name, type_, _ in interface.members]]
        if row[0] == m.T_FUNCTION:
            return [row[0], [self._outline(part) for part in row[1]], self._outline(row[2]), *self._shape(row)]
        if row[0] == m.T_LOOKUP:
            return [row[0], self._outline(row[1]), row[2]]
        if row[0] == m.T_QUERY:
            return [row[0], self.rows[row[1]]]
        if row[0] == m.T_PREDICATE:
            return [row[0], row[1], self._outline(row[2])]
        return row if row[0] == m.T_BUILTIN else [row[0]]

    def _named(self, index: int) -> Any:
        """What the name of a type is written as."""
        row = self._file.expressions[index]
        if row[0] == m.MEMBER:
            return [self._named(row[1]), row[2]]
        return self._binding(row[1]) if row[0] == m.NAME else row[1:] if row[0] in _BY_TEXT else [row[0]]

    def _shape(self, row: m.Row) -> tuple[Any, ...]:
        """What a function type says beside types."""
        return row[3], row[4], [self._binding(each) for each in row[5]]

    def _type(self, row: m.Row) -> Any:
        code = row[0]
        if code == m.T_NAME:
            return [code, self.rows[row[1]], [self.types[part] for part in row[2]]]
        if code == m.T_QUERY:
            return [code, self.rows[row[1]]]
        if code == m.T_ARRAY:
            return [code, self.types[row[1]]]
        if code in (m.T_UNION, m.T_TUPLE):
            return [code, [self.types[part] for part in row[1]]]
        if code == m.T_FUNCTION:
            return [code, [self.types[part] for part in row[1]], self.types[row[2]], *self._shape(row)]
        if code == m.T_PREDICATE:
            return [code, row[1], self.types[row[2]]]
        if code == m.T_LOOKUP:
            return [code, self.types[row[1]], row[2]]
        if code == m.T_OBJECT:
            return [code, *self._interface(row[1])]
        return row

    def _interface(self, index: int) -> list[Any]:
        row = self._file.interfaces[index]
        return [
            self._key(row.node), row.name, [self.types[part] for part in row.extends],
            [(name, self.types[type_], self._key(node)) for name, type_, node in row.members], self.types[row.alias],
            [self._binding(each) for each in row.generics],
        ]  # fmt: skip

    def is_split(self, index: int) -> bool:
        """Whether what a type has is looked at name by name."""
        node = self._file.interfaces[index].node
        return node >= 0 and self._file.facts.nodes[node].kind == SPLIT

    def _named_interface(self, index: int) -> list[Any]:
        """An interface without those of its members that are looked at by name."""
        said = self._interface(index)
        if self.is_split(index):
            said[3] = [each for each in said[3] if each[0] in UNNAMED]
        return said

    def claimed(self, kind: str, index: int) -> Any:
        file = self._file
        if kind == "class":  # and what it extends, which one name may mean now or then
            row = file.classes[index]
            return self._key(row.node), self.rows[row.extends], [self.types[part] for part in row.implements]
        if kind in ("interface", "alias"):
            interface = file.interfaces[index]
            return self._key(interface.node), [self.types[part] for part in (*interface.extends, interface.alias)]
        if kind == "prototype":
            return self._binding(index), [self.rows[value] for value in file.bindings[index].values]
        if kind == "export":
            return file.facts.exports[index].name
        if kind == "function":
            return self._key(file.functions[index].node), self.types[stated_function(file, index)]
        return self.rows[index]

    def definitions(self) -> dict[str, list[Any]]:
        """By key: all that evaluation may read of a definition's content, and of the names in it."""
        file, rows, types = self._file, self.rows, self.types
        found: dict[str, list[Any]] = {}
        for binding in file.bindings:
            found.setdefault(name_key(file.path, binding), []).append((
                binding.name, binding.kind, self._key(binding.node), [rows[value] for value in binding.values],
                types[binding.type], [(name, rows[value]) for name, value in binding.properties],
                [(name, rows[value]) for name, value in binding.prototype], [rows[call] for call in binding.calls],
                [rows[test] for test in binding.tests],
                binding.more if binding.kind == m.IMPORTED else
                [self._named_interface(index) for index in binding.more] if binding.kind == m.TYPE else
                [types[index] for index in binding.more],
            ))  # fmt: skip
        for number, function in enumerate(file.functions):
            found.setdefault(self._home(function.node), []).append((
                self._key(function.node), function.flags, *self._this(function.this),
                [rows[value] for value in function.returns], [rows[value] for value in function.yields],
                types[function.result], rows[function.passed[0]] if function.passed[0] >= 0 else 0,
                function.passed[1], [(name, rows[value]) for name, value in function.stores],
                [self._key(file.functions[each].node) for each in function.overloads],
                file.facts.nodes[function.node].public, self._stands(number, self._standing),
                self._key(file.functions[file.returned[number]].node) if number in file.returned else "",
                self._binding(function.binding) if function.binding >= 0 else None, file.large,
                [self._binding(each) for each in function.generics], types[function.receiver],
            ))  # fmt: skip
            if function.parameters:
                found.setdefault(takes_key(file.path, file.home(function.node)), []).append((
                    self._key(function.node), function.rest, function.least, self._meant(function),
                    [(types[type_], rows[default]) for _, type_, default in function.parameters],
                ))  # fmt: skip
            meant, last = self._meant(function), len(function.parameters) - 1
            for place, (_, type_, default) in enumerate(function.parameters):
                found.setdefault(takes_key(file.path, file.home(function.node), place), []).append((
                    self._key(function.node), function.rest and place == last, meant[place : place + 1],
                    types[type_], rows[default],
                ))  # fmt: skip
        for row in file.classes:
            said = (
                self._key(row.node), rows[row.extends], [types[part] for part in row.implements],
                [types[part] for part in row.arguments], [self._binding(each) for each in row.generics],
            )  # fmt: skip
            found.setdefault(self._home(row.node), []).append(said)
        for index, interface in enumerate(file.interfaces):
            if interface.node >= 0:
                found.setdefault(self._home(interface.node), []).append(self._named_interface(index))
        for namespace in file.facts.namespaces:
            home = next((b.home for b in file.bindings if b.kind == m.MODULE_NAME), "")
            names = [(name, *self._binding(index)) for name, index in sorted(namespace.items())]
            found.setdefault(def_key(file.path, home), []).append(names)
        return found

    def _meant(self, function: m.Function) -> list[str]:
        """The names of parameters, where what is declared says by name of which it tells the type."""
        file = self._file
        results = [function.result, *(file.functions[each].result for each in function.overloads)]
        if all(file.types[each][0] != m.T_PREDICATE for each in results):
            return []
        return [file.bindings[each].name if each >= 0 else "" for each, _, _ in function.parameters]

    def _home(self, node: int) -> str:
        return def_key(self._file.path, self._file.home(node))

    def _this(self, this: tuple[int, int]) -> tuple[int, Any]:
        """What `this` is in a function."""
        kind, index = this
        if kind in (m.THIS_INSTANCE, m.THIS_STATIC):
            return kind, self._key(self._file.classes[index].node)
        if kind in (m.THIS_BINDING, m.THIS_PROTOTYPE):
            return kind, self._binding(index)
        return kind, self.rows[index] if kind == m.THIS_OBJECT else 0

    def of_classes(self) -> dict[str, list[Any]]:
        """By key: what a class has under a name, and what its functions store there."""
        found: dict[str, list[Any]] = {}
        for row in self._file.classes:
            path, key = self._file.path, self._keys[row.node]
            for name, kind, static, value, type_, node in row.members:
                found.setdefault(member_key(path, key, ANY_NAME), []).append((name, kind, static))
                said = kind, static, self.rows[value], self.types[type_], self._key(node)
                found.setdefault(member_key(path, key, name), []).append(said)
            for name, value, static in row.stores:
                found.setdefault(member_key(path, key, name), []).append((self.rows[value], static))
        for index, interface in enumerate(self._file.interfaces):
            for said in self._interface(index)[3] if self.is_split(index) else ():
                key = member_key(self._file.path, self._keys[interface.node], said[0])
                found.setdefault(key, []).append(said[1:])
        return found

    @cached_property
    def _standing(self) -> dict[int, int]:
        """Where object literals stand, and arrays and choices with such in them; what holds one was added after it."""
        found: dict[int, int] = {}
        for literal in sorted(self._file.placed[1], reverse=True):
            kind, index, which = self._file.placed[1][literal]
            said: tuple[Any, ...]
            if kind in ("member", "element", "choice"):
                said = which, found.get(index, 0)
            elif kind == "result":
                function = self._file.functions[index]
                said = self._key(function.node), self.types[function.result], self._stands(index, found)
            else:
                said = which, self.types[index] if kind == "type" else self.rows[index]
            found[literal] = crc32(_encode((kind, *said)))
        return found

    def standing(self, literal: int) -> int:
        """Where an object literal stands; 0 where nothing may wait for a type of it."""
        return self._standing.get(literal, 0)

    def _stands(self, function: int, standing: Mapping[int, int]) -> Any:
        """In which object a function stands, and where that does."""
        literal, name = self._file.placed[0].get(function, (-1, ""))
        return name, standing.get(literal, 0)

    def literals(self) -> dict[str, list[Any]]:
        """By definition: its object literals and where they stand, for by that their keys mean members."""
        found: dict[str, list[Any]] = {}
        for literal, standing in self._standing.items():
            row = self._file.expressions[literal]
            if row[0] == m.OBJECT:
                found.setdefault(row[3], []).append((self.rows[literal], standing))
        return found

    def inherited(self) -> Iterator[tuple[int, bytes]]:
        """Definitions that inherit, each with what and which members may replace others; and overloaded functions."""
        file = self._file
        for row in file.classes:
            if row.extends or row.implements:
                members = [(name, static, self._key(node)) for name, _, static, _, _, node in row.members]
                bases = self.rows[row.extends], [self.types[part] for part in row.implements]
                yield row.node, _encode((bases, members))
        for index, interface in enumerate(file.interfaces):
            if interface.extends and interface.node >= 0:
                yield interface.node, _encode(self._interface(index))
        for function in file.functions:
            for number in function.overloads:
                yield file.functions[number].node, _encode(self._key(function.node))

    def members(self) -> set[str]:
        """Names of properties that are definitions."""
        nodes = self._file.facts.nodes
        stored = (name for each in self._file.bindings for name, _ in (*each.properties, *each.prototype))
        described = {name[4:] for name in stored if name.startswith(m.ACCESSORS)}
        kinds = ("method", "field", "property", "member", "function")
        return described | {node.name for node in nodes if node.kind in kinds}
