"""What is looked at: every key that an answer needs is noted here, and what a key says of all files is asked here.

Who offers a key, or whether more do than are looked through, is asked of the world once; after an edit what was known
about a key that no edited file offers is taken over. Nothing here evaluates anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from everdex.facts.python.model import IS_STUB
from everdex.graph.model import more_key, more_places_key
from everdex.graph.python.edits.earlier import Earlier
from everdex.graph.python.engine.seen import Seen
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import BARE_KEY, CALL_KEY, here_keys, stub_key
from everdex.graph.python.file.slots import FEW
from everdex.graph.stored.postings import key32

if TYPE_CHECKING:
    from everdex.graph.model import World

MANY: Final = 10  # files: who looks for what so many say of a name looks no further
_OFFERING, _FEW, _OFFERED, _MANY = range(4)  # the tables in `of_keys`


class Noting:
    """The keys that questions look at."""

    def __init__(self, world: World, file: Callable[[str], File], earlier: Earlier | None) -> None:
        self.world = world
        self.file = file  # asked so often that a function of its own counts
        self.seen: list[Seen] = []
        self._earlier = earlier
        self._offering: dict[str, tuple[tuple[str, ...], Seen]] = {}
        self._few: dict[tuple[str, int], tuple[tuple[str, ...] | None, Seen]] = {}
        self._offered: dict[str, tuple[bool, Seen]] = {}
        self._many: dict[tuple[str, int], tuple[bool, Seen]] = {}
        self.of_keys = self._offering, self._few, self._offered, self._many

    def _recalled(self, table: int, key: Any) -> Any:
        """What was known about a key before an edit, and is now."""
        return self._earlier.recall_noted(table, key) if self._earlier is not None else None

    def offering(self, key: str) -> tuple[str, ...]:
        """The files that offer a key."""
        found = self._offering.get(key)
        if found is None:
            found = self._recalled(_OFFERING, key) or (tuple(self.world.offering(key)), Seen(key32(key), "", ()))
            self._offering[key] = found
        self.seen.append(found[1])
        return found[0]

    def offering_few(self, key: str, most: int = MANY) -> tuple[str, ...] | None:
        """The same; None when there are more (one of `LIMITS`), and then it does not matter which."""
        found = self._few.get((key, most))
        if found is None:
            found = self._few[key, most] = self._recalled(_FEW, (key, most)) or self._look_for_few(key, most)
        self.seen.append(found[1])
        return found[0]

    def _look_for_few(self, key: str, most: int) -> tuple[tuple[str, ...] | None, Seen]:
        files = tuple(self.world.offering(key))
        if len(files) > most:
            return None, Seen(key32(more_key(key, most)), "", ())
        return files, Seen(key32(key), "", ())

    def calling(self, name: str) -> tuple[str, ...] | None:
        """The files that call something by a name; None when there are many."""
        passing, bare = self.offering_few(CALL_KEY + name), self.offering_few(BARE_KEY + name)
        if passing is None or bare is None:
            return None
        files = tuple(sorted({*passing, *bare})) if bare else passing
        return files if len(files) <= MANY else None

    def calls_in(self, path: str, name: str) -> Sequence[int]:
        """The calls by a name in one of those files: what is noted with the files tells only of few which they are."""
        file = self.file(path)
        found = file.calls_by_name.get(name, ())
        if len(found) > FEW:
            self.note_calls(file, name)
        return found

    def is_offered(self, key: str) -> bool:
        """Whether any file offers a key, by who does not mind which."""
        found = self._offered.get(key)
        if found is None:
            found = self._recalled(_OFFERED, key)
            found = found or (bool(self.world.offering(key)), Seen(key32(more_key(key, 0)), "", ()))
            self._offered[key] = found
        self.seen.append(found[1])
        return found[0]

    def are_more_places(self, key: str, most: int) -> bool:
        """Of a key whose offers are counts whether they are more than so many (one of `PLACES`) in all files."""
        found = self._many.get((key, most))
        if found is None:
            found = self._recalled(_MANY, (key, most))
            found = found or (self.world.total(key) > most, Seen(key32(more_places_key(key, most)), "", ()))
            self._many[key, most] = found
        self.seen.append(found[1])
        return found[0]

    def look_for(self, path: str, name: str) -> File:
        """Note that it matters what a module binds under a name."""
        file = self.file(path)
        self.seen.append(file.seen_name(name))
        return file

    def note(self, file: File, key: str) -> None:
        """Note that it matters what a key of a file stands for."""
        self.seen.append(file.seen_key(key))

    def note_calls(self, file: File, name: str) -> None:
        """Note that it matters where a file calls something by a name."""
        for key in here_keys(file.path, name, file.defined, file.calls_by_name):
            self.seen.append(file.seen_key(key))

    def look_up(self, path: str, scope: int, name: str) -> File:
        """Note that it matters what a class has under a name."""
        file = self.file(path)
        self.seen.append(file.seen_member(scope, name))
        return file

    def look_over(self, path: str, scope: int) -> File:
        """Note that it matters which names a module or class binds, and to what kinds of expressions."""
        file = self.file(path)
        self.seen.append(file.seen_names(scope))
        return file

    def look_for_stub(self, path: str, scope: int) -> bool:
        """Note that it matters whether a function has a body of its own, and tell."""
        file = self.file(path)
        own = file.scopes[scope]
        self.seen.append(file.seen_key(stub_key(path, own.key)))
        return bool(own.flags & IS_STUB)

    def look_at(self, path: str, scope: int) -> File:
        """Note that a scope's content matters."""
        file = self.file(path)
        self.seen.append(file.seen_scope(scope))
        return file
