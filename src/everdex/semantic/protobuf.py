"""Protocol buffers' wire format, as much of it as SCIP has: numbers, bytes, texts and messages inside messages.

Written and read by hand because four kinds of field are all it needs. What is read comes from strangers: nothing is
believed of a length before it is compared with what is there, and whatever does not fit is `ScipInvalid`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from everdex.errors import ScipInvalid

VARINT: Final = 0
FIXED64: Final = 1
BLOCK: Final = 2  # bytes, a text, a message, or many numbers
FIXED32: Final = 5
MAX_VARINT: Final = 10  # bytes


def tag(field: int, wire: int) -> int:
    return field << 3 | wire


# -- writing -----------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """Zero is what a missing field means."""
    return varint(tag(field, VARINT)) + varint(value) if value else b""


def block(field: int, value: bytes) -> bytes:
    return varint(tag(field, BLOCK)) + varint(len(value)) + value


def text(field: int, value: str) -> bytes:
    return block(field, value.encode("utf-8", "replace")) if value else b""


# -- reading -----------------------------------------------------------------------------------


def read_varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A number, and where it ends."""
    value = shift = 0
    for place in range(at, min(end, at + MAX_VARINT)):
        byte = data[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place + 1
        shift += 7
    raise ScipInvalid("the index is cut short or damaged: a number has no end")


def fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a message: tag, and a number with 0, or where a block begins and ends."""
    while at < end:
        head, at = read_varint(data, at, end)
        wire = head & 7
        if wire == VARINT:
            value, at = read_varint(data, at, end)
            yield head, value, 0
        elif wire == BLOCK:
            size, at = read_varint(data, at, end)
            if size > end - at:
                raise ScipInvalid("the index is cut short: a field is longer than what it is in")
            yield head, at, at + size
            at += size
        else:
            at = skipped(wire, at, end)


def skipped(wire: int, at: int, end: int) -> int:
    """Behind a field of fixed width, of which SCIP has none; its successors may."""
    width = {FIXED64: 8, FIXED32: 4}.get(wire)
    if width is None or width > end - at:
        raise ScipInvalid("the index is damaged: a field has a kind that does not exist")
    return at + width


def read_text(data: bytes, start: int, end: int) -> str:
    try:
        return data[start:end].decode()
    except UnicodeDecodeError as error:
        raise ScipInvalid("the index is damaged: a text is not UTF-8") from error
