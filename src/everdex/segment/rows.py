"""rows.db: the ChunkRow table, the symbols and the sources of a segment, in one SQLite file.

The writer fills a file that nobody sees; the reader opens it `immutable=1` and never locks. Ids that
follow from stored columns (chunk_id, row_id, chunkId, chunkUid) are computed when a row is read, so
they cannot disagree with them.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from everdex import versions
from everdex.errors import Corrupt, StorageFailure
from everdex.identity.chunks import chunk_id_of, range_id_of, row_id_of, uid_of
from everdex.memory import remembering
from everdex.parse.model import Chunk
from everdex.segment.model import ChunkRow, FileRecord, SymbolRow
from everdex.segment.source import piece

BREADCRUMB_SEPARATOR: Final = "\x1f"
# Not importlib.resources, which reads a file after ten milliseconds of imports.
_SCHEMA: Final = Path(__file__).with_name("rows.sql")
_FILE_SQL = "INSERT INTO files VALUES (?,?,?,?,?,?,?,?,?)"
_CHUNK_SQL = "INSERT INTO chunks VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_SYMBOL_SQL = "INSERT INTO symbols VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"
_DESCRIPTIONS_SQL = "INSERT INTO descriptions VALUES (?,?)"
_QUALIFIED = "CASE s.container WHEN '' THEN s.name ELSE s.container || '.' || s.name END"
_SYMBOL_COLUMNS = (
    f"f.path_key, s.name, {_QUALIFIED}, s.kind, s.start_line, s.end_line, s.start_byte, s.end_byte,"
    " s.name_line, s.name_column, s.public, s.row_no, s.place"
)
_SYMBOLS_FROM = "FROM symbols s CROSS JOIN chunks c USING (row_no) CROSS JOIN files f USING (file_no)"
_DESCRIPTION_LEVEL = 6
_MOST_MAPPED: Final = 1 << 30
# It is there: what is missing is a descriptor, or memory.
_NOT_ITS_FAULT: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM)


class RowsWriter:
    """Fills a new rows.db; `close` makes it complete. The caller flushes it."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        # Nobody sees this file before it is sealed, so a journal would protect nothing.
        self._connection.execute("PRAGMA journal_mode=OFF")
        # Every source ends in a partly filled page: small pages waste a quarter of what the usual ones do.
        self._connection.execute("PRAGMA page_size=1024")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.execute("PRAGMA locking_mode=EXCLUSIVE")
        self._connection.executescript(_SCHEMA.read_text())
        self._connection.execute("BEGIN")
        self._files = 0
        self.rows = 0

    def add(self, records: Iterable[FileRecord]) -> None:
        """Append files with their chunks and symbols."""
        files: list[tuple[Any, ...]] = []
        chunks: list[tuple[Any, ...]] = []
        symbols: list[tuple[Any, ...]] = []
        for record in records:
            if record.file.skip is None:
                self._append(record, files, chunks, symbols)
        self._insert(files, chunks, symbols)

    def _append(
        self,
        record: FileRecord,
        files: list[tuple[Any, ...]],
        chunks: list[tuple[Any, ...]],
        symbols: list[tuple[Any, ...]],
    ) -> None:
        parsed = record.parsed
        files.append((
            self._files, record.file.path_key, bytes.fromhex(record.file.content_hash), parsed.language,
            str(parsed.status), self.rows, len(parsed.chunks), record.source.entrances, record.source.stream,
        ))  # fmt: skip
        if parsed.symbols:
            texts = [text for symbol in parsed.symbols for text in (symbol.signature, symbol.doc)]
            blob = zlib.compress(json.dumps(texts, ensure_ascii=False).encode(), _DESCRIPTION_LEVEL)
            self._connection.execute(_DESCRIPTIONS_SQL, (self._files, blob))
        for chunk, identity in zip(parsed.chunks, record.identities, strict=True):
            main = parsed.symbols[chunk.symbol] if chunk.symbol is not None else None
            collision = int(identity.uid.rpartition(":c")[2]) if identity.collision_of else 0
            row_no = self.rows + chunk.ordinal
            chunks.append((
                row_no, self._files, chunk.ordinal, chunk.kind, identity.chunk_hash,
                chunk.start_byte, chunk.end_byte, chunk.start_line, chunk.end_line,
                "" if chunk.language == parsed.language else chunk.language,
                chunk.segment_id, main.qualified_name if main else "", main.kind if main else "",
                _crumbs_to_store(chunk.breadcrumb, main.qualified_name if main else ""),
                bytes.fromhex(identity.span_hash),
                bytes.fromhex(identity.pre_hash), bytes.fromhex(identity.post_hash), collision,
            ))  # fmt: skip
            for index in chunk.defines:
                symbol = parsed.symbols[index]
                symbols.append((
                    row_no, index, symbol.name, symbol.qualified_name[: -len(symbol.name) - 1], symbol.kind,
                    symbol.start_byte, symbol.end_byte, symbol.start_line, symbol.end_line, symbol.name_line,
                    symbol.name_column, int(symbol.public),
                ))  # fmt: skip
        self._files += 1
        self.rows += len(parsed.chunks)

    def copy(self, reader: RowsReader, file_numbers: Sequence[int]) -> None:
        """Append files of another segment, renumbered: what compaction does."""
        files: list[tuple[Any, ...]] = []
        chunks: list[tuple[Any, ...]] = []
        symbols: list[tuple[Any, ...]] = []
        for file_no in file_numbers:
            old_file, old_chunks, old_symbols = reader.raw_file(file_no)
            descriptions = reader.raw_descriptions(file_no)
            if descriptions is not None:
                self._connection.execute(_DESCRIPTIONS_SQL, (self._files, descriptions))
            shift = self.rows - old_file[5]
            files.append((self._files, *old_file[1:5], self.rows, *old_file[6:]))
            chunks.extend((row[0] + shift, self._files, *row[2:]) for row in old_chunks)
            symbols.extend((row[0] + shift, *row[1:]) for row in old_symbols)
            self._files += 1
            self.rows += old_file[6]
            if len(chunks) > 5_000:
                self._insert(files, chunks, symbols)
        self._insert(files, chunks, symbols)

    def _insert(self, files: list[Any], chunks: list[Any], symbols: list[Any]) -> None:
        self._connection.executemany(_FILE_SQL, files)
        self._connection.executemany(_CHUNK_SQL, chunks)
        self._connection.executemany(_SYMBOL_SQL, symbols)
        files.clear()
        chunks.clear()
        symbols.clear()

    def close(self) -> None:
        connection = self._connection
        version = versions.ARTIFACTS["chunk_row"].writable
        connection.execute("INSERT INTO meta VALUES ('chunk_row_schema_version', ?)", (str(version),))
        connection.execute("INSERT INTO meta VALUES ('chunker_version', ?)", (versions.CHUNKER_VERSION,))
        connection.execute("CREATE INDEX symbols_by_name ON symbols (name COLLATE NOCASE)")
        connection.execute("COMMIT")
        connection.close()

    def abandon(self) -> None:
        self._connection.close()


