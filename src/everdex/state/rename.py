"""A plan to rename a definition: every place with its exact bytes, and apart from them every place that is in doubt.

Reads one snapshot's graph and changes nothing. A place is an edit only when resolution is sure of it and the bytes at
that place are the old name; whatever may mean the definition and is not sure is listed by itself, and becomes an edit
only when somebody takes it by its place (`taking.py`). A method is renamed with those it overrides and those that
override it: they are one name to their callers.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from typing import Final

import msgspec

from everdex.errors import QueryError
from everdex.graph.atlas import Atlas, Definition
from everdex.graph.declarations import declarations, written_out
from everdex.graph.mentions import Mention
from everdex.graph.model import OVERLOADS, Role, Site, Status, Target
from everdex.graph.packed import last_name
from everdex.graph.postings import key32
from everdex.graph.queries import called_as, overriders, uses
from everdex.graph.syntax import Syntax
from everdex.languages import JAVASCRIPT
from everdex.state.reserved import is_reserved
from everdex.state.taking import taken
from everdex.state.unknown import REASONS, SCOPED, Bound, is_member, same_name, unknown_places

_NAME: Final = re.compile(r"[^\W\d][\w$]*[?!]?")
_MAX_NAME: Final = 200
_PLAIN: Final = frozenset(("member", "key", "name"))  # as `Syntax` tells them
_WORD: Final = rb"(?<![\w$])%s(?![\w$])"


class RenameEdit(msgspec.Struct, frozen=True):
    """Bytes to replace, half-open, in the file with this content; `before` and `after` stand around them."""

    path: str
    content_hash: str
    byte_start: int
    byte_end: int
    line: int
    column: int
    role: str  # definition, or what the site does
    text: str  # the whole line
    before: str
    after: str
    doubt: str = ""  # of one that was taken: why it was in doubt


class RenameDoubt(msgspec.Struct, frozen=True):
    """A place that may mean the definition: to be looked at by somebody."""

    path: str
    line: int
    column: int
    role: str
    text: str
    certainty: str
    reason: str
    takeable: bool  # the old name is written there, in code: it can be made an edit
    elsewhere: bool  # as far as it is known it leads to something else: nobody takes it but by its line


class RenameClash(msgspec.Struct, frozen=True):
    """Something that has the new name already where it would be taken for the renamed one."""

    path: str
    line: int
    qualified_name: str


class RenamePlan(msgspec.Struct, frozen=True):
    plan_id: str  # of everything in it: what was decided about one plan holds for no other
    old: str
    new: str
    definitions: tuple[Definition, ...]  # what is renamed: the one that was asked for first
    edits: tuple[RenameEdit, ...]  # by path and place
    doubts: tuple[RenameDoubt, ...]
    clashes: tuple[RenameClash, ...]


def _as_known(name: str) -> str:
    """A name in the spelling in which Python knows it: what is written otherwise is in doubt, not left out."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def check_name(new: str) -> None:
    """Refuse what no language would take as a name."""
    if not _NAME.fullmatch(new) or len(new) > _MAX_NAME:
        raise QueryError(f"{new[:80]!r} is not a name", hint="letters, digits and underscores, no dots")


def _check_words(atlas: Atlas, family: Iterable[Definition], new: str) -> None:
    """Refuse a word that a language of the definitions keeps for itself."""
    for item in family:
        language = atlas.entry(item.file).language
        if is_reserved(new, language, of_member=is_member(atlas, item)):
            raise QueryError(f"{new!r} is a word of {language} itself, no name", hint="choose another name")


