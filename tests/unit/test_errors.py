"""Every error is drawn, coded and mapped: what docs and callers rely on."""

from __future__ import annotations

import ast
import errno
import re
import sqlite3
import zlib
from pathlib import Path

import click
import pytest

import everdex
from everdex import errors
from everdex.errors import EverdexError
from everdex.surfaces.cli.failures import as_everdex

SOURCE = Path(everdex.__file__).parent
_LINE = re.compile(r"[├└]── (\w+)\s+(\w+)\s+(\d+)\s+\S")


def _classes() -> list[type[EverdexError]]:
    found: list[type[EverdexError]] = []
    queue: list[type[EverdexError]] = [EverdexError]
    while queue:
        for child in queue.pop().__subclasses__():
            found.append(child)
            queue.append(child)
    return found


def test_the_tree_drawn_in_errors_is_the_real_one() -> None:
    """Name, code and exit code of every error stand in the module's drawing, and nothing else does."""
    drawn = {(name, code, int(exit_code)) for name, code, exit_code in _LINE.findall(errors.__doc__ or "")}
    real = {(kind.__name__, kind.code, kind.exit_code) for kind in _classes()}
    assert drawn == real


def test_codes_are_distinct_and_hints_say_what_to_do() -> None:
    """A caller can tell errors apart by code alone, and each has a hint."""
    codes = [kind.code for kind in _classes()]
    assert len(codes) == len(set(codes))
    assert [kind.__name__ for kind in _classes() if not kind.default_hint] == []


def test_every_error_is_raised_somewhere() -> None:
    """An error nobody can meet is not in the tree."""
    missing = {kind.__name__ for kind in _classes()}
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text()
        if path.name == "errors.py" or not any(f"{name}(" in text for name in missing):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                function = node.func
                missing.discard(function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", ""))
    assert missing == set()


def test_exit_codes_are_those_of_the_contract() -> None:
    """No error invents an exit code."""
    assert {kind.exit_code for kind in _classes()} <= {2, 10, 11, 12, 13, 14, 15, 70}


def test_to_dict_has_the_documented_fields() -> None:
    """The error object of a JSON answer always has the same six fields."""
    body = errors.Busy("m", retry_after_ms=5, snapshot_id="s").to_dict("r")
    assert body == {
        "code": "busy", "message": "m", "hint": errors.Busy.default_hint, "retry_after_ms": 5, "snapshot_id": "s",
        "request_id": "r",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (KeyboardInterrupt(), "cancelled"),
        (click.Abort(), "cancelled"),
        (click.UsageError("no such option"), "usage"),
        (click.BadParameter("bad"), "usage"),
        (OSError(errno.ENOSPC, "No space left on device", "/x"), "io_error"),
        (PermissionError(errno.EACCES, "Permission denied", b"/\xff"), "io_error"),
        (sqlite3.OperationalError("disk I/O error"), "io_error"),
        (sqlite3.DatabaseError("file is not a database"), "corrupt"),
        (zlib.error("incorrect header check"), "corrupt"),
        (MemoryError(), "internal"),
        (RecursionError("maximum recursion depth exceeded"), "internal"),
        (ZeroDivisionError("division by zero"), "internal"),
        (errors.QueryError("empty"), "query_invalid"),
    ],
)
def test_whatever_is_raised_gets_a_code(raised: BaseException, code: str) -> None:
    """Errors of the standard library, of sqlite and of click come out typed; an unknown one is a bug of ours."""
    assert as_everdex(raised).code == code


def test_a_bug_names_its_place_in_one_line() -> None:
    """An unexpected exception becomes one line that says what and where."""
    try:
        raise ValueError("first\nsecond")
    except ValueError as error:
        message = as_everdex(error).message
    assert re.fullmatch(r"ValueError: first at test_errors\.py:\d+", message)
