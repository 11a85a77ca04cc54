"""States of files and the mutation gate, as answers: may this file be changed now, if not why, and what to do first.

Brings the index up to date first, unless told not to. It uses the newest graph there is and makes one only for an
intent that needs references; the answer names the graph. With `since`, files are compared with the snapshot that the
asker's knowledge comes from.
"""

from __future__ import annotations

import os
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from everdex import limits
from everdex.discover import explain as explain_path
from everdex.discover.model import Skip
from everdex.errors import QueryError, UsageError
from everdex.graph.making.keep import find_graph, kept_graph
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.graph.stored.kept_interfaces import KeptInterfaces
from everdex.nearby import meant
from everdex.roots import everdex_home
from everdex.service import paging
from everdex.service.answers import PINNED, Answer, Freshness, compared
from everdex.service.index import Index
from everdex.state import decisions, gate, scopes
from everdex.state.decisions import DecisionRecord
from everdex.state.gate import Asked
from everdex.state.jobs import JobRecords
from everdex.state.model import EDIT, INTENTS, SEMANTIC, FileState, GateResult, OpenPlace, worst
from everdex.state.now import Now, SnapshotNow, TreeNow, Unchanged, read_file
from everdex.state.states import Known, States
from everdex.view import SnapshotView, open_view

MAX_PATHS: Final = 1_000
MAX_LISTED: Final = 2_000
_HASH: Final = re.compile(r"[0-9a-f]{64}")


class GateQuestion(msgspec.Struct, frozen=True):
    """Which files somebody wants to change, and what it knows of them."""

    paths: tuple[str, ...]  # absolute, or relative to the root
    seen: Mapping[str, str] = {}  # path as in `paths` -> SHA-256 of the content that was seen
    intent: str = EDIT
    since: str | None = None  # the snapshot that the asker's knowledge is from
    decide: str | None = None  # why the asker goes on although references are not all certain


class GraphKeeper:
    """The graph that states are computed with, held from one question to the next."""

    def __init__(self) -> None:
        self._known: Known | None = None

    def known(self, view: SnapshotView, at_hand: Graph | None = None) -> Known | None:
        """A graph of the view or near it; None when the store has none. Makes none."""
        held = self._known
        found = at_hand or kept_graph(view, Resolvers(), held.graph if held is not None else None)
        if found is None:
            return None
        if held is None or held.graph is not found:
            held = self._known = Known(found)
        return held


class Scene(msgspec.Struct, frozen=True):
    """What states are computed from."""

    view: SnapshotView  # which answers; also the base, unless somebody asks what changed since another
    now: Now
    known: Known | None
    freshness: Freshness
    since: SnapshotView | None = None  # the base, where somebody asks what changed since it
    earlier: Known | None = None  # the graph of that base

    @property
    def pinned(self) -> bool:
        """Whether the view stands for the tree."""
        return self.freshness == PINNED

    @property
    def contents(self) -> dict[str, str]:
        """The content of every file that the view has."""
        return {line.path_key: line.content_hash for line in self.view.file_lines()}


def check(question: GateQuestion) -> None:
    """Refuse what cannot be judged, before anything is looked at."""
    if not question.paths:
        raise UsageError("which files? no path is named", hint="name the files that are to be changed")
    check_paths(question.paths)
    if question.intent not in INTENTS:
        raise UsageError(f"unknown intent {question.intent[:40]!r}; known are {', '.join(INTENTS)}")
    for path, content in question.seen.items():
        if path not in question.paths:
            raise UsageError(f"a content was seen of {path[:200]!r}, which is not among the paths")
        if not _HASH.fullmatch(content):
            raise UsageError(f"what was seen of {path[:200]!r} is not a SHA-256 in 64 lower-case digits")
    if question.decide is not None:
        decisions.check_because(question.decide)
        if question.intent != SEMANTIC:
            raise UsageError("only a semantic change needs a decision", hint="ask with --semantic")


def check_paths(paths: Sequence[str]) -> None:
    """Refuse paths that no file can have, and too many of them."""
    if len(paths) > MAX_PATHS:
        raise QueryError(f"{len(paths):,} paths; at most {MAX_PATHS:,} at once", hint="ask in parts")
    if any(not path or "\0" in path for path in paths):
        raise UsageError("a path is empty or has a NUL byte", hint="name files")


