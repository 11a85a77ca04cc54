"""The whole way from bytes to chunks and symbols, with line windows as the answer to every failure."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final, NamedTuple, TypeAlias

from tree_sitter import Node, Range

from everdex import limits
from everdex.config import IndexConfig
from everdex.languages import GRAMMARS
from everdex.parse import annotated, blocks, definitions, grammar, lacking, laid_out, macros, segments, unended
from everdex.parse.chunker import Chunker, Span
from everdex.parse.definitions import Definition, Found
from everdex.parse.model import Chunk, ParsedFile, ParseStatus, Symbol
from everdex.parse.segments import Segment
from everdex.parse.symbols import symbol_of
from everdex.parse.text import Atoms, split_atoms

# Data rather than source above this size: its tree would cost far more memory than its text.
_MAX_DATA_BYTES: Final = 1_000_000
_DATA_LANGUAGES: Final = frozenset(("json", "yaml", "toml", "css", "html", "sql"))


class Read(NamedTuple):
    """A syntax tree of a file, with its grammar's language."""

    language: str
    root: Node
    partial: bool  # there are errors, or something was not read; the tree of a mended file has none to show


# The file's own tree first, then those of embedded segments.
Trees: TypeAlias = tuple[Read, ...]


def parse_file(path_key: str, data: bytes, config: IndexConfig) -> ParsedFile:
    """Chunks and symbols of a file of valid UTF-8; any content gives an answer.

    When there are more than `limits.MAX_CHUNKS_PER_FILE` chunks only one more than that many are returned:
    such a file is skipped by the caller, and its memory stays bounded.
    """
    language = macros.spoken(path_key, data)
    if not data:
        return ParsedFile(language, ParseStatus.PARSED if language in GRAMMARS else ParseStatus.WINDOWS, (), (), ())
    read = _read(language, data, 4 * config.chunk_max_chars * limits.MAX_CHUNKS_PER_FILE)
    if read is None:
        return _windows(language, data, config)
    return _parsed(read, data, config)


def trees_of(path_key: str, data: bytes) -> Trees:
    """The syntax trees of a file, for whoever reads more out of them; none where it would be cut into windows."""
    language = macros.spoken(path_key, data)
    read = _read(language, data, limits.MAX_FILE_SIZE_BYTES) if data else None
    if read is None:
        return ()
    if GRAMMARS[language].query != "html":
        return (read,)
    found = definitions.find(language, data, read.root)
    parts = segments.locate(found.segments, data)
    lines = split_atoms(data, len(data))
    return (read, *(inner for part in parts if (inner := _embedded(part, data, lines)) is not None))


def _read(language: str, data: bytes, max_bytes: int) -> Read | None:
    too_large = language in _DATA_LANGUAGES and len(data) > _MAX_DATA_BYTES
    if language not in GRAMMARS or too_large or len(data) > max_bytes:
        return None
    readable = macros.readable(language, data)
    tree = grammar.parse_tree(language, readable)
    if tree is None:
        return None
    if tree.root_node.has_error and language in lacking.LANGUAGES:
        tree, readable = lacking.read(language, tree, readable)
    if language in unended.LANGUAGES:
        tree, readable = unended.read(language, tree, readable)
    elif language == "kotlin":
        tree, readable = annotated.read(tree, readable)
    partial = _has_error(language, tree.root_node) or macros.leaves_out(language, data)
    if tree.root_node.has_error and language in laid_out.LANGUAGES:
        tree = laid_out.read(language, tree, readable)
    return Read(language, tree.root_node, partial)


def _has_error(language: str, root: Node) -> bool:
    """Whether there are errors in a tree. TypeScript's grammar lacks a `!`, which nobody writes, in a tag that is given
    types (``styled.div<{ wide: boolean }>`…` ``): it has read all of that."""
    if not root.has_error or language not in ("typescript", "tsx"):
        return root.has_error
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = [child for child in node.children if child.has_error]
        inner = node.named_child(0) if node.type == "non_null_expression" else None
        is_tag = inner is not None and inner.type == "instantiation_expression"
        if is_tag:
            children = [child for child in children if not child.is_missing]
        if node.is_error or node.is_missing or not (children or is_tag):
            return True
        waiting += children
    return False


def _windows(language: str, data: bytes, config: IndexConfig) -> ParsedFile:
    atoms = split_atoms(data, config.chunk_max_chars)
    chunker = _chunker(data, atoms, config)
    chunker.windows(0, atoms.count - 1)
    chunks = tuple(_plain_chunk(ordinal, span, atoms, language) for ordinal, span in enumerate(chunker.spans))
    return ParsedFile(language, ParseStatus.WINDOWS, chunks, (), ())


