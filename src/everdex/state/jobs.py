"""Refresh jobs: asked for once, run once, remembered for a while. Records only; nothing is refreshed here.

`jobs.db` in the store, SQLite with every commit on disk before it counts. A job goes queued → running → succeeded or
failed; one that was queued under another HEAD is superseded by its successor, which covers it. States change only from
the state they are expected in, so two processes never run one job. The file is not the truth about anything: when it is
damaged it is begun anew, and whatever is not current is found by the next look.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import msgspec

from everdex import clock, limits, versions
from everdex.durable import is_refused, open_lasting
from everdex.errors import EverdexError, StorageFailure, UsageError
from everdex.snapshot.store import Store
from everdex.state import scopes
from everdex.state.scopes import RefreshScope

NAME: Final = "jobs.db"
LOCK: Final = "jobs.lock"  # held while a job runs
_BUSY_S: Final = 10.0
_MAX_ATTEMPTS: Final = 3
_MAX_FILES: Final = 10_000
# What SQLite says where nothing can be written.
_REFUSED: Final = frozenset(
    (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
)
_PRIMARY: Final = 0xFF  # of an error's code; the rest tells more of it
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, status TEXT NOT NULL, scope TEXT NOT NULL, desired_scope TEXT,
    trigger_reason TEXT NOT NULL, head_at_enqueue TEXT, budget_ms INTEGER NOT NULL, attempts INTEGER NOT NULL,
    created_at REAL NOT NULL, started_at REAL, finished_at REAL, files TEXT, snapshot_id TEXT, result TEXT,
    superseded_reason TEXT, error_code TEXT, error TEXT, context TEXT
);
CREATE INDEX IF NOT EXISTS jobs_by_status ON jobs (status, id);
"""


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SUPERSEDED = "superseded"


OPEN: Final = (JobStatus.QUEUED, JobStatus.RUNNING)


class RefreshJob(msgspec.Struct, frozen=True):
    """One job's record. Times are seconds since the epoch."""

    id: int
    status: JobStatus
    scope: RefreshScope | None
    desired_scope: RefreshScope | None  # what a running job was asked to cover beyond its scope
    widened: bool  # whether it was: everything is None too
    trigger_reason: str
    head_at_enqueue: str | None
    budget_ms: int
    attempts: int
    created_at: float
    started_at: float | None
    finished_at: float | None
    files: int  # that were to be indexed when it began
    snapshot_id: str | None
    result: dict[str, Any] | None
    superseded_reason: str | None
    error_code: str | None
    error: str | None
    context: str | None  # the semantic context it is about; None for files and references


