"""`everdex compact`: merge segments into one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, duration, plural


@click.command("compact", short_help="Merge segments when it is due; with --force now.")
@options.path_argument
@click.option("--force", is_flag=True, help="Merge all segments now, due or not.")
@options.common()
def compact_command(path: Path, force: bool, common: Common) -> int:
    """Merge the segments of the store of the repository around PATH.

    Answers stay the same, to the last score. `everdex index` does this by itself when it is due.

    \b
    Examples:
      everdex compact
      everdex compact --force
    """
    from everdex.service.maintain import compact

    return common.show(compact(common.index(path), force=force).to_dict(), SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    now = _shape(document, "after")
    if document["compacted"]:
        time = duration(document["timings_ms"]["total"])
        yield True, f"compacted: {_shape(document, 'before')} -> {now}, {time}"
    else:
        yield True, f"nothing to compact: {now}"


def _shape(document: dict[str, Any], when: str) -> str:
    segments, tombstones = document[f"segments_{when}"], document[f"tombstones_{when}"]
    return f"{plural(segments, 'segment')}, {plural(tombstones, 'tombstone')}"


SHOWN = Shown(_lines)
