"""Code of every language, cut up and put together at random: whatever way a graph came about, it is a clean build's.

Trees are those of the call graph's fixtures, a few files of one language, or of three at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from equivalence.memory import History
from equivalence.splices import Splicer, Tree
from fixtures.callgraph.python.harness import cases

_FIXTURES = Path(__file__).parents[1] / "fixtures" / "callgraph"
_NAMES = ("bash", "c", "cpp", "csharp", "go", "java", "kotlin", "lua", "php", "ruby", "rust", "scala", "swift")
_CASES = list(cases())
_MOST = 8  # files of a tree to begin with


def _files(directory: Path) -> Tree:
    found = (path for path in sorted(directory.rglob("*")) if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in found}


def _of_python(chance: random.Random) -> Tree:
    tree: Tree = {}
    for number, case in enumerate(chance.sample(_CASES, 3)):
        for path, data in case.files.items():
            tree[f"{path.removesuffix('.py')}_{number}.py" if path in tree else path] = data
    return tree


def _of_javascript(chance: random.Random) -> Tree:
    every = map(_files, sorted(path for path in (_FIXTURES / "javascript").iterdir() if path.is_dir()))
    return chance.choice([tree for tree in every if len(tree) > 1])


def _of(language: str, chance: random.Random) -> Tree:
    makers: dict[str, Callable[[random.Random], Tree]] = {"python": _of_python, "javascript": _of_javascript}
    every = makers[language](chance) if language in makers else _files(_FIXTURES / language)
    return dict(chance.sample(sorted(every.items()), min(_MOST, len(every))))


def _check(tmp_path: Path, seed: str, tree: Tree, steps: int) -> None:
    chance = random.Random(seed)
    editor, history = Splicer(chance.randrange(1 << 30), tree, sorted(tree.items())), History(tmp_path, chance)
    edits = []
    for _ in range(steps):
        assert history.step(editor.tree) == [], edits
        edits += [editor.step() for _ in range(chance.choice((1, 1, 2)))]
    assert history.step(editor.tree) == [], edits
    assert history.spared > 0


@pytest.mark.parametrize("language", [*_NAMES, "python", "javascript"])
def test_random_splices_end_in_what_a_clean_build_makes(tmp_path: Path, language: str) -> None:
    """One file resolved or all: edited, by a process that stays, from long before, and from what was only begun."""
    _check(tmp_path, language, _of(language, random.Random(language)), 8)


@pytest.mark.parametrize("seed", range(2))
def test_languages_beside_each_other(tmp_path: Path, seed: int) -> None:
    """A file may become one of another language, and what one resolver answers depends on no other's files."""
    chance = random.Random(seed)
    tree = {}
    for language in chance.sample((*_NAMES, "python", "javascript"), 3):
        tree |= dict(sorted(_of(language, chance).items())[:4])
    _check(tmp_path, f"mixed {seed}", tree, 8)
