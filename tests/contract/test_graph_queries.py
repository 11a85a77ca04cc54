"""Who uses what, as answers: every site counted, every symbol in its envelope, nothing guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from everdex.graph.answers import queries
from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.model import COMPUTED, Role, Status
from everdex.graph.stored.packed import last_name
from everdex.service import opening
from everdex.service.index import Reading
from everdex.sync.model import SyncOptions
from everdex.view import open_view
from support.graphs import PROGRAM, Ask, asker, places_of
from support.stores import synced


def test_references_have_place_line_text_role_and_certainty(ask: Ask) -> None:
    """The definition first, then every site by place, each as the file has it."""
    answer = ask("refs", "read")
    assert (answer["definition"]["path"], answer["definition"]["text"]) == ("disk.txt", "def read(path)")
    fields = ("path", "line", "role", "certainty", "text")
    assert [tuple(item[name] for name in fields) for item in answer["references"]] == [
        ("core.txt", 3, "call", "resolved", "call read"),
        ("loose.txt", 1, "call", "ambiguous", "call read"),
    ]
    assert answer["counts"] == {"resolved": 1, "ambiguous": 1, "external": 0, "unresolved": 0}
    source = (PROGRAM["core.txt"]).encode()
    place = answer["references"][0]
    assert source[place["byte_start"] : place["byte_end"]] == b"read"


def test_callers_are_grouped_by_who_calls(ask: Ask) -> None:
    """A caller is a definition with its sites; a call outside any definition is its file's."""
    answer = ask("callers", "load")
    assert [(item["qualified_name"], item["certainty"]) for item in answer["callers"]] == [
        ("app.run", "resolved"), ("core._helper", "resolved"), ("loose", "ambiguous"),
    ]  # fmt: skip
    assert places_of(answer["callers"][0]["sites"]) == [("app.txt", 3)]
    assert answer["counts"] == {"resolved": 2, "ambiguous": 1, "external": 0, "unresolved": 0}


def test_what_could_be_missing_is_counted_by_name(tmp_path: Path, toy: None) -> None:
    """Sites that ask for the same name and went elsewhere, outside or nowhere stand beside the list."""
    files = {
        "a.txt": "def go()\n", "b.txt": "def go()\n", "c.txt": "import b\ncall go\n", "e.txt": "call go\n",
        "d.txt": "call lib.go\ncall x()\n",
    }  # fmt: skip
    ask = asker(synced(tmp_path / "tree", files))
    answer = ask("callers", "a.txt::go")
    assert [item["path"] for item in answer["callers"]] == ["e.txt"]  # ambiguous between a and b; c means b
    assert answer["counts"]["ambiguous"] == 1
    assert answer["could_add"] == {
        "ambiguous": 0, "external": 1, "unresolved": 0, "unnamed": 1, "overriding": 0, "unknown": 0,
        "overridden": 0, "written": 0, "named": 0, "elsewhere": 0,
    }  # fmt: skip


def test_a_call_under_a_computed_name_may_be_of_anything(tmp_path: Path) -> None:
    """Whatever the variable is called that holds it, and although the fallback is known."""
    visitor = "class Visitor:\n    def visit(self, kind):\n        handler = getattr(self, kind.upper(), self.other)\n"
    visitor += "        handler().after()\n        return handler()\n\n"
    visitor += "    def LEAF(self): pass\n\n    def other(self): pass\n"
    ask = asker(synced(tmp_path / "tree", {"visitor.py": visitor}))
    assert ask("callers", "Visitor.other")["total"] == 1
    assert ask("callers", "Visitor.LEAF")["total"] == 0
    assert ask("callers", "Visitor.LEAF")["could_add"]["unnamed"] == 2  # not what is called of what it gave


