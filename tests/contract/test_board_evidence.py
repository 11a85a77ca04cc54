"""Evidence and the tree: what stays current, what moved, what changed, what is gone, and what rests on that."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.errors import QueryError, UsageError
from support.boards import Desk
from support.trees import tree

APP = '''"""An application."""

import core


class App:
    """Runs."""

    def run(self, times):
        return core.helper(times)

    def stop(self):
        return None


def main(argv):
    return App().run(len(argv))
'''
FILES = {
    "app.py": APP,
    "core.py": "def helper(a):\n    return a\n",
    "notes.md": "# Notes\n\nSigned cookies are kept here.\n",
    "twins.py": "def twin():\n    return 1\n\n\nclass Other:\n    def twin(self):\n        return 2\n",
}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tree(tmp_path / "project", FILES, git=True))


def _edit(desk: Desk, path: str, old: str, new: str) -> None:
    text = (desk.root / path).read_text()
    assert old in text
    (desk.root / path).write_text(text.replace(old, new))


def test_each_target_is_one_item_of_its_kind(desk: Desk) -> None:
    """Files, lines, definitions by name or path::name, searches, impact and runs, with who, when and which snapshot."""
    targets = (
        "app.py", "app.py:9-10", "app.py:9", "App.stop", "twins.py::twin", "search:signed cookies", "impact:helper",
        "run:pytest -q",
    )  # fmt: skip
    answer = desk.do("add_evidence", targets=list(targets), text="seen", author="agent", session="s1")
    assert answer["touched"] == [f"E{number}" for number in range(1, 9)]
    items = answer["evidence"]
    assert [(item["kind"], item["target"]) for item in items] == list(
        zip(("file", "lines", "lines", "symbol", "symbol", "search", "impact", "run"), targets, strict=True)
    )
    assert {item["state"] for item in items} == {"current"}
    assert {(item["author"], item["session"], item["text"]) for item in items} == {("agent", "s1", "seen")}
    assert {(item["snapshot_id"], item["digest"]) for item in items} == {(answer["snapshot_id"], answer["digest"])}
    assert [item["summary"] for item in items[3:5]] == ["app.py:12-13", "twins.py:1-2"]
    affected = {anchor["qualified_name"] for anchor in items[6]["anchors"]}
    assert affected == {"helper", "App.run", "main"}
    assert items[6]["summary"] == "2 affected (0 uncertain), 0 test files"


def test_lines_that_shift_are_moved_and_not_stale(desk: Desk) -> None:
    """The same text at other lines is told with where it is now, and a claim on it stands."""
    desk.look("app.py:9-10", "App.stop", "main")
    desk.do("claim", text="run delegates", cites=["E1", "E2", "E3"])
    _edit(desk, "app.py", "import core\n", "import core\nimport sys\n")
    assert desk.states() == {"E1": "moved", "E2": "moved", "E3": "moved"}
    now = [desk.item(name)["anchors"][0]["now"] for name in ("E1", "E2", "E3")]
    assert [(place["start_line"], place["end_line"]) for place in now] == [(10, 11), (13, 14), (17, 18)]
    assert desk.item("C1")["rests_on_changed"] == []


def test_an_edit_elsewhere_in_the_file_changes_nothing(desk: Desk) -> None:
    """Evidence is about its lines, not about its file."""
    desk.look("app.py:6-10", "App.run")
    _edit(desk, "app.py", "len(argv)", "len(argv) + 1")
    assert desk.states() == {"E1": "current", "E2": "current"}


def test_changed_evidence_is_told_on_everything_above_it(desk: Desk) -> None:
    """Body or interface, by the definition; the claim and the decision on that claim name the evidence."""
    desk.look("App.run", "helper", "app.py:9-10", "core.py")
    desk.do("claim", text="run takes times", cites=["E1"])
    desk.do("claim", text="helper is pure", cites=["E2"])
    desk.do("decide", text="rename times", cites=["C1"], kind="edit")
    _edit(desk, "app.py", "core.helper(times)", "core.helper(times) + 1")
    _edit(desk, "core.py", "helper(a)", "helper(a, b)")
    assert desk.states() == {"E1": "changed", "E2": "changed", "E3": "changed", "E4": "changed"}
    assert [desk.item(name)["anchors"][0]["what"] for name in ("E1", "E2")] == ["body", "interface"]
    assert [desk.item(name)["rests_on_changed"] for name in ("C1", "C2", "D1")] == [["E1"], ["E2"], ["E1"]]
    counts = desk.show()["counts"]
    assert (counts["changed_evidence"], counts["on_changed_evidence"]) == (4, 3)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("def stop(self)", "def stop(self, why)", "interface"),
        ("    def stop(self)", "    def halt(self)", "interface"),
        ("return None", "return 0", "body"),
        ('"""Runs."""', '"""Walks."""', "body"),
    ],
)
def test_of_a_class_the_interface_is_what_is_public_in_it(desk: Desk, old: str, new: str, what: str) -> None:
    """A method's signature or name is part of it; bodies and documentation are not."""
    desk.look("App")
    _edit(desk, "app.py", old, new)
    assert (desk.states(), desk.item("E1")["anchors"][0]["what"]) == ({"E1": "changed"}, what)


