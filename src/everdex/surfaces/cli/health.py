"""`everdex health`: is the index whole, current and within its limits?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from everdex.errors import Corrupt
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import Line, Shown, escape

_MARKS: Final = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}


@click.command("health", short_help="Check the index in full: whole, current, within its limits.")
@options.root_argument
@options.reading_options
@options.shared_option
@options.json_option
def health_command(
    path: Path, snapshot_id: str | None, offline: bool, shared_store: Path | None, as_json: bool
) -> int:
    """Check the index of the repository around PATH in full; changes nothing.

    Every checksum is computed again. Exit code 0 means that answers can be trusted (warnings say what needs a
    look), 14 that they cannot. With --snapshot that one is checked, and not compared with the tree.

    \b
    Examples:
      everdex health
      everdex health --json | jq -r '.checks[] | select(.status != "ok") | .code'
    """
    from everdex.service.index import Index, Reading
    from everdex.service.maintain import health
    from everdex.surfaces.daemon.client import ask

    index = Index.open_to_read(path, shared_store=shared_store)
    reading = Reading(snapshot_id=snapshot_id, offline=offline)
    document = ask(index, reading, "health", {"snapshot_id": snapshot_id}, lambda: health(index, reading))
    return SHOWN.print(document, as_json=as_json)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for check in document["checks"]:
        yield True, f"{_MARKS[check['status']]}  {check['code']:<22} {escape(check['message'])}"
    yield True, f"health: {document['status']}"


SHOWN = Shown(_lines, lambda document: Corrupt.exit_code if document["status"] == "corrupt" else 0)
