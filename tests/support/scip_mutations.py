"""Damages a SCIP index as a stranger would: bytes, and its fields with everything around them put right again.

Bytes alone are refused at the first length that does not fit; a changed number inside whole messages gets as far as
where it is used.
"""

from __future__ import annotations

import random

from everdex.errors import ScipInvalid
from everdex.semantic.protobuf import BLOCK, VARINT, fields, varint

_NUMBERS = (0, 1, 2, 3, 127, 128, (1 << 31) - 1, 1 << 31, (1 << 63) - 1, (1 << 64) - 1, (1 << 70) - 1)
_TEXTS = (
    b"", b"..", b"/etc/passwd", b"a/../../b", b"a\0b", b"%2e%2e/x", b"..\\x", b"\xff\xfe", b"local 1", b"shop/till.py",
    b"</script>", "a\u202eb\u2028".encode(), b"scip-python python shop 1 `shop.stock`/Stock#take().", b" " * 300,
    b"`" * 301, b". . . . " + b"a/" * 500, b"x" * 9000,
)  # fmt: skip
_Field = tuple[int, int | bytes]


def mutated(data: bytes, chosen: random.Random) -> bytes:
    """The index with one to three things changed."""
    for _ in range(chosen.randint(1, 3)):
        data = _of_bytes(data, chosen) if chosen.random() < 0.2 else _of_fields(data, chosen)
    return data


def _of_bytes(data: bytes, chosen: random.Random) -> bytes:
    at, size = chosen.randrange(len(data) + 1), chosen.randrange(1, 40)
    kind = chosen.randrange(4)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + data[at + size :]
    if kind == 2:
        return data[:at] + chosen.randbytes(size) + data[at + size :]
    other = chosen.randrange(len(data) + 1)
    return data[:at] + data[other : other + size] + data[at:]


def _of_fields(data: bytes, chosen: random.Random) -> bytes:
    """A field somewhere inside is changed, dropped, doubled or moved; lengths around it are put right."""
    try:
        found: list[_Field] = [
            (head, data[start:end] if head & 7 == BLOCK else start) for head, start, end in fields(data, 0, len(data))
        ]
    except ScipInvalid:
        return data
    if not found:
        return data
    place = chosen.randrange(len(found))
    head, value = found[place]
    what = chosen.random()
    if isinstance(value, bytes) and what < 0.75 and (inner := _of_fields(value, chosen)) != value:
        found[place] = head, inner
    elif what < 0.80:
        found.pop(place)
    elif what < 0.85:
        found.insert(place, found[place])
    elif what < 0.90:
        chosen.shuffle(found)
    elif isinstance(value, bytes):
        found[place] = head, chosen.choice((*_TEXTS, b"".join(map(varint, chosen.choices(_NUMBERS, k=4)))))
    else:
        found[place] = head, chosen.choice(_NUMBERS)
    return b"".join(_written(*field) for field in found)


def _written(head: int, value: int | bytes) -> bytes:
    if isinstance(value, bytes):
        return varint(head & ~7 | BLOCK) + varint(len(value)) + value
    return varint(head & ~7 | VARINT) + varint(value)
