"""Pass 4b: the calls by a name, all of them or those that fill a slot, as far as they are few enough to tell something.

Knows names and files, not functions: whose calls they are is asked of each (`callers`, `reaching`).
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.file import slots
from everdex.graph.python.file.keys import called_key, calls_key, others_key, passes_key
from everdex.graph.python.file.slots import FEW, MAX_CALL_SITES


def sites_of(
    engine: Engine, names: list[str], others: list[str], path: str, wanted: tuple[str, ...] = ()
) -> tuple[list[tuple[str, int]], bool]:
    """Calls by names that a file defines, and by others, which fill one of these slots, if any is asked for; when many
    files have some, those of files that are no tests, or of that file alone, and True."""
    sites: list[tuple[str, int]] = []
    is_cut, least, large = False, 0, list[tuple[str, str]]()
    for name, is_own in (*((name, True) for name in names), *((name, False) for name in others)):
        found = _filling(engine, name, wanted)
        if found is None:
            engine.note(engine.file(path), calls_key(path, name))
            if not is_own:
                engine.note(engine.file(path), others_key(path, name))
            is_cut = is_cut or is_own
            found = _Found(_outside_tests(engine, path, name, wanted) or _in_file(engine, path, name), 0, [])
        sites += found.sites
        least += found.least
        large += found.large
    for other, name in large:
        if other == path or least <= MAX_CALL_SITES:  # else nobody looks there, however many they are
            engine.note_calls(engine.file(other), name)
    if len(sites) <= MAX_CALL_SITES:
        return sites, is_cut
    kept = _seldom(path, Counter([site[0] for site in sites]))
    few = [site for site in sites if site[0] in kept]
    return few, is_cut or len(few) < len(sites)


class _Found(NamedTuple):
    """The calls by a name."""

    sites: list[tuple[str, int]]
    least: int  # so many at least, as far as is noted by the name alone
    large: list[tuple[str, str]]  # files with more than few, and the name


def _filling(engine: Engine, name: str, wanted: tuple[str, ...]) -> _Found | None:
    """Those which fill one of these slots; None when many files have some."""
    files = engine.calling(name) if not wanted else _passing(engine, name, wanted)
    if files is None:
        return None
    sites: list[tuple[str, int]] = []
    least, large = 0, []
    for path in files:
        found = _in_file(engine, path, name)
        entries = engine.file(path).entries
        filled = [slots.filled(entries, entries[number]) for _, number in found] if wanted or len(found) > FEW else []
        if wanted:
            chosen = [number for number, each in enumerate(filled) if not each.isdisjoint(wanted)]
            found, filled = [found[number] for number in chosen], [filled[number] for number in chosen]
        sites += found
        counts = _counts(filled, wanted) if len(found) > FEW else [len(found)]
        least += max(map(slots.least, counts)) if wanted else sum(map(slots.least, counts))
        large += [(path, name)] if max(counts) > FEW else []
    return _Found(sites, least, large)


def _outside_tests(engine: Engine, path: str, name: str, wanted: tuple[str, ...]) -> list[tuple[str, int]]:
    """Those of a file, and of others that are no tests: who tests something calls it all over, with what suits a test.
    Nothing when they are still many."""
    files = engine.offering_few(called_key(name)) or ()
    found: list[tuple[str, int]] = []
    for other in dict.fromkeys((path, *files)) if files else ():
        file = engine.file(other)
        engine.note_calls(file, name)
        entries = file.entries
        found += [
            each
            for each in _in_file(engine, other, name)
            if other == path or not wanted or not slots.filled(entries, entries[each[1]]).isdisjoint(wanted)
        ]
    return found if len(found) <= MAX_CALL_SITES else []


def _passing(engine: Engine, name: str, wanted: tuple[str, ...]) -> list[str] | None:
    """The files with calls by a name that fill one of these slots; None when there are many of one."""
    found: set[str] = set()
    for slot in wanted:
        files = engine.offering_few(passes_key(name, slot))
        if files is None:
            return None
        found.update(files)
    return sorted(found)


def _counts(filled: list[frozenset[str]], wanted: tuple[str, ...]) -> list[int]:
    """How many of some calls fill each of these slots; of all, how many pass something, and how many nothing."""
    if wanted:
        return [sum(slot in each for each in filled) for slot in wanted]
    passing = sum(map(bool, filled))
    return [passing, len(filled) - passing]


def _in_file(engine: Engine, path: str, name: str) -> list[tuple[str, int]]:
    return [(path, each) for each in engine.file(path).calls_by_name.get(name, ())]


def _seldom(path: str, counts: Counter[str]) -> set[str]:
    """Of the files that call a name a function's own, and those that call it seldom, while all these calls are few:
    who begins something calls it once, who goes on with it often."""
    kept, room = {path}, FEW - counts[path]
    for other, count in sorted(counts.items(), key=lambda each: (each[1], each[0])):
        if other != path and count <= room:
            kept.add(other)
            room -= count
    return kept
