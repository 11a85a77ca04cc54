"""`everdex symbols`: where a name is defined, or what a file defines."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.graph.answers.doubts import left_open
from everdex.surfaces.cli import options, related, rows
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, Style, escape, plural
from everdex.surfaces.cli.paths import from_root
from everdex.surfaces.cli.related import by_path, like_it
from everdex.wording import whose


@click.command("symbols", short_help="Show where a name is defined, or the outline of a file.")
@click.argument("asked", metavar="NAME|FILE")
@options.root_argument
@click.option(
    "--refs", "references", type=click.IntRange(0, 2_000), default=0, metavar="N",
    help="When one definition fits, list N places that use it, too.",
)
@click.option("--offset", type=click.IntRange(0), default=0, metavar="N", help="Skip the first N (see `cursor`).")
@related.reading_options
def symbols_command(asked: str, root: Path | None, references: int, offset: int, common: Common) -> int:
    """Show every definition of NAME, or what FILE defines, in the repository around ROOT (default: here).

    In a pipe every definition is one line, path:line:signature, or line:signature of the FILE that was named; on a
    terminal they stand under their file. NAME may be qualified (Index.search), path:line, path::Index.search or an id;
    a * in it stands for any letters ('parse_*', 'Index.*'), but not for the names that only bodies of functions have.
    When nothing has the name, names like it go to stderr: those it begins, those whose humps it spells (SnpVw for
    SnapshotView) and those it nearly spells. Exit code 0 means found, 1 nothing found.

    \b
    Examples:
      everdex symbols SnapshotView
      everdex symbols Index.search ~/src/everdex
      everdex symbols '*Handler'
      everdex symbols src/app.py
      everdex symbols --refs 20 settings.TIMEOUT
      everdex symbols --json open_view | jq -r '.definitions[].source'
    """
    index = common.index(root)
    name = from_root(asked, index.root.path)
    document = common.ask(
        index, "symbols", {"name": name, "references": references, "offset": offset},
        lambda reader, freshness, reading: reader.symbols(
            name, freshness, reading, references=references, offset=offset
        ),
    )  # fmt: skip
    return common.show(document, SHOWN)


def _draw(document: dict[str, Any], shown: Style) -> None:
    """For people: definitions under the file that has them."""
    if document["by"] == "path" and document["outline"]["symbols"]:
        rows.file(document["outline"]["path"], shown)
        for item in document["outline"]["symbols"]:
            depth = item["qualified_name"].count(".")
            rows.numbered(item["start_line"], item["signature"] or item["name"], "", shown, indent="  " * depth)
    for path, items in by_path(document["definitions"]).items():
        rows.file(path, shown)
        for item in items:
            rows.numbered(item["start_line"], _reads(item), item["kind"], shown)
    for path, items in by_path((document["references"] or {}).get("references", ())).items():
        rows.file(path, shown)
        for item in items:
            rows.numbered(item["line"], item["text"], item["role"], shown)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    if document["by"] == "path":
        yield from _outline(document["outline"])
    for item in document["definitions"]:
        yield True, f"{escape(item['path'])}:{item['start_line']}:{escape(_reads(item))}"
    if document["by"] == "name" and not document["definitions"]:
        yield False, f"no definition is called {escape(document['query'])}"
    yield from ((False, line) for line in like_it(document))
    if document["omitted"]:
        way = f" (--offset {document['cursor']['offset']})" if document["cursor"] else ""
        yield False, f"{plural(document['omitted'], 'more definition')} not shown{way}"
    used = document["references"] or {}
    for item in used.get("references", ()):
        yield True, f"{escape(item['path'])}:{item['line']}:{item['role']}: {escape(item['text'].strip())}"
    if used.get("reservation"):
        left = left_open(used["reservation"], "all of them: `everdex refs --wait`")
        yield from ((False, escape(line)) for line in left)
    if used.get("omitted"):
        yield False, f"{plural(used['omitted'], 'more reference')} not shown"


def _reads(item: dict[str, Any]) -> str:
    """A definition away from its file: with the class that has it."""
    name, signature = item["qualified_name"], item["signature"]
    written = signature if signature.isascii() else unicodedata.normalize("NFKC", signature)
    is_said = item["name"] in signature or item["name"] in written  # of several spellings one is known
    return whose(signature, name) if is_said else f"{name}{signature}"


def _outline(outline: dict[str, Any]) -> Iterator[Line]:
    if not outline["symbols"]:
        yield False, f"{escape(outline['path'])} defines nothing that the index knows"
    for item in outline["symbols"]:
        text = "  " * item["qualified_name"].count(".") + escape(item["signature"] or item["name"])
        yield True, f"{item['start_line']}:{text}"  # whose file was named knows it, as with grep


def _code(document: dict[str, Any]) -> int:
    outlined = document["by"] == "path" and document["outline"]["symbols"]
    return 0 if document["definitions"] or outlined else 1


SHOWN = Shown(_lines, _code, _draw)
