"""Time and identifiers: the only place that asks the operating system for either.

Tests replace `now` to age leases and snapshots; nothing else in everdex is mocked.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def now() -> float:
    """Seconds since the epoch."""
    return time.time()


def rfc3339(seconds: float | None = None) -> str:
    """An RFC 3339 timestamp in UTC with milliseconds."""
    moment = datetime.fromtimestamp(now() if seconds is None else seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def parse_rfc3339(text: str) -> float:
    """The inverse of `rfc3339`; raises ValueError on anything else."""
    return datetime.fromisoformat(text).timestamp()


def new_ulid() -> str:
    """A 26-character ULID: 48 bits of milliseconds, then 80 random bits."""
    value = (int(now() * 1000) & ((1 << 48) - 1)) << 80 | int.from_bytes(os.urandom(10))
    return "".join(_CROCKFORD[(value >> shift) & 31] for shift in range(125, -1, -5))