@contextmanager
def scene(
    index: Index, view: SnapshotView, known: Known | None, freshness: Freshness, since: str | None
) -> Iterator[Scene]:
    """What a gate or state question compares: a view, and how the tree (or with `since` the view) differs from it."""
    if since is not None:
        with open_view(view.store, since) as base:
            contents = {line.path_key: line.content_hash for line in base.file_lines()}
            own = find_graph(base, Resolvers())
            earlier = Known(own) if own is not None else None
            yield Scene(view, SnapshotNow(contents, view), known, freshness, base, earlier)
    elif freshness.state == "fresh" or freshness == PINNED:
        yield Scene(view, Unchanged(), known, freshness)
    else:
        detected = index.preview()
        yield Scene(view, TreeNow(index.root, detected.changes), known, compared(detected))


def queue_refresh(view: SnapshotView, keys: Sequence[str]) -> None:
    """Queue a refresh of files that a gate blocked as not current, so that the daemon works on what the caller waits
    for."""
    head = view.manifest.git.head_sha
    JobRecords(view.store).enqueue(scopes.of_files(keys), head, "gate", limits.JOB_BUDGET_MS)


# -- answers -------------------------------------------------------------------------------------


def gate_answer(
    index: Index, found: Scene, question: GateQuestion, warnings: tuple[str, ...] = ()
) -> Answer:
    started = time.perf_counter()
    result = judged(index, found, question)
    actions = paging.Room.beside().fill(result.actions)
    body = {
        "decision": str(result.decision),
        "intent": question.intent,
        "since": question.since,
        "graph": _graph(found),
        "files": _judged_files(result),
        "blocking": list(result.blocking),
        "actions": actions,
        "actions_omitted": len(result.actions) - len(actions),
    }
    timings = {"gate": round((time.perf_counter() - started) * 1000, 2)}
    return index.answer(found.view, found.freshness, body, warnings=warnings, timings_ms=timings)


def _judged_files(result: GateResult) -> list[dict[str, Any]]:
    """Every file with its verdict; the reasons as far as they fit."""
    room, files = paging.Room(), []
    for file in result.files:
        reasons = room.fill(map(msgspec.to_builtins, file.reasons))
        state = None if file.state is None else msgspec.to_builtins(file.state)
        if state is not None:
            kept = room.fill(state["reasons"])
            state = {**state, "reasons": kept, "reasons_omitted": len(state["reasons"]) - len(kept)}
        files.append({
            "path": file.path,
            "decision": str(file.decision),
            "state": state,
            "reasons": reasons,
            "reasons_omitted": len(file.reasons) - len(reasons),
        })  # fmt: skip
    return files


def judged(index: Index, found: Scene, question: GateQuestion, *, parse_bytes: int | None = None) -> GateResult:
    """The verdicts on a question's files."""
    failed = {error.path_key: error.code for error in found.view.manifest.errors if error.path_key}
    with states_of(found, parse_bytes) as states:
        files = []
        for path in question.paths:
            key = path_key(index, path)
            state = states.of(key) if key is not None else None
            unknown = state is not None and state.indexed_hash is None and state.content_hash is None
            skipped = _skipped(index, key) if key is not None and unknown and not found.pinned else None
            data = None if key is None else _content(index, found, key)
            missing = _missing(index, found, key) if key is not None and unknown and not found.pinned else None
            places, decided = ((), None) if state is None else _decided(found, state, question)
            asked = Asked(
                path, key, data, question.seen.get(path), missing, skipped, failed.get(key or ""), places, decided
            )
            files.append(gate.judge(index.root, asked, state, question.intent, since=found.since is not None))
    return GateResult(worst(tuple(file.decision for file in files)), tuple(files))


