"""Resolution by imports and names, for every language but Python and JavaScript.

One engine in passes (evaluate, choosing, on_receivers, bare, calls), one table of what each language does differently
(rules), and small functions where a table is not enough (module, imports). It reads stated types and follows them a
few steps; it infers nothing from the flow of values.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.model import Resolver
from everdex.graph.names.rules import RULES

# Project files say what packages are called: go.mod and Cargo.toml.
LANGUAGES: Final = frozenset((*RULES, "go-mod", "toml"))


def load() -> Resolver:
    """All of it, when a file is to be resolved: who asks a graph needs none of it."""
    from everdex.graph.names.resolver import RESOLVER

    return RESOLVER
