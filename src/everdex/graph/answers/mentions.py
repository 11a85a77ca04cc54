"""Places that write a name without being a site of the graph: attributes of unknown values, keyword arguments, keys of
objects, names in strings, in templates and in configuration.

The inverted index says which files hold the word, and the syntax what each place is. Comments and prose are apart: they
run nothing. What a place means is not guessed: answers only count and list such places, so that whoever asks can look.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple, TypeAlias

import msgspec
import xxhash

from everdex.graph.definitions.atlas import Atlas
from everdex.graph.model import Role, Status, Target
from everdex.graph.stored.columns import Columns
from everdex.graph.stored.packed import last_name, marked
from everdex.graph.text.loose_text import LOOSE, how_in_text
from everdex.graph.text.syntax import CODE_KINDS, Place, Syntax, possible
from everdex.terms.split import WORD, fold
from everdex.view.words import files_with_token

_MOST_REMEMBERED: Final = 8_192  # files and names
_EXTERNAL_CALLS: Final = marked(frozenset({Role.CALL}), frozenset({Status.EXTERNAL}))
_IMPORTS: Final = marked(frozenset({Role.IMPORT}), frozenset(Status))
_NAMES: Final = frozenset(("name", "member"))  # what a place in quotes is not
# What libraries call so hands its keywords on to what it is given.
_HANDING_ON: Final = frozenset(("replace", "partial", "partialmethod", "evolve"))

Wanted: TypeAlias = Callable[[str, str], AbstractSet[str]]  # path and language of a file -> what counts in it


class Mention(msgspec.Struct, frozen=True):
    path: str
    line: int
    column: int
    # member, key, shorthand, name; in a string text, path (a dotted one), listed (in __all__); template, data, code;
    # of what runs nothing prose
    how: str
    owner: str = ""  # of a member or in a path: the name before


class _Hit(NamedTuple):
    start: int
    line: int
    column: int
    may_be: AbstractSet[str]  # as far as the bytes around it tell


# An edit leaves other files as they are. By content, graph and name: the places that are neither sites nor definitions;
# by content and name: what those are of which it was worked out.
_left: dict[tuple[bytes, int, str], tuple[_Hit, ...]] = {}
_known: dict[tuple[bytes, str, str], dict[int, Place]] = {}


def mentions(atlas: Atlas, name: str, wanted: Wanted) -> Iterator[Mention]:
    """Every place that writes the name, is of a kind that is wanted there, and is neither a site nor a definition."""
    for path, language in _files_with(atlas, name):
        kinds = wanted(path, language)
        if kinds:
            yield from _in_file(atlas, path, language, name, kinds)


def in_prose(atlas: Atlas, name: str) -> Iterator[Mention]:
    """Every place that writes the name and is no code: in comments, in strings, in files that nobody resolves."""
    for path, language in _files_with(atlas, name):
        source, file = atlas.view.source(path), atlas.graph.number(path)
        hits = _hits(source, language, name) if file is None else _hits_left(atlas, file, name)
        syntax = Syntax(language, source) if file is not None else None
        for hit in hits:
            if syntax is None or syntax.how(hit.start, hit.start + len(name.encode())) not in CODE_KINDS:
                yield Mention(path, hit.line, hit.column, "prose")


def _files_with(atlas: Atlas, name: str) -> Iterator[tuple[str, str]]:
    """Path and language of every file that holds the word."""
    view, token = atlas.view, fold(name)
    holds = files_with_token(view, token) if WORD.fullmatch(token) else None
    for index, (path, language) in enumerate(zip(view.paths, view.file_languages, strict=True)):
        if holds is None or holds[index]:
            yield path, language


def _in_file(atlas: Atlas, path: str, language: str, name: str, kinds: AbstractSet[str]) -> Iterator[Mention]:
    file = atlas.graph.number(path)
    known: dict[int, Place] = {}
    if file is None:
        hits = _hits(atlas.view.source(path), language, name)
    else:
        content = atlas.graph.files[file].content
        known = _known.setdefault((content, language, name), {})
        hits = _hits_left(atlas, file, name)
    syntax: Syntax | None = None
    libraries: set[tuple[int, int]] | None = None
    for hit in hits:
        place = known.get(hit.start)
        if place is None and not kinds.isdisjoint(hit.may_be):
            source, end = atlas.view.source(path), hit.start + len(name.encode())
            syntax = syntax or Syntax(language, source)
            if kinds.isdisjoint(syntax.narrowed(hit.may_be, hit.start)):
                continue
            if language in LOOSE and not syntax.is_script(hit.start, end):
                place = how_in_text(language, source, hit.start, end)
            else:
                place = syntax.at(hit.start, end)
            known[hit.start] = place
        if place is None or place.how not in kinds:
            continue
        if place.callee is not None and file is not None:
            libraries = _calls_of_libraries(atlas.columns(file)) if libraries is None else libraries
            if place.callee in libraries:
                continue
        yield Mention(path, hit.line, hit.column, place.how, place.owner)


def _hits_left(atlas: Atlas, file: int, name: str) -> tuple[_Hit, ...]:
    """Where a file writes a name, but for its sites and definitions."""
    entry = atlas.graph.files[file]
    key = (entry.content, xxhash.xxh3_64_intdigest(atlas.graph.blob(file)), name)
    found = _left.get(key)
    if found is None:
        if len(_left) >= _MOST_REMEMBERED:
            _left.clear()
            _known.clear()
        hits = _hits(atlas.view.source(entry.path), entry.language, name)
        found = _left[key] = _apart_from_sites(hits, atlas.columns(file), name) if hits else ()
    return found


def _hits(source: bytes, language: str, name: str) -> tuple[_Hit, ...]:
    found = []
    line, begin, line_start = 1, 0, 0
    # What looks back stands last: a pattern that begins with the name is found many times as fast.
    for match in re.finditer(rb"%(name)s(?![\w$])(?<![\w$]%(name)s)" % {b"name": re.escape(name.encode())}, source):
        start = match.start()
        if (newline := source.rfind(b"\n", begin, start)) >= 0:
            line += source.count(b"\n", begin, start)
            line_start = newline + 1
        begin = start
        found.append(_Hit(start, line, start - line_start, possible(language, source, *match.span())))
    return tuple(found)


def _apart_from_sites(hits: tuple[_Hit, ...], columns: Columns, name: str) -> tuple[_Hit, ...]:
    width = len(name.encode())
    ends = {columns.span(site)[2:] for site in columns.sites_ending({hit.line for hit in hits})}
    defined = {(node.name_line, node.name_column + node.name.startswith("~")) for node in columns.nodes}
    left = [hit for hit in hits if (hit.line, hit.column + width) not in ends and (hit.line, hit.column) not in defined]
    return tuple(_apart_from_imports(left, columns, name)) if left else ()


def _apart_from_imports(hits: list[_Hit], columns: Columns, name: str) -> list[_Hit]:
    """Without those that an import is the site of, whose statement goes on behind the name, and names of files there.

    Where one statement writes the name more often than it imports it, all of these places stay.
    """
    for number in (number for number, mark in enumerate(columns.marks) if mark in _IMPORTS):
        line, column, end_line, end_column = columns.span(number)
        inside = [hit for hit in hits if (line, column) <= (hit.line, hit.column) < (end_line, end_column)]
        if not inside:
            continue
        plain = [hit for hit in inside if not hit.may_be.isdisjoint(_NAMES)]
        if last_name(columns.text(number)) == name and len(plain) == 1:
            plain = []
        hits = [hit for hit in hits if hit not in inside or hit in plain]
    return hits


def _calls_of_libraries(columns: Columns) -> set[tuple[int, int]]:
    """Where calls end the name of something outside, which knows nothing of the repository's fields."""
    return {
        columns.span(number)[2:] for number, mark in enumerate(columns.marks)
        if mark in _EXTERNAL_CALLS and not any(map(_hands_on, columns.targets_of(number)))
    }  # fmt: skip


def _hands_on(target: Target) -> bool:
    return last_name(target.key) in _HANDING_ON
