"""Answers about one definition while most files wait to be resolved: those are resolved that decide the answer.

Every file is resolved as in the finished graph, because what all others offer is known. Who uses a definition has to
write its name, unless it is handed on as a value, given another name, or called by a rule of the language or under a
name that is computed. Where one of these may be (`_may_be_hidden`, `_is_handed_on`), nothing is answered from here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from everdex.graph import naming, queries
from everdex.graph.artifact import Graph, pack
from everdex.graph.atlas import CONTAINERS, VARIABLES, Atlas, Definition, Waiting
from everdex.graph.build import Progress, assembled
from everdex.graph.composed import files_composing, has_parts, looks_up_names, may_be_spelt
from everdex.graph.declarations import is_declaration, written_out
from everdex.graph.mentions import mentions
from everdex.graph.outside import WITH_OBJECTS, owner_of
from everdex.graph.record import record
from everdex.graph.resolvers import Resolvers
from everdex.graph.unfinished import DIGEST
from everdex.graph.world import Bench
from everdex.graph.written import can_be_looked_up, files_writing
from everdex.memory import collector_held
from everdex.view import SnapshotView

T = TypeVar("T")

_MOST: Final = 200  # files to be resolved for one question
_LONGEST: Final = 100  # letters of a name whose beginnings are looked for
_UNWRITTEN: Final = frozenset(("apply", "unapply", "update", "invoke", "call"))  # run by a call of what has them
_IN_STRINGS: Final = frozenset(("text", "path"))
_BY_STRINGS: Final = re.compile(  # what makes a function, or something that calls one, of its name
    rb"\b(?:getattr|methodcaller|attrgetter|import_string|globals|locals|vars|__dict__|patch|method|public_send|send)\b"
)
_EXPORTED: Final = re.compile(rb"\bexport\s+default\b|\bexports\b")
_LOOKED_BACK: Final = 200  # bytes before a definition in which it may be given away


class Begun:
    """A graph in which files wait, and more of them are resolved as they are asked for; for one thread."""

    def __init__(self, view: SnapshotView, resolvers: Resolvers, graph: Graph, progress: Progress) -> None:
        self._view, self._resolvers, self._progress = view, resolvers, progress
        self._bench = Bench(view, resolvers)
        self._bench.enter(graph.offers, graph.paths)
        self.graph = graph
        self.resolved = 0  # files, here

    def is_waiting(self, path: str) -> bool:
        number = self.graph.number(path)
        return number is not None and self.graph.is_waiting(number)

    def resolve(self, paths: Collection[str]) -> bool:
        """Resolve those of these files that wait; False, and nothing is done, when they would become too many."""
        old = self.graph
        todo = sorted(filter(self.is_waiting, set(paths)))
        if self.resolved + len(todo) > _MOST:
            return False
        records = {}
        for done, path in enumerate(todo, start=1):
            graph, failed, _ = self._bench.resolve(path, None)
            entry = old.files[bisect_left(old.paths, path)]
            records[path] = record(path, entry.content, entry.language, entry.offers, graph, failed, None)
            self._progress("graph", done, len(todo))
        if records:
            made = assembled(DIGEST, self._resolvers, old, old.paths, old.offers, records, {})
            self.graph = Graph(b"".join(pack(made)), "an unfinished graph")
            self.resolved += len(records)
        return True

    def close(self) -> None:
        self._bench.close()


@contextmanager
def begun(view: SnapshotView, resolvers: Resolvers, graph: Graph, progress: Progress) -> Iterator[Begun]:
    made = Begun(view, resolvers, graph, progress)
    with collector_held():
        try:
            yield made
        finally:
            made.close()


def answered(view: SnapshotView, some: Begun, asked: str, method: str, answer: Callable[[Atlas], T]) -> T | None:
    """What `answer` makes of the graph once all files that it depends on are resolved; None when it takes all."""
    known = frozenset(some.graph.paths)
    path, last = naming.path_in(asked, known), naming.last_of(asked.rpartition("::")[2])
    if naming.is_id(asked) or (path is None and not can_be_looked_up(last)):
        return None
    needed: Collection[str] = [path] if path is not None else [name for name, _ in files_writing(view, last, known)]
    while some.resolve(needed):
        atlas = Atlas(view, some.graph)
        try:
            found = written_out(atlas, naming.find(atlas, asked))
            if len(found) != 1 or len(found[0].node.name) > _LONGEST:
                return None
            if method != "callees" and _may_be_hidden(atlas, found[0]):
                return None
            needed = _deciding(atlas, found[0], method, known)
            if any(map(some.is_waiting, needed)):
                continue
            if method != "callees" and _is_handed_on(atlas, found[0]):
                return None
            return answer(atlas)
        except Waiting as waiting:
            needed = [waiting.path]
    return None


def _deciding(atlas: Atlas, definition: Definition, method: str, known: frozenset[str]) -> Collection[str]:
    """The files that decide who uses a definition, or what it uses."""
    if method == "callees" and not is_declaration(atlas, definition):
        columns = atlas.columns(definition.file)
        within = {item.number for item in atlas.inside(definition)}
        sites = (number for number, source in enumerate(columns.sources) if source in within)
        return {target.path for number in sites for target in columns.targets_of(number) if target.path}
    name = definition.node.name
    if not can_be_looked_up(name):
        return ()
    return {*(path for path, _ in files_writing(atlas.view, name, known)), *files_composing(atlas.view, name)}


def _may_be_hidden(atlas: Atlas, definition: Definition) -> bool:
    """Whether a file that does not decide it may use a definition all the same, as far as what is written tells."""
    node = definition.node
    if definition.is_file or node.kind in (*CONTAINERS, "lambda", "namespace") or not can_be_looked_up(node.name):
        return True
    if node.name in _UNWRITTEN or node.name.startswith("__") or atlas.constructed(definition) is not None:
        return True
    if _has_alias(atlas, node.name) or _is_given_away(atlas, definition) or _is_in_table(atlas, definition):
        return True
    return node.kind not in VARIABLES and _may_be_spelt(atlas, definition)


def _may_be_spelt(atlas: Atlas, definition: Definition) -> bool:
    """Whether a file that does not write its name may call a function by a text that says it."""
    name = definition.node.name
    if atlas.entry(definition.file).language != "python":
        return has_parts(atlas.view, name)
    return not _is_local(atlas, definition) and looks_up_names(atlas.view) and may_be_spelt(atlas.view, name)


def _is_handed_on(atlas: Atlas, definition: Definition) -> bool:
    """Whether a file that decides it gives a function to others, by its name or by a text that says it."""
    if definition.node.kind in VARIABLES:
        return False
    if queries.named(atlas, definition) > 0:
        return True
    return not _is_local(atlas, definition) and _is_taken_by_name(atlas, definition.node.name)


def _is_local(atlas: Atlas, definition: Definition) -> bool:
    """Whether it stands in a function of Python's, and so is no attribute of anything."""
    around = atlas.definition(definition.file, definition.node.parent)
    is_inside = not around.is_file and around.node.kind not in CONTAINERS
    return is_inside and atlas.entry(definition.file).language == "python"


