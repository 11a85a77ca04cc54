"""Links the names of a JavaScript file to what they are bound to, once everything has been seen: hoisting needs no
second pass. What is public, and which mentions are worth keeping, is only known then too."""

from __future__ import annotations

import re
from typing import Final

from everdex.facts import javascript_model as m
from everdex.facts import javascript_tests as tests
from everdex.facts import javascript_this as own
from everdex.facts.javascript_build import UNLINKED, UNLINKED_TYPE, Builder, is_name

# types of the language that no file declares again, and nearly every file names
_EVERYWHERE = frozenset((
    "Array", "Awaited", "Date", "Error", "Exclude", "Extract", "Map", "NonNullable", "Omit", "Parameters", "Partial",
    "Pick", "Promise", "Readonly", "ReadonlyArray", "Record", "Required", "ReturnType", "Set", "const",
))  # fmt: skip

_REFERENCE: Final = re.compile(rb"///\s?<reference path=[\"']([^\"'\s]{1,200})[\"']")
_HEAD: Final = 16_384  # of a file, where it says which others belong to it


class Linking(Builder):
    """Makes `facts` of the tables."""

    _exports_itself = False  # known when all has been seen

    def facts(self, partial: bool) -> m.Facts:
        self._declare_implicitly()
        self._exports_itself = self.is_module and bool(self.exports)
        self._link_names()
        self.link_documented()
        self._link_values()
        self._link_calls()
        for each in self.scopes:
            tests.merge(self.bindings, each.names, each.types)
        tests.link(self.expressions, self.types, self.bindings, self.functions, self._tested)
        self._export_package()
        self._publish()
        for node in reversed(self.nodes[1:]):  # children follow their parents, whose keys must still be there
            above = self.nodes[node.parent].key
            if node.key == (f"{above}.{node.name}" if above else node.name):
                node.key = ""
        return m.Facts(
            self.is_module, partial, self.nodes, self.expressions, self.types, self.bindings, self.functions,
            self.classes, self.interfaces, self.namespaces, self.exports, self.imports,
            m.pack([mention for mention in self.mentions if self._worth(mention)]),
            self._globals(), self.satisfied, self.stored, self.typed, self._added(),
        )  # fmt: skip

    def _declare_implicitly(self) -> None:
        """A name that is only ever assigned belongs to the function that does it; `using` is read like that too."""
        outer = self.at
        for scope, name, _ in self._assigned:
            if self.lookup(scope, name, False) < 0:
                self.at = outer._replace(scope=scope)
                self.bind_variable(name, 0, 0, True)
        self.at = outer

    def link_documented(self) -> None:
        """Names have been linked: what waited for that."""

    def unbound(self, name: str, is_type: bool) -> m.Row:
        """The row of a name that no scope of the file binds; another file about the same package may."""
        return (m.GLOBAL, name, *self._package())

    def _link_names(self) -> None:
        for (code, name, scope), index in self._names.items():
            is_type = code != UNLINKED
            found = self.lookup(scope, name, code == UNLINKED_TYPE)
            if found < 0 and is_type:
                found = self.lookup(scope, name, code != UNLINKED_TYPE)
            self.expressions[index] = (m.NAME, found) if found >= 0 else self.unbound(name, is_type)
            if found < 0 and is_type and name not in _EVERYWHERE:
                self._global_types.add(index)

    def _link_values(self) -> None:
        """Names get the values, and the properties, that are assigned to them anywhere."""
        for scope, name, value in self._assigned:
            found = self.lookup(scope, name, False)
            if found >= 0:
                self.bindings[found].values.append(value)
        for scope, name, property_, value, prototype in self._stored:
            found = self.lookup(scope, name, False)
            if found >= 0:
                binding = self.bindings[found]
                whole = prototype and property_ == "prototype"
                (binding.prototype if prototype else binding.properties).append(("" if whole else property_, value))
                kind = m.THIS_PROTOTYPE if prototype else m.THIS_BINDING
                if not prototype and is_name(property_) and self._are_exports(binding):
                    self.exports.append(m.Export(property_, value, "", ""))
                own.give(self.expressions, self.functions, value, (kind, found), property_.startswith(m.ACCESSORS))
        own.lend(self.expressions, self.bindings, self.functions, self._called)

    def _are_exports(self, binding: m.Binding) -> bool:
        """Whether a name is another one for what a CommonJS module exports: `const common = exports`."""
        if self.is_module or len(binding.values) != 1:
            return False
        row = self.expressions[binding.values[0]]
        if row[0] == m.MEMBER and row[2] == "exports":
            return bool(self.expressions[row[1]][:2] == (m.GLOBAL, "module"))
        return bool(row[:2] == (m.GLOBAL, "exports"))

    def _link_calls(self) -> None:
        for callee, call in self._called:
            row = self.expressions[callee]
            if row[0] == m.NAME and self.bindings[row[1]].kind == m.PARAMETER_NAME:
                self.bindings[row[1]].calls.append(call)
            self._hand_over(call)
        for index, binding in enumerate(self.bindings):
            for value in binding.values:
                row = self.expressions[value]
                if row[0] == m.FUNCTION:  # the last: the name that it has inside itself comes before
                    self.functions[row[1]].binding = index

    def _globals(self) -> dict[str, list[int]]:
        """Values and types that every file can name: those of a script, or what a module says to be so."""
        found: dict[str, list[int]] = {}
        for scope in (self.scopes[index] for index in self.ambient if index or not self.is_module):
            for name, binding in (*scope.names.items(), *scope.types.items()):
                bindings = found.setdefault(name, [])
                if binding not in bindings:
                    bindings.append(binding)
        return found

    def _added(self) -> dict[str, list[int]]:
        """The interfaces that a file declares as another module's, which are one with what that has of their names."""
        found: dict[str, list[int]] = {}
        for specifier, scopes in self.packages.items():
            rows = (self.bindings[binding] for scope in scopes for binding in self.scopes[scope].types.values())
            inner = [row for binding in rows if binding.kind == m.TYPE for row in binding.more]
            if interfaces := [row for row in inner if self.interfaces[row].name and not self.interfaces[row].alias]:
                found[specifier] = interfaces
        return found

    def _package(self) -> tuple[str, ...]:
        """The only package of which a file says what it exports, where it exports nothing itself."""
        return () if self._exports_itself or len(self.packages) != 1 else tuple(self.packages)

    def _export_package(self) -> None:
        """What a script says that one package exports is had from it by who imports the package and is led to it; what
        other files say of the same package it names by their paths."""
        for scope in (self.scopes[index] for package in self._package() for index in self.packages[package]):
            for name, binding in (*scope.names.items(), *scope.types.items()):
                if self.bindings[binding].kind != m.IMPORTED:
                    self.exports.append(m.Export(name, self.add(m.NAME, binding), "", ""))
        for line, text in enumerate(self.data[:_HEAD].split(b"\n") if self._package() else (), 1):
            if found := _REFERENCE.match(text):
                specifier = f"./{found[1].decode('utf-8', 'replace')}"
                self.imports.append(m.Import(specifier, line, []))
                self.exports.append(m.Export("*", 0, specifier, "*"))

    def _hand_over(self, call: int) -> None:
        """Functions that a call is given by name: the first such call is where their parameters come from."""
        for number, argument in enumerate(self.expressions[call][2]):
            row = self.expressions[argument]
            if row[0] == m.NAME and self.bindings[row[1]].values:
                value = self.expressions[self.bindings[row[1]].values[0]]
                if value[0] == m.FUNCTION and self.functions[value[1]].passed[0] < 0:
                    self.functions[value[1]].passed = (call, number)

    def _publish(self) -> None:
        """Exported definitions are public, and what they contain with them; so is everything a script has on top."""
        public: set[int] = set()
        for export in self.exports:
            row = self.expressions[export.value] if export.value else (m.UNKNOWN,)
            if row[0] == m.NAME:
                public.add(self.bindings[row[1]].node)
            elif row[0] == m.FUNCTION:
                public.add(self.functions[row[1]].node)
            elif row[0] == m.CLASS:
                public.add(self.classes[row[1]].node)
            elif row[0] == m.OBJECT:
                self._publish_object(row, public)
        for index, node in enumerate(self.nodes[1:], 1):
            parent = self.nodes[node.parent]
            named = self.beside.get(index, index)
            node.public = (
                self.nodes[named].public
                or named in public
                or (node.parent == 0 and not self.is_module and not node.name.startswith("<"))
                or (parent.public and node.parent != 0 and parent.kind not in ("function", "method", "lambda"))
            ) and index not in self.hidden

    def _publish_object(self, row: m.Row, public: set[int]) -> None:
        for _, value, _, _ in row[1]:
            inner = self.expressions[value]
            if inner[0] == m.FUNCTION:
                public.add(self.functions[inner[1]].node)
            elif inner[0] == m.NAME:
                public.add(self.bindings[inner[1]].node)

    def _worth(self, mention: m.Mention) -> bool:
        """Reading a local variable or a builtin tells nobody anything; calling one does."""
        if mention.role not in "rwRW":
            return True
        row = self.expressions[mention.value]
        if row[0] == m.NAME:
            binding = self.bindings[row[1]]
            return bool(
                binding.node >= 0 or binding.kind == m.IMPORTED or row[1] in self.aliases or self._is_required(binding)
            )
        if row[0] == m.GLOBAL:
            return mention.value in self._global_types  # which an ambient declaration may declare
        return bool(row[0] == m.MEMBER)

    def _is_required(self, binding: m.Binding) -> bool:
        """Whether a name is what a module gives that is required, or something of it."""
        if len(binding.values) != 1:
            return False
        row = self.expressions[binding.values[0]]
        while row[0] in (m.MEMBER, m.AWAIT):
            row = self.expressions[row[1]]
        return row[0] in (m.REQUIRE, m.IMPORT)
