"""`Index.board`: the evidence board of a repository, as typed calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct, field

from everdex.canvas.board.edits import Edit, checked, edit_of
from everdex.service.index import Reading
from everdex.surfaces.api.model import Answer


class Now(Struct, frozen=True):
    """Where an anchor is now."""

    path: str
    start_line: int | None
    end_line: int | None


class Anchor(Struct, frozen=True):
    """A place that evidence stands on: a file, lines, a symbol, or the tree as it was."""

    kind: str = field(name="anchor")
    state: str  # current, moved, changed, gone
    path: str | None = None
    content_hash: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    qualified_name: str | None = None
    scoped_id: str | None = None
    digest: str | None = None
    now: Now | None = None
    what: str | None = None  # interface or body, of a symbol that changed


class Evidence(Struct, frozen=True):
    id: str
    kind: str  # file, lines, symbol, search, impact, run
    state: str
    target: str
    summary: str
    text: str
    answer_may_differ: bool
    anchors: tuple[Anchor, ...]
    author: str
    session: str | None
    created_at: str
    updated_at: str
    updated_by: str
    snapshot_id: str
    digest: str


class Note(Struct, frozen=True):
    """A claim or a decision. `rests_on_changed` names evidence under it that changed, is gone or was dropped."""

    id: str
    kind: str
    state: str
    text: str
    cites: tuple[str, ...]
    rests_on_changed: tuple[str, ...]
    author: str
    session: str | None
    created_at: str
    updated_at: str
    updated_by: str
    snapshot_id: str
    digest: str


class Dropped(Struct, frozen=True):
    id: str
    text: str
    dropped_at: str
    dropped_by: str
    session: str | None


class BoardAnswer(Answer, frozen=True, kw_only=True):
    """The board, or after a change the items it touched; `counts` is of the whole board."""

    action: str
    touched: tuple[str, ...]
    kept_as: tuple[str, ...]  # of a reset: where the old board is
    board_id: str
    revision: int
    counts: dict[str, int]
    decisions: tuple[Note, ...]
    claims: tuple[Note, ...]
    evidence: tuple[Evidence, ...]
    dropped: tuple[Dropped, ...]


class Board:
    """The board of one repository; every method may be called from any thread."""

    def __init__(self, ask: Callable[[Edit, Reading], BoardAnswer]) -> None:
        self._ask = ask

    def show(
        self, *, everything: bool = False, sync: bool = True, snapshot_id: str | None = None
    ) -> BoardAnswer:
        """All of it, compared with the tree as it is now or as a snapshot has it; `everything`: what was dropped."""
        return self._done(Reading(sync, snapshot_id), action="show", everything=everything)

    def add_evidence(
        self, *targets: str, text: str | None = None, author: str | None = None, session: str | None = None
    ) -> BoardAnswer:
        """One item for each target: a path, path:first-last, a definition, search:…, impact:… or run:…."""
        return self._done(action="add_evidence", targets=targets, text=text, author=author, session=session)

    def claim(
        self,
        text: str,
        *,
        cites: Iterable[str] = (),
        kind: str | None = None,
        state: str | None = None,
        author: str | None = None,
        session: str | None = None,
    ) -> BoardAnswer:
        """A finding, hypothesis or question, and the evidence it rests on."""
        given = {"kind": kind, "state": state, "author": author, "session": session}
        return self._done(action="claim", text=text, cites=tuple(cites), **given)

    def decide(
        self,
        text: str,
        *,
        cites: Iterable[str] = (),
        kind: str | None = None,
        state: str | None = None,
        author: str | None = None,
        session: str | None = None,
    ) -> BoardAnswer:
        """A plan, an edit, a test or something to leave, and the claims and evidence it rests on."""
        given = {"kind": kind, "state": state, "author": author, "session": session}
        return self._done(action="decide", text=text, cites=tuple(cites), **given)

    def update(
        self,
        item: str,
        *,
        text: str | None = None,
        kind: str | None = None,
        state: str | None = None,
        cites: Iterable[str] | None = None,
        again: bool = False,
        author: str | None = None,
        session: str | None = None,
    ) -> BoardAnswer:
        """Change an item; with `again`, evidence stands on what is there now."""
        given = {"text": text, "kind": kind, "state": state, "again": again, "author": author, "session": session}
        return self._done(action="update", id=item, cites=None if cites is None else tuple(cites), **given)

    def drop(self, item: str, *, author: str | None = None, session: str | None = None) -> BoardAnswer:
        """Take an item off the board; that is recorded."""
        return self._done(action="drop", id=item, author=author, session=session)

    def reset(self) -> BoardAnswer:
        """Put the board aside, also a damaged one, and begin a new one."""
        return self._done(action="reset")

    def _done(self, reading: Reading | None = None, /, **given: Any) -> BoardAnswer:
        return self._ask(checked(edit_of(given)), reading or Reading())
