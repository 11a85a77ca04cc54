"""Rust's names through what modules use: re-exports behind each other, what is private, impl blocks elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from everdex.graph.model import Role, Status
from support.names import MemoryWorld, graphs_of, sites_of, targets_of

PROTOCOL = {
    "Cargo.toml": b'[workspace]\nmembers = ["protocol", "engine", "command"]\n',
    "protocol/Cargo.toml": b'[package]\nname = "protocol"\n',
    "protocol/src/lib.rs": b"mod errors;\nmod plugin;\npub use errors::*;\npub use plugin::*;\n",
    "protocol/src/errors/mod.rs": b"mod shell;\npub use shell::Failure;\n",
    "protocol/src/errors/shell.rs": b"pub struct Failure;\nimpl Failure {\n  pub fn raise() -> Self { Failure }\n}\n",
    "protocol/src/plugin/mod.rs": b"mod identity;\npub use identity::*;\n",
    "protocol/src/plugin/identity.rs": (
        b"use crate::Failure;\npub struct Name;\nimpl From<Name> for Failure {\n"
        b"  fn from(name: Name) -> Failure { Failure::raise() }\n}\n"
    ),
    "engine/Cargo.toml": b'[package]\nname = "engine"\n',
    "engine/src/lib.rs": b"pub mod prelude;\nmod hidden;\n",
    "engine/src/prelude.rs": b"pub use protocol::{Failure, Name};\n",
    "engine/src/hidden.rs": b"use protocol::Failure;\npub struct Own;\n",
    "command/Cargo.toml": b'[package]\nname = "command"\n',
}


def _calls(source: bytes, files: Mapping[str, bytes] = PROTOCOL) -> list[tuple[str, Status, list[str]]]:
    graph = graphs_of({**files, "command/src/lib.rs": source})["command/src/lib.rs"]
    return [
        (site.text, site.status, [f"{target.path}::{target.key}" for target in site.targets])
        for site in sites_of(graph, Role.CALL)
    ]


RAISED = ("Failure::raise", Status.RESOLVED, ["protocol/src/errors/shell.rs::Failure.raise"])


def test_an_impl_of_what_is_defined_elsewhere_defines_nothing() -> None:
    """`impl From<…> for Failure` in one module makes no second `Failure` for who takes everything from it."""
    assert _calls(b"use protocol::Failure;\nfn go() {\n  Failure::raise();\n}\n") == [RAISED]


def test_names_are_found_behind_any_usual_number_of_re_exports() -> None:
    """A prelude that names what a crate has by `*` from a module that names what another one defines."""
    assert _calls(b"use engine::prelude::*;\nfn go() {\n  Failure::raise();\n}\n") == [RAISED]


def test_tests_see_what_their_module_takes_in_by_a_star() -> None:
    """`use super::*` also brings what the module itself has by a private `use …::*`."""
    source = b"use engine::prelude::*;\nmod tests {\n  use super::*;\n  fn go() {\n    Failure::raise();\n  }\n}\n"
    assert _calls(source) == [RAISED]


def test_what_a_module_uses_for_itself_is_nobody_elses() -> None:
    """A private `use` gives others no name."""
    files = {**PROTOCOL, "engine/src/lib.rs": b"pub mod prelude;\npub mod hidden;\n"}
    source = b"use engine::hidden::*;\nfn go() {\n  Failure::raise();\n}\n"
    assert [status for _, status, _ in _calls(source, files)] != [Status.RESOLVED]


def test_a_module_is_found_where_another_one_publishes_it() -> None:
    """`crate::values` may be a module that the crate has by `pub use data::*`."""
    files = {
        "Cargo.toml": b'[package]\nname = "x"\n',
        "src/lib.rs": b"mod data;\npub use data::*;\nmod work;\n",
        "src/data/mod.rs": b"pub mod values;\n",
        "src/data/values.rs": b"pub fn make() {}\npub mod deep {\n  pub fn dig() {}\n}\n",
        "src/work.rs": (
            b"use crate::values::make;\nuse crate::values::deep::*;\nfn go() {\n  make();\n  dig();\n"
            b"  crate::values::make();\n}\n"
        ),
    }
    graph = graphs_of(files)["src/work.rs"]
    assert targets_of(graph, Role.CALL) == {
        ("make", "make"), ("dig", "deep.dig"), ("crate::values::make", "make"),
    }  # fmt: skip
    assert {site.status for site in graph.sites} == {Status.RESOLVED}


def test_modules_that_use_each_other_come_to_an_end() -> None:
    """Stars in a circle give each what the other has, and no more."""
    files = {
        "Cargo.toml": b'[package]\nname = "x"\n',
        "src/lib.rs": b"pub mod a;\npub mod b;\npub use a::*;\npub use b::*;\n",
        "src/a.rs": b"pub use crate::b::*;\npub use crate::*;\npub fn one() {}\n",
        "src/b.rs": b"pub use crate::a::*;\npub fn two() {}\nfn go() {\n  one();\n  three();\n}\n",
        "src/c.rs": b"fn three() {}\n",
    }
    graph = graphs_of(files)["src/b.rs"]
    assert [(site.text, site.status) for site in sites_of(graph, Role.CALL)] == [
        ("one", Status.RESOLVED), ("three", Status.AMBIGUOUS),
    ]  # fmt: skip


def test_impls_of_types_that_a_path_names_lead_to_them() -> None:
    """`impl Extra for ast::Call` and `for ir::Call` in one file: either may be meant, and nothing is outside."""
    files = {
        "Cargo.toml": b'[package]\nname = "x"\n',
        "src/lib.rs": b"pub mod ast;\npub mod ir;\nmod extra;\n",
        "src/ast.rs": b"pub struct Call;\nimpl Call {\n  pub fn walk(&self) {}\n}\n",
        "src/ir.rs": b"pub struct Call;\nimpl Call {\n  pub fn walk(&self) {}\n}\n",
        "src/extra.rs": (
            b"use crate::{ast, ir};\npub trait Extra { fn go(&self); }\n"
            b"impl Extra for ast::Call {\n  fn go(&self) { self.walk(); }\n}\n"
            b"impl Extra for ir::Call {\n  fn go(&self) { self.walk(); }\n}\n"
        ),
    }
    calls = sites_of(graphs_of(files)["src/extra.rs"], Role.CALL)
    for site in calls:
        assert {"src/ast.rs", "src/ir.rs"} >= {target.path for target in site.targets}
        assert site.status in (Status.RESOLVED, Status.AMBIGUOUS)
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("protocol/src/lib.rs", b"mod errors;\nmod plugin;\npub use plugin::*;\n"),
        ("protocol/src/errors/mod.rs", b"mod shell;\nuse shell::Failure;\n"),
        ("protocol/src/plugin/identity.rs", b"pub struct Failure;\n"),
        ("engine/src/prelude.rs", b"pub use protocol::Name as Failure;\n"),
        ("engine/src/prelude.rs", b"pub struct Failure;\nimpl Failure {\n  pub fn raise() {}\n}\n"),
        ("engine/src/prelude/more.rs", b"pub fn failure() {}\n"),
    ],
)
def test_who_finds_something_else_has_looked_at_what_changed(path: str, data: bytes) -> None:
    """Whatever a re-export on the way becomes, a file whose answers differ has read a key that differs."""
    source = (
        b"use engine::prelude::*;\nuse engine::prelude::more;\nfn go() {\n  Failure::raise();\n"
        b"  more::failure();\n}\n"
    )
    files = {**PROTOCOL, "command/src/lib.rs": source}
    before, after = MemoryWorld(files), MemoryWorld({**files, path: data})
    keys = {**before.offers.get(path, {})}.items() ^ {**after.offers.get(path, {})}.items()
    changed = {key for key, _ in keys}
    old, new = before.graphs(), after.graphs()
    for each in old:
        if each != path and old[each].sites != new[each].sites:
            assert old[each].reads & changed, each
    assert old["command/src/lib.rs"].sites != new["command/src/lib.rs"].sites


def test_an_impl_for_a_type_that_is_named_by_its_path_is_of_that_type() -> None:
    """What it has is the type's, `self` there is one, and nothing in it replaces itself."""
    source = (
        b"mod ast { pub struct Error; impl Error { pub fn me(&self) {} } }\n"
        b"pub trait Shown { fn show(&self); }\n"
        b"impl Shown for ast::Error { fn show(&self) { self.me(); } }\n"
        b"impl crate::ast::Error { fn you(&self) { Self::me(self); } }\n"
        b"fn go(e: ast::Error) { e.you(); e.show(); }\n"
    )
    graph = graphs_of({"Cargo.toml": b'[package]\nname = "a"\n', "src/lib.rs": source})["src/lib.rs"]
    calls = [(site.line, site.status, [target.key for target in site.targets]) for site in sites_of(graph, Role.CALL)]
    assert calls == [
        (3, Status.RESOLVED, ["ast.Error.me"]), (4, Status.RESOLVED, ["ast.Error.me"]),
        (5, Status.RESOLVED, ["Error.you"]), (5, Status.RESOLVED, ["Error.show"]),
    ]  # fmt: skip
    replaced = [(site.text, [target.key for target in site.targets]) for site in sites_of(graph, Role.OVERRIDE)]
    assert replaced == [("show", ["Shown.show"])]