def test_what_could_be_missing_is_what_a_look_at_every_site_finds(tmp_path: Path) -> None:
    """The counts that a graph keeps by name are those of its sites, for any definition, also after an edit."""
    files = {
        "core.py": "class Shape:\n    def draw(self):\n        return self.size\n\n\nclass Round(Shape):\n"
        "    def draw(self):\n        return super().draw()\n",
        "use.py": "import json\nfrom core import Round, Shape\n\n\ndef show(x, kind):\n    x.draw()\n    x.draw()\n"
        "    json.draw()\n    json.draw()\n    Round().draw()\n"
        "    return Shape().draw(), (Round if kind else Shape)().draw(), x.draw\n",
    }
    made = synced(tmp_path / "tree", files)
    for more in ("", "\n\ndef again(y):\n    y.draw()\n    return y.show(), Round()\n"):
        made.write({"use.py": files["use.py"] + more})
        made.sync()
        with open_view(made.store) as view:
            atlas = opening.open_for(view, SyncOptions(workers=1)).atlas
            for file in range(len(atlas.graph.paths)):
                for item in atlas.definitions(file):
                    for roles in (None, frozenset({Role.CALL}), frozenset({Role.CALL, Role.REFERENCE})):
                        assert queries.could_add(atlas, [item], roles) == _counted(atlas, item, roles)


def _counted(atlas: Atlas, item: Definition, roles: frozenset[Role] | None) -> queries.CouldAdd:
    """What `could_add` promises, by looking at every site of every file."""
    around = atlas.constructed(item)
    names = {item.node.name, *([around.node.name] if around else [])}
    every = [(file, site) for file in range(len(atlas.graph.paths)) for site in atlas.columns(file).sites()]
    found: Counter[Status] = Counter(
        site.status for _, site in every
        if site.status is not Status.RESOLVED and last_name(site.text) in names
        and (roles is None or site.role in roles) and item.target not in site.targets
    )  # fmt: skip
    below = {item.target}
    while more := {
        atlas.definition(file, site.source).target for file, site in every
        if site.role is Role.OVERRIDE and below & set(site.targets)
    } - below:  # fmt: skip
        below |= more
    replaced = below - {item.target}
    overriding = sum(
        site.role is Role.CALL and bool(replaced & set(site.targets)) and item.target not in site.targets
        for _, site in every
    )
    unnamed = sum(
        site.role is Role.CALL
        and (
            last_name(site.text) == site.text
            if site.reason == COMPUTED
            else site.status is Status.UNRESOLVED and not last_name(site.text)
        )
        for _, site in every
    )
    return queries.CouldAdd(
        found[Status.AMBIGUOUS], found[Status.EXTERNAL], found[Status.UNRESOLVED], unnamed, overriding
    )


def test_callees_list_targets_outside_calls_and_reasons(ask: Ask) -> None:
    """Nothing that is called is dropped: inside, outside or unknown."""
    answer = ask("callees", "run")
    assert [item["qualified_name"] for item in answer["callees"]] == ["core.load"]
    assert [item["name"] for item in answer["external"]] == ["lib.start"]
    assert [(item["named"], item["reason"]) for item in answer["unresolved"]] == [("missing", "nothing is called so")]
    assert answer["counts"] == {"resolved": 1, "ambiguous": 0, "external": 1, "unresolved": 1}


def test_impact_has_one_shortest_way_to_everything_that_leads_here(ask: Ask) -> None:
    """Level by level, with certainty along the whole way, and the tests among them."""
    answer = ask("impact", "read", depth=5)
    found = {item["qualified_name"]: (item["depth"], item["certainty"]) for item in answer["affected"]}
    assert found == {
        "core.load": (1, "resolved"), "loose": (1, "ambiguous"), "app.run": (2, "resolved"),
        "core._helper": (2, "resolved"), "test_app.test_run": (3, "resolved"),
    }  # fmt: skip
    last = next(item for item in answer["affected"] if item["qualified_name"] == "test_app.test_run")
    assert [(step["symbol"]["qualifiedName"], step["line"]) for step in last["way"]] == [
        ("core.load", 3), ("app.run", 3), ("test_app.test_run", 3),
    ]  # fmt: skip
    assert answer["tests"] == ["tests/test_app.txt"]
    assert answer["counts"] == {"certain": 4, "uncertain": 1}
    assert [item["depth"] for item in ask("impact", "read", depth=1)["affected"]] == [1, 1]


def test_impact_of_a_class_reaches_its_subclasses(ask: Ask) -> None:
    """Who inherits from it must follow."""
    affected = ask("impact", "Device")["affected"]
    assert [(item["qualified_name"], item["way"][0]["relation"]) for item in affected] == [("disk.Disk", "inherits")]


