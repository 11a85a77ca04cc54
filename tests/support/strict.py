"""An engine that lends files: whoever uses one must have opened it in his own step, or be asked about it.

What a step depends on in a file it reads itself is then known by whose files it opened and which its question names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.engine.values import ContextNumber, Values
from everdex.graph.python.file.files import File


class BorrowedError(AssertionError):
    """A step used a file that was opened by another."""


def _names(thing: Any, path: str) -> bool:
    """Whether a question names a file."""
    if isinstance(thing, str):
        return thing == path
    if isinstance(thing, ContextNumber):
        return _names(thing.context, path)
    return isinstance(thing, (tuple, frozenset, list)) and any(_names(each, path) for each in thing)


class _Step:
    def __init__(self, question: Any) -> None:
        self.question = question
        self.opened: set[str] = set()


class _Lent:
    """A file as one step has it."""

    def __init__(self, engine: StrictEngine, file: File) -> None:
        object.__setattr__(self, "_engine", engine)
        object.__setattr__(self, "_file", file)

    def __getattr__(self, name: str) -> Any:
        engine, file = object.__getattribute__(self, "_engine"), object.__getattribute__(self, "_file")
        engine.use(file.path, name)
        return getattr(file, name)


def _own(file: Any) -> File:
    """The file itself, for the engine."""
    found: File = object.__getattribute__(file, "_file") if type(file) is _Lent else file
    return found


class StrictEngine(Engine):
    """Fails where a step uses a file that it has not opened."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._steps = [_Step(None)]
        self.file = self._lend

    def use(self, path: str, name: str) -> None:
        step = self._steps[-1]
        if path not in step.opened and name != "path" and not _names(step.question, path):
            raise BorrowedError(f"{step.question} uses {name} of {path}, which another opened")

    def _lend(self, path: str) -> Any:
        self._steps[-1].opened.add(path)
        return _Lent(self, self._files[path])

    def _within(self, question: Any, answer: Callable[..., Any], *arguments: Any) -> Any:
        self._steps.append(_Step(question))
        try:
            return answer(*arguments)
        finally:
            self._steps.pop()

    def begin(self, path: str) -> Any:
        self._steps = [_Step(path)]
        return _own(super().begin(path))

    def end(self, file: File, askers: Any) -> Any:
        return super().end(_own(file), askers)

    def evaluated(
        self, file: File, entry: Any, expression: int, context: int, fuel: int, handler: Callable[..., Values],
        is_value: Callable[[Values], bool] | None = None,
    ) -> Values:  # fmt: skip
        def handled(_: Engine, real: File, *rest: Any) -> Values:
            found: Values = self._within((real.path, context), handler, self, _Lent(self, real), *rest)
            return found

        return super().evaluated(_own(file), entry, expression, context, fuel, handled, is_value)

    def ask(self, key: tuple[Any, ...], fuel: int, answer: Callable[[int], Any], otherwise: Any) -> Any:
        return super().ask(key, fuel, lambda left: self._within(key, answer, left), otherwise)

    def once(self, key: tuple[Any, ...], answer: Callable[[], Any]) -> Any:
        return super().once(key, lambda: self._within(key, answer))

    def bound(self, file: File, bindings: Sequence[int], context: int, fuel: int) -> Values:
        self.use(file.path, "bindings")
        return super().bound(_own(file), bindings, context, fuel)

    def look_for(self, path: str, name: str) -> Any:
        super().look_for(path, name)
        return self._lend(path)

    def look_up(self, path: str, scope: int, name: str) -> Any:
        super().look_up(path, scope, name)
        return self._lend(path)

    def look_over(self, path: str, scope: int) -> Any:
        super().look_over(path, scope)
        return self._lend(path)

    def look_at(self, path: str, scope: int) -> Any:
        super().look_at(path, scope)
        return self._lend(path)
