"""Asks and remembers: every question is a pure function of the world and of the fuel it is asked with.

Fuel is what each step costs, so that cyclic code ends; it is the only cut-off besides counting candidates. An answer
that never ran out holds for every larger amount as well and is kept once with what it needed; one that did is kept for
exactly its amount. So no answer depends on what was asked before, or on who is asking now. One engine serves the
questions of one file and notes what it looked at in others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from everdex.graph.python.files import File
from everdex.graph.python.values import NOTHING, Values, unknown

if TYPE_CHECKING:
    from everdex.graph.model import World

# Fuel is counted in levels of sixteen: a step into a part of the same expression costs one, every other step at least
# what is left of its level, so that a question is asked with few different amounts however it was come by.
LEVEL: Final = 15  # `fuel | LEVEL` is the top of the current level
FUEL: Final = 14 * 16 - 1
STEP: Final = 1  # into a part of the same expression
NAME_STEP: Final = 16  # from a name to its binding
LOOKUP_STEP: Final = 16  # through a class or module
CALL_STEP: Final = 16  # into what a function returns
CALLERS_STEP: Final = 4 * 16  # out to a function's callers
MAX_CONTEXTS: Final = 3  # calls within calls that are told apart
_TOO_DEEP: Final = unknown("too many steps")


class Argument(NamedTuple):
    """Something passed to a call: an expression where it stands, or values already known."""

    path: str
    expression: int
    context: int
    values: Values = NOTHING
    starred: bool = False


class Context(NamedTuple):
    """One call of one function: what its parameters are there."""

    path: str
    scope: int
    outer: int  # the context around the function's definition
    positional: tuple[Argument, ...]
    keywords: tuple[tuple[str, Argument], ...]


class Sources:
    """Decoded files of a world, shared by the engines of a resolution."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._files: dict[str, File] = {}
        self._held = 0

    def file(self, path: str) -> File:
        found = self._files.get(path)
        if found is None:
            data = self.world.facts(path)
            self._held += len(data)
            if self._held > _MAX_HELD:
                self._files.clear()
                self._held = len(data)
            found = self._files[path] = File(path, data)
        return found


_MAX_HELD: Final = 64_000_000  # bytes of facts; decoded they take about ten times that


class Engine:
    """The questions that resolving one file asks."""

    def __init__(self, sources: Sources, home: str, handlers: dict[int, Callable[..., Values]]) -> None:
        self.sources = sources
        self.world = sources.world
        self.home = home
        self.file = sources.file
        self.keys: set[str] = set()
        self.scopes_read: set[tuple[str, int]] = set()
        self.low = FUEL
        self._handlers = handlers
        self._memo: dict[Any, tuple[int, Any]] = {}
        self._cut: dict[Any, Any] = {}
        self._contexts: list[Context] = [Context("", -1, 0, (), ())]
        self._depths: list[int] = [0]
        self._context_ids: dict[Context, int] = {}

    # -- questions

    def values(self, path: str, expression: int, context: int, fuel: int) -> Values:
        """What an expression may be."""
        if fuel < 0:
            self.low = -1
            return _TOO_DEEP
        key = (path, expression, context)
        hit = self._memo.get(key)
        if hit is not None and hit[0] <= fuel:
            left = (fuel - hit[0]) & ~LEVEL
            if left < self.low:
                self.low = left
            found: Values = hit[1]
            return found
        cut = self._cut.get((key, fuel))
        if cut is not None:
            self.low = -1
            found = cut
            return found
        saved, self.low = self.low, fuel
        file = self.file(path)
        if path != self.home:
            self.scopes_read.add((path, file.where[expression]))
        entry = file.entries[expression]
        result = self._handlers[entry[0]](self, file, entry, expression, context, fuel)
        low = self.low
        if low >= 0:
            self._memo[key] = (fuel - (low & ~LEVEL), result)
        else:
            self._cut[key, fuel] = result
        if saved < low:
            self.low = saved
        return result

    def ask(self, key: tuple[Any, ...], fuel: int, answer: Callable[[int], Any], otherwise: Any) -> Any:
        """Any other question, remembered in the same way."""
        if fuel < 0:
            self.low = -1
            return otherwise
        hit = self._memo.get(key)
        if hit is not None and hit[0] <= fuel:
            left = (fuel - hit[0]) & ~LEVEL
            if left < self.low:
                self.low = left
            return hit[1]
        if (key, fuel) in self._cut:
            self.low = -1
            return self._cut[key, fuel]
        saved, self.low = self.low, fuel
        result = answer(fuel)
        low = self.low
        if low >= 0:
            self._memo[key] = (fuel - (low & ~LEVEL), result)
        else:
            self._cut[key, fuel] = result
        if saved < low:
            self.low = saved
        return result

    def offering(self, key: str) -> tuple[str, ...]:
        self.keys.add(key)
        return tuple(self.world.offering(key))

    def look_at(self, path: str, scope: int) -> File:
        """Note that a scope's content matters."""
        if path != self.home:
            self.scopes_read.add((path, scope))
        return self.file(path)

    # -- contexts

    def context(self, number: int) -> Context:
        return self._contexts[number]

    def enter(self, context: Context) -> int:
        """The number of a call's context; 0, all calls alike, when it is nested too deeply."""
        known = self._context_ids.get(context)
        if known is not None:
            return known
        depths = self._depths
        depth = depths[context.outer]
        for argument in context.positional:
            depth = max(depth, depths[argument.context])
        for _, argument in context.keywords:
            depth = max(depth, depths[argument.context])
        if depth >= MAX_CONTEXTS:
            number = 0
        else:
            number = len(self._contexts)
            self._contexts.append(context)
            depths.append(depth + 1)
        self._context_ids[context] = number
        return number

    def context_of(self, number: int, path: str, scope: int) -> int:
        """The context around that was entered for this function; 0 when there is none."""
        while number:
            context = self._contexts[number]
            if context.scope == scope and context.path == path:
                return number
            number = context.outer
        return 0
