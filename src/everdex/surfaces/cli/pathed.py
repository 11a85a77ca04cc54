"""What gate and state share: files named from where we are, and who answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everdex.surfaces.cli.progress import Progress

if TYPE_CHECKING:
    from everdex.service.answers import Answer
    from everdex.service.index import Index, Reading
    from everdex.sync.model import SyncOptions


def named_from_root(paths: Sequence[str], top: Path, root: Path | None) -> list[str]:
    """Paths as the index names them; what is outside stays absolute. Relative to `root` where that is given."""
    start = os.path.abspath(root or ".")
    named = []
    for path in paths:
        parent, name = os.path.split(os.path.normpath(os.path.join(start, path)))
        real = os.path.join(os.path.realpath(parent), name)
        inside = real.startswith(f"{top}{os.sep}")
        named.append(os.path.relpath(real, top) if inside else real)
    return list(dict.fromkeys(named))


def gathered(
    index: Index, method: str, params: dict[str, Any], *, no_sync: bool, offline: bool, quiet: bool,
    here: Callable[[Reading, SyncOptions], Answer], snapshot_id: str | None,
) -> dict[str, Any]:  # fmt: skip
    """The answer of the running daemon, or of this process."""
    from everdex.service.index import Reading
    from everdex.surfaces.daemon import client
    from everdex.sync.model import SyncOptions

    reading = Reading(sync=not no_sync, snapshot_id=snapshot_id, offline=offline)
    asked = params if snapshot_id is None else {**params, "snapshot_id": snapshot_id}

    def shown() -> Answer:
        with Progress(quiet=quiet) as progress:
            return here(reading, SyncOptions(progress=progress))

    return client.ask(index, reading, method, {**asked, "no_sync": no_sync}, shown)
