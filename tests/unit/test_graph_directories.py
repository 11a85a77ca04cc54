"""Which directories a map shows: by what others use and how much source there is, not by how many files."""

from __future__ import annotations

from everdex.graph.overview.directories import Tree, of_tests
from everdex.languages import role_of


def _tree(files: dict[str, float]) -> Tree:
    return Tree([(path, "typescript") for path in files], {path: role_of(path) for path in files}, files)


FILES = {
    **{f"playground/case{number}/page.ts": 0.0 for number in range(30)},
    **{f"packages/core/src/part{number}.ts": 20.0 for number in range(6)},
    **{f"packages/core/src/server/part{number}.ts": 9.0 for number in range(3)},
    "packages/core/test/one.test.ts": 0.0,
    ".github/workflows/ci.yml": 0.0,
    "deep/er/est/file.ts": 0.0,
}


def test_what_others_use_comes_before_what_there_is_much_of() -> None:
    """A package is shown and opened before a playground with more files; directories of tools come last."""
    tree = _tree(FILES)
    paths = [item.path for item in tree.by_importance()]
    assert paths[:5] == ["", "packages/core", "deep/er/est", "playground", ".github/workflows"]
    assert paths[5] == "packages/core/src/server"


def test_a_directory_that_is_nearly_all_of_another_is_left_to_what_is_inside_it() -> None:
    """`packages/core/src` says nothing that `packages/core` does not; what is inside it stands one step further in."""
    tree = _tree(FILES)
    every = tree.by_importance()
    assert "packages/core/src" not in [item.path for item in every]
    assert {item.path: tree.level(item) for item in every}["packages/core/src/server"] == 1
    order = [item.path for item in tree.in_order(every)]
    assert order.index("packages/core/src/server") == order.index("packages/core") + 1


def test_tests_are_told_by_the_outermost_directory_of_little_else() -> None:
    """Where they are comes first, after it one step inside; those beside sources count for their directory."""
    files = [f"tests/unit/test_{number}.py" for number in range(3)] + ["tests/slow/test_a.py", "tests/slow/test_b.py"]
    files += ["tests/slow/deep/deeper/test_a.py", "lib/t/test/java/test_c.py", "lib/t/x.py"]
    files += ["src/app.py", "src/other.py", "src/app_test.py", "test_top.py", "setup.py"]
    assert of_tests({path: role_of(path) for path in files}) == [
        ("tests", 6), ("", 1), ("lib/t/test", 1), ("src", 1), ("tests/slow", 3), ("tests/unit", 3),
    ]  # fmt: skip
