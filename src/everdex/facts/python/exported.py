"""What a module says a star takes from it: `__all__`, as far as it is written out.

All that the file puts into it counts, in whichever order and under whatever condition. When a part is computed nobody
knows what is left out, and every public name may be meant, as in a module that says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from everdex.facts.python import model as m

_NAME: Final = "__all__"


def exported(entries: Sequence[Any], bindings: Sequence[Any], item_stores: Sequence[Any]) -> list[str] | None:
    parts = [value for scope, name, value, _ in bindings if scope == 0 and name == _NAME]
    if not parts:
        return None
    parts += [value for base, _, value in item_stores if value >= 0 and entries[base][:2] == [m.NAME, _NAME]]
    found: list[str] = []
    parts.reverse()  # taken from the end: in the order of the text
    while parts:
        entry = entries[parts.pop()]
        if entry[0] == m.BINARY and entry[1] in ("+", "+="):
            parts += [entry[3], entry[2]]
        elif entry[0] == m.SEQUENCE:
            parts += reversed(entry[2])
        elif entry[0] == m.STAR:
            parts.append(entry[1])
        elif entry[0] == m.TYPED:
            parts += [entry[2]] if entry[2] >= 0 else []
        elif entry[0] == m.LITERAL and isinstance(entry[2], str):
            found.append(entry[2])
        elif entry[:2] != [m.NAME, _NAME]:  # what it was before
            return None
    return list(dict.fromkeys(found))
