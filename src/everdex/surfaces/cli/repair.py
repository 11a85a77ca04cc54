"""`everdex repair`: mend a damaged store from what is left of it and the tree."""

from __future__ import annotations

from pathlib import Path

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import duration, escape, plural, warn, write, write_json
from everdex.surfaces.cli.progress import Progress


@click.command("repair", short_help="Mend a damaged store from what is left of it and the tree.")
@options.root_argument
@click.option("--dry-run", is_flag=True, help="Say what is damaged and what would be done; write nothing.")
@options.workers_option
@options.shared_option
@options.json_option
def repair_command(path: Path, dry_run: bool, workers: int, shared_store: Path | None, as_json: bool) -> int:
    """Mend the store of the repository around PATH.

    Only what is damaged is made again: the pointer, the files of a broken segment, or, when nothing is left to build
    on, everything. A snapshot that still passes its checks is never deleted.

    \b
    Examples:
      everdex repair --dry-run
      everdex repair
    """
    from everdex.service.index import Index
    from everdex.service.maintain import repair
    from everdex.sync.model import SyncOptions

    index = Index.open_to_read(path, shared_store=shared_store)
    with Progress(quiet=as_json) as progress:
        chosen = SyncOptions(workers=workers, progress=progress)
        document = repair(index, dry_run=dry_run, options=chosen).to_dict()
    if as_json:
        write_json(document)
        return 0
    warn(document)
    for item in document["damage"]:
        write(escape(f"{item['artifact']}: {item['problem']}: {item['remedy']}"))
    if not document["damage"]:
        write("nothing is damaged")
    elif dry_run:
        write(f"scope: {document['scope']}; nothing was changed")
    else:
        files = plural(document["files_indexed"], "file")
        time = duration(document["timings_ms"]["total"])
        write(f"repaired ({document['scope']}): {files} indexed again, snapshot {document['snapshot_id']}, {time}")
    return 0
