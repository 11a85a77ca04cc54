"""What can be done to a board, as a function from one board to the next.

Everything is checked before anything is changed: what an action takes, what a kind or state may be, that cited items
exist, and the limits. Nothing disappears: a dropped item leaves a record, and its number is never given again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from everdex import limits
from everdex.canvas.board import model
from everdex.canvas.board.model import Anchor, Board, Dropped, Evidence, Note, Stamp
from everdex.errors import LimitExceeded, QueryError, UsageError
from everdex.search.check import check as check_search
from everdex.search.model import Mode, SearchRequest

SHOW: Final = "show"
ADD: Final = "add_evidence"
CLAIM: Final = "claim"
DECIDE: Final = "decide"
UPDATE: Final = "update"
DROP: Final = "drop"
RESET: Final = "reset"
# How a target begins that is not a place.
SEARCH: Final = "search:"
IMPACT: Final = "impact:"
RUN: Final = "run:"
PREFIXES: Final = (SEARCH, IMPACT, RUN)
RESULTS: Final = 5  # of a search that evidence stands on
# action -> what it must be given, and what it may be
ACTIONS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    SHOW: ((), ("everything",)),
    ADD: (("targets",), ("text",)),
    CLAIM: (("text",), ("kind", "state", "cites")),
    DECIDE: (("text",), ("kind", "state", "cites")),
    UPDATE: (("id",), ("text", "kind", "state", "cites", "again")),
    DROP: (("id",), ()),
    RESET: ((), ()),
}
_ID: Final = re.compile(r"[ECD][1-9][0-9]{0,8}")
_KINDS: Final = {"C": model.CLAIM_KINDS, "D": model.DECISION_KINDS}
_STATES: Final = {"C": model.CLAIM_STATES, "D": model.DECISION_STATES}
_LETTERS: Final = {CLAIM: "C", DECIDE: "D"}
_CITED: Final = {"C": "E", "D": "CE"}
_RECORDED: Final = 200  # characters of a dropped item that stay
_MOST_NAME: Final = 100
_ABSENT: Final[dict[str, Any]] = {
    "targets": (), "text": None, "kind": None, "state": None, "cites": None, "id": None, "again": False,
    "everything": False,
}  # fmt: skip


class Edit(msgspec.Struct, frozen=True):
    """What somebody asks of the board; which fields count is the action's business."""

    action: str = SHOW
    targets: tuple[str, ...] = ()
    text: str | None = None
    kind: str | None = None
    state: str | None = None
    cites: tuple[str, ...] | None = None
    id: str | None = None
    again: bool = False  # evidence is looked at again: it stands on what is there now
    everything: bool = False  # also list what was dropped
    author: str | None = None
    session: str | None = None


class Draft(msgspec.Struct, frozen=True):
    """Evidence that is not on the board yet."""

    kind: str
    target: str
    summary: str
    anchors: tuple[Anchor, ...]


def edit_of(given: Mapping[str, Any]) -> Edit:
    """An edit from plain values of the right types; what is None was not said, and what is not ours is left out."""
    return msgspec.convert({name: value for name, value in given.items() if value is not None}, Edit)


