"""A graph made edit by edit is the graph made from nothing, byte for byte, whatever the edits were."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from support.graphs import kept, rebuilt, same_bytes, sites
from support.stores import Workspace, synced

_NAMES = ("open", "read", "close", "pin", "lib.other", "find", "walk", "_hidden")
_MODULES = ("one", "two", "three", "four", "five", "gone")


class _Editor:
    """Edits a tree of the toy language: few names and modules, so that everything depends on everything."""

    def __init__(self, made: Workspace, seed: int) -> None:
        self._made = made
        self._chance = random.Random(seed)
        self._fresh = 0

    def text(self) -> str:
        pick = self._chance.choice
        lines = [f"import {pick(_MODULES)}" for _ in range(self._chance.randint(0, 3))]
        if self._chance.random() < 0.3:
            lines.insert(0, f"module {pick(_MODULES)}")
        for _ in range(self._chance.randint(0, 4)):
            name = pick(_NAMES[:4] + _NAMES[5:])
            base = pick(("", "open", "x", "find"))
            lines.append(f"{pick(('def', 'def', 'class'))} {name}({base})")
            lines += [f"call {pick(_NAMES)}" for _ in range(self._chance.randint(0, 3))]
        if self._chance.random() < 0.1:
            lines.append(pick(("broken", "crash")))
        return "\n".join(lines) + "\n"

    def _files(self) -> list[Path]:
        return sorted(path for path in self._made.path.rglob("*.txt"))

    def _new(self) -> Path:
        self._fresh += 1
        stem = self._chance.choice((*_MODULES, f"m{self._fresh}"))
        path = self._made.path / self._chance.choice(("", "a/", "a/b/")) / f"{stem}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def step(self) -> str:
        kind = self._chance.choice(("add", "edit", "edit", "shift", "rename", "delete", "swap", "move"))
        files = self._files()
        if kind == "add" or len(files) < 3:
            self._new().write_text(self.text())
        elif kind == "edit":
            self._chance.choice(files).write_text(self.text())
        elif kind == "shift":
            path = self._chance.choice(files)
            path.write_text("\n\n" + path.read_text())
        elif kind == "rename":
            self._chance.choice(files).rename(self._new())
        elif kind == "delete":
            self._chance.choice(files).unlink()
        elif kind == "swap":
            first, second = self._chance.sample(files, 2)
            one, two = first.read_text(), second.read_text()
            first.write_text(two)
            second.write_text(one)
        elif (self._made.path / "a").is_dir():
            (self._made.path / "a").rename(self._made.path / f"moved{self._fresh}_{len(files)}")
        return kind


@pytest.mark.parametrize("seed", range(8))
def test_random_edits_end_in_what_a_rebuild_would_make(tmp_path: Path, seed: int) -> None:
    """After every edit the kept graph has the bytes of a clean one, and fewer files were resolved than there are."""
    made = synced(tmp_path / "tree", {"zero.txt": "def zero()\n"})
    editor = _Editor(made, seed)
    history, spared = [], 0
    for _ in range(24):
        history.append(editor.step())
        if random.Random(seed + len(history)).random() < 0.3:
            history.append(editor.step())  # two edits in one snapshot
        made.sync()
        found = kept(made)
        spared += len(found.graph.files) - found.resolved
        assert same_bytes(found.graph, rebuilt(made).data), history
    assert spared > 0


def test_a_graph_of_a_far_snapshot_is_a_base_like_any_other(tmp_path: Path) -> None:
    """Nothing in common with the base but two files: the result is the same as from nothing."""
    made = synced(tmp_path / "tree", {f"{name}.txt": f"def {name}()\ncall open\n" for name in _MODULES})
    kept(made)
    made.remove(*(f"{name}.txt" for name in _MODULES[2:]))
    made.write({f"new/n{number}.txt": "import one\ncall one\ndef open()\n" for number in range(12)})
    made.sync()
    found = kept(made)
    assert same_bytes(found.graph, rebuilt(made).data)
    assert sites(made)["new/n0.txt"] == [("one", "resolved", "one.txt::one")]
