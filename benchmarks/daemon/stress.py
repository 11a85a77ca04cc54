"""Everything at once in one tree, for some minutes, and then the question whether the index is still right.

    python benchmarks/daemon/stress.py SOURCE... [--seconds 180] [--seed 1] [--work DIR] [--keep]

The files of the SOURCEs become a repository with three branches and a second worktree. In it work at once: a daemon a
tree, started again whenever it dies; an editor a tree, who also renames, deletes and restores; somebody who checks out
branches; who index, rebuild, compact and collect; who search and ask about the graph; and a killer, who ends a random
everdex process (daemons, workers and graph makers too) with SIGKILL. Some commands may not write a file of more than a
few kilobytes, as on a full disk. Retention is cut from ten minutes to five seconds, so that there is something to
collect.

Every command must end with a documented exit code and without a traceback, every answer must name its snapshot, and one
snapshot has one digest. At the end the graph and the answers must equal, to the byte, those of an index made from
nothing; audit and health must be clean; and nothing may be left behind: no process, no temporary file, no store that
has grown. Exit code 1 when something was wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

_CODES: Final = frozenset((0, 1, 2, 10, 11, 12, 15, 70))  # what may happen here; 13 and 14 may not
_ERRORS: Final = frozenset((
    "busy", "daemon_stopping", "daemon_gone", "worker_gone", "lease_lost", "publish_conflict", "timeout",
    "degraded_refused", "snapshot_unknown", "not_indexed", "usage",
))  # fmt: skip
_QUERIES: Final = (
    "where is the session cookie signed", "QuerySet.filter", "migration autodetector", "render_to_string",
)  # fmt: skip
_SYMBOLS: Final = (
    "get_model", "QuerySet.filter", "force_str", "django/urls/base.py::reverse", "no_such_name", "slugify",
)  # fmt: skip
_LEFT_OUT: Final = (".mo", ".po", ".pyc")
_RETENTION: Final = "import everdex.limits\neverdex.limits.RETAIN_SNAPSHOTS_MIN_AGE_S = 5\n"
_SCRIPT: Final = "#!/usr/bin/env python3\nforce_str(1)\n"
_PATIENCE_S: Final = 900
_SMALL_FILES: Final = ("sh", "-c", 'ulimit -f 48; exec "$@"', "sh")  # blocks of 512 bytes


class Stress:
    """One run: its places, what was seen, what was wrong."""

    def __init__(self, sources: Sequence[Path], work: Path, seconds: float, seed: int) -> None:
        self.tree, self.linked, self.home = work / "tree", work / "linked", work / "home"
        self._work, self._seconds, self._seed = work, seconds, seed
        self._end = 0.0
        self._lock = threading.Lock()
        self._killed: set[int] = set()
        self.codes: Counter[str] = Counter()
        self.kills: Counter[str] = Counter()
        self.collected: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._digests: dict[str, str] = {}
        for name in ("temporary", "patches"):
            (work / name).mkdir(parents=True)
        (work / "patches" / "sitecustomize.py").write_text(_RETENTION)
        self._make_trees(sources)

    # The world in which all this happens.

    def _make_trees(self, sources: Sequence[Path]) -> None:
        for source in sources:
            ignored = shutil.ignore_patterns(*(f"*{end}" for end in _LEFT_OUT), "__pycache__", ".git")
            shutil.copytree(source, self.tree / source.name, ignore=ignored, symlinks=True)
        self._git(self.tree, "init", "-q", "-b", "main")
        chance = random.Random(self._seed)
        for branch in ("main", "side", "other"):
            if branch != "main":
                self._git(self.tree, "checkout", "-q", "-b", branch, "main")
                for path in chance.sample(self._sources(self.tree), 120):
                    self._edit(path, chance)
                for path in chance.sample(self._sources(self.tree), 25):
                    path.rename(path.with_name(f"moved_{path.name}"))
            self._git(self.tree, "add", "-A")
            self._git(self.tree, "commit", "-q", "-m", branch)
        self._git(self.tree, "checkout", "-q", "main")
        self._git(self.tree, "worktree", "add", "-q", "-b", "linked", str(self.linked), "side")

    def _git(self, tree: Path, *arguments: str) -> bool:
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "gc.auto=0")
        done = subprocess.run(
            ["git", "-C", str(tree), *identity, *arguments], capture_output=True, check=False,
            env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        )  # fmt: skip
        return done.returncode == 0

    @staticmethod
    def _sources(tree: Path) -> list[Path]:
        return sorted(path for path in tree.rglob("*.py") if path.is_file())

    @staticmethod
    def _edit(path: Path, chance: random.Random) -> None:
        name = f"made_{chance.randint(0, 99)}"
        kinds = (
            f"\n\ndef {name}(value):\n    return force_str(value) or {chance.randint(0, 9)}\n",
            f"\n\nclass Made{chance.randint(0, 99)}:\n    def run(self):\n        return {name}(self)\n",
            f"# {chance.random()}\n",
        )
        with open(path, "a") as stream:
            stream.write(chance.choice(kinds))

    def _environment(self, home: Path) -> dict[str, str]:
        paths = [str(self._work / "patches"), os.environ.get("PYTHONPATH", "")]
        return {
            **os.environ, "EVERDEX_HOME": str(home), "TMPDIR": str(self._work / "temporary"),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }  # fmt: skip

    # Running commands, and looking at what they did.

    def everdex(
        self, *arguments: str, tree: Path, home: Path | None = None, full_disk: bool = False, expect: int | None = None
    ) -> bytes:
        """One command; what it printed. Everything about it that is not as promised is noted."""
        command = [*(_SMALL_FILES if full_disk else ()), sys.executable, "-m", "everdex", *arguments]
        process = subprocess.Popen(
            command, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self._environment(home or self.home),
        )  # fmt: skip
        what = f"{' '.join(arguments)} in {tree.name}{' on a full disk' if full_disk else ''}"
        try:
            out, said = process.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self._note(f"{what}: no answer in {_PATIENCE_S} s")
            return b""
        code, errors = process.returncode, said.decode("utf-8", "replace")
        with self._lock:
            killed = process.pid in self._killed
            self.codes[f"{arguments[0]}: {'killed' if killed and code == -signal.SIGKILL else code}"] += 1
        if killed and code == -signal.SIGKILL:
            return b""
        if "Traceback" in errors or (expect is not None and code != expect) or code not in _CODES:
            self._note(f"{what}: exit {code}: {errors[-2000:]} {out[-500:].decode('utf-8', 'replace')}")
        elif "--json" in arguments:
            self._check_document(what, out, code, full_disk)
        return out

    def _check_document(self, what: str, out: bytes, code: int, full_disk: bool) -> None:
        try:
            document = json.loads(out)
        except ValueError:
            self._note(f"{what}: exit {code}, but no document: {out[-300:]!r}")
            return
        error = document.get("error")
        if isinstance(error, dict):
            fine = error["code"] in _ERRORS or (full_disk and error["code"] == "io_error")
            if not fine:
                self._note(f"{what}: {error}")
            with self._lock:
                self.codes[f"  {error['code']}{' (full disk)' if full_disk else ''}"] += 1
            return
        if what.startswith("gc"):
            with self._lock:
                self.collected += Counter({kind: len(document[kind]) for kind in ("snapshots", "segments", "graphs")})
        snapshot, digest = document.get("snapshot_id"), document.get("digest")
        if "digest" in document and not what.startswith("files") and not (snapshot and digest):
            self._note(f"{what}: names no snapshot")
        elif isinstance(snapshot, str) and isinstance(digest, str):
            with self._lock:
                known = self._digests.setdefault(snapshot, digest)
            if known != digest:
                self._note(f"{what}: snapshot {snapshot} has two digests")

    def _note(self, text: str) -> None:
        with self._lock:
            self.wrong.append(text)
        print("WRONG", text, file=sys.stderr, flush=True)

    # Who is at work.

    def run(self) -> None:
        for tree in (self.tree, self.linked):
            self.everdex("index", "--json", tree=tree, expect=0)
        self._end = time.monotonic() + self._seconds
        jobs: list[Callable[[random.Random], None]] = [
            self._daemon(self.tree), self._daemon(self.linked), self._editor(self.tree), self._editor(self.linked),
            self._checkouts, self._writer, self._searcher, self._grapher, self._grapher, self._keeper, self._killer,
        ]  # fmt: skip
        chances = [random.Random(f"{self._seed} {number}") for number in range(len(jobs))]
        threads = [threading.Thread(target=job, args=(chance,)) for job, chance in zip(jobs, chances, strict=True)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _until_end(self, chance: random.Random, pause: float) -> bool:
        left = self._end - time.monotonic()
        if left > 0:
            time.sleep(min(left, chance.random() * 2 * pause))
        return time.monotonic() < self._end

    def _daemon(self, tree: Path) -> Callable[[random.Random], None]:
        def job(chance: random.Random) -> None:
            while self._until_end(chance, 0.2):
                process = subprocess.Popen(
                    [sys.executable, "-m", "everdex", "serve", "--json"], cwd=tree, stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self._environment(self.home),
                )  # fmt: skip
                while process.poll() is None and time.monotonic() < self._end:
                    time.sleep(0.1)
                while process.poll() is None:  # one that has only just begun cannot be asked yet
                    self.everdex("stop", tree=tree)
                    time.sleep(1)
                errors = process.communicate()[1].decode("utf-8", "replace")
                killed = process.pid in self._killed and process.returncode == -signal.SIGKILL
                self.codes[f"serve: {'killed' if killed else process.returncode}"] += 1
                if "Traceback" in errors or not (killed or process.returncode in _CODES):
                    self._note(f"serve in {tree.name}: exit {process.returncode}: {errors[-2000:]}")

        return job

    def _editor(self, tree: Path) -> Callable[[random.Random], None]:
        def job(chance: random.Random) -> None:
            while self._until_end(chance, 0.4):
                try:
                    path = chance.choice(self._sources(tree))
                    deed = chance.random()
                    if deed < 0.6:
                        self._edit(path, chance)
                    elif deed < 0.75:
                        path.rename(path.with_name(f"r{chance.randint(0, 999)}_{path.name[-60:]}"))
                    elif deed < 0.85:
                        path.unlink()
                    elif deed < 0.9:
                        path.with_name(f"script{chance.randint(0, 9)}").write_text(_SCRIPT)
                    else:
                        self._git(tree, "checkout", "-q", "--", ".")
                except FileNotFoundError:
                    continue  # a checkout was quicker

        return job

    def _checkouts(self, chance: random.Random) -> None:
        while self._until_end(chance, 4):
            self._git(self.tree, "checkout", "-q", "-f", chance.choice(("main", "other")))
            if chance.random() < 0.3:
                self._git(self.linked, "checkout", "-q", "-f", chance.choice(("linked", "side")))

    def _either(self, chance: random.Random) -> Path:
        return self.tree if chance.random() < 0.7 else self.linked

    def _writer(self, chance: random.Random) -> None:
        while self._until_end(chance, 0.5):
            command = chance.choice((["index"], ["index"], ["index"], ["index", "--rebuild"], ["compact", "--force"]))
            self.everdex(*command, "--json", tree=self._either(chance), full_disk=chance.random() < 0.25)

    def _searcher(self, chance: random.Random) -> None:
        while self._until_end(chance, 0.2):
            modes = (["--mode", "regex"], ["--mode", "literal"], [], [], ["--offline"], ["--no-sync"])
            query = [chance.choice(_QUERIES), *chance.choice(modes), "--json"]
            self.everdex("search", *query, tree=self._either(chance), full_disk=chance.random() < 0.1)

    def _grapher(self, chance: random.Random) -> None:
        while self._until_end(chance, 0.3):
            command = chance.choice(("callers", "callees", "refs", "impact", "map", "symbols"))
            asked = [] if command == "map" else [chance.choice(_SYMBOLS)]
            more = chance.choice(([], [], ["--offline"], ["--no-sync"])) if command != "symbols" else []
            small = chance.random() < 0.15
            self.everdex(command, *asked, *more, "--json", tree=self._either(chance), full_disk=small)

    def _keeper(self, chance: random.Random) -> None:
        while self._until_end(chance, 1):
            command = chance.choice((["gc", "--apply"], ["gc", "--apply"], ["status"], ["files"], ["state"]))
            self.everdex(*command, "--json", tree=self._either(chance))

    def _killer(self, chance: random.Random) -> None:
        while self._until_end(chance, 5):
            running = self.processes()
            if running:
                pid, name = chance.choice(running)
                try:
                    with self._lock:
                        self._killed.add(pid)
                    os.kill(pid, signal.SIGKILL)
                    self.kills[name] += 1
                except ProcessLookupError:
                    continue

    def processes(self) -> list[tuple[int, str]]:
        """everdex processes of this run, with what they are."""
        mark, found = f"EVERDEX_HOME={self.home}\0".encode(), []
        for place in Path("/proc").iterdir():
            if place.name.isdigit() and int(place.name) != os.getpid():
                try:
                    command = (place / "cmdline").read_bytes().split(b"\0")
                    ours = mark in (place / "environ").read_bytes() + b"\0"
                except OSError:
                    continue
                at = next((n for n, word in enumerate(command) if word.startswith(b"everdex")), None)
                if ours and at is not None:
                    module, rest = command[at].decode(), command[at + 1].decode() if at + 1 < len(command) else ""
                    found.append((int(place.name), rest if module == "everdex" else module))
        return found

    # What is left when all have gone home.

    def finish(self) -> dict[str, Any]:
        until = time.monotonic() + 30
        while self.processes() and time.monotonic() < until:
            time.sleep(0.2)
        if left := self.processes():
            self._note(f"processes are left: {left}")
        clean = self._work / "clean"
        sizes: dict[str, Any] = {}
        for tree in (self.tree, self.linked):
            self.everdex("index", "--json", tree=tree, expect=0)
            self.everdex("index", "--json", tree=tree, home=clean, expect=0)
            for command in (["graph", "export", "--format", "ctags"], ["graph", "export", "--format", "scip"]):
                here, there = (self.everdex(*command, tree=tree, home=home, expect=0) for home in (self.home, clean))
                if here != there or not here:
                    self._note(f"{' '.join(command)} in {tree.name} is not what a rebuild says")
                sizes[f"{tree.name} {command[-1]}"] = hashlib.sha256(here).hexdigest()[:12]
            for asked in (["search", *query] for query in ([each] for each in _QUERIES)):
                self._compare([*asked, "--json"], tree, clean, "results")
            for symbol in _SYMBOLS:
                self._compare(["callers", symbol, "--json"], tree, clean, "callers")
            self._compare(["map", "--json"], tree, clean, "sections")
            self.everdex("gc", "--apply", "--json", tree=tree, expect=0)
            for check in ("audit", "health"):
                self.everdex(check, "--json", tree=tree, expect=0)
        sizes |= self._leftovers(clean)
        return sizes

    def _compare(self, command: list[str], tree: Path, clean: Path, part: str) -> None:
        answers = [json.loads(self.everdex(*command, tree=tree, home=home) or b"{}") for home in (self.home, clean)]
        mine, other = ({key: answer.get(key) for key in (part, "digest", "counts")} for answer in answers)
        if mine != other:
            self._note(f"{' '.join(command)} in {tree.name} is not what a rebuild says")

    def _leftovers(self, clean: Path) -> dict[str, Any]:
        time.sleep(6)  # until retention lets go of everything but the newest five
        for tree in (self.tree, self.linked):
            self.everdex("gc", "--apply", "--json", tree=tree, expect=0)
        temporary = [path for path in (self._work / "temporary").rglob("*") if path.is_file()]
        temporary += self.home.rglob("*.tmp")
        temporary += [*self.home.glob("data/*/staging/*"), *self.home.glob("data/*/scratch/*")]
        if temporary:
            self._note(f"left behind: {[str(path) for path in temporary[:10]]}")
        found: dict[str, Any] = {}
        for store in sorted((self.home / "data").iterdir()):
            twin = clean / "data" / store.name
            locks, graphs = len(list((store / "locks").iterdir())), len(list((store / "graph").glob("*.graph")))
            sizes = _bytes(store), _bytes(twin)
            found[store.name] = {
                "bytes": sizes[0], "clean": sizes[1], "segments": len(list((store / "segments").iterdir())),
                "snapshots": len(list((store / "snapshots").iterdir())), "locks": locks, "graphs": graphs,
            }  # fmt: skip
            if sizes[0] > 4 * sizes[1] or locks > 20 or found[store.name]["snapshots"] > 60:
                self._note(f"{store.name} has grown: {found[store.name]}")
        return found


def _bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--keep", action="store_true", help="leave the trees and stores where they are")
    given = parser.parse_args()
    work = given.work or Path(tempfile.mkdtemp(prefix="everdex-stress-"))
    stress = Stress(given.sources, work, given.seconds, given.seed)
    stress.run()
    sizes = stress.finish()
    for name, count in sorted(stress.codes.items()):
        print(f"{name:40} {count}")
    print("killed:", dict(stress.kills.most_common()))
    print("collected:", dict(stress.collected))
    print("left:", json.dumps(sizes, indent=1))
    print(f"{len(stress.wrong)} wrong")
    if not given.keep:
        shutil.rmtree(work)
    return 1 if stress.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
