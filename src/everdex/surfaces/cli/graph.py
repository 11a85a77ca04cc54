"""`everdex graph export`: the whole graph, for other programs."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from everdex.errors import UsageError
from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import encode, escape, warn, whole, write_error, write_json

if TYPE_CHECKING:
    from everdex.service.exporting import Export

_FORMATS: Final = ("json", "dot", "scip", "ctags")


@click.command("graph", short_help="Export the graph of definitions, calls and references.")
@click.argument("action", type=click.Choice(["export"]))
@options.path_argument
@click.option("--format", "form", type=click.Choice(_FORMATS), default="json", show_default=True, help="See below.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to FILE.")
@options.common(options.no_sync_option, options.reading_options, options.workers_option)
def graph_command(action: str, path: Path, form: str, output: Path | None, common: Common) -> int:
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

    if form == "scip" and output is None and sys.stdout.isatty():
        raise UsageError("a SCIP index is not text", hint="name a file with -o, or pipe it")
    index = common.index(path)
    printing = exporting.Printing(encode, escape)
    with ExitStack() as stack:
        with common.syncing() as sync:
            found = stack.enter_context(exporting.export(index, form, common.reading, sync, printing))
        return _write(found, form, output, as_json=common.as_json)


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
