"""The JavaScript resolver: what a file offers, who looks at what, and that who asked first makes no difference."""

from __future__ import annotations

import random
import weakref
from collections.abc import Mapping

import pytest

from everdex.graph.javascript.resolver import RESOLVER
from everdex.graph.model import LIMITS, Role, Status, Target, more_key
from everdex.memory import collector_held
from support.javascript import MemoryWorld, fixtures, world


def test_answers_do_not_depend_on_the_order_of_asking() -> None:
    """Files resolved forwards, backwards or alone have the same graphs."""
    files = MemoryWorld(fixtures())
    forwards = files.graphs()
    order = sorted(forwards, reverse=True)
    assert files.graphs(order) == forwards
    for path in order[::7]:
        assert files.graphs([path])[path] == forwards[path]


def test_what_was_worked_out_goes_with_who_asked_for_it() -> None:
    """At once: the collector would look through all of it first, which took half of the time of an edit."""
    files = MemoryWorld(fixtures())
    resolution = RESOLVER.open(files)
    with collector_held():
        for path in files.paths[:20]:
            resolution.resolve(path)
        alive = weakref.ref(files)
        del resolution, files
        assert alive() is None


def _program(seed: int) -> dict[str, bytes]:
    """Thirty functions in five files that return what each other return, in every depth of expression."""
    random_ = random.Random(seed)

    def call() -> str:
        return f"f{random_.randrange(30)}"

    def expression(depth: int) -> str:
        kind = random_.randrange(7) if depth else 0
        inner = [expression(depth - 1) for _ in range(2)] if kind > 1 else []
        if kind == 2:
            return f"[{inner[0]}][0]"
        if kind == 3:
            return f"({{ a: {inner[0]} }}).a"
        if kind == 4:
            return f"({inner[0]} || {inner[1]})"
        if kind == 5:
            return f"{call()}({inner[0]})"
        if kind == 6:
            return f"({inner[0]} ? new C{random_.randrange(3)}() : {inner[1]})"
        return f"{call()}(x)"

    bodies = [""] * 5
    for i in range(30):
        bodies[i % 5] += f"export function f{i}(x) {{ return {expression(2)}; }}\n"
        bodies[i % 5] += f"f{i}(new C{i % 3}()).go(); {expression(2)}.go();\n"
    files = {}
    for number, body in enumerate(bodies):
        others = [f"import {{ f{i} }} from './m{i % 5}';\n" for i in range(30) if i % 5 != number]
        files[f"m{number}.ts"] = "".join(others) + "import { C0, C1, C2 } from './c';\n" + body
    files["c.ts"] = "".join(f"export class C{number} {{ go() {{}} }}\n" for number in range(3))
    return {path: text.encode() for path, text in files.items()}


@pytest.mark.parametrize("seed", [0, 1, 27, 91, 92])  # the last three caught a cut that was off by one
def test_where_the_fuel_ends_does_not_depend_on_who_asked_first(seed: int) -> None:
    """Code that leads everywhere is cut at the same step in any order of files."""
    program = MemoryWorld(_program(seed))
    forwards = program.graphs()
    assert program.graphs(sorted(forwards, reverse=True)) == forwards


def test_a_shifted_line_changes_nothing_that_is_offered() -> None:
    """Places are no part of what others can see."""
    for path, data in fixtures().items():
        if path.endswith((".ts", ".js", ".tsx", ".jsx")):
            before, after = MemoryWorld({path: data}), MemoryWorld({path: b"// a line\n\n" + data})
            assert before.offers[path] == after.offers[path]


def test_a_call_in_a_body_is_offered_only_as_that() -> None:
    """Editing a statement that gives nothing away changes nothing but the calls of that name."""
    before = world(a_ts="export class S { run() { one(1); } }\nexport function other() {}").offers["a.ts"]
    after = world(a_ts="export class S { run() { two(1); } }\nexport function other() {}").offers["a.ts"]
    assert _changed(before, after) == {"js:calls:one", "js:calls:two"}
    returned = world(a_ts="export class S { run() { return one(1); } }\nexport function other() {}").offers["a.ts"]
    assert _changed(before, returned) == {"js:def:a.ts#S.run"}


