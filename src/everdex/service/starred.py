"""Names with a star in them: `parse_*`, `Index.*`, `*Handler`. A star stands for any letters, also for none.

Every definition that fits is found, by name or, where the pattern is dotted, part by part from the end of the
qualified name. Letters count as they are written; others are taken where nothing fits in these.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.segment.model import SymbolRow
from everdex.view import SnapshotView

STAR: Final = "*"


def fitting(view: SnapshotView, home: str | None, dotted: str) -> tuple[list[SymbolRow], str]:
    """The definitions that fit, of one file if that was named, by path and place; and how they do."""
    for how, any_case in (("pattern", False), ("case", True)):
        fits = _Fit(dotted, any_case=any_case)
        rows = view.symbols_like(fits.is_called) if home is None else view.symbols_of(home)
        found = [row for row in rows if fits.fits(row)]
        if found:
            return found, how
    return [], ""


class _Fit:
    """A pattern, compiled for names and for qualified names."""

    def __init__(self, dotted: str, *, any_case: bool) -> None:
        owner, _, last = dotted.rpartition(".")
        flags = "(?si)" if any_case else "(?s)"
        self._name = _compiled(flags + _written(last, ".*"))
        self._whole = _compiled(rf"{flags}(?:.*\.)?{_written(dotted, '[^.]*')}") if owner else None

    def is_called(self, name: str) -> bool:
        return self._name.fullmatch(name) is not None

    def fits(self, row: SymbolRow) -> bool:
        is_owned = self._whole is None or self._whole.fullmatch(row.qualified_name) is not None
        return is_owned and self.is_called(row.name)


def _compiled(pattern: str) -> Any:
    import re2  # not `re`: a pattern with many stars would keep a backtracking engine busy for ever

    return re2.compile(pattern)


def _written(text: str, star: str) -> str:
    import re2

    return star.join(re2.escape(piece) for piece in text.split(STAR))
