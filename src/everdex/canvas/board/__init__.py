"""The evidence board: what was looked at, what is believed and what was decided about a change, kept with the store.

It is somebody's intent, not derived from the tree: nothing makes it again, so nothing may lose it.
"""
