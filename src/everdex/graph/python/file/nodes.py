"""The definitions of a file as nodes of the graph, and places in it as lines and columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import accumulate

import xxhash

from everdex.facts.python import model as m
from everdex.graph.model import Node
from everdex.graph.python.file.files import File
from everdex.graph.python.sites.variables import Variable, key_of

_MAX_SIGNATURE = 200
_KINDS = {m.CLASS_SCOPE: "class", m.FUNCTION_SCOPE: "function", m.LAMBDA_SCOPE: "lambda"}


class Places:
    """Byte offsets to 1-based lines and 0-based byte columns."""

    def __init__(self, line_lengths: list[int]) -> None:
        self._starts = [0, *accumulate(line_lengths)][:-1]

    def at(self, byte: int) -> tuple[int, int]:
        line = bisect_right(self._starts, byte)
        return line, byte - self._starts[line - 1]

    def span(self, start: int, end: int) -> tuple[int, int, int, int]:
        """Line and column of the begin and of the end."""
        starts = self._starts
        line = bisect_right(starts, start)
        column = start - starts[line - 1]
        if line == len(starts) or end < starts[line]:
            return line, column, line, column + end - start
        return line, column, *self.at(end)


def nodes_of(
    file: File, module: str, places: Places, variables: Sequence[Variable], source: bytes
) -> tuple[tuple[Node, ...], list[int], dict[str, tuple[int, int]]]:
    """Nodes in source order, the file first; for each scope the index of its node, and for each variable's key that and
    where its name begins."""
    scopes = [number for number, scope in enumerate(file.scopes) if number and scope.kind != m.COMPREHENSION_SCOPE]
    order: list[tuple[int, int, int, Variable | None]] = [
        (file.scopes[number].start, -file.scopes[number].end, number, None) for number in scopes
    ]
    order += [(variable.start, -variable.end, -1, variable) for variable in variables]
    order.sort(key=lambda item: item[:3])
    index_of = [0] * len(file.scopes)
    for place, (_, _, number, _) in enumerate(order):
        if number >= 0:
            index_of[number] = place + 1
    for number, scope in enumerate(file.scopes):
        if scope.kind == m.COMPREHENSION_SCOPE:
            index_of[number] = index_of[file.owner(number)]
    last_line = len(file.places.line_lengths) - (1 if file.places.line_lengths[-1:] == [1] else 0)
    short = module.rpartition(".")[2] or module
    nodes = [Node("", module, short, "module", -1, 0, file.facts.length, 1, max(1, last_line), 1, 0, "", True)]
    of_variables: dict[str, tuple[int, int]] = {}
    for _, _, number, variable in order:
        if variable is not None:
            node = _variable(file, module, places, variable, index_of[variable.scope], source)
            of_variables[node.key] = len(nodes), variable.name_start
            nodes.append(node)
            continue
        scope = file.scopes[number]
        parent = file.owner(scope.parent)
        kind = _KINDS[scope.kind]
        if kind == "function" and file.scopes[parent].kind == m.CLASS_SCOPE:
            kind = "method"
        start, _ = places.at(scope.start)
        end, end_column = places.at(scope.end)
        name_line, name_column = places.at(scope.name_start)
        nodes.append(
            Node(
                scope.key, _qualified(module, scope.key), scope.name, kind, index_of[parent], scope.start,
                scope.end, start, max(start, end if end_column else end - 1), name_line, name_column, scope.signature,
                _is_public(file, number),
            )
        )  # fmt: skip
    return tuple(nodes), index_of, of_variables


def _qualified(module: str, key: str) -> str:
    plain = ".".join(part.partition("~")[0] for part in key.split(".")) if "~" in key else key
    return f"{module}.{plain}" if module else plain


def _variable(file: File, module: str, places: Places, variable: Variable, parent: int, source: bytes) -> Node:
    """Its signature is its type: what it is assigned is no part of what others may rely on."""
    key = key_of(file, variable.scope, variable.name)
    kind = "type" if variable.is_alias else "field" if variable.scope else "variable"
    line, _ = places.at(variable.start)
    end, _ = places.at(variable.end)
    name_line, name_column = places.at(variable.name_start)
    signature = ""
    if variable.annotation >= 0:
        start = file.places.starts[variable.annotation]
        written = source[start : start + file.places.lengths[variable.annotation]].decode("utf-8", "replace")
        signature = f": {' '.join(written.split())}"[:_MAX_SIGNATURE]
    public = not _is_hidden(variable.name) and (not variable.scope or _is_public(file, variable.scope))
    return Node(
        key, _qualified(module, key), variable.name, kind, parent, variable.start, variable.end, line, end, name_line,
        name_column, signature, public,
    )  # fmt: skip


def _is_public(file: File, number: int) -> bool:
    """Reachable by public names from outside: nothing inside a function is."""
    while number > 0:
        scope = file.scopes[number]
        if _is_hidden(scope.name) or scope.kind == m.LAMBDA_SCOPE:
            return False
        parent = file.owner(scope.parent)
        if file.scopes[parent].kind not in (m.CLASS_SCOPE, m.MODULE_SCOPE):
            return False
        number = parent
    return True


def _is_hidden(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def interface_of(nodes: tuple[Node, ...], in_bodies: Collection[str]) -> str:
    """Of public definitions; what only the bodies of functions assign is no part of it."""
    lines = sorted(
        f"{node.kind} {node.key} {node.signature}" for node in nodes[1:] if node.public and node.key not in in_bodies
    )
    return xxhash.xxh64_hexdigest("\n".join(lines).encode())
