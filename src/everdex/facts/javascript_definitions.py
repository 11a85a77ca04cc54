"""Classes and variables of a JavaScript file, and the declarations that only TypeScript has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from everdex.facts import javascript_model as m
from everdex.facts.javascript_functions import Functions
from everdex.facts.javascript_values import FUNCTIONS, unwrap

_MEMBER_FUNCTIONS: Final = frozenset(("method_definition", "abstract_method_signature", "method_signature"))
_FIELDS: Final = frozenset(("public_field_definition", "field_definition"))


class Definitions(Functions):
    """Adds the remaining definitions."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._pending: list[Node] = []  # decorators before `export`
        self.handlers |= {
            "class_declaration": self._declared_class,
            "abstract_class_declaration": self._declared_class,
            "class": lambda node: self._class(node, self.taken_hint()),
            "interface_declaration": self.declare_interface,
            "type_alias_declaration": self.declare_alias,
            "enum_declaration": self.declare_enum,
            "lexical_declaration": self._variables,
            "variable_declaration": self._variables,
        }

    # -- classes --------------------------------------------------------------------------------

    def _declared_class(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        text = self.text(name) if name is not None else self.taken_hint() or "default"
        value = self._class(node, text)
        binding = self.bind(text, m.DECLARED_CLASS, value)
        self.bindings[binding].node = self.classes[self.expressions[value][1]].node
        return self.name(text)

    def _class(self, node: Node, hint: str) -> int:
        label, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        own = self.text(label) if label is not None else ""
        name = own if own and hint == "module.exports" else hint or own
        index = self.define(name, "class", node, label, body)
        number = len(self.classes)
        row = m.Class(index, name)
        self.classes.append(row)
        self.made_in.append(self.at.node)
        self.declared.append({
            self.label_of(child.child_by_field_name("name") or child.child_by_field_name("property"))
            for child in (body.named_children if body is not None else ())
            if child.type in _MEMBER_FUNCTIONS or child.type in _FIELDS
        })  # fmt: skip
        value = self.add(m.CLASS, number)
        outer = self.at
        pending, self._pending = self._pending, []
        for child in (*pending, *node.named_children):
            if child.type == "decorator":
                self.decorator(child, index)
        # code in fields and static blocks runs as a function of its own, without a definition
        self.at = outer._replace(node=index, parent=index, prefix=self.nodes[index].key, klass=number, function=-1)
        self.at = self.at._replace(scope=self.open_scope())
        if own and own != hint:
            self.bind(own, m.VARIABLE, value)
        row.generics = self.generics(node.child_by_field_name("type_parameters"))
        self.stated_generics(self.stated(node))
        for child in node.named_children:
            if child.type == "class_heritage":
                self._heritage(child, row)
        frames = {}
        for static in (False, True):
            frames[static] = len(self.functions)
            self.functions.append(m.Function(index, "", 0, (m.THIS_STATIC if static else m.THIS_INSTANCE, number)))
        waiting: list[Node] = []
        signatures: dict[tuple[str, bool], list[int]] = {}
        for child in body.named_children if body is not None else ():
            if child.type == "decorator":
                waiting.append(child)
            elif child.type != "comment":
                self._class_member(child, row, number, frames, waiting, signatures)
                waiting = []
        self.at = outer
        return value

    def _heritage(self, node: Node, row: m.Class) -> None:
        for child in node.named_children:
            if child.type == "extends_clause":
                value = child.child_by_field_name("value")
                if value is not None:
                    row.extends = self._extended(value, row.node)
                row.arguments = self.type_arguments(child)
            elif child.type == "implements_clause":
                since = len(self.mentions)
                row.implements = [self.type(part) for part in child.named_children]
                self.inherits(row.node, row.implements, since)
            elif child.type != "comment":
                row.extends = self._extended(child, row.node)

    def _extended(self, node: Node, index: int) -> int:
        inner = unwrap(node)
        since = len(self.mentions)
        value = self.visit(node)
        if inner.type in ("identifier", "member_expression"):
            for mention in self.mentions[since:]:
                if mention.value == value and mention.role == "r":
                    mention.role, mention.node = "h", index
        else:
            self.mention("h", inner, value, inner, index)
        return value

    def _class_member(
        self, node: Node, row: m.Class, number: int, frames: dict[bool, int], decorators: list[Node],
        signatures: dict[tuple[str, bool], list[int]],
    ) -> None:  # fmt: skip
        """`signatures`: what was only declared so far, by name and whether it is static."""
        kind = node.type
        marks = {child.type for child in node.children}
        static = "static" in marks
        if kind == "class_static_block":
            self.at, outer = self.at._replace(this=frames[True]), self.at
            self.at = self.at._replace(scope=self.open_scope(True))
            self.visit_children(node)
            self.at = outer
            return
        if kind not in _MEMBER_FUNCTIONS and kind not in _FIELDS:
            if kind != "index_signature":
                self.visit(node)
            return
        label = node.child_by_field_name("name") or node.child_by_field_name("property")
        name = self.label_of(label)
        first = len(self.nodes)
        type_ = self.type(node.child_by_field_name("type"))
        if kind in _FIELDS:
            type_ = type_ or self.before_type(node)
            index, value = self._field(node, name, label, frames[static])
            row.members.append((name, "f", static, value, type_, index))
        else:
            code = "g" if "get" in marks else "s" if "set" in marks else "m" if kind == "method_definition" else "a"
            this = (m.THIS_STATIC if static else m.THIS_INSTANCE, number)
            value = self.function(node, name, "method", this)
            function = self.functions[self.expressions[value][1]]
            if name == "constructor":
                function.flags |= m.CONSTRUCTOR
            if code == "m":
                self.overload(value, signatures.get((name, static), []))
            elif code == "a":
                signatures.setdefault((name, static), []).append(value)
            row.members.append((name, code, static, value, 0, function.node))
        if len(self.nodes) > first:
            if any(self.text(child) == "private" for child in node.children if child.type == "accessibility_modifier"):
                self.hidden.add(first)
            for decorator in (*decorators, *(child for child in node.named_children if child.type == "decorator")):
                self.member_decorator(decorator, first)

    def _field(self, node: Node, name: str, label: Node | None, frame: int) -> tuple[int, int]:
        given = node.child_by_field_name("value")
        inner = unwrap(given) if given is not None else None
        self.at, outer = self.at._replace(this=frame), self.at
        if inner is not None and inner.type in FUNCTIONS:
            value = self.function(inner, name, "method", self.functions[frame].this, label=label)
            index = self.functions[self.expressions[value][1]].node
        else:
            index = self.define(name, "field", node, label)
            value = self.named(given, name, label) if given is not None else 0
            if given is not None and label is not None:
                self.mention("w", label, self.add(m.MEMBER, self.add(m.THIS, frame), name))
        self.at = outer
        return index, value

    # -- variables ------------------------------------------------------------------------------

    def _variables(self, node: Node) -> int:
        hoisted = node.type == "variable_declaration"
        for child in node.named_children:
            if child.type == "variable_declarator":
                self._variable(child, hoisted)
        return 0

    def _variable(self, node: Node, hoisted: bool) -> None:
        name, given = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return
        self.may_name(given)
        type_ = self.type(node.child_by_field_name("type")) or self.stated_type(node)
        scope = self.scopes[self.at.scope]
        outside = self.at.function < 0 and (scope.home is None or scope.exported is not None)
        inner = unwrap(given) if given is not None else None
        if name.type == "identifier":
            text = self.text(name)
            index = -1
            defines = inner is not None and (inner.type in FUNCTIONS or inner.type == "class")
            if outside and not defines and not (inner is not None and self._is_require(inner)):
                index = self.define(text, "variable", node, name, given)
            outer = self.at
            if index >= 0:
                self.at = outer._replace(parent=index)
                # with a type of its own its properties are that type's
                if inner is not None and inner.type == "object" and not type_:
                    self.having = index
            value = self.named(given, text, name) if given is not None else 0
            self.at, self.having = outer, -1
            row = self.expressions[value]
            if defines and row[0] == m.FUNCTION:
                index = self.functions[row[1]].node
            elif defines and row[0] == m.CLASS:
                index = self.classes[row[1]].node
            binding = self.bind_variable(text, value, type_, hoisted)
            if index >= 0:
                self.bindings[binding].node = index
                if given is not None and not defines:
                    self.mention("w", name, self.name(text))
            elif row[0] == m.REQUIRE:
                self.mention("i", name, self.name(text))
            return
        value = self.visit(given) if given is not None else 0
        if type_:
            value = self.add(m.CAST, value, type_)
        required = inner is not None and self._is_require(inner)
        self.target(name, value, self._declare(hoisted, outside and not required))

    def _declare(self, hoisted: bool, define: bool) -> Callable[[Node, int], None]:
        def declare(node: Node, value: int) -> None:
            text = self.text(node)
            index = self.define(text, "variable", node, node) if define else -1
            binding = self.bind_variable(text, value, 0, hoisted)
            # what comes out of a parameter is called like one
            if self._comes_from_parameter(value):
                self.bindings[binding].kind = m.PARAMETER_NAME
            if index >= 0:
                self.bindings[binding].node = index
                self.mention("w" if node.type == "identifier" else "W", node, self.name(text))

        return declare

    def _comes_from_parameter(self, value: int) -> bool:
        row = self.expressions[value]
        return bool(row[0] == m.MEMBER and self.expressions[row[1]][0] == m.PARAMETER)

    def _is_require(self, node: Node) -> bool:
        while node.type in ("member_expression", "await_expression"):
            node = node.child_by_field_name("object") or node.named_children[0]
        if node.type != "call_expression":
            return False
        function = node.child_by_field_name("function")
        return function is not None and (function.type == "import" or self.text(function) == "require")
