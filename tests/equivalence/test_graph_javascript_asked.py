"""JavaScript edited by hand: only those are asked again who could tell, and the graph is the one made from nothing."""

from __future__ import annotations

from pathlib import Path

from everdex.graph.resolvers import Resolvers
from support.graphs import kept, resolved_now
from support.stores import Workspace, synced

_JAVASCRIPT = Resolvers(("everdex.graph.javascript",))


def _written(made: Workspace, path: str, text: str) -> int:
    """How many files are resolved when one is written."""
    made.write({path: text})
    return resolved_now(made, _JAVASCRIPT)


def test_one_more_member_of_a_name_is_no_news(tmp_path: Path) -> None:
    """Whether anything of the root has a member of a name is asked of what is read under it: one is enough."""
    kind = "export class {0} {{ {1}: number = 1 }}\n"
    reader = "import { thing } from 'outside';\nexport const read = () => thing.size;\n"
    files = {f"a{number}.ts": kind.format("A", "size") for number in range(3)}
    made = synced(tmp_path / "tree", {**files, "b.ts": kind.format("B", "other"), "reader.ts": reader})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "b.ts", kind.format("B", "size")) == 1
    for number in range(3):
        assert _written(made, f"a{number}.ts", kind.format("A", "other")) == 1
    assert _written(made, "b.ts", kind.format("B", "other")) == 2  # the last


def test_methods_of_a_name_that_many_have_are_no_evidence_whoever_has_them(tmp_path: Path) -> None:
    """A name that few methods have says something of a receiver that is not known; of more it matters that they are."""
    kind = "export class K {{ {0}() {{}} }}\n"
    reader = "export function read(x) { x.collect(); }\n"
    files = {f"a{number}.ts": kind.format("collect") for number in range(4)}
    made = synced(tmp_path / "tree", {**files, "b.ts": kind.format("other"), "reader.ts": reader})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "b.ts", kind.format("collect")) == 1
    assert _written(made, "a0.ts", kind.format("other")) == 1
    assert _written(made, "a1.ts", kind.format("other")) == 2


def test_what_a_function_is_given_in_its_own_file_is_asked_for_by_who_follows_it(tmp_path: Path) -> None:
    """A function that no other file can call is given what its own file's calls pass, wherever in it they stand."""
    text = (
        "class A {{ go() {{}} }}\nclass B {{ go() {{}} }}\nfunction same(x) {{ return x; }}\n"
        "export function give() {{ return same(null); }}\nexport function other() {{ same(new {0}()); }}\n"
    )
    reader = "import { give } from './a';\nexport function read() { give().go(); }\n"
    made = synced(tmp_path / "tree", {"a.ts": text.format("A"), "b.ts": reader})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "a.ts", text.format("B")) == 2


def test_a_name_inside_a_function_is_nobodys_who_did_not_follow_it(tmp_path: Path) -> None:
    """A body is looked at name by name: who follows what it returns does not look at its other variables."""
    text = "export class A {{ go() {{}} }}\nexport function give() {{ const a = new A(); const b = {0}; return a; }}\n"
    reader = "import { give } from './a';\nexport function read() { give().go(); }\n"
    made = synced(tmp_path / "tree", {"a.ts": text.format("1"), "b.ts": reader})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "a.ts", text.format("new A()")) == 1
    assert _written(made, "a.ts", text.format("new A()").replace("a = new A()", "a = b")) == 2


def test_what_one_test_does_is_not_what_its_neighbour_looked_at(tmp_path: Path) -> None:
    """Functions without a name inside each other are looked at one by one."""
    text = (
        "import {{ shown }} from './b';\nexport class A {{ go() {{}} }}\nfunction take(f) {{ f(new A()); }}\n"
        "describe('all', () => {{\n  it('one', () => {{\n    const a = {0};\n    take((x) => a);\n  }});\n"
        "  it('two', () => {{\n    const a = new A();\n    shown(a);\n  }});\n}});\n"
    )
    reader = "export function shown(x) { x.go(); }\n"
    made = synced(tmp_path / "tree", {"a.ts": text.format("1"), "b.ts": reader})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "a.ts", text.format("new A()")) == 1
    assert _written(made, "a.ts", text.format("1").replace("const a = new A()", "const a = 1")) == 2


def test_one_more_call_where_a_file_has_too_many_is_no_news(tmp_path: Path) -> None:
    """What a function is given by very many calls is not followed; that one file has so many is enough to know."""
    text = "import {{ take }} from './a';\nexport function all() {{\n{0}}}\n"
    taking = "export function take(x) { x.go(); }\n"
    made = synced(tmp_path / "tree", {"a.ts": taking, "b.ts": text.format("  take(1);\n" * 17)})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "b.ts", text.format("  take(1);\n" * 18)) == 1
    assert _written(made, "b.ts", text.format("  take(1);\n" * 16)) == 2
    assert _written(made, "b.ts", text.format("  take(1);\n" * 15)) == 2


def test_one_more_call_in_tests_that_have_too_many_is_no_news(tmp_path: Path) -> None:
    """Where tests call a function very often, what sources pass is followed, and what tests pass is not."""
    text = "import {{ take }} from '../a';\nexport function all() {{\n{0}}}\n"
    files = {"a.ts": "export function take(f) { f(); }\n", "b.ts": "import { take } from './a';\ntake(() => 1);\n"}
    made = synced(tmp_path / "tree", {**files, "test/b.test.ts": text.format("  take(all);\n" * 17)})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "test/b.test.ts", text.format("  take(all);\n" * 18)) == 1
    assert _written(made, "test/b.test.ts", text.format("  take(all);\n" * 3)) == 2
    assert _written(made, "b.ts", files["b.ts"] + "take(() => 2);\n") == 2


