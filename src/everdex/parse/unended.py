"""TypeScript's members that no semicolon ends, which the grammar runs together.

    interface Registers {
      (handler: Handler): Router
      <P extends string>(path: P, handler: Handler): Router
    }

A line break ends a member of an interface, but the grammar goes on where the next begins with `<`: it takes that for
more of the type, and loses the interface, often the whole file. In a file with errors a semicolon is put into the blank
before such a line, and that reading is taken where less is lost: all bytes keep their places. Knows nothing of what a
member means.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Tree

from everdex.parse import grammar

LANGUAGES: Final = frozenset(("typescript", "tsx"))
# Type parameters first in their line.
_BEGINS: Final = re.compile(
    rb"^[ \t]++(?=<(?:[ \t\r]*+$|[\w$]++\s*+(?:,|=|>[ \t]*+\(|extends\b)))", re.MULTILINE
)
_COMMENT: Final = re.compile(rb"^[ \t]*+(?://|/\*|\*)")
# What a type, and so a member, may end with.
_ENDS: Final = re.compile(rb"(?:[\w$\])}\"'`]|(?<!=)>)[ \t\r]*+$")
_MAX_COMMENTS: Final = 50


def read(language: str, tree: Tree, data: bytes) -> tuple[Tree, bytes]:
    """(tree, bytes) of a TypeScript file with line breaks that end members, if that loses less; else as given."""
    if not tree.root_node.has_error:
        return tree, data
    places = [match.end() - 1 for match in _BEGINS.finditer(data) if _follows(data, match.start())]
    if not places:
        return tree, data
    made = bytearray(data)
    for place in places:
        made[place] = ord(";")
    again = grammar.parse_tree(language, bytes(made))
    return (again, bytes(made)) if again is not None and grammar.lost(again) < grammar.lost(tree) else (tree, data)


def _follows(data: bytes, line: int) -> bool:
    """Whether the last line of code above one could end a member."""
    for _ in range(_MAX_COMMENTS):
        end = line - 1
        if end <= 0:
            return False
        line = data.rfind(b"\n", 0, end) + 1
        above = data[line:end]
        if above.strip() and not _COMMENT.match(above):
            return _ENDS.search(above) is not None
    return False
