"""Operands: what stands around an operator, what definitions of one take, and how well the one fits the other.

Never more than what is known: of an operand that nobody knows everything may be said, and what might be converted is
in doubt.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from everdex.facts import names_model as facts
from everdex.facts.arguments import split
from everdex.graph.names.evaluate import Evaluation
from everdex.graph.names.index import Ref
from everdex.graph.names.rules import TYPES
from everdex.graph.names.things import (
    CALLABLE,
    DEEP,
    INSTANCE,
    ITSELF,
    OUTSIDE,
    POINTED,
    SHOWN,
    TYPE,
    TYPE_PARAMETER,
    UNKNOWN,
    WRAPPED,
    Place,
    Thing,
    unknown,
)  # fmt: skip
from everdex.graph.names.types import FOR_REFERENCE

OURS, FOREIGN, LITERAL, NOBODY = "ours", "foreign", "literal", "nobody"
EXACT, FITS, DOUBT, NO = 3, 2, 1, 0
_LABEL: Final = re.compile(r"(\w+):(?=[@\w?.&*])")
_NUMBERS: Final = frozenset((
    "int", "uint", "long", "ulong", "short", "ushort", "byte", "sbyte", "float", "double", "decimal", "unsigned",
    "signed", "char", "bool", "boolean", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
    "usize", "f32", "f64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "int8_t",
    "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "ptrdiff_t", "ssize_t",
    "intptr_t", "uintptr_t", "integer", "cgfloat",
))  # fmt: skip
_USUAL: Final = {"int": frozenset(("int", "i32", "integer")), "float": frozenset(("double", "f64", "float"))}
_TEXTS: Final = frozenset(("string", "str", "charsequence", "string_view", "substring", "char"))
_ANYTHING: Final = frozenset(("Any", "Object", "object", "AnyRef"))
_EXACT: Final = frozenset(("rust", "swift"))  # where no number becomes another by itself
_CONVERTING: Final = frozenset(("csharp", "swift", "cpp", "cuda"))
_DEFAULT: Final = re.compile(r"(?<![=<>!])=(?!=)")
_LAST_WORD: Final = re.compile(r"(.*[\s&*>\])])\w+((?:\[\])?)", re.DOTALL)
_QUALIFIED_ONLY: Final = re.compile(r"(?:const|volatile|struct|class|typename|in|ref|readonly|scoped)\s*")
_OPERATOR: Final = re.compile(r"\boperator(?=\W)\s*")
_ASSIGNED: Final = re.compile(r"(?:'\w+\s+)?(?:mut\s+)?")


# Of C++'s library: what gives numbers, texts and iterators, whatever it is called on.
_OF_STD: Final = frozenset((
    "begin", "end", "cbegin", "cend", "rbegin", "rend", "find", "find_if", "size", "length", "count", "empty", "data",
    "c_str", "capacity", "max_size", "lower_bound", "upper_bound", "rfind", "substr", "find_first_of", "str", "compare",
    "find_last_of", "find_first_not_of", "find_last_not_of", "distance", "to_string", "abs", "sqrt", "pow", "strlen",
    "strcmp", "memcmp", "getenv", "now", "stoi", "stol", "isnan", "floor", "ceil", "round", "error_code", "tolower",
))  # fmt: skip
_POINTING: Final = frozenset(("c", "rust"))
_COMPARING: Final = frozenset(("eq", "ne", "lt", "gt", "le", "ge", "partial_cmp"))


class Operand(NamedTuple):
    kind: str
    thing: Thing
    label: str = ""
    literal: str = ""
    is_named: bool = False  # a variable, which is there afterwards

    @property
    def name(self) -> str:
        return self.thing.name.rpartition(".")[2]


class Stated(NamedTuple):
    """The type of a parameter, as it is written at a place; what an operator is a member of is known."""

    text: str
    place: Place
    thing: Thing | None = None
    held: str | None = None


class Taken:
    """A definition of an operator, and what it takes: what it is a member of counts as the first."""

    __slots__ = ("is_member", "moving", "ref", "stated", "things")

    def __init__(self, ref: Ref, stated: list[Stated], is_member: bool) -> None:
        self.ref, self.stated, self.is_member = ref, stated, is_member
        self.moving = any(each.text.endswith("&&") for each in stated)  # C++: what nobody needs any more
        self.things: dict[int, Thing] = {}


class Operands:
    """What one file's operators stand between, and what could take it."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.rules = evaluation.rules
        self.language = evaluation.module.outline.language
        self.is_cpp = self.rules.group == "c"
        self._converted: dict[tuple[str, ...], bool] = {}

    def operand(self, chain: str, place: Place) -> Operand:
        label = _LABEL.match(chain) if self.language == "swift" else None
        if label:
            return self.operand(chain[label.end() :], place)._replace(label=label[1])
        if chain.startswith("@{literal "):
            kind = chain.removeprefix("@{literal ").removesuffix("}")
            return Operand(LITERAL, Thing(OUTSIDE, f"{self.rules.literal}.{kind}"), "", kind)
        bare = chain.lstrip("*&")
        thing = self.evaluation.evaluate(bare, place)
        is_named = not bare.endswith(")") and not bare.startswith("@{")
        if self.is_cpp and bare == "this":
            thing = thing._replace(held=POINTED)
        for mark in reversed(chain[: len(chain) - len(bare)]):
            thing = thing._replace(held=POINTED) if mark == "&" else self._pointed_to(thing)
        if self.is_cpp and thing.kind in (UNKNOWN, OUTSIDE) and not thing.given:
            return Operand(self._whose_in_cpp(thing, bare, place), thing, is_named=is_named)
        return Operand(self._whose(thing, bare), thing, is_named=is_named)

    def _pointed_to(self, thing: Thing) -> Thing:
        if thing.kind == UNKNOWN or thing.held in (POINTED, WRAPPED, SHOWN, DEEP):
            return thing._replace(held=POINTED if thing.held == DEEP else ITSELF)
        if thing.kind == INSTANCE and self.is_cpp:
            found = [ref for ref in self.evaluation.member(thing, "operator*")[0] if not ref.defined.most]
            return self.evaluation.called(Thing(CALLABLE, found[0].name, tuple(found))) if found else unknown("")
        if thing.kind == OUTSIDE:
            return self.evaluation.item_of(thing) if thing.arguments else unknown("")
        return thing._replace(held=ITSELF) if thing.held != ITSELF else unknown("")

    def _whose(self, thing: Thing, chain: str) -> str:
        if thing.kind == INSTANCE:
            return FOREIGN if thing.held in (WRAPPED, SHOWN) else OURS
        if thing.kind == TYPE:
            return OURS if any(ref.defined.kind == "object" for ref in thing.refs) else FOREIGN
        if thing.kind == UNKNOWN and thing.name == TYPE_PARAMETER and self.rules.group == "rust":
            return FOREIGN  # what a trait outside says of it
        if thing.kind != OUTSIDE or thing.given:
            return NOBODY
        around = thing.name.rpartition(".")[0].rpartition(".")[2]
        of_type = around[:1].isupper() or around in self.rules.builtins
        called = chain.endswith(")") and chain.partition("(")[0].endswith(thing.name.rpartition(".")[2])
        return NOBODY if called and not of_type and chain.count("(") == 1 and self._is_free(chain) else FOREIGN

    def _is_free(self, chain: str) -> bool:
        """Whether what is called is a function of a namespace, which may hand back what is ours, and no method."""
        head = chain.partition("(")[0].partition(".")[0]
        return self.evaluation.local(head, self._anywhere) is None if "." in chain else True

    def _whose_in_cpp(self, thing: Thing, chain: str, place: Place) -> str:
        """Of C++ a library's functions give what is theirs, but for those that hand back what they are given."""
        front, _, last = chain.rpartition(".")
        if thing.kind == OUTSIDE:
            of_std = thing.name.partition(".")[0] == "std" and last.partition("(")[0] not in _OF_STD
            return NOBODY if chain.endswith(")") and of_std and self._is_free(chain) else FOREIGN
        if not front and chain.isupper():
            return FOREIGN if not self.evaluation.reader.named(chain) else NOBODY  # a macro of the system
        if chain.endswith("[]"):
            around = self.evaluation.evaluate(chain.removesuffix("[]"), place)
            return FOREIGN if around.kind == OUTSIDE and not around.arguments and not around.given else NOBODY
        if front and last.endswith("()") and last[:-2] in _OF_STD:
            return FOREIGN if self.evaluation.evaluate(front, place).kind == OUTSIDE else NOBODY
        return NOBODY

    @property
    def _anywhere(self) -> Place:
        return Place(self.evaluation.module, -1, 0, 0)

    def taken(self, ref: Ref, brackets: bool) -> Taken:
        """What a definition of an operator takes."""
        item = ref.defined
        definitions = ref.module.outline.definitions
        around = definitions[item.parent] if item.parent >= 0 else None
        of_type = around is not None and around.kind in TYPES
        place = Place(ref.module, ref.at, item.start_line, 0)
        owner = ref.name.rpartition(".")[0]
        # Rust's comparisons refer to their operands unasked.
        held = "" if self.language == "rust" and item.name in _COMPARING else None
        stated = [Stated(text, place, held=held) for text in self._texts(ref, brackets)]
        if item.receiver:
            first = Stated(item.receiver, Place(ref.module, item.parent, item.start_line, 0))
        elif self.language == "rust" and around is not None:
            pointed = POINTED if FOR_REFERENCE.search(around.signature) else ITSELF
            home = Place(ref.module, around.parent, 0, 0)
            first = Stated(around.receiver or around.name, home, held=pointed if held is None else held)
        elif self._stands_alone(item, brackets) or (not of_type and not self._has_owner(item, owner)):
            return Taken(ref, stated, False)
        elif around is not None and self.language == "scala" and "implicit " in around.signature.partition("(")[0]:
            extended = split(around.signature.partition("(")[2].partition(")")[0])[0].partition(":")[2]
            first = Stated(extended.strip(), place)
        else:
            first = Stated("", place, Thing(INSTANCE, owner, held=ITSELF if self.is_cpp else ""))
        return Taken(ref, [first, *stated], True)

    def _stands_alone(self, item: facts.Defined, brackets: bool) -> bool:
        """Whether a type only holds it: static in C# and Swift, a friend in C++."""
        return (self.language in ("csharp", "swift") and not brackets) or "friend " in item.signature

    def _has_owner(self, item: facts.Defined, owner: str) -> bool:
        return "." in item.path and (not self.is_cpp or self._is_type(owner))

    def thing(self, taken: Taken, at: int) -> Thing:
        """What a parameter is; most are never asked for."""
        found = taken.things.get(at)
        if found is None:
            stated = taken.stated[at]
            bare = stated.text.strip(" &*")
            if bare.removeprefix("const ") in _NUMBERS:
                held = POINTED if stated.text.endswith("*") or stated.text.startswith("&") else ITSELF
                found = Thing(OUTSIDE, bare.removeprefix("const "), held=held if self.rules.group in _POINTING else "")
            else:
                found = stated.thing or self.evaluation.type_named(stated.text, stated.place)
            found = taken.things[at] = found if stated.held is None else found._replace(held=stated.held)
        return found

    def _is_type(self, name: str) -> bool:
        return any(ref.defined.kind in TYPES for ref in self.evaluation.reader.definitions(name))

    def _texts(self, ref: Ref, brackets: bool) -> list[str]:
        """The types of the parameters of an operator, as its head has them."""
        item, language = ref.defined, self.language
        head = item.signature
        if language == "csharp" and not brackets:
            head = head.partition("operator")[2]
        elif self.is_cpp:
            head = _OPERATOR.split(head)[-1].removeprefix("()").lstrip()
        else:
            head = head.partition(item.name)[2]
        at = head.find("[" if language == "csharp" and brackets else "(")
        if at < 0:
            return []
        depth, end = 0, len(head)
        for position in range(at, len(head)):
            depth += (head[position] in "([{") - (head[position] in ")]}")
            if not depth:
                end = position
                break
        found = []
        for part in split(head[at + 1 : end]):
            text = _DEFAULT.split(part)[0].strip()
            if not text or text == "void" or text.lstrip("&").removeprefix("mut ").endswith("self"):
                continue
            found.append(self._text(text))
        return found

    def _text(self, text: str) -> str:
        if self.language == "ruby":
            return ""
        if self.language in ("rust", "kotlin", "scala", "swift"):
            stated = text.partition(":")[2].strip()
            stated = stated.removeprefix("=>").removeprefix("inout ").removeprefix("borrowing ").strip()
            return f"&{_ASSIGNED.sub('', stated[1:].strip(), count=1)}" if stated.startswith("&") else stated
        named = _LAST_WORD.fullmatch(text)
        if named and _QUALIFIED_ONLY.sub("", named[1]).strip(" &*"):
            return (named[1] + named[2]).strip()
        return text

    def fit(self, operand: Operand, taken: Thing) -> int:
        """How well a parameter takes an operand."""
        if operand.kind == NOBODY:
            return DOUBT
        if taken.kind not in (INSTANCE, OUTSIDE):
            return FITS if taken.name == TYPE_PARAMETER or self.language == "ruby" else DOUBT
        if operand.kind == LITERAL:
            return self._fit_literal(operand, taken)
        if operand.kind == OURS and taken.kind == INSTANCE:
            return self._fit_ours(operand.thing, taken)
        last = taken.name.rpartition(".")[2]
        if last in _ANYTHING:
            return FITS
        if operand.kind == OURS:
            return FITS if last in self.evaluation.lineage(operand.thing.name)[0] else NO
        if taken.kind == INSTANCE:
            return DOUBT if self._converts(taken, operand) else NO
        if self.is_cpp and operand.thing.held and (operand.thing.held == POINTED) != (taken.held == POINTED):
            return NO if operand.name.lower() in _NUMBERS and last.lower() in _NUMBERS else DOUBT
        if operand.name == last:
            return EXACT
        numbers = operand.name.lower() in _NUMBERS, last.lower() in _NUMBERS
        if all(numbers):
            return FITS if self.language not in _EXACT else NO
        return NO if any(numbers) else DOUBT

    def _fit_ours(self, thing: Thing, taken: Thing) -> int:
        if self.is_cpp and (thing.held == POINTED) != (taken.held == POINTED):
            return NO
        if self.language == "rust" and thing.held and taken.held and thing.held != taken.held:
            return NO
        if thing.name == taken.name:
            return FITS if self.language == "rust" and not thing.held else EXACT
        if taken.name.rpartition(".")[2] in self.evaluation.lineage(thing.name)[0]:
            return FITS
        return DOUBT if self._converts(taken, Operand(OURS, thing)) else NO

    def _fit_literal(self, operand: Operand, taken: Thing) -> int:
        kind, last = operand.literal, taken.name.rpartition(".")[2]
        if kind == "null":
            return FITS if not self.is_cpp or taken.held == POINTED or last == "nullptr_t" else NO
        if taken.kind == INSTANCE:
            return DOUBT if self._converts(taken, operand) else NO
        low = last.lower()
        if self.is_cpp and taken.held in (POINTED, DEEP):
            return EXACT if kind == "text" and low in _TEXTS else NO
        if last in _ANYTHING:
            return FITS
        if kind in _USUAL:
            return EXACT if low in _USUAL[kind] else FITS if low in _NUMBERS else NO if low in _TEXTS else DOUBT
        if kind == "text":
            return EXACT if low in _TEXTS else NO if low in _NUMBERS else DOUBT
        return EXACT if low.startswith(kind) else DOUBT

    def _converts(self, taken: Thing, operand: Operand) -> bool:
        """Whether an operand may become one of these without a word."""
        if self.language not in _CONVERTING:
            return False
        key = (taken.name, operand.kind, operand.thing.name, operand.thing.held, operand.literal)
        known = self._converted.get(key)
        if known is None:
            self._converted[key] = False  # what one constructor takes may be made by another
            known = self._converted[key] = self._is_converted(taken, operand)
        return known

    def _is_converted(self, taken: Thing, operand: Operand) -> bool:
        evaluation, own = self.evaluation, operand.thing.name if operand.kind == OURS else ""
        if self.language == "csharp":
            every = evaluation.member(taken, "operator")[0]
            every += evaluation.member(Thing(INSTANCE, own), "operator")[0] if own else []
            wanted = f"operator {taken.name.rpartition('.')[2]}"
            heads = [ref.defined.signature for ref in every if "implicit " in ref.defined.signature]
            return any(f"{wanted}{end}" in head for head in heads for end in "(<")
        if self.language == "swift":
            return any(name.startswith("ExpressibleBy") for name in evaluation.lineage(taken.name)[0])
        if self.is_cpp:
            made = evaluation.reader.definitions(f"{taken.name}.{taken.name.rpartition('.')[2]}")
            return any(self._makes(ref, operand) for ref in made)
        return False

    def _makes(self, ref: Ref, operand: Operand) -> bool:
        """Whether a constructor of C++ is run unasked for an operand: it takes just that and nothing that is ours."""
        if not ref.takes(1) or ref.defined.signature.startswith("explicit"):
            return False
        texts = self._texts(ref, False)[:1]
        place = Place(ref.module, ref.at, ref.defined.start_line, 0)
        things = [self.evaluation.type_named(text, place) for text in texts]
        ours = operand.thing.name if operand.kind == OURS else ""
        return any(
            each.kind == UNKNOWN or (each.kind == INSTANCE and each.name == ours)
            or (each.kind == OUTSIDE and operand.kind in (FOREIGN, LITERAL) and self.fit(operand, each) != NO)
            for each in things
        )  # fmt: skip


def place_of(use: facts.Use, evaluation: Evaluation) -> Place:
    return Place(evaluation.module, use.scope, use.line, use.column)
