"""`everdex explore`: one HTML file in which a person walks a repository, offline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from everdex import limits
from everdex.errors import UsageError
from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, escape, plural

_NOUNS: Final = {"files": "file", "ties": "file pair", "symbols": "symbol"}


@click.command("explore", short_help="Write a page to walk a repository in a browser, offline.")
@options.path_argument
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write to FILE. Without it, into the store's canvas directory.",
)  # fmt: skip
@click.option(
    "--max-bytes", type=click.IntRange(min=limits.MIN_PAGE_BYTES), metavar="N",
    help=f"How large the page may be. Default: {limits.PAGE_BYTES:,}.",
)  # fmt: skip
@options.common(options.no_sync_option, options.reading_options, options.workers_option)
def explore_command(path: Path, output: Path | None, max_bytes: int | None, common: Common) -> int:
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
    from everdex.service import exploring, exporting

    if output is None and max_bytes is not None:
        raise UsageError("the canvas has one size of page", hint="name a file with -o for another")
    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{output}: a page is .html", hint="name the file so")
    index = common.index(path)
    with common.syncing() as sync:
        found = exploring.explore(
            index, common.reading, sync, kept=output is None, max_bytes=max_bytes or limits.PAGE_BYTES
        )
    document = found.answer.to_dict()
    if output is not None:
        exporting.to_file([found.content], output)
        document["page"]["output"] = str(output)
    return common.show(document, SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    page, canvas = document["page"], document.get("canvas")
    where = page["output"] if canvas is None else canvas["latest"] or canvas["path"]
    if where:
        yield True, escape(where)
    shown, omitted = page["shown"], page["omitted"]
    left = [plural(omitted[name], noun) for name, noun in _NOUNS.items() if omitted[name]]
    without = f"; no room for {', '.join(left)}" if left else ""
    held = f"{plural(shown['files'], 'file')} and {plural(shown['symbols'], 'symbol')}"
    yield False, f"{page['bytes']:,} bytes with {held}{without}"


SHOWN = Shown(_lines)
