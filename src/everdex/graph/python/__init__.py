"""The Python resolver: from the facts of files to their graphs, in passes that can be read one by one.

`file` is what one file says by itself, `engine` asks and remembers. 1, 2 `names` → 3 `classes` → 4 `calls` and
`containers` → 5 `builtins` → 6 fixtures, targets and `sites`. `offers` says what other files may read of a file,
`edits` what an edit left as it was, `resolver` puts them together.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.model import Resolver

LANGUAGES: Final = frozenset(("python",))


def load() -> Resolver:
    """All of it, when a file is to be resolved: who asks a graph needs none of it."""
    from everdex.graph.python.resolver import RESOLVER

    return RESOLVER
