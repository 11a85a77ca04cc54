"""Decisions about what resolution leaves open: with a reason, for exactly one ambiguity in exactly its contents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from everdex import limits
from everdex.errors import NeedsDecision, UsageError
from everdex.service import applying, mutation
from everdex.service.index import Index
from everdex.service.mutation import GateQuestion
from everdex.service.relations import Question
from everdex.state import decisions
from everdex.state.decisions import Ambiguity, OpenPlace
from everdex.state.model import EDIT, SEMANTIC
from support.asked import asked
from support.stores import Workspace, synced
from support.trees import commit_all

FILES = {
    "core.py": "class Runner:\n    def go(self):\n        pass\n\n\nclass Walker:\n    def go(self):\n        pass\n",
    "open.py": "def start(thing):\n    thing.go()\n",
    "sure.py": "from core import Runner\n\nRunner().go()\n",
}


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    return synced(tmp_path / "tree", FILES, git=True)


def _gate(made: Workspace, decide: str | None = None, path: str = "open.py") -> dict[str, Any]:
    question = GateQuestion((path,), {}, SEMANTIC, None, decide)
    return asked(Index.open(made.path), "gate", question)


def _codes(answer: dict[str, Any]) -> list[str]:
    return [reason["code"] for file in answer["files"] for reason in file["reasons"]]


def _decisions(made: Workspace, *paths: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = asked(Index.open(made.path), "states", paths, None)["decisions"]
    return found


def test_a_decision_lifts_the_question_for_who_comes_next(made: Workspace) -> None:
    """Decided once with why, a semantic change of the same content is allowed, and the answer says by what."""
    assert (_gate(made)["decision"], _codes(_gate(made))) == ("warn", ["needs_decision"])
    assert _gate(made, "start() is given runners only")["decision"] == "allow"
    later = _gate(made)
    assert (later["decision"], _codes(later)) == ("allow", ["decided"])
    assert "start() is given runners only" in later["files"][0]["reasons"][0]["message"]


def test_only_what_is_open_is_asked(made: Workspace) -> None:
    """The places to look at are the calls that do not lead to one place; those that do are nobody's question."""
    made.write({"open.py": "from core import Runner\n\n\ndef start(thing):\n    Runner().go()\n    thing.go()\n"})
    (reason,) = _gate(made)["files"][0]["reasons"]
    assert [(place["path"], place["line"]) for place in reason["places"]] == [("open.py", 6)]


def test_another_content_of_the_slice_is_a_new_question(made: Workspace) -> None:
    """The file itself, or one that a candidate is in: whatever was decided is about another content."""
    _gate(made, "looked")
    for name in ("open.py", "core.py"):
        before = FILES[name]
        made.write({name: f"# moved\n{before}"})
        assert _codes(_gate(made)) == ["needs_decision"], name
        made.write({name: before})
        assert _codes(_gate(made)) == ["decided"], name


def test_a_new_ambiguity_is_a_new_question_though_no_file_of_the_slice_changed(made: Workspace) -> None:
    """One more candidate in another file: the signature is another."""
    _gate(made, "looked")
    made.write({"third.py": "class Third:\n    def go(self):\n        pass\n"})
    assert _codes(_gate(made)) == ["needs_decision"]
    made.remove("third.py")
    assert _codes(_gate(made)) == ["decided"]


def test_head_is_noted_and_decides_nothing(made: Workspace) -> None:
    """Another commit with the same contents leaves a decision as it is."""
    _gate(made, "looked")
    commit_all(made.path, "again")
    assert _codes(_gate(made)) == ["decided"]
    (record,) = _decisions(made)
    assert record["repo_head"] is not None


