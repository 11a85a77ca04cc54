"""Which of the places that nobody understood may mean what is renamed, and whether a bare name is bound to it.

A rename that leaves such a place out breaks the program in silence, so each is a doubt. The rules only leave out what
cannot mean it: a member is not meant by a bare name, nor what stands at the top of a file by a key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from everdex.graph.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.mentions import Mention, mentions
from everdex.graph.model import Role, Site, Target
from everdex.graph.packed import last_name
from everdex.graph.queries import called_as

WITH_OBJECTS: Final = frozenset(("javascript", "typescript", "tsx", "vue", "svelte", "html"))
_TOGETHER: Final = (WITH_OBJECTS, frozenset(("c", "cpp", "cuda")), frozenset(("java", "kotlin", "scala")))
_MEMBERS: Final = frozenset(("method", "property", "field", "member", "constructor"))
_ALIASED: Final = re.compile(rb"\s+as\s")
_USES: Final = {Role.REFERENCE: ("member", "shorthand", "name"), Role.WRITE: ("key", "shorthand")}
_GETTERS: Final = frozenset(("property", "cached_property"))  # decorators of Python
REASONS: Final = {
    "member": "its owner is not known",
    "key": "a keyword or a key that may mean it",
    "shorthand": "a name and a property at once",
    "text": "a string that may mean it",
    "path": "a string that may mean it",
    "listed": "a string that may mean it",
    "name": "nothing is known of this name",
}


def is_member(atlas: Atlas, definition: Definition) -> bool:
    """Whether it is asked for by its owner."""
    node = definition.node
    around = atlas.definition(definition.file, node.parent).node.kind if node.parent > 0 else ""
    return node.kind in _MEMBERS or around in CONTAINERS


def same_name(atlas: Atlas, definition: Definition) -> list[Definition]:
    """What the scope defines by the same name, in languages where that is one name: overloads, a property's setter."""
    parent, name = definition.node.parent, definition.node.name
    around = atlas.definition(definition.file, parent).node.kind
    if definition.node.kind in _MEMBERS and around not in CONTAINERS:
        return []  # of an object, and the next object is another one
    if atlas.entry(definition.file).language not in {*WITH_OBJECTS, "python", "cython"}:
        return []
    return [
        item for item in atlas.definitions(definition.file) if item.node.parent == parent and item.node.name == name
    ]


def unknown_places(atlas: Atlas, definition: Definition, holding: Collection[str]) -> Iterator[Mention]:
    """The places that may mean a definition; `holding` are the files that name it for sure."""
    language = atlas.entry(definition.file).language
    family = next((each for each in _TOGETHER if language in each), frozenset((language,)))
    member, near = is_member(atlas, definition), set(holding)
    if member and definition.node.parent > 0:
        owner = called_as(atlas, atlas.definition(definition.file, definition.node.parent))
        near |= {atlas.graph.paths[file] for file in atlas.referring(owner)}
    for found in mentions(atlas, definition.node.name, family):
        if found.how == "path":
            possible = True
        elif found.how == "listed":
            possible = not member and (found.path in near or _passes_all(atlas, found.path, near))
        elif found.how in ("member", "key", "shorthand"):
            anywhere = member and (found.how == "member" or language in WITH_OBJECTS)
            possible = anywhere or (found.path in near and (member or found.how != "key"))
        elif found.how == "name":
            possible = not member and found.path in holding and _in_reach(atlas, definition, found)
        else:
            possible = found.path in near
        if possible:
            yield found


def unknown_uses(atlas: Atlas, definition: Definition, roles: Collection[Role] | None) -> int:
    """How many places may use a variable, field or property in one of these roles (None: any) and are no sites; names
    in strings are none of them."""
    computed = _runs_when_read(atlas, definition)
    if definition.node.kind not in VARIABLES and not computed:
        return 0
    wanted = {how for role in (_USES if roles is None else roles) for how in _USES.get(role, ())}
    if computed and (roles is None or Role.CALL in roles):
        wanted.update(_USES[Role.REFERENCE])
    if not wanted:
        return 0
    holding = {definition.path, *(atlas.graph.paths[file] for file in atlas.referring([definition.target]))}
    return sum(found.how in wanted for found in unknown_places(atlas, definition, holding))


def _runs_when_read(atlas: Atlas, definition: Definition) -> bool:
    """Whether it is a getter: to read it is to call it."""
    if atlas.entry(definition.file).language in WITH_OBJECTS:
        return definition.node.signature.startswith("get ")
    columns = atlas.columns(definition.file)
    decorators = map(columns.site, columns.sites_of(definition.number, Role.DECORATE))
    return any(last_name(site.text) in _GETTERS for site in decorators)


def _passes_all(atlas: Atlas, path: str, sources: Collection[str]) -> bool:
    """Whether a file takes everything from one of these, or from one that does."""
    seen, waiting = {path}, [path]
    while waiting:
        file = atlas.graph.number(waiting.pop())
        if file is None:
            continue
        columns = atlas.columns(file)
        starred = (columns.site(number) for number in range(columns.site_count) if columns.role(number) is Role.IMPORT)
        taken = {target.path for site in starred if site.text.endswith("*") for target in site.targets}
        if not taken.isdisjoint(sources):
            return True
        waiting += taken - seen
        seen |= taken
    return False


def _in_reach(atlas: Atlas, definition: Definition, found: Mention) -> bool:
    """Whether a bare name stands where the definition can be named."""
    if definition.node.parent <= 0:
        return True
    around = atlas.definition(definition.file, definition.node.parent)
    return found.path == definition.path and around.node.start_line <= found.line <= around.node.end_line


class Bound:
    """What the bare names of Python, JavaScript and TypeScript files are bound to."""

    def __init__(self, atlas: Atlas, family: Collection[Definition], targets: Collection[Target]) -> None:
        self._atlas = atlas
        self._targets = frozenset(targets)
        self._scopes = [(item.path, atlas.definition(item.file, max(item.node.parent, 0)).node) for item in family]
        self._importing: dict[str, bool] = {}

    def __call__(self, path: str, site: Site) -> bool:
        """Whether a bare name can be the definition's own: in its scope, or imported; not a local that holds it."""
        file = self._atlas.graph.number(path)
        assert file is not None
        if "." in site.text or self._atlas.entry(file).language not in {*WITH_OBJECTS, "python", "cython"}:
            return True
        if site.role is Role.IMPORT or any(
            home == path and node.start_line <= site.line <= node.end_line for home, node in self._scopes
        ):
            return True
        if path not in self._importing:
            self._importing[path] = self._imports(path, file)
        return self._importing[path]

    def _imports(self, path: str, file: int) -> bool:
        columns, source = self._atlas.columns(file), self._atlas.view.source(path)
        for number in range(columns.site_count):
            if columns.role(number) is Role.IMPORT:
                site = columns.site(number)
                end = self._atlas.byte(path, site.end_line, site.end_column)
                if site.text.endswith("*") or (
                    not self._targets.isdisjoint(site.targets) and not _ALIASED.match(source, end)
                ):
                    return True
        return False
