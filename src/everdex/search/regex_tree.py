"""The tree of a pattern: what a line must contain, one node a kind. Groups and greediness have no place in it."""

from __future__ import annotations

import msgspec


class Text(msgspec.Struct, frozen=True):
    """One character as it is, or in any case."""

    character: str
    fold: bool


class Characters(msgspec.Struct, frozen=True):
    """One character of a class; `members` when they are few and listed."""

    source: str
    fold: bool
    members: str = ""


class Edge(msgspec.Struct, frozen=True):
    r"""Nothing, at a place: `^`, `$`, `\b` or `\B`."""

    kind: str


class Repeat(msgspec.Struct, frozen=True):
    node: Node
    minimum: int
    maximum: int | None


class Sequence(msgspec.Struct, frozen=True):
    nodes: tuple[Node, ...]


class Choice(msgspec.Struct, frozen=True):
    nodes: tuple[Node, ...]


Node = Text | Characters | Edge | Repeat | Sequence | Choice
