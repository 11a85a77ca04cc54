"""The whole graph for other programs and for people in a hurry: JSON, tags, dot, SCIP, and the map."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everdex.graph import resolvers
from everdex.service import exporting
from everdex.service.index import Index, Reading
from everdex.sync.model import SyncOptions
from support.graphs import PROGRAM, asker
from support.stores import Workspace, synced

pytestmark = pytest.mark.usefixtures("toy")


# -- the map -----------------------------------------------------------------------------------


def test_the_map_fits_its_budget_and_says_what_it_left_out(tmp_path: Path) -> None:
    """Every section is counted; a smaller budget omits more and never exceeds itself."""
    many = {f"pkg{n}/m{n}.txt": f"import hub\ndef f{n}(a, b)\ncall centre\ncall lib.tool\n" for n in range(40)}
    made = synced(tmp_path / "tree", {**many, "hub.txt": "def centre(much)\ndef unused()\n"})
    ask = asker(made)
    large, small = ask("map", budget=5_000), ask("map", budget=300)
    for answer, budget in ((large, 5_000), (small, 300)):
        shown = sum(-(-(len(item["text"].encode()) + 1) // 3) for part in answer["sections"] for item in part["items"])
        assert shown <= answer["budget"]["used"] <= budget
    assert sum(part["omitted"] for part in small["sections"]) > sum(part["omitted"] for part in large["sections"])
    central = next(part for part in large["sections"] if part["name"] == "central")["items"]
    assert central[0]["qualified_name"] == "hub.centre"
    assert ask("map", budget=300)["sections"] == small["sections"]


def test_the_map_names_what_a_newcomer_must_know_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large class that three files use stands before a logger that all use and a helper of one line; a test's use
    counts less, and its own file's is enough for a place."""
    monkeypatch.setattr(resolvers, "MODULES", ("everdex.graph.python",))
    engine = "class Engine:\n" + "".join(f"    def step{n}(self):\n        return {n}\n" for n in range(20))
    imports = "from app.engine import Engine\nfrom app.small import log, tiny\n\n"
    users = {
        f"app/user{n}.py": f"{imports}def use{n}():\n    log(tiny())\n    return Engine().step{n}()\n" for n in range(3)
    }
    tests = {f"tests/test_{n}.py": "from app.tested import tried\n\ndef test_it():\n    tried(1)\n" for n in range(3)}
    made = synced(
        tmp_path / "tree",
        {
            "app/__init__.py": "", "app/engine.py": engine, **users, **tests,
            "app/small.py": "log = print\n\ndef tiny():\n    return 1\n",
            "app/tested.py": "def tried(x):\n    return _own(x)\n\ndef _own(x):\n    return x\n",
        },
    )  # fmt: skip
    central = next(part for part in asker(made)("map")["sections"] if part["name"] == "central")["items"]
    names = [item["qualified_name"] for item in central if ".step" not in item["qualified_name"]]
    assert names == ["app.engine.Engine", "app.small.tiny", "app.tested.tried", "app.small.log", "app.tested._own"]


