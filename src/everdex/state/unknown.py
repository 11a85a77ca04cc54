"""Which unresolved places may mean the definition that is to be renamed, and whether a bare name is bound to it.

A rename that skips such a place breaks the program silently, so each is listed as a doubt. Only what cannot mean the
definition is left out: a bare name never means a member, and a key never means something at the top of a file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from everdex.graph.answers.mentions import Mention, mentions
from everdex.graph.answers.queries import called_as
from everdex.graph.definitions.accessors import properties
from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.model import Role, Site, Target
from everdex.graph.names.rules import RULES
from everdex.graph.stored.packed import last_name
from everdex.graph.text.loose_text import CODE
from everdex.languages import JAVASCRIPT, naming_each_other

SCOPED: Final = JAVASCRIPT | {"python", "cython"}  # where it is told what each bare name is bound to
_MEMBERS: Final = frozenset(("method", "property", "field", "member", "constructor"))
_ALIASED: Final = re.compile(rb"\s+as\s")
_USES: Final = {Role.REFERENCE: ("member", "shorthand", "name"), Role.WRITE: ("key", "shorthand")}
_IN_CODE: Final = frozenset(("code",))
_WRITTEN: Final = frozenset(("text", "path", "template", "data")) | _IN_CODE
_GETTERS: Final = frozenset(("property", "cached_property"))  # decorators of Python
_FEW: Final = 20
REASONS: Final = {
    "member": "its owner is not known",
    "key": "a keyword or a key that may mean it",
    "shorthand": "a name and a property at once",
    "text": "a string that may mean it",
    "path": "a string that may mean it",
    "listed": "a string that may mean it",
    "name": "nothing is known of this name",
    "code": "code that nobody resolves may mean it",
    "template": "a template that may mean it",
    "data": "a setting that may mean it",
}


def is_member(atlas: Atlas, definition: Definition) -> bool:
    """Whether a definition is reached through its owner (`owner.name`)."""
    node = definition.node
    around = atlas.definition(definition.file, node.parent).node.kind if node.parent > 0 else ""
    return node.kind in _MEMBERS or around in CONTAINERS


def same_name(atlas: Atlas, definition: Definition) -> list[Definition]:
    """What the scope defines by the same name, in languages where that is one name: overloads, a property's setter."""
    parent, name = definition.node.parent, definition.node.name
    around = atlas.definition(definition.file, parent).node.kind
    if definition.node.kind in _MEMBERS and around not in CONTAINERS:
        return []  # of an object, and the next object is another one
    if atlas.entry(definition.file).language not in SCOPED:
        return []
    return [
        item for item in atlas.definitions(definition.file) if item.node.parent == parent and item.node.name == name
    ]


def unknown_places(atlas: Atlas, definition: Definition, holding: Collection[str]) -> Iterator[Mention]:
    """The places that may mean a definition; `holding` are the files that name it for sure."""
    reach = _Reach(atlas, definition, holding)
    return (found for found in mentions(atlas, definition.node.name, reach.kinds) if reach.may_mean(found))


class _Reach:
    """What may mean a definition, and where."""

    def __init__(self, atlas: Atlas, definition: Definition, holding: Collection[str]) -> None:
        self._atlas = atlas
        self._definition = definition
        self._holding = set(holding)
        self.language = language = atlas.entry(definition.file).language
        self.family = naming_each_other(language)
        self.member = is_member(atlas, definition)
        self._near = set(holding)
        if self.member and definition.node.parent > 0:
            owner = called_as(atlas, atlas.definition(definition.file, definition.node.parent))
            self._near |= {atlas.graph.paths[file] for file in atlas.referring(owner)}
        # Scopes tell what a bare name of Python or JavaScript means; of the other languages some are no sites.
        self.loose_names = language in RULES
        self.loose_type = self.loose_names and definition.node.kind in CONTAINERS | {"macro"}
        anywhere = {"path", *(("member",) if self.member else ("listed",)), *(("name",) if self.loose_type else ())}
        if self.member and language in JAVASCRIPT:
            anywhere |= {"key", "shorthand"}
        self._owners = _owners(atlas, definition) if self.loose_type else set[str]()
        anywhere |= {"member"} if self.loose_type else set()  # `import a.Thing.Part` is the site of `Part`
        nearby = {"text", "member", "shorthand", *(("key",) if self.member else ())}
        self._anywhere, self._nearby = frozenset(anywhere), frozenset(anywhere | nearby)
        self._held = self._nearby if self.member else self._nearby | {"name"}

    def kinds(self, path: str, language: str) -> frozenset[str]:
        """The kinds of places of a file that may mean it."""
        if self.language in CODE.get(language, ()):
            return _IN_CODE
        if language not in self.family:
            return frozenset()
        return self._held if path in self._holding else self._nearby if path in self._near else self._anywhere

    def may_mean(self, found: Mention) -> bool:
        if found.how == "listed":
            return found.path in self._near or _passes_all(self._atlas, found.path, self._near)
        if found.how == "member" and self.loose_type and not self.member and found.path not in self._near:
            return not found.owner or found.owner in self._owners
        return found.how != "name" or _in_reach(self._atlas, self._definition, found)


