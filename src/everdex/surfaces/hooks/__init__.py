"""`everdex hook`: what a coding agent is told while it works, and what it never notices."""
