"""Makes a docstring → function set out of pinned packages, so that anyone can repeat the measurement.

The query is the first sentence of a function's docstring; the one right place is the function. Every function's
docstring is taken out of the code that is indexed, not only the asked ones: overriding methods repeat each other's.
Use: python benchmarks/search/docstrings.py [--out DIR] [--queries N]
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.packages import unpack_wheel

SEED = 20_261_115
CORPORA = Path(__file__).resolve().parents[1] / "corpora"
# Pure-Python wheels under permissive licences (BSD, MIT, Apache-2.0), none of them in the development set.
PACKAGES = (
    "celery==5.7.0",
    "dask==2026.8.0",
    "networkx==3.6",
    "nltk==3.10.4",
    "rich==15.0.0",
    "scrapy==2.19.0",
    "textual==8.2.8",
    "werkzeug==3.1.9",
)
TEST_FOLDERS = {"test", "tests", "testing"}
MIN_WORDS, MAX_WORDS = 4, 30
MIN_STATEMENTS = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Candidate:
    query: str
    path: str
    qualified_name: str
    start_line: int
    end_line: int


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Every function with its qualified name, in source order."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield f"{prefix}{node.name}", node
        name = f"{prefix}{node.name}." if isinstance(node, Function | ast.ClassDef) else prefix
        yield from functions(node, name)


def docstring_node(function: Function) -> ast.Expr | None:
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first
    return None


def without_docstrings(source: bytes) -> bytes:
    """The same module with every function's docstring gone; a body that was only a docstring becomes `...`."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    cuts = []
    for _, function in functions(ast.parse(source)):
        node = docstring_node(function)
        if node is None or node.end_lineno is None or node.end_col_offset is None:
            continue
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[node.end_lineno - 1] + node.end_col_offset
        if len(function.body) == 1:
            cuts.append((first, last, b"..."))
            continue
        before, after = source[starts[node.lineno - 1] : first], source[last : starts[node.end_lineno]]
        if not before.strip() and not after.strip():
            first, last = starts[node.lineno - 1], starts[node.end_lineno]
            cuts.append((first, last, b""))
        else:
            # `def f(): "doc"; return 1` or a trailing comment: keep the line, leave a harmless expression.
            cuts.append((first, last, b"..."))
    for first, last, replacement in sorted(cuts, reverse=True):
        source = source[:first] + replacement + source[last:]
    return source


def first_sentence(docstring: str) -> str:
    paragraph = " ".join(docstring.strip().split("\n\n", 1)[0].split())
    sentence = re.split(r"(?<=[.!?])\s", paragraph, maxsplit=1)[0]
    return re.sub(r":[a-z]+:|[`*]", "", sentence).rstrip(".").strip()


def candidates(original: bytes, stripped: bytes, path: str) -> Iterator[Candidate]:
    """Functions worth asking for, with their lines in the stripped module."""
    pairs = zip(functions(ast.parse(original)), functions(ast.parse(stripped)), strict=True)
    for (name, before), (_, after) in pairs:
        text = ast.get_docstring(before)
        if not text or after.end_lineno is None:
            continue
        query = first_sentence(text)
        statements = sum(isinstance(node, ast.stmt) for node in ast.walk(after)) - 1
        # The name itself in the query would make it a symbol look-up.
        named = re.search(rf"\b{re.escape(before.name)}\b", query) is not None
        if MIN_WORDS <= len(query.split()) <= MAX_WORDS and statements >= MIN_STATEMENTS and not named:
            first = min([after.lineno, *(decorator.lineno for decorator in after.decorator_list)])
            yield Candidate(query, path, name, first, after.end_lineno)


def build_package(requirement: str, work: Path, trees: Path) -> tuple[str, list[Candidate]]:
    name = requirement.partition("==")[0]
    unpacked = unpack_wheel(requirement, work / name)
    target = trees / name
    shutil.rmtree(target, ignore_errors=True)
    found: list[Candidate] = []
    for file in sorted(unpacked.rglob("*.py")):
        relative = file.relative_to(unpacked)
        original = file.read_bytes()
        try:
            stripped = without_docstrings(original)
        except SyntaxError:
            # Templates that end in .py are data of the package, not its code.
            continue
        output = target / relative
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_bytes(stripped)
        if not TEST_FOLDERS & set(relative.parts) and not file.name.startswith("test_"):
            found.extend(candidates(original, stripped, str(relative)))
    # A sentence that several functions share has no single right answer.
    times = Counter(candidate.query.lower() for candidate in found)
    return name, [candidate for candidate in found if times[candidate.query.lower()] == 1]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=CORPORA / "docstrings")
    parser.add_argument("--queries", type=int, default=1_000)
    arguments = parser.parse_args()
    generator = random.Random(SEED)
    queries: dict[str, list[dict[str, object]]] = {}
    for requirement in PACKAGES:
        name, found = build_package(requirement, arguments.out / "packages", arguments.out / "trees")
        chosen = generator.sample(found, min(len(found), arguments.queries // len(PACKAGES)))
        queries[name] = [
            {
                "query": candidate.query,
                "symbol": candidate.qualified_name,
                "relevant": {
                    "path": candidate.path,
                    "start_line": candidate.start_line,
                    "end_line": candidate.end_line,
                },
            }
            for candidate in sorted(chosen, key=lambda candidate: (candidate.path, candidate.start_line))
        ]
        print(f"{requirement}: {len(queries[name])} queries of {len(found)} candidates", file=sys.stderr)
    (arguments.out / "queries.json").write_text(json.dumps(queries, indent=1))
    print(arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
