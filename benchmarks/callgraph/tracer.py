"""A pytest plugin that notes which function of a project called which, as it ran.

`python -m pytest -p tracer` with CALLGRAPH_ROOT and CALLGRAPH_OUT set. An edge counts when caller and callee are both
in the root and nothing stands between them. A generator or coroutine is called by who makes it, not by who steps it
(`noting`); of test modules, which pytest compiles itself, by who steps it first. Comprehensions count as the function
around them; class bodies and modules are callers but never callees.
"""

from __future__ import annotations

import atexit
import dis
import json
import os
import sys
import tempfile
import threading
from functools import cache
from types import CodeType, FrameType

import noting

ROOT = os.path.realpath(os.environ["CALLGRAPH_ROOT"]) + os.sep
OUT = os.environ["CALLGRAPH_OUT"]
INNER = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")

edges: set[tuple[int, int]] = set()
codes: dict[int, CodeType] = {}  # by identity: functions of two files that are written alike are equal
inside: dict[str, bool] = {}
noted: set[int] = set()


def _is_inside(name: str) -> bool:
    known = inside.get(name)
    if known is None:
        known = inside[name] = name[:1] != "<" and os.path.realpath(name).startswith(ROOT)
    return known


def _seen(frame: FrameType, event: str, argument: object) -> None:
    code = frame.f_code
    if event != "call" or not code.co_flags & 1:  # a module's or class's body
        return
    if code.co_flags & noting.RESUMABLE and (id(code) in noted or frame.f_lasti > _begins(code)):
        return
    _note(code, frame)


def _note_call(code: CodeType, frame: FrameType) -> None:
    noted.add(id(code))
    codes[id(code)] = code  # or another code may have its identity later
    _note(code, frame)


def _note(code: CodeType, frame: FrameType) -> None:
    caller = frame.f_back
    if caller is None or code.co_name in INNER or not _is_inside(code.co_filename):
        return
    if not _is_inside(caller.f_code.co_filename):
        return
    while caller is not None and caller.f_code.co_name in INNER:
        caller = caller.f_back
        if caller is None or not _is_inside(caller.f_code.co_filename):
            return
    if caller is not None:
        codes[id(caller.f_code)] = caller.f_code
        codes[id(code)] = code
        edges.add((id(caller.f_code), id(code)))


@cache
def _begins(code: CodeType) -> int:
    """Where the body of a generator or coroutine begins: what it takes from around it is set up before."""
    return next(each.offset for each in dis.get_instructions(code) if each.opname == "RESUME")


def _place(code: CodeType) -> tuple[str, int, str]:
    return os.path.realpath(code.co_filename)[len(ROOT) :], code.co_firstlineno, code.co_name


def _write() -> None:
    sys.setprofile(None)
    with open(OUT, "w") as out:
        rows = {(*_place(codes[caller]), *_place(codes[callee])) for caller, callee in edges}
        json.dump(sorted(rows), out)


sys.pycache_prefix = tempfile.mkdtemp()  # what was compiled before is not decorated
noting.install(_is_inside, _note_call)
atexit.register(_write)
threading.setprofile(_seen)
sys.setprofile(_seen)
