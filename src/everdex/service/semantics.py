"""Imports a SCIP index that somebody else made: a build machine, an editor, a person with an indexer.

The tree is indexed first, and each document has to prove that it is about the bytes that are there now; the graph that
knows of it is made before the answer. Runs no indexer.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from everdex.roots import Root
from everdex.semantic.importing import import_scip
from everdex.semantic.model import Context
from everdex.semantic.reading import Metadata, open_index, read_metadata
from everdex.service import answers, opening
from everdex.service.answers import Answer
from everdex.service.index import Index
from everdex.sync.model import SyncOptions
from everdex.view import open_view


def import_index(index: Index, scip_file: Path) -> Answer:
    """Import an index; `imported` says what was kept of it, and what was left out why."""
    options = SyncOptions()
    with open_index(scip_file) as stream:
        context = _context(index.root, read_metadata(stream))
    index.sync(options, wait=True)
    with open_view(index.store()) as view:
        report = import_scip(view, scip_file, context, None)
        opened = opening.open_for(view, options)
        body = {"imported": msgspec.to_builtins(report)}
        return index.answer(view, answers.checked(0), body, warnings=opened.warnings)


def _context(root: Root, metadata: Metadata) -> Context:
    """Whatever a tool says of a directory takes the place of what it said before."""
    below = _below(root, metadata.project_root)
    known = hashlib.sha256(f"{metadata.tool}\0{below}".encode()).hexdigest()[:12]
    name = f"{metadata.tool or 'scip'} of {below or 'the root'}"
    return Context(f"imported-{known}", name, "", below, "", "", metadata.tool, metadata.tool_version)


def _below(root: Root, project_root: str) -> str:
    """The directory that an index is about: where its root lies below ours, else ours, as another machine had it."""
    try:
        path = Path(unquote(urlsplit(project_root).path))
        parts = path.relative_to(root.path).parts
    except ValueError:
        return ""
    return "" if ".." in parts or "\0" in str(path) else "/".join(parts)
