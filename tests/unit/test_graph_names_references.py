"""The resolver by imports and names: what counts as naming something without calling it."""

from __future__ import annotations

import pytest

from everdex.graph.model import Role, Status
from everdex.graph.names.resolver import RESOLVER
from support.names import FIXTURES, MemoryWorld, graphs_of, load, places_named, sites_of, targets_of


def test_a_function_that_is_passed_on_is_a_reference() -> None:
    """A name that is not called but leads to a definition is a reference to it."""
    graph = graphs_of(load(FIXTURES / "c"))["src/main.c"]
    assert {("by_size", "by_size"), ("store_find", "store_find")} <= targets_of(graph, Role.REFERENCE)


def test_macros_named_in_expressions_are_references() -> None:
    """As operands, in cases and as sizes, where C puts its constants."""
    source = (
        b"#define LIMIT 4\n#define FLAG 1\n#define KIND 2\nint main(int n) {\n  char all[LIMIT];\n"
        b"  if (n & FLAG) return 1;\n  switch (n) { case KIND: return 2; }\n  return all[0];\n}\n"
    )
    graph = RESOLVER.open(MemoryWorld({"main.c": source})).resolve("main.c")
    found = [(site.line, target.key) for site in sites_of(graph, Role.REFERENCE) for target in site.targets]
    assert found == [(5, "LIMIT"), (6, "FLAG"), (7, "KIND")]


def test_functions_that_are_compared_chosen_cast_or_pointed_to_are_references() -> None:
    """Wherever C hands a function on by its name; a local of the same name is none."""
    source = (
        b"int f(int n) { return n; }\nint (*all[])(int) = {&f};\nint main(int n) {\n  int (*g)(int) = n ? f : 0;\n"
        b"  if (g == f) return 1;\n  return (long)f;\n}\nint other(int f) { return f == 1; }\n"
    )
    found = places_named(graphs_of({"main.c": source})["main.c"])
    assert found == [(2, 22, "f"), (4, 22, "f"), (5, 11, "f"), (6, 15, "f")]


@pytest.mark.parametrize(
    ("declared", "meant"),
    [
        (b"typedef struct _node node;\n", "node.h"),  # redis: a benchmark has a `clusterNode` of its own
        (b"typedef struct { int flags; } node;\n", "node.h"),
        (b"typedef struct node node;\n", "bench.c"),  # its body is not in a header: it may be that
    ],
)
def test_a_type_of_another_source_file_is_meant_only_where_what_is_included_leaves_it_open(
    declared: bytes, meant: str
) -> None:
    """C and C++: what a source file defines for itself is seen by nobody who knows another type of the name."""
    files = {
        "node.h": declared, "bench.c": b"struct node { int port; };\n",
        "use.c": b'#include "node.h"\nint flags_of(node *n) { return 0; }\n',
    }  # fmt: skip
    (site,) = (site for site in sites_of(graphs_of(files)["use.c"], Role.REFERENCE) if site.line == 2)
    (target,) = site.targets
    assert (target.path, site.status) == (meant, Status.RESOLVED)


def test_a_type_before_a_member_of_it_is_named() -> None:
    """In patterns, values, calls, types and macros of Rust, and by whoever opens it; modules and `Self` are not."""
    files = {
        "Cargo.toml": b'[package]\nname = "x"\n',
        "src/lib.rs": b"pub mod shape;\nuse crate::shape::Shape;\nuse crate::shape::Shape::Circle;\n",
        "src/use_it.rs": b"",
        "src/shape.rs": (
            b"pub enum Shape { Circle(f64), Empty }\nimpl Shape {\n  pub fn unit() -> Self { Self::Circle(1.0) }\n}\n"
            b"fn make<T: Default>() -> Shape {\n  let x = crate::shape::Shape::Empty;\n"
            b"  if matches!(x, Shape::Empty) { return Shape::unit(); }\n  T::default();\n"
            b"  match x { Shape::Circle(_) => shape::other::Shape::new(), _ => Shape::Empty }\n}\n"
        ),
    }
    graphs = graphs_of(files)
    named = [place for place in places_named(graphs["src/shape.rs"]) if place[2] == "Shape"]
    assert named == [
        (2, 5, "Shape"), (5, 25, "Shape"), (6, 24, "Shape"), (7, 17, "Shape"), (7, 40, "Shape"), (9, 12, "Shape"),
        (9, 65, "Shape"),
    ]  # fmt: skip
    assert places_named(graphs["src/lib.rs"]) == [(3, 18, "Shape")]


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        (
            {
                "a.hpp": b"namespace n { struct Foo { static int bar(); static int MAX; }; }\nstruct Foo {};\n",
                "a.cpp": b'#include "a.hpp"\nint n::Foo::bar() { return 1; }\nint use() {\n  return n::Foo::MAX;\n}\n',
            },
            "a.cpp", {(2, 7, "n.Foo"), (4, 12, "n.Foo")},
        ),
        (
            {
                "a.php": b"<?php\nclass Foo { public static $v = 1; static function bar() {} }\n",
                "b.php": b"<?php\nfunction use_it() {\n  Foo::bar();\n  return Foo::$v;\n}\n",
            },
            "b.php", {(3, 2, "Foo"), (4, 9, "Foo")},
        ),
        (
            {"a.swift": b"class Foo {}\n", "b.swift": b"extension Foo { func more() {} }\n"},
            "b.swift", {(1, 10, "Foo")},
        ),
    ],
    ids=["cpp", "php", "swift"],
)  # fmt: skip
def test_who_goes_through_a_type_or_opens_it_names_it(
    files: dict[str, bytes], path: str, expected: set[tuple[int, int, str]]
) -> None:
    """A type is named by the paths through it, by that of another namespace not; and by what extends it."""
    assert {place for place in places_named(graphs_of(files)[path]) if place[2].endswith("Foo")} == expected


