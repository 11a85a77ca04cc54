"""SCIP's messages as far as they are written or read here: field numbers of scip.proto, and names of symbols.

One description for both directions: `everdex graph export` writes by it what an import reads.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec

# Index
METADATA: Final = 1
DOCUMENTS: Final = 2
# Metadata
TOOL_INFO: Final = 2
PROJECT_ROOT: Final = 3
TEXT_ENCODING: Final = 4
UTF8_TEXT: Final = 1
# ToolInfo
TOOL_NAME: Final = 1
TOOL_VERSION: Final = 2
# Document
RELATIVE_PATH: Final = 1
OCCURRENCES: Final = 2
SYMBOLS: Final = 3
LANGUAGE: Final = 4
TEXT: Final = 5
POSITION_ENCODING: Final = 6
# Occurrence
RANGE: Final = 1
SYMBOL: Final = 2
SYMBOL_ROLES: Final = 3
# SymbolInformation
INFORMATION_SYMBOL: Final = 1
RELATIONSHIPS: Final = 4
KIND: Final = 5
DISPLAY_NAME: Final = 6
ENCLOSING_SYMBOL: Final = 8
# Relationship
RELATED_SYMBOL: Final = 1
IS_IMPLEMENTATION: Final = 3
# PositionEncoding
UNSPECIFIED: Final = 0
UTF8: Final = 1
UTF16: Final = 2
UTF32: Final = 3

LOCAL: Final = "local "  # what begins so is known in its document only
_SIMPLE: Final = re.compile(r"[A-Za-z0-9_+\-$]+")
_HEAD: Final = re.compile(r"((?:[^ ]|  )*) ((?:[^ ]|  )*) ((?:[^ ]|  )*) ((?:[^ ]|  )*) ")
_NAME: Final = r"(?:`((?:[^`]|``)+)`|([\w+\-$]+))"
_DESCRIPTOR: Final = re.compile(
    rf"(?:{_NAME}(/|\#|\.|:|!|\([\w+\-$]*\)\.)|\[{_NAME}\]|\({_NAME}\))", re.ASCII
)  # fmt: skip


def identifier(name: str) -> str:
    """A name as it stands in a symbol."""
    return name if _SIMPLE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


class Symbol(msgspec.Struct, frozen=True, gc=False):
    """A symbol's name, taken apart."""

    manager: str
    package: str
    version: str
    names: tuple[str, ...]  # from the outside in
    spaces: int  # how many of them are namespaces: directories, files, modules
    suffix: str  # of the last: '/', '#', '.', ':', '!', '()', '[]' or a parameter's '('


@lru_cache(maxsize=1 << 14)  # of names of up to 8 KB
def parsed(symbol: str) -> Symbol | None:
    """A symbol that others can see, taken apart; None for a local one and for what is no symbol."""
    head = None if symbol.startswith(LOCAL) else _HEAD.match(symbol)
    if head is None:
        return None
    names: list[str] = []
    suffix, spaces, at = "", 0, head.end()
    while at < len(symbol):
        found = _DESCRIPTOR.match(symbol, at)
        if found is None:
            return None
        quoted, plain, kind, quoted_type, plain_type, quoted_parameter, plain_parameter = found.groups()
        name = quoted or plain or quoted_type or plain_type or quoted_parameter or plain_parameter
        names.append(name.replace("``", "`"))
        suffix = (kind if len(kind) == 1 else "()") if kind else "[]" if quoted_type or plain_type else "("
        spaces += suffix == "/"
        at = found.end()
    if not names:
        return None
    _, manager, package, version = (part.replace("  ", " ") for part in head.groups())
    return Symbol(_given(manager), _given(package), _given(version), tuple(names), spaces, suffix)


def _given(text: str) -> str:
    return "" if text == "." else text
