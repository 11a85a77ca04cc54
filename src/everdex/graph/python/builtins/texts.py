"""What is run to make text of values: f-strings, `%`, `str.format`, `str` and `repr`.

Gives functions of the root only. Which conversion a value gets is read from the text where that is known; a long text
is not. What stands in a container that is shown is not followed.
"""

from __future__ import annotations

import re
from string import Formatter
from typing import Final

from everdex.graph.python.builtins.operators import special
from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.engine.values import CLASS, INSTANCE, NOTHING, Values, union

FORMAT: Final = ("__format__", "__str__", "__repr__")
STRING: Final = FORMAT[1:]
REPRESENT: Final = FORMAT[2:]
BY_BUILTIN: Final = {"str": STRING, "print": STRING, "repr": REPRESENT, "format": FORMAT}
_BY_CONVERSION: Final = {"s": STRING, "r": REPRESENT, "a": REPRESENT}
_PERCENT: Final = re.compile(r"%(?:\((\w*)\))?[-+ #0]*(\*|\d*)(?:\.(\*|\d*))?[hlL]?(.)", re.DOTALL)


def shown(engine: Engine, values: Values, methods: tuple[str, ...], fuel: int, path: str) -> Values:
    """What makes a text of each value: the first of the methods that it has."""
    found: list[Values] = []
    for value in values:
        if value[0] in (INSTANCE, CLASS):
            alone = frozenset((value,))
            found.append(next(filter(None, (special(engine, alone, each, fuel, path) for each in methods)), NOTHING))
    return union(found)


def percent(text: str | None, count: int) -> list[tuple[str, ...]]:
    """The methods that `text % values` asks of each of so many values for."""
    if text is None:
        return [STRING] * count
    asked: list[tuple[str, ...]] = []
    for name, width, precision, conversion in _PERCENT.findall(text):
        asked += [()] * (width == "*") + [()] * (precision == "*")
        if conversion != "%":
            asked.append(() if name else _BY_CONVERSION.get(conversion, ()))
    return (asked + [()] * count)[:count]


def fields(text: str | None) -> dict[str, tuple[str, ...]] | None:
    """Place or name -> the methods that `text.format(…)` asks of what stands there; None when the text is not known."""
    if text is None:
        return None
    asked: dict[str, tuple[str, ...]] = {}
    place = 0
    try:
        parts = [(name, conversion) for _, name, _, conversion in Formatter().parse(text) if name is not None]
    except ValueError:  # no such format: nothing is made
        return {}
    for name, conversion in parts:
        asked[name or str(place)] = _BY_CONVERSION.get(conversion or "", FORMAT)
        place += not name
    return asked
