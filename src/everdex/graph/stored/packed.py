"""The stored form of one file's graph: columns of small numbers and one table of strings, compressed.

Other files are named by path and definitions by key, never by number, so that the bytes stay right when they are copied
into the graph of another snapshot. Equal graphs have equal bytes. `columns.py` reads this form.
"""

from __future__ import annotations

import re
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, TypeVar

import msgspec

from everdex.graph.model import FileGraph, Node, Role, Site, Status, Target

T = TypeVar("T")
# The last name of a text, or the operator that is a member of what stands before it: `a.plus`, `a.operator+`, `a.[]=`.
_LAST: Final = re.compile(
    r"(?:[^\W\d][\w$]*[?!]?|(?:\boperator|\bunary_|(?<=\.)|\A)[^\w\s.()]{1,8}|\boperator\(\))\Z"
)
_LEVEL: Final = 4  # level 6 is 1 % smaller and takes twice as long, with every edit of the file
# A site's mark is one byte: its role, its status, who says so, and whether a call has the very same place.
BY_MARK: Final = tuple((role, status) for role in Role for status in Status)
_MARKS: Final = {pair: mark for mark, pair in enumerate(BY_MARK)}
SEMANTIC: Final = 1 << 6
CALLED: Final = 1 << 7
PLAIN: Final = SEMANTIC - 1  # what is left of a mark without these


@cache
def marked(roles: frozenset[Role] | None, statuses: frozenset[Status] = frozenset(Status)) -> frozenset[int]:
    """The marks of sites with one of these roles (None: any) and statuses."""
    plain = {_MARKS[role, status] for role in (Role if roles is None else roles) for status in statuses}
    return frozenset({mark | more for mark in plain for more in (0, CALLED, SEMANTIC, CALLED | SEMANTIC)})


# Calls, and what is only named by one: who asks for callers means both.
CALLS: Final = marked(frozenset({Role.CALL}))
CALLING: Final = CALLS | {mark for mark in marked(frozenset({Role.REFERENCE})) if mark & CALLED}


def by_status(marks: Iterable[int]) -> dict[Status, int]:
    """How many of these marks say what."""
    counts = dict.fromkeys(Status, 0)
    for mark, count in Counter(marks).items():
        counts[BY_MARK[mark & PLAIN][1]] += count
    return counts


def last_name(text: str) -> str:
    """The name that a site asks for: `open` in `self.store.open`; '' when what it names has no name of its own."""
    found = _LAST.search(text)
    return found[0] if found else ""


class Packed(msgspec.Struct, array_like=True, gc=False):
    """The stored form. Deltas and differences are small, and small numbers compress."""

    strings: list[str]  # kinds, site texts, reasons, target paths, target keys
    node_keys: list[str]  # '' where the key is the parent's and the name
    node_names: list[str]
    node_qualified: list[str]  # '' where it is the parent's and the name
    node_kinds: list[int]
    node_parents: list[int]
    node_starts: list[int]  # as differences
    node_lengths: list[int]
    node_lines: list[int]  # as differences
    node_heights: list[int]
    node_name_lines: list[int]
    node_name_columns: list[int]
    node_signatures: list[str]
    node_public: list[int]
    target_paths: list[int]  # as differences
    target_keys: list[int]  # as differences
    target_sets: list[list[int]]  # the first is empty
    site_marks: bytes
    site_sources: bytes  # of `_narrow`
    site_lines: bytes
    site_columns: bytes
    site_heights: bytes
    site_ends: bytes
    site_texts: bytes
    site_targets: bytes
    site_reasons: bytes
    dependencies: list[tuple[int, int, list[int]]]  # target, line, names
    node_symbols: list[str]  # semantic ids; empty where no node has one


_ENCODER: Final = msgspec.msgpack.Encoder()


class _Numbers(dict[T, int]):
    """Numbers for things, in order of first use."""

    def __missing__(self, thing: T) -> int:
        number = self[thing] = len(self)
        return number


def encode(graph: FileGraph) -> bytes:
    """The blob of a file's graph; the same graph gives the same bytes."""
    strings = _Numbers[str]()
    targets = _Numbers[Target]()
    target_sets = _Numbers[tuple[int, ...]]({(): 0})
    nodes, sites = graph.nodes, graph.sites
    known: dict[int, int] = {}  # sites share their targets: most need not be looked into

    def target_set(chosen: tuple[Target, ...]) -> int:
        number = known.get(id(chosen))
        if number is None:
            number = known[id(chosen)] = target_sets[tuple([targets[each] for each in chosen])]
        return number

    site_targets = [target_set(site.targets) for site in sites]
    dependencies = [
        (targets[item.target], item.line, [strings[name] for name in item.names]) for item in graph.dependencies
    ]
    packed = Packed(
        [],
        ["" if node.key == _child(nodes, node, "key") else node.key for node in nodes],
        [node.name for node in nodes],
        ["" if node.qualified_name == _child(nodes, node, "qualified_name") else node.qualified_name for node in nodes],
        [strings[node.kind] for node in nodes],
        [node.parent for node in nodes],
        _deltas(node.start_byte for node in nodes),
        [node.end_byte - node.start_byte for node in nodes],
        _deltas(node.start_line for node in nodes),
        [node.end_line - node.start_line for node in nodes],
        [node.name_line - node.start_line for node in nodes],
        [node.name_column for node in nodes],
        [node.signature for node in nodes],
        [int(node.public) for node in nodes],
        _deltas(strings[target.path] for target in targets),
        _deltas(strings[target.key] for target in targets),
        [list(numbers) for numbers in target_sets],
        _marks(sites),
        _narrow(_deltas(site.source for site in sites)),
        _narrow(_deltas(site.line for site in sites)),
        _narrow([site.column for site in sites]),
        _narrow([site.end_line - site.line for site in sites]),
        # Most sites end on their line, right behind their text.
        _narrow([site.end_column - site.column - len(site.text) for site in sites]),
        _narrow([strings[site.text] for site in sites]),
        _narrow(site_targets),
        _narrow([strings[site.reason] for site in sites]),
        dependencies,
        list(graph.symbols),
    )
    packed.strings = list(strings)
    return zlib.compress(_ENCODER.encode(packed), _LEVEL)


def _marks(sites: Sequence[Site]) -> bytes:
    calls = {(site.line, site.column, site.end_line, site.end_column) for site in sites if site.role is Role.CALL}
    return bytes([
        _MARKS[site.role, site.status]
        | (SEMANTIC if site.semantic else 0)
        | (CALLED if site.role is Role.REFERENCE
           and (site.line, site.column, site.end_line, site.end_column) in calls else 0)
        for site in sites
    ])  # fmt: skip


def _child(nodes: Sequence[Node], node: Node, attribute: str) -> str | None:
    """What a name is called inside its parent; None for the file, which has no parent."""
    if node.parent < 0:
        return None
    prefix: str = getattr(nodes[node.parent], attribute)
    return f"{prefix}.{node.name}" if prefix else node.name


def _deltas(numbers: Iterable[int]) -> list[int]:
    deltas, before = [], 0
    for number in numbers:
        deltas.append(number - before)
        before = number
    return deltas


def _narrow(numbers: list[int]) -> bytes:
    """Numbers of as few bytes each as all of them need, behind the letter that says how many."""
    most = max(max(numbers), -min(numbers)) if numbers else 0
    code = "b" if most < 1 << 7 else "h" if most < 1 << 15 else "i"
    return code.encode() + array(code, numbers).tobytes()
