"""The part of `Index` that speaks of states, the mutation gate and refresh jobs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from everdex import limits
from everdex.errors import UsageError
from everdex.service import applying, mutation, refreshing, semantics
from everdex.service.index import Reading
from everdex.service.mutation import GateQuestion
from everdex.service.refreshing import RefreshJobs
from everdex.service.relations import Question, check
from everdex.state.jobs import RefreshJob
from everdex.state.scopes import RefreshScope
from everdex.surfaces.api import state_model
from everdex.surfaces.api.asking import Asking, typed


class StateQuestions(Asking):
    """What an index says of whether files may be changed. Paths are relative to the root, or absolute."""

    # -- states and the gate -------------------------------------------------------------------

    def gate(
        self,
        paths: Iterable[str],
        *,
        seen: Mapping[str, str] | None = None,
        intent: str = "edit",
        since: str | None = None,
        decide: str | None = None,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> state_model.MutationGateResult:
        """Whether files may be changed now: allow, warn or block, each with reasons and what to do first.

        `seen` has the SHA-256 of contents the caller saw, by path; `since` is the snapshot it knows the files from.
        `intent` is "edit", or "semantic" for a change computed from references; `snapshot_id` is taken for the tree.
        `decide` says why the caller goes on although references are not all certain: it is remembered.
        """
        question = GateQuestion(tuple(paths), dict(seen or {}), intent, since, decide)
        mutation.check(question)
        params = {
            "paths": list(question.paths), "seen": dict(question.seen), "intent": intent, "since": since,
            "decide": decide,
        }  # fmt: skip
        return self._ask(
            state_model.MutationGateResult, "gate", params, Reading(sync, snapshot_id),
            lambda reader, freshness, reading: reader.gate(question, freshness, reading),
        )  # fmt: skip

    def check_mutation_gate(self, paths: Iterable[str]) -> state_model.MutationGateResult:
        """`gate`, of the index as it is."""
        return self.gate(paths, sync=False)

    def state(
        self, paths: Iterable[str] = (), *, since: str | None = None, offset: int = 0, sync: bool = True,
        snapshot_id: str | None = None,
    ) -> state_model.StatesAnswer:  # fmt: skip
        """The states of files; without any, of every file that is not clean."""
        wanted = tuple(paths)
        mutation.check_paths(wanted)
        params = {"paths": list(wanted), "since": since, "offset": offset}
        return self._ask(
            state_model.StatesAnswer, "state", params, Reading(sync, snapshot_id),
            lambda reader, freshness, reading: reader.states(wanted, since, freshness, reading, offset=offset),
        )  # fmt: skip

    def get_file_state(self, path: str) -> state_model.FileState:
        """How current and how certain the index, as it is, is about one file."""
        return self.get_file_states_batch([path])[path]

    def get_file_states_batch(self, paths: Iterable[str]) -> dict[str, state_model.FileState]:
        """The same for many files at once, in the time of the work and not of their number."""
        wanted = list(dict.fromkeys(paths))
        for path in wanted:
            if mutation.path_key(self._warm.index, path) is None:
                raise UsageError(f"{path[:200]!r} is outside the repository", hint="name files below the root")
        found: dict[str, state_model.FileState] = {}
        for first in range(0, len(wanted), mutation.MAX_PATHS):
            part = wanted[first : first + mutation.MAX_PATHS]
            found |= dict(zip(part, self.state(part, sync=False).files, strict=True))
        return found

    def rename_plan(
        self, symbol: str, new_name: str, *, take: Iterable[str] = (), k: int = 200, offset: int = 0,
        sync: bool = True, snapshot_id: str | None = None,
    ) -> state_model.RenamePlan:  # fmt: skip
        """Every place that renaming a symbol takes, and apart at most `k` that are in doubt; nothing is changed.

        `take` makes edits of doubts: "path", "path:line" or "path:line:column" (from 1); "." for all that may mean it.
        """
        question = Question("rename", symbol, limit=k, offset=offset, new=new_name, take=tuple(take))
        check(question)
        params = {"symbol": symbol, "new": new_name, "take": list(question.take), "k": k, "offset": offset}
        return self._ask(
            state_model.RenamePlan, "rename", params, Reading(sync, snapshot_id),
            lambda reader, freshness, reading: reader.relations(question, freshness, reading),
        )  # fmt: skip

    def rename_apply(self, plan_id: str, *, leave_doubts: bool = False) -> state_model.Renamed:
        """Carry out a plan as it was shown: every file of it or none; `leave_doubts` leaves its doubts as they are."""
        done = applying.apply(self._warm.index, plan_id, leave_doubts=leave_doubts)
        return typed(state_model.Renamed, done.to_dict())

    # -- refresh jobs --------------------------------------------------------------------------

    def refresh(
        self, scope: RefreshScope | None = None, *, budget_ms: int = limits.JOB_BUDGET_MS
    ) -> state_model.RefreshJobStatus | None:
        """Bring files and what refers to what up to date and wait for it; None when there was nothing to do."""
        document = refreshing.refresh_answer(self._warm.index, scope, budget_ms=budget_ms).to_dict()
        return msgspec.convert(document["job"], state_model.RefreshJobStatus | None)

    def contexts(self, *, sync: bool = True, snapshot_id: str | None = None) -> state_model.ContextsAnswer:
        """The projects that an indexer can be run for, what each needs and how current it is."""
        return self._ask(
            state_model.ContextsAnswer, "contexts", {}, Reading(sync, snapshot_id),
            lambda reader, freshness, reading: reader.contexts(freshness, reading),
        )  # fmt: skip

    def refresh_semantic(
        self, context: str | None = None, scope: RefreshScope | None = None, *, budget_ms: int = limits.JOB_BUDGET_MS
    ) -> tuple[state_model.RefreshJobStatus, ...]:
        """Run the indexers of all contexts, or of one, and wait; empty when there was nothing to do.

        An indexer runs the repository's build configuration: only this call and the user's settings allow that.
        """
        document = refreshing.semantic_answer(self._warm.index, context, scope, budget_ms=budget_ms).to_dict()
        return msgspec.convert(document["jobs"], tuple[state_model.RefreshJobStatus, ...])

    def enqueue_refresh(
        self, scope: RefreshScope | None = None, *, budget_ms: int = limits.JOB_BUDGET_MS
    ) -> int | None:
        """Queue a refresh: the number of its job, None when nothing is to do or an open job covers it."""
        return RefreshJobs(self._warm.index).enqueue(scope, budget_ms=budget_ms)

    def import_scip(self, path: str | os.PathLike[str]) -> state_model.ImportReport:
        """Let a SCIP index decide what names mean in the files whose very bytes it is about."""
        document = semantics.import_index(self._warm.index, Path(path)).to_dict()
        return msgspec.convert(document["imported"], state_model.ImportReport)

    def run_job(self, job_id: int) -> state_model.RefreshJobStatus:
        """Run a queued job here; one that is finished is told as it is."""
        return _status(RefreshJobs(self._warm.index).run(job_id))

    def get_job_status(self, job_id: int) -> state_model.RefreshJobStatus:
        return _status(RefreshJobs(self._warm.index).status(job_id))

    def jobs(self, *, k: int = 20) -> tuple[state_model.RefreshJobStatus, ...]:
        """Refresh jobs, newest first."""
        return tuple(_status(job) for job in RefreshJobs(self._warm.index).newest(k))


def _status(job: RefreshJob) -> state_model.RefreshJobStatus:
    return msgspec.convert(refreshing.job_dict(job), state_model.RefreshJobStatus)
