"""Expressions: what a chain's value is, as far as names, imports and stated types say.

Puts the parts together: names (scopes, rust), members of types, items, and here chains and the texts of types.
"""

from __future__ import annotations

from typing import Final

from everdex.facts import names_model as facts
from everdex.facts.expressions import COUNTED
from everdex.graph.names.imports import COMPANION, MAX_REEXPORTS, inner_space, lead, lua_table, rust_paths
from everdex.graph.names.index import Ref
from everdex.graph.names.items import Items
from everdex.graph.names.lookup import MAX_DEPTH
from everdex.graph.names.members import LOST, Members
from everdex.graph.names.rules import CALLABLES, SPACES, TYPES, VALUES
from everdex.graph.names.scopes import Names
from everdex.graph.names.things import (
    CALLABLE,
    INSTANCE,
    OF_ANYTHING,
    OF_CONTAINERS,
    OF_EVERY_OBJECT,
    OF_ITEMS,
    OF_ITSELF,
    OF_WRAPPERS,
    OUTSIDE,
    SPACE,
    TYPE,
    UNKNOWN,
    Place,
    Thing,
    unknown,
)  # fmt: skip
from everdex.graph.names.types import LIST, Step, parameters_after, parse_chain, parse_type

_MAX_STEPS: Final = 48
_RUST_ROOTS: Final = frozenset(("crate", "super"))
_OF_THIS: Final = frozenset(("apply", "also"))  # Kotlin: functions that give back what they are called on
_PAIR: Final = ("first", "second")  # of a pair of C++, or of an item of a map
_RUST_FUNCTIONS: Final = frozenset(("Fn", "FnMut", "FnOnce"))
_RUBY_TYPES: Final = frozenset(("module",))  # which of Rust's are none, but not outside either
_MAKES_TYPES: Final = frozenset(("builtin.Class", "builtin.Data", "builtin.Module", "builtin.Struct"))
_LUA_TEXTS: Final = frozenset(("bit", "bit32", "io", "math", "os", "string", "utf8"))  # whose functions give their own
_LUA_CALLS: Final = frozenset(("builtin.tonumber", "builtin.tostring", "builtin.type"))


