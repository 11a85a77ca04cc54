"""What each use of a file leads to: resolved, ambiguous with its candidates, outside the root, or not and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import msgspec

from everdex.facts import names_model as facts
from everdex.graph.model import Status
from everdex.graph.names.bare import Bare
from everdex.graph.names.blocks import OF_A_BLOCK
from everdex.graph.names.choosing import MAX_CANDIDATES, Answer, outside_root, unresolved
from everdex.graph.names.evaluate import Evaluation
from everdex.graph.names.implied import Argument, argument_at, type_taken
from everdex.graph.names.index import Ref
from everdex.graph.names.lookup import MAX_WORK
from everdex.graph.names.on_receivers import CROWDED
from everdex.graph.names.rules import CALLABLES, TYPES, VALUES
from everdex.graph.names.things import INSTANCE, OUTSIDE, SPACE, TYPE, UNKNOWN, Place, Thing, unknown

_ACCESSORS: Final = ("attr_accessor", "attr_writer")
_WITHOUT_BLOCK: Final = ("|", "move", "async", "fn")  # of Rust and PHP
_MAX_NESTED: Final = 6  # calls in arguments of calls
LOCAL: Final = "local"  # a variable of a function: nobody else can name it


def _closing(text: str) -> int:
    """Where the parenthesis ends that a text begins with; -1 where it does not."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return at
    return -1


def _is_protected(ref: Ref) -> bool:
    """Whether a field of Java is seen in its package and in what extends its class only."""
    return ref.module.outline.language == "java" and "protected" in ref.defined.signature.split()


def is_setter(name: str) -> bool:
    """Whether a method of Ruby is one that assignments call."""
    return name.endswith("=") and name[:-1].isidentifier()


