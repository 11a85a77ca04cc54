"""What somebody decided about places that resolution leaves open, so that it need not be decided again.

A decision discharges exactly one ambiguity (its signature: what is open, why, and between which candidates) in exactly
the contents it was made in: one more open place, another candidate or another content of a file it is about is a new
ambiguity. HEAD is noted and decides nothing. `decisions/<key>.json` in the store, few of them; what is lost is asked
for again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from everdex import clock, limits, versions
from everdex.durable import decode_json, encode_json, keep_newest, make_directory, replace_atomically
from everdex.errors import Corrupt, Incompatible, UsageError
from everdex.graph.model import Role, Status
from everdex.graph.stored.artifact import Graph
from everdex.graph.stored.columns import Columns
from everdex.snapshot.store import Store
from everdex.state.model import FileState, OpenPlace

if TYPE_CHECKING:  # a plan is of a graph, which a decision about a file need not have open
    from everdex.state.rename_model import RenamePlan

# Open places stay as they are, or somebody takes them into a rename. Which candidate is meant is never guessed.
LEAVE: Final = "leave"
TAKE: Final = "take"
MAX_BECAUSE: Final = 2_000
_MAX_PLACES: Final = 1_000
_SUFFIX: Final = ".json"
_OPEN: Final = frozenset({Status.AMBIGUOUS, Status.UNRESOLVED})


class Ambiguity(msgspec.Struct, frozen=True):
    """What has to be decided."""

    about: str
    places: tuple[OpenPlace, ...]
    file_hashes: dict[str, str]  # the slice: every file that it speaks of, by its content
    reasons: tuple[str, ...] = ()  # of a file in which no place can be told

    @property
    def signature(self) -> str:
        # Without lines: they are the content's, and that is the other half of the key.
        open_places = sorted((at.path, at.text, at.certainty, at.reason, at.candidates) for at in self.places)
        return _hash([self.about, self.reasons, open_places])

    @property
    def key(self) -> str:
        return _hash([self.signature, sorted(self.file_hashes.items())])[:32]


class Proof(msgspec.Struct, frozen=True):
    """What was looked at, and what came of it."""

    because: str
    places: tuple[OpenPlace, ...]
    omitted: int = 0


class DecisionRecord(msgspec.Struct, frozen=True):
    ambiguity_signature: str
    about: str
    file_hashes: dict[str, str]
    repo_head: str | None
    decision: str
    proof: Proof
    created_at: str
    schema_version: int = versions.ARTIFACTS["decision"].writable

    def holds(self, contents: Mapping[str, str]) -> bool:
        """Whether every file it is about has the content it was made in."""
        return all(contents.get(path) == known for path, known in self.file_hashes.items())


# -- ambiguities ---------------------------------------------------------------------------------


def of_file(graph: Graph, state: FileState, contents: Mapping[str, str]) -> Ambiguity:
    """What is open in a file: its calls that do not lead to one place, and the files their candidates are in."""
    number = graph.number(state.path)
    places = []
    if number is not None:
        for site in Columns(graph.blob(number)).sites():
            if site.role is Role.CALL and site.status in _OPEN:
                candidates = tuple(sorted(f"{target.path}::{target.key}" for target in site.targets))
                places.append(OpenPlace(
                    state.path, site.line, site.column, site.text, str(site.status), site.reason, candidates
                ))  # fmt: skip
    files = {state.path} | {candidate.partition("::")[0] for at in places for candidate in at.candidates}
    reasons = tuple(sorted(f"{reason.code} {reason.detail}" for reason in state.reasons))
    return Ambiguity(f"semantic change of {state.path}", tuple(sorted(places)), _slice(files, contents), reasons)


def of_plan(plan: RenamePlan, contents: Mapping[str, str]) -> Ambiguity:
    """What is open in a rename: its doubts, and what has the new name already."""
    doubts = [OpenPlace(at.path, at.line, at.column, at.text, at.certainty, at.reason) for at in plan.doubts]
    clashes = [OpenPlace(at.path, at.line, 0, at.qualified_name, "clash", plan.new) for at in plan.clashes]
    asked = plan.definitions[0].target
    files = {at.path for at in (*doubts, *clashes)} | {edit.path for edit in plan.edits}
    about = f"rename {asked.path}::{asked.key} to {plan.new}"
    return Ambiguity(about, tuple(sorted((*doubts, *clashes))), _slice(files, contents))


def of_taken(plan: RenamePlan, contents: Mapping[str, str]) -> Ambiguity:
    """What was open in a rename and is edited all the same."""
    asked = plan.definitions[0].target
    places = [OpenPlace(at.path, at.line, at.column, at.text, TAKE, at.doubt) for at in plan.edits if at.doubt]
    about = f"rename {asked.path}::{asked.key} to {plan.new}"
    return Ambiguity(about, tuple(sorted(places)), _slice({at.path for at in places}, contents))


def _slice(paths: set[str], contents: Mapping[str, str]) -> dict[str, str]:
    return {path: contents[path] for path in sorted(paths) if path in contents}


def _hash(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()


# -- records -------------------------------------------------------------------------------------


def find(store: Store, ambiguity: Ambiguity) -> DecisionRecord | None:
    """The decision that discharges an ambiguity; one that cannot be read is none."""
    return _read(store.decisions / f"{ambiguity.key}{_SUFFIX}")


def record(
    store: Store, ambiguity: Ambiguity, because: str, head: str | None, decision: str = LEAVE
) -> DecisionRecord:
    """Remember that somebody looked at every open place and goes on."""
    said = check_because(because)
    proof = Proof(said, ambiguity.places[:_MAX_PLACES], max(0, len(ambiguity.places) - _MAX_PLACES))
    made = DecisionRecord(
        ambiguity.signature, ambiguity.about, ambiguity.file_hashes, head, decision, proof, clock.rfc3339()
    )
    make_directory(store.decisions, store.permissions)
    replace_atomically(store.decisions / f"{ambiguity.key}{_SUFFIX}", encode_json(made), store.permissions)
    keep_newest(store.decisions, f"*{_SUFFIX}", limits.DECISIONS_KEPT, lambda old: old.unlink(missing_ok=True))
    return made


def check_because(because: str) -> str:
    """The words of a proof; `UsageError` when there are none, or too many."""
    said = because.strip()
    if not 0 < len(said) <= MAX_BECAUSE:
        raise UsageError(f"a decision has a reason of 1 to {MAX_BECAUSE:,} characters", hint="say what was looked at")
    return said


def every(store: Store) -> list[DecisionRecord]:
    """All that are remembered, newest first."""
    found = [made for path in store.decisions.glob(f"*{_SUFFIX}") if (made := _read(path)) is not None]
    return sorted(found, key=lambda made: (made.created_at, made.about), reverse=True)


def _read(path: Path) -> DecisionRecord | None:
    try:
        loose = decode_json(path.read_bytes())
        versions.check_readable("decision", loose.get("schema_version"), str(path))
        return msgspec.convert(loose, DecisionRecord)
    except (FileNotFoundError, Corrupt, Incompatible, msgspec.DecodeError, msgspec.ValidationError, AttributeError):
        return None  # nothing is discharged by what cannot be read: it is asked for again
