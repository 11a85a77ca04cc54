"""Expressions: what a chain's value is, as far as names, imports and stated types say.

Puts the parts together: names (scopes, rust), the texts of types (stated), members, heirs, items, and here chains.
"""

from __future__ import annotations

from typing import Final

from everdex.facts import names_model as facts
from everdex.facts.expressions import COUNTED
from everdex.facts.operators import CALLED
from everdex.graph.names.blocks import Blocks
from everdex.graph.names.heirs import Heirs
from everdex.graph.names.imports import COMPANION, MAX_REEXPORTS, inner_space
from everdex.graph.names.index import Ref
from everdex.graph.names.items import Items
from everdex.graph.names.lookup import MAX_DEPTH
from everdex.graph.names.members import LOST
from everdex.graph.names.properties import Properties
from everdex.graph.names.rules import CALLABLES, TYPES, VALUES
from everdex.graph.names.rust import held_by_self
from everdex.graph.names.stated import StatedTypes
from everdex.graph.names.things import (
    CALLABLE,
    INSTANCE,
    ITSELF,
    OF_ANYTHING,
    OF_CONTAINERS,
    OF_EVERY_OBJECT,
    OF_ITEMS,
    OF_ITSELF,
    OF_WRAPPERS,
    OUTSIDE,
    POINTED,
    SPACE,
    TYPE,
    TYPE_PARAMETER,
    UNKNOWN,
    Place,
    Thing,
    unknown,
)  # fmt: skip
from everdex.graph.names.types import Step, last_name, parse_chain

_MAX_STEPS: Final = 48
_RUST_ROOTS: Final = frozenset(("crate", "super"))
_OF_THIS: Final = frozenset(("apply", "also"))  # Kotlin: functions that give back what they are called on
_OF_TYPES: Final = frozenset(("field", "method", "property"))  # of C#: in reach where their types are
_PAIR: Final = ("first", "second")  # of a pair of C++, or of an item of a map
_DELEGATE: Final = "Func"  # of C#: a function that gives the last of what it names
_RUST_FUNCTIONS: Final = frozenset(("Fn", "FnMut", "FnOnce"))
_MAKES_TYPES: Final = frozenset(("builtin.Class", "builtin.Data", "builtin.Module", "builtin.Struct"))
_LUA_TEXTS: Final = frozenset(("bit", "bit32", "io", "math", "os", "string", "utf8"))  # whose functions give their own
_LUA_CALLS: Final = frozenset(("builtin.tonumber", "builtin.tostring", "builtin.type"))


