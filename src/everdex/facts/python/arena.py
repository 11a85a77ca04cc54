"""The growing arena of one file's facts: entries with their places, and the bindings made so far.

It dispatches a node to the handler of its kind and knows no kind itself. Nesting beyond a limit becomes one unknown
value whose calls are still entries of their own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from everdex.facts.python import model as m
from everdex.facts.python.flow import Flow

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH: Final = 60
MAX_GUARDS: Final = 64  # what holds at one place: with less of it less is ruled out, and each place keeps all of it
SKIPPED: Final = frozenset(("comment", "line_continuation"))
# Of any other expression it is known whether it is true, or by no method of the root.
_TESTABLE: Final = frozenset((m.NAME, m.ATTRIBUTE, m.CALL, m.SUBSCRIPT, m.AWAIT))


class Arena:
    """The growing arena of one file."""

    def __init__(self, data: bytes, handlers: Mapping[str, Callable[[Any, Node, int], int]]) -> None:
        self.data = data
        self.handlers = handlers
        self.entries: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.where: list[int] = []
        self.bindings: list[Any] = []
        self.stores: list[Any] = []
        self.item_stores: list[Any] = []
        self.writes: list[int] = []
        self.deleted: list[int] = []
        self.until = 0  # where the assignment that is walked ends
        self.scopes: list[m.Scope] = []
        self.scope = 0
        self.flow = Flow()
        self.guards: list[Any] = []  # what holds of names here
        self.denials: list[tuple[int, list[Any]]] = []  # a name where a guard holds of one like it, and the guard
        self.under: dict[int, list[Any]] = {}  # `a if c else b` -> what holds where it is a, and where it is b
        self.said_all = 0  # how many of the arms around say with them all that it takes to come here
        self.deferred: list[tuple[Node, int]] = []
        self.declared: dict[int, dict[str, int]] = {}  # names a scope declares global or nonlocal, and where they live
        self._texts: dict[bytes, str] = {}
        self._identifiers: dict[bytes, str] = {}
        self._tested: set[int] = set()
        self.literals: dict[tuple[str, str | int | None], int] = {}

    # -- entries

    def add(self, entry: list[Any], start: int, end: int) -> int:
        self.entries.append(entry)
        self.starts.append(start)
        self.ends.append(end)
        self.where.append(self.scope)
        return len(self.entries) - 1

    def literal(self, kind: str, value: str | int | None, start: int, end: int) -> int:
        """One entry for all places that say the same in a body, or in a statement of the module or of a class.

        Nothing is asked of where a literal stands but in which of those: who changes one changes no other.
        """
        known = self.literals.get((kind, value))
        if known is None:
            known = self.literals[kind, value] = self.add([m.LITERAL, kind, value], start, end)
        return known

    def text(self, start: int, end: int) -> str:
        raw = self.data[start:end]
        text = self._texts.get(raw)
        if text is None:
            text = self._texts[raw] = raw.decode("utf-8", "replace")
        return text

    def named(self, node: Node) -> str:
        return self.identifier(node.start_byte, node.end_byte)

    def identifier(self, start: int, end: int) -> str:
        """As Python knows it: identifiers are one in all spellings that NFKC makes one; texts are not."""
        raw = self.data[start:end]
        name = self._identifiers.get(raw)
        if name is None:
            text = self.text(start, end)
            name = self._identifiers[raw] = text if text.isascii() else unicodedata.normalize("NFKC", text)
        return name

    def unknown(self, why: str, node: Node) -> int:
        return self.add([m.UNKNOWN, why], node.start_byte, node.end_byte)

    def tested(self, made: int) -> None:
        """Whether a value is true is asked here: of `a or b`, whether the one is that it gives."""
        entry = self.entries[made]
        if entry[0] == m.EITHER:
            for each in entry[1]:
                self.tested(each)
        elif entry[0] in _TESTABLE and made not in self._tested:
            self._tested.add(made)
            self.add([m.TESTED, made], self.starts[made], self.ends[made])

    # -- dispatch

    def value(self, node: Node, depth: int) -> int:
        if depth > MAX_DEPTH:
            return self.too_deep(node)
        handler = self.handlers.get(node.type)
        if handler is None:
            return self.other(node, depth)
        return handler(self, node, depth + 1)

    def other(self, node: Node, depth: int) -> int:
        """An expression of a kind that gives nothing to follow; its parts still count."""
        for child in node.named_children:
            if child.type not in SKIPPED:
                self.value(child, depth + 1)
        return self.unknown("expression", node)

    def too_deep(self, node: Node) -> int:
        stack = [node]
        while stack:
            each = stack.pop()
            if each.type == "call":
                callee = self.unknown("nested too deeply", each.children[0])
                self.add([m.CALL, callee, [], []], each.start_byte, each.end_byte)
            stack.extend(reversed(each.named_children))
        return self.unknown("nested too deeply", node)

    # -- names

    def function_scope(self) -> int:
        """The scope that statements here belong to: comprehensions have none of their own."""
        scope = self.scope
        while self.scopes[scope].kind == m.COMPREHENSION_SCOPE:
            scope = self.scopes[scope].parent
        return scope

    def guard(self, said: Sequence[Any]) -> bool:
        """Let this hold from here on, as far as it is not too much; whether it is not."""
        room = MAX_GUARDS - len(self.guards)
        self.guards += said[:room]
        return len(said) <= room

    def bind(self, name: str, value: int, scope: int | None = None, written: Node | None = None) -> None:
        """Give a name a value in this scope; `written` is the name where a statement assigns to it."""
        own = self.scope if scope is None else scope
        flow = self.flow
        flag = m.CERTAIN if len(flow.frames) == 1 else 0
        home = own
        if own and (declared := self.declared.get(own)) and name in declared:
            home, flag = declared[name], m.FROM_INSIDE
        number = len(self.bindings)
        self.bindings.append([home, name, value, flag])
        if self.guards and home == self.scope and self.scopes[home].kind == m.FUNCTION_SCOPE:
            is_all = self.said_all == len(flow.frames) - 1
            self.scopes[home].bound_under.append([number, list(self.guards), is_all])
        if written is not None and self.scopes[home].kind <= m.CLASS_SCOPE:
            start, length = written.start_byte, written.end_byte - written.start_byte
            self.writes += (number, self.scope, start, length, max(length, self.until - start))
        flow.bind(name, number)
        if scope is not None and own != self.scope and len(flow.frames) > 1:
            flow.bind_around(name, number)

    def target(self, node: Node, value: int, depth: int) -> None:
        """Assign a value to whatever stands on the left."""
        kind = node.type
        if kind == "identifier":
            self.bind(self.named(node), value, written=node)
        elif kind == "attribute":
            children = node.children
            base = self.value(children[0], depth)
            stored = self.add([m.STORE, base, self.named(children[-1])], node.start_byte, node.end_byte)
            self.stores.append([stored, value])
        elif kind == "subscript":
            children = [child for child in node.named_children if child.type not in SKIPPED]
            base = self.value(children[0], depth)
            key = self.key(children[1:], node, depth)
            always = len(self.flow.frames) == 1
            self.add([m.STORE_ITEM, base, key, value if always else -1], node.start_byte, node.end_byte)
            self.item_stores.append([base, key, value])
            if self.entries[base][0] == m.ATTRIBUTE and self.entries[base][2] == "__dict__":
                self.stored(self.entries[base][1], key, value, node, is_past=True)
        elif kind in _TUPLES:
            self._unpack(node, value, depth)
        elif kind in ("list_splat", "list_splat_pattern", "parenthesized_expression", "as_pattern_target"):
            for child in node.named_children:
                self.target(child, value, depth + 1)
        else:
            self.value(node, depth)

    def stored(self, base: int, name: int, value: int, node: Node, *, is_past: bool) -> None:
        """An attribute whose name is written out as a text; `is_past` where its class is not asked."""
        wanted = self.entries[name]
        if wanted[0] == m.LITERAL and isinstance(wanted[2], str):
            entry = [m.STORE_PAST if is_past else m.STORE, base, wanted[2]]
            self.stores.append([self.add(entry, node.start_byte, node.end_byte), value])

    def _unpack(self, node: Node, value: int, depth: int) -> None:
        if depth > MAX_DEPTH:
            self.too_deep(node)
            return
        children = [child for child in node.named_children if child.type not in SKIPPED]
        starred = next((place for place, child in enumerate(children) if child.type in _SPLATS), len(children))
        span = (self.starts[value], self.ends[value])
        for place, child in enumerate(children):
            index: int | list[int] = place if place < starred else place - len(children)
            if place == starred:
                index = [place, len(children) - place - 1]
            self.target(child, self.add([m.ITEM, value, index], *span), depth + 1)

    def key(self, nodes: list[Node], around: Node, depth: int) -> int:
        keys = [self.value(child, depth) for child in nodes]
        if len(keys) == 1:
            return keys[0]
        return self.add([m.SEQUENCE, "tuple", keys], around.start_byte, around.end_byte)


_TUPLES: Final = frozenset(("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"))
_SPLATS: Final = frozenset(("list_splat_pattern", "list_splat"))
