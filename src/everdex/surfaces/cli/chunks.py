"""`everdex chunks`: the map of chunk identities, one JSON object a line, in docId order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from everdex.durable import Permissions, replace_atomically
from everdex.errors import DaemonStopping, UsageError
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import encode, escape, plural, warn, write, write_error, write_json
from everdex.surfaces.cli.progress import Progress

if TYPE_CHECKING:
    from everdex.service.index import Reading
    from everdex.surfaces.daemon.client import Connection

# An export is the user's own file, not part of a store.
_EXPORTED: Final = Permissions(0o755, 0o644)


@click.command("chunks", short_help="Export the map of chunk identities (chunk_uid_map.jsonl).")
@options.root_argument
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to FILE, atomically."
)
@click.option("--meta", is_flag=True, help="Also metaV2, rowId and contentId of every chunk.")
@options.no_sync_option
@options.reading_options
@options.shared_option
@options.json_option
def chunks_command(
    path: Path, output: Path | None, meta: bool, no_sync: bool, snapshot_id: str | None, offline: bool,
    shared_store: Path | None, as_json: bool,
) -> int:  # fmt: skip
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
    from everdex.service.index import Index, Reading
    from everdex.surfaces.daemon.client import reach
    from everdex.sync.model import SyncOptions

    if output is not None and not output.parent.is_dir():
        raise UsageError(f"--output {output}: there is no directory {output.parent}", hint="make the directory first")
    index = Index.open_to_read(path, shared_store=shared_store)
    reading = Reading(sync=not no_sync, snapshot_id=snapshot_id, offline=offline)
    connection = reach(index, reading)
    document = _pages(connection, reading, meta=meta) if connection is not None else None
    if document is None:
        with Progress(quiet=as_json) as progress:
            document = index.chunks(reading, SyncOptions(progress=progress), meta=meta).to_dict()
    lines = [encode(chunk) for chunk in document["chunks"]]
    if output is not None:
        replace_atomically(Path(os.path.abspath(output)), "".join(line + "\n" for line in lines).encode(), _EXPORTED)
        document["chunks"] = []
        document["output"] = str(output)
    if as_json:
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


def _pages(connection: Connection, reading: Reading, *, meta: bool) -> dict[str, Any] | None:
    """Every page of the daemon's answer as one document: all from the snapshot of the first."""
    with connection:
        try:
            document = connection.call(
                "chunks", {"meta": meta, "no_sync": not reading.sync, "snapshot_id": reading.snapshot_id}
            )
            cursor = document.pop("cursor")
            while cursor is not None:
                page = connection.call("chunks", {"meta": meta, **cursor})
                document["chunks"] += page["chunks"]
                cursor = page["cursor"]
        except DaemonStopping:
            return None
    del document["omitted"]  # nothing is
    return document
