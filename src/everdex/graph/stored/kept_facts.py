"""The facts of files, by path and content: extracted from the stored source when first needed, then remembered.

Searching never needs them and never pays for them.
"""

from __future__ import annotations

from typing import Final

from everdex import parse, versions
from everdex.facts import facts_of, is_packed
from everdex.graph.stored.kept_values import values_of
from everdex.view import SnapshotView

_RECENT: Final = 8  # files: those of an edit are asked for three times


class KeptFacts:
    """The facts of one view's files; for one thread at a time."""

    def __init__(self, view: SnapshotView) -> None:
        self._view = view
        self._values = values_of(view.store)
        self._recent: dict[str, bytes] = {}

    def of(self, path: str) -> bytes:
        """A live file's facts; b"" when its language says nothing."""
        known = self._recent.get(path)
        if known is None:
            known = self._recent[path] = self._read(path)
            if len(self._recent) > _RECENT:
                del self._recent[next(iter(self._recent))]
        return known

    def _read(self, path: str) -> bytes:
        name = _name(path, self._view.file_contents[self._view.file_index(path)])
        known = self._values.get(name)
        if known is not None:
            return known
        data = self._view.source(path)
        facts = facts_of(path, parse.trees_of(path, data), data)
        self._values.put(name, facts, is_packed=is_packed(facts))
        return facts

    def earlier(self, path: str, content_hash: str) -> bytes | None:
        """The facts of what a file contained before; None when they are forgotten."""
        return self._values.get(_name(path, content_hash))

    def flush(self) -> None:
        """Let other processes and later ones have what was worked out here."""
        self._values.flush()

    def close(self) -> None:
        self._values.close()


def _name(path: str, content_hash: str) -> str:
    return f"{versions.FACTS_VERSION}\0{content_hash}\0{path}"
