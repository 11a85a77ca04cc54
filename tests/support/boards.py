"""The board of a tree, asked in this process as a command would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from everdex.canvas.board.edits import checked, edit_of
from everdex.service.index import Index, Reading
from support.asked import asked


class Desk:
    """A tree and its board."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def do(self, action: str, **given: Any) -> dict[str, Any]:
        reading = Reading(given.pop("sync", True), given.pop("snapshot_id", None))
        edit = edit_of({"action": action, **given})
        return asked(Index.open(self.root), "board", checked(edit), reading=reading)

    def show(self, **given: Any) -> dict[str, Any]:
        return self.do("show", **given)

    def look(self, *targets: str) -> list[str]:
        """The ids of new evidence."""
        touched: list[str] = self.do("add_evidence", targets=list(targets), author="tester")["touched"]
        return touched

    def states(self) -> dict[str, str]:
        """Evidence id -> whether it still holds."""
        return {item["id"]: item["state"] for item in self.show()["evidence"]}

    def item(self, name: str) -> dict[str, Any]:
        shown = self.show()
        found: dict[str, Any] = next(
            item for part in ("evidence", "claims", "decisions") for item in shown[part] if item["id"] == name
        )
        return found

    def path(self) -> Path:
        """Where the board lies."""
        return Index.open(self.root).store().path / "canvas" / "state.json"
