"""The JavaScript resolver through its contract: nodes, sites, what is offered and what was read."""

from __future__ import annotations

import pytest
from tree_sitter import Node as TreeNode

from everdex.graph.model import FileGraph, Role, Site, Status, Target
from everdex.languages import language_of
from everdex.parse import grammar
from support.javascript import MemoryWorld, fixtures, world


def _sites(graph: FileGraph, role: Role) -> list[Site]:
    return [site for site in graph.sites if site.role is role]


def _targets(graph: FileGraph, role: Role) -> dict[str, tuple[str, ...]]:
    return {site.text: tuple(target.key for target in site.targets) for site in _sites(graph, role)}


def _one(text: str, **others: str) -> FileGraph:
    return world(main_ts=text, **others).graphs()["main.ts"]


def test_definitions_have_names_from_the_root_and_places() -> None:
    """A node says where it is and how people call it; the file itself is the first one."""
    graph = world(src__store__index_ts="\nexport class Store {\n  open(path: string): void {}\n}\n").graphs()[
        "src/store/index.ts"
    ]
    module, store, method = graph.nodes
    assert (module.key, module.qualified_name, module.kind, module.parent) == ("", "src.store.index", "module", -1)
    assert (method.key, method.qualified_name) == ("Store.open", "src.store.index.Store.open")
    assert (method.start_line, method.end_line, method.name_line, method.name_column) == (3, 3, 3, 2)
    assert method.signature == "open(path: string): void"
    assert method.parent == 1
    assert store.public


def test_the_interface_hash_is_of_what_others_can_use() -> None:
    """Bodies and private names leave it alone; a public signature does not."""
    before = _one("export function f(a: string) { return 1; }\nfunction hidden() {}")
    assert _one("export function f(a: string) { return 2; }\nfunction other() {}").interface == before.interface
    assert _one("export function f(a: number) { return 1; }\nfunction hidden() {}").interface != before.interface


def test_a_broken_file_is_partial() -> None:
    """A syntax error taints the graph and spares what is outside of it."""
    graph = _one("function f() { g(); }\nfunction g() {}\nconst = = (")
    assert graph.partial
    assert _targets(graph, Role.CALL)["g"] == ("g",)


def test_references_writes_and_imports_are_sites() -> None:
    """Naming a definition without calling it is told apart by what is done with it."""
    graph = _one(
        "import { f, T } from './other';\nlet count = 1;\ncount = 2;\nconst keep = [f];\nlet t: T;\n",
        other_ts="export function f() {}\nexport interface T {}\n",
    )
    assert _targets(graph, Role.IMPORT) == {"f": ("f",), "T": ("T",), "'./other'": ("",)}
    assert _targets(graph, Role.WRITE) == {"count": ("count",), "keep": ("keep",)}
    assert _targets(graph, Role.REFERENCE) == {"f": ("f",), "T": ("T",)}


def test_what_is_required_is_named_by_its_name() -> None:
    """`const X = require(…)` imports what the module is; its name then means that, wherever it is written."""
    graph = world(
        shape_js="class Shape {}\nmodule.exports = Shape;\n",
        lib_js="exports.draw = () => 1;\n",
        main_js="const Shape = require('./shape');\nconst { draw } = require('./lib');\nkeep([Shape, draw]);\n",
    ).graphs()["main.js"]
    assert _targets(graph, Role.IMPORT)["Shape"] == ("Shape",)
    assert _targets(graph, Role.REFERENCE) == {"{ draw": ("draw",), "Shape": ("Shape",), "draw": ("draw",)}


def test_another_name_by_import_means_what_it_is_a_name_for() -> None:
    """`import T = other.T` refers to the type, and so does whoever writes the name."""
    graph = _one(
        "import * as other from './other';\nimport T = other.T;\nlet t: T;\n", other_ts="export interface T {}\n"
    )
    named = [(site.line, site.column, site.targets[0].key) for site in _sites(graph, Role.REFERENCE)]
    assert named == [(2, 11, ""), (2, 17, "T"), (3, 7, "T")]


