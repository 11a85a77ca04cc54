"""The façade: one room between the surfaces and everything else. `index.py` is its door, the rest are kinds of answers.

Nothing is imported here: the thin client looks only for where a daemon is, and starts in the time of an empty Python.
"""
