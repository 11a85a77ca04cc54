"""`everdex serve`: the daemon, in the foreground or detached."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from everdex.errors import InternalError
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import escape, write_error, write_json
from everdex.surfaces.cli.progress import Progress

if TYPE_CHECKING:
    from everdex.service import Index

_START_S: Final = 60.0


@click.command("serve", short_help="Run the daemon that answers for a repository from a warm index.")
@options.root_argument
@click.option("--detach", is_flag=True, help="Come back as soon as the daemon answers, and leave it running.")
@options.workers_option
@options.json_option
def serve_command(path: Path, detach: bool, workers: int, as_json: bool) -> int:
    """Run the daemon for the repository around PATH: search, files, explain and status go through it from then on.

    The index is brought up to date first. The daemon keeps it warm and current, answers many clients at once, and
    leaves by itself after half an hour without a question, or when the repository, its configuration or everdex
    itself has changed. Ctrl-C or `everdex stop` ends it.

    \b
    Examples:
      everdex serve
      everdex serve --detach ~/src/flask
      everdex serve --detach --json | jq .pid
    """
    from everdex.rendezvous import claim
    from everdex.service import Index
    from everdex.sync.model import SyncOptions

    index = Index.open_to_read(path)
    with Progress(quiet=as_json) as progress:
        index.sync(SyncOptions(workers=workers, progress=progress), wait=True)
        progress.finish()
    if detach:
        _ready(index, _detached(index), as_json)
        return 0
    with claim(index) as held:
        from everdex.resident import ResidentIndex
        from everdex.surfaces.daemon.server import Server

        warm = ResidentIndex(index)
        warm.warm_up()
        server = Server(warm, held)
        server.listen()
        _ready(index, os.getpid(), as_json)
        reason = server.run()
    if not as_json:
        write_error(f"stopped: {reason}")
    sys.stdout.flush()
    # A question that did not end in time may still hold a thread or a worker process; nobody waits for it.
    os._exit(0)


def _ready(index: Index, pid: int, as_json: bool) -> None:
    from everdex.rendezvous import socket_of

    root, place = os.fspath(index.root.path), os.fspath(socket_of(index))
    if as_json:
        document: dict[str, Any] = {"pid": pid, "socket": place, "root": root, "store_id": index.store_id}
        write_json(document)
    else:
        write_error(f"serving {escape(root)} (process {pid})")


def _detached(index: Index) -> int:
    """Start a daemon of its own session and wait until it answers."""
    from everdex.rendezvous import claim
    from everdex.surfaces.daemon.client import connect

    with claim(index):
        pass  # another daemon is reported by us, not by a child nobody hears
    # -P: the working directory may be a hostile repository and must not be imported from.
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "everdex", "serve", os.fspath(index.root.path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
        start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and child.poll() is None:
        connection = connect(index)
        if connection is not None:
            with connection:
                return int(connection.hello["pid"])
        time.sleep(0.05)
    child.terminate()
    raise InternalError("the daemon did not start", hint="run `everdex serve` without --detach to see why")
