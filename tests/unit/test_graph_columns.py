"""A file's graph comes back from its blob as it was, and what is looked up in it is what a scan would find."""

from __future__ import annotations

import random

from everdex.graph.model import Dependency, FileGraph, Node, Role, Site, Status, Target
from everdex.graph.stored.columns import Columns
from everdex.graph.stored.packed import CALLING, by_status, encode, last_name, marked

_TARGETS = [(), (Target("a.py", "f"),), (Target("a.py", "f"), Target("b.py", "C.g")), (Target("", "os.path"),)]
_NAMES = ("f", "self.f", "g()", "x.ünï", "")


def _graph(seed: int, sites: int) -> FileGraph:
    """Sites by place with numbers of every width, some at one place, from definitions back and forth."""
    chosen = random.Random(seed)
    nodes = tuple(
        Node(f"n{number}" if number else "", f"m.n{number}", f"n{number}", "function", -1 if not number else 0, 0, 9,
             1, 2, 1, 4, "()", True)
        for number in range(300)
    )  # fmt: skip
    found, line = [], 1
    for _ in range(sites):
        line += chosen.choice((0, 0, 1, 200, 40_000))
        column = chosen.choice((0, 4, 300, 70_000))
        text = chosen.choice(_NAMES)
        found.append(
            Site(
                chosen.choice(tuple(Role)), chosen.randrange(300), line, column, line, column + len(text), text,
                chosen.choice(tuple(Status)), chosen.choice(_TARGETS), chosen.choice(("", "dynamic attribute")),
            )
        )  # fmt: skip
    return FileGraph(nodes, tuple(found), (Dependency(Target("a.py", ""), 1, ("f",)),), frozenset(), "", False)


def test_sites_come_back_as_they_were() -> None:
    """Whatever their numbers need: one, two or four bytes, back and forth."""
    for seed in range(20):
        graph = _graph(seed, seed * 7)
        read = Columns(encode(graph))
        assert tuple(read.sites()) == graph.sites
        assert (read.nodes, tuple(read.dependencies())) == (graph.nodes, graph.dependencies)


def test_what_is_looked_up_is_what_a_scan_finds() -> None:
    """Sites by target, by name and by what they say of a definition."""
    graph = _graph(5, 400)
    read, sites = Columns(encode(graph)), list(enumerate(graph.sites))
    for wanted in ({Target("a.py", "f")}, {Target("b.py", "C.g"), Target("", "os.path")}, {Target("x", "y")},
                   {Target("x", str(number)) for number in range(9)} | {Target("a.py", "f")}):  # fmt: skip
        assert read.sites_to(wanted) == [number for number, site in sites if wanted & set(site.targets)]
    for names in ({"f"}, {"f", "ünï", "nothing"}, {str(number) for number in range(9)} | {"f"}):
        loose = [
            n for n, site in sites
            if last_name(site.text) in names and (site.status is not Status.RESOLVED or site.reason)
        ]  # fmt: skip
        assert read.loose_sites(names) == loose
    for role in (Role.INHERIT, Role.OVERRIDE, Role.DECORATE):
        for node in range(300):
            at = [n for n, site in sites if (site.role, site.source) == (role, node)]
            assert list(read.sites_of(node, role)) == at
            assert read.above(node, role) == [target for n in at for target in graph.sites[n].targets]


def test_a_mark_tells_role_status_and_whether_a_call_is_at_the_same_place() -> None:
    """A name counts as called where a call has its very place, however many sites stand there."""
    def site(role: Role, column: int) -> Site:
        return Site(role, 0, 1, column, 1, column + 1, "f", Status.AMBIGUOUS, _TARGETS[1], "")

    roles = (Role.REFERENCE, Role.IMPORT, Role.CALL)
    sites = (*(site(role, 3) for role in roles), site(Role.REFERENCE, 9), site(Role.WRITE, 12), site(Role.CALL, 20))
    read = Columns(encode(FileGraph(_graph(0, 0).nodes, sites, (), frozenset(), "", False)))
    assert [mark in CALLING for mark in read.marks] == [True, False, True, False, False, True]
    named = marked(frozenset({Role.REFERENCE}))
    assert [mark in named for mark in read.marks] == [True, False, False, True, False, False]
    assert by_status(read.marks) == {**dict.fromkeys(Status, 0), Status.AMBIGUOUS: 6}
