"""The shape of a Python file's facts on disk: scopes, an arena of expressions, bindings, stores.

Every value in a file is an expression in one arena and is named by its index there; what it is made of are smaller
expressions in the same arena. Nothing here is resolved: a name knows only which bindings of its own scope reach it.
Positions stand apart from content, so that content can be hashed without them.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import chain, groupby
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from everdex.memory import collector_held

FORMAT: Final = b"P"  # the first byte of every Python file's facts

# Expressions: the first item of an entry. Operands named below are indexes into the arena unless quoted.
# "name", [bindings of this scope that reach it]; empty: look around; and [classes] where isinstance() said no to them
NAME: Final = 0
ATTRIBUTE: Final = 1  # base, "name"
CALL: Final = 2  # callee, [positional], [["keyword", value]]; a keyword "" is **value
SUBSCRIPT: Final = 3  # base, key
LITERAL: Final = 4  # "kind", value or None when it does not matter
DEFINITION: Final = 5  # scope: a function, lambda or class as it is before decoration
SEQUENCE: Final = 6  # "list" | "tuple" | "set", [elements]
DICT: Final = 7  # [[key, value]]; key -1 is **value
EITHER: Final = 8  # [alternatives]: conditional expressions, and, or
AWAIT: Final = 9  # awaited
YIELD: Final = 10  # value or -1
YIELD_FROM: Final = 11  # iterable
STAR: Final = 12  # iterable
COMPREHENSION: Final = 13  # "kind", element, key or -1
BINARY: Final = 14  # "operator", left, right; an operator ending in '=' is an augmented assignment
UNARY: Final = 15  # "operator", operand
COMPARE: Final = 16  # ["operator"], [operands]
# [interpolated values], [texts around them, where they could be parts of a name, or none], [places of those with !r],
# [places of those shown otherwise than as they are]
FORMATTED: Final = 17
ELEMENT: Final = 18  # iterable, asynchronous: what iterating it gives
ITEM: Final = 19  # value, index: what unpacking it gives at this place; [before, after]: the starred rest
ENTERED: Final = 20  # context manager, asynchronous: what `with` binds
INSTANCE: Final = 21  # class, or a tuple of them, [those that clauses before it catch]: what `except` binds
IMPORTED: Final = 22  # "dotted module"
FROM: Final = 23  # level, "module", "name"
PARAMETER: Final = 24  # scope, index
DECORATED: Final = 25  # decorator, decorated
UNKNOWN: Final = 26  # "why"
TYPED: Final = 27  # annotation, value or -1
STORE: Final = 28  # base, "name": an attribute as the target of an assignment
STORE_ITEM: Final = 29  # base, key, value or -1 where it may not happen: an item as a target, or deleted
NARROWED: Final = 30  # value, class, tuple of them or text: what is left where isinstance() or startswith() said yes
MATCHED: Final = 31  # value, place: what a class pattern takes from it there
TESTED: Final = 32  # value: whether it is true is asked there
RAISED: Final = 33  # name or attribute: an exception, or the class to make one of
SLICE: Final = 34  # [begin, end, step], -1 where nothing is written: a key
NARROWED_CLASS: Final = 35  # value, class or tuple of them: what is left where issubclass() said yes
STORE_PAST: Final = 36  # base, "name": a STORE that neither a property nor a `__setattr__` of the class is asked about

MODULE_SCOPE: Final = 0
CLASS_SCOPE: Final = 1
FUNCTION_SCOPE: Final = 2
LAMBDA_SCOPE: Final = 3
COMPREHENSION_SCOPE: Final = 4

# Parameters: the second item of an entry.
POSITIONAL: Final = 0
KEYWORD_ONLY: Final = 1
ALL_POSITIONAL: Final = 2  # *args
ALL_KEYWORDS: Final = 3  # **kwargs
POSITIONAL_ONLY: Final = 4

# Bindings: the last item of an entry.
CERTAIN: Final = 1  # happens whenever the scope runs
FROM_INSIDE: Final = 2  # by a function inside the scope that declares the name global or nonlocal
# In every round of a `for` what the loop takes is called with what the name was before, and nobody reads it there
# again: `for layer in layers: handler = layer(handler)`.
IN_ROUNDS: Final = 3

# What a guard asks of a name: to be one of some literals, without any to be false; to be callable; to be an instance;
# to be what a function of the library asks for.
IS: Final = "is"
IS_NOT: Final = "is not"
CALLS: Final = "callable"
CALLS_NOT: Final = "not callable"
IS_A: Final = "isinstance"
IS_NO: Final = "not isinstance"
ASKS: Final = "asks"  # beside it stands by what: `iscoroutinefunction`, `isclass`
ASKS_NOT: Final = "asks not"

ALIAS: Final = 0  # in place of an assignment's length: a `type` statement

# Function flags.
IS_ASYNC: Final = 1
IS_GENERATOR: Final = 2
IS_STUB: Final = 4  # nothing but ... or raise NotImplementedError, or abstract and without a body


class Scope(msgspec.Struct, array_like=True, gc=False):
    """A module, class, function, lambda or comprehension."""

    kind: int
    name: str
    key: str  # as graph.model.Node.key; of a comprehension: that of the definition around it
    parent: int
    born: int  # how many bindings the file had when this was defined: later ones of the parent may rebind its names
    start: int
    end: int
    body: int  # where its body begins: before it stand decorators, name, parameters, bases
    name_start: int
    name_end: int
    signature: str
    flags: int
    params: list[Any]  # ["name", kind, annotation or -1, default or -1]
    decorators: list[int]  # DECORATED expressions, innermost first
    bases: list[int]
    base_keywords: list[Any]
    returns: list[int]
    yields: list[int]
    annotation: int  # of what it returns; -1
    outer_names: list[str]  # declared global
    # Of each return what has to hold to come there: [name, args[0] or len(args), [literals or classes], what is asked].
    guards: list[Any] = []
    bound_under: list[Any] = []  # [binding, the same, whether that is all that it takes]


class Places(msgspec.Struct, array_like=True, gc=False):
    """Where things stand: read only for the file that is resolved, never for those it looks at."""

    line_lengths: list[int]
    starts: list[int]  # of each expression
    lengths: list[int]
    # of each assignment to a name of a module or class: binding, the scope it stands in, where the name begins, how
    # long the name is, how long the assignment is from there on
    writes: list[int]
    deleted: list[int]  # expressions that `del` names


class Store(NamedTuple):
    """An attribute that is assigned."""

    store: int  # the STORE expression
    value: int
    base: int
    name: str
    owner: int  # the class whose method assigns it to its first parameter; -1


class Facts(msgspec.Struct, array_like=True, gc=False):
    """Everything one Python file says of itself. Of what is bytes here most is never asked for: it is packed by itself,
    and decoded when it is."""

    partial: bool
    length: int
    scopes: list[Scope]
    where: list[int]  # the scope of expressions, and of how many in a row, in turn
    bindings: list[tuple[int, str, int, int]]  # scope, name, value, flag
    stores: list[Store]
    item_stores: list[tuple[int, int, int]]  # receiver, key or -1 or -2 for all of another, value or -1 for del
    stars: list[tuple[int, int, str]]  # scope, level, module of each `from module import *`
    exported: list[str] | None  # __all__, when it is literal; else a star takes every public name
    calls: bytes  # as `calls_by_name` has them
    passed: list[str]  # functions that are used as values
    aliases: dict[int | str, list[str]]  # the names that functions are given: by a lambda's scope, or by name
    # Of the module and of each class in turn, its end as the last: expressions and bindings before it, where it begins
    # and the scope it stands in.
    statements: list[tuple[int, int, int, int]]
    places: bytes = b""
    expressions: list[bytes] = []  # in stretches of STRETCH


STRETCH: Final = 256  # expressions; shorter ones take more room, of longer ones more is decoded for nothing
_LEVEL: Final = 4  # of compression: level 1 is 4 % larger, and takes .36 s for .42 for 1,500 files of django
_MEMORY: Final = 5  # with zlib's 8 half of the time goes to clearing it before a few KB are packed; no larger

_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(Facts)
_places: Final = msgspec.msgpack.Decoder(Places)
_packed: Final = msgspec.msgpack.Decoder(tuple[bytes, bytes, list[bytes]])
_expressions: Final = msgspec.msgpack.Decoder(list[tuple[Any, ...]])
_calls: Final = msgspec.msgpack.Decoder(dict[str, list[int]])


def encode(facts: Facts) -> bytes:
    """Packed already: compressing it once more would gain nothing."""
    first = _packed_part(replace(facts, places=b"", expressions=[]))
    return FORMAT + _encoder.encode((first, facts.places, facts.expressions))


def encode_places(places: Places) -> bytes:
    return _packed_part(places)


def encode_calls(calls: dict[str, list[int]]) -> bytes:
    return _encoder.encode(calls)


def encode_expressions(entries: Sequence[Any]) -> list[bytes]:
    return [_packed_part(entries[start : start + STRETCH]) for start in range(0, len(entries), STRETCH)]


def _packed_part(part: Any) -> bytes:
    packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS, _MEMORY)
    return packing.compress(_encoder.encode(part)) + packing.flush()


def encode_where(where: Sequence[int]) -> list[int]:
    return [number for scope, run in groupby(where) for number in (scope, len(list(run)))]


def decode(data: bytes) -> Facts:
    with collector_held():
        first, places, expressions = _packed.decode(memoryview(data)[1:])
        facts = _decoder.decode(zlib.decompress(first))
        facts.places, facts.expressions = places, expressions
        return facts


def decode_places(facts: Facts) -> Places:
    return _places.decode(zlib.decompress(facts.places))


def decode_calls(facts: Facts) -> dict[str, list[int]]:
    return _calls.decode(facts.calls)


def decode_stretch(facts: Facts, stretch: int) -> list[tuple[Any, ...]]:
    return _expressions.decode(zlib.decompress(facts.expressions[stretch]))


def decode_expressions(facts: Facts) -> list[tuple[Any, ...]]:
    """All of them."""
    with collector_held():
        return list(chain.from_iterable(map(_expressions.decode, map(zlib.decompress, facts.expressions))))


def decode_where(facts: Facts) -> list[int]:
    """The scope of each expression."""
    found: list[int] = []
    for scope, count in zip(facts.where[::2], facts.where[1::2], strict=True):
        found += [scope] * count
    return found
