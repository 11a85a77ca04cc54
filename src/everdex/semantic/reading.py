"""Reads a SCIP index document by document, without ever holding more than one of them.

The file comes from a stranger: it must be a regular file of bounded size, every length in it is checked, and what does
not fit makes the whole index `ScipInvalid`. A document may come more than once, and be of a file outside its project
(compilers read such): then it has no path. What ranges mean in the file they are about is not known here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec

from everdex import limits
from everdex.errors import ScipInvalid
from everdex.semantic import scip
from everdex.semantic.protobuf import BLOCK, MAX_VARINT, VARINT, fields, read_text, read_varint, skipped, tag

_CUT: Final = "the index is cut short"
_LONGEST_ROOT: Final = 4 * limits.MAX_PATH_BYTES  # of a URI, which may have three bytes for one
_METADATA: Final = tag(scip.METADATA, BLOCK)
_DOCUMENT: Final = tag(scip.DOCUMENTS, BLOCK)
_PATH: Final = tag(scip.RELATIVE_PATH, BLOCK)
_OCCURRENCE: Final = tag(scip.OCCURRENCES, BLOCK)
_INFORMATION: Final = tag(scip.SYMBOLS, BLOCK)
_TEXT: Final = tag(scip.TEXT, BLOCK)
_ENCODING: Final = tag(scip.POSITION_ENCODING, VARINT)
_RANGE: Final = tag(scip.RANGE, BLOCK)
_RANGE_NUMBER: Final = tag(scip.RANGE, VARINT)
_SYMBOL: Final = tag(scip.SYMBOL, BLOCK)
_ROLES: Final = tag(scip.SYMBOL_ROLES, VARINT)
_ALL_ROLES: Final = 0xFF  # SCIP has seven; a stranger's number may be of any size
_RANGE_NUMBERS: Final = 4  # at most
_RANGE_BYTES: Final = _RANGE_NUMBERS * MAX_VARINT
_NO_RANGE: Final = "the index is damaged: a range has neither three numbers nor four"
# Fields with another kind than they have to have: proto3 would pass them over, and mean something else.
_KINDS: Final = {
    "document": {scip.RELATIVE_PATH: BLOCK, scip.OCCURRENCES: BLOCK, scip.SYMBOLS: BLOCK, scip.TEXT: BLOCK,
                 scip.POSITION_ENCODING: VARINT},
    "occurrence": {scip.SYMBOL: BLOCK, scip.SYMBOL_ROLES: VARINT},
}  # fmt: skip


class Metadata(msgspec.Struct, frozen=True):
    tool: str = ""
    tool_version: str = ""
    project_root: str = ""  # a URI


class Occurrence(NamedTuple):
    """Lines and characters from 0; how characters count is the document's business."""

    line: int
    character: int
    end_line: int
    end_character: int
    symbol: str
    roles: int


class ScipDocument(NamedTuple):
    path: str | None  # relative to the project's root; None when it leads out of it, or is no path at all
    encoding: int
    text: bytes | None
    occurrences: list[Occurrence]  # of symbols that others can see
    implements: list[tuple[str, str]]


@contextmanager
def open_index(path: Path) -> Iterator[BinaryIO]:
    """The file of an index: no link, nothing that could block, and not too large."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ScipInvalid(f"{path} cannot be opened: {error.strerror}", hint="name a regular file") from error
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        raise ScipInvalid(f"{path} is not a regular file", hint="name a regular file")
    with open(handle, "rb") as stream:
        if found.st_size > limits.MAX_SCIP_BYTES:
            raise ScipInvalid(f"{path} has {found.st_size:,} bytes; at most {limits.MAX_SCIP_BYTES:,} are read")
        yield stream


def read_metadata(stream: BinaryIO) -> Metadata:
    """What an index says of itself; it comes first."""
    for head, data in _top(stream):
        return _metadata(data) if head == _METADATA else Metadata()
    raise ScipInvalid("the index is empty")


def read_documents(stream: BinaryIO) -> Iterator[ScipDocument]:
    """Every document; one that is malformed ends it."""
    documents = occurrences = 0
    for head, data in _top(stream):
        if head != _DOCUMENT:
            continue
        documents += 1
        if documents > limits.MAX_FILES:
            raise ScipInvalid(f"the index has more than {limits.MAX_FILES:,} documents")
        document = _document(data)
        occurrences += len(document.occurrences)
        if occurrences > limits.MAX_SCIP_OCCURRENCES:
            raise ScipInvalid(f"the index has more than {limits.MAX_SCIP_OCCURRENCES:,} occurrences")
        yield document


def _top(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The fields of the index itself, from its beginning; each has to be a message."""
    stream.seek(0)
    while (head := _stream_varint(stream)) is not None:
        if head & 7 != BLOCK or head >> 3 == 0:
            raise ScipInvalid("this is not a SCIP index, or it is damaged")
        size = _stream_varint(stream)
        if size is None:
            raise ScipInvalid(_CUT)
        if size > limits.MAX_SCIP_DOCUMENT_BYTES:
            raise ScipInvalid(f"a part of the index has {size:,} bytes; at most {limits.MAX_SCIP_DOCUMENT_BYTES:,}")
        data = stream.read(size)
        if len(data) != size:
            raise ScipInvalid(_CUT)
        yield head, data


def _stream_varint(stream: BinaryIO) -> int | None:
    data = bytearray()
    while byte := stream.read(1):
        data += byte
        if byte[0] < 0x80 or len(data) > 10:
            return read_varint(bytes(data), 0, len(data))[0]
    if data:
        raise ScipInvalid(_CUT)
    return None


