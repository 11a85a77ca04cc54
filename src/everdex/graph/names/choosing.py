"""Chooses among known definitions: which of several fits a call, what constructs a type, what a name alone can tell.

Never guesses: candidates that share nothing but a name are ambiguous, and a name that every library has proves nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from everdex.facts import names_model as facts
from everdex.graph.model import Status
from everdex.graph.names.evaluate import Evaluation
from everdex.graph.names.index import Ref
from everdex.graph.names.members import LOST
from everdex.graph.names.overloads import Overloads
from everdex.graph.names.rules import CALLABLES, TYPES
from everdex.graph.names.things import INSTANCE, OUTSIDE, TYPE, UNKNOWN, Thing
from everdex.graph.names.types import parameters_after, types_taken

_MAX_GUESSES: Final = 3
_SHOWN: Final = re.compile(r"\b(?:public|internal|protected)\b")
_BESIDE_TYPES: Final = frozenset(("type", "object"))  # an alias of the name, and Scala's companions
_IN_PARTS: Final = TYPES | {"module"}
MAX_CANDIDATES: Final = 16
# Where a block may be run with another self, a name that a base outside might have may as well be one of ours.
_PRIVATE: Final = frozenset(("csharp", "jvm", "swift"))  # where a private method is nobody's outside its file or type
_RECEIVING: Final = frozenset(("kotlin", "scala", "ruby", "swift"))


@dataclass(frozen=True, slots=True)
class Answer:
    status: Status
    refs: tuple[Ref, ...] = ()
    outside: str = ""
    reason: str = ""
    # what is named there besides: the type that is constructed by an inherited constructor; the field that holds the
    # function that is called
    named: tuple[Ref, ...] = ()
    runs: bool = False  # of a name that is read or written: that calls these


def unresolved(reason: str) -> Answer:
    return Answer(Status.UNRESOLVED, reason=reason)


def outside_root(name: str) -> Answer:
    return Answer(Status.EXTERNAL, outside=name)


class Choosing:
    """The definitions that a use means, out of those that are known."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.module = evaluation.module
        self.rules = evaluation.rules
        self.language = evaluation.module.outline.language
        self.overloads = Overloads(evaluation)

    def _nowhere(self, use: facts.Use, beyond: str) -> Answer:
        """No definition in reach: outside, if something says so."""
        name = use.name
        known = self.evaluation.reader.named(name)
        fits = [ref for ref in known if ref.key and ref.defined.kind in (CALLABLES | TYPES)]
        if self.rules.group == "c":
            fits = [ref for ref in fits if self.evaluation.visible(ref, self.module)]
        if self.language == "bash":
            # A function that another one defines is everybody's, once that one was run.
            written = f".{name.replace('::', '.')}"
            named = self.evaluation.reader.named(written.rpartition(".")[2])
            fits = [ref for ref in named if ref.key and f".{ref.name}".endswith(written)]
        if beyond.startswith(LOST):
            return self._guessed(fits, use, f"base {beyond.removeprefix(LOST)} not found")
        if beyond and not (fits and self.language in _RECEIVING):
            return outside_root(f"{beyond}.{name}")
        if self.rules.global_calls and not fits:
            return outside_root(name)
        if self.rules.global_calls and self.language == "php":
            fits = [ref for ref in fits if ref.defined.kind == "function"]
            if not fits:
                return outside_root(name)
        if not fits and self.language in ("swift", "kotlin", "scala") and self._importsoutside_root():
            return outside_root(name)
        if self.language == "bash":
            return self._guessed(fits, use, "function of a file that is not sourced")
        if self.language in ("ruby", "c", "cpp", "swift", "lua", "rust", "kotlin", "scala"):
            return self._guessed(fits, use, f"no definition of {name} in reach")
        return unresolved(f"no definition of {name} in reach")

    def _importsoutside_root(self) -> bool:
        return bool(self.module.outline.imports)

    def _type(self, thing: Thing, otherwise: Answer) -> Answer:
        """The type itself: all the parts that it is written in; another answer where none is here."""
        refs = [ref for ref in thing.refs if ref.key]
        best = [ref for ref in refs if ref.defined.kind not in _BESIDE_TYPES] or refs
        return self._several(self._paired(best)) if best else otherwise

    def _constructed(self, thing: Thing, use: facts.Use, is_written: bool = True) -> Answer:
        """The constructor of a type, or the type when it has none of its own; what is written may be another name."""
        if thing.kind == OUTSIDE:
            return outside_root(thing.name)
        if thing.kind == UNKNOWN or not thing.refs:
            return unresolved(thing.name if thing.kind == UNKNOWN else "type not found")
        evaluation = self.evaluation
        if use.role == facts.NEW:
            thing = thing._replace(refs=self.of_as_many(thing.refs, use))
        types = [ref for ref in thing.refs if ref.defined.kind in TYPES]
        if not types:
            return self._chosen(list(thing.refs), use)
        aliased = evaluation.aliased(thing) if is_written else None
        if aliased is not None and aliased.kind == INSTANCE and aliased.refs and aliased.name != thing.name:
            ran = self._constructed(Thing(TYPE, aliased.name, aliased.refs), use, False)
            return replace(ran, named=self._type(thing, ran).refs)
        last = thing.name.rpartition(".")[2]
        made: list[Ref] = []
        for name in (*self.rules.constructors, last, *self.rules.own_constructors):
            if name in self.rules.constructors and name != last:
                refs, _ = evaluation.member(Thing(INSTANCE, thing.name, thing.refs), name)
            else:
                refs = list(evaluation.reader.definitions(f"{thing.name}.{name}"))
            kin = evaluation.kin(thing.name, thing.refs)
            refs = [ref for ref in refs if not kin or Ref(ref.module, ref.defined.parent) in kin]
            made += [ref for ref in refs if ref.defined.kind in CALLABLES and not _makes_the_type(ref)]
        if made and self.rules.primary:
            made += [ref for ref in types if ref.defined.least >= 0]  # the type's own parameters construct it, too
        if self.language == "scala":
            made = made or [
                ref for ref in evaluation.reader.definitions(f"{thing.name}.apply") if use.role == facts.CALL
            ]
        if made and self.language == "swift":
            made = [ref for ref in made if self.overloads.are_labelled(ref, use)]
            if not made and all(ref.defined.flags & facts.SCOPE_ONLY for ref in types):
                return outside_root(thing.name)
        if made and all(ref.defined.flags & facts.SCOPE_ONLY for ref in types):
            return Answer(Status.AMBIGUOUS, tuple(made[:MAX_CANDIDATES]), reason="the type itself is outside")
        if made:
            return self._naming(thing, self._chosen(made, use))
        return self._type(thing, outside_root(thing.name))

    def of_as_many(self, refs: tuple[Ref, ...], use: facts.Use) -> tuple[Ref, ...]:
        """C#: of types of one name those that take as many types as are written."""
        if self.language != "csharp" or len(refs) < 2:
            return refs
        count = facts.types_given(use.text)
        return tuple(ref for ref in refs if ref.defined.kind not in TYPES or types_taken(ref.defined) == count) or refs

    def _naming(self, thing: Thing, ran: Answer) -> Answer:
        """What constructs a type: when it is inherited, the type is named there all the same."""
        own = any(thing.name in (ref.name, ref.name.rpartition(".")[0]) for ref in ran.refs)
        return ran if own else replace(ran, named=self._type(thing, ran).refs)

    def _above(self, outside: str, member: str, reason: str) -> Answer:
        """What is a base's, where no base in the root has it."""
        if outside.startswith(LOST):
            return unresolved(f"base {outside.removeprefix(LOST)} not found")
        return outside_root(outside + member) if outside else unresolved(reason)

    def _by_name(self, use: facts.Use, reason: str) -> Answer:
        """Nothing is known of the receiver: perhaps the name itself tells."""
        name = use.name
        if name in self.rules.builtins and not self.evaluation.reader.named(name) and self.language == "ruby":
            return outside_root(f"{self.rules.literal}.{name}")
        if name in self.rules.common or name in self.rules.builtins:
            return unresolved(reason)
        refs = [
            ref for ref in self.evaluation.reader.named(name)
            if ref.key and ref.defined.kind in ("method", "constructor", "function") and not self._is_local(ref)
            and (ref.module.outline.language == self.language or self.rules.group in ("jvm", "c"))
        ]  # fmt: skip
        return self._guessed(refs, use, reason)

    def _is_local(self, ref: Ref) -> bool:
        """Whether it is a function inside a function, which is no member of anything."""
        parent = ref.defined.parent
        inside = ref.defined.kind == "function" and parent >= 0 and self.rules.stated
        return inside and ref.module.outline.definitions[parent].kind in CALLABLES

    def _guessed(self, refs: list[Ref], use: facts.Use, reason: str) -> Answer:
        if any(ref.name.count(".") for ref in refs) and use.receiver:
            refs = [ref for ref in refs if "." in ref.defined.path or ref.defined.kind != "function"] or refs
        places = {ref.name for ref in refs}
        if refs and len(places) <= _MAX_GUESSES and use.name not in self.rules.common:
            # That one of them is in the same file says nothing of whose it is.
            paired = self._paired(refs) if self.rules.stated else refs
            return Answer(Status.AMBIGUOUS, tuple(paired[:MAX_CANDIDATES]), reason=reason)
        return unresolved(reason)

    def _chosen(self, refs: list[Ref], use: facts.Use, extending: bool = False) -> Answer:
        """`extending`: as functions that are written for the type of what they are called on."""
        refs = [ref for ref in refs if ref.key]
        if not refs:
            return unresolved("nothing to call")
        if self.language == "csharp" and not extending and all(ref.defined.receiver for ref in refs):
            use = _without_first(use)  # what an extension method is for is its first argument
        if self.language == "cpp" and use.receiver in ("", "this"):
            refs = self._of_own(refs, use)
        return self._several(self._paired(self._fitting(refs, use)))

    def _of_own(self, refs: list[Ref], use: facts.Use) -> list[Ref]:
        """C++: of a template and its specializations, which have one name, each means its own members."""
        chain = self.module.chain(use.scope) if len(refs) > 1 else ()
        own = [ref for ref in refs if ref.module is self.module and ref.defined.parent in chain]
        names = {name for ref in own if (name := _type_around(ref))}
        return [ref for ref in refs if ref in own or _type_around(ref) not in names]

    def _several(self, refs: list[Ref]) -> Answer:
        refs = list(dict.fromkeys(refs))
        if len(refs) == 1 or (len(refs) <= MAX_CANDIDATES and self._are_parts(refs)):
            return Answer(Status.RESOLVED, tuple(refs))
        return Answer(Status.AMBIGUOUS, tuple(refs[:MAX_CANDIDATES]), reason="several definitions fit")

    def _are_parts(self, refs: list[Ref]) -> bool:
        """Whether these are one definition in parts: C#'s partial types, what a file of Ruby reopens, and what Kotlin
        expects of each platform and is actually there."""
        if self.language == "kotlin":
            alike = all((ref.name, ref.defined.takes) == (refs[0].name, refs[0].defined.takes) for ref in refs)
            return alike and all(ref.is_expected for ref in refs)
        if any(ref.name != refs[0].name or ref.defined.kind not in _IN_PARTS for ref in refs):
            return False
        if self.language == "ruby":
            return all(ref.module is refs[0].module for ref in refs)
        return self.language == "csharp" and all(_is_partial(ref) for ref in refs)

    def _fitting(self, refs: list[Ref], use: facts.Use) -> list[Ref]:
        """Those that may take this many arguments, if any may."""
        count = use.arguments
        refs = self._accessible(refs, use)
        if count < 0 or len(refs) == 1:
            return refs
        if not self.rules.overloads and all(ref.name == refs[0].name for ref in refs):
            return refs  # the last one that was run counts, whatever it takes
        fits = [ref for ref in refs if ref.takes(count) or self._is_declared_with(ref, refs, count)] or refs
        if not count and self.language == "scala":  # what has no list of parameters is not given an empty one
            return [ref for ref in fits if ref.defined.least >= 0] or fits
        if not count:  # what need not be given anything is asked last
            return [ref for ref in fits if ref.defined.least < 0 or not ref.defined.most] or fits
        return self.overloads.fitting(fits, use) or fits

    def _is_declared_with(self, ref: Ref, refs: list[Ref], count: int) -> bool:
        """Whether the declaration of a function of C++ says what its body does not: what need not be passed."""
        declared = (other for other in refs if not other.defined.flags & facts.BODY)
        return self.rules.group == "c" and any(
            other.takes(count) and other.defined.most == ref.defined.most for other in declared
        )

    def _accessible(self, refs: list[Ref], use: facts.Use) -> list[Ref]:
        """Without what is private in other files, or of C# in other types, if anything is left: of overloads nobody
        else can mean that."""
        if len(refs) == 1 or self.rules.group not in _PRIVATE:
            return refs
        if self.language == "csharp":
            around = {self.module.names[at] for at in self.module.chain(use.scope)}
            return [ref for ref in refs if ref.name.rpartition(".")[0] in around or not _is_hidden(ref)] or refs
        return [ref for ref in refs if ref.module is self.module or not is_private(ref.defined)] or refs

    def _paired(self, refs: list[Ref]) -> list[Ref]:
        """Of a declaration and its definition the definition; of several files the asking one, then its neighbours."""
        if len(refs) < 2:
            return refs
        macros = [ref for ref in refs if ref.defined.kind == "macro"]
        if macros and self.rules.group == "c":
            # Which of several is defined where it is used, the preprocessor knows.
            return macros + self._paired([ref for ref in refs if ref.defined.kind != "macro"])
        if self.rules.group in ("c", "lua", "bash"):
            own = [ref for ref in refs if ref.module is self.module and (ref.defined.flags & facts.BODY)]
            if own:
                return own
        if self.rules.group == "c":
            written = [ref for ref in refs if ref.defined.flags & facts.BODY]
            if not written:
                # Declared again it is the same, but of C++ another function with other parameters, or another alias.
                heads = [ref.defined.signature for ref in refs]
                several = dict(zip((head.partition("(")[2] or head for head in heads[::-1]), refs[::-1], strict=True))
                return refs[:1] if self.language == "c" else list(several.values())[::-1]
            refs = written
            if len(refs) > 1:
                home = self.module.path.rpartition("/")[0]
                near = [ref for ref in refs if ref.module.path.rpartition("/")[0] == home]
                refs = near or refs
        elif self.language == "csharp" and all(_is_partial(ref) for ref in refs):
            refs = [ref for ref in refs if ref.defined.flags & facts.BODY] or refs
        elif self.rules.group in ("bash", "lua") or self.language == "ruby":
            own = [ref for ref in refs if ref.module is self.module]
            refs = own or refs
        if len(refs) > 1 and self.language == "rust":
            own = [ref for ref in refs if ref.module is self.module]
            refs = own or refs
        return refs


