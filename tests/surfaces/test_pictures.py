"""Pictures as users and agents get them: the command line, the Python API, a daemon and MCP."""

from __future__ import annotations

import base64
import io
import json
import re
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import everdex as package
from everdex.errors import Busy
from support.commands import everdex
from support.processes import PATIENCE_S
from support.trees import tree

GOLDEN = Path(__file__).resolve().parents[1] / "fixtures" / "pictures"
SHOP = {
    "shop/__init__.py": "",
    "shop/stock/__init__.py": "from shop.stock.shelf import Shelf\n",
    "shop/stock/shelf.py": (
        "from shop.money import price\n\n\n"
        "class Shelf:\n    def take(self, count: int) -> int:\n        return price(count)\n"
    ),
    "shop/money.py": "def price(count: int) -> int:\n    return count\n",
    "shop/till.py": (
        "from shop.stock import Shelf\nfrom shop.money import price\n\n\n"
        "def sell(count: int) -> int:\n    return Shelf().take(count) + price(1)\n\n\n"
        "def main() -> int:\n    return sell(1)\n"
    ),
    "tests/test_till.py": "from shop.till import sell\n\n\ndef test_sell():\n    assert sell(1) == 2\n",
    "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.till:main"\n',
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree(tmp_path_factory.mktemp("pictures") / "shop", SHOP, git=True)


def _plain(svg: str) -> str:
    """Without what names the content and the moment."""
    return re.sub(r"snapshot \w{26}", "snapshot SNAPSHOT", re.sub(r"digest [0-9a-f]{16,64}", "digest DIGEST", svg))


@pytest.mark.parametrize(
    ("name", "command"),
    [("architecture", ["architecture", "-o"]), ("impact", ["impact", "price", "--picture"])],
)
def test_pictures_look_as_they_did(project: Path, tmp_path: Path, name: str, command: list[str]) -> None:
    """The golden pictures: whoever changes the look changes these files, and looks at them."""
    done = everdex(*command, tmp_path / "out.svg", cwd=project)
    assert done.code == 0, done.err
    drawn = _plain((tmp_path / "out.svg").read_text())
    assert drawn == (GOLDEN / f"{name}.svg").read_text()
    ElementTree.fromstring(drawn)


def test_an_architecture_is_drawn_into_the_canvas(project: Path) -> None:
    """Without -o the store has it, and the answer says where; the list of parts goes to stdout."""
    done = everdex("architecture", "--json", cwd=project)
    canvas = done.json["canvas"]
    assert canvas["published"]
    assert Path(canvas["latest"]).read_bytes() == Path(canvas["path"]).read_bytes()
    assert done.json["digest"] in canvas["path"]
    assert [edge["to"] for edge in done.json["architecture"]["edges"] if edge["from"] == "shop/till.py"] == [
        "shop/money.py", "shop/stock",
    ]  # fmt: skip
    listed = everdex("architecture", cwd=project)
    assert listed.lines[0] == "shop: 5 files, 19 lines"
    assert "  till.py: 1 file, 10 lines, entry point" in listed.lines
    assert "drawn into" in listed.err


def test_files_say_by_their_names_what_they_are(project: Path, tmp_path: Path) -> None:
    """.svg and .png, light and dark; the envelope has size and checksum in place of the data."""
    for name, dark in (("a.svg", []), ("a.png", []), ("b.svg", ["--dark"]), ("b.png", ["--dark"])):
        done = everdex("architecture", "--json", "-o", tmp_path / name, *dark, cwd=project)
        assert done.json["picture"]["output"] == str(tmp_path / name)
        assert done.json["picture"]["bytes"] == (tmp_path / name).stat().st_size
        assert "data" not in done.json["picture"]
    light, dark_one = (Image.open(tmp_path / name).convert("RGB").getpixel((2, 2)) for name in ("a.png", "b.png"))
    assert (sum(light) > 700, sum(dark_one) < 100) == (True, True)
    assert "prefers-color-scheme" in (tmp_path / "a.svg").read_text()
    assert "prefers-color-scheme" not in (tmp_path / "b.svg").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["architecture", "-o", "picture.gif"],
        ["architecture", "--dark"],
        ["architecture", "--depth", "2"],
        ["architecture", "--depth", "9", "-o", "a.svg"],
        ["impact", "price", "--picture", "a.svg", "--draw"],
    ],
)
def test_what_cannot_be_drawn_is_refused(project: Path, arguments: list[str]) -> None:
    """A wrong ending, a second look for the canvas, a depth out of bounds: exit code 2, and nothing is written."""
    done = everdex(*arguments, cwd=project)
    assert done.code == 2
    assert not list(project.glob("*.svg")) + list(project.glob("*.gif"))


