"""What another worktree of the repository has indexed is copied, and never more than that."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from everdex.graph.making import keep, unfinished
from everdex.graph.resolvers import Resolvers
from everdex.search.names import SymbolNames
from everdex.segment.model import FILES_NAME
from everdex.snapshot import active, integrity
from everdex.sync.model import silent
from everdex.view import open_view
from support.stores import Workspace, synced, use_home, workspace
from support.trees import run_git

_KNOWN = Resolvers()
_COUNT = 40
_FILES = {
    **{f"pkg/m{n}.py": f"def f{n}(x):\n    return x + {n}\n" for n in range(_COUNT)},
    "app.py": "from pkg.m0 import f0\n\n\ndef run():\n    return f0(1)\n",
}


@pytest.fixture
def main(tmp_path: Path) -> Workspace:
    return synced(tmp_path / "main", _FILES, git=True)


@pytest.fixture
def linked(main: Workspace, tmp_path: Path) -> Workspace:
    run_git(main.path, "worktree", "add", "-q", "-b", "side", os.fspath(tmp_path / "linked"))
    return workspace(tmp_path / "linked")


def _everything(made: Workspace) -> dict[str, object]:
    """What a store's active snapshot says, whatever its segments are."""
    with open_view(made.store) as view:
        names = SymbolNames(view)
        return {
            "rows": made.rows(), "digest": view.manifest.digest, "counts": view.manifest.counts,
            "symbols": [str(found) for name in ("f0", "run", "f7") for found in names.exact(name)],
            "vectors": [segment.vectors.row_vectors.tobytes() for segment in view.segments],
            "sources": [view.source(path) for path in view.paths],
        }  # fmt: skip


def _from_nothing(made: Workspace, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    with monkeypatch.context() as other:
        use_home(other, elsewhere)
        fresh = workspace(made.path)
        assert fresh.sync().reused == 0
        return _everything(fresh)


def test_equal_files_are_copied_and_answer_as_if_indexed(
    linked: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what differs is indexed, and the store says the same as one that was made from nothing."""
    linked.write({"pkg/m1.py": "def changed():\n    pass\n", "new.py": "x = 1\n"})
    linked.remove("pkg/m2.py")
    report = linked.sync()
    assert (report.added, report.reused) == (len(_FILES), len(_FILES) - 2)
    with open_view(linked.store) as view:
        integrity.verify(linked.store, view.manifest, full=True)
    copied, made = _everything(linked), _from_nothing(linked, tmp_path, monkeypatch)
    assert copied.pop("vectors") is not None  # in another order
    made.pop("vectors")
    assert copied == made
    assert not linked.sync().published


def test_vectors_are_copied_with_their_rows(linked: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a change there is no other order, so every byte can be compared."""
    assert linked.sync().reused == len(_FILES)
    assert _everything(linked) == _from_nothing(linked, tmp_path, monkeypatch)


def test_an_edit_in_one_worktree_is_none_in_the_other(main: Workspace, linked: Workspace) -> None:
    """Nothing is shared: what happens to one store afterwards does not reach the other."""
    linked.sync()
    main.write({"pkg/m3.py": "def elsewhere():\n    pass\n"})
    main.sync()
    assert "elsewhere" not in linked.texts()["pkg/m3.py"]
    shutil.rmtree(main.store.path)
    assert "def f3" in linked.texts()["pkg/m3.py"]
    assert not linked.sync().published


def test_a_damaged_neighbour_is_left_alone(main: Workspace, linked: Workspace) -> None:
    """What fails its checksum is not copied; the files are indexed here."""
    segment = active.pin(main.store).manifest.segments[0]
    path = main.store.path / segment.path / "rows.db"
    path.chmod(0o600)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    assert linked.sync().reused == 0
    assert "def f3" in linked.texts()["pkg/m3.py"]


def test_a_neighbour_is_not_believed_for_what_was_verified_once(
    main: Workspace, linked: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bit that fell on the disk changes no time: before anything is copied all of it is read."""
    monkeypatch.setattr(integrity, "_signature", lambda _: [("same", 1, 0, 0, 1)])
    manifest = active.pin(main.store).manifest
    integrity.verify(main.store, manifest, full=True)
    path = main.store.path / manifest.segments[0].path / "rows.db"
    path.chmod(0o600)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    integrity.verify(main.store, manifest)  # it is remembered
    assert linked.sync().reused == 0


def test_a_neighbour_without_its_list_is_left_alone(main: Workspace, linked: Workspace) -> None:
    segment = active.pin(main.store).manifest.segments[0]
    (main.store.path / segment.path / FILES_NAME).unlink()
    assert linked.sync().reused == 0


def test_who_asks_for_a_rebuild_gets_one(linked: Workspace) -> None:
    assert linked.sync(rebuild=True).reused == 0


def test_only_worktrees_of_one_repository_are_neighbours(main: Workspace, tmp_path: Path) -> None:
    """A copy with a repository of its own, a tree without one and a pointer that leads nowhere are none."""
    for name, git in (("clone", True), ("plain", False)):
        assert synced(tmp_path / name, _FILES, git=git).sync().reused == 0
    lost = workspace(tmp_path / "lost", _FILES)
    (lost.path / ".git").write_text("gitdir: /nowhere/at/all\n")
    assert lost.sync().reused == 0


def test_other_settings_make_no_neighbour(main: Workspace, linked: Workspace) -> None:
    """What a file becomes depends on the configuration, so only the same one counts."""
    linked.write({".everdex.toml": "[index]\nmax_file_size_bytes = 999_999\n"})
    other = workspace(linked.path)
    assert other.store.info.config_fingerprint != main.store.info.config_fingerprint
    assert other.sync().reused == 0


def test_a_graph_is_made_from_another_worktrees(main: Workspace, linked: Workspace) -> None:
    """Files that are equal there are not resolved again; the graph has the bytes of one that was made from nothing."""
    linked.write({"app.py": "from pkg.m1 import f1\n\n\ndef run():\n    return f1(1)\n"})
    linked.sync()
    with open_view(linked.store) as view:
        assert keep.is_first(view, _KNOWN)
        alone = keep.open_graph(view, _KNOWN, workers=1, progress=silent)
        assert (alone.changed, alone.resolved) == (len(_FILES), len(_FILES))
        path = keep.graph_path(view, _KNOWN)
        from_nothing = path.read_bytes()
        shutil.rmtree(linked.store.graphs)
    with open_view(main.store) as view:
        keep.open_graph(view, _KNOWN, workers=1, progress=silent)
    with open_view(linked.store) as view:
        assert not keep.is_first(view, _KNOWN)
        made = keep.open_graph(view, _KNOWN, workers=1, progress=silent)
        assert made.changed == 1
        assert made.resolved == 3  # what it calls now, and what it called, too
        assert path.read_bytes() == from_nothing


def test_a_graph_is_begun_from_what_was_begun_elsewhere(
    main: Workspace, linked: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What files offer is worked out once; a file that differs is, again."""
    monkeypatch.setattr(unfinished, "_MANY", 1)
    monkeypatch.setattr(unfinished, "_WAITING", 1)
    linked.write({"app.py": "def other():\n    pass\n"})
    linked.sync()
    asked: list[int] = []

    def told(phase: str, done: int, total: int) -> None:
        if phase == "offers":
            asked.append(total)

    for made in (main, linked):
        with open_view(made.store) as view:
            assert keep.begin_graph(view, _KNOWN, workers=1, progress=told) is not None
    assert max(asked) == len(_FILES)
    assert asked[-1] == 1
