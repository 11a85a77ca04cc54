"""The definitions of a file as nodes of the graph, and places in it as lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

import xxhash

from everdex.facts.python import model as m
from everdex.graph.model import Node
from everdex.graph.python.files import File

_KINDS = {m.CLASS_SCOPE: "class", m.FUNCTION_SCOPE: "function", m.LAMBDA_SCOPE: "lambda"}


class Places:
    """Byte offsets to 1-based lines and 0-based byte columns."""

    def __init__(self, line_lengths: list[int]) -> None:
        self._starts = [0, *accumulate(line_lengths)][:-1]

    def at(self, byte: int) -> tuple[int, int]:
        line = bisect_right(self._starts, byte)
        return line, byte - self._starts[line - 1]


def nodes_of(file: File, module: str, places: Places) -> tuple[tuple[Node, ...], list[int]]:
    """Nodes in source order, the file first; and for each scope the index of its node."""
    order = sorted(
        (number for number, scope in enumerate(file.scopes) if number and scope.kind != m.COMPREHENSION_SCOPE),
        key=lambda number: (file.scopes[number].start, -file.scopes[number].end),
    )
    index_of = [0] * len(file.scopes)
    for place, number in enumerate(order):
        index_of[number] = place + 1
    for number, scope in enumerate(file.scopes):
        if scope.kind == m.COMPREHENSION_SCOPE:
            index_of[number] = index_of[file.owner(number)]
    last_line = len(file.places.line_lengths) - (1 if file.places.line_lengths[-1:] == [1] else 0)
    short = module.rpartition(".")[2] or module
    nodes = [Node("", module, short, "module", -1, 0, file.facts.length, 1, max(1, last_line), 1, 0, "", True)]
    for number in order:
        scope = file.scopes[number]
        parent = file.owner(scope.parent)
        kind = _KINDS[scope.kind]
        if kind == "function" and file.scopes[parent].kind == m.CLASS_SCOPE:
            kind = "method"
        start, _ = places.at(scope.start)
        end, end_column = places.at(scope.end)
        name_line, name_column = places.at(scope.name_start)
        plain = ".".join(part.partition("~")[0] for part in scope.key.split("."))
        nodes.append(
            Node(
                scope.key, f"{module}.{plain}" if module else plain, scope.name, kind, index_of[parent], scope.start,
                scope.end, start, max(start, end if end_column else end - 1), name_line, name_column, scope.signature,
                _is_public(file, number),
            )
        )  # fmt: skip
    return tuple(nodes), index_of


def _is_public(file: File, number: int) -> bool:
    """Reachable by public names from outside: nothing inside a function is."""
    while number > 0:
        scope = file.scopes[number]
        hidden = scope.name.startswith("_") and not (scope.name.startswith("__") and scope.name.endswith("__"))
        if hidden or scope.kind == m.LAMBDA_SCOPE:
            return False
        parent = file.owner(scope.parent)
        if file.scopes[parent].kind not in (m.CLASS_SCOPE, m.MODULE_SCOPE):
            return False
        number = parent
    return True


def interface_of(nodes: tuple[Node, ...]) -> str:
    lines = sorted(f"{node.kind} {node.key} {node.signature}" for node in nodes[1:] if node.public)
    return xxhash.xxh64_hexdigest("\n".join(lines).encode())
