"""Turning files into records: read stably, parse, identify, count words, embed. No writing.

A file's record depends on its path and bytes only, so it does not matter which process made it or what
was in the batch beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from everdex.changes import content_skip, read_stable
from everdex.changes.model import IndexedFile, ReadFailed, SourceFile, UnstableRead
from everdex.discover.model import Candidate, SkipReason
from everdex.embed import open_embedder
from everdex.embed.cache import EmbeddingCache
from everdex.embed.compose import embed
from everdex.identity.chunks import identify
from everdex.interpreters import is_script
from everdex.languages import language_of
from everdex.numeric import np
from everdex.parse import parse_file
from everdex.parse.model import ParsedFile, ParseStatus
from everdex.segment.model import FileRecord, RecordBatch
from everdex.segment.source import PackedSource, pack
from everdex.segment.vectors import VectorBatch, join_vectors
from everdex.snapshot.manifest import DegradedError
from everdex.sync.model import WorkSettings
from everdex.terms.bags import BagExtractor
from everdex.terms.model import Bags

_NOTHING = ParsedFile("", ParseStatus.WINDOWS, (), (), ())


class BatchResult(msgspec.Struct, frozen=True):
    """Records of the files that could be indexed, and what became of the others."""

    batch: RecordBatch
    errors: tuple[DegradedError, ...]
    vanished: tuple[str, ...]
    files_seen: int


class Worker:
    """Holds what is expensive to load, and the cache of vectors open; one a process."""

    def __init__(self, settings: WorkSettings) -> None:
        self._settings = settings
        self._embedder = open_embedder(settings.config.embedder, settings.root.path)
        self.dim = self._embedder.dim if self._embedder else 0
        self._extractor = BagExtractor()
        self._cache = EmbeddingCache(settings.cache_path, settings.embed_fingerprint, self.dim)

    def close(self) -> None:
        self._cache.close()

    def process(self, candidates: Sequence[Candidate]) -> BatchResult:
        """Index a batch of candidates."""
        records: list[FileRecord] = []
        parsed: list[tuple[str, bytes, ParsedFile]] = []
        errors: list[DegradedError] = []
        vanished: list[str] = []
        for candidate in candidates:
            try:
                source = read_stable(
                    self._settings.root, candidate, max_bytes=self._settings.config.max_file_size_bytes
                )
            except (UnstableRead, ReadFailed) as error:
                errors.append(DegradedError(error.code, str(error), candidate.path_key))
                continue
            if source is None or (candidate.is_script and not is_script(source.data)):
                vanished.append(candidate.path_key)
                continue
            record = self._record(source)
            records.append(record)
            if record.file.skip is None:
                parsed.append((source.path_key, source.data, record.parsed))
        bags = self._extractor.extract(parsed)
        hashes = [identity.chunk_hash for record in records for identity in record.identities]
        return BatchResult(
            RecordBatch(tuple(records), bags.terms, self._vectors(bags, hashes)),
            tuple(errors),
            tuple(vanished),
            len(candidates),
        )

    def _record(self, source: SourceFile) -> FileRecord:
        skip = content_skip(source.data)
        parsed = _NOTHING
        if skip is None:
            parsed = parse_file(source.path_key, source.data, self._settings.config)
            if len(parsed.chunks) > self._settings.config.max_chunks_per_file:
                skip, parsed = SkipReason.TOO_MANY_CHUNKS, _NOTHING
        file = IndexedFile(
            source.path_key, source.content_hash, source.stat, source.observed_ns, str(skip) if skip else None,
            "" if skip or parsed.language == language_of(source.path_key) else parsed.language,
        )
        if skip is not None:
            return FileRecord(file, _NOTHING, (), PackedSource(b"", b""))
        identities = identify(source.path_key, source.data, parsed)
        return FileRecord(file, parsed, identities, pack(source.data))

    def _vectors(self, bags: Bags, hashes: Sequence[bytes]) -> VectorBatch:
        files = bags.doc_files.astype(np.int64)
        if self._embedder is None:
            nothing = np.zeros((len(hashes), 0), np.int8), np.zeros((bags.path_words.n_items, 0), np.int8)
            return join_vectors(*nothing, files)
        found, rows = self._cache.get_many(hashes)
        missing = np.flatnonzero(~found)
        rows[missing] = embed(self._embedder, bags.chunk_words, missing)
        return join_vectors(rows, embed(self._embedder, bags.path_words), files)


def vector_dim(settings: WorkSettings) -> int:
    """The width of the vectors that workers with these settings make."""
    embedder = open_embedder(settings.config.embedder, settings.root.path)
    return embedder.dim if embedder else 0
