"""Immutable segments: what one sync wrote. Rows, vectors and the inverted index of some files.

Written once into staging, sealed, never touched again. Knows nothing of snapshots or of what is live.
"""
