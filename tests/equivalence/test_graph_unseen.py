"""Lines put into function bodies and taken out again: who is not asked again would have found what he found before.

Over the cases of the call graph, which have every rule of the resolver in a few lines each.
"""

from __future__ import annotations

import keyword
import random
import re
from collections.abc import Iterator

import pytest

from equivalence.parts import KeptTree, seen_keys, step
from everdex.graph.python.file.files import File
from everdex.graph.stored.columns import Columns
from everdex.graph.stored.part_table import decode
from everdex.graph.stored.record import FileRecord
from everdex.numeric import np
from fixtures.callgraph.python.harness import Case, cases

_CASES = list(cases())
_KEYWORDS = frozenset(each.encode() for each in keyword.kwlist)
_USUAL = (b"return None", b"x = None", b"self.x = None", b"yield 1", b"x()", b"x.x()", b"added: 'A' = x")


def _edits(tree: KeptTree, chance: random.Random) -> Iterator[tuple[str, str, int, int, bytes]]:
    """A path, the key of a function that is in no other, a line of it, how many it gets more, and the file then."""
    bodies = {
        path: [(key, line) for key, (first, last) in _functions(tree, path).items() for line in range(first, last + 1)]
        for path in tree.files
    }
    lines_of = {path: data.split(b"\n") for path, data in tree.files.items()}
    written = {lines_of[path][line].partition(b"#")[0].strip() for path, body in bodies.items() for _, line in body}
    pool = sorted(each for each in written if each and not each.endswith((b":", b",", b"(", b"[", b"{")))
    named = {name for each in written for name in re.findall(rb"\b[A-Za-z_]\w*", each)}
    names = sorted((named - _KEYWORDS) | {b"x"})
    for path, body in bodies.items():
        lines = lines_of[path]
        for key, line in body:
            indent = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
            yield path, key, line, 0, b"\n".join((*lines[:line], indent + b"pass", *lines[line + 1 :]))
            rebound = [b"%s = %s" % (chance.choice(names), chance.choice(names)) for _ in range(2)]
            for added in (b"added = 1", *chance.sample([*pool, *_USUAL], 2), *rebound):
                yield path, key, line, 1, b"\n".join((*lines[:line], indent + added, *lines[line:]))


def _functions(tree: KeptTree, path: str) -> dict[str, tuple[int, int]]:
    """Functions that are in no other, with the lines of their bodies."""
    record, data = tree.records[path], tree.files[path]
    nodes = Columns(record.blob).nodes
    scopes = {scope.key: scope for scope in File(path, tree.world.facts(path)).scopes}
    own = [scopes[nodes[node].key] for node, _ in decode(record.parts, record.keys["reads"]).parts[1:]]
    return {each.key: (data.count(b"\n", 0, each.body), data.count(b"\n", 0, each.end)) for each in own}


def _parts(record: FileRecord) -> dict[str, int]:
    """The digest of each part."""
    nodes = Columns(record.blob).nodes
    return {nodes[node].key: digest for node, digest in decode(record.parts, record.keys["reads"]).parts}


def _found(record: FileRecord, taken: int, by: int) -> dict[str, tuple[list[object], frozenset[int]]]:
    """Of each part its sites, moved as if lines after one had been taken out or put in, and what it looked at."""
    table, columns = decode(record.parts, record.keys["reads"]), Columns(record.blob)
    sites: list[list[object]] = [[] for _ in table.parts]
    for site, part in zip(columns.sites(), table.of_sites, strict=True):
        line = site.line + by if site.line > taken else site.line
        named = (columns.nodes[site.source].key, site.role, line, site.column, site.text)
        sites[part].append((*named, site.status, site.targets, site.reason))
    keys = [*table.others.tolist(), *table.own.tolist()]
    rows = np.unpackbits(table.looked, axis=1, count=len(table.parts)).T.tolist()
    looked = [frozenset(key for key, bit in zip(keys, row, strict=True) if bit) for row in rows]
    named_parts = [columns.nodes[node].key for node, _ in table.parts]
    return dict(zip(named_parts, zip(sites, looked, strict=True), strict=True))


def _compare(old: KeptTree, new: KeptTree, path: str, line: int, by: int) -> tuple[int, list[str]]:
    """How many parts were not asked again, and those that should have been."""
    low = seen_keys(old, new.world, new.offers)
    kept, wrong = 0, []
    for each, record in old.records.items():
        parts, parts_now = _parts(record), _parts(new.records[each])
        before = _found(record, line, by if each == path else 0)
        after = _found(new.records[each], 0, 0)
        stale = decode(record.parts, record.keys["reads"]).stale(low)
        for number, (name, digest) in enumerate(parts.items()):
            if number not in stale and digest == parts_now[name]:
                kept += 1
                if before[name] != after[name]:
                    wrong.append(f"{each}::{name} after line {line + 1} of {path}")
    return kept, wrong


def _compare_case(case: Case, seed: int) -> tuple[int, int, list[str]]:
    """Parts that were not asked again, of how many, and those that should have been."""
    chance = random.Random(seed)
    old, _, _ = step(KeptTree(), case.files)
    kept, of, wrong = 0, 0, []
    for path, edited, line, by, data in _edits(old, chance):
        new, parts, _ = step(KeptTree(), {**case.files, path: data})
        functions, functions_now = _functions(old, path), _functions(new, path)
        (first, last), around = functions[edited], functions_now.get(edited)
        if around != (first, last + by) or functions.keys() != functions_now.keys():
            continue  # it held more together than itself
        for before, after, more in ((old, new, by), (new, old, -by)):
            found, differing = _compare(before, after, path, line, more)
            kept, of, wrong = kept + found, of + parts - 1, wrong + differing
    return kept, of, wrong


@pytest.mark.parametrize("shard", range(8))
def test_who_is_not_asked_again_would_find_the_same(shard: int) -> None:
    """One line more, one line less: sites, targets and what was looked at, in every case of every rule."""
    kept, of = 0, 0
    for case in _CASES[shard::8]:
        found, among, wrong = _compare_case(case, shard)
        assert wrong == [], case.name
        kept, of = kept + found, of + among
    assert kept > 0.5 * of
