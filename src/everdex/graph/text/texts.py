"""What the files of a view write of a name, looked through once for a question.

A question is worked out again whenever it finds a file that waits; the text of the tree says the same each time, and
for a name with common words most files have to be read.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.text.composed import files_composing, has_parts, looks_up_names, may_be_spelt
from everdex.graph.text.written import files_aliasing, files_writing
from everdex.memory import remembering
from everdex.view import SnapshotView

_REMEMBERED: Final = 64  # names: the one that is asked for, and those of heirs


class Texts:
    """For one question; `known` are the files of the graph."""

    def __init__(self, view: SnapshotView, known: frozenset[str]) -> None:
        self._view = view
        self._known = known
        self.writing = remembering(self._writing, _REMEMBERED)
        self.composing = remembering(self._composing, _REMEMBERED)
        self.aliasing = remembering(self._aliasing, _REMEMBERED)
        self.has_parts = remembering(self._has_parts, _REMEMBERED)
        self.may_be_spelt = remembering(self._may_be_spelt, _REMEMBERED)

    def using(self, name: str) -> frozenset[str]:
        """The files that use what has a name by that name, or by one that they begin or end like it."""
        return self.writing(name) | self.composing(name)

    def _writing(self, name: str) -> frozenset[str]:
        return frozenset(files_writing(self._view, name, self._known))

    def _composing(self, name: str) -> frozenset[str]:
        return frozenset(files_composing(self._view, name))

    def _aliasing(self, name: str) -> tuple[str, ...]:
        """By path."""
        return tuple(files_aliasing(self._view, name, sorted(self.writing(name))))

    def _has_parts(self, name: str) -> bool:
        return has_parts(self._view, name)

    def _may_be_spelt(self, name: str) -> bool:
        """Whether Python may look up a name by a text that is put together."""
        return looks_up_names(self._view) and may_be_spelt(self._view, name)
