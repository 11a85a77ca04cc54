"""Swift: what a member without a type, `.failure(error)`, is a member of: what its place takes.

Facts say where it stands (facts/names_model.py): in a list of arguments, behind `return`, or where a type or a value is
written beside it. Here are the texts of parameters; no name is resolved.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everdex.facts import arguments as given
from everdex.facts import names_model as facts

_PARAMETER = re.compile(r"(?:@\w+(?:\([^()]*\))?\s+)*(\w+)(?:\s+\w+)?\s*:\s*(.*)", re.DOTALL)


class Argument(NamedTuple):
    """A place in a list of arguments: where the callee's name stands, and how many arguments are before it."""

    line: int
    column: int
    number: int


def argument_at(receiver: str) -> Argument | None:
    if not receiver.startswith(facts.ARGUMENT):
        return None
    line, column, number = map(int, receiver.removeprefix(facts.ARGUMENT).removesuffix("}").split())
    return Argument(line, column, number)


@lru_cache(maxsize=4_096)
def parameters(name: str, signature: str) -> tuple[tuple[str, str], ...]:
    """The labels and the types of what a function or a case takes; () where the signature does not have all of it."""
    found = re.search(rf"(?<!\w){re.escape(name)}[?!]?(?:<[^()]*>)?\s*\(", signature)
    if found is None:
        return ()
    depth, end = 0, -1
    for at in range(found.end() - 1, len(signature)):
        depth += (signature[at] in "([{") - (signature[at] in ")]}")
        if not depth:
            end = at
            break
    if end < 0:
        return ()
    parts = [part for part in given.split(signature[found.end() : end]) if part]
    return tuple(_parameter(part) for part in parts)


def _parameter(text: str) -> tuple[str, str]:
    found = _PARAMETER.fullmatch(text)
    label, stated = (found[1], found[2]) if found else (given.NO_LABEL, text)
    return label, re.split(r"\s=\s", stated)[0].strip()


def type_taken(item: facts.Defined, labels: tuple[str, ...], number: int) -> str:
    """The text of the type that a function takes as one of the arguments that are called so; '' where nobody knows."""
    waiting = list(parameters(item.name, item.signature))
    for at, label in enumerate(labels[: number + 1]):
        if label == given.FUNCTION:
            return ""
        while waiting and waiting[0][0] != label:
            waiting.pop(0)
        if not waiting:
            return ""
        _, stated = waiting[0]
        if at == number:
            return stated.removesuffix(given.MANY)
        if not stated.endswith(given.MANY):
            waiting.pop(0)
    return ""
