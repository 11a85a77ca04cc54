"""Types with very many others above them: work in proportion to their number, and what is too far is never certain."""

from __future__ import annotations

from typing import Final

import pytest

from everdex.graph.model import Role, Status
from everdex.graph.names.index import Reader
from support.names import graphs_of, sites_of, targets_of

EXTENDING: Final = {
    "a.java": ("interface {0} {{ }}\n", "interface A extends {0} {{ }}\n"),
    "a.cc": ("struct {0} {{ }};\n", "struct A : {0} {{ }};\n"),
    "a.cs": ("interface {0} {{ }}\n", "interface A : {0} {{ }}\n"),
    "a.kt": ("interface {0} {{ }}\n", "interface A : {0} {{ }}\n"),
}


@pytest.mark.parametrize("path", EXTENDING)
def test_the_bases_of_a_type_are_not_looked_for_in_each_other(path: str) -> None:
    """Of 1,500 bases each was looked for as a member of all others: two million keys of one file."""
    one, many = EXTENDING[path]

    def looked_at(count: int) -> int:
        names = [f"B{n}" for n in range(count)]
        text = "".join(map(one.format, names)) + many.format(", ".join(names))
        graph = graphs_of({path: text.encode()})[path]
        assert len(targets_of(graph, Role.INHERIT)) == count
        return len(graph.reads)

    assert looked_at(200) < 2.4 * looked_at(100)


def test_a_type_inside_another_extends_what_that_one_inherits() -> None:
    """Only what a type inherits itself is not in scope in its header."""
    text = "class Base { static class Part { } }\nclass Outer extends Base { class Inner extends Part { } }\n"
    graph = graphs_of({"a.java": text.encode()})["a.java"]
    assert ("Part", "Base.Part") in targets_of(graph, Role.INHERIT)


@pytest.mark.parametrize(("count", "status"), [(40, Status.RESOLVED), (200, Status.RESOLVED), (400, Status.AMBIGUOUS)])
def test_a_method_is_found_far_above_and_never_denied(count: int, status: Status) -> None:
    """Twenty-four types up the search ended, and what is there counted as nowhere."""
    chain = "".join(f"class C{n} extends C{n + 1} {{ }}\n" for n in range(count))
    text = f"{chain}class C{count} {{ void far() {{ }} }}\nclass U {{ void run(C0 c) {{ c.far(); }} }}\n"
    (call,) = sites_of(graphs_of({"a.java": text.encode()})["a.java"], Role.CALL)
    assert (call.status, [target.key for target in call.targets]) == (status, [f"C{count}.far"])


def test_what_is_around_overloads_is_looked_up_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for each of them at each call."""
    asked: list[str] = []
    definitions = Reader.definitions

    def counted(reader: Reader, name: str) -> object:
        asked.append(name)
        return definitions(reader, name)

    monkeypatch.setattr(Reader, "definitions", counted)
    overloads = "".join(f"int f(T{n} x) {{ return 1; }}\n" for n in range(200))
    graphs_of({"a.cc": f"{overloads}void run() {{ f(1); }}\n".encode()})
    assert asked.count("") < 10  # they stand in the file itself
