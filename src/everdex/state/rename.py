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
from everdex.graph.answers.mentions import Mention
from everdex.graph.answers.queries import called_as, overriders, uses
from everdex.graph.definitions.atlas import CONTAINERS, Atlas, Definition
from everdex.graph.definitions.declarations import declarations, written_out
from everdex.graph.model import OVERLOADS, Role, Site, Status, Target
from everdex.graph.stored.packed import last_name
from everdex.graph.stored.postings import key32
from everdex.languages import C_FAMILY
from everdex.state.rename_model import RenameClash, RenameDoubt, RenameEdit, RenamePlan
from everdex.state.reserved import is_reserved
from everdex.state.taking import taken
from everdex.state.unknown import REASONS, Bound, is_member, same_name, unknown_places
from everdex.state.whose_name import Written

_NAME: Final = re.compile(r"[^\W\d][\w$]*[?!]?")
_MAX_NAME: Final = 200
_NAMED_CONSTRUCTORS: Final = C_FAMILY | {"java", "csharp"}  # where they are called like their class
_WORD: Final = rb"(?<![\w$])%s(?![\w$])"
_MAX_BEFORE: Final = 200  # bytes that are looked at for an owner before a name
_OWNED: Final = re.compile(rb"(?:\.|->|::)\s*\Z")


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


def _check_calls(atlas: Atlas, edits: Iterable[RenameEdit], new: str) -> None:
    """Refuse a word that a language takes as the name of a member, where it would be called without an owner."""
    for edit in edits:
        file = atlas.graph.number(edit.path)
        if edit.role != Role.CALL or file is None:
            continue
        language = atlas.graph.files[file].language
        before = atlas.view.source(edit.path)[max(0, edit.byte_start - _MAX_BEFORE) : edit.byte_start]
        if is_reserved(new, language, of_member=False) and not _OWNED.search(before):
            why = f"{new!r} is a word of {language} itself, and it is called bare at {edit.path}:{edit.line}"
            raise QueryError(why, hint="choose another name")


def plan(atlas: Atlas, definition: Definition, new: str, take: Collection[str]) -> RenamePlan:
    """Everything that renaming a definition takes; `QueryError` for a name that it has or that its language keeps.

    `take` names places in doubt that are to be edits: a plan with them is another plan than the one without.
    """
    old = definition.node.name
    if new == old:
        raise QueryError(f"it is called {old} already", hint="choose another name")
    if definition.is_file:
        raise QueryError("a file is renamed by moving it", hint="name a function, class or method in it")
    if old.startswith("~"):
        raise QueryError("a destructor is renamed with its class", hint=f"rename {old[1:]}")
    family = _family(atlas, definition)
    _check_words(atlas, family, new)
    planning = _Planning(atlas, definition, family)
    planning.definitions()
    planning.uses()
    planning.unresolved()
    planning.mentions()
    open_ones, chosen = planning.doubts.settled(planning.edits, take)
    ordered = tuple(chosen[key] for key in sorted(chosen))
    _check_calls(atlas, ordered, new)
    clashes = tuple(_clashes(atlas, family, new, ordered))
    digest = hashlib.sha256(msgspec.msgpack.encode((new, ordered, open_ones, clashes))).hexdigest()[:32]
    return RenamePlan(digest, old, new, family, ordered, open_ones, clashes)


def _family(atlas: Atlas, definition: Definition) -> tuple[Definition, ...]:
    """The definition, what is one name with it, for a method all that overrides it or that it overrides, for a class
    what constructs it by its name."""
    found = {item.target: item for item in _one_name(atlas, definition)}
    waiting = set(found)
    while waiting:
        nearby = set(overriders(atlas, waiting))
        for target in waiting:
            nearby |= set(_overridden(atlas, target))
            nearby |= {item.target for item in _of_its_class(atlas, target)}
        waiting = {target for target in nearby if target not in found}
        for target in sorted(waiting, key=lambda item: (item.path, item.key)):
            item = atlas.at(target)
            if item is not None:
                found |= {each.target: each for each in _one_name(atlas, item)}
    return tuple(found.values())


def _one_name(atlas: Atlas, definition: Definition) -> list[Definition]:
    """All definitions that are renamed with one: overloads in its scope, its declarations, and what those declare."""
    declared = declarations(atlas, definition)
    return [definition, *same_name(atlas, definition), *declared, *written_out(atlas, declared)]


def _of_its_class(atlas: Atlas, target: Target) -> Iterator[Definition]:
    """What is written with the name of a class because it is the class's: what makes it and what ends it; of a
    constructor its class."""
    item = atlas.at(target)
    if item is None or atlas.entry(item.file).language not in _NAMED_CONSTRUCTORS:
        return
    made = [each for each in atlas.constructors(item) if each.node.name == item.node.name]
    if item.node.kind in CONTAINERS:
        inside = (each for each in atlas.definitions(item.file) if each.node.parent == item.number)
        made += [each for each in inside if each.node.name == f"~{item.node.name}"]
    yield from (*made, *written_out(atlas, made))
    for each in (item, *declarations(atlas, item)):
        around = atlas.constructed(each)
        if around is not None and around.node.name == item.node.name:
            yield around


def _overridden(atlas: Atlas, target: Target) -> Iterator[Target]:
    item = atlas.at(target)
    if item is not None:
        yield from (found for found in atlas.columns(item.file).above(item.number, Role.OVERRIDE) if found.path)


