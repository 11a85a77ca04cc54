"""Answers about one definition while most files wait to be resolved: those are resolved that decide the answer.

Every file is resolved as in the finished graph, because what all others offer is known. Who uses a definition has to
write its name, or, of a class, that of one that inherits from it, but for the `ways` in which it may be used without:
whoever answers is told which of them are open, and what it says then is part of what the finished graph will say.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Final, TypeVar

from everdex.graph import naming
from everdex.graph.artifact import FileEntry, Graph, pack
from everdex.graph.atlas import CONTAINERS, Atlas, Definition, Waiting
from everdex.graph.build import assembled
from everdex.graph.crew import Alone, Crew, Many, Wanted
from everdex.graph.declarations import is_declaration, written_out
from everdex.graph.record import FileRecord
from everdex.graph.resolvers import Resolvers
from everdex.graph.texts import Texts
from everdex.graph.unfinished import DIGEST
from everdex.graph.ways import Way, deciding_name, heirs, open_ways
from everdex.graph.written import can_be_looked_up, files_defining
from everdex.memory import collector_held, roomy
from everdex.sync.model import Progress
from everdex.view import SnapshotView

T = TypeVar("T")

_MOST: Final = 200  # files to be resolved for one question, or, where nobody else resolves them, every fourth
_SHARE: Final = 4
# A worker finds out for itself what the others know of the files that all look at: as much work as so many files.
_WORTH_A_WORKER: Final = 64
_KEPT: Final = 1_000  # resolved files; each takes about half of its source
_MOST_HEIRS: Final = 50  # classes whose users are looked for, too
_LONGEST: Final = 100  # letters of a name whose beginnings are looked for


class Workbench:
    """Resolvers at work on the files of one view, kept between questions: what they found out, and the files that were
    resolved last. Whoever asks next for the same ones, or for neighbours of theirs, has them sooner; what is answered
    does not depend on it. Many files are shared out to `workers`. For one thread at a time."""

    def __init__(self, view: SnapshotView, resolvers: Resolvers, graph: Graph, workers: int = 1) -> None:
        self.resolvers = resolvers
        self._view, self._offers, self._paths = view, graph.offers, graph.paths
        self._workers = workers
        self._crew: Crew | None = None
        self._hired = 0
        self._kept: dict[str, FileRecord] = {}

    def resolved(self, entries: Sequence[FileEntry]) -> Iterator[FileRecord]:
        """Files as the finished graph will have them, in any order."""
        known = [self._kept.pop(entry.path) for entry in entries if entry.path in self._kept]
        done = {item.entry.path for item in known}
        wanted = [
            Wanted(entry.path, entry.content, entry.language, entry.offers, None)
            for entry in entries
            if entry.path not in done
        ]
        for item in chain(known, self._staffed(len(wanted)).resolve(wanted) if wanted else ()):
            self._kept[item.entry.path] = item
            if len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]
            yield item

    def _staffed(self, files: int) -> Crew:
        """Who is at work already, or more where there is much to do."""
        hired = max(1, min(self._workers, files // _WORTH_A_WORKER))
        if self._crew is None or hired > self._hired:
            self.close()
            self._crew = Many(self._view, self.resolvers, hired) if hired > 1 else Alone(self._view, self.resolvers)
            self._hired = hired
            self._crew.enter(self._offers, self._paths)
        return self._crew

    def close(self) -> None:
        """Give back what the resolvers found out, which is most of what it takes; resolved files stay."""
        if self._crew is not None:
            self._crew.end()
            self._crew = None


class Begun:
    """A graph in which files wait, and more of them are resolved as they are asked for; for one question."""

    def __init__(self, bench: Workbench, graph: Graph, progress: Progress, most: int) -> None:
        self._bench, self._progress = bench, progress
        self._most = most  # files to be resolved
        self.graph = graph
        self.resolved = 0  # files, here

    def is_waiting(self, path: str) -> bool:
        number = self.graph.number(path)
        return number is not None and self.graph.is_waiting(number)

    def has_room(self, paths: Collection[str], share: int = 1) -> bool:
        """Whether those of these files that wait would not become too many, or more than this share of as many."""
        return self.resolved + sum(map(self.is_waiting, set(paths))) <= self._most // share

    def resolve(self, paths: Collection[str]) -> bool:
        """Resolve those of these files that wait; False, and nothing is done, when they would become too many."""
        old = self.graph
        if not self.has_room(paths):
            return False
        todo = [old.files[bisect_left(old.paths, path)] for path in sorted(filter(self.is_waiting, set(paths)))]
        records: dict[str, FileRecord] = {}
        for item in self._bench.resolved(todo):
            records[item.entry.path] = item
            self._progress("graph", len(records), len(todo))
        if records:
            made = assembled(DIGEST, self._bench.resolvers, old, old.paths, old.offers, records, {})
            self.graph = Graph(b"".join(pack(made)), "an unfinished graph")
            self.resolved += len(records)
        return True


@contextmanager
def begun(
    view: SnapshotView, resolvers: Resolvers, graph: Graph, progress: Progress, *,
    workers: int = 1, bench: Workbench | None = None,
) -> Iterator[Begun]:  # fmt: skip
    """One to be asked. With a `bench` that stays somebody else makes the whole meanwhile: few files are resolved."""
    used = bench or Workbench(view, resolvers, graph, workers)
    with collector_held():
        try:
            yield Begun(used, graph, progress, _MOST if bench else most_alone(graph))
        finally:
            if bench is None:
                used.close()


def most_alone(graph: Graph) -> int:
    """How many files are resolved for one question where nobody else resolves them."""
    return max(_MOST, len(graph.waiting) // _SHARE)


@roomy
def answered(
    view: SnapshotView, some: Begun, asked: str, method: str, answer: Callable[[Atlas, tuple[Way, ...]], T]
) -> T | None:
    """What `answer` makes of the graph once the files are resolved that decide it, and of the ways that are open then;
    None when no files decide it but all."""
    known = frozenset(some.graph.paths)
    path, last = naming.path_in(asked, known), naming.last_of(asked.rpartition("::")[2])
    if naming.is_id(asked) or (path is None and not can_be_looked_up(last)):
        return None
    texts = Texts(view, known)
    needed: Collection[str] = [path] if path is not None else _naming(view, texts, asked, last, known)
    while some.resolve(needed):
        atlas = Atlas(view, some.graph)
        try:
            found = written_out(atlas, naming.find(atlas, asked))
            if len(found) != 1:
                # Whatever may be called so is resolved, but for what a class has that cannot be looked up.
                in_file = path is not None and "." not in asked.partition("::")[2]
                return answer(atlas, ()) if found or in_file or (path is None and _can_be_known(asked)) else None
            name = deciding_name(atlas, found[0])
            if method == "callees" and not is_declaration(atlas, found[0]):
                needed = _called(atlas, found[0])
            elif name is None or len(name) > _LONGEST:
                return None
            else:
                needed = texts.using(name)
            if any(map(some.is_waiting, needed)):
                continue
            if method != "callees":
                needed = _deciding_heirs(texts, atlas, atlas.constructed(found[0]) or found[0])
                if any(map(some.is_waiting, needed)) and some.has_room(needed, 2):
                    continue  # the rest is for what the answer may ask for
            ways = () if method == "callees" or name is None else open_ways(atlas, texts, found[0], name)
            return answer(atlas, ways)
        except Waiting as waiting:
            needed = [waiting.path]
    return None


def _naming(view: SnapshotView, texts: Texts, asked: str, last: str, known: frozenset[str]) -> Collection[str]:
    """The files that may define what is asked for, and the class that may have it from others. Special methods are
    everywhere: theirs is where their class is."""

    def defining(name: str) -> set[str]:
        return set(files_defining(view, name, known, texts.writing(name)))

    owner = _owner(asked)
    found = defining(last)
    if not can_be_looked_up(owner):
        return found
    if last.startswith("__"):
        found &= {*texts.writing(owner), *(path for path in known if owner in path)}
    return found | defining(owner)


def _owner(asked: str) -> str:
    """What stands before the last dot, without what stands before that."""
    return naming.last_of(naming.dotted(asked).rpartition(".")[0])


def _can_be_known(asked: str) -> bool:
    """Whether everything that is called like the owner of what is asked for could be looked up."""
    owner = _owner(asked)
    return not owner or can_be_looked_up(owner)


def _called(atlas: Atlas, definition: Definition) -> Collection[str]:
    """The files of what a definition calls."""
    columns = atlas.columns(definition.file)
    within = {item.number for item in atlas.inside(definition)}
    sites = (number for number, source in enumerate(columns.sources) if source in within)
    return {target.path for number in sites for target in columns.targets_of(number) if target.path}


def _deciding_heirs(texts: Texts, atlas: Atlas, definition: Definition) -> Collection[str]:
    """The files that use a class by the name of one that inherits from it; none where those are too many."""
    if definition.node.kind not in CONTAINERS:
        return ()
    names = {deciding_name(atlas, item) for item in heirs(atlas, definition)} - {None}
    if len(names) > _MOST_HEIRS:
        return ()
    return {path for name in names if name is not None for path in texts.writing(name)}
