"""What is known of a name: its definitions, those that only exist inside function bodies, and who uses it.

Definitions come from the index and need no graph; only a question for references takes one, finished or not.
"""

from __future__ import annotations

from typing import Any, Final

from everdex import limits
from everdex.graph.definitions import naming
from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.definitions.declarations import written_out
from everdex.identity.symbols import plain_name
from everdex.search.names import SymbolNames
from everdex.service import coverage, relations
from everdex.service.answers import Freshness
from everdex.service.begun import Early
from everdex.service.index import Index
from everdex.service.meant import MAX_MATCHES
from everdex.service.opening import Open
from everdex.service.relations import DEFAULT_LIMIT, Question
from everdex.sync.model import SyncOptions
from everdex.view import SnapshotView

_OF_THE_QUESTION: Final = ("query", "matches", "matches_omitted", "suggestions", "coverage")  # of refs; not asked here
_MADE_LATER: Final = "references are left out: the graph of this snapshot is not there yet"


def add_early(
    index: Index, view: SnapshotView, names: SymbolNames, body: dict[str, Any], count: int, freshness: Freshness,
    options: SyncOptions, kept: Early | None,
) -> tuple[str, ...] | None:  # fmt: skip
    """Add to the body of a symbols answer that many references before there is a graph, with what is open; the warnings
    of it. None, and nothing is added, where they wait for the graph, or none are wanted."""
    if not count or body["by"] != "name" or not body["definitions"]:
        return None
    question = _question(body, count)
    early = relations.before_graph(index, view, names, question, freshness, options, kept=kept)
    if early is None:
        return None
    used = {name: value for name, value in early.body.items() if name not in _OF_THE_QUESTION}
    body["references"] = used if used["symbol"] else None
    return early.warnings


def _question(body: dict[str, Any], count: int) -> Question:
    question = Question("refs", body["query"], limit=count or DEFAULT_LIMIT)
    relations.check(question)
    return question


def add_graph(opened: Open | None, body: dict[str, Any], count: int, kept: Early | None) -> tuple[str, ...]:
    """Add what a graph knows to the body of a symbols answer: definitions that only bodies of functions make, and with
    `count` that many references of the one definition that fits; the warnings of it."""
    body["references"] = None
    question = _question(body, count)
    if body["by"] != "name" or opened is None:
        return (_later(question, kept),) if count and body["by"] == "name" else ()
    atlas = opened.atlas
    known = naming.find(atlas, body["query"])
    found = written_out(atlas, known)
    if found and not body["definitions"]:
        body["definitions"] = [_definition(atlas, item) for item in found[:MAX_MATCHES]]
        body["omitted"] = max(0, len(found) - MAX_MATCHES)
        body["suggestions"] = []
    heir = coverage.of_heir(atlas, known, body["query"])
    if not count or len(found) != 1:
        return heir
    used = relations.references(opened, found[0], question)
    body["references"] = {"symbol": atlas.describe(found[0]), **used, "reservation": None}
    left_out = coverage.of_left_out(atlas, found, nothing_found=not used["total"])
    return (*heir, *opened.warnings, *coverage.of_files(atlas, name=found[0].node.name), *left_out)


def _later(question: Question, kept: Early | None) -> str:
    """The warning that references are left out until the graph is made, with what is known of them already."""
    so_far = "" if kept is None else kept.refused.get(relations.asked_of(question), "")
    return f"{_MADE_LATER}; {so_far}" if so_far else _MADE_LATER


def _definition(atlas: Atlas, item: Definition) -> dict[str, Any]:
    """A definition of the graph in the shape that symbols have."""
    node, source = item.node, atlas.view.source(item.path)
    start = source.rfind(b"\n", 0, node.start_byte) + 1
    written = source[start : node.end_byte][: limits.MAX_SNIPPET_BYTES].decode("utf-8", "ignore")
    described = atlas.describe(item)
    kept = ("path", "name", "kind", "start_line", "end_line", "name_line", "name_column", "signature")
    return {
        **{name: described[name] for name in kept}, "qualified_name": plain_name(node.key), "doc": "",
        "public": node.public, "byte_start": node.start_byte, "byte_end": node.end_byte,
        "match": "exact", "source": written,
    }  # fmt: skip
