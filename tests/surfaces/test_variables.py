"""Variables as people and models ask for them: reads and writes apart, who a change affects, what exports say."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from everdex.errors import QueryError
from everdex.service.index import Index
from everdex.state import unknown
from everdex.surfaces.cli import impact, refs
from everdex.surfaces.mcp import replies, text
from everdex.surfaces.mcp.related import missing
from support.asked import asked
from support.graphs import Ask, asker
from support.stores import Workspace, synced

_TREE = {
    "settings.py": "TIMEOUT = 30\n\n\ndef slower():\n    global TIMEOUT\n    TIMEOUT += 10\n",
    "client.py": "import settings\n\n\ndef wait():\n    return settings.TIMEOUT\n\n\ndef run():\n    return wait()\n",
    "box.py": "class Box:\n    def __init__(self):\n        self.lid = 1\n\n\ndef use(box: Box, other):\n"
    "    box.lid = 2\n    other.lid = 3\n    return box.lid\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return synced(tmp_path_factory.mktemp("variables") / "tree", _TREE)


@pytest.fixture(scope="module")
def ask(made: Workspace) -> Ask:
    return asker(made)


def _places(document: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(item["role"], item["path"], item["line"]) for item in document["references"]]


def test_reads_and_writes_are_told_apart(ask: Ask) -> None:
    """Every reference says what it does, all roles are counted, and one role can be asked for alone."""
    found = ask("refs", "settings.TIMEOUT")
    assert _places(found) == [
        ("read", "client.py", 5), ("write", "settings.py", 1), ("read", "settings.py", 6), ("write", "settings.py", 6)
    ]  # fmt: skip
    assert found["roles"] == {"read": 2, "write": 2}
    written = ask("refs", "settings.TIMEOUT", role="write")
    assert _places(written) == [("write", "settings.py", 1), ("write", "settings.py", 6)]
    assert (written["role"], written["total"], written["roles"]) == ("write", 2, found["roles"])
    assert written["definition"]["line"] == 1
    with pytest.raises(QueryError, match="unknown role"):
        ask("refs", "settings.TIMEOUT", role="wrote")


def test_a_write_to_who_knows_what_could_add(ask: Ask) -> None:
    """A store through a receiver of which nothing is known is counted beside the certain ones."""
    found = ask("refs", "Box.lid")
    assert _places(found) == [("write", "box.py", 3), ("write", "box.py", 7), ("read", "box.py", 9)]
    assert found["could_add"]["unresolved"] == 1


_FIELDS = {
    "book.py": """
        from functools import cached_property


        class Book:
            def __init__(self):
                self.title = "x"

            @property
            def price(self):
                return 1

            @cached_property
            def pages(self):
                return 2

            def rate(self):
                return 3
    """,
    "shop.py": """
        import book


        def show(x, y):
            # x.title in a comment
            print("title", x.title, y.price, x.pages)
            other(title=x.title)
            return x.rate


        def made(one: book.Book):
            return one.title, book.Book().price
    """,
    "item.ts": """
        export class Item {
          label = 'x';
          get price() { return 1; }
        }
        export interface Shape { width: number }
    """,
    "use.ts": """
        export function show(x: any, { label }: any) {
          give({ label: 1 });
          return x.label + x.price + x.width;
        }
    """,
    "box.go": """
        package a

        type Box struct {
            Lid int
        }

        func use(b interface{}) int {
            return other(b).Lid
        }
    """,
    "Crate.java": """
        class Crate {
          int depth;
        }

        class Use {
          int use() { return find().depth; }
        }
    """,
}


@pytest.fixture(scope="module")
def of_fields(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return synced(tmp_path_factory.mktemp("fields") / "tree", {path: dedent(text) for path, text in _FIELDS.items()})


@pytest.mark.parametrize(
    ("symbol", "named", "read", "called"),
    [
        ("Book.title", 3, 2, 0), ("Book.price", 1, 1, 1), ("Book.pages", 1, 1, 1), ("Book.rate", 1, 1, 1),
        ("Item.label", 3, 2, 0), ("Item.price", 1, 1, 1), ("Shape.width", 1, 1, 0), ("Box.Lid", 1, 1, 0),
        ("Crate.depth", 1, 1, 0),
    ],
)  # fmt: skip
def test_a_field_that_is_read_of_who_knows_what_is_not_unused(
    of_fields: Workspace, symbol: str, named: int, read: int, called: int
) -> None:
    """Places that may use it because their owner is not known are counted: not comments, strings or known owners."""
    ask = asker(of_fields)
    assert ask("refs", symbol)["could_add"]["unknown"] == named
    assert ask("impact", symbol)["could_add"]["unknown"] == read
    assert ask("callers", symbol)["could_add"]["unknown"] == called


def test_reads_and_writes_of_an_unknown_owner_are_told_apart(of_fields: Workspace) -> None:
    """A keyword or a key only writes a field; a name that is both does both."""
    ask = asker(of_fields)
    assert [ask("refs", "Book.title", role=role)["could_add"]["unknown"] for role in ("read", "write", "call")] == [
        2, 1, 0,
    ]  # fmt: skip
    assert [ask("refs", "Item.label", role=role)["could_add"]["unknown"] for role in ("read", "write")] == [2, 2]


def test_text_and_pictures_say_that_an_owner_is_not_known(of_fields: Workspace) -> None:
    """Whoever reads no JSON is told as well."""
    said = "2 places may mean it: its owner there is not known"
    answer = asker(of_fields)("impact", "Book.title", picture="svg")
    assert (False, said) in list(impact.SHOWN.lines(answer))
    assert said in answer["picture"]["data"]
    assert said in "".join(missing({"could_add": answer["could_add"], "outside": []}))


def test_few_places_of_an_unknown_owner_are_listed(of_fields: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is told that places may mean it is told which, unless there are too many to look at."""
    answer = asker(of_fields)("refs", "Item.price")
    (place,) = answer["may_mean"]
    assert place["why"] == "its owner is not known"
    assert place["text"].encode()[place["column"] :].startswith(b"price")
    shown = f"  {place['path']}:{place['line']}:{place['text'].strip()} (its owner is not known)"
    assert (False, shown) in list(refs.SHOWN.lines(answer))
    monkeypatch.setattr(unknown, "_FEW", 0)
    assert asker(of_fields)("refs", "Item.price")["may_mean"] == []