def plan(atlas: Atlas, definition: Definition, new: str, take: Collection[str]) -> RenamePlan:
    """Everything that renaming a definition takes; `QueryError` for a name that it has or that its language keeps.

    `take` names places in doubt that are to be edits: a plan with them is another plan than the one without.
    """
    old = definition.node.name
    if new == old:
        raise QueryError(f"it is called {old} already", hint="choose another name")
    if definition.is_file:
        raise QueryError("a file is renamed by moving it", hint="name a function, class or method in it")
    family = _family(atlas, definition)
    _check_words(atlas, family, new)
    targets = {target for item in family for target in called_as(atlas, item)}
    contents = {line.path_key: line.content_hash for line in atlas.view.file_lines()}
    written, bound = _Written(atlas), Bound(atlas, family, targets)
    edits: dict[tuple[str, int], RenameEdit] = {}
    doubts = _Doubts(atlas, written)
    for item in family:
        edit = _at_definition(atlas, item, old, contents)
        if edit is None or written.is_shorthand(edit):
            why = "its name is not written there" if edit is None else REASONS["shorthand"]
            doubts.add_definition(item, why)
        else:
            edits[edit.path, edit.byte_start] = edit
    for use in uses(atlas, targets):
        if use.site.role is Role.OVERRIDE or _as_known(last_name(use.site.text)) not in ("", old):
            continue  # a definition of the family, or a place that says it by another name
        one_name = use.site.reason == OVERLOADS and targets.issuperset(use.site.targets)
        sure = use.site.status is Status.RESOLVED or one_name
        edit = _at_site(atlas, use.path, use.site, old, contents)
        if written.names_another(use.path, use.site, old, targets):
            if sure and edit is not None and written.is_shorthand(edit, of_module=True):
                doubts.add(use.path, use.site, REASONS["shorthand"], edit)
            continue  # what runs is renamed, and what holds it keeps its name
        # One of several targets: renaming it would be wrong for the others.
        elsewhere = [target for target in use.site.targets if target not in targets]
        if edit is None or not sure:
            why = "it may mean something else too" if elsewhere else use.site.reason or "its name is not written there"
            doubts.add(use.path, use.site, why, edit)
        elif not elsewhere and written.asks_an_object(use.path, use.site, definition):
            doubts.add(use.path, use.site, "an object is asked for it, which may have it by another name", edit)
        elif written.is_shorthand(edit):
            doubts.add(use.path, use.site, REASONS["shorthand"], edit)
        elif not (bound(use.path, use.site) or written.is_key(edit)):
            # The variable has a name of its own, which is not renamed: no use of it can be.
            doubts.add(use.path, use.site, "a name that may only hold it", None)
        elif elsewhere:
            leads = any(target.path for target in elsewhere)  # to what nobody renames
            doubts.add(use.path, use.site, "it may mean something else too", edit, elsewhere=leads)
        else:
            edits[edit.path, edit.byte_start] = edit
    is_inside = is_member(atlas, definition) and atlas.entry(definition.file).language == "python"
    for path, site in _loose(atlas, old, targets):
        if is_inside and site.role is Role.IMPORT:
            continue  # Python imports modules and what stands at their top, no members
        if not written.names_another(path, site, old, targets):
            why = site.reason or "taken for something outside the repository"
            edit = _at_site(atlas, path, site, old, contents)
            doubts.add(path, site, why, edit, elsewhere=bool(site.targets) or site.status is Status.EXTERNAL)
    for found in unknown_places(atlas, definition, {edit.path for edit in edits.values()}):
        edit = _edit(atlas, found.path, atlas.byte(found.path, found.line, found.column), found.how, old, contents)
        if edit is not None and found.how == "listed" and not is_member(atlas, definition):
            edits[edit.path, edit.byte_start] = edit
        else:
            doubts.add_mention(found, edit)
    open_ones, chosen = doubts.settled(edits, take)
    ordered = tuple(chosen[key] for key in sorted(chosen))
    clashes = tuple(_clashes(atlas, family, new, ordered))
    digest = hashlib.sha256(msgspec.msgpack.encode((new, ordered, open_ones, clashes))).hexdigest()[:32]
    return RenamePlan(digest, old, new, family, ordered, open_ones, clashes)


def _family(atlas: Atlas, definition: Definition) -> tuple[Definition, ...]:
    """The definition, what is one name with it, and for a method all that overrides it or that it overrides."""
    found = {item.target: item for item in _one_name(atlas, definition)}
    waiting = set(found)
    while waiting:
        nearby = set(overriders(atlas, waiting))
        for target in waiting:
            nearby |= set(_overridden(atlas, target))
        waiting = {target for target in nearby if target not in found}
        for target in sorted(waiting, key=lambda item: (item.path, item.key)):
            item = atlas.at(target)
            if item is not None:
                found |= {each.target: each for each in _one_name(atlas, item)}
    return tuple(found.values())


