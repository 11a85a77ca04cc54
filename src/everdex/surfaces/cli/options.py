"""Options that several commands share, so that each is spelled and explained once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

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
    "--workers", type=click.IntRange(1, 64), default=2, show_default=True, metavar="N", help="Worker processes."
)

no_sync_option = click.option(
    "--no-sync", is_flag=True, help="Use the active snapshot as it is, without looking at the tree."
)


def reading_options(function: _Function) -> _Function:
    """--snapshot and --offline, which every reading command takes."""
    offline = click.option("--offline", is_flag=True, help="Read the store directly, even when a daemon runs.")
    snapshot = click.option(
        "--snapshot", "snapshot_id", metavar="ID", help="Answer from this retained snapshot (see `everdex status`)."
    )
    return snapshot(offline(function))
