"""Renames with doubts that somebody takes: by their place, under a plan of their own, and never more than was named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.commands import answer_of, everdex, on_terminal

_PYTHON = {
    "box.py": "class Box:\n    def unpack(self):\n        return 1\n",
    "app.py": (
        "from box import Box\n\n\n"
        "def go(unknown, other):\n"
        "    Box().unpack()\n"
        "    unknown.unpack()\n"
        "    return unknown.unpack(), other.unpack()  # unpack\n\n\n"
        "names = {'unpack': 1}\n"
    ),
    "tests/late.py": "def late(thing):\n    thing.unpack()\n",
}
_TYPESCRIPT = {
    "store.ts": "export class Store {\n  purge(): number { return 1 }\n}\n",
    "use.ts": (
        "import { Store } from './store';\n"
        "export function go(s: Store, x: any, purge: number) {\n"
        "  s.purge();\n"
        "  x.purge();\n"
        "  return { purge };\n"
        "}\n"
    ),
}
_RUST = {
    "src/lib.rs": (
        "pub struct Ranges;\n\nimpl Ranges {\n    pub fn covers(&self, n: u32) -> bool { n > 1 }\n}\n\n"
        "pub fn go(items: &[Ranges], f: impl Fn() -> Ranges) -> bool {\n"
        "    // covers\n"
        "    let made = outside::make();\n"
        "    Ranges.covers(1) && made.covers(2)\n"
        "}\n"
    ),
}


def _tree(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def _texts(root: Path, files: dict[str, str]) -> dict[str, str]:
    return {path: (root / path).read_text() for path in files}


def _plan(root: Path, symbol: str, new: str, *more: str) -> dict[str, Any]:
    return answer_of("rename", symbol, new, root, "--plan", *more)


def _doubted(plan: dict[str, Any]) -> set[tuple[str, int, bool]]:
    return {(doubt["path"], doubt["line"], doubt["takeable"]) for doubt in plan["doubts"]}


def _taken(plan: dict[str, Any]) -> list[tuple[str, int]]:
    return [(edit["path"], edit["line"]) for edit in plan["edits"] if edit["doubt"]]


def test_all_doubts_are_taken_in_python(tmp_path: Path) -> None:
    """Every place of code that writes the name is edited, the string and the comment stay, and the plan is another."""
    root = _tree(tmp_path / "tree", _PYTHON)
    without = _plan(root, "Box.unpack", "unwrap")
    plan = _plan(root, "Box.unpack", "unwrap", "--take-doubts")
    assert _taken(without) == []
    assert _taken(plan) == [("app.py", 6), ("app.py", 7), ("app.py", 7), ("tests/late.py", 2)]
    assert _doubted(without) == {
        ("app.py", 6, True), ("app.py", 7, True), ("app.py", 10, False), ("tests/late.py", 2, True)
    }  # fmt: skip
    assert _doubted(plan) == {("app.py", 10, False)}
    assert (plan["counts"]["taken"], plan["counts"]["takeable"], without["counts"]["takeable"]) == (4, 0, 4)
    assert plan["plan_id"] != without["plan_id"]
    refused = everdex("rename", "--apply", plan["plan_id"], root)
    assert (refused.code, _texts(root, _PYTHON)) == (2, _PYTHON)
    assert everdex("rename", "--apply", plan["plan_id"], root, "--leave-doubts").code == 0
    assert _texts(root, _PYTHON) == {
        path: text.replace("unpack(", "unwrap(") for path, text in _PYTHON.items()
    }  # fmt: skip


def test_a_plan_without_what_was_taken_is_carried_out_without_it(tmp_path: Path) -> None:
    """Both plans are kept side by side, and each edits what it showed."""
    root = _tree(tmp_path / "tree", _PYTHON)
    _plan(root, "Box.unpack", "unwrap", "--take-doubts")
    without = _plan(root, "Box.unpack", "unwrap")
    assert everdex("rename", "--apply", without["plan_id"], root, "--leave-doubts").code == 0
    after = _texts(root, _PYTHON)
    assert after["app.py"] == _PYTHON["app.py"].replace("Box().unpack", "Box().unwrap")
    assert after["tests/late.py"] == _PYTHON["tests/late.py"]


@pytest.mark.parametrize(
    ("places", "taken"),
    [
        (["app.py:6"], [("app.py", 6)]),
        (["app.py:7"], [("app.py", 7), ("app.py", 7)]),
        (["app.py:7:20"], [("app.py", 7)]),
        (["tests"], [("tests/late.py", 2)]),
        (["tests/", "app.py:6"], [("app.py", 6), ("tests/late.py", 2)]),
        (["./app.py"], [("app.py", 6), ("app.py", 7), ("app.py", 7)]),
    ],
)
def test_single_doubts_are_taken_by_their_place(
    tmp_path: Path, places: list[str], taken: list[tuple[str, int]]
) -> None:
    """As they are listed: a line, one of a line's columns, a file, a directory; the others stay in doubt."""
    root = _tree(tmp_path / "tree", _PYTHON)
    plan = _plan(root, "Box.unpack", "unwrap", *(part for place in places for part in ("--take", place)))
    assert _taken(plan) == taken
    assert plan["counts"]["takeable"] == 4 - len(taken)
    assert everdex("rename", "--apply", plan["plan_id"], root, "--leave-doubts").code == 0
    changed = sum(text.count("unwrap") for text in _texts(root, _PYTHON).values())
    assert changed == 2 + len(taken)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("app.py:5", "nothing is in doubt at app.py:5"),
        ("app.py:7:1", "nothing is in doubt at app.py:7:1"),
        ("ap.py", "nothing is in doubt at ap.py"),
        ("app.py:10", "app.py:10 cannot be taken: a string that may mean it"),
        ("", "'' is no place"),
    ],
)
def test_a_place_that_cannot_be_taken_is_refused(tmp_path: Path, place: str, said: str) -> None:
    """A misspelt place must not be passed over: who named it believes that it is edited."""
    root = _tree(tmp_path / "tree", _PYTHON)
    done = everdex("rename", "Box.unpack", "unwrap", root, "--plan", "--take", place)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_place_is_named_from_the_directory_that_one_is_in(tmp_path: Path) -> None:
    """As it is listed comes first; what is only there from here means that."""
    root = _tree(tmp_path / "tree", _PYTHON)
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for place in ("late.py:2", "tests/late.py:2"):
        arguments = ("rename", "Box.unpack", "unwrap", root, "--plan", "--json", "--take", place)
        assert _taken(everdex(*arguments, cwd=root / "tests").json) == [("tests/late.py", 2)]


