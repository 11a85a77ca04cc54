"""How much an agent reads until a right place is on its screen.

    python benchmarks/search/tokens.py --corpora DIR --annotations DIR --docstrings DIR --systems everdex,semble,rg

Each system answers as an agent gets it. everdex: the text of one call of its MCP server's `search`, nothing said about
size. semble: its five best chunks (its default), each under a line that names it. rg: of the ten files with the most
different words of the question the 50 lines with most of them, each under such a line. A place counts when its text is
shown, not when it is only pointed to. A token is four characters, of headings, notes and code alike.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from benchmarks.search.corpora import Corpus, Query, development_set, docstring_set, stage
from benchmarks.search.run import MODEL
from benchmarks.search.score import ndcg
from benchmarks.search.systems import Hit, Ripgrep, Semble
from benchmarks.vectors import make_model2vec_folder

BUDGETS = (250, 500, 1_000, 2_000, 4_000)
CHARACTERS = 4  # of a token
HEADING = re.compile(r"## (.+):(\d+)-(\d+)( .*)?\n")
AFTER_CODE = ("also ", "[snapshot ")  # where an answer only points, and its last line
SEMBLE_SHOWS, RG_SHOWS = 5, 10


class Shown(NamedTuple):
    """A piece of an answer with its heading; without a path it shows no code."""

    path: str
    start_line: int
    end_line: int
    characters: int


def everdex(root: Path, scratch: Path, questions: Sequence[str]) -> list[list[Shown]]:
    async def texts() -> list[str]:
        home = {**os.environ, "EVERDEX_HOME": str(scratch / "home")}
        server = StdioServerParameters(command=sys.executable, args=["-m", "everdex", "mcp", str(root)], env=home)
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            answers = [await session.call_tool("search", {"query": each}) for each in questions]
        subprocess.run([sys.executable, "-m", "everdex", "stop", str(root)], env=home, check=False, capture_output=True)
        return ["".join(getattr(part, "text", "") for part in answer.content) for answer in answers]

    return [pieces(text) for text in asyncio.run(texts())]


def pieces(text: str) -> list[Shown]:
    """An answer's text, cut at its headings and where its code ends."""
    found = [Shown("", 0, 0, 0)]
    for line in text.splitlines(keepends=True):
        heading = HEADING.fullmatch(line)
        if heading is not None:
            found.append(Shown(heading[1], int(heading[2]), int(heading[3]), 0))
        elif line.startswith(AFTER_CODE) and found[-1].path:
            found.append(Shown("", 0, 0, 0))
        found[-1] = found[-1]._replace(characters=found[-1].characters + len(line))
    return found


def semble(root: Path, scratch: Path, questions: Sequence[str]) -> list[list[Shown]]:
    system = Semble(scratch, make_model2vec_folder(MODEL))
    system.index(root)
    return [[_read(root, hit) for hit in system.search(each, SEMBLE_SHOWS)] for each in questions]


def rg(root: Path, scratch: Path, questions: Sequence[str]) -> list[list[Shown]]:
    system = Ripgrep(scratch, MODEL)
    system.index(root)
    return [[_read(root, hit) for hit in system.search(each, RG_SHOWS)] for each in questions]


SYSTEMS: dict[str, Callable[[Path, Path, Sequence[str]], list[list[Shown]]]] = {
    "everdex": everdex, "semble": semble, "rg": rg,
}  # fmt: skip


def _read(root: Path, hit: Hit) -> Shown:
    """A hit with the lines that it stands for, read from the file, under a line that names them."""
    lines = (root / hit.path).read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    code = "".join(lines[hit.start_line - 1 : hit.end_line])
    return Shown(hit.path, hit.start_line, hit.end_line, len(f"## {hit.path}:{hit.start_line}-{hit.end_line}\n{code}"))


def read_until_right(answer: Sequence[Shown], query: Query) -> float:
    """The tokens of an answer up to the end of the first piece that shows a labelled place; infinite without one."""
    read = 0
    for piece in answer:
        read += piece.characters
        if piece.path and ndcg([piece._asdict()], query):
            return read / CHARACTERS
    return float("inf")


def measured(systems: Sequence[str], corpora: Sequence[Corpus]) -> None:
    """Prints a table; shares are means over corpora, tokens medians over all questions."""
    print("| system | answer, tokens | first right place, tokens |", *(f"right within {each:,} |" for each in BUDGETS))
    print("|---|---:|---:|" + "---:|" * len(BUDGETS))
    for name in systems:
        sizes: list[float] = []
        until: list[list[float]] = []
        for corpus in corpora:
            with tempfile.TemporaryDirectory(prefix="everdex-tokens-", ignore_cleanup_errors=True) as folder:
                root = stage(corpus, Path(folder) / "staged")
                answers = SYSTEMS[name](root, Path(folder), [query.text for query in corpus.queries])
            sizes += [sum(piece.characters for piece in answer) / CHARACTERS for answer in answers]
            until.append([read_until_right(*pair) for pair in zip(answers, corpus.queries, strict=True)])
            print(f"{name} {corpus.name}", file=sys.stderr, flush=True)
        shares = [statistics.fmean(statistics.fmean(read <= each for read in one) for one in until) for each in BUDGETS]
        first = statistics.median(read for one in until for read in one)
        right = "none" if first == float("inf") else f"{first:,.0f}"
        cells = (f"{statistics.median(sizes):,.0f}", right, *(f"{share:.3f}" for share in shares))
        print(f"| {name} |", " | ".join(cells), "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--annotations", type=Path, required=True)
    parser.add_argument("--docstrings", type=Path)
    parser.add_argument("--only", default="", help="names of corpora")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    given = parser.parse_args()
    only = frozenset(filter(None, given.only.split(",")))
    sets = [development_set(given.annotations, given.corpora, only)]
    if given.docstrings is not None:
        sets.append(docstring_set(given.docstrings, only))
    for corpora, missing in sets:
        print(*missing, sep="\n", file=sys.stderr)
        measured(given.systems.split(","), corpora)


if __name__ == "__main__":
    main()
