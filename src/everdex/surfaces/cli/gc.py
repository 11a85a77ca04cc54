"""`everdex gc`: what no retained snapshot needs; deletes only when told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import plural, size, warn, write, write_json


@click.command("gc", short_help="Show what no retained snapshot needs; with --apply delete it.")
@options.root_argument
@click.option("--apply", is_flag=True, help="Delete; without this nothing is changed.")
@options.shared_option
@options.json_option
def gc_command(path: Path, apply: bool, shared_store: Path | None, as_json: bool) -> int:
    """Show what may be deleted from the store of the repository around PATH; with --apply delete it.

    The active snapshot, the newest five and all younger than ten minutes are kept, with everything they refer to.
    Nothing is deleted while somebody reads.

    \b
    Examples:
      everdex gc
      everdex gc --apply
    """
    from everdex.maintain import gc
    from everdex.service import Index

    document = gc(Index.open_to_read(path, shared_store=shared_store), apply=apply).to_dict()
    if as_json:
        write_json(document)
        return 0
    warn(document)
    _show(document)
    return 0


def _show(document: dict[str, Any]) -> None:
    parts = [plural(len(document[kind]), kind.removesuffix("s")) for kind in ("snapshots", "segments")]
    parts.append(f"{len(document['staging'])} staging")
    verb = "deleted" if document["applied"] else "would delete"
    kept = plural(len(document["retained"]), "snapshot")
    write(f"{verb}: {', '.join(parts)}, {size(document['bytes'])}; kept: {kept}")
    if not document["applied"] and document["bytes"]:
        write("nothing was changed; run `everdex gc --apply` to delete")
