"""Why something outside the repository may call a definition: the language, a framework, a user of a public name.

It gives the reason, never the caller: nothing outside the repository is read. Variables and files have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.model import Role, Status
from everdex.languages import C_FAMILY

_NOT_CALLED: Final = VARIABLES | {"namespace", "module", "type", "variant", "lambda"}
_DUNDER: Final = re.compile(
    r"__\w+__\Z|__(?:get|set|isset|unset|call|callStatic|toString|invoke|construct|destruct|clone|sleep|wakeup|serialize|"
    r"unserialize|debugInfo|set_state|index|newindex|gc|len|eq|lt|le|concat|unm|add|sub|mul|div|mod|pow|tostring|pairs|"
    r"close)\Z"
)
WITH_OBJECTS: Final = frozenset(("javascript", "typescript", "tsx", "vue", "svelte"))
_WITH_DUNDERS: Final = frozenset(("python", "cython", "php", "lua"))
_STARTED: Final = {"go": {"main", "init"}, "csharp": {"Main"}, "swift": {"main"}}
_MAIN: Final = frozenset(("main",))
# Methods that a language's own operations and library call by their names, without a base that says so.
_OF_RUBY: Final = frozenset((
    "initialize", "initialize_copy", "method_missing", "respond_to_missing?", "const_missing", "inherited", "included",
    "extended", "prepended", "method_added", "to_s", "to_str", "to_a", "to_ary", "to_h", "to_hash", "to_proc", "to_i",
    "inspect", "each", "hash", "eql?", "coerce", "call", "marshal_dump", "marshal_load",
))  # fmt: skip
_OF_JAVASCRIPT: Final = frozenset(("constructor", "toString", "valueOf", "toJSON", "then", "next"))
_OF_JAVA: Final = frozenset((
    "toString", "equals", "hashCode", "clone", "finalize", "readObject", "writeObject", "readResolve", "writeReplace",
))  # fmt: skip
_SPECIAL: Final = {
    "ruby": _OF_RUBY, "java": _OF_JAVA, "kotlin": _OF_JAVA, "scala": _OF_JAVA,
    **dict.fromkeys(WITH_OBJECTS, _OF_JAVASCRIPT),
}  # fmt: skip
_TESTED: Final = re.compile(r"test|Test|Benchmark|Example|Fuzz|it_|setup|setUp|teardown|tearDown")
_ANNOTATED: Final = re.compile(r"@(?!interface\b|Override\b|override\b)([\w.]+)|(?:\A|\])\s*#?\[\s*([\w.:]+)")
_TEXT: Final = re.compile(r"\"(?:[^\"\\]|\\.)*(?:\"|\Z)|'(?:[^'\\]|\\.)*(?:'|\Z)")  # a signature may end in one
_C_ATTRIBUTE: Final = re.compile(r"__attribute__\s*\(\(\s*(\w+)")
_REPLACING: Final = re.compile(r"@Override\b|\boverride\b")
_HIDDEN: Final = re.compile(r"\b(?:private|static)\b")
_RUST_ATTRIBUTES: Final = re.compile(rb"((?>#\[[^\n]*\]\s*)+)(?>///?[^\n]*\n\s*)*\Z")
_RUST_ATTRIBUTE: Final = re.compile(rb"#\[\s*([\w:]+)")
_RUST_BLOCK: Final = re.compile(rb"^[ \t]*(?:unsafe\s+)?(impl)\b", re.MULTILINE)
# Bases that every class has whether it says so or not: they call only what `_SPECIAL` and `_DUNDER` name.
_ROOTS: Final = {
    "python": {"object", "builtins.object"}, "java": {"Object", "java.lang.Object"}, "kotlin": {"Any", "kotlin.Any"},
    "scala": {"Any", "AnyRef", "Object", "java.lang.Object"}, "csharp": {"object", "Object", "System.Object"},
    "ruby": {"Object", "BasicObject", "::Object"}, **dict.fromkeys(WITH_OBJECTS, ("Object",)),
}  # fmt: skip
_LEADING_OUT: Final = (Status.EXTERNAL, Status.UNRESOLVED)
_LOOKED_BACK: Final = 2_000  # bytes before a definition in which its attributes are looked for


class Reason(msgspec.Struct, frozen=True):
    why: str  # started, special, object, decorated, replaces, inherits, test, public
    what: str  # what it is decorated with or inherits from, as written; else its name


def outside(atlas: Atlas, definition: Definition) -> tuple[Reason, ...]:
    """Why something that is not in the repository may call a definition; none where nothing can."""
    if definition.is_file or definition.node.kind in _NOT_CALLED:
        return ()
    return tuple(_reasons(atlas, definition))


def _reasons(atlas: Atlas, definition: Definition) -> Iterator[Reason]:
    node, language = definition.node, atlas.entry(definition.file).language
    if node.name in _STARTED.get(language, _MAIN) and node.kind not in CONTAINERS:
        yield Reason("started", node.name)
    by_language = node.parent > 0 and node.name in _SPECIAL.get(language, ())
    if by_language or (language in _WITH_DUNDERS and _DUNDER.match(node.name)):
        yield Reason("special", node.name)
    if language in WITH_OBJECTS and node.kind == "method" and owner_of(atlas, definition) is None:
        yield Reason("object", node.name)
    yield from (Reason("decorated", name) for name in dict.fromkeys(_decorators(atlas, definition, language)))
    columns = atlas.columns(definition.file)
    if _REPLACING.search(node.signature) and not columns.sites_of(definition.number, Role.OVERRIDE):
        yield Reason("replaces", node.name)
    if not _HIDDEN.search(node.signature) and not node.name.startswith("#"):
        yield from (Reason("inherits", name) for name in dict.fromkeys(_foreign_bases(atlas, definition, language)))
    if atlas.role(definition.path) == "test" and _TESTED.match(node.name):
        yield Reason("test", node.name)
    if node.public:
        yield Reason("public", node.name)


def owner_of(atlas: Atlas, definition: Definition) -> Definition | None:
    """The class itself, or that of a member."""
    parent = definition.node.parent
    around = atlas.definition(definition.file, parent) if parent > 0 else None
    found = definition if definition.node.kind in CONTAINERS else around
    return found if found is not None and found.node.kind in CONTAINERS else None


def _decorators(atlas: Atlas, definition: Definition, language: str) -> Iterator[str]:
    """Decorators, annotations and attributes that lead out of the repository, or nobody knows where."""
    columns, signature = atlas.columns(definition.file), definition.node.signature
    owner = owner_of(atlas, definition)
    for number in dict.fromkeys((definition.number, owner.number if owner is not None else definition.number)):
        for site in map(columns.site, columns.sites_of(number, Role.DECORATE)):
            if site.status in _LEADING_OUT:
                yield site.text
    if language == "rust":
        start = definition.node.start_byte
        before = atlas.view.source(definition.path)[max(0, start - _LOOKED_BACK) : start]
        found = _RUST_ATTRIBUTES.search(before)
        yield from (name.decode() for name in _RUST_ATTRIBUTE.findall(found[1] if found else b""))
    elif language in C_FAMILY:
        yield from _C_ATTRIBUTE.findall(signature)
    elif language not in ("python", "cython"):
        head = _TEXT.sub("", signature.partition("(")[0] if signature.startswith("func") else signature)
        # What JavaScript has in brackets is a name that is computed.
        bracketed = language not in WITH_OBJECTS
        yield from (first or second for first, second in _ANNOTATED.findall(head) if first or bracketed)


def _foreign_bases(atlas: Atlas, definition: Definition, language: str) -> Iterator[str]:
    """What the class of a method, or the class itself, inherits from outside of the repository, also further up."""
    owner = owner_of(atlas, definition)
    if language == "rust" and definition.node.kind == "method" and (owner is None or owner.node.kind != "trait"):
        yield from _trait(atlas, definition)
    if owner is None:
        return
    waiting, seen = [owner], {owner.target}
    while waiting:
        item = waiting.pop()
        columns = atlas.columns(item.file)
        for site in map(columns.site, columns.sites_of(item.number, Role.INHERIT)):
            if site.status in _LEADING_OUT and site.text not in _ROOTS.get(language, ()):
                yield site.text
            for above in map(atlas.at, site.targets):
                if above is not None and above.target not in seen:
                    seen.add(above.target)
                    waiting.append(above)


def _trait(atlas: Atlas, definition: Definition) -> Iterator[str]:
    """The foreign trait in whose `impl` block a method of Rust stands."""
    columns, source = atlas.columns(definition.file), atlas.view.source(definition.path)
    blocks = [match.start(1) for match in _RUST_BLOCK.finditer(source, 0, definition.node.start_byte)]
    first = source.count(b"\n", 0, blocks[-1]) + 1 if blocks else definition.node.start_line
    for number in range(columns.site_count):
        if columns.role(number) is Role.INHERIT and columns.status(number) in _LEADING_OUT:
            site = columns.site(number)
            if first <= site.line <= definition.node.start_line:
                yield site.text