def test_what_is_deleted_is_gone(desk: Desk) -> None:
    """A definition that is taken out, a file that is removed."""
    desk.look("App.stop", "core.py:1", "core.py", "helper")
    _edit(desk, "app.py", "\n    def stop(self):\n        return None\n", "")
    (desk.root / "core.py").unlink()
    assert set(desk.states().values()) == {"gone"}


def test_a_renamed_file_is_followed(desk: Desk) -> None:
    """The same content under another name, and a definition that moved to another file, are moved."""
    desk.look("core.py", "core.py:1-2", "helper", "App.stop")
    (desk.root / "core.py").rename(desk.root / "kernel.py")
    assert desk.states() == {"E1": "moved", "E2": "moved", "E3": "moved", "E4": "current"}
    assert {desk.item(name)["anchors"][0]["now"]["path"] for name in ("E1", "E2", "E3")} == {"kernel.py"}
    _edit(desk, "kernel.py", "def helper", "LIMIT = 1\n\n\ndef helper")
    assert desk.states() == {"E1": "gone", "E2": "gone", "E3": "moved", "E4": "current"}


def test_a_definition_of_the_same_name_elsewhere_is_not_the_same(desk: Desk) -> None:
    """Identity has the path in it: other text under the same name is no proof."""
    desk.look("helper")
    (desk.root / "core.py").unlink()
    (desk.root / "fresh.py").write_text("def helper(a):\n    return -a\n")
    assert desk.states() == {"E1": "gone"}


def test_an_answer_says_when_there_may_be_more(desk: Desk) -> None:
    """What an answer named may still stand while the tree has new callers: that is said, and is not staleness."""
    desk.look("impact:helper", "search:signed cookies")
    assert [desk.item(name)["answer_may_differ"] for name in ("E1", "E2")] == [False, False]
    (desk.root / "more.py").write_text("import core\n\n\ndef also():\n    return core.helper(3)\n")
    assert desk.states() == {"E1": "current", "E2": "current"}
    assert [desk.item(name)["answer_may_differ"] for name in ("E1", "E2")] == [True, True]
    desk.do("update", id="E1", again=True)
    assert desk.item("E1")["summary"].startswith("3 affected")
    assert not desk.item("E1")["answer_may_differ"]


def test_a_run_and_an_empty_search_stand_on_the_whole_tree(desk: Desk) -> None:
    """Any change of the tree makes them old; the same content again makes them current."""
    (desk.root / "notes.md").unlink()
    desk.look("run:pytest -q", "search:lang:rust zebra")
    assert desk.item("E2")["summary"].endswith("nothing found")
    (desk.root / "core.py").write_text("def helper(a):\n    return 2\n")
    assert desk.states() == {"E1": "changed", "E2": "changed"}
    (desk.root / "core.py").write_text(FILES["core.py"])
    assert desk.states() == {"E1": "current", "E2": "current"}


def test_looking_again_follows_what_was_seen(desk: Desk) -> None:
    """Moved lines take their new place, a changed definition stands on its new body, changed lines are named anew."""
    desk.look("app.py:9-10", "App.stop", "core.py:1")
    _edit(desk, "app.py", "import core\n", "import core\nimport sys\n")
    _edit(desk, "app.py", "return None", "return 0")
    _edit(desk, "core.py", "def helper(a):", "def helper(b):")
    for name in ("E1", "E2"):
        desk.do("update", id=name, again=True, author="second")
    assert desk.states() == {"E1": "current", "E2": "current", "E3": "changed"}
    assert (desk.item("E1")["target"], desk.item("E1")["updated_by"]) == ("app.py:10-11", "second")
    with pytest.raises(UsageError, match="E3 changed"):
        desk.do("update", id="E3", again=True)
    (desk.root / "core.py").unlink()
    with pytest.raises(UsageError, match="E3 is gone"):
        desk.do("update", id="E3", again=True)


def test_nothing_is_guessed(desk: Desk) -> None:
    """A name that is nothing, or two things, and lines that a file does not have, are refused with what to say."""
    (desk.root / "more.py").write_text("def helper():\n    pass\n")
    for target, said in (
        ("nobody", "neither an indexed file nor"),
        ("helper", "2 definitions fit 'helper': core.py:1-2, more.py:1-2"),
        ("impact:helper", "several definitions fit: core.py:1, more.py:1"),
        ("impact:nobody", "no definition is called so"),
        ("core.py:3", "has 2 lines"),
        ("core.py:2-1", "are no lines"),
        ("core.py:0", "are no lines"),
        ("search:", "names nothing"),
        (" ", "empty"),
        ("../outside.py", "neither an indexed file nor"),
    ):
        with pytest.raises(QueryError, match=said):
            desk.look("app.py", target)
    assert desk.show()["evidence"] == []
    assert desk.look("core.py::helper", "twin") == ["E1", "E2"]


def test_an_older_snapshot_can_be_asked(desk: Desk) -> None:
    """Against the snapshot it was taken from, evidence is current for as long as that is retained."""
    desk.look("helper")
    known = desk.item("E1")["snapshot_id"]
    _edit(desk, "core.py", "return a", "return -a")
    assert desk.states() == {"E1": "changed"}
    assert desk.show(snapshot_id=known)["evidence"][0]["state"] == "current"
    with pytest.raises(UsageError, match="older snapshot"):
        desk.do("claim", text="x", snapshot_id=known)
