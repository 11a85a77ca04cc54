"""The daemon's process: accepts connections, greets, admits, answers, and knows when to leave.

One thread accepts, one reads each connection, eight answer. Nothing a client sends or leaves undone ends the
process or keeps others waiting; it leaves on a signal, on `shutdown`, after half an hour without a question, and
when its root, store, configuration or program is another than at its start.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
from contextlib import suppress
from typing import Any, Final

from msgspec.structs import replace

from everdex import __version__, limits
from everdex.errors import Busy, DaemonStopping, EverdexError, Timeout, UsageError
from everdex.search.check import check
from everdex.service.rendezvous import Claim, build_stamp
from everdex.service.resident import ResidentIndex
from everdex.settings import daemon_settings
from everdex.surfaces.cli.failures import as_everdex
from everdex.surfaces.daemon import methods, wire
from everdex.surfaces.daemon.admission import Admission, Job
from everdex.surfaces.daemon.background import Background, describe
from everdex.surfaces.daemon.graphs import Graphs
from everdex.surfaces.daemon.helper import FAILED, question
from everdex.surfaces.daemon.lanes import HelperGone, Lanes
from everdex.surfaces.daemon.metrics import Metrics
from everdex.surfaces.daemon.protocol import (
    DeadlineStream,
    Request,
    agreed_version,
    decode,
    encode,
    read_payload,
    request_of,
)
from everdex.surfaces.daemon.replies import answered, failed, result

_TICK_S: Final = 1.0
_BUILD_CHECK_S: Final = 2.0
_GRACE_S: Final = 10.0


class Client:
    """One connection. Replies may come from any thread, whole frames one after the other."""

    def __init__(self, connection: socket.socket) -> None:
        self.stream = DeadlineStream(connection)
        self.gone = False
        self._connection = connection
        self._sending = threading.Lock()
        self._writer = connection.dup()
        # A client that takes no answer must not hold a worker.
        self._writer.settimeout(limits.DAEMON_FRAME_S)

    def send(self, payload: bytes) -> None:
        try:
            with self._sending:
                self._writer.sendall(wire.frame(payload))
        except OSError:
            self.hang_up()

    def hang_up(self) -> None:
        self.gone = True
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it was first

    def close(self) -> None:
        self.hang_up()
        with self._sending:
            self._writer.close()
            self._connection.close()


class Server:
    def __init__(self, warm: ResidentIndex, claim: Claim) -> None:
        self._warm = warm
        self._claim = claim
        self._metrics = Metrics()
        self._clients: set[Client] = set()
        self._clients_lock = threading.Lock()
        self._reason = ""
        # A signal handler may run anywhere in the main thread, so it must not take a lock: it writes to a pipe.
        self._wakened, self._wake = os.pipe()
        self._build = build_stamp()
        self._checked = self._asked = self._started = time.monotonic()
        self._admission = Admission(self._work, self._too_late, self._metrics)
        self._lanes = Lanes(warm.index, claim.log)
        self._graphs = warm.graphs = Graphs(warm, claim.log, unasked=daemon_settings().graph)
        self._background = Background(warm, self._lanes, lambda: time.monotonic() - self._asked, claim.log, self.stop)

    def listen(self) -> None:
        """Open the socket and announce it; from here on a signal ends the daemon in order."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda received, _: self.stop(signal.Signals(received).name.lower()))
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            wire.at(os.fspath(self._claim.socket), self._listener.bind)
        finally:
            os.umask(before)
        self._listener.listen(limits.DAEMON_CONNECTIONS)
        self._claim.announce()
        self._claim.log("start", version=__version__, protocol=max(wire.PROTOCOLS))

    def run(self) -> str:
        """Serve until there is a reason to leave; returns it."""
        threading.Thread(target=self._accept, name="acceptor", daemon=True).start()
        self._background.start()
        self._graphs.start()
        while not select.select([self._wakened], [], [], _TICK_S)[0]:
            self._admission.expire()
            with suppress(OSError):  # out of descriptors, or forbidden for a moment: the next look tells
                self._mind_identity()
                self._mind_program()
            idle = time.monotonic() - self._asked
            if idle >= limits.DAEMON_IDLE_EXIT_S and not self._admission.in_flight:
                self.stop("idle")
        self._leave()
        return self._reason

    def stop(self, reason: str) -> None:
        if not self._reason:
            self._reason = reason
            os.write(self._wake, b"\0")

    def _leave(self) -> None:
        self._background.end()
        self._graphs.end()
        self._claim.withdraw()
        self._listener.close()
        for job in self._admission.close():
            self._answer(job, failed(job.request, self._leaving()))
        self._admission.finish(_GRACE_S)
        self._lanes.close()
        with self._clients_lock:
            clients = list(self._clients)
        for client in clients:
            client.hang_up()
        self._claim.log("stop", reason=self._reason, up_s=round(time.monotonic() - self._started), **self._counts())

    def _leaving(self) -> DaemonStopping:
        return DaemonStopping(f"the daemon is leaving ({self._reason})")

    # -- connections ---------------------------------------------------------------------------

    def _accept(self) -> None:
        while not self._reason:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                if self._reason:
                    return
                time.sleep(0.1)  # out of file descriptors: some client will close
                continue
            try:
                self._welcome(connection)
            except (OSError, RuntimeError):
                connection.close()  # no descriptor or thread is left for it: it goes the long way, or asks again

    def _welcome(self, connection: socket.socket) -> None:
        client = Client(connection)
        with self._clients_lock:
            self._clients.add(client)
            crowded = len(self._clients) > limits.DAEMON_CONNECTIONS
        try:
            threading.Thread(target=self._converse, args=(client, connection, crowded), daemon=True).start()
        except RuntimeError:
            self._forget(client)
            raise

    def _forget(self, client: Client) -> None:
        with self._clients_lock:
            self._clients.discard(client)
        client.close()

    def _converse(self, client: Client, connection: socket.socket, crowded: bool) -> None:
        try:
            self._greet(client, connection, crowded)
            # Also while we are leaving: who stops reading a client gives up the answers it still waits for.
            while True:
                payload = read_payload(
                    client.stream, wire.MAX_REQUEST, first_byte_s=limits.DAEMON_SILENCE_S,
                    whole_s=limits.DAEMON_FRAME_S,
                )  # fmt: skip
                self._take(client, payload)
        except (wire.Hangup, OSError):
            pass  # it left; what it still had in the queue is forgotten below
        except EverdexError as error:
            self._metrics.count("refused")
            self._claim.log("refused", code=error.code)
            client.send(failed(None, error))
        finally:
            client.gone = True
            self._admission.cancel(client)
            self._forget(client)

    def _greet(self, client: Client, connection: socket.socket, crowded: bool) -> None:
        if wire.peer_uid(connection.getsockopt(*wire.PEER_CREDENTIALS)) != os.geteuid():
            raise UsageError("this daemon serves another user", hint="start your own with `everdex serve`")
        if crowded:
            raise Busy(f"{limits.DAEMON_CONNECTIONS} clients are connected", hint="ask again", retry_after_ms=1_000)
        whole = limits.DAEMON_HELLO_S
        document = decode(read_payload(client.stream, wire.MAX_REQUEST, first_byte_s=whole, whole_s=whole))
        hello = {
            "protocol": agreed_version(document), "version": __version__, "pid": os.getpid(),
            "store_id": self._claim.store.store_id, "root": os.fspath(self._warm.index.root.path),
        }  # fmt: skip
        client.send(encode({"hello": hello}))

    def _take(self, client: Client, payload: bytes) -> None:
        """Answer what needs no work at once; admit the rest. A bad request costs its sender an error, no more."""
        request: Request | None = None
        try:
            request = request_of(decode(payload))
            method = methods.checked(request.method, request.params)
            if request.render is not None and method.shown is None:
                request = replace(request, render=None)
                raise UsageError(f"{request.method} has no text: leave `render` out")
            if request.method == "ping":
                load = {"in_flight": self._admission.in_flight, "queued": self._admission.queued}
                state = {"graph": self._graphs.describe(), "indexing": self._warm.indexing}
                client.send(result(request, {"pid": os.getpid(), **load, **state}))
            elif request.method == "shutdown":
                client.send(result(request, {"pid": os.getpid(), "stopping": True}))
                self.stop("shutdown")
            else:
                self._mind_identity()
                if self._reason:
                    raise self._leaving()
                self._asked = time.monotonic()
                self._admission.submit(Job(client, request))
        except Exception as error:  # noqa: BLE001 - as in `_work`
            client.send(failed(request, as_everdex(error)))

    # -- answers -------------------------------------------------------------------------------

    def _work(self, job: Job) -> None:
        request = job.request
        try:
            payload = self._found(request) if request.method == "search" else self._told(request)
        except Exception as error:  # noqa: BLE001 - whatever went wrong belongs to this answer, not to the process
            known = as_everdex(error)
            self._note_failure(request, known.code)
            payload = failed(request, known)
        elapsed = (time.monotonic() - job.arrived) * 1000
        self._metrics.took(elapsed)
        if elapsed > limits.DAEMON_SLOW_MS:
            self._claim.log("slow", method=request.method, ms=round(elapsed))
        self._asked = time.monotonic()
        self._answer(job, payload)

    def _told(self, request: Request) -> bytes:
        """The answer to anything but a search."""
        answer = methods.METHODS[request.method].answer
        assert answer is not None  # or it is done elsewhere here
        document = answer(self._warm, request.params).to_dict()
        if request.method == "status":
            document["daemon"] = self._status()
        return answered(request, document)

    def _found(self, request: Request) -> bytes:
        """The answer to a search, computed wherever there is room first."""
        wanted, reading = methods.request(self._warm.index, request.params), methods.reading(request.params)
        check(wanted)
        freshness = self._warm.stated(reading, rehash=request.params.get("always_rehash", False))
        try:
            with self._lanes.lane() as lane:
                if lane is not None:
                    return self._helped(request, lane.ask(question(request, freshness)))
                explain = request.params.get("explain", False)
                found = self._warm.reader.search(wanted, freshness, reading, explain=explain)
                return answered(request, found.to_dict())
        except HelperGone:
            return self._found(request)

    def _helped(self, request: Request, reply: bytes) -> bytes:
        if reply.startswith(FAILED):
            code, _, payload = reply[1:].partition(b"\n")
            self._note_failure(request, code.decode())
            return payload
        return reply[1:]

    def _note_failure(self, request: Request, code: str) -> None:
        self._metrics.count("failed")
        self._claim.log("failed", method=request.method, code=code)

    def _answer(self, job: Job, payload: bytes) -> None:
        if self._admission.claim_answer(job):
            assert isinstance(job.client, Client)
            job.client.send(payload)

    def _too_late(self, job: Job) -> None:
        assert isinstance(job.client, Client)
        job.client.send(failed(job.request, Timeout(f"no answer within {limits.QUERY_TIMEOUT_MS // 1000} s")))

    def _status(self) -> dict[str, Any]:
        return {
            "pid": os.getpid(), "version": __version__, "socket": os.fspath(self._claim.socket),
            "uptime_s": round(time.monotonic() - self._started, 1), "clients": len(self._clients), **self._counts(),
        }  # fmt: skip

    def _counts(self) -> dict[str, Any]:
        return {
            "in_flight": self._admission.in_flight, "queued": self._admission.queued, **self._metrics.to_dict(),
            **describe(self._warm, self._lanes, self._graphs, self._background.indexers),
        }  # fmt: skip

    def _mind_identity(self) -> None:
        """Leave when we are no longer the one to ask; cheap enough for every question."""
        reason = self._warm.replaced()
        if reason is not None:
            self.stop(reason)

    def _mind_program(self) -> None:
        now = time.monotonic()
        if now - self._checked >= _BUILD_CHECK_S:
            self._checked = now
            if build_stamp() != self._build:
                self.stop("program_changed")
