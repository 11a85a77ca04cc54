"""`everdex stop`: end the daemon of a repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.service.answers import of_no_index
from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown


@click.command("stop", short_help="Stop the daemon of a repository.")
@options.path_argument
@options.common()
def stop_command(path: Path, common: Common) -> int:
    """Stop the daemon of the repository around PATH, after the questions it is answering now.

    Exit code 0 means stopped, 1 that none was running.

    \b
    Examples:
      everdex stop
      everdex stop ~/src/flask
    """
    from everdex.surfaces.daemon.client import stop

    pid = stop(common.index(path))
    return common.show(of_no_index({"stopped": pid is not None, "pid": pid}), SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    yield False, f"stopped process {document['pid']}" if document["stopped"] else "no daemon is running"


SHOWN = Shown(_lines, lambda document: 0 if document["stopped"] else 1)
