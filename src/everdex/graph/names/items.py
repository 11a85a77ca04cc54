"""What is taken out of things: items of containers, results beside the first, what a function is given by a method.

Follows what types state and what every library's containers do; whatever else a method hands out is unknown.
"""

from __future__ import annotations

from everdex.facts import names_model as facts
from everdex.facts.operators import LANGUAGES, READ, indexing
from everdex.graph.names.imports import lead, lua_table
from everdex.graph.names.index import Ref
from everdex.graph.names.lookup import MAX_DEPTH, Lookup
from everdex.graph.names.rules import CALLABLES
from everdex.graph.names.things import (
    CALLABLE,
    DEEP,
    INSTANCE,
    ITSELF,
    OF_FUNCTIONS,
    OUTSIDE,
    POINTED,
    SPACE,
    TYPE,
    UNKNOWN,
    Place,
    Thing,
    unknown,
)  # fmt: skip
from everdex.graph.names.types import CHANNEL, last_name, parse_type, result_type


class Items(Lookup):
    """The part that knows what things hand out."""

    def second_result(self, chain: str, place: Place) -> Thing:
        """What a call gives besides its first result."""
        function = self.evaluate(chain.removesuffix("()"), place) if chain.endswith("()") else unknown("computed value")
        if function.kind == OUTSIDE:
            return function
        for ref in function.refs if function.kind == CALLABLE else ():
            text = result_type(ref.defined.returns, 1)
            if text:
                return self.type_named(text, Place(ref.module, ref.at, ref.defined.start_line, 0))
        return unknown("untyped local")

    def second_of_items(self, chain: str, place: Place) -> Thing:
        """The second part of what is taken out of it: the value of a map, what has a number."""
        thing = self.evaluate(chain, place)
        if thing.arguments and thing.home is not None and thing.arguments[-1].startswith("("):
            text = result_type(thing.arguments[-1], 1)
            return self.type_named(text, thing.home) if text else unknown("untyped local")
        return self.item_of(thing)

    def received(self, chain: str, place: Place) -> Thing:
        """What a loop with one variable takes out of it: what is received, of a channel, and else only a number."""
        thing = self.evaluate(chain, place)
        return self.item_of(thing) if thing.name == f"{self.rules.literal}.{CHANNEL}" else unknown("untyped local")

    def handed(self, method: str, chain: str, place: Place) -> Thing:
        """What a method of a library hands to the function that it is given."""
        thing = self.evaluate(chain, place)
        if thing.kind == UNKNOWN or method not in OF_FUNCTIONS:
            return thing if thing.kind == UNKNOWN else unknown("parameter of a function")
        if thing.kind == OUTSIDE:
            return self.item_of(thing)
        refs, _ = self.member(thing, method)
        # What is ours and has no such method was looked through a wrapper to, unless it hands out something itself.
        if thing.kind != INSTANCE or refs or self.lineage(thing.name)[1]:
            return unknown("parameter of a function")
        return thing

    def stated(self, chain: str, place: Place) -> Thing:
        """What has the keys of a literal or a pattern; the type that it states may be a variant."""
        thing = self.evaluate(chain, place)
        if thing.kind in (UNKNOWN, OUTSIDE) and chain.startswith("@{") and chain.endswith("}"):
            named = self.evaluate(parse_type(chain[2:-1])[0] or "?", place)
            return named if named.kind == INSTANCE else thing
        return thing

    def keyed(self, thing: Thing, chain: str, name: str) -> list[Ref]:
        """The members that a key of a literal or a pattern means, of what `stated` gave."""
        refs = self.field(thing, name) if thing.kind == INSTANCE else []
        if not refs and thing.kind == INSTANCE and chain.startswith("@{"):
            # The fields of a variant, of which a value is an instance of its enum.
            refs = list(self.reader.definitions(f"{thing.name}.{last_name(chain[2:-1])}.{name}"))
        return refs

    def taken(self, name: str, chain: str, place: Place) -> Thing:
        """What a pattern takes out of what it states: the value of a field, which may have a number for a name."""
        thing = self.stated(chain, place)
        refs = self.keyed(thing, chain, name)
        if refs:
            return self.of_refs(tuple(refs))
        found = None
        if name.isdigit() and thing.kind == INSTANCE:
            variant = Thing(INSTANCE, f"{thing.name}.{last_name(chain[2:-1])}")
            found = self.slot(variant, name) or self.slot(thing, name)
        return found or unknown("untyped local")

    def item_of(self, thing: Thing) -> Thing:
        """What taking an item out of it gives."""
        if thing.arguments and thing.home is not None:
            return self.handed_out(thing.arguments[-1], thing.home)
        for ref in thing.refs:
            item = ref.defined
            if thing.kind == INSTANCE and item.kind == "type" and item.type and last_name(item.type) != item.name:
                return self._item_of_alias(ref)
        if thing.held in (POINTED, DEEP) and self.rules.group == "c":
            return thing._replace(held=ITSELF if thing.held == POINTED else POINTED)
        if thing.kind == INSTANCE and thing.refs:
            language = self.module.outline.language
            given = tuple(self.member(thing, indexing(language, READ)[0])[0]) if language in LANGUAGES else ()
            if given:
                return self.called(self.of_refs(given)) if given[0].defined.kind in CALLABLES else self.of_refs(given)
            return thing if self.rules.group == "c" else unknown("item of an object")  # or it is a pointer
        return unknown("type of items not stated")

    def _item_of_alias(self, ref: Ref) -> Thing:
        if self._depth >= MAX_DEPTH:
            return unknown("too deep")  # aliases may stand for each other
        self._depth += 1
        try:
            place = Place(ref.module, ref.at, ref.defined.start_line, 0)
            return self.item_of(self.type_named(ref.defined.type, place))
        finally:
            self._depth -= 1

    def states_new(self, thing: Thing) -> bool:
        """Lua: whether a table says what its `new` gives."""
        return any(ref.defined.returns for ref in self.reader.definitions(f"{thing.name}.new"))

    def required(self, wanted: str, place: Place) -> Thing:
        """Lua: what a module gives."""
        item = facts.Import(0, 0, 0, 0, -1, wanted, "", "file")
        led = lead(place.module, item, self.reader)
        module = self.reader.index.module(led.files[0]) if led.files else None
        if module is None:
            return Thing(OUTSIDE, wanted)
        self.reader.context(module)
        table = lua_table(module)
        if module.outline.package:
            return Thing(TYPE, table, self.reader.definitions(table))
        return Thing(SPACE, table)