class Calls(Bare):
    """Answers for the uses of one file."""

    def __init__(self, evaluation: Evaluation, uses: tuple[facts.Use, ...]) -> None:
        super().__init__(evaluation)
        self.uses = uses
        self._callees: dict[tuple[int, int], facts.Use] | None = None
        self._asked: list[facts.Use] = []  # calls whose arguments are being looked at
        self._answered: dict[tuple[int, int], Answer] = {}

    def call(self, use: facts.Use) -> Answer:
        answer = self._called(use)
        if self.language == "csharp" and answer.status is Status.RESOLVED and self._is_of_one_branch(answer.refs):
            return replace(answer, status=Status.AMBIGUOUS, reason="defined under a condition only")
        return answer

    def _is_of_one_branch(self, refs: tuple[Ref, ...]) -> bool:
        """Whether these are of a namespace that a file of C# uses under a condition only: under another one it is a
        library's."""
        imported = [item.path for item in self.module.outline.imports if item.conditional]
        if len(imported) < 2 or not all(ref.defined.flags & facts.CONDITIONAL for ref in refs):
            return False
        here = [path for path in imported if any(f".{path}." in f".{ref.name}" for ref in refs)]
        return bool(here) and any(not self.evaluation.is_space(path) for path in imported)

    def _called(self, use: facts.Use) -> Answer:
        place = Place(self.module, use.scope, use.line, use.column)
        self.evaluation.budget = MAX_WORK
        if not use.name:
            return self._written_there(use)
        if use.receiver and use.text.startswith("."):
            return self._implied(use, place)
        if use.receiver:
            found = self._narrowed(use, place, self._on(use, place))
            sets = self.language == "ruby" and is_setter(use.name) and not found.refs
            return self._set_by_accessor(use, place, found) if sets else found
        if use.name in self.rules.super_names or (use.name == "this" and use.name in self.rules.self_names):
            return self._up(use, place)
        receivers = self.evaluation.block_receivers(place)
        if receivers and use.role == facts.CALL and self.evaluation.local(use.name, place) is None:
            return self._in_blocks(use, place, receivers)
        return self._or_the_systems(use.name, self._bare(use, place))

    def _in_blocks(self, use: facts.Use, place: Place, receivers: tuple[Thing, ...]) -> Answer:
        """Kotlin: a name alone in blocks may be a member of what these are run with, the innermost first."""
        evaluation = self.evaluation
        for thing in receivers:
            refs = evaluation.taking(thing, use.name, use.arguments)[0] if thing.kind == INSTANCE else []
            if any(ref.defined.kind in CALLABLES for ref in evaluation.shown(refs, place)):
                return self._member(use, thing)
        plain = self._bare(use, place)
        if plain.status is Status.RESOLVED:
            return self._doubted(plain, receivers, place)
        extended = (self._extended(use, thing, "") for thing in receivers if thing.kind == INSTANCE)
        return next(filter(None, extended), plain)

    def _doubted(self, plain: Answer, receivers: tuple[Thing, ...], place: Place) -> Answer:
        """What is a type's around the blocks may be of what one of them is run with."""
        others = self.evaluation.others_meant(plain.refs, receivers, place)
        if others is None:
            return plain
        every = tuple(dict.fromkeys((*plain.refs, *others)))[:MAX_CANDIDATES]
        return replace(plain, status=Status.AMBIGUOUS, refs=every, reason=OF_A_BLOCK)

    def _implied(self, use: facts.Use, place: Place) -> Answer:
        """Swift: `.name(…)` is a member of what its place takes."""
        argument = argument_at(use.receiver)
        around = self._taken(argument) if argument else self.evaluation.evaluate(use.receiver, place)
        if around.kind in (INSTANCE, OUTSIDE):
            around = around._replace(kind=TYPE) if around.kind == INSTANCE else around
            return self._member(use, around) if around.kind == TYPE else self._outside(use, around)
        known = [
            ref for ref in self.evaluation.reader.named(use.name)
            if ref.key and (ref.defined.kind == "variant" or ref.defined.flags & facts.STATIC)
        ]  # fmt: skip
        fits = [ref for ref in known if ref.defined.kind == "variant" or self.overloads.fitting([ref], use)]
        return self._guessed(fits, use, "member of a type that is not written")

    def _taken(self, argument: Argument) -> Thing:
        """What a call takes as one of its arguments."""
        if self._callees is None:
            self._callees = {(use.line, use.column): use for use in self.uses if use.role in (facts.CALL, facts.NEW)}
        callee = self._callees.get((argument.line, argument.column))
        if callee is None or len(self._asked) >= _MAX_NESTED:
            return unknown("argument of something that is not known")
        place = (callee.line, callee.column)
        if place not in self._answered:
            self._asked.append(callee)
            self._answered[place] = self.call(callee)
            self._asked.pop()
        answer = self._answered[place]
        refs = answer.refs if answer.status is Status.RESOLVED else ()
        things = [self._parameter(ref, callee, argument.number) for ref in refs]
        same = bool(things) and all((each.kind, each.name) == (things[0].kind, things[0].name) for each in things)
        return things[0] if same else unknown("argument of something that is not known")

    def _parameter(self, ref: Ref, callee: facts.Use, number: int) -> Thing:
        item, labels = ref.defined, callee.given
        if item.kind in TYPES:  # made of its fields
            fields = self.evaluation.field(Thing(INSTANCE, ref.name, (ref,)), labels[number]) if labels[number:] else []
            return self.evaluation.of_refs(tuple(fields)) if fields else unknown("no field of this name")
        text = type_taken(item, labels, number)
        return self.evaluation.type_named(text, Place(ref.module, ref.at, item.start_line, 0)) if text else unknown("")

    def _outside(self, use: facts.Use, around: Thing) -> Answer:
        return self._extended(use, around, "") or outside_root(f"{around.name}.{use.name}")

    def _written_there(self, use: facts.Use) -> Answer:
        """A function that is called where it is written, `func() { … }()`, perhaps in parentheses."""
        text, column = use.text, use.column
        while text.startswith("(") and _closing(text) == len(text) - 1:
            text, column = text[1:-1], column + 1
        # `func() func() { … }()()` calls what the function gives; what has no block goes on to the parenthesis.
        is_whole = text.endswith(("}", "end")) or text.startswith(_WITHOUT_BLOCK)
        found = [
            Ref(self.module, at) for at, item in enumerate(self.module.outline.definitions)
            if item.kind == "lambda" and (item.start_line, item.name_column) == (use.line, column) and is_whole
        ]  # fmt: skip
        return Answer(Status.RESOLVED, (found[0],)) if found else unresolved("computed callee")

    def _or_the_systems(self, name: str, found: Answer) -> Answer:
        """`unlink` that is a macro on Windows, `snprintf` where the system has none."""
        outermost = found.status is Status.RESOLVED and all(ref.name == name for ref in found.refs)
        if self.rules.group != "c" or not outermost or not self.evaluation.may_be_the_systems(name, self.module):
            return found
        return replace(found, status=Status.AMBIGUOUS, reason="may be the system's")

    def _set_by_accessor(self, use: facts.Use, place: Place, otherwise: Answer) -> Answer:
        """`x.name = y` where `attr_accessor :name` stands for both methods."""
        found = self._on(msgspec.structs.replace(use, name=use.name[:-1]), place)
        written = tuple(ref for ref in found.refs if ref.defined.signature.startswith(_ACCESSORS))
        return replace(found, refs=written) if written else otherwise

    def _narrowed(self, use: facts.Use, place: Place, plain: Answer) -> Answer:
        """What is not a member of the stated type is one of the type that was asked for before."""
        if plain.status is Status.RESOLVED or plain.reason == CROWDED:
            return plain
        thing = self.evaluation.narrowed(use.receiver, place)
        if thing is None or thing.kind != INSTANCE or not self.evaluation.member(thing, use.name)[0]:
            return plain
        answer = self._member(use, thing)
        return answer if answer.status is Status.RESOLVED or (answer.refs and not plain.refs) else plain

    def reference(self, use: facts.Use) -> Answer:
        """A name that is not called; unresolved ones are of no interest to anybody."""
        place = Place(self.module, use.scope, use.line, use.column)
        evaluation = self.evaluation
        evaluation.budget = MAX_WORK
        if use.role in (facts.TYPE, facts.QUALIFIER):
            thing = evaluation.path(f"{use.receiver}.{use.name}".lstrip(".") if use.receiver else use.name, place)
        elif use.receiver:
            around = evaluation.stated(use.receiver, place)
            if around.kind == SPACE:
                thing = evaluation.step(around, use.name, place)
                if thing.values:
                    return self._plain(thing.values)
            elif around.kind in (INSTANCE, TYPE):
                return self._field_or_accessor(around, use, place)
            else:
                narrowed = evaluation.narrowed(use.receiver, place)
                if narrowed is not None and narrowed.kind == INSTANCE:
                    return self._field_or_accessor(narrowed, use, place)
                thing = around if around.kind == OUTSIDE else unknown(around.name)
        else:
            if evaluation.local(use.name, place) is not None:
                return unresolved(LOCAL)
            return self._named_alone(use, place)
        if thing.kind == OUTSIDE:
            return outside_root(thing.name)
        if thing.kind == UNKNOWN:
            return unresolved(thing.name)
        refs = self.of_as_many(thing.refs, use) if use.role == facts.TYPE else thing.refs
        return self._plain(self._beside(refs, use.role == facts.TYPE))

    def _named_alone(self, use: facts.Use, place: Place) -> Answer:
        """A name that is read or written without anything before it."""
        evaluation = self.evaluation
        if self.language != "kotlin":
            return self._plain(self._beside(self._definitions_of(use.name, place), False))
        receivers = evaluation.block_receivers(place)
        for thing in receivers:
            found = self._field_or_accessor(thing, use, place) if thing.kind == INSTANCE else None
            if found is not None and evaluation.shown(found.refs, place):
                return found
        owners = [Thing(INSTANCE, name) for name in self._types_around(place)]
        extended = evaluation.extended(place)
        plain = self._plain(self._definitions_of(use.name, place))
        members = [ref for ref in plain.refs if ref.defined.kind in VALUES and "." in ref.defined.path]
        if members and not any(map(_is_protected, members)):
            return self._doubted(plain, receivers, place) if plain.status is Status.RESOLVED else plain
        for thing in (*owners, *([extended] if extended is not None else ())):
            found = self._field_or_accessor(thing, use, place)
            if found.runs:
                return found
        return plain

    def _types_around(self, place: Place) -> list[str]:
        definitions = self.module.outline.definitions
        return [self.module.names[at] for at in self.module.chain(place.scope) if definitions[at].kind in TYPES]

    def _field_or_accessor(self, around: Thing, use: facts.Use, place: Place) -> Answer:
        """What is read or assigned as a member of something, or what that calls."""
        fields, evaluation = self._fields(around, use, place), self.evaluation
        seen = [ref for ref in fields if ref.defined.kind in VALUES]
        if self.language != "kotlin" or (seen and not any(map(_is_protected, seen))):
            return self._plain(fields)
        narrowed = evaluation.narrowed(use.receiver, place) if use.receiver else None
        things = (around,) if narrowed is None else (around, narrowed)
        written = use.role == facts.WRITE
        accessed = next(filter(None, (evaluation.accessed(thing, use.name, written) for thing in things)), [])
        if not accessed:
            return self._plain(fields)
        answer = self._accessing(accessed, use)
        if not any(self.evaluation.bases(name)[0] for name in self._types_around(place)):
            seen = []  # what is protected is seen in what extends the class
        if not seen:
            return answer
        every = (*seen, *answer.refs)
        return replace(answer, status=Status.AMBIGUOUS, refs=every, reason="several definitions fit")

    def _accessing(self, accessed: list[Ref], use: facts.Use) -> Answer:
        """Kotlin: a property that is Java's methods: to use it calls one."""
        call = msgspec.structs.replace(
            use, role=facts.CALL, name=accessed[0].defined.name, arguments=int(use.role == facts.WRITE), given=()
        )
        return replace(self._running(accessed, call), runs=True)

    def _beside(self, refs: tuple[Ref, ...], types: bool) -> tuple[Ref, ...]:
        """Of a class of Scala and its companion, or an alias and a value, the one that the place can mean."""
        if len(refs) < 2 or self.language != "scala":
            return refs
        return tuple(ref for ref in refs if (ref.defined.kind in TYPES - {"object"}) == types) or refs

    def _fields(self, around: Thing, use: facts.Use, place: Place) -> tuple[Ref, ...]:
        """What is read or assigned as a member of something: a field rather than a method of the same name."""
        evaluation = self.evaluation
        refs = evaluation.keyed(around, use.receiver, use.name) if around.kind == INSTANCE else []
        refs = refs or evaluation.field(around, use.name)
        narrowed = evaluation.narrowed(use.receiver, place) if not refs else None
        if narrowed is not None and narrowed.kind == INSTANCE:
            refs = evaluation.field(narrowed, use.name)
        embedded = evaluation.embedded(around, use.name) if not refs else None
        return tuple(refs) if embedded is None else embedded.refs

    def naming(self, answer: Answer) -> Answer:
        """What a call names, whatever it runs."""
        known = self._plain(answer.named) if answer.status is Status.UNRESOLVED else answer
        return replace(known, refs=answer.named)

    def is_index(self, use: facts.Use) -> bool:
        """Whether a key of a literal is no field but a value: that of an array or a map with a name of its own."""
        if use.role != facts.KEY:
            return False
        around = self.evaluation.evaluate(use.receiver, Place(self.module, use.scope, use.line, use.column))
        return around.kind == INSTANCE and any(ref.defined.kind == "type" for ref in around.refs)

    def _plain(self, refs: tuple[Ref, ...]) -> Answer:
        refs = tuple(ref for ref in refs if ref.key)
        if not refs:
            return unresolved("nothing in reach")
        chosen = self._paired(list(refs))
        return self._several(chosen)
