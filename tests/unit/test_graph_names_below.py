"""A call through what only declares a method leads to all that implements it, or to the declaration."""

from __future__ import annotations

import pytest

from everdex.graph.model import Role, Status
from support.names import graphs_of

# path, the interface, what has it, who calls it
_FILES = {
    "java": (
        "a/{}.java", "package a;\ninterface Face {{ void show(); }}\n",
        "package a;\nclass H{} implements Face {{ public void show() {{}} }}\n",
        "package a;\nclass Use {{ void use(Face face) {{ face.show(); }} }}\n",
    ),
    "csharp": (
        "{}.cs", "namespace A;\npublic interface Face {{ void show(); }}\n",
        "namespace A;\nclass H{} : Face {{ public void show() {{}} }}\n",
        "namespace A;\nclass Use {{ void use(Face face) {{ face.show(); }} }}\n",
    ),
    "kotlin": (
        "{}.kt", "package a\ninterface Face {{\n  fun show()\n}}\n",
        "package a\nclass H{} : Face {{\n  override fun show() {{}}\n}}\n",
        "package a\nclass Use {{\n  fun use(face: Face) {{\n    face.show()\n  }}\n}}\n",
    ),
    "php": (
        "{}.php", "<?php\nnamespace A;\ninterface Face {{ function show(); }}\n",
        "<?php\nnamespace A;\nclass H{} implements Face {{ function show() {{}} }}\n",
        "<?php\nnamespace A;\nclass UseIt {{ function use(Face $face) {{ $face->show(); }} }}\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", _FILES)
def test_as_many_implementations_as_are_followed_are_all_there(language: str) -> None:
    """The sixteenth is not cut off for the sake of the declaration."""
    path, face, heir, use = _FILES[language]
    files = {path.format(f"H{at}"): heir.format(at).encode() for at in range(16)}
    files |= {path.format("Face"): face.format().encode(), path.format("Use"): use.format().encode()}
    (site,) = [site for site in graphs_of(files)[path.format("Use")].sites if site.role is Role.CALL]
    assert site.status is Status.RESOLVED
    assert len(site.targets) == 17

def _calls(files: dict[str, str], path: str) -> list[tuple[Status, set[str]]]:
    graph = graphs_of({name: text.encode() for name, text in files.items()})[path]
    return [
        (site.status, {target.key for target in site.targets}) for site in graph.sites if site.role is Role.CALL
    ]


@pytest.mark.parametrize(("count", "status", "targets"), [
    (40, Status.RESOLVED, 41), (41, Status.AMBIGUOUS, 1), (300, Status.AMBIGUOUS, 1),
])  # fmt: skip
@pytest.mark.parametrize("language", _FILES)
def test_more_implementations_than_are_listed_are_not_said_to_be_all(
    language: str, count: int, status: Status, targets: int
) -> None:
    """Each of forty is meant; of more the declaration stands for all, and the call is not resolved."""
    path, face, heir, use = _FILES[language]
    files = {path.format(f"H{at}"): heir.format(at).encode() for at in range(count)}
    files |= {path.format("Face"): face.format().encode(), path.format("Use"): use.format().encode()}
    (site,) = [site for site in graphs_of(files)[path.format("Use")].sites if site.role is Role.CALL]
    assert (site.status, len(site.targets)) == (status, targets)


def test_implementations_in_go_are_all_or_ambiguous() -> None:
    """As many types as are listed have the interface, or one more."""
    for count, status in ((40, Status.RESOLVED), (41, Status.AMBIGUOUS)):
        types = "".join(f"type H{at} struct{{}}\nfunc (h H{at}) Show() {{}}\n" for at in range(count))
        text = f"package a\ntype Face interface {{ Show() }}\n{types}func use(f Face) {{ f.Show() }}\n"
        ((found, _),) = _calls({"go.mod": "module a\n", "a.go": text}, "a.go")
        assert found is status


def test_a_method_that_few_of_many_types_have_is_found_by_its_name() -> None:
    """However many types are below: those that have the method are called, and they are all of them."""
    files = {f"a/H{at}.java": f"package a;\nclass H{at} implements Face {{ }}\n" for at in range(90)}
    files["a/Face.java"] = "package a;\ninterface Face { void show(); }\n"
    files["a/One.java"] = "package a;\nclass One extends H7 { public void show() {} }\n"
    files["a/Other.java"] = "package a;\nclass Other { public void show() {} }\n"
    files["a/Use.java"] = "package a;\nclass Use { void use(Face face) { face.show(); } }\n"
    assert _calls(files, "a/Use.java") == [(Status.RESOLVED, {"Face.show", "One.show"})]


def test_what_a_type_inherits_may_be_what_its_interface_declares() -> None:
    """A class has the method from its base, a struct from what it embeds: the call of the interface runs it."""
    java = {
        "a/Face.java": "package a;\ninterface Face { void show(); }\n",
        "a/Base.java": "package a;\nclass Base { public void show() {} }\n",
        "a/Both.java": "package a;\nclass Both extends Base implements Face { }\n",
        "a/Use.java": "package a;\nclass Use { void use(Face face) { face.show(); } }\n",
    }
    assert _calls(java, "a/Use.java") == [(Status.RESOLVED, {"Face.show", "Base.show"})]
    many = {f"a/H{at}.java": f"package a;\nclass H{at} implements Face {{ }}\n" for at in range(90)}
    assert _calls({**java, **many}, "a/Use.java") == [(Status.RESOLVED, {"Face.show", "Base.show"})]
    text = (
        "package a\ntype Face interface { Run(); Stop() }\ntype A struct{}\nfunc (a *A) Run() {}\n"
        "type T struct { A }\nfunc (t *T) Stop() {}\nfunc use(f Face) { f.Run() }\n"
    )
    assert _calls({"go.mod": "module a\n", "a.go": text}, "a.go") == [(Status.RESOLVED, {"Face.Run", "A.Run"})]


@pytest.mark.parametrize("files", [
    {"a.kt": "package a\nabstract class B {\n  abstract fun step(): Int\n  fun go() = step()\n}\n"
             "class C : B() {\n  override fun step() = 2\n}\n"},
    {"a.cs": "abstract class B {\n  public abstract int step();\n  int go() { return step(); }\n}\n"
             "class C : B {\n  public override int step() { return 2; }\n}\n"},
    {"B.java": "abstract class B { abstract int step(); int go() { return step(); } }\n"
               "class C extends B { int step() { return 2; } }\n"},
    {"a.cpp": "class B {\n  virtual int step() = 0;\n  int go() { return step(); }\n};\n"
              "class C : public B {\n  int step() override { return 2; }\n};\n"},
    {"a.swift": "protocol B {\n  func step() -> Int\n}\nextension B { func go() -> Int { return step() } }\n"
                "class C : B {\n  func step() -> Int { return 2 }\n}\n"},
], ids=lambda files: next(iter(files)))  # fmt: skip
def test_a_bare_call_of_a_method_that_is_only_declared_runs_what_is_below(files: dict[str, str]) -> None:
    """`step()` in an abstract class is what `this.step()` is."""
    (path,) = files
    assert (Status.RESOLVED, {"B.step", "C.step"}) in _calls(files, path)


@pytest.mark.parametrize("files", [
    {"a.php": "<?php\nnamespace A;\ninterface Face { function show(); }\n",
     "b.php": "<?php\nnamespace B;\nuse A\\Face as F;\nclass X implements F { function show() {} }\n",
     "c.php": "<?php\nnamespace C;\nuse A\\Face;\nfunction use_(Face $f) { $f->show(); }\n"},
    {"a.kt": "package a\ninterface Face {\n  fun show()\n}\n",
     "b.kt": "package b\nimport a.Face as F\nclass X : F {\n  override fun show() {}\n}\n",
     "c.kt": "package c\nimport a.Face\nfun use(f: Face) {\n  f.show()\n}\n"},
    {"a.cs": "namespace A;\npublic interface Face { void show(); }\n",
     "b.cs": "using F = A.Face;\nnamespace B;\nclass X : F { public void show() {} }\n",
     "c.cs": "using A;\nnamespace C;\nclass U { void use(Face f) { f.show(); } }\n"},
    {"src/a.rs": "pub trait Face { fn show(&self); }\n",
     "src/b.rs": "use crate::a::Face as F;\nstruct X;\nimpl F for X { fn show(&self) {} }\n",
     "src/c.rs": "use crate::a::Face;\nfn use_(f: &dyn Face) { f.show(); }\n", "src/lib.rs": "mod a; mod b; mod c;"},
    {"a.scala": "package a\ntrait Face {\n  def show(): Unit\n}\n",
     "b.scala": "package b\nimport a.{Face => F}\nclass X extends F {\n  def show(): Unit = {}\n}\n",
     "c.scala": "package c\nimport a.Face\nclass U {\n  def use(f: Face): Unit = f.show()\n}\n"},
], ids=lambda files: next(iter(files)))  # fmt: skip
def test_a_base_may_be_imported_under_another_name(files: dict[str, str]) -> None:
    """Who says `F` and means `Face` is below `Face`."""
    path = next(name for name in files if "c." in name and not name.startswith("src/lib"))
    assert _calls(files, path) == [(Status.RESOLVED, {"Face.show", "X.show"})]


def test_a_type_that_was_asked_for_does_not_decide_where_too_many_are_below() -> None:
    """Behind `instanceof H0` and its `else` the value is still of the interface."""
    files = {f"H{at}.php": f"<?php\nclass H{at} implements Face {{ function show() {{}} }}\n" for at in range(60)}
    files["Face.php"] = "<?php\ninterface Face { function show(); }\n"
    files["use.php"] = (
        "<?php\nfunction use_it(Face $face) {\n"
        "  if ($face instanceof H0) { return 1; } else { return $face->show(); }\n}\n"
    )
    assert _calls(files, "use.php") == [(Status.AMBIGUOUS, {"Face.show"})]


def test_overloads_of_a_visitor_lead_to_what_takes_the_same() -> None:
    """What is meant is decided where it is declared; each type below has one that takes that."""
    kinds = "".join(f"class K{at} {{}}\n" for at in range(20))
    declared = "".join(f"void visit(K{at} node);\n" for at in range(20))
    written = "".join(f"public void visit(K{at} node) {{}}\n" for at in range(20))
    types = "".join(f"class V{at} implements Visitor {{\n{written}}}\n" for at in range(20))
    types += "class Other extends V3 { public void visit(K1 node) {} }\n"
    types += "class Two extends V3 { public void visit(K2 node) {} public void visit(K3 node) {} }\n"
    use = "class Use { void use(Visitor visitor, K7 node) { visitor.visit(node); } }\n"
    ((status, keys),) = _calls({"A.java": f"{kinds}interface Visitor {{\n{declared}}}\n{types}{use}"}, "A.java")
    assert status is Status.RESOLVED
    assert keys == {"Visitor.visit~8", *(f"V{at}.visit~8" for at in range(20))}