@pytest.mark.parametrize("depth", [1, 3, 19])
def test_cycles_end(tmp_path: Path, toy: None, depth: int) -> None:
    """Mutual and self recursion: everything once, at its shortest distance."""
    files = {"a.txt": "import b\ndef f()\ncall g\ncall f\n", "b.txt": "import a\ndef g()\ncall f\n"}
    ask = asker(synced(tmp_path / "tree", files))
    assert [(item["name"], item["depth"]) for item in ask("impact", "f", depth=depth)["affected"]] == [("g", 1)]


def test_an_empty_repository_answers(tmp_path: Path, toy: None) -> None:
    """Nothing is found, nothing fails."""
    ask = asker(synced(tmp_path / "tree", {}))
    assert ask("refs", "x")["symbol"] is None
    assert [section["items"] for section in ask("map")["sections"]] == [[]] * 9


def test_syntax_errors_and_failures_taint_the_answer(tmp_path: Path, toy: None) -> None:
    """What broken files hide is not counted; the answer names those that may hide something of what was asked for."""
    longest = "w" * 5_000  # of which the inverted index does not know what it holds
    files = {**PROGRAM, "x.txt": f"broken {longest}\ndef x()\n", "y.txt": "broken load\n", "z.txt": "crash\n"}
    ask = asker(synced(tmp_path / "tree", files))
    answer = ask("callers", "load")
    assert answer["warnings"] == [
        "1 file with the word load has syntax errors: y.txt; what they hide is not counted",
        "1 could not be resolved (a bug in everdex), among them z.txt",
    ]
    assert answer["coverage"] == {
        "files": 8, "resolved": 8, "partial": 2, "failed": 1, "without_resolver": 0, "left_out": 0, "semantic": 0,
        "disagreements": 0,
    }  # fmt: skip
    failed = "1 could not be resolved (a bug in everdex), among them z.txt"
    assert ask("callers", "read")["warnings"] == [failed]
    farther = "2 files have syntax errors (none with the word read); what they hide is not counted"
    assert ask("impact", "read")["warnings"] == [farther, failed]
    assert ask("callees", "load")["warnings"] == []
    assert ask("callees", "x")["warnings"] == ["1 file has syntax errors; what they hide is not counted"]


def test_lists_are_cut_with_a_count_and_a_cursor(ask: Ask) -> None:
    """The rest can be asked for; nothing goes missing silently."""
    first = ask("callers", "load", limit=2)
    assert (len(first["callers"]), first["total"], first["omitted"], first["cursor"]["offset"]) == (2, 3, 1, 2)
    rest = ask("callers", "load", limit=2, offset=first["cursor"]["offset"])
    assert [item["qualified_name"] for item in rest["callers"]] == ["loose"]
    assert (rest["omitted"], rest["cursor"]) == (0, None)


def test_a_page_of_callers_with_many_sites_ends_sooner(tmp_path: Path, toy: None) -> None:
    """With twice as many sites as callers were asked for; no caller is cut in two, and none is left out."""
    users = "".join(f"def f{n}()\n" + "  call used\n" * 3 for n in range(7))
    files = {"used.txt": "def used()\n", "users.txt": f"import used\n{users}"}
    ask = asker(synced(tmp_path / "tree", files))
    first = ask("callers", "used", limit=3)
    assert (len(first["callers"]), first["omitted"], first["cursor"]["offset"]) == (2, 5, 2)
    pages = [first]
    while pages[-1]["cursor"] is not None:
        pages.append(ask("callers", "used", limit=3, offset=pages[-1]["cursor"]["offset"]))
    listed = [edge for page in pages for edge in page["callers"]]
    assert [edge["name"] for edge in listed] == [f"f{n}" for n in range(7)]
    assert [len(edge["sites"]) for edge in listed] == [3] * 7
    assert len(ask("callers", "used", limit=20)["callers"]) == 7


