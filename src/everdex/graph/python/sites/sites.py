"""Every place of a file that names or runs something, with its answer.

Explicit calls and decorator applications are never left out. What syntax calls without naming it is in `SyntaxSites`,
what means a variable in `VariableSites`.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.model import Role, Site, Status, Target
from everdex.graph.python.builtins import getters, operators
from everdex.graph.python.calls import calls, registered
from everdex.graph.python.classes import attributes, classes, hooks, metaclasses, overrides
from everdex.graph.python.edits.grown import Grown
from everdex.graph.python.engine.engine import FUEL
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MANAGER,
    METHOD,
    MODULE,
    PARTIAL,
    PROPERTY,
    STATIC,
    Value,
    Values,
    is_open,
    union,
)
from everdex.graph.python.names import names
from everdex.graph.python.sites import fixtures, targets, variables
from everdex.graph.python.sites.handed_sites import HandedSites
from everdex.graph.python.sites.syntax_sites import HANDED
from everdex.graph.python.sites.targets import Answer

_REFERRED: Final = frozenset((FUNCTION, CLASS, STATIC, MANAGER, MODULE))  # what an attribute names that is not called


class Sites(HandedSites):
    """Collects the sites of one file, part by part."""

    def collect(self, part: int) -> list[Site]:
        """The sites of a part, those that stand at the same place in the order of asking."""
        self.begin()
        self._expressions(self.parts.entries[part])
        self._scopes(part)
        self.item_stores(self.parts.entries[part])
        self.writes(part)
        return self.found

    def collect_added(self, part: int, grown: Grown) -> list[Site]:
        """The sites of what was added to a part; definitions are not among it."""
        self.begin()
        self._expressions(grown.entries)
        self.item_stores(grown.entries)
        self.writes(part, grown.start, grown.end)
        return self.found

    def _expressions(self, numbers: list[int]) -> None:
        entries, callees = self.file.entries, self._callees
        handlers = _HANDLERS
        for number in numbers:
            entry = entries[number]
            handler = handlers.get(entry[0])
            if handler is not None:
                handler(self, number, entry, number in callees)

    @cached_property
    def _callees(self) -> set[int]:
        return {self.file.entries[number][1] for number in self.file.of_kind(m.CALL, m.DECORATED)}

    # -- calls

    def call(self, number: int, entry: Any, is_callee: bool) -> None:
        callee = entry[1]
        what = self.file.entries[callee]
        values = self.values(callee)
        name = what[2] if what[0] == m.ATTRIBUTE else ""
        meant = registered.chosen(self.engine, values, calls.arguments(self.file, number, 0)[0], FUEL)
        ran = targets.called(self.engine, meant, name)
        self.add(Role.CALL, callee, ran, self.index_of[self.file.where[number]])
        if meant != values:
            self.add(Role.REFERENCE, callee, targets.named(self.engine, values), self.index_of[self.file.where[number]])
        if named := targets.constructed(self.engine, values, ran):
            naming = ran._replace(targets=named, reason="")
            self.add(Role.REFERENCE, callee, naming, self.index_of[self.file.where[number]])
        self.of_each(values, lambda value: self._ran_through(number, entry, value))
        for keyword, given in entry[3]:
            if not keyword:
                self.spread(given)
        if name == "sort" and entry[3] and not any(value[0] == FUNCTION for value in values):
            self.through(number, entry, "builtins.list.sort")

    def _ran_through(self, number: int, entry: Any, value: Value) -> None:
        """What a call of something that is not the root's own runs."""
        if value[0] == EXTERNAL:
            self.through(number, entry, value[1])
        elif value[0] == PARTIAL:
            positional, _ = calls.arguments(self.file, number, 0)
            self.implicit(entry[1], getters.ran(self.engine, value, positional, FUEL))
        elif value[0] == METHOD:
            self.of_builtin(entry, value[1], value[2])

    def decorated(self, number: int, entry: Any, is_callee: bool) -> None:
        decorator = entry[1]
        what = self.file.entries[decorator]
        name = what[2] if what[0] == m.ATTRIBUTE else ""
        answer = targets.called(self.engine, self.values(decorator), name)
        if what[0] == m.CALL and answer.status is Status.UNRESOLVED:
            answer = targets.called(self.engine, self.values(what[1]))
            answer = Answer(answer.status, (), answer.reason) if answer.status is not Status.EXTERNAL else answer
        self.add(Role.CALL, decorator, answer, self.index_of[self.file.where[number]])
        scope = self._decorated_scope(entry)
        if scope >= 0:
            named = what[1] if what[0] == m.CALL else decorator
            self.add(Role.DECORATE, named, targets.named(self.engine, self.values(named)), self.index_of[scope])

    def _decorated_scope(self, entry: Any) -> int:
        while entry[0] == m.DECORATED:
            entry = self.file.entries[entry[2]]
        return int(entry[1]) if entry[0] == m.DEFINITION else -1

    # -- references

    def name(self, number: int, entry: Any, is_callee: bool) -> None:
        file = self.file
        reaching = entry[2]
        if len(reaching) == 1 and self.local[reaching[0]]:
            return
        naming, named = self.meaning(file.where[number], entry[1], reaching)
        if named:
            self._holding(number, Answer(Status.RESOLVED, named, ""))
        if naming and not is_callee:
            answer = targets.named(self.engine, self.values(number))
            if answer.status is not Status.UNRESOLVED:
                self.add(Role.REFERENCE, number, answer)

    def attribute(self, number: int, entry: Any, is_callee: bool) -> None:
        engine, file = self.engine, self.file
        if number in self.deleted:
            self.implicit(number, self._hooks(entry, 3, "__delattr__"))
            answer = self.read(entry[1], entry[2])
            if answer is not None:
                self._holding(number, answer)
            return
        self.intercepted(number, entry[1])
        found = attributes.before_getters(engine, file, entry, number)
        getters = [value[1] for value in found if value[0] == PROPERTY and value[1] and attributes.is_bound(value[1])]
        if getters:
            self.implicit(number, frozenset(getters) | (found & HANDED))
            return
        owner = file.entries[entry[1]]
        if owner[0] == m.NAME and owner[1] in self._imported:
            for base in self.values(entry[1]):
                self._asked(number, base, entry[2])
        answer = self.read(entry[1], entry[2])
        if answer is not None:
            self._holding(number, answer)
        if not is_callee:
            same = [value for value in found if value[0] in _REFERRED and self._is_named(value, entry[2])]
            if same:
                self.add(Role.REFERENCE, number, targets.named(engine, frozenset(same)))

    def _asked(self, number: int, source: Value, name: str) -> None:
        """A module that computes what it does not have."""
        hook = names.hook(self.engine, source, name, FUEL)
        if hook:
            self.implicit(number, hook)

    @cached_property
    def _imported(self) -> frozenset[str]:
        """The names that may be modules."""
        imports = (m.IMPORTED, m.FROM)
        return frozenset(name for _, name, value, _ in self.file.bindings if self.file.entries[value][0] in imports)

    def _holding(self, number: int, answer: Answer) -> None:
        """A place that reads a variable, or the name of what is decorated; what decorators give back as it was is told
        by what the place calls or refers to."""
        if any(target.key in self.engine.file(target.path).scope_by_key for target in answer.targets):
            values = self.values(number)
            same = {*targets.named(self.engine, values).targets, *targets.called(self.engine, values).targets}
            answer = answer._replace(targets=tuple(target for target in answer.targets if target not in same))
        if answer.targets:
            self.add(self.read_or_deleted(number), number, answer)

    def _is_named(self, value: Any, name: str) -> bool:
        if value[0] in (STATIC, MANAGER):
            value = value[1]
        if value[0] == MODULE:
            return True
        return value[0] in (FUNCTION, CLASS) and self.engine.file(value[1]).scopes[value[2]].name == name

    def imported(self, number: int, entry: Any, is_callee: bool) -> None:
        if entry[0] == m.FROM and entry[3] == "*":
            target = names.source_of(self.engine, self.file.path, entry[1], entry[2])
            answer = targets.named(self.engine, frozenset((target,)))
        else:
            if entry[0] == m.FROM:
                self._asked(number, names.source_of(self.engine, self.file.path, entry[1], entry[2]), entry[3])
            answer = targets.named(self.engine, self.values(number))
            variable = variables.imported(self.engine, self.file, entry) if entry[0] == m.FROM else None
            if variable is not None:
                self.add(Role.IMPORT, number, Answer(Status.RESOLVED, (variable,), ""))
                if answer.status is not Status.RESOLVED:
                    return
            if answer.status is Status.UNRESOLVED and answer.reason == "a value" and entry[0] == m.FROM:
                source = names.source_of(self.engine, self.file.path, entry[1], entry[2])
                answer = targets.named(self.engine, frozenset((source,)))
        if (
            entry[0] == m.FROM
            or number == 0
            or self.file.entries[number - 1][0] != m.IMPORTED
            or (self.file.places.starts[number - 1] != self.file.places.starts[number])
        ):
            self.add(Role.IMPORT, number, answer)

    def store(self, number: int, entry: Any, is_callee: bool) -> None:
        """An attribute assigned; a property's setter runs."""
        if number not in self.bare_stores:
            self.add(Role.WRITE, number, self.stored(entry))
        if entry[0] == m.STORE:
            self.implicit(number, self._hooks(entry, 2, "__setattr__"))

    def _hooks(self, entry: Any, part: int, hook: str) -> Values:
        """What storing or deleting an attribute runs: a part of its property, and what its class has for all."""
        engine = self.engine
        found: list[Any] = []
        for base in self.values(entry[1]):
            if base[0] == INSTANCE:
                line = classes.mro(engine, base[1], base[2], FUEL)
                kind = (CLASS, base[1], base[2])
                raw, owner = classes.raw_attribute(engine, line, entry[2], FUEL)
                values = hooks.descriptors(engine, raw, base, kind, FUEL)
                if is_open(base) and any(value[0] == PROPERTY for value in values):  # classes below may have another
                    below, is_inherited = overrides.overriding(engine, base[1], base[2], entry[2], raw, owner, FUEL)
                    others = hooks.descriptors(engine, below, base, kind, FUEL)
                    values = union((values, others)) if is_inherited else others or values
                found.extend(value[part] for value in values if value[0] == PROPERTY and value[part] is not None)
                found.extend(operators.special(engine, frozenset((base,)), hook, FUEL, self.file.path))
            elif base[0] == CLASS:
                metas = classes.metaclasses(engine, classes.mro(engine, base[1], base[2], FUEL), FUEL)
                instances = frozenset((INSTANCE, *meta[1:3], False) for meta in metas if meta[0] == CLASS)
                found.extend(operators.special(engine, instances, hook, FUEL, self.file.path))
        return frozenset(found)

    # -- definitions

    def _scopes(self, part: int) -> None:
        engine, file = self.engine, self.file
        for number in self.parts.inner[part]:
            scope = file.scopes[number]
            if scope.kind == m.CLASS_SCOPE:
                for base in scope.bases:
                    what = file.entries[base]
                    named = what[1] if what[0] == m.SUBSCRIPT else base
                    self.add(Role.INHERIT, base, targets.named(engine, self.values(named)), self.index_of[number])
                self._class_made(number, scope)
                if scope.bases:
                    self.variables_replaced(number)
            elif scope.kind == m.FUNCTION_SCOPE:
                owner = file.class_of(number)
                if owner >= 0:
                    self._override(number, owner, scope)
                elif scope.params:
                    self._fixtures(number, scope)
                if owner >= 0 and scope.params:
                    self._fixtures(number, scope)

    def _class_made(self, number: int, scope: m.Scope) -> None:
        """What a class statement runs: its metaclass, or the hooks of its bases and of its attributes."""
        engine, file = self.engine, self.file
        line = classes.mro(engine, file.path, number, FUEL)
        found = metaclasses.making(engine, line, FUEL)
        if not found:
            ran = [metaclasses.told_of_subclass(engine, line[1:], FUEL)]
            for binding in sorted(chain.from_iterable(file.names[number].values())):
                value = file.bindings[binding][2]
                if file.entries[value][0] in (m.CALL, m.DECORATED):
                    ran.append(operators.special(engine, self.values(value), "__set_name__", FUEL, file.path))
            found = union(ran)
        if found:
            source = self.index_of[scope.parent]
            self.add_at(Role.CALL, scope.name_start, scope.name_end, targets.called(engine, found), source)

    def _override(self, number: int, owner: int, scope: m.Scope) -> None:
        engine = self.engine
        line = classes.mro(engine, self.file.path, owner, FUEL)
        values, _ = classes.raw_attribute(engine, line[1:], scope.name, FUEL)
        if values:
            answer = targets.named(engine, values)
            if answer.status is Status.RESOLVED:
                self.add_at(Role.OVERRIDE, scope.name_start, scope.name_end, answer, self.index_of[number])

    def _fixtures(self, number: int, scope: m.Scope) -> None:
        for param in scope.params:
            functions = fixtures.find(self.engine, self.file, number, param[0], FUEL)
            if functions:
                answer = targets.named(self.engine, frozenset(functions))
                self.add_at(Role.REFERENCE, scope.name_start, scope.name_end, answer, self.index_of[number])


_HANDLERS: Final = {
    m.CALL: Sites.call,
    m.DECORATED: Sites.decorated,
    m.NAME: Sites.name,
    m.ATTRIBUTE: Sites.attribute,
    m.IMPORTED: Sites.imported,
    m.FROM: Sites.imported,
    m.STORE: Sites.store,
    m.STORE_PAST: Sites.store,
    m.ELEMENT: Sites.element,
    m.ITEM: Sites.unpacked,
    m.ENTERED: Sites.entered,
    m.BINARY: Sites.binary,
    m.UNARY: Sites.unary,
    m.COMPARE: Sites.compare,
    m.SUBSCRIPT: Sites.subscript,
    m.FORMATTED: Sites.formatted,
    m.DICT: Sites.dictionary,
    m.SEQUENCE: Sites.sequence,
    m.STAR: Sites.starred,
    m.AWAIT: Sites.awaited,
    m.TESTED: Sites.tested,
    m.RAISED: Sites.raised,
}
__all__ = ["Sites", "Target"]
