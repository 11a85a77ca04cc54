"""Boxes in rows so that edges go downwards: who uses stands above what it uses. (Sugiyama's method, bounded.)

Boxes never overlap, an edge begins and ends on the border of its boxes and passes others in a gap of its row. The
result depends on the input alone, and large inputs are arranged with less care rather than in more time.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import msgspec

from everdex.canvas.order import Edge, levels
from everdex.canvas.scene import Point

_GAP: Final = 22.0  # between boxes of a row
_ROW_GAP: Final = 32.0
_LANE: Final = 12.0  # what an edge that passes a row takes
_PORT: Final = 9.0  # between the ends of edges on a border
_MOST_PASSES: Final = 20_000
_SWEEPS: Final = 10
_STRAIGHTENING: Final = 20  # further sweeps that only move cells
_PULL: Final = (1, 2, 8)  # of two boxes on each other, a box and a pass, two passes of an edge
_FINE: Final = 4_000  # boxes and passes up to which crossings are counted and places relaxed
_ASPECT: Final = 1.7


class Size(msgspec.Struct, frozen=True):
    width: float
    height: float


class Arrangement(msgspec.Struct, frozen=True):
    """Where boxes are (their upper left corners) and which points each edge goes through, from its source."""

    width: float
    height: float
    corners: tuple[Point, ...]
    routes: dict[Edge, tuple[Point, ...]]


class _Cell:
    """A box in a row, or the place where an edge passes it."""

    __slots__ = ("above", "below", "box", "number", "row", "width", "x")

    def __init__(self, number: int, row: int, width: float, box: int) -> None:
        self.number = number
        self.row = row
        self.width = width
        self.box = box  # -1 for a pass
        self.x = 0.0  # its middle
        self.above: list[_Cell] = []
        self.below: list[_Cell] = []


def arrange(
    sizes: Sequence[Size], edges: Sequence[Edge], upward: frozenset[Edge] = frozenset(), *, across: bool = False
) -> Arrangement:
    """Arrange boxes, down or `across`; `edges` have no cycles once those in `upward` are turned round."""
    if across:
        return _turned(arrange([Size(size.height, size.width) for size in sizes], edges, upward))
    down = {edge: (edge[1], edge[0]) if edge in upward else edge for edge in sorted(set(edges)) if edge[0] != edge[1]}
    tied = {vertex for edge in down for vertex in edge}
    loose = [vertex for vertex in range(len(sizes)) if vertex not in tied]
    rows = _rows(sizes, sorted(tied), sorted(set(down.values())))
    rows += _grid(sizes, loose, max((_width(sizes, row) for row in rows), default=0.0))
    cells, chains = _cells(sizes, rows, down)
    _reduce_crossings(cells)
    _place(cells)
    return _drawn(sizes, cells, chains, down)


def _turned(found: Arrangement) -> Arrangement:
    corners = tuple((y, x) for x, y in found.corners)
    routes = {edge: tuple((y, x) for x, y in points) for edge, points in found.routes.items()}
    return Arrangement(found.height, found.width, corners, routes)


# -- rows --------------------------------------------------------------------------------------


def _width(sizes: Sequence[Size], row: Sequence[int]) -> float:
    return sum(sizes[vertex].width for vertex in row) + _GAP * max(0, len(row) - 1)


def _room(sizes: Sequence[Size], vertices: Sequence[int]) -> float:
    """How wide a row may be, for a sheet that is wider than high."""
    area = sum((sizes[v].width + _GAP) * (sizes[v].height + _ROW_GAP) for v in vertices)
    widest = max((sizes[v].width for v in vertices), default=0.0)
    return max(widest, math.sqrt(area * _ASPECT))


def _rows(sizes: Sequence[Size], tied: list[int], edges: list[Edge]) -> list[list[int]]:
    """The vertices of each row, the topmost first; a level that is too wide becomes several rows."""
    if not tied:
        return []
    dense = {vertex: number for number, vertex in enumerate(tied)}
    level = levels(len(tied), [(dense[source], dense[target]) for source, target in edges])
    degree = dict.fromkeys(tied, 0)
    for source, target in edges:
        degree[source] += 1
        degree[target] += 1
    by_level: dict[int, list[int]] = {}
    for vertex in tied:
        by_level.setdefault(level[dense[vertex]], []).append(vertex)
    room = _room(sizes, tied)
    rows: list[list[int]] = []
    for number in sorted(by_level, reverse=True):
        # What many lead to comes nearer to them.
        members = sorted(by_level[number], key=lambda vertex: (-degree[vertex], vertex))
        rows += _packed(sizes, members, room)
    return rows


def _packed(sizes: Sequence[Size], members: list[int], room: float) -> list[list[int]]:
    rows: list[list[int]] = [[]]
    used = 0.0
    for vertex in members:
        width = sizes[vertex].width + _GAP
        if rows[-1] and used + width > room + _GAP:
            rows.append([])
            used = 0.0
        rows[-1].append(vertex)
        used += width
    return rows


def _grid(sizes: Sequence[Size], loose: list[int], at_least: float) -> list[list[int]]:
    """Rows of vertices without edges."""
    return _packed(sizes, loose, max(at_least, _room(sizes, loose))) if loose else []


# -- cells -------------------------------------------------------------------------------------


def _cells(
    sizes: Sequence[Size], rows: list[list[int]], down: dict[Edge, Edge]
) -> tuple[list[list[_Cell]], dict[Edge, list[_Cell]]]:
    """A cell for every box, and one for every row that an edge passes, as long as there are not too many."""
    cells: list[list[_Cell]] = []
    of_box: dict[int, _Cell] = {}
    counter = 0
    for row, members in enumerate(rows):
        cells.append([])
        for vertex in members:
            of_box[vertex] = _Cell(counter, row, sizes[vertex].width, vertex)
            cells[row].append(of_box[vertex])
            counter += 1
    passes = sum(of_box[target].row - of_box[source].row - 1 for source, target in down.values())
    chains: dict[Edge, list[_Cell]] = {}  # each from its upper end
    for edge, (source, target) in down.items():
        chain = [of_box[source]]
        if passes <= _MOST_PASSES:
            for row in range(of_box[source].row + 1, of_box[target].row):
                cell = _Cell(counter, row, _LANE, -1)
                counter += 1
                cells[row].append(cell)
                chain.append(cell)
        chain.append(of_box[target])
        chains[edge] = chain
        for upper, lower in pairwise(chain):
            upper.below.append(lower)
            lower.above.append(upper)
    return cells, chains


def _reduce_crossings(cells: list[list[_Cell]]) -> None:
    """Order rows by where their neighbours are, down and up again; the best order found is kept."""
    for row in cells:
        for number, cell in enumerate(row):
            cell.x = float(number)
    careful = sum(map(len, cells)) <= _FINE
    best = [list(row) for row in cells]
    fewest = _crossings(cells) if careful else 0
    for sweep in range(_SWEEPS if careful else 2):
        downwards = sweep % 2 == 0
        for row in cells[1:] if downwards else cells[-2::-1]:
            ranked = []
            for cell in row:
                near = cell.above if downwards else cell.below
                ranked.append((_mean([other.x for other in near], cell.x), cell.x, cell.number, cell))
            row[:] = [cell for *_, cell in sorted(ranked)]
            for number, cell in enumerate(row):
                cell.x = float(number)
        if careful:
            count = _crossings(cells)
            if count < fewest:
                fewest, best = count, [list(row) for row in cells]
            if not count:
                break
    if careful:
        for row, kept in zip(cells, best, strict=True):
            row[:] = kept


def _mean(values: list[float], otherwise: float) -> float:
    return round(sum(values) / len(values), 6) if values else otherwise


def _crossings(cells: list[list[_Cell]]) -> int:
    count = 0
    place = {cell.number: number for row in cells for number, cell in enumerate(row)}
    for row in cells:
        seen: list[int] = []
        for cell in row:
            ends = sorted(place[other.number] for other in cell.below if other.row == cell.row + 1)
            count += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return count


# -- places ------------------------------------------------------------------------------------


def _place(cells: list[list[_Cell]]) -> None:
    """Middles of cells: near their neighbours, in the order of their row, never closer than they are wide."""
    for row in cells:
        _spread(row, [(0.0, 1)] * len(row))
    careful = sum(map(len, cells)) <= _FINE
    for sweep in range(_SWEEPS + _STRAIGHTENING if careful else 2):
        downwards = sweep % 2 == 0
        for row in cells if downwards else reversed(cells):
            both = sweep >= _SWEEPS - 4
            _spread(row, [_wish(cell, both, downwards) for cell in row])


def _wish(cell: _Cell, both: bool, downwards: bool) -> tuple[float, int]:
    """Where a cell would stand by its neighbours, and how much that counts: bends inside an edge are the ugliest."""
    near = [*cell.above, *cell.below] if both else cell.above if downwards else cell.below
    if not near:
        return cell.x, 1
    pulls = [_PULL[(cell.box < 0) + (other.box < 0)] for other in near]
    total = sum(pulls)
    return round(sum(other.x * pull for other, pull in zip(near, pulls, strict=True)) / total, 6), total


def _spread(row: list[_Cell], wanted: list[tuple[float, int]]) -> None:
    """The places nearest to those wanted that keep order and distance (pool adjacent violators)."""
    offsets = [0.0]
    for left, right in pairwise(row):
        gap = _GAP if left.box >= 0 and right.box >= 0 else _GAP / 2
        offsets.append(offsets[-1] + (left.width + right.width) / 2 + gap)
    blocks: list[tuple[float, int, int]] = []  # weighed sum of wishes, their weight, how many
    for (wish, weight), offset in zip(wanted, offsets, strict=False):
        total, weighed, count = (wish - offset) * weight, weight, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / weighed:
            before, heavy, members = blocks.pop()
            total, weighed, count = total + before, weighed + heavy, count + members
        blocks.append((total, weighed, count))
    number = 0
    for total, weighed, count in blocks:
        for _ in range(count):
            row[number].x = round(total / weighed + offsets[number], 3)
            number += 1


# -- the result --------------------------------------------------------------------------------


def _drawn(
    sizes: Sequence[Size], cells: list[list[_Cell]], chains: dict[Edge, list[_Cell]], down: dict[Edge, Edge]
) -> Arrangement:
    tops: list[float] = []
    heights: list[float] = []
    y = 0.0
    for number, row in enumerate(cells):
        height = max((sizes[cell.box].height for cell in row if cell.box >= 0), default=0.0)
        tops.append(y)
        heights.append(height)
        tied = any(cell.below for cell in row) or any(cell.above for cell in cells[min(number + 1, len(cells) - 1)])
        y += height + (_ROW_GAP if tied else _GAP)
    left = min((cell.x - cell.width / 2 for row in cells for cell in row), default=0.0)
    right = max((cell.x + cell.width / 2 for row in cells for cell in row), default=0.0)
    corners: list[Point] = [(0.0, 0.0)] * len(sizes)
    for number, row in enumerate(cells):
        for cell in row:
            cell.x -= left
            if cell.box >= 0:
                size = sizes[cell.box]
                top = tops[number] + (heights[number] - size.height) / 2
                corners[cell.box] = (round(cell.x - size.width / 2, 2), round(top, 2))
    ports = _ports(chains)
    routes: dict[Edge, tuple[Point, ...]] = {}
    for edge, turned in down.items():
        chain = chains[edge]
        first, last = chain[0], chain[-1]
        bottom = round(corners[first.box][1] + sizes[first.box].height, 2)
        # Straight past what is taller beside it, and only then to the side: a curve would go behind that.
        points: list[Point] = [(ports[edge, 0], bottom)]
        if bottom < (end := round(tops[first.row] + heights[first.row], 2)):
            points.append((ports[edge, 0], end))
        for cell in chain[1:-1]:
            points += [(round(cell.x, 2), tops[cell.row]), (round(cell.x, 2), tops[cell.row] + heights[cell.row])]
        if tops[last.row] < corners[last.box][1]:
            points.append((ports[edge, 1], tops[last.row]))
        points.append((ports[edge, 1], corners[last.box][1]))
        routes[edge] = tuple(points if turned == edge else reversed(points))
    height = max((corner[1] + size.height for corner, size in zip(corners, sizes, strict=True)), default=0.0)
    return Arrangement(round(right - left, 2), round(height, 2), tuple(corners), routes)


def _ports(chains: dict[Edge, list[_Cell]]) -> dict[tuple[Edge, int], float]:
    """Where on its border each edge begins and ends: side by side, in the order of where they go."""
    ends: dict[tuple[int, int], list[tuple[float, Edge]]] = {}
    middles: dict[int, _Cell] = {}
    for edge, chain in chains.items():
        upper, lower = chain[0], chain[-1]
        ends.setdefault((upper.box, 0), []).append((chain[1].x, edge))
        ends.setdefault((lower.box, 1), []).append((chain[-2].x, edge))
        middles[upper.box], middles[lower.box] = upper, lower
    found: dict[tuple[Edge, int], float] = {}
    for (vertex, side), leaving in ends.items():
        cell = middles[vertex]
        room = min(cell.width * 0.8, _PORT * (len(leaving) - 1))
        for number, (_, edge) in enumerate(sorted(leaving)):
            share = number / (len(leaving) - 1) - 0.5 if len(leaving) > 1 else 0.0
            found[edge, side] = round(cell.x + room * share, 2)
    return found
