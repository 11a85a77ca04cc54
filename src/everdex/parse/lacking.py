"""What people write and the grammars of JavaScript and TypeScript lack.

    <Text>Goals & rules</Text>
    <a href="?a=1&b=2" />
    export type * from "./model";

In the first two the grammar takes the `&` for the beginning of a character reference, and loses what is around it, at
worst the whole element. In a file with errors a single `&` at one of them is read as `|`, which is as good a text and,
should it be an operator after all, as good an operator; and the word `type` as blanks. That reading is taken where less
is lost: all bytes keep their places.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Tree

from everdex.parse import grammar

LANGUAGES: Final = frozenset(("javascript", "typescript", "tsx"))
_ALONE: Final = re.compile(rb"(?<!&)&(?![&=])")
_TYPE: Final = re.compile(rb"^[ \t]*+export\s++(type)(?=\s*+\*)", re.MULTILINE)
_MAX_ROUNDS: Final = 3  # what is lost at one place may hide another


def read(language: str, tree: Tree, data: bytes) -> tuple[Tree, bytes]:
    """(tree, bytes) of a file with what its grammar lacks read as something else, if that loses less; else as given."""
    for _ in range(_MAX_ROUNDS):
        errors = grammar.errors(tree)
        if not errors:
            break
        made, last = bytearray(data), 0
        for start, end in sorted(errors):
            first, line_end = max(last, data.rfind(b"\n", 0, start) + 1), data.find(b"\n", max(last, end))
            last = line_end if line_end >= 0 else len(data)
            for match in _ALONE.finditer(data, first, last):
                made[match.start()] = ord("|")
        for match in _TYPE.finditer(data) if language != "javascript" else ():
            made[match.start(1) : match.end(1)] = b"    "
        again = grammar.parse_tree(language, bytes(made)) if made != data else None
        if again is None or grammar.lost(again) >= grammar.lost(tree):
            break
        tree, data = again, bytes(made)
    return tree, data