class Evaluation(Names, Members, Items):
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
                thing = self._applied(self.head(head, place, steps[0].calls > 0), steps[0], place)
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
            if stated.startswith("lambda "):
                ref = Ref(place.module, int(stated.removeprefix("lambda ")))
                return Thing(CALLABLE, ref.name, (ref,))
            if stated.startswith("require "):
                return self._required(stated.removeprefix("require "), place)
            return self.type_named(stated, place)
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
                return Thing(kind, owner, self.reader.definitions(owner))
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
            return Thing(INSTANCE, f"super:{place.module.owner(place.scope)}")
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
        foreign = found.kind == UNKNOWN and self._is_foreign(head, called) and not self.is_missing(head, place)
        if foreign and self.local(head, place) is None:
            return Thing(OUTSIDE, head)
        inherited = found.kind == UNKNOWN and called and rules.stated and rules.implicit_members
        if inherited and self.local(head, place) is None and not self.reader.named(head):
            outside = self.member(Thing(INSTANCE, place.module.owner(place.scope)), head)[1]
            if outside and not outside.startswith(LOST):
                return Thing(OUTSIDE, f"{outside}.{head}")
        return found

    def _is_foreign(self, head: str, called: bool) -> bool:
        """Whether a name that is not in reach, and that nothing in the root has, must be somebody else's."""
        kept = self.rules.capital_types and head[:1].isupper() and not head.isupper()
        return (kept or (called and self.rules.global_calls)) and not self.reader.named(head)

    def extended(self, place: Place) -> Thing | None:
        """The type that the extension function around a place is written for."""
        for index in place.module.chain(place.scope):
            item = place.module.outline.definitions[index]
            if item.receiver and item.kind in CALLABLES:
                return self.type_named(item.receiver, Place(place.module, item.parent, item.start_line, 0))
        return None

    def _applied(self, thing: Thing, step: Step, place: Place) -> Thing:
        calls = step.calls
        if thing.kind == CALLABLE and place.module.outline.language in COUNTED:
            thing = thing._replace(refs=tuple(ref for ref in thing.refs if ref.takes(step.arguments)) or thing.refs)
        if not calls and thing.kind == CALLABLE and place.module.rules.bare_calls:
            calls = int(thing.refs[0].defined.kind != "lambda")
        for _ in range(min(calls, 2)):
            thing = self.called(thing)
        for _ in range(min(step.indices, 2)):
            thing = self.item_of(thing)
        return thing

    def called(self, thing: Thing) -> Thing:
        """What calling it gives."""
        if thing.kind == TYPE:
            return self.aliased(thing) or Thing(INSTANCE, thing.name, thing.refs, thing.arguments, thing.home)
        if thing.kind == CALLABLE:
            return self._returned(thing)
        if thing.kind == INSTANCE:
            # `x()` of a parenless accessor that was already called, or an object that can be called.
            return thing if thing.refs else unknown("called value")
        if thing.kind == OUTSIDE and self.rules.group == "rust" and thing.name.rpartition(".")[2] in _RUST_FUNCTIONS:
            return unknown("called value")
        # A function of Lua or PHP; what Ruby calls a method's result is known by its name.
        gives = thing.kind == OUTSIDE and not self.rules.stated and not self.rules.bare_calls
        return thing._replace(given=True) if gives and thing.name not in _LUA_CALLS else thing

    def _returned(self, thing: Thing) -> Thing:
        if len(thing.refs) > 1 and self.module.outline.language in COUNTED:
            # `fun url(a: URL) = url(a.text)` gives what the others give.
            own = [ref for ref in thing.refs if not ref.defined.value.startswith(f"{ref.defined.name}(")]
            each = [self._returned(thing._replace(refs=(ref,))) for ref in own or thing.refs]
            same = all(one.kind == each[0].kind and one.name == each[0].name for one in each)
            return each[0] if same else unknown("one of several results")
        for ref in thing.refs:
            item = ref.defined
            owner = ref.name.rpartition(".")[0]
            if item.kind == "constructor":
                return Thing(INSTANCE, owner, self.reader.definitions(owner))
            text = item.returns
            if item.kind == "variant":
                return Thing(INSTANCE, owner, self.reader.definitions(owner))
            if text in ("Self", "static", "$this", "this") or (not text and item.value == "this"):
                owner = thing.receiver or owner  # what is inherited gives back what it was called on
            if text in ("Self", "self", "static", "$this", "this") or (not text and item.value == "this"):
                return Thing(INSTANCE, owner, self.reader.definitions(owner))
            if text and text not in ("auto", "void"):
                found = self.type_named(text, Place(ref.module, ref.at, item.start_line, 0))
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
            if thing.arguments and thing.home is not None and self.rules.group == "c":
                if name.endswith("iterator"):
                    return thing._replace(name=f"{thing.name}.{name}")
                if name in _PAIR and len(thing.arguments) >= len(_PAIR):
                    return self.type_named(thing.arguments[_PAIR.index(name)], thing.home)
            if thing.arguments and name in OF_WRAPPERS:
                return self.item_of(thing)
            if thing.arguments and will_call:
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
        if place.module.outline.language == "lua" and name == "new" and will_call and not self._stated_new(thing):
            return Thing(TYPE, thing.name, thing.refs)
        refs, outside = self.taking(thing, name, count)
        if refs and not will_call and self.rules.apart:
            refs = self.field(thing, name)
        if refs:
            found = self.of_refs(tuple(refs))
            if found.kind == CALLABLE and thing.kind in (INSTANCE, TYPE) and not thing.name.startswith("super:"):
                return found._replace(receiver=thing.name)
            if found.kind != UNKNOWN:
                return found
        slot = self.slot(thing, name)
        if slot is not None:
            return slot
        if refs:
            return unknown("type of field not stated")
        if thing.kind == TYPE and place.module.outline.language == "scala" and self.is_space(f"{thing.name}.{name}"):
            return Thing(SPACE, f"{thing.name}.{name}")  # of a package that has an object of its own
        if self.rules.group == "go" and thing.kind == INSTANCE:
            embedded = [base for base in self.bases(thing.name)[0] if base.name.rpartition(".")[2] == name]
            if embedded:
                return embedded[0]  # what is embedded is a field by the name of its type
        if self.rules.group == "rust" and name == "default" and thing.kind == TYPE and will_call:
            return Thing(TYPE, thing.name, thing.refs)  # derived: whoever writes it gives back an instance
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

    def _stated_new(self, thing: Thing) -> bool:
        return any(ref.defined.returns for ref in self.reader.definitions(f"{thing.name}.new"))

    def type_named(self, text: str, place: Place) -> Thing:
        """An instance of the type that a text states."""
        if self._depth >= MAX_DEPTH:
            return unknown("too deep")
        self._depth += 1
        try:
            name, arguments = parse_type(text)
            if not name:
                return unknown("type without a name")
            if name == LIST:
                return Thing(OUTSIDE, f"{self.rules.literal}.list", (), arguments, place)
            rules = place.module.rules
            if place.module.outline.language == "swift":
                name = name.removesuffix(".Type").removesuffix(".Protocol")  # the type itself, as a value
            if arguments and name.rpartition(".")[2] in rules.wrappers:
                return self.type_named(arguments[0], place)
            if name.startswith(facts.UNNAMED):
                return Thing(INSTANCE, place.module.unnamed(name, place.scope))
            if name == "parent" and rules.group == "php":
                above = self.bases(place.module.owner(place.scope))[0]
                return above[0] if above else unknown("base not found")
            if name in ("Self", "static", "self"):
                owner = place.module.owner(place.scope)
                return Thing(INSTANCE, owner, self.reader.definitions(owner)) if owner else unknown("no type around it")
            thing = self.path(name, place)
            if thing.kind == OUTSIDE and thing.arguments and not arguments:
                return thing  # `Values::iterator`, where `Values` is an alias
            if thing.kind == OUTSIDE:
                return Thing(OUTSIDE, thing.name, (), arguments, place)
            if thing.kind == TYPE:
                aliased = self.aliased(thing)
                return aliased or Thing(INSTANCE, thing.name, thing.refs, arguments, place)
            if thing.kind == CALLABLE or (thing.kind == INSTANCE and thing.refs):
                return Thing(INSTANCE, thing.name, thing.refs, arguments, place)
            bound = self.local(name, place)
            if bound is not None and bound.type and bound.type != text:
                return self.type_named(bound.type, place)  # a type parameter is what it must at least be
            if bound is not None or (len(name) < 3 and name[0].isupper()) or is_type_parameter(name, place):
                return unknown("type parameter")
            missing = self.is_missing(name.partition(".")[0], place)
            named = self.reader.named(name.rpartition(".")[2])
            if not missing and not any(ref.defined.kind in TYPES | _RUBY_TYPES for ref in named):
                return Thing(OUTSIDE, name, (), arguments, place)
            return unknown(f"type {name} not found")
        finally:
            self._depth -= 1

    def path(self, dotted: str, place: Place) -> Thing:
        """A dotted name in the place of a type."""
        if place.module.outline.language == "rust" and dotted.partition(".")[0] in ("crate", "self", "super"):
            for path in rust_paths(place.module, place.scope, dotted, self.reader):
                found = self.rust_path(path, MAX_REEXPORTS, place.module.space)
                if found:
                    return found
        if dotted.startswith("."):
            return self.whole_name(dotted[1:]) or Thing(OUTSIDE, dotted[1:])
        first, *rest = dotted.split(".")
        if rest and place.module.outline.language == "swift" and self._is_swift_module(first):
            first, *rest = rest
        thing = self.name(first, place, types_only=True)
        for name in rest:
            aliased = self.aliased(thing) if thing.kind == TYPE else None
            if aliased is not None:
                thing = aliased if aliased.kind == OUTSIDE else Thing(TYPE, aliased.name, aliased.refs)
            thing = self.step(thing, name, place)
        if rest and (thing.kind == UNKNOWN or (thing.kind == OUTSIDE and self.rules.group == "jvm")):
            whole = self.whole_name(dotted)
            if whole:
                return whole
        return thing

    def _is_swift_module(self, name: str) -> bool:
        return not self.reader.definitions(name) and bool(self.reader.space(name))

    def aliased(self, thing: Thing) -> Thing | None:
        """What the type is that a type is another name of."""
        for ref in thing.refs:
            item = ref.defined
            aliased = parse_type(item.type)[0] if item.kind == "type" else ""
            if aliased.strip(".") not in ("", item.name):
                found = self.type_named(item.type, Place(ref.module, ref.at, item.start_line, 0))
                own = any(other.name.startswith(f"{thing.name}.") for other in thing.refs)
                if found.kind not in (INSTANCE, OUTSIDE):
                    continue
                if "=" in item.signature or (not own and ref.module.outline.language != "go"):
                    return found
        return None

    def of_refs(self, refs: tuple[Ref, ...]) -> Thing:
        """What definitions of one name are."""
        first = next((ref for ref in refs if not ref.defined.flags & facts.SCOPE_ONLY), refs[0])
        kind = first.defined.kind
        language = first.module.outline.language
        if kind in TYPES or (kind == "module" and language == "ruby"):
            return Thing(TYPE, first.name, refs)
        if kind in SPACES:
            return Thing(SPACE, first.name, refs)
        callables = tuple(ref for ref in refs if ref.defined.kind in CALLABLES)
        if callables:
            return Thing(CALLABLE, first.name, callables)
        owner = first.name.rpartition(".")[0]
        if kind == "variant":
            return Thing(INSTANCE, owner, self.reader.definitions(owner))
        item = first.defined
        place = Place(first.module, first.at, item.start_line, 0)
        if self.rules.group == "c" and first.has_members:
            return Thing(INSTANCE, first.name, refs)  # of a struct without a name, whose fields are found here
        if item.type and item.type not in ("var", "auto", "val"):
            return self.type_named(item.type, place)
        if item.value:
            thing = self.evaluate(item.value, place)
            if thing.kind != UNKNOWN and not (thing.kind == OUTSIDE and language == "lua" and first.has_members):
                return thing
        if language == "lua":
            return Thing(TYPE, first.name, refs)
        return unknown("type of field not stated" if kind == "field" else "type of variable not stated")

    def _required(self, wanted: str, place: Place) -> Thing:
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


def is_type_parameter(name: str, place: Place) -> bool:
    """Whether something around a place takes a type of this name."""
    definitions = place.module.outline.definitions
    around = (definitions[at] for at in place.module.chain(place.scope))
    return any(name in parameters_after(item.name, item.signature) for item in around)
