"""One measured figure, and the page that holds them. A missed bar is printed as missed, never left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


def markdown(
    machine: Mapping[str, str], figures: Mapping[str, Sequence[Figure]], *, name: str = "store",
    titles: Mapping[str, str] = TITLES,
) -> str:  # fmt: skip
    begin, end = _marks(name)
    lines = [
        begin,
        f"# Results: the {name}",
        "",
        f"Written by `benchmarks/{name}/run.py`. Read the ratios: the machine is small and shared.",
        "",
        *(f"- {key}: {value}" for key, value in machine.items()),
    ]
    for part, rows in figures.items():
        lines += ["", f"## {titles[part]}", "", "| what | measured | bar | |", "| --- | --- | --- | --- |"]
        for row in rows:
            verdict = {True: "reached", False: "**missed**", None: ""}[row.reached]
            lines.append(f"| {row.name} | {row.value} | {row.bar} | {verdict} |")
    return "\n".join([*lines, "", end, ""])


def merged(page: str, section: str, *, name: str = "store") -> str:
    """The page with that section replaced, or added at its end; what others wrote around it stays."""
    begin, end = _marks(name)
    before, found, rest = page.partition(begin)
    after = rest.partition(end)[2].lstrip("\n") if found else ""
    between = "\n" if found and after else ""
    return before + section + between + after


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
