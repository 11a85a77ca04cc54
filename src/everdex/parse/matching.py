"""Runs a query over a syntax tree of any depth, in time that grows with the tree's size.

While tree-sitter looks below a node it keeps every match that the nodes around it began, and looks through them at each
node: in a chain of a thousand calls each is inside all that follow. So a deep tree is looked through in layers, in each
of which few matches can be open. What is found does not depend on the layers. Knows no language and no pattern.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tree_sitter import Node, Query, QueryCursor

# Patterns are small, so this many unfinished matches inside one layer are no source that anybody reads.
_MATCH_LIMIT: Final = 65_536
_LEVELS: Final = 128  # of a layer; measured: 64 to 256 take the same time, 512 half as much again
_DEEP: Final = 256  # source that people write stays below, and is looked through at once

Match = tuple[int, dict[str, list[Node]]]  # the pattern's index, what it captured


class Matches(NamedTuple):
    found: list[Match]
    left_out: bool  # more were open at once than are kept: some are missing


def matches(query: Query, root: Node) -> Matches:
    """Every match of a query below `root`, in the order in which they end; the deepest layer comes first."""
    cursor = QueryCursor(query, match_limit=_MATCH_LIMIT)
    if not _is_deep(root):
        return Matches(cursor.matches(root), bool(cursor.did_exceed_match_limit))
    cursor.set_max_start_depth(_LEVELS)
    layers = [cursor.matches(root)]
    left_out = bool(cursor.did_exceed_match_limit)
    top = QueryCursor(query, match_limit=_MATCH_LIMIT)
    top.set_max_start_depth(0)
    for roots in _edges(root):
        layer: list[Match] = []
        for node in roots:
            # What begins at the layer's own root belongs to the layer above, where its siblings are seen, too.
            known = [_identity(match) for match in top.matches(node)]
            for match in cursor.matches(node):
                if known and (identity := _identity(match)) in known:
                    known.remove(identity)
                else:
                    layer.append(match)
            left_out = left_out or bool(cursor.did_exceed_match_limit)
        layers.append(layer)
    return Matches([match for layer in reversed(layers) for match in layer], left_out)


def _is_deep(root: Node) -> bool:
    """Whether a node lies deeper than `_DEEP`; asked of one in so many that none much deeper goes unseen.

    In source order all that is below a node stands together: of as many levels again at least one is asked.
    """
    cursor = root.walk()
    for number in range(0, root.descendant_count, _DEEP):
        cursor.goto_descendant(number)
        if cursor.depth > _DEEP:
            return True
    return False


def _edges(root: Node) -> list[list[Node]]:
    """The nodes with something below them at the first level of each layer but the uppermost."""
    found: list[list[Node]] = []
    cursor, depth = root.walk(), 0
    while True:
        if cursor.goto_first_child():
            depth += 1
        else:
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return found
                depth -= 1
        layer, below = divmod(depth, _LEVELS)
        if depth and not below:
            node = cursor.node
            if node is not None and node.child_count:
                if len(found) < layer:
                    found.append([])
                found[layer - 1].append(node)


def _identity(match: Match) -> tuple[object, ...]:
    pattern, captures = match
    return (pattern, *((name, *(node.id for node in nodes)) for name, nodes in captures.items()))
