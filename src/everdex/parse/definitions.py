"""Finds definitions, comments and embedded segments by one query over a syntax tree.

The query files (queries/*.scm) speak in captures:

    @definition.KIND + @name   a definition; the pattern that comes first in the file wins for one name; of several
                               @name in one pattern the name is what they span (`~Tool`)
    @scope.KIND + @name        a container that qualifies names but is no symbol itself (Rust's impl)
    @scope                     text that qualifies this one name (Go's receiver, `Foo.prototype`)
    @outer                     wraps a definition and begins earlier (decorators, `export`, templates)
    @lead                      belongs to the definition below it (attributes)
    @doc, @docstring, @leaddoc comment; text inside the definition it documents; documentation that leads
    @heading.LEVEL + @name     a heading; its section ends at the next one of its level or above
    @segment.TYPE              a span written in another language

Nodes are never walked here: Python pays for each one it touches.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

import msgspec
from tree_sitter import Node

from everdex.parse import grammar, matching

CLASS_LIKE: Final = frozenset(("class", "interface", "struct", "enum", "trait", "object", "impl", "extension"))
# Languages in which one function is written as several equations or clauses.
_CLAUSES: Final = frozenset(("haskell", "elixir"))
# Names that say where JavaScript hangs a function, not what it belongs to.
_TRANSPARENT_SCOPES: Final = frozenset(("exports", "module.exports", "this", "self", "window", "global", "globalThis"))
_MAX_KEYS: Final = 200
# Of a path; those around are left out. Nobody nests as many, and each of thousands would repeat all around it.
_MAX_NAMES: Final = 100
_OPERATOR: Final = re.compile(r"(?:(?<=::)|\A)\s*operator\s*([^\w\s\"].*)\Z")  # of C++, by its signs
_POINTER: Final = re.compile(r"(?:[&*]\s*|'\w+\s+|(?:mut|const|dyn)\s+)+")  # `impl Trait for &'a mut Type`
_GENERIC: Final = re.compile(r"<.*>|\[.*\]|[*&\s]", re.DOTALL)
# GoogleTest's macros define a method of a class that is named by their first word.
_TEST_CASE: Final = re.compile(rb"(?:TYPED_)?TEST(?:_[FPS])?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_CAPTURE: Final = re.compile(rb"@([a-z]+(?:\.[a-z0-9]+)?)")
_NAMED: Final = ("definition.", "scope.", "heading.")
_ROLES: Final = ("outer", "lead", "docstring", "leaddoc", "doc")


class Definition(msgspec.Struct):
    """One definition of a file while it is being worked out; positions are absolute bytes."""

    start: int  # of the outermost wrapper
    head: int  # of the definition proper
    end: int
    name: str
    name_start: int
    kind: str
    scope: tuple[str, ...]
    language: str
    segment: int  # index of the embedded segment it stands in, -1 outside
    node: Node
    emitted: bool
    parent: Definition | None = None
    path: tuple[str, ...] = ()  # enclosing names, outermost first, its own last
    docstring: tuple[int, int] | None = None


class Found(msgspec.Struct):
    """Everything that one query found."""

    definitions: list[Definition] = msgspec.field(default_factory=list)
    docs: list[tuple[int, int]] = msgspec.field(default_factory=list)
    leads: list[tuple[int, int]] = msgspec.field(default_factory=list)
    docstrings: list[tuple[int, int]] = msgspec.field(default_factory=list)
    segments: list[tuple[str, Node]] = msgspec.field(default_factory=list)

    def extend(self, other: Found) -> None:
        self.definitions += other.definitions
        self.docs += other.docs
        self.leads += other.leads
        self.docstrings += other.docstrings


@cache
def _pattern_roles(language: str) -> tuple[str, ...]:
    """What each pattern of a query is for, by the capture that says so."""
    query, source = grammar.query(language), grammar.query_source(language).encode()
    roles = []
    for pattern in range(query.pattern_count):
        text = source[query.start_byte_for_pattern(pattern) : query.end_byte_for_pattern(pattern)]
        # The binding (0.26) raises when asked whether a pattern has a capture, so its text is read instead.
        present = {name.decode() for name in _CAPTURE.findall(text)}
        dotted = next((name for name in present if "." in name), None)
        roles.append(dotted or next(role for role in _ROLES if role in present))
    return tuple(roles)


def find(language: str, data: bytes, root: Node, segment: int = -1) -> Found:
    """Run the language's query below `root`; definitions come sorted, without hierarchy."""
    found = Found()
    roles = _pattern_roles(language)
    best: dict[int, tuple[int, Definition]] = {}
    outers: dict[int, list[int]] = {}
    levels: dict[int, int] = {}
    for pattern, captures in matching.matches(grammar.query(language), root).found:
        role = roles[pattern]
        node = captures[role][0]
        if node.end_byte == node.start_byte:
            continue  # supposed by error recovery, not written
        if role == "doc":
            found.docs.append((node.start_byte, node.end_byte))
        elif role.startswith(_NAMED):
            name_node = captures["name"][0]
            name_start = name_node.start_byte
            known = best.get(name_start)
            if known is not None and known[0] <= pattern:
                continue
            name = data[name_start : captures["name"][-1].end_byte].decode()
            if not name.strip():
                continue
            if language == "python" and not name.isascii():
                name = unicodedata.normalize("NFKC", name)  # one name to Python in all these spellings
            qualifier = captures.get("scope")
            scope = data[qualifier[0].start_byte : qualifier[0].end_byte].decode() if qualifier else ""
            purpose, _, kind = role.partition(".")
            if purpose == "heading":
                levels[node.start_byte], kind, body = int(kind), "heading", root
            else:
                body = node
            name, name_start_inner, scopes = _split_name(name, scope, kind, language)
            case = _TEST_CASE.match(data, name_start) if kind == "function" and language == "cpp" else None
            if case is not None:
                name, name_start_inner, scopes = case[2].decode(), case.start(2) - name_start, (case[1].decode(),)
            start = node.start_byte
            best[name_start] = (
                pattern,
                Definition(
                    start, start, node.end_byte, name, name_start + name_start_inner, kind, scopes, language,
                    segment, body, purpose != "scope",
                ),
            )  # fmt: skip
        elif role == "outer":
            end = node.end_byte
            outers.setdefault(end - (data[end - 1 : end] == b";"), []).append(node.start_byte)
        elif role == "docstring":
            span = (node.start_byte, node.end_byte)
            found.docs.append(span)
            found.docstrings.append(span)
        elif role == "leaddoc":
            found.docs.append((node.start_byte, node.end_byte))
        elif role == "lead":
            found.leads.append((node.start_byte, node.end_byte))
        else:
            found.segments.append((role.partition(".")[2], node))
    definitions = sorted((item for _, item in best.values()), key=lambda item: (item.start, -item.end))
    _widen(definitions, outers, data)
    if levels:
        _extend_sections(definitions, levels, root.end_byte)
    if language in _CLAUSES:
        definitions = _join_clauses(definitions)
    if sum(item.kind == "key" for item in definitions) > _MAX_KEYS:
        definitions = [item for item in definitions if item.kind != "key"]
    found.definitions = definitions
    return found


