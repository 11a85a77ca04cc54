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
