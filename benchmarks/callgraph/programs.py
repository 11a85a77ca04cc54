"""Runs small programs and notes which of their functions called which: the truth of the cases in `ran/`.

Each program runs in a process of its own, forked, under sys.setprofile. A profiler sees a generator or a coroutine
when its body begins, which whoever steps it does; who calls it is told by `noting`. An edge that a library stands in is
noted apart (`through`): it is neither asked for nor wrong. Names are as the graph's: lambdas by number in source order.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import noting

INNER = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
Edge = tuple[str, str]


def ran(files: dict[str, bytes]) -> tuple[set[Edge], set[Edge]]:
    """The edges that importing `main` ran: direct, and through a library."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        try:
            answer = json.dumps([sorted(each) for each in _run(files)])
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the parent raises it
            answer = json.dumps({"failed": repr(error)})
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = json.loads(pipe.read())
    os.waitpid(child, 0)
    if isinstance(data, dict):
        raise RuntimeError(data["failed"])
    direct, through = ({(caller, callee) for caller, callee in each} for each in data)
    return direct, through - direct


def _run(files: dict[str, bytes]) -> tuple[set[Edge], set[Edge]]:
    directory = os.path.realpath(tempfile.mkdtemp())
    names: dict[str, dict[Any, str]] = {}
    for path, source in files.items():
        place = Path(directory, path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(source)
        names[str(place)] = _names(source, str(place), _module(path))
    sys.path.insert(0, directory)
    sys.dont_write_bytecode = True
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    direct: set[Edge] = set()
    through: set[Edge] = set()

    def seen(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_filename not in names or code.co_name in INNER:
            return
        if code.co_flags & 1 and not code.co_flags & noting.RESUMABLE:
            note(code, frame)

    def note(code: CodeType, frame: FrameType) -> None:
        caller = frame.f_back
        found = direct
        while caller is not None and caller.f_code.co_filename not in names:
            caller, found = caller.f_back, through
        if caller is not None:
            around = names[caller.f_code.co_filename][_key(caller.f_code)]
            found.add((around, names[code.co_filename][_key(code)]))

    def note_call(code: CodeType, frame: FrameType) -> None:
        if sys.getprofile() is seen:  # not in another thread, of which nothing else is noted
            note(code, frame)

    noting.install(names.__contains__, note_call)
    sys.setprofile(seen)
    try:
        importlib.import_module("main")
    finally:
        sys.setprofile(None)
    return direct, through


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _key(code: CodeType) -> Any:
    return code.co_firstlineno, code.co_name, tuple(code.co_positions())


def _names(source: bytes, path: str, module: str) -> dict[Any, str]:
    """Each code object's qualified name; a comprehension's is that of what is around it."""
    found: dict[Any, str] = {}

    def walk(code: CodeType, prefix: str) -> None:
        lambdas: list[CodeType] = []
        for each in _inside(code):
            if each.co_name in INNER:
                found[_key(each)] = prefix
            elif each.co_name == "<lambda>":
                lambdas.append(each)
            else:
                found[_key(each)] = f"{prefix}.{each.co_name}"
                walk(each, f"{prefix}.{each.co_name}")
        for number, each in enumerate(sorted(lambdas, key=_place), 1):
            found[_key(each)] = f"{prefix}.<lambda{number}>"
            walk(each, f"{prefix}.<lambda{number}>")

    top = noting.compiled(source, path)
    found[_key(top)] = module
    walk(top, module)
    return found


def _inside(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            if each.co_name in INNER:
                yield from _inside(each)


def _place(code: CodeType) -> tuple[int, int]:
    places = [(line, column) for line, end, column, last in code.co_positions()
              if line is not None and column is not None and (line, column) != (end, last)]  # fmt: skip
    return min(places, default=(code.co_firstlineno, 0))
