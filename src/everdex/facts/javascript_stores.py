"""Where values go: assignments, patterns, and what is stored on `this`, on prototypes and on a module's exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tree_sitter import Node

from everdex.facts import javascript_build as build
from everdex.facts import javascript_model as m
from everdex.facts.javascript_build import is_name
from everdex.facts.javascript_tags import Tags
from everdex.facts.javascript_values import unwrap

_DEFINE: Final = b"Object.defineProperty"


class Stores(Tags):
    """Adds assignments to the expressions; `target` gives a value to any pattern."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.handlers |= {
            "call_expression": self._defining,
            "assignment_expression": self._assignment,
            "augmented_assignment_expression": self._augmented,
            "update_expression": self._update,
        }

    def _assignment(self, node: Node) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return 0
        self.may_name(right)
        left = unwrap(left)
        label, full = self._written(left)
        value = self.named(right, self._hint_of(left), label or left)
        if label is not None and not full.startswith(("exports.", "module.exports")):
            self.as_method(value)
        if self.expressions[value][0] not in (m.FUNCTION, m.CLASS) and (row := self.before_type(node)):
            value = self.add(m.CAST, value, row)
        self.target(left, value)
        return value

    def _written(self, node: Node) -> tuple[Node | None, str]:
        """The name of a property, written behind a dot or as a text between brackets, and all of it with a dot."""
        is_item = node.type == "subscript_expression"
        target, label = node.child_by_field_name("object"), node.child_by_field_name("index" if is_item else "property")
        if target is None or label is None or (is_item and label.type != "string"):
            return None, ""
        name = self.string(label) if is_item else self.text(label)
        return (label, f"{self.text(target)}.{name}") if not is_item or is_name(name) else (None, "")

    def as_method(self, value: int) -> None:
        """A function stored as a property of something is a method of it."""
        row = self.expressions[value]
        if row[0] == m.FUNCTION and self.nodes[node := self.functions[row[1]].node].kind == "function":
            self.nodes[node].kind = "method"

    def _augmented(self, node: Node) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return 0
        self.visit(left)
        value = self.visit(right)
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in ("??=", "||=", "&&="):
            self.target(left, value)
        else:
            self.target(left, 0)
        return value

    def _update(self, node: Node) -> int:
        for child in node.named_children:
            self.visit(child)
            self.target(child, 0)
        return build.NUMBER

    def _hint_of(self, left: Node) -> str:
        if left.type == "identifier":
            return self.text(left)
        label, text = self._written(left)
        if label is None:
            return ""
        for prefix in ("module.exports.", "exports.", "this."):
            text = text.removeprefix(prefix)
        if text == "module.exports":
            return "module.exports"
        text = text.replace(".prototype.", ".")
        plain = len(text) < 80 and all(part.isidentifier() for part in text.split("."))
        return text if plain else text.rpartition(".")[2]

    def target(self, node: Node, value: int, declare: Callable[[Node, int], None] | None = None) -> None:
        """Give a value to a pattern: to names that exist, or with `declare` to new ones."""
        waiting = [self._inside(node, value, declare)]  # patterns may be deeper inside each other than Python recurses
        while waiting:
            found = next(waiting[-1], None)
            if found is None:
                waiting.pop()
            else:
                waiting.append(self._inside(*found, declare))

    def _inside(
        self, node: Node, value: int, declare: Callable[[Node, int], None] | None
    ) -> Iterator[tuple[Node, int]]:
        """The patterns in a pattern, each with its value; a name is given its own."""
        kind = node.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            if declare is not None:
                declare(node, value)
            else:
                text = self.text(node)
                self.mention("w" if kind == "identifier" else "W", node, self.name(text))
                if value:
                    self.assign(text, value)
        elif kind == "object_pattern":
            yield from self._inside_object(node, value)
        elif kind == "array_pattern":
            number = 0
            for child in node.children:
                if child.type == ",":
                    number += 1  # counted by commas: a hole has no node
                elif child.is_named and child.type != "comment":
                    yield child, self.add(m.ITEM, value, number) if value else 0
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                default = self.visit(right)
                if kind == "object_assignment_pattern" and value:
                    value = self.add(m.MEMBER, value, self.text(left))
                    self.mention("R", left, value)
                yield left, self.add(m.CHOICE, [value, default]) if value else default
        elif kind == "rest_pattern":
            for child in node.named_children:
                yield child, value
        elif kind in ("member_expression", "subscript_expression") and self._written(node)[0] is not None:
            self._store(node, value)
        elif kind == "subscript_expression":
            self._note_stored(value, self.subscript(node, "w"))
            self._store_computed(node, value)
        else:
            self.visit(node)

    def _inside_object(self, node: Node, value: int) -> Iterator[tuple[Node, int]]:
        for child in node.named_children:
            if child.type == "shorthand_property_identifier_pattern":
                taken = self.add(m.MEMBER, value, self.text(child)) if value else 0
                if taken:
                    self.mention("R", child, taken)
                yield child, taken
            elif child.type == "pair_pattern":
                key, inner = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and inner is not None:
                    yield inner, self._taken(key, value)
            elif child.type != "comment":
                yield child, value

    def _taken(self, key: Node, value: int) -> int:
        if key.type == "computed_property_name":
            index = key.named_children[0]
            return self.under(value, index, "r", index)
        if not value:
            return 0
        text = self.string(key) if key.type == "string" else self.text(key)
        taken = self.add(m.MEMBER, value, text)
        self.mention("r", key, taken)
        return taken

    def _store(self, node: Node, value: int) -> None:
        target, (label, full) = node.child_by_field_name("object"), self._written(node)
        if target is None or label is None:
            return
        name, inner = full.rpartition(".")[2], unwrap(target)
        if inner.type == "this" and value:
            self.store_this(name, value)
            self._field_of(node, label, name, value)
        elif inner.type == "identifier":
            text = self.text(inner)
            if text == "exports" and not self.is_bound(text):
                self.exports.append(m.Export(name, value, "", ""))
            elif text == "module" and name == "exports" and not self.is_bound(text):
                self.exports.append(m.Export("=", value, "", ""))
            elif value and name:  # a name that is not written yet is not the whole of something
                self.store(text, name, value, name == "prototype")
        elif inner.type == "member_expression":
            self._store_deep(inner, name, value)
        read = self._member if node.type == "member_expression" else self.subscript
        self._note_stored(value, read(node, "w"))

    def _store_computed(self, node: Node, value: int) -> None:
        """`X[name] = value`, where the name is the module's, is a member of that name between brackets; and `X[name] =
        function`, of X or of its prototype, a member whatever it is called."""
        target, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if target is None or index is None or not value:
            return
        if index.type == "identifier" and self.is_constant(name := self.text(index)):
            if target.type == "this":
                self.store_this(f"[{name}]", value)
            elif target.type == "identifier":
                self.store(self.text(target), f"[{name}]", value, False)
        if self.expressions[value][0] != m.FUNCTION:
            return
        if index.type in ("number", "string"):
            return
        owner, label = target.child_by_field_name("object"), target.child_by_field_name("property")
        if target.type == "identifier":
            self.store(self.text(target), m.COMPUTED, value, False)
        elif owner is not None and owner.type == "identifier" and label is not None and self.text(label) == "prototype":
            self.store(self.text(owner), m.COMPUTED, value, True)

    def _defining(self, node: Node) -> int:
        """A call; `Object.defineProperty(X, "name", { value })` stores, too, and with `get` and `set` describes."""
        call = self._call(node)
        if not self.data.startswith(_DEFINE, node.start_byte):
            return call
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None or self.data[function.start_byte : function.end_byte] != _DEFINE:
            return call
        given = [child for child in arguments.named_children if child.type != "comment"]
        row = self.expressions[call]
        if row[0] != m.CALL or len(given) != 3 or len(row[2]) != 3 or given[1].type != "string":
            return call
        described: m.Row = self.expressions[row[2][2]]
        if described[0] != m.OBJECT:
            return call
        target, name = unwrap(given[0]), self.string(given[1])
        for key, value, _, _ in described[1]:
            if key == "value":
                self._describe(target, name, value)
            elif key == "get" and self._is_exports(target):
                self.exports.append(m.Export(name, self.add(m.CALL, value, []), "", ""))
            elif key in ("get", "set") and target.type != "this" and self.expressions[value][0] == m.FUNCTION:
                self._describe(target, f"{key} {name}", value)
        return call

    def _is_exports(self, node: Node) -> bool:
        text = self.text(node) if node.type in ("identifier", "member_expression") else ""
        return text in ("exports", "module.exports") and not self.is_bound(text.partition(".")[0])

    def _describe(self, target: Node, name: str, value: int) -> None:
        """A property that something is given by its description."""
        if self._is_exports(target):
            self.exports.append(m.Export(name, value, "", ""))
        elif target.type == "this":
            self.store_this(name, value)
        elif target.type == "identifier" and name:
            self.store(self.text(target), name, value, False)
        elif target.type == "member_expression":
            self._store_deep(target, name, value)

    def _note_stored(self, value: int, member: int) -> None:
        if self.expressions[value][0] in (m.OBJECT, m.ARRAY):
            self.stored[value] = member

    def _field_of(self, node: Node, label: Node, name: str, value: int) -> None:
        """What a method stores on `this` is a field of its class, unless the class says so itself.

        In a class with a base it may be the base's: which one it is, resolution finds out."""
        kind, index = self.functions[self.at.this].this if self.at.this >= 0 else (m.THIS_NOTHING, -1)
        if kind not in (m.THIS_INSTANCE, m.THIS_STATIC) or self.expressions[value][0] in (m.FUNCTION, m.CLASS):
            return
        row = self.classes[index]
        if row.extends or name in self.declared[index]:
            return
        self.declared[index].add(name)
        self.at, outer = self.at._replace(parent=row.node, prefix=self.nodes[row.node].key), self.at
        field = self.define(name, "field", node, label)
        self.at = outer
        self.hidden.add(field)  # bodies change no interface
        row.members.append((name, "f", kind == m.THIS_STATIC, 0, 0, field))

    def _store_deep(self, inner: Node, name: str, value: int) -> None:
        """`X.prototype.name = value` and `module.exports.name = value`."""
        base, label = inner.child_by_field_name("object"), inner.child_by_field_name("property")
        if base is None or label is None or base.type != "identifier":
            return
        text, middle = self.text(base), self.text(label)
        if text == "module" and middle == "exports" and not self.is_bound(text):
            self.exports.append(m.Export(name, value, "", ""))
        elif middle == "prototype" and value and name:
            self.store(text, name, value, True)
