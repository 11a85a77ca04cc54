"""The gate's decisions: what each reason means for an edit, and for a change that is computed from references."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from everdex.service import mutation, opening
from everdex.service.index import Index, Reading
from everdex.service.mutation import GateQuestion, GraphKeeper
from everdex.state.model import EDIT, SEMANTIC, FileGate
from everdex.sync.model import SyncOptions
from support.stores import Workspace, synced

_CORE = "def helper(a):\n    return a\n\n\ndef spare(a):\n    return a\n"
_FILES = {
    "core.py": _CORE,
    "app.py": "from core import helper\n\n\ndef run():\n    return helper(1)\n",
    "top.py": "import app\n\n\ndef main():\n    return app.run()\n",
    "open.py": "def call(x):\n    return x.anything()\n",
}


def _without_graph(tmp_path: Path) -> Workspace:
    return synced(tmp_path / "tree", _FILES)


def _made(tmp_path: Path) -> Workspace:
    """An indexed tree with its graph."""
    made = _without_graph(tmp_path)
    with Index.open(made.path).view(Reading(sync=False)) as (view, _):
        opening.open_for(view, SyncOptions(workers=1))
    return made


def _verdict(made: Workspace, path: str, intent: str) -> FileGate:
    """On a tree as it is, with the index and the graph as they are."""
    index = Index.open(made.path)
    with index.view(Reading(sync=False)) as (view, freshness):
        known = GraphKeeper().known(view)
        with mutation.scene(index, view, known, freshness, None) as found:
            return mutation.judged(index, found, GateQuestion((path,), intent=intent)).files[0]


def _write(core: str) -> Callable[[Workspace], None]:
    return lambda made: made.write({"core.py": core})


def _synced(made: Workspace) -> None:
    made.write({"core.py": f"{_CORE}\n\ndef third():\n    return 3\n"})
    with Index.open(made.path).view(Reading()):
        pass


@pytest.mark.parametrize(
    ("change", "path", "code", "edit", "semantic", "action"),
    [
        (_write(f"# more\n{_CORE}"), "core.py", "content_changed", "block", "block", "everdex refresh"),
        (lambda made: made.remove("core.py"), "core.py", "gone", "block", "block", "everdex refresh"),
        (
            _write(_CORE.replace("helper(a)", "helper(a, b)")),
            "app.py", "dependency_interface_changed", "block", "block", "re-read core.py",
        ),
        (
            _write(_CORE.replace("spare(a)", "spare(a, b)")),
            "app.py", "dependency_interface_changed", "warn", "block", "re-read core.py",
        ),
        (
            _write(_CORE.replace("helper(a)", "helper(a, b)")),
            "top.py", "dependency_stale", "warn", "block", "everdex refresh",
        ),
        (_write("def helper(a:\n    return (\n"), "app.py", "dependency_unchecked", "warn", "block", "everdex refresh"),
        (lambda made: made.remove("core.py"), "app.py", "dependency_gone", "block", "block", "everdex refresh"),
        (_synced, "core.py", "not_resolved", "allow", "block", "everdex refresh"),
    ],
)  # fmt: skip
def test_what_a_state_means_for_a_change(
    tmp_path: Path, change: Callable[[Workspace], None], path: str, code: str, edit: str, semantic: str, action: str
) -> None:
    """What is not current warns of an edit or stops it, and always stops a computed change; the way out is named."""
    made = _made(tmp_path)
    change(made)
    for intent, decision in ((EDIT, edit), (SEMANTIC, semantic)):
        verdict = _verdict(made, path, intent)
        assert [(reason.code, reason.decision) for reason in verdict.reasons] == [(code, decision)]
        assert path in verdict.reasons[0].message
        assert action in verdict.reasons[0].action
        assert verdict.decision == decision


def test_without_a_graph_only_a_computed_change_is_stopped(tmp_path: Path) -> None:
    """Nobody knows who depends on what changed: an edit does not need to know it."""
    made = _without_graph(tmp_path)
    made.write({"core.py": f"# more\n{_CORE}"})
    assert _verdict(made, "app.py", EDIT).reasons == ()
    verdict = _verdict(made, "app.py", SEMANTIC)
    assert [(reason.code, reason.decision) for reason in verdict.reasons] == [("dependencies_unknown", "block")]
    assert "everdex refresh" in verdict.reasons[0].action


def test_open_references_matter_for_a_computed_change_only(tmp_path: Path) -> None:
    """A clean file whose references are not certain is warned of; one that is not clean has a worse reason."""
    made = _made(tmp_path)
    assert _verdict(made, "open.py", EDIT).reasons == ()
    assert [reason.code for reason in _verdict(made, "open.py", SEMANTIC).reasons] == ["needs_decision"]
    assert _verdict(made, "app.py", SEMANTIC).reasons == ()
    made.write({"open.py": f"# more\n{_FILES['open.py']}"})
    assert [reason.code for reason in _verdict(made, "open.py", SEMANTIC).reasons] == ["content_changed"]


def test_a_file_that_could_not_be_indexed_is_warned_of(tmp_path: Path) -> None:
    """What the index says of it may be wrong, and of nothing else."""
    made = _made(tmp_path)
    made.write({"CORE.py": "def other():\n    return 1\n"})
    made.sync(allow_degraded=True)
    found = {path: [reason.code for reason in _verdict(made, path, EDIT).reasons] for path in ("CORE.py", "open.py")}
    assert found == {"CORE.py": ["index_failed"], "open.py": []}
