"""A working day in an hour: agents that ask, edit and hang up, while the daemon's memory is watched.

    four agents: 60 % searches, 15 % symbols, 20 % callers, callees, refs, impact and map, 5 % files and status,
                 each after a short thought, with a question to an older snapshot now and then
    one editor:  one of twelve real files changes every fifteen seconds; one in ten edits makes, renames or removes one
    one rude:    connects, asks and hangs up before the answer, or sends half a frame, every two seconds

Memory is that of the daemon and its helpers, once a second; the process that makes a graph and ends is told apart.
It is called flat when it does not grow over the second half of the session: the median of its last third against that
of its first third. An agent that is told to come again does so, as the real client does.
"""

from __future__ import annotations

import json
import random
import socket
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from benchmarks.daemon.load import HELLO, Wire
from benchmarks.measure import median
from benchmarks.store.results import Figure

THOUGHT_S = (0.05, 0.6)
EDIT_EVERY_S = 15.0
WORKED_ON = 12
RUDE_EVERY_S = 2.0
PATIENT = {"busy", "timeout"}  # what a daemon may honestly say under load; counted, and asked again later
GRAPH = ("callers", "callees", "refs", "impact", "map")


class Measured(Protocol):
    """The daemon under measurement."""

    tree: Path
    socket: str

    def wire(self) -> Wire: ...
    def status(self) -> dict[str, Any]: ...
    def rss_bytes(self) -> int: ...
    def making_bytes(self) -> int: ...
    def handles(self) -> int: ...


class Session:
    def __init__(self, daemon: Measured, queries: list[str], seconds: float) -> None:
        self._daemon = daemon
        self._queries = queries
        self._names = [query for query in queries if query.isidentifier()]
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._counts: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._wrong: list[str] = []
        self._edits = 0
        self._rude = 0
        self._most_making = 0
        candidates = sorted(path for path in daemon.tree.rglob("*.py") if 2_000 < path.stat().st_size < 40_000)
        self._files = random.Random(1).sample(candidates, WORKED_ON)

    def run(self) -> list[Figure]:
        jobs: list[Callable[[], None]] = [lambda n=n: self._agent(n) for n in range(4)]  # type: ignore[misc]
        threads = [threading.Thread(target=job) for job in (*jobs, self._editor, self._hang_up)]
        for thread in threads:
            thread.start()
        samples: list[int] = []
        handles: list[int] = []
        while time.monotonic() < self._end:
            making = self._daemon.making_bytes()
            samples.append(self._daemon.rss_bytes() - making)
            self._most_making = max(self._most_making, making)
            handles.append(self._daemon.handles())
            if len(samples) % 60 == 0:
                self._say(samples)
            time.sleep(1)
        for thread in threads:
            thread.join()
        return self._figures(samples, handles)

    # -- what happens --------------------------------------------------------------------------

    def _agent(self, number: int) -> None:
        generator = random.Random(number)
        older = ""
        with self._daemon.wire() as wire:
            while time.monotonic() < self._end:
                method, params = self._question(generator)
                if older and method in ("search", "symbols") and generator.random() < 0.02:
                    params["snapshot_id"] = older
                reply = json.loads(wire.exchange(_request(method, params)))
                self._note(method, params, reply)
                while "error" in reply and reply["error"]["code"] == "busy" and time.monotonic() < self._end:
                    time.sleep((reply["error"]["retry_after_ms"] or 500) / 1000)
                    reply = json.loads(wire.exchange(_request(method, params)))
                    self._note(method, params, reply)
                if "result" in reply and generator.random() < 0.05:
                    older = reply["result"].get("snapshot_id") or older
                time.sleep(generator.uniform(*THOUGHT_S))

    def _question(self, generator: random.Random) -> tuple[str, dict[str, Any]]:
        drawn = generator.random()
        if drawn < 0.60:
            mode = generator.choice(("hybrid", "hybrid", "hybrid", "lexical", "semantic", "literal"))
            text, k = generator.choice(self._queries), generator.choice((5, 10, 50))
            return "search", {"query": text, "mode": mode, "k": k}
        if drawn < 0.75:
            return "symbols", {"name": generator.choice(self._names)}
        if drawn < 0.95:
            method = generator.choice(GRAPH)
            if method == "map":
                return method, {"budget": generator.choice((500, 2_000))}
            return method, {"symbol": generator.choice(self._names)}
        return generator.choice((("status", {}), ("files", {"paths": ["**/core"]})))

    def _note(self, method: str, params: dict[str, Any], reply: dict[str, Any]) -> None:
        self._counts["graph" if method in GRAPH else method] += 1
        if "result" in reply:
            return
        code = reply["error"]["code"]
        self._refused[code] += 1
        # A snapshot of ten minutes ago may have been collected; that is what the daemon is to say then.
        if code not in PATIENT and not ("snapshot_id" in params and code == "snapshot_unknown"):
            self._wrong.append(f"{method}: {code}: {reply['error']['message'][:120]}")

    def _editor(self) -> None:
        generator = random.Random(99)
        made: list[Path] = []
        while time.monotonic() < self._end:
            number = self._edits
            if number % 10 == 9:
                self._rearrange(made, number)
            else:
                path = generator.choice(self._files)
                text = path.read_text(encoding="utf-8", errors="surrogateescape")
                body = text.partition("\n\n\ndef everdex_session_")[0]
                added = f"\n\n\ndef everdex_session_{number}(argument):\n    return argument + {number}\n"
                path.write_text(body + added, encoding="utf-8", errors="surrogateescape")
            self._edits += 1
            time.sleep(EDIT_EVERY_S)

    def _rearrange(self, made: list[Path], number: int) -> None:
        if len(made) >= 3:
            made.pop(0).unlink()
        elif made:
            last = made.pop()
            made.append(last.rename(last.with_name(f"zz_session_{number}_moved.py")))
        path = self._daemon.tree / "django" / f"zz_session_{number}.py"
        path.write_text("".join(f"def session_{number}_{n}():\n    return {n}\n\n\n" for n in range(20)))
        made.append(path)

    def _hang_up(self) -> None:
        generator = random.Random(7)
        while time.monotonic() < self._end:
            method, params = self._question(generator)
            payload = _request(method, params)
            framed = len(payload).to_bytes(4, "big") + payload
            with socket.socket(socket.AF_UNIX) as stream:
                stream.settimeout(10)
                stream.connect(self._daemon.socket)
                stream.sendall(len(HELLO).to_bytes(4, "big") + HELLO)
                stream.sendall(framed if generator.random() < 0.7 else framed[: len(framed) // 2])
                time.sleep(generator.choice((0.0, 0.01, 0.3)))
            self._rude += 1
            time.sleep(RUDE_EVERY_S)

    # -- what is made of it --------------------------------------------------------------------

    def _say(self, samples: list[int]) -> None:
        minute = len(samples) // 60
        recent = median([float(size) for size in samples[-60:]])
        print(
            f"  minute {minute}: {recent / 1e6:.0f} MB, {sum(self._counts.values()):,} questions, {self._edits} edits, "
            f"refused {dict(self._refused)}", file=sys.stderr, flush=True,
        )  # fmt: skip

    def _figures(self, samples: list[int], handles: list[int]) -> list[Figure]:
        half = samples[len(samples) // 2 :]
        third = max(1, len(half) // 3)
        first = median([float(size) for size in half[:third]])
        last = median([float(size) for size in half[-third:]])
        slope = _slope(half)
        fds = [max(part) for part in (handles[: len(handles) // 2], handles[len(handles) // 2 :])]
        asked = ", ".join(f"{count:,} {method}" for method, count in self._counts.most_common())
        refused = ", ".join(f"{count} {code}" for code, count in self._refused.most_common()) or "none"
        minutes = len(half) / 60
        status = self._daemon.status()["daemon"]
        return [
            Figure("length", f"{self._seconds / 60:.0f} minutes, 4 agents, {sum(self._counts.values()):,} questions"),
            Figure("questions", asked),
            Figure("edits / publishes / hang-ups", f"{self._edits:,} / {status['publishes']:,} / {self._rude:,}"),
            Figure("answers that said to come again or failed", refused),
            Figure("answers that were wrong", "; ".join(self._wrong[:3]) or "0", "0", not self._wrong),
            Figure("memory, least / median / most", " / ".join(
                f"{value / 1e6:.0f}" for value in (min(samples), median([float(s) for s in samples]), max(samples))
            ) + " MB"),
            Figure(f"memory, first third of the last {minutes:.0f} minutes, median", f"{first / 1e6:.0f} MB"),
            Figure(f"memory, last third of the last {minutes:.0f} minutes, median", f"{last / 1e6:.0f} MB"),
            Figure("growth from one to the other", f"{(last / first - 1) * 100:+.1f} %", "≤ 5 %", last / first <= 1.05),
            Figure("slope of a straight line through them", f"{slope * 3600 / 1e6:+.1f} MB an hour"),
            Figure("memory of the process that makes a graph, most", f"{self._most_making / 1e6:.0f} MB"),
            Figure("graphs made", f"{status['graph']['made']:,}"),
            Figure("file descriptors, most in the first half / in the second", f"{fds[0]} / {fds[1]}"),
        ]  # fmt: skip


def _slope(samples: list[int]) -> float:
    """Bytes a second, least squares."""
    if len(samples) < 2:
        return 0.0
    return statistics.linear_regression(range(len(samples)), samples).slope


def _request(method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"id": 1, "method": method, "params": params}).encode()
