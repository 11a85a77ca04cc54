"""The Python API: `everdex.open` and what it answers. Public names are reached through the `everdex` package."""