class JobRecords:
    """The jobs of one store. Every call opens the file and closes it again: there are few."""

    def __init__(self, store: Store) -> None:
        self.path = store.path / NAME
        self._permissions = store.permissions

    def enqueue(
        self, scope: RefreshScope | None, head: str | None, reason: str, budget_ms: int, context: str | None = None
    ) -> int | None:
        """The job that covers a scope of a context, new or widened; None when one that is open covers it already."""
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT * FROM jobs WHERE status IN (?, ?) AND context IS ? ORDER BY id", (*OPEN, context)
            ).fetchall()
            queued = next((job for row in rows if (job := _job(row)).status is JobStatus.QUEUED), None)
            running = next((job for row in rows if (job := _job(row)).status is JobStatus.RUNNING), None)
            if queued is not None:
                wider = scopes.merged(queued.scope, scope)
                if queued.head_at_enqueue != head:
                    _set(connection, queued.id, status=JobStatus.SUPERSEDED, superseded_reason="head_changed",
                         finished_at=clock.now())  # fmt: skip
                    return _insert(connection, wider, head, reason, budget_ms, context)
                if wider == queued.scope:
                    return None
                _set(connection, queued.id, scope=scopes.encode(wider))
                return queued.id
            if running is not None:
                wider = scopes.merged(running.desired_scope if running.widened else running.scope, scope)
                if wider == (running.desired_scope if running.widened else running.scope):
                    return None
                _set(connection, running.id, desired_scope=scopes.encode(wider))
                return running.id
            return _insert(connection, scope, head, reason, budget_ms, context)

    def claim(self, number: int) -> RefreshJob | None:
        """Take a queued job to run it; None when it is not queued (any more)."""
        with self._transaction() as connection:
            taken = connection.execute(
                "UPDATE jobs SET status = ?, started_at = ?, attempts = attempts + 1 WHERE id = ? AND status = ?",
                (JobStatus.RUNNING, clock.now(), number, JobStatus.QUEUED),
            )
            return _job(_row(connection, number)) if taken.rowcount else None

    def begun(self, number: int, files: Mapping[str, str | None]) -> None:
        """Remember what the files were when the work began."""
        kept = dict(sorted(files.items())[:_MAX_FILES])
        with self._transaction() as connection:
            _set(connection, number, files=msgspec.json.encode(kept).decode())

    def succeeded(self, number: int, snapshot_id: str, result: Mapping[str, Any]) -> RefreshJob:
        return self._finished(
            number, status=JobStatus.SUCCEEDED, snapshot_id=snapshot_id, result=msgspec.json.encode(result).decode()
        )

    def failed(self, number: int, code: str, message: str) -> RefreshJob:
        return self._finished(number, status=JobStatus.FAILED, error_code=code, error=message[:1_000])

    def superseded(self, number: int, reason: str) -> RefreshJob:
        return self._finished(number, status=JobStatus.SUPERSEDED, superseded_reason=reason)

    def released(self, number: int) -> RefreshJob:
        """Queue a job again that its runner could not finish, as if it had not been begun."""
        with self._transaction() as connection:
            _set(connection, number, status=JobStatus.QUEUED, started_at=None, attempts=0)
            return _job(_row(connection, number))

    def recover(self, *, semantic: bool) -> None:
        """Queue again what a dead process was running; the caller holds the lock of whoever runs jobs of that kind."""
        with self._transaction() as connection:
            rows = connection.execute("SELECT * FROM jobs WHERE status = ?", (JobStatus.RUNNING,)).fetchall()
            for job in filter(lambda job: (job.context is not None) is semantic, map(_job, rows)):
                if job.attempts >= _MAX_ATTEMPTS:
                    _set(connection, job.id, status=JobStatus.FAILED, error_code="interrupted",
                         error=f"interrupted {job.attempts} times", finished_at=clock.now())  # fmt: skip
                else:
                    scope = scopes.merged(job.scope, job.desired_scope) if job.widened else job.scope
                    _set(connection, job.id, status=JobStatus.QUEUED, scope=scopes.encode(scope), desired_scope=None,
                         started_at=None)  # fmt: skip

    def get(self, number: int) -> RefreshJob:
        """A job's record; `UsageError` when there is none of that number (any more)."""
        with self._reading() as connection:
            return _job(_row(connection, number))

    def newest(self, most: int) -> list[RefreshJob]:
        """Those that were asked for last. Makes no file where there is none."""
        if not self.path.exists():
            return []
        with self._reading() as connection:
            rows = connection.execute("SELECT * FROM jobs ORDER BY id DESC LIMIT ?", (most,)).fetchall()
            return [_job(row) for row in rows]

    def next_queued(self, *, semantic: bool) -> int | None:
        """The job of a kind that waits longest. Makes no file where there is none."""
        if not self.path.exists():
            return None
        with self._transaction() as connection:
            row = connection.execute(
                "SELECT id FROM jobs WHERE status = ? AND (context IS NOT NULL) = ? ORDER BY id LIMIT 1",
                (JobStatus.QUEUED, semantic),
            ).fetchone()
            return None if row is None else int(row["id"])

    def last_of(self, context: str) -> RefreshJob | None:
        """The job of a context that ended last, well or not. Makes no file where there is none."""
        if not self.path.exists():
            return None
        with self._reading() as connection:
            row = connection.execute(
                "SELECT * FROM jobs WHERE context = ? AND status IN (?, ?) ORDER BY finished_at DESC LIMIT 1",
                (context, JobStatus.SUCCEEDED, JobStatus.FAILED),
            ).fetchone()
            return None if row is None else _job(row)

    def open_of(self, context: str) -> RefreshJob | None:
        """The job of a context that is not finished. Makes no file where there is none."""
        if not self.path.exists():
            return None
        with self._reading() as connection:
            row = connection.execute(
                "SELECT * FROM jobs WHERE context = ? AND status IN (?, ?) ORDER BY id DESC LIMIT 1", (context, *OPEN)
            ).fetchone()
            return None if row is None else _job(row)

    def _finished(self, number: int, **columns: Any) -> RefreshJob:
        with self._transaction() as connection:
            _set(connection, number, finished_at=clock.now(), **columns)
            connection.execute(
                "DELETE FROM jobs WHERE status NOT IN (?, ?) AND id <= (SELECT MAX(id) FROM jobs) - ?",
                (*OPEN, limits.JOBS_KEPT),
            )
            return _job(_row(connection, number))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of the block or nothing of it, alone; a damaged file is begun anew."""
        try:
            connection = self._open()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise StorageFailure(f"{self.path} cannot be used: {error}") from error
            self._begin_anew()
            connection = self._open()
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if not isinstance(error, sqlite3.OperationalError):
                self._begin_anew()
            raise StorageFailure(f"{self.path} cannot be used: {error}", hint="ask again") from error
        finally:
            connection.close()  # rolls back what was not committed

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """For who only looks: where nothing can be written (nobody else writes there, either), what is in the file."""
        if self._is_closed():
            connection = sqlite3.connect(f"file:{quote(str(self.path))}?mode=ro&immutable=1", uri=True)
            connection.row_factory = sqlite3.Row
            try:
                (version,) = connection.execute("PRAGMA user_version").fetchone()
                if version != versions.ARTIFACTS["jobs"].writable:
                    raise StorageFailure(f"{self.path} is of version {version} and cannot be brought up to date")
                yield connection
            except sqlite3.DatabaseError as error:
                raise StorageFailure(f"{self.path} cannot be read: {error}") from error
            finally:
                connection.close()
        else:
            with self._transaction() as connection:
                yield connection

    def _is_closed(self) -> bool:
        try:
            self._open().close()
        except StorageFailure as failure:
            return is_refused(failure)
        except sqlite3.OperationalError as error:
            return error.sqlite_errorcode & _PRIMARY in _REFUSED
        except (sqlite3.DatabaseError, EverdexError):
            return False
        return False

    def _begin_anew(self) -> None:
        for suffix in ("-wal", "-shm", ""):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _open(self) -> sqlite3.Connection:
        # SQLite would create the file with the umask's mode; created first, it has the store's.
        os.close(open_lasting(self.path, os.O_RDWR, self._permissions))
        connection = sqlite3.connect(self.path, timeout=_BUSY_S, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            connection.execute("PRAGMA synchronous = FULL")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                connection.executescript(_SCHEMA)
                connection.execute(f"PRAGMA user_version = {versions.ARTIFACTS['jobs'].writable}")
            else:
                versions.check_readable("jobs", version, str(self.path))
                if version == 1:
                    _add_contexts(connection)
            connection.execute("SELECT id FROM jobs LIMIT 1").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection


def _add_contexts(connection: sqlite3.Connection) -> None:
    """Migrate the table from version 1 to 2; several processes may try at once."""
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("PRAGMA user_version").fetchone()[0] == 1:
        connection.execute("ALTER TABLE jobs ADD COLUMN context TEXT")
        connection.execute("PRAGMA user_version = 2")
    connection.execute("COMMIT")


def _insert(
    connection: sqlite3.Connection, scope: RefreshScope | None, head: str | None, reason: str, budget_ms: int,
    context: str | None,
) -> int:  # fmt: skip
    done = connection.execute(
        "INSERT INTO jobs (status, scope, trigger_reason, head_at_enqueue, budget_ms, attempts, created_at, context) "
        "VALUES (?, ?, ?, ?, ?, 0, ?, ?)",
        (JobStatus.QUEUED, scopes.encode(scope), reason, head, budget_ms, clock.now(), context),
    )
    assert done.lastrowid is not None
    return done.lastrowid


def _set(connection: sqlite3.Connection, number: int, **columns: Any) -> None:
    names = ", ".join(f"{name} = ?" for name in columns)
    connection.execute(f"UPDATE jobs SET {names} WHERE id = ?", (*columns.values(), number))


def _row(connection: sqlite3.Connection, number: int) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute("SELECT * FROM jobs WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise UsageError(f"there is no job {number}", hint="`everdex jobs` lists those that are remembered")
    return row


def _job(row: sqlite3.Row) -> RefreshJob:
    fields = dict(row)
    desired = fields.pop("desired_scope")
    return RefreshJob(
        **{
            **fields,
            "status": JobStatus(fields["status"]),
            "scope": scopes.decode(fields["scope"]),
            "desired_scope": scopes.decode(desired) if desired is not None else None,
            "widened": desired is not None,
            "files": len(msgspec.json.decode(fields["files"])) if fields["files"] else 0,
            "result": msgspec.json.decode(fields["result"]) if fields["result"] else None,
        }
    )
