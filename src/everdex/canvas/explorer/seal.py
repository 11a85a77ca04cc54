"""The checksum at the end of a page, by which whoever finds it can tell whether it is whole."""

from __future__ import annotations

import hashlib
from typing import Final

SEAL_BYTES: Final = len("<!-- sha256  -->\n") + 64


def seal(body: bytes) -> bytes:
    """What belongs behind a page."""
    return f"<!-- sha256 {hashlib.sha256(body).hexdigest()} -->\n".encode()


def is_whole(content: bytes) -> bool:
    """Whether a page is as it was written."""
    return content[-SEAL_BYTES:] == seal(content[:-SEAL_BYTES])
