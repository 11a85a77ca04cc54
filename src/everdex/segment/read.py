"""A sealed segment opened for reading: its four files under one roof. Knows nothing of what is live."""

from __future__ import annotations

from pathlib import Path

from everdex.segment.lexical_read import LexicalReader
from everdex.segment.model import LEXICAL_NAME, ROWS_NAME, VECTORS_NAME
from everdex.segment.rows import RowsReader
from everdex.segment.vectors import VectorsReader


class SegmentReader:
    """Opens its parts; the caller has verified their checksums."""

    def __init__(self, directory: Path) -> None:
        self.rows = RowsReader(directory / ROWS_NAME)
        self.vectors = VectorsReader(directory / VECTORS_NAME)
        self.lexical = LexicalReader(directory / LEXICAL_NAME)

    def close(self) -> None:
        self.rows.close()
