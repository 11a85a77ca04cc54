"""Everything that can be read from a store, in a form that two stores of the same content must share.

Where rows lie is left out: segments, file numbers and row numbers are the layout's business.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from everdex.search.model import Mode, SearchRequest
from everdex.service.index import Index, Reading
from everdex.view import SnapshotView

RANKED = (
    "SnapshotView", "SnpVw", "open_segment", "snapshto", "how is the lease opened and read", "reader writer digest",
    "pin before reading", "publish", "core/deep", "-total read segment", '"once"', "file:*.py digest",
    "lang:markdown snapshot", "symbol:open_lease lease", "zzzqqq",
)  # fmt: skip
_COUNTED_LATER = ("unsupported_type", "symlink_broken", "symlink_directory", "symlink_loop", "symlink_to_ineligible",
                  "out_of_root", "not_regular")  # fmt: skip
PATTERNS = ("limit", "[0-9]{4}", "View", "pub fn|def ")


def requests() -> Iterator[SearchRequest]:
    """Questions of every mode; the long answers cross the boundary between candidates and the rest."""
    for mode in (Mode.HYBRID, Mode.LEXICAL, Mode.SEMANTIC):
        for query in RANKED:
            yield SearchRequest(query, mode, k=8)
    yield SearchRequest("snapshot view", k=200)
    yield SearchRequest("snapshot view", k=8, offset=8)
    yield SearchRequest("snapshot view", k=10, profile="planning")
    for mode in (Mode.REGEX, Mode.LITERAL):
        for pattern in PATTERNS:
            yield SearchRequest(pattern, mode, k=30, ignore_case=pattern == "View")


def everything(root: Path) -> dict[str, Any]:
    """Files, rows, symbols, digest and answers of the active snapshot of a root, as it is."""
    index = Index.open(root)
    with index.view(Reading(sync=False)) as (view, _):
        content = contents(view)
    with index.searcher(Reading(sync=False)) as searcher:
        content["answers"] = [answer(searcher.answer(request, explain=True).to_dict()) for request in requests()]
    return content


def contents(view: SnapshotView) -> dict[str, Any]:
    manifest = view.manifest
    return {
        "digest": manifest.digest,
        "files_indexed": manifest.counts.files_indexed,
        "chunks_indexed": manifest.counts.chunks_indexed,
        # Files of no known type, and links that lead nowhere, are counted when something else is published.
        "skipped": {reason: count for reason, count in manifest.skipped.items() if reason not in _COUNTED_LATER},
        "ignore_fingerprint": manifest.ignore_fingerprint,
        "git": manifest.git,
        "degraded": manifest.degraded,
        "files": [
            (line.path_key, line.content_hash, line.size, line.skip, line.rows, line.language)
            for line in view.file_lines()
        ],
        "sources": {path: view.source(path) for path in view.paths},
        "languages": view.file_languages,
        "rows": [
            (document.doc_id, asdict(document.row)) for path in view.paths for document in view.documents_of(path)
        ],
        "symbols": [
            {key: value for key, value in asdict(symbol).items() if key != "row_no"}
            | {"doc": view.doc_of(path, symbol.row_no)}
            for path in view.paths
            for symbol in view.symbols_of(path)
        ],
    }


def answer(document: dict[str, Any]) -> dict[str, Any]:
    """What of an answer belongs to the content; scores as hexadecimal, so that equal means to the last bit."""
    kept = {key: document[key] for key in ("query", "mode", "omitted", "no_strong_match", "suggestions", "limits_hit")}
    kept["more"] = document["cursor"] and document["cursor"]["offset"]
    kept["results"] = [_exact(result) for result in document["results"]]
    return kept


def _exact(result: dict[str, Any]) -> dict[str, Any]:
    shares = [(share["feature"], share["value"].hex(), share["detail"]) for share in result.get("explain", ())]
    return {**result, "score": float(result["score"]).hex(), "explain": shares}
