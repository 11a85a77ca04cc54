"""`everdex serve`: the daemon, in the foreground or detached."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from everdex.errors import DaemonStopping
from everdex.service.answers import of_no_index
from everdex.surfaces.cli import options
from everdex.surfaces.cli.failures import as_everdex
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import escape, write_error, write_json
from everdex.surfaces.cli.progress import Progress

if TYPE_CHECKING:
    from everdex.service.index import Index


@click.command("serve", short_help="Run the daemon that answers for a repository from a warm index.")
@options.path_argument
@click.option("--detach", is_flag=True, help="Come back as soon as a daemon answers, and leave it running.")
@click.option("--announce", is_flag=True, hidden=True, help="Say progress and readiness as JSON lines on stdout.")
@click.option("--for-store", metavar="ID", hidden=True, help="Refuse to serve another store than this.")
@options.common(options.workers_option)
def serve_command(path: Path, detach: bool, announce: bool, for_store: str | None, common: Common) -> int:
    """Run the daemon for the repository around PATH: every reading command goes through it from then on.

    The index is brought up to date first. The daemon keeps it warm and current, answers many clients at once, and
    leaves by itself after half an hour without a question, or when the repository, its configuration or everdex
    itself has changed. Ctrl-C or `everdex stop` ends it.

    \b
    Examples:
      everdex serve
      everdex serve --detach ~/src/flask
      everdex serve --detach --json | jq .pid
    """
    if announce:
        announced = _Announced()
        try:
            index = common.index(path)
            if for_store not in (None, index.store_id):
                raise DaemonStopping("the configuration was changed while the daemon was started")
            return _serve(index, announced.progress, common.workers, announced.ready)
        except Exception as error:  # noqa: BLE001 - whoever started us is the only one to tell
            announced.say({"error": as_everdex(error).to_dict()})
            return as_everdex(error).exit_code
    index = common.index(path)
    with Progress(quiet=common.as_json) as progress:
        if detach:
            pid, started = _detached(index, progress, common.workers)
            progress.finish()
            _ready(index, pid, common.as_json, started=started)
            return 0

        def ready() -> None:
            progress.finish()
            _ready(index, os.getpid(), common.as_json)

        return _serve(index, progress, common.workers, ready, say=write_error if not common.as_json else None)


def _serve(
    index: Index, progress: Callable[[str, int, int], None], workers: int, ready: Callable[[], object],
    *, say: Callable[[str], None] | None = None,
) -> int:  # fmt: skip
    """Be the daemon until there is a reason to leave."""
    from everdex.memory import tame_allocator
    from everdex.service.rendezvous import claim
    from everdex.sync.model import SyncOptions

    tame_allocator()
    index.sync(SyncOptions(workers=workers, progress=progress), wait=True)
    with claim(index) as held:
        from everdex.service.resident import ResidentIndex
        from everdex.surfaces.daemon.server import Server

        warm = ResidentIndex(index)
        warm.reader.warm_up()
        server = Server(warm, held)
        server.listen()
        ready()
        reason = server.run()
    if say is not None:
        say(f"stopped: {reason}")
    sys.stdout.flush()
    # A question that did not end in time may still hold a thread or a worker process; nobody waits for it.
    os._exit(0)


def _ready(index: Index, pid: int, as_json: bool, *, started: bool = True) -> None:
    from everdex.service.rendezvous import socket_of

    root, place = os.fspath(index.root.path), os.fspath(socket_of(index))
    if as_json:
        body = {"pid": pid, "socket": place, "root": root, "store_id": index.store_id, "started": started}
        write_json(of_no_index(body))
    else:
        write_error(f"{'serving' if started else 'already serving'} {escape(root)} (process {pid})")


def _detached(index: Index, progress: Progress, workers: int) -> tuple[int, bool]:
    """The daemon that answers, started with a session of its own if none runs; its process id, and whether it was."""
    from everdex.surfaces.daemon.client import connect
    from everdex.surfaces.daemon.start import start

    running = connect(index)
    with running or start(index, progress, workers=workers) as connection:
        return int(connection.hello["pid"]), running is None


class _Announced:
    """Reports to the process that started this one, as JSON lines on stdout; it may be gone already."""

    def __init__(self) -> None:
        from everdex.surfaces.daemon.beside import Telling

        self.progress = Telling(self.say)

    def say(self, document: dict[str, Any]) -> None:
        try:
            write_json(document)
        except BrokenPipeError:
            self.end()

    def ready(self) -> None:
        self.say({"pid": os.getpid()})
        self.end()

    def end(self) -> None:
        """From here on nothing is said: the pipe's other end may be gone for hours."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