def _unspecialized(name: str) -> str:
    """A specialization of C++ has the name of its template: `hash<std::string>` is another `hash`."""
    depth, kept = 0, list[str]()
    for character in name:
        depth += character == "<"
        if not depth:
            kept.append(character)
        depth -= character == ">" and depth > 0
    return "".join(kept).strip() or name


def _split_name(name: str, scope: str, kind: str, language: str) -> tuple[str, int, tuple[str, ...]]:
    """The bare name, where it begins inside the written one (bytes), and the names that qualify it."""
    if kind in ("impl", "extension"):
        if language == "swift" and (name.startswith("[") or name.endswith("?")):
            return _spelled_out(name), 0, ()
        name = name[found.end() :] if (found := _POINTER.match(name)) else name
        return _GENERIC.sub("", name).rpartition("::")[2] or name, 0, ()
    if language == "cpp" and "<" in name and kind in ("class", "struct"):
        name = _unspecialized(name)
    if scope:
        cleaned = _GENERIC.sub("", scope).removesuffix(".prototype")
        return name, 0, () if cleaned in _TRANSPARENT_SCOPES else tuple(cleaned.split("."))
    if language == "ruby" and name[0] == ":" and kind == "function":
        return name[1:], 1, ()  # `attr_reader :name`
    if name[0] in "\"'`" and len(name) > 2:
        return name[1:-1], 1, ()
    if kind == "heading":
        return " ".join(name.split()), 0, ()
    if language == "scala":
        return name, 0, ()  # a method may be called `::`
    separator = "::" if "::" in name else "." if language in ("lua", "sql") and "." in name else ""
    if language == "lua" and ":" in name:
        separator = ":"
    if language == "php":
        return name.replace("\\", "."), 0, ()
    signs = _OPERATOR.search(name) if "operator" in name else None
    if signs:
        front, last = name[: signs.start()], f"operator{''.join(signs[1].split())}"
    elif not separator or "operator" in name:
        return name, 0, ()
    else:
        front, _, last = name.rpartition(separator)
    if signs and not front:
        return last, 0, ()
    scopes = tuple(part for part in re.split(r"::|\.", _GENERIC.sub("", front)) if part)
    return last, len(front.encode()) + (0 if signs else len(separator)), scopes


