"""The resolver by imports and names: what it calls things, what replaces what, and calls that one language has."""

from __future__ import annotations

import pytest

from everdex.graph.model import Role, Status, Target
from support.names import FIXTURES, MemoryWorld, graphs_of, load, places_named, sites_of, targets_of


def test_redefinitions_have_keys_of_their_own() -> None:
    """Overloads and second definitions do not collapse; unnamed functions are numbered inside what is around them."""
    graph = graphs_of({
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
    graph = graphs_of(load(FIXTURES / language))[path]
    assert names <= {node.qualified_name for node in graph.nodes}


def test_a_method_points_at_the_one_it_replaces() -> None:
    """Overrides and bases are edges of their own."""
    graph = graphs_of(load(FIXTURES / "java"))["app/shop/Shop.java"]
    assert ("name", "Named.name") in targets_of(graph, Role.OVERRIDE)
    assert {("Base", "Base"), ("Named", "Named")} <= targets_of(graph, Role.INHERIT)


def test_imports_are_dependencies_inside_and_outside() -> None:
    """An import leads to the file that has what it names, or out of the root."""
    files = load(FIXTURES / "go")
    graph = graphs_of(files)["web/web.go"]
    assert {dependency.target for dependency in graph.dependencies} == {
        Target("", "net/http"),
        Target("store/store.go", ""),
    }
    renamed = {**files, "go.mod": b"module example.com/other\n"}
    assert not any(dependency.target.path for dependency in graphs_of(renamed)["web/web.go"].dependencies)


def test_the_interface_is_what_others_may_use() -> None:
    """Bodies and private names leave a file's interface alone; a public signature changes it."""
    source = b"package a\n\nfunc F(x int) { g() }\n\nfunc g() {}\n"
    interface = graphs_of({"a.go": source})["a.go"].interface
    assert graphs_of({"a.go": source.replace(b"{ g() }", b"{ g(); g() }")})["a.go"].interface == interface
    assert graphs_of({"a.go": source.replace(b"g()", b"h()")})["a.go"].interface == interface
    assert graphs_of({"a.go": source.replace(b"x int", b"x string")})["a.go"].interface != interface


def test_a_file_of_no_facts_is_a_module_alone() -> None:
    """Project files are part of the graph but define nothing."""
    graph = graphs_of({"go.mod": b"module example.com/a\n"})["go.mod"]
    assert [node.kind for node in graph.nodes] == ["module"]


def test_a_scope_without_a_name_is_its_files_alone() -> None:
    """What is defined in a block is called in that block; the first block of another file is no part of it."""
    block = b'describe "it" do\n  def only_here\n  end\n  only_here\nend\n'
    graphs = graphs_of({"a_spec.rb": block, "b_spec.rb": b'describe "other" do\n  only_here\nend\n'})
    answers = {
        path: [(site.status, site.targets[0].key) for site in graph.sites if site.text == "only_here"]
        for path, graph in graphs.items()
    }
    assert answers["a_spec.rb"] == [(Status.RESOLVED, "<lambda1>.only_here")]
    assert answers["b_spec.rb"] == [(Status.AMBIGUOUS, "<lambda1>.only_here")]


def test_a_macro_of_rust_may_be_called_like_a_type() -> None:
    """`str![…]` is a call of the macro and no syntax error, in whatever brackets."""
    source = (
        b'macro_rules! str { () => {} }\nfn f() {\n  g(str![[r#"x"#]]);\n  u8!(1);\n  str! { 2 }\n}\nfn g(s: str) {}\n'
    )
    graph = graphs_of({"Cargo.toml": b'[package]\nname = "x"\n', "src/lib.rs": source})["src/lib.rs"]
    assert not graph.partial
    called = [(line, key) for line, _, key in places_named(graph, Role.CALL)]
    assert called == [(3, "g"), (3, "str"), (4, "std.u8"), (5, "str")]


def test_an_optional_call_of_swift_runs_what_a_variable_holds() -> None:
    """`f?(…)` is no call of the method with that name, which would run itself; through others it may be."""
    source = (
        b"class A {\n  var go: ((Int) -> Void)?\n  func go(_ n: Int) {\n    go?(n)\n    self.go?(n)\n    go(n)\n"
        b"  }\n}\nfunc use(a: A) {\n  a.go?(1)\n}\n"
    )
    graph = graphs_of({"a.swift": source})["a.swift"]
    assert [(line, key) for line, _, key in places_named(graph, Role.CALL)] == [(6, "A.go~2"), (10, "A.go~2")]
    assert [site.line for site in sites_of(graph, Role.CALL) if site.status is Status.UNRESOLVED] == [4, 5]


def test_a_call_of_csharp_that_is_given_types_is_of_what_takes_types() -> None:
    """An interface's own method without them is not meant where an extension has them; without types it is."""
    source = (
        b"interface IConfig { object Get(string key); }\n"
        b"static class Extensions { public static T Get<T>(this IConfig config, string key) { return default; } }\n"
        b"class Use { void F(IConfig config) {\n  config.Get<int>(1);\n  config.Get(2);\n} }\n"
    )
    graph = graphs_of({"a.cs": source})["a.cs"]
    called = [(line, key) for line, _, key in places_named(graph, Role.CALL)]
    assert called == [(4, "Extensions.Get"), (5, "IConfig.Get")]
    assert {site.text for site in sites_of(graph, Role.CALL)} == {"config.Get"}


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
    graph = graphs_of({path: "\n".join(lines).encode()})[path]
    assert [key for line, _, key in places_named(graph, Role.CALL) if line == 7] == ["Base.step"]


def test_a_conversion_of_go_names_a_type_and_calls_nothing() -> None:
    """`(*T)(nil)` and `(T)(nil)` say which type; a pointer to a function that is called is still a computed call."""
    source = (
        b"package a\n\ntype Pool struct{}\n\ntype List []string\n\n"
        b"var _ any = (*Pool)(nil)\nvar _ any = (List)(nil)\n\n"
        b"func run(f *func(int), x any) {\n\t(*f)(1)\n\t_ = (*Pool)(x)\n}\n"
    )
    graph = graphs_of({"go.mod": b"module a\n", "a.go": source})["a.go"]
    places = [site for site in graph.sites if site.role is not Role.WRITE]
    named = [(site.line, site.role, target.key) for site in places for target in site.targets]
    assert named == [(7, Role.REFERENCE, "Pool"), (8, Role.CALL, "List"), (12, Role.REFERENCE, "Pool")]
    assert [site.line for site in sites_of(graph, Role.CALL) if site.status is Status.UNRESOLVED] == [11]


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
    assert [site.status for site in sites_of(graphs_of(files)["lib/src/a.c"], Role.IMPORT)] == [expected]


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
    graph = graphs_of({f"a/Here.{name}": here.encode(), f"b/Use.{name}": use.encode()})[f"b/Use.{name}"]
    for role in (Role.IMPORT, Role.CALL):
        assert [site.status for site in sites_of(graph, role)] == [Status.UNRESOLVED, Status.EXTERNAL]


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
    graph = graphs_of({"a.kt": text})["a.kt"]
    calls = {(site.line, target.key) for site in sites_of(graph, Role.CALL) for target in site.targets}
    assert calls == {
        (15, "Box"), (18, "Base.run"), (18, "odd name.run"), (19, "when"), (19, "Box.is"), (20, "when"), (21, "Box.is"),
    }  # fmt: skip
    # The name itself, without its backticks, is what a rename writes over.
    assert [(site.column, site.end_column) for site in sites_of(graph, Role.CALL) if site.line == 21] == [(7, 9)]


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
    graph = graphs_of({"a.kt": text})["a.kt"]
    calls = [(site.line, [target.key for target in site.targets]) for site in sites_of(graph, Role.CALL)]
    assert calls == [
        (11, ["build"]), (13, ["builtin.TODO"]), (15, ["take"]), (18, ["take"]), (19, ["Box.keep"]), (20, ["build"]),
        (21, ["made"]), (21, ["Foo.hold"]),
    ]  # fmt: skip
    named = [(site.line, site.text) for site in sites_of(graph, Role.REFERENCE) if site.text.endswith("Foo")]
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
    graphs = graphs_of(files)
    assert targets_of(graphs["src/bin/go.rs"], Role.CALL) == {
        ("draw", "draw"), ("my_tool::Circle::new", "Circle.new"),
    }  # fmt: skip
    assert targets_of(graphs["src/shape.rs"], Role.CALL) == {("Circle::new", "Circle.new")}
    assert targets_of(graphs["examples/one.rs"], Role.CALL) == {("Circle::new", "Circle.new"), ("named::turn", "turn")}
    assert targets_of(graphs["tests/all.rs"], Role.CALL) == {("shape::fill", "fill")}
    assert MemoryWorld({"Cargo.toml": b"[package\n"}).offers["Cargo.toml"] == {}


def test_a_script_that_sources_a_file_beside_it_depends_on_no_package() -> None:
    """`. ./part.inc` says where the file is: not found, it is missing and nobody else's."""
    graph = graphs_of({"a.sh": b". ./part.inc\nsource ../other.inc\n. /etc/rc.subr\n"})["a.sh"]
    statuses = [site.status for site in sites_of(graph, Role.IMPORT)]
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
    graphs = graphs_of({"man.rb": ruby, "man.lua": lua})
    assert targets_of(graphs["man.rb"], Role.OVERRIDE) == {("say", "Loud.say")}
    assert targets_of(graphs["man.lua"], Role.OVERRIDE) == {("say", "Base.say")}


def test_an_assignment_that_calls_a_method_asks_for_the_name_that_is_written() -> None:
    """`x.size = 1` counts for who asks about `size`, though what it runs is called `size=`."""
    source = b"class A\n  def size=(n)\n  end\n\n  def grow(x)\n    self.size = 1\n    x.rank = 2\n  end\nend\n"
    graph = graphs_of({"a.rb": source})["a.rb"]
    calls = [(site.text, site.status) for site in sites_of(graph, Role.CALL)]
    assert calls == [("self.size", Status.RESOLVED), ("x.rank", Status.UNRESOLVED)]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.go", b"package a\nfunc run() {\n  defer func() { help() }()\n}\nfunc help() {}\n"),
        ("src/lib.rs", b"fn help() {}\nfn run() {\n  (|| help())();\n}\n"),
        ("a.cpp", b"void help() {}\nvoid run() {\n  [&] { help(); }();\n}\n"),
        ("a.php", b"<?php\nfunction help() {}\nfunction run() {\n  (function () { help(); })();\n}\n"),
        ("a.swift", b"func help() {}\nfunc run() {\n  let x = { help() }()\n}\n"),
        ("a.kt", b"fun help() {}\nfun run() {\n  (fun() { help() })()\n}\n"),
    ],
)
def test_a_function_is_called_where_it_is_written(path: str, source: bytes) -> None:
    """A function without a name that is called at once is no computed value: it can reach what it says."""
    calls = sites_of(graphs_of({path: source})[path], Role.CALL)
    assert [(site.status, [target.key for target in site.targets]) for site in calls] == [
        (Status.RESOLVED, ["run.<lambda1>"]), (Status.RESOLVED, ["help"]),
    ]  # fmt: skip


