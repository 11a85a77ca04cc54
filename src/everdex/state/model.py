"""States, reasons and verdicts: what is said of a file, and by which evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec


class Freshness(StrEnum):
    """How current the index is about a file (INDEX's first axis)."""

    CLEAN = "clean"
    DIRTY = "dirty"  # its own content changed
    STALE = "stale"  # the interface of a file it depends on changed
    PENDING_CHECK = "pending_check"  # one of those changed, and its interface is not known yet
    UNINDEXED = "unindexed"


class Certainty(StrEnum):
    """How sure resolution is of what the file refers to (INDEX's second axis)."""

    CERTAIN = "certain"
    AMBIGUOUS = "ambiguous"
    UNKNOWN = "unknown"


class SymbolChange(msgspec.Struct, frozen=True):
    """One symbol of a dependency, as it was and as it is; None on the side where there is none."""

    name: str
    before: str | None
    after: str | None
    used: bool  # by the file in question


class Reason(msgspec.Struct, frozen=True):
    """Why a file is in its state: a code of CODES and its witness."""

    code: str
    path: str = ""  # the dependency; empty when it is about the file itself
    detail: str = ""
    way: tuple[str, ...] = ()  # files between this one and the dependency, nearest first
    symbols: tuple[SymbolChange, ...] = ()
    omitted: int = 0  # symbols that are not listed

    @property
    def used(self) -> bool:
        return any(symbol.used for symbol in self.symbols)


CONTENT_CHANGED: Final = "content_changed"
NOT_RESOLVED: Final = "not_resolved"
GONE: Final = "gone"
NEW_FILE: Final = "new_file"
NOT_INDEXED: Final = "not_indexed"
DEPENDENCY_CHANGED: Final = "dependency_interface_changed"
DEPENDENCY_GONE: Final = "dependency_gone"
DEPENDENCY_STALE: Final = "dependency_stale"
DEPENDENCY_UNCHECKED: Final = "dependency_unchecked"
DEPENDENCIES_UNKNOWN: Final = "dependencies_unknown"
DECIDED: Final = "decided"  # what the gate allows because somebody did
NO_SUCH_FILE: Final = "no_such_file"  # allowed, and said: a new file, or a misspelt one
AMBIGUOUS_REFERENCES: Final = "ambiguous_references"
SYNTAX_ERRORS: Final = "syntax_errors"
UNRESOLVED_LANGUAGE: Final = "unresolved_language"


class FileState(msgspec.Struct, frozen=True):
    path: str
    freshness: Freshness
    certainty: Certainty
    reasons: tuple[Reason, ...] = ()
    indexed_hash: str | None = None  # content as the base has it
    content_hash: str | None = None  # content now; None when it is gone, or was never there


EDIT: Final = "edit"  # a change of text that somebody looked at
SEMANTIC: Final = "semantic"  # one that is computed from references
INTENTS: Final = (EDIT, SEMANTIC)


class Decision(StrEnum):
    """In order: the worst of its parts is the decision of the whole."""

    ALLOW = "allow"
    WARN = "warn"
    BLOCK = "block"


class OpenPlace(msgspec.Struct, frozen=True, order=True):
    """One place that resolution could not decide: a person has to look at it."""

    path: str
    line: int
    column: int
    text: str
    certainty: str
    reason: str
    candidates: tuple[str, ...] = ()  # path::key


class GateReason(msgspec.Struct, frozen=True):
    """One thing that speaks against changing a file now."""

    code: str
    decision: Decision
    message: str
    action: str  # what to do next; empty when there is nothing
    reason: Reason | None = None
    places: tuple[OpenPlace, ...] = ()  # that have to be looked at


class FileGate(msgspec.Struct, frozen=True):
    path: str
    decision: Decision
    state: FileState | None  # None for what no index can know
    reasons: tuple[GateReason, ...]


class GateResult(msgspec.Struct, frozen=True):
    decision: Decision
    files: tuple[FileGate, ...]

    @property
    def blocking(self) -> tuple[str, ...]:
        return tuple(file.path for file in self.files if file.decision is Decision.BLOCK)

    @property
    def actions(self) -> tuple[str, ...]:
        every = (reason for file in self.files for reason in file.reasons)
        said = (reason.action for reason in every if reason.action and reason.decision is not Decision.ALLOW)
        return tuple(dict.fromkeys(said))


def worst(decisions: tuple[Decision, ...]) -> Decision:
    order = list(Decision)
    return max(decisions, key=order.index, default=Decision.ALLOW)