def test_a_file_that_cannot_be_written_is_a_coded_error(project: Path, tmp_path: Path) -> None:
    """A directory that is not there is told by name."""
    done = everdex("architecture", "--json", "-o", tmp_path / "no" / "a.svg", cwd=project)
    assert done.json["error"]["code"] == "io_error"


def test_a_tree_without_code_can_be_drawn(tmp_path: Path) -> None:
    """No file, or only documents: a picture that says so, and exit code 1 for nothing found."""
    root = tree(tmp_path / "empty", {"README.md": "# Nothing\n"})
    done = everdex("architecture", "-o", tmp_path / "empty.svg", root)
    assert done.code == 1
    assert "There is no source code to draw." in (tmp_path / "empty.svg").read_text()


def test_no_picture_of_what_is_not_one_symbol(project: Path, tmp_path: Path) -> None:
    """Where none or several definitions fit, nothing is drawn and the answer is what it is without a picture."""
    done = everdex("impact", "nothing_is_called_so", "--picture", tmp_path / "none.svg", cwd=project)
    assert done.code == 1
    assert not (tmp_path / "none.svg").exists()


def test_test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """In the picture of an impact they have their directories before them; others do not."""
    test = "from shop.money import price\n\n\ndef test_price():\n    assert price(1)\n"
    names = ("tests/one/tests.py", "tests/two/tests.py", "tests/two/test_other.py")
    root = tree(tmp_path / "shop", {**SHOP, **dict.fromkeys(names, test)})
    assert everdex("impact", "price", root, "--picture", tmp_path / "a.svg").code == 0
    drawn = re.findall(r">([^<>]*test[^<>]*\.py)</text>", (tmp_path / "a.svg").read_text())
    assert {"one/tests.py", "two/tests.py", "test_other.py"} <= set(drawn)


def test_the_api_gives_pictures(project: Path) -> None:
    """`architecture` and `impact_picture`, in both forms; a bound on bytes is kept."""
    with package.open(project, daemon=False) as index:
        found = index.architecture(format="png", max_bytes=40_000)
        assert found.picture is not None
        assert found.picture.content.startswith(b"\x89PNG")
        assert found.picture.bytes == len(found.picture.content) <= 40_000
        assert found.architecture["name"] == "shop"
        assert index.architecture(format=None).picture is None
        drawn = index.impact_picture("price")
        assert drawn.picture is not None
        assert drawn.picture.content.decode().startswith("<svg")
        assert {item["qualified_name"] for item in drawn.affected} >= {"shop.till.sell", "shop.till.main"}


def test_a_daemon_draws_the_same(project: Path, tmp_path: Path) -> None:
    """Through the daemon and without it a picture has the same bytes."""
    try:
        ends = time.monotonic() + PATIENCE_S
        while True:  # on a busy machine the graph may take longer than a daemon lets somebody wait
            over = everdex("impact", "price", "--picture", tmp_path / "a.png", "--daemon", cwd=project)
            if over.code != Busy.exit_code or time.monotonic() > ends:
                break
        assert over.code == 0, over.err
        everdex("architecture", "-o", tmp_path / "a.svg", "--daemon", cwd=project)
    finally:
        everdex("stop", cwd=project)
    everdex("impact", "price", "--picture", tmp_path / "b.png", "--offline", cwd=project)
    everdex("architecture", "-o", tmp_path / "b.svg", "--offline", cwd=project)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_agents_get_images(tmp_path: Path) -> None:
    """MCP: text, and image content of at most 200,000 bytes; the structured reply has its size, not its bytes."""
    pytest.importorskip("mcp", reason="the MCP server is an extra: pip install 'everdex[mcp]'")
    from support.agents import Agent

    root = tree(tmp_path / "shop", SHOP, git=True)
    env = {"EVERDEX_HOME": str(tmp_path / "home"), "EVERDEX_EMBEDDER": "fake"}
    try:
        with Agent(root, env=env) as agent:
            plain = agent.run(agent.client.call_tool, "impact", {"symbol": "price"})
            assert [part.type for part in plain.content] == ["text"]
            for tool, arguments in (("impact", {"symbol": "price", "picture": True}), ("architecture", {})):
                found: Any = agent.run(agent.client.call_tool, tool, arguments)
                assert not found.is_error, found.content
                text, image = found.content
                assert image.mime_type == "image/png"
                data = base64.b64decode(image.data)
                assert len(data) == found.structured_content["picture"]["bytes"] <= 200_000
                assert min(Image.open(io.BytesIO(data)).size) > 100
                assert image.data not in json.dumps(found.structured_content)
                assert "shop" in text.text
    finally:
        everdex("stop", root, env=env)


