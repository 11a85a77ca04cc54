"""Rust: paths, modules, and names that a module uses publicly."""

from __future__ import annotations

from collections.abc import Iterator

from everdex.facts import names_model as facts
from everdex.graph.names.imports import MAX_REEXPORTS, inner_space, is_own, rust_paths
from everdex.graph.names.lookup import Lookup
from everdex.graph.names.module import Module
from everdex.graph.names.rules import CALLABLES, TYPES
from everdex.graph.names.things import CALLABLE, OUTSIDE, SPACE, TYPE, UNKNOWN, Place, Thing, unknown


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
        if found:
            yield self.of_refs(found)
        prefixes = dict.fromkeys(
            prefix
            for item in self.imports(place)
            if item.alias == "*"
            for prefix in rust_paths(module, item.scope, item.path, self.reader)
        )
        for prefix in prefixes:
            thing = self.rust_in_space(prefix, name, 3)
            if thing:
                yield thing
        for path in rust_paths(module, place.scope, name, self.reader):
            if self.is_space(path):
                yield Thing(SPACE, path)
        if name in ("std", "core", "alloc") or any(item.path.startswith(f"{name}.") for item in module.outline.imports):
            yield Thing(OUTSIDE, name)

    def _rust_import(self, module: Module, item: facts.Import, depth: int) -> Thing:
        for path in rust_paths(module, item.scope, item.path, self.reader):
            thing = self.rust_path(path, depth)
            if thing:
                return thing
        return unknown("missing import") if is_own(item.path) else Thing(OUTSIDE, item.path)

    def rust_path(self, path: str, depth: int) -> Thing | None:
        refs = self.reader.definitions(path)
        real = tuple(ref for ref in refs if ref.defined.kind != "module")
        if real:
            return self.of_refs(real)
        if self.is_space(path):
            return Thing(SPACE, path)
        front, _, last = path.rpartition(".")
        around = self.reader.definitions(front)
        if front and any(ref.defined.kind in TYPES for ref in around):
            found, _ = self.member(Thing(TYPE, front, around), last)
            return self.of_refs(tuple(found)) if found else None
        return self.rust_in_space(front, last, depth - 1) if depth > 0 else None

    def rust_in_space(self, space: str, name: str, depth: int) -> Thing | None:
        """A name of a module: its own, or one that it uses publicly."""
        refs = self.reader.definitions(f"{space}.{name}" if space else name)
        real = tuple(ref for ref in refs if ref.defined.kind != "module")
        if real:
            return self.of_refs(real)
        whole = f"{space}.{name}" if space else name
        if self.is_space(whole):
            return Thing(SPACE, whole)
        around = self.reader.definitions(space)
        if any(ref.defined.kind in ("enum", "struct", "trait") for ref in around):
            found, _ = self.member(Thing(TYPE, space, around), name)
            return self.of_refs(tuple(found)) if found else None
        if depth <= 0:
            return None
        files = (self.reader.index.module(path) for path in self.reader.space(space)[:4])
        written = [(ref.module, ref.at) for ref in around if ref.defined.kind == "module"]
        named: list[Thing] = []
        starred: list[Thing] = []
        for module, scope in [*((module, -1) for module in files if module is not None), *written]:
            self.reader.context(module)
            for item in module.imports_by_scope.get(scope, ()):
                if item.alias == "*" and item.kind == "pub":
                    for prefix in rust_paths(module, item.scope, item.path, self.reader):
                        thing = self.rust_in_space(prefix, name, depth - 1) if prefix != space else None
                        if thing:
                            starred.append(thing)
                            break
                elif (item.alias or item.path.rpartition(".")[2]) == name:
                    thing = self._rust_import(module, item, depth - 1)
                    if thing.kind not in (OUTSIDE, UNKNOWN):
                        named.append(thing)
        return _one_of(named or starred) if named or starred else None

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


def _one_of(things: list[Thing]) -> Thing:
    """What a name is that is imported more than once, which only conditions allow (`cfg`)."""
    first = things[0]
    others = [thing for thing in things[1:] if thing.kind == first.kind and thing.name != first.name]
    if not others or first.kind not in (CALLABLE, TYPE):
        return first
    if first.kind == TYPE:
        return unknown("one of several imports")
    return first._replace(refs=tuple(dict.fromkeys(ref for thing in (first, *others) for ref in thing.refs)))
