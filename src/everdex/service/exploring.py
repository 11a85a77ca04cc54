"""A repository as a page for a browser: made from one pinned snapshot, given back or kept on the canvas.

Always made by the process that asks, as exports are: a page is larger than an answer of the daemon need be.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec

from everdex import limits
from everdex.canvas.blueprint import picture
from everdex.canvas.explorer.page import Page, page
from everdex.canvas.keep import keep_explorer
from everdex.canvas.sheet import Caption
from everdex.canvas.survey import survey
from everdex.errors import QueryError
from everdex.graph.definitions.atlas import Atlas
from everdex.service import coverage
from everdex.service.answers import Answer, Freshness
from everdex.service.index import Index, Reading
from everdex.service.opening import open_for
from everdex.sync.model import SyncOptions


@dataclass(frozen=True, slots=True)
class Explorer:
    answer: Answer
    content: bytes


def explore(
    index: Index, reading: Reading, options: SyncOptions, *, kept: bool, max_bytes: int = limits.PAGE_BYTES
) -> Explorer:
    """A page of at most so many bytes, which says which snapshot it shows and how fresh that was.

    Or, `kept`, the page of the store's canvas: it shows its digest and nothing of the moment, and goes there.
    """
    if max_bytes < limits.MIN_PAGE_BYTES:
        raise QueryError(f"a page takes at least {limits.MIN_PAGE_BYTES:,} bytes", hint="ask for more")
    with index.view(reading, options) as (view, freshness):
        opened = open_for(view, options)
        caption = Caption(view.manifest.digest) if kept else _caption(opened.atlas, freshness)
        made = _page(index, opened.atlas, caption, max_bytes)
        body, late = _body(opened.atlas, made), ""
        if kept:
            done = keep_explorer(opened.atlas, made.content)
            body["canvas"] = msgspec.to_builtins(done)
            late = "" if done.published else f"the page was not published: {done.reason}"
        said = (*reading.warnings, *opened.warnings, *filter(None, [late]), *coverage.of_files(opened.atlas, None))
        return Explorer(index.answer(view, freshness, body, warnings=said), made.content)


def _page(index: Index, atlas: Atlas, caption: Caption, max_bytes: int) -> Page:
    found = survey(atlas, index.root.path.name)
    model, scene = picture(found, caption)
    return page(atlas, found, model, scene, caption, coverage.of_files(atlas, None), max_bytes)


def _caption(atlas: Atlas, freshness: Freshness) -> Caption:
    manifest = atlas.view.manifest
    behind = f", {freshness.dirty_count:,} files behind" if freshness.dirty_count else ""
    return Caption(manifest.digest, manifest.snapshot_id, f"of {manifest.created_at} · {freshness.state}{behind}")


def _body(atlas: Atlas, made: Page) -> dict[str, Any]:
    told = {
        "bytes": len(made.content), "sha256": hashlib.sha256(made.content).hexdigest(), "shown": made.shown,
        "omitted": made.omitted,
    }  # fmt: skip
    return {"page": told, "coverage": atlas.coverage}
