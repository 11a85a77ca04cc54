"""Calls on a receiver: members of what it is, functions written for its type, and what its name alone may tell."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import Final

import msgspec

from everdex.facts import names_model as facts
from everdex.facts.operators import CALLED
from everdex.graph.model import Status
from everdex.graph.names.choosing import (
    MAX_CANDIDATES,
    Answer,
    Choosing,
    is_generic,
    outside_root,
    takes_types,
    unresolved,
)  # fmt: skip
from everdex.graph.names.index import Below, Ref
from everdex.graph.names.members import LOST
from everdex.graph.names.rules import ABSTRACT, CALLABLES, TYPES
from everdex.graph.names.things import (
    CALLABLE,
    INSTANCE,
    NET_TYPES,
    OF_EVERY_ENUM,
    OF_EVERY_OBJECT,
    OF_FUNCTIONS,
    OF_NET,
    OF_QUERIES,
    OF_WRAPPERS,
    OUTSIDE,
    POINTED,
    SHOWN,
    SPACE,
    TYPE,
    UNKNOWN,
    WRAPPED,
    Place,
    Thing,
)  # fmt: skip
from everdex.graph.names.types import last_name, types_taken

# Languages in which a base's methods stay in reach beside others of the same name.
OVERLOADING: Final = frozenset(("jvm", "csharp", "swift"))
MAX_BELOW: Final = 41  # what is only declared and 40 that write it out are each meant
CROWDED: Final = "more types below have it than are listed"
_LABELLED: Final = ("method", "constructor")
_RUST_HEADS: Final = frozenset(("crate", "super"))


class OnReceivers(Choosing):
    """Answers for calls on a receiver."""

    def _on(self, use: facts.Use, place: Place) -> Answer:
        evaluation, name = self.evaluation, use.name
        if use.receiver == ".":
            thing = evaluation.whole_name(name)
            if thing is None:
                return outside_root(name) if self.language == "php" else self._nowhere(use, "")
            return self._constructed(thing, use) if thing.kind == TYPE else self._chosen(list(thing.refs), use)
        from_root = self.language == "rust" and use.receiver.split(".")[0] in _RUST_HEADS
        if use.role in (facts.NEW, facts.MACRO) or from_root:
            thing = evaluation.path(f"{use.receiver}.{name}", place)
            if thing.kind == OUTSIDE:
                return outside_root(thing.name)
            if thing.kind in (TYPE, CALLABLE):
                return self._constructed(thing, use) if thing.kind == TYPE else self._chosen(list(thing.refs), use)
            if use.role == facts.NEW or (from_root and thing.kind == UNKNOWN):
                again = evaluation.evaluate(use.receiver, place)
                if again.kind not in (INSTANCE, TYPE, SPACE):
                    return unresolved(thing.name or "type not found")
        # Before `::` stands no variable, but in Rust perhaps a type parameter.
        qualified = "::" in use.text and (self.rules.group == "c" or not use.text[0].isupper())
        around = evaluation.path(use.receiver, place) if qualified else evaluation.evaluate(use.receiver, place)
        if around.kind == OUTSIDE and self._is_of_a_block(use, place):
            return self._by_name(use, "receiver of a block")
        if around.given and any(ref.defined.kind in CALLABLES for ref in evaluation.reader.named(name)):
            return self._by_name(use, "result of an outside call")
        ours = evaluation.extending(around.name, name) if around.kind == OUTSIDE else []
        if ours:
            return Answer(Status.AMBIGUOUS, tuple(ours[:MAX_CANDIDATES]), reason=f"may extend {around.name}")
        if around.kind == OUTSIDE:
            return self._extended(use, around, "") or outside_root(f"{around.name}.{name}")
        stranger = around.kind == UNKNOWN and qualified and self.rules.group == "c"
        if stranger and not evaluation.reader.named(use.text.partition("::")[0]):
            return outside_root(use.text.replace("::", "."))  # no namespace and no type of this name is here
        if around.kind == UNKNOWN:
            return self._by_name(use, around.name)
        around = evaluation.or_type(around, use.receiver, name, place)
        if around.kind == SPACE:
            thing = evaluation.step(around, name, place)
            if thing.kind == CALLABLE:
                return self._chosen(list(thing.refs), use)
            if thing.kind == TYPE:
                return self._constructed(thing, use)
            if thing.kind == OUTSIDE:
                return outside_root(thing.name)
            return self._by_name(use, f"{name} is not in {around.name}")
        if around.kind == CALLABLE:
            return self._by_name(use, "member of a function")
        return self._member(use, around)

    def _is_of_a_block(self, use: facts.Use, place: Place) -> bool:
        """Whether `this` may be another object's: that of whoever runs the block."""
        own = use.receiver.partition(".")[0] in self.rules.self_names and self.language in ("kotlin", "ruby")
        return own and self.module.outline.definitions[place.scope].kind == "lambda" if place.scope >= 0 else False

    def _member(self, use: facts.Use, around: Thing) -> Answer:
        evaluation, name = self.evaluation, use.name
        if self.language == "ruby" and name == "new" and around.kind == TYPE:
            made, outside = evaluation.member(Thing(INSTANCE, around.name), "initialize")
            own = evaluation.reader.definitions(f"{around.name}.new")
            if own or made:
                return self._naming(around, self._chosen(list(own) or made, use))
            return self._type(around, self._above(outside, "", "type not found"))
        counted = self.rules.group in OVERLOADING
        refs, outside = evaluation.taking(around, name, use.arguments if counted else -1)
        of_type = around.kind == TYPE and self.language == "csharp"
        taking = [ref for ref in refs if ref.defined.kind in CALLABLES and ref.takes(use.arguments)] if of_type else []
        if _are_of_several(taking):
            reason = "of types that take other numbers of types"
            return Answer(Status.AMBIGUOUS, tuple(taking[:MAX_CANDIDATES]), reason=reason)
        if counted:
            refs = self._overloaded(refs, use)
        if self.language == "swift" and outside and not outside.startswith(LOST) and use.arguments >= 0:
            # What is called with other labels is what is outside has.
            refs = [ref for ref in refs if ref.defined.kind not in _LABELLED or self.overloads.are_labelled(ref, use)]
        callables = [ref for ref in refs if ref.defined.kind in CALLABLES or ref.defined.kind == "variant"]
        types = facts.types_given(use.text)
        if types:
            refs = callables = [ref for ref in callables if takes_types(ref.defined, types)]
        if self.language == "csharp" and self._is_every_objects(callables, use):
            return outside_root(f"System.Object.{name}")
        if counted and callables and use.arguments >= 0 and not any(ref.takes(use.arguments) for ref in callables):
            extended = self._extended(use, around, outside) if self.language == "csharp" else None
            if extended:
                return extended
        if callables and self._is_met_outside(around, callables):
            return Answer(Status.AMBIGUOUS, tuple(callables[:MAX_CANDIDATES]), reason="the type itself is outside")
        if callables:
            # `super.m()` runs the base's own, whatever replaces it elsewhere.
            may_be_below = around.kind == INSTANCE and not around.name.startswith("super:")
            return self._running(callables, use) if may_be_below else self._chosen(callables, use)
        nested = [ref for ref in refs if ref.defined.kind in TYPES]
        if nested:
            return self._constructed(Thing(TYPE, nested[0].name, tuple(nested)), use)
        if self.language == "swift" and name in self.rules.constructors and self._is_required(around):
            # What a protocol asks for is written in who has it.
            return outside_root(f"{outside}.{name}") if outside and not outside.startswith(LOST) else unresolved(name)
        if self.language in ("swift", "php", "ruby", "lua") and name in self.rules.constructors and around.refs:
            return self._type(around, outside_root(around.name))
        extended = self._extended(use, around, outside)
        if extended:
            return extended
        if refs:
            return self._in_field(refs, use)
        if self.rules.group == "jvm" and any(ref.defined.kind in ("enum", "class") for ref in around.refs):
            outside = outside or ("java.lang.Enum" if name in OF_EVERY_ENUM else "")
        if self.language == "php" and name in ("from", "tryFrom", "cases"):
            outside = outside or "BackedEnum"
        below = [ref for ref in evaluation.below(around, name) if ref.defined.kind in CALLABLES]
        if below:
            reason = f"no member {name} in {around.name} but in what extends it"
            return Answer(Status.AMBIGUOUS, tuple(below[:MAX_CANDIDATES]), reason=reason)
        if outside.startswith(LOST):
            return self._by_name(use, f"base {outside.removeprefix(LOST)} not found")
        narrower = evaluation.narrower(around, name) if outside else []
        if narrower:
            return Answer(Status.AMBIGUOUS, tuple(narrower[:MAX_CANDIDATES]), reason=f"of what extends {around.name}")
        is_here = any(not ref.defined.flags & facts.SCOPE_ONLY for ref in around.refs)
        if outside and is_here and self.rules.group == "rust" and name not in OF_EVERY_OBJECT:
            # A trait that is outside says nothing of what the type leads to, nor of traits for all types.
            guess = self._by_name(use, f"of {outside}, or not of {last_name(around.name)}")
            if guess.refs:
                return guess
        if outside or name in OF_EVERY_OBJECT:
            return outside_root(f"{outside or 'builtin'}.{name}")
        if self.rules.group == "rust" and name in OF_WRAPPERS:
            return outside_root(f"std.{name}")
        if self.rules.group == "rust":
            return self._by_name(use, f"{around.name} has no {name} here: derived, or of an outside trait")
        return self._by_name(use, f"no member {name} in {around.name}")

    def _in_field(self, refs: list[Ref], use: facts.Use) -> Answer:
        """A call of what a field holds: of its operator, where that is an object that has one."""
        named = tuple(ref for ref in refs if ref.key)
        ran = self._of_object(self.evaluation.of_refs(named), use) if named and self.language in CALLED else None
        return replace(ran or unresolved("function in a field"), named=named)

    def _of_object(self, thing: Thing, use: facts.Use) -> Answer | None:
        """What calling an object runs: `operator()` of C++, `invoke` of Kotlin and their like."""
        name = CALLED.get(self.language)
        if name is None or thing.kind != INSTANCE or thing.held in (POINTED, WRAPPED, SHOWN):
            return None
        found = [ref for ref in self.evaluation.member(thing, name)[0] if ref.defined.kind in CALLABLES]
        return self._running(found, msgspec.structs.replace(use, name=name)) if found else None

    def _running(self, declared: list[Ref], use: facts.Use) -> Answer:
        """What a call of these members may run: they themselves, or what types below have in their place."""
        plain = self._chosen(declared, use)
        below = self.evaluation.implementations(declared, use.name) if plain.refs else Below()
        written = [ref for ref in below.refs if ref.defined.kind in CALLABLES]  # a field may have the same name
        if below.is_all and not written:
            return plain
        by_name = self._by_type(declared, written, use)
        if not below.is_all or len(by_name) > MAX_BELOW:
            return replace(plain, status=Status.AMBIGUOUS, reason=CROWDED)
        meant = {ref.defined.takes for ref in self._fitting(declared, use)}
        chosen = [self._as_declared(group, meant, use) for group in by_name.values()]
        groups = [self._several(self._paired(group)) for group in chosen if group]
        doubt = next((group for group in groups if group.status is not Status.RESOLVED), None)
        every = tuple(dict.fromkeys(ref for group in groups for ref in group.refs))
        if len(every) > MAX_BELOW:
            return replace(plain, status=Status.AMBIGUOUS, reason=CROWDED)
        return replace(doubt, refs=every) if doubt else Answer(Status.RESOLVED, every)

    def _by_type(self, refs: list[Ref], replacing: list[Ref], use: facts.Use) -> dict[str, list[Ref]]:
        """What a call means in each type that has the name: the parameters of an interface may be of types that it is
        given, and a type below may have another of the name."""
        own, by_name = {ref.name for ref in refs}, dict[str, list[Ref]]()
        loose = use.arguments < 0 or not self.rules.overloads or self.rules.group == "c"
        for ref in (*refs, *replacing):
            if ref.key and (loose or ref.name in own or ref.takes(use.arguments)):
                by_name.setdefault(ref.name, []).append(ref)
        return by_name

    def _as_declared(self, refs: list[Ref], meant: Set[tuple[str, ...]], use: facts.Use) -> list[Ref]:
        """Of the methods of a name in one type those that a call means: what takes the types that are taken by the one
        which is meant where it is declared, or else what fits."""
        alike = [ref for ref in refs if ref.defined.takes in meant]
        if alike or not self.rules.overloads or self.rules.group == "c":
            return alike or self._fitting(refs, use)
        return self.overloads.fitting(self._accessible(refs, use), use)  # none where it has only others of the name

    def _is_required(self, around: Thing) -> bool:
        """Whether a type of Swift is made by others only: a protocol, or a type that a protocol leaves open."""
        open_types = [ref for ref in around.refs if ref.defined.signature.startswith("associatedtype")]
        return bool(open_types) or any(ref.defined.kind in ABSTRACT for ref in around.refs)

    def _is_every_objects(self, refs: list[Ref], use: facts.Use) -> bool:
        """Whether a call means what every object has, because what has the name here takes something else."""
        counted = use.name in OF_EVERY_OBJECT and use.arguments >= 0
        return counted and bool(refs) and not any(ref.takes(use.arguments) for ref in refs)

    def _is_met_outside(self, around: Thing, refs: list[Ref]) -> bool:
        """Whether a type that is only extended here has to have by itself what these declare."""
        return (
            bool(around.refs)
            and all(ref.defined.flags & facts.SCOPE_ONLY for ref in around.refs)
            and not any(ref.defined.flags & facts.BODY for ref in refs)
        )

    def _overloaded(self, refs: list[Ref], use: facts.Use) -> list[Ref]:
        """Where none of the nearest members of a name takes what is passed, or they are fields, a base's is meant."""

        def fitting(each: list[Ref]) -> list[Ref]:
            reached = self._accessible(each, use)
            called = [ref for ref in reached if ref.defined.kind in CALLABLES and ref.takes(use.arguments)]
            return self.overloads.fitting(_given_types(called, use), use)

        near = fitting(refs)
        if near and self.language == "csharp":
            refs = [*refs, *self._beside_these(near, use)]
        if not refs or any(ref.defined.least < 0 or ref.defined.most >= 0 for ref in near):
            return refs
        # What takes any number of arguments is asked last, after all that is above.
        owner = Thing(INSTANCE, refs[0].name.rpartition(".")[0])
        found, _ = self.evaluation.nearest(
            owner, use.name, lambda each: [ref for ref in fitting(each) if ref not in near]
        )
        return [*near, *found] or refs

    def _beside_these(self, near: list[Ref], use: facts.Use) -> list[Ref]:
        """C#: what a base has besides, where nobody knows whether these take what is passed."""
        if not use.given or self.overloads.are_sure(near, use):
            return []
        owner, known = Thing(INSTANCE, f"super:{near[0].name.rpartition('.')[0]}"), {ref.defined.takes for ref in near}

        def other(each: list[Ref]) -> list[Ref]:
            called = [ref for ref in each if ref.defined.kind in CALLABLES and ref.takes(use.arguments)]
            fits = self.overloads.fitting(_given_types(called, use), use)
            return [ref for ref in fits if ref.defined.takes not in known]

        return self.evaluation.nearest(owner, use.name, other)[0]

    def _extended(self, use: facts.Use, around: Thing, outside: str) -> Answer | None:
        """Functions written for a type outside its definition."""
        if self.language == "swift" and (outside or around.kind == OUTSIDE):
            return self._by_extension(use)
        if self.language == "rust" and around.kind == OUTSIDE:
            return self._by_trait(use, around)
        if self.language == "scala" and (outside or around.kind == OUTSIDE):
            return self._by_implicit_class(use)
        found = self.evaluation.reader.extensions(use.name) if self.rules.group in ("jvm", "csharp") else []
        found = _given_types(found, use)
        if not found:
            return None
        wanted, _ = self.evaluation.lineage(around.name)
        wanted.add(outside.rpartition(".")[2])
        fits = [ref for ref in found if last_name(ref.defined.receiver) in wanted]
        if around.kind == OUTSIDE and use.arguments >= 0:
            fits = [ref for ref in fits if ref.takes(use.arguments)]  # else it is one of its own
        if fits:
            answer = self._chosen(fits, use, extending=True)
            doubt = self._doubt(list(answer.refs), use) if around.kind == OUTSIDE else ""
            return Answer(Status.AMBIGUOUS, answer.refs, reason=doubt) if doubt else answer
        # What a type outside the root extends, nobody here knows.
        beyond = around.kind == OUTSIDE or (self.language == "csharp" and outside and not outside.startswith(LOST))
        loose = [
            ref for ref in found if is_generic(ref.defined) or not self._is_here(ref.defined.receiver)
        ] if beyond else []  # fmt: skip
        fitting = [ref for ref in loose if use.arguments < 0 or ref.takes(use.arguments)]
        if fitting:
            reason = "may extend what is outside"
            return Answer(Status.AMBIGUOUS, tuple(fitting[:MAX_CANDIDATES]), reason=reason)
        return None

    def _doubt(self, refs: list[Ref], use: facts.Use) -> str:
        """Why something outside may have what these give it: they may stand in for what it lacks elsewhere."""
        if refs and all(ref.defined.flags & facts.CONDITIONAL for ref in refs):
            return "defined under a condition only"
        old = self.language == "csharp" and use.name in OF_NET
        if old and any(last_name(ref.defined.receiver) in NET_TYPES for ref in refs):
            return "may be the library's own"
        queried = self.language == "csharp" and use.name in OF_QUERIES
        led = [item.path for item in self.module.outline.imports] if queried else []
        return "may be of System.Linq" if "System.Linq" in led else ""

    def _by_extension(self, use: facts.Use) -> Answer | None:
        """Swift: what is outside may have what extensions here give a type or a protocol that is outside as well."""
        reader, found = self.evaluation.reader, list[Ref]()
        for ref in reader.named(use.name) if use.name not in OF_FUNCTIONS else ():  # which every container has
            owners = reader.definitions(ref.name.rpartition(".")[0])
            extends = owners and all(each.defined.flags & facts.SCOPE_ONLY for each in owners)
            if extends and ref.defined.kind in CALLABLES and (use.arguments < 0 or ref.takes(use.arguments)):
                found += self.overloads.fitting([ref], use)
        reason = "may extend what is outside"
        return Answer(Status.AMBIGUOUS, tuple(found[:MAX_CANDIDATES]), reason=reason) if found else None

    def _by_implicit_class(self, use: facts.Use) -> Answer | None:
        """Scala: what is outside may have what an implicit class gives it, wherever that is imported."""
        found = []
        for ref in self.evaluation.reader.named(use.name):
            parent = ref.defined.parent
            head = ref.module.outline.definitions[parent].signature if parent >= 0 else ""
            implicit = "implicit " in head.partition("(")[0] and ref.defined.kind in CALLABLES
            if implicit and (use.arguments < 0 or ref.takes(use.arguments) or ref.defined.least < 0):
                found.append(ref)
        reason = "may be of an implicit class"
        return Answer(Status.AMBIGUOUS, tuple(found[:MAX_CANDIDATES]), reason=reason) if found else None

    def _by_trait(self, use: facts.Use, around: Thing) -> Answer | None:
        """Rust: what is outside may have what a trait of the root gives it, where the trait is in reach."""
        evaluation, place = self.evaluation, Place(self.module, use.scope, use.line, use.column)
        declared = [
            ref for ref in evaluation.reader.declared(use.name)
            if ref.defined.kind in CALLABLES and evaluation.has_in_reach(ref.name.rpartition(".")[0], place)
        ]  # fmt: skip
        written = evaluation.implementations(declared, use.name).refs if declared else ()
        of_type = around.name.rpartition(".")[2]
        of_literal = self.rules.builtins if around.name == self.rules.literal else (of_type,)
        exact = [ref for ref in written if ref.name.rpartition(".")[0].rpartition(".")[2] in of_literal]
        common = use.name in self.rules.common  # of which the type may have one of its own, which comes first
        if exact and not common and around.name != self.rules.literal:
            return self._chosen(exact, use)
        every = tuple(dict.fromkeys(exact if common or exact else (*declared, *written)))[:MAX_CANDIDATES]
        return Answer(Status.AMBIGUOUS, every, reason="may be of a trait in reach") if every else None

    def _is_here(self, type_text: str) -> bool:
        return any(ref.defined.kind in TYPES for ref in self.evaluation.reader.named(last_name(type_text)))


def _given_types(refs: list[Ref], use: facts.Use) -> list[Ref]:
    """C#: of a call that is given types what takes as many."""
    types = facts.types_given(use.text)
    return [ref for ref in refs if takes_types(ref.defined, types)] if types else refs


def _are_of_several(refs: list[Ref]) -> bool:
    """Whether these are of types of C# with one name that take different numbers of types."""
    parents = [ref.module.outline.definitions[ref.defined.parent] for ref in refs if ref.defined.parent >= 0]
    return len({types_taken(item) for item in parents if item.kind in TYPES}) > 1
