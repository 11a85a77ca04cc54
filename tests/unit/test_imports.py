"""The way through the house is one-way: a module imports only from rooms to its left, or its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import everdex

SOURCE = Path(everdex.__file__).parent

ROOMS: tuple[tuple[str, ...], ...] = (
    (
        "__init__",
        "errors",
        "limits",
        "clock",
        "versions",
        "interpreters",
        "languages",
        "config",
        "roots",
        "settings",
        "durable",
        "numeric", "memory", "machine", "wording", "nearby", "strangers",
    ),
    ("discover",),
    ("changes",),
    ("parse",),
    ("facts",),
    ("identity",),
    ("terms",),
    ("embed",),
    ("segment",),
    ("snapshot",),
    ("sync",),
    ("view",),
    ("semantic",),
    ("graph",),
    ("state",),
    ("rerank",),
    ("search",),
    ("canvas",),
    ("upkeep",),
    ("service",),
    ("surfaces", "__main__"),
)
PLACE = {name: place for place, names in enumerate(ROOMS) for name in names}


def test_the_design_names_every_room_in_this_order() -> None:
    """The pipeline that a newcomer reads, and the table below it, are the one that is held here."""
    page = (SOURCE.parents[1] / "docs" / "design.md").read_text()
    rooms = [name for names in ROOMS for name in names if (SOURCE / name).is_dir()]
    pipeline = page.partition("```\ndiscover")[2].partition("```")[0]
    assert re.findall(r"\w+", "discover" + pipeline) == rooms
    table, _, rest = page.partition("Left of everything:\n")
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == rooms
    leftmost = re.findall(r"^\| (`.+?) \|", rest.partition("\n## ")[0], re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(leftmost))) == set(ROOMS[0]) - {"__init__"}


@pytest.mark.parametrize("room", ["canvas", "parse", "search", "service", "surfaces/daemon"])
def test_a_large_room_names_its_modules(room: str) -> None:
    """Where the way splits into many modules, the map at its head has all of them."""
    modules = {path.stem for path in (SOURCE / room).glob("*.py")} - {"__init__"}
    page = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text())) or ""
    assert modules - set(re.findall(r"\w+", page)) == set()


def test_the_rooms_of_the_graph_are_one_way() -> None:
    """Below `graph`, too, a room imports only from those before it in the line at its head."""
    home = SOURCE / "graph"
    page = ast.get_docstring(ast.parse((home / "__init__.py").read_text())) or ""
    line = next(each for each in page.split("\n") if "→" in each)
    places = {room: place for place, room in enumerate(re.findall(r"\w+", line))}
    assert {path.parent.name for path in home.glob("*/__init__.py")} == set(places) | {"python", "javascript", "names"}
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} imports {target}"
        for room, place in places.items()
        for path in (home / room).glob("*.py")
        for line, target in _imports(path)
        if target.startswith("everdex.graph.") and places.get(target.split(".")[2], 0) > place
    ]
    assert wrong == []


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def _is_api(target: str) -> bool:
    """The package's face lends its name to the API; it imports it for types only, and lazily."""
    return target.startswith("everdex.surfaces.api.")


def _modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(SOURCE.rglob("*.py")):
        relative = path.relative_to(SOURCE).with_suffix("")
        yield ".".join(("everdex", *relative.parts)), path


@cache
def _imports(path: Path) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for node in _statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = (alias.name for alias in node.names)
            found += [(node.lineno, name) for name in names if name.split(".")[0] == "everdex"]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative imports hide which room is meant"
            if node.module == "everdex":
                found += [(node.lineno, f"everdex.{alias.name}") for alias in node.names if alias.name in PLACE]
            elif node.module and node.module.startswith("everdex."):
                found.append((node.lineno, node.module))
    return found


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """What is below a node, without expressions: no import is inside one."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield child
            yield from _statements(child)


def test_every_module_belongs_to_a_room() -> None:
    """A new file at the top of the package must be given its place in the order."""
    strangers = [name for name, _ in _modules() if _room(name) not in PLACE]
    assert strangers == []


def test_no_module_imports_from_a_room_to_its_right() -> None:
    """Packages import only leftward along the pipeline, also inside functions and for types only."""
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} imports {target}"
        for name, path in _modules()
        for line, target in _imports(path)
        if PLACE[_room(target)] > PLACE[_room(name)] and not (name == "everdex.__init__" and _is_api(target))
    ]
    assert wrong == []


def test_numpy_has_one_door() -> None:
    """Thread counts are fixed before numpy loads, so only everdex.numeric imports it."""
    others = [
        str(path.relative_to(SOURCE))
        for name, path in _modules()
        if name != "everdex.numeric" and "numpy" in (text := path.read_text())  # the others need not be parsed
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "numpy" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numpy")
    ]
    assert others == []


def test_surfaces_reach_stores_only_through_the_service() -> None:
    """No surface opens a store, a snapshot, a segment or a view by itself."""
    forbidden = {"segment", "snapshot", "view", "embed", "parse", "changes", "discover", "identity", "upkeep"}
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} imports {target}"
        for name, path in _modules()
        if _room(name) == "surfaces"
        for line, target in _imports(path)
        if _room(target) in forbidden
    ]
    assert wrong == []