def test_what_a_function_gives_is_still_a_computed_value() -> None:
    """Of `func() … { … }()()` the first call runs the function, the second nobody knows what."""
    source = b"package a\nfunc run() {\n  func() func() { return nil }()()\n  (func() func() { return nil }())()\n}\n"
    calls = sites_of(graphs_of({"a.go": source})["a.go"], Role.CALL)
    by_status = sorted((site.line, site.status.value) for site in calls)
    assert by_status == [(3, "resolved"), (3, "unresolved"), (4, "resolved"), (4, "unresolved")]


def test_overloads_that_give_different_things_are_not_the_first_of_them() -> None:
    """C++: `end()` of what may be changed and of what may not give two kinds of iterators."""
    source = (
        b"struct Any { void step(); };\nstruct Fixed { void step(); void halt(); };\n"
        b"struct Row { Any end(); Fixed end() const; Fixed at(int n); Fixed at(int n) const; };\n"
        b"void go(Row& row) {\n  row.end().step();\n  row.at(1).halt();\n}\n"
    )
    graph = graphs_of({"a.cpp": source})["a.cpp"]
    found = {site.line: site for site in sites_of(graph, Role.CALL) if site.text.endswith(("step", "halt"))}
    assert found[5].status is not Status.RESOLVED
    assert (found[6].status, [target.key for target in found[6].targets]) == (Status.RESOLVED, ["Fixed.halt"])


