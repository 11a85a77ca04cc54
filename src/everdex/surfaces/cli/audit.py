"""`everdex audit`: every number of a snapshot, counted again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.errors import Corrupt
from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, duration, escape, plural


@click.command("audit", short_help="Count every number of a snapshot again and report what differs.")
@options.path_argument
@options.common(options.reading_options)
def audit_command(path: Path, common: Common) -> int:
    """Count every number of the active snapshot (or of --snapshot) again from the rows themselves.

    Repairs nothing. Exit code 0 means that everything agrees, 14 that something does not.

    \b
    Examples:
      everdex audit
      everdex audit --json | jq .findings
    """
    from everdex.service.maintain import audit

    index = common.index(path)
    return common.show(common.tell(index, "audit", {}, lambda reading: audit(index, reading)), SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for finding in document["findings"]:
        what = f"{finding['actual']}, not {finding['expected']}"
        yield True, escape(f"{finding['code']}: {finding['subject']}: {what}")
    counted = f"{plural(document['files'], 'file')}, {plural(document['rows'], 'row')}"
    state = "everything agrees" if document["clean"] else plural(len(document["findings"]), "finding")
    yield True, f"audit: {state}; {counted}, {duration(document['timings_ms']['total'])}"
    if document["hint"]:
        yield False, f"hint: {document['hint']}"


SHOWN = Shown(_lines, lambda document: 0 if document["clean"] else Corrupt.exit_code)
