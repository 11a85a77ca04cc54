"""A graph together with the view it was made from: definitions by place, and the names and ids that answers use.

Reads one snapshot and changes nothing. Its memory grows only with the files that an answer touches.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

from everdex import limits
from everdex.discover.model import SkipReason
from everdex.facts import has_facts
from everdex.graph.model import Node, Role, Status, Target
from everdex.graph.stored.artifact import FileEntry, Graph
from everdex.graph.stored.columns import Columns
from everdex.graph.stored.part_table import in_parts
from everdex.graph.stored.postings import keys32
from everdex.graph.stored.record import asked_key, place, symbol_names
from everdex.graph.text.callbacks import handed_to
from everdex.identity.symbols import ChunkRef, SymbolNames, SymbolRef, plain_name
from everdex.languages import language_of, role_of
from everdex.memory import remembering
from everdex.parse.headers import shortened
from everdex.segment.files import FileLine
from everdex.view import SnapshotView
from everdex.wording import whose

_REMEMBERED: Final = 256
_LEAD: Final = 100  # bytes of a long line before the column for which it is shown
_AROUND: Final = 40  # bytes of anchor on either side of a place
_ATTRIBUTE: Final = re.compile(r"\[[^\]]*\]\]?\s")  # `[Serializable] class A`; Python's `[T](x)` has no space
_BY_CONTENT: Final = (SkipReason.BINARY, SkipReason.ENCODING, SkipReason.TOO_MANY_CHUNKS)
_KEPT_COLUMNS: Final = 1_024  # a name that more files use than this is slow every time
CONTAINERS: Final = frozenset({
    "class", "interface", "struct", "trait", "enum", "record", "object", "protocol", "union", "type", "actor",
})  # fmt: skip
VARIABLES: Final = frozenset({"variable", "constant", "field", "property"})  # what is read and written
_CONSTRUCTORS: Final = frozenset({
    "__init__", "__new__", "constructor", "initialize", "__construct", "init", "<init>", "this",
})  # fmt: skip


class Waiting(LookupError):
    """A file is asked about that nobody has resolved, or of which a part waits in which a `name` stands: only an
    unfinished graph has such files."""

    def __init__(self, path: str, name: str = "") -> None:
        super().__init__(path, name)
        self.path, self.name = path, name


class InPart(Columns):
    """Those of a file of which some parts wait. What is asked of a definition that stands in one, or whose body is one,
    is not answered."""

    def __init__(self, blob: bytes, parts: bytes, path: str) -> None:
        super().__init__(blob)
        self._parts, self._path = parts, path

    @cached_property
    def unresolved(self) -> frozenset[int]:
        """The definitions of which not all sites are known, as far as they are their own."""
        nodes, left, _ = in_parts(self._parts) if self._parts else ((0,), frozenset((0,)), ())
        part_of_node = {node: part for part, node in enumerate(nodes)}
        waits: list[bool] = []
        found = set()
        for node, parent in enumerate(self.node_parents):
            part = part_of_node.get(node)
            waits.append(waits[parent] if part is None else part in left)
            if waits[node] or (parent >= 0 and waits[parent]):
                found.add(node)
        return frozenset(found)

    @property
    def site_count(self) -> int:
        raise Waiting(self._path)  # whoever looks through all needs all

    def sites_of(self, node: int, role: Role) -> Sequence[int]:
        self._known(node)
        return super().sites_of(node, role)

    def sites_in(self, node: int) -> list[int]:
        self._known(node)
        return super().sites_in(node)

    def _known(self, node: int) -> None:
        if node in self.unresolved:
            raise Waiting(self._path, self.node_names[node])


@dataclass(frozen=True, slots=True)
class Definition:
    """A node and where it is."""

    file: int
    number: int
    path: str
    node: Node

    def __hash__(self) -> int:
        return hash((self.file, self.number))  # of one graph: the node need not be looked through

    @property
    def target(self) -> Target:
        return Target(self.path, self.node.key)

    @property
    def is_file(self) -> bool:
        return self.number == 0

    @property
    def order(self) -> tuple[str, int]:
        return self.path, self.number


class Text:
    """A file as indexed, by lines."""

    __slots__ = ("_source", "_starts")

    def __init__(self, source: bytes) -> None:
        self._source = source
        # As parsers count lines: a line feed ends one, nothing else does.
        self._starts = list(accumulate((len(piece) + 1 for piece in source.split(b"\n")), initial=0))

    def line(self, number: int, column: int = 0) -> str:
        """Without its end. Of a long one what stands around a column, between ellipses."""
        starts = self._starts
        if not 1 <= number < len(starts):
            return ""
        start, end = starts[number - 1], starts[number]
        if end - start <= limits.MAX_LINE_BYTES:
            return self._source[start:end].decode("utf-8", "replace").rstrip("\r\n")
        first = start if column <= _LEAD else start + min(column - _LEAD, end - start - limits.MAX_LINE_BYTES)
        last = first + limits.MAX_LINE_BYTES
        text = self._source[first:last].decode("utf-8", "ignore").rstrip("\r\n")
        return f"{'…' if first > start else ''}{text}{'…' if last < end else ''}"

    def byte(self, line: int, column: int) -> int:
        starts = self._starts
        byte = starts[line - 1 if line <= len(starts) else -1] + column
        return byte if byte <= len(self._source) else len(self._source)

    def around(self, start: int, end: int) -> tuple[str, str]:
        """What stands before and after some bytes: by it whoever holds the place can tell that it is still there."""
        before, after = self._source[max(0, start - _AROUND) : start], self._source[end : end + _AROUND]
        return before.decode("utf-8", "ignore"), after.decode("utf-8", "ignore")

    def position(self, byte: int) -> tuple[int, int]:
        """Line and column of a byte."""
        line = bisect_right(self._starts, byte, hi=len(self._starts) - 1)
        return line, byte - self._starts[line - 1]

    def between(self, start: int, end: int) -> str:
        return self._source[start:end].decode("utf-8", "replace")


def is_wrapped(node: Node, around: Node) -> bool:
    """`const Row = memo(function Row() {…})`: whoever names it means the variable, and what runs is the function."""
    return around.kind == "variable" and node.kind in ("function", "class") and node.name == around.name


def _constructs(node: Node, around: Node) -> bool:
    """Whether a definition directly inside another runs when that other is called."""
    if is_wrapped(node, around):
        return True
    named = node.name in _CONSTRUCTORS or node.name == around.name
    return named and around.kind in CONTAINERS and node.kind not in CONTAINERS


class Atlas:
    """One snapshot's graph, ready to answer."""

    def __init__(self, view: SnapshotView, graph: Graph) -> None:
        self.view = view
        self.graph = graph
        self.columns = remembering(self._read_columns, _KEPT_COLUMNS)
        self.definitions = remembering(self._read_definitions, _KEPT_COLUMNS)
        self.at = remembering(self._at, 8 * _REMEMBERED)
        self._names = remembering(self._read_names, _REMEMBERED)
        self._chunk_starts = remembering(view.chunk_starts, _REMEMBERED)
        self._chunk = remembering(self._read_chunk, 8 * _REMEMBERED)
        self._anchor = remembering(self._read_anchor, 8 * _REMEMBERED)
        self.text = remembering(self._read_text, _REMEMBERED)
        self.symbol_ref = remembering(self._symbol_ref, 8 * _REMEMBERED)
        self.symbol = remembering(self._symbol, 8 * _REMEMBERED)
        self.describe = remembering(self._describe, 8 * _REMEMBERED)
        self._roles: dict[str, str] = {}

    # -- definitions ---------------------------------------------------------------------------

    def _read_columns(self, file: int) -> Columns:
        if self.graph.is_unknown(file):
            raise Waiting(self.graph.paths[file])
        if self.graph.files[file].waits:
            return InPart(self.graph.blob(file), self.graph.parts(file), self.graph.paths[file])
        return Columns(self.graph.blob(file))

    def entry(self, file: int) -> FileEntry:
        return self.graph.files[file]

    def _read_definitions(self, file: int) -> tuple[Definition, ...]:
        path = self.graph.paths[file]
        return tuple([Definition(file, number, path, node) for number, node in enumerate(self.columns(file).nodes)])

    def definition(self, file: int, number: int) -> Definition:
        return self.definitions(file)[number]

    def _at(self, target: Target) -> Definition | None:
        """The definition a target names; None when it is outside, or nothing."""
        file = self.graph.number(target.path)
        if file is None:
            return None
        number = self.columns(file).by_key.get(target.key)
        return None if number is None else self.definition(file, number)

    def inside(self, definition: Definition) -> list[Definition]:
        """The definition and everything defined in it, in order."""
        parents = self.columns(definition.file).node_parents
        chosen = {definition.number}
        # A node stands behind the one around it, so one pass finds all descendants.
        for number, parent in enumerate(parents):
            if parent in chosen:
                chosen.add(number)
        return [self.definition(definition.file, number) for number in sorted(chosen)]

    def constructors(self, definition: Definition) -> list[Definition]:
        """What runs when a class is called, or a variable that holds what was made of a function of its name."""
        if definition.node.kind not in CONTAINERS and definition.node.kind != "variable":
            return []
        parents = self.columns(definition.file).node_parents
        inner = (self.definition(definition.file, place) for place, parent in enumerate(parents)
                 if parent == definition.number)  # fmt: skip
        return [item for item in inner if _constructs(item.node, definition.node)]

    def constructed(self, definition: Definition) -> Definition | None:
        """The class whose constructor this is, or the variable that holds what was made of it."""
        parent = definition.node.parent
        if parent <= 0:
            return None
        around = self.definition(definition.file, parent)
        return around if _constructs(definition.node, around.node) else None

    def held_by(self, definition: Definition) -> Definition | None:
        """The variable in whose value a function stands: of what was made of it, nobody knows when that calls it."""
        if definition.node.kind not in ("lambda", "function") or definition.node.parent <= 0:
            return None
        around = self.definition(definition.file, definition.node.parent)
        return around if around.node.kind == "variable" else None

    def referring(self, targets: Iterable[Target]) -> list[int]:
        """Files that may have a site with one of these targets."""
        return self.graph.tables["targets"].holders_of_any(keys32(map(place, targets)))

    def overriding(self, targets: Iterable[Target]) -> list[int]:
        """Files that may have a method which overrides one of these."""
        return self.graph.tables["overridden"].holders_of_any(keys32(map(place, targets)))

    def asking(self, name: str) -> list[int]:
        """Files with a site that asks for this name and is not resolved, or in part."""
        return self.graph.asked.offering_any(asked_key(status, role, name) for status in Status for role in Role)

    # -- what may be missing -------------------------------------------------------------------

    @cached_property
    def coverage(self) -> dict[str, int]:
        """How much of the repository the graph speaks of."""
        known, files = set(self.graph.paths), self.graph.files
        return {
            "files": len(files),
            "resolved": len(files) - len(self.graph.untouched),
            "partial": sum(entry.partial and not entry.failed for entry in files),
            "failed": sum(bool(entry.failed) for entry in files),
            "without_resolver": sum(
                path not in known and self.role(path) in ("source", "test") for path in self.view.paths
            ),
            "left_out": len(self.left_out),
            "semantic": sum(bool(entry.joined) for entry in files),
            "disagreements": sum(entry.disagreeing for entry in files),
        }

    @cached_property
    def doubtful_files(self) -> tuple[FileEntry, ...]:
        """Files of which something could not be read."""
        return tuple(entry for entry in self.graph.files if entry.partial or entry.failed)

    @cached_property
    def left_out(self) -> tuple[FileLine, ...]:
        """Code that is not in the snapshot for what it contains: another encoding, too many chunks."""
        if not any(reason in self.view.manifest.skipped for reason in _BY_CONTENT):
            return ()
        return tuple(
            line for line in self.view.file_lines() if line.skip and has_facts(language_of(line.path_key) or "")
        )

    def role(self, path: str) -> str:
        """What a file of the snapshot is there for: told by its path, and remembered."""
        found = self._roles.get(path)
        if found is None:
            found = self._roles[path] = role_of(path)
        return found

    @cached_property
    def roles(self) -> dict[str, str]:
        """The same of every file, for what speaks of all."""
        return {path: self.role(path) for path in self.view.paths}

    @cached_property
    def unnamed_calls(self) -> int | None:
        """Calls of values without a name, or under a computed one: they may call anything. None while files wait."""
        return None if self.graph.waiting else sum(entry.unnamed for entry in self.graph.files)

    # -- references ----------------------------------------------------------------------------

    def names(self, definition: Definition) -> SymbolNames:
        return self._names(definition.file)[definition.number]

    def _read_names(self, file: int) -> list[SymbolNames]:
        return symbol_names(self.graph.paths[file], self.columns(file))

    def _symbol_ref(self, definition: Definition) -> SymbolRef:
        names, node = self.names(definition), definition.node
        return SymbolRef(
            symbol_key=names.symbol_key,
            symbol_id=names.symbol_id,
            scoped_id=names.scoped_id,
            signature_key=names.signature_key,
            kind=node.kind,
            qualified_name=node.qualified_name,
            language_id=self.entry(definition.file).language,
            defining_chunk=self.chunk_ref(definition.path, node.start_byte),
        )

    def _symbol(self, definition: Definition) -> dict[str, Any]:
        """The envelope as answers carry it: made once and shared, so nobody may change it."""
        return self.symbol_ref(definition).to_dict()

    def chunk_ref(self, path: str, byte: int) -> ChunkRef | None:
        """The chunk that holds a byte; None in a file without chunks."""
        number = self._chunk_number(path, byte)
        return None if number is None else self._chunk(number)

    def anchor(self, path: str, byte: int) -> dict[str, Any] | None:
        """The same as answers carry it: made once and shared, so nobody may change it."""
        number = self._chunk_number(path, byte)
        return None if number is None else self._anchor(number)

    def _chunk_number(self, path: str, byte: int) -> int | None:
        first, starts = self._chunk_starts(path)
        return first + max(0, bisect_right(starts, byte) - 1) if starts else None

    def _read_anchor(self, doc_id: int) -> dict[str, Any]:
        return self._chunk(doc_id).to_dict()

    def _read_chunk(self, doc_id: int) -> ChunkRef:
        row = self.view.document(doc_id).row
        return ChunkRef(
            doc_id, row.chunk_uid, row.range_id, row.path_key, row.segment_id or None, row.byte_start, row.byte_end
        )

    @staticmethod
    def reads(definition: Definition) -> str:
        """A definition as people write it, beside its path: its name in the file with its parameters or bases, or the
        signature and whose it is; shortened."""
        node = definition.node
        begins = node.signature.startswith(("(", "[", "<")) and not _ATTRIBUTE.match(node.signature)
        if node.signature.startswith("<") and f" {node.name}(" in node.signature:
            begins = False  # Java's `<T> List<T> all(Class<T> of)`
        bare = begins or node.name not in node.signature
        between = " " if node.signature[:1].isalpha() else ""  # `<lambda1> function (x)`
        name = plain_name(node.key) or node.qualified_name
        return shortened(f"{name}{between}{node.signature}") if bare else whose(shortened(node.signature), name)

    def _describe(self, definition: Definition) -> dict[str, Any]:
        """A definition as answers show it: made once and shared, so nobody may change it."""
        node = definition.node
        called = handed_to(self.view.source(definition.path), node.start_byte) if node.kind == "lambda" else ""
        return {
            "path": definition.path,
            "name": node.name,
            "qualified_name": node.qualified_name,
            "kind": node.kind,
            "start_line": node.start_line,
            "end_line": node.end_line,
            "name_line": node.name_line,
            "name_column": node.name_column,
            "signature": node.signature,
            "text": called or self.reads(definition),
            "symbol": self.symbol(definition),
        }

    # -- source --------------------------------------------------------------------------------

    def line(self, path: str, number: int, column: int = 0) -> str:
        """A line of a file as indexed, as far as it is shown for what stands in a column."""
        return self.text(path).line(number, column)

    def byte(self, path: str, line: int, column: int) -> int:
        return self.text(path).byte(line, column)

    def _read_text(self, path: str) -> Text:
        return Text(self.view.source(path))
