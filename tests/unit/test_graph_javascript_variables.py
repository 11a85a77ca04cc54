"""Variables and fields of JavaScript and TypeScript: every place that reads or writes one, told at its line.

`// @ write settings.timeout; read settings.LIMIT`: from left to right; `?` is unresolved, `~` before candidates, `ext`
outside the root.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everdex.graph.javascript import members
from everdex.graph.model import FileGraph, Role, Site, Status
from support.javascript import MemoryWorld, numbered, world

FIXTURES = Path(__file__).parent.parent / "fixtures" / "variables" / "javascript"
_WORDS = {Role.WRITE: "write", Role.REFERENCE: "read", Role.IMPORT: "import"}
_KINDS = ("variable", "field", "property", "member")


def test_every_read_and_write_says_what_its_line_expects() -> None:
    """Each place that writes has a status, and each that means a variable leads to it."""
    files = {path.name: path.read_bytes() for path in FIXTURES.iterdir()}
    graphs = MemoryWorld(files).graphs()
    nodes = {(path, node.key): node for path, graph in graphs.items() for node in graph.nodes}

    def said(site: Site) -> str:
        if site.status is Status.UNRESOLVED:
            return f"{_WORDS[site.role]} ?"
        names = (numbered(nodes[t.path, t.key]) if t.path else f"ext {t.key}" for t in site.targets)
        mark = "~" if site.status is Status.AMBIGUOUS else ""
        return f"{_WORDS[site.role]} {mark}{', '.join(names)}"

    for path, graph in graphs.items():
        found: dict[int, list[str]] = {}
        for site in graph.sites:
            about = any(t.path and nodes[t.path, t.key].kind in _KINDS for t in site.targets)
            if site.role is Role.WRITE or (site.role in _WORDS and about):
                found.setdefault(site.line, []).append(said(site))
        for number, line in enumerate(files[path].decode().splitlines(), 1):
            expected = line.partition("// @ ")[2].split("; ") if "// @ " in line else []
            assert found.get(number, []) == expected, f"{path}:{number}: {line}"


def test_what_methods_store_is_a_field_and_no_part_of_the_interface() -> None:
    """`this.x = …` defines a field of the class; adding one changes no interface."""
    before = b"export class A {\n  a() {}\n}\n"
    after = b"export class A {\n  a() { this.x = 1; }\n}\n"
    plain, more = (MemoryWorld({"a.js": text}).graphs()["a.js"] for text in (before, after))
    fields = [(node.key, node.public) for node in more.nodes if node.kind == "field"]
    assert fields == [("A.x", False)]
    assert plain.interface == more.interface


def _sites(graphs: dict[str, FileGraph], path: str, role: Role) -> list[tuple[int, list[str]]]:
    return [(site.line, [target.key for target in site.targets]) for site in graphs[path].sites if site.role is role]


def test_members_that_implement_a_declared_one_override_it() -> None:
    """Fields, accessors and methods of a class, members of an interface and functions in a literal of its type do."""
    files = {path.name: path.read_bytes() for path in FIXTURES.iterdir()}
    graphs = MemoryWorld(files).graphs()
    assert _sites(graphs, "shapes.ts", Role.OVERRIDE) == [
        (5, ["Base.id"]), (27, ["Shape.id"]), (28, ["Shape.area"]), (29, ["Shape.inner"]), (30, ["Shape.label"]),
        (33, ["Shape.draw"]),
    ]  # fmt: skip
    assert _sites(graphs, "uses.ts", Role.OVERRIDE) == [
        (18, ["Shape.draw"]), (23, ["Base.id"]), (28, ["Shape.draw"])
    ]  # fmt: skip


def test_a_getter_runs_where_the_property_it_implements_is_read() -> None:
    """Reading a declared property names the declaration and calls the accessor below it."""
    graphs = world(
        a_ts="export interface I { size: number }\nclass A implements I { get size() { return 1 } set size(x) {} }\n"
        "function f(i: I) {\n  i.size;\n  i.size = 2;\n}\n"
    ).graphs()
    assert _sites(graphs, "a.ts", Role.CALL) == [(4, ["A.size"]), (5, ["A.size~2"])]
    assert _sites(graphs, "a.ts", Role.REFERENCE)[-1] == (4, ["I.size"])


def test_what_a_property_holds_is_named_beside_it() -> None:
    """`api.post` names the property and, as a site of its own, the function; a call runs the function."""
    graphs = world(
        a_ts="function run() {}\nconst api = { post: run };\nkeep(api.post);\napi.post();\nsetTimeout(api.post);\n"
    ).graphs()
    assert [found for found in _sites(graphs, "a.ts", Role.REFERENCE) if "api" not in found[1]] == [
        (2, ["run"]), (3, ["run"]), (3, ["api.post"]), (4, ["api.post"]), (5, ["api.post"])
    ]  # fmt: skip
    assert [found for found in _sites(graphs, "a.ts", Role.CALL) if "run" in found[1]] == [(4, ["run"]), (5, ["run"])]


def test_members_of_anonymous_parts_of_a_named_type_are_its_members() -> None:
    """Container chains go through properties and unions; parameters of functions are nobody's members."""
    graphs = world(
        a_ts="export type T = { a: { b: number } } & U<{ c: 1 }>;\n"
        "export interface I { run(options: { no: 1 }): void; $el: 1; 'odd-key': 2 }\n"
    ).graphs()
    found = {node.key: (node.kind, node.signature) for node in graphs["a.ts"].nodes[1:]}
    assert list(found) == ["T", "T.a", "T.a.b", "T.c", "I", "I.run", "I.$el"]
    assert found["T.a.b"] == ("property", "b: number")
    assert found["I.run"][0] == "method"