def test_the_map_leaves_somebody_elses_code_out_of_what_is_central(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that is kept in the tree may be the most widely used of all; a newcomer need not begin with it."""
    monkeypatch.setattr(resolvers, "MODULES", ("everdex.graph.python",))
    users = {f"use{n}.py": "from deps.kit import load\nfrom own import run\n\nload(run())\n" for n in range(3)}
    kit = "def load(path):\n    return path\n\n\ndef main():\n    return 1\n"
    made = synced(tmp_path / "tree", {**users, "deps/kit.py": kit, "own.py": "def run():\n    return 1\n"})
    answer = asker(made)("map")
    sections = {part["name"]: part["items"] for part in answer["sections"]}
    assert not any(item["path"] == "deps/kit.py" for name in ("public_api", "entry_points", "central")
                   for item in sections[name])  # fmt: skip
    assert [item["qualified_name"] for item in sections["central"]] == ["own.run"]
    assert answer["sections"][-1]["omitted"] == 0  # there is room: nothing was left out


def test_the_map_takes_no_package_of_its_own_for_a_dependency(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one passes on from outside has its name; what a library in the tree needs is not what the tree needs."""
    monkeypatch.setattr(resolvers, "MODULES", ("everdex.graph.names",))
    manifests = {f"{name}/Cargo.toml": f'[package]\nname = "{name}"\n' for name in ("kit-core", "kit-app")}
    made = synced(tmp_path / "tree", {
        **manifests, "kit-core/src/lib.rs": "pub use anyhow::Result;\n",
        "kit-app/src/lib.rs": "use kit_core::Result;\nuse serde::Serialize;\n\npub fn run() -> Result<()> { Ok(()) }\n",
        "vendor/old/src/lib.rs": "use libc::c_int;\n",
    })  # fmt: skip
    found = next(part for part in asker(made)("map")["sections"] if part["name"] == "dependencies")["items"]
    assert {"serde"} <= {item["name"] for item in found} <= {"serde", "anyhow"}


def test_the_map_says_what_a_directory_consists_of_where_it_is_news(tmp_path: Path) -> None:
    """Not below one that consists of the same."""
    files = {f"lib/{part}/{n}.txt": "def f()\n" for part in ("core", "edge") for n in range(3)}
    more = {f"page/{n}.html": "<p>\n" for n in range(2)} | {"top.txt": "def f()\n"}
    structure = next(part for part in asker(synced(tmp_path / "tree", files | more))("map")["sections"] if
                     part["name"] == "structure")["items"]  # fmt: skip
    assert {item["text"] for item in structure} == {
        "./ 9 files, mostly text", "lib/ 6 files", "  core/ 3 files", "  edge/ 3 files",
        "page/ 2 files, mostly html",
    }  # fmt: skip
    assert {item["language"] for item in structure} == {"text", "html"}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"pyproject.toml": '[project]\ndescription = "A kit\\nfor  things"\n', "README.md": "It is no such thing.\n"},
         ("A kit for things", "pyproject.toml")),
        ({"Cargo.toml": '[workspace.package]\ndescription = "Fast."\n'}, ("Fast.", "Cargo.toml")),
        ({"package.json": '{"description": 3}', "README.md": (
            "# Kit [![ci](x.svg)](y)\n\n<p align='center'><img src='a.png'> Docs · Chat · Help us here</p>\n\n"
            "Kit is a **small** [tool](http://x) that\nkeeps things.\n\nMore of it here, and more.\n")},
         ("Kit is a small tool that keeps things.", "README.md")),
        ({"README.rst": "Kit\n===\n\n.. image:: a.png\n\nKit keeps all of your things.\n"},
         ("Kit keeps all of your things.", "README.rst")),
        ({"README.md": (
            "<p>Get it cheap: <a href='http://x'>100 free credits for you</a>!</p>\n\n"
            "Kit keeps [your things](http://y) where you left them.\n")},
         ("Kit keeps your things where you left them.", "README.md")),
        ({"README.md": "Please read [all of our handbook](http://x) first.\n"}, None),
        ({"README.md": "# Kit\n\n## Install\n\nPlease follow what is written elsewhere.\n"}, None),
        ({"README.md": "<" * 20_000, "package.json": "["}, None),
        ({"README": f"It is {'very ' * 100}long. And so on.\n"}, (f"It is {'very ' * 46}…", "README")),
    ],
)  # fmt: skip
def test_the_map_begins_with_what_the_repository_says_it_is(
    tmp_path: Path, files: dict[str, str], said: tuple[str, str] | None
) -> None:
    """Its manifest's words, else the first sentence of its README; nothing rather than an installation note."""
    about = asker(synced(tmp_path / "tree", {**files, "a.py": "x = 1\n"}))("map")["sections"][0]
    assert about["name"] == "about"
    assert [(item["text"], item["path"]) for item in about["items"]] == ([said] if said else [])


