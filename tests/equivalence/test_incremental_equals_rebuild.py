"""However a tree came to be what it is, its index is the one that a clean build of it would make."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from equivalence.edits import start
from equivalence.whole import RANKED, answer, everything
from everdex import limits
from everdex.snapshot import active
from everdex.snapshot.lease import hold_lease
from everdex.snapshot.recover import begin
from everdex.sync.compact import compact
from everdex.upkeep.housekeeping import compact_now
from support.commands import everdex
from support.stores import Workspace, synced, workspace
from support.trees import run_git


@contextmanager
def _elsewhere(home: Path) -> Iterator[None]:
    """Another EVERDEX_HOME for a while."""
    before = os.environ["EVERDEX_HOME"]
    os.environ["EVERDEX_HOME"] = os.fspath(home)
    try:
        yield
    finally:
        os.environ["EVERDEX_HOME"] = before


def _assert_equals_rebuild(made: Workspace, home: Path, history: list[str]) -> None:
    here = everything(made.path)
    with _elsewhere(home):
        workspace(made.path).sync()
        clean = everything(made.path)
    for part, expected in clean.items():
        assert here[part] == expected, f"{part} differs after {history}"


def _compact_some(made: Workspace, chance: random.Random) -> None:
    with hold_lease(made.store) as lease:
        manifest = begin(lease).manifest
        assert manifest is not None
        ids = [segment.segment_id for segment in manifest.segments]
        compact(lease, manifest, frozenset(chance.sample(ids, chance.randint(1, len(ids)))))


@pytest.mark.parametrize("seed", range(6))
def test_random_edits_end_in_what_a_rebuild_would_make(tmp_path: Path, seed: int) -> None:
    """Rows, uids, docIds, digest and every score equal a clean rebuild's, also after partial and full compaction."""
    editor = start(tmp_path / "tree", seed)
    made = workspace(tmp_path / "tree")
    made.sync()
    chance = random.Random(seed)
    history: list[str] = []
    for step in range(1, 31):
        history.append(editor.step())
        made.sync(auto_compact=seed % 2 == 0)
        if step % 10 == 0:
            _assert_equals_rebuild(made, tmp_path / f"clean{step}", history)
            _compact_some(made, chance)
            history.append("compact some")
        if step == 20:
            compact_now(made.store, force=True)
            history.append("compact all")
    made.sync()
    _assert_equals_rebuild(made, tmp_path / "last", history)
    compact_now(made.store, force=True)
    assert len(active.pin(made.store).manifest.segments) <= 1
    _assert_equals_rebuild(made, tmp_path / "compacted", [*history, "compact all"])


def test_the_real_embedder_gives_the_same_vectors_either_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cached, copied or computed anew, the default model's vectors give the same scores to the last bit."""
    monkeypatch.delenv("EVERDEX_EMBEDDER")
    editor = start(tmp_path / "tree", 99)
    made = workspace(tmp_path / "tree")
    made.sync()
    history = []
    for _ in range(8):
        history.append(editor.step())
        made.sync()
    _compact_some(made, random.Random(99))
    _assert_equals_rebuild(made, tmp_path / "clean", history)


def test_every_process_gives_the_same_answers(tmp_path: Path) -> None:
    """A rebuild by two workers in another process, another hash seed: the same documents on stdout."""
    editor = start(tmp_path / "tree", 7)
    made = workspace(tmp_path / "tree")
    for _ in range(12):
        made.sync(auto_compact=False)
        editor.step()
    made.sync()
    questions = "".join(query + "\n" for query in RANKED)
    told = []
    for number, home in enumerate((os.environ["EVERDEX_HOME"], tmp_path / "other")):
        environment = {"EVERDEX_HOME": os.fspath(home), "PYTHONHASHSEED": str(number + 1)}
        everdex("index", made.path, "--workers", 2, env=environment)
        done = everdex("search", "--batch", "-", made.path, "--explain", "--no-sync", stdin=questions, env=environment)
        told.append([answer(json.loads(line)) for line in done.lines])
    assert told[0] == told[1]
    assert len(told[0]) == len(RANKED)


def test_what_nobody_looks_at_is_counted_when_it_comes(tmp_path: Path) -> None:
    """A file that is too large, or a repository inside, is told of although nothing that is indexed has changed; once
    it is told of there is nothing to publish."""
    made = synced(tmp_path / "tree", {"a.py": "def read():\n    pass\n"})
    for reason, comes in (
        ("too_large", lambda: os.truncate(_file(made.path / "large.py"), limits.MAX_FILE_SIZE_BYTES + 1)),
        ("nested_repository", lambda: run_git(_directory(made.path / "inside"), "init", "-q")),
    ):
        comes()
        assert made.sync().manifest.skipped[reason] == 1
        assert not made.sync().published
    made.remove("large.py")
    assert "too_large" not in made.sync().manifest.skipped


def _file(path: Path) -> Path:
    path.touch()
    return path


def _directory(path: Path) -> Path:
    path.mkdir()
    return path