def test_nothing_to_take_is_no_fault(tmp_path: Path) -> None:
    """Who asks for all doubts gets the plan that there is."""
    root = _tree(tmp_path / "tree", {"box.py": _PYTHON["box.py"]})
    plan = _plan(root, "Box.unpack", "unwrap", "--take-doubts")
    assert plan["plan_id"] == _plan(root, "Box.unpack", "unwrap")["plan_id"]
    assert everdex("rename", "--apply", plan["plan_id"], root).code == 0


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("later.py", "def later(x):\n    x.unpack()\n"),
        ("app.py", _PYTHON["app.py"].replace("    unknown.unpack()\n", "    pass\n")),
        ("app.py", "# one line more\n" + _PYTHON["app.py"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("take", [("--take-doubts",), ("--take", "app.py:6")])
def test_a_tree_that_moved_makes_the_plan_outdated(tmp_path: Path, path: str, text: str, take: tuple[str, ...]) -> None:
    """One more doubt, one less, or the same ones elsewhere: nothing is written."""
    root = _tree(tmp_path / "tree", _PYTHON)
    plan = _plan(root, "Box.unpack", "unwrap", *take)
    (root / path).write_text(text)
    done = everdex("rename", "--apply", plan["plan_id"], root, "--leave-doubts")
    assert (done.code, done.out) == (2, "")
    assert "is not what it would be now" in done.err
    assert _texts(root, _PYTHON) == {**_PYTHON, path: text} if path in _PYTHON else _PYTHON


def test_what_is_taken_belongs_to_the_plan(tmp_path: Path) -> None:
    """It cannot be named when the plan is carried out: that would be another plan than the one that was shown."""
    root = _tree(tmp_path / "tree", _PYTHON)
    plan = _plan(root, "Box.unpack", "unwrap")
    for more in (("--take-doubts",), ("--take", "app.py:6")):
        done = everdex("rename", "--apply", plan["plan_id"], root, *more)
        assert done.code == 2
        assert "part of the plan" in done.err


def test_typescript_takes_members_and_leaves_what_is_two_names(tmp_path: Path) -> None:
    """An unknown owner's member is edited; a shorthand names a variable as well, which nobody renames."""
    root = _tree(tmp_path / "tree", _TYPESCRIPT)
    plan = _plan(root, "Store.purge", "clear", "--take-doubts")
    assert _taken(plan) == [("use.ts", 4)]
    assert _doubted(plan) == {("use.ts", 5, False)}
    assert everdex("rename", "--apply", plan["plan_id"], root, "--leave-doubts").code == 0
    assert (root / "use.ts").read_text() == _TYPESCRIPT["use.ts"].replace(".purge", ".clear")


def test_rust_takes_methods_of_unknown_values(tmp_path: Path) -> None:
    """Without anything left in doubt the plan needs no decision; the comment keeps the old name."""
    root = _tree(tmp_path / "tree", _RUST)
    plan = _plan(root, "Ranges.covers", "holds", "--take-doubts")
    assert _taken(plan) == [("src/lib.rs", 10)]
    assert everdex("rename", "--apply", plan["plan_id"], root).code == 0
    assert (root / "src/lib.rs").read_text() == _RUST["src/lib.rs"].replace("covers(", "holds(")


def test_a_local_that_only_holds_a_function_is_not_taken(tmp_path: Path) -> None:
    """A parameter keeps its name, so no use of it may lose it."""
    files = {
        "core.py": "def helper():\n    return 1\n",
        "app.py": "import core\n\n\ndef go(helper):\n    return helper()\n\n\ngo(core.helper)\n",
    }
    root = _tree(tmp_path / "tree", files)
    plan = _plan(root, "core.py::helper", "assist", "--take-doubts")
    assert everdex("rename", "--apply", plan["plan_id"], root, "--leave-doubts").code == 0
    assert (root / "app.py").read_text() == files["app.py"].replace("core.helper", "core.assist")


def test_what_leads_elsewhere_is_taken_by_its_line_only(tmp_path: Path) -> None:
    """A library's own, and what both classes are asked for: to take all doubts is not to have looked at these."""
    files = {
        "box.py": "class Box:\n    def unpack(self): ...\n\n\nclass Bag:\n    def unpack(self): ...\n",
        "app.py": (
            "import zipfile\n\nfrom box import Bag, Box\n\n\n"
            "def go(which, unknown):\n"
            "    one = Box() if which else Bag()\n"
            "    one.unpack()\n"
            "    zipfile.unpack()\n"
            "    unknown.unpack()\n"
        ),
    }
    root = _tree(tmp_path / "tree", files)
    plan = _plan(root, "Box.unpack", "unwrap", "--take-doubts")
    assert _taken(plan) == [("app.py", 10)]
    assert {(doubt["line"], doubt["takeable"], doubt["elsewhere"]) for doubt in plan["doubts"]} == {
        (8, True, True), (9, True, True)
    }  # fmt: skip
    assert plan["counts"]["takeable"] == 0
    assert _taken(_plan(root, "Box.unpack", "unwrap", "--take", "app.py:8")) == [("app.py", 8)]
    assert _taken(_plan(root, "Box.unpack", "unwrap", "--take", "app.py")) == [("app.py", 10)]
    (root / "app.py").write_text(files["app.py"].replace("    unknown.unpack()\n", ""))
    done = everdex("rename", "Box.unpack", "unwrap", root, "--plan", "--take", "app.py")
    assert done.code == 2
    assert "what is in doubt at app.py leads elsewhere" in done.err


def test_what_was_taken_is_kept_as_a_decision(tmp_path: Path) -> None:
    """Who looks later finds which places were edited without being certain."""
    root = _tree(tmp_path / "tree", _PYTHON)
    plan = _plan(root, "Box.unpack", "unwrap", "--take", "app.py:6")
    assert everdex("rename", "--apply", plan["plan_id"], root, "--leave-doubts").code == 0
    made = {decision["decision"]: decision for decision in answer_of("state", "--root", root)["decisions"]}
    assert [place["line"] for place in made["take"]["proof"]["places"]] == [6]
    assert {place["line"] for place in made["leave"]["proof"]["places"]} == {2, 7, 10}


def test_a_terminal_shows_which_edits_were_in_doubt(tmp_path: Path) -> None:
    """Beside the line, and below with the reason; and before that how doubts are taken."""
    root = _tree(tmp_path / "tree", _PYTHON)
    before = on_terminal("rename", "Box.unpack", "unwrap", root, "--plan").out
    assert "--take PLACE, or --take-doubts for 4 of them" in before
    assert "(a string that may mean it; by hand)" in before
    taking = ("rename", "Box.unpack", "unwrap", root, "--plan", "--take", "app.py:6")
    shown = on_terminal(*taking, env={"NO_COLOR": "1"}).out
    assert "unknown.unpack()  taken" in shown
    assert "2 files, 1 of them taken from doubt" in shown
    assert "taken: app.py:6:13:unknown.unpack() (untyped parameter)" in shown
