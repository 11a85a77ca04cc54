"""Loads grammars and queries one at a time, when first needed, and parses within a bound.

A hostile or broken file can make a grammar's error recovery quadratic, so a parse has a budget of CPU time;
beyond it the answer is None and the caller falls back to line windows. No knowledge of chunks or symbols.
"""

from __future__ import annotations

import importlib
import re
import time
from functools import cache
from pathlib import Path
from typing import Final

from tree_sitter import Language, Node, Parser, Query, Range, Tree

from everdex.languages import GRAMMARS
from everdex.parse.comment_runs import without_long_runs

# A well-formed megabyte takes about .15 s; the budget is an order of magnitude above that, and CPU time,
# so that a busy machine does not change the answer.
BUDGET_SECONDS: Final = 2.0
BUDGET_SECONDS_PER_MEGABYTE: Final = 1.0
# tree-sitter 0.26's progress callback crashes the interpreter, so the clock is read when the parser asks for
# more text. Small files are no exception: 1 KB of Kotlin that was cut and put together recovers for ever.
_SLICE_BYTES: Final = 4_096
# About .3 s of query time.
_MAX_ERROR_COST: Final = 250_000_000
_MAX_ERROR_VISITS: Final = 5_000
# tree-sitter-yaml's scanner writes past its state buffer at about 250 levels, which kills the process. Every level
# begins in a column of its own, after indentation or after indicators in the same line.
_MAX_YAML_LEVELS: Final = 200
_DEEP_YAML: Final = re.compile(rb"^[ \t\-?:]{%d}" % _MAX_YAML_LEVELS, re.MULTILINE)
# Java's and C#'s grammars keep every reading of every `<` that nothing closes: 80 KB of them took 13 GB.
_WITH_ANGLES: Final = frozenset(("java", "csharp"))
_MAX_ANGLES: Final = 2_000
_DEEP_ANGLES: Final = re.compile(rb"(?:<[^<>;{}()]*+){%d}" % _MAX_ANGLES)
_QUERIES: Final = Path(__file__).with_name("queries")


@cache
def language(name: str) -> Language:
    known = GRAMMARS[name]
    return Language(getattr(importlib.import_module(known.module), known.function)())


def query_source(name: str) -> str:
    return (_QUERIES / f"{GRAMMARS[name].query}.scm").read_text("utf-8")


@cache
def query(name: str) -> Query:
    return Query(language(name), query_source(name))


def parse_tree(name: str, data: bytes, span: Range | None = None) -> Tree | None:
    """The syntax tree of `data`, or of one range of it with absolute offsets; None when over the budget or too deep."""
    if GRAMMARS[name].query == "python":
        data = without_long_runs(data)
    parser = Parser(language(name))
    if span is not None:
        parser.included_ranges = [span]
    size = len(data) if span is None else span.end_byte - span.start_byte
    if _too_deep(name, data if span is None else data[span.start_byte : span.end_byte]):
        return None
    budget = BUDGET_SECONDS + BUDGET_SECONDS_PER_MEGABYTE * size / 1e6
    began, soonest = time.thread_time(), time.monotonic() + budget
    exceeded, parsed = False, False
    # tree-sitter 0.26 never lets go of what it was given here. A view that was released holds no text.
    whole = memoryview(data)
    given = whole[:0]

    def read(offset: int, _point: object) -> bytes | memoryview:
        nonlocal exceeded, given
        if parsed:  # the tree keeps this for its queries' text predicates, and takes bytes alone then
            return data[offset : offset + _SLICE_BYTES]
        given.release()
        # CPU time is dear to ask for; it cannot have run out before wall time has.
        if exceeded or (time.monotonic() > soonest and time.thread_time() - began > budget):
            exceeded = True
            return b""
        given = whole[offset : offset + _SLICE_BYTES]
        return given

    tree = parser.parse(read)
    parsed = True
    given.release()
    whole.release()
    return None if exceeded or _unwieldy(tree.root_node) else tree


def _too_deep(name: str, data: bytes) -> bool:
    if name in _WITH_ANGLES:
        return data.count(b"<") >= _MAX_ANGLES and _DEEP_ANGLES.search(data) is not None
    if name != "yaml":
        return False
    if _DEEP_YAML.search(data):
        return True
    return any(line.count(b"- ") + line.count(b"? ") >= _MAX_YAML_LEVELS for line in data.splitlines())


def _unwieldy(root: Node) -> bool:
    """Whether a query over this tree would take quadratic time.

    Repetitions are balanced trees except below errors, where a query pays the square of a node's children.
    """
    cost, visits, waiting = 0, 0, [root] if root.has_error else []
    while waiting and visits < _MAX_ERROR_VISITS:
        node = waiting.pop()
        visits += 1
        if node.is_error:
            cost += node.child_count**2
            if cost > _MAX_ERROR_COST:
                return True
        waiting += [child for child in node.children if child.has_error]
    return False


def errors(tree: Tree) -> list[tuple[int, int]]:
    """From where to where a tree has errors, or lacks something."""
    found: list[tuple[int, int]] = []
    waiting = [tree.root_node] if tree.root_node.has_error else []
    visits = 0
    while waiting and visits < _MAX_ERROR_VISITS:
        node = waiting.pop()
        visits += 1
        if node.is_error or node.is_missing:
            found.append((node.start_byte, node.end_byte))
        else:
            waiting += [child for child in node.children if child.has_error]
    return found


def lost(tree: Tree) -> int:
    """How many bytes of a tree are in errors."""
    return sum(end - start + 1 for start, end in errors(tree))