def _one_name(atlas: Atlas, definition: Definition) -> list[Definition]:
    """A definition, the others that its scope has by this name, where it is declared and what else that declares."""
    declared = declarations(atlas, definition)
    return [definition, *same_name(atlas, definition), *declared, *written_out(atlas, declared)]


def _overridden(atlas: Atlas, target: Target) -> Iterator[Target]:
    item = atlas.at(target)
    if item is not None:
        yield from (found for found in atlas.columns(item.file).above(item.number, Role.OVERRIDE) if found.path)


def _at_definition(atlas: Atlas, item: Definition, old: str, contents: dict[str, str]) -> RenameEdit | None:
    start = atlas.byte(item.path, item.node.name_line, item.node.name_column)
    return _edit(atlas, item.path, start, "definition", old, contents)


def _at_site(atlas: Atlas, path: str, site: Site, old: str, contents: dict[str, str]) -> RenameEdit | None:
    """Where a site writes the old name: at its end, else the one place in it that is the name."""
    end = atlas.byte(path, site.end_line, site.end_column)
    start = end - len(old.encode())
    edit = _edit(atlas, path, start, str(site.role), old, contents)
    if edit is not None:
        return edit
    begin = atlas.byte(path, site.line, site.column)
    inside = atlas.view.source(path)[begin:end]
    places = [match.start() for match in re.finditer(_WORD % re.escape(old.encode()), inside)]
    return _edit(atlas, path, begin + places[0], str(site.role), old, contents) if len(places) == 1 else None


def _edit(atlas: Atlas, path: str, start: int, role: str, old: str, contents: dict[str, str]) -> RenameEdit | None:
    source = atlas.view.source(path)
    end = start + len(old.encode())
    if source[start:end] != old.encode():
        return None
    line = source.count(b"\n", 0, start) + 1
    column = start - (source.rfind(b"\n", 0, start) + 1)
    around = atlas.text(path).around(start, end)
    return RenameEdit(path, contents[path], start, end, line, column, role, atlas.line(path, line), *around)


class _Written:
    """Whose name is written at a place: not always that of what runs there."""

    def __init__(self, atlas: Atlas) -> None:
        self._atlas = atlas
        self._syntax: dict[str, Syntax] = {}
        self._ends: dict[str, dict[tuple[int, int], list[int]]] = {}  # path -> where sites end -> those

    def names_another(self, path: str, site: Site, old: str, targets: set[Target]) -> bool:
        """Whether a variable or attribute is named that holds the definition, and has the same name as it."""
        end = site.end_line, site.end_column
        return any(
            target.path and target not in targets and last_name(target.key) == old and target not in site.targets
            for other in self._ending(path, end)
            if other.status is Status.RESOLVED and (other.line, other.column) == (site.line, site.column)
            for target in other.targets
        )

    def is_shorthand(self, edit: RenameEdit, *, of_module: bool = False) -> bool:
        """Whether the name stands for a property of the same name as well, which would be renamed with it."""
        return self._syntax_of(edit.path).is_shorthand(edit.byte_start, edit.byte_end, of_module=of_module)

    def is_key(self, edit: RenameEdit) -> bool:
        """Whether the name is that of a property where an object is written or taken apart."""
        return self._syntax_of(edit.path).how(edit.byte_start, edit.byte_end) == "key"

    def is_plain(self, edit: RenameEdit) -> bool:
        """Whether the name stands in code that is resolved, and for nothing beside itself."""
        if self._atlas.graph.number(edit.path) is None:
            return False
        return self._syntax_of(edit.path).how(edit.byte_start, edit.byte_end) in _PLAIN

    def has_scopes(self, path: str) -> bool:
        """Whether it is known of every bare name of a file what it is bound to."""
        file = self._atlas.graph.number(path)
        return file is not None and self._atlas.entry(file).language in SCOPED

    def _syntax_of(self, path: str) -> Syntax:
        if path not in self._syntax:
            file = self._atlas.graph.number(path)
            assert file is not None
            self._syntax[path] = Syntax(self._atlas.entry(file).language, self._atlas.view.source(path))
        return self._syntax[path]

    def asks_an_object(self, path: str, site: Site, definition: Definition) -> bool:
        """Whether a place of JavaScript or TypeScript asks an object for what is no member.

        A property has its name from where the object was made. Only a module is known to pass names on as they are.
        """
        file = self._atlas.graph.number(path)
        assert file is not None
        has_objects = self._atlas.entry(file).language in JAVASCRIPT
        if "." not in site.text or not has_objects or is_member(self._atlas, definition):
            return False
        receiver = self._ending(path, (site.line, site.column - 1))
        return not any(target.path and not target.key for other in receiver for target in other.targets)

    def _ending(self, path: str, place: tuple[int, int]) -> Iterator[Site]:
        """The sites that end at a place."""
        file = self._atlas.graph.number(path)
        assert file is not None
        columns = self._atlas.columns(file)
        if path not in self._ends:
            ends = self._ends[path] = {}
            for number in range(len(columns.sources)):
                ends.setdefault(columns.span(number)[2:], []).append(number)
        return (columns.site(number) for number in self._ends[path].get(place, ()))


