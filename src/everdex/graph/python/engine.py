"""Evaluates Python expressions: asks the passes for answers, remembers them, and notes what each answer was read from.

Every question is asked with some *fuel*, the number of steps it may take, so that cyclic code ends. An answer that did
not run out of fuel is remembered for every larger amount; one that did is remembered for exactly its amount. Together
with the limits on candidates that is the only cut-off. An answer therefore depends on the world and the fuel alone,
never on who asked or in which order, and one engine serves all files of a world. Every answer carries the keys it was
read from, and whoever uses an answer has read them, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from everdex.facts.python.flow import MAX_REACHING
from everdex.facts.python.model import IS_STUB, NAME
from everdex.graph.model import more_key, more_places_key
from everdex.graph.postings import key32
from everdex.graph.python.contexts import Contexts
from everdex.graph.python.earlier import Earlier, Known
from everdex.graph.python.files import ENDS, Decoded, File
from everdex.graph.python.keys import BARE_KEY, CALL_KEY, here_keys, stub_key
from everdex.graph.python.older import Older
from everdex.graph.python.seen import Gathered, Made, Seen, gathered, joined, joined_with
from everdex.graph.python.slots import FEW
from everdex.graph.python.values import MANY as MORE
from everdex.graph.python.values import Values, union, unknown

if TYPE_CHECKING:
    from everdex.graph.model import World

T = TypeVar("T")
# A step into a part of the same expression is free: expressions are trees. So is one from a name to what the same body
# has given it before, through few names, and from a parameter to what is passed: both lead back to what stands before,
# or cost elsewhere. Every other step costs, so every cycle does.
FUEL: Final = 12
WORTH: Final = 8  # what a question is worth that many ask: who has more gets the same answer, even one that ran out
WORTH_GIVEN: Final = WORTH + 1  # and what an instance has, a function gives, who calls it: the way leads in and out
WORTH_HELD: Final = WORTH + 2  # and what a container holds: who put it there was often given it by another
NAME_STEP: Final = 1  # from a name to its binding
LOOKUP_STEP: Final = 1  # through a class or into a container
CALL_STEP: Final = 1  # into what a function returns
CALLERS_STEP: Final = 3  # out to a function's callers
MANY: Final = 10  # files: who looks for what so many say of a name looks no further
_TOO_DEEP: Final = unknown("too many steps")
_MORE: Final = frozenset(((MORE,),))
# Of a process of `limits.WORKER_BYTES`: measured in a tree of 18,000 files, whose workers had grown to 2.3 GB.
_MAX_HELD: Final = 32_000_000  # bytes of facts; decoded, with what is known of them, they take about 24 times that
_MAX_ANSWERS: Final = 300_000  # with what they looked at about 500 bytes each; as many again are older
_MAX_KEPT: Final = 200_000  # answers between two edits
_MAX_RECALLED: Final = 60_000  # of those that an edit did not ask for: to look at more takes longer than most edits
_OFFERING, _FEW, _OFFERED, _MANY = range(4)  # the tables of answers about keys, as they stand in `Known`


class _Files(dict[str, File]):
    """The files of a world by path, decoded as they are asked for."""

    def __init__(self, world: World, decoded: Decoded, known: dict[str, File]) -> None:
        super().__init__(known)
        self._world = world
        self._decoded = decoded
        self._held = 0

    def __missing__(self, path: str) -> File:
        data = self._world.facts(path)
        self._held += len(data)
        if self._held > _MAX_HELD:
            self.clear()
            self._held = len(data)
        found = self[path] = self._decoded.take(path, data)
        return found


class Engine:
    """The questions that resolving the files of one world asks."""

    def __init__(
        self, world: World, handlers: dict[int, Callable[..., Values]], decoded: Decoded,
        earlier: Earlier | None = None,
    ) -> None:  # fmt: skip
        self.world = world
        self.low = FUEL
        self.contexts = earlier.contexts if earlier is not None else Contexts()
        self.seen: list[Seen] = []
        self._handlers = handlers
        self._earlier = earlier
        self._former: Earlier | Older | None = earlier
        self._files = _Files(world, decoded, earlier.files if earlier is not None else {})
        self.file: Callable[[str], File] = self._files.__getitem__  # asked so often that a function of its own counts
        self._asked: dict[Any, tuple[int, Any, Seen | None]] = {}
        self._cut: dict[Any, tuple[Any, Seen | None]] = {}
        self._told: dict[Any, tuple[Any, Seen | None]] = {}
        self._offering: dict[str, tuple[tuple[str, ...], Seen]] = {}
        self._few: dict[tuple[str, int], tuple[tuple[str, ...] | None, Seen]] = {}
        self._offered: dict[str, tuple[bool, Seen]] = {}
        self._many: dict[tuple[str, int], tuple[bool, Seen]] = {}
        self._known = Known(
            self._files, self.contexts, self._asked, self._cut, self._told,
            (self._offering, self._few, self._offered, self._many),
        )  # fmt: skip
        self._made: Made = {}  # of one file: what answers of several have together is little
        # What ran out of fuel in a call that is told apart while one file was asked: of a hundred another asks for one.
        self._apart: list[tuple[dict[tuple[int, int, int], Any], tuple[int, int, int]]] = []
        self._answers = 0
        self._is_known = False

    def begin(self, path: str) -> File:
        """Before the questions of a file."""
        self.seen = []
        file = self.file(path)
        file.complete()
        if self._answers > _MAX_ANSWERS:
            self._earlier, self._former = None, Older(self._known)
            self.contexts.forget()
            self._answers = 0
        is_older = isinstance(self._former, Older) and self._former.knows(path)
        self._is_known = is_older or bool(file.answers or file.cut)
        return file

    def looked(self) -> list[Seen]:
        """What was looked at since this was last asked."""
        found, self.seen = self.seen, []
        return found

    def end(self, file: File, askers: Iterable[Sequence[Seen]]) -> Gathered:
        """After them: the keys that each asker needed."""
        self._made.clear()
        found = gathered(askers, file.path)
        if self._earlier is not None:  # after an edit the next one asks the same
            self._apart.clear()
            return found
        self._answers -= len(self._apart)
        for table, key in self._apart:
            table.pop(key, None)
        self._apart.clear()
        # Nobody asked about this file before, so few will: most of its answers are for itself.
        if not self._is_known:
            self._answers -= len(file.answers) + len(file.cut)
            file.forget()
        return found

    def rest(self) -> Known | None:
        """What the next world's engine may begin with; None when it is too much to be kept that long."""
        if self._earlier is not None:
            self._earlier.recall_some(self._known, _MAX_RECALLED)
        answers = sum([len(file.answers) + len(file.cut) for file in self._files.values()])
        return self._known if answers + len(self._asked) + len(self._cut) <= _MAX_KEPT else None

    # -- questions

    def values(self, path: str, expression: int, context: int, fuel: int) -> Values:
        """What an expression may be."""
        if fuel < 0:
            self.low = -1
            return _TOO_DEEP
        file = self._files[path]
        entry = file.entries[expression]
        if entry[0] == NAME:
            # Most questions: a name with one binding is what the binding is, and need not be remembered beside it.
            while (step := file.steps.get(expression) or file.step(expression))[0] >= 0:
                expression, is_near, seen = step
                self.seen.append(seen)
                if not is_near:
                    fuel -= NAME_STEP
                    if fuel < 0:
                        self.low = -1
                        return _TOO_DEEP
                entry = file.entries[expression]
                if entry[0] != NAME:
                    break
        key = (expression, context) if context else expression
        hit = file.answers.get(key)
        if hit is not None and hit[0] <= fuel:
            left = fuel - hit[0]
            if left < self.low:
                self.low = left
            self.seen.append(hit[2])
            return hit[1]
        cut = file.cut.get((expression, context, fuel))
        if cut is not None:
            self.low = -1
            self.seen.append(cut[1])
            return cut[0]
        if self._former is not None and self._former.recall_value(file, expression, context, fuel):
            self._answers += 1
            return self.values(path, expression, context, fuel)
        return self.evaluated(file, entry, expression, context, fuel, self._handlers[entry[0]])

    def evaluated(
        self, file: File, entry: Any, expression: int, context: int, fuel: int, handler: Callable[..., Values],
        is_value: Callable[[Values], bool] | None = None,
    ) -> Values:  # fmt: skip
        """What a pass answers, remembered; of an answer that may be something else than the value, if it is that."""
        saved, self.low = self.low, fuel
        around, self.seen = self.seen, []
        result = handler(self, file, entry, expression, context, fuel)
        seen = joined_with(file.seen_at(expression), self.seen, self._made)
        around.append(seen)
        self.seen = around
        low = self.low
        if is_value is None or is_value(result):
            self._answers += 1
            if low >= 0:
                file.answers[(expression, context) if context else expression] = (fuel - low, result, seen)
            else:
                file.cut[expression, context, fuel] = (result, seen)
                if context:
                    self._apart.append((file.cut, (expression, context, fuel)))
        if saved < low:
            self.low = saved
        return result

    def bound(self, file: File, bindings: Sequence[int], context: int, fuel: int) -> Values:
        """What a name with these bindings may be; a definition, a display or an import is it at once.

        Of very many the last are looked at, and there may be more: so may there where so many are told.
        """
        if len(bindings) == 1:
            value = file.bindings[bindings[0]][2]
            return self.values(file.path, value, context, fuel if file.entries[value][0] in ENDS else fuel - NAME_STEP)
        latest = bindings[-MAX_REACHING:]
        found = union([self.values(file.path, file.bindings[each][2], context, fuel - NAME_STEP) for each in latest])
        return found if len(latest) < MAX_REACHING else union((found, _MORE))

    def ask(self, key: tuple[Any, ...], fuel: int, answer: Callable[[int], Any], otherwise: Any) -> Any:
        """Any other question, remembered in the same way."""
        if fuel < 0:
            self.low = -1
            return otherwise
        hit = self._asked.get(key)
        if hit is not None and hit[0] <= fuel:
            left = fuel - hit[0]
            if left < self.low:
                self.low = left
            if hit[2] is not None:
                self.seen.append(hit[2])
            return hit[1]
        cut = self._cut.get((key, fuel))
        if cut is not None:
            self.low = -1
            if cut[1] is not None:
                self.seen.append(cut[1])
            return cut[0]
        if self._former is not None and self._former.recall(key, fuel, self._known):
            self._answers += 1
            return self.ask(key, fuel, answer, otherwise)
        saved, self.low = self.low, fuel
        around, self.seen = self.seen, []
        result = answer(fuel)
        seen = joined(self.seen, self._made)
        if seen is not None:
            around.append(seen)
        self.seen = around
        self._answers += 1
        low = self.low
        if low >= 0:
            self._asked[key] = (fuel - low, result, seen)
        else:
            self._cut[key, fuel] = (result, seen)
        if saved < low:
            self.low = saved
        return result

    def ask_within(
        self, key: tuple[Any, ...], fuel: int, answer: Callable[[int], Any], otherwise: Any, worth: int = WORTH
    ) -> Any:
        """The same with no more fuel than a question of its kind is worth, so that most askers share one answer."""
        if fuel <= worth:
            return self.ask(key, fuel, answer, otherwise)
        saved, self.low = self.low, worth
        result = self.ask(key, worth, answer, otherwise)
        left = fuel - worth + self.low if self.low > 0 else fuel - worth
        self.low = left if left < saved else saved
        return result

    def can_spend(self, fuel: int, step: int) -> bool:
        """Whether there is enough for a step; that it was asked is part of what an answer needs."""
        left = fuel - step
        self.low = min(self.low, left) if left >= 0 else -1
        return left >= 0

    def once(self, key: tuple[Any, ...], answer: Callable[[], T]) -> T:
        """A question that costs no fuel, remembered in the same way."""
        hit = self._told.get(key)
        if hit is None and self._former is not None and self._former.recall_told(key, self._known):
            hit = self._told[key]
            self._answers += 1
        if hit is None:
            hit = self._told[key] = self.noted(answer)
            self._answers += 1
        if hit[1] is not None:
            self.seen.append(hit[1])
        found: T = hit[0]
        return found

    def noted(self, answer: Callable[[], T]) -> tuple[T, Seen | None]:
        """An answer with what it looked at, for who remembers it himself; not noted for anybody yet."""
        around, self.seen = self.seen, []
        result = answer()
        seen = joined(self.seen, self._made)
        self.seen = around
        return result, seen

    # -- what is looked at

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