def test_an_older_snapshot_answers_as_it_was(tmp_path: Path, toy: None) -> None:
    """`--snapshot` reads the graph of that snapshot."""
    made = synced(tmp_path / "tree", PROGRAM)
    ask = asker(made)
    before = ask("callers", "load")
    made.write({"app.txt": "def run(x)\n"})
    assert len(ask("callers", "load")["callers"]) == 2
    old = ask("callers", "load", Reading(snapshot_id=before["snapshot_id"]))
    assert old["callers"] == before["callers"]
    assert old["freshness"]["state"] == "pinned"


def _refs_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every object under a key that speaks of a symbol."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in ("source", "target") or (key == "symbol" and "start_line" not in (inner or {})):
                yield inner
            yield from _refs_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _refs_in(inner)


@pytest.mark.parametrize("method", ["refs", "callers", "callees", "impact"])
def test_every_edge_and_occurrence_has_its_symbols_in_envelopes(ask: Ask, method: str) -> None:
    """IDENTITY §9.3: a SymbolRef or a resolution object, never a bare string."""
    answer = ask(method, "load")
    found = list(_refs_in({key: value for key, value in answer.items() if key != "suggestions"}))
    assert len(found) > 3
    for item in found:
        assert isinstance(item, dict)
        if "resolution" in item:
            assert item["resolution"]["status"] in ("ambiguous", "external", "unresolved")
            continue
        assert item["symbolKey"].startswith("sk:v1:")
        assert item["symbolId"] == f"heur:{item['scopedId']}"
        chunk = item["definingChunk"]
        assert chunk["chunkUid"].startswith("cu:v1:xxh64:")
        assert chunk["range"]["start"] < chunk["range"]["end"]


def test_callers_of_a_variable_are_the_calls_that_name_it(tmp_path: Path) -> None:
    """A constant that holds one of two functions has callers, and mentions without a call are none."""
    tree = {
        "a.ts": "function one() {}\nfunction two() {}\nexport const either = DEV ? one : two;\n",
        "b.ts": "import { either } from './a';\nexport function go() {\n  either();\n}\nexport const k = [either];\n",
    }
    ask = asker(synced(tmp_path / "tree", tree))
    answer = ask("callers", "either")
    assert [(item["name"], [site["line"] for site in item["sites"]]) for item in answer["callers"]] == [
        ("go", [3])
    ]
    assert {item["line"] for item in ask("refs", "either")["references"]} == {1, 3, 5}


def test_a_call_of_what_a_variable_holds_is_not_counted_beside_itself(tmp_path: Path) -> None:
    """The call leads to a library, and the variable is named there: it is listed, and nothing of it is missing."""
    tree = {
        "a.py": "import json\n\n\nclass Codec:\n    def __init__(self):\n        self.load = json.loads\n",
        "b.py": "from a import Codec\n\n\ndef go(codec: Codec, other):\n    codec.load('1')\n    other.load('2')\n",
    }
    ask = asker(synced(tmp_path / "tree", tree))
    for method in ("callers", "refs"):
        answer = ask(method, "Codec.load")
        assert (answer["could_add"]["external"], answer["could_add"]["unresolved"]) == (0, 1)  # the other's
    assert [site["line"] for item in ask("callers", "Codec.load")["callers"] for site in item["sites"]] == [5]


def test_methods_that_nobody_has_written_may_use_a_field(tmp_path: Path) -> None:
    """Lombok and Kotlin make them; where a class has no annotation, or the method itself, the name says nothing."""
    tree = {
        "Props.java": "@Data\nclass Props {\n  private String dir;\n  private String own;\n"
        "  String getOwn() { return \"\"; }\n}\n",
        "Plain.java": "class Plain {\n  private String dir;\n}\n",
        "Row.kt": "class Row(val title: String) {\n    var isLast: Boolean = false\n}\n",
        "User.java": "class User {\n  void go(Props p, Row r) {\n    p.getDir();\n    p.setDir(\"\");\n"
        "    p.getOwn();\n    r.getTitle();\n    r.isLast();\n    r.setLast(true);\n  }\n}\n",
    }
    ask = asker(synced(tmp_path / "tree", tree))
    counts = {name: ask("refs", name)["could_add"]["unresolved"]
              for name in ("Props.dir", "Props.own", "Plain.dir", "Row.title", "Row.isLast")}  # fmt: skip
    assert counts == {"Props.dir": 2, "Props.own": 0, "Plain.dir": 0, "Row.title": 1, "Row.isLast": 1}
    assert 7 in {item["line"] for item in ask("refs", "Row.isLast")["references"]}