def checked(edit: Edit) -> Edit:
    """The edit with its ids spelled as ours; `UsageError` or `LimitExceeded` for what no board can take."""
    if edit.action not in ACTIONS:
        raise UsageError(f"unknown action {edit.action[:40]!r}; known are {', '.join(ACTIONS)}")
    needs, may = ACTIONS[edit.action]
    for name, absent in _ABSENT.items():
        given = getattr(edit, name) != absent
        if given and name not in needs and name not in may:
            takes = ", ".join((*needs, *may)) or "nothing"
            raise UsageError(f"{edit.action} takes no {name}", hint=f"it takes {takes}")
        if not given and name in needs:
            raise UsageError(f"{edit.action} needs {name}", hint="see `everdex board --help`")
    for name in ("author", "session"):
        if len(getattr(edit, name) or "") > _MOST_NAME:
            raise UsageError(f"{name} is longer than {_MOST_NAME} characters", hint="shorten it")
    for text in (edit.text, edit.author, edit.session, *edit.targets):
        _check_text(text)
    for target in edit.targets:
        _check_target(target)
    if len(edit.targets) > limits.MAX_BOARD_TARGETS:
        raise _too_much(f"{len(edit.targets)} targets", limits.MAX_BOARD_TARGETS, "add them in parts")
    if edit.cites is not None and len(edit.cites) > limits.MAX_BOARD_CITES:
        raise _too_much(f"{len(edit.cites)} cited items", limits.MAX_BOARD_CITES, "cite what matters most")
    spelled = replace(
        edit,
        id=None if edit.id is None else _spelled(edit.id),
        cites=None if edit.cites is None else tuple(dict.fromkeys(map(_spelled, edit.cites))),
    )
    letter = _LETTERS.get(edit.action) or (spelled.id or "E")[0]
    _check_choices(spelled, letter)
    return spelled


def _check_text(text: str | None) -> None:
    if text is None:
        return
    if len(text) > limits.MAX_BOARD_TEXT:
        raise _too_much(f"{len(text):,} characters", limits.MAX_BOARD_TEXT, "shorten it, or make several items of it")
    if any("\ud800" <= char <= "\udfff" for char in text) or "\0" in text:
        raise UsageError("a text is not Unicode, or has a NUL in it", hint="give plain text")


def _check_target(target: str) -> None:
    if not target.strip():
        raise QueryError("a target is empty", hint="name a file, lines, a definition, search:…, impact:… or run:…")
    prefix = next((known for known in PREFIXES if target.startswith(known)), "")
    if not target.removeprefix(prefix).strip():
        raise QueryError(f"{target!r} names nothing", hint=f"say what: {prefix}…")
    if prefix == SEARCH:
        check_search(search_request(target.removeprefix(SEARCH)))


def search_request(query: str) -> SearchRequest:
    """What `search:QUERY` asks."""
    return SearchRequest(query, Mode.HYBRID, RESULTS)


def _check_choices(edit: Edit, letter: str) -> None:
    if letter == "E":
        if edit.kind is not None or edit.state is not None or edit.cites is not None:
            raise UsageError("evidence has no kind, state or cites of its own", hint="update its text, or look again")
        return
    if edit.text is not None and not edit.text.strip():
        raise UsageError("the text is empty", hint="say in a sentence what is claimed or decided")
    if edit.again:
        raise UsageError("only evidence is looked at again", hint="name an E")
    for name, value, known in (("kind", edit.kind, _KINDS[letter]), ("state", edit.state, _STATES[letter])):
        if value is not None and value not in known:
            raise UsageError(f"unknown {name} {value[:40]!r}; known are {', '.join(known)}", hint="choose one of them")
    wrong = [cited for cited in edit.cites or () if cited[0] not in _CITED[letter]]
    if wrong:
        may = "evidence" if letter == "C" else "claims and evidence"
        raise UsageError(f"{wrong[0]} cannot be cited here", hint=f"cite {may}")


def _spelled(name: str) -> str:
    found = name.strip().upper()
    if not _ID.fullmatch(found):
        raise UsageError(f"{name[:40]!r} is no item of a board", hint="items are called E1, C1, D1, …")
    return found


def _too_much(what: str, most: int, hint: str) -> LimitExceeded:
    return LimitExceeded(f"{what}; at most {most:,} are allowed", hint=hint)


def applied(board: Board, edit: Edit, stamp: Stamp, drafts: Sequence[Draft]) -> tuple[Board, tuple[str, ...]]:
    """The board after a checked edit, and the items it touched. `drafts` are the evidence it brings."""
    if edit.action == ADD:
        return _add(board, edit, stamp, drafts)
    if edit.action in _LETTERS:
        return _noted(board, edit, stamp, _LETTERS[edit.action])
    assert edit.id is not None
    item = found(board, edit.id)
    if edit.action == DROP:
        return _dropped(board, item, stamp), (item.id,)
    return _updated(board, item, edit, stamp, drafts), (item.id,)


