"""Rename plans carried out: as they were shown, every file or none, and never against a tree that has moved on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from everdex import limits
from everdex.errors import Corrupt, NeedsDecision, PlanOutdated, StorageFailure, Timeout, UsageError
from everdex.service import applying, opening
from everdex.service.index import Index, Reading
from everdex.service.mutation import GateQuestion
from everdex.service.relations import Question
from everdex.state import plans, rewriting
from everdex.state.model import INTENTS
from everdex.sync.model import SyncOptions
from support.asked import asked
from support.commands import everdex
from support.processes import Child
from support.stores import Workspace, synced

_FILES = {
    "core.py": "def helper(a):\n    return a\n\n\nclass Box:\n    def open(self):\n        return helper(helper(1))\n",
    "app.py": (
        "from core import Box, helper\n\n\n"
        "def go(unknown):\n    unknown.open()\n    Box().open()\n    return helper(2)\r\n"
    ),
    "pkg/façade.py": "from core import helper\n\nµ = 'ü'; x = helper(µ)\n",
}  # fmt: skip


def _plan(made: Workspace, symbol: str, new: str) -> str:
    question = Question("rename", symbol, new=new)
    found = asked(Index.open(made.path), "relations", question)
    plan_id: str = found["plan_id"]
    return plan_id


def _apply(made: Workspace, plan_id: str, **more: Any) -> dict[str, Any]:
    return applying.apply(Index.open(made.path), plan_id, options=SyncOptions(workers=1), **more).to_dict()


def _tree(made: Workspace) -> dict[str, str]:
    return {path: (made.path / path).read_bytes().decode() for path in _FILES}


def test_a_plan_is_carried_out_in_every_file(tmp_path: Path) -> None:
    """Every edit of it and no other byte; line ends and modes stay, and the index knows the new name."""
    made = synced(tmp_path / "tree", _FILES)
    (made.path / "app.py").chmod(0o755)
    done = _apply(made, _plan(made, "helper", "lend_a_hand"))
    assert _tree(made) == {path: text.replace("helper", "lend_a_hand") for path, text in _FILES.items()}
    assert {file["path"]: file["edits"] for file in done["files"]} == {"app.py": 2, "core.py": 3, "pkg/façade.py": 2}
    assert (done["edits"], done["resumed"], done["freshness"]["dirty_count"]) == (7, False, 0)
    assert (made.path / "app.py").stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in made.path.iterdir()) == ["app.py", "core.py", "pkg"]
    question = Question("refs", "lend_a_hand")
    known = asked(Index.open(made.path), "relations", question, reading=Reading(sync=False))
    assert known["symbol"]["qualified_name"] == "core.lend_a_hand"


def test_a_renamed_file_is_on_disk_before_it_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is flushed is the whole new content, before the name leads there, and the directory afterwards."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    events: list[tuple[str, int]] = []
    real_fsync, real_replace = os.fsync, os.replace

    def fsync(handle: int) -> None:
        if (place := Path(os.readlink(f"/proc/self/fd/{handle}"))).is_relative_to(made.path / "pkg"):
            events.append(("directory" if place.is_dir() else "file", os.fstat(handle).st_size * place.is_file()))
        real_fsync(handle)

    def replace(source: Any, target: Any, **more: Any) -> None:
        if target == "façade.py".encode():
            events.append(("replace", 0))
        real_replace(source, target, **more)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    _apply(made, plan_id)
    assert events == [("file", (made.path / "pkg/façade.py").stat().st_size), ("replace", 0), ("directory", 0)]


@pytest.mark.parametrize("intent", INTENTS)
def test_what_was_renamed_may_be_changed_at_once(tmp_path: Path, intent: str) -> None:
    """The rename is everdex's own: its files are indexed and resolved as they are now, and the gate knows them."""
    made = synced(tmp_path / "tree", {path: text for path, text in _FILES.items() if path != "app.py"})
    done = _apply(made, _plan(made, "helper", "lend_a_hand"))
    question = GateQuestion(tuple(file["path"] for file in done["files"]), {}, intent)
    found = asked(Index.open(made.path), "gate", question)
    assert (found["decision"], found["snapshot_id"]) == ("allow", done["snapshot_id"])
    assert {file["state"]["freshness"] for file in found["files"]} == {"clean"}