def test_what_scala_reads_of_a_value_is_a_member_of_its_type() -> None:
    """Never the reader's own member of the same name; of an unknown type it is nobody's; a method read is called."""
    files = {
        "Box.scala": (
            b"package s\nclass Box {\n  val size = 1\n  def area = 2\n  def fill(n: Int) = n\n}\n"
            b"object All { val MAX = 3 }\n"
        ),
        "Use.scala": (
            b"package s\nclass Use {\n  val size = 5\n  def area = 7\n  def f(b: Box, q: Any) = {\n    b.size\n"
            b"    q.size\n    b.area\n    q.area\n    All.MAX\n    List(1).map(b.fill)\n  }\n}\n"
        ),
    }
    graph = graphs_of(files)["Use.scala"]
    read = [(line, key) for line, _, key in places_named(graph) if line > 5]
    assert read == [(6, "Box.size"), (10, "All"), (10, "All.MAX"), (11, "Box.fill")]
    assert (8, 6, "Box.area") in places_named(graph, Role.CALL)
    assert [key for line, _, key in places_named(graph, Role.CALL) if line in (7, 9)] == []


def test_a_variable_of_c_is_that_of_its_own_file_or_a_declared_one() -> None:
    """However many files have one of the name; what nothing in reach declares is nobody's."""
    others = {f"a{number:02}.c": b"int loop;\nint hidden;\n" for number in range(40)}
    files = {
        **others,
        "b.c": b"static int shared;\n",
        "m.h": b"extern int shared;\n",
        "m.c": b"#include \"m.h\"\nint shared = 1;\n",
        "z.c": b"#include \"m.h\"\nstatic int loop;\nvoid f(void) {\n  loop = 1;\n  shared = 2;\n  hidden = 3;\n}\n",
    }
    written = {
        site.line: [(target.path, target.key) for target in site.targets]
        for site in sites_of(graphs_of(files)["z.c"], Role.WRITE)
    }
    assert written == {4: [("z.c", "loop")], 5: [("m.c", "shared")], 6: []}


def test_a_name_is_a_local_only_in_its_block_and_behind_what_it_is_declared_with() -> None:
    """Before, behind and in its own value the variable around it is read."""
    source = (
        b"package a\nvar x = 1\nfunc f() {\n  use(x)\n  if x := x + 1; x > 2 {\n    use(x)\n  }\n  use(x)\n}\n"
        b"func use(n int) {}\n"
    )
    found = places_named(graphs_of({"go.mod": b"module a\n", "a.go": source})["a.go"])
    assert [place for place in found if place[2] == "x"] == [(4, 6, "x"), (5, 10, "x"), (8, 6, "x")]


@pytest.mark.parametrize("suffix", ["c", "cpp"])
def test_a_struct_and_a_function_of_one_name_are_two_things(suffix: str) -> None:
    """C and C++ keep tags apart: the bare name is the function, called or handed on, and the struct needs its word."""
    main, other = f"main.{suffix}", f"grow.{suffix}"
    graph = graphs_of({
        "api.h": b"struct grow { int by; };\nvoid grow(int by);\n",
        other: b'#include "api.h"\nvoid grow(int by) {}\n',
        main: b'#include "api.h"\nvoid (*kept)(int) = grow;\n'
        b"int run(void) {\n  struct grow *held;\n  grow(1);\n  return sizeof(struct grow);\n}\n",
    })[main]  # fmt: skip
    found = {
        (site.line, site.status, target.path)
        for site in graph.sites if site.role in (Role.CALL, Role.REFERENCE) for target in site.targets
    }
    struct, function = (Status.RESOLVED, "api.h"), (Status.RESOLVED, other)
    assert found == {(2, *function), (4, *struct), (5, *function), (6, *struct)}