@pytest.mark.parametrize(
    ("manifest", "member"),
    [
        ("command/Cargo.toml", b'[dependencies]\nwire = { path = "../protocol", package = "protocol" }\n'),
        ("command/Cargo.toml", b'[target."cfg(unix)".dev-dependencies]\nwire = { package = "protocol" }\n'),
        ("Cargo.toml", b'[workspace.dependencies]\nwire = { path = "protocol", package = "protocol" }\n'),
    ],
)
def test_a_crate_is_found_by_the_name_that_a_manifest_gives_it(manifest: str, member: bytes) -> None:
    """`wire = { package = "protocol" }` of the crate itself, or of the workspace around it."""
    files = {**PROTOCOL, manifest: PROTOCOL[manifest] + member}
    assert _calls(b"use wire::Failure;\nfn go() {\n  Failure::raise();\n}\n", files) == [RAISED]
    assert _calls(b"use wire::Failure;\nfn go() {\n  Failure::raise();\n}\n")[0][1] == Status.EXTERNAL


def test_what_another_crate_calls_a_crate_is_no_name_here() -> None:
    """Each manifest names for its own directory."""
    named = b'[dependencies]\nwire = { path = "../protocol", package = "protocol" }\n'
    files = {**PROTOCOL, "engine/Cargo.toml": PROTOCOL["engine/Cargo.toml"] + named}
    assert _calls(b"use wire::Failure;\nfn go() {\n  Failure::raise();\n}\n", files)[0][1] == Status.EXTERNAL
