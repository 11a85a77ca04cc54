"""Options that several commands share, so that each is spelled and explained once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from everdex import machine
from everdex.errors import UsageError

_Function = TypeVar("_Function", bound=Callable[..., Any])

root_argument = click.argument("path", default=".", type=click.Path(path_type=Path))

json_option = click.option("--json", "as_json", is_flag=True, help="Print exactly one JSON document on stdout.")

color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colours: auto is for a terminal without NO_COLOR; always also groups results as on a terminal.",
)

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


_DAEMON = "everdex.daemon"


def reading_options(function: _Function) -> _Function:
    """--snapshot, --offline and --daemon, which every reading command takes."""
    snapshot = click.option(
        "--snapshot", "snapshot_id", metavar="ID", help="Answer from this retained snapshot (see `everdex status`)."
    )
    return snapshot(way_options(function))


def way_options(function: _Function) -> _Function:
    """--offline and --daemon; the second is asked for through `wants_daemon`."""
    offline = click.option("--offline", is_flag=True, help="Read the store directly, even when a daemon runs.")
    daemon = click.option(
        "--daemon", is_flag=True, expose_value=False, callback=_note_daemon,
        help="Start the daemon if none runs, and ask it.",
    )  # fmt: skip
    return offline(daemon(function))


def _note_daemon(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    context.meta[_DAEMON] = wanted


def wants_daemon() -> bool:
    """Whether this command line says --daemon."""
    context = click.get_current_context(silent=True)
    if context is None or not context.meta.get(_DAEMON):
        return False
    if context.params.get("offline"):
        raise UsageError("--offline and --daemon exclude each other")
    return True


def wants_json() -> bool:
    """Whether this command line says --json."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.params.get("as_json"))