def test_classes_inherit_override_and_are_decorated() -> None:
    """Heritage clauses, replaced methods and decorators are sites of the definition they belong to."""
    graph = _one(
        """
        interface Shape { area(): number }
        class Base { area() { return 0; } }
        function mark(target) { return target; }
        function with_(option) { return mark; }
        @mark
        class Square extends Base implements Shape {
          @with_(1) area() { return 1; }
        }
        """
    )
    keys = [node.key for node in graph.nodes]
    assert _targets(graph, Role.INHERIT) == {"Base": ("Base",), "Shape": ("Shape",)}
    assert {keys[site.source] for site in _sites(graph, Role.INHERIT)} == {"Square"}
    (override,) = _sites(graph, Role.OVERRIDE)
    assert (keys[override.source], {target.key for target in override.targets}) == (
        "Square.area", {"Base.area", "Shape.area"},
    )  # fmt: skip
    assert {keys[site.source]: site.targets[0].key for site in _sites(graph, Role.DECORATE)} == {
        "Square": "mark", "Square.area": "with_",
    }  # fmt: skip


def test_members_are_referred_to_by_their_owner() -> None:
    """Reading a field or an enum's member names that definition; reading an accessor calls it."""
    graph = _one(
        "class C { x = 1; get y() { return 2; } }\nenum E { A }\n"
        "function f(c: C) { use(c.x, c.y, E.A); }\nfunction use() {}"
    )
    found = {site.text: (site.role, site.targets[0].key) for site in graph.sites if site.targets}
    assert found["c.x"] == (Role.REFERENCE, "C.x")
    assert found["c.y"] == (Role.CALL, "C.y")
    assert found["E.A"] == (Role.REFERENCE, "E.A")


def test_dependencies_name_files_and_packages() -> None:
    """What a file imports is listed with what it takes."""
    graph = _one("import { a, b as c } from './other';\nimport fs from 'node:fs';\nimport './gone';", other_ts="")
    assert [(item.target, item.line, item.names) for item in graph.dependencies] == [
        (Target("other.ts", ""), 1, ("a", "b")), (Target("", "fs"), 2, ("default",)),
    ]  # fmt: skip


def test_places_are_of_the_name_that_is_called() -> None:
    """A site spans the token that names, its text is the expression up to there."""
    graph = _one("class A { b() { return this; } }\nnew A()\n  .b()\n  .b();\n")
    calls = _sites(graph, Role.CALL)
    assert [(site.text, site.line, site.column, site.end_column) for site in calls] == [
        ("A", 2, 4, 5), ("new A().b", 3, 3, 4), ("new A().b().b", 4, 3, 4),
    ]  # fmt: skip


def _call_nodes(root: TreeNode) -> int:
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "call_expression":
            function = node.child_by_field_name("function")
            text = function.text if function is not None else b""
            count += text not in (b"import", b"require")
        count += node.type == "new_expression"
    return count


@pytest.mark.parametrize("path", sorted(path for path in fixtures() if path.endswith((".ts", ".js", ".mjs", ".tsx"))))
def test_no_call_in_the_text_is_without_a_site(path: str) -> None:
    """There are at least as many call sites as calls and constructions in the syntax tree."""
    files = fixtures()
    tree = grammar.parse_tree(language_of(path) or "", files[path])
    assert tree is not None
    graph = MemoryWorld({path: files[path]}).graphs()[path]
    assert len(_sites(graph, Role.CALL)) >= _call_nodes(tree.root_node)
    assert all(site.reason for site in graph.sites if site.status is Status.UNRESOLVED)


def test_a_call_that_is_known_in_part_says_so() -> None:
    """What one of two values leads to is resolved, and the other may be anything: there is a reason to look."""
    graph = _one(
        """
        class A { handle() {} }
        function go(given) { const one = given ? new A() : given.made; one.handle(); new A().handle(); }
        """
    )
    handled = [site for site in _sites(graph, Role.CALL) if site.text.endswith("handle")]
    assert [(site.status, bool(site.reason)) for site in handled] == [(Status.RESOLVED, True), (Status.RESOLVED, False)]


def test_a_member_is_meant_where_the_root_of_its_workspace_is_called_so_too() -> None:
    """Of several packages of one name the first that has what is asked for is taken, the root's last."""
    graph = _one(
        "import { go } from '@team/core'; import { far } from '@team/core/far'; go(); far();",
        package_json='{"name": "@team/core", "private": true}',
        far_ts="export function far() {}",
        packages__core__package_json='{"name": "@team/core", "main": "./index.js"}',
        packages__core__index_ts="export function go() {}",
    )
    assert [site.targets for site in _sites(graph, Role.CALL)] == [
        (Target("packages/core/index.ts", "go"),), (Target("far.ts", "far"),),
    ]  # fmt: skip


