"""A client of the daemon, for Python: ask a question, get the same document the service would give.

None means that no daemon answers for this index (none runs, or it is leaving), so the caller reads the store
itself. Everything a daemon does answer stands, `busy` too: working around it would defeat what it is for.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any, Final

from everdex import errors, limits
from everdex.errors import Busy, DaemonGone, DaemonStopping, EverdexError, NotIndexed, Timeout, WorkerGone
from everdex.service.index import Index
from everdex.service.rendezvous import is_claimed, is_own_socket, socket_of
from everdex.settings import auto_start
from everdex.surfaces.cli.output import escape, write_error
from everdex.surfaces.cli.progress import Progress
from everdex.surfaces.daemon import thin, wire
from everdex.surfaces.daemon.protocol import DeadlineStream, decode, encode, read_payload

_LEAVE_S: Final = 20.0
_LONGEST_GRAPH_S: Final = 660.0
_LOOK_S: Final = 0.2
_GRAPH_WAIT_MS: Final = 300
_WATCH_S: Final = 0.5
_AGAIN_MS: Final = 5_000
_OF_THE_GRAPH: Final = frozenset({*thin.OF_THE_GRAPH, "rename", "board", "architecture"})
_MAY_NEED_THE_GRAPH: Final = _OF_THE_GRAPH | {"symbols"}
_PATIENCE_S: Final = limits.QUERY_TIMEOUT_MS / 1000 + 15.0


class Connection:
    """A greeted connection; one request at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(_PATIENCE_S)
        self._stream = DeadlineStream(self._socket)
        self._count = 0
        try:
            try:
                wire.at(os.fspath(path), self._socket.connect)
            except BlockingIOError as error:
                hint = "ask again after retry_after_ms"
                raise Busy("the daemon has more callers than it can greet", hint=hint, retry_after_ms=500) from error
            peer = self._socket.getsockopt(*wire.PEER_CREDENTIALS)
            if wire.peer_uid(peer) != os.geteuid():
                raise errors.StorageFailure(f"{path} is served by another user")
            self.hello: dict[str, Any] = self._greeted(wire.peer_pid(peer))
        except BaseException:
            self._socket.close()
            raise

    def _greeted(self, pid: int) -> dict[str, Any]:
        """Every daemon greets at once, whatever it is at work on: one that does not is stopped or stuck."""
        try:
            document = {"hello": {"protocols": list(wire.PROTOCOLS)}}
            hello: dict[str, Any] = self._exchange(document, patience_s=wire.GREETING_S)["hello"]
        except Timeout as error:
            hint = f"end it with `kill -9 {pid}`; until then commands take --offline"
            said = f"the daemon (process {pid}) does not greet anybody"
            if _is_suspended(pid):
                said, hint = f"{said}: it is suspended", f"wake it with `kill -CONT {pid}` or {hint}"
            raise Timeout(said, hint=hint) from error
        return hello

    def call(
        self, method: str, params: Mapping[str, Any] | None = None, waiting: Callable[[], None] | None = None
    ) -> dict[str, Any]:
        """The method's result; a coded error is raised as the error it names, `DaemonGone` when none comes. While none
        comes `waiting` is called now and then."""
        self._count += 1
        try:
            document = {"id": self._count, "method": method, "params": dict(params or {})}
            reply = self._exchange(document, waiting)
        except (ConnectionError, wire.Hangup) as error:
            raise DaemonGone("the daemon went away before it answered") from error
        result: dict[str, Any] = reply["result"]
        return result

    def call_patiently(
        self, method: str, params: Mapping[str, Any] | None, progress: Callable[[str, int, int], None],
        *, seconds: float = _LONGEST_GRAPH_S,
    ) -> dict[str, Any]:  # fmt: skip
        """As `call`; while the daemon is busy making the graph that the question needs, wait and ask again. `Busy` also
        when bringing the index up to date takes longer than that."""
        deadline = time.monotonic() + seconds
        if method in _OF_THE_GRAPH:
            # Waiting is done here: only who asks can show how far it is.
            params = {**(params or {}), "wait_ms": _GRAPH_WAIT_MS}
        waits_for = _Failures() if method in _MAY_NEED_THE_GRAPH else None
        with _Watch(self, progress, deadline) as watch:
            while True:
                try:
                    return self.call(method, params, watch)
                except Timeout:
                    if not watch.is_indexing or time.monotonic() >= deadline:
                        raise
                except (DaemonGone, WorkerGone) as gone:
                    if waits_for is None:
                        raise
                    waits_for.forgive(gone)  # a daemon that is gone itself will not answer the second time either
                except Busy as busy:
                    now = time.monotonic()
                    again = min(deadline, now + (busy.retry_after_ms or 500) / 1000)
                    if (
                        now >= deadline
                        or not self._wait_for_graph(again, progress, waits_for)
                        or time.monotonic() >= deadline
                    ):
                        raise

    def _wait_for_graph(
        self, until: float, progress: Callable[[str, int, int], None], failures: _Failures | None
    ) -> bool:
        """Wait while the daemon makes a graph, until it is made or `until`; false when none is being made.

        Returns early when its first phase (what all files offer) ends: from there on some questions are answered.
        """
        waited, phase = False, None
        while True:
            graph = self.call("ping")["graph"]
            if failures is not None and failures.another(graph):
                return True
            if graph["state"] not in ("making", "due"):
                return waited
            waited = True
            progress(graph["phase"] or "starting", graph["done"], graph["total"])
            if time.monotonic() >= until or (phase is not None and phase != graph["phase"] == "graph"):
                return waited
            phase = graph["phase"]
            time.sleep(_LOOK_S)

    def _exchange(
        self, document: Mapping[str, Any], waiting: Callable[[], None] | None = None, patience_s: float | None = None
    ) -> dict[str, Any]:
        patience_s = _PATIENCE_S if patience_s is None else patience_s
        payload = encode(document)
        if len(payload) > wire.MAX_REQUEST:
            raise errors.LimitExceeded(
                f"the question has {len(payload):,} bytes; at most {wire.MAX_REQUEST:,} are allowed", hint="shorten it"
            )
        self._socket.settimeout(patience_s)
        try:
            self._socket.sendall(wire.frame(payload))
        except TimeoutError as error:
            raise Timeout("the daemon takes no question") from error
        until = time.monotonic() + patience_s
        while waiting is not None and time.monotonic() < until and not select([self._socket], [], [], _WATCH_S)[0]:
            waiting()
        try:
            reply = decode(
                read_payload(self._stream, wire.MAX_RESPONSE, first_byte_s=patience_s, whole_s=limits.DAEMON_FRAME_S)
            )
        except Timeout as error:
            hint = "ask again, or with --offline; `everdex status` says what the daemon is at work on"
            raise Timeout(f"the daemon has not answered within {patience_s:.0f} s", hint=hint) from error
        if "error" in reply:
            raise error_of(reply["error"])
        return reply

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Failures:
    """What making the graph failed of while one question waits for it: it was not there to be told, and would have it
    made again and again."""

    def __init__(self) -> None:
        self._known: int | None = None
        self._forgiven = False

    def another(self, graph: Mapping[str, Any]) -> bool:
        """Whether it failed meanwhile and may be tried again: once, where that may help; else the failure is raised."""
        failure = graph.get("failure")  # a daemon of an older everdex, which is about to leave, does not tell
        known, self._known = self._known, graph.get("failures", 0)
        more = known is not None and self._known > known
        if failure is None or not (more or graph["state"] in ("failed", "too_large")):
            return False
        self.forgive(error_of(failure))
        return True

    def forgive(self, failure: EverdexError) -> None:
        if self._forgiven or not isinstance(failure, (DaemonGone, WorkerGone)):
            raise failure
        self._forgiven = True


