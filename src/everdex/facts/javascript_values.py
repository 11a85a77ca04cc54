"""JavaScript's expressions into rows: calls, members, literals. Every call in the text is mentioned.

One visitor serves expressions and statements. Syntax that is nested too deeply for the interpreter's stack is put off
and read on its own: nothing inside it is lost, only what it gives to the expression around it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from everdex.facts import javascript_build as build
from everdex.facts import javascript_model as m
from everdex.facts import javascript_templates as templates
from everdex.facts.javascript_texts import Texts

_MAX_DEPTH: Final = 80
FUNCTIONS: Final = frozenset(("arrow_function", "function_expression", "generator_function", "function"))
_NAMED: Final = FUNCTIONS | {"class", "object"}
_WRAPPERS: Final = frozenset(
    ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")
)
# functions that put what other things have into their first argument, or make it inherit from them
_MIXING: Final = frozenset((b"assign", b"extend", b"inherits", b"merge", b"mixin", b"setPrototypeOf"))
_LOGICAL: Final = frozenset(("||", "&&", "??", ","))


def unwrap(node: Node) -> Node:
    """The expression inside parentheses and casts."""
    while node.type in _WRAPPERS:
        inner = node.named_children
        if not inner:
            break
        node = inner[0]
    return templates.giving(node) or node


class Values(Texts):
    """Adds `visit` for expressions; statements are added by the module that builds on this one."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._depth = 0
        self._given: dict[int, Node] = {}  # templates of tags with types that the grammar gives to an arrow, by the tag
        self.deferred: list[tuple[Node, build.At]] = []
        self.hint = ""  # the name that the next function, class or object takes if it has none
        self.hinted_by: Node | None = None
        self.handlers: dict[str, Callable[[Node], int]] = {
            "identifier": self.identifier_value,
            "shorthand_property_identifier": lambda node: self.identifier_value(node, "R"),
            "this": lambda node: self.add(m.THIS, self.at.this),
            "super": lambda node: self.add(m.SUPER, self.at.this),
            "string": lambda node: build.STRING,
            "number": lambda node: build.NUMBER,
            "regex": lambda node: build.REGEXP,
            "true": lambda node: build.BOOLEAN,
            "false": lambda node: build.BOOLEAN,
            "null": lambda node: build.NOTHING,
            "undefined": lambda node: build.NOTHING,
            "comment": lambda node: 0,
            "meta_property": lambda node: self.add(m.GLOBAL, self.text(node)),
            "template_string": self._template,
            "member_expression": self._member,
            "subscript_expression": self.subscript,
            "call_expression": self._call,
            "new_expression": self._new,
            "parenthesized_expression": self._parenthesized,
            "sequence_expression": self.last,
            "non_null_expression": self._first,
            "as_expression": self._cast,
            "satisfies_expression": self._cast,
            "type_assertion": self._assertion,
            "await_expression": lambda node: self.add(m.AWAIT, self.last(node)),
            "yield_expression": self._yield,
            "ternary_expression": self._ternary,
            "binary_expression": self._binary,
            "unary_expression": self._unary,
            "object": self._object,
            "array": self._array,
            "spread_element": lambda node: self.add(m.SPREAD, self.last(node)),
            "instantiation_expression": self._instantiation,
            "type_arguments": lambda node: self.type_only(node),
            "type_annotation": lambda node: self.type_only(node),
        }

    def end(self) -> None:
        super().end()
        self.handlers.clear()

    def visit(self, node: Node) -> int:
        """Read a syntax node; the row of its value, 0 when it has none that matters."""
        handler = self.handlers.get(node.type)
        if self._depth >= _MAX_DEPTH:
            if node.child_count:
                self.deferred.append((node, self.at))
                return 0
            return handler(node) if handler is not None else 0
        self._depth += 1
        if handler is not None:
            result = handler(node)
        else:
            result = 0
            for child in node.named_children:
                self.visit(child)
        self._depth -= 1
        return result

    def finish(self) -> None:
        """Read what was nested too deeply, each on a fresh stack."""
        while self.deferred:
            node, self.at = self.deferred.pop()
            self._depth = 0
            self.hint = ""
            for child in node.named_children if node.type not in self.handlers else (node,):
                self.visit(child)

    def named(self, node: Node, hint: str, label: Node | None) -> int:
        """A value that takes this name, written there, if it is a function, a class or an object."""
        self.hint = hint if unwrap(node).type in _NAMED else ""
        self.hinted_by = label
        return self.visit(node)

    def type_only(self, node: Node) -> int:
        for child in node.named_children:
            self.type(child)
        return 0

    def _first(self, node: Node) -> int:
        children = node.named_children
        return self.visit(children[0]) if children else 0

    def last(self, node: Node) -> int:
        result = 0
        for child in node.named_children:
            if child.type != "comment":
                result = self.visit(child)
        return result

    def _parenthesized(self, node: Node) -> int:
        """A comment with a type before it is a cast."""
        value = self.last(node)
        row = self.before_type(node)
        return self.add(m.CAST, value, row) if row else value

    def identifier_value(self, node: Node, role: str = "r") -> int:
        text = self.text(node)
        if text == "undefined":
            return build.NOTHING
        value = self.name(text)
        self.mention(role, node, value)
        return value

    def _template(self, node: Node) -> int:
        for child in node.named_children:
            if child.type == "template_substitution":
                self.last(child)
        return self.put_together(node) or build.TEMPLATE

    # -- members and calls ----------------------------------------------------------------------

    def _member(self, node: Node, role: str = "r") -> int:
        target, label = node.child_by_field_name("object"), node.child_by_field_name("property")
        if target is None or label is None:
            return 0
        value = self.add(m.MEMBER, self.visit(target), self.text(label))
        if role:
            self.mention(role, label, value, node)
        return value

    def subscript(self, node: Node, role: str = "r") -> int:
        target, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if target is None or index is None:
            return 0
        self.may_name(target, index)
        return self.under(self.visit(target), index, role, node)

    def under(self, value: int, index: Node, role: str, whole: Node) -> int:
        """What a value has under an index."""
        if index.type == "string":
            value = self.add(m.MEMBER, value, self.string(index))
            self.mention(role, index, value, whole)
            return value
        key = self.visit(index)
        if index.type in ("identifier", "member_expression") or self.expressions[key][0] == m.TEXT:
            return self.add(m.KEYED, value, key)
        if index.type == "number" and (text := self.text(index)).isdecimal() and len(text) < 4:
            return self.add(m.ITEM, value, int(text))
        return self.add(m.ITEM, value, -1)

    def _arguments(self, node: Node | None) -> list[int]:
        if node is None:
            return []
        if node.type == "template_string":
            self._template(node)
            return []
        self.hint = ""
        return [self.visit(child) for child in node.named_children if child.type != "comment"]

    def callee(self, node: Node) -> tuple[int, Node]:
        """The callee's value, not mentioned by itself, and the token that names it."""
        inner = unwrap(node)
        if inner.type == "identifier":
            return self.name(self.text(inner)), inner
        if inner.type == "member_expression":
            label = inner.child_by_field_name("property")
            # a cast in between is read for the names in its type
            value = self._member(inner, "") if inner == node else self._silent(node)
            return value, label or inner
        return self.visit(node), inner

    def _silent(self, node: Node) -> int:
        before = len(self.mentions)
        value = self.visit(node)
        mine = [mention for mention in self.mentions[before:] if mention.value == value and mention.role == "r"]
        for mention in mine:
            self.mentions.remove(mention)
        return value

    def _call(self, node: Node) -> int:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None:
            return 0
        if function.type == "arrow_function" and (giving := templates.giving(node)) is not None:
            return self._giving(node, giving, arguments)
        self.hint = ""
        if function.type == "await_expression":  # `await make<T>()`: the grammar takes it for a call of what is awaited
            inner = [child for child in function.named_children if child.type != "comment"]
            return self.add(m.AWAIT, self._called_by(node, inner[-1], arguments)) if inner else 0
        specifier = self._specifier(function, arguments)
        if specifier is not None and arguments is not None:
            for child in arguments.named_children[1:]:
                self.visit(child)
            code = m.IMPORT if function.type == "import" else m.REQUIRE
            value = self.add(code, specifier)
            self.imports.append(m.Import(specifier, node.start_point[0] + 1, []))
            self.mention("i", arguments.named_children[0], value)
            return value
        if self._depth >= _MAX_DEPTH - 2:  # the callee would be put off, and with it what this call is of
            self.deferred.append((node, self.at))
            return 0
        return self._called_by(node, function, arguments)

    def _giving(self, node: Node, arrow: Node, text: Node | None) -> int:
        """An arrow function, of which the template that the grammar calls it with is the end."""
        tag = arrow.child_by_field_name("body")
        if tag is not None and text is not None:
            self._given[tag.id] = text
        value = self.visit(arrow)
        row = self.expressions[value]
        if row[0] == m.FUNCTION:
            self.nodes[self.functions[row[1]].node].end = node.end_byte
        return value

    def _called_by(self, node: Node, function: Node, arguments: Node | None) -> int:
        callee, token = self.callee(function)
        given = self.type_arguments(node)
        value = self.call(callee, self._arguments(arguments))
        if given:
            self.typed[value] = given
        self.mention("c", token, value, function)
        if arguments is not None and self.data[token.start_byte : token.end_byte] in _MIXING:
            self._mixed(arguments.named_children, value)
        return value

    def _mixed(self, given: list[Node], call: int) -> None:
        """What is named first is given all that the others have, if the function called is what its name says."""
        if len(given) < 2:
            return
        target = unwrap(given[0])
        if target.type == "identifier":
            self.store(self.text(target), "", call, False)
            return
        owner = target.child_by_field_name("object") if target.type == "member_expression" else None
        label = target.child_by_field_name("property")
        if owner is not None and owner.type == "identifier" and label is not None and self.text(label) == "prototype":
            self.store(self.text(owner), "prototype", call, True)

    def type_arguments(self, node: Node) -> list[int]:
        arguments = node.child_by_field_name("type_arguments")
        return [self.type(child) for child in arguments.named_children] if arguments is not None else []

    def _specifier(self, function: Node, arguments: Node | None) -> str | None:
        if arguments is None or function.type not in ("import", "identifier"):
            return None
        if function.type == "identifier" and (self.text(function) != "require" or not self._loads("require")):
            return None
        children = arguments.named_children
        return self.string(children[0]) if children and children[0].type == "string" else None

    def _loads(self, name: str) -> bool:
        """Whether a name is CommonJS' own, or what `createRequire` gives a module of its own."""
        binding = self.lookup(self.at.scope, name, False)
        values = self.bindings[binding].values if binding >= 0 else []
        if binding < 0 or len(values) != 1 or self.expressions[values[0]][0] != m.CALL:
            return binding < 0
        callee = self.expressions[self.expressions[values[0]][1]]
        return "createRequire" in callee[1:]

    def _new(self, node: Node) -> int:
        constructor = node.child_by_field_name("constructor")
        if constructor is None:
            return 0
        callee, token = self.callee(constructor)
        generic = node.child_by_field_name("type_arguments")
        rows = [self.type(part) for part in generic.named_children] if generic is not None else []
        value = self.call(callee, self._arguments(node.child_by_field_name("arguments")), m.NEW)
        self.mention("n", token, value, constructor)
        # `new Map<K, V>()` is a Map of V
        return self.add(m.CAST, value, self.add_type(m.T_NAME, callee, rows)) if rows else value

    # -- operators and literals -----------------------------------------------------------------

    def _cast(self, node: Node) -> int:
        children = node.named_children
        if not children:
            return 0
        value = self.visit(children[0])
        row = self.type(children[1]) if len(children) > 1 else 0
        if row and node.type == "as_expression":
            return self.add(m.CAST, value, row)
        if row:
            self.satisfied[value] = row
        return value

    def _assertion(self, node: Node) -> int:
        children = node.named_children
        if len(children) < 2:
            return 0
        parts = children[0].named_children
        row = self.type(parts[0]) if parts else 0
        value = self.visit(children[1])
        return self.add(m.CAST, value, row) if row else value

    def _instantiation(self, node: Node) -> int:
        text = self._given.pop(node.id, None)
        if text is not None:
            return self._called_by(node, node.named_children[0], text)
        self.type_arguments(node)
        return self._first(node)

    def _yield(self, node: Node) -> int:
        value = self.last(node)
        if self.at.function >= 0 and value:
            delegated = any(child.type == "*" for child in node.children)
            self.functions[self.at.function].yields.append(self.add(m.ELEMENT, value) if delegated else value)
        return 0

    def _ternary(self, node: Node) -> int:
        parts = [node.child_by_field_name(field) for field in ("condition", "consequence", "alternative")]
        values = [self.visit(part) for part in parts if part is not None]
        if values:
            self.test(values[0])
        return self.add(m.CHOICE, values[1:]) if len(values) > 1 else 0

    def _generic_tag(self, node: Node, parts: list[Node]) -> int:
        """A tag that is given types calls with its template; of `await tag<T>` the grammar awaits the tag."""
        tag, *types, text = parts
        for part in types:
            self.visit(part)
        if tag.type == "await_expression":
            inner = [child for child in tag.named_children if child.type != "comment"]
            return self.add(m.AWAIT, self._called_by(node, inner[-1], text)) if inner else 0
        return self._called_by(node, tag, text)

    def _binary(self, node: Node) -> int:
        operator = node.child_by_field_name("operator")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator is not None and operator.type == "instanceof" and left is not None and right is not None:
            self.test_instance(self.visit(left), self.visit(right))
            return build.BOOLEAN
        if operator is None or operator.type not in _LOGICAL:
            parts = templates.operands(node)
            if templates.is_tagged(self.data, parts):
                return self._generic_tag(node, parts)
            for part in parts:
                self.visit(part)
            if operator is not None and operator.type == "+":
                return self.put_together(node)
            return build.NUMBER if operator is not None and operator.type in ("-", "*", "/", "%") else 0
        values = [self.visit(part) for part in (left, right) if part is not None]
        for value in values if operator.type in ("&&", "||") else ():
            self.test(value)
        return self.add(m.CHOICE, values[1:] if operator.type == "&&" else values)

    def _unary(self, node: Node) -> int:
        self.test(self.last(node))
        return 0

    def _array(self, node: Node) -> int:
        self.hint = ""
        return self.add(m.ARRAY, [self.visit(child) for child in node.named_children if child.type != "comment"])

    @abstractmethod
    def _object(self, node: Node) -> int: ...
