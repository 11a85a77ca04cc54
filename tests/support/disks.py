"""Small disks that are full."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def filled(path: Path) -> None:
    """Make a file that takes all the room there is."""
    with suppress(OSError), open(path, "wb", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))
