"""Functions, classes, objects and variables of a JavaScript file: what is defined, under which key, in which scope.

A function bound to a name has that name; one without is a numbered lambda of the definition around it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from everdex.facts import javascript_model as m
from everdex.facts.javascript_values import FUNCTIONS, Values, unwrap

_NAMES: Final = frozenset(("identifier", "property_identifier", "private_property_identifier", "type_identifier"))
_MEMBER_FUNCTIONS: Final = frozenset(("method_definition", "abstract_method_signature", "method_signature"))
_FIELDS: Final = frozenset(("public_field_definition", "field_definition"))


class Definitions(Values):
    """Adds the definitions to the expressions."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._overloads: dict[int, dict[str, int]] = {}
        self._pending: list[Node] = []  # decorators before `export`
        self.handlers |= {
            "function_declaration": self._declared,
            "generator_function_declaration": self._declared,
            "function_signature": self._declared,
            "class_declaration": self._declared_class,
            "abstract_class_declaration": self._declared_class,
            "class": lambda node: self._class(node, self._taken_hint()),
            **dict.fromkeys(FUNCTIONS, self._function_value),
            "interface_declaration": self.declare_interface,
            "type_alias_declaration": self.declare_alias,
            "enum_declaration": self.declare_enum,
            "lexical_declaration": self._variables,
            "variable_declaration": self._variables,
        }

    def _taken_hint(self) -> str:
        hint, self.hint = self.hint, ""
        return hint

    # -- functions ------------------------------------------------------------------------------

    def _function_value(self, node: Node) -> int:
        hint = self._taken_hint()
        name = node.child_by_field_name("name")
        own = self.text(name) if name is not None else ""
        if hint == "module.exports" and own:
            hint = own
        kind = "function" if hint or own else "lambda"
        return self.function(node, hint or own, kind, own_name=own, label=self.hinted_by if hint else None)

    def _declared(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        text = self.text(name) if name is not None else self._taken_hint() or "default"
        self.hint = ""
        signature_only = node.type == "function_signature"
        if signature_only and self.at.scope in self._overloads and text in self._overloads[self.at.scope]:
            # a later overload of the same function: its types are read, the definition is the first one's
            self.parameter_types(node.child_by_field_name("parameters"))
            self.type(node.child_by_field_name("return_type"))
            return self.name(text)
        overloaded = self._overloads.setdefault(self.at.scope, {})
        if not signature_only and text in overloaded:
            value = self.function(node, text, "function", into=overloaded.pop(text))
        else:
            value = self.function(node, text, "function")
            if signature_only:
                overloaded[text] = self.expressions[value][1]
        binding = self.bind(text, m.DECLARED_FUNCTION, value)
        if self.bindings[binding].node < 0:
            self.bindings[binding].node = self.functions[self.expressions[value][1]].node
        return self.name(text)

    def function(
        self, node: Node, name: str, kind: str, this: tuple[int, int] | None = None, own_name: str = "", into: int = -1,
        label: Node | None = None,
    ) -> int:
        """A definition and a function row for it, or for the overload `into`; the row of its value."""
        label = node.child_by_field_name("name") or label
        body = node.child_by_field_name("body")
        index = self.functions[into].node if into >= 0 else self.define(name, kind, node, label, body)
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
        self.at = self.at._replace(scope=self.open_scope(True))
        value = self.add(m.FUNCTION, number)
        if own_name and own_name != name:
            self.bind(own_name, m.VARIABLE, value)
        self.generics(node.child_by_field_name("type_parameters"))
        self._parameters(node, row, number)
        row.result = self.type(node.child_by_field_name("return_type"))
        if into >= 0:
            if not row.result:
                row.result = self.functions[into].result
            row.node = index
        if body is not None:
            if body.type == "statement_block":
                for child in body.named_children:
                    self.visit(child)
            else:
                self.hint = ""
                row.returns.append(self.visit(body))
        self.at = outer
        return value

    def _parameters(self, node: Node, row: m.Function, number: int) -> None:
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
                        self.decorator(part, self.at.node)
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
                continue
            value = self.add(m.PARAMETER, number, len(row.parameters))
            if pattern.type == "rest_pattern":
                row.rest = True
            binding = len(self.bindings)
            self.target(pattern, value, self._declare_parameter)
            named = pattern.type == "identifier" and binding < len(self.bindings)
            row.parameters.append((binding if named else -1, type_, default))
            if named and child.type != "identifier" and self._is_property(child):
                self._parameter_property(pattern, value, type_)

    def _declare_parameter(self, node: Node, value: int) -> None:
        self.bind(self.text(node), m.PARAMETER_NAME, value)

    @staticmethod
    def _is_property(parameter: Node) -> bool:
        marks = ("accessibility_modifier", "readonly", "override_modifier")
        return any(child.type in marks for child in parameter.children)

    def _parameter_property(self, pattern: Node, value: int, type_: int) -> None:
        kind, index = self.functions[self.at.this].this
        if kind == m.THIS_INSTANCE:
            self.classes[index].members.append((self.text(pattern), "f", False, value, type_, -1))

    # -- classes --------------------------------------------------------------------------------

    def _declared_class(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        text = self.text(name) if name is not None else self._taken_hint() or "default"
        value = self._class(node, text)
        binding = self.bind(text, m.DECLARED_CLASS, value)
        self.bindings[binding].node = self.classes[self.expressions[value][1]].node
        return self.name(text)

    def _class(self, node: Node, hint: str) -> int:
        label, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        own = self.text(label) if label is not None else ""
        name = hint or own
        index = self.define(name, "class", node, label, body)
        number = len(self.classes)
        row = m.Class(index, name, abstract=node.type == "abstract_class_declaration")
        self.classes.append(row)
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
        self.generics(node.child_by_field_name("type_parameters"))
        for child in node.named_children:
            if child.type == "class_heritage":
                self._heritage(child, row)
        frames = {}
        for static in (False, True):
            frames[static] = len(self.functions)
            self.functions.append(m.Function(index, "", 0, (m.THIS_STATIC if static else m.THIS_INSTANCE, number)))
        waiting: list[Node] = []
        for child in body.named_children if body is not None else ():
            if child.type == "decorator":
                waiting.append(child)
            elif child.type != "comment":
                self._class_member(child, row, number, frames, waiting)
                waiting = []
        self.at = outer
        return value

    def _heritage(self, node: Node, row: m.Class) -> None:
        for child in node.named_children:
            if child.type == "extends_clause":
                value = child.child_by_field_name("value")
                if value is not None:
                    row.extends = self._extended(value, row.node)
                self.type_arguments(child)
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
        self, node: Node, row: m.Class, number: int, frames: dict[bool, int], decorators: list[Node]
    ) -> None:
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
        name = self._label(label)
        first = len(self.nodes)
        type_ = self.type(node.child_by_field_name("type"))
        if kind in _FIELDS:
            index, value = self._field(node, name, label, frames[static])
            row.members.append((name, "f", static, value, type_, index))
        else:
            code = "g" if "get" in marks else "s" if "set" in marks else "m" if kind == "method_definition" else "a"
            this = (m.THIS_STATIC if static else m.THIS_INSTANCE, number)
            value = self.function(node, name, "method", this)
            function = self.functions[self.expressions[value][1]]
            if name == "constructor":
                function.flags |= m.CONSTRUCTOR
            row.members.append((name, code, static, value, 0, function.node))
        if len(self.nodes) > first:
            if any(self.text(child) == "private" for child in node.children if child.type == "accessibility_modifier"):
                self.hidden.add(first)
            for decorator in (*decorators, *(child for child in node.named_children if child.type == "decorator")):
                self.decorator(decorator, first)

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
        self.at = outer
        return index, value

    def _label(self, node: Node | None) -> str:
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

    # -- objects --------------------------------------------------------------------------------

    def _object(self, node: Node) -> int:
        hint = self._taken_hint()
        outer = self.at
        if hint and hint != "module.exports":
            self.at = outer._replace(prefix=f"{outer.prefix}.{hint}" if outer.prefix else hint)
        rows: list[tuple[str, int, str]] = []
        spreads: list[int] = []
        methods: list[m.Function] = []
        for child in node.named_children:
            kind = child.type
            if kind == "pair":
                key, given = child.child_by_field_name("key"), child.child_by_field_name("value")
                name = self._label(key)
                if given is not None:
                    value = self.named(given, name, key)
                    rows.append((name, value, "v"))
                    self.as_method(value)
                    row = self.expressions[value]
                    if row[0] == m.FUNCTION and not self.functions[row[1]].flags & m.ARROW:
                        methods.append(self.functions[row[1]])
            elif kind == "shorthand_property_identifier":
                rows.append((self.text(child), self.visit(child), "v"))
            elif kind == "method_definition":
                name = self._label(child.child_by_field_name("name"))
                value = self.function(child, name, "method")
                marks = {part.type for part in child.children}
                rows.append((name, value, "g" if "get" in marks else "s" if "set" in marks else "v"))
                methods.append(self.functions[self.expressions[value][1]])
            elif kind == "spread_element":
                spreads.append(self._last(child))
            elif kind != "comment":
                self.visit(child)
        self.at = outer
        index = self.add(m.OBJECT, rows, spreads)
        for method in methods:
            method.this = (m.THIS_OBJECT, index)
        return index

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
        type_ = self.type(node.child_by_field_name("type"))
        scope = self.scopes[self.at.scope]
        outside = self.at.function < 0 and (scope.top is None or scope.exported is not None)
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
            value = self.named(given, text, name) if given is not None else 0
            self.at = outer
            row = self.expressions[value]
            if defines and row[0] == m.FUNCTION:
                index = self.functions[row[1]].node
            elif defines and row[0] == m.CLASS:
                index = self.classes[row[1]].node
            binding = self.bind_variable(text, value, type_, hoisted)
            if index >= 0:
                self.bindings[binding].node = index
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
