"""The board as it lies on disk: evidence with its anchors, claims, decisions, and what was dropped.

One JSON document that carries its own checksum. Whether evidence still holds is not part of it: that is found by
looking at a snapshot, each time. Knows no files, no views and no surfaces.
"""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from everdex import clock, versions
from everdex.durable import decode_json, encode_json, is_sealed
from everdex.errors import Corrupt

HINT: Final = "`everdex board reset` puts it aside, named in the answer, and begins a new board"
_SEAL: Final = "board_sha256"

CLAIM_KINDS: Final = ("finding", "hypothesis", "question")
CLAIM_STATES: Final = ("open", "supported", "refuted")
DECISION_KINDS: Final = ("plan", "edit", "skip", "test")
DECISION_STATES: Final = ("open", "done", "dropped")


class FileAnchor(msgspec.Struct, frozen=True, tag="file", tag_field="anchor"):
    """A whole file."""

    path: str
    content_hash: str


class LinesAnchor(msgspec.Struct, frozen=True, tag="lines", tag_field="anchor"):
    """Lines of a file; `span_hash` is of their bytes, `first_hash` of the first one's (to find them again)."""

    path: str
    content_hash: str
    start_line: int
    end_line: int
    span_hash: str
    first_hash: str


class SymbolAnchor(msgspec.Struct, frozen=True, tag="symbol", tag_field="anchor"):
    """A definition, by IDENTITY's names; `interface_hash` is of what others may rely on in it, `span_hash` of all."""

    path: str
    content_hash: str
    start_line: int
    end_line: int
    qualified_name: str
    symbol_kind: str
    symbol_key: str
    scoped_id: str
    interface_hash: str
    span_hash: str


class TreeAnchor(msgspec.Struct, frozen=True, tag="tree", tag_field="anchor"):
    """Everything that was indexed: what a command's outcome may hang on."""

    digest: str


Anchor = FileAnchor | LinesAnchor | SymbolAnchor | TreeAnchor


class Stamp(msgspec.Struct, frozen=True):
    """Who did something, when, and which snapshot they knew."""

    author: str
    session: str | None
    at: str
    snapshot_id: str
    digest: str


class Evidence(msgspec.Struct, frozen=True):
    """Something that was looked at: `target` as it was named, `summary` what was found there, `text` a remark."""

    id: str
    kind: str  # file, lines, symbol, search, impact or run
    target: str
    summary: str
    text: str
    anchors: tuple[Anchor, ...]
    created: Stamp
    updated: Stamp


class Note(msgspec.Struct, frozen=True):
    """A claim or a decision, which cites what it rests on."""

    id: str
    kind: str
    state: str
    text: str
    cites: tuple[str, ...]
    created: Stamp
    updated: Stamp


class Dropped(msgspec.Struct, frozen=True):
    """What is left of an item that was dropped: which it was, how it began, and who dropped it when."""

    id: str
    text: str
    stamp: Stamp


class Board(msgspec.Struct, frozen=True):
    """The whole board. `revision` grows with every change; numbers are never given twice."""

    schema_version: int
    board_id: str
    revision: int
    given: dict[str, int]  # letter -> the last number that was given
    evidence: tuple[Evidence, ...] = ()
    claims: tuple[Note, ...] = ()
    decisions: tuple[Note, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    board_sha256: str = ""

    @property
    def items(self) -> tuple[Evidence | Note, ...]:
        return (*self.evidence, *self.claims, *self.decisions)

    def counts(self) -> dict[str, int]:
        """How much is on it; needs no look at a snapshot."""
        return {
            "evidence": len(self.evidence),
            "claims": len(self.claims),
            "open_claims": sum(item.state == "open" for item in self.claims),
            "decisions": len(self.decisions),
            "open_decisions": sum(item.state == "open" for item in self.decisions),
            "dropped": len(self.dropped),
        }


def new_board() -> Board:
    version = versions.ARTIFACTS["board"].writable
    return Board(version, clock.new_ulid(), 0, {"E": 0, "C": 0, "D": 0})


def encode(board: Board) -> bytes:
    """The document with its checksum."""
    blank = msgspec.structs.replace(board, board_sha256="")
    digest = hashlib.sha256(encode_json(blank)).hexdigest()
    return encode_json(msgspec.structs.replace(board, board_sha256=digest))


def decode(raw: bytes, where: str) -> Board:
    """A board that proves itself; `Corrupt` or `Incompatible`, naming the file, for anything else."""
    try:
        loose = decode_json(raw)
        if not isinstance(loose, dict) or not is_sealed(raw, _SEAL):
            raise Corrupt(f"{where} is not a board, or fails its own checksum", hint=HINT)
        versions.check_readable("board", loose.get("schema_version"), where)
        return msgspec.convert(loose, Board)
    except msgspec.DecodeError as error:
        raise Corrupt(f"{where} is damaged: {error}", hint=HINT) from error
