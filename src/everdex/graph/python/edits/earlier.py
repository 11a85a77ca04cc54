"""What an engine knew of the world before an edit, and which of it still holds.

An answer holds as long as it looked at nothing that an edited file offers or offered, and as neither it nor its
question names such a file: what an edited file says is known by numbers, and those are others now. So it is not asked
whether a key changed, as for the parts of a graph, but whether it is an edited file's at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from everdex.graph.model import Since, Target
from everdex.graph.python.engine.contexts import Contexts
from everdex.graph.python.engine.seen import Seen
from everdex.graph.python.engine.values import ContextNumber, Making
from everdex.graph.python.file.files import Answers, File

_MANY: Final = frozenset((tuple, frozenset, list, set))
_NONE: Final = Answers({}, {}, set(), ({}, {}, {}))


class Known(NamedTuple):
    """All that an engine remembers."""

    files: dict[str, File]
    contexts: Contexts
    asked: dict[Any, tuple[int, Any, Seen | None]]
    cut: dict[Any, tuple[Any, Seen | None]]
    told: dict[Any, tuple[Any, Seen | None]]
    noted: tuple[dict[Any, tuple[Any, Seen]], ...]  # answers about keys


class Earlier:
    """Takes over what is asked for and holds; a file as soon as it is asked for, with no answers about it."""

    def __init__(self, known: Known, since: Since) -> None:
        self._keys = since.keys
        self._edited = since.files
        self._holds: dict[Seen, bool] = {}
        self._named: dict[ContextNumber, bool] = {}
        self._known = known
        self.files = {path: file for path, file in known.files.items() if path not in since.files}
        self._answers = {path: file.begin_again() for path, file in self.files.items()}
        self.contexts = known.contexts

    def recall_noted(self, table: int, key: Any) -> Any:
        """What is known about a key, by the number of its table in `Known`: that key is all that it has looked at."""
        found = self._known.noted[table].get(key)
        return found if found is not None and found[1].key not in self._keys else None

    def recall_value(self, file: File, expression: int, context: int, fuel: int) -> bool:
        """Whether an expression's value was known and is now."""
        answers, cut, *_ = self._answers.get(file.path, _NONE)
        key = (expression, context) if context else expression
        found = answers.get(key)
        if found is not None and found[0] <= fuel:
            if self.holds(found[2]) and not self._names(context) and not self._names(found[1]):
                file.answers[key] = found
                return True
            del answers[key]
        short = cut.pop((expression, context, fuel), None)
        if short is None or not self.holds(short[1]) or self._names(context) or self._names(short[0]):
            return False
        file.cut[expression, context, fuel] = short
        return True

    def recall(self, key: Any, fuel: int, known: Known) -> bool:
        """The same of another question, in what is known now."""
        found = self._known.asked.get(key)
        if found is not None and found[0] <= fuel:
            if self.holds(found[2]) and not self._names(key) and not self._names(found[1]):
                known.asked[key] = found
                return True
            del self._known.asked[key]
        short = self._known.cut.pop((key, fuel), None)
        if short is None or not self.holds(short[1]) or self._names(key) or self._names(short[0]):
            return False
        known.cut[key, fuel] = short
        return True

    def recall_told(self, key: Any, known: Known) -> bool:
        """The same of one that costs no fuel."""
        found = self._known.told.pop(key, None)
        if found is None or not self.holds(found[1]) or self._names(key) or self._names(found[0]):
            return False
        known.told[key] = found
        return True

    def recall_some(self, known: Known, most: int) -> None:
        """Take over of the rest what holds, or as much of it as can be looked at in a moment."""
        for table, before in zip(known.noted, self._known.noted, strict=True):
            known_now = [(key, found) for key, found in before.items() if found[1].key not in self._keys]
            table.update([each for each in known_now if each[0] not in table])
        for _ in zip(range(most), self._recalled(known), strict=False):
            pass

    def _recalled(self, known: Known) -> Iterator[bool]:
        for path, (answers, cut, *_) in self._answers.items():
            if (file := known.files.get(path)) is not None:
                for key, found in list(answers.items()):
                    if key not in file.answers:
                        yield self.recall_value(file, *(key if isinstance(key, tuple) else (key, 0)), found[0])
                for each in cut.keys() - file.cut.keys():
                    yield self.recall_value(file, *each)
        for key, asked in list(self._known.asked.items()):
            if key not in known.asked:
                yield self.recall(key, asked[0], known)
        for key, fuel in self._known.cut.keys() - known.cut.keys():
            yield self.recall(key, fuel, known)
        for key in self._known.told.keys() - known.told.keys():
            yield self.recall_told(key, known)

    def holds(self, seen: Seen | None) -> bool:
        """Whether what was looked at is no edited file's."""
        if seen is None:
            return True
        found = self._holds.get(seen)
        if found is None:
            found = self._looked_into(seen) if seen.parts else self._is_others(seen)
        return found

    def _is_others(self, key: Seen) -> bool:
        found = self._holds[key] = key.key not in self._keys
        return found

    def _looked_into(self, seen: Seen) -> bool:
        """The same of several parts: what is shared is looked into once."""
        around: list[tuple[Seen, Iterator[Seen]]] = [(seen, iter(seen.parts))]
        while around:
            part, rest = around[-1]
            for each in rest:
                found = self._holds.get(each)
                if found is None:
                    if each.parts:
                        around.append((each, iter(each.parts)))
                        break
                    found = self._is_others(each)
                if not found:
                    self._holds.update((part, False) for part, _ in around)
                    return False
            else:
                self._holds[part] = True
                around.pop()
        return True

    def _names(self, thing: Any) -> bool:
        """Whether an edited file is named in something; in what is not known here it may be."""
        kind = type(thing)
        if kind is ContextNumber or kind is Making:
            found = self._named.get(thing)
            if found is None:
                found = self._named[thing] = self._names(thing.context)
            return found
        if kind in _MANY or isinstance(thing, tuple):
            for each in thing:  # noqa: SIM110 - asked of every answer that is taken over: a generator costs more
                if self._names(each):
                    return True
            return False
        if isinstance(thing, str):
            return thing in self._edited
        if kind is Target:
            return thing.path in self._edited
        return not (thing is None or isinstance(thing, int))
