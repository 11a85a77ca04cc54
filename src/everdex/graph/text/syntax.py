"""What a name at a place of a source file is, by its grammar: a member, a key, part of a string, or a bare name.

Names in comments, in prose and in the module part of an import are none of these. Nothing is resolved here.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final, NamedTuple

from tree_sitter import Node, Tree

from everdex.graph.text.python_text import PythonText, passes_lines
from everdex.languages import GRAMMARS
from everdex.parse.grammar import parse_tree

_ACCESS: Final = re.compile(rb"(?:(?<!\.)\.|->|::|&\.)\s*\Z")
_ASKED: Final = re.compile(rb"([\w$]+)\s*(?:\.|->|::|&\.)\s*\Z")
# What is written before a name in a path: a.b.name, a:name, a::name, a\name, a/name, controller#name, Class@name.
PATH_BEFORE: Final = re.compile(rb"(?:[\w$]+(?:::|\\\\|[.:#@/\\]))*\Z")
_PATH_AFTER: Final = re.compile(rb"(?:(?:::|\\\\|[.:#@/\\])[\w$]+)*([\"'`])")
_MODULES: Final = (b"require(", b"await import(")
_KEYS: Final = frozenset((
    "keyword_argument", "keyword_pattern", "pair", "pair_pattern", "field_initializer", "keyed_element",
))  # fmt: skip
_SHORTHANDS: Final = frozenset((
    "shorthand_property_identifier", "shorthand_property_identifier_pattern", "shorthand_field_initializer",
    "shorthand_field_identifier",
))  # fmt: skip
_DOCUMENTS: Final = frozenset(("heredoc_body", "heredoc_content", "nowdoc_body", "nowdoc_string"))
_SYMBOLS: Final = frozenset(("simple_symbol", "bare_symbol", "atom", "quoted_atom"))
_LISTED_BARE: Final = frozenset(("bare_symbol", "bare_string"))  # Ruby's %i[a b], %w[a b]
_BEFORE_MEMBERS: Final = frozenset((b".", b">", b":", b" ", b"\t", b"\n"))
_QUOTES: Final = frozenset((b'"', b"'", b"`"))
_BEFORE_NAMES_IN_PATHS: Final = frozenset((b".", b":", b"#", b"@", b"/", b"\\"))
# A shell's words are commands, Ruby and Elixir have lists of names without quotes; in pages and settings quotes tell
# little, and nobody resolves Cython.
_WITH_BARE_TEXTS: Final = frozenset((
    "bash", "ruby", "elixir", "html", "vue", "svelte", "json", "yaml", "toml", "css", "sql", "markdown", "cython",
))  # fmt: skip
_KEYWORD: Final = re.compile(rb"\s*=(?!=)")
_IMPORT: Final = re.compile(rb"\s*(?:import|from)\b")
_LOOKED_BACK: Final = 64  # bytes: what stands between an owner and its member is short

_MEMBER: Final = frozenset(("member", "path", "template", "data", "code"))
_QUOTED: Final = frozenset(("text", "path", "listed", "key", "template", "data", "code"))
_PLAIN: Final = frozenset(("name", "text", "path", "template"))
CODE_KINDS: Final = frozenset(("member", "key", "shorthand", "name"))
_IN_PYTHON: Final = CODE_KINDS | {"path"}  # code in a string names things as code does
_BARE: Final = frozenset(("name", "key", "shorthand", "text", "path", "template", "data", "code"))


class Place(NamedTuple):
    how: str
    owner: str = ""  # of a member or in a path: the name before
    callee: tuple[int, int] | None = None  # of a keyword argument: where the name of what is called ends


NOTHING: Final = Place("")


def possible(language: str, source: bytes, start: int, end: int) -> AbstractSet[str]:
    """What a name may be, as far as the bytes around it tell."""
    before = source[start - 1 : start]
    if before in _BEFORE_MEMBERS and _is_asked_for(source, start):
        return _MEMBER
    if before in _QUOTES:
        return _QUOTED
    bare = _PLAIN if language == "python" and not _KEYWORD.match(source, end) else _BARE
    if before in _BEFORE_NAMES_IN_PATHS or language not in GRAMMARS or language in _WITH_BARE_TEXTS:
        return bare
    if is_computed(source[source.rfind(b"\n", 0, start) + 1 : start]):
        return bare
    return bare & (_IN_PYTHON if language == "python" else CODE_KINDS)


def _is_asked_for(source: bytes, start: int) -> bool:
    """Whether a name stands behind a dot or its like."""
    return _ACCESS.search(source, max(0, start - _LOOKED_BACK), start) is not None


def is_computed(before: bytes) -> bool:
    """Whether what follows on a line of a template is computed: behind an opened `<%`, `{{` or `{%`."""
    opened = max(before.rfind(b"<%"), before.rfind(b"{{"), before.rfind(b"{%"))
    return opened > max(before.rfind(b"%>"), before.rfind(b"}}"), before.rfind(b"%}"))


def owner_of(path: bytes) -> str:
    """The last name of a path that ends before another name; '' where it is said in other words (`users#show`)."""
    if path.endswith((b"#", b"@")):
        return ""
    return re.split(rb"[^\w$]+", path.rstrip(b".:#@/\\"))[-1].decode("utf-8", "replace")


class Syntax:
    """What the bytes of a file are."""

    def __init__(self, language: str, source: bytes) -> None:
        self._language = language
        self._source = source
        self._scripts: dict[tuple[int, int], tuple[Tree | None, int]] = {}  # of strings that were asked about

    @cached_property
    def _tree(self) -> Tree | None:
        return parse_tree(self._language, self._source) if self._language in GRAMMARS else None

    def _leaf(self, start: int, end: int) -> Node | None:
        return self._tree.root_node.descendant_for_byte_range(start, end) if self._tree is not None else None

    def how(self, start: int, end: int) -> str:
        return self.at(start, end).how

    def at(self, start: int, end: int) -> Place:
        """What a name at a place is; nothing for a comment, prose, or part of a module's name in an import."""
        return (self._quickly(start, end) if self._language == "python" else None) or self._by_grammar(start, end)

    def narrowed(self, may_be: AbstractSet[str], start: int) -> AbstractSet[str]:
        """What a name may be, as far as can be told without parsing the file."""
        if self._language != "python":
            return may_be
        is_script = not may_be <= _IN_PYTHON or self._passes_lines  # else what is bare is no path
        return may_be if is_script and self._text.kind(start) != "code" else may_be & CODE_KINDS

    @cached_property
    def _passes_lines(self) -> bool:
        return passes_lines(self._source)

    @cached_property
    def _text(self) -> PythonText:
        return PythonText(self._source)

    def _quickly(self, start: int, end: int) -> Place | None:
        """What a place of Python is where that can be told without parsing the file; else None."""
        kind = self._text.kind(start)
        if kind == "comment":
            return NOTHING
        if kind == "string":
            return Place("path") if self._is_in_script(start, end) else self._in_text(None, start, end)
        is_member = kind == "code" and _is_asked_for(self._source, start)
        line = self._source.rfind(b"\n", 0, start) + 1
        return self._member(start) if is_member and not _IMPORT.match(self._source, line) else None

    def _is_in_script(self, start: int, end: int) -> bool:
        """Whether a name is used in a string that is code: a module that a test writes, what another process runs."""
        span = self._text.lines_around(start)
        if span is None:
            return False
        if span not in self._scripts:
            self._scripts[span] = _script(self._source[slice(*span)])
        tree, moved = self._scripts[span]
        if tree is None:
            return False
        leaf = tree.root_node.descendant_for_byte_range(start - span[0] + moved, end - span[0] + moved)
        is_used = leaf is not None and leaf.parent is not None and leaf.parent.type != "expression_statement"
        return is_used and leaf is not None and leaf.type == "identifier"

    def _member(self, start: int) -> Place:
        asked = _ASKED.search(self._source, max(0, start - _LOOKED_BACK), start)
        return Place("member", asked[1].decode() if asked is not None else "")

    def _by_grammar(self, start: int, end: int) -> Place:
        leaf = self._leaf(start, end)
        if leaf is None or "comment" in leaf.type:
            return NOTHING
        if leaf.type in _SYMBOLS or (leaf.parent is not None and leaf.parent.type in _LISTED_BARE):
            return Place("text")
        if _is_string(leaf):
            return self._in_text(leaf, start, end)
        if _is_module(leaf):
            return NOTHING
        if _is_shorthand(leaf):
            return Place("shorthand")
        if _is_asked_for(self._source, start):
            return self._member(start)
        around = (leaf.parent, leaf.parent.parent if leaf.parent is not None else None)
        keys = (node for node in around if node is not None and node.type in _KEYS and node.start_byte == start)
        key = next(keys, None)
        if key is not None or leaf.type in ("property_identifier", "field_identifier"):
            return Place("key", callee=_callee(key))
        return Place("name")

    def is_shorthand(self, start: int, end: int, *, of_module: bool) -> bool:
        """Whether a place is both a name and the key or member of the same name; a module's counts if asked for."""
        leaf = self._leaf(start, end)
        return leaf is not None and _is_shorthand(leaf) and (of_module or not _is_of_module(leaf))

    def is_script(self, start: int, end: int) -> bool:
        """Whether a place of a page is in a script."""
        leaf = self._leaf(start, end)
        return leaf is not None and leaf.type == "raw_text"

    def _in_text(self, leaf: Node | None, start: int, end: int) -> Place:
        """A string that is a name or a path says it; one that is a sentence does not. A shell's is a command."""
        if self._language == "bash" and leaf is not None and leaf.type not in _DOCUMENTS:
            return Place("text")
        before = self._source[self._source.rfind(b"\n", 0, start) + 1 : start]
        if is_computed(before):
            return Place("template")
        path = PATH_BEFORE.search(before)
        after = _PATH_AFTER.match(self._source, end)
        owner = path[0] if path is not None else b""
        quote = before[len(before) - len(owner) - 1 : len(before) - len(owner)]
        if after is None or quote != after[1] or (quote == b"`" and self._language == "python"):
            return NOTHING  # in a docstring backticks are prose's
        if owner or after.start() != after.start(1):
            return Place("path", owner_of(owner))
        return Place("listed" if leaf is not None and _is_listed(leaf) else "text")


