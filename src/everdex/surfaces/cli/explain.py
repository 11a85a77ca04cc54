"""`everdex explain`: why one path is in or out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import Line, Shown, escape, plural, size

if TYPE_CHECKING:
    from everdex.service.index import Index


@click.command("explain", short_help="Tell why one path is in or out, and what the index knows of it.")
@click.argument("path", type=click.Path())
@click.option("--root", type=click.Path(path_type=Path), metavar="DIR", help="The repository to look in.")
@options.reading_options
@options.shared_option
@options.json_option
def explain_command(
    path: str, root: Path | None, snapshot_id: str | None, offline: bool, shared_store: Path | None, as_json: bool
) -> int:
    """Tell why PATH is in or out of the index, and what the index knows of it.

    PATH is looked up in the repository around the current directory; an absolute PATH elsewhere in its own.

    \b
    Examples:
      everdex explain src/app.py
      everdex explain node_modules/left-pad/index.js
      everdex explain --json build/out.js | jq -r .reason
    """
    from everdex.service.index import Reading
    from everdex.surfaces.daemon.client import ask

    index = _index(path, root, shared_store)
    reading = Reading(snapshot_id=snapshot_id, offline=offline)
    below = _below(path, index.root.path)
    params = {"path": below, "snapshot_id": snapshot_id}
    document = ask(index, reading, "explain", params, lambda: index.explain(below, reading=reading))
    return SHOWN.print(document, as_json=as_json)


def _index(path: str, root: Path | None, shared_store: Path | None) -> Index:
    """The repository that answers for a path: the one around us, or for an absolute path elsewhere its own."""
    from everdex.service.index import Index

    if root is not None or not os.path.isabs(path):
        return Index.open_to_read(root or ".", shared_store=shared_store)
    above = Path(path).parent
    while not above.is_dir():
        above = above.parent
    here = Path.cwd()
    inside = Path(os.path.realpath(above)).is_relative_to(here)
    around = Index.open_to_read(here, shared_store=shared_store) if inside else None
    if around is not None and around.root.is_git:
        return around
    own = Index.open_to_read(above, shared_store=shared_store)
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
