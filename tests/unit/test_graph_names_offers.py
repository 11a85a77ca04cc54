"""The resolver by imports and names: what a file offers, who looked at what changed, and how work is bounded."""

from __future__ import annotations

import random

import pytest

from everdex.graph.model import Role, Status, Target
from everdex.graph.names.resolver import RESOLVER
from support.names import FIXTURES, LANGUAGES, MemoryWorld, graphs_of, load, sites_of


@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_do_not_depend_on_the_order_of_asking(language: str) -> None:
    """Files resolved in any order, or alone, have the same graphs."""
    files = load(FIXTURES / language)
    whole = graphs_of(files)
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
    graphs, kept = graphs_of(files), 0
    for _ in range(12):
        edited = _edited(files, chance)
        before, after = MemoryWorld(files), MemoryWorld(edited)
        changed = _changed(before, after)
        fresh = graphs_of(edited)
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
    before = graphs_of(files)[asking]
    assert before.sites != graphs_of(after)[asking].sites
    assert before.reads & _changed(MemoryWorld(files), MemoryWorld(after))


def test_five_thousand_of_a_name_are_no_candidates() -> None:
    """A name that is everywhere leads nowhere, and asking costs a bounded number of files."""
    files = {f"p{n}/a.go": b"package p%d\n\ntype T struct{}\n\nfunc (t *T) Handle() {}\n" % n for n in range(5_000)}
    files["main.go"] = b"package main\n\nfunc main() { x.Handle(); unknown().Handle() }\n"
    graph = RESOLVER.open(MemoryWorld(files)).resolve("main.go")
    assert {site.status for site in sites_of(graph, Role.CALL)} == {Status.UNRESOLVED}
    assert all(len(site.targets) <= 16 for site in graph.sites)


def test_types_that_extend_each_other_end() -> None:
    """Circles of bases, aliases and fields are bounded."""
    names = [f"C{n}" for n in range(40)]
    classes = "\n".join(
        f"class {name} extends {names[(n + 1) % 40]} {{ {names[(n + 7) % 40]} f; void m() {{ f.f.f.f.f.gone(); }} }}"
        for n, name in enumerate(names)
    )
    graph = graphs_of({"A.java": f"package a;\n{classes}\n".encode()})["A.java"]
    assert {site.status for site in sites_of(graph, Role.CALL)} == {Status.UNRESOLVED}


def test_whoever_sees_a_macro_through_includes_looks_at_each_of_them() -> None:
    """A header that includes something else changes what its includers see: the key it offers is among their reads."""
    files = {
        "main.c": b'#include "middle.h"\nint main(void) { return twice(2); }\n',
        "middle.h": b'#include "macros.h"\n',
        "macros.h": b"#define twice(n) ((n) * 2)\n",
    }
    before = MemoryWorld(files)
    (call,) = sites_of(RESOLVER.open(before).resolve("main.c"), Role.CALL)
    assert [target.path for target in call.targets] == ["macros.h"]
    after = MemoryWorld({**files, "middle.h": b"\n"})
    (call,) = sites_of(RESOLVER.open(after).resolve("main.c"), Role.CALL)
    assert (call.status, call.targets) == (Status.EXTERNAL, (Target("", "twice"),))
    assert _changed(before, after) & RESOLVER.open(before).resolve("main.c").reads
