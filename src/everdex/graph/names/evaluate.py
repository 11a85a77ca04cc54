"""What an expression is, as far as names, imports and stated types say: an instance, a type, a package, a function.

The passes for a name, in order: names local to the function, definitions around the place (and, where the language
looks there, members of the types around it and of their bases), imports by name, the file's own package or namespace,
imports of everything, what the language has built in. Depth is bounded, so answers never depend on who asked first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from everdex.facts import names_model as facts
from everdex.graph.names.imports import MAX_REEXPORTS, Led, inner_space, lead, lua_table, rust_paths
from everdex.graph.names.index import Index, Reader, Ref
from everdex.graph.names.module import Module
from everdex.graph.names.rules import ABSTRACT, CALLABLES, SPACES, TYPES, VALUES
from everdex.graph.names.types import LIST, last_name, parse_chain, parse_type

INSTANCE, TYPE, SPACE, CALLABLE, OUTSIDE, UNKNOWN = "instance", "type", "space", "callable", "outside", "unknown"
_MAX_DEPTH: Final = 10
_SHALLOW: Final = 3
# Lookups for one use. Ordinary ones take a few dozen; only tangles of types that extend each other reach it.
MAX_WORK: Final = 4_000
_MAX_STEPS: Final = 12
_MAX_BASES: Final = 48
MAX_IMPLEMENTATIONS: Final = 16
# Calls that give back what they are called on, when its type has no such member: wrappers were already looked through.
OF_WRAPPERS: Final = frozenset((
    "unwrap", "expect", "clone", "as_ref", "as_mut", "borrow", "borrow_mut", "lock", "read", "write", "to_owned", "get",
    "await", "unwrap_or_default", "unwrap_or_else", "into", "iter", "iter_mut", "into_iter", "also", "apply", "orElse",
    "orElseThrow", "orElseGet", "ok_or", "ok_or_else", "map_err", "context", "tap", "freeze", "dup", "copied", "cloned",
    "ConfigureAwait", "Result", "Value", "value", "first", "last", "next", "pop", "shift", "getOrElse", "self", "itself",
))  # fmt: skip


OF_EVERY_OBJECT: Final = frozenset((
    "toString", "equals", "hashCode", "getClass", "ToString", "Equals", "GetHashCode", "GetType",
))  # fmt: skip


OF_EVERY_ENUM: Final = frozenset(("values", "valueOf", "ordinal", "name", "compareTo", "entries"))


class Place(NamedTuple):
    """Where a text is read: names mean what they mean there."""

    module: Module
    scope: int
    line: int
    column: int


class Thing(NamedTuple):
    """What an expression is. `name` is a lookup name, an outside name, or the reason why nobody knows."""

    kind: str
    name: str
    refs: tuple[Ref, ...] = ()
    arguments: tuple[str, ...] = ()
    home: Place | None = None


def unknown(reason: str) -> Thing:
    return Thing(UNKNOWN, reason)


class Evaluation:
    """Names and expressions of one file's resolution."""

    def __init__(self, index: Index, module: Module, body: facts.Body) -> None:
        self.module = module
        self.rules = module.rules
        self.reader = Reader(index, self.rules.group)
        self._depth = 0
        self._in_bases = 0
        self.budget = MAX_WORK
        # What was worked out near the surface, where the bound on depth cannot have cut it short.
        self._names: dict[tuple[str, int, int, bool, bool, bool], Thing] = {}
        self._bases: dict[str, tuple[list[Thing], str]] = {}
        self._leads: dict[int, tuple[dict[str, list[Led]], list[Led]]] = {}
        self._locals: dict[tuple[int, str], list[facts.Local]] = {}
        for item in body.locals:
            self._locals.setdefault((item.scope, item.name), []).append(item)

    # -- expressions ---------------------------------------------------------------------------------------------

    def evaluate(self, chain: str, place: Place) -> Thing:
        """What a chain's value is."""
        if chain == "?" or self._depth >= _MAX_DEPTH:
            return unknown("computed value" if chain == "?" else "too deep")
        self._depth += 1
        try:
            head, steps = parse_chain(chain)
            if len(steps) > _MAX_STEPS:
                return unknown("long chain")
            _, calls, indices = steps[0]
            thing = self._applied(self.head(head, place, bool(calls)), calls, indices, place)
            for name, calls, indices in steps[1:]:
                if thing.kind == UNKNOWN:
                    return thing
                thing = self._applied(self.step(thing, name, place, bool(calls)), calls, indices, place)
            return thing
        finally:
            self._depth -= 1

    def head(self, head: str, place: Place, called: bool = False) -> Thing:
        if head.startswith("@{"):
            stated = head[2:-1]
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
        return self.name(head, place, called=called)

    def extended(self, place: Place) -> Thing | None:
        """The type that the extension function around a place is written for."""
        for index in place.module.chain(place.scope):
            item = place.module.outline.definitions[index]
            if item.receiver and item.kind in CALLABLES:
                return self.type_named(item.receiver, Place(place.module, item.parent, item.start_line, 0))
        return None

    def _applied(self, thing: Thing, calls: int, indices: int, place: Place) -> Thing:
        if not calls and thing.kind == CALLABLE and place.module.rules.bare_calls:
            calls = int(thing.refs[0].defined.kind != "lambda")
        for _ in range(min(calls, 2)):
            thing = self.called(thing)
        for _ in range(min(indices, 2)):
            thing = self.item_of(thing)
        return thing

    def called(self, thing: Thing) -> Thing:
        """What calling it gives."""
        if thing.kind == TYPE:
            return Thing(INSTANCE, thing.name, thing.refs, thing.arguments, thing.home)
        if thing.kind == CALLABLE:
            return self._returned(thing)
        if thing.kind == INSTANCE:
            # `x()` of a parenless accessor that was already called, or an object that can be called.
            return thing if thing.refs else unknown("called value")
        return thing

    def _returned(self, thing: Thing) -> Thing:
        for ref in thing.refs:
            item = ref.defined
            owner = ref.name.rpartition(".")[0]
            if item.kind == "constructor":
                return Thing(INSTANCE, owner, self.reader.definitions(owner))
            text = item.returns
            if item.kind == "variant":
                return Thing(INSTANCE, owner, self.reader.definitions(owner))
            if text in ("Self", "self", "static", "$this", "this"):
                return Thing(INSTANCE, owner, self.reader.definitions(owner))
            if text and text not in ("auto", "void"):
                found = self.type_named(text, Place(ref.module, ref.index, item.start_line, 0))
                if found.name in ("Self", "static") or found.kind == UNKNOWN:
                    continue
                return found
            if item.name == "new" and owner:
                return Thing(INSTANCE, owner, self.reader.definitions(owner))
        return unknown("return type not stated")

    def item_of(self, thing: Thing) -> Thing:
        """What taking an item out of it gives."""
        if thing.arguments and thing.home is not None:
            return self.type_named(thing.arguments[-1], thing.home)
        for ref in thing.refs:
            item = ref.defined
            if thing.kind == INSTANCE and item.kind == "type" and item.type:
                return self.item_of(self.type_named(item.type, Place(ref.module, ref.index, item.start_line, 0)))
        if thing.kind == INSTANCE and thing.refs:
            return unknown("item of an object")
        return unknown("type of items not stated")

    def step(self, thing: Thing, name: str, place: Place, will_call: bool = False) -> Thing:
        """A member of a thing."""
        if thing.kind == OUTSIDE:
            if thing.arguments and name in OF_WRAPPERS:
                return self.item_of(thing)
            if thing.arguments and will_call:
                return unknown("result of an outside call")  # it may hand back what is ours
            return Thing(OUTSIDE, f"{thing.name}.{name}")
        if thing.kind == UNKNOWN:
            return thing
        if thing.kind == CALLABLE:
            # A field may have the name of a method.
            values = tuple(ref for ref in self.reader.definitions(thing.name) if ref.defined.kind in VALUES)
            thing = self.of_refs(values) if values else unknown("member of a function")
            return self.step(thing, name, place, will_call) if thing.kind not in (UNKNOWN, CALLABLE) else thing
        if thing.kind == SPACE:
            found = self._in_space(thing.name, name, MAX_REEXPORTS)
            return found or unknown(f"not in {thing.name}")
        if self.rules.group == "jvm" and name == "class":
            return Thing(OUTSIDE, "java.lang.Class")
        if place.module.outline.language == "ruby":
            if name == "new":
                return Thing(TYPE, thing.name, thing.refs)
            if name == "class":
                return Thing(TYPE, thing.name, thing.refs)
        if place.module.outline.language == "lua" and name == "new" and will_call and not self._stated_new(thing):
            return Thing(TYPE, thing.name, thing.refs)
        refs, outside = self.member(thing, name)
        if refs:
            found = self.of_refs(tuple(refs))
            if found.kind != UNKNOWN:
                return found
        slot = self.slot(thing, name)
        if slot is not None:
            return slot
        if refs:
            return unknown("type of field not stated")
        if name in OF_WRAPPERS and thing.kind == INSTANCE:
            # The result of the call on it is the thing itself again: hand out something that calling leaves alone.
            return Thing(TYPE, thing.name, thing.refs, thing.arguments, thing.home) if will_call else thing
        if outside or name in OF_EVERY_OBJECT:
            return Thing(OUTSIDE, f"{outside or self.rules.literal}.{name}")
        return unknown(f"no member {name}")

    def _stated_new(self, thing: Thing) -> bool:
        return any(ref.defined.returns for ref in self.reader.definitions(f"{thing.name}.new"))

    # -- names ---------------------------------------------------------------------------------------------------

    def local(self, name: str, place: Place) -> facts.Local | None:
        """The nearest binding of a name in the functions around a place."""
        if place.module is not self.module:
            return None
        definitions = self.module.outline.definitions
        for index in (*self.module.chain(place.scope), -1):
            found = self._locals.get((index, name))
            if found:
                before = [item for item in found if (item.line, item.column) <= (place.line, place.column)]
                return before[-1] if before else (found[0] if index >= 0 else None)
            if index >= 0 and definitions[index].kind in ("class", "struct", "trait", "interface", "impl"):
                return None if self.module.outline.language in ("rust", "go") else self._class_local(index, name)
        return None

    def _class_local(self, index: int, name: str) -> facts.Local | None:
        """Parameters of a class are visible in its body."""
        found = self._locals.get((index, name))
        return found[0] if found else None

    def _local_value(self, item: facts.Local, place: Place) -> Thing:
        here = Place(place.module, item.scope, item.line, max(item.column - 1, 0))
        if item.type and item.type not in ("var", "auto", "let", "val") and not item.type.startswith("auto"):
            return self.type_named(item.type, here)
        if not item.value:
            return unknown("untyped local")
        thing = self.evaluate(item.value, here)
        if item.each:
            return self.item_of(thing)
        return thing if thing.kind != UNKNOWN or thing.name == "computed value" else unknown(thing.name)

    def name(self, name: str, place: Place, types_only: bool = False, called: bool = True) -> Thing:
        """What a bare name is at a place."""
        if not types_only:
            local = self.local(name, place)
            if local is not None:
                return self._local_value(local, place)
        if name.startswith("."):
            return self.whole_name(name.lstrip(".")) or Thing(OUTSIDE, name.lstrip("."))
        if self.budget <= 0:
            return unknown("too much to follow")
        self.budget -= 1
        known = (name, id(place.module), place.scope, types_only, called, self._in_bases > 0)
        thing = self._names.get(known)
        if thing is None:
            thing = self._looked_up(name, place, types_only, called)
            if self._depth <= _SHALLOW:
                self._names[known] = thing
        return thing

    def _looked_up(self, name: str, place: Place, types_only: bool, called: bool) -> Thing:
        second = None
        for thing in self._candidates(name, place):
            if thing.kind == CALLABLE and types_only:
                # A function may have the name of a type, as factories do.
                refs = tuple(ref for ref in self.reader.definitions(thing.name) if ref.defined.kind in TYPES)
                if refs:
                    return Thing(TYPE, thing.name, refs)
            elif thing.kind == CALLABLE and not called and not place.module.rules.bare_calls:
                second = second or thing  # not called: rather a field or a variable of the same name
            elif not types_only or thing.kind in (TYPE, SPACE, OUTSIDE):
                return thing
        if second is not None:
            return second
        if name in place.module.rules.builtins:
            return Thing(OUTSIDE, f"{self.rules.literal}.{name}")
        return unknown(f"no definition of {name} in reach")

    def called_name(self, name: str, place: Place) -> Thing:
        """What a bare name is where only something that can be called is meant."""
        for thing in self._candidates(name, place):
            if thing.kind in (CALLABLE, OUTSIDE):
                return thing
        return self.name(name, place)

    def _candidates(self, name: str, place: Place) -> Iterator[Thing]:
        module, rules = place.module, place.module.rules
        language = module.outline.language
        if module is not self.module:
            self.reader.context(module)
        if language == "rust":
            yield from self._rust_names(name, place)
            return
        for container in self._containers(place):
            found = self.reader.definitions(f"{container}.{name}")
            found = tuple(ref for ref in found if rules.group != "c" or _visible(ref, module))
            if found:
                yield self.of_refs(found)
            elif rules.implicit_members or name[:1].isupper():
                yield from self._inherited(container, name)
                if rules.group == "jvm" and name in OF_EVERY_ENUM and self._is_enum(container):
                    yield Thing(OUTSIDE, f"java.lang.Enum.{name}")
        extended = self.extended(place) if rules.group in ("jvm", "csharp") else None
        if extended is not None and extended.kind == INSTANCE:
            members, _ = self.member(extended, name)
            if members:
                yield self.of_refs(tuple(members))
        named, everything = self._led_by(place)
        for led in named.get(name, ()):
            yield self._led(led)
        for space in self._spaces(module):
            found = self.reader.definitions(f"{space}.{name}" if space else name)
            if rules.group in ("c", "bash"):
                found = tuple(ref for ref in found if _visible(ref, module))
            if rules.group == "lua":
                found = tuple(ref for ref in found if ref.module is module)
            if found:
                yield self.of_refs(found)
            elif space and rules.outer_spaces and self._is_space(f"{space}.{name}"):
                yield Thing(SPACE, f"{space}.{name}")
        outside = ""
        for led in everything:
            for prefix in led.names:
                thing = self._in_space(prefix, name, 2)
                if thing:
                    yield thing
            if led.outside and not any(self._is_space(each) or self.reader.definitions(each) for each in led.names):
                outside = led.outside
        if self._is_space(name) and rules.group in ("jvm", "csharp", "ruby", "c"):
            yield Thing(SPACE, name)
        if outside and name[:1].isupper() and rules.group == "jvm" and name not in rules.builtins:
            yield Thing(OUTSIDE, f"{outside}.{name}")
        if language in ("java", "kotlin", "scala") and name in ("java", "javax", "kotlin", "scala", "org", "com", "io"):
            yield Thing(OUTSIDE, name)
        if rules.group == "c" and name == "std":
            yield Thing(OUTSIDE, name)

    def _containers(self, place: Place) -> list[str]:
        """Lookup names of what is around a place, innermost first, as far as names are looked for in it."""
        module, rules = place.module, place.module.rules
        found: list[str] = []
        definitions = module.outline.definitions
        for index in module.chain(place.scope):
            item, name = definitions[index], module.names[index]
            if not rules.implicit_members and item.kind in TYPES:
                continue
            found.append(name)
            around = module.names[item.parent] if item.parent >= 0 else module.space
            front = name.rpartition(".")[0]
            # `T::m` outside its class, `M.f`: the names before it are around it too.
            while rules.implicit_members and len(front) > len(around):
                found.append(front)
                front = front.rpartition(".")[0]
        return found

    def _inherited(self, container: str, name: str) -> Iterator[Thing]:
        if self._in_bases:
            return  # what a type extends is not named by what it inherits
        refs = self.reader.definitions(container)
        if any(ref.defined.kind in TYPES or ref.defined.kind == "module" for ref in refs):
            found, _ = self.member(Thing(TYPE, container, refs), name)
            if found:
                yield self.of_refs(tuple(found))

    def _led_by(self, place: Place) -> tuple[dict[str, list[Led]], list[Led]]:
        """Where the imports around a place lead: by local name, and those of everything."""
        by_scope = place.module.imports_by_scope
        at_top = not by_scope or (len(by_scope) == 1 and -1 in by_scope)
        known = self._leads.get(id(place.module)) if at_top else None
        if known is None:
            named: dict[str, list[Led]] = {}
            everything: list[Led] = []
            for item in self._imports(place):
                led = lead(place.module, item, self.reader)
                if item.alias == "*":
                    everything.append(led)
                elif led.local:
                    named.setdefault(led.local, []).append(led)
            known = (named, everything)
            if at_top:
                self._leads[id(place.module)] = known
        return known

    def _is_enum(self, name: str) -> bool:
        return any(ref.defined.kind == "enum" for ref in self.reader.definitions(name))

    def _imports(self, place: Place) -> Iterator[facts.Import]:
        by_scope = place.module.imports_by_scope
        if len(by_scope) == 1 and -1 in by_scope:
            yield from by_scope[-1]
            return
        for index in (*place.module.chain(place.scope), -1):
            yield from by_scope.get(index, ())

    def _spaces(self, module: Module) -> Iterator[str]:
        space = module.space
        yield space
        while space and module.rules.outer_spaces:
            space = space.rpartition(".")[0]
            yield space
        if module.space and module.rules.group in ("php",):
            yield ""

    def _led(self, led: Led) -> Thing:
        for name in led.names:
            thing = self.whole_name(name)
            if thing:
                return thing
        return Thing(OUTSIDE, led.outside)

    def whole_name(self, name: str) -> Thing | None:
        """What a whole lookup name is; members of types are found through their bases."""
        refs = self.reader.definitions(name)
        if refs:
            return self.of_refs(refs)
        if self._is_space(name):
            return Thing(SPACE, name)
        front, _, last = name.rpartition(".")
        if front:
            around = self.reader.definitions(front)
            if any(ref.defined.kind in TYPES for ref in around):
                found, _ = self.member(Thing(TYPE, front, around), last)
                if found:
                    return self.of_refs(tuple(found))
        return None

    def _is_space(self, name: str) -> bool:
        return bool(self.reader.space(name)) or any(
            ref.defined.kind in SPACES for ref in self.reader.definitions(name)
        )

    def _in_space(self, space: str, name: str, depth: int) -> Thing | None:
        whole = f"{space}.{name}" if space else name
        refs = self.reader.definitions(whole)
        if self.rules.group == "rust":
            return self._rust_in_space(space, name, depth)
        if refs:
            return self.of_refs(refs)
        around = self.reader.definitions(space)
        if any(ref.defined.kind in TYPES for ref in around):
            found, _ = self.member(Thing(TYPE, space, around), name)
            if found:
                return self.of_refs(tuple(found))
        return Thing(SPACE, whole) if self._is_space(whole) else None

    # -- Rust: paths, modules and re-exports -----------------------------------------------------------------------

    def _rust_names(self, name: str, place: Place) -> Iterator[Thing]:
        module = place.module
        for index in module.chain(place.scope):
            if module.outline.definitions[index].kind in CALLABLES:
                found = self.reader.definitions(f"{module.names[index]}.{name}")
                if found:
                    yield self.of_refs(found)
        for item in self._imports(place):
            if item.alias != "*" and (item.alias or item.path.rpartition(".")[2]) == name:
                yield self._rust_import(module, item, MAX_REEXPORTS)
        here = inner_space(module, place.scope)
        found = self.reader.definitions(f"{here}.{name}" if here else name)
        if found:
            yield self.of_refs(found)
        for item in self._imports(place):
            if item.alias == "*":
                for prefix in rust_paths(module, item.scope, item.path, self.reader):
                    thing = self._rust_in_space(prefix, name, 3)
                    if thing:
                        yield thing
        for path in rust_paths(module, place.scope, name, self.reader):
            if self._is_space(path):
                yield Thing(SPACE, path)
        if name in ("std", "core", "alloc") or any(item.path.startswith(f"{name}.") for item in module.outline.imports):
            yield Thing(OUTSIDE, name)

    def _rust_import(self, module: Module, item: facts.Import, depth: int) -> Thing:
        for path in rust_paths(module, item.scope, item.path, self.reader):
            thing = self._rust_path(path, depth)
            if thing:
                return thing
        return Thing(OUTSIDE, item.path)

    def _rust_path(self, path: str, depth: int) -> Thing | None:
        refs = self.reader.definitions(path)
        real = tuple(ref for ref in refs if ref.defined.kind != "module")
        if real:
            return self.of_refs(real)
        if self._is_space(path):
            return Thing(SPACE, path)
        front, _, last = path.rpartition(".")
        around = self.reader.definitions(front)
        if front and any(ref.defined.kind in TYPES for ref in around):
            found, _ = self.member(Thing(TYPE, front, around), last)
            return self.of_refs(tuple(found)) if found else None
        return self._rust_in_space(front, last, depth - 1) if depth > 0 else None

    def _rust_in_space(self, space: str, name: str, depth: int) -> Thing | None:
        """A name of a module: its own, or one that it uses publicly."""
        refs = self.reader.definitions(f"{space}.{name}" if space else name)
        real = tuple(ref for ref in refs if ref.defined.kind != "module")
        if real:
            return self.of_refs(real)
        whole = f"{space}.{name}" if space else name
        if self._is_space(whole):
            return Thing(SPACE, whole)
        around = self.reader.definitions(space)
        if any(ref.defined.kind in ("enum", "struct", "trait") for ref in around):
            found, _ = self.member(Thing(TYPE, space, around), name)
            return self.of_refs(tuple(found)) if found else None
        if depth <= 0:
            return None
        for path in self.reader.space(space)[:4]:
            module = self.reader.index.module(path)
            if module is None:
                continue
            self.reader.context(module)
            for item in module.outline.imports:
                if item.scope >= 0:
                    continue
                if item.alias == "*" and item.kind == "pub":
                    for prefix in rust_paths(module, item.scope, item.path, self.reader):
                        thing = self._rust_in_space(prefix, name, depth - 1) if prefix != space else None
                        if thing:
                            return thing
                elif (item.alias or item.path.rpartition(".")[2]) == name:
                    thing = self._rust_import(module, item, depth - 1)
                    if thing.kind != OUTSIDE:
                        return thing
        return None

    # -- types and members -----------------------------------------------------------------------------------------

    def type_named(self, text: str, place: Place) -> Thing:
        """An instance of the type that a text states."""
        if self._depth >= _MAX_DEPTH:
            return unknown("too deep")
        self._depth += 1
        try:
            name, arguments = parse_type(text)
            if not name:
                return unknown("type without a name")
            if name == LIST:
                return Thing(OUTSIDE, f"{self.rules.literal}.list", (), arguments, place)
            rules = place.module.rules
            if arguments and name.rpartition(".")[2] in rules.wrappers:
                return self.type_named(arguments[0], place)
            if name in ("Self", "static", "self"):
                owner = place.module.owner(place.scope)
                return Thing(INSTANCE, owner, self.reader.definitions(owner)) if owner else unknown("no type around it")
            thing = self.path(name, place)
            if thing.kind == OUTSIDE:
                return Thing(OUTSIDE, thing.name, (), arguments, place)
            if thing.kind == TYPE:
                aliased = self._aliased(thing)
                return aliased or Thing(INSTANCE, thing.name, thing.refs, arguments, place)
            if thing.kind == CALLABLE or (thing.kind == INSTANCE and thing.refs):
                return Thing(INSTANCE, thing.name, thing.refs, arguments, place)
            bound = self.local(name, place)
            if bound is not None and bound.type and bound.type != text:
                return self.type_named(bound.type, place)  # a type parameter is what it must at least be
            if len(name) < 3 and name[0].isupper():
                return unknown("type parameter")
            if not any(ref.defined.kind in TYPES for ref in self.reader.named(name.rpartition(".")[2])):
                return Thing(OUTSIDE, name, (), arguments, place)
            return unknown(f"type {name} not found")
        finally:
            self._depth -= 1

    def path(self, dotted: str, place: Place) -> Thing:
        """A dotted name in the place of a type."""
        if place.module.outline.language == "rust" and dotted.partition(".")[0] in ("crate", "self", "super"):
            for path in rust_paths(place.module, place.scope, dotted, self.reader):
                found = self._rust_path(path, MAX_REEXPORTS)
                if found:
                    return found
        if dotted.startswith("."):
            return self.whole_name(dotted[1:]) or Thing(OUTSIDE, dotted[1:])
        first, *rest = dotted.split(".")
        thing = self.name(first, place, types_only=True)
        for name in rest:
            thing = self.step(thing, name, place)
        if thing.kind == UNKNOWN and rest:
            whole = self.whole_name(dotted)
            if whole:
                return whole
        return thing

    def _aliased(self, thing: Thing) -> Thing | None:
        for ref in thing.refs:
            item = ref.defined
            if item.kind == "type" and item.type and last_name(item.type) != item.name:
                found = self.type_named(item.type, Place(ref.module, ref.index, item.start_line, 0))
                own = any(other.name.startswith(f"{thing.name}.") for other in thing.refs)
                if found.kind == INSTANCE and not own and ref.module.outline.language != "go":
                    return found
                if found.kind == INSTANCE and "=" in item.signature:
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
        place = Place(first.module, first.index, item.start_line, 0)
        if item.type and item.type not in ("var", "auto", "val"):
            return self.type_named(item.type, place)
        if item.value:
            thing = self.evaluate(item.value, place)
            if thing.kind != UNKNOWN:
                return thing
        if language == "lua":
            return Thing(TYPE, first.name, refs)
        return unknown("type of field not stated" if kind == "field" else "type of variable not stated")

    def bases(self, name: str) -> tuple[list[Thing], str]:
        """The bases of a type inside the root, and one outside it ('' when there is none)."""
        known = self._bases.get(name)
        if known is None:
            self._in_bases += 1
            try:
                known = self._worked_out_bases(name)
            finally:
                self._in_bases -= 1
            if self._depth <= _SHALLOW:
                self._bases[name] = known
        return known

    def _worked_out_bases(self, name: str) -> tuple[list[Thing], str]:
        found: list[Thing] = []
        outside = ""
        refs = self.reader.definitions(name)
        if self.rules.group == "rust" and refs and all(ref.defined.flags & facts.SCOPE_ONLY for ref in refs):
            # An impl of a type that is defined elsewhere.
            first = refs[0]
            real = self.name(first.defined.name, Place(first.module, first.defined.parent, 0, 0), types_only=True)
            if real.kind == TYPE and real.name != name:
                found.append(Thing(INSTANCE, real.name, real.refs))
            else:
                outside = real.name if real.kind == OUTSIDE else first.defined.name
        for ref in refs[:_MAX_BASES]:
            item = ref.defined
            for text in item.bases:
                scope = item.parent if item.kind in TYPES and not item.flags & facts.SCOPE_ONLY else ref.index
                thing = self.type_named(text, Place(ref.module, scope, item.start_line, 0))
                if thing.kind == INSTANCE and thing.name != name:
                    found.append(thing)
                elif thing.kind != INSTANCE:
                    outside = outside or (thing.name if thing.kind == OUTSIDE else last_name(text))
            if item.flags & facts.SCOPE_ONLY and item.kind == "extension":
                outside = outside or name
        if self.rules.group == "rust":
            for ref in self._foreign_impls(name):
                for text in ref.defined.bases:
                    thing = self.type_named(text, Place(ref.module, ref.index, 0, 0))
                    if thing.kind == INSTANCE:
                        found.append(thing)
        return found, outside

    def _foreign_impls(self, name: str) -> list[Ref]:
        """Impl blocks for a type in other modules than its own."""
        found = []
        for ref in self.reader.implementing(name.rpartition(".")[2]):
            if ref.name != name:
                thing = self.name(ref.defined.name, Place(ref.module, ref.defined.parent, 0, 0), types_only=True)
                if thing.kind == TYPE and thing.name == name:
                    found.append(ref)
        return found

    def member(self, thing: Thing, name: str) -> tuple[list[Ref], str]:
        """The members of a name: of the type itself, else of the nearest bases; and an outside base if it has one."""
        start = thing.name
        outside = ""
        if start.startswith("super:"):
            level, outside = self._base_names(start[6:])
        else:
            level = [start]
        seen: set[str] = set()
        while level and len(seen) < _MAX_BASES:
            found: list[Ref] = []
            following: list[str] = []
            for each in level:
                if each in seen:
                    continue
                seen.add(each)
                found += self._own_members(each, name)
                names, beyond = self._base_names(each)
                following += names
                outside = outside or beyond
            if found:
                return found, outside
            level = following
        return [], outside

    def _base_names(self, name: str) -> tuple[list[str], str]:
        things, outside = self.bases(name)
        return [thing.name for thing in things], outside

    def _own_members(self, owner: str, name: str) -> list[Ref]:
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

    def implementations(self, refs: list[Ref], name: str) -> list[Ref]:
        """Where a member of an interface is written out, in the types that have the interface."""
        found: list[Ref] = []
        for ref in refs:
            owner = ref.name.rpartition(".")[0]
            kinds = {each.defined.kind for each in self.reader.definitions(owner)}
            virtual = self.rules.group == "c" and ref.defined.signature.startswith("virtual ")
            if not kinds & ABSTRACT and not virtual and (ref.defined.flags & facts.BODY or self.rules.group == "c"):
                continue
            if self.rules.group == "go":
                found += self._go_implementations(owner, name)
                continue
            level, seen = [owner], {owner}
            while level and len(seen) < _MAX_BASES:
                following: list[str] = []
                for each in level:
                    for said in self.reader.saying_base(each.rpartition(".")[2]):
                        below = said.name
                        if below not in seen and any(base.name == each for base in self.bases(below)[0]):
                            seen.add(below)
                            following.append(below)
                            found += self._own_members(below, name)
                level = following
        return list(dict.fromkeys(found))

    def _go_implementations(self, interface: str, name: str) -> list[Ref]:
        wanted = self._go_methods(interface, 3)
        found = []
        for ref in self.reader.named(name):
            owner = ref.name.rpartition(".")[0]
            if ref.defined.kind != "method" or ref.defined.parent >= 0:
                continue
            if all(self.reader.definitions(f"{owner}.{each}") for each in wanted[:8]):
                found.append(ref)
        return found

    def _go_methods(self, interface: str, depth: int) -> list[str]:
        names = []
        for ref in self.reader.definitions(interface):
            definitions = ref.module.outline.definitions
            names += [item.name for item in definitions if item.parent == ref.index and item.kind == "method"]
        if depth > 0:
            for base in self.bases(interface)[0]:
                names += self._go_methods(base.name, depth - 1)
        return names

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


def _visible(ref: Ref, module: Module) -> bool:
    """C's static functions are seen in their own file, or through a header."""
    return not ref.defined.flags & facts.STATIC or ref.module is module or ref.module.path.endswith((".h", ".hpp", ".hh"))

