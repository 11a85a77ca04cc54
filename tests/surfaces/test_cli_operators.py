"""Operators asked for by name, as a user types them: their signs are a name like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import answer_of, everdex
from support.trees import tree

_FILES = {
    "vec.h": (
        "struct Vec {\n"
        "  Vec operator+(const Vec& o) const;\n"
        "  int operator()(int at) const;\n"
        "  Vec* operator->() const;\n"
        "  int x;\n"
        "};\n"
    ),
    "use.cpp": '#include "vec.h"\nint run(Vec a, Vec b) {\n  a + b;\n  a->x;\n  return a(1);\n}\n',
    "Money.cs": (
        "struct Money {\n"
        "  public static Money operator +(Money a, Money b) => a;\n"
        "  static Money Twice(Money a) => a + a;\n"
        "}\n"
    ),
    "list.scala": (
        "class Items {\n  def ::(o: Int): Items = this\n  def <=>(o: Items): Int = 0\n}\n"
        "object Use {\n  def run(a: Items, b: Items) = { 1 :: a; a <=> b }\n}\n"
    ),
    "table.rb": "class Table\n  def []=(key, value)\n  end\nend\ntable = Table.new\ntable[1] = 2\n",
    "span.kt": "class Span {\n  operator fun contains(at: Int) = true\n}\nfun has(span: Span) = 1 in span\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree(tmp_path_factory.mktemp("operators") / "project", _FILES)


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("Vec::operator+", ("use.cpp", 3)), ("Vec::operator +(const Vec&)", ("use.cpp", 3)),
        ("vec.h:2", ("use.cpp", 3)), ("vec.h::Vec.operator+", ("use.cpp", 3)),
        ("Vec::operator()", ("use.cpp", 5)), ("Vec::operator->", ("use.cpp", 4)),
        ("Money.+", ("Money.cs", 3)), ("Items.::", ("list.scala", 6)), ("Items.<=>", ("list.scala", 6)),
        ("Table#[]=", ("table.rb", 6)), ("Span.contains", ("span.kt", 4)),
    ],
)  # fmt: skip
def test_an_operator_is_asked_for_by_its_signs(project: Path, asked: str, place: tuple[str, int]) -> None:
    """Each of them has one caller, where it is written."""
    answer = answer_of("callers", asked, project)
    sites = [(site["path"], site["line"]) for caller in answer["callers"] for site in caller["sites"]]
    assert sites == [place]


def test_an_exported_graph_has_operators(project: Path) -> None:
    """JSON has an edge for each; the other forms name them."""
    graph = json.loads(everdex("graph", "export", project, "--format", "json").out)
    names = {node["id"]: node["qualified_name"] for node in graph["nodes"]}
    called = {names[edge["to"]] for edge in graph["edges"] if edge["kind"] == "calls"}
    assert {f"vec.Vec.operator{signs}" for signs in ("+", "()", "->")} <= called
    for form in ("dot", "ctags"):
        assert "operator+" in everdex("graph", "export", project, "--format", form).out
