"""The facts of the languages that are resolved by imports and names, and their form on disk.

The outline is what other files may look at (definitions, imports, package); the body is what only the file itself
needs (uses and local names), so that reading a neighbour does not decode its bodies. Lines are 1-based, columns are
bytes. Texts of types are as written; values and receivers are chains (facts/expressions.py).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

import msgspec

FAMILY: Final = b"n"
_LENGTH_BYTES: Final = 4
_COMMA: Final = ord(",")

# QUALIFIER: a name before `::`, which may be a type; KEY: one of a literal, which gives a member its value; LABEL: a
# member of the type that a value is compared with, or else what the name is by itself; OPERATOR: a call of what a type
# of the root may define for it, with the operand on the other side in what it passes
CALL, NEW, MACRO, TYPE, READ, WRITE, QUALIFIER, KEY, LABEL, OPERATOR = range(10)
# VALUED: a variable that its definition gives a value; CONDITIONAL: in C, C++ and C#, what only some
# conditions define
STATIC, BODY, SCOPE_ONLY, VALUED, CONDITIONAL = 1, 2, 4, 8, 16
# Before a local's value: it takes the second result of that call, or the second part of each item.
SECOND: Final = "2:"
RECEIVED: Final = "<-"  # before what Go's `for x := range` goes through: x is what comes, where that is a channel
GIVEN: Final = "given "  # before a method and what has it: the local is a parameter of what the method is given
TAKEN: Final = "taken "  # before a field and the type that a pattern states: the local is what the field holds
INSIDE: Final = "inside "  # a local's value: what the local of the same name is that stands in what it is declared with
# Receivers of what Swift has no type before: what a function around it returns, and what a call takes, with line and
# column of the callee's name and the number of the argument behind it.
RETURNED: Final = "@{returned}"
ARGUMENT: Final = "@{argument "
OPERATED: Final = "@{operator "  # before the place of an operator in what stands for its value
POINTER: Final = "auto*"  # the type of a variable of C++ that is a pointer to what its value says
UNNAMED: Final = "struct$"  # before the number of a struct of Go's that has no name, in the texts of types
NARROWED: Final = "is "  # before the chain of what is found to be of a type
# Kotlin: a local without a name in a function without one, whose value is what that is passed to, as a member of what
# `with` is given first; it is the last that is passed there unless it takes items.
PASSED: Final = "@passed"


class Defined(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A definition, with the same span, name and kind as the symbol that parsing makes of it."""

    name: str
    path: str  # enclosing names and its own, joined with '.'
    kind: str
    parent: int
    start: int
    end: int
    start_line: int
    end_line: int
    name_line: int
    name_column: int
    signature: str
    public: bool
    flags: int = 0
    least: int = -1  # parameters; -1 when it has no list of them
    most: int = -1
    returns: str = ""
    type: str = ""  # of a field or variable, or what a type's alias stands for
    value: str = ""  # what it is set to, or what a function without a stated type returns
    bases: tuple[str, ...] = ()
    receiver: str = ""  # the type that an extension function is written for; of a field, the struct without a name
    takes: tuple[str, ...] = ()  # the types of its parameters, where they tell definitions of one name apart


class Import(msgspec.Struct, array_like=True, frozen=True, gc=False):
    line: int
    column: int
    end_line: int
    end_column: int
    scope: int
    path: str
    alias: str
    kind: str
    conditional: bool = False  # an include under a condition


class Slot(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """An attribute that exists by assignment only (`@store = Store.new`)."""

    owner: int
    name: str
    type: str
    value: str


class Use(msgspec.Struct, array_like=True, frozen=True, gc=False):
    line: int
    column: int
    width: int
    scope: int
    role: int
    name: str  # '' when the callee is computed
    receiver: str
    arguments: int  # -1 when nobody can count them; of what is written 0 when it is read before (Kotlin)
    text: str  # as written where name and receiver do not say it
    given: tuple[str, ...] = ()  # what it passes (facts/arguments.py)


class Local(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A name that a function binds, from where it is seen: what it is declared with may name another."""

    line: int
    column: int
    scope: int
    name: str
    type: str
    value: str
    each: bool  # takes the items of its value, one by one
    until: int = 0  # the last line of the branch or block in which it is bound; 0 where that happens in any case
    behind: int = 0  # of a block, where in that line it is over and the name with it; 0 of a branch


class Outline(msgspec.Struct, array_like=True, frozen=True):
    language: str
    package: str
    definitions: tuple[Defined, ...]
    imports: tuple[Import, ...]
    slots: tuple[Slot, ...]
    partial: bool
    size: int
    lines: int


class Body(msgspec.Struct, array_like=True, frozen=True):
    uses: tuple[Use, ...]
    locals: tuple[Local, ...]


_WITHOUT_NAME: Final = re.compile(r"<(?:lambda|class)\d*>")
_GENERIC: Final = re.compile(r"<,*>\Z")


def is_unnamed(name: str) -> bool:
    """Whether it is what a definition without a name is called: operators may begin alike."""
    return name.startswith("<") and _WITHOUT_NAME.fullmatch(name) is not None


def generic(text: bytes) -> str:
    """What stands behind a callee's text where it is given these types: only what takes as many can be meant."""
    depth, count = 0, 0
    for byte in text:
        depth += (byte in b"<([") - (byte in b">)]")
        count += byte == _COMMA and depth == 1
    return f"<{',' * count}>"


def types_given(text: str) -> int:
    """How many types a callee is given; 0 where it is given none."""
    found = _GENERIC.search(text)
    return len(found[0]) - 1 if found else 0


def without_types(text: str) -> str:
    return _GENERIC.sub("", text)


def nearest(found: Sequence[Local], line: int, column: int) -> Local | None:
    """Of what binds one name in one function, in order, what is seen at a place: the last before it that no block has
    ended; else the first that none will."""
    first = bisect_right(found, (line, column), key=lambda item: (item.line, item.column))
    for at in range(first - 1, -1, -1):
        if not found[at].behind or (line, column) < (found[at].until, found[at].behind):
            return found[at]
    return next((item for item in found[first:] if not item.behind), None)


_ENCODER: Final = msgspec.msgpack.Encoder()
_OUTLINE: Final = msgspec.msgpack.Decoder(Outline)
_BODY: Final = msgspec.msgpack.Decoder(Body)


def encode(outline: Outline, body: Body) -> bytes:
    first = _ENCODER.encode(outline)
    return b"".join((FAMILY, len(first).to_bytes(_LENGTH_BYTES, "little"), first, _ENCODER.encode(body)))


def outline_of(facts: bytes) -> Outline:
    return _OUTLINE.decode(memoryview(facts)[1 + _LENGTH_BYTES : _body_start(facts)])


def body_of(facts: bytes) -> Body:
    return _BODY.decode(memoryview(facts)[_body_start(facts) :])


def _body_start(facts: bytes) -> int:
    return 1 + _LENGTH_BYTES + int.from_bytes(facts[1 : 1 + _LENGTH_BYTES], "little")
