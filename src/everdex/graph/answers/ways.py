"""The ways in which a definition may be used by a file that does not write its name: what an answer leaves open that
did not wait for such files.

Who uses a definition has to write its name, unless it is handed on as a value, given another name, inherited from, or
called under a name that is computed. Each of these is told by the text of the tree or by the files that write the name;
what comes of it, only the finished graph tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from everdex.facts.operators import runs_by_sign
from everdex.graph.answers import queries
from everdex.graph.answers.mentions import mentions
from everdex.graph.definitions.accessors import properties
from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.definitions.outside import WITH_OBJECTS, owner_of
from everdex.graph.model import Role
from everdex.graph.text.texts import Texts
from everdex.graph.text.written import can_be_looked_up
from everdex.wording import plural

_UNWRITTEN: Final = frozenset(("apply", "unapply", "update", "invoke", "call"))  # run by a call of what has them
_ALWAYS_WRITTEN: Final = frozenset(("python", *WITH_OBJECTS))  # languages in which these are names like any other
# Languages in which no text leads to a function when a program runs; Go finds methods by their names.
_NOT_BY_TEXT: Final = frozenset(("c", "cpp", "cuda", "go", "rust", "swift"))
_IN_STRINGS: Final = frozenset(("text", "path"))
_BY_STRINGS: Final = re.compile(  # what makes a function, or something that calls one, of its name
    rb"\b(?:getattr|methodcaller|attrgetter|import_string|globals|locals|vars|__dict__|patch|method|public_send|send)\b"
)
_EXPORTED: Final = re.compile(rb"\bexport\s+default\b|\bexports\b")
_LOOKED_BACK: Final = 200  # bytes before a definition in which it may be given away
_LISTED: Final = 3  # files or heirs that a sentence names


class Way(msgspec.Struct, frozen=True):
    """One way in which more may use it than was found."""

    way: str  # alias, export, object, spelt, value, text, heirs
    text: str  # the same as a sentence
    paths: tuple[str, ...] = ()  # where, if that is known; the first few


def deciding_name(atlas: Atlas, definition: Definition) -> str | None:
    """The name that most users of a definition write: of a constructor that of its class; None where users write none,
    so that the files which write it decide nothing."""
    around = atlas.constructed(definition)
    node = (around or definition).node
    if definition.is_file or node.kind in ("lambda", "namespace") or not can_be_looked_up(node.name):
        return None
    language = atlas.entry(definition.file).language
    is_special = node.name.startswith("__") and (language != "python" or node.name.endswith("__"))
    if is_special or (node.name in _UNWRITTEN and language not in _ALWAYS_WRITTEN):
        return None
    if properties(atlas, definition) or (_may_be_operator(atlas, definition) and runs_by_sign(language, node.name)):
        return None
    return node.name


def _may_be_operator(atlas: Atlas, definition: Definition) -> bool:
    """Whether a method may be what a sign calls: of Kotlin by a word at its head, of Rust what may be a trait's."""
    language, head = atlas.entry(definition.file).language, definition.node.signature.partition("(")[0].split()
    if language == "kotlin":
        return "operator" in head or "override" in head
    return language != "rust" or not head[:1] or not head[0].startswith("pub")


def open_ways(atlas: Atlas, texts: Texts, definition: Definition, name: str) -> tuple[Way, ...]:
    """Every way that is open, once the files are resolved that write its `name`."""
    around = atlas.constructed(definition) or definition
    is_class = around.node.kind in CONTAINERS
    found = [*_renamed(atlas, texts, around, name)]
    if is_class:
        found.append(_inherited(atlas, around))
    if around.node.kind not in VARIABLES:
        found += _spelt(atlas, texts, around, name)
        found += _handed_on(atlas, around, name)
    return tuple(found)


def _renamed(atlas: Atlas, texts: Texts, definition: Definition, name: str) -> Iterator[Way]:
    """Under another name, or none: what is written tells."""
    aliased = texts.aliasing(name)
    if aliased:
        yield Way("alias", f"it is given another name in {_listed(aliased)}", aliased[:_LISTED])
    if _is_given_away(atlas, definition):
        yield Way("export", "it is exported without its name")
    if _is_in_table(atlas, definition):
        yield Way("object", "whoever goes through the object that has it may call it")


