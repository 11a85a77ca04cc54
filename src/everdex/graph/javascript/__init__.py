"""Resolution of JavaScript and TypeScript, in the order of reading: project and modules say which file an import is,
exports where a name comes from, engine what an expression may be (with members, types, generics, applied, guards, calls
and heirs), callees, targets and sites what every place in a file means, hashes and offers what others may look at,
parts what of a file is resolved by itself."""

from __future__ import annotations

from typing import Final

from everdex.graph.model import Resolver

# Project files take part by what they offer; documents by the script inside them.
LANGUAGES: Final = frozenset(("javascript", "typescript", "tsx", "vue", "svelte", "html", "json"))


def load() -> Resolver:
    """All of it, when a file is to be resolved: who asks a graph needs none of it."""
    from everdex.graph.javascript.resolver import RESOLVER

    return RESOLVER
