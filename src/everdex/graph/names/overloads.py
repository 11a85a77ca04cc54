"""Which of several definitions of one name a call means, as far as the types of what it passes say, or in Swift the
labels.

A definition is left out where something is passed that it cannot take; of what is left, the one that takes exactly what
is passed is meant, or the one that takes less than all others. Where a type is not known, nothing is left out.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

from everdex.facts import arguments as given
from everdex.facts import names_model as facts
from everdex.graph.names.evaluate import Evaluation
from everdex.graph.names.index import Ref
from everdex.graph.names.members import LOST
from everdex.graph.names.things import INSTANCE, OUTSIDE, Place, Thing
from everdex.graph.names.types import LIST, last_name, parse_type


class Fit(IntEnum):
    """How well what is passed fits what is taken."""

    NEVER = 0
    PERHAPS = 1
    WIDER = 2
    EXACT = 3


# Scala may convert anything to anything, if somebody says how: there nothing of the root's is left out. In C# one of
# the two types has to say it.
_CONVERTING: Final = frozenset(("csharp", "scala"))
_CONVERSION: Final = "operator"  # what C# calls it, as a member of a type
_NULLABLE: Final = "?"
_VALUES: Final = frozenset((
    "DateTime", "DateTimeOffset", "DateOnly", "TimeOnly", "TimeSpan", "Guid", "BigInteger", "CancellationToken",
    "decimal", "uint", "ulong", "ushort", "sbyte", "nint", "nuint",
))  # fmt: skip
_ADAPTING: Final = frozenset(("kotlin",))  # a whole number is what it has to be; a variable is not
_ANYTHING: Final = frozenset(("Object", "Any", "AnyRef", "object", "dynamic"))
_KINDS: Final = {
    "string": "string", "int": "int", "integer": "int", "long": "long", "short": "short", "byte": "byte",
    "double": "double", "float": "float", "char": "char", "character": "char", "boolean": "boolean", "bool": "boolean",
}  # fmt: skip
_BOXED: Final = "boxed "  # Java: an object around a value
_NUMBERS: Final = ("byte", "short", "char", "int", "long", "float", "double")
_WIDER: Final = {
    "string": frozenset(("CharSequence", "Comparable", "Serializable", "IEnumerable", "IComparable")),
    "class": frozenset(("Type", "GenericDeclaration", "AnnotatedElement", "Serializable", "KType")),
}
_OF_NUMBERS: Final = frozenset((
    "Number", "Comparable", "Serializable", "IComparable", "decimal", "nint", "uint", "ulong", "ushort", "sbyte",
    "UInt", "ULong", "UShort", "UByte", "BigInt", "BigDecimal",
))  # fmt: skip
_CLASSES: Final = frozenset(("Class", "KClass"))
# Interfaces of libraries that extend none but each other.
_CLOSED: Final = frozenset((
    "AutoCloseable", "Cloneable", "Closeable", "Comparable", "Comparator", "IDisposable", "Iterable", "Iterator",
    "Runnable", "Serializable",
))  # fmt: skip
_TEXT: Final = re.compile(r"(?:\.[tT]oString|\b[sS]tring\.(?:[fF]ormat|[jJ]oin|valueOf))\([^()]*\)$")
_MAX_TYPES: Final = 24
_IMPLIED: Final = frozenset(("enum", "record", "object", "type"))  # kinds of types with bases that nobody writes


class Overloads:
    """The types of one file's calls."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._language = evaluation.module.outline.language
        self._converting: dict[str, bool] = {}

    def fitting(self, refs: list[Ref], use: facts.Use) -> list[Ref]:
        """Those that may be meant; none where none may."""
        if not use.given or use.arguments < 0:
            return refs
        if self._language == "swift":
            return [ref for ref in refs if given.are_labelled(use.given, ref.defined.takes)]
        place = Place(self._evaluation.module, use.scope, use.line, use.column)
        things = [self._passed(chain, place) for chain in use.given]
        absent = [self._may_be_absent(chain, place) for chain in use.given]
        fits = [(ref, self._fits(ref, use, things, absent)) for ref in refs]
        left = [(ref, row) for ref, row in fits if Fit.NEVER not in row]
        if len(left) < 2:
            return [ref for ref, _ in left]
        exact = [ref for ref, row in left if row and min(row) is Fit.EXACT]
        if exact:
            return exact
        if self._language != "scala":
            for ref, row in left:
                if row and min(row) >= Fit.WIDER and all(self._is_below(ref, row, other) for other, _ in left):
                    return [other for other, _ in left if other.defined.takes == ref.defined.takes]
        return [ref for ref, _ in left]

    def are_labelled(self, ref: Ref, use: facts.Use) -> bool:
        """Whether a function of Swift may be called with such labels, or none; what too many say nobody reads."""
        unread = use.arguments < 0 or (use.arguments > 0 and not use.given)
        return unread or given.are_labelled(use.given, ref.defined.takes)

    def are_sure(self, refs: list[Ref], use: facts.Use) -> bool:
        """Whether one of these takes what is passed, as far as types that are known say."""
        place = Place(self._evaluation.module, use.scope, use.line, use.column)
        things = [self._passed(chain, place) for chain in use.given]
        rows = [self._fits(ref, use, things, [False for _ in things]) for ref in refs]
        return any(min(row, default=Fit.EXACT) > Fit.PERHAPS for row in rows)

    def _passed(self, chain: str, place: Place) -> Thing | str:
        """What is passed: a thing whose type is known, its kind, or UNKNOWN."""
        if chain.startswith(given.KIND):
            return chain[1:]
        if chain == given.UNKNOWN:
            return chain
        if chain.endswith(".class") and self._language in ("java", "kotlin"):
            return "class"
        if _TEXT.search(chain):
            return "=string"
        thing = self._evaluation.evaluate(chain, place)
        stated = thing.kind == OUTSIDE and thing.home is not None
        if stated and "." in chain.partition("}")[2 if chain.startswith("@{") else 0] and thing.arguments:
            return given.UNKNOWN  # a container's method may hand on the same items, and give no such container
        if stated:
            kind = self._kind(thing.name.rpartition(".")[2])
            return f"={kind}" if kind and not thing.arguments else thing
        return thing if thing.kind == INSTANCE and thing.refs else given.UNKNOWN

    def _may_be_absent(self, chain: str, place: Place) -> bool:
        """Whether a variable of C# is stated to hold a value or none: `int?`."""
        if self._language != "csharp" or not chain.isidentifier():
            return False
        local = self._evaluation.local(chain, place)
        if local is not None:
            return local.type.endswith(_NULLABLE)
        return any(ref.defined.type.endswith(_NULLABLE) for ref in self._evaluation.values_named(chain, place))

    def _fits(self, ref: Ref, use: facts.Use, things: list[Thing | str], absent: list[bool]) -> list[Fit]:
        takes = ref.defined.takes
        if not takes or len(things) != use.arguments:
            return [Fit.PERHAPS for _ in things]
        found = []
        for at, thing in enumerate(things):
            text = takes[min(at, len(takes) - 1)]
            many = text.endswith(given.MANY)
            if at >= len(takes) and not many:
                found.append(Fit.PERHAPS)
                continue
            fit = self._fit(thing, text.removesuffix(given.MANY), ref)
            if self._language == "csharp" and fit > Fit.PERHAPS:
                fit = self._present(fit, absent[at], text)
            is_list = isinstance(thing, Thing) and thing.name.endswith(".list")
            if many and is_list and self._language == "csharp":
                found.append(Fit.EXACT)  # all of them at once
                continue
            found.append(Fit.PERHAPS if many and (fit > Fit.NEVER or is_list) else fit)
        # What takes any number is asked last.
        return [*found, Fit.PERHAPS] if takes[-1].endswith(given.MANY) and len(found) < len(takes) else found

    def _present(self, fit: Fit, absent: bool, text: str) -> Fit:
        """What may be absent is no value of C#, and a value is taken before what may be absent."""
        last = last_name(text)
        value = (self._kind(last) or last) not in ("string", LIST, "") and last not in _ANYTHING
        if text.endswith(_NULLABLE):
            return fit if absent or not value else min(fit, Fit.WIDER)
        if not absent or not value:
            return fit
        return Fit.NEVER if self._kind(last) or last in _VALUES else Fit.PERHAPS

    def _kind(self, name: str) -> str:
        """What a type of the language is, by its name; '' for others."""
        kind = _KINDS.get(name.lower(), "")
        boxed = kind and kind != "string" and self._language == "java" and name[0].isupper()
        return _BOXED + kind if boxed else kind

    def _fit(self, thing: Thing | str, text: str, ref: Ref) -> Fit:
        name, _ = parse_type(text)
        last = name.rpartition(".")[2]
        if given.UNKNOWN in (thing, text) or not name:
            return Fit.PERHAPS
        if name != LIST and last in _ANYTHING:
            return Fit.WIDER
        taken = self._evaluation.type_named(text, Place(ref.module, ref.at, ref.defined.start_line, 0))
        if isinstance(thing, str):
            return self._fit_of_kind(thing, taken, last if name != LIST else LIST)
        if taken.kind == INSTANCE and taken.refs:
            return self._fit_of_types(thing, taken)
        if taken.kind != OUTSIDE:
            return Fit.PERHAPS
        other = taken.name.rpartition(".")[2]
        if thing.kind == OUTSIDE:
            return self._fit_outside(thing, taken)
        beyond = self._beyond(thing)
        if other in beyond:
            return Fit.WIDER
        if self._language == "csharp" and self._converts(thing.name):
            return Fit.PERHAPS
        never = beyond <= _CLOSED and self._language != "scala"
        return Fit.NEVER if never or self._kind(other) or name == LIST else Fit.PERHAPS

    def _beyond(self, thing: Thing) -> set[str]:
        """The last names of what a type of the root extends that is not in the root."""
        found, seen, level = set[str](), {thing.name}, [thing.name]
        while level and len(seen) <= _MAX_TYPES:
            above: list[str] = []
            for name in level:
                bases = [base.name for base in self._evaluation.bases(name)[0]]
                lasts = {base.rpartition(".")[2] for base in bases}
                for ref in self._evaluation.reader.definitions(name):
                    found |= {last_name(text) for text in ref.defined.bases} - lasts
                    found |= {ref.defined.kind} & _IMPLIED
                above += [base for base in bases if base not in seen]
            seen.update(above)
            level = above
        return found

    def _fit_of_types(self, thing: Thing, taken: Thing) -> Fit:
        if thing.name == taken.name:
            return Fit.EXACT
        if self._language == "csharp" and thing.name.rpartition(".")[2] in ("object", "Object"):
            return Fit.NEVER  # which nothing is made of
        if thing.kind == INSTANCE:
            names, _ = self._evaluation.lineage(thing.name)
            if taken.name.rpartition(".")[2] in names:
                return Fit.WIDER
            _, outside = self._evaluation.member(thing, "")
            if outside.startswith(LOST):
                return Fit.PERHAPS
        converts = self._language in _CONVERTING and self._converts(thing.name, taken.name)
        return Fit.PERHAPS if converts else Fit.NEVER

    def _converts(self, *names: str) -> bool:
        """Whether one of two types of the root may say how the other is made of it; in C# those above it may, too."""
        return self._language == "scala" or any(self._says_how(name) for name in names)

    def _says_how(self, name: str) -> bool:
        known = self._converting.get(name)
        if known is None:
            seen, level = {name}, [name]
            while level and len(seen) <= _MAX_TYPES:
                above = [base.name for each in level for base in self._evaluation.bases(each)[0]]
                level = [each for each in dict.fromkeys(above) if each not in seen]
                seen.update(level)
            reader = self._evaluation.reader
            said = [ref for each in sorted(seen) for ref in reader.definitions(f"{each}.{_CONVERSION}")]
            implicit = any("implicit" in ref.defined.signature for ref in said)
            known = self._converting[name] = implicit or len(seen) > _MAX_TYPES
        return known

    def _fit_outside(self, thing: Thing, taken: Thing) -> Fit:
        """Of two types that are not in the root."""
        one, other = thing.name.rpartition(".")[2], taken.name.rpartition(".")[2]
        if one == other:
            if thing.arguments == taken.arguments or one != "list":
                return Fit.EXACT
            kinds = [self._kind(last_name(each.arguments[-1])) for each in (thing, taken)]
            return Fit.NEVER if kinds[0] != kinds[1] else Fit.PERHAPS
        apart = self._kind(other) or "list" in (one, other)
        return Fit.NEVER if apart and self._language not in _CONVERTING else Fit.PERHAPS

    def _fit_of_kind(self, thing: str, taken: Thing, last: str) -> Fit:
        kind, literal = thing.removeprefix("="), not thing.startswith("=")
        if taken.kind == INSTANCE and taken.refs:
            if kind == given.FUNCTION[1:] and not {each.defined.kind for each in taken.refs} & {"enum", "record"}:
                return Fit.PERHAPS
            number = self._language == "csharp" and kind in ("int", "number")  # a nought is of every enum
            converts = self._language in _CONVERTING and self._converts(taken.name)
            return Fit.PERHAPS if kind == "null" or number or converts else Fit.NEVER
        if taken.kind != OUTSIDE:
            return Fit.PERHAPS
        known = self._kind(last)
        if kind == "null":
            value = known in (*_NUMBERS, "boolean") and self._language != "kotlin"
            return Fit.NEVER if value else Fit.PERHAPS
        if kind == given.FUNCTION[1:]:
            return Fit.NEVER if known or last == LIST else Fit.PERHAPS
        if known == kind or (kind == "class" and last in _CLASSES):
            return Fit.EXACT
        if kind == "number" or last in _WIDER.get(kind, ()):
            return Fit.WIDER
        plain, wanted = kind.removeprefix(_BOXED), known.removeprefix(_BOXED)
        if kind != plain and known in _NUMBERS:
            return Fit.PERHAPS  # an object is taken as what it is before it is taken for its value
        if plain == wanted:
            return Fit.WIDER
        if plain in _NUMBERS and wanted in _NUMBERS:
            wider = _NUMBERS.index(plain) < _NUMBERS.index(wanted) and wanted != "char" and self._language != "kotlin"
            adapts = literal and plain == "int" and self._language in _ADAPTING and wanted in ("long", "short", "byte")
            return Fit.WIDER if wider or adapts else Fit.PERHAPS if self._language in _CONVERTING else Fit.NEVER
        if plain in _NUMBERS and last in _OF_NUMBERS and (plain, last) != ("char", "Number"):
            return Fit.PERHAPS if last[0].isupper() and last != "Number" else Fit.WIDER
        # What text, numbers and classes are besides is known.
        closed = known or last == LIST or self._language not in _CONVERTING
        return Fit.NEVER if closed else Fit.PERHAPS

    def _is_below(self, ref: Ref, row: list[Fit], other: Ref) -> bool:
        """Whether all that one takes the other takes as well; what is exactly what is passed is below all."""
        if ref is other:
            return True
        mine, theirs = ref.defined.takes, other.defined.takes
        if len(mine) != len(theirs):
            return False
        pairs = zip(mine, theirs, row, strict=False)
        return all(fit is Fit.EXACT or self._is_type_below(one, two, ref) for one, two, fit in pairs)

    def _is_type_below(self, mine: str, theirs: str, ref: Ref) -> bool:
        if mine == theirs or last_name(theirs) in _ANYTHING:
            return True
        if given.MANY in mine or given.UNKNOWN in (mine, theirs):
            return False
        one, two = self._kind(mine), self._kind(theirs)
        if one in _NUMBERS:  # a wider number is taken before an object
            return two not in _NUMBERS or _NUMBERS.index(one) < _NUMBERS.index(two)
        thing = self._evaluation.type_named(mine, Place(ref.module, ref.at, ref.defined.start_line, 0))
        if thing.kind != INSTANCE or not thing.refs:
            return False
        return last_name(theirs) in self._evaluation.lineage(thing.name)[0]
