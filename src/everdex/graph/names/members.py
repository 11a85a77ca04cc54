"""Types: what they extend, and what their members are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from everdex.facts import names_model as facts
from everdex.facts.ruby import PREPEND
from everdex.graph.names.index import Ref
from everdex.graph.names.lookup import SHALLOW, Lookup
from everdex.graph.names.rules import TYPES, VALUES
from everdex.graph.names.things import INSTANCE, OUTSIDE, TYPE, UNKNOWN, Place, Thing, unknown
from everdex.graph.names.types import last_name, types_taken

_MAX_BASES: Final = 24  # definitions of one type that are looked at for what it extends
_MAX_ABOVE: Final = 256  # types above one, before what is farther up counts as not found
LOST: Final = "?"
_OPENED_ELSEWHERE: Final = frozenset(("rust", "ruby"))


def _values(refs: list[Ref]) -> list[Ref]:
    return [ref for ref in refs if ref.defined.kind in VALUES]


def _is_prepending(ref: Ref) -> bool:
    return ref.defined.kind == "impl" and ref.defined.type == PREPEND


class Members(Lookup):
    """The part that knows types."""

    def bases(self, name: str) -> tuple[list[Thing], str]:
        """The bases of a type inside the root, and one outside it ('' when there is none; with LOST before the name of
        one that may be in the root and was not found)."""
        known = self._bases.get(name)
        if known is None:
            self._in_bases += 1
            try:
                known = self._worked_out_bases(name)
            finally:
                self._in_bases -= 1
            if self._depth <= SHALLOW:
                self._bases[name] = known
        return known

    def _worked_out_bases(self, name: str) -> tuple[list[Thing], str]:
        found: list[Thing] = []
        outside = ""
        refs = self.reader.definitions(name)
        if self.rules.group == "rust" and refs and all(ref.defined.flags & facts.SCOPE_ONLY for ref in refs):
            # Impls of types that are defined elsewhere.
            for real in (self._opened(ref) for ref in refs[:_MAX_BASES]):
                if real.kind in (TYPE, INSTANCE) and real.name != name:
                    found.append(Thing(INSTANCE, real.name, real.refs))
                else:
                    last = refs[0].defined.name
                    lost = f"{self.rules.literal}.{last}" if last in self.rules.builtins else LOST + last
                    outside = outside or (real.name if real.kind == OUTSIDE else lost)
        stated, beyond = self._stated_bases(refs)
        found += [thing for thing in stated if thing.name != name]
        if not outside or (outside.startswith(LOST) and beyond and not beyond.startswith(LOST)):
            outside = beyond
        if self.rules.group in _OPENED_ELSEWHERE:
            found += self._given(name, lambda ref: ref.defined.type != PREPEND)
        return found, outside

    def _stated_bases(self, refs: Sequence[Ref]) -> tuple[list[Thing], str]:
        """What definitions of one type say that it extends, and what of that is outside."""
        found: list[Thing] = []
        outside = ""
        for ref in refs[:_MAX_BASES]:
            item = ref.defined
            for text in item.bases:
                scope = item.parent if item.kind in TYPES and not item.flags & facts.SCOPE_ONLY else ref.at
                thing = self.type_named(text, Place(ref.module, scope, item.start_line, 0))
                if thing.kind == INSTANCE:
                    found.append(thing)
                elif thing.kind == OUTSIDE:
                    outside = outside if outside and not outside.startswith(LOST) else thing.name
                else:
                    outside = outside or LOST + last_name(text)
            if item.flags & facts.SCOPE_ONLY and item.kind == "extension":
                outside = outside or ref.name
        return found, outside

    def kin(self, name: str, refs: Sequence[Ref]) -> tuple[Ref, ...]:
        """C#: of types of one name, which take different numbers of types, those that are meant by these definitions of
        it; () where all are one type, or nobody knows."""
        known = self.reader.definitions(name) if self.rules.group == "csharp" and refs else ()
        if len(known) < 2:
            return ()
        types = [ref for ref in known if ref.defined.kind in TYPES]
        wanted = {types_taken(ref.defined) for ref in refs}
        if len(wanted) > 1 or len({types_taken(ref.defined) for ref in types}) < 2:
            return ()
        return tuple(ref for ref in types if types_taken(ref.defined) in wanted)

    def _extended_by(self, name: str, kin: tuple[Ref, ...]) -> tuple[list[tuple[str, tuple[Ref, ...]]], str]:
        """The bases of a type, each with its kin."""
        if kin:
            self._in_bases += 1
            try:
                things, outside = self._stated_bases(kin)
            finally:
                self._in_bases -= 1
        else:
            things, outside = self.bases(name)
        return [(thing.name, self.kin(thing.name, thing.refs)) for thing in things], outside

    def _given(self, name: str, fit: Callable[[Ref], bool]) -> list[Thing]:
        """The bases that a type is given elsewhere."""
        found = []
        for ref in filter(fit, self._foreign_impls(name)):
            for text in ref.defined.bases:
                thing = self.type_named(text, Place(ref.module, ref.at, 0, 0))
                if thing.kind == INSTANCE:
                    found.append(thing)
        return found

    def _before(self, name: str) -> list[str]:
        """The modules of Ruby that are prepended to a type: they are asked before the type itself."""
        return [each.name for each in self._given(name, _is_prepending)] if self.rules.group == "ruby" else []

    def _behind(self, name: str) -> list[str]:
        """The types that a module of Ruby is prepended to: they have what it replaces."""
        if self.rules.group != "ruby":
            return []
        saying = filter(_is_prepending, self.reader.saying_base(name.rpartition(".")[2]) or ())
        types = [self._opened(ref).name for ref in saying]
        return [each for each in types if name in self._before(each)]

    def _opened(self, ref: Ref) -> Thing:
        """The type that is opened by what says so elsewhere."""
        place = Place(ref.module, ref.defined.parent, 0, 0)
        if ref.defined.receiver:
            return self.type_named(ref.defined.receiver, place)
        return self.name(ref.defined.name, place, types_only=True)

    def _foreign_impls(self, name: str) -> list[Ref]:
        """Impl blocks for a type in other modules than its own."""
        known = self._impls.get(name)
        if known is not None:
            return known
        found = []
        for ref in self.reader.implementing(name.rpartition(".")[2]):
            if ref.name != name:
                thing = self._opened(ref)
                if thing.kind in (TYPE, INSTANCE) and thing.name == name:
                    found.append(ref)
        if self._depth <= SHALLOW:
            self._impls[name] = found
        return found

    def member(self, thing: Thing, name: str) -> tuple[list[Ref], str]:
        """The members of a name: of the type itself, else of the nearest bases; and an outside base if it has one."""
        return self.nearest(thing, name, lambda refs: refs)

    def taking(self, thing: Thing, name: str, count: int) -> tuple[list[Ref], str]:
        """The same for a call with so many arguments: where the nearest take others, a base's is meant."""
        refs, outside = self.member(thing, name)
        if count < 0 or not refs or any(ref.takes(count) for ref in refs):
            return refs, outside
        above, outside = self.nearest(thing, name, lambda each: [ref for ref in each if ref.takes(count)])
        known = not outside or outside.startswith(LOST)
        return above or (refs if known else []), outside

    def field(self, thing: Thing, name: str) -> list[Ref]:
        """The members of a name where it is not called: rather values than methods of the same name."""
        values = self.nearest(thing, name, _values)[0] if self.rules.apart else []
        refs = values or self.member(thing, name)[0]
        return _values(refs) or refs

    def nearest(self, thing: Thing, name: str, fit: Callable[[list[Ref]], list[Ref]]) -> tuple[list[Ref], str]:
        """Of the members of a name those that fit, in the nearest type that has such."""
        start, kin = thing.name.removeprefix("super:"), self.kin(thing.name.removeprefix("super:"), thing.refs)
        outside, behind, level = "", list[str](), [(start, kin)]
        if start != thing.name:
            behind, (level, outside) = self._behind(start), self._extended_by(start, kin)
            level = [*((each, ()) for each in behind), *level]
        seen: set[tuple[str, tuple[Ref, ...]]] = set()
        while level:
            if len(seen) >= _MAX_ABOVE:
                return [], outside or LOST + level[0][0].rpartition(".")[2]
            found: list[Ref] = []
            following: list[tuple[str, tuple[Ref, ...]]] = []
            for each, kin in level:
                if (each, kin) in seen:
                    continue
                seen.add((each, kin))
                before = self._before(each) if thing.kind == INSTANCE and each not in behind else []
                replaced = [ref for one in before for ref in fit(self.of_kind(thing, self._own_members(one, name)))]
                own = self._own_members(each, name)
                if kin:
                    own = [ref for ref in own if Ref(ref.module, ref.defined.parent) in kin]
                found += replaced or fit(self.of_kind(thing, own))
                above, beyond = self._extended_by(each, kin)
                following += above
                outside = outside or beyond
            if found:
                return found, outside
            level = following
        return [], outside

    def _base_names(self, name: str) -> tuple[list[str], str]:
        things, outside = self.bases(name)
        return [thing.name for thing in things], outside

    def lineage(self, name: str) -> tuple[set[str], bool]:
        """The last names of a type and of all that it extends, and whether some of that is not in the root."""
        seen, level, outside = {name}, [name], ""
        while level:
            if len(seen) >= _MAX_ABOVE:
                outside = outside or LOST + level[0].rpartition(".")[2]
                break
            above = [self._base_names(each) for each in level]
            outside = outside or next((beyond for _, beyond in above if beyond), "")
            level = [each for names, _ in above for each in names if each not in seen]
            seen.update(level)
        return {each.rpartition(".")[2] for each in (*seen, outside.removeprefix(LOST))}, bool(outside)

    def _own_members(self, owner: str, name: str) -> list[Ref]:
        front, _, last = owner.rpartition(".")
        if last.startswith(facts.UNNAMED):
            return [ref for ref in self.reader.definitions(f"{front}.{name}") if ref.module.has_unnamed(ref.at, owner)]
        found = list(self.reader.definitions(f"{owner}.{name}"))
        if not found and self.rules.group == "rust":
            for ref in self._foreign_impls(owner):
                found += [Ref(ref.module, at) for at in ref.module.by_name.get(f"{ref.name}.{name}", ())]
                self.reader.definitions(f"{ref.name}.{name}")
        return found

    def slot(self, thing: Thing, name: str) -> Thing | None:
        """An attribute that exists by assignment in the type or its bases."""
        names = [thing.name] if not thing.name.startswith("super:") else []
        bases, _ = self._base_names(thing.name)
        for owner in (*names, *bases):
            for each in (name, f"@{name}"):
                for module, slot in self.reader.slots(f"{owner}.{each}"):
                    place = Place(module, slot.owner, 0, 0)
                    found = self.type_named(slot.type, place) if slot.type else (
                        self.evaluate(slot.value, place) if slot.value else unknown("untyped attribute")
                    )
                    if found.kind != UNKNOWN:
                        return found
        return None

    def of_kind(self, thing: Thing, refs: list[Ref]) -> list[Ref]:
        """Of Ruby's methods those that a class has where the class itself is asked, and else those of its instances.

        What a module has for instances a class may have as well, by `extend`. Of C#'s those that are not for an
        interface alone. Of Java's those that Kotlin sees."""
        if self.module.outline.language == "kotlin":
            return [ref for ref in refs if self.is_seen(ref)]
        if self.rules.group == "csharp":
            return [ref for ref in refs if not ref.is_explicit]
        if self.rules.group == "swift" and thing.kind == INSTANCE and not thing.name.startswith("super:"):
            return [ref for ref in refs if ref.defined.kind != "method" or not ref.defined.flags & facts.STATIC]
        if self.rules.group != "ruby" or thing.kind not in (INSTANCE, TYPE):
            return refs
        if thing.kind == INSTANCE:
            return [ref for ref in refs if not ref.defined.flags & facts.STATIC]
        own = [ref for ref in refs if ref.defined.flags & facts.STATIC or not ref.defined.signature.startswith("def ")]
        return own or [ref for ref in refs if not self._is_of_class(ref)]

    def _is_of_class(self, ref: Ref) -> bool:
        parent = ref.defined.parent
        return parent >= 0 and ref.module.outline.definitions[parent].kind == "class"
