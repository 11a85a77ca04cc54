"""Places that write a name and of which resolution says nothing: reads of an unknown owner, keyword arguments, keys of
objects, names in strings.

The inverted index tells which files hold the word, syntax tells what each place is. Where a site or a definition
stands, in comments and in prose there are none. What such a place means is not guessed: whoever asks must look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

import msgspec
from tree_sitter import Node, Tree

from everdex.graph.artifact import FileEntry
from everdex.graph.atlas import Atlas
from everdex.languages import GRAMMARS
from everdex.parse.grammar import parse_tree
from everdex.terms.split import WORD, fold
from everdex.view import SnapshotView
from everdex.view.words import files_with_token

_ACCESS: Final = re.compile(rb"(?:(?<!\.)\.|->|::|&\.)\s*\Z")
_BEFORE: Final = re.compile(rb"([\"'])((?:[\w$]+[.:])*)\Z")
_AFTER: Final = re.compile(rb"(?:[.:][\w$]+)*([\"'])")
_MODULES: Final = (b"require(", b"await import(")
_KEYS: Final = frozenset((
    "keyword_argument", "keyword_pattern", "pair", "pair_pattern", "field_initializer", "keyed_element",
))  # fmt: skip
_SHORTHANDS: Final = frozenset((
    "shorthand_property_identifier", "shorthand_property_identifier_pattern", "shorthand_field_initializer",
    "shorthand_field_identifier",
))  # fmt: skip
_LOOKED_BACK: Final = 64  # bytes: what stands between an owner and its member is short
_MOST_REMEMBERED: Final = 8_192  # files and names

Places: TypeAlias = tuple[tuple[int, int, str], ...]  # line, column, what it is
_remembered: dict[tuple[bytes, str, str], Places] = {}  # by content, language and name


class Mention(msgspec.Struct, frozen=True):
    path: str
    line: int
    column: int
    how: str  # member, key, shorthand, name; in a string text, path (a dotted one), listed (in __all__)


class Syntax:
    """What the bytes of a file are, by its grammar."""

    def __init__(self, language: str, source: bytes) -> None:
        self._source = source
        self._tree: Tree | None = parse_tree(language, source) if language in GRAMMARS else None

    def how(self, start: int, end: int) -> str:
        """What a name at a place is; empty for a comment, prose, or part of a module's name in an import."""
        leaf = self._tree.root_node.descendant_for_byte_range(start, end) if self._tree is not None else None
        if leaf is None or "comment" in leaf.type:
            return ""
        if _is_string(leaf):
            return self._in_text(leaf, start, end)
        if _is_module(leaf):
            return ""
        if _is_shorthand(leaf):
            return "shorthand"
        if _ACCESS.search(self._source, max(0, start - _LOOKED_BACK), start):
            return "member"
        around = (leaf.parent, leaf.parent.parent if leaf.parent is not None else None)
        is_first = any(node is not None and node.type in _KEYS and node.start_byte == start for node in around)
        return "key" if is_first or leaf.type in ("property_identifier", "field_identifier") else "name"

    def is_shorthand(self, start: int, end: int, *, of_module: bool) -> bool:
        """Whether a place is both a name and the key or member of the same name; a module's counts if asked for."""
        leaf = self._tree.root_node.descendant_for_byte_range(start, end) if self._tree is not None else None
        return leaf is not None and _is_shorthand(leaf) and (of_module or not _is_of_module(leaf))

    def _in_text(self, leaf: Node, start: int, end: int) -> str:
        """A string that is a name or a dotted path says it; one that is a sentence does not."""
        before = _BEFORE.search(self._source, self._source.rfind(b"\n", 0, start) + 1, start)
        after = _AFTER.match(self._source, end)
        if before is None or after is None or before[1] != after[1]:
            return ""
        if before[2] or after.start() != after.start(1):
            return "path"
        return "listed" if _is_listed(leaf) else "text"


def _is_shorthand(leaf: Node) -> bool:
    return leaf.type in _SHORTHANDS or (leaf.parent is not None and leaf.parent.type in _SHORTHANDS)


def _is_module(leaf: Node) -> bool:
    """Whether a name is part of a module's where Python imports it."""
    dotted = leaf.parent
    if dotted is None or dotted.type != "dotted_name":
        return False
    around = dotted.parent
    if around is not None and around.type == "aliased_import":
        around = around.parent
    if around is None or around.type != "import_from_statement":
        return around is not None and around.type in ("import_statement", "relative_import")
    return around.child_by_field_name("module_name") == dotted


def _is_of_module(leaf: Node) -> bool:
    """Whether an object is what a CommonJS module gives or is given: it passes names on as they are."""
    around: Node | None = leaf
    while around is not None and around.type not in ("variable_declarator", "assignment_expression", "statement_block"):
        around = around.parent
    value = around.child_by_field_name("value") if around is not None else None
    left = around.child_by_field_name("left") if around is not None else None
    from_module = value is not None and (value.text or b"").startswith(_MODULES)
    return from_module or (left is not None and left.text in (b"module.exports", b"exports"))


def _is_string(leaf: Node) -> bool:
    """Whether a node is text between quotes; what is computed inside of it is not."""
    node: Node | None = leaf
    while node is not None:
        if "interpolation" in node.type or "substitution" in node.type:
            return False
        if "string" in node.type and node.type != "concatenated_string":
            return True
        node = node.parent
    return False


def _is_listed(leaf: Node) -> bool:
    """Whether a string stands in what Python's `__all__` is given."""
    node: Node | None = leaf
    while node is not None and node.type not in ("assignment", "augmented_assignment", "block", "module"):
        node = node.parent
    left = node.child_by_field_name("left") if node is not None else None
    return left is not None and left.text == b"__all__"


def mentions(atlas: Atlas, name: str, languages: frozenset[str]) -> Iterator[Mention]:
    """Every place of the files in these languages that writes the name and is neither a site nor a definition."""
    view, token, width = atlas.view, fold(name), len(name.encode())
    holds = files_with_token(view, token) if WORD.fullmatch(token) else None
    for number, entry in enumerate(atlas.graph.files):
        if entry.language not in languages or not (holds is None or holds[view.file_index(entry.path)]):
            continue
        written = _written(view, entry, name)
        if not written:
            continue
        columns = atlas.columns(number)
        ends = {columns.span(each)[2:] for each in range(columns.site_count)}
        defined = {(node.name_line, node.name_column) for node in columns.nodes}
        for line, column, how in written:
            if (line, column + width) not in ends and (line, column) not in defined:
                yield Mention(entry.path, line, column, how)


def _written(view: SnapshotView, entry: FileEntry, name: str) -> Places:
    """Where a file writes a name, and as what; remembered, because an edit leaves other files as they are."""
    key = (entry.content, entry.language, name)
    found = _remembered.get(key)
    if found is None:
        if len(_remembered) >= _MOST_REMEMBERED:
            _remembered.clear()
        found = _remembered[key] = tuple(_looked_for(view.source(entry.path), entry.language, name))
    return found


def _looked_for(source: bytes, language: str, name: str) -> Iterator[tuple[int, int, str]]:
    syntax: Syntax | None = None
    line, begin = 1, 0
    for match in re.finditer(rb"(?<![\w$])%s(?![\w$])" % re.escape(name.encode()), source):
        line += source.count(b"\n", begin, match.start())
        begin = match.start()
        syntax = syntax or Syntax(language, source)
        how = syntax.how(begin, match.end())
        if how:
            yield line, begin - (source.rfind(b"\n", 0, begin) + 1), how
