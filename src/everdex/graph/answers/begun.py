"""Answers about one definition while most files wait to be resolved: what decides the answer is resolved.

Of most files that is little: what they define, or those of their parts (functions, and the rest of a file) that write a
name. Every part is resolved as in the finished graph, because what all files offer is known. Who uses a definition has
to write its name, or, of a class, that of one that inherits from it, but for the `ways` in which it may be used
without: whoever answers is told which of them are open, and what it says then is part of what the finished graph will
say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Final, TypeAlias, TypeVar

from everdex.graph.answers import queries
from everdex.graph.answers.ways import Way, deciding_name, heirs, open_ways
from everdex.graph.definitions import naming, spelling
from everdex.graph.definitions.atlas import CONTAINERS, Atlas, Definition, InPart, Waiting
from everdex.graph.definitions.declarations import is_declaration, written_out
from everdex.graph.making.build import assembled, before_of
from everdex.graph.making.crew import Alone, Crew, Many, Wanted
from everdex.graph.making.unfinished import DIGEST
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph, pack
from everdex.graph.stored.part_table import in_parts
from everdex.graph.stored.postings import U32
from everdex.graph.stored.record import FileRecord
from everdex.graph.text.texts import Texts
from everdex.graph.text.written import can_be_looked_up, files_defining
from everdex.memory import collector_held, roomy
from everdex.numeric import np
from everdex.sync.model import Progress
from everdex.view import SnapshotView

T = TypeVar("T")
Names: TypeAlias = frozenset[str] | None  # the parts of a file that write one of these; of none what it defines; or all
Needed: TypeAlias = Mapping[str, Names]  # by path

DEFINITIONS: Final[Names] = frozenset()
_MOST: Final = 200  # files to be resolved for one question, or, where nobody else resolves them, every fourth
_SHARE: Final = 4
# What a file costs of one that is resolved whole: measured in django, where 354 files took 10.2 s, of which the
# definitions were .35 and the rest around functions 1.8.
_WHOLE: Final = 16
_IN_PART: Final = 4
_OUTLINED: Final = 1
# A worker finds out for itself what the others know of the files that all look at: as much work as so many files.
_WORTH_A_WORKER: Final = 64
_KEPT: Final = 1_000  # resolved files; each takes about half of its source
_MOST_HEIRS: Final = 50  # classes whose users are looked for, too
_LONGEST: Final = 100  # letters of a name whose beginnings are looked for
# Words by which a class is constructed where its own name is not written: whoever inherits from it writes them.
_AT_HAND: Final = frozenset(("super", "cls", "__class__", "type", "constructor"))
_UNCHANGED: Final[U32] = np.zeros(0, dtype=np.uint32)


def _cost(names: Names) -> int:
    return _WHOLE if names is None else _IN_PART if names else _OUTLINED


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
        self._kept: dict[tuple[str, Names], FileRecord] = {}

    def resolved(self, wanted: Sequence[Wanted]) -> Iterator[FileRecord]:
        """Files, as far as they are wanted, as the finished graph will have them; in any order."""
        names = {each.path: each.names for each in wanted}
        known = [self._kept.pop(each) for each in names.items() if each in self._kept]
        done = {item.entry.path for item in known}
        todo = [each for each in wanted if each.path not in done]
        for item in chain(known, self._staffed(todo).resolve(todo) if todo else ()):
            self._kept[item.entry.path, names[item.entry.path]] = item
            if len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]
            yield item

    def _staffed(self, todo: Sequence[Wanted]) -> Crew:
        """Who is at work already, or more where there is much to do."""
        work = sum(_cost(each.names) for each in todo)
        hired = max(1, min(self._workers, work // (_WHOLE * _WORTH_A_WORKER)))
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
        self._spent = 0  # of that, see `_cost`
        self._done: set[str] = set()  # files that were resolved, or parts of them, here
        self._known: dict[str, frozenset[str]] = {}  # for which names the parts of a file are resolved
        self.graph = graph

    @property
    def resolved(self) -> int:
        """How many files were needed, here."""
        return len(self._done)

    def lacks(self, path: str, names: Names) -> bool:
        """Whether more of a file has to be resolved for these names."""
        number = self.graph.number(path)
        if number is None or path not in self.graph.waiting:
            return False
        if self.graph.is_unknown(number) or names is None:
            return True
        known = self._known.get(path)
        if known is None:
            parts = self.graph.parts(number)
            known = self._known[path] = in_parts(parts).names if parts else frozenset()
        return not names <= known

    def lacking(self, needed: Needed) -> Needed:
        return {path: names for path, names in needed.items() if self.lacks(path, names)}

    def has_room(self, needed: Needed, share: int = 1) -> bool:
        """Whether those of these files that wait would not become too many, or more than this share of as many."""
        return self._spent + sum(map(_cost, self.lacking(needed).values())) <= self._most * _WHOLE // share

    def resolve(self, needed: Needed) -> bool:
        """Resolve what waits of these files; False, and nothing is done, when they would become too many."""
        old = self.graph
        if not self.has_room(needed):
            return False
        lacking = self.lacking(needed)
        before = before_of(old, list(lacking), set(lacking), _UNCHANGED)
        wanted = []
        for path, names in sorted(lacking.items()):
            number = old.number(path)
            if number is not None:
                entry = old.files[number]
                every = names if names is None else names | self._known.get(path, frozenset())
                self._known[path] = every or frozenset()
                self._done.add(path)
                wanted.append(Wanted(path, entry.content, entry.language, entry.offers, before.get(path), every))
                self._spent += _cost(names)
        records: dict[str, FileRecord] = {}
        for item in self._bench.resolved(wanted):
            records[item.entry.path] = item
            self._progress("graph", len(records), len(wanted))
        if records:
            made = assembled(DIGEST, self._bench.resolvers, old, old.paths, old.offers, records, {})
            self.graph = Graph(b"".join(pack(made)), "an unfinished graph")
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
    path, last = spelling.path_in(asked, known), spelling.last_of(asked.rpartition("::")[2])
    if spelling.is_id(asked) or (path is None and not can_be_looked_up(last)):
        return None
    texts = Texts(view, known)
    where = [path] if path is not None else _naming(view, texts, asked, last, known)
    needed: Needed = dict.fromkeys(where, DEFINITIONS)
    while some.resolve(needed):
        atlas = Atlas(view, some.graph)
        try:
            named = naming.find(atlas, asked)
            needed = _by_name(named)
            if some.lacking(needed):
                continue
            found = written_out(atlas, named)
            if len(found) != 1:
                # Whatever may be called so is known, but for what a class has that cannot be looked up.
                in_file = path is not None and "." not in asked.partition("::")[2]
                return answer(atlas, ()) if found or in_file or (path is None and _can_be_known(asked)) else None
            around, name = atlas.constructed(found[0]) or found[0], deciding_name(atlas, found[0])
            if method == "callees" and not is_declaration(atlas, found[0]):
                needed = _called(atlas, found[0])
            elif name is None or len(name) > _LONGEST:
                return None
            else:
                needed = _using(texts, around, name)
            if some.lacking(needed):
                continue
            if method != "callees" and (needed := _beyond(some, texts, atlas, around)):
                continue
            ways = () if method == "callees" or name is None else open_ways(atlas, texts, found[0], name)
            return answer(atlas, ways)
        except Waiting as waiting:
            needed = _more_of(some, waiting)
    return None


def _by_name(named: Iterable[Definition]) -> Needed:
    """What it takes to know of definitions what stands at their heads."""
    found: dict[str, frozenset[str]] = {}
    for item in named:
        found[item.path] = found.get(item.path, frozenset()) | {item.node.name}
    return found


def _more_of(some: Begun, waiting: Waiting) -> Needed:
    """What it takes to answer what was asked of a file and could not be answered: each time more, at last all of it."""
    steps: list[Names] = [DEFINITIONS, *([frozenset((waiting.name,))] if waiting.name else ())]
    return {waiting.path: next((names for names in steps if some.lacks(waiting.path, names)), None)}


def _using(texts: Texts, definition: Definition, name: str) -> Needed:
    """What it takes to know who uses a definition by a name, or by one that is begun or ended like it."""
    names = frozenset((name,)) | (_AT_HAND if definition.node.kind in CONTAINERS else frozenset())
    return {**dict.fromkeys(texts.writing(name), names), **dict.fromkeys(texts.composing(name))}


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
    return spelling.last_of(spelling.dotted(asked).rpartition(".")[0])


def _can_be_known(asked: str) -> bool:
    """Whether everything that is called like the owner of what is asked for could be looked up."""
    owner = _owner(asked)
    return not owner or can_be_looked_up(owner)


def _called(atlas: Atlas, definition: Definition) -> Needed:
    """What it takes to know what a definition calls: its own parts, and what the files define that it calls into."""
    columns = atlas.columns(definition.file)
    within = {item.number for item in atlas.inside(definition)}
    if isinstance(columns, InPart) and not within.isdisjoint(columns.unresolved):
        return {definition.path: None}
    sites = (number for number, source in enumerate(columns.sources) if source in within)
    paths = {target.path for number in sites for target in columns.targets_of(number) if target.path}
    return dict.fromkeys(paths - {definition.path}, DEFINITIONS)


def _beyond(some: Begun, texts: Texts, atlas: Atlas, definition: Definition) -> Needed:
    """What else tells of uses; nothing where no more than half would be left for what the answer may ask for."""
    below = _followed(atlas, definition)
    for needed in (_deciding_heirs(texts, atlas, below), _kept_as_values(atlas, (definition, *below))):
        if some.lacking(needed) and some.has_room(needed, 2):
            return needed
    return {}


def _followed(atlas: Atlas, definition: Definition) -> list[Definition]:
    """The classes that inherit from one and are used in its place; none where those are many."""
    below = heirs(atlas, definition) if definition.node.kind in CONTAINERS else []
    return below if len({item.node.name for item in below}) <= _MOST_HEIRS else []


def _deciding_heirs(texts: Texts, atlas: Atlas, below: Sequence[Definition]) -> Needed:
    """What it takes to know who uses a class by the name of one that inherits from it."""
    names = frozenset(name for item in below if (name := deciding_name(atlas, item)) is not None)
    return {path: names | _AT_HAND for name in names for path in texts.writing(name)}


def _kept_as_values(atlas: Atlas, definitions: Iterable[Definition]) -> Needed:
    """What it takes to know who uses definitions that are kept under another name (`widget = Select`), in that file."""
    targets = frozenset(target for item in definitions for target in queries.called_as(atlas, item))
    return dict.fromkeys(queries.keeping(atlas, targets))
