"""The layout of lexical.bin, shared by its writer and its reader.

Little-endian: a header (magic, version, counts), a table of sections, then the sections, each on a 64-byte
boundary. Terms are ordered by (xxh64, string); a term has one entry per field it occurs in; an entry's
postings are documents, ascending, with their term frequency. The version is that of `chunk_row`.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final

MAGIC: Final = b"EVDXLEX\0"
# magic, schema version, section count, documents, file size
HEADER: Final = struct.Struct("<8sIIQQ")
# section, dtype code, offset, number of elements
SECTION: Final = struct.Struct("<IIQQ")
ALIGNMENT: Final = 64

MAX_TF: Final = 255
MAX_LENGTH: Final = 65_535
SMALL_DOCS: Final = 65_536  # document numbers fit in two bytes up to here


class Section(IntEnum):
    HASHES = 0  # u64 per term
    TERM_OFFSETS = 1  # u32 per term + 1: into TERM_TEXT
    TERM_TEXT = 2  # UTF-8, each term followed by "\n"
    ENTRY_OFFSETS = 3  # u32 per term + 1: into ENTRY_FIELDS
    ENTRY_FIELDS = 4  # u8 per entry, ascending inside a term
    POSTING_OFFSETS = 5  # u32 per entry + 1: into POSTING_DOCS and POSTING_TFS
    POSTING_DOCS = 6  # u16 or u32
    POSTING_TFS = 7  # u8, saturating
    LENGTHS = 8  # u16, documents × fields, saturating
    OVERLONG = 9  # one bit per document, least significant first


DTYPES: Final = {1: "<u1", 2: "<u2", 4: "<u4", 8: "<u8"}  # dtype code = bytes per element
ALLOWED: Final[dict[Section, tuple[int, ...]]] = {
    Section.HASHES: (8,),
    Section.TERM_OFFSETS: (4,),
    Section.TERM_TEXT: (1,),
    Section.ENTRY_OFFSETS: (4,),
    Section.ENTRY_FIELDS: (1,),
    Section.POSTING_OFFSETS: (4,),
    Section.POSTING_DOCS: (2, 4),
    Section.POSTING_TFS: (1,),
    Section.LENGTHS: (2,),
    Section.OVERLONG: (1,),
}


def aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT
