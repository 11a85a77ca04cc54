"""Measures the daemon on real trees and writes its section of RESULTS.md.

    python benchmarks/daemon/run.py [--only start,query,asked,load,edit,idle,storm,session] [--session-s 900]

Queries are names and first sentences of docstrings of the tree, so hardly one repeats while the clock runs; nothing
remembers finished answers. The tree of `start` to `storm` has about 40,000 chunks, that of `edit` is the store's
whole one. CPU times are of the daemon and its helpers, from /proc, and survive a noisy machine; wall times do not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.daemon.load import HELLO
from benchmarks.daemon.served import Daemon, Setting, copied
from benchmarks.daemon.session import Session
from benchmarks.measure import alternate, machine, median, percentile, timed
from benchmarks.store import corpus
from benchmarks.store.results import Figure, markdown, merged

HERE = Path(__file__).resolve().parent
CORPORA = HERE.parent / "corpora"
TITLES = {
    "start": "Command to a warm daemon",
    "query": "One client",
    "asked": "What is asked all day, nothing changed",
    "load": "Sixteen clients",
    "edit": "One edited file, 6,000-file tree",
    "idle": "Idle",
    "storm": "A hundred clients that misbehave",
    "session": "A long session",
}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def start(setting: Setting) -> list[Figure]:
    daemon = setting.daemon
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": daemon.tree, "env": daemon.env}

    def command(*argv: str) -> Callable[[], float]:
        return lambda: timed(lambda: subprocess.run(argv, check=True, **quiet))  # type: ignore[call-overload]

    python = sys.executable
    figures = alternate(
        25,
        {
            "bare": command(python, "-I", "-c", "pass"),
            "search": command(python, "-P", "-m", "everdex", "search", "QuerySet"),
            "symbols": command(python, "-P", "-m", "everdex", "symbols", "QuerySet"),
            "status": command(python, "-P", "-m", "everdex", "status", "--no-sync"),
        },
    )
    bare = median(figures["bare"])
    rows = [Figure("`python3 -I -c pass`", f"{bare * 1000:.1f} ms")]
    for name in ("search", "symbols", "status"):
        ratio = median(figures[name]) / bare
        bar = ("≤ 3", ratio <= 3) if name == "search" else ("", None)
        rows.append(Figure(f"`everdex {name}` ÷ that, medians of 25", f"{ratio:.2f}", *bar))
    return rows


def query(setting: Setting) -> list[Figure]:
    daemon = setting.daemon
    found = daemon.status()
    engine: list[float] = []
    with daemon.wire() as wire:
        for text in setting.queries[:50]:
            wire.call("search", query=text)
        before, began = daemon.cpu_s(), time.perf_counter()
        for text in setting.queries[:250]:
            engine.append(wire.call("search", query=text)["timings_ms"]["search"])
        wall, spent = time.perf_counter() - began, daemon.cpu_s() - before
    p50 = daemon.status()["daemon"]["p50_ms"]
    return [
        Figure("chunks", f"{found['counts']['chunks_indexed']:,} in {found['counts']['files_indexed']:,} files"),
        Figure("hybrid, server side (arrival to reply), p50", f"{p50:.2f} ms", "≤ 8 ms", p50 <= 8),
        Figure("of which the engine, p50 / p95", f"{median(engine):.2f} / {percentile(engine, 95):.2f} ms"),
        Figure("CPU a query, user + system", f"{spent / 250 * 1000:.2f} ms"),
        Figure("wall a query, seen by the client", f"{wall / 250 * 1000:.2f} ms"),
    ]


# command line -> the same question on the socket; of a symbol that much else leads to, and a file that exists
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "map": ("map", {}),
    "files": ("files", {}),
    "status": ("status", {}),
    "state": ("state", {}),
    "gate django/django-5.2.19/django/db/models/query.py": (
        "gate", {"paths": ["django/django-5.2.19/django/db/models/query.py"]},
    ),
    "symbols QurySt": ("symbols", {"name": "QurySt"}),
    "callers QuerySet.filter": ("callers", {"symbol": "QuerySet.filter"}),
    "impact squashmigrations.Command": ("impact", {"symbol": "squashmigrations.Command"}),
    "architecture --json": ("architecture", {}),
    "audit": ("audit", {}),
}  # fmt: skip


def asked(setting: Setting) -> list[Figure]:
    """Each question 20 times, after two that warm it up; then the commands in turn with an empty Python."""
    return [*answered(setting.daemon), *commanded(setting.daemon)]


def answered(daemon: Daemon) -> list[Figure]:
    rows = []
    with daemon.wire() as wire:
        for name, (method, params) in ASKED.items():
            frame = json.dumps({"id": 1, "method": method, "params": params, "render": "text"}).encode()
            for _ in range(2):
                wire.exchange(frame)
            count = 3 if name == "audit" else 20
            before, times = daemon.cpu_s(), []
            for _ in range(count):
                began = time.perf_counter()
                wire.exchange(frame)
                times.append((time.perf_counter() - began) * 1000)
            spent = (daemon.cpu_s() - before) / count * 1000
            # An audit counts every row again, on purpose.
            bar = ("", None) if name == "audit" else ("≤ 15 ms", median(times) <= 15)
            value = f"{median(times):.1f} ms / {spent:.1f} ms"
            rows.append(Figure(f"`{method}`: reply, median of {count} / CPU each", value, *bar))
    return rows


def commanded(daemon: Daemon) -> list[Figure]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": daemon.tree, "env": daemon.env}

    def command(*argv: str) -> Callable[[], float]:
        return lambda: timed(lambda: subprocess.run(argv, check=False, **quiet))  # type: ignore[call-overload]

    python = sys.executable
    commands = {name: command(python, "-P", "-m", "everdex", *name.split()) for name in ASKED if name != "audit"}
    figures = alternate(20, {"bare": command(python, "-I", "-c", "pass"), **commands})
    bare = median(figures.pop("bare"))
    return [
        Figure(f"`everdex {name.split()[0]}` ÷ `python3 -I -c pass`, medians of 20", f"{median(times) / bare:.2f}")
        for name, times in figures.items()
    ]


def sixteen(setting: Setting, seconds: float) -> dict[str, Any]:
    path = setting.scratch / "queries.json"
    path.write_text(json.dumps(setting.queries))
    done = subprocess.run(
        [sys.executable, HERE / "load.py", setting.daemon.socket, "16", str(seconds), path], check=True,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def with_helpers(setting: Setting) -> None:
    """Load until the daemon has its helpers, so that their start is not part of what is measured."""
    while not setting.daemon.status()["daemon"]["helpers"]:
        sixteen(setting, 3)


def load(setting: Setting) -> list[Figure]:
    daemon = setting.daemon
    with_helpers(setting)
    before = daemon.cpu_s()
    found = sixteen(setting, setting.seconds)
    spent = daemon.cpu_s() - before
    latencies = found["latencies"]
    rate, p99 = len(latencies) / setting.seconds, percentile(latencies, 99)
    cpu = spent / len(latencies)
    return [
        Figure("queries a second", f"{rate:.0f}", "≥ 200", rate >= 200),
        Figure("p50 / p99 seen by a client", f"{median(latencies):.0f} / {p99:.0f} ms", "p99 ≤ 250 ms", p99 <= 250),
        Figure("errors", str(len(found["failed"])), "0", not found["failed"]),
        Figure("CPU a query, user + system", f"{cpu * 1000:.2f} ms"),
        Figure("cores the daemon had", f"{spent / setting.seconds:.2f} of {os.cpu_count()}"),
        Figure("what that CPU would allow on two whole cores", f"{2 / cpu:.0f} queries a second"),
        Figure("memory, daemon and helpers", f"{daemon.rss_bytes() / 1e6:.0f} MB"),
    ]


def edit(setting: Setting) -> list[Figure]:
    daemon = Daemon(setting.whole, setting.scratch / "home-whole")
    path = setting.whole / "django" / "zz_probe.py"
    times: list[float] = []
    try:
        daemon.settle()
        with daemon.wire() as wire:
            for number in range(25):
                marker = f"probe_{number}_{time.time_ns()}"
                path.write_text(f"def {marker}():\n    return {number}\n")
                began = time.perf_counter()
                found = wire.call("search", query=marker, mode="literal")["results"]
                times.append((time.perf_counter() - began) * 1000)
                if [item["path"] for item in found] != ["django/zz_probe.py"]:
                    raise RuntimeError("an edit was not in the next answer")
                time.sleep(0.7)
    finally:
        path.unlink(missing_ok=True)
        daemon.stop()
    p50 = median(times[5:])
    return [
        Figure("edit → found by the next question, p50 of 20", f"{p50:.0f} ms", "≤ 250 ms", p50 <= 250),
        Figure("p95", f"{percentile(times[5:], 95):.0f} ms"),
    ]


def idle(setting: Setting) -> list[Figure]:
    time.sleep(5)
    before = setting.daemon.cpu_s()
    time.sleep(30)
    share = (setting.daemon.cpu_s() - before) / 30
    return [Figure("CPU over 30 s without a question", f"{share * 100:.2f} % of a core", "≈ 0", share < 0.01)]


def storm(setting: Setting) -> list[Figure]:
    daemon = setting.daemon
    with_helpers(setting)
    generator = random.Random(corpus.SEED)
    handles, memory, clients = daemon.handles(), daemon.rss_bytes(), daemon.status()["daemon"]["clients"]
    stop = threading.Event()
    asked, answered, wrong = [0], [0], [0]

    def behave(number: int) -> None:
        with daemon.wire() as wire:
            while not stop.is_set():
                asked[0] += 1
                found = wire.call("search", query=setting.queries[(asked[0] + number) % len(setting.queries)])
                answered[0] += 1
                wrong[0] += "results" not in found

    def misbehave(number: int) -> None:
        for turn in range(20):
            stream = socket.socket(socket.AF_UNIX)
            try:
                stream.connect(daemon.socket)
                kind = (number + turn) % 5
                hello = len(HELLO).to_bytes(4, "big") + HELLO
                question = json.dumps({"id": 1, "method": "search", "params": {"query": "QuerySet"}}).encode()
                framed = len(question).to_bytes(4, "big") + question
                if kind == 0:
                    stream.sendall(generator.randbytes(64))
                elif kind == 1:
                    stream.sendall(hello + framed)
                elif kind == 2:
                    stream.sendall(hello + framed[: len(framed) // 2])
                elif kind == 3:
                    stream.sendall(b"\xff\xff\xff\xff")
                else:
                    stream.sendall(hello + framed * 6)
                if turn % 2:
                    stream.settimeout(5)
                    stream.recv(64)
            except OSError:
                continue  # it may well hang up on such a client
            finally:
                stream.close()

    good = [threading.Thread(target=behave, args=(number,)) for number in range(4)]
    bad = [threading.Thread(target=misbehave, args=(number,)) for number in range(100)]
    for thread in (*good, *bad):
        thread.start()
    for thread in bad:
        thread.join()
    stop.set()
    for thread in good:
        thread.join()
    deadline = time.monotonic() + 30
    while daemon.handles() > handles and time.monotonic() < deadline:
        time.sleep(0.2)
    left, grown = daemon.handles() - handles, daemon.rss_bytes() - memory
    lost = asked[0] - answered[0]
    return [
        Figure("misbehaving conversations", "2,000 of 100 clients at once"),
        Figure("answers lost or wrong of 4 clients that behaved", f"{lost + wrong[0]} of {asked[0]}", "0", lost == 0),
        Figure("file descriptors more than before", str(max(0, left)), "0", left <= 0),
        Figure("connections more than before", str(daemon.status()["daemon"]["clients"] - clients), "0", None),
        Figure("memory more than before", f"{grown / 1e6:.1f} MB"),
    ]


def session(setting: Setting) -> list[Figure]:
    """Agents at work: see session.py. On django alone: it is about memory, and a graph is made for every edit."""
    tree = copied(setting.whole, "session-tree", {setting.whole / "sympy"})
    daemon = Daemon(tree, setting.scratch / "home-session")
    try:
        return Session(daemon, corpus.sample_queries(tree, 1_000), setting.session_s).run()
    finally:
        daemon.stop()
        corpus.restore(tree)


MEASUREMENTS: dict[str, Callable[[Setting], list[Figure]]] = {
    "start": start, "query": query, "asked": asked, "load": load, "edit": edit, "idle": idle, "storm": storm,
    "session": session,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default=",".join(MEASUREMENTS), help=f"any of {', '.join(MEASUREMENTS)}")
    parser.add_argument("--seconds", type=float, default=15.0, help="how long the sixteen clients ask")
    parser.add_argument("--session-s", type=float, default=900.0, help="how long the session is")
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--results", type=Path, default=HERE.parent / "RESULTS.md")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if unknown := sorted(set(chosen) - set(MEASUREMENTS)):
        parser.error(f"unknown measurement: {', '.join(unknown)}")
    facts = machine()
    whole = corpus.obtain(arguments.corpora)
    corpus.restore(whole)
    figures: dict[str, list[Figure]] = {}
    with tempfile.TemporaryDirectory(prefix="everdex-bench-") as folder:
        setting = Setting(whole, Path(folder), arguments.seconds, arguments.session_s)
        try:
            for name in chosen:
                say(f"measuring {name}")
                figures[name] = MEASUREMENTS[name](setting)
                for row in figures[name]:
                    say(f"  {row.name}: {row.value}")
                # Written after each part: a later part that fails does not lose the earlier ones.
                page = arguments.results.read_text() if arguments.results.exists() else ""
                section = markdown(facts, figures, name="daemon", titles=TITLES)
                arguments.results.write_text(merged(page, section, name="daemon"))
        finally:
            setting.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
