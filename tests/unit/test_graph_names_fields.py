"""Fields of the languages that are resolved by names: who reads and who writes them, said on each line.

After `//>` stand the line's sites of fields, properties, variables and variants in order, separated by `;`: `Key` or
`path::Key` of what is read, with `=` before it of what is written; `?…` for ambiguous candidates, `-` for a write that
leads nowhere. A line without a mark has no such site.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.graph.model import FileGraph, Role, Site, Status
from everdex.graph.names.resolver import RESOLVER
from everdex.graph.names.rules import VALUES
from support.names import MemoryWorld, differing, load

FIXTURES = Path(__file__).parent.parent / "fixtures" / "fields"
LANGUAGES = tuple(sorted(path.name for path in FIXTURES.iterdir()))


def _written(path: str, site: Site) -> str:
    targets = "|".join(
        target.key if target.path == path else f"{target.path}::{target.key}" for target in site.targets
    )
    doubt = "?" if site.status is Status.AMBIGUOUS else ""
    return ("=" if site.role is Role.WRITE else "") + doubt + (targets or "-")


def _is_of_value(graphs: dict[str, FileGraph], site: Site) -> bool:
    kinds = {
        node.kind for target in site.targets if target.path in graphs for node in graphs[target.path].nodes
        if node.key == target.key
    }  # fmt: skip
    unknown = site.role is Role.WRITE and site.status is not Status.EXTERNAL
    return site.role in (Role.REFERENCE, Role.WRITE) and (bool(kinds & VALUES) or (unknown and not site.targets))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_use_of_a_field_leads_where_its_line_says(language: str) -> None:
    """Each read and write of a field is a site of the field, and nothing else is."""
    files = load(FIXTURES / language)
    world = MemoryWorld(files)
    resolution = RESOLVER.open(world)
    graphs = {path: resolution.resolve(path) for path in world.paths if world.facts(path)}
    wrong: list[str] = []
    cases = 0
    for path, graph in graphs.items():
        found: dict[int, list[str]] = {}
        for site in graph.sites:
            if _is_of_value(graphs, site):
                found.setdefault(site.line, []).append(_written(path, site))
        said, differs = differing(path, files[path], "//> ", found)
        cases += said
        wrong += differs
    assert wrong == []
    assert cases >= 8


_REPLACED = {
    "a.kt": (
        "interface I {\n  val x: Int\n}\nopen class B {\n  open val y = 1\n  private val z = 1\n}\n"
        "class C(override val x: Int) : B(), I {\n  override val y = 2\n  private val z = 2\n}\n",
        {("C.x", "I.x"), ("C.y", "B.y")},
    ),
    "a.swift": (
        "protocol I { var x: Int { get } }\nclass B { var y = 1 }\n"
        "class C: B, I {\n  var x = 1\n  override var y: Int { 2 }\n}\n",
        {("C.x", "I.x"), ("C.y", "B.y")},
    ),
    "a.cs": (
        "interface I { int X { get; } }\nclass B { public virtual int Y { get; set; } private int z; }\n"
        "class C : B, I { public int X { get; } public override int Y => 1; private int z; }\n",
        {("C.X", "I.X"), ("C.Y", "B.Y")},
    ),
    "a.scala": (
        "trait I { val x: Int; def y: Int }\nclass C extends I {\n  val x = 1\n  override val y = 2\n}\n",
        {("C.x", "I.x"), ("C.y", "I.y")},
    ),
    "A.java": ("class B { int y = 1; }\nclass C extends B { int y = 2; }\n", set[tuple[str, str]]()),
}  # fmt: skip


@pytest.mark.parametrize("path", _REPLACED)
def test_a_property_replaces_the_one_that_it_overrides_or_writes_out(path: str) -> None:
    """One that says so, and one that an interface asks for; a field of the same name in a base is another."""
    text, expected = _REPLACED[path]
    graph = RESOLVER.open(MemoryWorld({path: text.encode()})).resolve(path)
    replaced = [site for site in graph.sites if site.role is Role.OVERRIDE]
    assert {(graph.nodes[site.source].key, target.key) for site in replaced for target in site.targets} == expected


_EDITS = {
    "go": ("user.go", "package a\n\nfunc f(c *C) { c.B.X = c.Y; c.B.Z() }\n", "other.go", (
        "package a\n\ntype C struct {\n\tB struct{}\n}\n",
        "package a\n\ntype C struct {\n\tB struct{ X int }\n}\n",
        "package a\n\ntype C struct {\n\tA struct{ X int }\n\tB struct{ X, Z int }\n}\n",
        "package a\n\ntype D struct{ Y int }\n\ntype C struct {\n\tD\n\tB D\n}\n",
        "package a\n",
    )),
    "c": ("user.c", "#include \"c.h\"\nint f(struct c *c) { return c->b.x + c->y; }\n", "c.h", (
        "struct c { struct { int x; } b; };\n",
        "struct c { struct { int z; } b; int y; };\n",
        "struct d { int x; };\nstruct c { struct d b; };\n",
        "struct c { int b; int y; };\n",
    )),
    "rust": ("src/user.rs", "use crate::lib2::C;\nfn f(c: &C) -> u32 { c.0.x + c.y }\n", "src/lib2.rs", (
        "pub struct D { pub x: u32 }\npub struct C(D);\n",
        "pub struct D { pub x: u32 }\npub struct E { pub x: u32 }\npub struct C(E);\n",
        "pub struct C { pub y: u32 }\nimpl C { fn y(&self) {} }\n",
    )),
    "kotlin": ("User.kt", "package a\nclass U : C() { fun f() = x + other.y }\n", "C.kt", (
        "package a\nopen class C { val x = 1; val other = D() }\nclass D { val y = 1 }\n",
        "package a\nopen class B { val x = 1 }\nopen class C : B() { val other: D = D() }\nclass D { fun y() = 1 }\n",
        "package a\nval x = 1\nopen class C { val other = 1 }\n",
    )),
}  # fmt: skip


@pytest.mark.parametrize("language", _EDITS)
def test_who_uses_a_field_is_looked_at_again_when_the_answer_may_be_another(language: str) -> None:
    """Where another text of the other file gives other sites, some key that was read there has changed."""
    path, text, other, texts = _EDITS[language]
    worlds = [MemoryWorld({path: text.encode(), other: each.encode()}) for each in texts]
    graphs = [RESOLVER.open(world).resolve(path) for world in worlds]
    assert len({graph.sites for graph in graphs}) > 1
    for before, world in zip(graphs, worlds, strict=True):
        for after, later in zip(graphs, worlds, strict=True):
            offers, changed = world.offers[other], later.offers[other]
            seen = {key for key in before.reads if offers.get(key) != changed.get(key)}
            assert before.sites == after.sites or seen
