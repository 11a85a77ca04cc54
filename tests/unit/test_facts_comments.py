"""Comments between a receiver and what is called on it, in every language that is resolved by imports and names."""

from __future__ import annotations

import pytest

from everdex.graph.model import Role, Status
from support.names import graphs_of, sites_of, targets_of

CHAINED = {
    "a.go": """package a
type B struct{}
func (b *B) Where(x int) *B { return b }
func (b *B) Or() *B { return b }
func use(b *B) {
	b.
		// why
		Where(1). // because
		/* so */ Or()
}
""",
    "src/lib.rs": """pub struct B;
impl B { pub fn Where(&self, x: i32) -> &B { self }
  pub fn Or(&self) -> &B { self } }
pub fn go(b: &B) {
    b
        // why
        .Where(1) // because
        . /* so */ Or();
}
""",
    "A.java": """class A {
  A Where(int x) { return this; }
  A Or() { return this; }
  static void use(A a) {
    a
      // why
      .Where(1) // because
      . /* so */ Or();
  }
}
""",
    "A.cs": """class A {
  public A Where(int x) { return this; }
  public A Or() { return this; }
  static void Use(A a) {
    a. // why
      Where(1) // because
      . /* so */ Or();
  }
}
""",
    "a.cpp": """struct B { B& Where(int x) { return *this; } B& Or() { return *this; } };
void use(B& b) {
  b. // why
    Where(1) // because
    . /* so */ Or();
}
""",
    "a.rb": """class B
  def Where(x) = self
  def Or = self
end
def use
  b = B.new
  b
    # why
    .Where(1)
  b # because
    .Or()
end
""",
    "a.php": """<?php
class B {
  public function Where($x): B { return $this; }
  public function Or(): B { return $this; }
}
function go() {
  $b = new /* a */ B();
  $b
    // why
    ->Where(1) # because
    -> /* so */ Or();
}
""",
    "a.kt": """class B {
  fun Where(x: Int): B = this
  fun Or(): B = this
}
fun use(b: B) {
  b
    // why
    .Where(1) // because
    ?. /* so */ Or()
}
""",
    "a.swift": """class B {
  func Where(_ x: Int) -> B { return self }
  func Or() -> B { return self }
}
func use(b: B) {
  b
    // why
    .Where(1) // because
    . /* so */ Or()
}
""",
    "a.scala": """class B {
  def Where(x: Int): B = this
  def Or(): B = this
}
object Use {
  def use(b: B): Unit = {
    b
      // why
      .Where(1) // because
      . /* so */ Or()
  }
}
""",
    "a.lua": """local B = {}
function B.Where(x) return B end
function B.Or() return B end
local function use()
  B
    -- why
    .Where(1)
  B. --[[ so ]] Or()
end
""",
}


@pytest.mark.parametrize("path", CHAINED)
def test_a_comment_before_a_name_hides_no_call(path: str) -> None:
    """A chain with remarks between its steps calls what it would call without them."""
    graph = graphs_of({path: CHAINED[path].encode()})[path]
    named = [site for site in sites_of(graph, Role.CALL) if site.text.endswith(("Where", "Or"))]
    found = [(target.key.rpartition(".")[2], site.status) for site in named for target in site.targets]
    assert sorted(found) == [("Or", Status.RESOLVED), ("Where", Status.RESOLVED)]
    assert not [site for site in sites_of(graph, Role.REFERENCE) if site.text.endswith(("Where", "Or"))]


def test_a_class_is_made_behind_a_comment() -> None:
    """`new /* why */ B()` is a call of the constructor, and the remark is none."""
    source = b"<?php\nclass B { public function __construct() {} }\nfunction go() { return new /* why */ B(); }\n"
    graph = graphs_of({"a.php": source})["a.php"]
    assert [(site.text, [target.key for target in site.targets]) for site in sites_of(graph, Role.CALL)] == [
        ("B", ["B.__construct"])
    ]


def test_a_function_in_parentheses_is_called() -> None:
    """`(f)(1)` and `(*f)(1)` of C are calls of `f`."""
    source = b"int f(int x) { return x; }\nint g(void) { return (f)(1) + (*f)(2); }\n"
    graph = graphs_of({"a.c": source})["a.c"]
    assert [(site.line, site.column) for site in sites_of(graph, Role.CALL)] == [(2, 22), (2, 32)]
    assert targets_of(graph, Role.CALL) == {("f", "f")}


def test_what_macros_are_passed_is_called_with_types_and_by_macros() -> None:
    """Inside a macro's tokens `f::<T>(x)`, `x.f::<T>()` and `mine!(x)` are calls."""
    source = b"""macro_rules! mine { ($e:expr) => { $e }; }
pub struct B;
impl B {
    pub fn conv<T>(&self) -> Option<T> { None }
    pub fn make<T>() -> Option<T> { None }
}
pub fn free<T>(x: i32) -> i32 { x }
pub fn user(b: &B) {
    println!("{:?}", b.conv::<Vec<String>>());
    println!("{:?}", B::make::<fn(u8) -> u8>());
    let v = vec![free::<u8>(4), mine!(3), mine![4]];
    assert!(a != b, "{}", v);
}
"""
    graph = graphs_of({"src/lib.rs": source})["src/lib.rs"]
    found = [(site.line, target.key) for site in sites_of(graph, Role.CALL) for target in site.targets]
    found = [each for each in found if not each[1].startswith("std.")]
    assert found == [(9, "B.conv"), (10, "B.make"), (11, "free"), (11, "mine"), (11, "mine")]


def test_what_macros_are_passed_and_patterns_name_is_read() -> None:
    """Constants and variants inside a macro's tokens or a pattern are uses of them; a parameter's name is none."""
    source = b"""pub const LIMIT: i32 = 3;
pub enum Color { Red, Blue }
pub fn user(c: Option<&Color>, limit: i32) {
    assert_eq!(c, Some(&Color::Red));
    println!("{} {}", LIMIT, limit);
    match c { Some(&Color::Blue) => 1, Some(crate::Color::Red) | None => 2 };
}
"""
    graph = graphs_of({"Cargo.toml": b'[package]\nname = "x"\n', "src/lib.rs": source})["src/lib.rs"]
    found = [(site.line, target.key) for site in sites_of(graph, Role.REFERENCE) for target in site.targets]
    assert [each for each in found if each[1] != "Color"] == [
        (4, "Color.Red"), (5, "LIMIT"), (6, "Color.Blue"), (6, "Color.Red"),
    ]  # fmt: skip


def test_a_write_behind_a_long_receiver_is_a_write() -> None:
    """However long the expression is whose member is assigned to."""
    long = ", ".join(f"argument{number}" for number in range(40))
    source = "package a\ntype B struct {\n\tsize int\n}\n"
    source += f"func held(x int) *B {{ return nil }}\nfunc use() {{ held({long}).size = 1 }}\n"
    graph = graphs_of({"a.go": source.encode()})["a.go"]
    assert ("held().size", "B.size") in targets_of(graph, Role.WRITE)
