"""`everdex compact`: merge segments into one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import duration, plural, warn, write, write_json


@click.command("compact", short_help="Merge segments when it is due; with --force now.")
@options.root_argument
@click.option("--force", is_flag=True, help="Merge all segments now, due or not.")
@options.shared_option
@options.json_option
def compact_command(path: Path, force: bool, shared_store: Path | None, as_json: bool) -> int:
    """Merge the segments of the store of the repository around PATH.

    Answers stay the same, to the last score. `everdex index` does this by itself when it is due.

    \b
    Examples:
      everdex compact
      everdex compact --force
    """
    from everdex.service.index import Index
    from everdex.service.maintain import compact

    document = compact(Index.open_to_read(path, shared_store=shared_store), force=force).to_dict()
    if as_json:
        write_json(document)
        return 0
    warn(document)
    now = _shape(document, "after")
    if document["compacted"]:
        write(f"compacted: {_shape(document, 'before')} -> {now}, {duration(document['timings_ms']['total'])}")
    else:
        write(f"nothing to compact: {now}")
    return 0


def _shape(document: dict[str, Any], when: str) -> str:
    segments, tombstones = document[f"segments_{when}"], document[f"tombstones_{when}"]
    return f"{plural(segments, 'segment')}, {plural(tombstones, 'tombstone')}"
