"""Calls without a receiver: what is around the place, members of the types around it, constructors, `super(…)`."""

from __future__ import annotations

from dataclasses import replace

from everdex.facts import names_model as facts
from everdex.graph.model import Status
from everdex.graph.names.choosing import MAX_CANDIDATES, Answer, outside_root, takes_types, unresolved
from everdex.graph.names.index import Ref
from everdex.graph.names.members import LOST
from everdex.graph.names.on_receivers import OVERLOADING, OnReceivers
from everdex.graph.names.rules import CALLABLES, METHODS, TYPES, VALUES
from everdex.graph.names.things import CALLABLE, INSTANCE, OUTSIDE, SPACE, TYPE, UNKNOWN, Place, Thing
from everdex.graph.names.types import last_name


class Bare(OnReceivers):
    """Answers for calls by a name alone."""

    def _bare(self, use: facts.Use, place: Place) -> Answer:
        evaluation, name = self.evaluation, use.name
        if self.language == "bash":
            name = name.replace("::", ".")  # as parsing takes a function's name apart
        elif self.language == "ruby" and name == "new" and self.module.owner(place.scope):
            owner = self.module.owner(place.scope)
            return self._member(use, Thing(TYPE, owner, evaluation.reader.definitions(owner)))
        field = self._field_constructed(use, place)
        if field is not None:
            return field
        # Java keeps names of variables and of methods apart.
        separate = self.language == "java"
        local = evaluation.local(name, place) if use.role == facts.CALL and not separate else None
        if local is not None and self.language == "kotlin" and self._cannot_be_called(local.type, place):
            separate, local = True, None
        if local is not None and not self._defined_inside(name, place):
            thing = evaluation.evaluate(local.value, place) if local.value and not local.each else None
            if thing is not None and thing.kind == CALLABLE and "(" not in local.value:
                return self._one_of_several(list(thing.refs), local, use, place)
            if thing is not None and thing.kind == OUTSIDE and "(" not in local.value:
                return outside_root(thing.name)
            called = evaluation.head(name, place)
            if called.kind == INSTANCE:
                return self._of_object(called, use) or self._beside_local(use)
            return unresolved("function in a variable")
        if use.role == facts.NEW and name.startswith("$"):
            return unresolved("computed type")
        if use.role == facts.NEW:
            given = facts.types_given(use.text)
            stated = f"{name}<{','.join('?' * given)}>" if given else name
            return self._constructed(evaluation.type_named(stated, place), use)
        thing = evaluation.called_name(name, place) if separate else evaluation.name(name, place)
        if self.language == "rust" and use.role == facts.MACRO:
            thing = self._macro(thing, name)
        both = self._function_or_constructor(thing, use, place) if self.language == "kotlin" else None
        if both is not None:
            return both
        if thing.kind == TYPE and (self.rules.call_constructs or use.role == facts.NEW):
            return self._constructed(thing, use)
        if thing.kind == TYPE and self.language in ("go", "c", "ruby"):
            return self._type(thing, outside_root(thing.name))  # a conversion
        if thing.kind == CALLABLE:
            here = [ref for ref in thing.refs if self.language != "kotlin" or self._is_received(ref, place)]
            if here and self.language == "csharp" and self._is_every_objects(here, use):
                return outside_root(f"System.Object.{name}")
            types = facts.types_given(use.text)
            if types:
                here = [ref for ref in here if takes_types(ref.defined, types)] or here
            if here and self.language == "csharp" and all(ref.defined.receiver for ref in here):
                return self._chosen(here, use)
            if here and self.language == "csharp" and use.arguments >= 0 and self.module.owner(place.scope):
                inside = Thing(INSTANCE, self.module.owner(place.scope))
                above, beyond = evaluation.nearest(inside, name, lambda refs: self._taking(refs, use))
                if not above and beyond and not self._taking(here, use):
                    return outside_root(f"{beyond}.{name}")  # what is here takes something else
            if self.language == "swift" and not any(self.overloads.are_labelled(ref, use) for ref in here):
                beyond = evaluation.member(Thing(INSTANCE, self.module.owner(place.scope)), name)[1]
                if beyond and not beyond.startswith(LOST) and all(ref.defined.kind == "method" for ref in here):
                    return outside_root(f"{beyond}.{name}")  # what is here takes something else
            if here:
                overloaded = self._overloaded(here, use) if self.rules.group in OVERLOADING else here
                return self._in_block(overloaded, use, place)
        if thing.given:
            return unresolved("function that something outside gave")
        held = self._held(name, place) if thing.kind == OUTSIDE else ()
        if held:
            return replace(unresolved("function in a field"), named=held)
        if thing.kind == OUTSIDE:
            return outside_root(thing.name)
        if thing.kind == INSTANCE and thing.refs:
            return self._variant_or_value(name, thing.name, use, place)
        owner = self.module.owner(place.scope) if self.rules.implicit_members else ""
        beyond = ""
        if owner:
            kind = evaluation.self_kind(place) if self.language == "ruby" else INSTANCE
            refs, beyond = evaluation.member(Thing(kind, owner), name)
            callables = [ref for ref in refs if ref.defined.kind in CALLABLES]
            if callables:
                return self._in_block(callables, use, place)
            if refs:
                return self._in_field(refs, use)
        below = evaluation.below(Thing(INSTANCE, owner), name) if owner else []
        if below and not beyond:
            reason = f"no definition of {name} in {owner} but in what extends it"
            return Answer(Status.AMBIGUOUS, tuple(below[:MAX_CANDIDATES]), reason=reason)
        extensions = evaluation.reader.extensions(name) if self.language == "kotlin" else []
        if extensions:
            return self._guessed(extensions, use, "extension without a known receiver")
        if thing.kind == UNKNOWN and self._definitions_of(name, place):
            return unresolved("function in a variable")
        return self._nowhere(use, beyond)

    def _taking(self, refs: list[Ref], use: facts.Use) -> list[Ref]:
        """Those that may be meant, as far as anybody knows what is passed."""
        return self.overloads.fitting([ref for ref in refs if ref.takes(use.arguments)], use)

    def _held(self, name: str, place: Place) -> tuple[Ref, ...]:
        """The field of C# that holds a function of a type that is a library's: `Func<int, int> f` runs what is ours."""
        if self.language != "csharp":
            return ()
        return tuple(ref for ref in self.evaluation.values_named(name, place) if ref.key)

    def _function_or_constructor(self, thing: Thing, use: facts.Use, place: Place) -> Answer | None:
        """A function of Kotlin may have the name of a class; what is passed tells which is meant."""
        known = self.evaluation.reader.definitions(thing.name) if thing.kind in (TYPE, CALLABLE) else ()
        types = tuple(ref for ref in known if ref.defined.kind in TYPES and ref.key)
        functions = [ref for ref in known if ref.defined.kind in CALLABLES and self._is_received(ref, place)]
        if not types or not functions:
            return None
        made = self._constructed(Thing(TYPE, thing.name, types), use)
        return self._chosen([*functions, *made.refs], use)

    def _one_of_several(self, refs: list[Ref], local: facts.Local, use: facts.Use, place: Place) -> Answer:
        """The function in a variable; where it was assigned under a condition, those that it held before as well."""
        before: list[Ref] = []
        for other in self.evaluation.others(local, place):
            thing = self.evaluation.evaluate(other.value, place) if other.value else None
            before += thing.refs if thing is not None and thing.kind == CALLABLE and "(" not in other.value else ()
        if not set(before) - set(refs):
            return self._chosen(refs, use)
        every = tuple(dict.fromkeys(ref for ref in (*refs, *before) if ref.key))
        return Answer(Status.AMBIGUOUS, every[:MAX_CANDIDATES], reason="one of several values")

    def _is_received(self, ref: Ref, place: Place) -> bool:
        """Whether a function of Kotlin is called on nothing, or something around is of the type it is written for."""
        wanted = last_name(ref.defined.receiver)
        if not wanted:
            return True
        evaluation, definitions = self.evaluation, self.module.outline.definitions
        around = [self.module.names[at] for at in self.module.chain(place.scope) if definitions[at].kind in TYPES]
        extended = evaluation.extended(place)
        if extended is not None:
            around.append(extended.name)
        known = [evaluation.lineage(name) for name in around]
        loose = (extended is not None and extended.kind != INSTANCE) or any(beyond for _, beyond in known)
        if (around and len(wanted) < 3) or (loose and not self._is_here(wanted)):
            return True  # a type parameter; what a type outside the root is as well, nobody here knows
        return any(wanted in names for names, _ in known)

    def _in_block(self, refs: list[Ref], use: facts.Use, place: Place) -> Answer:
        """In a block of Ruby, `self` may be whoever runs it: others' methods of the name are candidates as well."""
        answer = self._running(refs, use) if self.rules.implicit_members else self._chosen(refs, use)
        member = any("." in ref.defined.path and "<" not in ref.defined.path for ref in answer.refs)
        around = self.module.outline.definitions[place.scope].kind if place.scope >= 0 else ""
        if self.language != "ruby" or around != "lambda" or not member:
            return answer
        others = [ref for ref in self.evaluation.reader.named(use.name) if ref.key and ref.defined.kind == "method"]
        every = tuple(dict.fromkeys((*answer.refs, *others)))[:MAX_CANDIDATES]
        return Answer(Status.AMBIGUOUS, every, reason="receiver of a block") if len(every) > 1 else answer

    def _cannot_be_called(self, stated: str, place: Place) -> bool:
        """Whether what is of a type is no function, nor an object that is called like one."""
        if not stated or "->" in stated:
            return False
        thing = self.evaluation.type_named(stated, place)
        kinds = {ref.defined.kind for ref in thing.refs}
        known = thing.kind == OUTSIDE or (thing.kind == INSTANCE and kinds and "type" not in kinds)
        return bool(known) and not self.evaluation.member(thing, "invoke")[0]

    def _beside_local(self, use: facts.Use) -> Answer:
        """A variable of the name holds an object, which few languages call: a function may still be meant."""
        outer = self.evaluation.called_name(use.name, Place(self.module, -1, use.line, use.column))
        return self._chosen(list(outer.refs), use) if outer.kind == CALLABLE else unresolved("called object")

    def _field_constructed(self, use: facts.Use, place: Place) -> Answer | None:
        """`Store::Store() : best_("x")` constructs the field."""
        owner = self.module.owner(place.scope)
        item = self.module.outline.definitions[place.scope] if place.scope >= 0 else None
        if self.language != "cpp" or item is None or item.name != owner.rpartition(".")[2]:
            return None
        refs, _ = self.evaluation.member(Thing(INSTANCE, owner), use.name)
        if not refs or refs[0].defined.kind != "field":
            return None
        if "*" in refs[0].defined.signature or "&" in refs[0].defined.signature:
            return outside_root("builtin.pointer")  # it is copied: nothing is constructed
        thing = self.evaluation.of_refs(tuple(refs))
        return self._constructed(Thing(TYPE, thing.name, thing.refs) if thing.kind == INSTANCE else thing, use)

    def _defined_inside(self, name: str, place: Place) -> bool:
        """A function inside this one has the name, as well as what the queries took for a variable."""
        if self.language not in ("lua", "go"):
            return False
        around, definitions = self.module.chain(place.scope), self.module.outline.definitions
        return any(
            definitions[at].kind in CALLABLES and definitions[at].parent in around
            for at in self.module.by_last_name.get(name, ())
        )

    def _macro(self, thing: Thing, name: str) -> Thing:
        if thing.kind == CALLABLE and any(ref.defined.kind == "macro" for ref in thing.refs):
            return Thing(CALLABLE, thing.name, tuple(ref for ref in thing.refs if ref.defined.kind == "macro"))
        if name in self.rules.builtins:
            return Thing(OUTSIDE, f"std.{name}")
        macros = tuple(ref for ref in self.evaluation.reader.named(name) if ref.defined.kind == "macro")
        return Thing(CALLABLE, name, macros) if macros else thing

    def _variant_or_value(self, name: str, enum: str, use: facts.Use, place: Place) -> Answer:
        # A variant is, as a value, an instance of its enum.
        known = self.evaluation.reader.definitions(f"{enum}.{name}") or self._definitions_of(name, place)
        refs = [ref for ref in known if ref.defined.kind == "variant"]
        if refs:
            return self._chosen(refs, use)
        return unresolved("function in a variable")

    def _definitions_of(self, name: str, place: Place) -> tuple[Ref, ...]:
        """The definitions of a bare name, also when it is a field or a variable."""
        evaluation = self.evaluation
        values = evaluation.values_named(name, place) if self.rules.implicit_members else ()
        if values:
            return values
        thing = evaluation.name(name, place)
        in_c = self.rules.group == "c"  # where a file sees what it includes
        if thing.values and not in_c and evaluation.local(name, place) is None:
            return thing.values
        if thing.kind in (TYPE, CALLABLE, SPACE):
            return thing.refs
        owner = self.module.owner(place.scope) if self.rules.implicit_members else ""
        if owner:
            refs, _ = evaluation.member(Thing(INSTANCE, owner), name)
            if refs:
                return tuple(refs)
        space = self.module.space
        whole = f"{space}.{name}" if space else name
        refs_here = evaluation.seen(whole, self.module) if in_c else evaluation.reader.definitions(whole)
        return tuple(ref for ref in refs_here if ref.defined.kind in VALUES)

    def _up(self, use: facts.Use, place: Place) -> Answer:
        """`super(…)`, `this(…)`, `base(…)`; in Ruby the same method of the bases."""
        evaluation = self.evaluation
        owner = self.module.owner(place.scope)
        if not owner:
            return unresolved("no type around it")
        if self.language == "ruby":
            name = next(
                (self.module.outline.definitions[at].name for at in self.module.chain(place.scope)
                 if self.module.outline.definitions[at].kind in METHODS), "",
            )  # fmt: skip
            refs, outside = evaluation.member(Thing(evaluation.self_kind(place), f"super:{owner}"), name)
            if refs:
                return self._chosen(refs, use)
            return self._above(outside, f".{name}", "no base has this method")
        if use.name == "this":
            return self._constructed(Thing(TYPE, owner, evaluation.reader.definitions(owner)), use)
        bases, outside = evaluation.bases(owner)
        classes = [base for base in bases if any(ref.defined.kind in ("class", "struct") for ref in base.refs)]
        if classes:
            return self._constructed(Thing(TYPE, classes[0].name, classes[0].refs), use)
        return self._above(outside, "", "base not found")
