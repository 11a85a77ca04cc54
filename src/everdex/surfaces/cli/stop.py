"""`everdex stop`: end the daemon of a repository."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import click

from everdex.errors import NotIndexed, Timeout
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import write_error, write_json

_LEAVE_S: Final = 20.0


@click.command("stop", short_help="Stop the daemon of a repository.")
@options.root_argument
@options.json_option
def stop_command(path: Path, as_json: bool) -> int:
    """Stop the daemon of the repository around PATH, after the questions it is answering now.

    Exit code 0 means stopped, 1 that none was running.

    \b
    Examples:
      everdex stop
      everdex stop ~/src/flask
    """
    from everdex.rendezvous import is_claimed
    from everdex.service import Index
    from everdex.surfaces.daemon.client import connect

    index = Index.open_to_read(path)
    try:
        running = is_claimed(index)
    except NotIndexed:
        running = False
    connection = connect(index) if running else None
    pid: int | None = None
    if connection is not None:
        with connection:
            pid = int(connection.call("shutdown")["pid"])
        deadline = time.monotonic() + _LEAVE_S
        while is_claimed(index):
            if time.monotonic() > deadline:
                raise Timeout(f"process {pid} has not left after {_LEAVE_S:.0f} s", hint=f"end it with kill {pid}")
            time.sleep(0.02)
    if as_json:
        write_json({"stopped": pid is not None, "pid": pid})
    elif pid is None:
        write_error("no daemon is running")
    else:
        write_error(f"stopped process {pid}")
    return 0 if pid is not None else 1
