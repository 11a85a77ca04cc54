"""An index kept warm for many questions in one process: a `reader`, and the proof of how fresh its views are.

Every answer comes from one snapshot and says truly how fresh it is. A question compares the tree with the snapshot
first; it skips that only when the last comparison is at most two seconds old and the kernel has reported no change
since. `checked_at` in an answer is the time of the comparison it rests on. Several questions at once share one
comparison. Knows nothing of sockets, clients or schedules.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import Any, Protocol

from msgspec.structs import replace

from everdex import clock, config, limits
from everdex.canvas.board.edits import Edit, checked
from everdex.changes.git_state import git_directories
from everdex.changes.watch import Watch
from everdex.errors import Busy, EverdexError
from everdex.roots import everdex_home
from everdex.service import answers, boarding, maintain
from everdex.service.answers import Answer, Freshness
from everdex.service.index import Index, Reading, only_paths
from everdex.service.mutation import GateQuestion, queue_refresh
from everdex.service.reader import Reader
from everdex.service.relations import Question, check, is_told_early
from everdex.state.model import SEMANTIC
from everdex.sync.model import SyncOptions, SyncReport


class GraphMaker(Protocol):
    """Whoever makes graphs for a process that answers: see surfaces/daemon/graphs.py."""

    def ready(self, snapshot_id: str | None, wait_s: float | None = None) -> str:
        """The snapshot to answer from, once its graph is made; `Busy` when that takes longer."""

    def begun(self, snapshot_id: str | None, wait_s: float | None = None) -> float:
        """Wait until files are resolved for that graph, or all are; the seconds that are left then."""

    def published(self) -> None:
        """The active snapshot is another now."""


class ResidentIndex:
    """Everything a daemon answers from. Every method may be called from any thread."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.publishes = 0
        self.compactions = 0
        self.collections = 0
        self.reader = Reader(index, makes_graphs=False)
        self.graphs: GraphMaker | None = None
        self._looking = threading.Lock()
        self._reporting = threading.Lock()
        self._reported = True
        self._looked = -1.0  # when the last good look began
        self._looked_at = ""
        self._warnings: tuple[str, ...] = ()  # of that look
        self._proof = b""  # by which that look found the tree unchanged, when a glance was enough
        self.indexing: tuple[int, int] | None = None  # files done and to do, while a look brings the index up to date
        self._listing: tuple[bytes, Answer] | None = None  # the files of the tree, and the proof they were taken under
        self._refreshing: threading.Thread | None = None
        self.outlines: dict[str, dict[str, list[Any]]] = {}  # files as agents saw them last; see notice.py
        excluded = frozenset({everdex_home(), self.reader.store.path})
        self._watch = Watch(index.root.path, excluded, git_directories(index.root))
        self._config_stamp = self._stamp()

    def close(self) -> None:
        self._watch.close()
        self.reader.shed()

    # -- questions -----------------------------------------------------------------------------

    def symbols(self, asked: str, reading: Reading, references: int = 0, offset: int = 0) -> Answer:
        return self.reader.symbols(asked, self.stated(reading), reading, references=references, offset=offset)

    def similar(
        self, place: str, k: int, reading: Reading, *, languages: tuple[str, ...], paths: tuple[str, ...],
        explain: bool,
    ) -> Answer:  # fmt: skip
        return self.reader.similar(
            place, k, self.stated(reading), reading, languages=languages, paths=paths, explain=explain
        )

    def relations(self, question: Question, reading: Reading, *, wait_s: float | None = None) -> Answer:
        """The answer to a question about the graph; `Busy` when that takes longer than `wait_s`."""
        check(question)
        freshness = self.stated(reading)
        early = self.reader.before_graph(question, freshness, reading)
        if early is not None:
            return early
        if self.graphs is not None:
            try:
                if is_told_early(question):  # just after an edit nobody has begun the graph yet
                    wait_s = self.graphs.begun(reading.snapshot_id, wait_s)
                    early = self.reader.before_graph(question, freshness, reading, is_begun=True)
                    if early is not None:
                        return early
                reading = replace(reading, snapshot_id=self.graphs.ready(reading.snapshot_id, wait_s))
            except Busy as busy:
                so_far = self.reader.so_far(question, reading.snapshot_id)
                if not so_far:
                    raise
                raise Busy(f"{busy.message}; {so_far}", hint=busy.hint, retry_after_ms=busy.retry_after_ms) from busy
        return self.reader.relations(question, freshness, reading)

    def gate(self, question: GateQuestion, reading: Reading) -> Answer:
        """Whether files may be changed now; those that are behind are refreshed soon."""
        freshness = self.stated(reading)
        if question.intent == SEMANTIC and self.graphs is not None:
            self.graphs.ready(reading.snapshot_id)
        answer = self.reader.gate(question, freshness, reading)
        behind = [file["path"] for file in answer.body["files"] if any(item["reason"] for item in file["reasons"])]
        if behind and question.since is None and reading.snapshot_id is None:
            with self.reader.pinned() as kept:
                queue_refresh(kept.view, behind)
        return answer

    def states(self, paths: tuple[str, ...], since: str | None, reading: Reading, offset: int) -> Answer:
        return self.reader.states(paths, since, self.stated(reading), reading, offset=offset)

    def contexts(self, reading: Reading) -> Answer:
        return self.reader.contexts(self.stated(reading), reading)

    def status(self, reading: Reading) -> Answer:
        """The same answer that `Index.status` gives."""
        looked = self._peek() if reading.sync and reading.snapshot_id is None else None
        return self.index.status(reading=reading, looked=looked)

    def files(self, reading: Reading, *, skipped: bool, paths: tuple[str, ...]) -> Answer:
        """The same answer that `Index.files` gives; what is skipped no glance covers, so it is looked up each time."""
        looked = self._peek() if not skipped and reading.snapshot_id is None else None
        proof = self._proof
        if looked is None or not proof:
            return self.index.files(skipped=skipped, paths=paths, reading=reading)
        kept = self._listing
        if kept is None or kept[0] != proof:
            kept = (proof, self.index.listing())
            self._listing = kept if len(kept[1].body["files"]) <= limits.LISTED_FILES_KEPT else None
        listed = replace(kept[1], freshness=looked, request_id=clock.new_ulid())
        return only_paths(listed, paths)

    def board(self, edit: Edit, reading: Reading, *, wait_s: float | None) -> Answer:
        """The board, read or changed; `Busy` when evidence needs a graph that takes longer."""
        edit = checked(edit)
        freshness = self.stated(reading)
        if self.graphs is not None and boarding.needs_graph(self.reader.store, edit):
            self.graphs.ready(None, wait_s)
        return self.reader.board(edit, freshness, reading)

    def chunks(self, reading: Reading, *, meta: bool, offset: int, count: int) -> Answer:
        return self.reader.chunks(self.stated(reading), reading, meta=meta, offset=offset, count=count)

    def stated(self, reading: Reading, *, rehash: bool = False) -> Freshness:
        """Bring the index up to date as far as the reading asks for it; returns how fresh an answer is then."""
        self.reader.store.touch_last_used()
        if reading.snapshot_id is not None:
            return answers.PINNED
        return self.freshness(rehash=rehash) if reading.sync else answers.UNCHECKED

    def freshness(self, *, rehash: bool = False) -> Freshness:
        """Make the index current if need be, and say how current it is."""
        arrived = time.monotonic()
        with self._looking:
            if not rehash and self._stands(arrived):
                return Freshness("fresh", 0, self._looked_at, self._warnings)
            return self._look(rehash)

    def _peek(self) -> Freshness | None:
        """How fresh the index is when the tree has not changed; None when that takes more than a glance.

        For questions about the tree itself: nothing is written, and whoever is writing is not waited for.
        """
        arrived = time.monotonic()
        if not self._looking.acquire(blocking=False):
            return None
        try:
            if not self._stands(arrived):
                began, began_at = self._begin()
                stands = self.index.stands()
                if stands is None:
                    self._reported, self._listing = True, None
                    return None
                self._looked, self._looked_at, self._warnings, self._proof = began, began_at, (), stands.proof
            return Freshness("fresh", 0, self._looked_at)
        finally:
            self._looking.release()

    def refresh_soon(self) -> None:
        """Compare the tree on a thread of its own, without waiting for it; one such comparison at a time."""
        with self._reporting:
            self._reported = True  # whoever asks knows of a change that a watch may not see
            if self._refreshing is None or not self._refreshing.is_alive():
                self._refreshing = threading.Thread(target=self._refresh, name="refresh", daemon=True)
                self._refreshing.start()

    def _refresh(self) -> None:
        with suppress(EverdexError, OSError):  # a question meets the same failure, and that one is reported
            self.freshness()

    def sync(self, options: SyncOptions) -> Answer:
        """Bring the index up to date, as `everdex index` does."""
        with self._looking:
            report = self.index.sync(options)
            self._count(report)
            return self.index.report(report)

    def _count(self, report: SyncReport) -> None:
        self.publishes += report.published
        self.compactions += report.compacted
        if report.published and self.graphs is not None:
            self.graphs.published()

    def _stands(self, arrived: float) -> bool:
        """Whether the last look speaks for a question that arrived then."""
        if self._looked >= arrived:
            return True
        quiet = not self.changed() and self._watch.healthy
        return quiet and self._looked >= 0 and arrived - self._looked < limits.DAEMON_TRUST_WATCH_S

    def _begin(self) -> tuple[float, str]:
        """When a look begins."""
        # Asked before the look, so that whatever happens during it counts for the next one.
        with self._reporting:
            self._watch.touched()
            self._reported = False
        self._looked = -1.0
        return time.monotonic(), clock.rfc3339()

    def _look(self, rehash: bool) -> Freshness:
        began, began_at = self._begin()
        try:
            report = self.index.sync(SyncOptions(always_rehash=rehash, progress=self._progress))
        except Busy:
            # Another process is writing: answer from what there is, and say how far behind it is.
            self._reported = True
            return answers.compared(self.index.preview())
        except BaseException:
            self._reported = True
            raise
        finally:
            self.indexing = None
        self._looked, self._looked_at, self._warnings, self._proof = began, began_at, report.warnings, report.proof
        self._count(report)
        return Freshness("fresh", 0, began_at, report.warnings)

    def _progress(self, phase: str, done: int, total: int) -> None:
        if phase == "index":
            self.indexing = (done, total)

    def changed(self) -> bool:
        """Whether the kernel reported anything since the last look."""
        # Under a lock: who takes events from the kernel's queue must have told before another finds it empty.
        with self._reporting:
            self._reported = self._watch.touched() or self._reported
            return self._reported

    @property
    def watching(self) -> bool:
        """Whether the kernel's silence means anything."""
        return self._watch.healthy

    def wait_for_change(self, seconds: float) -> bool:
        return self._watch.wait(seconds)

    # -- upkeep --------------------------------------------------------------------------------

    def reconcile(self) -> None:
        """Compare the whole tree even if the watch reported nothing, and restart a watch that is not healthy."""
        with self._looking:
            if not self._watch.healthy:
                self._watch.restart()
            self._look(rehash=False)

    def collect(self) -> None:
        """Let go of what retention no longer wants, if no other process reads or writes."""
        with suppress(Busy):
            maintain.gc(self.index, apply=True)
            self.collections += 1

    def replaced(self) -> str | None:
        """Why this index is no longer the one to ask: its root, store or configuration is another now."""
        root = self.index.root
        if not root.path.is_dir():
            return "root_gone"
        if not (self.reader.store.path / "store.json").is_file():
            return "store_gone"
        stamp = self._stamp()
        if stamp != self._config_stamp:
            try:
                changed = config.load(root.path) != self.index.config
            except EverdexError:
                return "config_changed"
            if changed or stamp[0] != self._config_stamp[0]:
                return "config_changed"
            self._config_stamp = stamp
        return "model_changed" if self._other_model() else None

    def _other_model(self) -> bool:
        """Whether a model that the user named by directory holds other files now; bundled models cannot change."""
        if not self.index.config.index.embedder.startswith("model2vec:"):
            return False
        try:
            return Index(self.index.root, self.index.config).config_fingerprint != self.index.config_fingerprint
        except EverdexError:
            return True

    def _stamp(self) -> tuple[Any, ...]:
        """Whether git answers for the root, and the configuration file's identity."""
        path = self.index.root.path
        try:
            found = os.lstat(path / config.CONFIG_NAME)
        except OSError:
            return (os.path.lexists(path / ".git"),)
        return (os.path.lexists(path / ".git"), found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
