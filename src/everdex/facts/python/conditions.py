"""What a condition says of names where it holds: what isinstance() and issubclass() asked for, how startswith() begins.

For statements, conditional expressions and comprehensions alike. It knows no other tests, and only names. Of
parameters and other names of a function it also notes which literals they are compared with, and whether they are
true, callable or an instance, for who returns or assigns under that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from everdex.facts.python import model as m
from everdex.facts.python.arena import SKIPPED, Arena

if TYPE_CHECKING:
    from tree_sitter import Node


# Operators of guards: whether they ask for being one of what stands on the right.
_ASKS: Final = {"==": True, "is": True, "in": True, "!=": False, "is not": False, "not in": False}

_ASKED: Final = frozenset(("iscoroutinefunction", "isgeneratorfunction", "isasyncgenfunction", "isclass"))
_MAX_GIVEN: Final = 4  # bindings of a name
# Most that is asked for; that something is none of these says nothing of what a file defines.
_BUILTIN: Final[tuple[list[Any], ...]] = tuple(
    [m.NAME, each, []] for each in ("str", "bytes", "int", "float", "bool", "list", "tuple", "dict", "set", "type")
)
_TOLD_IN: Final = frozenset((m.MODULE_SCOPE, m.FUNCTION_SCOPE, m.COMPREHENSION_SCOPE))


def is_for_checkers(condition: list[Any]) -> bool:
    """`if TYPE_CHECKING:`, which never holds when the program runs."""
    named = condition[1:2] if condition[0] == m.NAME else condition[2:3] if condition[0] == m.ATTRIBUTE else []
    return named == ["TYPE_CHECKING"]


Test = tuple[int, int, int]  # name; class or text; how the name is narrowed to it
_NARROWS: Final = {"isinstance": m.NARROWED, "issubclass": m.NARROWED_CLASS}


class Conditions(Arena):
    """Reads conditions, and notes what they say."""

    def tests(self, node: Node, made: int, negated: bool = False) -> list[Test]:
        """Each isinstance(), issubclass() or startswith() that holds if the condition does, or does not."""
        return [test for each, is_not in self._parts(node, made, negated) if not is_not for test in self._test(each)]

    def said(self, node: Node, made: int, negated: bool = False) -> list[list[Any]]:
        """The guards of a condition that holds, or does not: is a parameter one of some literals, or is it true?"""
        return [guard for part in self._parts(node, made, negated) for guard in self._guard(*part)]

    def says_all(self, node: Node, made: int) -> bool:
        """Whether the guards of a condition are all that it asks."""
        return all(self._guard(*part) for part in self._parts(node, made, False))

    def _parts(self, node: Node, made: int, negated: bool) -> Iterator[tuple[int, bool]]:
        """The conditions that all hold if this one does, or does not, and which of them do not."""
        while node.type == "parenthesized_expression" and node.named_children:
            node = node.named_children[0]
        entry = self.entries[made]
        if node.type == "not_operator" and entry[0] == m.UNARY:
            yield from self._parts(node.named_children[-1], entry[2], not negated)
        elif node.type == "boolean_operator" and entry[0] == m.EITHER:
            if node.children[1].type == ("or" if negated else "and"):
                parts = [child for child in node.named_children if child.type not in SKIPPED]
                for part, each in zip(parts, entry[1], strict=True):
                    yield from self._parts(part, each, negated)
        else:
            yield made, negated

    def _test(self, made: int) -> list[Test]:
        entry = self.entries[made]
        if entry[0] != m.CALL:
            return []
        callee, given = self.entries[entry[1]], entry[2]
        if callee[0] == m.NAME and callee[1] in _NARROWS and len(given) == 2:
            return [(given[0], given[1], _NARROWS[callee[1]])] if self.entries[given[0]][0] == m.NAME else []
        if callee[0] == m.ATTRIBUTE and callee[2] == "startswith" and len(given) == 1:
            text = self.entries[given[0]]
            is_name = text[:2] == [m.LITERAL, "str"] and text[2] is not None and text[2].isidentifier()
            return [(callee[1], given[0], m.NARROWED)] if is_name and self.entries[callee[1]][0] == m.NAME else []
        return []

    def _guard(self, made: int, negated: bool) -> list[list[Any]]:
        entry = self.entries[made]
        if entry[0] == m.NAME:
            return self.guard_of(made, [], m.IS if negated else m.IS_NOT)
        if entry[0] == m.CALL:
            return self._guard_by_call(entry, negated)
        if entry[0] != m.COMPARE or len(entry[1]) != 1:
            return []
        operator, other = " ".join(entry[1][0].split()), self.entries[entry[2][-1]]
        if operator not in _ASKS:
            return []
        literals = other[2] if operator.endswith("in") and other[0] == m.SEQUENCE else [entry[2][-1]]
        if not literals or any(self.entries[each][0] != m.LITERAL for each in literals):
            return []
        return self.guard_of(entry[2][0], literals, m.IS_NOT if _ASKS[operator] == negated else m.IS)

    def _guard_by_call(self, entry: list[Any], negated: bool) -> list[list[Any]]:
        callee, given = self.entries[entry[1]], entry[2]
        name = callee[1] if callee[0] == m.NAME else callee[2] if callee[0] == m.ATTRIBUTE else ""
        if name in _ASKED and len(given) == 1 and not entry[3]:
            return self.guard_of(given[0], [entry[1]], m.ASKS_NOT if negated else m.ASKS)
        if callee[0] != m.NAME or callee[2] or entry[3]:
            return []
        if callee[1] == "callable" and len(given) == 1:
            return self.guard_of(given[0], [], m.CALLS_NOT if negated else m.CALLS)
        if callee[1] == "isinstance" and len(given) == 2:
            several = self.entries[given[1]]
            kinds = several[2] if several[0] == m.SEQUENCE else [given[1]]
            return self.guard_of(given[0], kinds, m.IS_NO if negated else m.IS_A)
        return []

    def guard_of(self, subject: int, operands: list[int], asked: str) -> list[list[Any]]:
        """Of a parameter of the function that is walked, or perhaps of one around it, of its items and how many they
        are; or of a name of that function."""
        entry = self.entries[subject]
        if entry[0] == m.SUBSCRIPT:
            place = self.entries[entry[2]]
            is_asked = place[:2] == [m.LITERAL, "int"] and place[2] is not None and self._is_parameter(entry[1])
        elif entry[0] == m.CALL:
            callee = self.entries[entry[1]]
            is_asked = callee[:2] == [m.NAME, "len"] and len(entry[2]) == 1 and self._is_parameter(entry[2][0])
            is_asked = is_asked and bool(operands)
        else:
            is_local = entry[0] == m.NAME and self.scopes[self.scope].kind in _TOLD_IN
            is_asked = is_local and (len(entry[2]) <= _MAX_GIVEN if entry[2] else self._is_taken_around(entry[1]))
        return [[subject, operands, asked]] if is_asked else []

    def _is_parameter(self, expression: int) -> bool:
        """A name that is a parameter of the function that is walked, and nothing else, or may be of one around it."""
        entry = self.entries[expression]
        if entry[0] != m.NAME or len(entry[2]) > 1:
            return False
        if not entry[2]:
            return self._is_taken_around(entry[1])
        return bool(self.entries[self.bindings[entry[2][0]][2]][:2] == [m.PARAMETER, self.scope])

    def _is_taken_around(self, name: str) -> bool:
        scope = self.scopes[self.scope].parent
        while scope > 0:
            if any(param[0] == name for param in self.scopes[scope].params):
                return True
            scope = self.scopes[scope].parent
        return False

    def deny(self, made: int) -> None:
        """A name that is read where isinstance() has said no of one like it."""
        entry = self.entries[made]
        for guard in self.guards:
            if guard[2] == m.IS_NO and self.entries[guard[0]][:3] == entry[:3] and entry[2]:
                self.denials.append((made, guard))

    def denied(self) -> None:
        """When all is read, note what names are not: those that have one binding, so that they are still the same."""
        for made, (subject, kinds, _) in self.denials:
            entry = self.entries[made]
            told = [each for each in kinds if self.entries[each] not in _BUILTIN]
            if told and len(entry[2]) == 1 and entry[2] == self.entries[subject][2]:
                entry[3:] = [[*(entry[3] if len(entry) > 3 else ()), *told]]

    def narrow(self, tests: list[Test]) -> None:
        """From here on a name of this scope is an instance of a class, one below it, or a text that begins so."""
        for named, wanted, kind in tests:
            name = self.entries[named][1]
            declared = self.declared.get(self.scope)
            if self.flow.look(name) and not (declared and name in declared):
                self.bind(name, self.add([kind, named, wanted], self.starts[named], self.ends[named]))
