"""`everdex explore`: one HTML file in which a person walks a repository, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from everdex import limits
from everdex.errors import UsageError
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import escape, plural, warn, write, write_error, write_json
from everdex.surfaces.cli.progress import Progress

_NOUNS: Final = {"files": "file", "ties": "file pair", "symbols": "symbol"}


@click.command("explore", short_help="Write a page to walk a repository in a browser, offline.")
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write to FILE. Without it, into the store's canvas directory.",
)  # fmt: skip
@click.option(
    "--max-bytes", type=click.IntRange(min=limits.MIN_PAGE_BYTES), metavar="N",
    help=f"How large the page may be. Default: {limits.PAGE_BYTES:,}.",
)  # fmt: skip
@options.no_sync_option
@options.reading_options
@options.workers_option
@options.shared_option
@options.json_option
def explore_command(
    path: Path, output: Path | None, max_bytes: int | None, no_sync: bool, snapshot_id: str | None, offline: bool,
    workers: int, shared_store: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Write the repository around PATH (default: here) as one HTML file, and print where it is.

    The page shows the picture of `everdex architecture`, to pan and zoom: choose a part to see its files, symbols, what
    it uses and who uses it; an arrow to see the places that make it; a symbol to see its signature, its callers and
    callees, and what a change of it may affect. / searches. What is certain and what is not is told apart, and what
    the page has no room for is counted.

    The file needs no network and asks for none, and works without JavaScript as a picture and a list. Without -o it
    goes to the canvas directory of the store: explorer.<digest>.html, then explorer.html with the same bytes.

    \b
    Examples:
      everdex explore
      everdex explore -o flask.html ~/src/flask
      everdex explore --max-bytes 8000000 -o all.html
    """
    from everdex.service import exploring
    from everdex.service.index import Index, Reading
    from everdex.sync.model import SyncOptions

    if output is None and max_bytes is not None:
        raise UsageError("the canvas has one size of page", hint="name a file with -o for another")
    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{output}: a page is .html", hint="name the file so")
    index = Index.open_to_read(path, shared_store=shared_store)
    reading = Reading(sync=not no_sync, snapshot_id=snapshot_id, offline=offline)
    with Progress(quiet=as_json) as progress:
        sync = SyncOptions(workers=workers, progress=progress)
        found = exploring.explore(
            index, reading, sync, kept=output is None, max_bytes=max_bytes or limits.PAGE_BYTES
        )
        progress.finish()
    if output is not None:
        exploring.write(found.content, output)
    return _tell(found.answer.to_dict(), output, as_json=as_json)


def _tell(document: dict[str, Any], output: Path | None, *, as_json: bool) -> int:
    page, canvas = document["page"], document.get("canvas")
    if output is not None:
        page["output"] = str(output)
    if as_json:
        write_json(document)
        return 0
    warn(document)
    where = str(output) if canvas is None else canvas["latest"] or canvas["path"]
    if where:
        write(escape(where))
    shown, omitted = page["shown"], page["omitted"]
    left = [plural(omitted[name], noun) for name, noun in _NOUNS.items() if omitted[name]]
    without = f"; no room for {', '.join(left)}" if left else ""
    held = f"{plural(shown['files'], 'file')} and {plural(shown['symbols'], 'symbol')}"
    write_error(f"{page['bytes']:,} bytes with {held}{without}")
    return 0
