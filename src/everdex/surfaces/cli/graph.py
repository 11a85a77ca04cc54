"""`everdex graph export`: the whole graph, for other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from everdex.errors import UsageError
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import encode, escape, warn, whole, write_error, write_json
from everdex.surfaces.cli.progress import Progress

if TYPE_CHECKING:
    from everdex.service.exporting import Export

_FORMATS: Final = ("json", "dot", "scip", "ctags")


@click.command("graph", short_help="Export the graph of definitions, calls and references.")
@click.argument("action", type=click.Choice(["export"]))
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(_FORMATS), default="json", show_default=True, help="See below.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to FILE.")
@options.no_sync_option
@options.reading_options
@options.workers_option
@options.shared_option
@options.json_option
def graph_command(
    action: str, path: Path, form: str, output: Path | None, no_sync: bool, snapshot_id: str | None, offline: bool,
    workers: int, shared_store: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Export the graph of the repository around PATH (default: here).

    \b
    Formats:
      json   one document: nodes, edges with their sites, unresolved and external sites, files with interface hashes
      dot    for Graphviz
      scip   a SCIP index (protocol buffers); only what is resolved
      ctags  a tags file in the extended format

    With -o the graph goes to FILE, and --json prints the envelope of the answer and what was written.

    \b
    Examples:
      everdex graph export -o graph.json
      everdex graph export --format ctags -o tags
      everdex graph export | jq '[.edges[] | select(.kind == "calls")] | length'
    """
    from everdex.service import exporting
    from everdex.service.index import Index, Reading
    from everdex.sync.model import SyncOptions

    if form == "scip" and output is None and sys.stdout.isatty():
        raise UsageError("a SCIP index is not text", hint="name a file with -o, or pipe it")
    index = Index.open_to_read(path, shared_store=shared_store)
    reading = Reading(sync=not no_sync, snapshot_id=snapshot_id, offline=offline)
    printing = exporting.Printing(encode, escape)
    with Progress(quiet=as_json) as progress:
        sync = SyncOptions(workers=workers, progress=progress)
        with exporting.export(index, form, reading, sync, printing) as found:
            progress.finish()
            return _write(found, form, output, as_json=as_json)


def _write(found: Export, form: str, output: Path | None, *, as_json: bool) -> int:
    from everdex.service import exporting

    document: dict[str, Any] = found.answer.to_dict()
    if not as_json:
        warn(document)
    if output is None:
        with whole():
            exporting.to_stdout(found.pieces)
        return 0
    written = exporting.to_file(found.pieces, output)
    if as_json:
        write_json({**document, "output": str(output), "format": form, "bytes": written})
    else:
        write_error(f"wrote {written:,} bytes to {escape(str(output))}")
    return 0