def found(board: Board, name: str) -> Evidence | Note:
    """An item by its id; `UsageError` when the board does not have it (any more)."""
    for item in board.items:
        if item.id == name:
            return item
    gone = next((record for record in board.dropped if record.id == name), None)
    if gone is not None:
        raise UsageError(f"{name} was dropped at {gone.stamp.at}", hint="`everdex board --all` lists what was dropped")
    raise UsageError(f"there is no {name} on the board", hint="`everdex board` lists what there is")


def _add(board: Board, edit: Edit, stamp: Stamp, drafts: Sequence[Draft]) -> tuple[Board, tuple[str, ...]]:
    board, names = _numbered(board, "E", len(drafts))
    new = tuple(
        Evidence(name, draft.kind, draft.target, draft.summary, edit.text or "", draft.anchors, stamp, stamp)
        for name, draft in zip(names, drafts, strict=True)
    )
    return replace(board, evidence=(*board.evidence, *new)), names


def _noted(board: Board, edit: Edit, stamp: Stamp, letter: str) -> tuple[Board, tuple[str, ...]]:
    for cited in edit.cites or ():
        found(board, cited)
    board, names = _numbered(board, letter, 1)
    note = Note(
        names[0], edit.kind or _KINDS[letter][0], edit.state or _STATES[letter][0], edit.text or "", edit.cites or (),
        stamp, stamp,
    )  # fmt: skip
    if letter == "C":
        return replace(board, claims=(*board.claims, note)), names
    return replace(board, decisions=(*board.decisions, note)), names


def _numbered(board: Board, letter: str, count: int) -> tuple[Board, tuple[str, ...]]:
    if len(board.items) + count > limits.MAX_BOARD_ITEMS:
        raise _too_much(
            f"the board would have {len(board.items) + count} items", limits.MAX_BOARD_ITEMS,
            "drop what is settled (`everdex board drop ID`), or begin anew with `everdex board reset`",
        )  # fmt: skip
    last = board.given[letter]
    names = tuple(f"{letter}{last + number}" for number in range(1, count + 1))
    return replace(board, given={**board.given, letter: last + count}), names


def _dropped(board: Board, item: Evidence | Note, stamp: Stamp) -> Board:
    words = item.text or (item.target if isinstance(item, Evidence) else "")
    record = Dropped(item.id, words[:_RECORDED], stamp)
    return replace(_without(board, item), dropped=(*board.dropped, record))


def _without(board: Board, item: Evidence | Note) -> Board:
    return replace(
        board,
        evidence=tuple(other for other in board.evidence if other.id != item.id),
        claims=tuple(other for other in board.claims if other.id != item.id),
        decisions=tuple(other for other in board.decisions if other.id != item.id),
    )


def _updated(board: Board, item: Evidence | Note, edit: Edit, stamp: Stamp, drafts: Sequence[Draft]) -> Board:
    changes: dict[str, Any] = {} if edit.text is None else {"text": edit.text}
    if isinstance(item, Evidence):
        if edit.again:
            (draft,) = drafts
            changes |= {"target": draft.target, "summary": draft.summary, "anchors": draft.anchors}
    else:
        for cited in edit.cites or ():
            if cited not in item.cites:
                found(board, cited)
        given = {"kind": edit.kind, "state": edit.state, "cites": edit.cites}
        changes |= {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise UsageError(f"nothing about {item.id} is to be changed", hint="say what: a text, a kind, a state, …")
    after = replace(item, **changes, updated=stamp)

    def swapped(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(after if other.id == item.id else other for other in items)

    return replace(
        board, evidence=swapped(board.evidence), claims=swapped(board.claims), decisions=swapped(board.decisions)
    )
