"""From nothing to the packed model, step by step: `make embedder`, or `python -m training.run --work DIR`.

Each step leaves its result below the work directory and is skipped when it is there; delete a result to make it anew.
The benchmarks' code (`--benchmark`, any number of directories) is kept out of the pairs; without it only names are.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from training import average, evaluate, fetch, hygiene, mine, pack, prepare, train
from training.model import Parameters, load_parameters

MODEL_NAME = "everdex-code-4"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--work", type=Path, required=True, help="where everything that is fetched and made lies")
    parser.add_argument("--packages", type=Path, default=fetch.PACKAGES, help="the pinned list")
    parser.add_argument("--benchmark", type=Path, action="append", default=[], help="code to keep out, repeatable")
    parser.add_argument("--runs", type=int, default=1, help="how many runs are averaged")
    parser.add_argument("--first-run", type=int, default=11, help="its number seeds the order; 11 made what is shipped")
    parser.add_argument("--epochs", type=int, default=train.Settings().epochs)
    parser.add_argument("--batch", type=int, default=train.Settings().batch)
    parser.add_argument("--vocabulary", type=int, default=32_000)
    parser.add_argument("--pieces", type=int, default=6_000, help="of the vocabulary, how many are trained pieces")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--offline", action="store_true", help="use what is downloaded already")
    arguments = parser.parse_args()
    work: Path = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    pins = fetch.read_pins(arguments.packages)
    if not arguments.offline:
        with timed("fetch"):
            fetch.fetch(pins, work / "downloads")

    if not (work / "mined").exists():
        if not arguments.benchmark:
            print("no --benchmark directory: benchmark code is kept out by name only", file=sys.stderr)
        with timed("check the downloads and read the benchmarks"):
            archives = fetch.pinned_archives(work / "downloads", pins)
            benchmarks = hygiene.read_benchmarks(arguments.benchmark)
        say(f"{len(archives):,} packages; {benchmarks.count:,} runs of benchmark code are kept out")
        with timed("mine"):
            mine.mine(archives, benchmarks, work / "pairs", arguments.workers)
        (work / "mined").write_text(f"{len(archives)} packages, {benchmarks.count} benchmark runs\n")
    if not (work / "prepared" / "vocabulary.json").exists():
        with timed("prepare"):
            count = prepare.prepare(work / "pairs", work / "prepared", arguments.vocabulary, arguments.pieces)
        say(f"prepared {count:,} pairs")
    prepared = prepare.load(work / "prepared")
    settings = train.Settings(epochs=arguments.epochs, batch=arguments.batch)
    runs: list[Parameters] = []
    for number in range(arguments.first_run, arguments.first_run + arguments.runs):
        file = work / f"run-{number}.npz"
        with timed(f"train {file.stem}"):
            runs.append(load_parameters(file) if file.exists() else train.train(prepared, settings, number, file))
    averaged = average.average(runs)
    for language, figure in evaluate.evaluate(prepared, averaged).items():
        say(
            f"{language:12} {figure.pairs:6,} held-out pairs, MRR {figure.mrr:.3f} "
            f"[{figure.low:.3f}, {figure.high:.3f}]"
        )
    made_from = {
        "model": MODEL_NAME,
        "pairs": str(int((~prepared.held_out).sum())),
        "packages": str(len(pins)),
        "runs": str(arguments.runs),
        "first_run": str(arguments.first_run),
        **{key: str(value) for key, value in asdict(settings).items()},
    }
    output = work / f"{MODEL_NAME}.safetensors"
    digest = pack.pack(averaged, prepared.vocabulary, made_from, output)
    say(f"{output}: {output.stat().st_size:,} bytes, SHA-256 {digest}")
    return 0


@contextmanager
def timed(step: str) -> Iterator[None]:
    """Say what a step took: seconds passed, and seconds of CPU with those of its processes."""
    began, used = time.monotonic(), os.times()
    yield
    now = os.times()
    busy = sum(now[:4]) - sum(used[:4])
    say(f"{step}: {time.monotonic() - began:,.0f} s, {busy:,.0f} s of CPU")


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
