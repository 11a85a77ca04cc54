"""Passes 1 and 2: from an import to a file, from a name to the values of its bindings."""
