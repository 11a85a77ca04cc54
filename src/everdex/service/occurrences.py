"""Places and definitions of a graph in the shape that answers have: plain values, with every symbol in its envelope.

Chooses nothing and counts nothing: which places belong to an answer is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.model import SYNTACTIC, Site, Status
from everdex.identity.symbols import resolution

if TYPE_CHECKING:
    from everdex.graph.answers.impact import Affected, Step
    from everdex.graph.answers.queries import Edge, Use


def edge(atlas: Atlas, edge: Edge, start: int) -> tuple[dict[str, Any], Iterator[dict[str, Any]], int]:
    """A caller or callee, the places from one of them on, and how many there are."""
    fields = {
        **atlas.describe(edge.definition),
        "certainty": str(edge.status),
        "layer": "semantic" if any(use.site.semantic for use in edge.uses) else SYNTACTIC,
    }
    return fields, occurrences(atlas, edge.uses[start:]), len(edge.uses)


def definition_occurrence(atlas: Atlas, definition: Definition) -> dict[str, Any]:
    """Where a definition is written, in the shape of the places that name it."""
    node = definition.node
    start = atlas.byte(definition.path, node.name_line, node.name_column)
    width = len(node.name.encode())
    before, after = atlas.text(definition.path).around(start, start + width)
    return {
        "role": "definition",
        "path": definition.path,
        "line": node.name_line,
        "column": node.name_column,
        "end_line": node.name_line,
        "end_column": node.name_column + width,
        "byte_start": start,
        "byte_end": start + width,
        "text": atlas.line(definition.path, node.name_line, node.name_column),
        "before": before,
        "after": after,
        "anchor": atlas.anchor(definition.path, start),
    }


def occurrences(atlas: Atlas, uses: Iterable[Use]) -> Iterator[dict[str, Any]]:
    """Places that name symbols; what one has in common with the one before is looked up once."""
    last: Use | None = None
    for use in uses:
        site = use.site
        if last is None or use.source is not last.source:
            path, text, around = use.path, atlas.text(use.path), atlas.symbol(use.source)
        if last is None or use.target is not last.target or not _alike(site, last.site):
            target = _target(atlas, use)
        last = use
        start, end = text.byte(site.line, site.column), text.byte(site.end_line, site.end_column)
        before, after = text.around(start, end)
        yield {
            "role": str(site.role),
            "path": path,
            "line": site.line,
            "column": site.column,
            "end_line": site.end_line,
            "end_column": site.end_column,
            "byte_start": start,
            "byte_end": end,
            "text": text.line(site.line, site.column),
            "before": before,
            "after": after,
            "named": site.text,
            "certainty": str(site.status),
            "layer": site.layer,
            "source": around,
            "target": target,
            "anchor": atlas.anchor(path, start),
        }


def _alike(one: Site, other: Site) -> bool:
    """Whether two places of one file lead to the same, for the same reason."""
    return one.targets is other.targets and one.status is other.status and one.reason == other.reason


def _target(atlas: Atlas, use: Use) -> dict[str, Any]:
    """The symbol, or what stands for it when there is not exactly one."""
    item = atlas.at(use.target) if use.site.status is Status.RESOLVED else None
    if item is not None:
        return atlas.symbol(item)
    found = [item for target in use.site.targets if (item := atlas.at(target)) is not None]
    reason = use.site.reason or (f"outside the root: {use.target.key}" if use.site.status is Status.EXTERNAL else "")
    return resolution(str(use.site.status), [atlas.symbol_ref(item) for item in found], reason)


def affected(atlas: Atlas, item: Affected) -> dict[str, Any]:
    """A definition that a change may reach, with the way to it."""
    return {
        **atlas.describe(item.definition),
        "depth": item.depth,
        "certainty": "resolved" if item.certain else "ambiguous",
        "test": item.is_test,
        "way": [_step(atlas, step) for step in item.way],
    }


def _step(atlas: Atlas, step: Step) -> dict[str, Any]:
    through = step.through
    return {
        "symbol": atlas.symbol(step.definition),
        "path": step.definition.path,
        "line": step.site.line,
        "column": step.site.column,
        "text": atlas.line(step.definition.path, step.site.line, step.site.column),
        "relation": step.relation,
        "certainty": "resolved" if step.certain else "ambiguous",
        "layer": step.site.layer,
        "through": through.key if through is not None else None,
    }
