"""TypeScript's types into rows: annotations, interfaces, aliases, enums. What a type means is left to the resolver.

A type that says nothing about which definitions a value may be (literals, conditionals, mapped types) is row 0; the
names inside it are mentioned all the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from everdex.facts import javascript_model as m
from everdex.facts.javascript_build import is_name
from everdex.facts.javascript_link import Linking
from everdex.facts.javascript_mapped import mapped

_MAX_DEPTH: Final = 60
_MAX_PARTS: Final = 64  # of a union: beyond, the candidates would be cut anyway
_INSIDE: Final = frozenset(
    ("parenthesized_type", "readonly_type", "optional_type", "rest_type", "type_annotation", "constraint",
     "opting_type_annotation", "omitting_type_annotation", "adding_type_annotation", "default_type",
     "type_predicate_annotation", "asserts_annotation"))  # fmt: skip


class Types(Linking, ABC):
    """Adds `type` and the declarations that only types have."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._type_depth = 0
        self._inferring = 0  # the scope of the condition that is read
        self._having = -1  # the named type whose members those of an object type are
        self._types: dict[str, Callable[[Node], int]] = {
            "type_identifier": self._identifier,
            "identifier": self._identifier,
            "predefined_type": lambda node: self._builtin(node),
            "generic_type": self._generic,
            "nested_type_identifier": lambda node: self.add_type(m.T_NAME, self.qualified(node), []),
            "member_expression": lambda node: self.add_type(m.T_NAME, self.qualified(node), []),
            "array_type": lambda node: self.add_type(m.T_ARRAY, self.type(node.named_children[0])),
            "union_type": self._parts,
            "intersection_type": self._parts,
            "function_type": self._function,
            "constructor_type": self._function,
            "object_type": self._members_of,
            "tuple_type": self._tuple,
            "type_query": self._query,
            "lookup_type": self._lookup_type,
            "this_type": lambda node: self.add_type(m.T_THIS),
            "conditional_type": self._conditional,
            "infer_type": self._infer,
            "literal_type": lambda node: self.add_type(m.T_BUILTIN, "string") if self._is_string(node) else 0,
            "template_literal_type": lambda node: self._default(node) or self.add_type(m.T_BUILTIN, "string"),
            "type_predicate": self._predicate,
            "asserts": self._asserts,
        }

    def end(self) -> None:
        """Let go of the table, which refers to the visitor: or it would wait, tree and all, for a collector that is off
        where many files are read."""
        self._types.clear()

    @abstractmethod
    def visit(self, node: Node) -> int: ...

    def type(self, node: Node | None) -> int:
        """The row of a type or of an annotation."""
        if node is None:
            return 0
        kind = node.type
        while kind in _INSIDE:
            inner = node.named_children
            if not inner:
                return 0
            node = inner[0]
            kind = node.type
        if self._type_depth >= _MAX_DEPTH:
            return 0
        self._type_depth += 1
        handler = self._types.get(kind)
        result = handler(node) if handler is not None else self._default(node)
        self._type_depth -= 1
        return result

    def _default(self, node: Node) -> int:
        if node.type == "index_signature":
            self.at, outer = self.at._replace(scope=self.open_scope()), self.at
            clause = node.named_children[0]
            if clause.type == "mapped_type_clause":
                constraint = self.type(clause.child_by_field_name("type"))
                self.bind(self.text(clause.named_children[0]), m.GENERIC, more=[constraint])
                self.type(clause.child_by_field_name("alias"))
            for field in ("index_type", "type"):
                self.type(node.child_by_field_name(field))
            self.at = outer
            return 0
        for child in node.named_children:
            if child.type not in ("property_identifier", "comment", "formal_parameters"):
                self.type(child)
        return 0

    def _members_of(self, node: Node) -> int:
        """Its members; of `{ [K in keyof T]: T[K] }` those of `T`."""
        same = mapped(node)
        if same is None:
            return self.add_type(m.T_OBJECT, self.interface(node, "", self._having))
        self._default(node.named_children[0])
        since = len(self.mentions)
        row = self.type(same)
        del self.mentions[since:]  # they are mentioned already
        return row

    @staticmethod
    def _is_string(node: Node) -> bool:
        children = node.named_children
        return bool(children) and children[0].type == "string"

    def _tuple(self, node: Node) -> int:
        """Its parts by place; those that have a name (`[first: A, rest?: B]`) are what stands behind it."""
        parts = [part for part in node.named_children if part.type != "comment"]
        return self.add_type(m.T_TUPLE, [self.type(part.child_by_field_name("type") or part) for part in parts])

    def _builtin(self, node: Node) -> int:
        return self.add_type(m.T_BUILTIN, self.text(node))

    def _identifier(self, node: Node) -> int:
        value = self.named_type(node)
        self.mention("r", node, value)
        return self.add_type(m.T_NAME, value, [])

    def named_type(self, node: Node) -> int:
        """The expression of the first name of a type."""
        return self.type_name(self.text(node))

    def named_space(self, node: Node) -> int:
        """The expression of what stands before the first dot of a type."""
        return self.space_name(self.text(node))

    def qualified(self, node: Node) -> int:
        """The expression of `A.B.C` in a place for types; `import("x").C` too."""
        names: list[Node] = []
        while node.type in ("nested_type_identifier", "nested_identifier", "member_expression"):
            children = node.named_children
            names.append(children[-1])
            node = children[0]
        if node.type in ("identifier", "type_identifier"):
            value = self.named_space(node)
            self.mention("r", node, value)
        else:
            value = self.visit(node)
            if self.expressions[value][0] == m.IMPORT:
                value = self.add(m.REQUIRE, self.expressions[value][1])
        for part in reversed(names):
            text = self.text(part)
            value = self.add(m.MEMBER, value, text)
            self.mention("r", part, value)
        return value

    def _generic(self, node: Node) -> int:
        name, arguments = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
        if name is None:
            return self._default(node)
        if name.type == "type_identifier":
            value = self.named_type(name)
            self.mention("r", name, value)
        else:
            value = self.qualified(name)
        rows = [self.type(part) for part in arguments.named_children] if arguments is not None else []
        return self.add_type(m.T_NAME, value, rows)

    def _parts(self, node: Node) -> int:
        """Unions nest to the left without bound: taken apart in a loop."""
        parts: list[Node] = []
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if part.type in ("union_type", "intersection_type"):
                waiting += reversed(part.named_children)
            else:
                parts.append(part)
        rows = [row for part in parts if (row := self.type(part))]
        return self.add_type(m.T_UNION, rows[:_MAX_PARTS]) if rows else 0

    def _function(self, node: Node) -> int:
        """What a function takes and gives is nobody's member."""
        self.at, outer = self.at._replace(scope=self.open_scope()), self.at
        having, self._having = self._having, -1
        generics = self.generics(node.child_by_field_name("type_parameters"))
        rows, least, rest = self._parameter_types(node.child_by_field_name("parameters"))
        result = self.type(node.child_by_field_name("return_type") or node.child_by_field_name("type"))
        self.at, self._having = outer, having
        return self.add_type(m.T_FUNCTION, rows, result, least, rest, generics)

    def _predicate(self, node: Node) -> int:
        """`x is T`: of which parameter something is said, and what."""
        name, stated = node.child_by_field_name("name"), node.child_by_field_name("type")
        return self.add_type(m.T_PREDICATE, self.text(name) if name is not None else "", self.type(stated))

    def _asserts(self, node: Node) -> int:
        """`asserts x is T` says so where the call has returned; `asserts x` says nothing that matters here."""
        inner = node.named_children
        return self._predicate(inner[0]) if inner and inner[0].type == "type_predicate" else 0

    def _parameter_types(self, parameters: Node | None) -> tuple[list[int], int, bool]:
        """Of each parameter its type; how many have to be given, and whether the last takes all the others."""
        rows: list[int] = []
        least, rest = 0, False
        for child in parameters.named_children if parameters is not None else ():
            if child.type in ("required_parameter", "optional_parameter"):
                pattern = child.child_by_field_name("pattern")
                row = self.type(child.child_by_field_name("type"))
                if pattern is not None and pattern.type == "this":
                    continue
                rows.append(row)
                rest = pattern is not None and pattern.type == "rest_pattern"
                if child.type == "required_parameter" and not rest:
                    least = len(rows)
        return rows, least, rest

    def _query(self, node: Node) -> int:
        children = node.named_children
        if not children:
            return 0
        inner = children[0]
        value = self.visit(inner)
        if self.expressions[value][0] == m.IMPORT:
            value = self.add(m.REQUIRE, self.expressions[value][1])
        return self.add_type(m.T_QUERY, value)

    def _lookup_type(self, node: Node) -> int:
        children = node.named_children
        row = self.type(children[0]) if children else 0
        if len(children) > 1:
            inner = children[1].named_children
            if children[1].type == "literal_type" and inner and inner[0].type == "string":
                text = self.string(inner[0])
                self.mention("r", inner[0], self.add(m.MEMBER, self.add(m.CAST, 0, row), text), node)
                return self.add_type(m.T_LOOKUP, row, text)
            self.type(children[1])
        return 0

    def _conditional(self, node: Node) -> int:
        """Either branch; what is asked about is only mentioned."""
        self.at, outer = self.at._replace(scope=self.open_scope()), self.at
        around, self._inferring = self._inferring, self.at.scope
        for field in ("left", "right"):
            self.type(node.child_by_field_name(field))
        self._inferring = around
        branches = [self.type(node.child_by_field_name(field)) for field in ("consequence", "alternative")]
        self.at = outer
        rows = [row for row in branches if row]
        return self.add_type(m.T_UNION, rows) if rows else 0

    def _infer(self, node: Node) -> int:
        """`infer T` names what stands there for the branches of the condition around it."""
        name, *constraint = node.named_children
        rows = [self.type(part) for part in constraint]
        self.at, outer = self.at._replace(scope=self._inferring), self.at
        self.bind(self.text(name), m.GENERIC, more=rows[:1] or [0])
        self.at = outer
        return 0

    def generics(self, node: Node | None) -> list[int]:
        """Type parameters, bound in the current scope."""
        bound: list[int] = []
        if node is None:
            return bound
        for child in node.named_children:
            name = child.child_by_field_name("name")
            if name is not None:
                rows = [self.type(child.child_by_field_name(field)) for field in ("constraint", "value")]
                bound.append(self.bind(self.text(name), m.GENERIC, more=rows))
        return bound

    # -- declarations ---------------------------------------------------------------------------

    def interface(self, body: Node, name: str, node: int) -> int:
        """An interface row from a body; its members are definitions when it is one itself or part of one."""
        index = len(self.interfaces)
        row = m.Interface(node, name)
        self.interfaces.append(row)
        for child in body.named_children:
            kind = child.type
            if kind in ("method_signature", "property_signature"):
                self._signature(child, row, node)
            elif kind in ("call_signature", "construct_signature"):
                row.members.append(("" if kind == "call_signature" else "new", self._function(child), -1))
            else:
                self._default(child)
        return index

    def _signature(self, node: Node, row: m.Interface, around: int) -> None:
        """A member of an interface, and of that what an object type in it has."""
        label = node.child_by_field_name("name")
        if label is None:
            return
        if label.type == "computed_property_name":
            self.visit(label)
        text = self.string(label) if label.type == "string" else self.text(label)
        member = self.define(text, "property", node, label) if around >= 0 and is_name(text) else -1
        outer, having = self.at, self._having
        if member >= 0:
            self.at, self._having = outer._replace(parent=member, prefix=self.nodes[member].key), member
        is_signature = node.type == "method_signature"
        type_ = self._function(node) if is_signature else self.type(node.child_by_field_name("type"))
        self.at, self._having = outer, having
        if member >= 0 and self.types[type_][0] == m.T_FUNCTION:
            self.nodes[member].kind = "method"
        row.members.append((text, type_, member))

    def declare_interface(self, node: Node) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return 0
        text = self.text(name)
        index = self.define(text, "interface", node, name, body)
        binding = self.bind(text, m.TYPE)
        self.at, outer = self.at._replace(parent=index, prefix=self.nodes[index].key), self.at
        self.at = self.at._replace(scope=self.open_scope())
        generics = self.generics(node.child_by_field_name("type_parameters"))
        since = len(self.mentions)
        bases = [
            self.type(part)
            for child in node.named_children
            if child.type == "extends_type_clause"
            for part in child.named_children
        ]
        self.inherits(index, bases, since)
        if body is not None:
            self._having = index
            row = self.interface(body, text, index)
            self._having = -1
            self.interfaces[row].extends = bases
            self.interfaces[row].generics = generics
            self.bindings[binding].more.append(row)
        self.at = outer
        self.bindings[binding].node = index if self.bindings[binding].node < 0 else self.bindings[binding].node
        return self.type_name(text)

    def inherits(self, node: int, bases: list[int], since: int) -> None:
        """What was mentioned as a type since then is what the definition inherits from."""
        wanted = {self.types[row][1] for row in bases if self.types[row][0] == m.T_NAME}
        for mention in self.mentions[since:]:
            if mention.value in wanted:
                mention.role, mention.node = "h", node

    def declare_alias(self, node: Node) -> int:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return 0
        text = self.text(name)
        index = self.define(text, "type", node, name, value)
        binding = self.bind(text, m.TYPE)
        self.at, outer = self.at._replace(parent=index, prefix=self.nodes[index].key), self.at
        self.at = self.at._replace(scope=self.open_scope())
        generics = self.generics(node.child_by_field_name("type_parameters"))
        self._having = index
        if value.type == "object_type" and mapped(value) is None:
            row = self.interface(value, text, index)
        else:
            row = len(self.interfaces)
            self.interfaces.append(m.Interface(index, text))
            self.interfaces[row].alias = self.type(value)
        self.interfaces[row].generics = generics
        self.at, self._having = outer, -1
        self.bindings[binding].more.append(row)
        self.bindings[binding].node = index
        return self.type_name(text)

    def declare_enum(self, node: Node) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return 0
        text = self.text(name)
        index = self.define(text, "enum", node, name, body)
        row = m.Interface(index, text)
        self.interfaces.append(row)
        binding = self.bind(text, m.ENUMERATION, self.add(m.ENUM, len(self.interfaces) - 1))
        self.bindings[binding].node = index
        self.at, outer = self.at._replace(parent=index, prefix=self.nodes[index].key), self.at
        for child in body.named_children:
            label = child.child_by_field_name("name") if child.type == "enum_assignment" else child
            if label is None or label.type == "comment":
                continue
            member = self.string(label) if label.type == "string" else self.text(label)
            row.members.append((member, 0, self.define(member, "member", child, label)))
            value = child.child_by_field_name("value")
            if value is not None:
                self.visit(value)
        self.at = outer
        return self.name(text)
