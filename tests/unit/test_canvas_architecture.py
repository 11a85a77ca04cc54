"""From a survey to the picture of an architecture: what is opened, bundled, bounded and told."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from everdex.canvas.architecture import architecture, described
from everdex.canvas.blueprint import blueprint, picture
from everdex.canvas.outline import MAX_CHILDREN, Kind, Part
from everdex.canvas.png import png
from everdex.canvas.scene import Label, Rectangle, Scene
from everdex.canvas.sheet import Caption
from everdex.canvas.survey import Calls, File, Survey
from everdex.canvas.svg import svg

CAPTION = Caption("ab" * 32)


def _survey(files: dict[str, int], uses: list[tuple[str, str]], name: str = "shop") -> Survey:
    paths = sorted(files)
    known = tuple(File(path, "test" if path.startswith("tests/") else "source", files[path]) for path in paths)
    ties = {(paths.index(user), paths.index(used)): (1, 2) for user, used in uses}
    return Survey(name, known, ties, {}, Calls(), (), {})


def _leaves(part: Part) -> list[Part]:
    return [leaf for child in part.children for leaf in _leaves(child)] if part.children else [part]


def _texts(scene: Scene) -> list[str]:
    return [shape.text for shape in scene.shapes if isinstance(shape, Label)]


def test_a_tree_without_code_has_a_picture_that_says_so() -> None:
    """Nothing to draw is told, not an empty sheet or an error."""
    model, scene = picture(_survey({}, []), CAPTION)
    assert model.files == 0
    assert "There is no source code to draw." in _texts(scene)
    assert png(scene).startswith(b"\x89PNG")


def test_one_file_is_one_box() -> None:
    """The smallest repository there is can be drawn."""
    model, scene = picture(_survey({"main.py": 3}, []), CAPTION)
    assert [leaf.key for leaf in _leaves(model.root)] == ["main.py"]
    assert "main.py" in _texts(scene)


def test_every_file_is_in_exactly_one_box() -> None:
    """However directories are opened, bundled and bounded, no file is lost and none is counted twice."""
    files = {f"pkg{number % 40}/part{number % 3}/file{number}.py": number + 1 for number in range(400)}
    for boxes in (8, 20, 44):
        model = architecture(_survey(files, []), boxes)
        inside = sorted(place for leaf in _leaves(model.root) for place in leaf.files)
        assert inside == list(range(400))
        assert sum(leaf.lines for leaf in _leaves(model.root)) == sum(files.values())


def test_what_there_is_no_room_for_is_counted() -> None:
    """A directory with more parts than fit shows the largest, and one box that says for how many it stands."""
    files = {f"file{number:03}.py": number + 1 for number in range(90)}
    chain = [(f"file{number:03}.py", f"file{number + 1:03}.py") for number in range(89)]
    model = architecture(_survey(files, chain), 200)
    assert len(model.root.children) == MAX_CHILDREN
    more = model.root.children[-1]
    assert (more.kind, more.stands_for, more.label) == (Kind.MORE, 65, "+65 more")
    assert "+65 more" in _texts(blueprint(model, CAPTION))


def test_what_there_is_no_room_for_makes_no_cycle() -> None:
    """The box that stands for the first and for the last of a chain is no part that uses both ways."""
    files = {f"file{number:03}.py": 90 - abs(45 - number) for number in range(90)}
    chain = [(f"file{number:03}.py", f"file{number + 1:03}.py") for number in range(89)]
    model = architecture(_survey(files, chain), 200)
    frame = model.frames[model.root.key]
    assert frame.cycles == ()
    assert not any(tie.against for tie in frame.ties)


def test_bundled_files_make_no_cycle_that_is_not_there() -> None:
    """Files above and below the directories beside them are two bundles: one of both would close a cycle."""
    base = {f"base{number}.py": 5 for number in range(20)}
    top = {f"top{number}.py": 5 for number in range(20)}
    files = {**base, **top, "a/x.py": 150, "b/y.py": 150}
    uses = [(name, "a/x.py") for name in top] + [("a/x.py", "b/y.py")] + [("b/y.py", name) for name in base]
    model = architecture(_survey(files, uses), 12)
    assert [part.kind for part in model.root.children].count(Kind.FILES) == 2
    assert model.frames["."].cycles == ()


def test_files_that_are_most_of_a_directory_are_drawn_one_by_one() -> None:
    """A program whose files all lie in one directory, beside a small one, is drawn by its largest files."""
    files = {f"src/part{number:03}.c": 100 + number for number in range(120)} | {"src/modules/hello.c": 50}
    chain = [(f"src/part{number:03}.c", f"src/part{number + 1:03}.c") for number in range(119)]
    model = architecture(_survey(files, chain), 44)
    kinds = [part.kind for part in model.root.children]
    assert Kind.FILES not in kinds
    assert (kinds.count(Kind.FILE), kinds.count(Kind.MORE)) == (MAX_CHILDREN - 1, 1)
    assert {part.label for part in model.root.children if part.kind is Kind.FILE} >= {"part119.c", "part100.c"}


def test_a_cycle_is_told_and_the_rest_follows_its_order() -> None:
    """The edge that closes a cycle is named; an edge that follows from others is not drawn."""
    files = {"a/x.py": 9, "b/y.py": 9, "c/z.py": 9}
    survey = _survey(files, [("a/x.py", "b/y.py"), ("b/y.py", "c/z.py"), ("a/x.py", "c/z.py")])
    told = described(architecture(survey, 44))
    assert [(edge["from"], edge["to"]) for edge in told["edges"] if edge["implied"]] == [("a", "c")]
    assert told["cycles"] == []
    back = _survey(files, [("a/x.py", "b/y.py"), ("b/y.py", "c/z.py"), ("c/z.py", "a/x.py"), ("a/x.py", "c/z.py")])
    told = described(architecture(back, 44))
    assert told["cycles"] == [["a", "b", "c"]]
    assert [(edge["from"], edge["to"]) for edge in told["edges"] if edge["against"]] == [("c", "a")]


def test_tests_stand_apart() -> None:
    """Test files are no boxes of the architecture; each box says how many of them use it."""
    files = {"a/x.py": 9, "b/y.py": 9, "tests/test_x.py": 5, "tests/test_y.py": 5}
    survey = _survey(files, [("tests/test_x.py", "a/x.py"), ("tests/test_y.py", "a/x.py"), ("a/x.py", "b/y.py")])
    model, scene = picture(survey, CAPTION)
    assert [leaf.key for leaf in _leaves(model.root)] == ["a", "b"]
    assert model.tested_by == {".": 2, "a": 2, "b": 0}
    assert {"used by 2 test files", "no test names it", "tests"} <= set(_texts(scene))


@pytest.mark.parametrize("name", ["<script>x</script>", "a\x1b[31mb", "\u202egnp.py", "שלום", "x" * 200, "&amp;'\""])
def test_hostile_names_are_drawn_as_text(name: str) -> None:
    """Directories and roots may be called anything: the document stays whole and labels stay in their boxes."""
    survey = _survey({f"{name}/a.py": 5, "b/c.py": 5}, [(f"{name}/a.py", "b/c.py")], name=name)
    _, scene = picture(survey, CAPTION)
    ElementTree.fromstring(svg(scene).encode())
    assert png(scene).startswith(b"\x89PNG")
    for shape in scene.shapes:
        if isinstance(shape, Label):
            assert shape.width <= scene.width
        elif isinstance(shape, Rectangle):
            assert shape.x >= 0
            assert shape.x + shape.width <= scene.width


def test_a_large_repository_still_fits_a_sheet() -> None:
    """A thousand directories that use each other come out as a picture of bounded size."""
    files = {f"d{number // 25}/e{number}/f.py": 10 + number % 7 for number in range(1_000)}
    paths = sorted(files)
    uses = [(paths[number], paths[(number * 7 + 3) % 1_000]) for number in range(1_000)]
    _, scene = picture(_survey(files, [use for use in uses if use[0] != use[1]]), CAPTION)
    assert len(scene.shapes) < 800
    assert len(svg(scene)) < 200_000
    assert len(png(scene, max_bytes=60_000)) <= 60_000  # unbounded it has 90,000


def test_the_same_survey_gives_the_same_picture() -> None:
    """Nothing but the survey and the caption decides."""
    files = {f"p{number % 5}/m{number}.py": number for number in range(60)}
    uses = [(f"p{number % 5}/m{number}.py", f"p{(number + 1) % 5}/m{(number + 1) % 60}.py") for number in range(60)]
    one = picture(_survey(files, uses), CAPTION)
    other = picture(_survey(dict(reversed(files.items())), uses[::-1]), CAPTION)
    assert svg(one[1]) == svg(other[1])