def _spelled_out(written: str) -> str:
    """The type of Swift's that brackets or a question mark stand for: `extension [Item]` extends Array."""
    if written.endswith("?"):
        return "Optional"
    depth = 0
    for character in written[1:-1]:
        depth += (character in "[(<") - (character in "])>")
        if character == ":" and not depth:
            return "Dictionary"
    return "Array"


def _widen(definitions: list[Definition], outers: dict[int, list[int]], data: bytes) -> None:
    """Let a definition begin where its decorators or `export` begin, unless another one begins in between."""
    if not outers:
        return
    before = -1
    for item in definitions:
        end = item.end
        begin = item.start
        for start in outers.get(end - (data[end - 1 : end] == b";"), ()):
            if before < start < item.start:
                item.start = start
        before = begin


def _extend_sections(headings: list[Definition], levels: dict[int, int], end: int) -> None:
    """The grammar makes no sections of underlined headings, so they are made here for all of them alike."""
    following: dict[int, int] = {}  # level -> start of the nearest later heading of that level
    for item in reversed(headings):
        level = levels[item.start]
        item.end = min((start for other, start in following.items() if other <= level), default=max(end, item.end))
        following = {other: start for other, start in following.items() if other < level} | {level: item.start}


def _join_clauses(definitions: list[Definition]) -> list[Definition]:
    joined: list[Definition] = []
    for item in definitions:
        last = joined[-1] if joined else None
        same = last is not None and item.kind == last.kind == "function" and item.name == last.name
        if last is not None and same and item.start >= last.end:
            last.end = item.end
        else:
            joined.append(item)
    return joined


def link(definitions: list[Definition], docstrings: list[tuple[int, int]]) -> list[Definition]:
    """Give every definition its parent and path by containment; repeated assignments to a name are dropped."""
    definitions.sort(key=lambda item: (item.start, -item.end))
    kept: list[Definition] = []
    stack: list[Definition] = []
    assigned: set[tuple[tuple[str, ...], int]] = set()
    notes = iter(sorted(docstrings))
    note = next(notes, None)
    for item in definitions:
        while note is not None and note[0] < item.start:
            _attach(note, stack)
            note = next(notes, None)
        while stack and stack[-1].end <= item.start:
            stack.pop()
        parent = stack[-1] if stack else None
        while parent is not None and item.end > parent.end:
            parent = parent.parent  # broken syntax can make nodes overlap; containment still decides
        if parent is not None and _is_beside(item, parent):
            parent = parent.parent
        if parent is not None and _is_local(item, parent):
            continue
        item.parent = parent
        item.path = path_of(_path_below(parent, item), item)
        if item.kind == "function" and parent is not None and parent.kind in CLASS_LIKE:
            item.kind = "method"
        elif item.kind == "variable" and len(item.name) > 1 and item.name.isupper():
            item.kind = "constant"
        if item.kind in ("variable", "constant", "field"):
            key = (item.path, item.segment)
            if key in assigned:
                continue
            assigned.add(key)
        kept.append(item)
        stack.append(item)
    while note is not None:
        _attach(note, stack)
        note = next(notes, None)
    return kept


def path_of(around: tuple[str, ...], item: Definition) -> tuple[str, ...]:
    """The names of a definition: those around it, what qualifies it, its own."""
    return (*around, *item.scope, item.name)[-_MAX_NAMES:]


def _is_beside(item: Definition, parent: Definition) -> bool:
    """`int a, b;` defines both in one node; a constructor's parameter may define what its class has (PHP)."""
    if item.kind == "heading":
        return False
    return (item.head, item.end) == (parent.head, parent.end) or item.node.type == "property_promotion_parameter"


def _is_local(item: Definition, parent: Definition) -> bool:
    """A variable of a C function. To a grammar without types, C++'s `Type name(argument);` reads like a declaration."""
    return (
        item.language in ("c", "cpp") and item.kind in ("function", "variable") and item.node.type == "declaration"
        and parent.kind in ("function", "method")
    )  # fmt: skip


def _path_below(parent: Definition | None, item: Definition) -> tuple[str, ...]:
    if parent is None or parent.segment != item.segment:
        return ()
    # A C typedef around a struct names the same thing twice.
    if parent.kind == "type" and item.kind in ("struct", "enum", "class") and item.language in ("c", "cpp"):
        return _path_below(parent.parent, item)
    return parent.path


def _attach(note: tuple[int, int], stack: list[Definition]) -> None:
    for item in reversed(stack):
        if item.start <= note[0] and note[1] <= item.end:
            if item.docstring is None:
                item.docstring = note
            return
