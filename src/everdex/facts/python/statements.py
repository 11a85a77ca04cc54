"""Statements of a syntax tree: what they bind, in which order, under which branches.

Every body of the file is walked once, outermost first. A part that does not parse is walked for what it still holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from everdex.facts.python import model as m
from everdex.facts.python.branches import Branches
from everdex.facts.python.definitions import class_scope, function_scope, is_empty
from everdex.facts.python.expressions import HANDLERS
from everdex.facts.python.flow import Flow

if TYPE_CHECKING:
    from tree_sitter import Node


class Walk(Branches):
    """One file's walk."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data, STATEMENTS)
        self.stars: list[Any] = []
        self.statements: list[tuple[int, int, int, int]] = []

    def file(self, root: Node) -> None:
        self.scopes.append(
            m.Scope(m.MODULE_SCOPE, "", "", -1, 0, 0, len(self.data), 0, 0, 0, "", 0, [], [], [], [], [], [], -1, [])
        )
        self._statements(root)
        done = 0
        while done < len(self.deferred):
            node, number = self.deferred[done]
            done += 1
            self._body(node, number)
        self.denied()

    def _body(self, node: Node, number: int) -> None:
        scope = self.scopes[number]
        self.scope = number
        self.flow = Flow()
        self.guards = []
        self.said_all = 0
        self.literals = {}
        for index, param in enumerate(scope.params):
            value = self.add([m.PARAMETER, number, index], scope.name_start, scope.name_end)
            self.bind(param[0], value)
        if scope.kind == m.LAMBDA_SCOPE:
            body = node.child_by_field_name("body")
            if body is not None:
                self._gives(self.value(body, 0), [])
        elif scope.kind == m.CLASS_SCOPE:
            self._statements(node)
        else:
            self.block(node, 0)

    def _statements(self, node: Node) -> None:
        """Those of the module or of a class, where others look up one name at a time."""
        for child in node.children:
            if child.type != "comment":
                self.literals, self.guards = {}, []
                self.statements.append((len(self.entries), len(self.bindings), child.start_byte, self.scope))
                self.statement(child, 0)
        self.statements.append((len(self.entries), len(self.bindings), self.scopes[self.scope].end, self.scope))

    # -- simple statements

    def expression(self, node: Node, depth: int) -> None:
        for child in node.named_children:
            kind = child.type
            if kind == "assignment":
                self.assignment(child, depth)
            elif kind == "augmented_assignment":
                self.augmented(child, depth)
            elif kind != "comment":
                self.value(child, depth)

    def assignment(self, node: Node, depth: int) -> int:
        """Chained targets are walked in a loop and assigned from left to right, as they run."""
        targets: list[tuple[Node, int]] = []
        while True:
            left = node.child_by_field_name("left")
            annotated = node.child_by_field_name("type")
            right = node.child_by_field_name("right")
            if left is not None:
                targets.append((left, self.annotation(annotated, depth) if annotated is not None else -1))
            if right is None or right.type != "assignment":
                break
            node = right
        value = self.value(right, depth) if right is not None else -1
        self.until = node.end_byte
        for left, annotation in targets:
            given = value
            if annotation >= 0:
                given = self.add([m.TYPED, annotation, value], left.start_byte, left.end_byte)
            if given >= 0:
                self.target(left, given, depth)
        self.until = 0
        return value

    def augmented(self, node: Node, depth: int) -> None:
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None:
            self.too_deep(node)
            return
        before = self.value(left, depth)
        added = self.value(right, depth)
        text = self.named(operator) if operator is not None else "+="
        value = self.add([m.BINARY, text, before, added], node.start_byte, node.end_byte)
        self.target(left, value, depth)

    def return_(self, node: Node, depth: int) -> None:
        for child in node.named_children:
            if child.type != "comment":
                self._gives(self.value(child, depth), self.guards)
        self.flow.end()

    def _gives(self, made: int, guards: list[Any]) -> None:
        """What a function gives back where something holds: of `a if c else b` each where c says so."""
        if made in self.under:
            for each, said in zip(self.entries[made][1], self.under[made], strict=True):
                self._gives(each, [*guards, *said])
        else:
            self.scopes[self.scope].returns.append(made)
            self.scopes[self.scope].guards.append(list(guards))

    def raise_(self, node: Node, depth: int) -> None:
        for child in node.named_children:
            if child.type != "comment":
                made = self.value(child, depth)
                if self.entries[made][0] in (m.NAME, m.ATTRIBUTE):
                    self.add([m.RAISED, made], self.starts[made], self.ends[made])
        self.flow.end()

    def leave(self, node: Node, depth: int) -> None:
        self.flow.leave_loop()

    def assert_(self, node: Node, depth: int) -> None:
        """What an assertion says of a name holds from there on."""
        parts = [child for child in node.named_children if child.type != "comment"]
        made = [self.value(child, depth) for child in parts]
        if parts:
            self.tested(made[0])
            self.narrow(self.tests(parts[0], made[0]))

    def plain(self, node: Node, depth: int) -> None:
        for child in node.named_children:
            if child.type != "comment":
                self.value(child, depth)

    def delete(self, node: Node, depth: int) -> None:
        stack = list(reversed(node.named_children))
        while stack:
            child = stack.pop()
            if child.type == "identifier":
                self.deleted.append(self.value(child, depth))
                self.flow.unbind(self.named(child))
            elif child.type == "attribute":
                self.deleted.append(self.value(child, depth))
            elif child.type == "subscript":
                parts = child.named_children
                base = self.value(parts[0], depth)
                key = self.value(parts[-1], depth)
                self.add([m.STORE_ITEM, base, key, -1], child.start_byte, child.end_byte)
                self.item_stores.append([base, key, -1])
            elif child.type in ("expression_list", "tuple", "list", "parenthesized_expression"):
                stack.extend(reversed(child.named_children))
            else:
                self.value(child, depth)

    def global_(self, node: Node, depth: int) -> None:
        declared = self.declared.setdefault(self.scope, {})
        for child in node.named_children:
            name = self.named(child)
            home = 0 if node.type == "global_statement" else self._nonlocal(name)
            declared[name] = home
            self.scopes[self.scope].outer_names.append(name)
            self.flow.unbind(name)

    def _nonlocal(self, name: str) -> int:
        scope = self.scopes[self.scope].parent
        while scope > 0:
            if self.scopes[scope].kind != m.CLASS_SCOPE and any(
                each[0] == scope and each[1] == name for each in self.bindings
            ):
                return scope
            scope = self.scopes[scope].parent
        return 0

    def import_(self, node: Node, depth: int) -> None:
        for child in node.named_children:
            if child.type == "dotted_name":
                dotted = self.named(child)
                first = child.named_children[0]
                self._import([m.IMPORTED, dotted.replace(" ", "")], child, self.named(first), bind_first=True)
            elif child.type == "aliased_import":
                parts = child.named_children
                self._import([m.IMPORTED, self.named(parts[0]).replace(" ", "")], parts[0], self.named(parts[-1]))

    def _import(self, entry: list[Any], node: Node, name: str, bind_first: bool = False) -> None:
        value = self.add(entry, node.start_byte, node.end_byte)
        if bind_first and "." in entry[1]:
            value = self.add([m.IMPORTED, name], node.start_byte, node.start_byte + len(name.encode()))
        self.bind(name, value)

    def from_(self, node: Node, depth: int) -> None:
        level, module = 0, ""
        source = node.child_by_field_name("module_name")
        if source is not None:
            text = self.named(source).replace(" ", "")
            module = text.lstrip(".")
            level = len(text) - len(module)
        for child in node.named_children:
            kind = child.type
            if source is not None and child.start_byte == source.start_byte:
                continue
            if kind == "wildcard_import":
                self.stars.append([self.scope, level, module])
                self.add([m.FROM, level, module, "*"], child.start_byte, child.end_byte)
            elif kind == "dotted_name":
                self._import([m.FROM, level, module, self.named(child)], child, self.named(child))
            elif kind == "aliased_import":
                parts = child.named_children
                self._import([m.FROM, level, module, self.named(parts[0])], parts[0], self.named(parts[-1]))

    def alias(self, node: Node, depth: int) -> None:
        sides = [child for child in node.named_children if child.type == "type"]
        if len(sides) > 1:
            named = sides[0]
            while named.named_children:
                if named.type in ("attribute", "subscript"):  # the grammar takes `type(x).y = z` for an alias
                    self._assigned_to_type(node, named, sides[1], depth)
                    return
                named = named.named_children[0]
            before = len(self.writes)
            self.bind(self.named(named), self.annotation(sides[1], depth), written=named)
            if len(self.writes) > before:
                self.writes[-1] = m.ALIAS

    def _assigned_to_type(self, node: Node, left: Node, right: Node, depth: int) -> None:
        written = right.named_children[0]
        given = self.value(written, depth) if written.type in HANDLERS else self.annotation(written, depth)
        chain: list[Node] = []
        inner = left
        while inner.type in ("attribute", "subscript"):
            chain.append(inner)
            inner = inner.named_children[0]
        callee = self.name(node.children[0], depth)
        base = self.add([m.CALL, callee, [self.value(inner, depth)], []], node.start_byte, inner.end_byte)
        for link in reversed(chain):
            span = node.start_byte, link.end_byte
            if link.type == "attribute":
                name = self.named(link.named_children[-1])
                if link is not chain[0]:
                    base = self.add([m.ATTRIBUTE, base, name], *span)
                else:
                    self.stores.append([self.add([m.STORE, base, name], *span), given])
                continue
            key = self.key(link.named_children[1:], link, depth)
            if link is not chain[0]:
                base = self.add([m.SUBSCRIPT, base, key], *span)
            else:
                self.add([m.STORE_ITEM, base, key, -1], *span)
                self.item_stores.append([base, key, given])

    # -- definitions

    def function(self, node: Node, depth: int) -> None:
        self._defined(node, [], node.start_byte, depth)

    def decorated(self, node: Node, depth: int) -> None:
        decorators: list[int] = []
        for child in node.named_children:
            if child.type == "decorator":
                decorators.extend(self.value(part, depth) for part in child.named_children if part.type != "comment")
            elif child.type in ("function_definition", "class_definition"):
                self._defined(child, decorators, node.start_byte, depth)

    def _defined(self, node: Node, decorators: list[int], start: int, depth: int) -> None:
        make = class_scope if node.type == "class_definition" else function_scope
        number, name = make(self, node, depth)
        scope = self.scopes[number]
        scope.start = start
        value = self.add([m.DEFINITION, number], scope.name_start, scope.name_end)
        for decorator in reversed(decorators):
            value = self.add([m.DECORATED, decorator, value], self.starts[decorator], self.ends[decorator])
            scope.decorators.append(value)
            if self.data[self.starts[decorator] : self.ends[decorator]].endswith(_ABSTRACT):
                body = node.child_by_field_name("body")
                scope.flags |= m.IS_STUB if body is not None and is_empty(body) else 0
        if not (self.never_runs and self.scopes[self.scope].kind == m.CLASS_SCOPE and make is function_scope):
            self.bind(name, value)  # a method that only checkers see replaces none
        scope.born = len(self.bindings) - 1  # it sees itself


_ABSTRACT: Final = (b"abstractmethod", b"abstractproperty")
STATEMENTS: Final[dict[str, Callable[[Walk, Node, int], None]]] = {
    "expression_statement": Walk.expression,
    "if_statement": Walk.if_,
    "for_statement": Walk.for_,
    "while_statement": Walk.while_,
    "try_statement": Walk.try_,
    "with_statement": Walk.with_,
    "match_statement": Walk.match,
    "return_statement": Walk.return_,
    "raise_statement": Walk.raise_,
    "break_statement": Walk.leave,
    "continue_statement": Walk.leave,
    "assert_statement": Walk.assert_,
    "print_statement": Walk.plain,
    "exec_statement": Walk.plain,
    "delete_statement": Walk.delete,
    "global_statement": Walk.global_,
    "nonlocal_statement": Walk.global_,
    "import_statement": Walk.import_,
    "import_from_statement": Walk.from_,
    "future_import_statement": lambda walk, node, depth: None,
    "type_alias_statement": Walk.alias,
    "function_definition": Walk.function,
    "class_definition": Walk.function,
    "decorated_definition": Walk.decorated,
}
