"""Sites that mean variables: names and attributes that are read, assigned, deleted or replaced.

The part of `Sites` that decides where such a site stands and what it is called; `variables` decides what it means.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, TypeVar

from everdex.facts.python import model as m
from everdex.graph.model import Role, Site, Status, Target
from everdex.graph.python.engine.engine import FUEL, Engine
from everdex.graph.python.engine.seen import Seen
from everdex.graph.python.engine.values import CLASS, Value, Values
from everdex.graph.python.file.around import binding_scope
from everdex.graph.python.file.files import File
from everdex.graph.python.file.nodes import Places
from everdex.graph.python.file.parts import FileParts
from everdex.graph.python.sites import variables
from everdex.graph.python.sites.targets import Answer

T = TypeVar("T")
_MAX_TEXT: Final = 80
_ATTRIBUTES: Final = frozenset((m.ATTRIBUTE, m.STORE, m.STORE_PAST))
_NAMING: Final = frozenset((m.DEFINITION, m.IMPORTED, m.FROM, m.DECORATED))


class VariableSites:
    """Makes sites, and finds those of variables."""

    def __init__(
        self, engine: Engine, file: File, parts: FileParts, source: bytes, places: Places, index_of: list[int],
        of_variables: Mapping[str, tuple[int, int]],
    ) -> None:  # fmt: skip
        self.engine = engine
        self.file = file
        self.parts = parts
        self.source = source
        self.places = places
        self.index_of = index_of
        self.of_variables = of_variables  # node and where the name begins, by key
        self.found: list[Site] = []
        self._values: dict[int, Values] = {}
        self._meant: dict[tuple[int, ...] | tuple[int, str], tuple[tuple[bool, tuple[Target, ...]], Seen | None]] = {}
        self._read: dict[tuple[Values, str], tuple[Answer | None, Seen | None]] = {}
        self.deleted = frozenset(file.places.deleted)

    def begin(self) -> None:
        """Before the questions of a part: what it asks twice it looks at once."""
        self.found = []
        self._values = {}

    # -- making sites

    def _text(self, start: int, end: int) -> str:
        """As written, on one line; of a long one the end, where the name is that it asks for."""
        text = self.source[max(start, end - 4 * _MAX_TEXT) : end].decode("utf-8", "replace")
        if "\n" in text or "  " in text:
            text = "".join(part.strip() for part in text.split("\n"))
        return text[-_MAX_TEXT:]

    def add(self, role: Role, number: int, answer: Answer, source: int | None = None) -> None:
        """A site of an expression; an attribute's stands where its name does, however far away its object begins."""
        file = self.file
        entry, start = file.entries[number], file.places.starts[number]
        end = start + file.places.lengths[number]
        text = self._text(start, end)
        if entry[0] in _ATTRIBUTES and self.source.endswith(name := entry[2].encode(), start, end):
            start = end - len(name)
        self._add(role, start, end, text, answer, self.index_of[file.where[number]] if source is None else source)

    def add_at(self, role: Role, start: int, end: int, answer: Answer, source: int) -> None:
        self._add(role, start, end, self._text(start, end), answer, source)

    def _add(self, role: Role, start: int, end: int, text: str, answer: Answer, source: int) -> None:
        self.found.append(
            Site(role, source, *self.places.span(start, end), text, answer.status, answer.targets, answer.reason)
        )

    def of_each(self, values: Values, collect: Callable[[Value], None]) -> None:
        """The sites that each value makes, in an order that no set decides: by what they are."""
        if len(values) == 1:
            (only,) = values
            collect(only)
            return
        around, made = self.found, []
        for value in values:
            self.found = []
            collect(value)
            made.append(self.found)
        made.sort(key=_contents)
        self.found = around
        for each in made:
            around += each

    def values(self, expression: int) -> Values:
        found = self._values.get(expression)
        if found is None:
            found = self._values[expression] = self.engine.values(self.file.path, expression, 0, FUEL)
        return found

    # -- variables

    def meaning(self, where: int, name: str, reaching: list[int]) -> tuple[bool, tuple[Target, ...]]:
        """Whether a name stands for definitions or modules, and the variables it means; a local one is none."""
        key = tuple(reaching) or (where, name)
        if key not in self._meant:
            self._meant[key] = self.engine.noted(lambda: self._meaning(where, name, reaching))
        return self._again(self._meant[key])

    def _again(self, answer: tuple[T, Seen | None]) -> T:
        """An answer from before; who takes it has looked where it looked."""
        if answer[1] is not None:
            self.engine.seen.append(answer[1])
        return answer[0]

    def _meaning(self, where: int, name: str, reaching: list[int]) -> tuple[bool, tuple[Target, ...]]:
        file, engine = self.file, self.engine
        home, bindings = file.bindings[reaching[-1]][0] if reaching else -1, reaching
        if not reaching:
            home, bindings = binding_scope(file, where, name)
        if home < 0:
            engine.seen.append(file.seen_stars)
        if home < 0 or file.is_by_name(home):
            engine.seen.append(file.seen_member(max(home, 0), name))
        values = [file.entries[file.bindings[each][2]] for each in bindings]
        found: dict[Target, None] = {}
        if home >= 0 and file.is_variable(home, name):
            key = variables.key_of(file, home, name)
            if key in self.of_variables:
                found[Target(file.path, key)] = None
        elif home >= 0 and (key := file.decorated(home, name)):
            found[Target(file.path, key)] = None
        elif not bindings and file.facts.stars:
            other = variables.of_module(engine, file.path, name)
            if other is not None:
                found[other] = None
        for value in values:
            other = variables.imported(engine, file, value) if value[0] == m.FROM else None
            if other is not None:
                found[other] = None
        naming = any(value[0] in _NAMING for value in values) or (not bindings and bool(file.facts.stars))
        return naming, tuple(found)

    @cached_property
    def local(self) -> list[bool]:
        """Of each binding, whether it only gives a value to a variable of a function: most do."""
        kinds = [scope.kind > m.CLASS_SCOPE for scope in self.file.scopes]
        entries = self.file.entries
        return [kinds[home] and entries[value][0] not in _NAMING for home, _, value, _ in self.file.bindings]

    def read(self, base: int, name: str) -> Answer | None:
        """The variables that reading an attribute means."""
        bases = self.values(base)
        key = bases, name
        if key not in self._read:
            self._read[key] = self.engine.noted(lambda: variables.read(self.engine, bases, name))
        return self._again(self._read[key])

    def read_or_deleted(self, number: int) -> Role:
        return Role.WRITE if number in self.deleted else Role.REFERENCE

    @cached_property
    def bare_stores(self) -> frozenset[int]:
        return frozenset(each.store for each in self.file.facts.stores if variables.is_bare(self.file, each.value))

    def stored(self, entry: Any) -> Answer:
        owner = self.file.receiver_class(entry[1])
        bases = frozenset(((CLASS, self.file.path, owner),)) if owner >= 0 else self.values(entry[1])
        return variables.stored(self.engine, bases, entry[2])

    def writes(self, part: int, start: int = 0, end: int = sys.maxsize) -> None:
        """Assignments to names of the module and of its classes, in a part or in some bytes of it."""
        file = self.file
        for each in self._written.get(part, ()):
            if not start <= each.start < end:
                continue
            target = Target(file.path, variables.key_of(file, each.home, each.name))
            answer = Answer(Status.RESOLVED, (target,), "")
            self.add_at(Role.WRITE, each.start, each.end, answer, self.index_of[each.where])

    @cached_property
    def _written(self) -> dict[int, list[variables.Written]]:
        found: dict[int, list[variables.Written]] = {}
        for each in variables.written(self.file):
            if each.is_value:
                found.setdefault(self.parts.of_scope[each.where], []).append(each)
        return found

    def variables_replaced(self, number: int) -> None:
        file = self.file
        for name in file.names[number]:
            known = self.of_variables.get(variables.key_of(file, number, name))
            target = variables.overridden(self.engine, file, number, name) if known is not None else None
            if known is not None and target is not None:
                node, start = known
                answer = Answer(Status.RESOLVED, (target,), "")
                self.add_at(Role.OVERRIDE, start, start + len(name.encode()), answer, node)


def _contents(sites: list[Site]) -> list[tuple[int, int, str, list[tuple[str, str]], str, str]]:
    return [
        (
            site.line, site.column, site.role.value, [(target.path, target.key) for target in site.targets],
            site.status.value, site.reason,
        )
        for site in sites
    ]  # fmt: skip
