"""Order and layout: cycles, layers and boxes that never overlap, whatever the graph."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from everdex.canvas.inks import Ink
from everdex.canvas.layers import Size, arrange
from everdex.canvas.order import Edge, against, components, implied, levels, topological
from everdex.canvas.scene import flattened, flow


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, dict[Edge, float]]:
    count = draw(st.integers(1, 14))
    vertices = st.integers(0, count - 1)
    edges = draw(st.dictionaries(st.tuples(vertices, vertices), st.integers(1, 9), max_size=40))
    return count, {edge: float(weight) for edge, weight in edges.items() if edge[0] != edge[1]}


def _reach(count: int, edges: set[Edge]) -> list[set[int]]:
    found = [{target for source, target in edges if source == vertex} for vertex in range(count)]
    for _ in range(count):
        found = [near | {far for middle in near for far in found[middle]} for near in found]
    return found


@settings(max_examples=50)
@given(graphs())
def test_vertices_of_one_cycle_have_one_name(graph: tuple[int, dict[Edge, float]]) -> None:
    """Two vertices are in one component if and only if each leads to the other."""
    count, weights = graph
    home, reach = components(count, weights), _reach(count, set(weights))
    for one in range(count):
        for other in range(one):
            assert (home[one] == home[other]) == (other in reach[one] and one in reach[other])


@settings(max_examples=50)
@given(graphs())
def test_without_the_edges_against_the_grain_there_are_no_cycles(graph: tuple[int, dict[Edge, float]]) -> None:
    """What is left can be put in order, and nothing outside a cycle is ever called against the grain."""
    count, weights = graph
    turned = against(count, weights)
    left = [edge for edge in weights if edge not in turned]
    assert len(topological(count, left)) == count
    home = components(count, weights)
    assert all(home[source] == home[target] for source, target in turned)


def test_the_lightest_edge_of_a_cycle_is_the_one_against_the_grain() -> None:
    """A cycle is broken where the least would be lost."""
    assert against(3, {(0, 1): 9, (1, 2): 9, (2, 0): 1}) == {(2, 0)}
    assert against(2, {(0, 1): 1, (1, 0): 5}) == {(0, 1)}


@settings(max_examples=50)
@given(graphs())
def test_what_follows_from_others_can_be_left_out(graph: tuple[int, dict[Edge, float]]) -> None:
    """Without the implied edges everything still leads where it led, and no further edge can be left out."""
    count, weights = graph
    turned = against(count, weights)
    forward = {edge for edge in weights if edge not in turned}
    kept = forward - implied(count, {edge: weights[edge] for edge in forward})
    assert _reach(count, kept) == _reach(count, forward)
    assert all(_reach(count, kept - {edge}) != _reach(count, forward) for edge in kept)


def test_an_edge_does_not_follow_from_a_way_that_says_far_less() -> None:
    """An application that is built on a library uses it, also where one of its scripts uses it a little, too."""
    assert implied(3, {(0, 1): 1, (1, 2): 4, (0, 2): 900}) == frozenset()
    assert implied(3, {(0, 1): 100, (1, 2): 400, (0, 2): 900}) == {(0, 2)}
    assert implied(4, {(0, 1): 100, (1, 3): 1, (0, 2): 200, (2, 3): 300, (0, 3): 900}) == {(0, 3)}


@settings(max_examples=50)
@given(graphs())
def test_users_stand_above_what_they_use(graph: tuple[int, dict[Edge, float]]) -> None:
    """Along every edge that is not against the grain the level falls."""
    count, weights = graph
    forward = [edge for edge in weights if edge not in against(count, weights)]
    found = levels(count, forward)
    assert all(found[source] > found[target] for source, target in forward)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[list[Size], dict[Edge, float]]:
    count, weights = draw(graphs())
    sizes = st.builds(Size, st.integers(20, 300).map(float), st.integers(10, 200).map(float))
    return draw(st.lists(sizes, min_size=count, max_size=count)), weights


@settings(max_examples=50)
@given(boxes(), st.booleans())
def test_boxes_never_overlap_and_edges_connect_them(given: tuple[list[Size], dict[Edge, float]], across: bool) -> None:
    """Any boxes, any edges, downwards or to the right: apart from each other, inside the sheet, joined at borders."""
    sizes, weights = given
    turned = against(len(sizes), weights)
    found = arrange(sizes, list(weights), turned, across=across)
    placed = [(x, y, x + s.width, y + s.height) for (x, y), s in zip(found.corners, sizes, strict=True)]
    for number, (left, top, right, bottom) in enumerate(placed):
        assert left >= -0.1
        assert top >= -0.1
        assert right <= found.width + 0.1
        assert bottom <= found.height + 0.1
        for other in placed[:number]:
            apart = right <= other[0] + 0.1 or other[2] <= left + 0.1
            assert apart or bottom <= other[1] + 0.1 or other[3] <= top + 0.1
    assert set(found.routes) == set(weights)
    for (source, target), route in found.routes.items():
        assert _on_border(route[0], placed[source])
        assert _on_border(route[-1], placed[target])


@settings(max_examples=50)
@given(boxes(), st.booleans())
def test_an_edge_goes_behind_no_box(given: tuple[list[Size], dict[Edge, float]], across: bool) -> None:
    """Not behind a large one that stands beside its end either: it would seem to lead there."""
    sizes, weights = given
    found = arrange(sizes, list(weights), against(len(sizes), weights), across=across)
    for (source, target), route in found.routes.items():
        line = flattened(flow(route, Ink.EDGE, vertical=not across))
        for number, ((x, y), size) in enumerate(zip(found.corners, sizes, strict=True)):
            if number not in (source, target):
                assert not any(x + 1 < px < x + size.width - 1 and y + 1 < py < y + size.height - 1 for px, py in line)


def _on_border(point: tuple[float, float], box: tuple[float, float, float, float]) -> bool:
    (x, y), (left, top, right, bottom) = point, box
    inside = left - 0.1 <= x <= right + 0.1 and top - 0.1 <= y <= bottom + 0.1
    edge = min(abs(x - left), abs(x - right), abs(y - top), abs(y - bottom))
    return inside and edge < 0.1


@settings(max_examples=50)
@given(boxes())
def test_the_order_of_edges_changes_nothing(given: tuple[list[Size], dict[Edge, float]]) -> None:
    """A layout depends on the graph alone."""
    sizes, weights = given
    turned = against(len(sizes), weights)
    mixed = list(weights.items())
    random.Random(7).shuffle(mixed)
    assert against(len(sizes), dict(mixed)) == turned
    assert arrange(sizes, [edge for edge, _ in mixed], turned) == arrange(sizes, list(weights), turned)


def test_a_large_graph_is_arranged_too() -> None:
    """5,000 boxes and as many edges end; long chains and wide stars do not make more cells than are allowed."""
    chance = random.Random(1)
    wild = {(chance.randrange(5_000), chance.randrange(5_000)): 1.0 for _ in range(6_000)}
    chain = {(number, number + 1): 1.0 for number in range(4_999)} | {(0, number): 1.0 for number in range(2, 5_000, 7)}
    star = {(0, number): 1.0 for number in range(1, 5_000)}
    for weights in (wild, chain, star):
        edges = {edge: weight for edge, weight in weights.items() if edge[0] != edge[1]}
        found = arrange([Size(100.0, 40.0)] * 5_000, list(edges), against(5_000, edges))
        assert len(found.routes) == len(edges)
        assert len(set(found.corners)) == 5_000


def test_edges_that_pass_rows_are_nearly_straight() -> None:
    """Between its ends an edge wanders little: on average less than a tenth of a box's width."""
    wandered, edges = 0.0, 0
    for seed in range(5):
        chance = random.Random(seed)
        sizes = [Size(chance.randint(80, 160), 50) for _ in range(18)]
        chosen = [(i, j) for i in range(18) for j in range(i + 1, 18) if chance.random() < 0.16]
        for route in arrange(sizes, chosen).routes.values():
            inner = [x for x, _ in route[1:-1]]
            wandered += sum(abs(after - before) for before, after in pairwise(inner))
        edges += len(chosen)
    assert wandered / edges < 12
