"""What the graph stores of one resolved file: its packed sites, its entry, and the keys to find it by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from everdex.graph.model import COMPUTED, DISAGREES, FileGraph, Role, Status, Target
from everdex.graph.packages import package_of
from everdex.graph.stored.artifact import WAITS, FileEntry
from everdex.graph.stored.columns import Columns
from everdex.graph.stored.offers import FileOffers, file_counts
from everdex.graph.stored.packed import encode, last_name
from everdex.graph.stored.part_table import PartTable, table_of
from everdex.graph.stored.postings import U32, keys32
from everdex.identity.symbols import SymbolNames, names_of

_STATUSES: Final = tuple(Status)


@dataclass(frozen=True, slots=True)
class FileRecord:
    entry: FileEntry
    blob: bytes
    parts: bytes  # its PartTable; b"" when it is resolved whole
    asked: FileOffers | None  # its sites that are not resolved, or in part, by `asked_key`; None: as they were
    keys: dict[str, U32]  # by table of everdex.graph.stored.artifact.TABLES; one that is not here has what it had


def place(target: Target) -> str:
    """The string whose key stands for a definition, for those that define and those that refer to it."""
    return f"{target.path}\0{target.key}"


def asked_key(status: Status, role: Role, name: str) -> str:
    """By what the sites are counted that ask for a name and are not resolved."""
    return f"{status}\0{role}\0{name}"


def symbol_names(path: str, nodes: FileGraph | Columns) -> list[SymbolNames]:
    return names_of(path, ((node.key, node.kind, node.signature) for node in nodes.nodes), nodes.symbols)


def record(
    path: str, content: bytes, language: str, offers: int, graph: FileGraph, failed: str, before: PartTable | None
) -> FileRecord:
    """What is kept of a file's graph; `before` has what the parts looked at that it kept."""
    calls = dict.fromkeys(_STATUSES, 0)
    unnamed = semantic = disagreeing = 0
    targets: set[Target] = {item.target for item in graph.dependencies}
    asked: Counter[tuple[Status, Role, str]] = Counter()
    overridden: set[Target] = set()
    last_names: dict[str, str] = {}  # most texts are written many times
    for chosen in {id(site.targets): site.targets for site in graph.sites}.values():
        targets.update(chosen)
    for site in graph.sites:
        semantic += site.semantic
        disagreeing += site.reason == DISAGREES
        name = ""
        if site.status is not Status.RESOLVED or site.reason:
            known = last_names.get(site.text)
            name = last_names[site.text] = last_name(site.text) if known is None else known
        if name:
            asked[site.status, site.role, name] += 1
        if site.role is Role.OVERRIDE:
            overridden.update(site.targets)
        elif site.role is Role.CALL:
            calls[site.status] += 1
            # Of a variable alone: what is read of such a value has the name that it is read by.
            unnamed += name == site.text if site.reason == COMPUTED else site.status is Status.UNRESOLVED and not name
    entry = FileEntry(
        path=path,
        content=content,
        language=language,
        offers=offers,
        interface=graph.interface,
        partial=graph.partial,
        failed=failed,
        calls=(calls[Status.RESOLVED], calls[Status.AMBIGUOUS], calls[Status.EXTERNAL], calls[Status.UNRESOLVED]),
        unnamed=WAITS if graph.waits else unnamed,
        externals=tuple(sorted(
            {package_of(language, item.target.key) for item in graph.dependencies if not item.target.path} - {""}
        )),
        semantic=semantic,
        disagreeing=disagreeing,
    )
    table = table_of(graph.parts, before) if graph.parts is not None else None
    keys = {
        "reads": table.others if table is not None else keys32(graph.reads),
        "targets": keys32(place(target) for target in targets if target.path),
        "overridden": keys32(place(target) for target in overridden if target.path),
        "names": keys32(node.name for node in graph.nodes),
        "ids": keys32(name for names in symbol_names(path, graph) for name in names.ids),
        "defines": keys32(place(Target(path, node.key)) for node in graph.nodes),
    }
    counts = file_counts({asked_key(*about): count for about, count in asked.items()})
    return FileRecord(entry, encode(graph), table.encode() if table is not None else b"", counts, keys)


def looked_again(entry: FileEntry, blob: bytes, parts: bytes, before: PartTable, graph: FileGraph) -> FileRecord:
    """The same of a file that says what it said: only what it looked at may be something else."""
    assert graph.parts is not None
    table = table_of(graph.parts, before)
    if table.says(before):  # asked in vain: nothing is packed again, and no row of the graph's tables is looked at
        return FileRecord(entry, blob, parts, None, {})
    return FileRecord(entry, blob, table.encode(), None, {"reads": table.others})
