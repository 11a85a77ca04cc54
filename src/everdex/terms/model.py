"""What term extraction hands to the inverted index and to embedding: plain arrays that pickle cheaply."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import msgspec

from everdex.numeric import np, npt


class Field(IntEnum):
    """Where in a chunk a term stands; the numbers are stored in lexical.bin."""

    BODY = 0
    NAME = 1  # breadcrumb and names of the symbols defined in the chunk
    PATH = 2
    DOC = 3  # comments and docstrings
    SIGNATURE = 4  # signatures of the symbols defined in the chunk


FIELD_COUNT: Final = len(Field)


class TermBatch(msgspec.Struct, frozen=True):
    """Postings of consecutive documents, each (term, field, document) once, in that order."""

    n_docs: int
    vocabulary: list[str]  # distinct, by (xxh64, string)
    posting_terms: npt.NDArray[np.uint32]  # index into the vocabulary
    posting_fields: npt.NDArray[np.uint8]
    posting_docs: npt.NDArray[np.uint32]
    posting_tfs: npt.NDArray[np.uint16]
    lengths: npt.NDArray[np.uint32]  # n_docs × FIELD_COUNT: terms per field
    overlong: npt.NDArray[np.bool_]  # n_docs: holds a token that the vocabulary knows only in part


class WordBags(msgspec.Struct, frozen=True):
    """Counted words of several items: item i has ids[offsets[i]:offsets[i+1]], ascending by word."""

    vocabulary: list[str]  # distinct, ascending
    offsets: npt.NDArray[np.int64]  # n_items + 1
    ids: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint32]

    @property
    def n_items(self) -> int:
        return len(self.offsets) - 1


class Bags(msgspec.Struct, frozen=True):
    """Everything counted in one batch of files; documents are chunks, numbered in file and chunk order."""

    terms: TermBatch
    chunk_words: WordBags  # text and breadcrumb of each document
    path_words: WordBags  # of each file
    doc_files: npt.NDArray[np.uint32]  # document -> file
