"""What stands at the head of a definition, or around it, decides what others mean by it: an edit of one word there
resolves again whoever looked."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import pytest

from equivalence.memory import History


class _Case(NamedTuple):
    name: str
    files: dict[str, str]
    path: str
    text: str  # with a place for one of the words
    words: tuple[str, str]


_GO = {
    "go.mod": "module x.org/m\n",
    "b/b.go": "package b\n\ntype T struct{}\n\nfunc (t T) Open() {}\n",
    "c/c.go": 'package c\n\nimport "x.org/m/a"\n\nfunc Run(i a.Opener) { i.Open() }\n',
}
_BELOW = '#include "base.h"\nclass Low : public Base { public: void go() { } };\n'
_RUNS = '#include "base.h"\nvoid run(Base* b) { b->go(); }\n'
_BOX = {"Use.java": "class Use { void run(Box b) { b.value.go(); } }\n", "Item.java": "class Other { void go() {} }\n"}
_STORE = '#include "store.h"\nStore::Store() : best_(1) { }\n'
_TAKES = "class Use { void Run(A a) { Take(a); } void Take(B b) { } void Take(string s) { } }\n"

_VEC = {"use.cpp": '#include "vec.h"\nvoid run(Vec a, Vec b, Other c) { a + b; a + c; auto d = a + b; d + c; }\n'}
_RUST_USE = {"src/lib.rs": "mod v;\nuse v::*;\nfn run(a: V, b: V, n: i32) { let c = a + b; c + n; a == b; a != b; }\n"}
_RUST_V = "pub struct V;\nimpl std::ops::Add for V { type Output = V; fn add(self, o: V) -> V { o } }\n%s"

_CASES = (
    _Case(
        "c++: an operator takes another type", _VEC, "vec.h",
        "struct Other { };\nstruct Vec { Vec operator+(const %s& o) const; };\n", ("Vec", "Other"),
    ),
    _Case(
        "c++: an operator comes and goes", _VEC, "vec.h",
        "struct Other { };\nstruct Vec { Vec operator+(const Vec& o) const; };\n%s",
        ("", "Vec operator+(const Vec& a, const Other& b);\n"),
    ),
    _Case(
        "c++: what an operator gives", _VEC, "vec.h",
        "struct Other { Other operator+(Other o); };\nstruct Vec { %s operator+(const Vec& o) const; };\n",
        ("Vec", "Other"),
    ),
    _Case(
        "rust: another impl of an operator", _RUST_USE, "src/v.rs", _RUST_V,
        ("", "impl std::ops::Add<i32> for V { type Output = V; fn add(self, o: i32) -> V { self } }\n"),
    ),
    _Case(
        "rust: a comparison is written out", _RUST_USE, "src/v.rs", _RUST_V,
        ("", "impl PartialEq for V { fn eq(&self, o: &V) -> bool { true } }\n"),
    ),
    _Case(
        "kotlin: a function becomes an operator",
        {"Use.kt": "fun run(a: V, b: V) { a + b; var c = a; c += b; a == b; a < b; a[0] }\n"},
        "V.kt", "class V {\n  %sfun plus(o: V): V = o\n  fun get(i: Int) = i\n}\n", ("", "operator "),
    ),
    _Case(
        "c#: an operator has another sign",
        {"Use.cs": "class Use { void Run(Money a, Money b) { var c = a + b; c = c - b; } }\n"},
        "Money.cs", "struct Money { public static Money operator %s(Money a, Money b) => a; }\n", ("+", "-"),
    ),
    _Case(
        "ruby: a comparison of its own", {"use.rb": "a = Vec.new\na < a\na != a\n"},
        "vec.rb", "class Vec\n  def <=>(o) = 0\n  def %s(o) = true\nend\n", ("==", "<"),
    ),
    _Case(
        "swift: an operator of a type", {"Use.swift": "func run(a: V, b: V) { a == b; a != b; a + b }\n"},
        "V.swift", "struct V {\n  static func %s (a: V, b: V) -> Bool { true }\n}\n", ("==", "+"),
    ),
    _Case(
        "scala: an operator of a class",
        {"Use.scala": "object Use { def run(a: V, b: V) = { a + b; a -> b; 1 :: a } }\n"},
        "V.scala", "class V {\n  def %s(o: V): V = o\n}\n", ("+", "::"),
    ),
    _Case(
        "go: an interface has one method more", _GO, "a/a.go", "package a\n\ntype Opener interface {\n\tOpen()\n%s}\n",
        ("", "\tExtra()\n"),
    ),
    _Case(
        "c++: a method may be replaced", {"use.cpp": _RUNS, "low.h": _BELOW},
        "base.h", "class Base { public: %svoid go() { } };\n", ("", "virtual "),
    ),
    _Case(
        "java: an overload is private", {"Use.java": "class Use { void run(Base b) { b.go(x()); } }\n"},
        "Base.java", "class Base { %svoid go(String x) { } void go(Integer x) { } }\n", ("", "private "),
    ),
    _Case(
        "c: a variable is only declared",
        {"use.c": '#include "v.h"\nint run(void) { return state; }\n', "impl.c": "int state = 1;\n"},
        "v.h", "%sint state;\n", ("", "extern "),
    ),
    _Case(
        "c: a type is another struct's",
        {"use.c": '#include "v.h"\nint run(node *n) { return n->flags; }\n', "impl.c": "struct node { int flags; };\n"},
        "v.h", "typedef struct %snode node;\n", ("", "_"),
    ),
    _Case(
        "java: a type is a parameter of the class around a field", _BOX, "Box.java",
        "class Box<%s> { Thing value; }\n", ("Thing", "Other"),
    ),
    _Case(
        "scala: a class is implicit", {"Use.scala": "object Use { def run() = { \"x\".shown(1) } }\n"},
        "Ops.scala", "object Ops { %sclass Shown(x: String) { def shown(n: Int) = 1 } }\n", ("", "implicit "),
    ),
    _Case(
        "c#: a conversion is implicit", {"Use.cs": _TAKES, "B.cs": "class B { }\n"},
        "A.cs", "class A { public static %s operator B(A a) { return null; } }\n", ("implicit", "explicit"),
    ),
    _Case(
        "c++: a field is a pointer", {"store.cpp": _STORE, "item.h": "struct Item { Item(int x) { } };\n"},
        "store.h", '#include "item.h"\nclass Store { public: Store(); Item%s best_; };\n', ("", "*"),
    ),
    _Case(
        "kotlin: what is extended is a parameter", {"Use.kt": "fun run(s: String) { s.shown() }\n"},
        "E.kt", "fun <%s> Any1.shown() { }\n", ("Any1", "Other"),
    ),
)  # fmt: skip


@pytest.mark.parametrize("case", _CASES, ids=[case.name for case in _CASES])
def test_a_word_at_a_head_is_seen_by_who_looked_there(tmp_path: Path, case: _Case) -> None:
    """With the word and without it, in either order: what a clean build would make."""
    history = History(tmp_path, random.Random(1))
    for word in (*case.words, *case.words):
        tree = {**case.files, case.path: case.text % word}
        assert history.step({path: text.encode() for path, text in tree.items()}) == []
