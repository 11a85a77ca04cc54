"""File states: clean, dirty, stale, pending or unindexed, each with the reason and its witness."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from everdex.errors import UsageError
from everdex.service import mutation, opening
from everdex.service.index import Index, Reading
from everdex.service.mutation import GateQuestion, GraphKeeper
from everdex.state.model import FileState
from everdex.state.states import States
from everdex.sync.model import SyncOptions
from support.asked import asked
from support.stores import Workspace, synced

_FILES = {
    "core.py": "def helper(a):\n    return a\n\n\ndef _inner(x):\n    return x\n\n\ndef other():\n    return 1\n",
    "app.py": "from core import helper\n\n\ndef run():\n    return helper(1)\n",
    "peek.py": "from core import _inner\n\n\ndef look():\n    return _inner(1)\n",
    "top.py": "import app\n\n\ndef main():\n    app.run()\n",
    "alone.py": "def alone():\n    return 0\n",
    "notes.md": "# Notes\n",
}
_AS_IT_IS = Reading(sync=False)


def _made(tmp_path: Path, files: dict[str, str] | None = None) -> Workspace:
    """An indexed tree with its graph."""
    made = synced(tmp_path / "tree", files or _FILES)
    _make_graph(made)
    return made


def _make_graph(made: Workspace) -> None:
    with Index.open(made.path).view(_AS_IT_IS) as (view, _):
        opening.open_for(view, SyncOptions(workers=1))


@contextmanager
def _states(made: Workspace, *, parse_bytes: int | None = None) -> Iterator[States]:
    index = Index.open(made.path)
    with index.view(_AS_IT_IS) as (view, freshness):
        known = GraphKeeper().known(view)
        with (
            mutation.scene(index, view, known, freshness, None) as found,
            mutation.states_of(found, parse_bytes) as states,
        ):
            yield states


def _state(made: Workspace, path: str, *, parse_bytes: int | None = None) -> FileState:
    with _states(made, parse_bytes=parse_bytes) as states:
        return states.of(path)


def _freshness(made: Workspace) -> dict[str, str]:
    with _states(made) as states:
        return {state.path: str(state.freshness) for state in states.batch()}


def test_an_untouched_tree_is_clean(tmp_path: Path) -> None:
    """Nothing changed, nothing is doubted; certainty comes from what resolution could decide."""
    made = _made(tmp_path, {**_FILES, "doubt.py": "def f(x):\n    x.anything()\n"})
    assert set(_freshness(made).values()) == {"clean"}
    assert _state(made, "app.py").certainty == "certain"
    assert _state(made, "doubt.py").certainty == "ambiguous"
    assert _state(made, "notes.md").certainty == "unknown"


def test_a_changed_signature_makes_dependents_stale_and_says_which(tmp_path: Path) -> None:
    """The witness is the dependency with the symbol as it was and as it is; who is behind knows the way there."""
    made = _made(tmp_path)
    made.write({"core.py": _FILES["core.py"].replace("helper(a)", "helper(a, b)")})
    assert _freshness(made) == {
        "alone.py": "clean", "app.py": "stale", "core.py": "dirty", "notes.md": "clean", "peek.py": "stale",
        "top.py": "stale",
    }  # fmt: skip
    (direct,) = _state(made, "app.py").reasons
    assert (direct.code, direct.path) == ("dependency_interface_changed", "core.py")
    assert [(s.name, s.before, s.after, s.used) for s in direct.symbols] == [
        ("helper", "def helper(a)", "def helper(a,b)", True)
    ]
    assert not _state(made, "peek.py").reasons[0].used
    (behind,) = _state(made, "top.py").reasons
    assert (behind.code, behind.path, behind.way) == ("dependency_stale", "core.py", ("app.py",))


def test_an_edited_body_leaves_dependents_clean(tmp_path: Path) -> None:
    """The interface is compared, not the content: shifted lines and other bodies concern nobody."""
    made = _made(tmp_path)
    made.write({"core.py": "# a comment\n" + _FILES["core.py"].replace("return a", "return -a")})
    assert {path: state for path, state in _freshness(made).items() if state != "clean"} == {"core.py": "dirty"}


def test_a_private_symbol_concerns_who_uses_it(tmp_path: Path) -> None:
    """The interface stays, yet whoever names a private function that changed is stale, and nobody else."""
    made = _made(tmp_path)
    made.write({"core.py": _FILES["core.py"].replace("_inner(x)", "_inner(x, y)")})
    assert {path: state for path, state in _freshness(made).items() if state != "clean"} == {
        "core.py": "dirty", "peek.py": "stale",
    }  # fmt: skip


def test_a_cycle_shares_its_fate(tmp_path: Path) -> None:
    """Files that import each other are stale together, and asking any of them ends."""
    files = {
        "low.py": "def base():\n    return 1\n",
        "a.py": "import low\nimport b\n\n\ndef fa():\n    return b.fb() + low.base()\n",
        "b.py": "import a\nimport c\n\n\ndef fb():\n    return c.fc()\n",
        "c.py": "import a\n\n\ndef fc():\n    return a.fa()\n",
        "user.py": "import c\n\n\ndef use():\n    return c.fc()\n",
    }
    made = _made(tmp_path, files)
    made.write({"low.py": "def base(x):\n    return 1\n"})
    assert _freshness(made) == {"low.py": "dirty", **dict.fromkeys(("a.py", "b.py", "c.py", "user.py"), "stale")}
    assert _state(made, "user.py").reasons[0].way == ("c.py", "a.py")


def test_what_is_not_known_yet_is_pending(tmp_path: Path) -> None:
    """A dependency with syntax errors, or one that there was no time to parse, leaves its dependents waiting."""
    made = _made(tmp_path)
    made.write({"core.py": "def helper(a:\n    return a\n"})
    state = _state(made, "app.py")
    assert (state.freshness, state.reasons[0].code, state.reasons[0].detail) == (
        "pending_check", "dependency_unchecked", "syntax_errors",
    )  # fmt: skip
    assert _state(made, "top.py").freshness == "pending_check"
    made.write({"core.py": _FILES["core.py"] + "\n"})
    assert _state(made, "app.py", parse_bytes=10).reasons[0].detail == "budget"
    assert _state(made, "app.py").freshness == "clean"


def test_a_dependency_that_has_become_bytes_leaves_who_uses_it_waiting(tmp_path: Path) -> None:
    """Before and after the snapshot that has no text of it any more; nobody can say what it offers."""
    made = _made(tmp_path)
    made.write({"core.py": b"\x00\xff" * 50})
    for _ in range(2):
        state = _state(made, "app.py")
        assert (state.freshness, state.reasons[0].detail) == ("pending_check", "unreadable")
        made.sync()


def test_a_dependency_that_is_gone_makes_stale(tmp_path: Path) -> None:
    """A deleted file has no interface any more; the file itself is dirty and gone."""
    made = _made(tmp_path)
    made.remove("core.py")
    assert [reason.code for reason in _state(made, "app.py").reasons] == ["dependency_gone"]
    gone = _state(made, "core.py")
    assert (gone.freshness, gone.reasons[0].code, gone.content_hash) == ("dirty", "gone", None)


def test_without_a_graph_a_change_leaves_every_source_pending(tmp_path: Path) -> None:
    """Nobody knows who depends on the changed file; with nothing changed all are clean all the same."""
    made = synced(tmp_path / "tree", _FILES)
    assert set(_freshness(made).values()) == {"clean"}
    made.write({"core.py": "def helper():\n    return 1\n"})
    assert _freshness(made) == {
        "notes.md": "clean", "core.py": "dirty",
        **dict.fromkeys(("alone.py", "app.py", "peek.py", "top.py"), "pending_check"),
    }  # fmt: skip


def test_a_graph_that_is_behind_counts_from_where_it_was_made(tmp_path: Path) -> None:
    """Indexed again but not resolved again: the changed file is dirty, its dependents stale, until there is a graph."""
    made = _made(tmp_path)
    made.write({"core.py": _FILES["core.py"].replace("helper(a)", "helper(a, b)")})
    made.sync()
    assert [reason.code for reason in _state(made, "core.py").reasons] == ["not_resolved"]
    assert _state(made, "app.py").reasons[0].used
    _make_graph(made)
    assert set(_freshness(made).values()) == {"clean"}


def test_a_new_file_is_unindexed(tmp_path: Path) -> None:
    """A file that appeared is told from a path that nobody knows."""
    made = _made(tmp_path)
    made.write({"new.py": "x = 1\n"})
    assert [_state(made, path).reasons[0].code for path in ("new.py", "never.py")] == ["new_file", "not_indexed"]
    assert _state(made, "new.py").freshness == "unindexed"


def test_states_of_every_file_are_those_of_each(tmp_path: Path) -> None:
    """The batch says of each file what asking for it alone says."""
    made = _made(tmp_path)
    made.write({"core.py": "def helper(a, b):\n    return a\n", "new.py": "import core\n"})
    made.remove("alone.py")
    with _states(made) as states:
        batch = states.batch()
    assert [state.path for state in batch] == sorted([*_FILES, "new.py"])
    assert batch == [_state(made, state.path) for state in batch]


def test_a_file_that_is_newer_than_the_snapshot_makes_its_users_stale(tmp_path: Path) -> None:
    """Whoever knows only that snapshot has not seen what a file of today depends on."""
    made = _made(tmp_path, {"app.py": "def go():\n    return 1\n"})
    index = Index.open(made.path)
    before = asked(index, "states", (), None)["snapshot_id"]
    using = "import fresh\n\n\ndef go():\n    return fresh.f()\n"
    made.write({"fresh.py": "def f():\n    return 1\n", "app.py": using})
    made.sync()
    _make_graph(made)
    (state,) = asked(index, "states", ("app.py",), before)["files"]
    assert ("dependency_interface_changed", "fresh.py") in [(item["code"], item["path"]) for item in state["reasons"]]


def test_states_since_an_older_snapshot(tmp_path: Path) -> None:
    """With a snapshot as its base, a state says what changed since then, although the index is current."""
    made = _made(tmp_path)
    index = Index.open(made.path)
    before = asked(index, "states", ("app.py",), None)
    made.write({"core.py": _FILES["core.py"].replace("helper(a)", "helper(a, b)")})
    now = asked(index, "states", ("app.py", "core.py"), None)
    since = asked(index, "states", ("app.py", "core.py"), before["snapshot_id"])
    assert [file["freshness"] for file in now["files"]] == ["stale", "dirty"]  # by the graph, which is behind
    assert [file["freshness"] for file in since["files"]] == ["stale", "dirty"]
    same = asked(index, "states", ("app.py", "core.py"), now["snapshot_id"])
    assert [file["freshness"] for file in same["files"]] == ["clean", "clean"]  # nothing since, whatever the graph
    _make_graph(made)
    now = asked(index, "states", ("app.py", "core.py"), None)
    assert [file["freshness"] for file in now["files"]] == ["clean", "clean"]
    since = asked(index, "states", ("app.py", "core.py"), before["snapshot_id"])
    assert [file["freshness"] for file in since["files"]] == ["stale", "dirty"]
    assert since["files"][0]["reasons"][0]["symbols"][0]["after"] == "def helper(a,b)"


@pytest.mark.parametrize("paths", [(), ("",), ("a\0b",)])
def test_a_question_without_a_file_is_refused(tmp_path: Path, paths: tuple[str, ...]) -> None:
    """No path, an empty one or one that no file system knows is a usage error before anything is read."""
    with pytest.raises(UsageError):
        asked(Index.open(synced(tmp_path / "tree", _FILES).path), "gate", GateQuestion(paths))


def test_many_states_come_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an answer leaves out is counted, and `cursor` leads to it, in the same snapshot."""
    monkeypatch.setattr(mutation, "MAX_LISTED", 2)
    made = synced(tmp_path / "tree", {f"{name}.md": "one\n" for name in "abcde"})
    index = Index.open(made.path)
    made.write({f"{name}.md": "two\n" for name in "abcde"})
    seen, offset = [], 0
    while True:
        page = asked(index, "states", (), None, reading=Reading(sync=False), offset=offset)
        seen += [file["path"] for file in page["files"]]
        assert page["omitted"] == 5 - len(seen)
        if page["cursor"] is None:
            break
        assert page["cursor"]["snapshot_id"] == page["snapshot_id"]
        offset = page["cursor"]["offset"]
    assert seen == [f"{name}.md" for name in "abcde"]
