"""What a page of so many bytes can hold of a walk: rows of numbers and safe text, the most wanted first.

Nothing is left out silently: what there is no room for is counted, altogether and at each definition that is kept. The
rows are read by `script/model.js`, which names their fields in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from everdex.canvas.architecture import Architecture
from everdex.canvas.explorer.walk import Use, Walk, ranked, users
from everdex.canvas.lettering import safe
from everdex.canvas.outline import Part
from everdex.canvas.survey import File, Survey
from everdex.graph.definitions.atlas import Atlas

_FILES: Final = 0.3  # shares of the room
_TIES: Final = 0.25
_TEXTS: Final = 0.2
_OUTSIDE: Final = 500  # packages that are named
_NAMES: Final = 300  # bytes that the names of the document's fields take
_LONGEST: Final = 160  # of a line of source


def data(value: Any) -> bytes:
    """JSON that no text in it can lead out of a script element."""
    return msgspec.json.encode(value).replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")


def fitted(
    atlas: Atlas, found: Survey, model: Architecture, told: Walk, about: dict[str, Any], room: int
) -> dict[str, Any]:
    """The document of a page, of at most so many bytes with what is in `about`; more only if its parts take more."""
    parts = {part.key: part for part in _preorder(model.root)}
    places = {key: place for place, key in enumerate(parts)}
    document: dict[str, Any] = {
        **about, "outside": [(safe(name), files) for name, files in found.outside[:_OUTSIDE]],
        "more_outside": max(0, len(found.outside) - _OUTSIDE), "left_out": found.left_out,
        "tests": [(safe(item.label), item.files, item.lines) for item in model.tests if not item.more],
        "calls": msgspec.to_builtins(found.calls), "edges": _edges(model, parts, places),
        "cycles": _cycles(model, parts, places),
    }  # fmt: skip
    room -= len(data(document)) + sum(len(data(_part(model, part, places, {}))) for part in parts.values())
    files = _files(atlas, found, Counter(item.file for item in told.symbols), int(room * _FILES))
    number = {place: row for row, place in enumerate(files)}
    document["files"] = list(files.values())
    document["parts"] = [_part(model, part, places, number) for part in parts.values()]
    room -= len(data(document["files"])) + sum(len(data(row[-1])) for row in document["parts"])
    ties = _ties(found, told, number, int(room * _TIES))
    document |= ties
    room -= len(data(ties))
    document["texts"] = texts = _texts(atlas, found, ties, list(files), int(room * _TEXTS))
    room -= len(data(texts)) + _NAMES + len(number) * len(f'"{len(number)}":[],')
    chosen = _chosen(found, told, number, room)
    document |= chosen
    pairs = len(found.ties) + len(found.doubtful)
    document["omitted"] = {
        "files": len(found.files) - len(files), "ties": pairs - len(ties["ties"]) - len(ties["doubts"]),
        "symbols": len(told.symbols) - len(chosen["symbols"]),
    }  # fmt: skip
    return document


def _first(rows: Iterable[Any], room: int) -> list[Any]:
    """The first rows that fit."""
    kept = []
    for row in rows:
        room -= len(data(row)) + 1
        if room < 0:
            break
        kept.append(row)
    return kept


# -- parts and files ---------------------------------------------------------------------------


def _preorder(part: Part) -> list[Part]:
    return [part, *(inner for child in part.children for inner in _preorder(child))]


def _part(model: Architecture, part: Part, places: dict[str, int], number: dict[int, int]) -> tuple[Any, ...]:
    files = [] if part.children else [number[place] for place in part.files if place in number]
    return (
        safe(part.key), safe(part.label), str(part.kind), len(part.files), part.lines, model.tested_by[part.key],
        part.stands_for, [places[child.key] for child in part.children], files,
    )  # fmt: skip


def _edges(model: Architecture, parts: dict[str, Part], places: dict[str, int]) -> list[tuple[int, int, bool]]:
    """Which part uses which of the same frame, and whether that closes a cycle."""
    found = []
    for key, frame in model.frames.items():
        inner = [places[child.key] for child in parts[key].children]
        found += [(inner[tie.source], inner[tie.target], tie.against and bool(tie.certain)) for tie in frame.ties]
    return found


def _cycles(model: Architecture, parts: dict[str, Part], places: dict[str, int]) -> list[list[int]]:
    return [
        [places[parts[key].children[child].key] for child in cycle]
        for key, frame in model.frames.items()
        for cycle in frame.cycles
    ]


def _files(atlas: Atlas, found: Survey, symbols: Counter[int], room: int) -> dict[int, Any]:
    """Rows by place in the survey: if not all fit, then the larger ones, and source before tests."""
    wanted = sorted(
        range(len(found.files)),
        key=lambda place: (found.files[place].role == "test", -found.files[place].lines, place),
    )
    kept = _first((_file(atlas, found.files[place], symbols[place]) for place in wanted), room)
    return dict(sorted(zip(wanted, kept, strict=False), key=lambda item: item[0]))


def _file(atlas: Atlas, file: File, symbols: int) -> tuple[Any, ...]:
    number = atlas.graph.number(file.path)
    assert number is not None  # a survey's files are the graph's
    return safe(file.path), file.role, file.lines, safe(file.entry), symbols, *atlas.entry(number).calls


# -- who uses whom, file by file ---------------------------------------------------------------


def _ties(found: Survey, told: Walk, number: dict[int, int], room: int) -> dict[str, list[Any]]:
    def order(pair: tuple[int, int]) -> tuple[bool, int, tuple[int, int]]:
        return tests[pair[0]], -sum(found.ties[pair]), pair

    tests = [file.role == "test" for file in found.files]
    certain = (
        (number[user], number[used], *found.ties[user, used], [] if tests[user] else told.places.get((user, used), []))
        for user, used in sorted(found.ties, key=order)
        if user in number and used in number
    )
    doubtful = (
        (number[user], [number[each] for each in used], count, _lines(told, user, used))
        for (user, used), count in sorted(found.doubtful.items(), key=lambda item: (-item[1], item[0]))
        if user in number and all(each in number for each in used)
    )
    ties = _first(certain, room)
    return {"ties": ties, "doubts": _first(doubtful, room - len(data(ties)))}


def _lines(told: Walk, user: int, used: Sequence[int]) -> list[int]:
    return sorted({line for each in used for line in told.doubts.get((user, each), ())})


def _texts(
    atlas: Atlas, found: Survey, ties: dict[str, list[Any]], files: Sequence[int], room: int
) -> list[tuple[int, int, str]]:
    """Lines of source: of every two files their first place, then of every two their second."""
    pairs = [(tie[0], tie[-1]) for tie in (*ties["ties"], *ties["doubts"])]
    deepest = max((len(lines) for _, lines in pairs), default=0)
    wanted = dict.fromkeys(
        (user, lines[rank]) for rank in range(deepest) for user, lines in pairs if rank < len(lines)
    )
    rows = ((user, line, _source(atlas.line(found.files[files[user]].path, line))) for user, line in wanted)
    return _first(rows, room)


def _source(line: str) -> str:
    text = safe(line.strip().replace("\t", " "))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


# -- definitions -------------------------------------------------------------------------------


def _chosen(found: Survey, told: Walk, number: dict[int, int], room: int) -> dict[str, Any]:
    """The definitions that fit with what ties them to each other; then, for those, the tests that use them."""
    roles = [file.role for file in found.files]
    used_by, tests = users(told, roles)
    near: dict[int, list[int]] = {}
    for user, used in told.uses:
        near.setdefault(used, []).append(user)
        if user >= 0:
            near.setdefault(user, []).append(used)
    row = _row(told, number, used_by, tests)
    digits = len(str(max(len(told.symbols), len(found.files))))
    kept = {~place for place in number if roles[place] != "test"}
    chosen: list[int] = []
    for place in ranked(told, used_by):
        if told.symbols[place].file not in number:
            continue
        met = (other for other in near.get(place, ()) if other in kept)
        room -= len(data(row(place))) + len(",[],") + sum(_cost(told, place, other, digits) for other in met)
        if room < 0:
            break
        kept.add(place)
        chosen.append(place)
    shown = {(user, used): use for (user, used), use in told.uses.items() if user in kept and used in kept}
    for place in chosen:
        for user in near.get(place, ()):
            if user not in kept and user < 0 and ~user in number:
                room -= _cost(told, user, place, digits)
                if room >= 0:
                    shown[user, place] = told.uses[user, place]
    return _numbered(told, number, sorted(chosen), row, shown)


def _row(
    told: Walk, number: dict[int, int], used_by: dict[int, int], tests: dict[int, int]
) -> Callable[..., tuple[Any, ...]]:
    def row(place: int, more_users: int = 9_999, more_used: int = 9_999) -> tuple[Any, ...]:
        item = told.symbols[place]
        doc = safe(" ".join(item.doc.split()))
        return (
            number[item.file], safe(item.key), safe(item.kind), item.line, item.end_line, safe(item.text), doc,
            item.tier, used_by[place], tests[place], told.external[place], told.unresolved[place], told.asked[place],
            more_users, more_used,
        )  # fmt: skip

    return row


def _numbered(
    told: Walk, number: dict[int, int], kept: Sequence[int], row: Callable[..., tuple[Any, ...]],
    shown: dict[tuple[int, int], Use],
) -> dict[str, Any]:  # fmt: skip
    """The rows, with how many users and how many used ones of each are not among them."""
    new = {place: count for count, place in enumerate(kept)} | {~place: ~count for place, count in number.items()}
    by_user: dict[int, list[int]] = {place: [] for place in range(len(kept))}
    for (user, used), use in sorted(shown.items()):
        by_user.setdefault(new[user], []).extend(_flat(new[used], use))
    left = [pair for pair in told.uses if pair not in shown]
    more_users, more_used = Counter(used for _, used in left), Counter(user for user, _ in left)
    return {
        "symbols": [row(place, more_users[place], more_used[place]) for place in kept],
        "uses": [by_user[place] for place in range(len(kept))],
        "file_uses": {str(~user): flat for user, flat in by_user.items() if user < 0},
    }


def _cost(told: Walk, one: int, other: int, digits: int) -> int:
    """At most how many bytes the uses between two take, whatever their numbers in the page will be."""
    found = (told.uses.get((one, other)), told.uses.get((other, one)))
    return sum(digits + len(f",{use.bits},{use.sites},{use.line},") for use in found if use is not None)


def _flat(used: int, use: Use) -> tuple[int, int, int, int]:
    return used, use.bits, use.sites, use.line
