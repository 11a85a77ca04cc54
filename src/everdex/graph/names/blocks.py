"""Kotlin: whose object `this` is in a block, `box.apply { fill() }`: what the function says that takes the block.

That of the library's own four functions is known; what other libraries run a block with is not asked for, and nothing
is said of it. A name alone in a block may be a member of each of these objects, the innermost first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.implied import parameters
from everdex.graph.names.index import Ref
from everdex.graph.names.lookup import MAX_WORK, Lookup
from everdex.graph.names.rules import CALLABLES, TYPES
from everdex.graph.names.things import CALLABLE, INSTANCE, TYPE, TYPE_PARAMETER, UNKNOWN, Place, Thing, unknown
from everdex.graph.names.types import last_name

_RUN_WITH: Final = frozenset(("apply", "run", "runCatching", "with"))
_RECEIVED: Final = re.compile(r"\(*(?:suspend\s+)?(?:@\w+\s+)*([\w.]+(?:<[^()]*>)?\??)\.\(")
_MAX_NESTED: Final = 24  # blocks around a place that are looked at
OF_A_BLOCK: Final = "receiver of a block"
_NOBODY: Final = unknown(OF_A_BLOCK)


class Blocks(Lookup):
    """The part that knows blocks."""

    def block_receivers(self, place: Place) -> tuple[Thing, ...]:
        """What `this` may be in the blocks around a place, innermost first, up to the type that they are in."""
        if place.module is not self.module or self.module.outline.language != "kotlin" or place.scope < 0:
            return ()
        definitions, around = self.module.outline.definitions, list[int]()
        for index in self.module.chain(place.scope):
            if definitions[index].kind in TYPES:
                break
            if (index, facts.PASSED) in self._locals or definitions[index].receiver:
                around.append(index)
        if len(around) > _MAX_NESTED:
            return (_NOBODY,)
        # From outside: what is inside is said in terms of what is around it.
        for index in reversed(around):
            if index not in self._received:
                self._received[index] = _NOBODY  # where another's value leads back here
                self._received[index] = self._worked_out(index)
        return tuple(thing for index in around if (thing := self._received[index]) is not None)

    def _worked_out(self, index: int) -> Thing | None:
        item = self.module.outline.definitions[index]
        if item.receiver:  # a function that is written for a type is run with one of that
            return self.extended(Place(self.module, index, item.start_line, 0))
        block = self._locals[index, facts.PASSED][0]
        outer = Place(self.module, item.parent, block.line, block.column)
        depth, budget = self._depth, self.budget
        self._depth, self.budget = 0, MAX_WORK  # it is the same whoever asks first
        try:
            return self._run_with(block, outer)
        finally:
            self._depth, self.budget = depth, budget

    def _run_with(self, block: facts.Local, place: Place) -> Thing | None:
        front, _, name = block.value.rpartition(".")
        if front and name in _RUN_WITH:
            thing = self.evaluate(front, place)
            thing = thing._replace(kind=INSTANCE) if thing.kind == TYPE else thing
            if thing.kind != INSTANCE or not self.member(thing, name)[0]:
                return thing if thing.kind != UNKNOWN else _NOBODY
        called = self.evaluate(block.value, place)
        refs = called.refs if called.kind in (CALLABLE, TYPE) else ()
        if called.kind == UNKNOWN and front:
            refs = tuple(self.reader.extensions(name))  # some may be for any type
        takes = [self._stated_for(ref, block, front, place) for ref in refs]
        if not any(takes):
            return None
        kinds = {each and (each.kind, each.name) for each in takes}
        return takes[0] if len(kinds) == 1 else _NOBODY

    def _stated_for(self, ref: Ref, block: facts.Local, front: str, place: Place) -> Thing | None:
        """What a definition runs the block with that it is passed; None where that is nothing."""
        if ref.defined.kind not in CALLABLES | TYPES:
            return None
        taken = [text for _, text in parameters(ref.defined.name, ref.defined.signature)]
        home = Place(ref.module, ref.at, ref.defined.start_line, 0)
        texts = [self._receiver_in(text, home) for text in (taken if block.each else taken[-1:])]
        stated = list(dict.fromkeys(filter(None, texts)))
        if not stated:
            return None
        if len(stated) > 1:
            return _NOBODY
        text, home = stated[0]
        thing = self.type_named(text, home)
        if thing.kind == UNKNOWN and thing.name == TYPE_PARAMETER and front and ref.defined.receiver == text:
            return self.evaluate(front, place)  # `fun <T> T.filled(block: T.() -> Unit)`
        return thing

    def _receiver_in(self, text: str, home: Place) -> tuple[str, Place] | None:
        """The type before `.()` in that of a function, which may have a name of its own, and where it is written."""
        found, name = _RECEIVED.match(text), last_name(text)
        if found is None and name and "->" not in text:
            named = self.name(name, home, types_only=True)
            for ref in (ref for ref in named.refs if ref.defined.kind == "type"):
                found = _RECEIVED.match(ref.defined.signature.partition("=")[2].strip())
                home = Place(ref.module, ref.at, ref.defined.start_line, 0)
        return (found[1], home) if found else None

    def in_block(self, head: str, place: Place, called: bool) -> Thing | None:
        """What a name at the head of a chain is as a member of what a block is run with; None where it is none."""
        receivers = self.block_receivers(place)
        if not receivers or self.local(head, place) is not None:
            return None
        if head == "this":
            return receivers[0]
        for thing in receivers:
            members = self.member(thing, head)[0] if thing.kind == INSTANCE else []
            if self.shown(members, place) or self.accessed(thing, head):
                return self.step(thing, head, place, called)
        owner = place.module.owner(place.scope)
        own = self.member(Thing(INSTANCE, owner), head)[0] if owner else []
        return None if self.others_meant(own, receivers, place) is None else _NOBODY

    def shown(self, refs: Sequence[Ref], place: Place) -> list[Ref]:
        """Members without those that only their own types see, or what extends them, where a place is in none."""
        if not any(_is_closed(ref) for ref in refs):
            return list(refs)
        definitions, inside = self.module.outline.definitions, set[str]()
        for at in self.module.chain(place.scope):
            if definitions[at].kind in TYPES:
                inside |= self.lineage(self.module.names[at])[0]
        return [ref for ref in refs if not _is_closed(ref) or ref.name.split(".")[-2] in inside]

    def others_meant(self, refs: Sequence[Ref], receivers: tuple[Thing, ...], place: Place) -> list[Ref] | None:
        """Whether a name alone in blocks may be another's than that of a type around them, which has these: members of
        the name in other types, where nobody knows what a block is run with. None where it is for sure."""
        members = [ref for ref in refs if "." in ref.defined.path]
        if not members:
            return None
        types, name = {ref.name.rpartition(".")[0] for ref in refs}, refs[0].defined.name
        others = [
            ref for ref in self.shown(self.reader.named(name), place)
            if ref.key and "." in ref.defined.path and ref.name.rpartition(".")[0] not in types
        ] if any(thing.kind == UNKNOWN for thing in receivers) else []  # fmt: skip
        # What a library has is nobody's name here, unless every library has one.
        is_everywhere = name in self.rules.common and any(self._may_have_more(thing) for thing in receivers)
        return others if others or is_everywhere else None

    def _may_have_more(self, thing: Thing) -> bool:
        """Whether something outside the root may give it more members than are known here."""
        return thing.kind != INSTANCE or self.lineage(thing.name)[1]


def _is_closed(ref: Ref) -> bool:
    words = ref.defined.signature.partition("(")[0].split()
    return "." in ref.name and ("private" in words or "protected" in words)
