"""everdex: a local, crash-safe, always-current index of a working tree."""

__version__ = "0.1.0"
