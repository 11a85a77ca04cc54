"""`everdex stores`: every store below EVERDEX_HOME."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import Line, Shown, escape, plural, size


@click.command("stores", short_help="List every store below EVERDEX_HOME.")
@options.json_option
def stores_command(as_json: bool) -> int:
    """List every store below EVERDEX_HOME with its root, size and last use.

    \b
    Examples:
      everdex stores
      everdex gc --stores
    """
    from everdex.service.maintain import stores

    return SHOWN.print(stores(), as_json=as_json)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    widest = max((len(entry["store_id"]) for entry in document["stores"]), default=0)
    for entry in document["stores"]:
        root = escape(entry["canonical_root"] or f"unreadable: {entry['problem']}")
        used = (entry["last_used_at"] or "never")[:10]
        yield True, f"{escape(entry['store_id']):<{widest}}  {size(entry['size_bytes']):>9}  used {used}  {root}"
    total = sum(entry["size_bytes"] for entry in document["stores"])
    yield True, f"{plural(len(document['stores']), 'store')}, {size(total)} in {escape(document['home'])}"


SHOWN = Shown(_lines)
