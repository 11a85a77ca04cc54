"""`everdex chunks`: the map of chunk identities, one JSON object a line, in docId order."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from everdex.errors import UsageError
from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import encode, escape, line_bytes, plural, warn, write, write_error, write_json

if TYPE_CHECKING:
    from everdex.service.index import Index


@click.command("chunks", short_help="Export the map of chunk identities (chunk_uid_map.jsonl).")
@options.path_argument
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to FILE, atomically."
)
@click.option("--meta", is_flag=True, help="Also metaV2, rowId and contentId of every chunk.")
@options.common(options.no_sync_option, options.reading_options)
def chunks_command(path: Path, output: Path | None, meta: bool, common: Common) -> int:
    """Export every chunk of the repository around PATH: chunk_uid_map.jsonl.

    One JSON object a line, by docId: docId, chunkUid, chunkId, file, segmentId, start, end. A docId is the place of
    a chunk in one snapshot; a chunkUid stays the same when the chunk moves in its file. --json gives one document
    with the same objects in `chunks`.

    \b
    Examples:
      everdex chunks | wc -l
      everdex chunks -o chunk_uid_map.jsonl
      everdex chunks --snapshot 01K… --json | jq '.chunks | length'
    """
    from everdex.service.exporting import to_file

    if output is not None and not output.parent.is_dir():
        raise UsageError(f"--output {output}: there is no directory {output.parent}", hint="make the directory first")
    document = _every_page(common.index(path), common, meta=meta)
    lines = [encode(chunk) for chunk in document["chunks"]]
    if output is not None:
        to_file((line_bytes(line) for line in lines), output)
        document["chunks"] = []
        document["output"] = str(output)
    if common.as_json:
        write_json(document)
        return 0
    warn(document)
    if output is not None:
        count = plural(len(lines), "chunk")
        write_error(f"{count} of snapshot {document['snapshot_id']} written to {escape(str(output))}")
        return 0
    for line in lines:
        write(line)
    return 0


def _every_page(index: Index, common: Common, *, meta: bool) -> dict[str, Any]:
    """The answer as one document: all from the snapshot of the first page."""
    document = _page(index, common, meta=meta, offset=0)
    cursor = document.pop("cursor")
    while cursor is not None:
        pinned = replace(common, snapshot_id=cursor["snapshot_id"], no_sync=False)
        page = _page(index, pinned, meta=meta, offset=cursor["offset"])
        document["chunks"] += page["chunks"]
        cursor = page["cursor"]
    del document["omitted"]  # nothing is
    return document


def _page(index: Index, common: Common, *, meta: bool, offset: int) -> dict[str, Any]:
    return common.ask(
        index, "chunks", {"meta": meta, "offset": offset},
        lambda reader, freshness, reading: reader.chunks(freshness, reading, meta=meta, offset=offset),
    )  # fmt: skip
