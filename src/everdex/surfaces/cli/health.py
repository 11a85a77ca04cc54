"""`everdex health`: is the index whole, current and within its limits?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from everdex.errors import Corrupt
from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, escape

MARKS: Final = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}


@click.command("health", short_help="Check the index in full: whole, current, within its limits.")
@options.path_argument
@options.common(options.reading_options)
def health_command(path: Path, common: Common) -> int:
    """Check the index of the repository around PATH in full; changes nothing.

    Every checksum is computed again. Exit code 0 means that answers can be trusted (warnings say what needs a
    look), 14 that they cannot. With --snapshot that one is checked, and not compared with the tree.

    \b
    Examples:
      everdex health
      everdex health --json | jq -r '.checks[] | select(.status != "ok") | .code'
    """
    from everdex.service.maintain import health

    index = common.index(path)
    return common.show(common.tell(index, "health", {}, lambda reading: health(index, reading)), SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for check in document["checks"]:
        yield True, f"{MARKS[check['status']]}  {check['code']:<22} {escape(check['message'])}"
    yield True, f"health: {document['status']}"


SHOWN = Shown(_lines, lambda document: Corrupt.exit_code if document["status"] == "corrupt" else 0)