def test_a_hostile_manifest_does_not_break_the_map(tmp_path: Path) -> None:
    """pyproject.toml and package.json are the repository's own words."""
    made = synced(
        tmp_path / "tree",
        {
            "pyproject.toml": "[project]\nscripts = 3\n", "a/pyproject.toml": "][", "package.json": '{"bin": {"x": 7}}',
            "b/package.json": '["bin"]', "c/pyproject.toml": '[project.scripts]\ntool = "pkg:main"\n',
        },
    )  # fmt: skip
    entries = next(part for part in asker(made)("map")["sections"] if part["name"] == "entry_points")["items"]
    assert [item["name"] for item in entries] == ["tool"]


def test_the_map_takes_an_index_for_an_entry_point_only_where_a_package_begins(tmp_path: Path) -> None:
    """What only gathers its neighbours is none; one command may be called like its package."""
    made = synced(
        tmp_path / "tree",
        {
            "packages/tool/package.json": '{"name": "@us/tool", "bin": "./cli.js"}', "packages/tool/cli.js": "run()\n",
            "packages/tool/src/index.ts": "export * from './parts'\n",
            "packages/tool/src/parts/index.ts": "export const one = 1\n",
        },
    )  # fmt: skip
    entries = next(part for part in asker(made)("map")["sections"] if part["name"] == "entry_points")["items"]
    assert [item["text"] for item in entries] == [
        "packages/tool/package.json: tool = ./cli.js", "packages/tool/src/index.ts: by its name",
    ]  # fmt: skip


# -- export ------------------------------------------------------------------------------------


def _exported(made: Workspace, form: str) -> bytes:
    printing = exporting.Printing(json.dumps, str)
    with exporting.export(Index.open(made.path), form, Reading(), SyncOptions(workers=1), printing) as found:
        return b"".join(found.pieces)


def test_the_json_export_has_every_node_edge_and_loose_end(tmp_path: Path) -> None:
    """Edges join ids of nodes; each site is an edge's, unresolved or external."""
    document = json.loads(_exported(synced(tmp_path / "tree", PROGRAM), "json"))
    names = {node["id"]: node["qualified_name"] for node in document["nodes"]}
    assert len(names) == len(document["nodes"])
    assert set(document["nodes"][0]) == {"id", "kind", "qualified_name", "path", "start_line", "end_line"}
    edges = {
        (names[edge["from"]], names[edge["to"]], edge["kind"], edge["certainty"]): edge["sites"]
        for edge in document["edges"]
    }
    assert edges["app.run", "core.load", "calls", "resolved"] == [[3, 5]]
    assert edges["loose", "core.load", "calls", "ambiguous"] == [[2, 5]]
    assert edges["disk.Disk", "disk.Device", "inherits", "resolved"] == [[2, 6]]
    assert edges["core", "core.load", "contains", "resolved"] == [[2, 4]]
    assert {edge["layer"] for edge in document["edges"]} == {"syntactic"}
    assert document["unresolved"] == [
        {"path": "app.txt", "line": 5, "column": 5, "text": "missing", "reason": "nothing is called so"}
    ]
    assert [(item["path"], item["names"]) for item in document["external"]] == [("app.txt", ["lib.start"])]
    assert [item["path"] for item in document["files"]] == sorted(PROGRAM)
    assert document["snapshot_id"]


def test_the_interface_hash_is_of_what_others_see(tmp_path: Path) -> None:
    """Bodies and private names leave it alone; a public signature does not."""
    made = synced(tmp_path / "tree", PROGRAM)

    def interface() -> str:
        files = json.loads(_exported(made, "json"))["files"]
        return str(next(item["interface"] for item in files if item["path"] == "core.txt"))

    before = interface()
    made.write({"core.txt": "\ndef load(path)\ncall lib.x\ndef _other()\n"})
    assert interface() == before
    made.write({"core.txt": "def load(path, more)\n"})
    assert interface() != before


def test_tags_are_sorted_and_extended(tmp_path: Path) -> None:
    """Bytewise, as readers that bisect expect."""
    lines = _exported(synced(tmp_path / "tree", PROGRAM), "ctags").split(b"\n")[:-1]
    assert lines == sorted(lines)
    assert b'load\tcore.txt\t2;"\tkind:function\tline:2\tlanguage:text\tsignature:(path)\taccess:public\tend:4' in lines


