"""What indexers said, looked after: what is kept of bytes that no retained snapshot has, and what was damaged.

Facts are no part of a snapshot and are not derived from one, so neither a manifest nor the tree tells what they should
be; they carry their own checksums and counts. Another everdex's are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import xxhash

from everdex.durable import remove_leftovers, storage_errors
from everdex.errors import Corrupt, Incompatible
from everdex.segment.files import FileLine
from everdex.semantic import kept
from everdex.semantic.importing import alone
from everdex.semantic.kept import ContextFacts, Entry
from everdex.snapshot import active, manifest
from everdex.snapshot.live import live_map
from everdex.snapshot.store import Store
from everdex.snapshot.trees import tree_size
from everdex.upkeep.findings import Finding, differs


def orphans(store: Store, retained: Iterable[str]) -> tuple[str, ...]:
    """Files of facts of which not one document is about bytes that a retained snapshot has."""
    names = [name for name, *_ in kept.stamp(store)]
    if not names:
        return ()
    wanted = set(retained)
    contents: set[tuple[str, bytes]] = set()
    for _, path in active.published(store):
        found = manifest.read(path)
        if found.snapshot_id in wanted:
            files = live_map(store.path, found).files
            contents.update((key, bytes.fromhex(file.line.content_hash)) for key, file in files.items())
    return tuple(name for name in names if _is_orphan(store, name, contents))


def _is_orphan(store: Store, name: str, contents: set[tuple[str, bytes]]) -> bool:
    try:
        facts = ContextFacts(store.semantic / name)
    except (FileNotFoundError, Corrupt, Incompatible):
        return False  # gone, for `repair`, or another everdex's
    return all((entry.path, entry.content) not in contents for entry in facts.entries)


def size(store: Store, names: Iterable[str]) -> int:
    return sum(tree_size(store.semantic / name) for name in names)


def collect(store: Store, retained: Iterable[str]) -> tuple[tuple[str, ...], int]:
    """Delete the facts that no retained snapshot needs, under the import lock; their names and bytes."""
    if not store.semantic.is_dir():
        return (), 0
    with alone(store):
        found = orphans(store, retained)
        freed = size(store, found)
        remove_leftovers(store.semantic)
        for name in found:
            with storage_errors(store.semantic / name):
                (store.semantic / name).unlink(missing_ok=True)
    return found, freed


def findings(store: Store, lines: Mapping[str, FileLine]) -> Iterator[Finding]:
    """Every number of every file of facts counted again; `lines` are the files of a snapshot."""
    for name, *_ in kept.stamp(store):
        subject = f"semantic/{name}"
        try:
            facts = ContextFacts(store.semantic / name)
        except (FileNotFoundError, Incompatible):
            continue
        except Corrupt as error:
            yield Finding("semantic_damaged", subject, "facts as they were imported", error.message)
            continue
        for entry in facts.entries:
            yield from _of_document(f"{subject}#{entry.path}", facts, entry, lines.get(entry.path))


def _of_document(subject: str, facts: ContextFacts, entry: Entry, line: FileLine | None) -> Iterator[Finding]:
    digest = xxhash.xxh3_128_hexdigest(facts.raw(entry))
    yield from differs("semantic_digest", subject, entry.digest.hex(), digest)
    try:
        document = facts.document(entry)
    except Corrupt as error:
        yield Finding("semantic_damaged", subject, "a document", error.message)
        return
    columns = (document.starts, document.lengths, document.numbers, document.roles)
    yield from differs("semantic_occurrences", subject, [entry.occurrences] * len(columns), list(map(len, columns)))
    last = max(map(sum, zip(document.starts, document.lengths, strict=False)), default=0)
    if line is not None and line.content_hash == entry.content.hex() and last > line.size:
        yield Finding("semantic_places", subject, f"at most {line.size}", str(last))
