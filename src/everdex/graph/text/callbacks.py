"""What people call a function without a name: the call that it is handed to with a text, as `it("closes twice")`.

Read backwards from where the function begins, in time near what is read. Only for people: nothing is decided by it.
"""

from __future__ import annotations

import re
from typing import Final

from everdex.parse.headers import shortened

_BEFORE: Final = 400
_QUOTES: Final = (b'"', b"'", b"`")
_CALLED: Final = re.compile(rb"[\w$.]{1,60}\Z")


def handed_to(source: bytes, start: int) -> str:
    """The call of which a text and the function that begins at `start` are the arguments; '' if there is none."""
    before = source[max(0, start - _BEFORE) : start].rstrip()
    if not before.endswith(b","):
        return ""
    before = before[:-1].rstrip()
    quote = before[-1:]
    if quote not in _QUOTES:
        return ""
    begin = before.rfind(quote, 0, len(before) - 1)
    while begin > 0 and before[begin - 1 : begin] == b"\\":
        begin = before.rfind(quote, 0, begin)
    text, outside = before[begin:], before[: max(0, begin)].rstrip()
    called = _CALLED.search(outside[:-1]) if begin > 0 and outside.endswith(b"(") else None
    if called is None or b"\n" in text:
        return ""
    return shortened(f"{called[0].decode('utf-8', 'replace')}({text.decode('utf-8', 'replace')})")