def test_a_table_of_data_has_no_members() -> None:
    """Beyond two thousand properties in a file none is a definition: such literals hold data."""
    rows = ", ".join(f"k{number}: {number}" for number in range(2_100))
    nodes = world(a_ts=f"export const table = {{ {rows} }};\n").graphs()["a.ts"].nodes
    assert sum(node.kind == "property" for node in nodes) == 2_000


def test_members_elsewhere_resolve_whoever_writes_them() -> None:
    """Resolving only the files that read a changed key gives what resolving all of them gives."""
    before = {
        "a.ts": b"export interface I { x: number }\nexport interface J { x: number; y: number }\n"
        b"export let k: I = { x: 1 };\n",
        "b.ts": b"import { I, k } from './a';\nexport function f(i: I) { return i.x }\nk.x = 2;\n",
        "c.ts": b"import { f } from './b';\nimport { I } from './a';\nf({ x: 1 });\n"
        b"export const o = { x: 1 } satisfies I;\n",
        "d.ts": b"import { I } from './a';\nclass C implements I { x = 1 }\n",
    }  # fmt: skip
    edits = [
        ("a.ts", b"x: number }\nexport interface J", b"z: number }\nexport interface J"),
        ("a.ts", b"let k: I", b"let k: J"),
        ("b.ts", b"f(i: I)", b"f(i: any)"),
        ("d.ts", b"implements I", b""),
        ("d.ts", b"x = 1", b"get x() { return 1 }"),
        ("c.ts", b"{ x: 1 } satisfies", b"{ x: 1 } as"),
    ]
    alone = 0
    for path, old, new in edits:
        after = {**before, path: before[path].replace(old, new)}
        assert after != before
        first, second = MemoryWorld(before), MemoryWorld(after)
        kept, whole = first.graphs(), second.graphs()
        keys = first.offers[path].items() ^ second.offers[path].items()
        changed = {key for key, _ in keys}
        for other in before:
            if other != path and kept[other].reads.isdisjoint(changed):
                assert kept[other] == whole[other], (path, new, other)
                alone += 1
    assert alone > len(edits)


def test_a_type_that_is_global_is_named_by_other_files() -> None:
    """An interface of an ambient file, or one that a module declares global, has its references in every file."""
    files = {
        "global.d.ts": b"interface Shared {\n  open(): void;\n}\n",
        "more.ts": b"export {};\ndeclare global {\n  interface Added {}\n}\nlet mine: Added;\n",
        "main.ts": b"export function use(a: Shared, b: Added, c: HTMLElement): Promise<Shared> {}\n",
    }
    graphs = MemoryWorld(files).graphs()
    assert _sites(graphs, "main.ts", Role.REFERENCE) == [(1, ["Shared"]), (1, ["Added"]), (1, ["Shared"])]
    assert _sites(graphs, "more.ts", Role.REFERENCE) == [(5, ["Added"])]


def test_attributes_of_a_component_write_its_properties() -> None:
    """`<View size={1} onPress={go} />` writes the members of the type that the component's first parameter has."""
    files = {
        "view.tsx": b"interface Props {\n  size: number;\n  onPress: () => void;\n}\n"
        b"export function View({ size, onPress }: Props) {\n  onPress();\n  return <b>{size}</b>;\n}\n",
        "main.tsx": b'import { View } from "./view";\nfunction go() {}\n'
        b"export const page = <View size={1} onPress={go}><div onPress={go} /><Lost size={2} {...page} /></View>;\n",
    }
    graphs = MemoryWorld(files).graphs()
    assert _sites(graphs, "main.tsx", Role.WRITE) == [(3, ["page"]), (3, ["Props.size"]), (3, ["Props.onPress"])]


def test_what_is_spread_again_and_again_is_looked_into_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects that spread two others each, which do the same, cost as many looks as there are objects."""
    lines = ["export const o0 = { name: () => {} };"]
    lines += [f"export const o{n} = {{ ...o{n - 1}, other{n}: 1, ...o{n - 1} }};" for n in range(1, 9)]
    looks = 0
    plain = members._of_object

    def counted(*arguments: Any) -> Any:
        nonlocal looks
        looks += 1
        return plain(*arguments)

    monkeypatch.setattr(members, "_of_object", counted)
    graphs = MemoryWorld({"a.js": "\n".join([*lines, "o8.name();"]).encode()}).graphs()
    assert (10, ["o0.name"]) in _sites(graphs, "a.js", Role.CALL)
    assert looks < 60