def test_who_is_handed_a_function_does_not_use_its_file(tmp_path: Path) -> None:
    """A callback makes no layer look upside down; what a package passes on is a use of the file that defines it."""
    files = {
        "core/run.py": "def run(callback):\n    return callback()\n",
        "app/main.py": (
            "from core.run import run\n\n\n"
            "def handler():\n    return 1\n\n\ndef main():\n    return run(handler)\n"
        ),
        "lib/__init__.py": "from lib.impl import thing\n",
        "lib/impl/__init__.py": "from lib.impl.deep.thing import thing\n",
        "lib/impl/deep/thing.py": "def thing():\n    return 1\n",
        "web/page.py": "import lib\n\n\ndef page():\n    return lib.thing()\n",
    }
    root = tree(tmp_path / "tree", files, git=True)
    drawn = everdex("architecture", "-o", tmp_path / "a.svg", "--json", "--depth", 3, cwd=root).json
    edges = {(edge["from"], edge["to"]) for edge in drawn["architecture"]["edges"]}
    callees = {callee["path"] for callee in everdex("callees", "core/run.py::run", "--json", cwd=root).json["callees"]}
    assert callees == {"app/main.py"}
    assert edges == {
        ("app", "core"), ("web", "lib"), ("lib/__init__.py", "lib/impl"), ("lib/impl/__init__.py", "lib/impl/deep"),
    }  # fmt: skip
    uses = {edge["to"]: edge["uses"] for edge in drawn["architecture"]["edges"] if edge["from"] == "web"}
    assert uses == {"lib": 2}  # the package is named, and the function called


def test_who_calls_an_interface_of_go_does_not_use_those_that_implement_it(tmp_path: Path) -> None:
    """A package is used by whoever imports it, and by its own files; what is behind an interface was handed in."""
    files = {
        "go.mod": "module example.com/x\n",
        "core/core.go": "package core\n\ntype App interface{ Start() error }\n",
        "core/run.go": "package core\n\nfunc Run(a App) error { return a.Start() }\n",
        "web/web.go": (
            'package web\n\nimport "example.com/x/core"\n\ntype Web struct{}\n\n'
            "func (w *Web) Start() error { return nil }\n\nfunc Go() error { return core.Run(&Web{}) }\n"
        ),
    }
    root = tree(tmp_path / "tree", files, git=True)
    callees = {callee["path"] for callee in everdex("callees", "core/run.go::Run", "--json", cwd=root).json["callees"]}
    assert "web/web.go" in callees
    drawn = everdex("architecture", "-o", tmp_path / "a.svg", "--json", "--depth", 2, cwd=root).json["architecture"]
    edges = {(edge["from"], edge["to"]) for edge in drawn["edges"]}
    assert ("web", "core") in edges
    assert ("core", "web") not in edges
    assert drawn["cycles"] == []


@pytest.mark.parametrize(
    "named", ['low = { path = "../low" }', 'lower = { package = "low", version = "1" }', "low.workspace = true"]
)
def test_a_crate_does_not_use_those_that_are_built_upon_it(tmp_path: Path, named: str) -> None:
    """Cargo allows no cycle: who calls a trait does not use those that implement it. Nonsense in a manifest is none."""
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["low", "high"]\n[workspace.dependencies]\nlow = { path = "low" }\n',
        "low/Cargo.toml": '[package]\nname = "low"\n',
        "low/src/lib.rs": "pub trait Hook { fn fire(&self); }\npub fn run(hook: &dyn Hook) {\n    hook.fire();\n}\n",
        "high/Cargo.toml": f'[package]\nname = "high"\n[dependencies]\n{named}\n',
        "high/src/lib.rs": (
            "pub struct Bell;\nimpl low::Hook for Bell {\n    fn fire(&self) {}\n}\n"
            "pub fn ring() {\n    low::run(&Bell);\n}\n"
        ),
        "odd/Cargo.toml": '[package]\nname = ["x"]\n[dependencies]\na = 1\nb = { path = 2, package = {} }\n',
        "odd/src/lib.rs": "pub fn odd() {}\n",
    }
    root = tree(tmp_path / "project", files, git=True)
    found = everdex("architecture", "--json", cwd=root).json["architecture"]
    assert [(edge["from"], edge["to"]) for edge in found["edges"]] == [("high/src", "low/src")]
    assert found["cycles"] == []
