"""`everdex state`: how current and how certain the index is about files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import Line, Shown, escape
from everdex.surfaces.cli.pathed import gathered, named_from_root


@click.command("state", short_help="Show which files are dirty, stale or pending, and why.")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--root", type=click.Path(path_type=Path), metavar="DIR", help="The repository to look in.")
@click.option("--since", metavar="ID", help="Compare with this retained snapshot (see `everdex status`).")
@click.option("--offset", type=click.IntRange(0), default=0, metavar="N", help="Skip the first N files (see `cursor`).")
@options.no_sync_option
@options.reading_options
@options.shared_option
@options.json_option
def state_command(
    paths: tuple[str, ...], root: Path | None, since: str | None, offset: int, no_sync: bool,
    snapshot_id: str | None, offline: bool, shared_store: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Show the state of the files PATHS; without any, every file that is not clean.

    dirty: its own content changed. stale: the interface of a file it depends on changed. pending check: one of those
    changed, and its interface is not known yet. unindexed: the index does not have it. The index is brought up to date
    first; --no-sync shows what is behind, --since what changed after a snapshot. With --snapshot that snapshot is taken
    for the tree.

    \b
    Examples:
      everdex state --no-sync
      everdex state src/app.py
      everdex state --since 01M7GKD12H6R7QZE62RSHB11DX --json | jq '.files[].path'
    """
    from everdex.service import mutation
    from everdex.service.index import Index

    index = Index.open_to_read(root or ".", shared_store=shared_store)
    named = named_from_root(paths, index.root.path, root)
    mutation.check_paths(named)
    document = gathered(
        index, "state", {"paths": named, "since": since, "offset": offset}, no_sync=no_sync, offline=offline,
        quiet=as_json, snapshot_id=snapshot_id,
        here=lambda reading, options: mutation.ask_states(index, tuple(named), since, reading, options, offset),
    )  # fmt: skip
    return SHOWN.print(document, as_json=as_json)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for file in document["files"]:
        yield True, f"{escape(file['path'])}: {file['freshness'].replace('_', ' ')}, {file['certainty']}"
        for reason in file["reasons"]:
            about = escape(" ".join(filter(None, (reason["path"], reason["detail"]))))
            symbols = escape(", ".join(symbol["name"] for symbol in reason["symbols"]))
            yield True, f"  {reason['code']}{f' {about}' if about else ''}{f': {symbols}' if symbols else ''}"
    for made in document["decisions"]:
        holds = "" if made["holds"] else " (no longer holds: a file changed since)"
        yield True, escape(f"decided, {made['about']}{holds}: {made['proof']['because']}")
    counts = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in document["counts"].items())
    yield False, counts or "no files"
    if document["omitted"]:
        yield False, f"{document['omitted']:,} more not shown (--offset {document['cursor']['offset']})"


SHOWN = Shown(_lines)