def _is_taken_by_name(atlas: Atlas, name: str) -> bool:
    """Whether a file may make a function of a string that is its name, and hand that on."""
    written = {found.path for found in mentions(atlas, name, lambda path, language: _IN_STRINGS)}
    view = atlas.view
    return any(
        view.file_languages[view.file_index(path)] == "php" or _BY_STRINGS.search(view.source(path)) for path in written
    )


def _has_alias(atlas: Atlas, name: str) -> bool:
    """Whether somebody takes it over under another name, from whom others may have it."""
    alias = re.compile(rb"(?<![\w$])%s\s*(?:(?<=\s)as\b|=>)" % re.escape(name.encode()))
    known = frozenset(atlas.graph.paths)
    return any(alias.search(atlas.view.source(path)) for path, _ in files_writing(atlas.view, name, known))


def _is_in_table(atlas: Atlas, definition: Definition) -> bool:
    """Whether it is a function in an object of JavaScript's: who goes through the object may call each."""
    if atlas.entry(definition.file).language not in WITH_OBJECTS or definition.node.kind in VARIABLES:
        return False
    around = atlas.definition(definition.file, definition.node.parent)
    is_inside = not around.is_file and around.node.kind in VARIABLES
    return is_inside or (definition.node.kind == "method" and owner_of(atlas, definition) is None)


def _is_given_away(atlas: Atlas, definition: Definition) -> bool:
    """Whether JavaScript exports it without its name."""
    start = definition.node.start_byte
    before = atlas.view.source(definition.path)[max(0, start - _LOOKED_BACK) : start + _LOOKED_BACK]
    return bool(_EXPORTED.search(before))
