"""Measures the snapshot store on a real tree, each figure beside its peer in the same run, and writes RESULTS.md.

    python benchmarks/store/run.py [--repeats 3] [--only cold,nochange,edit,query,layered] [--results FILE]

Peers alternate with everdex and every figure is a median, so that a noisy minute falls on both. The bars are those
of the project's plan; a bar that is missed is written down as missed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

# Before numpy is imported by anything below: BLAS threads fight over two cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.everdex_adapter import Commands, Session
from benchmarks.measure import (
    Run,
    alternate,
    machine,
    median,
    percentile,
    run_measured,
    timed,
    tree_bytes,
)
from benchmarks.store import corpus
from benchmarks.store.results import Figure, markdown, merged

HERE = Path(__file__).resolve().parent
CORPORA = HERE.parent / "corpora"
MODEL = CORPORA / "wordllama-model2vec"
DEPTH = 10
BAR_CHUNKS = 40_000


@dataclass(frozen=True, slots=True)
class Setting:
    """What every measurement needs."""

    tree: Path
    scratch: Path
    repeats: int
    queries: int
    segments: int
    tombstones: int
    peer_python: str

    def fresh(self, name: str) -> Path:
        """An empty folder of that name."""
        folder = self.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def index_with_semble(setting: Setting, content: str, workers: int) -> tuple[Run, dict[str, float]]:
    work = setting.fresh("semble")
    environment = {
        "SEMBLE_MODEL_NAME": str(MODEL),
        "SEMBLE_CACHE_LOCATION": str(work / "cache"),
        "SEMBLE_INDEX_WORKERS": str(workers),
        "HF_HUB_OFFLINE": "1",
    }
    script: list[str | Path] = [setting.peer_python, HERE / "semble_index.py"]
    run = run_measured([*script, setting.tree, work / "index", content], env=environment)
    return run, json.loads(run.stdout) | {"disk_bytes": tree_bytes(work / "index")}


def cold_index(setting: Setting) -> list[Figure]:
    """(b, g) A first index by the whole command: wall time, memory, processes and bytes on disk."""
    runs: dict[str, list[Run]] = {}
    facts: dict[str, dict[str, float]] = {}

    def semble(label: str, content: str, workers: int) -> Callable[[], float]:
        def once() -> float:
            run, found = index_with_semble(setting, content, workers)
            runs.setdefault(label, []).append(run)
            facts[label] = found
            return run.seconds

        return once

    def everdex() -> float:
        commands = Commands(setting.fresh("home-cold"))
        run = commands.index(setting.tree, sample=True)
        runs.setdefault("everdex", []).append(run)
        facts["everdex"] = {"disk_bytes": commands.store_bytes()}
        return run.seconds

    times = alternate(
        setting.repeats,
        {
            "everdex": everdex,
            "semble all": semble("semble all", "all", 0),
            "semble code": semble("semble code", "code", 0),
            "semble all, 2 workers": semble("semble all, 2 workers", "all", 2),
        },
    )
    ours = median(times["everdex"])
    files, size = corpus.text_facts(setting.tree)
    figures = [Figure("tree", f"{files:,} text files, {size / 1e6:.1f} MB")]
    for label in times:
        if label != "everdex":
            chunks = f"{facts[label]['files']:,.0f} files, {facts[label]['chunks']:,.0f} chunks"
            theirs = median(times[label])
            peak = max(run.peak_rss_bytes for run in runs[label]) / 1e6
            figures.append(Figure(f"{label}: cold index", f"{theirs:.2f} s, {peak:.0f} MB ({chunks})"))
    peak = max(run.peak_rss_bytes for run in runs["everdex"]) / 1e6
    processes = max(run.peak_processes for run in runs["everdex"])
    peer = median(times["semble all"])
    ratio_code, ratio_two = (ours / median(times[name]) for name in ("semble code", "semble all, 2 workers"))
    store = facts["everdex"]["disk_bytes"]
    return [
        *figures,
        Figure("cold index, wall", f"{ours:.2f} s"),
        Figure("cold index ÷ semble (all text)", f"{ours / peer:.2f}", "≤ 2", ours / peer <= 2),
        Figure("cold index ÷ semble (code only)", f"{ratio_code:.2f}"),
        Figure("cold index ÷ semble (all text, 2 workers)", f"{ratio_two:.2f}"),
        Figure("cold index, peak RSS of the tree", f"{peak:.0f} MB", "≤ 800 MB", peak <= 800),
        Figure("cold index, most processes at once", str(processes), "≥ 3 (two workers)", processes >= 3),
        Figure("store ÷ source text", f"{store / size:.2f}", "≤ 1.5", store / size <= 1.5),
        Figure("semble's index ÷ source text", f"{facts['semble all']['disk_bytes'] / size:.2f}"),
    ]


def no_change(setting: Setting) -> list[Figure]:
    """(c) A sync that finds nothing to do, against `git status`."""
    home = setting.fresh("home-warm")
    commands = Commands(home)
    commands.index(setting.tree)
    session = Session(home, setting.tree)
    session.sync()
    status = ["git", "-C", str(setting.tree), "status", "--porcelain"]
    times = alternate(
        max(setting.repeats, 7),
        {
            "git": lambda: run_measured(status, sample=False).seconds,
            "process": lambda: timed(session.sync),
            "command": lambda: commands.index(setting.tree).seconds,
        },
    )
    git, process, command = (median(times[name]) for name in ("git", "process", "command"))
    return [
        Figure("git status", f"{git * 1000:.0f} ms"),
        Figure("no-change sync, in process", f"{process * 1000:.0f} ms"),
        Figure("no-change sync, in process ÷ git status", f"{process / git:.2f}", "≤ 1.5", process / git <= 1.5),
        Figure("no-change `everdex index`, whole command", f"{command * 1000:.0f} ms"),
        Figure("whole command ÷ git status", f"{command / git:.2f}"),
    ]


def edit(setting: Setting) -> list[Figure]:
    """(d) One file is edited; how long until a search finds the new text, without a daemon."""
    home = setting.fresh("home-warm")
    commands = Commands(home)
    commands.index(setting.tree)
    session = Session(home, setting.tree)
    session.sync()
    targets = sorted(setting.tree.rglob("*.py"), key=lambda path: path.stat().st_size)
    target = targets[len(targets) // 2]
    original = target.read_bytes()
    marks = iter(range(10_000))

    def change() -> str:
        # Letters only: a mark must be one word to every tokenizer.
        mark = "zqedit" + "".join(chr(ord("a") + int(digit)) for digit in f"{next(marks):04}")
        target.write_bytes(original + f"\n\ndef {mark}():\n    return 1\n".encode())
        return mark

    def expect(paths: list[str], mark: str) -> None:
        wanted = str(target.relative_to(setting.tree))
        if wanted not in paths[:1]:
            raise AssertionError(f"{mark} written to {wanted} but found in {paths}")

    def as_command() -> float:
        mark = change()
        run, hits = commands.search(setting.tree, mark)
        expect([hit.path for hit in hits], mark)
        return run.seconds

    def in_process() -> float:
        mark = change()

        def act() -> None:
            session.sync()
            expect([hit.path for hit in session.search(mark, DEPTH)], mark)

        return timed(act)

    try:
        times = alternate(max(setting.repeats, 7), {"command": as_command, "process": in_process})
    finally:
        corpus.restore(setting.tree)
    command, process = (median(times[name]) * 1000 for name in ("command", "process"))
    return [
        Figure("edit → found, whole `everdex search`", f"{command:.0f} ms", "≤ 400 ms", command <= 400),
        Figure("edit → found, in process", f"{process:.0f} ms"),
    ]


def query_times(session: Session, queries: list[str]) -> list[float]:
    for query in queries:
        session.search(query, DEPTH)
    return [timed(partial(session.search, query, DEPTH)) * 1000 for query in queries]


def subset_of(setting: Setting, counts: dict[str, int], chunks: int) -> Path:
    """A tree of the same files, in path order, that make up exactly so many chunks."""
    folder = setting.fresh("subset")
    for path, count in sorted(counts.items()):
        if count <= chunks:
            chunks -= count
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(setting.tree / path, folder / path)
    return folder


def warm_query(setting: Setting) -> list[Figure]:
    """(e) Hybrid queries in one warm process, at the number of chunks that the bars are about."""
    home = setting.fresh("home-warm")
    whole = Session(home, setting.tree)
    whole.sync()
    session = Session(home, subset_of(setting, whole.chunks_by_file(), BAR_CHUNKS))
    shape = session.sync()
    queries = corpus.sample_queries(setting.tree, 2 * setting.queries)
    others, asked = queries[: setting.queries], queries[setting.queries :]
    for query in others:
        session.search(query, DEPTH)
    first = [timed(partial(session.search, query, DEPTH)) * 1000 for query in asked]
    times = query_times(session, asked)
    middle, high = percentile(times, 50), percentile(times, 95)
    return [
        Figure("chunks", f"{shape.chunks:,} in {shape.files:,} files"),
        Figure("warm hybrid query, p50", f"{middle:.2f} ms", "≤ 5 ms", middle <= 5),
        Figure("warm hybrid query, p95", f"{high:.2f} ms", "≤ 15 ms", high <= 15),
        Figure("the same, asked for the first time, p50", f"{percentile(first, 50):.2f} ms"),
        Figure("the same, asked for the first time, p95", f"{percentile(first, 95):.2f} ms"),
    ]


def layered(setting: Setting) -> list[Figure]:
    """(f) Many segments and tombstones against one segment of the very same live content."""
    home = setting.fresh("home-layered")
    folder = setting.fresh("layers")
    trees = {}
    for name in ("many", "one"):
        trees[name] = folder / name
        shutil.copytree(setting.tree, trees[name], symlinks=True)
    steps = setting.segments - 1
    doomed = []
    for number in range(setting.tombstones):
        path = trees["many"] / "doomed" / str(number % 100) / f"d{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"doomed_{number} = {number}\n")
        doomed.append(path)
    many = Session(home, trees["many"])
    shape = many.sync(auto_compact=False)
    editable = sorted(path.relative_to(setting.tree) for path in setting.tree.rglob("*.py"))[:: max(1, steps)]
    for step in range(steps):
        relative = editable[step % len(editable)]
        for tree in trees.values():
            with (tree / relative).open("a") as file:
                file.write(f"\n# layer {step}\n")
        for path in doomed[step::steps]:
            path.unlink()
        shape = many.sync(auto_compact=False)
        say(f"layered: segment {step + 2} of {setting.segments}")
    one = Session(home, trees["one"])
    one.sync()
    queries = corpus.sample_queries(setting.tree, setting.queries)
    for query in queries:
        if many.search(query, DEPTH) != one.search(query, DEPTH):
            raise AssertionError(f"{query!r} is answered differently by {setting.segments} segments and by one")
    rounds: dict[str, list[float]] = {"many": [], "one": []}
    for _ in range(setting.repeats):
        rounds["many"].append(percentile(query_times(many, queries), 50))
        rounds["one"].append(percentile(query_times(one, queries), 50))
    slow, fast = median(rounds["many"]), median(rounds["one"])
    return [
        Figure("layers", f"{shape.segments} segments, {shape.tombstones:,} tombstones"),
        Figure("query p50 with layers", f"{slow:.2f} ms"),
        Figure("query p50, one segment", f"{fast:.2f} ms"),
        Figure("with layers ÷ one segment", f"{slow / fast:.2f}", "≤ 1.5", slow / fast <= 1.5),
    ]


MEASUREMENTS: dict[str, Callable[[Setting], list[Figure]]] = {
    "cold": cold_index,
    "nochange": no_change,
    "edit": edit,
    "query": warm_query,
    "layered": layered,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--segments", type=int, default=64)
    parser.add_argument("--tombstones", type=int, default=100_000)
    parser.add_argument("--only", default=",".join(MEASUREMENTS), help=f"any of {', '.join(MEASUREMENTS)}")
    parser.add_argument("--peer-python", default=sys.executable, help="interpreter that has semble")
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--results", type=Path, default=HERE.parent / "RESULTS.md")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if unknown := sorted(set(chosen) - set(MEASUREMENTS)):
        parser.error(f"unknown measurement: {', '.join(unknown)}")
    facts = machine()
    tree = corpus.obtain(arguments.corpora)
    corpus.restore(tree)
    run_measured([arguments.peer_python, HERE.parent / "vectors.py", MODEL])
    figures: dict[str, list[Figure]] = {}
    with tempfile.TemporaryDirectory(prefix="everdex-bench-") as folder:
        setting = Setting(
            tree=tree,
            scratch=Path(folder),
            repeats=arguments.repeats,
            queries=arguments.queries,
            segments=arguments.segments,
            tombstones=arguments.tombstones,
            peer_python=arguments.peer_python,
        )
        for name in chosen:
            say(f"measuring {name}")
            figures[name] = MEASUREMENTS[name](setting)
            # Written after each part: a later part that fails does not lose the earlier ones.
            page = arguments.results.read_text() if arguments.results.exists() else ""
            arguments.results.write_text(merged(page, markdown(facts, figures)))
    print(arguments.results.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