class Unseen(NamedTuple):
    """Places that are no sites and may use a definition."""

    unknown: int  # its owner is not known, or nothing is known of the name
    written: int  # in a string, a symbol, a template, a setting or code that nobody resolves
    places: tuple[Mention, ...] = ()  # all of them, where they are few


def unseen_uses(atlas: Atlas, definition: Definition, roles: Collection[Role] | None) -> Unseen:
    """The places that may use a definition in one of these roles (None: any) and are no sites."""
    runs = _runs_when_read(atlas, definition)
    is_variable = definition.node.kind in VARIABLES and not runs
    wanted = {how for role in (_USES if roles is None else roles) for how in _USES.get(role, ())}
    if not is_variable and (roles is None or Role.CALL in roles):
        wanted.update(_USES[Role.REFERENCE])
    if wanted and not is_variable:
        wanted = (wanted | _WRITTEN) - (set() if runs else {"key"})
    if not wanted or definition.is_file:
        return Unseen(0, 0)
    holding = {definition.path, *(atlas.graph.paths[file] for file in atlas.referring([definition.target]))}
    reach = _Reach(atlas, definition, holding)
    owners = _owners(atlas, definition)

    def kinds(path: str, language: str) -> frozenset[str]:
        found = reach.kinds(path, language) - {"text", "path", "listed"}
        if language in reach.family:
            found |= {"member"}
        written = _IN_CODE & found if language in CODE else _WRITTEN
        return ((found if reach.loose_names else found - {"name"}) | written) & wanted

    def may_mean(found: Mention) -> bool:
        if found.how == "member" and (reach.member or found.path in holding):
            return True  # whoever is asked for it may have it
        if found.how == "name" and reach.loose_type:
            return True
        return reach.may_mean(found) and (not found.owner or found.owner in owners)

    places = tuple(filter(may_mean, mentions(atlas, definition.node.name, kinds)))
    for name in properties(atlas, definition) if roles is None or Role.CALL in roles else ():
        places += tuple(mentions(atlas, name, _members_in_kotlin))
    written = sum(found.how in _WRITTEN for found in places)
    return Unseen(len(places) - written, written, places if len(places) <= _FEW else ())


def _members_in_kotlin(_path: str, language: str) -> frozenset[str]:
    return frozenset(("member",)) if language == "kotlin" else frozenset()


def _owners(atlas: Atlas, definition: Definition) -> set[str]:
    """The names that may stand before a definition's in a path: its owners', its file's, its directory's."""
    parts = definition.path.split("/")
    around = atlas.definition(definition.file, definition.node.parent).node if definition.node.parent > 0 else None
    owners = [*definition.node.qualified_name.split(".")[:-1], *([around.name] if around is not None else [])]
    return {parts[-1].partition(".")[0], *parts[-2:-1], *owners}


def _runs_when_read(atlas: Atlas, definition: Definition) -> bool:
    """Whether a definition is a getter, so that reading it calls it."""
    if atlas.entry(definition.file).language in JAVASCRIPT:
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
    if around.node.kind == "namespace":
        return True
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
        if "." in site.text or self._atlas.entry(file).language not in SCOPED:
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
