"""How a picture is wanted with an answer, and what cannot be drawn; `picturing` draws it, which most never load."""

from __future__ import annotations

from typing import Final

import msgspec

from everdex import limits
from everdex.errors import QueryError

FORMS: Final = ("svg", "png", "kept")
MAX_DEPTH: Final = 8  # levels of directories


class Wanted(msgspec.Struct, frozen=True):
    """How a picture is wanted; no form: not at all."""

    form: str = ""
    dark: bool = False
    max_bytes: int = 0  # of a PNG; 0 is as large as it gets


def check(wanted: Wanted) -> None:
    """Refuse what cannot be drawn, before anything is made for it."""
    if wanted.form and wanted.form not in FORMS:
        raise QueryError(f"unknown form of picture {wanted.form!r}", hint=f"known are {', '.join(FORMS)}")
    if wanted.max_bytes and wanted.max_bytes < limits.MIN_PICTURE_BYTES:
        raise QueryError(
            f"a picture takes at least {limits.MIN_PICTURE_BYTES:,} bytes", hint="ask for more, or for no picture"
        )
