"""What the interpreter does with memory: caches that keep nothing else alive, memory given back, the collector paused,
room on the stack.

A daemon opens a new view at every publish, so whatever survives a view would add up with every edit. Knows nothing of
views.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache, wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar
from weakref import WeakMethod

if TYPE_CHECKING:
    import ctypes
    from functools import _lru_cache_wrapper

Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")

_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8
_LARGE_BYTES: Final = 4 << 20
_ROOMY_WORDS: Final = 140_000  # a little more than a mebibyte, so that two are mapped and nearly one is left


def remembering(method: Callable[..., Value], most: int) -> _lru_cache_wrapper[Value]:
    """A cache of an object's own method, for an attribute of that object; the object can be let go at once.

    With the method itself in the cache, object and cache would hold each other until the collector comes by. In a
    process with many objects it seldom does: retired views piled up, with every file that they had mapped.
    """
    weak = WeakMethod(method)

    @lru_cache(maxsize=most)
    def call(*arguments: Any) -> Value:
        alive = weak()
        assert alive is not None  # the cache is asked through its owner
        return alive(*arguments)

    return call


def tame_allocator() -> None:
    """Have memory go back to the system when a view is closed; called before any thread is started.

    Many threads and a new view for every publish spread small pieces over an arena each, and what is freed between
    them stays with the process: 640 MB after 185 publishes, where about 200 MB were in use.
    """
    with suppress(AttributeError):  # another C library has its own ways
        allocator = _c_library()
        allocator.mallopt(_M_ARENA_MAX, 1)
        allocator.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)  # fixed: it would grow with the largest array freed


def trim() -> None:
    """Give back what is free: after a view was replaced."""
    with suppress(AttributeError):
        _c_library().malloc_trim(0)


@cache
def _c_library() -> ctypes.CDLL:
    import ctypes  # three milliseconds that a command without a long life need not pay

    return ctypes.CDLL(None)


def resident_bytes(pid: int | str = "self") -> int:
    """A process's resident memory; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (FileNotFoundError, ProcessLookupError):
        return 0


@contextmanager
def collector_held() -> Iterator[None]:
    """No cyclic collections meanwhile: many small lists without cycles would be looked through again and again.

    Measured on a JavaScript bundle of 850 KB: 1.0 s instead of 2.0 to take its facts, .4 instead of 2.1 to hash them.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def roomy(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """Run a function that recurses deeply where the interpreter's stack has room for all of its frames.

    CPython keeps frames in pieces of 16 KB, and unmaps a piece as soon as its last frame returns. A loop that calls at
    the end of a piece maps, clears and unmaps one with every call: 67,000 times while 32 files of django were resolved,
    a tenth of the time. A frame that needs more than a piece gets one of the next power of two, and the frames above it
    share what is left. Pages that no frame reaches are never touched.
    """

    def within(*arguments: Arguments.args, **named: Arguments.kwargs) -> Value:
        return function(*arguments, **named)

    within.__code__ = within.__code__.replace(co_stacksize=_ROOMY_WORDS)
    return wraps(function)(within)
