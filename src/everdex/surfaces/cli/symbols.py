"""`everdex symbols`: where a name is defined, or what a file defines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import escape, plural, warn, write, write_error, write_json
from everdex.surfaces.cli.progress import Progress


@click.command("symbols", short_help="Show where a name is defined, or the outline of a file.")
@click.argument("asked", metavar="NAME|FILE")
@click.argument("root", required=False, type=click.Path(path_type=Path))
@options.no_sync_option
@options.reading_options
@options.workers_option
@options.shared_option
@options.json_option
def symbols_command(
    asked: str, root: Path | None, no_sync: bool, snapshot_id: str | None, offline: bool, workers: int,
    shared_store: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Show every definition of NAME, or what FILE defines, in the repository around ROOT (default: here).

    Definitions go to stdout, one line each, path:line:signature. NAME may be qualified (Index.search). When nothing
    has the name, names like it go to stderr: those it begins, those whose humps it spells (SnpVw for SnapshotView)
    and those it nearly spells. Exit code 0 means found, 1 nothing found.

    \b
    Examples:
      everdex symbols SnapshotView
      everdex symbols Index.search ~/src/everdex
      everdex symbols src/app.py
      everdex symbols --json open_view | jq -r '.definitions[].source'
    """
    from everdex.service import Index, Reading
    from everdex.sync.model import SyncOptions

    index = Index.open_to_read(root or ".", shared_store=shared_store)
    reading = Reading(sync=not no_sync, snapshot_id=snapshot_id, offline=offline)
    with Progress(quiet=as_json) as progress:
        answer = index.symbols(_key(asked, index.root.path), reading, SyncOptions(workers=workers, progress=progress))
    document = answer.to_dict()
    if as_json:
        write_json(document)
    else:
        warn(document)
        _show(document)
    outlined = document["by"] == "path" and document["outline"]["symbols"]
    return 0 if document["definitions"] or outlined else 1


def _key(asked: str, root: Path) -> str:
    """A file named from where we are, named from the root; anything else as it is."""
    if not os.path.isfile(asked):
        return asked
    parent, name = os.path.split(os.path.abspath(asked))
    real = Path(os.path.realpath(parent)) / name
    return real.relative_to(root).as_posix() if real.is_relative_to(root) else asked


def _show(document: dict[str, Any]) -> None:
    if document["by"] == "path":
        _show_outline(document["outline"])
    for item in document["definitions"]:
        write(f"{escape(item['path'])}:{item['start_line']}:{escape(item['signature'] or item['qualified_name'])}")
    if document["by"] == "name" and not document["definitions"]:
        write_error(f"no definition is called {escape(document['query'])}")
    for item in document["suggestions"]:
        for place in item["places"]:
            where = f"{escape(place['path'])}:{place['start_line']}"
            write_error(f"like it ({item['how']}): {escape(item['name'])}  {where}  {place['kind']}")
    if document["omitted"]:
        write_error(f"{plural(document['omitted'], 'more definition')} not shown")


def _show_outline(outline: dict[str, Any]) -> None:
    if not outline["symbols"]:
        write_error(f"{escape(outline['path'])} defines nothing that the index knows")
    for item in outline["symbols"]:
        indent = "  " * item["qualified_name"].count(".")
        write(f"{escape(outline['path'])}:{item['start_line']}:{indent}{escape(item['signature'] or item['name'])}")
