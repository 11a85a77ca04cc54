"""What each use of a file leads to: resolved, ambiguous with its candidates, outside the root, or not and why.

Never guesses silently: a name that only the root's few definitions of that name could answer is ambiguous with them,
unless it is a name that every library has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.model import Status
from everdex.graph.names.evaluate import Evaluation
from everdex.graph.names.index import Ref
from everdex.graph.names.lookup import MAX_WORK
from everdex.graph.names.members import LOST, MAX_IMPLEMENTATIONS
from everdex.graph.names.rules import CALLABLES, TYPES, VALUES
from everdex.graph.names.things import (
    CALLABLE,
    INSTANCE,
    OF_EVERY_ENUM,
    OF_EVERY_OBJECT,
    OF_WRAPPERS,
    OUTSIDE,
    SPACE,
    TYPE,
    UNKNOWN,
    Place,
    Thing,
)  # fmt: skip
from everdex.graph.names.types import last_name

_MAX_GUESSES: Final = 3
_MAX_CANDIDATES: Final = 16


@dataclass(frozen=True, slots=True)
class Answer:
    status: Status
    refs: tuple[Ref, ...] = ()
    outside: str = ""
    reason: str = ""


def _unresolved(reason: str) -> Answer:
    return Answer(Status.UNRESOLVED, reason=reason)


def _outside(name: str) -> Answer:
    return Answer(Status.EXTERNAL, outside=name)


class Calls:
    """Answers for the uses of one file."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.module = evaluation.module
        self.rules = evaluation.rules
        self.language = evaluation.module.outline.language

    def call(self, use: facts.Use) -> Answer:
        place = Place(self.module, use.scope, use.line, use.column)
        self.evaluation.budget = MAX_WORK
        if not use.name:
            return _unresolved("computed callee")
        if use.receiver:
            return self._on(use, place)
        if use.name in self.rules.super_names or (use.name == "this" and use.name in self.rules.self_names):
            return self._up(use, place)
        return self._bare(use, place)

    def reference(self, use: facts.Use) -> Answer:
        """A name that is not called; unresolved ones are of no interest to anybody."""
        place = Place(self.module, use.scope, use.line, use.column)
        evaluation = self.evaluation
        evaluation.budget = MAX_WORK
        if use.role == facts.TYPE:
            thing = evaluation.path(f"{use.receiver}.{use.name}".lstrip(".") if use.receiver else use.name, place)
        elif use.receiver:
            around = evaluation.evaluate(use.receiver, place)
            if around.kind == SPACE:
                thing = evaluation.step(around, use.name, place)
            elif around.kind in (INSTANCE, TYPE):
                refs, _ = evaluation.member(around, use.name)
                return self._plain(tuple(refs))
            else:
                thing = around
        else:
            if evaluation.local(use.name, place) is not None:
                return _unresolved("local")
            return self._plain(self._definitions_of(use.name, place))
        if thing.kind == OUTSIDE:
            return _outside(thing.name)
        return self._plain(thing.refs) if thing.kind != UNKNOWN else _unresolved(thing.name)

    def _plain(self, refs: tuple[Ref, ...]) -> Answer:
        refs = tuple(ref for ref in refs if ref.key)
        if not refs:
            return _unresolved("nothing in reach")
        chosen = self._paired(list(refs))
        return self._several(chosen)

    def _definitions_of(self, name: str, place: Place) -> tuple[Ref, ...]:
        """The definitions of a bare name, also when it is a field or a variable."""
        evaluation = self.evaluation
        thing = evaluation.name(name, place)
        if thing.kind in (TYPE, CALLABLE, SPACE):
            return thing.refs
        owner = self.module.owner(place.scope) if self.rules.implicit_members else ""
        if owner:
            refs, _ = evaluation.member(Thing(INSTANCE, owner), name)
            if refs:
                return tuple(refs)
        space = self.module.space
        refs_here = evaluation.reader.definitions(f"{space}.{name}" if space else name)
        return tuple(ref for ref in refs_here if ref.defined.kind in VALUES)

    # -- calls without a receiver ----------------------------------------------------------------------------------

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
        if local is not None and not self._defined_inside(name, place):
            thing = evaluation.evaluate(local.value, place) if local.value and not local.each else None
            if thing is not None and thing.kind == CALLABLE and "(" not in local.value:
                return self._chosen(list(thing.refs), use)
            if thing is not None and thing.kind == OUTSIDE and "(" not in local.value:
                return _outside(thing.name)
            if evaluation.head(name, place).kind == INSTANCE:
                return self._beside_local(use, place)
            return _unresolved("function in a variable")
        if use.role == facts.NEW:
            return self._constructed(evaluation.type_named(name, place), use)
        thing = evaluation.called_name(name, place) if separate else evaluation.name(name, place)
        if self.language == "rust" and use.role == facts.MACRO:
            thing = self._macro(thing, name)
        if thing.kind == TYPE and (self.rules.call_constructs or use.role == facts.NEW):
            return self._constructed(thing, use)
        if thing.kind == TYPE and self.language in ("go", "c", "ruby"):
            return Answer(Status.RESOLVED, self._types(thing))  # a conversion
        if thing.kind == CALLABLE:
            return self._chosen(list(thing.refs), use)
        if thing.kind == OUTSIDE:
            return _outside(thing.name)
        if thing.kind == INSTANCE and thing.refs:
            return self._variant_or_value(name, use, place)
        owner = self.module.owner(place.scope) if self.rules.implicit_members else ""
        beyond = ""
        if owner:
            refs, beyond = evaluation.member(Thing(INSTANCE, owner), name)
            callables = [ref for ref in refs if ref.defined.kind in CALLABLES]
            if callables:
                return self._chosen(callables, use)
            if refs:
                return _unresolved("function in a field")
        extensions = evaluation.reader.extensions(name) if self.language == "kotlin" else []
        if extensions:
            return self._guessed(extensions, use, "extension without a known receiver")
        if thing.kind == UNKNOWN and self._definitions_of(name, place):
            return _unresolved("function in a variable")
        return self._nowhere(use, beyond)

    def _beside_local(self, use: facts.Use, place: Place) -> Answer:
        """A variable of the name holds an object; scopes of blocks are not kept, so a function may still be meant."""
        outer = self.evaluation.called_name(use.name, Place(self.module, -1, use.line, use.column))
        return self._chosen(list(outer.refs), use) if outer.kind == CALLABLE else _unresolved("called object")

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
            return _outside("builtin.pointer")  # it is copied: nothing is constructed
        thing = self.evaluation.of_refs(tuple(refs))
        return self._constructed(Thing(TYPE, thing.name, thing.refs) if thing.kind == INSTANCE else thing, use)

    def _nowhere(self, use: facts.Use, beyond: str) -> Answer:
        """No definition in reach: outside, if something says so."""
        name = use.name
        known = self.evaluation.reader.named(name)
        fits = [ref for ref in known if ref.key and ref.defined.kind in (CALLABLES | TYPES)]
        if beyond.startswith(LOST):
            return self._guessed(fits, use, f"base {beyond.removeprefix(LOST)} not found")
        if beyond and not (fits and self.language in _RECEIVING):
            return _outside(f"{beyond}.{name}")
        if self.rules.global_calls and not fits:
            return _outside(name)
        if self.rules.global_calls and self.language == "php":
            fits = [ref for ref in fits if ref.defined.kind == "function"]
            if not fits:
                return _outside(name)
        if not fits and self.language in ("swift", "kotlin", "scala") and self._imports_outside():
            return _outside(name)
        if self.language == "bash":
            return self._guessed(fits, use, "function of a file that is not sourced")
        if self.language in ("ruby", "c", "cpp", "swift", "lua", "rust", "kotlin", "scala"):
            return self._guessed(fits, use, f"no definition of {name} in reach")
        return _unresolved(f"no definition of {name} in reach")

    def _imports_outside(self) -> bool:
        return bool(self.module.outline.imports)

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

    def _variant_or_value(self, name: str, use: facts.Use, place: Place) -> Answer:
        refs = [ref for ref in self._definitions_of(name, place) if ref.defined.kind == "variant"]
        if refs:
            return self._chosen(refs, use)
        return _unresolved("function in a variable")

    def _types(self, thing: Thing) -> tuple[Ref, ...]:
        refs = [ref for ref in thing.refs if ref.key]
        best = [ref for ref in refs if ref.defined.kind != "type"] or refs
        return tuple(best[:1])

    def _constructed(self, thing: Thing, use: facts.Use) -> Answer:
        """The constructor of a type, or the type when it has none of its own."""
        if thing.kind == OUTSIDE:
            return _outside(thing.name)
        if thing.kind == UNKNOWN or not thing.refs:
            return _unresolved(thing.name if thing.kind == UNKNOWN else "type not found")
        evaluation = self.evaluation
        types = [ref for ref in thing.refs if ref.defined.kind in TYPES]
        if not types:
            return self._chosen(list(thing.refs), use)
        last = thing.name.rpartition(".")[2]
        made: list[Ref] = []
        for name in (*self.rules.constructors, last):
            if self.rules.constructors and name != last:
                refs, _ = evaluation.member(Thing(INSTANCE, thing.name, thing.refs), name)
            else:
                refs = list(evaluation.reader.definitions(f"{thing.name}.{name}"))
            made += [ref for ref in refs if ref.defined.kind in CALLABLES]
        if self.language == "scala":
            made = made or [
                ref for ref in evaluation.reader.definitions(f"{thing.name}.apply") if use.role == facts.CALL
            ]
        if made and all(ref.defined.flags & facts.SCOPE_ONLY for ref in types):
            return Answer(Status.AMBIGUOUS, tuple(made[:_MAX_CANDIDATES]), reason="the type itself is outside")
        if made:
            return self._chosen(made, use)
        return Answer(Status.RESOLVED, self._types(thing)) if self._types(thing) else _outside(thing.name)

    def _up(self, use: facts.Use, place: Place) -> Answer:
        """`super(…)`, `this(…)`, `base(…)`; in Ruby the same method of the bases."""
        evaluation = self.evaluation
        owner = self.module.owner(place.scope)
        if not owner:
            return _unresolved("no type around it")
        if self.language == "ruby":
            name = next(
                (self.module.outline.definitions[at].name for at in self.module.chain(place.scope)
                 if self.module.outline.definitions[at].kind == "method"), "",
            )  # fmt: skip
            refs, outside = evaluation.member(Thing(INSTANCE, f"super:{owner}"), name)
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

    def _above(self, outside: str, member: str, reason: str) -> Answer:
        """What is a base's, where no base in the root has it."""
        if outside.startswith(LOST):
            return _unresolved(f"base {outside.removeprefix(LOST)} not found")
        return _outside(outside + member) if outside else _unresolved(reason)

    # -- calls on a receiver ---------------------------------------------------------------------------------------

    def _on(self, use: facts.Use, place: Place) -> Answer:
        evaluation, name = self.evaluation, use.name
        if use.receiver == ".":
            thing = evaluation.whole_name(name)
            if thing is None:
                return self._nowhere(use, "")
            return self._constructed(thing, use) if thing.kind == TYPE else self._chosen(list(thing.refs), use)
        from_root = self.language == "rust" and use.receiver.split(".")[0] in _RUST_HEADS
        if use.role in (facts.NEW, facts.MACRO) or from_root:
            thing = evaluation.path(f"{use.receiver}.{name}", place)
            if thing.kind == OUTSIDE:
                return _outside(thing.name)
            if thing.kind in (TYPE, CALLABLE):
                return self._constructed(thing, use) if thing.kind == TYPE else self._chosen(list(thing.refs), use)
            if use.role == facts.NEW or (from_root and thing.kind == UNKNOWN):
                again = evaluation.evaluate(use.receiver, place)
                if again.kind not in (INSTANCE, TYPE, SPACE):
                    return _unresolved(thing.name or "type not found")
        around = evaluation.evaluate(use.receiver, place)
        if around.kind == OUTSIDE and self._is_of_a_block(use, place):
            return self._by_name(use, "receiver of a block")
        if around.kind == OUTSIDE:
            return self._extended(use, around, "") or _outside(f"{around.name}.{name}")
        if around.kind == UNKNOWN and "::" in use.text and not evaluation.reader.named(use.text.partition("::")[0]):
            return _outside(use.text.replace("::", "."))  # no namespace and no type of this name is here
        if around.kind == UNKNOWN:
            return self._by_name(use, around.name)
        if around.kind == SPACE:
            thing = evaluation.step(around, name, place)
            if thing.kind == CALLABLE:
                return self._chosen(list(thing.refs), use)
            if thing.kind == TYPE:
                return self._constructed(thing, use)
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
            made, outside = evaluation.member(around, "initialize")
            own = evaluation.reader.definitions(f"{around.name}.new")
            if own or made:
                return self._chosen(list(own) or made, use)
            return Answer(Status.RESOLVED, self._types(around)) if self._types(around) else self._above(
                outside, "", "type not found"
            )
        refs, outside = evaluation.member(around, name)
        callables = [ref for ref in refs if ref.defined.kind in CALLABLES or ref.defined.kind == "variant"]
        if callables:
            written = evaluation.implementations(callables, name) if around.kind == INSTANCE else []
            if written and len(written) <= MAX_IMPLEMENTATIONS:
                by_name: dict[str, list[Ref]] = {}
                for ref in self._fitting([*callables, *written], use):
                    if ref.key:
                        by_name.setdefault(ref.name, []).append(ref)
                chosen = [ref for group in by_name.values() for ref in self._paired(group)]
                return Answer(Status.RESOLVED, tuple(dict.fromkeys(chosen)))
            return self._chosen(callables, use)
        nested = [ref for ref in refs if ref.defined.kind in TYPES]
        if nested:
            return self._constructed(Thing(TYPE, nested[0].name, tuple(nested)), use)
        if self.language in ("swift", "php", "ruby", "lua") and name in self.rules.constructors and around.refs:
            return Answer(Status.RESOLVED, self._types(around)) if self._types(around) else _outside(around.name)
        extended = self._extended(use, around, outside)
        if extended:
            return extended
        if refs:
            return _unresolved("function in a field")
        if self.rules.group == "jvm" and any(ref.defined.kind in ("enum", "class") for ref in around.refs):
            outside = outside or ("java.lang.Enum" if name in OF_EVERY_ENUM else "")
        if self.language == "php" and name in ("from", "tryFrom", "cases"):
            outside = outside or "BackedEnum"
        if outside.startswith(LOST):
            return self._by_name(use, f"base {outside.removeprefix(LOST)} not found")
        if outside or name in OF_EVERY_OBJECT:
            return _outside(f"{outside or 'builtin'}.{name}")
        if self.rules.group == "rust" and name in OF_WRAPPERS:
            return _outside(f"std.{name}")
        if self.rules.group == "rust":
            return self._by_name(use, f"{around.name} has no {name} here: derived, or of an outside trait")
        return self._by_name(use, f"no member {name} in {around.name}")

    def _extended(self, use: facts.Use, around: Thing, outside: str) -> Answer | None:
        """Functions written for a type outside its definition."""
        found = self.evaluation.reader.extensions(use.name) if self.rules.group in ("jvm", "csharp") else []
        if not found:
            return None
        wanted = {around.name.rpartition(".")[2], outside.rpartition(".")[2]}
        names = [thing.name.rpartition(".")[2] for thing in self.evaluation.bases(around.name)[0]]
        wanted.update(names)
        fits = [ref for ref in found if last_name(ref.defined.receiver) in wanted]
        if fits:
            return self._chosen(fits, use)
        # What a type outside the root extends, nobody here knows.
        loose = [ref for ref in found if not self._is_here(ref.defined.receiver)] if around.kind == OUTSIDE else []
        fitting = [ref for ref in loose if use.arguments < 0 or _takes(ref.defined, use.arguments)]
        if fitting:
            reason = "may extend what is outside"
            return Answer(Status.AMBIGUOUS, tuple(fitting[:_MAX_CANDIDATES]), reason=reason)
        return None

    def _is_here(self, type_text: str) -> bool:
        return any(ref.defined.kind in TYPES for ref in self.evaluation.reader.named(last_name(type_text)))

    def _by_name(self, use: facts.Use, reason: str) -> Answer:
        """Nothing is known of the receiver: perhaps the name itself tells."""
        name = use.name
        if name in self.rules.builtins and not self.evaluation.reader.named(name) and self.language == "ruby":
            return _outside(f"{self.rules.literal}.{name}")
        if name in self.rules.common or name in self.rules.builtins:
            return _unresolved(reason)
        refs = [
            ref for ref in self.evaluation.reader.named(name)
            if ref.key and ref.defined.kind in ("method", "constructor", "function")
            and (ref.module.outline.language == self.language or self.rules.group in ("jvm", "c"))
        ]  # fmt: skip
        return self._guessed(refs, use, reason)

    def _guessed(self, refs: list[Ref], use: facts.Use, reason: str) -> Answer:
        if any(ref.name.count(".") for ref in refs) and use.receiver:
            refs = [ref for ref in refs if "." in ref.defined.path or ref.defined.kind != "function"] or refs
        places = {ref.name for ref in refs}
        if refs and len(places) <= _MAX_GUESSES and use.name not in self.rules.common:
            return Answer(Status.AMBIGUOUS, tuple(self._paired(refs)[:_MAX_CANDIDATES]), reason=reason)
        return _unresolved(reason)

    # -- choosing --------------------------------------------------------------------------------------------------

    def _chosen(self, refs: list[Ref], use: facts.Use) -> Answer:
        refs = [ref for ref in refs if ref.key]
        if not refs:
            return _unresolved("nothing to call")
        return self._several(self._paired(self._fitting(refs, use)))

    def _several(self, refs: list[Ref]) -> Answer:
        refs = list(dict.fromkeys(refs))
        if len(refs) == 1:
            return Answer(Status.RESOLVED, tuple(refs))
        return Answer(Status.AMBIGUOUS, tuple(refs[:_MAX_CANDIDATES]), reason="several definitions fit")

    def _fitting(self, refs: list[Ref], use: facts.Use) -> list[Ref]:
        """Those that may take this many arguments, if any may."""
        count = use.arguments
        if count < 0 or len(refs) == 1:
            return refs
        fits = [ref for ref in refs if _takes(ref.defined, count)]
        return fits or refs

    def _paired(self, refs: list[Ref]) -> list[Ref]:
        """Of a declaration and its definition the definition; of several files the asking one, then its neighbours."""
        if len(refs) < 2:
            return refs
        if self.rules.group in ("c", "lua", "bash"):
            own = [ref for ref in refs if ref.module is self.module and (ref.defined.flags & facts.BODY)]
            if own:
                return own
        if self.rules.group == "c":
            written = [ref for ref in refs if ref.defined.flags & facts.BODY]
            if not written:
                return refs[:1]
            refs = written
            if len(refs) > 1:
                home = self.module.path.rpartition("/")[0]
                near = [ref for ref in refs if ref.module.path.rpartition("/")[0] == home]
                refs = near or refs
        elif self.rules.group in ("bash", "lua") or self.language == "ruby":
            own = [ref for ref in refs if ref.module is self.module]
            refs = own or refs
        if len(refs) > 1 and self.language == "rust":
            own = [ref for ref in refs if ref.module is self.module]
            refs = own or refs
        return refs


# Where a block may be run with another self, a name that a base outside might have may as well be one of ours.
_RECEIVING: Final = frozenset(("kotlin", "scala", "ruby", "swift"))
_RUST_HEADS: Final = frozenset(("crate", "super"))


def _takes(item: facts.Defined, count: int) -> bool:
    if item.least < 0:
        return True
    # A block after the parentheses is one argument more than was counted.
    return item.least <= count + 1 and (item.most < 0 or count <= item.most) and not (
        item.least == count + 1 and item.most == item.least and item.kind != "function"
    )
