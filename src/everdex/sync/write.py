"""The expensive half of a sync: changed files go through the workers into staged segments.

Imported only when there is something to index, because it needs numpy, the grammars and the embedder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from everdex.config import Config, embed_config_fingerprint
from everdex.discover.model import Candidate
from everdex.durable import open_lasting
from everdex.embed import identity_of
from everdex.embed.cache import EmbeddingCache
from everdex.roots import Root
from everdex.segment.read import SegmentReader
from everdex.segment.write import SegmentsWriter
from everdex.snapshot.lease import Lease
from everdex.snapshot.live import LiveFile
from everdex.snapshot.manifest import DegradedError
from everdex.snapshot.publish import StagedSegment
from everdex.sync import pool
from everdex.sync.model import Indexed, SyncOptions, WorkSettings
from everdex.sync.reuse import copy_equal
from everdex.sync.work import vector_dim


def write_segments(
    root: Root,
    config: Config,
    lease: Lease,
    snapshot_id: str,
    todo: tuple[Candidate, ...],
    dying: Sequence[tuple[Path, LiveFile]],
    options: SyncOptions,
) -> Indexed:
    """Index files into staged segments.

    `dying` are the files whose rows this sync replaces or removes, each with its segment's directory.
    """
    errors: list[DegradedError] = []
    vanished: list[str] = []
    store = lease.store
    fingerprint = embed_config_fingerprint(config.index, identity_of(config.index.embedder, root.path))
    cache_path = store.cache / "embeddings" / "cache.db"
    # Made here so that it gets the store's mode: the cache itself knows nothing of shared stores.
    os.close(open_lasting(cache_path, os.O_RDWR, store.permissions))
    settings = WorkSettings(root, config.index, fingerprint, cache_path)
    dim = vector_dim(settings)
    options.progress("index", 0, len(todo))
    with EmbeddingCache(cache_path, fingerprint, dim) as cache:
        _remember(cache, dying)
    with SegmentsWriter(lease.staging, f"seg_{snapshot_id}", dim) as writer:
        rest = todo if options.rebuild else copy_equal(root, store, writer, todo, config.index.max_file_size_bytes)
        done = reused = len(todo) - len(rest)
        # Closed here, not when it is collected: an interrupt must end the workers before it is reported.
        with closing(pool.run(settings, rest, options.workers)) as results:
            for result in results:
                lease.require()
                writer.add(result.batch)
                errors.extend(result.errors)
                vanished.extend(result.vanished)
                done += result.files_seen
                options.progress("index", done, len(todo))
        options.progress("seal", 0, 0)
        written = writer.close()
    staged = tuple(StagedSegment(directory, "delta", lines) for directory, lines in written)
    return Indexed(staged, tuple(errors), tuple(vanished), reused)


def _remember(cache: EmbeddingCache, dying: Sequence[tuple[Path, LiveFile]]) -> None:
    """Keep the vectors of text that leaves the live view: much of it comes back under another name or place."""
    by_segment: dict[Path, list[LiveFile]] = {}
    for directory, file in dying:
        if file.file_no >= 0:
            by_segment.setdefault(directory, []).append(file)
    for directory, files in by_segment.items():
        segment = SegmentReader(directory)
        for file in files:
            rows = range(file.first_row, file.first_row + file.line.rows)
            cache.put_many(segment.rows.chunk_hashes(rows), segment.vectors.row_vectors[rows.start : rows.stop])
        segment.close()
