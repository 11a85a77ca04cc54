"""A pytest plugin that notes which function of a project called which, as it ran.

`python -m pytest -p tracer` with CALLGRAPH_ROOT and CALLGRAPH_OUT set. An edge counts when caller and callee are both
in the root and nothing stands between them. A generator's resumption is no call. Comprehensions count as the function
around them; class bodies and modules are callers but never callees.
"""

from __future__ import annotations

import atexit
import dis
import json
import os
import sys
import threading
from functools import cache
from types import CodeType, FrameType

ROOT = os.path.realpath(os.environ["CALLGRAPH_ROOT"]) + os.sep
OUT = os.environ["CALLGRAPH_OUT"]
RESUMABLE = 0x20 | 0x80 | 0x200  # generator, coroutine, asynchronous generator
INNER = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")

edges: set[tuple[CodeType, CodeType]] = set()
inside: dict[str, bool] = {}


def _is_inside(code: CodeType) -> bool:
    name = code.co_filename
    known = inside.get(name)
    if known is None:
        known = inside[name] = name[:1] != "<" and os.path.realpath(name).startswith(ROOT)
    return known


def _seen(frame: FrameType, event: str, argument: object) -> None:
    if event != "call":
        return
    code = frame.f_code
    caller = frame.f_back
    if caller is None or code.co_name in INNER or not _is_inside(code) or not _is_inside(caller.f_code):
        return
    if not code.co_flags & 1:  # a module's or class's body
        return
    if code.co_flags & RESUMABLE and frame.f_lasti > _begins(code):
        return
    while caller is not None and caller.f_code.co_name in INNER:
        caller = caller.f_back
        if caller is None or not _is_inside(caller.f_code):
            return
    if caller is not None:
        edges.add((caller.f_code, code))


@cache
def _begins(code: CodeType) -> int:
    """Where the body of a generator or coroutine begins: what it takes from around it is set up before."""
    return next(each.offset for each in dis.get_instructions(code) if each.opname == "RESUME")


def _place(code: CodeType) -> tuple[str, int, str]:
    return os.path.realpath(code.co_filename)[len(ROOT) :], code.co_firstlineno, code.co_name


def _write() -> None:
    sys.setprofile(None)
    with open(OUT, "w") as out:
        json.dump(sorted([*_place(caller), *_place(callee)] for caller, callee in edges), out)


atexit.register(_write)
threading.setprofile(_seen)
sys.setprofile(_seen)
