"""`everdex repair`: mend a damaged store from what is left of it and the tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, duration, escape, plural


@click.command("repair", short_help="Mend a damaged store from what is left of it and the tree.")
@options.path_argument
@click.option("--dry-run", is_flag=True, help="Say what is damaged and what would be done; write nothing.")
@options.common(options.workers_option)
def repair_command(path: Path, dry_run: bool, common: Common) -> int:
    """Mend the store of the repository around PATH.

    Only what is damaged is made again: the pointer, the files of a broken segment, or, when nothing is left to build
    on, everything. A snapshot that still passes its checks is never deleted.

    \b
    Examples:
      everdex repair --dry-run
      everdex repair
    """
    from everdex.service.maintain import repair

    index = common.index(path)
    with common.syncing() as sync:
        document = repair(index, dry_run=dry_run, options=sync).to_dict()
    return common.show(document, SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for item in document["damage"]:
        yield True, escape(f"{item['artifact']}: {item['problem']}: {item['remedy']}")
    if not document["damage"]:
        yield True, "nothing is damaged"
    elif document["dry_run"]:
        yield True, f"scope: {document['scope']}; nothing was changed"
    else:
        files = plural(document["files_indexed"], "file")
        done = f"snapshot {document['snapshot_id']}, {duration(document['timings_ms']['total'])}"
        yield True, f"repaired ({document['scope']}): {files} indexed again, {done}"


SHOWN = Shown(_lines)
