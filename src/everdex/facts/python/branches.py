"""Statements that branch: if, loops, try, with, match. Each arm is walked in a frame of its own, and joined.

It leaves simple statements and definitions to `Walk`, its subclass, and to the table it is made with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from everdex.facts.python import model as m
from everdex.facts.python.arena import MAX_DEPTH, MAX_GUARDS
from everdex.facts.python.conditions import Test, is_for_checkers
from everdex.facts.python.expressions import HANDLERS
from everdex.facts.python.flow import Frame
from everdex.facts.python.patterns import Patterns, asks_class_alone

if TYPE_CHECKING:
    from tree_sitter import Node

_GOING_THROUGH: Final = frozenset(("enumerate", "iter", "list", "reversed", "sorted", "tuple"))
_EMPTY: Final = frozenset(("comment", "pass_statement", "line_continuation"))


class Branches(Patterns):
    """The handlers of statements with blocks."""

    def __init__(self, data: bytes, handlers: Mapping[str, Callable[[Any, Node, int], None]]) -> None:
        super().__init__(data)
        self.by_type = handlers
        self.never_runs = False  # in an arm that only type checkers read

    def block(self, node: Node, depth: int) -> None:
        held = len(self.guards)
        for child in node.children:
            self.statement(child, depth)
        del self.guards[held:]

    def statement(self, node: Node, depth: int) -> None:
        handler = self.by_type.get(node.type)
        if handler is not None:
            if depth > MAX_DEPTH:
                self.too_deep(node)
            else:
                handler(self, node, depth + 1)
        elif node.is_named:
            if node.type in HANDLERS:
                self.value(node, depth)
            elif node.type not in _EMPTY:
                for child in node.children:
                    if child.is_named:
                        self.statement(child, depth + 1) if depth <= MAX_DEPTH else self.too_deep(child)

    def _arm(
        self, node: Node, depth: int, tests: list[Test] | None = None, guards: Any = (), says_all: bool = False
    ) -> Frame:
        self.flow.push()
        held = len(self.guards)
        says_all = self.guard(guards) and says_all
        self.said_all += says_all
        if tests:
            self.narrow(tests)
            narrowed = dict(self.flow.frames[-1].assigned)
        self.block(node, depth)
        del self.guards[held:]
        self.said_all -= says_all
        frame = self.flow.pop()
        if tests:  # what only the condition said of a name ends with the arm
            for name, found in narrowed.items():
                if frame.assigned.get(name) == found:
                    del frame.assigned[name]
        return frame

    def if_(self, node: Node, depth: int) -> None:
        arms: list[Frame] = []
        exhaustive = False
        opened = False
        tests: list[Test] = []
        otherwise: list[Test] = []  # what is said where no condition so far has held
        others: list[Test] = []
        around = self.never_runs
        held = len(self.guards)
        said: list[Any] = []
        denied: list[Any] = []
        says_all = False
        for child in node.named_children:
            kind = child.type
            if kind == "block":
                arms.append(self._arm(child, depth, tests, said, says_all))
                self.guard(denied)
                self.never_runs = around
            elif kind == "elif_clause":
                if not opened:
                    self.flow.push()
                    opened = True
                for part in child.named_children:
                    if part.type == "block":
                        arms.append(self._arm(part, depth, [*otherwise, *tests], said))
                        self.guard(denied)
                        otherwise += others[: MAX_GUARDS - len(otherwise)]
                    elif part.type != "comment":
                        made = self.value(part, depth)
                        self.tested(made)
                        tests, others = self.tests(part, made), self.tests(part, made, True)
                        said, denied = self.said(part, made), self.said(part, made, True)
            elif kind == "else_clause":
                exhaustive = True
                for part in child.named_children:
                    if part.type == "block":
                        arms.append(self._arm(part, depth, otherwise))
            elif kind != "comment":
                made = self.value(child, depth)
                self.tested(made)
                self.never_runs = around or is_for_checkers(self.entries[made])
                tests, otherwise = self.tests(child, made), self.tests(child, made, True)
                said, denied = self.said(child, made), self.said(child, made, True)
                says_all = self.says_all(child, made)
        if opened:  # what a later condition assigned by := is seen after it, as in the arms
            frame = self.flow.pop()
            self.flow.frames[-1].assigned.update(frame.assigned)
        if exhaustive or not all(arm.ended for arm in arms):  # else nobody comes further for whom one held
            del self.guards[held:]
        self.flow.join(arms, exhaustive)
        if otherwise and len(arms) == 1 and arms[0].ended:  # `if not isinstance(x, C): return`
            self.narrow(otherwise)

    def for_(self, node: Node, depth: int) -> None:
        right = node.child_by_field_name("right")
        left = node.child_by_field_name("left")
        body = node.child_by_field_name("body")
        if right is None or left is None:
            self.too_deep(node)
            return
        iterable = self.value(right, depth)
        asynchronous = node.children[0].type == "async"
        self.flow.push(loop=True)
        element = self.add([m.ELEMENT, iterable, asynchronous], self.starts[iterable], self.ends[iterable])
        since = len(self.bindings)
        self.target(left, element, depth)
        self._loop(node, body, depth, self._is_filled(iterable), since if not asynchronous else -1)

    def _is_filled(self, iterable: int) -> bool:
        """Whether something is gone through that is written out with members, or a tuple that is named."""
        entry = self.entries[iterable]
        if entry[0] == m.CALL and entry[2]:
            callee = self.entries[entry[1]]
            is_builtin = callee[0] == m.NAME and not callee[2] and callee[1] in _GOING_THROUGH
            return is_builtin and self._is_filled(entry[2][0])
        if entry[0] == m.NAME and len(entry[2]) == 1:
            entry = self.entries[self.bindings[entry[2][0]][2]]
            if entry[0] != m.SEQUENCE or entry[1] != "tuple":
                return False
        return entry[0] == m.SEQUENCE and any(self.entries[each][0] != m.STAR for each in entry[2])

    def while_(self, node: Node, depth: int) -> None:
        condition = node.child_by_field_name("condition")
        self.flow.push(loop=True)
        if condition is not None:
            self.tested(self.value(condition, depth))
        self._loop(node, node.child_by_field_name("body"), depth)

    def _loop(self, node: Node, body: Node | None, depth: int, runs: bool = False, since: int = -1) -> None:
        """Of a `for` with the number of the first binding that it makes, which is what it takes."""
        frame = self.flow.frames[-1]
        taken = len(self.bindings)
        if body is not None:
            self.block(body, depth)
        if since >= 0 and not frame.is_left and not frame.ended:
            self._note_rounds(frame, since, taken)
        self.flow.end_loop(self.flow.pop(), runs)
        for child in node.named_children:
            if child.type == "else_clause":
                for part in child.named_children:
                    if part.type == "block":
                        self.flow.join([self._arm(part, depth)], False)

    def _note_rounds(self, frame: Frame, since: int, taken: int) -> None:
        """Note what a loop makes of what it made in the round before."""
        for name, found in frame.assigned.items():
            number = found[-1] if len(found) == 1 else -1
            if number >= taken and name not in frame.read_again and self._is_made_of_itself(name, number, since, taken):
                self.bindings[number][3] = m.IN_ROUNDS

    def _is_made_of_itself(self, name: str, number: int, since: int, taken: int) -> bool:
        entry = self.entries[self.bindings[number][2]]
        if entry[0] != m.CALL or self.bindings[number][3]:
            return False
        callee = self.entries[entry[1]]
        if callee[0] != m.NAME or len(callee[2]) != 1 or not since <= callee[2][0] < taken:
            return False
        given = [self.entries[each] for each in (*entry[2], *(value for _, value in entry[3]))]
        before = [each[2] for each in given if each[0] == m.NAME and each[1] == name]
        return len(before) == 1 and bool(before[0]) and number not in before[0]  # else a loop inside has made it

    def try_(self, node: Node, depth: int) -> None:
        flow = self.flow
        since = len(flow.log)
        arms: list[Frame] = []
        caught: list[int] = []
        last: Node | None = None
        body = beneath = flow.push()
        open_body = True
        for child in node.named_children:
            kind = child.type
            if kind == "block":
                self.block(child, depth)
            elif kind == "else_clause":
                if not open_body:  # handlers come first in the text, but `else` continues the body
                    flow.frames[-1] = body
                for part in child.named_children:
                    if part.type == "block":
                        self.block(part, depth)
                if not open_body:
                    flow.frames[-1] = beneath
            elif kind == "except_clause":
                if open_body:
                    flow.pop()
                    open_body = False
                    beneath = flow.after_any(since)
                flow.push()
                self._handler(child, caught, depth)
                arms.append(flow.pop())
            elif kind == "finally_clause":
                last = child
        if open_body:
            flow.pop()
            flow.join([body], True)
        else:
            flow.join(arms, True)
            flow.pop()
            flow.join([body, beneath], True)
        if last is not None:
            ended = flow.frames[-1].ended
            for part in last.named_children:
                if part.type == "block":
                    self.block(part, depth)
            flow.frames[-1].ended = flow.frames[-1].ended or ended

    def _handler(self, node: Node, before: list[int], depth: int) -> None:
        """An `except` clause; what it catches is added to what those before it do."""
        for child in node.named_children:
            kind = child.type
            if kind == "block":
                self.block(child, depth)
            elif kind == "as_pattern":
                parts = child.named_children
                caught = self.value(parts[0], depth)
                value = self.add([m.INSTANCE, caught, before[:MAX_GUARDS]], self.starts[caught], self.ends[caught])
                self.target(parts[-1], value, depth)
                before.append(caught)
            elif kind != "comment":
                before.append(self.value(child, depth))

    def with_(self, node: Node, depth: int) -> None:
        asynchronous = node.children[0].type == "async"
        for child in node.named_children:
            if child.type == "with_clause":
                for item in child.named_children:
                    self._with_item(item, asynchronous, depth)
            elif child.type == "block":
                self.block(child, depth)

    def _with_item(self, node: Node, asynchronous: bool, depth: int) -> None:
        children = [child for child in node.named_children if child.type != "comment"]
        if not children or depth > MAX_DEPTH:
            self.too_deep(node)
            return
        value = children[0]
        if node.type in ("with_item", "parenthesized_expression", "tuple"):
            if value.type in ("as_pattern", "parenthesized_expression", "tuple") and (
                value.type == "as_pattern" or any(part.type == "as_pattern" for part in value.named_children)
            ):
                for child in children:
                    self._with_item(child, asynchronous, depth + 1)
                return
            if node.type == "with_item":
                manager = self.value(value, depth)
                self.add([m.ENTERED, manager, asynchronous], self.starts[manager], self.ends[manager])
                return
        if node.type == "as_pattern":
            manager = self.value(value, depth)
            entered = self.add([m.ENTERED, manager, asynchronous], self.starts[manager], self.ends[manager])
            self.target(children[-1], entered, depth)
            return
        manager = self.value(node, depth)
        self.add([m.ENTERED, manager, asynchronous], self.starts[manager], self.ends[manager])

    def match(self, node: Node, depth: int) -> None:
        subject = node.child_by_field_name("subject")
        body = node.child_by_field_name("body")
        if subject is None or body is None:
            self.too_deep(node)
            return
        matched = self.value(subject, depth)
        arms: list[Frame] = []
        exhaustive = False
        held = len(self.guards)
        for case in body.named_children:
            if case.type != "case_clause":
                continue
            self.flow.push()
            denied: list[Any] = []
            for child in case.named_children:
                kind = child.type
                if kind == "case_pattern":
                    exhaustive = exhaustive or (not child.named_children and case.child_by_field_name("guard") is None)
                    since = len(self.entries)
                    self.pattern(child, matched, depth)
                    said = self.narrow_subject(matched, since)
                    if said and case.child_by_field_name("guard") is None and asks_class_alone(child, depth):
                        denied += self.guard_of(matched, said, m.IS_NO)
                elif kind == "if_clause":
                    self.tested(self.wrapped(child, depth))
                elif kind == "block":
                    self.block(child, depth)
            arms.append(self.flow.pop())
            self.guard(denied)
        del self.guards[held:]
        self.flow.join(arms, exhaustive)
