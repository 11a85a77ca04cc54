"""Names that are two files here and one elsewhere: equal after NFC, or equal after casefolding.

Keys must be unique, so of an NFC clash only the first by bytes stays a candidate; casefold clashes keep both.
Whether a collision stops a publish is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from everdex.discover.model import Candidate, Collision


def unique(found: Mapping[bytes, Candidate]) -> tuple[tuple[Candidate, ...], tuple[Collision, ...]]:
    """One candidate a key, sorted by key, and the collisions among them."""
    by_key = {candidate.path_key: candidate for candidate in found.values()}
    collisions: list[Collision] = []
    if len(by_key) < len(found):
        ordered = sorted(found)
        by_key = {}
        for path in ordered:
            by_key.setdefault(found[path].path_key, found[path])
        collisions += _groups((found[path].path_key, path.decode()) for path in ordered)
    if len({key.casefold() for key in by_key}) < len(by_key):
        collisions += _groups((key.casefold(), key) for key in sorted(by_key))
    files = tuple(map(by_key.__getitem__, sorted(by_key)))
    return files, tuple(sorted(collisions, key=lambda collision: (collision.key, collision.paths)))


def _groups(named: Iterable[tuple[str, str]]) -> list[Collision]:
    groups: dict[str, list[str]] = {}
    for key, path in named:
        groups.setdefault(key, []).append(path)
    return [Collision(key, tuple(paths)) for key, paths in groups.items() if len(paths) > 1]
