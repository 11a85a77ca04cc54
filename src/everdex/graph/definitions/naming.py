"""Which definitions a person means by a name, `Class.name`, `path:line`, `path::Class.name`, a path or an id.

Returns everything that fits, by place, and leaves the choice to whoever asked. A bare name means definitions; a module
is meant by its path, or by its name when nothing else has that name. `Class.member` finds an inherited member, too.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas, Definition, is_wrapped
from everdex.graph.definitions.spelling import ID, KEY, PLACE, dotted, is_id, last_of
from everdex.graph.model import Role
from everdex.graph.stored.postings import key32
from everdex.identity.symbols import SEMANTIC_PREFIXES, plain_name
from everdex.languages import C_FAMILY

_FUNCTIONS: Final = frozenset(("function", "method", "constructor"))


def find(atlas: Atlas, asked: str) -> list[Definition]:
    """Every definition that fits."""
    by_id = ID.fullmatch(asked)
    if by_id:
        return [item for item in _holding(atlas, "ids", by_id[1]) if atlas.names(item).scoped_id == by_id[1]]
    if asked.startswith(SEMANTIC_PREFIXES):
        return [item for item in _holding(atlas, "ids", asked) if atlas.names(item).symbol_id == asked]
    if KEY.fullmatch(asked):
        every = (item for file in range(len(atlas.graph.paths)) for item in atlas.definitions(file))
        return [item for item in every if atlas.names(item).symbol_key == asked]
    path, separator, name = asked.partition("::")
    if separator and (file := atlas.graph.number(path)) is not None:
        return _within(atlas, file, dotted(name)) or _inherited(atlas, dotted(name), file)
    place = PLACE.fullmatch(asked)
    if place and (file := atlas.graph.number(place[1])) is not None:
        return _around(atlas, file, int(place[2]))
    if (file := atlas.graph.number(asked)) is not None:
        return [atlas.definition(file, 0)]
    return _called(atlas, dotted(asked))


def _within(atlas: Atlas, file: int, name: str) -> list[Definition]:
    """What a file defines by this name: in full when there is one, else at the end of a longer name; not the file."""
    inside = [item for item in atlas.definitions(file) if not item.is_file and fits(item, name)]
    return _outer(atlas, [item for item in inside if plain_name(item.node.key) == name] or inside)


def _called(atlas: Atlas, name: str) -> list[Definition]:
    last = last_of(name)
    found = [
        item for item in _holding(atlas, "names", last)
        if (last in item.node.key or last in item.node.qualified_name) and fits(item, name)  # most are other names
    ]  # fmt: skip
    return _outer(atlas, [item for item in found if not item.is_file]) or found or _inherited(atlas, name)


def _outer(atlas: Atlas, found: list[Definition]) -> list[Definition]:
    """Without what stands in something of its name which fits as well, as whoever asks means that: a function in a
    variable, a constructor in its class, which has its callers."""
    fitting = {(item.file, item.number) for item in found}
    classes = {plain_name(item.node.key) for item in found if item.node.kind in CONTAINERS}
    return [
        item for item in found
        if not _is_constructor_of(atlas, item, fitting, classes)
        and (
            (item.file, item.node.parent) not in fitting
            or not is_wrapped(item.node, atlas.definition(item.file, item.node.parent).node)
        )
    ]  # fmt: skip


def _is_constructor_of(
    atlas: Atlas, item: Definition, fitting: Container[tuple[int, int]], classes: Container[str]
) -> bool:
    """Whether it is called like its class, which fits, too; C++ may write it out anywhere."""
    owner, _, name = plain_name(item.node.key).rpartition(".")
    if not owner or owner.rpartition(".")[2] != name:
        return False
    if atlas.entry(item.file).language in C_FAMILY:
        return owner in classes and item.node.kind not in CONTAINERS
    return item.node.kind == "constructor" and (item.file, item.node.parent) in fitting


def heir_of(atlas: Atlas, item: Definition, asked: str) -> str:
    """`Class.name`, where what was found is called otherwise: the class has it from another; '' where it is its own."""
    if is_id(asked) or PLACE.fullmatch(asked) or atlas.graph.number(asked) is not None:
        return ""
    path, _, name = asked.partition("::")
    name = dotted(asked if atlas.graph.number(path) is None else name)
    return "" if fits(item, name) else name


def _inherited(atlas: Atlas, name: str, home: int | None = None) -> list[Definition]:
    """What `Class.name` means where a class (of a file) has it from others: the nearest; all that are equally near."""
    owner, _, member = name.rpartition(".")
    every = list(_holding(atlas, "names", owner.rpartition(".")[2])) if owner else []
    near = [
        item for item in every
        if item.node.kind in CONTAINERS and fits(item, owner) and home in (None, item.file)
    ]  # fmt: skip
    outside = [item for item in _holding(atlas, "names", member) if item.node.name == member] if near else []
    seen = {item.target for item in near}
    while near:
        near = [base for item in near for base in _bases(atlas, item) if base.target not in seen]
        seen |= {base.target for base in near}
        # A method may stand outside of its type, also in another file (Go, Rust, C++).
        names = {f"{base.node.qualified_name}.{member}" for base in near}
        inside = {(base.file, base.number) for base in near}
        found = {
            item.target: item
            for item in outside
            if (item.file, item.node.parent) in inside or item.node.qualified_name in names
        }
        if found:
            return sorted(found.values(), key=lambda item: item.order)
    return []


def _bases(atlas: Atlas, item: Definition) -> list[Definition]:
    targets = atlas.columns(item.file).above(item.number, Role.INHERIT)
    return [base for target in targets if (base := atlas.at(target)) is not None]


def _holding(atlas: Atlas, table: str, text: str) -> Iterator[Definition]:
    """Definitions of the files that may hold this, by path and place."""
    for file in atlas.graph.tables[table].holders(key32(text)):
        if table != "names" or text in atlas.columns(file).node_names:
            yield from atlas.definitions(file)


def fits(item: Definition, name: str) -> bool:
    """Whether a dotted name is the definition's own, or the end of its full one; `name~2` is the second of a name."""
    if not name:
        return False
    ending = f".{name}"
    own, full = f".{item.node.key if '~' in name else plain_name(item.node.key)}", f".{item.node.qualified_name}"
    return own.replace(".#", ".").endswith(ending) or full.replace(".#", ".").endswith(ending)


def _around(atlas: Atlas, file: int, line: int) -> list[Definition]:
    """What is named on a line, else the innermost definition around it, else the file; nothing past its end.

    A line in a function's body means the function, also where it stores an attribute for the first time.
    """
    every = list(atlas.definitions(file))
    running = [item for item in every if item.node.kind in _FUNCTIONS and item.node.name_line < line]
    if any(item.node.start_line <= line <= item.node.end_line for item in running):
        every = [item for item in every if item.node.kind not in VARIABLES]
    named = [item for item in every[1:] if item.node.name_line == line]
    if named:
        # A lambda on the line of a definition is not what its line number is used for.
        return _outer(atlas, [item for item in named if item.node.kind != "lambda"] or named)
    holding = [item for item in every if item.node.start_line <= line <= item.node.end_line]
    if not holding:
        return []
    return [min(reversed(holding), key=lambda item: item.node.end_line - item.node.start_line)]