def test_a_rename_is_done_though_its_references_cannot_be_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are written by then: that is the answer, and what is missing a warning with what to do."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    known = opening.open_for

    def once(*given: Any) -> Any:
        monkeypatch.setattr(opening, "open_for", failing)
        return known(*given)

    def failing(*_: Any) -> Any:
        raise Timeout("gave up waiting for another process that makes the graph")

    monkeypatch.setattr(opening, "open_for", once)
    done = _apply(made, plan_id)
    assert done["edits"] == 7
    assert done["warnings"] == [
        "references are not resolved again (gave up waiting for another process that makes the graph):"
        " run `everdex refresh`"
    ]


def test_a_plan_can_be_carried_out_once(tmp_path: Path) -> None:
    """Afterwards its id means nothing."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    _apply(made, plan_id)
    with pytest.raises(UsageError, match=plan_id):
        _apply(made, plan_id)


@pytest.mark.parametrize("plan_id", ["", "no-such-plan", "../store", "0" * 32, "A" * 32])
def test_an_unknown_plan_is_refused(tmp_path: Path, plan_id: str) -> None:
    """Also one whose id would be a path."""
    made = synced(tmp_path / "tree", _FILES)
    _plan(made, "helper", "lend_a_hand")
    with pytest.raises(UsageError):
        _apply(made, plan_id)


def test_a_file_that_changed_makes_the_plan_outdated(tmp_path: Path) -> None:
    """Nothing is written then, in no file."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    (made.path / "core.py").write_text("# moved\n" + _FILES["core.py"])
    with pytest.raises(PlanOutdated):
        _apply(made, plan_id)
    assert _tree(made) == {**_FILES, "core.py": "# moved\n" + _FILES["core.py"]}


def test_one_more_reference_anywhere_makes_the_plan_outdated(tmp_path: Path) -> None:
    """A file that the plan does not know, and that names the symbol now, would be broken by it."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    (made.path / "late.py").write_text("from core import helper\n")
    with pytest.raises(PlanOutdated):
        _apply(made, plan_id)
    assert _tree(made) == _FILES


def test_a_definition_that_is_gone_makes_the_plan_outdated(tmp_path: Path) -> None:
    """There is nothing to rename any more, and nothing is written."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    made.write({"core.py": "class Box:\n    pass\n"})
    before = _tree(made)
    with pytest.raises(PlanOutdated):
        _apply(made, plan_id)
    assert _tree(made) == before


def test_a_plan_for_other_names_is_not_carried_out(tmp_path: Path) -> None:
    """Who says the names again means them: a plan of another symbol, or for another name, changes no file."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    for names in (("helper", "other"), ("Box", "lend_a_hand"), ("nothing", "lend_a_hand")):
        with pytest.raises(UsageError, match=f"plan {plan_id}"):
            _apply(made, plan_id, names=names)
        assert _tree(made) == _FILES
    _apply(made, plan_id, names=("helper", "lend_a_hand"))
    assert _tree(made) == {path: text.replace("helper", "lend_a_hand") for path, text in _FILES.items()}


def test_doubts_ask_for_a_decision_about_this_plan(tmp_path: Path) -> None:
    """It is refused; told to leave them, the sure places are renamed; one more doubt is another plan."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "Box.open", "unpack")
    with pytest.raises(NeedsDecision):
        _apply(made, plan_id)
    (made.path / "late.py").write_text("def late(thing):\n    thing.open()\n")
    with pytest.raises(PlanOutdated):
        _apply(made, plan_id, leave_doubts=True)
    assert _tree(made) == _FILES
    _apply(made, _plan(made, "Box.open", "unpack"), leave_doubts=True)
    assert _tree(made)["app.py"] == _FILES["app.py"].replace("Box().open()", "Box().unpack()")


def test_a_name_that_is_taken_asks_for_a_decision(tmp_path: Path) -> None:
    """A clash is a doubt about the whole rename."""
    made = synced(tmp_path / "tree", {**_FILES, "core.py": _FILES["core.py"] + "\n\ndef lend_a_hand():\n    pass\n"})
    with pytest.raises(NeedsDecision):
        _apply(made, _plan(made, "helper", "lend_a_hand"))


def test_a_file_that_cannot_be_written_takes_the_others_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree is as it was, no temporary stays, and the same plan can be tried again."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    replaced: list[object] = []
    real = os.replace

    def full(source: Any, target: Any, **more: Any) -> None:
        if "src_dir_fd" in more:
            replaced.append(target)
            if len(replaced) == 3:
                raise OSError(28, "No space left on device")
        real(source, target, **more)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StorageFailure, match="No space left"):
        _apply(made, plan_id)
    assert _tree(made) == _FILES
    assert not list(made.path.rglob("*.tmp"))
    assert _apply(made, plan_id)["resumed"] is False
    assert _tree(made)["core.py"] == _FILES["core.py"].replace("helper", "lend_a_hand")