_CLASS = """
export class Store {
  constructor() { this.kept = new Item(); }
  open(name) { const found = this.kept; return found; }
  close() { take({ name: 1 }); return this; }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("const found = this.kept", "const found = this.other", {"js:name:a.ts#Store.open/found"}),
        ("{ name: 1 }", "{ name: 1, size: 2 }", {"js:literals:a.ts#Store.close", "js:calls:take"}),
        ("open(name)", "open(name, mode)",
         {"js:takes:a.ts#Store.open", "js:takes:a.ts#Store.open/1", "js:name:a.ts#Store.open/mode"}),
        ("  close()", "  flush() {}\n  close()",
         {"js:def:a.ts#Store.flush", "js:of:a.ts#Store.flush", "js:of:a.ts#Store.*", "js:method:flush",
          "js:member:flush"}),
        ("new Item()", "new Other()", {"js:of:a.ts#Store.kept"}),
        ("class Store", "class Store extends Base",
         {"js:def:a.ts#Store", "js:heirs:Base", "js:of:a.ts#Store.kept", "js:of:a.ts#Store.*",
          "js:member:kept"}),  # whose it is, is open
    ],
)  # fmt: skip
def test_a_class_is_offered_name_by_name(old: str, new: str, changed: set[str]) -> None:
    """Who looked at one method, or looked one up, is not asked again when another is edited."""
    before, after = world(a_ts=_CLASS).offers["a.ts"], world(a_ts=_CLASS.replace(old, new)).offers["a.ts"]
    assert _changed(before, after) == changed


def test_an_interface_is_offered_name_by_name() -> None:
    """One more member is news for who looked for it; a call signature for all who looked at it."""
    text = "export interface Store { open(): void; %s }"
    plain, more, called = (world(a_ts=text % said).offers["a.ts"] for said in ("", "size: Item", "(): Item"))
    assert _changed(plain, more) == {"js:of:a.ts#Store.size", "js:member:size"}
    assert "js:def:a.ts#Store" in _changed(plain, called)


def _changed(before: Mapping[str, int], after: Mapping[str, int]) -> set[str]:
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def _edit(files: dict[str, bytes], random_: random.Random) -> dict[str, bytes]:
    edited = dict(files)
    paths = sorted(edited)
    path = random_.choice(paths)
    lines = edited[path].split(b"\n")
    kind = random_.randrange(6)
    if kind == 0:
        del edited[path]
    elif kind == 1:
        edited[path.replace(".", "2.", 1)] = edited.pop(path)
    elif kind == 2:
        del lines[random_.randrange(len(lines))]
        edited[path] = b"\n".join(lines)
    elif kind == 3:
        lines.insert(random_.randrange(len(lines) + 1), b"export function added() { return new Item(); }")
        edited[path] = b"\n".join(lines)
    elif kind == 4:
        words = [b"open", b"touch", b"Item", b"Base", b"hoisted", b"act", b"helper", b"f", b"Store", b"one"]
        edited[path] = edited[path].replace(random_.choice(words), random_.choice(words))
    else:
        other = random_.choice(paths)
        edited[path], edited[other] = edited[other], edited[path]
    return edited


@pytest.mark.parametrize("seed", range(4))
def test_what_was_not_read_does_not_matter(seed: int) -> None:
    """After any edit, a file that looked at no changed key has the graph that a rebuild gives it."""
    random_ = random.Random(seed)
    files = fixtures()
    before = MemoryWorld(files)
    graphs, kept = before.graphs(), 0
    for _ in range(12):
        files = _edit(files, random_)
        after = MemoryWorld(files)
        rebuilt = after.graphs()
        changed: set[str] = set()
        for path in before.offers.keys() | after.offers.keys():
            changed |= _changed(before.offers.get(path, {}), after.offers.get(path, {}))
        changed |= {
            more_key(key, limit) for key in changed for limit in LIMITS
            if (len(before.offering(key)) > limit) != (len(after.offering(key)) > limit)
        }  # fmt: skip
        for path, graph in rebuilt.items():
            same = path in before.offers and before.source(path) == after.source(path)
            if same and not graphs[path].reads & changed:
                assert graphs[path] == graph, path
                kept += 1
        before, graphs = after, rebuilt
    assert kept > 12 * len(files) // 2


def test_a_project_file_is_looked_at_by_all() -> None:
    """Another mapping of paths is seen; another version of the package is not."""
    before = world(package_json='{"name": "p", "version": "1"}', a_ts="import 'x';")
    assert "js:project" in before.graphs()["a.ts"].reads
    bumped = world(package_json='{"name": "p", "version": "2"}', a_ts="import 'x';")
    renamed = world(package_json='{"name": "q", "version": "1"}', a_ts="import 'x';")
    assert bumped.offers["package.json"] == before.offers["package.json"]
    assert renamed.offers["package.json"] != before.offers["package.json"]


def test_whoever_calls_an_overload_looks_at_what_it_takes() -> None:
    """Another number of parameters in another file changes what the call means, and the file has looked at that."""
    use = "import { Reader } from './a'\nexport const use = (reader: Reader) => reader.read('x')\n"
    declared = "export interface Reader {{ read(a: string): void; read(a: string, b{mark}: number): void }}\n"
    before = MemoryWorld({"a.ts": declared.format(mark="").encode(), "b.ts": use.encode()})
    after = MemoryWorld({"a.ts": declared.format(mark="?").encode(), "b.ts": use.encode()})
    calls = [
        [(site.status, len(site.targets)) for site in made.graphs()["b.ts"].sites if site.role is Role.CALL]
        for made in (before, after)
    ]  # fmt: skip
    assert calls == [[(Status.RESOLVED, 1)], [(Status.AMBIGUOUS, 2)]]
    changed = {key for key, _ in before.offers["a.ts"].items() ^ after.offers["a.ts"].items()}
    assert not before.graphs()["b.ts"].reads.isdisjoint(changed)


def test_a_source_that_appears_anywhere_in_a_package_is_seen() -> None:
    """What a package gives away and has not built is found where it is written, by whoever has looked for it."""
    files = {
        "p/package.json": b'{"name": "p", "exports": {"./a": "./dist/a.mjs"}}',
        "q/b.ts": b"import { run } from 'p/a'\nrun()\n",
    }
    before = MemoryWorld(files)
    after = MemoryWorld({**files, "p/src/in/here/a.ts": b"export function run() {}\n"})
    calls = [
        [(site.status, site.targets) for site in made.graphs()["q/b.ts"].sites if site.role is Role.CALL]
        for made in (before, after)
    ]  # fmt: skip
    assert calls == [[(Status.UNRESOLVED, ())], [(Status.RESOLVED, (Target("p/src/in/here/a.ts", "run"),))]]
    assert not before.graphs()["q/b.ts"].reads.isdisjoint(after.offers["p/src/in/here/a.ts"])
