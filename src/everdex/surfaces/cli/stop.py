"""`everdex stop`: end the daemon of a repository."""

from __future__ import annotations

from pathlib import Path

import click

from everdex.service.answers import of_no_index
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import write_error, write_json


@click.command("stop", short_help="Stop the daemon of a repository.")
@options.root_argument
@options.shared_option
@options.json_option
def stop_command(path: Path, shared_store: Path | None, as_json: bool) -> int:
    """Stop the daemon of the repository around PATH, after the questions it is answering now.

    Exit code 0 means stopped, 1 that none was running.

    \b
    Examples:
      everdex stop
      everdex stop ~/src/flask
    """
    from everdex.service.index import Index
    from everdex.surfaces.daemon.client import stop

    pid = stop(Index.open_to_read(path, shared_store=shared_store))
    if as_json:
        write_json(of_no_index({"stopped": pid is not None, "pid": pid}))
    elif pid is None:
        write_error("no daemon is running")
    else:
        write_error(f"stopped process {pid}")
    return 0 if pid is not None else 1
