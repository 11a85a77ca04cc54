"""What PHP's documentation comments say of types: `@param`, `@return` and `@var`, which the language itself cannot say.

Promises the texts of types that name something; what stands for a type only inside the comment (a template, an alias, a
shape) is left out. Knows no syntax tree and resolves nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

_TAG: Final = re.compile(
    r"@(param|return|var)\s+((?:[^\s<$*]|<[^<>]*(?:<[^<>]*>[^<>]*)*>)+)(?:\s+&?(?:\.\.\.)?\$(\w+))?"
)
_ONLY_HERE: Final = re.compile(r"@(?:\w+-)?(?:template(?:-\w+)?|type|import-type)\s+(\w+)")
_WORD: Final = re.compile(r"[\w\\-]+")
# Native types that say less than a comment may.
WEAK: Final = frozenset(("", "array", "iterable", "object", "mixed", "callable", "?array", "?object", "?iterable"))
_NOTHING: Final = frozenset(("mixed", "object", "callable", "void", "never"))


@dataclass(frozen=True, slots=True)
class Said:
    """The types that one comment states."""

    parameters: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)  # '' for the one that follows
    returns: str = ""


def only_here(text: str) -> set[str]:
    """Names that a comment makes up."""
    return set(_ONLY_HERE.findall(text))


def said(text: str, made_up: set[str]) -> Said:
    """What a comment says, without the names in `made_up`."""
    parameters: dict[str, str] = {}
    variables: dict[str, str] = {}
    returns = ""
    for tag, written, name in _TAG.findall(text):
        if written == "$this" or set(_WORD.findall(written)) & made_up or written in _NOTHING:
            continue
        if any(mark in written for mark in "{}()'\":"):
            continue  # a shape, a function type, a literal
        if tag == "return":
            returns = written
        elif tag == "param":
            parameters[name] = written
        else:
            variables[name] = written
    return Said(parameters, variables, returns)
