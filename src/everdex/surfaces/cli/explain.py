"""`everdex explain`: why one path is in or out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, escape, plural, size

if TYPE_CHECKING:
    from everdex.service.index import Index


@click.command("explain", short_help="Tell why one path is in or out, and what the index knows of it.")
@click.argument("path", type=click.Path())
@options.root_option
@options.common(options.reading_options)
def explain_command(path: str, root: Path | None, common: Common) -> int:
    """Tell why PATH is in or out of the index, and what the index knows of it.

    PATH is looked up in the repository around the current directory; an absolute PATH elsewhere in its own.

    \b
    Examples:
      everdex explain src/app.py
      everdex explain node_modules/left-pad/index.js
      everdex explain --json build/out.js | jq -r .reason
    """
    index = _index(path, root, common)
    below = _below(path, index.root.path)
    document = common.tell(
        index, "explain", {"path": below}, lambda reading: index.explain(below, reading=reading)
    )
    return common.show(document, SHOWN)


def _index(path: str, root: Path | None, common: Common) -> Index:
    """The repository that answers for a path: the one around us, or for an absolute path elsewhere its own."""
    if root is not None or not os.path.isabs(path):
        return common.index(root)
    above = Path(path).parent
    while not above.is_dir():
        above = above.parent
    here = Path.cwd()
    inside = Path(os.path.realpath(above)).is_relative_to(here)
    around = common.index(here) if inside else None
    if around is not None and around.root.is_git:
        return around
    own = common.index(above)
    return own if own.root.is_git or around is None else around


def _below(path: str, root: Path) -> str:
    """An absolute path below the canonical root, also when the given one goes through a link to it."""
    lexical = os.path.abspath(path)
    if Path(lexical).is_relative_to(root):
        return lexical
    parent, name = os.path.split(lexical)
    return os.path.join(os.path.realpath(parent), name)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    shown = escape(document["path"])
    if document["eligible"]:
        language = document["language"] or "no known language"
        yield True, f"{shown}: in ({language}, {document['role']}, {size(document['size'])})"
    else:
        detail = f" ({escape(document['detail'])})" if document["detail"] else ""
        yield True, f"{shown}: out: {document['reason']}{detail}"
    known = document["indexed"]
    if known is None:
        yield True, "not in the index"
    elif known["skip"]:
        yield True, f"in the index as skipped: {known['skip']}"
    else:
        state = "as it is on disk" if known["same_content"] else "changed since"
        yield True, f"indexed: {plural(known['chunks'], 'chunk')}, sha256 {known['content_hash'][:12]}, {state}"


SHOWN = Shown(_lines)