def is_private(item: facts.Defined) -> bool:
    head = item.signature.partition("(")[0].split()
    return "private" in head


def _is_hidden(ref: Ref) -> bool:
    """Whether a member of a type of C# is private: unless another word says what it is."""
    parent = ref.defined.parent
    closed = parent >= 0 and ref.module.outline.definitions[parent].kind in ("class", "record", "struct")
    return closed and _SHOWN.search(ref.defined.signature) is None


def _without_first(use: facts.Use) -> facts.Use:
    fewer = use.arguments - 1 if use.arguments > 0 else use.arguments
    return msgspec.structs.replace(use, arguments=fewer, given=use.given[1:])


def is_generic(item: facts.Defined) -> bool:
    """Whether an extension function is written for a type parameter of its own: `fun <A : Any> A.shown()` of Kotlin,
    `static void Shown<T>(this T one)` of C#."""
    if f"this {item.receiver} " in item.signature:
        return item.receiver in parameters_after(item.name, item.signature)
    words = item.signature.partition(f"{item.receiver}.{item.name}")[0].partition("fun <")[2]
    return item.receiver in re.findall(r"\w+", words)


def _makes_the_type(ref: Ref) -> bool:
    """Whether it is a static constructor of C#, which nobody calls."""
    return ref.defined.kind == "constructor" and bool(ref.defined.flags & facts.STATIC)


def _type_around(ref: Ref) -> str:
    """The lookup name of the type in which a member stands; '' elsewhere."""
    parent = ref.defined.parent
    is_type = parent >= 0 and ref.module.outline.definitions[parent].kind in TYPES
    return ref.module.names[parent] if is_type else ""


def _is_partial(ref: Ref) -> bool:
    return "partial " in ref.defined.signature


def takes_types(item: facts.Defined, count: int) -> bool:
    """Whether a method of C# has so many parameters that are types."""
    behind = item.signature.partition(f"{item.name}<")[2].partition(">")[0]
    return bool(behind) and behind.count(",") == count - 1
