"""What a directed graph says of order: its cycles, edges against the grain, edges that follow from others, its levels.

Knows numbers and weights only. The answers depend on the graph alone, never on the order of its edges, and take
time near its size; the finer search for edges against the grain is for small cycles only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import Final, TypeAlias

Edge: TypeAlias = tuple[int, int]

_SIFTED: Final = 80  # vertices of a cycle up to which every place is tried for each
_PASSES: Final = 6
_FAR_LESS: Final = 10


def _successors(count: int, edges: Iterable[Edge]) -> list[list[int]]:
    after: list[list[int]] = [[] for _ in range(count)]
    for source, target in sorted(set(edges)):
        if source != target:
            after[source].append(target)
    return after


def components(count: int, edges: Iterable[Edge]) -> list[int]:
    """Of each vertex the smallest one of its cycle: itself when it is in none. (Tarjan, without recursion.)"""
    after = _successors(count, edges)
    index = [-1] * count
    low = [0] * count
    home = [-1] * count
    stack: list[int] = []
    counter = 0
    for root in range(count):
        if index[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            vertex, place = work.pop()
            if place == 0:
                index[vertex] = low[vertex] = counter
                counter += 1
                stack.append(vertex)
            descended = False
            for number in range(place, len(after[vertex])):
                target = after[vertex][number]
                if index[target] < 0:
                    work += [(vertex, number + 1), (target, 0)]
                    descended = True
                    break
                if home[target] < 0:
                    low[vertex] = min(low[vertex], index[target])
            if descended:
                continue
            if low[vertex] == index[vertex]:
                members = []
                while True:
                    member = stack.pop()
                    members.append(member)
                    home[member] = vertex  # decided: no longer on the stack
                    if member == vertex:
                        break
                smallest = min(members)
                for member in members:
                    home[member] = smallest
            if work:
                below = work[-1][0]
                low[below] = min(low[below], low[vertex])
    return home


def against(count: int, weights: Mapping[Edge, float]) -> frozenset[Edge]:
    """Edges of little weight without which there are no cycles."""
    home = components(count, weights)
    groups: dict[int, list[int]] = {}
    for vertex, smallest in enumerate(home):
        groups.setdefault(smallest, []).append(vertex)
    found: set[Edge] = set()
    inside: dict[int, dict[Edge, float]] = {}
    for (source, target), weight in sorted(weights.items()):
        if source != target and home[source] == home[target]:
            inside.setdefault(home[source], {})[source, target] = weight
    for smallest, edges in inside.items():
        order = _line_up(groups[smallest], edges)
        if len(order) <= _SIFTED:
            order = _sifted(order, edges)
        place = {vertex: number for number, vertex in enumerate(order)}
        found |= {edge for edge in edges if place[edge[0]] > place[edge[1]]}
    return frozenset(found)


def _line_up(vertices: list[int], edges: Mapping[Edge, float]) -> list[int]:
    """Eades, Lin and Smyth: sources to the front, sinks to the back, else whoever gives most more than it takes."""
    gives = dict.fromkeys(vertices, 0.0)
    takes = dict.fromkeys(vertices, 0.0)
    to: dict[int, list[tuple[int, float]]] = {vertex: [] for vertex in vertices}
    of: dict[int, list[tuple[int, float]]] = {vertex: [] for vertex in vertices}
    for (source, target), weight in edges.items():
        gives[source] += weight
        takes[target] += weight
        to[source].append((target, weight))
        of[target].append((source, weight))
    left = set(vertices)
    front: list[int] = []
    back: list[int] = []

    def rank(vertex: int) -> tuple[int, float, int]:
        if not to_left[vertex]:
            return (0, 0.0, vertex)
        if not of_left[vertex]:
            return (1, 0.0, vertex)
        return (2, takes[vertex] - gives[vertex], vertex)

    to_left = {vertex: len(to[vertex]) for vertex in vertices}
    of_left = {vertex: len(of[vertex]) for vertex in vertices}
    waiting = [rank(vertex) for vertex in vertices]
    heapify(waiting)
    while left:
        entry = heappop(waiting)
        vertex = entry[2]
        if vertex not in left or entry != rank(vertex):
            continue  # what it says is out of date; a newer entry is waiting
        left.discard(vertex)
        (back if entry[0] == 0 else front).append(vertex)
        for target, weight in to[vertex]:
            if target in left:
                takes[target] -= weight
                of_left[target] -= 1
                heappush(waiting, rank(target))
        for source, weight in of[vertex]:
            if source in left:
                gives[source] -= weight
                to_left[source] -= 1
                heappush(waiting, rank(source))
    return front + back[::-1]


def _sifted(order: list[int], edges: Mapping[Edge, float]) -> list[int]:
    """Move each vertex to where the least weight goes backwards, until nothing gets better."""
    for _ in range(_PASSES):
        moved = False
        for vertex in sorted(order):
            here = order.index(vertex)
            rest = order[:here] + order[here + 1 :]
            # Cost of standing in front of everything, then of passing one after the other.
            cost = sum(edges.get((other, vertex), 0.0) for other in rest)
            costs = [cost]
            for other in rest:
                cost += edges.get((vertex, other), 0.0) - edges.get((other, vertex), 0.0)
                costs.append(cost)
            best = min(range(len(costs)), key=lambda place: (round(costs[place], 6), abs(place - here)))
            if costs[best] < costs[here] - 1e-6:
                order = [*rest[:best], vertex, *rest[best:]]
                moved = True
        if not moved:
            break
    return order


def topological(count: int, edges: Iterable[Edge]) -> list[int]:
    """Vertices of a graph without cycles, users before what they use; the smallest first among those that may come."""
    after = _successors(count, edges)
    waiting_for = [0] * count
    for targets in after:
        for target in targets:
            waiting_for[target] += 1
    ready = [vertex for vertex in range(count) if not waiting_for[vertex]]
    heapify(ready)
    found = []
    while ready:
        vertex = heappop(ready)
        found.append(vertex)
        for target in after[vertex]:
            waiting_for[target] -= 1
            if not waiting_for[target]:
                heappush(ready, target)
    return found


def implied(count: int, weights: Mapping[Edge, float]) -> frozenset[Edge]:
    """Edges of a graph without cycles that follow from a longer way of others.

    A way of which a step carries far less says less than the edge does: that edge does not follow from it.
    """
    after = _successors(count, weights)
    # Of each vertex what its ways carry at their thinnest step, by where they lead; only edges that stay make ways.
    carried: list[dict[int, float]] = [{} for _ in range(count)]
    found: set[Edge] = set()
    place = {vertex: number for number, vertex in enumerate(topological(count, weights))}
    for vertex in sorted(range(count), key=lambda vertex: -place[vertex]):
        ways = carried[vertex]
        # A way to a target begins with a neighbour that stands before the target.
        for target in sorted(after[vertex], key=place.__getitem__):
            weight = weights[vertex, target]
            if ways.get(target, 0.0) * _FAR_LESS >= weight:
                found.add((vertex, target))
                continue
            ways[target] = weight
            for further, thinnest in carried[target].items():
                ways[further] = max(ways.get(further, 0.0), min(weight, thinnest))
    return frozenset(found)


def levels(count: int, edges: Iterable[Edge]) -> list[int]:
    """Of each vertex of a graph without cycles how long its longest way down is; what uses nothing is at 0."""
    chosen = list(edges)
    after = _successors(count, chosen)
    found = [0] * count
    for vertex in reversed(topological(count, chosen)):
        found[vertex] = max((found[target] + 1 for target in after[vertex]), default=0)
    return found
