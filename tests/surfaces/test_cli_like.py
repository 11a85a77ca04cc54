"""`everdex search --like PATH:LINE`: code like a given piece of code."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import everdex
from support.trees import tree

COPIED = "def open_archive(name):\n    archive = storage.mount(name)\n    archive.verify()\n    return archive\n"
OTHER = "def paint_widget(canvas):\n    canvas.clear()\n    canvas.line(0, 0, 9, 9)\n    return canvas\n"
NEAR = (
    "def open_archive(name, mode):\n    archive = storage.mount(name, mode)\n    archive.verify()\n    return archive\n"
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return tree(
        tmp_path / "repository",
        {"first.py": COPIED, "deep/second.py": COPIED, "third.py": OTHER, "fourth.py": NEAR, "notes.md": "# Ideas\n"},
    )


def test_a_copy_stands_first_and_the_place_itself_is_left_out(repository: Path) -> None:
    """The same code elsewhere has a cosine of one, nearly the same comes next, and the asked chunk is no answer."""
    done = everdex("search", "--like", "first.py:3", "--json", str(repository))
    assert done.code == 0
    document = done.json
    paths = [result["path"] for result in document["results"]]
    assert paths[:2] == ["deep/second.py", "fourth.py"]
    assert "first.py" not in paths
    scores = [result["score"] for result in document["results"]]
    assert scores[0] == pytest.approx(1.0, abs=1e-3)
    assert scores == sorted(scores, reverse=True)
    assert (document["mode"], document["query"]) == ("like", "first.py:3")


def test_a_pipe_gets_places_and_filters_hold(repository: Path) -> None:
    """In a pipe each result is path:line:text; --path and -k narrow as for a query, an absolute path is understood."""
    done = everdex("search", "--like", f"{repository}/first.py:1", "--path", "deep", "-k", "1", str(repository))
    assert done.lines == ["deep/second.py:1:def open_archive(name):"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--like", "first.py"), "path:line"),
        (("--like", "first.py:0"), "path:line"),
        (("--like", "absent.py:3"), "absent.py"),
        (("--like", "first.py:99"), "no line 99"),
        (("--like", "first.py:1", "--mode", "regex"), "--mode"),
        (("--like", "first.py:1", "--budget", "500"), "--budget"),
    ],
)
def test_a_place_that_is_none_is_a_clear_error(repository: Path, arguments: tuple[str, ...], said: str) -> None:
    """Each mistake is named, with exit code 2."""
    done = everdex("search", *arguments, str(repository))
    assert done.code == 2
    assert said in done.err


def test_without_vectors_there_is_nothing_to_compare(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index without an embedder says so instead of answering at random."""
    monkeypatch.setenv("EVERDEX_EMBEDDER", "none")
    done = everdex("search", "--like", "first.py:1", str(repository))
    assert done.code == 2
    assert "no vector" in done.err
