"""The evidence board as answers: reading it, and changing it, against the snapshot that is current.

The one way every surface comes to the board. Evidence is anchored in the snapshot of the answer; searches and impact
are asked here, as anybody would, and what they named is what the evidence stands on.
"""

from __future__ import annotations

import getpass
from typing import Any

from everdex import clock, limits
from everdex.canvas.board import edits
from everdex.canvas.board.drafts import Sources, drafted, drafted_again
from everdex.canvas.board.edits import IMPACT, Draft, Edit
from everdex.canvas.board.file import change_board, read_board, reset_board
from everdex.canvas.board.look import Looking
from everdex.canvas.board.model import Board, Evidence, Stamp
from everdex.canvas.board.shown import Shown
from everdex.canvas.board.summary import headline, summary
from everdex.errors import EverdexError, UsageError
from everdex.service.answers import Answer, Freshness
from everdex.service.index import Index, Reading
from everdex.snapshot.store import Store
from everdex.view import SnapshotView


def needs_graph(store: Store, edit: Edit) -> bool:
    """Whether an edit asks for impact, also of evidence that is looked at again."""
    targets = list(edit.targets)
    if edit.again:
        targets += [item.target for item in read_board(store).evidence if item.id == edit.id]
    return any(target.startswith(IMPACT) for target in targets)


def impact_question(symbol: str) -> Any:
    from everdex.service.relations import Question

    return Question("impact", symbol, limit=limits.MAX_BOARD_ANCHORS - 1)


# -- answers -------------------------------------------------------------------------------------


def answer(index: Index, sources: Sources, edit: Edit, freshness: Freshness, reading: Reading) -> Answer:
    """The answer from an open view to a checked edit (or to a question, which is an edit that changes nothing)."""
    view, store = sources.view, sources.view.store
    body: dict[str, Any] = {"action": edit.action, "touched": [], "kept_as": []}
    if edit.action == edits.SHOW:
        body |= Shown(read_board(store), Looking(view)).document(everything=edit.everything)
        return index.answer(view, freshness, body, warnings=reading.warnings)
    if reading.snapshot_id is not None:
        raise UsageError("a board is changed as of now, not of an older snapshot", hint="leave the snapshot out")
    if edit.action == edits.RESET:
        body["kept_as"] = [str(path) for path in reset_board(store)]
        body |= Shown(read_board(store), Looking(view)).document()
        return index.answer(view, freshness, body, warnings=reading.warnings)
    drafts = _drafts(sources, edit)
    stamp = _stamp(view, edit)
    touched: tuple[str, ...] = ()

    def change(board: Board) -> Board:
        nonlocal touched
        board, touched = edits.applied(board, edit, stamp, drafts)
        return board

    after = change_board(store, change)
    body["touched"] = list(touched)
    body |= Shown(after, Looking(view)).document(touched)
    return index.answer(view, freshness, body, warnings=reading.warnings)


def _stamp(view: SnapshotView, edit: Edit) -> Stamp:
    manifest = view.manifest
    return Stamp(edit.author or _somebody(), edit.session, clock.rfc3339(), manifest.snapshot_id, manifest.digest)


def _somebody() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def _drafts(sources: Sources, edit: Edit) -> list[Draft]:
    """The evidence that an edit brings, taken from the view before the board is touched."""
    if edit.again:
        assert edit.id is not None
        item = edits.found(read_board(sources.view.store), edit.id)
        assert isinstance(item, Evidence)
        return [drafted_again(sources, item)]
    return [drafted(sources, target) for target in edit.targets]


# -- in a few words ------------------------------------------------------------------------------


def told(view: SnapshotView, limit: int) -> str:
    """What an agent that lost its memory should know, in at most `limit` characters; empty for an empty board."""
    try:
        return summary(Shown(read_board(view.store), Looking(view)), limit)
    except EverdexError as error:
        return f"everdex board: it cannot be read ({error.code}); `everdex board` says why."[:limit]


def announced(store: Store) -> str:
    """One line that there is a board; empty for an empty one."""
    try:
        said = headline(read_board(store).counts())
    except EverdexError as error:
        return f"everdex board: it cannot be read ({error.code}); `everdex board` says why."
    return f"{said} See `everdex board`." if said else ""
