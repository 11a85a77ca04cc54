"""Whether a file says of itself that it is generated: in the comment at its top, as its language or its tools write it.

Go defines the line, others have the same words. Only the comments before the first code are read, so that a program
which writes such a line is not taken for what it writes.
"""

from __future__ import annotations

import re
from typing import Final

_READ: Final = 4_096  # bytes; licences stand before it
_COMMENT: Final = (b"//", b"#", b"/*", b"*", b"--", b";", b"<!--", b"%", b"(*")
_SAID: Final = re.compile(
    rb"(?i)@generated\b"
    rb"|\bgenerated\b.{0,200}\bdo not (?:edit|modify)\b"
    rb"|\bdo not (?:edit|modify)\b.{0,200}\bgenerated\b"
    rb"|\bthis (?:file|code|module) (?:is|was|has been) (?:automatically |auto[- ]?)?generated\b"
)


def says_generated(data: bytes) -> bool:
    """Whether the comment at the top of a file says so."""
    return _SAID.search(b" ".join(_comments(data[:_READ]))) is not None


def _comments(head: bytes) -> list[bytes]:
    """The words of the comment lines before the first line of anything else."""
    found = []
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        text = line.strip()
        if text and not text.startswith(_COMMENT):
            break
        found.append(text.strip(b"/#*-;<!>%() "))
    return found
