"""everdex: a local, crash-safe, always-current index of a working tree.

    import everdex
    with everdex.open("~/src/flask") as index: …

docs/api.md has the whole. Importing the package costs next to nothing: the API is imported when it is first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from everdex.surfaces.api.aio import AsyncIndex, aopen
    from everdex.surfaces.api.index import Index, open
    from everdex.surfaces.api.keeping import gc_stores, stores
    from everdex.surfaces.api.model import to_dict
    from everdex.surfaces.api.services import (
        AsyncFileStateService,
        AsyncIndexCoordinator,
        AsyncRefreshJobService,
        FileStateService,
        IndexCoordinator,
        RefreshJobService,
    )
    from everdex.surfaces.api.state_model import RefreshScope

__version__ = "0.1.0"
__all__ = [
    "AsyncFileStateService", "AsyncIndex", "AsyncIndexCoordinator", "AsyncRefreshJobService", "FileStateService",
    "Index", "IndexCoordinator", "RefreshJobService", "RefreshScope", "__version__", "aopen", "gc_stores", "open",
    "stores", "to_dict",
]  # fmt: skip

_HOMES = {
    "AsyncIndex": "aio", "aopen": "aio", "Index": "index", "gc_stores": "keeping", "open": "index", "stores": "keeping",
    "to_dict": "model", "RefreshScope": "state_model", "AsyncFileStateService": "services",
    "AsyncIndexCoordinator": "services", "AsyncRefreshJobService": "services", "FileStateService": "services",
    "IndexCoordinator": "services", "RefreshJobService": "services",
}  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'everdex' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"everdex.surfaces.api.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
