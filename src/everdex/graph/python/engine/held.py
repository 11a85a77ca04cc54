"""The decoded files of a world: which of them a process holds, and what it still knows of those that it let go.

Decoded a file takes some twenty times what its facts take, so a large tree has more of them than there is room for.
Those go that nobody has asked for lately. What is known of their expressions stays, as it is counted with all other
answers: to decode a file again costs little, to answer again what was asked of it much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from everdex.graph.python.file.files import Answers, Decoded, File

if TYPE_CHECKING:
    from everdex.graph.model import World

# Of a process of `limits.WORKER_BYTES`: measured in a tree of 18,000 files, whose workers had grown to 2.3 GB.
MAX_HELD: Final = 32_000_000  # bytes of facts; decoded, with what is known of them, they take about 24 times that
_LEFT_FREE: Final = 4  # a part of that: to look for who may go costs a step for each file


class Held(dict[str, File]):
    """Files by path, decoded as they are asked for. Whoever has one may go on using it when it was let go."""

    def __init__(self, world: World, decoded: Decoded, known: dict[str, File]) -> None:
        super().__init__(known)
        self._world = world
        self._decoded = decoded
        self._older: dict[str, File] = {}  # not asked for since there was too little room
        self._held = sum([file.size for file in known.values()])
        self._left: dict[str, Answers] = {}  # of files that were let go

    def __missing__(self, path: str) -> File:
        found = self._older.pop(path, None)
        if found is None:
            data = self._world.facts(path)
            self._held += len(data)
            if self._held > MAX_HELD:
                self._make_room()
            found = self._decoded.take(path, data)
            if (left := self._left.pop(path, None)) is not None:
                found.take_up(left)
        self[path] = found
        return found

    def _make_room(self) -> None:
        """Let go of a part of them, first those that nobody has asked for since this was last done."""
        self._gather()
        for path, file in list(self.items()):
            if self._held <= MAX_HELD - MAX_HELD // _LEFT_FREE:
                break
            self._held -= file.size
            self._left[path] = file.known
            del self[path]
        self._older = dict(self)
        self.clear()

    def taken_back(self) -> dict[str, Answers]:
        """All that are held are here afterwards, for who goes through them; what was known of others is given away."""
        self._gather()
        left, self._left = self._left, {}
        return left

    def _gather(self) -> None:
        """All of them here, in the order in which they may go."""
        held = self._older | self
        self.clear()
        self.update(held)
        self._older = {}