def _metadata(data: bytes) -> Metadata:
    tool = version = root = ""
    for head, start, end in fields(data, 0, len(data)):
        if head == tag(scip.PROJECT_ROOT, BLOCK):
            root = read_text(data, start, end)
        elif head == tag(scip.TOOL_INFO, BLOCK):
            for inner, inner_start, inner_end in fields(data, start, end):
                if inner == tag(scip.TOOL_NAME, BLOCK):
                    tool = read_text(data, inner_start, inner_end)
                elif inner == tag(scip.TOOL_VERSION, BLOCK):
                    version = read_text(data, inner_start, inner_end)
    return Metadata(tool[:200], version[:200], root if len(root) <= _LONGEST_ROOT else "")


def _document(data: bytes) -> ScipDocument:
    path, encoding = "", scip.UNSPECIFIED
    text: bytes | None = None
    occurrences: list[Occurrence] = []
    implements: list[tuple[str, str]] = []
    known: dict[bytes, str] = {}
    for head, start, end in fields(data, 0, len(data)):
        if head == _OCCURRENCE:
            found = _occurrence(data, start, end, known)
            if found is not None:
                occurrences.append(found)
        elif head == _INFORMATION:
            implements += _implements(data, start, end)
        elif head == _PATH:
            path = read_text(data, start, end)
        elif head == _TEXT:
            text = data[start:end]
        elif head == _ENCODING:
            encoding = start
        else:
            _check_kind("document", head)
        if len(occurrences) + len(implements) > limits.MAX_SCIP_DOCUMENT_OCCURRENCES:
            raise ScipInvalid(f"a document has more than {limits.MAX_SCIP_DOCUMENT_OCCURRENCES:,} occurrences")
    return ScipDocument(path if _is_inside(path) else None, encoding, text, occurrences, implements)


def _check_kind(message: str, head: int) -> None:
    if _KINDS[message].get(head >> 3, head & 7) != head & 7:
        raise ScipInvalid(f"the index is damaged: field {head >> 3} of a {message} is of another kind")


def _is_inside(path: str) -> bool:
    """SCIP wants canonical paths below the project's root; nothing else is looked at, or mended."""
    if len(path) > limits.MAX_PATH_BYTES or path.startswith("/") or "\\" in path or "\0" in path:
        return False
    return {"", ".", ".."}.isdisjoint(path.split("/"))


def _occurrence(data: bytes, at: int, end: int, known: dict[bytes, str]) -> Occurrence | None:
    """One occurrence; None when nobody else can see its symbol. The one loop that runs millions of times."""
    place: tuple[int, ...] = ()
    symbol, roles = "", 0
    while at < end:
        head = data[at]
        at += 1
        if head > 0x7F:
            head, at = read_varint(data, at - 1, end)
        wire = head & 7
        if wire == VARINT:
            value, at = read_varint(data, at, end)
            if head == _ROLES:
                roles = value & _ALL_ROLES
            elif head == _RANGE_NUMBER:
                if len(place) > _RANGE_NUMBERS:
                    raise ScipInvalid(_NO_RANGE)
                place = (*place, value)
            else:
                _check_kind("occurrence", head)
            continue
        if wire != BLOCK:
            at = skipped(wire, at, end)
            continue
        size, at = read_varint(data, at, end)
        if size > end - at:
            raise ScipInvalid(_CUT)
        stop = at + size
        if head == _RANGE:
            if size > _RANGE_BYTES or len(place) > _RANGE_NUMBERS:
                raise ScipInvalid(_NO_RANGE)
            place = (*place, *_numbers(data, at, stop))
        elif head == _SYMBOL:
            name = data[at:stop]
            found = known.get(name)
            symbol = found if found is not None else known.setdefault(name, _symbol(data, at, stop))
        else:
            _check_kind("occurrence", head)
        at = stop
    if not symbol:
        return None
    if len(place) == 3:
        line, character, last = place
        return Occurrence(line, character, line, last, symbol, roles)
    if len(place) != _RANGE_NUMBERS:
        raise ScipInvalid(_NO_RANGE)
    return Occurrence(*place, symbol, roles)


def _numbers(data: bytes, at: int, end: int) -> tuple[int, ...]:
    numbers = data[at:end]
    if numbers.isascii():  # each below 128: a byte each
        return tuple(numbers)
    found = []
    while at < end:
        value, at = read_varint(data, at, end)
        found.append(value)
    return tuple(found)


def _symbol(data: bytes, start: int, end: int) -> str:
    """A symbol that others can see, else ''."""
    if end - start > limits.MAX_SCIP_SYMBOL_BYTES:
        return ""
    name = read_text(data, start, end)
    return "" if scip.parsed(name) is None else name


def _implements(data: bytes, at: int, end: int) -> list[tuple[str, str]]:
    """The symbol that is described, with each that it implements."""
    symbol, related = "", []
    for head, start, stop in fields(data, at, end):
        if head == tag(scip.INFORMATION_SYMBOL, BLOCK):
            symbol = _symbol(data, start, stop)
        elif head == tag(scip.RELATIONSHIPS, BLOCK):
            other, implements = "", 0
            for inner, inner_start, inner_stop in fields(data, start, stop):
                if inner == tag(scip.RELATED_SYMBOL, BLOCK):
                    other = _symbol(data, inner_start, inner_stop)
                elif inner == tag(scip.IS_IMPLEMENTATION, VARINT):
                    implements = inner_start
            if other and implements:
                related.append(other)
    return [(symbol, other) for other in related] if symbol else []