def heirs(atlas: Atlas, definition: Definition) -> list[Definition]:
    """The classes that inherit from one, and from those, as far as files are resolved; by path and place."""
    known, todo = {definition}, [definition]
    while todo:
        wanted = {todo.pop().target}
        for file in atlas.referring(wanted):
            columns = atlas.columns(file)
            found = {
                atlas.definition(file, columns.sources[number])
                for number in columns.sites_to(wanted)
                if columns.role(number) is Role.INHERIT
            } - known
            known |= found
            todo += found
    return sorted(known - {definition}, key=lambda item: item.order)


def _inherited(atlas: Atlas, definition: Definition) -> Way:
    """Whoever inherits from a class, or has one of its objects, may make another without its name."""
    below = heirs(atlas, definition)
    if not below:
        return Way("heirs", "what inherits from it and its own objects may stand for it")
    names = _listed(list(dict.fromkeys(item.node.name for item in below)), len(below))
    inherit = "1 class inherits" if len(below) == 1 else f"{len(below):,} classes inherit"
    paths = tuple(dict.fromkeys(item.path for item in below))[:_LISTED]
    return Way("heirs", f"{inherit} from it ({names}) and may stand for it", paths)


def _spelt(atlas: Atlas, texts: Texts, definition: Definition, name: str) -> Iterator[Way]:
    """By a text that says its name, or of which it is put together."""
    language = atlas.entry(definition.file).language
    if language in _NOT_BY_TEXT and not (language == "go" and definition.node.kind == "method"):
        return
    if language != "python":
        if texts.has_parts(name):
            yield Way("spelt", "parts of its name stand by themselves and may be put together")
    elif not _is_local(atlas, definition) and texts.may_be_spelt(name):
        yield Way("spelt", "names are put together of texts and looked up, and a text may give this one")


def _handed_on(atlas: Atlas, definition: Definition, name: str) -> Iterator[Way]:
    """By whom a file that writes its name, or a text that says it, gives it to."""
    count = queries.named(atlas, definition, heirs=False)
    if count:
        yield Way("value", f"it is handed on as a value in {plural(count, 'place')}")
    taken = [] if _is_local(atlas, definition) else _taking_by_name(atlas, name)
    if taken:
        yield Way("text", f"a text says its name where functions are looked up, in {_listed(taken)}",
                  tuple(taken[:_LISTED]))  # fmt: skip


def _is_local(atlas: Atlas, definition: Definition) -> bool:
    """Whether it stands in a function of Python's, and so is no attribute of anything."""
    around = atlas.definition(definition.file, definition.node.parent)
    is_inside = not around.is_file and around.node.kind not in CONTAINERS
    return is_inside and atlas.entry(definition.file).language == "python"


def _taking_by_name(atlas: Atlas, name: str) -> list[str]:
    """The files that may make a function of a string that is its name, and hand that on."""
    written = dict.fromkeys(found.path for found in mentions(atlas, name, lambda path, language: _IN_STRINGS))
    view = atlas.view
    return [
        path for path in written
        if view.file_languages[view.file_index(path)] == "php" or _BY_STRINGS.search(view.source(path))
    ]  # fmt: skip


def _is_in_table(atlas: Atlas, definition: Definition) -> bool:
    """Whether it is a function in an object of JavaScript's: who goes through the object may call each."""
    if atlas.entry(definition.file).language not in WITH_OBJECTS or definition.node.kind in VARIABLES:
        return False
    around = atlas.definition(definition.file, definition.node.parent)
    is_inside = not around.is_file and around.node.kind in VARIABLES
    return is_inside or (definition.node.kind == "method" and owner_of(atlas, definition) is None)


def _is_given_away(atlas: Atlas, definition: Definition) -> bool:
    """Whether JavaScript exports it without its name."""
    start = definition.node.start_byte
    before = atlas.view.source(definition.path)[max(0, start - _LOOKED_BACK) : start + _LOOKED_BACK]
    return bool(_EXPORTED.search(before))


def _listed(names: Sequence[str], count: int = 0) -> str:
    """The first few of these; of so many there are, if several are called alike."""
    shown = names[:_LISTED]
    more = max(count, len(names)) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
