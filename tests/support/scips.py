"""SCIP indexes for tests: written field by field, so that a test can say exactly what an indexer said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from everdex.semantic import scip
from everdex.semantic.importing import import_scip
from everdex.semantic.model import DEFINITION, Context, ImportReport
from everdex.semantic.protobuf import block, number, text, varint
from everdex.view import open_view
from support.stores import Workspace

CONTEXT = Context("test", "test", "python", "", "", "", "indexer", "1")
Said = tuple[str, int, str, int]  # what is written, the how manieth of it in the file (from 0), symbol, roles


def symbol(*names: str, package: str = "p") -> str:
    """`symbol("mod/", "Class#", "run().")`."""
    return f"test pip {package} 1 {''.join(names)}"


def metadata(root: str = "", tool: str = "indexer", version: str = "1") -> bytes:
    info = text(scip.TOOL_NAME, tool) + text(scip.TOOL_VERSION, version)
    return block(scip.METADATA, block(scip.TOOL_INFO, info) + text(scip.PROJECT_ROOT, root))


def occurrence(place: Sequence[int], name: str, roles: int = 0) -> bytes:
    numbers = b"".join(map(varint, place))
    return block(scip.RANGE, numbers) + text(scip.SYMBOL, name) + number(scip.SYMBOL_ROLES, roles)


def document(
    path: str, source: str = "", said: Sequence[Said] = (), *, encoding: int = scip.UTF8, with_text: str | None = None,
    implements: Sequence[tuple[str, str]] = (), more: bytes = b"",
) -> bytes:  # fmt: skip
    """A document whose occurrences are found in its source by what is written there."""
    pieces = [text(scip.RELATIVE_PATH, path)]
    for written, nth, name, roles in said:
        pieces.append(block(scip.OCCURRENCES, occurrence(_place(source, written, nth, encoding), name, roles)))
    for name, other in implements:
        relation = text(scip.RELATED_SYMBOL, other) + number(scip.IS_IMPLEMENTATION, 1)
        pieces.append(
            block(scip.SYMBOLS, text(scip.INFORMATION_SYMBOL, name) + block(scip.RELATIONSHIPS, relation))
        )
    if with_text is not None:
        pieces.append(text(scip.TEXT, with_text))
    return b"".join((*pieces, number(scip.POSITION_ENCODING, encoding), more))


def _place(source: str, written: str, nth: int, encoding: int) -> tuple[int, int, int]:
    at = -1
    for _ in range(nth + 1):
        at = source.index(written, at + 1)
    line = source.count("\n", 0, at)
    before = source[source.rfind("\n", 0, at) + 1 : at]
    return line, _units(before, encoding), _units(before, encoding) + _units(written, encoding)


def _units(piece: str, encoding: int) -> int:
    if encoding == scip.UTF16:
        return len(piece.encode("utf-16-le")) // 2
    return len(piece) if encoding == scip.UTF32 else len(piece.encode())


def index(*documents: bytes, head: bytes | None = None) -> bytes:
    return (metadata() if head is None else head) + b"".join(block(scip.DOCUMENTS, each) for each in documents)


def import_into(
    made: Workspace, data: bytes, *, hashes: Mapping[str, str] | None = None, vouched: bool = True,
    context: Context = CONTEXT,
) -> ImportReport:  # fmt: skip
    """Import an index into a workspace; `vouched`: as if its indexer had begun with the files as they are."""
    file = made.store.path / "test.scip"
    file.write_bytes(data)
    with open_view(made.store) as view:
        now = {line.path_key: line.content_hash for line in view.file_lines()}
        return import_scip(view, Path(file), context, hashes if hashes is not None else now if vouched else None)


def definition(written: str, name: str, nth: int = 0) -> Said:
    return written, nth, name, DEFINITION


def reference(written: str, name: str, nth: int = 0) -> Said:
    return written, nth, name, 8
