"""Names: what a bare name is at a place.

The passes, in order: names local to the function, definitions around the place (and, where the language looks there,
members of the types around it and of their bases), imports by name, the file's own package or namespace, imports of
everything, what the language has built in.
"""

from __future__ import annotations

from collections.abc import Iterator

from everdex.facts import names_model as facts
from everdex.graph.names.imports import MAX_REEXPORTS, MISSING, Led, lead
from everdex.graph.names.index import Ref
from everdex.graph.names.locals import Locals
from everdex.graph.names.lookup import SHALLOW
from everdex.graph.names.module import Module
from everdex.graph.names.preprocessed import Preprocessed
from everdex.graph.names.rules import METHODS, SPACES, TYPES, VALUES
from everdex.graph.names.rust import RustNames
from everdex.graph.names.things import (
    CALLABLE,
    INSTANCE,
    OF_EVERY_ENUM,
    OUTSIDE,
    SPACE,
    TYPE,
    UNKNOWN,
    Place,
    Thing,
    unknown,
)  # fmt: skip


class Names(RustNames, Preprocessed, Locals):
    """The part that knows scopes, packages and imports."""

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
        known = (name, id(place.module), place.scope, types_only, called, self._in_bases > 0, self.header)
        thing = self._names.get(known)
        if thing is None:
            thing = self._looked_up(name, place, types_only, called)
            if self._depth <= SHALLOW:
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
                # Not called: rather a field or a variable of the same name.
                values = tuple(ref for ref in self.reader.definitions(thing.name) if ref.defined.kind in VALUES)
                if values:
                    return self.of_refs(values)
                second = second or thing
            elif second is not None and thing.kind == TYPE and place.module.rules.group == "c":
                continue  # a struct of the name of a function needs the word
            elif not types_only or thing.kind in (TYPE, SPACE, OUTSIDE):
                return thing
        if second is not None:
            return second
        if name in place.module.rules.builtins:
            return Thing(OUTSIDE, f"{self.rules.literal}.{name}")
        return unknown(f"no definition of {name} in reach")

    def or_type(self, thing: Thing, name: str, following: str, place: Place) -> Thing:
        """C#: where a namespace has the name of a type, the type is meant if what follows is not in the namespace."""
        if thing.kind != SPACE or self.rules.group != "csharp":
            return thing
        if following and self._in_space(thing.name, following, MAX_REEXPORTS) is not None:
            return thing
        return next((each for each in self._candidates(name, place) if each.kind == TYPE), thing)

    def called_name(self, name: str, place: Place) -> Thing:
        """What a bare name is where only something that can be called is meant."""
        for thing in self._candidates(name, place):
            if thing.kind in (CALLABLE, OUTSIDE):
                return thing
        return self.name(name, place)

    def values_named(self, name: str, place: Place) -> tuple[Ref, ...]:
        """The fields, variables and the like that a bare name means; () where something else of the name is nearer."""
        module, apart = place.module, place.module.rules.apart
        named, everything = self._led_by(place)
        led = [each for item in named.get(name, ()) for each in item.names]
        spaces = [f"{space}.{name}" if space else name for space in self._spaces(module)]
        wider = [f"{each}.{name}" for item in everything for each in item.names]
        around = [f"{container}.{name}" for container in self._containers(place)]
        for whole in (*around, *led, *spaces, *wider):
            owner = whole.rpartition(".")[0]
            known = self.seen(whole, module) if module.rules.group == "c" else self.reader.definitions(whole)
            refs = [ref for ref in known if "<" not in owner or ref.module is module]
            if not refs and owner and any(ref.defined.kind in TYPES for ref in self.reader.definitions(owner)):
                refs = self.field(Thing(INSTANCE, owner), name)
            values = [ref for ref in refs if ref.defined.kind in VALUES]
            if values or (refs and not apart):
                return tuple(values)
        return ()

    def _candidates(self, name: str, place: Place) -> Iterator[Thing]:
        module, rules = place.module, place.module.rules
        language = module.outline.language
        if module is not self.module:
            self.reader.context(module)
        if language == "rust":
            yield from self.rust_names(name, place)
            return
        is_method = language == "ruby" and not name[:1].isupper()
        kind = self.self_kind(place) if is_method else TYPE
        for container in self._ruby_containers(place) if is_method else self._containers(place):
            whole = f"{container}.{name}"
            found = self.seen(whole, module) if rules.group == "c" else self.reader.definitions(whole)
            if found and is_method and "<" not in container:
                found = tuple(self.member(Thing(kind, container), name)[0])  # unless what is prepended has it
            if rules.group == "csharp":
                found = tuple(ref for ref in found if not ref.is_explicit)
            if not rules.implicit_members:  # of a struct inside a function: nobody names a field alone
                found = tuple(ref for ref in found if ref.defined.kind != "field")
            if "<" in container and any(map(facts.is_unnamed, container.split("."))):  # it is this file's alone
                found = tuple(ref for ref in found if ref.module is module)
            if found:
                yield self.of_refs(found)
            elif rules.implicit_members or name[:1].isupper():
                yield from self._inherited(container, name, kind)
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
            whole = f"{space}.{name}" if space else name
            found = self.seen(whole, module) if rules.group == "c" else self.reader.definitions(whole)
            if rules.group == "lua":
                found = tuple(ref for ref in found if ref.module is module)
            if found and rules.group == "c":
                yield from self._apart_from_tags(found)
            elif found:
                yield self.of_refs(found)
            elif space and rules.outer_spaces and self.is_space(f"{space}.{name}"):
                yield Thing(SPACE, f"{space}.{name}")
            elif space and language == "scala":
                yield from self._inherited(space, name, kind)  # by the object of the package
        outside = ""
        for led in everything:
            for prefix in led.names:
                thing = self._in_space(prefix, name, 2)
                if thing:
                    yield thing
            if led.outside and not any(self.is_space(each) or self.reader.definitions(each) for each in led.names):
                outside = led.outside
        if self.is_space(name) and rules.group in ("jvm", "csharp", "ruby", "c"):
            yield Thing(SPACE, name)
        if outside and name[:1].isupper() and rules.group == "jvm" and name not in rules.builtins:
            yield Thing(OUTSIDE, f"{outside}.{name}")
        if language in ("java", "kotlin", "scala") and name in ("java", "javax", "kotlin", "scala", "org", "com", "io"):
            yield Thing(OUTSIDE, name)
        if rules.group == "c" and name == "std":
            yield Thing(OUTSIDE, name)
        if rules.group == "go":
            # Nothing here is called so: then a package outside is, by a part of its path, as `git-module` is `git`.
            outside = self._partly(module, named).get(name, "")
            if outside:
                yield Thing(OUTSIDE, outside)

    def _apart_from_tags(self, found: tuple[Ref, ...]) -> Iterator[Thing]:
        """What a name of C is: a function or variable may have the name of a struct, which then needs the word."""
        types = tuple(ref for ref in found if ref.defined.kind in TYPES)
        plain = tuple(ref for ref in found if ref not in types)
        if plain:
            yield self.of_refs(plain)
        if types:
            yield Thing(TYPE, types[0].name, types)

    def _partly(self, module: Module, named: dict[str, list[Led]]) -> dict[str, str]:
        """Packages outside by the parts of what they are called; '' where several have one."""
        known = self._parts.get(id(module))
        if known is None:
            known = self._parts[id(module)] = {}
            for local, leds in named.items():
                for part in local.split("_") if not leds[0].names else ():
                    known[part] = leds[0].outside if part not in known else ""
        return known

    def self_kind(self, place: Place) -> str:
        """Whether `self` of Ruby is a class or an instance of it; '' in a block, of which only who runs it knows."""
        definitions, in_block = place.module.outline.definitions, False
        for index in place.module.chain(place.scope):
            if definitions[index].kind in METHODS:
                of_class = definitions[index].flags & facts.STATIC
                return INSTANCE if not of_class else "" if in_block else TYPE
            if definitions[index].kind in TYPES or definitions[index].kind == "module":
                return "" if in_block else TYPE
            in_block = in_block or definitions[index].kind == "lambda"
        return "" if in_block else INSTANCE

    def _ruby_containers(self, place: Place) -> list[str]:
        """Where a method is looked for: in blocks around, and in the class or module that `self` belongs to."""
        definitions, found = place.module.outline.definitions, list[str]()
        for index in place.module.chain(place.scope):
            if definitions[index].kind not in METHODS:
                found.append(place.module.names[index])
            if definitions[index].kind in TYPES or definitions[index].kind == "module":
                break
        return found

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

    def _inherited(self, container: str, name: str, kind: str) -> Iterator[Thing]:
        if self._in_bases or container == self.header:
            return  # what a type extends is not named by what it inherits
        refs = self.reader.definitions(container)
        if any(ref.defined.kind in TYPES or ref.defined.kind == "module" for ref in refs):
            found, _ = self.member(Thing(kind, container, refs), name)
            if found:
                yield self.of_refs(tuple(found))

    def _led_by(self, place: Place) -> tuple[dict[str, list[Led]], list[Led]]:
        """Where the imports around a place lead: by local name, and those of everything."""
        module, by_scope = place.module, place.module.imports_by_scope
        inner = () if by_scope.keys() <= {-1} else tuple(each for each in module.chain(place.scope) if each in by_scope)
        known = self._leads.get((id(module), inner))
        if known is None:
            named: dict[str, list[Led]] = {}
            everything: list[Led] = []
            for item in (*self.imports(place), *self.reader.everywhere(module)):
                led = lead(module, item, self.reader)
                if item.alias == "*":
                    if led not in everything:
                        everything.append(led)
                elif led.local:
                    named.setdefault(led.local, []).append(led)
            known = self._leads[id(module), inner] = named, everything
        return known

    def _is_enum(self, name: str) -> bool:
        return any(ref.defined.kind == "enum" for ref in self.reader.definitions(name))

    def _spaces(self, module: Module) -> Iterator[str]:
        space = module.space
        yield space
        while space and module.rules.outer_spaces:
            space = space.rpartition(".")[0]
            if space or module.outline.language != "scala":  # Scala hides what has no package from those who have one
                yield space
        if module.space and module.rules.group in ("php",):
            yield ""

    def _led(self, led: Led) -> Thing:
        for name in led.names:
            thing = self.whole_name(name)
            if thing:
                return thing
        return Thing(OUTSIDE, led.outside) if led.outside else unknown(f"{MISSING}: {led.local}")

    def is_missing(self, name: str, place: Place) -> bool:
        """Whether an import says that a name should be here, and it is not."""
        return any(self._led(led).kind == UNKNOWN for led in self._led_by(place)[0].get(name, ()))

    def whole_name(self, name: str) -> Thing | None:
        """What a whole lookup name is; members of types are found through their bases."""
        refs = self.reader.definitions(name)
        if refs:
            return self.of_refs(refs)
        if self.is_space(name):
            return Thing(SPACE, name)
        front, _, last = name.rpartition(".")
        if front:
            around = self.reader.definitions(front)
            if any(ref.defined.kind in TYPES for ref in around):
                found, _ = self.member(Thing(TYPE, front, around), last)
                if found:
                    return self.of_refs(tuple(found))
        return self._hidden(name)

    def is_space(self, name: str) -> bool:
        return bool(self.reader.space(name)) or any(
            ref.defined.kind in SPACES for ref in self.reader.definitions(name)
        )

    def _in_space(self, space: str, name: str, depth: int) -> Thing | None:
        whole = f"{space}.{name}" if space else name
        refs = self.reader.definitions(whole)
        if self.rules.group == "rust":
            return self.rust_in_space(space, name, depth, self.module.space)
        if refs:
            return self.of_refs(refs)
        around = self.reader.definitions(space)
        if any(ref.defined.kind in TYPES for ref in around):
            found, _ = self.member(Thing(TYPE, space, around), name)
            if found:
                return self.of_refs(tuple(found))
        return Thing(SPACE, whole) if self.is_space(whole) else self._hidden(whole)

    def _hidden(self, name: str) -> Thing | None:
        """A name in a C++ namespace that macros open: what is in it looks as if it were in none."""
        space, _, rest = name.partition(".") if self.rules.group == "c" else ("", "", "")
        return self.whole_name(rest) if rest and self.reader.space(space) else None
