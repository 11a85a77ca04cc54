"""`everdex state`: how current and how certain the index is about files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, escape
from everdex.surfaces.cli.paths import named_from_root


@click.command("state", short_help="Show which files are dirty, stale or pending, and why.")
@click.argument("paths", nargs=-1, type=click.Path())
@options.root_option
@click.option("--since", metavar="ID", help="Compare with this retained snapshot (see `everdex status`).")
@click.option("--offset", type=click.IntRange(0), default=0, metavar="N", help="Skip the first N files (see `cursor`).")
@options.common(options.no_sync_option, options.reading_options)
def state_command(
    paths: tuple[str, ...], root: Path | None, since: str | None, offset: int, common: Common
) -> int:
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

    index = common.index(root)
    named = named_from_root(paths, index.root.path, root)
    mutation.check_paths(named)
    document = common.ask(
        index, "state", {"paths": named, "since": since, "offset": offset},
        lambda reader, freshness, reading: reader.states(tuple(named), since, freshness, reading, offset=offset),
    )  # fmt: skip
    return common.show(document, SHOWN)


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
