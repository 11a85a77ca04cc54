"""Texts that are put together, as names of attributes and modules often are: what they say, or how they begin and end.

Only what could be such a name is put together; of other texts nobody asks what they say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from string import Formatter
from typing import Any, Final

from everdex.graph.python.calls import parameters
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Argument, Keywords, Positional
from everdex.graph.python.engine.engine import NAME_STEP, Engine
from everdex.graph.python.engine.values import AFFIXES, DISPLAY, LITERAL, NONE, TEXT, TUPLE, Value, Values
from everdex.graph.python.file.files import File

# How a text begins and ends, and whether that is all of it (then it stands in the first).
_Spelt = tuple[str, str, bool]

_ANY: Final[_Spelt] = ("", "", False)
_MAX_TEXTS: Final = 8
_LONGEST: Final = 64
_SHORTEST_END: Final = 3  # letters, where nothing is known of how a text begins
_NAMELIKE: Final = re.compile(r"[\w.:/-]*\Z")
_FILLED: Final = re.compile(r"%(?:\(\w*\))?[-#0 +]*[\d*]*(?:\.[\d*]+)?[a-zA-Z%]")
_LETTERS: Final = {"lower": str.lower, "upper": str.upper, "casefold": str.casefold}  # letter by letter
_WHOLE: Final[dict[str, Callable[[str], str]]] = {
    "capitalize": str.capitalize, "title": str.title, "swapcase": str.swapcase, "strip": str.strip,
}  # fmt: skip


def fits(value: Value, name: str) -> bool:
    """Whether a name begins and ends as is known of a text, if enough is known."""
    _, start, end = value
    enough = len(start) > 1 or len(end) >= _SHORTEST_END
    return enough and len(name) >= len(start) + len(end) and name.startswith(start) and name.endswith(end)


def added(engine: Engine, file: File, left: Values, right: int, context: int, fuel: int) -> Values:
    """What `left + right` says, where one of them is a text."""
    if not _may_begin_name(left):
        return TEXT
    return _joined((_texts(left, False), _texts(engine.values(file.path, right, context, fuel), False)))


def filled(engine: Engine, file: File, template: str, right: int, context: int, fuel: int) -> Values:
    """What `template % right` says."""
    pieces, marks = _FILLED.split(template), _FILLED.findall(template)
    if not _are_namelike(pieces):
        return TEXT
    given = engine.values(file.path, right, context, fuel)
    rows = [value for value in given if value[0] in (TUPLE, DISPLAY)]
    if len(given) == 1 and rows:
        values = [containers.item(engine, rows[0], place, fuel) for place in range(len(marks))]
    else:
        values = [given if len(marks) == 1 and not rows else frozenset()] * len(marks)
    shown = [_texts(each, True) if mark in ("%s", "%d") else [_ANY] for mark, each in zip(marks, values, strict=True)]
    return _woven(pieces, shown)


def formatted(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """What an f-string says."""
    _, inside, pieces, _, altered = entry
    if not pieces:
        return TEXT
    shown = [
        [_ANY] if place in altered else _texts(engine.values(file.path, each, context, fuel - NAME_STEP), True)
        for place, each in enumerate(inside)
    ]
    return _woven(pieces, shown)


def shown(values: Values) -> Values:
    """What `str()` makes of something."""
    return _said(_texts(values, True))


def method(engine: Engine, text: Value, name: str, given: Positional, named: Keywords, fuel: int) -> Values:
    """What a method makes of a text that is known in full or in part; nothing where it does not say a text."""
    if name in _LETTERS:
        change = _LETTERS[name]
        parts = map(change, text[1:]) if text[0] == AFFIXES else ("str", change(text[2]))
        return frozenset(((text[0], *parts),))
    if text[0] != LITERAL:
        return frozenset()
    if name in _WHOLE and not given:
        return frozenset(((LITERAL, "str", _WHOLE[name](text[2])),))
    if name == "replace" and len(given) == 2:
        old, new = (containers.literals(parameters.argument(engine, each, fuel)) for each in given)
        if old and new and len(old) == len(new) == 1 and all(isinstance(each, str) for each in (*old, *new)):
            return _said([(text[2].replace(old.pop(), new.pop()), "", True)])
    if name == "format":
        return _template(engine, text[2], given, named, fuel)
    if name == "join" and len(given) == 1 and _NAMELIKE.match(text[2]):
        return _list(engine, text[2], parameters.argument(engine, given[0], fuel), fuel)
    return frozenset()


def _template(engine: Engine, template: str, given: Positional, named: Keywords, fuel: int) -> Values:
    pieces = [""]
    shown: list[Argument | None] = []
    by_name = dict(named)
    try:
        fields = list(Formatter().parse(template))
    except ValueError:
        return TEXT
    for before, field, spec, conversion in fields:
        pieces[-1] += before
        if field is None:
            continue
        place = len(shown) if not field else int(field) if field.isdecimal() else -1
        value = given[place] if 0 <= place < len(given) else by_name.get(field)
        plain = value is not None and not value.starred and not spec and not conversion
        shown.append(value if plain else None)
        pieces.append("")
    if not _are_namelike(pieces):
        return TEXT
    are_starred = any(each.starred for each in given)
    return _woven(pieces, [
        [_ANY] if each is None or are_starred else _texts(parameters.argument(engine, each, fuel), True)
        for each in shown
    ])  # fmt: skip


def _list(engine: Engine, between: str, listed: Values, fuel: int) -> Values:
    if len(listed) != 1:
        return TEXT
    (row,) = listed
    count = len(row[1]) if row[0] == TUPLE else containers.length(engine, row) if row[0] == DISPLAY else 0
    if not 0 < count <= _MAX_TEXTS:
        return TEXT
    shown = [_texts(containers.item(engine, row, place, fuel), False) for place in range(count)]
    return _woven(["", *[between] * (count - 1), ""], shown)


def _may_begin_name(texts: Values) -> bool:
    return any(value[0] not in (LITERAL, AFFIXES) or _are_namelike(value[1:]) for value in texts)


def _are_namelike(pieces: Iterable[str]) -> bool:
    return all(map(_NAMELIKE.match, pieces))


def _texts(values: Values, are_shown: bool) -> list[_Spelt]:
    """What each of some values says, or is shown as."""
    found: dict[_Spelt, None] = {}
    for value in sorted(values, key=repr):
        if value[0] == LITERAL and (are_shown or isinstance(value[2], str)):
            found[str(value[2]), "", True] = None
        elif value[0] == AFFIXES:
            found[value[1], value[2], False] = None
        elif value != NONE:
            return [_ANY]
    return list(found) if 0 < len(found) <= _MAX_TEXTS else [_ANY]


def _woven(pieces: Sequence[str], shown: Sequence[list[_Spelt]]) -> Values:
    """What stands between texts that are known, after the first of them."""
    parts = [[(pieces[0], "", True)]]
    for between, after in zip(shown, pieces[1:], strict=True):
        parts += between, [(after, "", True)]
    return _joined(parts)


def _joined(parts: Iterable[list[_Spelt]]) -> Values:
    made: list[_Spelt] = [("", "", True)]
    for part in parts:
        made = list(dict.fromkeys(_and_then(before, after) for before in made for after in part))
        if len(made) > _MAX_TEXTS:
            made = [_ANY]
    return _said(made)


def _and_then(before: _Spelt, after: _Spelt) -> _Spelt:
    if not before[2]:
        return (before[0], (before[1] + after[0])[-_LONGEST:] if after[2] else after[1], False)
    start = before[0] + after[0]
    return (start, after[1], after[2]) if len(start) <= _LONGEST else (start[:_LONGEST], "", False)


def _said(texts: Iterable[_Spelt]) -> Values:
    found: set[Value] = set()
    for start, end, is_whole in texts:
        if is_whole and len(start) <= _LONGEST:
            found.add((LITERAL, "str", start))
        elif start or len(end) >= _SHORTEST_END:
            found.add((AFFIXES, start[:_LONGEST], end))
        else:
            return TEXT
    return frozenset(found)
