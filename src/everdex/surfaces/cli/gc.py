"""`everdex gc`: what no retained snapshot needs, or which stores nobody uses; deletes only when told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex import limits
from everdex.errors import RootRefused
from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, escape, plural, size


@click.command("gc", short_help="Show what no retained snapshot needs; with --apply delete it.")
@options.path_argument
@click.option("--apply", is_flag=True, help="Delete; without this nothing is changed.")
@click.option("--stores", is_flag=True, help="Whole stores below EVERDEX_HOME that nobody uses, instead.")
@click.option(
    "--unused-days", type=click.IntRange(0), default=limits.STORE_UNUSED_DAYS, show_default=True, metavar="N",
    help="With --stores: how long a store must have been unused.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="With --stores: also damaged ones, those with a board, the current one.")
@options.common()
def gc_command(path: Path, apply: bool, stores: bool, unused_days: int, force: bool, common: Common) -> int:
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

    if not stores:
        return common.show(maintain.gc(common.index(path), apply=apply).to_dict(), SHOWN)
    try:
        current = common.index(path)
    except RootRefused:
        current = None  # asked from $HOME or /: then no store is the current one
    document = maintain.gc_stores(current, apply=apply, unused_days=unused_days, force=force)
    return common.show(document, STORES)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    parts = [plural(len(document[kind]), kind.removesuffix("s")) for kind in ("snapshots", "segments")]
    parts.append(f"{len(document['staging'])} staging")
    if document["semantic"]:
        parts.append(f"facts of {plural(len(document['semantic']), 'context')}")
    kept = plural(len(document["retained"]), "snapshot")
    yield True, f"{_verb(document)}: {', '.join(parts)}, {size(document['bytes_freed'])}; kept: {kept}"
    yield from _nothing_done(document)


def _stores(document: dict[str, Any]) -> Iterator[Line]:
    verb = _verb(document)
    for entry in document["deleted"]:
        root = escape(entry["canonical_root"] or "unreadable")
        used = f"{size(entry['size_bytes'])}, used {entry['last_used_at']}"
        yield True, f"{verb}: {escape(entry['store_id'])}, {root}, {used}"
    for entry in document["kept"]:
        yield True, f"kept ({entry['reason']}): {escape(entry['store_id'])}"
    yield True, f"{verb}: {plural(len(document['deleted']), 'store')}, {size(document['bytes_freed'])}"
    yield from _nothing_done(document)


def _verb(document: dict[str, Any]) -> str:
    return "would delete" if document["dry_run"] else "deleted"


def _nothing_done(document: dict[str, Any]) -> Iterator[Line]:
    if document["dry_run"]:
        yield True, "nothing was changed (--apply deletes)"


SHOWN, STORES = Shown(_lines), Shown(_stores)
