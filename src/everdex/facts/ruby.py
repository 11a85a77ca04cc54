"""Types of Ruby that are given modules from elsewhere: `Store.include(Cache)`, `Store.send(:prepend, Cache)`."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from everdex.facts import names_model as model
from everdex.facts.scopes import bases_of

PREPEND: Final = "prepend"


def opened(text: str, node: Node, around: int, word: str, given: list[str]) -> model.Defined:
    """What stands for the type that is opened: nobody finds it by its name, and it has the modules as bases."""
    line, column = node.start_point[0] + 1, node.start_point[1]
    bases = tuple(dict.fromkeys(part for base in given for part in bases_of(base)))
    return model.Defined(
        text.rpartition("::")[2], f"impl {text}", "impl", around, node.start_byte, node.end_byte, line, line, line,
        column, "", False, model.SCOPE_ONLY, type=word, bases=bases, receiver=text,
    )  # fmt: skip