def _killed_after(made: Workspace, plan_id: str, files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real = rewriting.write
    written: list[str] = []

    def write(root: Path, rewrite: rewriting.Rewrite, old: bytes, new: bytes) -> None:
        if len(written) == files:
            raise KeyboardInterrupt  # as a process that ends there: nothing is tidied up
        written.append(rewrite.path)
        real(root, rewrite, old, new)

    with monkeypatch.context() as patched:
        patched.setattr(rewriting, "write", write)
        with pytest.raises(KeyboardInterrupt):
            _apply(made, plan_id)


@pytest.mark.parametrize("files", [0, 1, 2])
def test_a_rename_that_was_killed_is_finished_by_the_next_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    """Wherever it ended, also when the index has seen the half of it meanwhile."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    _killed_after(made, plan_id, files, monkeypatch)
    Index.open(made.path).sync()
    assert _apply(made, plan_id)["resumed"] is True
    assert _tree(made) == {path: text.replace("helper", "lend_a_hand") for path, text in _FILES.items()}


# Carries a plan out and is killed when a new content lies beside its file.
_KILLED = """
import os, signal
from everdex.service import applying
from everdex.service.index import Index
real = os.replace
def replace(source, target, **more):
    if "src_dir_fd" in more:
        os.kill(os.getpid(), signal.SIGKILL)
    real(source, target, **more)
os.replace = replace
applying.apply(Index.open(ARGS[0]), ARGS[1])
"""


@pytest.mark.parametrize("edited", [False, True])
def test_a_rename_that_was_killed_leaves_no_file_of_its_own(tmp_path: Path, edited: bool) -> None:
    """The next call takes along what lies in the tree, whether it finishes the rename or takes it back."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    with Child(_KILLED, made.path, plan_id) as child:
        assert child.line() == ""
    (left,) = made.path.rglob("*.tmp")
    if edited:
        for path in left.parent.glob("*.py"):
            path.write_text("# mine\n")
        with pytest.raises(PlanOutdated):
            _apply(made, plan_id)
    else:
        assert _apply(made, plan_id)["resumed"] is True
    assert not list(made.path.rglob("*.tmp"))


@pytest.mark.parametrize("edited", ["app.py", "pkg/façade.py"])
def test_a_killed_rename_is_taken_back_when_somebody_edited_a_file_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edited: str
) -> None:
    """What they wrote stays as it is; every other file has its old name again."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    _killed_after(made, plan_id, 2, monkeypatch)
    (made.path / edited).write_text("# mine\n")
    with pytest.raises(PlanOutdated, match=edited):
        _apply(made, plan_id)
    assert _tree(made) == {**_FILES, edited: "# mine\n"}


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even one that leads to the same content: a rename never writes outside the root."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    _killed_after(made, plan_id, 0, monkeypatch)
    outside = tmp_path / "outside.py"
    (made.path / "core.py").rename(outside)
    (made.path / "core.py").symlink_to(outside)
    with pytest.raises(PlanOutdated, match=r"core\.py"):
        _apply(made, plan_id)
    assert outside.read_text() == _FILES["core.py"]
    assert _tree(made)["app.py"] == _FILES["app.py"]


def test_a_file_that_became_a_directory_is_not_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That, too, is a tree that has moved on, and no failure of the disk."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    _killed_after(made, plan_id, 0, monkeypatch)
    (made.path / "core.py").unlink()
    (made.path / "core.py").mkdir()
    with pytest.raises(PlanOutdated, match=r"core\.py"):
        _apply(made, plan_id)


def test_what_somebody_saves_while_a_file_is_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new file is ready, the old one is another by now: theirs is kept, and the rename taken back."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    real = os.fsync
    saved: list[str] = []

    def save_meanwhile(handle: int) -> None:
        real(handle)
        if os.readlink(f"/proc/self/fd/{handle}").startswith(f"{made.path}/.everdex-") and not saved:
            saved.append("core.py")
            (made.path / "app.py").write_text("# theirs\n")
            (made.path / "core.py").write_text("# theirs\n")

    monkeypatch.setattr(os, "fsync", save_meanwhile)
    with pytest.raises(PlanOutdated):
        _apply(made, plan_id)
    assert _tree(made) == {**_FILES, "app.py": "# theirs\n", "core.py": "# theirs\n"}


def test_a_file_that_is_not_what_the_edits_count_in_is_refused_before_any_is_written(tmp_path: Path) -> None:
    """Also when it still has the name at every place."""
    (tmp_path / "a.py").write_text("helper()  # changed\n")
    with pytest.raises(PlanOutdated, match=r"a\.py"):
        rewriting.planned(tmp_path, "a.py", [0], b"helper", b"lend_a_hand", "0" * 64)


def test_a_directory_that_became_a_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for a file whose directory now lies elsewhere."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    _killed_after(made, plan_id, 0, monkeypatch)
    (made.path / "pkg").rename(tmp_path / "elsewhere")
    (made.path / "pkg").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PlanOutdated, match="pkg/"):
        _apply(made, plan_id)
    assert (tmp_path / "elsewhere" / "façade.py").read_text() == _FILES["pkg/façade.py"]


def test_a_damaged_plan_is_named(tmp_path: Path) -> None:
    """It is not trusted, and what to do is said."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "helper", "lend_a_hand")
    path = Index.open(made.path).store().plans / f"{plan_id}.json"
    for damage in (b"", b"{", b"[]", b"\xff", path.read_bytes().replace(b'"old"', b'"odd"')):
        path.write_bytes(damage)
        with pytest.raises(Corrupt, match=plan_id):
            _apply(made, plan_id)