def test_declarations_that_come_beside_a_script_or_go_are_seen_by_who_follows_it(tmp_path: Path) -> None:
    """Who looked for types beside a script, found or not, is asked again when there are others."""
    script = "class Node {\n  go(x) { return x.mark(); }\n  mark() {}\n}\nmodule.exports = Node;\n"
    typed = "declare class Node {{\n  go(x: {0}): Node;\n}}\nexport = Node;\n"
    reader = "const Node = require('./node');\nexports.read = () => new Node().go().mark();\n"
    made = synced(tmp_path / "tree", {"node.js": script, "reader.js": reader, "other.js": "exports.f = () => 1;\n"})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "node.d.ts", "export declare class Other {}\n") == 3
    assert _written(made, "node.d.ts", typed.format("Node")) == 3
    assert _written(made, "node.d.ts", typed.format("string")) == 2  # the reader does not ask what it takes
    made.remove("node.d.ts")
    assert resolved_now(made, _JAVASCRIPT) == 2


def test_a_name_that_comes_into_the_declarations_beside_a_script_is_seen(tmp_path: Path) -> None:
    """Who looked there for a class that was not declared is asked again when it is, though nothing else is exported."""
    script = "class Node {\n  go(x) { return x.mark(); }\n  mark() {}\n}\nmodule.exports = Node;\n"
    beside = "export declare class Other {}\n"
    made = synced(tmp_path / "tree", {"node.js": script, "node.d.ts": beside, "other.js": "exports.f = () => 1;\n"})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "node.d.ts", f"{beside}declare class Node {{\n  go(x: Node): Node;\n}}\n") == 2


def test_one_more_function_that_is_called_so_is_asked_for_by_who_puts_the_name_together(tmp_path: Path) -> None:
    """A class is looked at by the names that it has, where a part of the name is all that is written."""
    kind = "export class Base {{\n  visitName() {{}}\n  {0}() {{}}\n}}\n"
    reader = "import { Base } from './a';\nexport class C extends Base {\n  go(x) { this['visit' + x](); }\n}\n"
    made = synced(tmp_path / "tree", {"a.ts": kind.format("other"), "b.ts": reader})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "a.ts", kind.format("visitCall")) == 2


def test_one_more_function_of_a_type_is_asked_for_by_who_calls_one_of_it(tmp_path: Path) -> None:
    """Functions that are declared to be of a function type are found by its name; another type is no news."""
    types = "export type Read = (name: string) => void;\nexport type Write = (name: string) => void;\n"
    reader = "import type { Read } from './types';\nexport function run(read: Read) { read('a'); }\n"
    one = "import type {{ Read, Write }} from './types';\nexport const one: {0} = (name) => {{}};\n"
    made = synced(tmp_path / "tree", {"types.ts": types, "reader.ts": reader, "one.ts": one.format("Write")})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "one.ts", one.format("Read")) == 2
    assert _written(made, "one.ts", one.format("Read").replace("one", "uno")) == 2
    assert _written(made, "two.ts", one.format("Write")) == 1
    assert _written(made, "two.ts", one.format("Read").replace("one", "two")) == 2


def test_what_a_function_takes_is_news_for_who_asks_that(tmp_path: Path) -> None:
    """Who follows what a function gives does not look at its parameters; who hands it something that it takes does."""
    text = "export class A {{ go() {{}} }}\nexport function give({0}) {{ return new A(); }}\n"
    text += "export function same<T>({1}): T {{ return null; }}\n"
    reader = "import {{ {0} }} from './a';\nexport function read() {{ {0}({1}).go(); }}\n"
    asks = "import { same, A } from './a';\nexport function read(x: A) { same(x).go(); }\n"
    files = {"follows.ts": reader.format("give", "1"), "asks.ts": asks}
    made = synced(tmp_path / "tree", {"a.ts": text.format("x: number", "kind: T"), **files})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "a.ts", text.format("x: number, more?: string", "kind: T")) == 1
    assert _written(made, "a.ts", text.format("other: string", "kind: T")) == 1
    assert _written(made, "a.ts", text.format("", "kind: T")) == 1
    assert _written(made, "a.ts", text.format("", "kind: T, last?: T")) == 1  # which nobody passes
    assert _written(made, "a.ts", text.format("", "first: string, kind: T")) == 2


def test_a_member_of_an_interface_is_nobodys_who_looked_for_another(tmp_path: Path) -> None:
    """What a type has is looked at name by name; of what it extends, and of calling it, all that look at it hear."""
    text = "export interface A {{ go(): void; {0} }}\nexport interface B {{ (): A; size: A; {1} }}\n"
    reader = "import {{ {0} }} from './a';\nexport function read(x: {0}) {{ x{1}; }}\n"
    files = {
        "goes.ts": reader.format("A", ".go()"), "misses.ts": reader.format("A", ".other()"),
        "calls.ts": reader.format("B", "().go()"), "reads.ts": reader.format("B", ".size.go()"),
    }  # fmt: skip
    made = synced(tmp_path / "tree", {"a.ts": text.format("", ""), **files})
    kept(made, resolvers=_JAVASCRIPT)
    assert _written(made, "a.ts", text.format("more?: string", "")) == 1
    assert _written(made, "a.ts", text.format("more?: string; other(): void", "")) == 2  # who misses it
    assert _written(made, "a.ts", text.format("more?: string; other(): void", "more: A;")) == 1
    assert _written(made, "a.ts", text.format("more?: string; other(): void", "(x: number): B")) == 3  # calls, reads
