"""The difference between the tree and the published snapshot, confirmed by content.

Stat decides only that a file need not be read: all four values agree and were old enough when taken. Every other
doubt is settled by SHA-256. Knows nothing of git beyond a set of suspects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from everdex.changes.model import ChangeSet, IndexedFile, ReadError
from everdex.changes.stable_read import read_stable
from everdex.discover.model import Candidate, Discovery
from everdex.roots import Root

# A kernel stamps files with a clock that ticks every 1 to 10 ms: within two ticks a second write can leave
# no trace in the stat.
RACY_NS: Final = 20_000_000
# Some file systems keep whole seconds only (ext3, HFS+, sshfs), or every other one (FAT).
_COARSE_NS: Final = 2_000_000_000
_SECOND_NS: Final = 1_000_000_000


def is_settled(mtime_ns: int, ctime_ns: int, observed_ns: int) -> bool:
    """Whether times seen at some moment are so old then that every later write would have others."""
    newest = mtime_ns if mtime_ns > ctime_ns else ctime_ns
    limit = observed_ns - RACY_NS
    if newest < limit - _COARSE_NS:
        return True
    return newest < limit and not (mtime_ns % _SECOND_NS == 0 == ctime_ns % _SECOND_NS)


def detect(
    root: Root,
    discovery: Discovery,
    indexed: Mapping[str, IndexedFile],
    *,
    suspects: frozenset[str] | None = frozenset(),
    always_rehash: bool = False,
) -> ChangeSet:
    """What to add, modify, delete and rename so that the snapshot equals the tree.

    A file that cannot be read stays in `add` or `modify`: whether that stops a publish is the sync's decision.
    """
    rehash_all = always_rehash or suspects is None
    doubtful = suspects or frozenset()
    add: list[Candidate] = []
    modify: list[Candidate] = []
    touched: list[str] = []
    vanished: set[str] = set()
    unchanged = 0
    for candidate in discovery.files:
        key = candidate.path_key
        known = indexed.get(key)
        if known is None:
            add.append(candidate)
            continue
        seen = known.stat
        same = candidate.stat is seen or candidate.stat == seen
        if (
            same
            and not rehash_all
            and key not in doubtful
            and is_settled(seen.mtime_ns, seen.ctime_ns, known.observed_ns)
        ):
            unchanged += 1
            continue
        content = _content_hash(root, candidate)
        if content == "":
            vanished.add(key)
        elif content != known.content_hash:
            modify.append(candidate)
        elif same:
            unchanged += 1
        else:
            touched.append(key)
    deleted: list[str] = []
    if vanished or len(discovery.files) - len(add) < len(indexed):
        present = {candidate.path_key for candidate in discovery.files} - vanished
        deleted = sorted(indexed.keys() - present)
    rename, add = _renames(root, deleted, add, indexed)
    moved = {old for old, _ in rename}
    return ChangeSet(
        add=tuple(add),
        modify=tuple(modify),
        delete=tuple(key for key in deleted if key not in moved),
        rename=tuple(rename),
        touched=tuple(touched),
        unchanged=unchanged,
    )


def _content_hash(root: Root, candidate: Candidate) -> str | None:
    """The hash; empty when the file has vanished, None when it cannot be read."""
    try:
        source = read_stable(root, candidate)
    except ReadError:
        return None
    return "" if source is None else source.content_hash


def _renames(
    root: Root, deleted: list[str], add: list[Candidate], indexed: Mapping[str, IndexedFile]
) -> tuple[list[tuple[str, Candidate]], list[Candidate]]:
    """Pair added files with deleted ones of the same content, one to one and in path order."""
    sizes = {indexed[key].stat.size for key in deleted} - {0}  # all empty files are alike: no evidence
    by_hash: defaultdict[str, list[str]] = defaultdict(list)
    for key in reversed(deleted):
        by_hash[indexed[key].content_hash].append(key)
    renames: list[tuple[str, Candidate]] = []
    rest: list[Candidate] = []
    for candidate in add:
        content = _content_hash(root, candidate) if candidate.stat.size in sizes else None
        if content == "":
            continue  # vanished before it was ever indexed
        if content is not None and by_hash.get(content):
            renames.append((by_hash[content].pop(), candidate))
        else:
            rest.append(candidate)
    return renames, rest
