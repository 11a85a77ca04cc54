"""Which files are in, which are out, and why: root in, `Discovery` out.

Knows ignore rules, path safety and size policy; never reads a file's content except ignore files.
"""

from everdex.discover.beneath import read_beneath
from everdex.discover.discovery import candidates, discover, explain, start_discovery

__all__ = ["candidates", "discover", "explain", "read_beneath", "start_discovery"]
