"""Options that several commands share: each is spelled and explained once, and does the same everywhere.

A command names the ones it takes in `@common(...)` and gets their values as one `Common`, whose methods do what every
command does with them: open the index, ask the daemon or this process, and show the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click
import msgspec

from everdex import machine
from everdex.errors import DaemonStopping, UsageError
from everdex.surfaces.cli.output import Shown, Style, style, warn, write_error
from everdex.surfaces.cli.progress import Progress

if TYPE_CHECKING:
    from everdex.service.answers import Answer, Freshness
    from everdex.service.index import Index, Reading
    from everdex.service.reader import Reader
    from everdex.surfaces.daemon.client import Connection
    from everdex.sync.model import SyncOptions

_Function = TypeVar("_Function", bound=Callable[..., Any])
OverView: TypeAlias = "Callable[[Reader, Freshness, Reading], Answer]"

path_argument = click.argument("path", default=".", type=click.Path(path_type=Path))
root_argument = click.argument("root", required=False, type=click.Path(path_type=Path))
root_option = click.option("--root", type=click.Path(path_type=Path), metavar="DIR", help="The repository to look in.")

json_option = click.option("--json", "as_json", is_flag=True, help="Print exactly one JSON document on stdout.")

shared_option = click.option(
    "--shared-store",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Use the shared store in DIR (same host, same group, tracked files only).",
)

workers_option = click.option(
    "--workers", type=click.IntRange(1, 64), default=machine.workers, show_default="one a core, at most 8", metavar="N",
    help="Worker processes.",
)

no_sync_option = click.option(
    "--no-sync", is_flag=True, help="Use the active snapshot as it is, without looking at the tree."
)

_color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colours: auto is for a terminal without NO_COLOR; always also groups results as on a terminal.",
)


def reading_options(function: _Function) -> _Function:
    """--snapshot, --offline and --daemon, which every reading command takes."""
    snapshot = click.option(
        "--snapshot", "snapshot_id", metavar="ID", help="Answer from this retained snapshot (see `everdex status`)."
    )
    return snapshot(way_options(function))


def way_options(function: _Function) -> _Function:
    """--offline and --daemon."""
    offline = click.option("--offline", is_flag=True, help="Read the store directly, even when a daemon runs.")
    daemon = click.option("--daemon", is_flag=True, help="Start the daemon if none runs, and ask it.")
    return offline(daemon(function))


def common(*options: Callable[[Any], Any], color: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds these options, --shared-store, --color if wanted and --json to a command: its parameter `common`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def command(**given: Any) -> Any:
            values = {name: given.pop(name) for name in Common.__struct_fields__ if name in given}
            return function(**given, common=Common(**values))

        for option in (json_option, *([_color_option] if color else ()), shared_option, *reversed(options)):
            command = option(command)
        return command

    return decorate


class Common(msgspec.Struct, frozen=True):
    """The shared options of one command line; those that the command does not take have their defaults."""

    no_sync: bool = False
    snapshot_id: str | None = None
    offline: bool = False
    daemon: bool = False
    workers: int = msgspec.field(default_factory=machine.workers)
    shared_store: Path | None = None
    color: str = "auto"
    as_json: bool = False

    def index(self, path: str | Path | None) -> Index:
        """The index of the repository around a path; without one, around the current directory."""
        from everdex.service.index import Index

        return Index.open_to_read(path or ".", shared_store=self.shared_store)

    @property
    def reading(self) -> Reading:
        """How the index is read."""
        from everdex.service.index import Reading

        return Reading(sync=not self.no_sync, snapshot_id=self.snapshot_id, offline=self.offline)

    @contextmanager
    def syncing(self) -> Iterator[SyncOptions]:
        """How the index is brought up to date, while progress is shown."""
        from everdex.sync.model import SyncOptions

        with Progress(quiet=self.as_json) as progress:
            yield SyncOptions(workers=self.workers, progress=progress)

    def reach(self, index: Index) -> Connection | None:
        """The daemon to ask: the running one, or where the user wants that, one that is started; None for the store."""
        from everdex.surfaces.daemon.client import reach

        if self.offline and self.daemon:
            raise UsageError("--offline and --daemon exclude each other")
        return None if self.offline else reach(index, wanted=self.daemon, quiet=self.as_json)

    def ask(self, index: Index, method: str, params: dict[str, Any], here: OverView) -> dict[str, Any]:
        """The daemon's answer to `method`, and where none answers `here`'s, over a view of the store."""
        document = self._over_daemon(index, method, params)
        if document is not None:
            return document
        from everdex.service.warm import once

        with self.syncing() as sync, once(index, self.reading, sync) as (reader, freshness):
            return here(reader, freshness, self.reading).to_dict()

    def tell(
        self, index: Index, method: str, params: dict[str, Any], here: Callable[[Reading], Answer]
    ) -> dict[str, Any]:
        """The same of what needs no view."""
        document = self._over_daemon(index, method, params)
        return here(self.reading).to_dict() if document is None else document

    def _over_daemon(self, index: Index, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        connection = self.reach(index)
        if connection is not None:
            with connection, Progress(quiet=self.as_json) as progress, suppress(DaemonStopping):
                return connection.call_patiently(method, {**params, **self.asked}, progress)
        return None

    @property
    def asked(self) -> dict[str, Any]:
        """How the index is read, as parameters for a daemon."""
        synced = {"no_sync": True} if self.no_sync else {}
        return synced if self.snapshot_id is None else {**synced, "snapshot_id": self.snapshot_id}

    @property
    def layout(self) -> Style | None:
        """How answers are drawn for people; None where they go into a pipe or out as JSON."""
        layout = style(self.color)
        return None if self.as_json or not layout.grouped else layout

    def show(self, document: dict[str, Any], shown: Shown) -> int:
        """Print an answer, as JSON, drawn for a terminal, or as lines for a pipe; returns the exit code."""
        layout = self.layout
        if shown.draw is None or layout is None:
            return shown.print(document, as_json=self.as_json)
        warn(document)
        shown.draw(document, layout)
        for is_result, line in shown.lines(document):
            if not is_result:
                write_error(line)
        return shown.code(document)