def _chunker(data: bytes, atoms: Atoms, config: IndexConfig) -> Chunker:
    return Chunker(data, atoms, config.chunk_max_lines, config.chunk_max_chars, limits.MAX_CHUNKS_PER_FILE)


def _plain_chunk(ordinal: int, span: Span, atoms: Atoms, language: str) -> Chunk:
    return Chunk(
        ordinal, "text", atoms.starts[span.first], atoms.starts[span.last + 1], atoms.lines[span.first],
        atoms.lines[span.last], language, "", (), None, (),
    )  # fmt: skip


def _parsed(read: Read, data: bytes, config: IndexConfig) -> ParsedFile:
    language, root, partial = read
    found = definitions.find(language, data, root)
    parts = segments.locate(found.segments, data) if found.segments else []
    roots: dict[int, Node] = {-1: root}
    if parts:
        lines = split_atoms(data, len(data))
        for index, part in enumerate(parts):
            inner = _embedded(part, data, lines)
            if inner is not None:
                roots[index] = inner.root
                # Fenced examples are often fragments; that says nothing about the document.
                partial = partial or (inner.partial and part.kind != "fence")
                found.extend(definitions.find(inner.language, data, inner.root, index))
    atoms = split_atoms(data, config.chunk_max_chars, tuple(cut for part in parts for cut in (part.start, part.end)))
    linked = definitions.link(found.definitions, found.docstrings)
    leads = blocks.Leads(data, atoms, found.docs + found.leads)
    chunker = _chunker(data, atoms, config)
    tree = blocks.build(linked, parts, roots, leads, data, atoms)
    chunker.region(0, atoms.count - 1, tree, root, None, None)
    symbols = [item for item in linked if item.emitted]
    return ParsedFile(
        language,
        ParseStatus.PARTIAL if partial else ParseStatus.PARSED,
        _chunks(chunker.spans, symbols, atoms, language),
        tuple(_symbol(item, data, atoms, leads) for item in symbols),
        _disjoint(found),
    )


def _embedded(part: Segment, data: bytes, lines: Atoms) -> Read | None:
    """The syntax tree of a segment, in the container's offsets."""
    if part.grammar is None or part.content_end <= part.content_start:
        return None
    span = Range(
        _point(part.content_start, lines), _point(part.content_end, lines), part.content_start, part.content_end
    )
    tree = grammar.parse_tree(part.grammar, data, span)
    return Read(part.grammar, tree.root_node, tree.root_node.has_error) if tree is not None else None


def _point(byte: int, lines: Atoms) -> tuple[int, int]:
    row = lines.at(byte)
    return (row, byte - lines.starts[row])


def _symbol(item: Definition, data: bytes, atoms: Atoms, leads: blocks.Leads) -> Symbol:
    first = atoms.at(item.start)
    above = leads.above(first) if item.docstring is None else None
    return symbol_of(item, data, atoms, (above[1], atoms.starts[first]) if above else None)


def _chunks(spans: list[Span], symbols: list[Definition], atoms: Atoms, language: str) -> tuple[Chunk, ...]:
    starts = [item.start for item in symbols]
    index_of = {id(item): index for index, item in enumerate(symbols)}
    chunks: list[Chunk] = []
    low = 0
    for ordinal, span in enumerate(spans):
        begin, end = atoms.starts[span.first], atoms.starts[span.last + 1]
        high = bisect_left(starts, end, low)
        main = span.main or span.owner
        if high > low and (main is None or (span.segment is not None and main.segment < 0)):
            main = symbols[low]  # of its own the span says nothing: its first definition speaks for it
        chunks.append(
            Chunk(
                ordinal=ordinal,
                kind="text",
                start_byte=begin,
                end_byte=end,
                start_line=atoms.lines[span.first],
                end_line=atoms.lines[span.last],
                language=span.segment.language if span.segment else language,
                segment_id=span.segment.segment_id if span.segment else "",
                breadcrumb=_breadcrumb(main),
                symbol=_nearest(main, index_of),
                defines=tuple(range(low, high)),
            )
        )
        low = high
    return tuple(chunks)


def _breadcrumb(item: Definition | None) -> tuple[str, ...]:
    """Names around a definition; those of an embedded segment follow those of the document around it."""
    if item is None:
        return ()
    outer = item.parent
    while outer is not None and outer.segment == item.segment:
        outer = outer.parent
    return (*_breadcrumb(outer), *item.path)


def _nearest(item: Definition | None, index_of: dict[int, int]) -> int | None:
    while item is not None:
        index = index_of.get(id(item))
        if index is not None:
            return index
        item = item.parent
    return None


def _disjoint(found: Found) -> tuple[tuple[int, int], ...]:
    ranges: list[tuple[int, int]] = []
    for start, end in sorted(found.docs):
        if not ranges or start >= ranges[-1][1]:
            ranges.append((start, end))
    return tuple(ranges)