def test_properties_of_kotlin_may_use_a_method_of_java(tmp_path: Path) -> None:
    """Kotlin writes `size` for `getSize()`: where it is not known whose that is, the method may be meant."""
    tree = {
        "Point.java": "public class Point {\n  private int size;\n  public int getSize() { return size; }\n"
        "  public void setSize(int size) { this.size = size; }\n  public int total() { return size; }\n}\n",
        "User.kt": "fun go(p: Point, other: Nobody<Point>) {\n    p.size\n    p.size = 1\n    other.found.size\n"
        "    find().size = 2\n}\n",
        "Other.java": "class Other { int size; void go(Nobody n) { n.x().size = 1; } }\n",
    }
    ask = asker(synced(tmp_path / "tree", tree))
    lines, could = {}, {}
    for name in ("getSize", "setSize", "total"):
        answer = ask("callers", f"Point.{name}")
        lines[name] = [site["line"] for item in answer["callers"] for site in item["sites"]]
        could[name] = (answer["could_add"]["unresolved"] > 0, answer["could_add"]["unknown"])
    assert lines == {"getSize": [2], "setSize": [3], "total": []}
    assert could == {"getSize": (True, 1), "setSize": (True, 1), "total": (False, 0)}
    assert 2 not in [item["line"] for item in ask("refs", "Point.size")["references"]]


def test_the_map_lists_the_most_used_of_what_a_file_offers_first(tmp_path: Path) -> None:
    """Whatever stands first in it."""
    files = {"pkg/kit.py": "def seldom():\n    pass\n\n\ndef often():\n    pass\n"}
    more = {f"pkg/u{n}.py": "from pkg.kit import often\n\noften()\n" for n in range(3)}
    ask = asker(synced(tmp_path / "tree", files | more))
    offered = next(part for part in ask("map", budget=2000)["sections"] if part["name"] == "public_api")["items"]
    assert offered[0]["names"] == ["often", "seldom"]


def test_the_map_begins_with_what_a_package_passes_on(tmp_path: Path) -> None:
    """That is how it is used, wherever it is defined; what is private or from outside is not its own."""
    tree = {
        "src/kit/__init__.py": "import json\nfrom kit.core import often, seldom as rare, _own\n"
        "from kit.core import LIMIT\nfrom json import loads\n\n\ndef here():\n    return 1\n",
        "src/kit/core.py": "LIMIT = 3\n"
        + "".join(f"\n\ndef {name}():\n    pass\n" for name in ("seldom", "often", "_own")),
        "src/kit/sub/__init__.py": "from kit.core import often\n",
        **{f"src/kit/u{n}.py": "from kit.core import often\n\noften()\n" for n in range(3)},
    }
    sections = {each["name"]: each["items"] for each in asker(synced(tmp_path / "tree", tree))("map")["sections"]}
    first, second = sections["public_api"][:2]
    assert (first["path"], first["names"]) == ("src/kit/__init__.py", ["often", "rare", "LIMIT", "here"])
    assert second["path"] == "src/kit/core.py"


def test_the_map_shows_what_others_may_use_and_install(tmp_path: Path) -> None:
    """Namespaces are looked into, guards of headers and standard libraries are left out, methods say whose they are."""
    tree = {
        "include/a.h": "#ifndef A_H_\n#define A_H_\n#include <vector>\n#include <gtest/gtest.h>\nnamespace n {\n"
        "class Shape {\n public:\n  int area() const { return 1; }\n};\nint draw(Shape s);\n}\n#endif\n",
        "src/a.cc": '#include "a.h"\nnamespace n {\nint draw(Shape s) { return s.area() + s.area(); }\n}\n',
    }
    sections = {each["name"]: each["items"] for each in asker(synced(tmp_path / "tree", tree))("map")["sections"]}
    assert [item["name"] for item in sections["dependencies"]] == ["gtest"]
    assert [(item["path"], item["names"]) for item in sections["public_api"]] == [("include/a.h", ["Shape", "draw"])]
    assert "include/a.h:8: Shape: int area() const" in [item["text"] for item in sections["central"]]
