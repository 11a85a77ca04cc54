"""The tree of a pattern: what a line must contain, one node a kind. Groups and greediness have no place in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """One character as it is, or in any case."""

    character: str
    fold: bool


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a class; `members` when they are few and listed."""

    source: str
    fold: bool
    members: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    r"""Nothing, at a place: `^`, `$`, `\b` or `\B`."""

    kind: str


@dataclass(frozen=True, slots=True)
class Repeat:
    node: Node
    minimum: int
    maximum: int | None


@dataclass(frozen=True, slots=True)
class Sequence:
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    nodes: tuple[Node, ...]


Node = Text | Characters | Edge | Repeat | Sequence | Choice
