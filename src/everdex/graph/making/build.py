"""Makes the graph of a snapshot: from nothing, or from the graph of another snapshot and the difference to it.

A file is resolved again when its content changed, or when it read a key whose offers changed (`model` explains keys and
offers). All other files are copied from the graph before. Where a resolver knows parts of a file, the same rule is
applied to each part, and the other parts are copied. The bytes of the result do not depend on which way it was made,
nor on how often the making was ended and begun again. Whoever needs few files may have only those resolved; of the
others it is then known what they offer (`unfinished`).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

from everdex.durable import Pieces
from everdex.graph.making.crew import Crew, Edited, Wanted, helped, hire
from everdex.graph.making.unfinished import DIGEST as UNFINISHED
from everdex.graph.making.unfinished import Saving, many_wait, waiting_entry, worth_keeping
from everdex.graph.making.world import Before
from everdex.graph.model import Since
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import TABLES, FileEntry, Graph, Parts, pack
from everdex.graph.stored.blobs import NO_BLOBS
from everdex.graph.stored.offers import NO_OFFERS, FileOffers, Offers, changed_keys, noted_keys
from everdex.graph.stored.postings import EMPTY, U32
from everdex.graph.stored.record import FileRecord
from everdex.memory import roomy
from everdex.numeric import np, npt
from everdex.sync.model import Progress
from everdex.view import SnapshotView

_EDITED: Final = 64  # files: no edit, but another branch


@dataclass(frozen=True, slots=True)
class Built:
    """A graph, and how much of it had to be worked out."""

    pieces: Pieces  # of no snapshot when only some files were to be resolved, and others wait
    files: tuple[FileEntry, ...]
    changed: int  # files that are new or have other content
    resolved: int  # files that were resolved: those, and who looked at what they offer
    invalidated: int  # calls in the base that lead somewhere, of files that were resolved again or are gone

    @property
    def is_finished(self) -> bool:
        return not any(entry.waits for entry in self.files)

    @property
    def data(self) -> bytes:
        return b"".join(self.pieces)


@roomy
def build(
    view: SnapshotView, resolvers: Resolvers, base: Graph | None, *, workers: int, progress: Progress,
    saving: Saving | None = None, only: Container[str] | None = None, begins: bool = False,
) -> Built:  # fmt: skip
    """The graph of a view; `base` is the graph of some other snapshot by the same resolvers, or an unfinished one.

    With `saving` not all is lost when it is ended before it is done. Of the files that are to be resolved, `only` these
    are; none where it only `begins` and they are many.
    """
    files = _files(view, resolvers)
    paths = list(files)
    numbers = {path: number for number, path in enumerate(paths)}
    old = base.files if base is not None else ()
    kept = {entry.path: number for number, entry in enumerate(old)}
    same = {entry.path for entry in old if files.get(entry.path) == (entry.content, entry.language)}
    changed = [path for path in paths if path not in same]
    waiting = same & base.waiting if base is not None else frozenset()
    with hire(view, resolvers, max(len(changed), 0 if only is not None else len(waiting)), workers) as crew:
        fresh: dict[str, FileOffers] = {}
        progress("offers", 0, len(changed))
        for path, offered in zip(changed, crew.offers(changed), strict=True):
            fresh[path] = offered
            progress("offers", len(fresh), len(changed))
        gone = [entry.path for entry in old if entry.path not in same]
        offers = (base.offers if base is not None else NO_OFFERS).merged(
            _renumber(old, numbers), {numbers[path]: item for path, item in fresh.items()}
        )
        former = _offered(base, gone)
        keys = _changed_keys(crew, base, former, fresh, offers)
        todo = sorted({*changed, *waiting, *(_suspects(base, keys) & same)})
        since = _since(view, base, {*gone, *fresh}, (*former.values(), *fresh.values()), keys)
        records: dict[str, FileRecord] = {}
        before = before_of(base, [path for path in todo if path in kept], same, keys)
        wanted = [
            Wanted(path, *files[path], fresh[path].whole if path in fresh else old[kept[path]].offers, before.get(path))
            for path in todo
        ]

        chosen = () if begins and many_wait(len(wanted), len(files)) else only
        asked = wanted if chosen is None else [each for each in wanted if each.path in chosen]

        def left() -> dict[str, FileEntry]:
            return {each.path: waiting_entry(each) for each in wanted if each.path not in records}

        def save() -> bool:
            return saving is not None and saving.save(
                lambda: pack(assembled(UNFINISHED, resolvers, base, paths, offers, records, left()))
            )

        if chosen is None and many_wait(len(asked), len(files)) and save():
            progress("graph", 0, len(asked))  # others may ask for a few files while all are resolved
        try:
            with helped(crew, view, resolvers, len(asked), workers) as hands:
                hands.enter(offers, paths, since)
                for done, item in enumerate(hands.resolve(asked), start=1):
                    records[item.entry.path] = item
                    progress("graph", done, len(asked))
                    if saving is not None and saving.is_due:
                        save()
        except BaseException as error:
            if worth_keeping(len(records)) and save():
                error.add_note(f"{len(records):,} of {len(todo):,} files are resolved and kept: ask again to go on")
            raise
    again = {*todo, *gone}
    invalidated = sum(entry.calls[0] + entry.calls[1] for entry in old if entry.path in again)
    digest = view.manifest.digest if len(records) == len(todo) else UNFINISHED
    made = assembled(digest, resolvers, base, paths, offers, records, left())
    return Built(pack(made), made.files, len(changed), len(records), invalidated)


def knows_all(graph: Graph, view: SnapshotView, resolvers: Resolvers) -> bool:
    """Whether an unfinished graph is of just the files of a view."""
    return {entry.path: (entry.content, entry.language) for entry in graph.files} == _files(view, resolvers)


def _files(view: SnapshotView, resolvers: Resolvers) -> dict[str, tuple[bytes, str]]:
    """Content and language of the live files that some resolver knows, in the order of their paths."""
    known = {language for language in set(view.file_languages) if resolvers.knows(language)}
    return {
        path: (bytes.fromhex(content), language)
        for path, content, language in zip(view.paths, view.file_contents, view.file_languages, strict=True)
        if language in known
    }


def _offered(base: Graph | None, gone: Sequence[str]) -> dict[str, FileOffers]:
    """What files of the base offered that are gone or have other content."""
    if base is None:
        return {}
    numbers = [number for path in gone if (number := base.number(path)) is not None]
    found = base.offers.of(numbers, [entry.offers for entry in base.files])
    return {base.paths[number]: item for number, item in found.items()}


def _since(
    view: SnapshotView, base: Graph | None, files: set[str], offered: Sequence[FileOffers], keys: U32
) -> Since:
    """How the view differs from the base; from no snapshot where there is none, or where little is as it was."""
    if base is None or len(files) > _EDITED:
        return Since("", view.manifest.digest, frozenset(), frozenset())
    own = [item.keys.astype(np.uint32) for item in offered]
    found = frozenset(np.concatenate((keys, *own)).tolist())
    return Since(base.digest, view.manifest.digest, frozenset(files), found)


def _changed_keys(
    crew: Crew, base: Graph | None, former: dict[str, FileOffers], fresh: dict[str, FileOffers], offers: Offers
) -> U32:
    """The keys of which the offers are not what they were, as far as a reader could tell."""
    if base is None:
        return np.zeros(0, dtype=np.uint32)
    changed = {path: changed_keys(former.get(path), fresh.get(path)) for path in {*former, *fresh}}
    edited = [
        Edited(entry.path, entry.content, changed[entry.path])
        for number in map(base.number, former)
        if number is not None and (entry := base.files[number]).path in fresh and changed[entry.path]
    ]
    found = {path: set(keys) for path, keys in changed.items()}
    for each, unseen in zip(edited, crew.unseen(edited), strict=True):
        found[each.path] -= unseen
    return noted_keys(set().union(*found.values()), base.offers, offers)


def _suspects(base: Graph | None, keys: U32) -> set[str]:
    """Files of the base that looked at one of these keys.

    What a failed file looked at is not known: any changed key may mend it.
    """
    if base is None or not len(keys):
        return set()
    failed = {entry.path for entry in base.files if entry.failed}
    return failed | {base.paths[number] for number in base.tables["reads"].holders_of_any(keys)}


def before_of(base: Graph | None, paths: Sequence[str], same: set[str], keys: U32) -> dict[str, Before]:
    """What the base says of files that were resolved in parts."""
    if base is None:
        return {}
    numbers = [number for path in paths if (number := base.number(path)) is not None and base.parts(number)]
    looked = base.tables["reads"].of(numbers)
    return {
        base.paths[number]: Before(
            base.blob(number), base.parts(number), looked[number], keys, base.files[number],
            base.paths[number] in same,
        )
        for number in numbers
    }  # fmt: skip


def _renumber(old: Sequence[FileEntry], numbers: dict[str, int]) -> npt.NDArray[np.int64]:
    """Old file numbers to new ones; -1 for files that are gone. Both are in path order."""
    return np.array([numbers.get(entry.path, -1) for entry in old], dtype=np.int64)


def assembled(
    digest: str, resolvers: Resolvers, base: Graph | None, paths: Sequence[str], offers: Offers,
    records: dict[str, FileRecord], left: dict[str, FileEntry],
) -> Parts:  # fmt: skip
    """What was resolved, copied, and `left` to be done."""
    numbers = {path: number for number, path in enumerate(paths)}
    old = base.files if base is not None else ()
    settled = {**{path: item.entry for path, item in records.items()}, **left}
    copied = {entry.path: number for number, entry in enumerate(old) if entry.path not in settled}
    entries = tuple([settled[path] if path in settled else old[copied[path]] for path in paths])
    kept = np.array([copied.get(path, -1) for path in paths], dtype=np.int64)
    fresh = {numbers[path]: item for path, item in records.items()}
    nothing = {numbers[path]: b"" for path in left}
    blobs = (base.blobs if base is not None else NO_BLOBS).spliced(
        kept, {**{number: item.blob for number, item in fresh.items()}, **nothing}
    )
    parts = (base.part_blobs if base is not None else NO_BLOBS).spliced(
        kept, {**{number: item.parts for number, item in fresh.items()}, **nothing}
    )
    renumber = _renumber(old, {path: number for path, number in numbers.items() if path not in left})
    tables = {
        name: (base.tables[name] if base is not None else EMPTY).merged(
            renumber, {number: item.keys[name] for number, item in fresh.items() if name in item.keys}
        )
        for name in TABLES
    }
    asked = (base.asked if base is not None else NO_OFFERS).merged(
        renumber, {number: item.asked for number, item in fresh.items() if item.asked is not None}
    )
    return Parts(digest, resolvers.version, entries, blobs, parts, offers, asked, tables)
