"""Calls told apart: what the parameters of one function are in one call of it.

A context's number is a hash of what it is, so that a value that carries one is the same whoever made it first; it
knows what that is, for where values stand in order. Calls within calls are told apart to a fixed depth.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import xxhash

from everdex.graph.python.engine.values import INSTANCE, NOTHING, ContextNumber, Making, Values, order

MAX_CONTEXTS: Final = 4  # calls within calls that are told apart
MAX_OBJECTS: Final = 2  # objects within objects that are told apart
MAX_TEXT: Final = 20_000  # letters; what is passed may have been made in calls itself, each time in more of them


class Argument(NamedTuple):
    """Something passed to a call: an expression where it stands, or values already known."""

    path: str
    expression: int
    context: int
    values: Values = NOTHING
    starred: bool = False


Positional = tuple[Argument, ...]
Keywords = tuple[tuple[str, Argument], ...]


class Context(NamedTuple):
    """One call of one function: what its parameters are there; or all calls on one receiver."""

    path: str
    scope: int
    outer: int  # the context around the function's definition
    positional: Positional
    keywords: Keywords
    is_any: bool = False  # any call on this receiver: of the other parameters nothing is said


class Contexts:
    """Contexts by number, which each knows what it is the number of; 0 is all calls alike."""

    def __init__(self) -> None:
        self._numbers: dict[Context, int] = {}

    def __getitem__(self, number: int) -> Context:
        context: Context = number.context  # type: ignore[attr-defined]
        return context

    def forget(self) -> None:
        """Lose the numbers that contexts were given: who has one goes on with it, and the next gets the same."""
        self._numbers.clear()

    def enter(self, context: Context) -> int:
        """The number of a call's context; 0 when it is nested too deeply, or there is too much to be said of it."""
        number = self._numbers.get(context)
        if number is not None:
            return number
        depth, objects = _depth(context.outer), _objects(context.outer)
        for argument in context.positional:
            depth, objects = max(depth, _depth(argument.context)), max(objects, _objects(argument.context))
            for value in argument.values:
                if value[0] == INSTANCE and type(value[3]) is Making:
                    objects = max(objects, value[3].objects)
        for _, argument in context.keywords:
            depth, objects = max(depth, _depth(argument.context)), max(objects, _objects(argument.context))
        number = 0
        text = order(context) if depth < MAX_CONTEXTS else ""
        if 0 < len(text) <= MAX_TEXT:
            digest = xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) or 1
            number = ContextNumber(digest, context, depth + 1, objects)
        self._numbers[context] = number
        return number

    def make(self, path: str, scope: int, positional: Positional, keywords: Keywords) -> Making | bool:
        """By what call of a class an object is made; False when that is nested too deeply."""
        context = Context(path, scope, 0, positional, keywords)
        number = self.enter(context)
        if type(number) is not ContextNumber or number.objects >= MAX_OBJECTS:
            return False
        return Making(number, context, number.depth, number.objects + 1)

    def around(self, number: int, path: str, scope: int) -> int:
        """The context around that was entered for this function; 0 when there is none."""
        while number:
            context = self[number]
            if context.scope == scope and context.path == path:
                return number
            number = context.outer
        return 0


def _depth(number: int) -> int:
    return number.depth if type(number) is ContextNumber else 0


def _objects(number: int) -> int:
    return number.objects if type(number) is ContextNumber else 0
