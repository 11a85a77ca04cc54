"""The tool `board` over real stdio with the SDK's own client: what an agent notes, and what the next one finds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the MCP server is an extra: pip install 'everdex[mcp]'")

from support.agents import Agent
from support.commands import everdex
from support.trees import tree

FILES = {
    "core.py": "def helper(a):\n    return a\n",
    "app.py": "from core import helper\n\n\ndef run():\n    return helper(1)\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "project", FILES, git=True)


def test_what_one_agent_notes_the_next_one_finds(root: Path) -> None:
    """Evidence, a claim and a decision by one client; another, after an edit, sees what went stale, as the CLI does."""
    with Agent(root) as first:
        assert first.ask("board")["counts"]["evidence"] == 0
        added = first.ask("board", action="add_evidence", targets=["helper", "impact:helper"], text="seen")
        assert (added["touched"], [item["state"] for item in added["evidence"]]) == (["E1", "E2"], ["current"] * 2)
        first.ask("board", action="claim", text="helper\x1b is pure", cites=["e1"], kind="finding")
        decided = first.ask("board", action="decide", text="pass b", cites=["C1"], kind="edit")
        assert (decided["decisions"][0]["id"], decided["claims"], decided["evidence"]) == ("D1", [], [])
    (root / "core.py").write_text("def helper(a, b):\n    return a\n")
    with Agent(root) as second:
        result = second.call("board")
        reply = result.structured_content
        assert reply is not None
        assert [item["rests_on_changed"] for item in (*reply["claims"], *reply["decisions"])] == [["E1"], ["E1"]]
        assert reply["evidence"][0]["anchors"][0] == {
            "state": "changed", "was": "core.py:1-2 helper", "now": "core.py:1-2", "what": "interface"
        }  # fmt: skip
        text = result.content[0].text  # type: ignore[union-attr]
        assert "D1 open edit: pass b [C1] RESTS ON CHANGED E1" in text
        assert "\x1b" not in text
        assert len(text) <= len(json.dumps(reply, ensure_ascii=False))
        second.ask("board", action="update", id="D1", state="done")
        assert second.ask("board", action="drop", id="C1")["dropped"][0]["id"] == "C1"
        assert second.ask("status")["board"]["claims"] == 0
    document = everdex("board", "--json", "--all", cwd=root).json
    assert (document["decisions"][0]["state"], document["dropped"][0]["id"]) == ("done", "C1")
    authors = {item["author"] for item in document["evidence"]}
    sessions = {item["session"] for item in document["evidence"]}
    assert (len(authors), len(sessions), None in sessions) == (1, 1, False)
    everdex("stop", root)


def test_calls_are_checked_and_fit_their_budget(root: Path) -> None:
    """Unknown and misplaced arguments, unknown actions and items are coded errors; a full board fits the budget."""
    with Agent(root) as agent:
        for arguments, said in (
            ({"action": "claim", "text": "x", "colour": "red"}, "no argument 'colour'"),
            ({"action": "reset"}, "action"),
            ({"action": "claim", "text": "x", "targets": ["a"]}, "claim takes no targets"),
            ({"action": "drop", "id": "E4"}, "there is no E4"),
            ({"action": "claim", "text": "x", "state": "done"}, "unknown state"),
        ):
            error = agent.fail("board", **arguments)
            assert (error["code"], said in error["message"]) == ("usage", True), error
        assert agent.fail("board", action="add_evidence", targets=["nobody"])["code"] == "query_invalid"
        for number in range(12):
            agent.ask("board", action="decide", text=f"{number} {'word ' * 60}", state="open" if number else "done")
        reply = agent.ask("board", budget_tokens=1_000)
        assert len(json.dumps(reply, ensure_ascii=False, separators=(",", ":"))) <= 3_000
        assert reply["omitted"]["decisions"] == 12 - len(reply["decisions"]) > 0
        assert "D1" not in [item["id"] for item in reply["decisions"]]
    everdex("stop", root)
