"""Runs every system that is available over every corpus that is present, in one run, and writes a report.

    python benchmarks/search/run.py --corpora DIR --annotations DIR --systems everdex,semble,bm25,rg --out DIR

Writes report.md, report.json and results/SET/SYSTEM.json (each query with its hits and score, for study). A
corpus or a system that is missing is skipped loudly and named in the report. README.md says how to obtain the
corpora.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.measure import machine, run_measured
from benchmarks.search import report
from benchmarks.search.corpora import Corpus, development_set, docstring_set, stage
from benchmarks.search.score import DEPTH, ndcg
from benchmarks.search.systems import SYSTEMS
from benchmarks.search.worker import NOT_INSTALLED

HERE = Path(__file__).resolve().parent
CORPORA = HERE.parent / "corpora"
MODEL = CORPORA / "wordllama-model2vec"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def evaluate(system: str, corpus: Corpus, python: str, model: Path) -> dict[str, Any] | None:
    """One system over one corpus in a fresh process; None when the system is not installed."""
    with tempfile.TemporaryDirectory(prefix="everdex-bench-") as folder:
        scratch = Path(folder)
        job, answer = scratch / "job.json", scratch / "answer.json"
        root = stage(corpus, scratch / "staged")
        (scratch / "work").mkdir()
        queries = [query.text for query in corpus.queries]
        job.write_text(
            json.dumps(
                {
                    "system": system,
                    "root": str(root),
                    "queries": queries,
                    "k": DEPTH,
                    "scratch": str(scratch / "work"),
                    "model": str(model),
                }
            )
        )
        run = run_measured([python, HERE / "worker.py", job, answer], accept=(0, NOT_INSTALLED))
        if run.returncode == NOT_INSTALLED:
            say(f"SKIPPED {system}: {run.stderr.strip()}")
            return None
        found: dict[str, Any] = json.loads(answer.read_text())
        found["peak_rss_bytes"] = run.peak_rss_bytes
        return found


def evaluate_all(
    systems: Sequence[str], corpora: Sequence[Corpus], pythons: dict[str, str], model: Path
) -> dict[str, dict[str, Any]]:
    """system → corpus → what the worker found, with a score for each query. Systems take turns."""
    found: dict[str, dict[str, Any]] = {system: {} for system in systems}
    for corpus in corpora:
        for system in list(found):
            answer = evaluate(system, corpus, pythons[system], model)
            if answer is None:
                del found[system]
                continue
            pairs = zip(answer["hits"], corpus.queries, strict=True)
            answer["scores"] = [ndcg(hits, query) for hits, query in pairs]
            found[system][corpus.name] = answer
            mean = sum(answer["scores"]) / len(answer["scores"])
            say(f"{corpus.name:12} {system:16} NDCG@10 {mean:.3f}  index {answer['index_seconds']:.2f} s")
    return found


def save_results(folder: Path, corpora: Sequence[Corpus], found: dict[str, dict[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for system, answers in found.items():
        rows = [
            {
                "repo": corpus.name,
                "language": corpus.language,
                "query": query.text,
                "category": query.category,
                "ndcg10": answers[corpus.name]["scores"][number],
                "query_ms": answers[corpus.name]["query_ms"][number],
                "labels": [[label.path, label.start_line, label.end_line] for label in query.labels],
                "results": answers[corpus.name]["hits"][number],
            }
            for corpus in corpora
            for number, query in enumerate(corpus.queries)
        ]
        (folder / f"{system}.json").write_text(json.dumps(rows, indent=1))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--systems", default="everdex,semble,bm25,rg", help=f"any of {', '.join(SYSTEMS)}")
    parser.add_argument("--corpora", type=Path, help="one folder a repository, unpacked at its pin")
    parser.add_argument("--annotations", type=Path, help="folder with repos.json and annotations/")
    parser.add_argument("--docstrings", type=Path, help="folder made by docstrings.py")
    parser.add_argument("--repos", default="", help="only these, comma-separated")
    parser.add_argument("--peer-python", default=sys.executable, help="interpreter that has semble and bm25s")
    parser.add_argument("--model", type=Path, default=MODEL, help="model2vec folder for semble")
    parser.add_argument("--out", type=Path, default=CORPORA / "search-report")
    arguments = parser.parse_args()
    systems = arguments.systems.split(",")
    if unknown := sorted(set(systems) - set(SYSTEMS)):
        parser.error(f"unknown system: {', '.join(unknown)}")
    if (arguments.corpora is None) != (arguments.annotations is None):
        parser.error("--corpora and --annotations belong together")
    only = frozenset(name for name in arguments.repos.split(",") if name)
    sets: dict[str, tuple[list[Corpus], list[str]]] = {}
    if arguments.corpora is not None:
        sets["development set"] = development_set(arguments.annotations, arguments.corpora, only)
    if arguments.docstrings is not None:
        sets["docstring → function"] = docstring_set(arguments.docstrings, only)
    if not any(corpora for corpora, _ in sets.values()):
        for _, missing in sets.values():
            say("\n".join(missing))
        parser.error("no corpus to search; see benchmarks/search/README.md")
    if any(system.startswith("semble") for system in systems):
        vectors = HERE.parent / "vectors.py"
        made = run_measured([arguments.peer_python, vectors, arguments.model], accept=(0, 1))
        if made.returncode:
            say(f"no local vectors for semble:\n{made.stderr}")

    pythons = {name: sys.executable if name.startswith("everdex") else arguments.peer_python for name in systems}
    parts = []
    for title, (corpora, missing) in sets.items():
        for sentence in missing:
            say(f"SKIPPED {sentence}")
        if not corpora:
            continue
        found = evaluate_all(systems, corpora, pythons, arguments.model)
        save_results(arguments.out / "results" / title.split()[0], corpora, found)
        skipped = [f"{name}: not installed" for name in systems if name not in found]
        parts.append(report.summarise(title, corpora, found, missing + skipped))
    arguments.out.mkdir(parents=True, exist_ok=True)
    document = {"machine": machine(), "sets": parts}
    (arguments.out / "report.json").write_text(json.dumps(document, indent=1))
    text = report.markdown(document)
    (arguments.out / "report.md").write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
