"""What the text of a type means, and what the definitions of a name are."""

from __future__ import annotations

from typing import Final

from everdex.facts import names_model as facts
from everdex.facts.names_model import POINTER
from everdex.graph.names.imports import MAX_REEXPORTS, rust_paths
from everdex.graph.names.index import Ref
from everdex.graph.names.lookup import MAX_DEPTH
from everdex.graph.names.rules import CALLABLES, SPACES, TYPES
from everdex.graph.names.scopes import Names
from everdex.graph.names.things import (
    CALLABLE,
    DEEP,
    INSTANCE,
    ITSELF,
    OUTSIDE,
    POINTED,
    REFERRED,
    SHOWN,
    SPACE,
    TYPE,
    TYPE_PARAMETER,
    UNKNOWN,
    WRAPPED,
    Place,
    Thing,
    unknown,
)  # fmt: skip
from everdex.graph.names.types import CHANNEL, LIST, parameters_after, parameters_named, parse_type, types_taken

_POINTING: Final = frozenset(("c", "rust"))  # where a value and a pointer to it are different things
_LOOKED_THROUGH: Final = frozenset((  # Rust: by `Deref`
    "Box", "Rc", "Arc", "Ref", "RefMut", "MutexGuard", "Cow", "Pin", "Lazy", "ManuallyDrop",
))  # fmt: skip
_METATYPES: Final = (".Type", ".Protocol")
_RUBY_TYPES: Final = frozenset(("module",))  # which of Rust's are none, but not outside either


class StatedTypes(Names):
    """Adds the texts of types to the names of one file's resolution."""

    def type_named(self, text: str, place: Place) -> Thing:
        """An instance of the type that a text states."""
        thing = self._type_named(text, place)
        if self.rules.group not in _POINTING or thing.held or thing.kind not in (INSTANCE, OUTSIDE):
            return thing
        pointed = text.endswith("*") or text.startswith("&")
        direct = REFERRED if text.endswith("&") else ITSELF
        return thing._replace(held=(DEEP if text.endswith("**") else POINTED) if pointed else direct)

    def _type_named(self, text: str, place: Place) -> Thing:
        if self._depth >= MAX_DEPTH:
            return unknown("too deep")
        self._depth += 1
        try:
            name, arguments = parse_type(text)
            if text.endswith("*") and place.module.outline.language == "scala":
                name, arguments = LIST, (text.rstrip("* "),)  # any number of them
            if not name:
                return unknown("type without a name")
            if name in (LIST, CHANNEL):
                outside = "list" if name == LIST else CHANNEL
                return Thing(OUTSIDE, f"{self.rules.literal}.{outside}", (), arguments, place)
            rules = place.module.rules
            if place.module.outline.language == "swift" and name.endswith(_METATYPES):
                found = self.type_named(name.rpartition(".")[0], place)  # the type itself, as a value
                return found._replace(kind=TYPE) if found.kind == INSTANCE else found
            if arguments and name.rpartition(".")[2] in rules.wrappers:
                shown = rules.group == "rust" and name.rpartition(".")[2] in _LOOKED_THROUGH
                return self.type_named(arguments[0], place)._replace(held=SHOWN if shown else WRAPPED)
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
                refs = thing.refs
                if rules.group == "csharp" and len(refs) > 1:
                    refs = tuple(ref for ref in refs if types_taken(ref.defined) == len(arguments)) or refs
                return aliased or Thing(INSTANCE, thing.name, refs, arguments, place)
            if thing.kind == CALLABLE or (thing.kind == INSTANCE and thing.refs):
                return Thing(INSTANCE, thing.name, thing.refs, arguments, place)
            bound = self.local(name, place)
            if bound is not None and bound.type and bound.type != text:
                return self.type_named(bound.type, place)  # a type parameter is what it must at least be
            if bound is not None or (len(name) < 3 and name[0].isupper()) or is_type_parameter(name, place):
                return unknown(TYPE_PARAMETER)
            missing = self.is_missing(name.partition(".")[0], place)
            named = self.reader.named(name.rpartition(".")[2])
            if not missing and not any(ref.defined.kind in TYPES | _RUBY_TYPES for ref in named):
                return Thing(OUTSIDE, name, (), arguments, place)
            return unknown(f"type {name} not found")
        finally:
            self._depth -= 1

    def handed_out(self, text: str, home: Place) -> Thing:
        """The same of what a function returns or a container holds: nobody knows what stands for a type parameter."""
        thing = self.type_named(text, home)
        if thing.kind != OUTSIDE:
            return thing
        definitions, name = home.module.outline.definitions, parse_type(text)[0]
        around = (definitions[at] for at in home.module.chain(home.scope))
        is_open = any(name in parameters_named(item.name, item.signature) for item in around)
        return unknown(TYPE_PARAMETER) if is_open else thing

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
        thing = self.or_type(thing, first, rest[0] if rest else "", place)
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
        return self._of_value(first, refs)._replace(values=refs)

    def _of_value(self, first: Ref, refs: tuple[Ref, ...]) -> Thing:
        """What is in a variable, a constant or a variant."""
        kind, language = first.defined.kind, first.module.outline.language
        owner = first.name.rpartition(".")[0]
        if kind == "variant":
            return Thing(INSTANCE, owner, self.reader.definitions(owner))
        item = first.defined
        place = Place(first.module, first.at, item.start_line, 0)
        if self.rules.group == "c" and first.has_members:
            return Thing(INSTANCE, first.name, refs)  # of a struct without a name, whose fields are found here
        if item.type and item.type not in ("var", "auto", "val", POINTER):
            return self.type_named(item.type, place)
        if item.value:
            thing = self.evaluate(item.value, place)
            if item.type == POINTER:
                thing = thing._replace(held=POINTED)
            if thing.kind != UNKNOWN and not (thing.kind == OUTSIDE and language == "lua" and first.has_members):
                return thing
        if language == "lua":
            return Thing(TYPE, first.name, refs)
        return unknown("type of field not stated" if kind == "field" else "type of variable not stated")


def is_type_parameter(name: str, place: Place) -> bool:
    """Whether something around a place takes a type of this name."""
    definitions = place.module.outline.definitions
    around = (definitions[at] for at in place.module.chain(place.scope))
    return any(name in parameters_after(item.name, item.signature) for item in around)
