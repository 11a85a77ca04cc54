"""Which expressions of other Python files are read, and whether whoever read one has noted where it stands.

What is not noted is a stale edge to come, though no edit has shown it yet. An expression is noted by the key of its
statement or function, and by that of the class or function in whose head it is.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any, Final
from unittest.mock import patch

from everdex.facts.python import model as m
from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.engine.seen import Seen
from everdex.graph.python.file import files
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import head_key, scope_key
from everdex.graph.python.resolver import PythonResolver
from everdex.graph.stored.postings import key32
from support.worlds import MemoryWorld

Reader = tuple[str, str]  # the module and the function that reads
# What files look up in themselves is asked for by who holds an expression there.
_OF_FILES: Final = ("layout.py", "flows.py", "files.py", "fillings.py", "computed.py", "index.py", "slots.py")


class Looking:
    """Who read what since it was last asked."""

    def __init__(self) -> None:
        self.home: str | None = None  # the file that is resolved; None while nobody is watched
        self.read: list[tuple[File, int, Reader]] = []

    def note(self, file: File, number: int, frame: FrameType) -> None:
        if self.home not in (None, file.path) and not frame.f_code.co_filename.endswith(_OF_FILES):
            module = frame.f_code.co_filename.rpartition("/")[2].removesuffix(".py")
            self.read.append((file, number, (module, frame.f_code.co_qualname)))


class _Entries(list[tuple[Any, ...]]):
    """The expressions of a file."""

    def __init__(self, file: File, looking: Looking) -> None:
        super().__init__(file.complete())
        self._file, self._looking = file, looking

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, int):
            self._looking.note(self._file, number % len(self), sys._getframe(1))
        return super().__getitem__(number)


def unnoted(trees: Sequence[Mapping[str, bytes]]) -> Counter[Reader]:
    """Who read something that it has not noted; how often."""
    found: Counter[Reader] = Counter()
    looking = Looking()

    class Watched(File):
        def __init__(self, path: str, data: bytes) -> None:
            super().__init__(path, data)
            self.entries = _Entries(self, looking)

        def complete(self) -> list[tuple[Any, ...]]:
            return self.entries if isinstance(self.entries, _Entries) else super().complete()

    def looked(engine: Engine) -> list[Seen]:
        said, engine.seen = engine.seen, []
        home, looking.home = looking.home, None
        keys = set(_keys(said))
        found.update(reader for file, number, reader in looking.read if keys.isdisjoint(_standing(file, number)))
        looking.read, looking.home = [], home
        return said

    with patch.object(files, "File", Watched), patch.object(Engine, "looked", looked):
        for tree in trees:
            resolver = PythonResolver()
            world = MemoryWorld(tree, resolver)
            for path in world.offers:
                resolution = resolver.open(world)  # which knows nothing yet: what is known is not read again
                looking.read, looking.home = [], path
                resolution.resolve(path)
                looking.home = None
    return found


def _keys(seen: Sequence[Seen]) -> Iterator[int]:
    waiting, known = list(seen), set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) not in known:
            known.add(id(each))
            waiting += each.parts
            yield each.key


def _standing(file: File, number: int) -> Iterator[int]:
    """The keys of which each stands for an expression's text."""
    yield file.seen_at(number).key
    owner = file.owner(file.where[number])
    while file.scopes[owner].kind == m.LAMBDA_SCOPE:
        yield key32(scope_key(file.path, file.scopes[owner].key))
        owner = file.owner(file.scopes[owner].parent)
    yield key32(scope_key(file.path, file.scopes[owner].key))
    place = file.places.starts[number]
    for each in file.scopes[1:]:
        if each.kind != m.COMPREHENSION_SCOPE and each.start <= place < each.body:
            yield key32(scope_key(file.path, each.key))
            yield key32(head_key(file.path, each.key))