class Evaluation(StatedTypes, Heirs, Items, Blocks, Properties):
    """Names and expressions of one file's resolution."""

    def evaluate(self, chain: str, place: Place) -> Thing:
        """What a chain's value is."""
        if chain == "?" or self._depth >= MAX_DEPTH:
            return unknown("computed value" if chain == "?" else "too deep")
        self._depth += 1
        try:
            head, steps = parse_chain(chain)
            if len(steps) > _MAX_STEPS:
                return unknown("long chain")
            if self.rules.group == "rust" and head in _RUST_ROOTS:
                # Modules up to what is called or taken out of: a path, not members of something.
                count = next((at for at, step in enumerate(steps) if step.calls or step.indices), len(steps) - 1)
                found = self.path(".".join(step.name for step in steps[: count + 1]), place)
                thing, steps = self._applied(found, steps[count], place), steps[count:]
            else:
                found = self.head(head, place, steps[0].calls > 0)
                found = self.or_type(found, head, steps[1].name, place) if len(steps) > 1 else found
                thing = self._applied(found, steps[0], place)
            for step in steps[1:]:
                if thing.kind == UNKNOWN:
                    return thing
                count = step.arguments if step.calls and place.module.outline.language in COUNTED else -1
                thing = self._applied(self.step(thing, step.name, place, step.calls > 0, count), step, place)
            return thing
        finally:
            self._depth -= 1

    def head(self, head: str, place: Place, called: bool = False) -> Thing:
        if head.startswith("@{"):
            stated = head[2:-1]
            if stated == "literal" and place.module.outline.language == "lua":
                return unknown("table")
            if stated == "literal":
                return Thing(OUTSIDE, self.rules.literal)
            if head.startswith(facts.OPERATED):
                return self.operated(stated, place)
            if head == facts.RETURNED:
                return self._returned_around(place)
            if stated.startswith("lambda "):
                ref = Ref(place.module, int(stated.removeprefix("lambda ")))
                return Thing(CALLABLE, ref.name, (ref,))
            if stated.startswith("require "):
                return self.required(stated.removeprefix("require "), place)
            return self.type_named(stated, place)
        in_block = self.in_block(head, place, called)
        if in_block is not None:
            return in_block
        rules = place.module.rules
        if head in rules.self_names:
            local = self.local(head, place)
            extended = self.extended(place)
            if local is None and extended is not None:
                return extended
            owner = place.module.owner(place.scope)
            if local is None and owner:
                kind = TYPE if head in ("Self", "static") or (head == "self" and rules.group == "php") else INSTANCE
                if rules.group == "ruby":
                    kind = self.self_kind(place) or INSTANCE
                elif rules.group == "swift" and self._is_static(place):
                    kind = TYPE
                refs = self._kin_around(owner, place) or self.reader.definitions(owner)
                return Thing(kind, owner, refs, held=held_by_self(place))
            if local is None and rules.group == "rust":
                return Thing(SPACE, inner_space(place.module, place.scope))
            return unknown("no type around it") if local is None else self._local_value(local, place)
        if head.startswith("$") and rules.group == "ruby":
            return Thing(OUTSIDE, head)
        if head.startswith("@"):
            owner = place.module.owner(place.scope)
            found = self.slot(Thing(INSTANCE, owner), head) if owner else None
            return found or unknown("untyped attribute")
        if head in rules.super_names:
            owner = place.module.owner(place.scope)
            return Thing(INSTANCE, f"super:{owner}", self._kin_around(owner, place))
        if rules.group == "ruby" and head in OF_ITSELF and place.module.owner(place.scope):
            return self.head("self", place)
        if rules.group == "ruby" and head == "new" and place.module.owner(place.scope) and not self.local(head, place):
            return self.called(self.head("self", place))
        if rules.group == "jvm" and called and head in _OF_THIS and place.module.outline.language == "kotlin":
            around = self.head("this", place)
            if around.kind == INSTANCE and self.local(head, place) is None and not self.member(around, head)[0]:
                return around._replace(kind=TYPE)  # which calling makes an instance again
        found = self.name(head, place, called=called)
        if found.kind == TYPE and place.module.outline.language == "scala":
            values = tuple(ref for ref in found.refs if ref.defined.kind in VALUES)
            found = self.of_refs(values) if values else found  # `type A = B` beside `val A = B`
        if rules.group == "ruby" and found.kind == OUTSIDE and head in OF_ANYTHING and self.local(head, place) is None:
            found = found._replace(given=True)
        if found.kind == UNKNOWN and self.local(head, place) is None and self._is_foreign(head, place, called):
            return Thing(OUTSIDE, head)
        inherited = found.kind == UNKNOWN and called and rules.stated and rules.implicit_members
        if inherited and self.local(head, place) is None and not self.reader.named(head):
            outside = self.member(Thing(INSTANCE, place.module.owner(place.scope)), head)[1]
            if outside and not outside.startswith(LOST):
                return Thing(OUTSIDE, f"{outside}.{head}")
        return found

    def _kin_around(self, owner: str, place: Place) -> tuple[Ref, ...]:
        """C#: the type around a place, where others of its name take other numbers of types."""
        at = next((at for at in place.module.chain(place.scope) if place.module.names[at] == owner), -1)
        return self.kin(owner, (Ref(place.module, at),)) if at >= 0 else ()

    def operated(self, stated: str, place: Place) -> Thing:
        """What the operator at a place of the file gives."""
        if self.results is None or place.module is not self.module:
            return unknown("computed value")
        _, line, column = stated.split()
        return self.results(int(line), int(column))

    def _is_static(self, place: Place) -> bool:
        """Whether the function around a place is one of its type."""
        definitions = place.module.outline.definitions
        around = (definitions[at] for at in place.module.chain(place.scope) if definitions[at].kind in CALLABLES)
        return any(item.flags & facts.STATIC for item in around if item.kind != "lambda")

    def _returned_around(self, place: Place) -> Thing:
        """What the function or the property around a place has to give."""
        for index in place.module.chain(place.scope):
            item = place.module.outline.definitions[index]
            text = item.returns or (item.type if item.kind in VALUES else "")
            if text:
                return self.type_named(text, Place(place.module, index, place.line, place.column))
            if item.kind in CALLABLES:
                break
        return unknown("computed value")

    def _is_foreign(self, head: str, place: Place, called: bool) -> bool:
        """Whether a name that is not in reach, and that nothing in the root has, must be somebody else's."""
        kept = self.rules.capital_types and head[:1].isupper() and not head.isupper()
        if not (kept or (called and self.rules.global_calls)) or self.is_missing(head, place):
            return False
        known = self.reader.named(head)
        if self.rules.group == "csharp" and not self.values_named(head, place):
            known = tuple(ref for ref in known if ref.defined.kind not in _OF_TYPES)
        return not known

    def extended(self, place: Place) -> Thing | None:
        """The type that the extension function around a place is written for."""
        for index in place.module.chain(place.scope):
            item = place.module.outline.definitions[index]
            if item.receiver and item.kind in CALLABLES:
                return self.type_named(item.receiver, Place(place.module, item.parent, item.start_line, 0))
        return None

    def _applied(self, thing: Thing, step: Step, place: Place) -> Thing:
        calls, taken = step.calls, step.indices
        if step.is_taken_first and thing.kind not in (CALLABLE, TYPE):
            thing, taken = self.item_of(thing), 0
        elif step.is_taken_first and self.rules.group == "go":
            taken = 0  # a function or a type is given types
        if thing.kind == CALLABLE and place.module.outline.language in COUNTED:
            thing = thing._replace(refs=tuple(ref for ref in thing.refs if ref.takes(step.arguments)) or thing.refs)
        if not calls and thing.kind == CALLABLE and place.module.rules.bare_calls:
            calls = int(thing.refs[0].defined.kind != "lambda")
        for _ in range(min(calls, 2)):
            thing = self.called(thing)
        for _ in range(min(taken, 2)):
            thing = self.item_of(thing)
        return thing

    def called(self, thing: Thing) -> Thing:
        """What calling it gives."""
        if thing.kind == TYPE:
            made = Thing(INSTANCE, thing.name, thing.refs, thing.arguments, thing.home, held=ITSELF)
            return self.aliased(thing) or made
        if thing.kind == CALLABLE:
            return self._returned(thing)
        if thing.kind == INSTANCE:
            name = CALLED.get(self.module.outline.language)
            applied = self.member(thing, name)[0] if name and thing.held != POINTED else []
            if applied:
                return self._returned(Thing(CALLABLE, applied[0].name, tuple(applied)))
            if self.rules.group == "csharp":
                return unknown("called value")  # what a delegate gives
            # `x()` of a parenless accessor that was already called, or an object that can be called.
            return thing if thing.refs else unknown("called value")
        if thing.kind == OUTSIDE and self.rules.group == "rust" and thing.name.rpartition(".")[2] in _RUST_FUNCTIONS:
            return unknown("called value")
        if thing.kind == OUTSIDE and self.rules.group == "csharp" and thing.home is not None:
            stated = thing.arguments if thing.name.rpartition(".")[2] == _DELEGATE else ()
            return self.type_named(stated[-1], thing.home) if stated else unknown("called value")
        # A function of Lua or PHP; what Ruby calls a method's result is known by its name.
        gives = thing.kind == OUTSIDE and not self.rules.stated and not self.rules.bare_calls
        return thing._replace(given=True) if gives and thing.name not in _LUA_CALLS else thing

    def _returned(self, thing: Thing) -> Thing:
        if len(thing.refs) > 1 and (self.module.outline.language in COUNTED or self.rules.group == "c"):
            # `fun url(a: URL) = url(a.text)` gives what the others give.
            own = [ref for ref in thing.refs if not ref.defined.value.startswith(f"{ref.defined.name}(")]
            each = [self._returned(thing._replace(refs=(ref,))) for ref in own or thing.refs]
            if self.rules.group == "c":
                each = [one for one in each if one.kind != UNKNOWN] or each  # of a definition a header may say it
            same = all(one.kind == each[0].kind and one.name == each[0].name for one in each)
            return each[0] if same else unknown("one of several results")
        for ref in thing.refs:
            item = ref.defined
            owner = ref.name.rpartition(".")[0]
            of_class = self.rules.group == "c" and bool(owner) and item.name == owner.rpartition(".")[2]
            if item.kind == "constructor" or of_class:
                return Thing(INSTANCE, owner, self.reader.definitions(owner))
            text = item.returns
            if item.kind == "variant":
                return Thing(INSTANCE, owner, self.reader.definitions(owner))
            if text in ("Self", "static", "$this", "this") or (not text and item.value == "this"):
                owner = thing.receiver or owner  # what is inherited gives back what it was called on
            if text in ("Self", "self", "static", "$this", "this") or (not text and item.value == "this"):
                return Thing(INSTANCE, owner, self.reader.definitions(owner), held=ITSELF)
            if text and text not in ("auto", "void"):
                found = self.handed_out(text, Place(ref.module, ref.at, item.start_line, 0))
                if found.name in ("Self", "static") or found.kind == UNKNOWN:
                    continue
                return found
            if item.value:
                found = self.evaluate(item.value, Place(ref.module, ref.at, item.end_line, 0))
                if found.kind in (INSTANCE, OUTSIDE):
                    return found
            if item.name == "new" and owner:
                return Thing(INSTANCE, owner, self.reader.definitions(owner))
        return unknown("return type not stated")

    def step(self, thing: Thing, name: str, place: Place, will_call: bool = False, count: int = -1) -> Thing:
        """A member of a thing, which may be called with so many arguments."""
        if thing.kind == OUTSIDE:
            if thing.arguments and name in OF_ITEMS:
                return thing
            added = self._added(thing, name, count) if will_call else None
            if added is not None:
                return added
            if thing.arguments and thing.home is not None and self.rules.group == "c":
                if name.endswith("iterator"):
                    return thing._replace(name=f"{thing.name}.{name}")
                if name in _PAIR and len(thing.arguments) >= len(_PAIR):
                    return self.type_named(thing.arguments[_PAIR.index(name)], thing.home)
            if thing.arguments and name in OF_WRAPPERS:
                return self.item_of(thing)
            if thing.arguments and (will_call or place.module.outline.language == "scala"):
                return unknown("result of an outside call")  # it may hand back what is ours
            return Thing(OUTSIDE, f"{thing.name}.{name}", given=thing.given or self._hands_out(thing.name, name))
        if thing.kind == UNKNOWN:
            return thing
        if thing.kind == CALLABLE:
            # A field may have the name of a method.
            values = tuple(ref for ref in self.reader.definitions(thing.name) if ref.defined.kind in VALUES)
            thing = self.of_refs(values) if values else unknown("member of a function")
            return self.step(thing, name, place, will_call, count) if thing.kind not in (UNKNOWN, CALLABLE) else thing
        if thing.kind == SPACE:
            found = self._in_space(thing.name, name, MAX_REEXPORTS)
            if found is None and self.rules.group == "c" and thing.name.partition(".")[0] == "std":
                return Thing(OUTSIDE, f"{thing.name}.{name}")  # others only add to it
            return found or unknown(f"not in {thing.name}")
        if self.rules.group == "jvm" and name == "class":
            return Thing(OUTSIDE, "java.lang.Class")
        if self.rules.group == "jvm" and name == COMPANION and thing.kind == TYPE:
            return thing
        if self.rules.group == "php":
            name = name.removeprefix("$")  # `self::$name`
        if place.module.outline.language == "ruby":
            if name == "new":
                return Thing(INSTANCE, thing.name, thing.refs)
            if name == "class":
                return Thing(TYPE, thing.name, thing.refs)
        if place.module.outline.language == "lua" and name == "new" and will_call and not self.states_new(thing):
            return Thing(TYPE, thing.name, thing.refs)
        refs, outside = self.taking(thing, name, count)
        only_one = name == "instance" and thing.kind == TYPE and outside == f"{self.rules.literal}.Singleton"
        if only_one and not refs and self.rules.group == "ruby":
            return Thing(INSTANCE, thing.name, thing.refs)  # Ruby's own module makes the one that there is
        if refs and not will_call and self.rules.apart:
            refs = self.field(thing, name)
        if not will_call and not any(ref.defined.kind in VALUES for ref in refs):
            refs = self.accessed(thing, name) or refs
            if refs and refs[0].defined.name != name:
                return self.called(self.of_refs(tuple(refs)))
        if refs:
            found = self.of_refs(tuple(refs))
            if found.kind == CALLABLE and thing.kind in (INSTANCE, TYPE) and not thing.name.startswith("super:"):
                return found._replace(receiver=thing.name)
            if found.kind != UNKNOWN or found.name == TYPE_PARAMETER:
                return found
        slot = self.slot(thing, name)
        if slot is not None:
            return slot
        if refs:
            return unknown("type of field not stated")
        if thing.kind == TYPE and place.module.outline.language == "scala" and self.is_space(f"{thing.name}.{name}"):
            return Thing(SPACE, f"{thing.name}.{name}")  # of a package that has an object of its own
        embedded = self.embedded(thing, name)
        if embedded is not None:
            return embedded
        if self.rules.group == "rust" and name == "default" and thing.kind == TYPE and will_call:
            return Thing(TYPE, thing.name, thing.refs)  # derived: whoever writes it gives back an instance
        added = self._added(thing, name, count) if will_call and thing.kind == INSTANCE else None
        if added is not None:
            return added
        if name in OF_WRAPPERS and thing.kind == INSTANCE and outside and self.rules.group != "rust":
            return unknown("result of an outside call")  # a list of ours hands out ours
        if name in OF_WRAPPERS and thing.kind == INSTANCE:
            # The result of the call on it is the thing itself again: hand out something that calling leaves alone.
            return Thing(TYPE, thing.name, thing.refs, thing.arguments, thing.home) if will_call else thing
        if outside.startswith(LOST):
            return unknown(f"base {outside.removeprefix(LOST)} not found")
        if self.below(thing, name):
            return unknown(f"no member {name} but in what extends it")
        if outside or name in OF_EVERY_OBJECT:
            given = bool(outside) and not self.rules.stated
            return Thing(OUTSIDE, f"{outside or self.rules.literal}.{name}", given=given)
        return unknown(f"no member {name}")

    def _added(self, thing: Thing, name: str, count: int) -> Thing | None:
        """What functions of the root give a type that is written elsewhere, where they are all for this one."""
        refs = self.reader.extensions(name) if self.rules.group in ("jvm", "csharp") else []
        refs = [ref for ref in refs if count < 0 or ref.takes(count)]
        if not refs:
            return None
        names, _ = self.lineage(thing.name)
        fits = [ref for ref in refs if last_name(ref.defined.receiver) in names]
        if fits:
            return self.of_refs(tuple(fits))
        loose = [ref for ref in refs if not self._has_type(last_name(ref.defined.receiver))]
        return unknown("may be of an extension") if loose else None

    def _has_type(self, name: str) -> bool:
        return any(ref.defined.kind in TYPES for ref in self.reader.named(name))

    def embedded(self, thing: Thing, name: str) -> Thing | None:
        """What a struct of Go embeds, which is a field by the name of its type."""
        bases = self.bases(thing.name)[0] if self.rules.group == "go" and thing.kind == INSTANCE else ()
        return next((base for base in bases if base.name.rpartition(".")[2] == name), None)

    def _hands_out(self, outside: str, name: str) -> bool:
        """Whether a member of what is outside may give what is ours."""
        if self.rules.stated:
            return False
        first, _, rest = outside.partition(".")
        if self.rules.group == "ruby" and name == "new":
            return outside in _MAKES_TYPES
        if self.rules.group == "ruby" and first == self.rules.literal:
            return name in OF_CONTAINERS
        return not name[:1].isupper() and not (first == self.rules.literal and rest in _LUA_TEXTS)
