"""Bytes to chunks and symbols: a pure function of a file's path, bytes and the chunking limits.

Knows grammars and file formats; knows nothing of stores, ids or vectors.
"""

from everdex.parse.file import parse_file
from everdex.parse.model import Chunk, ParsedFile, ParseStatus, Symbol
from everdex.parse.segments import segment_uid, virtual_path

__all__ = ["Chunk", "ParseStatus", "ParsedFile", "Symbol", "parse_file", "segment_uid", "virtual_path"]
