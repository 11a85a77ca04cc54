"""How a person writes which definition is meant: by a name, `Class.name`, `path:line`, `path::Class.name`, path or id.

Tells these apart and brings names into one spelling. Takes no graph, so that whoever asks only the index loads none;
`naming` finds what is meant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from typing import TYPE_CHECKING, Final

from everdex.identity.symbols import SEMANTIC_PREFIXES, plain_name

if TYPE_CHECKING:
    from everdex.view import SnapshotView

ID: Final = re.compile(r"(?:heur:)?(sid:v1:sha1:[0-9a-f]{40})")
KEY: Final = re.compile(r"sk:v1:[0-9a-f]{40}")
PLACE: Final = re.compile(r"(.+?):(\d{1,9})(?::\d+)?")
_ARGUMENTS: Final = re.compile(r"\([^()]*\)$")
_POINTER: Final = re.compile(r"^\(\*?(\w+)\)\.")
_OPERATOR: Final = re.compile(r"((?:.*(?:\.|::|#))?)(operator\s*[^\w\s].*)", re.DOTALL)
_SIGNS: Final = re.compile(r"((?:.*?\w(?:\.|::|#))?)([^\w\s]+)")
_SIGNS_TAKING: Final = re.compile(r"(?<=.)\(.*\Z")
_SEPARATORS: Final = ("::", "->", "#")


def dotted(name: str) -> str:
    """`Index::search`, `Index#search`, `Index.#search`, `Index.search(text)` and Go's `(*Index).search` are all
    Index.search. An operator's signs stay as they are: `V::operator->`, `V#<=>`, `V.[]=`, `V.::`."""
    operator = _OPERATOR.fullmatch(name) or _SIGNS.fullmatch(name)
    if operator:
        signs = "".join(operator[2].split())
        signs = signs if signs.startswith("operator()") else _SIGNS_TAKING.sub("", signs)
        return f"{dotted(operator[1])}.{signs}".strip(".")
    name = _POINTER.sub(r"\1.", name.replace(".#", "."))
    for separator in _SEPARATORS:
        name = name.replace(separator, ".")
    return _ARGUMENTS.sub("", name).strip(".")


def in_file(view: SnapshotView, asked: str) -> str:
    """`path:Class.name` as `path::Class.name`, where there is such a file: places are written with one colon."""
    path, _, name = asked.partition(":")
    is_name = bool(name) and name[0] != ":" and not name[0].isdecimal()
    return f"{path}::{name}" if is_name and view.file_line(path) is not None else asked


def as_known(view: SnapshotView, asked: str) -> str:
    """What is asked for in the spelling in which it is defined: Python makes one name of all spellings that NFKC makes
    one, and who types another of them means that name."""
    asked = in_file(view, asked)
    if asked.isascii() or view.symbols_named(last_of(asked)):
        return asked
    return unicodedata.normalize("NFKC", asked)


def is_id(asked: str) -> bool:
    """Whether a symbol is named by an id from an answer."""
    return bool(ID.fullmatch(asked) or KEY.fullmatch(asked)) or asked.startswith(SEMANTIC_PREFIXES)


def path_in(asked: str, paths: Container[str]) -> str | None:
    """The file in which a symbol is named, as far as it is one of these."""
    place = PLACE.fullmatch(asked)
    named = (asked.partition("::")[0], place[1] if place else asked, asked)
    return next((path for path in named if path in paths), None)


def last_of(asked: str) -> str:
    """The last part of a dotted name: what a definition that fits is called."""
    return plain_name(dotted(asked)).rpartition(".")[2]
