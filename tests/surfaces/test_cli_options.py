"""Options of commands: each is given once, and does what its help says; what is misspelt is told what is like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import everdex
from support.trees import tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tree(
        tmp_path / "tree",
        {
            "a.py": "def first():\n    return 1\n",
            "b.py": "from a import first\n\n\ndef use(x):\n    x.first\n    return first()\n",
        },
    )
    assert everdex("index", made).code == 0
    return made


def test_a_refresh_of_what_changed_since_a_time_is_a_job_with_a_number(root: Path) -> None:
    """`refresh --changed-since` covers later edits, `jobs --id` shows one job and refuses a number that is nobody's."""
    assert everdex("refresh", cwd=root).code == 0
    (root / "b.py").write_text("later = 1\n")
    done = everdex("refresh", "--changed-since", "1000000000", "--json", cwd=root)
    assert (done.code, done.json["job"]["result"]["indexed"]) == (0, 1)
    (job,) = everdex("jobs", "--id", "2", "--json", cwd=root).json["jobs"]
    assert (job["id"], job["status"]) == (2, "succeeded")
    assert everdex("jobs", "--id", "99", cwd=root).code == 2


def test_a_definition_with_the_places_that_use_it(root: Path) -> None:
    """`symbols --refs N` lists no more than N of them."""
    definition, *uses = everdex("symbols", "first", "--refs", "5", cwd=root).lines
    assert definition == "a.py:1:def first()"
    assert uses == ["b.py:1:import: from a import first", "b.py:6:call: return first()"]
    assert len(everdex("symbols", "first", "--refs", "1", cwd=root).lines) == 2


def test_a_rename_with_places_in_doubt_waits_for_a_word(root: Path) -> None:
    """`rename --apply` refuses them, `--leave-doubts` leaves them as they are."""
    plan = everdex("rename", "first", "third", "--plan", "--json", cwd=root).json["plan_id"]
    assert everdex("rename", "--apply", plan, cwd=root).code == 2
    assert everdex("rename", "--apply", plan, "--leave-doubts", cwd=root).code == 0
    assert (root / "b.py").read_text() == "from a import third\n\n\ndef use(x):\n    x.first\n    return third()\n"


def test_what_stands_on_the_board_can_be_said_anew(root: Path) -> None:
    """`board update`: another text, other evidence, and evidence that was looked at again is current again."""
    everdex("board", "add-evidence", "first", "b.py:1", cwd=root)
    everdex("board", "claim", "one", "--evidence", "E2", cwd=root)
    assert everdex("board", "update", "C1", "--text", "two", "--cite", "E1,E2", cwd=root).code == 0
    (root / "a.py").write_text("def first():\n    return 12\n")
    (claim,) = everdex("board", "--json", cwd=root).json["claims"]
    assert (claim["text"], claim["cites"], claim["rests_on_changed"]) == ("two", ["E1", "E2"], ["E1"])
    assert everdex("board", "update", "E1", "--again", cwd=root).code == 0
    (claim,) = everdex("board", "--json", cwd=root).json["claims"]
    assert claim["rests_on_changed"] == []


def test_a_misspelt_command_is_told_what_is_like_it(tmp_path: Path) -> None:
    """By its letters, by what other tools call it, by how it begins; a question is told how it is asked."""
    for typed, expected in (
        ("sarch", "did you mean `everdex search`?"),
        ("grep", "did you mean `everdex search --mode regex`?"),
        ("arch", "did you mean `everdex architecture`?"),
        ("where is it signed", 'hint: to ask that: everdex search "where is it signed"'),
        ("zzzz", "no command is called 'zzzz'\nhint: run `everdex --help`"),
    ):
        done = everdex(typed, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert expected in done.err


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (("search", "-n", "3", "x"), "-n; did you mean `-k`?"), (("search", "--limit=3", "x"), "did you mean `-k`?"),
        (("search", "-t", "py", "x"), "did you mean `--lang`?"), (("search", "--glob", "*.c"), "mean `--path`?"),
        (("search", "-e", "x"), "did you mean `--mode regex`?"), (("search", "-F", "x"), "mean `--mode literal`?"),
        (("refs", "--kind", "call", "x"), "--kind; did you mean `--role`?"),
        (("map", "--tokens", "300"), "did you mean `--budget`?"), (("impact", "x", "--dept", "2"), "mean `--depth`?"),
        (("impact", "x", "--svg", "x.svg"), "mean `--picture`?"), (("rename", "a", "b", "--dry-run"), "mean `--plan`?"),
        (("callers", "x", "--glob", "a"), "no such option: --glob\nhint: run `everdex callers --help`"),
    ],
)  # fmt: skip
def test_an_option_of_another_tool_is_told_what_it_is_here(
    tmp_path: Path, typed: tuple[str, ...], expected: str
) -> None:
    """What rg and its like call it, and what is misspelt; nothing that only sounds like it."""
    done = everdex(*typed, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert expected in done.err


def test_a_misspelt_path_is_told_what_is_like_it(tmp_path: Path) -> None:
    """The same name elsewhere, else one like it; names of definitions are not offered for a path."""
    root = tree(tmp_path / "tree", {"src/sessions.py": "def py():\n    pass\n", "src/app.py": "x = 1\n"})
    for typed in ("sesions.py", "lib/sessions.py", "sesions.py:1"):
        done = everdex("symbols", typed, cwd=root)
        assert done.code == 1
        assert "did you mean src/sessions.py? `everdex explain` says why a path is out" in done.err
        assert "like it" not in done.err
    done = everdex("explain", "src/sesions.py", cwd=root)
    assert (done.code, "hint: did you mean src/sessions.py?" in done.err) == (2, True)
    done = everdex("search", "--like", "src/sesions.py:1", cwd=root)
    assert (done.code, "hint: did you mean src/sessions.py?" in done.err) == (2, True)
    assert "sesions.py'; did you mean src/sessions.py?" in everdex("callers", "sesions.py:1", cwd=root).err
    assert "did you mean" not in everdex("explain", "nothing_like_it.rs", cwd=root).err


def test_what_a_search_is_narrowed_to_is_named_when_nothing_fits_it(tmp_path: Path) -> None:
    """An empty answer may be due to a path or a language; a short name of a language is told its long one."""
    root = tree(tmp_path / "tree", {"src/a.py": "def alpha():\n    return 1\n"})
    for mode in ("hybrid", "literal"):
        done = everdex("search", "alpha", "--mode", mode, "--path", "lib/**", root)
        assert (done.code, "warning: no indexed file fits the path 'lib/**'" in done.err) == (1, True)
        done = everdex("search", "alpha", "--mode", mode, "--lang", "ruby", root)
        assert (done.code, "warning: no indexed file is written in ruby" in done.err) == (1, True)
        assert "fits" not in everdex("search", "zzzyyy", "--mode", mode, "--path", "src/**", root).err
    assert "no indexed file fits the path 'nowhere'" in everdex("search", "alpha file:nowhere", root).err
    for typed, meant in (("py", "python"), ("pyhton", "python"), ("c++", "cpp")):
        done = everdex("search", "alpha", "--lang", typed, root)
        assert (done.code, f"hint: did you mean {meant}" in done.err) == (2, True)
    assert "hint: known are ada, " in everdex("search", "alpha", "--lang", "zzzzzz", root).err


def test_an_error_of_the_command_line_is_one_line(tmp_path: Path) -> None:
    """Also where choices are listed."""
    done = everdex("install", cwd=tmp_path)
    assert (done.code, len(done.err.splitlines())) == (2, 2)
    assert "claude-code, codex" in done.err
    assert "\\x0a" not in done.err
