"""Locals: what a function binds, and what a variable is at a place: by its stated type, or by what it is assigned."""

from __future__ import annotations

import re
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.lookup import Lookup
from everdex.graph.names.rules import TYPES
from everdex.graph.names.things import POINTED, UNKNOWN, Place, Thing, unknown

_MAX_OTHERS: Final = 4
_NOTHING: Final = frozenset(("nil", "null", "false", "true", "NULL"))


class Locals(Lookup):
    """The part that knows variables of functions."""

    def local(self, name: str, place: Place) -> facts.Local | None:
        """The nearest binding of a name in the functions around a place."""
        if place.module is not self.module:
            return None
        definitions = self.module.outline.definitions
        for index in (*self.module.chain(place.scope), -1):
            found = self._locals.get((index, name))
            if found:
                nearest = facts.nearest(found, place.line, place.column)
                if nearest is not None and _is_own_value(nearest, name, place):
                    nearest = facts.nearest(found[: found.index(nearest)], place.line, place.column)
                if nearest is not None and (index >= 0 or nearest.line <= place.line):
                    return nearest
            if index >= 0 and definitions[index].kind in TYPES and self.rules.closed_types:
                return None
        return None

    def narrowed(self, chain: str, place: Place) -> Thing | None:
        """The type that an expression was last found to have before a place, in the functions around it."""
        for index in (*self.module.chain(place.scope), -1):
            found = self._locals.get((index, facts.NARROWED + chain), ())
            before = [item for item in found if (item.line, item.column) <= (place.line, place.column)]
            if before:
                return self.type_named(before[-1].type, place)
        return None

    def others(self, item: facts.Local, place: Place) -> list[facts.Local]:
        """What else a variable may be bound to at a place, where an assignment was made under a condition only."""
        found: list[facts.Local] = []
        for other in reversed(self._locals.get((item.scope, item.name), ())) if not item.behind else ():
            if (other.line, other.column) > (item.line, item.column):
                continue
            if other is not item and other.value not in _NOTHING:
                found.append(other)
            if not other.until or place.line <= other.until or len(found) >= _MAX_OTHERS:
                break
        return found

    def _local_value(self, item: facts.Local, place: Place) -> Thing:
        """What a variable is; where assignments differ, what all of them are."""
        thing = self._bound_value(item, place)
        others = self.others(item, place) if thing.kind != UNKNOWN and self.budget > 0 else []
        if not others:
            return thing
        self.budget -= len(others)
        before = [self._bound_value(other, place) for other in others]
        known = [each for each in (thing, *before) if each.kind != UNKNOWN]
        for each in known:
            last = each.name.rpartition(".")[2]
            if all(other.name == each.name or last in self.lineage(other.name)[0] for other in known):
                return each
        return unknown("one of several values")

    def _bound_value(self, item: facts.Local, place: Place) -> Thing:
        here = Place(place.module, item.scope, item.line, max(item.column - 1, 0))
        if item.type and item.type not in ("var", "auto", "let", "val") and not item.type.startswith("auto"):
            return self.type_named(item.type, here)
        if not item.value:
            return unknown("untyped local")
        if item.value == facts.INSIDE:
            found = self._locals[item.scope, item.name]
            inner = next((each for each in found[: found.index(item)][::-1] if each.value != facts.INSIDE), None)
            return self._bound_value(inner, place) if inner is not None else unknown("computed value")
        if item.value.startswith(facts.RECEIVED):
            return self.received(item.value.removeprefix(facts.RECEIVED), here)
        if item.value.startswith(facts.SECOND):
            second = self.second_of_items if item.each else self.second_result
            return second(item.value.removeprefix(facts.SECOND), here)
        if item.value.startswith(facts.TAKEN):
            name, _, chain = item.value.removeprefix(facts.TAKEN).partition(" ")
            return self.taken(name, chain, here)
        if item.value.startswith(facts.GIVEN):
            method, _, chain = item.value.removeprefix(facts.GIVEN).partition(" ")
            function = place.module.outline.definitions[item.scope] if item.scope >= 0 else None
            if function is not None and function.kind == "lambda":
                here = here._replace(scope=function.parent)  # `state.write { state in … }`: outside it is another
            return self.handed(method, chain, here)
        thing = self.evaluate(item.value, here)
        if item.type == facts.POINTER:
            return (self.item_of(thing) if item.each else thing)._replace(held=POINTED)
        if item.each:
            each = self.item_of(thing)
            return each._replace(held="") if self.rules.group == "rust" else each  # `.iter()` refers to them
        return thing if thing.kind != UNKNOWN or thing.name == "computed value" else unknown(thing.name)


def _is_own_value(item: facts.Local, name: str, place: Place) -> bool:
    """Whether a place may be in what a variable is assigned, where it is seen there: `x = x()` calls another x."""
    if item.behind or item.line != place.line or item.column == place.column:
        return False
    return re.split(r"[.(\[]", item.value, maxsplit=1)[0] == name
