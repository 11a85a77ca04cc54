"""Rust: paths, modules, and names that a module uses publicly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.imports import MAX_REEXPORTS, inner_space, is_own, rust_paths
from everdex.graph.names.index import Reach, Ref
from everdex.graph.names.lookup import Lookup
from everdex.graph.names.module import Module
from everdex.graph.names.rules import CALLABLES
from everdex.graph.names.rust_reach import is_within, places_of, reach_of, space_of, under
from everdex.graph.names.things import (
    CALLABLE,
    ITSELF,
    OUTSIDE,
    POINTED,
    SPACE,
    TYPE,
    UNKNOWN,
    Place,
    Thing,
    unknown,
)
from everdex.graph.names.types import FOR_REFERENCE

_SELF: Final = re.compile(r"\(\s*(&?)(?:'\w+\s+)?\s*(?:mut\s+)?self\b")


class RustNames(Lookup):
    """The part that knows how Rust names things."""

    def rust_names(self, name: str, place: Place) -> Iterator[Thing]:
        module = place.module
        for index in module.chain(place.scope):
            if module.outline.definitions[index].kind in CALLABLES:
                found = self.reader.definitions(f"{module.names[index]}.{name}")
                if found:
                    yield self.of_refs(found)
        named = [
            item for item in self.imports(place)
            if item.alias != "*" and (item.alias or item.path.rpartition(".")[2]) == name
        ]  # fmt: skip
        if named:  # those of one scope; what is imported around it is hidden
            led = [self._rust_import(module, item, MAX_REEXPORTS) for item in named if item.scope == named[0].scope]
            yield _one_of(led)
        here = inner_space(module, place.scope)
        found = self.reader.definitions(f"{here}.{name}" if here else name)
        if _is_defined(found):
            yield self.of_refs(found)
        prefixes = dict.fromkeys(
            prefix
            for item in self.imports(place)
            if item.alias == "*"
            for prefix in rust_paths(module, item.scope, item.path, self.reader)
        )
        if prefixes and self.reader.is_name(name):
            for prefix in prefixes:
                space = space_of(self.reader.index, prefix, self.reader)
                thing = self.rust_in_space(space, name, MAX_REEXPORTS, here) if space is not None else None
                if thing:
                    yield thing
        if found:
            yield self.of_refs(found)  # what is only implemented here
        for path in rust_paths(module, place.scope, name, self.reader):
            if self.is_space(path):
                yield Thing(SPACE, path)
        if name in ("std", "core", "alloc") or any(item.path.startswith(f"{name}.") for item in module.outline.imports):
            yield Thing(OUTSIDE, name)

    def _rust_import(self, module: Module, item: facts.Import, depth: int) -> Thing:
        here = inner_space(module, item.scope)
        for path in rust_paths(module, item.scope, item.path, self.reader):
            thing = self.rust_path(path, depth, here)
            if thing:
                return thing
        return unknown("missing import") if is_own(item.path) else Thing(OUTSIDE, item.path)

    def rust_path(self, path: str, depth: int, seen_from: str) -> Thing | None:
        """What a whole path is, as a module sees it."""
        refs = self.reader.definitions(path)
        real = tuple(ref for ref in refs if ref.defined.kind != "module")
        if _is_defined(real):
            return self.of_refs(real)
        if self.is_space(path):
            return Thing(SPACE, path)
        front, _, last = path.rpartition(".")
        if depth <= 0 or not self.reader.is_name(last):
            return None
        around = self.rust_path(front, depth - 1, seen_from) if front else Thing(SPACE, "")
        if around is not None and around.kind == TYPE:
            found, _ = self.member(around, last)
            return self.of_refs(tuple(found)) if found else None
        if around is None or around.kind != SPACE:
            return None
        return self.rust_in_space(around.name, last, depth - 1, seen_from)

    def rust_in_space(self, space: str, name: str, depth: int, seen_from: str) -> Thing | None:
        """A name of a module, as another one sees it: its own, or one that it uses."""
        whole = under(space, name)
        real = tuple(ref for ref in self.reader.definitions(whole) if ref.defined.kind != "module")
        if _is_defined(real):
            return self.of_refs(real)
        if self.is_space(whole):
            return Thing(SPACE, whole)
        around = self.reader.definitions(space)
        if any(ref.defined.kind in ("enum", "struct", "trait") for ref in around):
            found, _ = self.member(Thing(TYPE, space, around), name)
            return self.of_refs(tuple(found)) if found else None
        if depth <= 0 or not self.reader.is_name(name):
            return None
        inside = is_within(seen_from, space)
        led = self._rust_behind(space, inside, name, depth)
        return _one_of(led) if led else None

    def _rust_behind(self, space: str, inside: bool, name: str, depth: int) -> list[Thing]:
        """What a module has of a name by what it uses; what it takes in by a star is hidden by what it names."""
        index = self.reader.index
        places, reach = places_of(index, space, inside, name), reach_of(index, space, inside)
        self.reader.reads |= reach.keys
        waiting, seen, things = [space] if places else [], {space}, list[Thing]()
        while waiting:
            each = waiting.pop(0)
            from_inside = each == space or each in reach.inner
            here = self._rust_has(reach, each, name, depth, from_inside) if each in places else []
            if here:
                things.append(_one_of(here))
                continue
            following = [lead for lead in reach.starred[each] if lead in reach.named and lead not in seen]
            seen.update(following)
            waiting += following
        return things

    def _rust_has(self, reach: Reach, space: str, name: str, depth: int, from_inside: bool) -> list[Thing]:
        """What one module defines or imports by a name."""
        whole = under(space, name)
        real = tuple(ref for ref in self.reader.definitions(whole) if ref.defined.kind != "module")
        # A star brings what is public; of an enumeration all, and macros have rules of their own.
        is_open = from_inside or any(ref.defined.public or ref.defined.kind in ("variant", "macro") for ref in real)
        if _is_defined(real) and is_open:
            return [self.of_refs(real)]
        if not real and self.is_space(whole):
            return [Thing(SPACE, whole)]
        led = [self._rust_import(module, item, depth - 1) for module, item in reach.named[space].get(name, ())]
        return [thing for thing in led if thing.values or thing.kind not in (OUTSIDE, UNKNOWN)]

    def has_in_reach(self, trait: str, place: Place) -> bool:
        """Whether a trait can be used at a place: by its name, or by an import under another one (`as _`)."""
        last = trait.rpartition(".")[2]
        if self.name(last, place, types_only=True).name == trait:
            return True
        renamed = [item for item in self.imports(place) if item.alias and item.path.rpartition(".")[2] == last]
        return any(self._rust_import(place.module, item, MAX_REEXPORTS).name == trait for item in renamed)

    def imports(self, place: Place) -> Iterator[facts.Import]:
        by_scope = place.module.imports_by_scope
        if len(by_scope) == 1 and -1 in by_scope:
            yield from by_scope[-1]
            return
        for index in (*place.module.chain(place.scope), -1):
            yield from by_scope.get(index, ())


def _is_defined(refs: tuple[Ref, ...]) -> bool:
    """Whether something is defined, and not only implemented, by the name of what is defined elsewhere."""
    return any(not ref.defined.flags & facts.SCOPE_ONLY for ref in refs)


def _one_of(things: list[Thing]) -> Thing:
    """What a name is that is imported more than once, which only conditions allow (`cfg`)."""
    first = things[0]
    others = [thing for thing in things[1:] if thing.kind == first.kind and thing.name != first.name]
    if not others or first.kind not in (CALLABLE, TYPE):
        return first
    if first.kind == TYPE:
        return unknown("one of several imports")
    return first._replace(refs=tuple(dict.fromkeys(ref for thing in (first, *others) for ref in thing.refs)))


def held_by_self(place: Place) -> str:
    """Whether `self` is a reference in Rust; elsewhere nothing is said of that."""
    if place.module.rules.group != "rust":
        return ""
    definitions = place.module.outline.definitions
    heads = [definitions[at].signature for at in place.module.chain(place.scope)]
    taken = next((found for head in heads if (found := _SELF.search(head))), None)
    if taken is None:
        return ""
    return POINTED if taken[1] or any(FOR_REFERENCE.search(head) for head in heads) else ITSELF
