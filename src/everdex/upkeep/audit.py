"""Audit: every number a snapshot carries, counted again from the rows themselves.

Takes nothing from the view, so that it can find the view wrong. What indexers said is counted along. Findings come
in a fixed order; an audit of an unchanged snapshot is the same document every time. It repairs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from everdex.numeric import np
from everdex.segment.files import read_file_lines, read_tombstones
from everdex.segment.model import FILES_NAME, ChunkRow
from everdex.segment.read import SegmentReader
from everdex.snapshot import active
from everdex.snapshot.guard import hold_shared
from everdex.snapshot.live import LiveMap, live_map
from everdex.snapshot.manifest import Manifest, SegmentRef
from everdex.snapshot.store import Store
from everdex.upkeep import facts
from everdex.upkeep.findings import Finding, differs


@dataclass(frozen=True, slots=True)
class AuditReport:
    snapshot_id: str
    files: int
    rows: int
    segments: int
    findings: tuple[Finding, ...]

    @property
    def clean(self) -> bool:
        return not self.findings

    def to_dict(self) -> dict[str, object]:
        hint = "" if self.clean else "run `everdex repair`, or `everdex index --rebuild`"
        return {**asdict(self), "findings": [asdict(finding) for finding in self.findings], "clean": self.clean,
                "hint": hint}  # fmt: skip


def audit(store: Store, snapshot_id: str | None = None) -> AuditReport:
    """Count everything again. Raises `Corrupt` when an artifact fails its checksum: then counting is pointless."""
    with hold_shared(store.readers_lock, store.permissions):
        manifest = active.pin(store, snapshot_id).manifest
        live = live_map(store.path, manifest)
        readers = [SegmentReader(store.path / reference.path) for reference in manifest.segments]
        try:
            findings = [
                *_manifest_findings(store, manifest, live),
                *_segment_findings(store, manifest, readers, live),
                *_row_findings(readers, live),
                *facts.findings(store, {path: file.line for path, file in live.files.items()}),
            ]
        finally:
            for reader in readers:
                reader.close()
    return AuditReport(
        manifest.snapshot_id, len(live.files), sum(live.live_rows), len(manifest.segments), tuple(findings)
    )


def _manifest_findings(store: Store, manifest: Manifest, live: LiveMap) -> Iterator[Finding]:
    counts = manifest.counts
    stored = sum(1 for file in live.files.values() if file.line.skip is None)
    yield from differs("chunks_indexed", "manifest", sum(live.live_rows), counts.chunks_indexed)
    told = sum(segment.live_rows for segment in manifest.segments)
    yield from differs("segment_live_rows", "manifest", told, counts.chunks_indexed)
    yield from differs("files_indexed", "manifest", stored, counts.files_indexed)
    own = 0
    for reference in manifest.tombstones:
        lines = read_tombstones(store.path / reference.path)
        yield from differs("tombstone_count", reference.path, len(lines), reference.count)
        own += reference.count if reference.seq == manifest.seq else 0
    # A publish that leaves no older segment keeps none of the tombstones it added.
    if own:
        yield from differs("tombstones_added", "manifest", own, counts.tombstones_added)


def _segment_findings(
    store: Store, manifest: Manifest, readers: list[SegmentReader], live: LiveMap
) -> Iterator[Finding]:
    widths = Counter(reader.vectors.dim for reader in readers if reader.vectors.rows)
    for index, (reference, reader) in enumerate(zip(manifest.segments, readers, strict=True)):
        name = reference.segment_id
        lines = read_file_lines(store.path / reference.path / FILES_NAME)
        stored = [line for line in lines if line.skip is None]
        listed = reader.rows.files()
        yield from differs("files", name, len(lines), reference.files)
        yield from differs("live_rows", name, live.live_rows[index], reference.live_rows)
        yield from differs("listed_files", name, [line.path_key for line in stored], [path for _, path, *_ in listed])
        yield from differs("listed_rows", name, [line.rows for line in stored], [count for *_, count in listed])
        yield from _row_counts(reference, reader)
    if len(widths) > 1:
        yield Finding("embedding_width", "snapshot", "one width", ", ".join(map(str, sorted(widths))))


def _row_counts(reference: SegmentRef, reader: SegmentReader) -> Iterator[Finding]:
    name = reference.segment_id
    yield from differs("rows", name, len(reader.rows.row_columns()), reference.rows)
    yield from differs("vectors", name, reader.vectors.rows, reference.rows)
    yield from differs("lexical_documents", name, reader.lexical.n_docs, reference.rows)


def _row_findings(readers: list[SegmentReader], live: LiveMap) -> Iterator[Finding]:
    uids: dict[str, str] = {}
    for path_key in sorted(live.files):
        file = live.files[path_key]
        if file.file_no < 0:
            continue
        reader = readers[file.segment]
        rows = reader.rows.chunks(file.file_no)
        yield from differs("file_rows", path_key, file.line.rows, len(rows))
        yield from differs("ordinals", path_key, list(range(len(rows))), [row.ordinal for row in rows])
        for row in rows:
            where = f"{path_key}#{row.ordinal}"
            yield from differs("file_hash", where, file.line.content_hash, row.file_hash)
            first = uids.setdefault(row.chunk_uid, where)
            if first != where:
                yield Finding("chunk_uid_collision", where, f"unlike {first}", row.chunk_uid)
        yield from _range_findings(path_key, reader.rows.source(file.file_no), rows)


def _range_findings(path_key: str, source: bytes, rows: list[ChunkRow]) -> Iterator[Finding]:
    """Bytes and lines describe the same range, and the text chunks cover the file once."""
    breaks = np.flatnonzero(np.frombuffer(source, dtype=np.uint8) == 0x0A)
    firsts = 1 + np.searchsorted(breaks, [row.byte_start for row in rows])
    lasts = 1 + np.searchsorted(breaks, [max(row.byte_start, row.byte_end - 1) for row in rows])
    reached = 0
    for row, lines in zip(rows, zip(firsts.tolist(), lasts.tolist(), strict=True), strict=True):
        where = f"{path_key}#{row.ordinal}"
        yield from differs("line_range", where, lines, (row.start_line, row.end_line))
        if row.kind == "text":
            yield from differs("tiling", where, reached, row.byte_start)
            reached = row.byte_end
    if rows:
        yield from differs("tiling", f"{path_key}#end", len(source), reached)
