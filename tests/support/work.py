"""How much work something is: counted, so that a busy machine does not change it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls(function: Callable[[], Any]) -> int:
    """How many functions were called, those of the interpreter among them."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def steps(function: Callable[[], Any], module: str) -> int:
    """How many instructions of the interpreter ran in a module, those of loops among them."""
    count = 0

    def note(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.endswith(module):
            return None
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return note

    sys.settrace(note)
    try:
        function()
    finally:
        sys.settrace(None)
    return count