def _decided(
    found: Scene, state: FileState, question: GateQuestion
) -> tuple[tuple[OpenPlace, ...], DecisionRecord | None]:
    """The open references of a file, and what was decided about them; decided now, when the asker says why."""
    if found.known is None or not gate.needs_decision(state, question.intent):
        return (), None
    ambiguity = decisions.of_file(found.known.graph, state, found.contents)
    store = found.view.store
    if question.decide is None:
        return ambiguity.places, decisions.find(store, ambiguity)
    return (), decisions.record(store, ambiguity, question.decide, found.view.manifest.git.head_sha)


def states_answer(
    index: Index, found: Scene, paths: tuple[str, ...], offset: int, warnings: tuple[str, ...] = ()
) -> Answer:
    """The states of these files; without any, of every file that is not clean. By path, from `offset` on."""
    keys = [key for path in paths if (key := path_key(index, path)) is not None] if paths else None
    outside = tuple(f"{path} is outside the repository" for path in paths if path_key(index, path) is None)
    with states_of(found, None) as states:
        if keys is None:
            counts, wanted = states.unclean()
        else:
            wanted = states.batch(keys)
            counts = Counter(str(state.freshness) for state in wanted)
    contents = found.contents
    made = [_decision_dict(item, contents) for item in decisions.every(found.view.store)]
    made = [item for item in made if keys is None or not item["file_hashes"].keys().isdisjoint(keys)]
    shown = paging.Room().fill(map(msgspec.to_builtins, wanted[offset : offset + MAX_LISTED]), least=1)
    listed = paging.Room.beside().fill(made)
    end = offset + len(shown)
    rest = max(0, len(wanted) - end)
    body = {
        "graph": _graph(found),
        "counts": dict(sorted(counts.items())),
        "files": shown,
        "omitted": rest,
        "cursor": {"snapshot_id": found.view.manifest.snapshot_id, "offset": end} if rest else None,
        "decisions": listed,
        "decisions_omitted": len(made) - len(listed),
    }
    return index.answer(found.view, found.freshness, body, warnings=(*warnings, *outside))


@contextmanager
def states_of(found: Scene, parse_bytes: int | None) -> Iterator[States]:
    """The states of a scene, while the block runs."""
    interfaces = KeptInterfaces(found.view.store)
    states = States(
        found.since or found.view, found.known, found.now, interfaces,
        since=found.since is not None, parse_bytes=parse_bytes, earlier=found.earlier,
    )  # fmt: skip
    try:
        yield states
    finally:
        states.close()
        interfaces.close()


def path_key(index: Index, path: str) -> str | None:
    """The key of a path below the root, also when a link leads there; None for any other."""
    root = os.fspath(index.root.path)
    parent, name = os.path.split(os.path.normpath(os.path.join(root, path)))
    real = os.path.join(os.path.realpath(parent), name)
    inside = real.startswith(f"{root}{os.sep}")
    return unicodedata.normalize("NFC", os.path.relpath(real, root)) if inside else None


def _content(index: Index, found: Scene, key: str) -> bytes | None:
    """What a file holds: on disk, or in the snapshot that was named."""
    if not found.pinned:
        return read_file(index.root, key)
    try:
        return found.view.source(key)
    except KeyError:  # not there, or skipped for its content
        return None


def _missing(index: Index, found: Scene, key: str) -> str | None:
    """Of a file that does not exist, which one somebody may have meant, as a question; None for one that does."""
    return None if os.path.lexists(index.root.path / key) else meant(key, found.view.paths)


def _skipped(index: Index, key: str) -> str | None:
    """Why a file that exists is not in the index; None for one that does not exist, or is in."""
    if not os.path.lexists(index.root.path / key):
        return None
    if os.path.isdir(index.root.path / key):
        return "directory"
    found = explain_path(
        index.root, index.config.index, key, include_untracked=index.untracked, everdex_home=everdex_home()
    )
    return str(found.reason) if isinstance(found, Skip) else None


def _graph(found: Scene) -> str:
    if found.known is None:
        return "none"
    return "current" if found.known.graph.digest == found.view.manifest.digest else "behind"


def _decision_dict(made: DecisionRecord, contents: Mapping[str, str]) -> dict[str, Any]:
    fields = {**msgspec.to_builtins(made), "holds": made.holds(contents)}
    del fields["schema_version"]  # of the file; the answer has its own
    return fields