class RowsReader:
    """Reads a sealed rows.db."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Corrupt(f"{path} is missing")
        uri = f"file:{_uri_path(path)}?mode=ro&immutable=1"
        try:
            self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
            # Mapped like the segment's other files: a page is not copied through a read for every few rows.
            self._connection.execute(f"PRAGMA mmap_size={_MOST_MAPPED}")
            version = self._connection.execute("SELECT value FROM meta WHERE key='chunk_row_schema_version'").fetchone()
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_ITS_FAULT:
                raise StorageFailure(f"{path} cannot be opened: {error}") from error
            raise Corrupt(f"{path} is not a readable segment: {error}") from error
        versions.check_readable("chunk_row", int(version[0]) if version else None, str(path))
        self._source = remembering(self._read_source, 64)
        self._descriptions = remembering(self._read_descriptions, 64)

    def close(self) -> None:
        self._source.cache_clear()
        self._descriptions.cache_clear()
        self._connection.close()

    def files(self) -> list[tuple[int, str, str, str, int, int]]:
        """(file_no, path_key, language, status, first_row, row_count) of every file, in row order."""
        return self._connection.execute(
            "SELECT file_no, path_key, language, status, first_row, row_count FROM files ORDER BY file_no"
        ).fetchall()

    def row_columns(self) -> list[tuple[int, int, int, str, str, str]]:
        """(row_no, byte_start, start_line, language, symbol, symbol_kind) of every row, in order."""
        return self._connection.execute(
            "SELECT row_no, byte_start, start_line, language, symbol, symbol_kind FROM chunks ORDER BY row_no"
        ).fetchall()

    def chunk(self, row_no: int) -> ChunkRow:
        row = self._connection.execute(
            "SELECT c.*, f.path_key, f.file_hash, f.language, f.entrances, f.source"
            " FROM chunks c JOIN files f USING (file_no) WHERE row_no=?",
            (row_no,),
        ).fetchone()
        if row is None:
            raise Corrupt(f"row {row_no} is missing from a segment")
        return _chunk_row(row[:-2], piece(row[-1], row[-2], row[5], row[6]))

    def chunks(self, file_no: int) -> list[ChunkRow]:
        """Every row of one file, in order."""
        rows = self._connection.execute(
            "SELECT c.*, f.path_key, f.file_hash, f.language FROM chunks c JOIN files f USING (file_no)"
            " WHERE row_no >= (SELECT first_row FROM files WHERE file_no=?1)"
            " AND row_no < (SELECT first_row + row_count FROM files WHERE file_no=?1) ORDER BY row_no",
            (file_no,),
        )
        source = self.source(file_no)
        return [_chunk_row(row, source[row[5] : row[6]]) for row in rows]

    def row_starts(self, rows: range) -> list[int]:
        """First bytes of consecutive rows; the rows of a file cover it once, in order."""
        sql = "SELECT byte_start FROM chunks WHERE row_no >= ? AND row_no < ? ORDER BY row_no"
        return [start for (start,) in self._connection.execute(sql, (rows.start, rows.stop))]

    def chunk_hashes(self, rows: range) -> list[bytes]:
        """Content hashes of consecutive rows."""
        return [
            row[0]
            for row in self._connection.execute(
                "SELECT chunk_hash FROM chunks WHERE row_no >= ? AND row_no < ? ORDER BY row_no",
                (rows.start, rows.stop),
            )
        ]

    def source(self, file_no: int) -> bytes:
        """The whole bytes of a file as indexed."""
        return self._source(file_no)

    def sources(self, file_numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """Compressed sources of many files, for scans that decompress elsewhere."""
        for file_no in file_numbers:
            row = self._connection.execute("SELECT source FROM files WHERE file_no=?", (file_no,)).fetchone()
            yield file_no, row[0]

    def descriptions(self, file_no: int) -> list[tuple[str, str]]:
        """(signature, first sentence of documentation) of each of a file's definitions, by place."""
        return self._descriptions(file_no)

    def raw_descriptions(self, file_no: int) -> bytes | None:
        """A file's descriptions as stored, for copying."""
        row = self._connection.execute("SELECT texts FROM descriptions WHERE file_no=?", (file_no,)).fetchone()
        return row[0] if row else None

    def symbols_named(self, name: str) -> list[SymbolRow]:
        """Definitions with this name, ignoring ASCII case."""
        return self._symbols("s.name = ? COLLATE NOCASE", name)

    def symbols_with(self, names: Sequence[str]) -> list[SymbolRow]:
        """Definitions with one of these names, as they are written."""
        return self._symbols("s.name IN (SELECT value FROM json_each(?))", json.dumps(names))

    def symbols_of(self, file_no: int) -> list[SymbolRow]:
        first, count = self._connection.execute(
            "SELECT first_row, row_count FROM files WHERE file_no=?", (file_no,)
        ).fetchone()
        return self._symbols("s.row_no >= ? AND s.row_no < ?", first, first + count)

    def symbols_in(self, row_no: int) -> list[SymbolRow]:
        return self._symbols("s.row_no = ?", row_no)

    def names_defined(self, row_numbers: Sequence[int]) -> Iterator[tuple[int, str, str, str]]:
        """(row_no, name, container, kind) of every definition that starts in these rows."""
        # As one value: a statement with a mark for each row would be prepared anew for every number of rows.
        return self._connection.execute(
            "SELECT row_no, name, container, kind FROM symbols WHERE row_no IN (SELECT value FROM json_each(?))"
            " ORDER BY row_no, place",
            (json.dumps(row_numbers),),
        )

    def all_symbols(self) -> list[tuple[int, str]]:
        """(row_no, name) of every definition."""
        return self._connection.execute("SELECT row_no, name FROM symbols ORDER BY row_no, place").fetchall()

    def raw_file(self, file_no: int) -> tuple[Any, list[Any], list[Any]]:
        """The stored tuples of one file, for copying into another segment."""
        execute = self._connection.execute
        file_row = execute("SELECT * FROM files WHERE file_no=?", (file_no,)).fetchone()
        chunks = execute(
            "SELECT * FROM chunks WHERE row_no >= ? AND row_no < ? ORDER BY row_no",
            (file_row[5], file_row[5] + file_row[6]),
        ).fetchall()
        symbols = execute(
            "SELECT * FROM symbols WHERE row_no >= ? AND row_no < ? ORDER BY row_no, place",
            (file_row[5], file_row[5] + file_row[6]),
        ).fetchall()
        return file_row, chunks, symbols

    def check(self) -> str | None:
        """What SQLite itself finds wrong with the file, if anything."""
        try:
            answer = self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        except sqlite3.DatabaseError as error:
            return str(error)
        return None if answer == "ok" else str(answer)

    def _symbols(self, where: str, *values: object) -> list[SymbolRow]:
        rows = self._connection.execute(
            f"SELECT {_SYMBOL_COLUMNS} {_SYMBOLS_FROM} WHERE {where} ORDER BY s.row_no, s.place",
            values,
        )
        return [_symbol_row(row) for row in rows]

    def _read_source(self, file_no: int) -> bytes:
        row = self._connection.execute("SELECT source FROM files WHERE file_no=?", (file_no,)).fetchone()
        return zlib.decompress(row[0])

    def _read_descriptions(self, file_no: int) -> list[tuple[str, str]]:
        compressed = self.raw_descriptions(file_no)
        texts = json.loads(zlib.decompress(compressed)) if compressed else []
        return list(zip(texts[::2], texts[1::2], strict=True))


