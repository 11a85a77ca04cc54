"""`everdex audit`: every number of a snapshot, counted again."""

from __future__ import annotations

from pathlib import Path

import click

from everdex.errors import Corrupt
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import duration, escape, plural, warn, write, write_error, write_json


@click.command("audit", short_help="Count every number of a snapshot again and report what differs.")
@options.root_argument
@options.reading_options
@options.shared_option
@options.json_option
def audit_command(
    path: Path, snapshot_id: str | None, offline: bool, shared_store: Path | None, as_json: bool
) -> int:
    """Count every number of the active snapshot (or of --snapshot) again from the rows themselves.

    Repairs nothing. Exit code 0 means that everything agrees, 14 that something does not.

    \b
    Examples:
      everdex audit
      everdex audit --json | jq .findings
    """
    from everdex.maintain import audit
    from everdex.service import Index, Reading

    index = Index.open_to_read(path, shared_store=shared_store)
    document = audit(index, snapshot_id).to_dict()
    document["warnings"] += Reading(offline=offline).warnings
    if as_json:
        write_json(document)
    else:
        warn(document)
        for finding in document["findings"]:
            write(escape(f"{finding['code']}: {finding['subject']}: {finding['actual']}, not {finding['expected']}"))
        counted = f"{plural(document['files'], 'file')}, {plural(document['rows'], 'row')}"
        state = "everything agrees" if document["clean"] else plural(len(document["findings"]), "finding")
        write(f"audit: {state}; {counted}, {duration(document['timings_ms']['total'])}")
        if document["hint"]:
            write_error(f"hint: {document['hint']}")
    return 0 if document["clean"] else Corrupt.exit_code