def test_a_class_is_made_in_its_own_methods() -> None:
    """C++: there its name is that of its constructors, too."""
    source = (
        b"struct Value { Value(int n); void swap(Value& o); Value& operator=(int n); void set(int n); };\n"
        b"Value& Value::operator=(int n) {\n  Value(n).swap(*this);\n  return *this;\n}\n"
        b"void Value::set(int n) {\n  Value(n).swap(*this);\n}\n"
    )
    graph = graphs_of({"a.cpp": source})["a.cpp"]
    found = [(site.line, site.status, [target.key for target in site.targets])
             for site in sites_of(graph, Role.CALL) if site.text.endswith("swap")]  # fmt: skip
    assert found == [(line, Status.RESOLVED, ["Value.swap"]) for line in (3, 7)]


def test_a_call_that_is_given_types_is_of_what_takes_types() -> None:
    """C#: whatever else takes what is passed, in the class or in what it implements."""
    caller = b"public void Go(P p, string text, bool flag) {\n    Debug<bool>(p, text, flag);\n  }\n"
    files = {
        "A.cs": b"namespace N { public partial class Logger {\n  " + caller + b"} }\n",
        "B.cs": b"namespace N { public partial class Logger : ILogger {\n  public void Debug<T>(P? p, T? value) {}\n"
        b"  public void Debug<T>(P? p, string text, T? value) {}\n"
        b"  public void Debug(P? p, string text, bool flag) {}\n} }\n",
        "C.cs": b"namespace N { public interface ILogger {\n  void Debug(P? p, string text, bool flag);\n} }\n",
    }
    (site,) = sites_of(graphs_of(files)["A.cs"], Role.CALL)
    assert (site.status, [target.key for target in site.targets]) == (Status.RESOLVED, ["N.Logger.Debug~2"])
