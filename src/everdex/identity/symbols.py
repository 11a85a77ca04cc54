"""Symbol identity (IDENTITY §5 to §7): keys, ids, the envelopes in which they leave the system, and how to join them.

`symbolKey` groups what has one name in one file (overloads, redefinitions); `scopedId` tells its members apart by
signature and, where that is the same, by order; `symbolId` is a tool's own name when one is known. Offsets are part of
none of them: shifted lines, edited bodies and moves inside a file change nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

NAMESPACE: Final = "repo"
SEMANTIC_PREFIXES: Final = ("scip:", "lsif:", "lsp:")
_TWIN: Final = re.compile(r"~\d+(?=\.|$)")


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def plain_name(key: str) -> str:
    """A definition's key without the marks that tell twins apart: `f~2.g` is one of the `f.g`."""
    return _TWIN.sub("", key) if "~" in key else key


def symbol_key(path: str, kind: str, qualified_name: str) -> str:
    return "sk:v1:" + _sha1(f"{NAMESPACE}|{path}|{kind}|{qualified_name}")


def signature_key(signature: str) -> str | None:
    """None for a definition without a signature, which comes here on one line and without comments."""
    normalised = " ".join(signature.split())
    return "sig:v1:sha1:" + _sha1(normalised) if normalised else None


def scoped_id(key: str, signature: str | None, container: str | None = None) -> str:
    return "sid:v1:sha1:" + _sha1(f"{key}|{signature or ''}|{container or ''}")


@dataclass(frozen=True, slots=True)
class SymbolNames:
    """The names of one definition."""

    symbol_key: str
    signature_key: str | None
    scoped_id: str
    semantic: str = ""  # as a tool calls it, with its prefix

    @property
    def symbol_id(self) -> str:
        return self.semantic or f"heur:{self.scoped_id}"

    @property
    def ids(self) -> tuple[str, ...]:
        """Every name by which it can be asked for as the only one."""
        return (self.scoped_id, self.semantic) if self.semantic else (self.scoped_id,)


def names_of(
    path: str, definitions: Iterable[tuple[str, str, str]], semantic: Sequence[str] = ()
) -> list[SymbolNames]:
    """Names of a file's definitions, given in order as (key, kind, signature); and what a tool calls each, or ''."""
    seen: dict[tuple[str, str | None], int] = {}
    names: list[SymbolNames] = []
    for key, kind, signature in definitions:
        group = symbol_key(path, kind, plain_name(key))
        signed = signature_key(signature)
        number = seen[group, signed] = seen.get((group, signed), 0) + 1
        # The order counts only between twins with one signature: others may change places.
        scoped = scoped_id(group, signed, f"~{number}" if number > 1 else None)
        names.append(SymbolNames(group, signed, scoped, semantic[len(names)] if semantic else ""))
    return names


@dataclass(frozen=True, slots=True)
class ChunkRef:
    """A chunk, as everything outside refers to it."""

    doc_id: int
    chunk_uid: str
    chunk_id: str
    file: str
    segment_id: str | None
    start: int
    end: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "docId": self.doc_id,
            "chunkUid": self.chunk_uid,
            "chunkId": self.chunk_id,
            "file": self.file,
            "segmentId": self.segment_id,
            "range": {"start": self.start, "end": self.end},
        }


@dataclass(frozen=True, slots=True)
class SymbolRef:
    """A symbol, as everything outside refers to it."""

    symbol_key: str
    symbol_id: str | None = None
    scoped_id: str | None = None
    signature_key: str | None = None
    kind: str | None = None
    qualified_name: str | None = None
    language_id: str | None = None
    defining_chunk: ChunkRef | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "symbolId": self.symbol_id,
            "scopedId": self.scoped_id,
            "symbolKey": self.symbol_key,
            "signatureKey": self.signature_key,
            "kind": self.kind,
            "qualifiedName": self.qualified_name,
            "languageId": self.language_id,
            "definingChunk": self.defining_chunk.to_dict() if self.defining_chunk else None,
            "evidence": self._evidence(),
        }

    def _evidence(self) -> dict[str, str]:
        scheme = (self.symbol_id or "").partition(":")[0]
        if scheme in ("scip", "lsif", "lsp"):
            return {"scheme": scheme, "confidence": "high"}
        if self.scoped_id is not None:
            return {"scheme": "heuristic-v1", "confidence": "medium"}
        return {"scheme": "chunkUid", "confidence": "low"}


def resolution(status: str, candidates: Sequence[SymbolRef], reason: str) -> dict[str, Any]:
    """What stands where one target would, when there is not exactly one."""
    listed = [
        {"symbolKey": item.symbol_key, "scopedId": item.scoped_id, "symbolId": item.symbol_id} for item in candidates
    ]
    return {"resolution": {"status": status, "candidates": listed, "reason": reason}}


class Join(StrEnum):
    """By what two symbols were found to be the same."""

    SYMBOL_ID = "symbolId"
    SCOPED_ID = "scopedId"
    SYMBOL_KEY = "symbolKey"


def join(one: SymbolRef, other: SymbolRef | SymbolNames, *, overload_sets: bool = False) -> Join | None:
    """IDENTITY's precedence: the first name that both sides have decides, also when it says no.

    `overload_sets` is the caller's word that several targets under one symbolKey are welcome.
    """
    if _semantic(one) and _semantic(other):
        return Join.SYMBOL_ID if one.symbol_id == other.symbol_id else None
    if one.scoped_id and other.scoped_id:
        return Join.SCOPED_ID if one.scoped_id == other.scoped_id else None
    return Join.SYMBOL_KEY if overload_sets and one.symbol_key == other.symbol_key else None


def _semantic(symbol: SymbolRef | SymbolNames) -> bool:
    return symbol.symbol_id is not None and symbol.symbol_id.startswith(SEMANTIC_PREFIXES)