class _Watch:
    """Sees how far a daemon is that does not answer yet, over a connection of its own; for one question."""

    def __init__(self, asked: Connection, progress: Callable[[str, int, int], None], deadline: float) -> None:
        self._asked, self._progress, self._deadline = asked, progress, deadline
        self._own: Connection | None = None
        self.is_indexing = False

    def __enter__(self) -> _Watch:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._own.close()

    def __call__(self) -> None:
        """`Busy` when there is no time left to wait."""
        indexing = self._indexing()
        self.is_indexing = indexing is not None
        if indexing is not None:
            self._progress("index", *indexing)
        if time.monotonic() >= self._deadline:
            what = "the daemon is still at work on the question"
            if indexing is not None:
                what = f"the index is being brought up to date: {indexing[0]:,} of {indexing[1]:,} files"
            hint = "it goes on meanwhile: ask again after retry_after_ms"
            raise Busy(what, hint=hint, retry_after_ms=_AGAIN_MS)

    def _indexing(self) -> tuple[int, int] | None:
        with suppress(EverdexError, OSError, wire.Hangup):  # whatever is wrong, the question itself will meet it
            self._own = self._own or Connection(self._asked.path)
            done_of = self._own.call("ping")["indexing"]
            return None if done_of is None else (done_of[0], done_of[1])
        return None


