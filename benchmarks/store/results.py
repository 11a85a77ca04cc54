"""One measured figure, and the page that holds them. A missed bar is printed as missed, never left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BEGIN, END = "<!-- store: begin -->", "<!-- store: end -->"
TITLES = {
    "cold": "Cold index and store size",
    "nochange": "Sync without a change",
    "edit": "One edited file",
    "query": "Warm queries",
    "layered": "Many segments and tombstones",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure; with a bar, whether it was reached."""

    name: str
    value: str
    bar: str = ""
    reached: bool | None = None


def markdown(machine: Mapping[str, str], figures: Mapping[str, Sequence[Figure]]) -> str:
    lines = [
        BEGIN,
        "# Results: the store",
        "",
        "Written by `benchmarks/store/run.py`. Read the ratios: the machine is small and shared.",
        "",
        *(f"- {key}: {value}" for key, value in machine.items()),
    ]
    for name, rows in figures.items():
        lines += ["", f"## {TITLES[name]}", "", "| what | measured | bar | |", "| --- | --- | --- | --- |"]
        for row in rows:
            verdict = {True: "reached", False: "**missed**", None: ""}[row.reached]
            lines.append(f"| {row.name} | {row.value} | {row.bar} | {verdict} |")
    return "\n".join([*lines, "", END, ""])


def merged(page: str, section: str) -> str:
    """The page with the store's section replaced; what others wrote around it (held-out search figures) stays."""
    before, begin, rest = page.partition(BEGIN)
    after = rest.partition(END)[2].lstrip("\n") if begin else ""
    return before + section + after
