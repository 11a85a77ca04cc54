"""What a name means while there is no graph yet: the definitions of the few files that write it.

The first graph of a large tree takes a minute; that several definitions fit a name, or none, follows from the files
that hold the word. They are read as if they were alone: what is defined in a file does not depend on the others,
but for the cases that `decided` knows and leaves to the graph. So whatever is said here the graph says too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from everdex.graph.definitions import naming, spelling
from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.definitions.declarations import is_declaration, written_out
from everdex.graph.making.keep import begun_graph, is_first
from everdex.graph.making.world import Bench, Resolved
from everdex.graph.model import FileGraph, Node, Role
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import TABLES, Graph, Parts, pack
from everdex.graph.stored.blobs import joined
from everdex.graph.stored.offers import NO_OFFERS
from everdex.graph.stored.postings import EMPTY
from everdex.graph.stored.record import FileRecord, record
from everdex.graph.text.written import files_defining, files_writing, may_define_heir, stands_in_text
from everdex.numeric import np
from everdex.sync.model import Progress
from everdex.view import SnapshotView

# More files than this are not worth it where the index knows the name in one place. In several, or in none, it will
# most likely be asked back; who is not has the facts of these files for the graph.
_MOST: Final = 100
_MOST_IF_LIKELY: Final = 2_000
_NOBODY: Final = np.zeros(0, dtype=np.int64)  # no file is renumbered


class Decided(NamedTuple):
    """The definitions that fit a name: none, or several."""

    found: list[Definition]
    atlas: Atlas  # of the files that define it; what describes them, and nothing else
    writing: int  # files that write it, when all were looked at


def decided(view: SnapshotView, resolvers: Resolvers, asked: str, progress: Progress) -> Decided | None:
    """What the graph will say of a name, too; None where that takes the graph.

    One definition is no answer: whoever named it wants to know something of it.
    """
    if spelling.is_id(asked) or not (is_first(view, resolvers) or begun_graph(view, resolvers) is not None):
        return None
    known = {
        path for path, language in zip(view.paths, view.file_languages, strict=True)
        if resolvers.knows(language)
    }  # fmt: skip
    path = spelling.path_in(asked, known)
    paths, writing = ([path], 0) if path is not None else _writing(view, known, asked)
    if paths is None:
        return None
    atlas = Atlas(view, _alone(view, resolvers, paths, "" if path is not None else spelling.last_of(asked), progress))
    found = naming.find(atlas, asked)
    if not all(_depends_on_nothing(atlas, item) for item in found):
        return None
    if path is None and not _is_own(found, spelling.dotted(asked)):
        return None
    name = asked if path is None else asked.partition("::")[2]
    among = known if path is None else {path}
    if paths and not found and _may_be_inherited(view, resolvers, among, name, progress):
        return None
    bodies = written_out(atlas, found)
    return None if len(bodies) == 1 else Decided(bodies, atlas, writing)


def _writing(view: SnapshotView, known: set[str], asked: str) -> tuple[list[str] | None, int]:
    """The files that may define what is asked for, by path (None: too many, or any), and how many write its name."""
    last = spelling.last_of(asked)
    if not last or not stands_in_text(last):
        return None if last else [], 0
    writing = frozenset(files_writing(view, last, known))
    found = list(files_defining(view, last, known, writing))
    ending = f".{spelling.dotted(asked)}"
    likely = sum(f".{row.qualified_name}".endswith(ending) for row in view.symbols_named(last)) != 1
    return found if len(found) <= (_MOST_IF_LIKELY if likely else _MOST) else None, len(writing)


def _alone(
    view: SnapshotView, resolvers: Resolvers, paths: Sequence[str], name: str, progress: Progress, *,
    heirs: bool = False,
) -> Graph:  # fmt: skip
    """The graph of those files that define a name (''; all), in a tree that has no others.

    Packages at the top of the tree say what modules are called. Sites, which take several times as long, are resolved
    where somebody looks at them: with `heirs` at what inherits, else where the nodes alone do not tell what counts.
    """
    contents = {line.path_key: bytes.fromhex(line.content_hash) for line in view.file_lines()}
    tops = {f"{path.partition('/')[0]}/__init__.{ending}" for path in paths for ending in ("py", "pyi")}
    packages = sorted(tops & contents.keys())
    records: list[FileRecord] = []
    bench = Bench(view, resolvers)
    try:
        offered = {number: bench.offers(path) for number, path in enumerate(packages)}
        bench.enter(NO_OFFERS.merged(_NOBODY, offered), packages)
        for done, path in enumerate(paths):
            progress("names", done, len(paths))
            outline = bench.outline(path)
            named = [node for node in outline.nodes if node.name == name] if name else []
            if name and not outline.partial and not named:
                continue
            if named and not outline.partial and not heirs and _tell_all(named):
                resolved = Resolved(FileGraph(outline.nodes, (), (), frozenset(), "", partial=False))
            else:
                resolved = bench.resolve(path, None)
            language = view.file_languages[view.file_index(path)]
            records.append(record(path, contents[path], language, 0, resolved.graph, resolved.failed, None))
    finally:
        bench.close()
    tables = {
        table: EMPTY.merged(_NOBODY, {place: item.keys[table] for place, item in enumerate(records)})
        for table in TABLES
    }
    parts = Parts(
        view.manifest.digest, resolvers.version, tuple(item.entry for item in records),
        joined([item.blob for item in records]), joined([b""] * len(records)), NO_OFFERS, NO_OFFERS, tables,
    )  # fmt: skip
    return Graph(b"".join(pack(parts)), "a graph of some files")


def _tell_all(named: Sequence[Node]) -> bool:
    """Whether nodes of one file say all that is asked of them: of an attribute it counts what its class inherits, of
    twins which of them are signatures of another."""
    places = {node.parent for node in named}
    return len(places) == len(named) and not any(node.kind in VARIABLES and node.parent > 0 for node in named)


def _is_own(found: Sequence[Definition], name: str) -> bool:
    """Whether these have the name themselves: what a class has from others depends on other files."""
    return all(naming.fits(item, name) for item in found)


def _may_be_inherited(
    view: SnapshotView, resolvers: Resolvers, known: set[str], name: str, progress: Progress
) -> bool:
    """Whether a class that is named before the last dot may have from others what follows."""
    owner = spelling.dotted(name).rpartition(".")[0]
    last = spelling.last_of(owner)
    if not last or not stands_in_text(last):
        return bool(last)
    paths = [
        path for path in files_writing(view, last, known)
        if may_define_heir(view.source(path), last, view.file_languages[view.file_index(path)])
    ]  # fmt: skip
    if len(paths) > _MOST:
        return True
    atlas = Atlas(view, _alone(view, resolvers, paths, last, progress, heirs=True))
    return any(
        item.node.kind in CONTAINERS and len(atlas.columns(item.file).sites_of(item.number, Role.INHERIT))
        for item in naming.find(atlas, owner)
    )


def _depends_on_nothing(atlas: Atlas, item: Definition) -> bool:
    """Whether the graph has this definition, and as it is, whatever the other files say.

    An attribute that a class of Python stores may be that of a base elsewhere; what C declares is written out anywhere.
    """
    if atlas.entry(item.file).language != "python":
        return not is_declaration(atlas, item)
    inside = item.node.kind in VARIABLES and item.node.parent > 0
    return not (inside and len(atlas.columns(item.file).sites_of(item.node.parent, Role.INHERIT)))