def test_dot_quotes_everything(tmp_path: Path) -> None:
    """A name cannot leave its quotes."""
    text = _exported(synced(tmp_path / "tree", {"a.txt": 'def x"];evil[\\(y)\ncall x\n'}), "dot").decode()
    assert 'label="a.x\\"];evil[\\\\"' in text
    assert text.startswith("digraph everdex {\n")
    assert text.endswith("}\n")


def test_dot_shortens_names_that_graphviz_would_not_read(tmp_path: Path) -> None:
    """It refuses texts of more than 16,384 characters; the end of a long name says most."""
    text = _exported(synced(tmp_path / "tree", {"a.txt": f"def {'x' * 20_000}_end(y)\n"}), "dot").decode()
    assert max(map(len, text.splitlines())) < 1_000
    assert '_end", tooltip=' in text


# -- SCIP --------------------------------------------------------------------------------------


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """(field, number or bytes) of a protocol buffer message."""
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            assert tag & 7 == 2
            length = varint()
            yield tag >> 3, data[place : place + length]
            place += length


def _all(data: bytes, field: int) -> list[Any]:
    return [value for number, value in _fields(data) if number == field]


def test_scip_has_a_document_a_file_with_definitions_and_references(tmp_path: Path) -> None:
    """Read back by a decoder of its own: ranges, roles, symbols, relationships."""
    index = _exported(synced(tmp_path / "tree", PROGRAM), "scip")
    (metadata,) = _all(index, 1)
    assert _all(_all(metadata, 2)[0], 1) == [b"everdex"]
    documents = {_all(item, 1)[0]: item for item in _all(index, 2)}
    assert sorted(documents) == sorted(name.encode() for name in PROGRAM)
    occurrences = {
        (tuple(_all(item, 1)[0]), _all(item, 2)[0].decode(), _all(item, 3)[0])
        for item in _all(documents[b"app.txt"], 2)
    }
    assert ((1, 4, 7), "everdex . . . `app.txt`/run().", 1) in occurrences
    assert ((2, 5, 9), "everdex . . . `core.txt`/load().", 8) in occurrences
    tested = {_all(item, 3)[0] for item in _all(documents[b"tests/test_app.txt"], 2)}
    assert tested == {1 | 32, 8 | 32}
    symbols = {_all(item, 1)[0].decode(): item for item in _all(documents[b"disk.txt"], 3)}
    disk = symbols["everdex . . . `disk.txt`/Disk#"]
    assert _all(disk, 5) == [7]
    assert _all(_all(disk, 4)[0], 1) == [b"everdex . . . `disk.txt`/Device#"]


def test_scip_says_a_thing_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A base class is named and inherited from in one place, which is one occurrence."""
    monkeypatch.setattr(resolvers, "MODULES", ("everdex.graph.python",))
    made = synced(tmp_path / "tree", {"a.py": "class Base:\n    pass\n\nclass Heir(Base):\n    pass\n"})
    (document,) = _all(_exported(made, "scip"), 2)
    assert len(_all(document, 2)) == len(set(_all(document, 2))) == 4


def test_scip_tells_members_of_one_name_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What different objects are given inside one function, and a private name beside a public one."""
    monkeypatch.setattr(resolvers, "MODULES", ("everdex.graph.javascript",))
    source = (
        "function set() {\n  first.filter.id = function () {};\n  first.find.id = function () {};\n}\n"
        "class Safe {\n  #own = 1;\n  own = 2;\n}\n"
    )
    (document,) = _all(_exported(synced(tmp_path / "tree", {"a.js": source}), "scip"), 2)
    names = [_all(item, 1)[0].decode().removeprefix("everdex . . . `a.js`/") for item in _all(document, 3)]
    assert names == [
        "", "set().", "set().`first.filter`.id().", "set().`first.find`.id().", "Safe#", "Safe#`#`.own.", "Safe#own.",
    ]  # fmt: skip
