"""What every Python has of its own: builtins, the attributes of their types, the modules of its library.

It is written down in standard.json, for several Pythons together, and not asked of the Python that runs everdex: a kept
graph is read and mended under another one, and a prompt puts names of its own among the builtins.
`tests/support/standard.py` adds what a newer Python has.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec


class _Data(msgspec.Struct, frozen=True):
    """Words of one kind in one text; of each type the line above it, and what it has beside what everything has."""

    pythons: str
    modules: str
    names: str
    types: dict[str, tuple[str, str]]
    abstract: dict[str, str]


_DATA: Final = msgspec.json.decode(Path(__file__).with_name("standard.json").read_bytes(), type=_Data)
PYTHONS: Final = _DATA.pythons.split()
MODULES: Final = frozenset(_DATA.modules.split())
BUILTIN_NAMES: Final = frozenset(_DATA.names.split())
OBJECT: Final = frozenset(_DATA.types["object"][1].split())  # what everything has
_ATTRIBUTES: Final = {name: OBJECT.union(own.split()) for name, (_, own) in _DATA.types.items()}


def attributes(*types: str) -> frozenset[str]:
    """What instances of builtin types have, `function`, `method`, `generator` and those of `collections` among them."""
    return frozenset().union(*(_ATTRIBUTES[name] for name in types))


def is_type(name: str) -> bool:
    """Whether a builtin type is called so."""
    return name in _ATTRIBUTES


def is_without(name: str, wanted: str) -> bool:
    """Whether a builtin type, or one of `collections`, is known not to have an attribute; it is an object itself."""
    return name in _ATTRIBUTES and wanted not in _ATTRIBUTES[name] and wanted not in _ATTRIBUTES["type"]


def is_below(name: str, wanted: str) -> bool:
    """Whether a builtin type is another one, or below it."""
    return name == wanted or wanted in _DATA.types[name][0].split()


def is_error(name: str) -> bool:
    """Whether a builtin exception is called so."""
    return name == "BaseException" or (is_type(name) and "BaseException" in _DATA.types[name][0].split())


def above(name: str) -> tuple[str, ...]:
    """The types above a builtin one for `singledispatch`, the nearest first, abstract ones before `object`."""
    bases = [f"builtins.{each}" for each in _DATA.types[name][0].split()]
    return (*bases[:-1], *(f"collections.abc.{each}" for each in _DATA.abstract[name].split()), bases[-1])
