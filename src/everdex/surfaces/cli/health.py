"""`everdex health`: is the index whole, current and within its limits?"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from everdex.errors import Corrupt
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import escape, warn, write, write_json

_MARKS: Final = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}


@click.command("health", short_help="Check the index in full: whole, current, within its limits.")
@options.root_argument
@options.shared_option
@options.json_option
def health_command(path: Path, shared_store: Path | None, as_json: bool) -> int:
    """Check the index of the repository around PATH in full; changes nothing.

    Every checksum is computed again. Exit code 0 means that answers can be trusted (warnings say what needs a
    look), 14 that they cannot.

    \b
    Examples:
      everdex health
      everdex health --json | jq -r '.checks[] | select(.status != "ok") | .code'
    """
    from everdex.maintain import health
    from everdex.service import Index

    document = health(Index.open_to_read(path, shared_store=shared_store)).to_dict()
    if as_json:
        write_json(document)
    else:
        warn(document)
        for check in document["checks"]:
            write(f"{_MARKS[check['status']]}  {check['code']:<22} {escape(check['message'])}")
        write(f"health: {document['status']}")
    return Corrupt.exit_code if document["status"] == "corrupt" else 0