def _script(text: bytes) -> tuple[Tree | None, int]:
    """A string read as Python, if it can be read without an error, and how far its code has been moved for that."""
    first = text.lstrip(b"\r\n")
    around = b"if 1:" if first[:1] in (b" ", b"\t") and first is not text else b""  # it is indented as a whole
    tree = parse_tree("python", around + text)
    return (None if tree is None or tree.root_node.has_error else tree), len(around)


def _is_shorthand(leaf: Node) -> bool:
    return leaf.type in _SHORTHANDS or (leaf.parent is not None and leaf.parent.type in _SHORTHANDS)


def _is_module(leaf: Node) -> bool:
    """Whether a name is part of a module's where Python imports it, or a package's where Go says which it is."""
    dotted = leaf.parent
    if dotted is not None and dotted.type == "package_clause":
        return True
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
        if ("string" in node.type and node.type != "concatenated_string") or node.type in _DOCUMENTS:
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


def _callee(key: Node | None) -> tuple[int, int] | None:
    """Where the name of what is called ends, of a keyword argument."""
    call = key.parent.parent if key is not None and key.type == "keyword_argument" and key.parent is not None else None
    called = call.child_by_field_name("function") if call is not None else None
    return (called.end_point[0] + 1, called.end_point[1]) if called is not None else None
