"""The resolver by imports and names: what it offers, what it reads, how it is bounded, what it calls things."""

from __future__ import annotations

import random

import pytest

from everdex.graph.model import FileGraph, Role, Site, Status, Target
from everdex.graph.names import RESOLVER
from support.names import FIXTURES, LANGUAGES, MemoryWorld, load


def _graphs(files: dict[str, bytes]) -> dict[str, FileGraph]:
    world = MemoryWorld(files)
    resolution = RESOLVER.open(world)
    return {path: resolution.resolve(path) for path in world.paths}


def _sites(graph: FileGraph, role: Role) -> list[Site]:
    return [site for site in graph.sites if site.role is role]


def _targets(graph: FileGraph, role: Role) -> set[tuple[str, str]]:
    return {(site.text, target.key) for site in _sites(graph, role) for target in site.targets}


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_do_not_depend_on_the_order_of_asking(language: str) -> None:
    """Files resolved in any order, or alone, have the same graphs."""
    files = load(FIXTURES / language)
    whole = _graphs(files)
    world = MemoryWorld(files)
    backwards = RESOLVER.open(world)
    for path in reversed(world.paths):
        assert backwards.resolve(path) == whole[path]
        assert RESOLVER.open(world).resolve(path) == whole[path]


@pytest.mark.parametrize("language", LANGUAGES)
def test_shifted_lines_change_no_offer(language: str) -> None:
    """Blank lines above everything move every position and nobody's answer."""
    files = load(FIXTURES / language)
    for path, offered in MemoryWorld(files).offers.items():
        first, newline, rest = files[path].partition(b"\n")
        moved = {**files, path: first + newline + b"\n\n\n" + rest}
        assert MemoryWorld(moved).offers[path] == offered


def test_a_body_edit_changes_no_offer_and_a_signature_does() -> None:
    """What happens inside a function concerns nobody else; its parameters concern those who look at its name."""
    before = {"a/a.go": b"package a\n\nfunc F(x int) int { return x }\n\nfunc G() {}\n"}
    body = {"a/a.go": b"package a\n\nfunc F(x int) int { y := G2(); return y.Z() }\n\nfunc G() {}\n"}
    signature = {"a/a.go": b"package a\n\nfunc F(x, y int) int { return x }\n\nfunc G() {}\n"}
    old = MemoryWorld(before).offers["a/a.go"]
    assert MemoryWorld(body).offers["a/a.go"] == old
    new = MemoryWorld(signature).offers["a/a.go"]
    assert {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)} == {
        "names:go:d:a.F",
        "names:go:n:F",
    }