def _chunk_row(row: tuple[Any, ...], text: bytes) -> ChunkRow:
    """A stored row and its own bytes."""
    (_, _, ordinal, kind, chunk_hash, start, end, start_line, end_line, language, segment_id,
     symbol, symbol_kind, breadcrumb, span, pre, post, collision, path_key, file_hash,
     file_language) = row  # fmt: skip
    crumbs = tuple((breadcrumb or symbol.replace(".", BREADCRUMB_SEPARATOR)).split(BREADCRUMB_SEPARATOR))
    crumbs = () if breadcrumb == BREADCRUMB_SEPARATOR or crumbs == ("",) else crumbs
    language = language or file_language
    chunk = Chunk(ordinal, kind, start, end, start_line, end_line, language, segment_id, crumbs, None, ())
    chunk_id = chunk_id_of(chunk_hash, kind)
    uid = uid_of(path_key, segment_id, span.hex(), pre.hex(), post.hex())
    return ChunkRow(
        row_id=row_id_of(path_key, chunk_id, ordinal).hex(),
        chunk_id=chunk_id.hex(),
        path_key=path_key,
        path_key_ci=path_key.casefold(),
        ordinal=ordinal,
        file_hash=file_hash.hex(),
        chunk_hash=chunk_hash.hex(),
        chunker_version=versions.CHUNKER_VERSION,
        kind=kind,
        text=text.decode("utf-8"),
        start_line=start_line,
        end_line=end_line,
        byte_start=start,
        byte_end=end,
        language=language,
        segment_id=segment_id,
        symbol=symbol,
        symbol_kind=symbol_kind,
        breadcrumb=crumbs,
        range_id=range_id_of(path_key, chunk, symbol),
        chunk_uid=f"{uid}:c{collision}" if collision else uid,
        span_hash=span.hex(),
        pre_hash=pre.hex(),
        post_hash=post.hex(),
        collision_of=uid if collision else None,
    )


def _crumbs_to_store(breadcrumb: tuple[str, ...], symbol: str) -> str:
    """'' when the breadcrumb follows from the symbol, a lone separator when there is none though there is a symbol."""
    joined = BREADCRUMB_SEPARATOR.join(breadcrumb)
    if joined == symbol.replace(".", BREADCRUMB_SEPARATOR):
        return ""
    return joined or BREADCRUMB_SEPARATOR


def _symbol_row(row: tuple[Any, ...]) -> SymbolRow:
    values = list(row)
    values[10] = bool(values[10])
    return SymbolRow(*values)


def _uri_path(path: Path) -> str:
    return str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
