"""Evaluates Python expressions: asks the passes for answers, and remembers each with what it was read from (noting).

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
from everdex.facts.python.model import NAME
from everdex.graph.python.edits.earlier import Earlier, Known
from everdex.graph.python.edits.older import Older
from everdex.graph.python.engine.contexts import Contexts
from everdex.graph.python.engine.held import Held
from everdex.graph.python.engine.noting import Noting
from everdex.graph.python.engine.seen import Gathered, Made, Seen, gathered, joined, joined_with
from everdex.graph.python.engine.values import MANY, Values, union, unknown
from everdex.graph.python.file.files import ENDS, Decoded, File

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
_TOO_DEEP: Final = unknown("too many steps")
_MORE: Final = frozenset(((MANY,),))
_MAX_ANSWERS: Final = 300_000  # with what they looked at about 500 bytes each; as many again are older
_MAX_KEPT: Final = 200_000  # answers between two edits
_MAX_RECALLED: Final = 60_000  # of those that an edit did not ask for: to look at more takes longer than most edits


class Engine(Noting):
    """The questions that resolving the files of one world asks."""

    def __init__(
        self, world: World, handlers: dict[int, Callable[..., Values]], decoded: Decoded,
        earlier: Earlier | None = None,
    ) -> None:  # fmt: skip
        files = Held(world, decoded, earlier.files if earlier is not None else {})
        super().__init__(world, files.__getitem__, earlier)
        self.low = FUEL
        self.contexts = earlier.contexts if earlier is not None else Contexts()
        self._handlers = handlers
        self._former: Earlier | Older | None = earlier
        self._files = files
        self._asked: dict[Any, tuple[int, Any, Seen | None]] = {}
        self._cut: dict[Any, tuple[Any, Seen | None]] = {}
        self._told: dict[Any, tuple[Any, Seen | None]] = {}
        self._known = Known(self._files, self.contexts, self._asked, self._cut, self._told, self.of_keys)
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
            self._earlier, self._former = None, Older(self._known, self._files.taken_back())
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
        self._files.taken_back()
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
