"""Long runs of comments in Python, read as empty lines: its grammar looks through all that follow at each of them.

Two thousand comments after a statement took over a second, and more of them the whole file's symbols. Nothing but
comments is hidden: a line that may end a string stays as it is.
"""

from __future__ import annotations

import re
from typing import Final

_LONG: Final = 256  # lines; so many take some hundredths of a second
_LAST: Final = 32  # of a run, which may be about what follows it
_KEPT: Final = (b'"""', b"'''", b"\r")  # ends of strings, or of the comment
_RUN: Final = re.compile(rb"(?:^[ \t]*#[^\n]*\n){%d,}+" % _LONG, re.MULTILINE)


def without_long_runs(data: bytes) -> bytes:
    """The source with all but the end of each long run of comments blank, byte for byte."""
    if data.count(b"#") < _LONG:
        return data
    return _RUN.sub(lambda run: _blank(run[0], data[: run.start()].endswith((b"\\\n", b"\\\r\n"))), data)


def _blank(run: bytes, continued: bool) -> bytes:
    lines = run.split(b"\n")  # the last is empty
    for number, line in enumerate(lines[: -_LAST - 1]):
        text = line.removesuffix(b"\r")
        if not continued and not any(mark in text for mark in _KEPT):
            lines[number] = b" " * len(line)
        continued = text.endswith(b"\\")
    return b"\n".join(lines)