def _is_suspended(pid: int) -> bool:
    """Whether a process was stopped by a signal or a debugger: the letter after its name, which may hold anything."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[:1] in ([b"T"], [b"t"])
    return False


def connect(index: Index) -> Connection | None:
    """A connection to the daemon of this index; None when none listens."""
    path = socket_of(index)
    if not is_own_socket(path):
        return None
    with suppress(ConnectionError, FileNotFoundError, wire.Hangup, DaemonStopping):
        return Connection(path)
    return None


def reach(index: Index, *, wanted: bool, quiet: bool) -> Connection | None:
    """The daemon a command is to ask: the running one, or if it is `wanted` or set up so, one that is started."""
    try:
        connection = connect(index)
    except Timeout as error:  # what it is for can be done without it
        write_error(f"warning: {escape(error.message)}; answered without it ({escape(error.hint or '')})")
        return None
    if connection is not None or not (wanted or auto_start()):
        return connection
    from everdex.surfaces.daemon.start import start

    try:
        with Progress(quiet=quiet) as progress:
            return start(index, progress)
    except DaemonStopping:
        return None  # the configuration was changed meanwhile: this command answers with the one it has
    except EverdexError as error:
        if wanted:
            raise
        # auto_start is for speed: when no daemon can run, the store can still be read.
        write_error(f"warning: no daemon: {escape(error.message)}")
        return None


def stop(index: Index) -> int | None:
    """Ask the daemon of this index to leave and wait until it has; its process id, None when none was running."""
    try:
        running = is_claimed(index)
    except NotIndexed:
        running = False
    connection = connect(index) if running else None
    if connection is None:
        return None
    with connection:
        pid = int(connection.call("shutdown")["pid"])
    deadline = time.monotonic() + _LEAVE_S
    while is_claimed(index):
        if time.monotonic() > deadline:
            raise Timeout(f"process {pid} has not left after {_LEAVE_S:.0f} s", hint=f"end it with kill {pid}")
        time.sleep(0.02)
    return pid


def error_of(body: Mapping[str, Any]) -> EverdexError:
    """The error of ours that a reply describes."""
    kinds: list[type[EverdexError]] = [EverdexError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    found = next((kind for kind in kinds[1:] if kind.code == body.get("code")), errors.InternalError)
    return found(
        str(body.get("message")), hint=str(body.get("hint") or ""), retry_after_ms=body.get("retry_after_ms"),
        snapshot_id=body.get("snapshot_id"),
    )  # fmt: skip
