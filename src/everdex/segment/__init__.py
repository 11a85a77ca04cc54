"""Immutable segments: rows, vectors and inverted index of the files that one sync wrote.

A segment is written into staging, sealed and never changed. What of it is still live is not known here: `snapshot`
decides.
"""
