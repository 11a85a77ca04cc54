"""Small edits of code in every language; `oracle` makes as many of them as one likes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from equivalence.oracle import Oracle, tree_in
from equivalence.splices import Tree
from fixtures.callgraph.python.harness import cases

_FIXTURES = Path(__file__).parents[1] / "fixtures" / "callgraph"
_FILES = 8
_EDITS = 8


def _trees(language: str, chance: random.Random) -> list[Tree]:
    if language == "python":
        return [case.files for case in chance.sample(list(cases()), 4)]
    directory = _FIXTURES / language
    if language == "javascript":
        several = sorted(path for path in directory.iterdir() if path.is_dir())
        return [tree_in(path, _FILES, chance) for path in chance.sample(several, 6)]
    return [tree_in(directory, _FILES, chance)]


@pytest.mark.parametrize("language", sorted(path.name for path in _FIXTURES.iterdir() if path.is_dir()))
def test_what_is_not_asked_again_is_what_it_was(tmp_path: Path, language: str) -> None:
    """After each edit of a word, a line, a definition or a file, and after taking it back."""
    oracle = Oracle(tmp_path)
    for number, tree in enumerate(_trees(language, random.Random(language))):
        assert [str(stale) for stale in oracle.run(tree, _EDITS, f"{language} {number}")] == []
    assert oracle.edits.total() > 0
    assert oracle.spared > 0
