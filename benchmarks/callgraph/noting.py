"""Notes who calls a generator or coroutine: a profiler sees one only when its body begins, which whoever steps it does.

Modules that are imported from now on are compiled with a decorator around each of their functions. It gives back what
is neither of the two as it is.
"""

from __future__ import annotations

import ast
import builtins
import functools
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from types import CodeType, FrameType, FunctionType

RESUMABLE = 0x20 | 0x80 | 0x200  # generator, coroutine, asynchronous generator
_NOTED = "__noted__"


def install(is_ours: Callable[[str], bool], note: Callable[[CodeType, FrameType], None]) -> None:
    """Tell of each call of a generator or coroutine of these files: which, and the frame whose caller calls it."""

    def noted(function: FunctionType) -> Callable[..., object]:
        code = function.__code__
        if not code.co_flags & RESUMABLE:
            return function

        @functools.wraps(function)
        def called(*arguments: object, **named: object) -> object:
            note(code, sys._getframe())
            return function(*arguments, **named)

        # inspect tells by the flags what kind of function it is; the interpreter does not look at them
        called.__code__ = called.__code__.replace(co_flags=called.__code__.co_flags | code.co_flags & RESUMABLE)
        return called

    setattr(builtins, _NOTED, noted)
    own = SourceFileLoader.source_to_code
    SourceFileLoader.source_to_code = lambda loader, data, path, **options: (  # type: ignore[method-assign]
        compiled(data, path) if is_ours(path) else own(loader, data, path, **options)
    )


def compiled(source: bytes, path: str) -> CodeType:
    """A module, each of its functions decorated by what notes calls of generators."""
    tree = ast.parse(source, path)
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            each.decorator_list.append(ast.copy_location(ast.Name(_NOTED, ast.Load()), each))
    return compile(tree, path, "exec", dont_inherit=True)