def test_old_plans_are_forgotten_but_not_one_that_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest can be carried out; one that is half in the tree stays until it is finished."""
    made = synced(tmp_path / "tree", _FILES)
    begun = _plan(made, "helper", "lend_a_hand")
    _killed_after(made, begun, 0, monkeypatch)
    first = _plan(made, "helper", "other")
    for number in range(limits.PLANS_KEPT):
        _plan(made, "helper", f"name_{number}")
    kept = {path.stem for path in Index.open(made.path).store().plans.iterdir()}
    assert begun in kept
    assert first not in kept
    assert len(kept) <= limits.PLANS_KEPT + 1


def test_the_command_plans_and_carries_out(tmp_path: Path) -> None:
    """The plan says how; its names may be told again, and must be those of the plan."""
    made = synced(tmp_path / "tree", _FILES)
    planned = everdex("rename", "helper", "lend_a_hand", "--plan", made.path)
    plan_id = everdex("rename", "helper", "lend_a_hand", "--plan", "--json", made.path).json["plan_id"]
    assert f"everdex rename --apply {plan_id}" in planned.err
    for names in (("helper", "other"), ("Box", "lend_a_hand")):
        refused = everdex("rename", *names, "--apply", plan_id, made.path)
        assert (refused.code, _tree(made)) == (2, _FILES)
    done = everdex("rename", "--apply", plan_id, made.path)
    assert done.code == 0, done.err
    assert done.lines == ["app.py: 2 edits", "core.py: 3 edits", "pkg/façade.py: 2 edits"]
    assert "helper is now lend_a_hand: 7 edits in 3 files" in done.err
    refused = everdex("rename", "--apply", plan_id, "--json", made.path)
    assert (refused.code, refused.json["error"]["code"]) == (2, "usage")
    assert everdex("rename", "helper", "x", made.path).code == 2


def test_a_files_mode_is_kept_whatever_the_umask(tmp_path: Path) -> None:
    """Who shares a file with a group shares it afterwards, too."""
    made = synced(tmp_path / "tree", _FILES)
    (made.path / "core.py").chmod(0o664)
    made.sync()
    plan_id = _plan(made, "core.py::helper", "assist")
    before = os.umask(0o077)
    try:
        _apply(made, plan_id)
    finally:
        os.umask(before)
    assert (made.path / "core.py").stat().st_mode & 0o777 == 0o664


def test_a_plan_that_was_begun_can_be_finished_though_it_is_made_again(tmp_path: Path) -> None:
    """Making it once more, while nothing has been written yet, does not forget what every file was to become."""
    made = synced(tmp_path / "tree", _FILES)
    plan_id = _plan(made, "core.py::helper", "assist")
    kept = plans.load(made.store, plan_id)
    plans.save(made.store, msgspec.structs.replace(kept, rewrites=(rewriting.Rewrite("core.py", (4,), "0", "1"),)))
    assert _plan(made, "core.py::helper", "assist") == plan_id
    assert plans.load(made.store, plan_id).begun
