"""The special forms of annotations, as data: which of their arguments they stand for."""

from __future__ import annotations

from typing import Final

TRANSPARENT: Final = frozenset(
    ("Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar")
)
UNIONS: Final = frozenset(("Union",))
CLASS_OF: Final = frozenset(("Type", "type"))
ITERABLES: Final = frozenset(
    (
        "list",
        "List",
        "set",
        "Set",
        "frozenset",
        "FrozenSet",
        "Iterable",
        "Iterator",
        "Sequence",
        "Collection",
        "Generator",
        "AsyncIterator",
        "AsyncIterable",
        "AsyncGenerator",
        "deque",
        "Deque",
        "MutableSequence",
        "AbstractSet",
        "MutableSet",
        "KeysView",
        "ValuesView",
    )
)
MAPPINGS: Final = frozenset(
    (
        "dict",
        "Dict",
        "Mapping",
        "MutableMapping",
        "defaultdict",
        "DefaultDict",
        "OrderedDict",
        "ChainMap",
        "ItemsView",
        "Counter",
    )
)
AWAITABLES: Final = frozenset(
    (
        "Awaitable",
        "Coroutine",
        "Future",
        "Task",
        "ContextManager",
        "AbstractContextManager",
        "AsyncContextManager",
        "AbstractAsyncContextManager",
    )
)
