"""Bytes to chunks and symbols: a pure function of a file's path, bytes and the chunking limits.

Knows grammars and file formats; knows nothing of stores, ids or vectors.
"""