def test_malformed_project_files_are_as_if_absent() -> None:
    """Whatever stands in tsconfig.json or package.json, files are resolved."""
    for content in ("{", "[1]", '{"compilerOptions": {"paths": 3, "baseUrl": []}}', '{"extends": ["./tsconfig.json"]}',
                    '{"name": 3, "exports": {"a": {"b": 4}}, "main": []}', "[" * 100_000):  # fmt: skip
        graph = _one("import './other'; import 'p/q';", other_ts="", tsconfig_json=content, package_json=content)
        assert graph.dependencies[0].target == Target("other.ts", "")


def test_cycles_end() -> None:
    """Imports, classes, functions, types and values that lead back to themselves have answers."""
    graph = _one(
        """
        import { loop, g } from './other';
        export * from './other';
        export function f() { return g(); }
        class A extends A { m() { return this.m().m(); } }
        type T = T | T[];
        let a = b, b = a;
        a.x.y(); loop(); new A().m(); f().z();
        function t(v: T) { v.w(); }
        const o = { ...o, go() { return o.go().go(); } };
        o.go();
        function again(cb) { again(cb); cb(cb); }
        again(again);
        """,
        other_ts="export * from './main'; export { loop } from './main'; import { f } from './main';"
        "export function g() { return f(); }",
    )
    assert _targets(graph, Role.CALL)["new A().m"] == ("A.m",)
    assert all(site.status in Status for site in graph.sites)


def test_many_symbols_of_one_name_are_bounded() -> None:
    """Five thousand definitions of a name give no site more than a bounded number of targets."""
    text = "".join(f"class C{i} {{ same() {{}} other{i}() {{}} }}\n" for i in range(2_500))
    text += "".join("function f() {}\n" for _ in range(2_500))
    graph = _one(text + "function g(x) { x.same(); f(); x.other7(); }")
    calls = {site.text: site for site in _sites(graph, Role.CALL)}
    assert calls["x.same"].status is Status.UNRESOLVED
    assert calls["f"].status is Status.AMBIGUOUS
    assert len(calls["f"].targets) < 30
    assert calls["x.other7"].status is Status.AMBIGUOUS


def test_a_bundle_on_one_line_is_resolved() -> None:
    """Minified code on a single line, where everything calls everything, has all its calls."""
    part = "function a%d(e,t){var n=a%d(t);return n.b(e)||new a%d(function(r){return a%d(r).c(n)})}"
    text = "!function(){" + "".join(part % (i, i + 1, i + 2, i * 7 % 4_000) for i in range(4_000)) + "}();"
    graph = world(bundle_js=text).graphs()["bundle.js"]
    assert len(_sites(graph, Role.CALL)) == 4_000 * 5 + 1
    assert graph.nodes[-1].start_line == 1


def test_a_long_function_is_resolved() -> None:
    """Ten thousand lines in one function are ten thousand answers."""
    body = "".join(f"  const v{i} = make(v{i - 1});\n  v{i}.go();\n" for i in range(1, 5_000))
    graph = _one(f"class X {{ go() {{}} }}\nfunction make(p) {{ return new X(); }}\nfunction f(v0) {{\n{body}}}\n")
    assert len(_sites(graph, Role.CALL)) == 2 * 4_999 + 1
    assert {target.key for site in _sites(graph, Role.CALL) for target in site.targets} == {"make", "X.go", "X"}


def test_what_may_be_unknown_is_not_called_external() -> None:
    """A callee that is a library's or something nobody knows is unresolved, with the reason."""
    graph = world(
        a_ts="""
import { load } from 'lib';
export function run(given, flag) {
    const chosen = flag ? load : given;
    chosen();
    load();
}
"""
    ).graphs()["a.ts"]
    answers = {site.text: (site.status, site.reason) for site in graph.sites if site.role is Role.CALL}
    assert answers["chosen"][0] is Status.UNRESOLVED
    assert answers["chosen"][1] == "untyped parameter"
    assert answers["load"] == (Status.EXTERNAL, "")


