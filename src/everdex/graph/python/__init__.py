"""Python: from the facts of files to their graphs, in passes that can be read one by one.

modules (imports) → names → classes, attributes, annotations → parameters, calls, containers → builtins, methods,
operators → fixtures → targets and sites. `engine` asks and remembers; `offers` says what others may look at.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.model import Resolver
from everdex.graph.python.resolver import PythonResolver

__all__ = ["RESOLVER"]

RESOLVER: Final[Resolver] = PythonResolver()