def test_decisions_can_be_seen_with_their_proof(made: Workspace) -> None:
    """`state` lists them: what was open, between what, in which contents, why, and whether it still holds."""
    _gate(made, "looked at start()")
    (record,) = _decisions(made)
    assert (record["about"], record["decision"], record["holds"]) == ("semantic change of open.py", "leave", True)
    assert record["proof"]["because"] == "looked at start()"
    (place,) = record["proof"]["places"]
    assert (place["path"], place["line"], place["text"]) == ("open.py", 2, "thing.go")
    assert list(place["candidates"]) == ["core.py::Runner.go", "core.py::Walker.go"]
    assert set(record["file_hashes"]) == {"core.py", "open.py"}
    assert _decisions(made, "sure.py") == []
    made.write({"open.py": "x = 1\n"})
    assert [item["holds"] for item in _decisions(made)] == [False]


def test_a_decision_needs_a_reason_and_a_question(made: Workspace) -> None:
    """No words, too many, or an edit that nobody asked a decision of: refused before anything is looked at."""
    for decide in ("", "  ", "x" * 2_001):
        with pytest.raises(UsageError):
            _gate(made, decide)
    with pytest.raises(UsageError):
        mutation.check(GateQuestion(("open.py",), {}, EDIT, None, "why"))
    _gate(made, "nothing is open here", "sure.py")
    assert _decisions(made) == []


def test_a_rename_with_doubts_is_decided_once(made: Workspace) -> None:
    """Left once, the same doubts in the same contents need no second word; one more doubt does."""
    index = Index.open(made.path)

    def planned() -> str:
        question = Question("rename", "core.py::Runner.go", new="walk")
        return str(asked(index, "relations", question)["plan_id"])

    with pytest.raises(NeedsDecision):
        applying.apply(index, planned())
    applying.apply(index, planned(), leave_doubts=True)
    assert "def walk" in (made.path / "core.py").read_text()
    made.write(FILES)  # taken back by hand
    applying.apply(index, planned())
    (record,) = _decisions(made)
    assert (record["about"], record["holds"]) == ("rename core.py::Runner.go to walk", False)
    assert record["proof"]["places"][0]["path"] == "open.py"
    made.write({**FILES, "other.py": "def more(it):\n    it.go()\n"})
    with pytest.raises(NeedsDecision):
        applying.apply(index, planned())


def test_what_cannot_be_read_discharges_nothing(made: Workspace) -> None:
    """A damaged record, or one of a newer everdex, is asked for again and no reason to fail."""
    _gate(made, "looked")
    (path,) = made.store.decisions.iterdir()
    whole = path.read_bytes()
    for damaged in (b"?", whole[:-5], whole.replace(b'"schema_version":1', b'"schema_version":99')):
        path.write_bytes(damaged)
        assert _codes(_gate(made)) == ["needs_decision"]


def test_few_are_kept(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest go first."""
    monkeypatch.setattr(limits, "DECISIONS_KEPT", 2)
    for number in range(4):
        place = OpenPlace("a.py", 1, 0, f"x{number}", "ambiguous", "")
        decisions.record(made.store, Ambiguity(f"change {number}", (place,), {"a.py": "0"}), "looked", None)
    assert {item.about for item in decisions.every(made.store)} == {"change 2", "change 3"}


def test_a_signature_is_of_what_is_open_and_not_of_where() -> None:
    """Another text, certainty, reason or candidate is another ambiguity; the same on another line is the same."""
    place = OpenPlace("a.py", 3, 4, "x.go", "ambiguous", "untyped parameter", ("b.py::B.go",))
    others = [
        replace(place, path="c.py"), replace(place, text="x.stop"), replace(place, certainty="unresolved"),
        replace(place, reason="missing import"), replace(place, candidates=("b.py::B.go", "b.py::C.go")),
    ]  # fmt: skip
    found = [Ambiguity("change", (item,), {"a.py": "0"}).signature for item in (place, *others)]
    assert len(set(found)) == len(found)
    assert Ambiguity("change", (replace(place, line=9),), {"a.py": "0"}).signature == found[0]
    assert Ambiguity("rename", (place,), {"a.py": "0"}).signature != found[0]
