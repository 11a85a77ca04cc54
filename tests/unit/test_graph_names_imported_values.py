"""Constants, fields and variants that other files define: where they are imported, and where they are read."""

from __future__ import annotations

import pytest

from everdex.graph.model import Role, Status
from support.names import graphs_of, sites_of

RUST = {
    "Cargo.toml": b'[package]\nname = "x"\n',
    "src/values.rs": b"pub const LIMIT: usize = 3;\npub static COUNT: i32 = 3;\npub enum Color { Red, Blue }\n",
    "src/again.rs": b"pub use crate::values::LIMIT;\npub use crate::values::*;\n",
}
IMPORTED = {
    "java": ({
        "a/B.java": b"package a;\npublic class B {\n  public static int LIMIT = 1;\n  public enum Color { RED }\n}\n",
        "c/D.java": b"package c;\nimport static a.B.LIMIT;\nimport static a.B.Color.RED;\nclass D{int x=LIMIT+RED; }\n",
    }, "c/D.java", ["B.LIMIT", "B.Color.RED"]),
    "kotlin": ({
        "a/B.kt": b"package a\nobject B { const val LIMIT = 1 }\nval top = 3\nenum class Color { RED }\n",
        "c/D.kt": b"package c\nimport a.B.LIMIT\nimport a.top\nimport a.Color.RED\nfun d() = LIMIT + top + RED\n",
    }, "c/D.kt", ["B.LIMIT", "top", "Color.RED"]),
    "scala": ({
        "a/B.scala": b"package a\nobject B { val limit = 1 }\n",
        "c/D.scala": b"package c\nimport a.B.limit\nobject D { def x = limit }\n",
    }, "c/D.scala", ["B.limit"]),
    "rust": ({
        **RUST,
        "src/lib.rs": b"mod values;\nuse values::{LIMIT, COUNT, Color::Red};\nfn f() { g(LIMIT, COUNT, Red) }\n",
    }, "src/lib.rs", ["LIMIT", "COUNT", "Color.Red"]),
}  # fmt: skip


@pytest.mark.parametrize("language", IMPORTED)
def test_an_imported_value_is_what_is_imported_and_what_is_read(language: str) -> None:
    """Neither its type nor something outside: a rename that left the import behind would break the file."""
    files, path, expected = IMPORTED[language]
    graph = graphs_of(files)[path]
    for role in (Role.IMPORT, Role.REFERENCE):
        sites = [site for site in sites_of(graph, role) if site.status is Status.RESOLVED]
        found = [target.key for site in sites for target in site.targets]
        assert [key for key in found if key in expected] == expected
        assert not {key.rpartition(".")[0] for key in expected} & set(found) - {"", "Color"}


def test_values_of_rust_are_found_by_paths_other_names_and_re_exports() -> None:
    """As functions are; a parameter of the same name hides them."""
    source = (
        b"mod values;\nmod again;\nuse values::LIMIT as MOST;\nuse again::COUNT;\n"
        b"fn f() -> usize { values::LIMIT + crate::again::LIMIT + MOST }\nfn g() -> i32 { COUNT }\n"
        b"fn h(COUNT: i32) -> i32 { COUNT }\nfn i() { let c = values::Color::Blue; }\n"
    )
    graph = graphs_of({**RUST, "src/lib.rs": source})["src/lib.rs"]
    found = [(site.line, target.key) for site in sites_of(graph, Role.REFERENCE) for target in site.targets]
    assert [each for each in found if each[1] not in ("values", "again", "Color")] == [
        (5, "LIMIT"), (5, "LIMIT"), (5, "LIMIT"), (6, "COUNT"), (8, "Color.Blue"),
    ]  # fmt: skip


def test_a_variable_of_another_package_is_read_and_written() -> None:
    """`conf.Server.URL` reads the variable, not its type, and a constant is read whatever its type is."""
    files = {
        "go.mod": b"module x\n",
        "conf/conf.go": b"package conf\ntype Opts struct{ URL int }\nvar Server Opts\nvar Debug int\nconst Most = 3\n",
        "web/web.go": (
            b'package web\nimport "x/conf"\nfunc f() int {\n'
            b"\tuse(conf.Server.URL)\n\tconf.Debug = 2\n\treturn conf.Most\n}\n"
        ),
    }
    graph = graphs_of(files)["web/web.go"]
    found = [(site.line, site.role, target.key) for site in graph.sites for target in site.targets if target.key]
    assert found == [
        (4, Role.REFERENCE, "Server"), (4, Role.REFERENCE, "Opts.URL"), (5, Role.WRITE, "Debug"),
        (6, Role.REFERENCE, "Most"),
    ]  # fmt: skip


def test_a_member_of_what_is_a_librarys_is_not_what_holds_it() -> None:
    """`parts.size` of a list reads `parts`; whatever `size` is, it is not that."""
    source = b"package a\nimport b.LISTS\nclass Box(val parts: List<Int>) {\n  fun n() = parts.size + LISTS.size\n}\n"
    files = {"a/Box.kt": source, "b/V.kt": b"package b\nval LISTS: List<Int> = listOf()\n"}
    graph = graphs_of(files)["a/Box.kt"]
    resolved = [site for site in sites_of(graph, Role.REFERENCE) if site.status is Status.RESOLVED]
    found = [(site.column, target.key) for site in resolved for target in site.targets]
    assert found == [(12, "Box.parts"), (25, "LISTS")]
