"""The façade between surfaces and all other rooms. `index.py` is the way in, each other module one kind of answer.

Nothing is imported here: the thin client only looks up where a daemon is, and must start as fast as an empty Python.
"""
