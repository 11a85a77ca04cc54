"""The Python resolver: from the facts of files to their graphs, in passes that can be read one by one.

1 modules (imports) → 2 names → 3 classes, attributes, annotations → 4 parameters, calls, containers → 5 builtins,
methods, operators → 6 fixtures → targets and sites. `engine` evaluates and remembers; `offers` says what other files
may read of a file.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.model import Resolver

LANGUAGES: Final = frozenset(("python",))


def load() -> Resolver:
    """All of it, when a file is to be resolved: who asks a graph needs none of it."""
    from everdex.graph.python.resolver import RESOLVER

    return RESOLVER
