"""Wall time per phase, for reports and logs."""

from __future__ import annotations

import time


class Timings:
    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self._phases: dict[str, float] = {}

    def mark(self, phase: str) -> None:
        """Charge the time since the last mark to a phase."""
        now = time.perf_counter()
        self._phases[phase] = self._phases.get(phase, 0.0) + (now - self._last) * 1000
        self._last = now

    def total_ms(self) -> float:
        return (time.perf_counter() - self._start) * 1000

    def as_dict(self) -> dict[str, float]:
        return {**{phase: round(ms, 1) for phase, ms in self._phases.items()}, "total": round(self.total_ms(), 1)}
