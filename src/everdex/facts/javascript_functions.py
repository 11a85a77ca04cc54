"""Functions and objects of a JavaScript file: what they are called, their parameters, what `this` is in them.

A function bound to a name has that name; one without is a numbered lambda of the definition around it.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from everdex.facts import javascript_model as m
from everdex.facts.javascript_build import is_name
from everdex.facts.javascript_comments import Stated
from everdex.facts.javascript_stores import Stores
from everdex.facts.javascript_values import FUNCTIONS, unwrap

_KEYS: Final = frozenset(("property_identifier", "string"))
_MAX_PROPERTIES: Final = 2_000  # of a file: with more of them it holds data, not members
_NAMES: Final = frozenset(("identifier", "property_identifier", "private_property_identifier", "type_identifier"))


class Functions(Stores):
    """Adds functions, objects and decorators."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._signatures: dict[tuple[int, str], list[int]] = {}  # scope and name: values that wait for a body
        self.made_in: list[int] = []  # of each class the definition whose code makes it
        self.having = -1  # the definition whose members the properties of the next object are
        self._properties = 0
        self.handlers |= {
            "function_declaration": self._declared,
            "generator_function_declaration": self._declared,
            "function_signature": self._declared,
            **dict.fromkeys(FUNCTIONS, self._function_value),
        }

    def taken_hint(self) -> str:
        hint, self.hint = self.hint, ""
        return hint

    # -- functions ------------------------------------------------------------------------------

    def _function_value(self, node: Node) -> int:
        hint = self.taken_hint()
        name = node.child_by_field_name("name")
        own = self.text(name) if name is not None else ""
        if hint == "module.exports" and own:
            hint = own
        kind = "function" if hint or own else "lambda"
        return self.function(node, hint or own, kind, own_name=own, label=self.hinted_by if hint else None)

    def _declared(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        text = self.text(name) if name is not None else self.taken_hint() or "default"
        self.hint = ""
        value = self.function(node, text, "function")
        index = self.functions[self.expressions[value][1]].node
        waiting = self._signatures.setdefault((self.at.scope, text), [])
        binding = self.bindings[self.bind(text, m.DECLARED_FUNCTION, value, self.stated_type(node))]
        if node.type == "function_signature":
            waiting.append(value)
            if len(waiting) > 1:
                self.beside[index] = binding.node
        elif waiting:
            # what is called is the function that has the body; the others say how
            binding.values = [known for known in binding.values if known not in waiting]
            binding.node = index
            self.overload(value, waiting)
            waiting.clear()
        if binding.node < 0:
            binding.node = index
        return self.name(text)

    def overload(self, value: int, signatures: list[int]) -> None:
        """Signatures of a function: definitions of their own that name the one with the body."""
        function = self.functions[self.expressions[value][1]]
        function.overloads = [self.expressions[signature][1] for signature in signatures]
        for number in function.overloads:
            self.beside[self.functions[number].node] = function.node

    def function(
        self, node: Node, name: str, kind: str, this: tuple[int, int] | None = None, own_name: str = "",
        label: Node | None = None,
    ) -> int:
        """A definition and a function row for it; the row of its value."""
        label = node.child_by_field_name("name") or label
        body = node.child_by_field_name("body")
        index = self.define(name, kind, node, label, body)
        arrow = node.type == "arrow_function"
        flags = (m.ARROW if arrow else 0) | (0 if body is not None else m.DECLARED_ONLY)
        for child in node.children:
            token = child.type
            if token == "async":
                flags |= m.ASYNC
            elif token == "*":
                flags |= m.GENERATOR
            elif child.is_named and token not in _NAMES and token != "accessibility_modifier":
                break
        number = len(self.functions)
        row = m.Function(index, name, flags, this or (m.THIS_NOTHING if arrow else m.THIS_SELF, number))
        self.functions.append(row)
        outer = self.at
        key = self.nodes[index].key
        self.at = outer._replace(
            node=index, parent=index, prefix=key, function=number, this=outer.this if arrow else number
        )
        value = self.add(m.FUNCTION, number)
        if own_name:  # around its parameters, of which one may have the same name
            self.at = self.at._replace(scope=self.open_scope(False))
            self.bind(own_name, m.VARIABLE, value)
        self.at = self.at._replace(scope=self.open_scope(True))
        row.generics = self.generics(node.child_by_field_name("type_parameters"))
        stated = self.stated(node)
        self.stated_generics(stated)
        self._parameters(node, row, number, stated)
        row.result = self.type(node.child_by_field_name("return_type"))
        if stated is not None and not row.result and (result := self.documented(stated.result)):
            row.result, row.flags = result, row.flags | m.DOCUMENTED
        if body is not None:
            if body.type == "statement_block":
                for child in body.named_children:
                    self.visit(child)
            else:
                self.hint = ""
                row.returns.append(self.visit(body))
        self.at = outer
        return value

    def _parameters(self, node: Node, row: m.Function, number: int, stated: Stated | None) -> None:
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        if parameters is None:
            return
        children = parameters.named_children if parameters.type == "formal_parameters" else [parameters]
        for child in children:
            if child.type == "comment":
                continue
            pattern, type_, default = child, 0, 0
            if child.type in ("required_parameter", "optional_parameter"):
                for part in child.named_children:
                    if part.type == "decorator":
                        self.member_decorator(part, self.at.node)
                inner = child.child_by_field_name("pattern")
                if inner is None:
                    continue
                pattern = inner
                type_ = self.type(child.child_by_field_name("type"))
                given = child.child_by_field_name("value")
                default = self.visit(given) if given is not None else 0
            elif child.type == "assignment_pattern":
                left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
                if left is None or right is None:
                    continue
                pattern, default = left, self.visit(right)
            if pattern.type == "this":
                row.receiver = type_
                continue
            if stated is not None and not type_:
                type_ = self.stated_parameter(stated, pattern, len(row.parameters))
            value = self.add(m.PARAMETER, number, len(row.parameters))
            if pattern.type == "rest_pattern":
                row.rest = True
            elif not default and child.type != "optional_parameter":
                row.least = len(row.parameters) + 1
            binding = len(self.bindings)
            self.target(pattern, value, self._declare_parameter)
            named = pattern.type == "identifier" and binding < len(self.bindings)
            row.parameters.append((binding if named else -1, type_, default))
            if named and child.type != "identifier" and self._is_property(child):
                self.bindings[binding].node = self._parameter_property(child, pattern, value, type_)

    def _declare_parameter(self, node: Node, value: int) -> None:
        self.bind(self.text(node), m.PARAMETER_NAME, value)

    @staticmethod
    def _is_property(parameter: Node) -> bool:
        marks = ("accessibility_modifier", "readonly", "override_modifier")
        return any(child.type in marks for child in parameter.children)

    def _parameter_property(self, node: Node, pattern: Node, value: int, type_: int) -> int:
        """The field that a constructor's parameter declares; inside the constructor its name means both."""
        kind, index = self.functions[self.at.this].this
        if kind != m.THIS_INSTANCE:
            return -1
        row, name = self.classes[index], self.text(pattern)
        field = next((known for member, _, static, _, _, known in row.members if member == name and not static), -1)
        if field < 0:
            self.declared[index].add(name)
            self.at, outer = self.at._replace(parent=row.node, prefix=self.nodes[row.node].key), self.at
            field = self.define(name, "field", node, pattern)
            self.at = outer
        if any(self.text(child) == "private" for child in node.children if child.type == "accessibility_modifier"):
            self.hidden.add(field)
        self.mention("w", pattern, self.name(name))
        row.members.append((name, "f", False, value, type_, field))
        return field

    def label_of(self, node: Node | None) -> str:
        if node is None:
            return "<computed>"
        if node.type == "string":
            return self.string(node)
        if node.type == "computed_property_name":
            inner = node.named_children
            if inner and inner[0].type == "string":
                return self.string(inner[0])
            self.visit_children(node)
            return self.text(node)[:80]
        return self.text(node)

    def visit_children(self, node: Node) -> None:
        for child in node.named_children:
            self.visit(child)

    def decorator(self, node: Node, index: int) -> None:
        """`@name` and `@name(…)`: the definition is decorated by what is named, and the latter is called here."""
        for child in node.named_children:
            inner = child
            while inner.type == "call_expression" and (function := inner.child_by_field_name("function")) is not None:
                inner = function
            since = len(self.mentions)
            value = self.visit(child)
            if inner is child:
                del self.mentions[since:]
            else:
                value = self.expressions[value][1] if self.expressions[value][0] == m.CALL else 0
            token = inner.child_by_field_name("property") if inner.type == "member_expression" else inner
            self.mention("d", token or inner, value, inner, index)

    def member_decorator(self, node: Node, index: int) -> None:
        """Of a member or a parameter: it runs where the class is made, once, and not when the member does."""
        outer = self.at
        if outer.klass >= 0:
            self.at = outer._replace(node=self.made_in[outer.klass])
        self.decorator(node, index)
        self.at = outer

    # -- objects --------------------------------------------------------------------------------

    def _object(self, node: Node) -> int:
        hint = self.taken_hint()
        having, self.having = self.having, -1
        outer = self.at
        if hint and hint != "module.exports":
            self.at = outer._replace(prefix=f"{outer.prefix}.{hint}" if outer.prefix else hint)
        if having >= 0:
            self.at = self.at._replace(parent=having)
        rows: list[tuple[str, int, str, int]] = []
        spreads: list[int] = []
        methods: list[m.Function] = []
        keys: list[tuple[str, Node]] = []
        for child in node.named_children:
            kind = child.type
            if kind == "pair":
                key, given = child.child_by_field_name("key"), child.child_by_field_name("value")
                name = self.label_of(key)
                if given is not None:
                    member = self._property(child, name, key, given) if having >= 0 else -1
                    value = self.named(given, name, key)
                    self.having = -1
                    rows.append((name, value, "v", member))
                    if key is not None and key.type in _KEYS:
                        keys.append(("k", key))
                    self.as_method(value)
                    row = self.expressions[value]
                    if row[0] == m.FUNCTION and not self.functions[row[1]].flags & m.ARROW:
                        methods.append(self.functions[row[1]])
            elif kind == "shorthand_property_identifier":
                name = self.text(child)
                member = self._property(child, name, child, child) if having >= 0 else -1
                # what a CommonJS module exports has the name that it has inside
                value = self.identifier_value(child, "r" if hint == "module.exports" else "R")
                rows.append((name, value, "v", member))
                keys.append(("K", child))
            elif kind == "method_definition":
                name = self.label_of(child.child_by_field_name("name"))
                value = self.function(child, name, "method")
                marks = {part.type for part in child.children}
                rows.append((name, value, "g" if "get" in marks else "s" if "set" in marks else "v", -1))
                methods.append(self.functions[self.expressions[value][1]])
                keys += [("k", part) for part in (child.child_by_field_name("name"),) if part and part.type in _KEYS]
            elif kind == "spread_element":
                spreads.append(self.last(child))
            elif kind != "comment":
                self.visit(child)
        home, self.at = self.home(), outer
        index = self.add(m.OBJECT, rows, spreads, home)
        for method in methods:
            method.this = (m.THIS_OBJECT, index)
        for role, key in keys:
            self.mention(role, key, index)
        return index

    def _property(self, node: Node, name: str, key: Node | None, given: Node) -> int:
        """The definition of a property of a named object; one that is a function or class defines itself."""
        inner = unwrap(given)
        if key is None or not is_name(name) or inner.type in FUNCTIONS or inner.type == "class":
            return -1
        self._properties += 1
        if self._properties > _MAX_PROPERTIES:
            return -1
        member = self.define(name, "property", node, key, given)
        if inner.type == "object":
            self.having = member
        return member
