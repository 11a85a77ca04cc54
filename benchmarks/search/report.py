"""Turns what the workers found into figures and a Markdown page. Pure: no clock, no files, no processes."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.measure import paired_bootstrap, percentile
from benchmarks.search.corpora import Corpus
from benchmarks.search.score import by_category, by_language, mean_over_repositories

REFERENCE = "everdex"


def summarise(
    title: str, corpora: Sequence[Corpus], found: dict[str, dict[str, Any]], missing: Sequence[str]
) -> dict[str, Any]:
    """The figures of one set. Differences are paired with everdex where it ran."""
    systems = {}
    for name, answers in found.items():
        scores = {corpus.name: answers[corpus.name]["scores"] for corpus in corpora}
        times = [value for corpus in corpora for value in answers[corpus.name]["query_ms"]]
        rows = [answers[corpus.name] for corpus in corpora]
        figures: dict[str, Any] = {
            "ndcg10": mean_over_repositories(scores),
            "by_category": by_category(corpora, scores),
            "by_language": by_language(corpora, scores),
            "by_repository": {corpus.name: statistics.fmean(scores[corpus.name]) for corpus in corpora},
            "index_seconds": sum(row["index_seconds"] for row in rows),
            "query_p50_ms": percentile(times, 50),
            "query_p95_ms": percentile(times, 95),
            "peak_rss_bytes": max(row["peak_rss_bytes"] for row in rows),
            "disk_bytes": sum(row["disk_bytes"] for row in rows),
            "files": sum(row["files"] for row in rows),
            "chunks": sum(row["chunks"] for row in rows),
        }
        if REFERENCE in found and name != REFERENCE:
            reference = found[REFERENCE]
            groups = [
                [
                    ours - theirs
                    for ours, theirs in zip(reference[corpus.name]["scores"], scores[corpus.name], strict=True)
                ]
                for corpus in corpora
            ]
            figures["everdex_minus_this"] = statistics.fmean(statistics.fmean(group) for group in groups)
            figures["everdex_minus_this_95"] = paired_bootstrap(groups)
        systems[name] = figures
    return {
        "title": title,
        "repositories": len(corpora),
        "queries": sum(len(corpus.queries) for corpus in corpora),
        "missing": list(missing),
        "systems": systems,
    }


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(row) + " |" for row in (header, *rows)]
    return [lines[0], "|" + " --- |" * len(header), *lines[1:]]


def breakdown(systems: dict[str, Any], key: str) -> list[str]:
    groups = next(iter(systems.values()))[key]
    return table(
        [key.removeprefix("by_"), *systems],
        [[group, *(f"{figures[key][group]:.3f}" for figures in systems.values())] for group in groups],
    )


def markdown(document: dict[str, Any]) -> str:
    lines = ["# Search benchmark", ""]
    lines += [f"- {key}: {value}" for key, value in document["machine"].items()]
    for part in document["sets"]:
        systems = part["systems"]
        size = f"{part['repositories']} repositories, {part['queries']} queries"
        lines += ["", f"## {part['title']}: {size}", ""]
        lines += [f"- **Skipped** {sentence}" for sentence in part["missing"]] + [""] * bool(part["missing"])
        rows = []
        for name, figures in systems.items():
            gain = "—"
            if "everdex_minus_this" in figures:
                low, high = figures["everdex_minus_this_95"]
                gain = f"{figures['everdex_minus_this']:+.3f} [{low:+.3f}, {high:+.3f}]"
            rows.append(
                [
                    name,
                    f"{figures['ndcg10']:.4f}",
                    gain,
                    f"{figures['index_seconds']:.1f}",
                    f"{figures['query_p50_ms']:.2f}",
                    f"{figures['query_p95_ms']:.2f}",
                    f"{figures['peak_rss_bytes'] / 1e6:.0f}",
                    f"{figures['disk_bytes'] / 1e6:.1f}",
                    str(figures["chunks"]),
                ]
            )
        header = ["system", "NDCG@10", "everdex − this [95 %]", "index s (sum)", "query p50 ms", "p95 ms"]
        lines += table([*header, "peak RSS MB", "disk MB (sum)", "chunks"], rows)
        for key in ("by_category", "by_language", "by_repository"):
            lines += ["", *breakdown(systems, key)]
    lines += [
        "",
        "NDCG@10 is the mean over repositories, categories the mean over queries. Intervals are a paired",
        "bootstrap over repositories and queries within them (fixed seed). Index time excludes imports;",
        "RSS is the process tree's peak.",
        "",
    ]
    return "\n".join(lines)
