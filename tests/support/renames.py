"""Rename plans for tests: asking for one, and carrying it out by hand."""

from __future__ import annotations

from typing import Any

from everdex.service.index import Index
from everdex.service.relations import Question
from support.asked import asked
from support.stores import Workspace


def plan_of(made: Workspace, symbol: str, new: str, **more: Any) -> dict[str, Any]:
    """What renaming a symbol comes to, as the answer has it."""
    question = Question("rename", symbol, new=new, **more)
    return asked(Index.open(made.path), "relations", question)


def carried_out(made: Workspace, plan: dict[str, Any], new: str) -> dict[str, str]:
    """The files with the edits made, last first; each must be where the plan says."""
    before = {path: (made.path / path).read_bytes() for path in plan["files"]}
    texts = dict(before)
    for edit in reversed(plan["edits"]):
        start, end = edit["byte_start"], edit["byte_end"]
        assert before[edit["path"]][:start].decode("utf-8", "ignore").endswith(edit["before"])
        assert before[edit["path"]][end:].decode("utf-8", "ignore").startswith(edit["after"])
        texts[edit["path"]] = texts[edit["path"]][:start] + new.encode() + texts[edit["path"]][end:]
    return {path: data.decode() for path, data in texts.items()}


def doubted(plan: dict[str, Any]) -> set[tuple[str, int, str]]:
    """Path, line and role of each place in doubt."""
    return {(doubt["path"], doubt["line"], doubt["role"]) for doubt in plan["doubts"]}