class _Doubts:
    """The places in doubt, each with the edit that it would be."""

    def __init__(self, atlas: Atlas, written: _Written) -> None:
        self._atlas = atlas
        self._written = written
        self._found: dict[tuple[str, int, int, str], tuple[RenameDoubt, RenameEdit | None]] = {}

    def add_definition(self, item: Definition, reason: str) -> None:
        node = item.node
        self._add(item.path, node.name_line, node.name_column, "definition", "unresolved", reason, None)

    def add(self, path: str, site: Site, reason: str, edit: RenameEdit | None, *, elsewhere: bool = False) -> None:
        self._add(path, site.line, site.column, str(site.role), str(site.status), reason, edit, elsewhere)

    def add_mention(self, found: Mention, edit: RenameEdit | None) -> None:
        if found.how == "name" and edit is not None and self._written.has_scopes(found.path):
            edit = None  # of a bare name that scopes leave open a parameter or a local is most likely the owner
        self._add(found.path, found.line, found.column, found.how, "unresolved", REASONS[found.how], edit)

    def _add(
        self, path: str, line: int, column: int, role: str, certainty: str, reason: str, edit: RenameEdit | None,
        elsewhere: bool = False,
    ) -> None:  # fmt: skip
        takeable = edit is not None and self._written.is_plain(edit)
        text = self._atlas.line(path, line)
        doubt = RenameDoubt(path, line, column, role, text, certainty, reason, takeable, elsewhere)
        self._found[path, line, column, role] = doubt, edit

    def settled(
        self, edits: dict[tuple[str, int], RenameEdit], take: Collection[str]
    ) -> tuple[tuple[RenameDoubt, ...], dict[tuple[str, int], RenameEdit]]:
        """Those that are still in doubt, and the edits with those that are taken."""
        sure = {(edit.path, edit.line, edit.column) for edit in edits.values()}
        entries = [self._found[key] for key in sorted(self._found) if key[:3] not in sure]
        chosen: dict[tuple[str, int], RenameEdit] = {}
        for number in sorted(taken([doubt for doubt, _ in entries], take)):
            doubt, edit = entries[number]
            assert edit is not None
            chosen.setdefault((edit.path, edit.byte_start), msgspec.structs.replace(edit, doubt=doubt.reason))
        # Several sites may write their name at one place: it is taken for all of them.
        open_ones = (doubt for doubt, edit in entries if edit is None or (edit.path, edit.byte_start) not in chosen)
        return tuple(open_ones), chosen | edits


def _loose(atlas: Atlas, name: str, targets: set[Target]) -> Iterator[tuple[str, Site]]:
    """Sites that ask for the name and were not resolved."""
    for file in atlas.asking(name):
        columns = atlas.columns(file)
        for number in columns.loose_sites({name}):
            if targets.isdisjoint((site := columns.site(number)).targets):
                yield atlas.graph.paths[file], site


def _clashes(
    atlas: Atlas, family: Iterable[Definition], new: str, edits: Iterable[RenameEdit]
) -> Iterator[RenameClash]:
    """Definitions with the new name beside a renamed one, or at the top of a file that will name it."""
    beside = {(item.file, item.node.parent) for item in family}
    tops = {(file, 0) for edit in edits if (file := atlas.graph.number(edit.path)) is not None}
    for file in atlas.graph.tables["names"].holders(key32(new)):
        for item in atlas.definitions(file):
            if item.node.name == new and (file, item.node.parent) in beside | tops:
                yield RenameClash(item.path, item.node.name_line, item.node.qualified_name)