def test_a_function_has_no_members_of_its_own() -> None:
    """`f.call` is the language's; `f.query` is whatever somebody hung on it, and unknown where nobody did."""
    graph = world(a_ts="function f() {}\nf.call(null);\nf.query();\n").graphs()["a.ts"]
    answers = {site.text: site.status for site in graph.sites if site.role is Role.CALL}
    assert answers == {"f.call": Status.RESOLVED, "f.query": Status.UNRESOLVED}


def test_a_call_by_a_variable_names_the_variable() -> None:
    """What runs is the function behind it; the variable is referred to at the same place, through imports as well."""
    graphs = world(
        a_ts="function one() {}\nfunction two() {}\nexport const either = DEV ? one : two;\n",
        b_ts="import { either } from './a';\nimport * as a from './a';\neither();\na.either();\n",
    ).graphs()
    for line in (3, 4):
        sites = [site for site in graphs["b.ts"].sites if site.line == line]
        called = next(site for site in sites if site.role is Role.CALL)
        named = [site for site in sites if site.role is Role.REFERENCE and Target("a.ts", "either") in site.targets]
        assert {target.key for target in called.targets} == {"one", "two"}
        assert [(site.line, site.column) for site in named] == [(called.line, called.column)]


def test_a_call_through_an_interface_names_the_declared_method() -> None:
    """What runs is the implementation; the method of the interface is referred to at the same place."""
    graph = world(
        a_ts="""
interface Box { open(): void }
function make(): Box { return { open() {} } }
export function run(box: Box) { box.open() }
make();
"""
    ).graphs()["a.ts"]
    sites = [site for site in graph.sites if site.line == 4 and site.text == "box.open"]
    assert {(str(site.role), target.key) for site in sites for target in site.targets} >= {
        ("call", "make.open"),
        ("reference", "Box.open"),
    }


def test_a_class_may_say_that_it_extends_itself() -> None:
    """Nonsense that is being typed costs nobody the answers of a file."""
    text = "abstract class A extends A { abstract go(): void; }\nexport function f(a: A) { a.go(); }\n"
    calls = [site for site in world(a_ts=text).graphs()["a.ts"].sites if site.role is Role.CALL]
    assert [site.targets[0].key for site in calls] == ["A.go"]


def test_decorators_of_members_and_parameters_run_where_the_class_is_made() -> None:
    """A function that makes a class calls the decorators in it; neither the constructor nor the method does."""
    graph = _one(
        "function Mark(): any {}\n"
        "function make() {\n"
        "  class Service {\n"
        "    constructor(@Mark() store: object) {}\n"
        "    @Mark() list() {}\n"
        "  }\n"
        "  return Service;\n"
        "}\n"
    )
    assert {graph.nodes[site.source].key for site in _sites(graph, Role.CALL)} == {"make"}
    decorated = {graph.nodes[site.source].key for site in _sites(graph, Role.DECORATE)}
    assert decorated == {"make.Service.constructor", "make.Service.list"}


@pytest.mark.parametrize(
    "stored", ["Base. = function () {};", "Object.defineProperty(Base, '', { value: function () {} });"]
)
def test_a_property_without_a_name_is_not_the_whole_of_what_has_it(stored: str) -> None:
    """Half-written code: what it has is found, what it has not is unresolved, and no resolver fails."""
    graph = _one(f"function Base() {{}}\nBase.prototype.go = open;\n{stored}\nnew Base().go();\nnew Base().none();\n")
    last = _sites(graph, Role.CALL)[-1]
    assert (last.text, last.status) == ("new Base().none", Status.UNRESOLVED)


def test_a_package_of_very_many_files_gives_away_what_each_of_them_has() -> None:
    """How many files an index names with stars does not matter; of more than are looked through it is said."""

    def index_of(count: int) -> FileGraph:
        stars = "".join(f"export * from './m{number}';\n" for number in range(count))
        parts = {f"m{number}_ts": f"export const f{number} = 1;\n" for number in range(count - 1)}
        last = {f"m{count - 1}_ts": "export function last() {}\n"}
        return _one("import { last } from './index';\nlast();\n", index_ts=stars, **parts, **last)

    (site,) = _sites(index_of(500), Role.CALL)
    assert site.targets == (Target("m499.ts", "last"),)