def _changed(before: MemoryWorld, after: MemoryWorld) -> set[str]:
    keys: set[str] = set()
    for path in before.offers.keys() | after.offers.keys():
        old, new = before.offers.get(path, {}), after.offers.get(path, {})
        keys |= {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    return keys


def _edited(files: dict[str, bytes], chance: random.Random) -> dict[str, bytes]:
    """One edit: a deleted, moved or doubled file, or a line dropped, doubled, renamed or moved within it."""
    edited = dict(files)
    path = chance.choice(sorted(files))
    kind = chance.randrange(8)
    if kind == 0 and len(files) > 2:
        del edited[path]
    elif kind == 1:
        edited[f"other/{path}"] = edited.pop(path)
    elif kind == 2:
        edited[f"copy/{path}"] = edited[path]
    else:
        lines = edited[path].split(b"\n")
        at = chance.randrange(len(lines))
        if kind in (3, 4):
            del lines[at]
        elif kind == 5:
            lines.insert(at, chance.choice(lines))
        elif kind == 6:
            lines[at] = lines[at].replace(b"find", b"look").replace(b"Item", b"Thing").replace(b"cents", b"pennies")
        else:
            lines[at] += b"\n"
        edited[path] = b"\n".join(lines)
    return edited


@pytest.mark.parametrize("language", LANGUAGES)
def test_resolving_who_looked_at_what_changed_equals_resolving_all(language: str) -> None:
    """After any edit, files that looked at no changed key have the graph that a clean rebuild gives them."""
    chance = random.Random(language)
    files = load(FIXTURES / language)
    graphs, kept = _graphs(files), 0
    for _ in range(12):
        edited = _edited(files, chance)
        before, after = MemoryWorld(files), MemoryWorld(edited)
        changed = _changed(before, after)
        fresh = _graphs(edited)
        for path in edited:
            if edited[path] == files.get(path) and not graphs[path].reads & changed:
                assert graphs[path] == fresh[path], path
                kept += 1
        files, graphs = edited, fresh
    assert kept


ITEM = b"package item;\npublic class Item { public int price() { return 1; } }\n"
OTHER = b"package other;\npublic class Item { public int price() { return 2; } }\n"
HOLDER = (
    b"package a;\nimport item.Item;\npublic class Holder { public Item item; public Item made() { return item; } }\n"
)
ASKING = b"package b;\nclass Asking { void f(a.Holder holder) { holder.made().price(); holder.item.price(); } }\n"
JAVA = {"Item.java": ITEM, "Other.java": OTHER, "Holder.java": HOLDER, "Asking.java": ASKING}


@pytest.mark.parametrize(
    ("files", "edited", "old", "new", "asking"),
    [
        pytest.param(JAVA, "Holder.java", b"import item.Item", b"import other.Item", "Asking.java", id="import"),
        pytest.param(JAVA, "Holder.java", b"Item made()", b"int made()", "Asking.java", id="returns"),
        pytest.param(JAVA, "Holder.java", b"public Item item;", b"public int item;", "Asking.java", id="field"),
        pytest.param(JAVA, "Item.java", b"int price()", b"int cost()", "Asking.java", id="member"),
        pytest.param(load(FIXTURES / "go"), "go.mod", b"/shop", b"/other", "web/web.go", id="go.mod"),
        pytest.param(load(FIXTURES / "go"), "store/store.go", b"\tLog\n", b"", "web/web.go", id="embedded"),
        pytest.param(load(FIXTURES / "rust"), "src/store/mod.rs", b"Option<Item>", b"u32", "src/lib.rs", id="wrapped"),
        pytest.param(
            load(FIXTURES / "c"), "src/store.c", b"int store_", b"static int store_", "src/main.c", id="static"
        ),
        pytest.param(load(FIXTURES / "kotlin"), "Util.kt", b"String.quoted", b"Int.quoted", "Store.kt", id="extension"),
    ],
)
def test_who_looked_at_what_changed_is_known(
    files: dict[str, bytes], edited: str, old: bytes, new: bytes, asking: str
) -> None:
    """An edit of one file that changes another's answer changes a key that the other had looked at."""
    assert old in files[edited]
    after = {**files, edited: files[edited].replace(old, new, 1)}
    before = _graphs(files)[asking]
    assert before.sites != _graphs(after)[asking].sites
    assert before.reads & _changed(MemoryWorld(files), MemoryWorld(after))


def test_five_thousand_of_a_name_are_no_candidates() -> None:
    """A name that is everywhere leads nowhere, and asking costs a bounded number of files."""
    files = {f"p{n}/a.go": b"package p%d\n\ntype T struct{}\n\nfunc (t *T) Handle() {}\n" % n for n in range(5_000)}
    files["main.go"] = b"package main\n\nfunc main() { x.Handle(); unknown().Handle() }\n"
    graph = RESOLVER.open(MemoryWorld(files)).resolve("main.go")
    assert {site.status for site in _sites(graph, Role.CALL)} == {Status.UNRESOLVED}
    assert all(len(site.targets) <= 16 for site in graph.sites)


def test_types_that_extend_each_other_end() -> None:
    """Circles of bases, aliases and fields are bounded."""
    names = [f"C{n}" for n in range(40)]
    classes = "\n".join(
        f"class {name} extends {names[(n + 1) % 40]} {{ {names[(n + 7) % 40]} f; void m() {{ f.f.f.f.f.gone(); }} }}"
        for n, name in enumerate(names)
    )
    graph = _graphs({"A.java": f"package a;\n{classes}\n".encode()})["A.java"]
    assert {site.status for site in _sites(graph, Role.CALL)} == {Status.UNRESOLVED}


def test_redefinitions_have_keys_of_their_own() -> None:
    """Overloads and second definitions do not collapse; unnamed functions are numbered inside what is around them."""
    graph = _graphs({
        "A.java": b"class A { void f() { run(() -> 1); run(() -> 2); } void f(int x) { Runnable r = () -> {}; } }"
    })["A.java"]
    assert [node.key for node in graph.nodes] == [
        "", "A", "A.f", "A.f.<lambda1>", "A.f.<lambda2>", "A.f~2", "A.f.<lambda1>~2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "path", "names"),
    [
        ("go", "store/store.go", {"store.Store.Find", "store.New"}),
        ("java", "app/shop/Shop.java", {"app.shop.Shop.run", "app.shop.Shop.Kind.label"}),
        ("rust", "src/store/item.rs", {"store.item.Item.price"}),
        ("c", "src/store.c", {"src.store.store_open"}),
        ("cpp", "src/store.cpp", {"shop.Store.find", "src.store.run"}),
        ("csharp", "Text.cs", {"Shop.Util.Text.Join"}),
        ("ruby", "lib/shop/store.rb", {"Shop.Store.find"}),
        ("php", "src/Store.php", {"Shop.Store.find", "Shop.run"}),
        ("kotlin", "Store.kt", {"shop.Item.price", "shop.run"}),
        ("scala", "Store.scala", {"shop.Store.find"}),
        ("swift", "Sources/App/Store.swift", {"App.Store.find", "App.run"}),
        ("lua", "lua/app/store.lua", {"lua.app.store.Store.find"}),
        ("bash", "lib/log.sh", {"lib.log.log_info"}),
    ],
)
def test_qualified_names_are_the_languages_own(language: str, path: str, names: set[str]) -> None:
    """From the package where there is one, else from the file's path."""
    graph = _graphs(load(FIXTURES / language))[path]
    assert names <= {node.qualified_name for node in graph.nodes}


def test_a_method_points_at_the_one_it_replaces() -> None:
    """Overrides and bases are edges of their own."""
    graph = _graphs(load(FIXTURES / "java"))["app/shop/Shop.java"]
    assert ("name", "Named.name") in _targets(graph, Role.OVERRIDE)
    assert {("Base", "Base"), ("Named", "Named")} <= _targets(graph, Role.INHERIT)


def test_imports_are_dependencies_inside_and_outside() -> None:
    """An import leads to the file that has what it names, or out of the root."""
    files = load(FIXTURES / "go")
    graph = _graphs(files)["web/web.go"]
    assert {dependency.target for dependency in graph.dependencies} == {
        Target("", "net/http"),
        Target("store/store.go", ""),
    }
    renamed = {**files, "go.mod": b"module example.com/other\n"}
    assert not any(dependency.target.path for dependency in _graphs(renamed)["web/web.go"].dependencies)


def test_the_interface_is_what_others_may_use() -> None:
    """Bodies and private names leave a file's interface alone; a public signature changes it."""
    source = b"package a\n\nfunc F(x int) { g() }\n\nfunc g() {}\n"
    interface = _graphs({"a.go": source})["a.go"].interface
    assert _graphs({"a.go": source.replace(b"{ g() }", b"{ g(); g() }")})["a.go"].interface == interface
    assert _graphs({"a.go": source.replace(b"g()", b"h()")})["a.go"].interface == interface
    assert _graphs({"a.go": source.replace(b"x int", b"x string")})["a.go"].interface != interface


def test_a_function_that_is_passed_on_is_a_reference() -> None:
    """A name that is not called but leads to a definition is a reference to it."""
    graph = _graphs(load(FIXTURES / "c"))["src/main.c"]
    assert {("by_size", "by_size"), ("store_find", "store_find")} <= _targets(graph, Role.REFERENCE)


def test_a_file_of_no_facts_is_a_module_alone() -> None:
    """Project files are part of the graph but define nothing."""
    graph = _graphs({"go.mod": b"module example.com/a\n"})["go.mod"]
    assert [node.kind for node in graph.nodes] == ["module"]


def test_a_scope_without_a_name_is_its_files_alone() -> None:
    """What is defined in a block is called in that block; the first block of another file is no part of it."""
    block = b'describe "it" do\n  def only_here\n  end\n  only_here\nend\n'
    graphs = _graphs({"a_spec.rb": block, "b_spec.rb": b'describe "other" do\n  only_here\nend\n'})
    answers = {
        path: [(site.status, site.targets[0].key) for site in graph.sites if site.text == "only_here"]
        for path, graph in graphs.items()
    }
    assert answers["a_spec.rb"] == [(Status.RESOLVED, "<lambda1>.only_here")]
    assert answers["b_spec.rb"] == [(Status.AMBIGUOUS, "<lambda1>.only_here")]


def test_whoever_sees_a_macro_through_includes_looks_at_each_of_them() -> None:
    """A header that includes something else changes what its includers see: the key it offers is among their reads."""
    files = {
        "main.c": b'#include "middle.h"\nint main(void) { return twice(2); }\n',
        "middle.h": b'#include "macros.h"\n',
        "macros.h": b"#define twice(n) ((n) * 2)\n",
    }
    before = MemoryWorld(files)
    (call,) = _sites(RESOLVER.open(before).resolve("main.c"), Role.CALL)
    assert [target.path for target in call.targets] == ["macros.h"]
    after = MemoryWorld({**files, "middle.h": b"\n"})
    (call,) = _sites(RESOLVER.open(after).resolve("main.c"), Role.CALL)
    assert (call.status, call.targets) == (Status.EXTERNAL, (Target("", "twice"),))
    assert _changed(before, after) & RESOLVER.open(before).resolve("main.c").reads


def test_macros_named_in_expressions_are_references() -> None:
    """As operands, in cases and as sizes, where C puts its constants."""
    source = (
        b"#define LIMIT 4\n#define FLAG 1\n#define KIND 2\nint main(int n) {\n  char all[LIMIT];\n"
        b"  if (n & FLAG) return 1;\n  switch (n) { case KIND: return 2; }\n  return all[0];\n}\n"
    )
    graph = RESOLVER.open(MemoryWorld({"main.c": source})).resolve("main.c")
    found = [(site.line, target.key) for site in _sites(graph, Role.REFERENCE) for target in site.targets]
    assert found == [(5, "LIMIT"), (6, "FLAG"), (7, "KIND")]


def _named(graph: FileGraph, role: Role = Role.REFERENCE) -> list[tuple[int, int, str]]:
    return [(site.line, site.column, target.key) for site in _sites(graph, role) for target in site.targets]


def test_functions_that_are_compared_chosen_cast_or_pointed_to_are_references() -> None:
    """Wherever C hands a function on by its name; a local of the same name is none."""
    source = (
        b"int f(int n) { return n; }\nint (*all[])(int) = {&f};\nint main(int n) {\n  int (*g)(int) = n ? f : 0;\n"
        b"  if (g == f) return 1;\n  return (long)f;\n}\nint other(int f) { return f == 1; }\n"
    )
    found = _named(_graphs({"main.c": source})["main.c"])
    assert found == [(2, 22, "f"), (4, 22, "f"), (5, 11, "f"), (6, 15, "f")]


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
    graphs = _graphs(files)
    named = [place for place in _named(graphs["src/shape.rs"]) if place[2] == "Shape"]
    assert named == [
        (2, 5, "Shape"), (5, 25, "Shape"), (6, 24, "Shape"), (7, 17, "Shape"), (7, 40, "Shape"), (9, 12, "Shape"),
        (9, 65, "Shape"),
    ]  # fmt: skip
    assert _named(graphs["src/lib.rs"]) == [(3, 18, "Shape")]


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
    assert {place for place in _named(_graphs(files)[path]) if place[2].endswith("Foo")} == expected


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
    graph = _graphs(files)["Use.scala"]
    read = [(line, key) for line, _, key in _named(graph) if line > 5]
    assert read == [(6, "Box.size"), (10, "All"), (10, "All.MAX"), (11, "Box.fill")]
    assert (8, 6, "Box.area") in _named(graph, Role.CALL)
    assert [key for line, _, key in _named(graph, Role.CALL) if line in (7, 9)] == []


def test_a_macro_of_rust_may_be_called_like_a_type() -> None:
    """`str![…]` is a call of the macro and no syntax error, in whatever brackets."""
    source = (
        b'macro_rules! str { () => {} }\nfn f() {\n  g(str![[r#"x"#]]);\n  u8!(1);\n  str! { 2 }\n}\nfn g(s: str) {}\n'
    )
    graph = _graphs({"Cargo.toml": b'[package]\nname = "x"\n', "src/lib.rs": source})["src/lib.rs"]
    assert not graph.partial
    called = [(line, key) for line, _, key in _named(graph, Role.CALL)]
    assert called == [(3, "g"), (3, "str"), (4, "std.u8"), (5, "str")]


def test_an_optional_call_of_swift_runs_what_a_variable_holds() -> None:
    """`f?(…)` is no call of the method with that name, which would run itself; through others it may be."""
    source = (
        b"class A {\n  var go: ((Int) -> Void)?\n  func go(_ n: Int) {\n    go?(n)\n    self.go?(n)\n    go(n)\n"
        b"  }\n}\nfunc use(a: A) {\n  a.go?(1)\n}\n"
    )
    graph = _graphs({"a.swift": source})["a.swift"]
    assert [(line, key) for line, _, key in _named(graph, Role.CALL)] == [(6, "A.go~2"), (10, "A.go~2")]
    assert [site.line for site in _sites(graph, Role.CALL) if site.status is Status.UNRESOLVED] == [4, 5]


def test_a_call_of_csharp_that_is_given_types_is_of_what_takes_types() -> None:
    """An interface's own method without them is not meant where an extension has them; without types it is."""
    source = (
        b"interface IConfig { object Get(string key); }\n"
        b"static class Extensions { public static T Get<T>(this IConfig config, string key) { return default; } }\n"
        b"class Use { void F(IConfig config) {\n  config.Get<int>(1);\n  config.Get(2);\n} }\n"
    )
    graph = _graphs({"a.cs": source})["a.cs"]
    assert [(line, key) for line, _, key in _named(graph, Role.CALL)] == [(4, "Extensions.Get"), (5, "IConfig.Get")]
    assert {site.text for site in _sites(graph, Role.CALL)} == {"config.Get"}


@pytest.mark.parametrize(
    ("path", "base", "below", "method", "call"),
    [
        ("A.kt", "open class Base", ": Base()", "fun step(n: Int)", "super.step(n)"),
        ("A.java", "class Base", "extends Base", "void step(int n)", "super.step(n);"),
        ("A.cs", "class Base", ": Base", "void step(int n)", "base.step(n);"),
        ("a.swift", "class Base", ": Base", "func step(_ n: Int)", "super.step(n)"),
        ("a.php", "<?php class Base", "extends Base", "function step($n)", "parent::step($n);"),
    ],
)
def test_a_call_through_super_is_of_the_base_alone(path: str, base: str, below: str, method: str, call: str) -> None:
    """What other classes replace it with does not run."""
    lines = [
        f"{base} {{", f"{method} {{", "}", "}",
        f"class One {below} {{", f"{method} {{", call, "}", "}",
        f"class Two {below} {{", f"{method} {{", "}", "}",
    ]  # fmt: skip
    graph = _graphs({path: "\n".join(lines).encode()})[path]
    assert [key for line, _, key in _named(graph, Role.CALL) if line == 7] == ["Base.step"]


def test_a_conversion_of_go_names_a_type_and_calls_nothing() -> None:
    """`(*T)(nil)` and `(T)(nil)` say which type; a pointer to a function that is called is still a computed call."""
    source = (
        b"package a\n\ntype Pool struct{}\n\ntype List []string\n\n"
        b"var _ any = (*Pool)(nil)\nvar _ any = (List)(nil)\n\n"
        b"func run(f *func(int), x any) {\n\t(*f)(1)\n\t_ = (*Pool)(x)\n}\n"
    )
    graph = _graphs({"go.mod": b"module a\n", "a.go": source})["a.go"]
    places = [site for site in graph.sites if site.role is not Role.WRITE]
    named = [(site.line, site.role, target.key) for site in places for target in site.targets]
    assert named == [(7, Role.REFERENCE, "Pool"), (8, Role.CALL, "List"), (12, Role.REFERENCE, "Pool")]
    assert [site.line for site in _sites(graph, Role.CALL) if site.status is Status.UNRESOLVED] == [11]


@pytest.mark.parametrize(
    ("header", "include", "expected"),
    [
        ("deps/compat/stdint.h", b"<stdint.h>", Status.EXTERNAL),
        ("deps/compat/stdint.h", b'"stdint.h"', Status.RESOLVED),
        ("include/stdint.h", b"<stdint.h>", Status.RESOLVED),
        ("lib/include/stdint.h", b"<stdint.h>", Status.RESOLVED),
        ("deps/compat/sys/types.h", b"<sys/types.h>", Status.EXTERNAL),
        ("deps/compat/own.h", b"<own.h>", Status.RESOLVED),
    ],
)
def test_a_standard_header_is_the_implementations(header: str, include: bytes, expected: Status) -> None:
    """In angle brackets, it is not some header of that name in the repository; a C library has its own beside it."""
    files = {header: b"#define WIDE 1\n", "lib/src/a.c": b"#include " + include + b"\n"}
    assert [site.status for site in _sites(_graphs(files)["lib/src/a.c"], Role.IMPORT)] == [expected]


@pytest.mark.parametrize(
    ("name", "here", "use"),
    [
        ("kt", "package a\n\nclass Here\n",
         "package b\n\nimport a.Lost\nimport lib.Far\n\nfun go(x: Lost, y: Far) {\n  x.run()\n  y.run()\n}\n"),
        ("java", "package a;\npublic class Here {}\n",
         "package b;\nimport a.Lost;\nimport lib.Far;\nclass Use { void go(Lost x, Far y) { x.run(); y.run(); } }\n"),
        ("java", "package a;\npublic class Here {}\n",
         "package b;\nimport a.Lost;\nimport lib.Far;\nclass Use { void go() { Lost.run(); Far.run(); } }\n"),
        ("php", "<?php\nnamespace A;\nclass Here {}\n",
         "<?php\nnamespace B;\nuse A\\Lost;\nuse Lib\\Far;\nfunction go(Lost $x, Far $y) { $x->run(); $y->run(); }\n"),
    ],
)  # fmt: skip
def test_what_a_package_of_the_root_should_have_is_not_somebody_elses(name: str, here: str, use: str) -> None:
    """An import from a package that is here and lacks the name may mean a file that cannot be read, or generated code:
    neither it nor what is called on it is taken for a library's."""
    graph = _graphs({f"a/Here.{name}": here.encode(), f"b/Use.{name}": use.encode()})[f"b/Use.{name}"]
    for role in (Role.IMPORT, Role.CALL):
        assert [site.status for site in _sites(graph, role)] == [Status.UNRESOLVED, Status.EXTERNAL]


def test_names_between_backticks_are_names() -> None:
    """A keyword between backticks is called like any other name; a class whose name needs them overrides its base."""
    text = b"""package p

abstract class Base {
  abstract fun run()
}

class `odd name` : Base {
  override fun run() {}
}

class Box {
  fun `is`(x: Int) {}
}

fun <T> `when`(x: T): Box = Box()

fun go(b: Base, box: Box) {
  b.run()
  `when`(1).`is`(2)
  `when`<Int>(1)
  box.`is`(3)
}
"""
    graph = _graphs({"a.kt": text})["a.kt"]
    calls = {(site.line, target.key) for site in _sites(graph, Role.CALL) for target in site.targets}
    assert calls == {
        (15, "Box"), (18, "Base.run"), (18, "odd name.run"), (19, "when"), (19, "Box.is"), (20, "when"), (21, "Box.is"),
    }  # fmt: skip
    # The name itself, without its backticks, is what a rename writes over.
    assert [(site.column, site.end_column) for site in _sites(graph, Role.CALL) if site.line == 21] == [(7, 9)]


def test_kotlins_calls_that_are_given_one_type_are_calls() -> None:
    """`f<T>(x)` and `f<T> { … }` look like comparisons to the grammar; the type is named."""
    text = b"""package p

class Foo {
  fun hold() {}
}

class Box {
  fun <T> keep(x: Int) {}
}

fun <T> take(x: Int): T = build<T> { x }

fun <T> build(x: () -> Int): T = TODO()

fun made() = take<Foo>(1)

fun go(box: Box, n: Int) {
  take<Foo>(n)
  box.keep<Int>(n)
  build<Foo> { n }
  made().hold()
  val less = n < 2
}
"""
    graph = _graphs({"a.kt": text})["a.kt"]
    calls = [(site.line, [target.key for target in site.targets]) for site in _sites(graph, Role.CALL)]
    assert calls == [
        (11, ["build"]), (13, ["builtin.TODO"]), (15, ["take"]), (18, ["take"]), (19, ["Box.keep"]), (20, ["build"]),
        (21, ["made"]), (21, ["Foo.hold"]),
    ]  # fmt: skip
    named = [(site.line, site.text) for site in _sites(graph, Role.REFERENCE) if site.text.endswith("Foo")]
    assert named == [(15, "Foo"), (18, "Foo"), (20, "Foo")]


def test_a_crate_is_known_by_its_name_wherever_its_manifest_says_it() -> None:
    """Lists before the name hide it from nobody, and a library may have a name of its own: programs, tests and examples
    name their own library by it."""
    files = {
        "Cargo.toml": b'[package]\nauthors = ["A <a@b>"]\nname = "my-tool"\n\n[lib]\nname = "tool"\n',
        "src/lib.rs": (
            b"pub mod shape;\nmod round;\npub mod named {\n  pub use super::round::*;\n}\npub use round::Circle;\n"
        ),
        "src/shape.rs": b"use crate::Circle;\npub fn draw() {\n  Circle::new();\n}\npub fn fill() {}\n",
        "src/round.rs": b"pub struct Circle;\nimpl Circle {\n  pub fn new() -> Self { Circle }\n}\npub fn turn() {}\n",
        "src/bin/go.rs": b"use my_tool::shape::draw;\nfn main() {\n  draw();\n  my_tool::Circle::new();\n}\n",
        "tests/all.rs": b"use tool::shape;\nfn all() {\n  shape::fill();\n}\n",
        "examples/one.rs": b"use tool::{named, Circle};\nfn main() {\n  Circle::new();\n  named::turn();\n}\n",
    }
    graphs = _graphs(files)
    assert _targets(graphs["src/bin/go.rs"], Role.CALL) == {
        ("draw", "draw"), ("my_tool.Circle.new", "Circle.new"),
    }  # fmt: skip
    assert _targets(graphs["src/shape.rs"], Role.CALL) == {("Circle.new", "Circle.new")}
    assert _targets(graphs["examples/one.rs"], Role.CALL) == {("Circle.new", "Circle.new"), ("named.turn", "turn")}
    assert _targets(graphs["tests/all.rs"], Role.CALL) == {("shape.fill", "fill")}
    assert MemoryWorld({"Cargo.toml": b"[package\n"}).offers["Cargo.toml"] == {}


def test_a_script_that_sources_a_file_beside_it_depends_on_no_package() -> None:
    """`. ./part.inc` says where the file is: not found, it is missing and nobody else's."""
    graph = _graphs({"a.sh": b". ./part.inc\nsource ../other.inc\n. /etc/rc.subr\n"})["a.sh"]
    statuses = [site.status for site in _sites(graph, Role.IMPORT)]
    assert statuses == [Status.UNRESOLVED, Status.UNRESOLVED, Status.EXTERNAL]
    assert [dependency.target.key for dependency in graph.dependencies] == ["etc/rc.subr"]


def test_what_modules_and_tables_replace_is_an_override() -> None:
    """Ruby's modules and Lua's tables have no class around their methods, and replace others' all the same."""
    ruby = (
        b"module Loud\n  def say\n  end\n\n  def self.make\n  end\nend\n\n"
        b"class Man\n  include Loud\n\n  def say\n  end\n\n  def make\n  end\nend\n"
    )
    lua = (
        b"local Base = {}\n\nfunction Base:say()\nend\n\n"
        b"local Man = setmetatable({}, { __index = Base })\n\nfunction Man:say()\nend\n"
    )
    graphs = _graphs({"man.rb": ruby, "man.lua": lua})
    assert _targets(graphs["man.rb"], Role.OVERRIDE) == {("say", "Loud.say")}
    assert _targets(graphs["man.lua"], Role.OVERRIDE) == {("say", "Base.say")}


def test_an_assignment_that_calls_a_method_asks_for_the_name_that_is_written() -> None:
    """`x.size = 1` counts for who asks about `size`, though what it runs is called `size=`."""
    source = b"class A\n  def size=(n)\n  end\n\n  def grow(x)\n    self.size = 1\n    x.rank = 2\n  end\nend\n"
    graph = _graphs({"a.rb": source})["a.rb"]
    calls = [(site.text, site.status) for site in _sites(graph, Role.CALL)]
    assert calls == [("self.size", Status.RESOLVED), ("x.rank", Status.UNRESOLVED)]
