"""Counters of a running daemon, as `status` shows them. Thread-safe; knows numbers and nothing else."""

from __future__ import annotations

import threading
from collections import Counter, deque
from typing import Any, Final

from everdex import limits

_KEPT: Final = 200


class Metrics:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._latencies: deque[float] = deque(maxlen=_KEPT)

    def count(self, name: str) -> None:
        with self._lock:
            self._counts[name] += 1

    def took(self, milliseconds: float) -> None:
        with self._lock:
            self._counts["answered"] += 1
            self._counts["slow"] += milliseconds > limits.DAEMON_SLOW_MS
            self._latencies.append(milliseconds)

    def percentile(self, share: float) -> float:
        """Over the last 200 answers, arrival to reply; 0 before the first."""
        with self._lock:
            known = sorted(self._latencies)
        return round(known[min(len(known) - 1, int(share * len(known)))], 2) if known else 0.0

    def to_dict(self) -> dict[str, Any]:
        with self._lock:
            counts = {
                name: self._counts[name]
                for name in ("answered", "failed", "busy", "timeouts", "cancelled", "refused", "slow")
            }
        return {**counts, "p50_ms": self.percentile(0.5), "p95_ms": self.percentile(0.95)}