def test_readers_of_a_variable_are_affected_and_writers_are_not(ask: Ask) -> None:
    """Impact begins with who reads it and goes on to who calls them."""
    found = ask("impact", "settings.TIMEOUT")
    affected = {(item["qualified_name"], item["depth"], item["certainty"]) for item in found["affected"]}
    assert ("client.wait", 1, "resolved") in affected
    assert ("client.run", 2, "resolved") in affected
    assert found["affected"][0]["way"][0]["relation"] == "reads"


def test_a_line_in_a_body_means_its_function(ask: Ask) -> None:
    """Also where an attribute is stored for the first time; the attribute is meant by its name."""
    assert ask("refs", "box.py:3")["symbol"]["qualified_name"] == "box.Box.__init__"
    assert ask("refs", "settings.py:1")["symbol"]["qualified_name"] == "settings.TIMEOUT"


def test_symbols_list_references_in_the_same_answer(made: Workspace) -> None:
    """A definition comes with who uses it, as many as asked for; what is left out is counted."""
    document = asked(Index.open(made.path), "symbols", "TIMEOUT", references=1)
    assert [item["path"] for item in document["definitions"]] == ["settings.py"]
    assert _places(document["references"]) == [("read", "client.py", 5)]
    assert (document["references"]["total"], document["references"]["omitted"]) == (4, 3)
    reply = replies.symbol(document, 2_000)
    assert (reply["roles"], reply["omitted"]["references"]) == ({"read": 2, "write": 2}, 3)
    assert "client.py:5 read: return settings.TIMEOUT" in list(text.symbol(reply))
    assert len(json.dumps(replies.symbol(document, 500))) < 500 * 4


def test_attributes_that_methods_store_are_found_by_name(made: Workspace) -> None:
    """Once the graph is made `symbols` knows what no statement of a class defines."""
    index = Index.open(made.path)
    asked(index, "symbols", "Box", references=1)
    (found,) = asked(index, "symbols", "Box.lid")["definitions"]
    assert (found["qualified_name"], found["kind"], found["start_line"]) == ("Box.lid", "field", 3)


def test_exports_carry_variables(made: Workspace, tmp_path: Path) -> None:
    """Nodes of kind variable and field, edges that read and write, tags with their kind."""
    import everdex

    with everdex.Index(made.path) as index:
        index.export_graph(tmp_path / "graph.json")
        index.export_graph(tmp_path / "tags", format="ctags")
    graph = json.loads((tmp_path / "graph.json").read_text())
    ids = {node["qualified_name"]: node["id"] for node in graph["nodes"]}
    kinds = {(edge["kind"], edge["from"]) for edge in graph["edges"] if edge["to"] == ids["settings.TIMEOUT"]}
    assert {("reads", ids["client.wait"]), ("writes", ids["settings.slower"])} <= kinds
    assert "lid\tbox.py\t3;\"\tkind:field" in (tmp_path / "tags").read_text()
