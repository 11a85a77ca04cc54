"""`everdex gc`: what no retained snapshot needs, or which stores nobody uses; deletes only when told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from everdex import limits
from everdex.errors import RootRefused
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import escape, plural, size, warn, write, write_json


@click.command("gc", short_help="Show what no retained snapshot needs; with --apply delete it.")
@options.root_argument
@click.option("--apply", is_flag=True, help="Delete; without this nothing is changed.")
@click.option("--stores", is_flag=True, help="Whole stores below EVERDEX_HOME that nobody uses, instead.")
@click.option(
    "--unused-days", type=click.IntRange(0), default=limits.STORE_UNUSED_DAYS, show_default=True, metavar="N",
    help="With --stores: how long a store must have been unused.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="With --stores: also damaged ones, those with a board, the current one.")
@options.shared_option
@options.json_option
def gc_command(
    path: Path, apply: bool, stores: bool, unused_days: int, force: bool, shared_store: Path | None, as_json: bool
) -> int:
    """Show what may be deleted from the store of the repository around PATH; with --apply delete it.

    The active snapshot, the newest five and all younger than ten minutes are kept, with everything they refer to.
    Nothing is deleted while somebody reads or writes. With --stores, whole stores that were not used for
    --unused-days are meant; the store of PATH is kept.

    \b
    Examples:
      everdex gc
      everdex gc --apply
      everdex gc --stores --unused-days 90 --apply
    """
    from everdex.service import maintain
    from everdex.service.index import Index

    if stores:
        try:
            current = Index.open_to_read(path, shared_store=shared_store)
        except RootRefused:
            current = None  # asked from $HOME or /: then no store is the current one
        document = maintain.gc_stores(current, apply=apply, unused_days=unused_days, force=force)
    else:
        document = maintain.gc(Index.open_to_read(path, shared_store=shared_store), apply=apply).to_dict()
    if as_json:
        write_json(document)
        return 0
    warn(document)
    if stores:
        _show_stores(document)
    else:
        _show(document)
    if document["dry_run"]:
        write("nothing was changed (--apply deletes)")
    return 0


def _show(document: dict[str, Any]) -> None:
    parts = [plural(len(document[kind]), kind.removesuffix("s")) for kind in ("snapshots", "segments")]
    parts.append(f"{len(document['staging'])} staging")
    if document["semantic"]:
        parts.append(f"facts of {plural(len(document['semantic']), 'context')}")
    verb = "would delete" if document["dry_run"] else "deleted"
    kept = plural(len(document["retained"]), "snapshot")
    write(f"{verb}: {', '.join(parts)}, {size(document['bytes_freed'])}; kept: {kept}")


def _show_stores(document: dict[str, Any]) -> None:
    verb = "would delete" if document["dry_run"] else "deleted"
    for entry in document["deleted"]:
        root = escape(entry["canonical_root"] or "unreadable")
        write(f"{verb}: {escape(entry['store_id'])}, {root}, {size(entry['size_bytes'])}, used {entry['last_used_at']}")
    for entry in document["kept"]:
        write(f"kept ({entry['reason']}): {escape(entry['store_id'])}")
    write(f"{verb}: {plural(len(document['deleted']), 'store')}, {size(document['bytes_freed'])}")
