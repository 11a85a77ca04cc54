"""What a JavaScript or TypeScript file says of itself, as it is stored: the shapes, and the codes inside them.

Expressions and types are rows in flat tables that name each other by index, so neither nesting nor size of a file
makes reading them back recursive. Row 0 of each table is "nothing known". The extractor writes these, the resolver in
graph/javascript reads them; nothing here knows how either works.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import msgspec

FAMILY: Final = b"J"


# tuples of plain values cost the garbage collector nothing
Row: TypeAlias = tuple[Any, ...]

# -- expressions: [code, …] ---------------------------------------------------------------------
UNKNOWN: Final = 0
LITERAL: Final = 1  # builtin's name
NAME: Final = 2  # binding
GLOBAL: Final = 3  # name that no scope of the file binds
MEMBER: Final = 4  # object, property
CALL: Final = 5  # callee, [arguments]
NEW: Final = 6  # callee, [arguments]
FUNCTION: Final = 7  # function
CLASS: Final = 8  # class
OBJECT: Final = 9  # [[name, value, kind, node or -1], …], [spreads], "home" as bindings have it
ARRAY: Final = 10  # [elements]
THIS: Final = 11  # function that binds it, or -1
SUPER: Final = 12  # the same
CHOICE: Final = 13  # [expressions]
AWAIT: Final = 14  # expression
CAST: Final = 15  # expression, type
ELEMENT: Final = 16  # expression: any element of it
REQUIRE: Final = 17  # specifier
IMPORT: Final = 18  # specifier: a promise of it
ITEM: Final = 19  # expression, index (-1 when it is computed)
PARAMETER: Final = 20  # function, index
SPREAD: Final = 21  # expression
NAMESPACE: Final = 22  # scope
ENUM: Final = 23  # interface
KEYED: Final = 24  # expression, expression of which the value is the index
TEXT: Final = 25  # how a text that is put together begins, how it ends

TYPE_ONLY: Final = "type"
COMPUTED: Final = "[]"  # in place of the name of a property that the program computes
ACCESSORS: Final = ("get ", "set ")  # before the name of a property that was described by such functions

# -- types: [code, …] ---------------------------------------------------------------------------
T_UNKNOWN: Final = 0
T_NAME: Final = 1  # expression that names it, [arguments]
T_ARRAY: Final = 2  # type
T_UNION: Final = 3  # [types]; intersections too: a value has what any part has
T_FUNCTION: Final = 4  # [parameter types], result, how many it needs, whether the last takes the rest, [generics]
T_OBJECT: Final = 5  # interface
T_BUILTIN: Final = 6  # name
T_QUERY: Final = 7  # expression
T_TUPLE: Final = 8  # [types]
T_LOOKUP: Final = 9  # type, property
T_THIS: Final = 10
T_PREDICATE: Final = 11  # the name of the parameter that is asked about, type that it then has

# -- kinds of bindings --------------------------------------------------------------------------
VARIABLE: Final = "v"
DECLARED_FUNCTION: Final = "f"
DECLARED_CLASS: Final = "c"
IMPORTED: Final = "i"  # more = [specifier, name]; '*' is the module itself
PARAMETER_NAME: Final = "p"
TYPE: Final = "t"  # more = [interface]
GENERIC: Final = "g"  # more = [constraint type, default type]
ENUMERATION: Final = "e"
MODULE_NAME: Final = "n"

# -- flags of functions -------------------------------------------------------------------------
ASYNC: Final = 1
GENERATOR: Final = 2
ARROW: Final = 4
DECLARED_ONLY: Final = 8
CONSTRUCTOR: Final = 16
DOCUMENTED: Final = 32  # only a comment says what it gives

# -- what `this` is in a function: (kind, index) ------------------------------------------------
THIS_NOTHING: Final = 0
THIS_INSTANCE: Final = 1  # of a class
THIS_STATIC: Final = 2  # a class itself
THIS_OBJECT: Final = 3  # an object literal, by its expression
THIS_SELF: Final = 4  # what `new` on the function itself makes
THIS_BINDING: Final = 5  # the function was stored as a property of that name
THIS_PROTOTYPE: Final = 6  # what `new` on that name makes


class Definition(msgspec.Struct, array_like=True, gc=False):
    key: str  # '' when it is the parent's key and the name
    name: str
    kind: str
    parent: int
    start: int
    end: int
    named_at: int
    signature_end: int
    public: bool


def members_around(nodes: Sequence[Definition]) -> list[int]:
    """Of each definition the outermost one around it, or that itself, that is a member of a class; -1."""
    members = [-1]
    for node in nodes[1:]:  # children follow their parents
        add_member(members, nodes, node.parent)
    return members


def add_member(members: list[int], nodes: Sequence[Definition], parent: int) -> None:
    """The same of one more definition, inside that parent."""
    around = members[parent]
    members.append(len(members) if around < 0 and nodes[parent].kind == "class" else around)


# Functions without a name that are handed to something (of a test's `describe` and `it`, say) may hold a whole file.
_CONTENT: Final = re.compile(r"(?:<lambda\d+>\.){0,3}[^.]*")


def content(key: str) -> str:
    """Of a definition in no class, the one whose content it is: the outermost that has a name; or, of functions without
    one inside each other, down to the fourth."""
    found = _CONTENT.match(key)
    return found[0] if found is not None else key


class Binding(msgspec.Struct, array_like=True):
    name: str
    kind: str
    home: str  # the definition whose content it is: a member of a class, else what `content` says
    node: int = -1
    values: list[int] = []
    type: int = 0
    properties: list[tuple[str, int]] = []  # X.name = value
    prototype: list[tuple[str, int]] = []  # X.prototype.name = value; '' for the whole
    calls: list[int] = []  # of a parameter
    tests: list[int] = []  # calls that are asked whether it is something; of `instanceof` what `new` would make
    more: list[Any] = []


class Function(msgspec.Struct, array_like=True):
    node: int
    name: str
    flags: int
    this: tuple[int, int]
    parameters: list[tuple[int, int, int]] = []  # binding or -1, type, default value
    returns: list[int] = []
    yields: list[int] = []
    result: int = 0
    passed: tuple[int, int] = (-1, -1)  # call expression, argument
    stores: list[tuple[str, int]] = []  # this.name = value
    binding: int = -1
    rest: bool = False
    least: int = 0  # how many parameters have to be given
    overloads: list[int] = []  # the functions that only declare how this one may be called
    generics: list[int] = []  # bindings of its type parameters
    receiver: int = 0  # the type that is stated for `this`


class Class(msgspec.Struct, array_like=True):
    node: int
    name: str
    extends: int = 0
    implements: list[int] = []
    members: list[tuple[str, str, bool, int, int, int]] = []  # name, kind, static, value, type, node
    stores: list[tuple[str, int, bool]] = []
    arguments: list[int] = []  # types that its base is given
    generics: list[int] = []  # bindings of its type parameters


class Interface(msgspec.Struct, array_like=True):
    """An interface, an object type, or (with `alias`) a name for another type."""

    node: int
    name: str
    extends: list[int] = []
    members: list[tuple[str, int, int]] = []  # name ('' for the call signature), type, node
    alias: int = 0
    generics: list[int] = []  # bindings of its type parameters


class Export(msgspec.Struct, array_like=True, gc=False):
    """`name` is '*' for a star, '=' for the whole of a CommonJS module. `imported` is TYPE_ONLY for a type that a
    comment declares."""

    name: str
    value: int  # expression, or 0
    specifier: str
    imported: str


class Import(msgspec.Struct, array_like=True, gc=False):
    specifier: str
    line: int
    names: list[str]


class Mention(msgspec.Struct, array_like=True, gc=False):
    """A site before resolution, by bytes. `text` is where what is named begins as written; it ends where this ends."""

    role: str  # one of ROLES
    node: int
    start: int
    end: int
    text: int
    value: int


class Facts(msgspec.Struct, array_like=True):
    module: bool
    partial: bool
    nodes: list[Definition]
    expressions: list[Row]
    types: list[Row]
    bindings: list[Binding]
    functions: list[Function]
    classes: list[Class]
    interfaces: list[Interface]
    namespaces: list[dict[str, int]]  # exported name -> binding
    exports: list[Export]
    imports: list[Import]
    mentions: list[int]  # packed
    globals: dict[str, list[int]]  # top-level names of a script, and what a module declares global: bindings
    satisfied: dict[int, int]  # expression -> the type it is written to satisfy
    stored: dict[int, int]  # expression -> the member it is assigned to
    typed: dict[int, list[int]]  # call -> the types that it is given
    added: dict[str, list[int]] = {}  # module -> interfaces with which a file adds to it


# call, new, reference, write, import, inherit, decorate, key of an object literal (whose value is the literal);
# in capitals: in a shorthand, where one word names a variable and a property
ROLES: Final = "cnrwihdkRWK"


def pack(mentions: list[Mention]) -> list[int]:
    """Mentions in order as differences, which are small and repeat: a third of the size."""
    out: list[int] = []
    start = value = 0
    for mention in mentions:
        out += (
            ROLES.index(mention.role), mention.node, mention.start - start, mention.end - mention.start,
            mention.start - mention.text, mention.value - value,
        )  # fmt: skip
        start, value = mention.start, mention.value
    return out


def unpack(packed: list[int]) -> list[Mention]:
    mentions: list[Mention] = []
    start = value = 0
    rows = iter(packed)
    for role, node, step, length, back, difference in zip(rows, rows, rows, rows, rows, rows, strict=True):
        start += step
        value += difference
        mentions.append(Mention(ROLES[role], node, start, start + length, start - back, value))
    return mentions


def encode(facts: Facts) -> bytes:
    return FAMILY + msgspec.msgpack.encode(facts)


_DECODER: Final = msgspec.msgpack.Decoder(Facts)


def decode(data: bytes) -> Facts:
    return _DECODER.decode(memoryview(data)[1:])