class _Planning:
    """Collects what writes the old name: what is sure to mean the family as edits, the rest as doubts."""

    def __init__(self, atlas: Atlas, definition: Definition, family: tuple[Definition, ...]) -> None:
        self._atlas = atlas
        self._definition = definition
        self._old = definition.node.name
        self._family = family
        self._targets = {target for item in family for target in called_as(atlas, item)}
        self._contents = {line.path_key: line.content_hash for line in atlas.view.file_lines()}
        self._written = Written(atlas)
        self._bound = Bound(atlas, family, self._targets)
        self.edits: dict[tuple[str, int], RenameEdit] = {}
        self.doubts = _Doubts(atlas, self._written)

    def definitions(self) -> None:
        for item in self._family:
            start = self._atlas.byte(item.path, item.node.name_line, item.node.name_column)
            start += item.node.name.startswith("~") and not self._old.startswith("~")
            edit = self._edit(item.path, start, "definition")
            if edit is None or self._written.is_shorthand(edit):
                why = "its name is not written there" if edit is None else REASONS["shorthand"]
                self.doubts.add_definition(item, why)
            else:
                self._add(edit)

    def uses(self) -> None:
        for use in uses(self._atlas, self._targets):
            if use.site.role is Role.OVERRIDE or _as_known(last_name(use.site.text)) not in ("", self._old):
                continue  # a definition of the family, or a place that says it by another name
            self._use(use.path, use.site)

    def _use(self, path: str, site: Site) -> None:
        one_name = site.reason == OVERLOADS and self._targets.issuperset(site.targets)
        sure = site.status is Status.RESOLVED or one_name
        edit = self._at_site(path, site)
        if self._names_another(path, site):
            if sure and edit is not None and self._written.is_shorthand(edit, of_module=True):
                self.doubts.add(path, site, REASONS["shorthand"], edit)
            return  # what runs is renamed, and what holds it keeps its name
        # One of several targets: renaming it would be wrong for the others.
        elsewhere = [target for target in site.targets if target not in self._targets]
        if edit is None or not sure:
            why = "it may mean something else too" if elsewhere else site.reason or "its name is not written there"
            self.doubts.add(path, site, why, edit)
        elif not elsewhere and self._written.asks_an_object(path, site, self._definition):
            self.doubts.add(path, site, "an object is asked for it, which may have it by another name", edit)
        elif self._written.is_shorthand(edit):
            self.doubts.add(path, site, REASONS["shorthand"], edit)
        elif not (self._bound(path, site) or self._written.is_key(edit)):
            # The variable has a name of its own, which is not renamed: no use of it can be.
            self.doubts.add(path, site, "a name that may only hold it", None)
        elif elsewhere:
            leads = any(target.path for target in elsewhere)  # to what nobody renames
            self.doubts.add(path, site, "it may mean something else too", edit, elsewhere=leads)
        else:
            self._add(edit)

    def unresolved(self) -> None:
        """Sites that ask for the name and lead nowhere."""
        atlas = self._atlas
        is_python = atlas.entry(self._definition.file).language == "python"
        is_inside = is_member(atlas, self._definition) and is_python
        for path, site in _loose(atlas, self._old, self._targets):
            if is_inside and site.role is Role.IMPORT:
                continue  # Python imports modules and what stands at their top, no members
            if not self._names_another(path, site):
                why = site.reason or "taken for something outside the repository"
                elsewhere = bool(site.targets) or site.status is Status.EXTERNAL
                self.doubts.add(path, site, why, self._at_site(path, site), elsewhere=elsewhere)

    def mentions(self) -> None:
        """Places that are no sites."""
        atlas, definition = self._atlas, self._definition
        for found in unknown_places(atlas, definition, {edit.path for edit in self.edits.values()}):
            edit = self._edit(found.path, atlas.byte(found.path, found.line, found.column), found.how)
            if edit is not None and found.how == "listed" and not is_member(atlas, definition):
                self._add(edit)
            else:
                self.doubts.add_mention(found, edit)

    def _add(self, edit: RenameEdit) -> None:
        self.edits[edit.path, edit.byte_start] = edit

    def _names_another(self, path: str, site: Site) -> bool:
        return self._written.names_another(path, site, self._old, self._targets)

    def _at_site(self, path: str, site: Site) -> RenameEdit | None:
        """Where a site writes the old name: at its end, else the one place in it that is the name."""
        old = self._old.encode()
        end = self._atlas.byte(path, site.end_line, site.end_column)
        edit = self._edit(path, end - len(old), str(site.role))
        if edit is not None:
            return edit
        begin = self._atlas.byte(path, site.line, site.column)
        inside = self._atlas.view.source(path)[begin:end]
        places = [match.start() for match in re.finditer(_WORD % re.escape(old), inside)]
        return self._edit(path, begin + places[0], str(site.role)) if len(places) == 1 else None

    def _edit(self, path: str, start: int, role: str) -> RenameEdit | None:
        source, old = self._atlas.view.source(path), self._old.encode()
        end = start + len(old)
        if source[start:end] != old:
            return None
        line = source.count(b"\n", 0, start) + 1
        column = start - (source.rfind(b"\n", 0, start) + 1)
        around = self._atlas.text(path).around(start, end)
        text = self._atlas.line(path, line, column)
        return RenameEdit(path, self._contents[path], start, end, line, column, role, text, *around)


class _Doubts:
    """The places in doubt, each with the edit that it would be."""

    def __init__(self, atlas: Atlas, written: Written) -> None:
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
        text = self._atlas.line(path, line, column)
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
