"""The targets of a site while they are worked out: definitions, things outside, and why there may be more."""

from __future__ import annotations

from dataclasses import dataclass, field

from everdex.graph.javascript.files import File
from everdex.graph.javascript.slots import Slot
from everdex.graph.javascript.values import Value


@dataclass(slots=True)
class Found:
    """Where a site leads, while it is being worked out."""

    targets: dict[tuple[str, int], None] = field(default_factory=dict)  # path, definition
    outside: dict[str, None] = field(default_factory=dict)
    reason: str = ""
    lost: bool = False  # it may be something of which nothing is known
    cut: bool = False
    doubt: str = ""  # why the targets are only candidates
    accessor: bool = False
    computed: tuple[tuple[Slot, Value], ...] = ()  # functions under computed names, and on what
    asked: tuple[File, list[int]] | None = None  # of a call: its arguments
    held: tuple[tuple[str, int], ...] = ()  # definitions that the property named holds
    run: tuple[tuple[str, int], ...] = ()  # accessors below a declared property

    def unknown(self, reason: str) -> None:
        self.reason = reason if not self.lost else self.reason
        self.lost = True

    def add(self, other: Found) -> None:
        self.targets |= other.targets
        self.outside |= other.outside
        if other.lost:
            self.unknown(other.reason)
        self.cut = self.cut or other.cut
        self.doubt = self.doubt or other.doubt
        self.accessor = self.accessor or other.accessor
        self.held += other.held
        self.run += other.run

    def impossible(self, reason: str) -> None:
        """One of the values cannot be what is meant: no reason to doubt the others."""
        self.reason = self.reason or reason
