"""JavaScript and TypeScript of many equal names is read and resolved in proportion to its length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from everdex.graph.model import Role, Status
from support import worlds
from support.javascript import MemoryWorld
from support.work import calls, steps


def _lines(line: str, count: int) -> str:
    return "".join(line.format(n) for n in range(count))


def _calls_of(line: str) -> Callable[[int], str]:
    return lambda count: _lines(line, count) + "function run(a) {\n" + "f(1);\n" * count + "}\n"


SHAPES: Final[dict[str, Callable[[int], str]]] = {
    "functions of one name": _calls_of("function f(x) {{}}\n"),
    "overloads": _calls_of("declare function f(x: T{0}): void;\n"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_as_much_is_twice_the_work(shape: str) -> None:
    """Each call of a name that is declared again and again looked at every declaration, several times."""

    def work(count: int) -> int:
        world = MemoryWorld({"a.ts": SHAPES[shape](count).encode()})
        return calls(world.graphs)

    assert work(400) < 2.4 * work(200)


def test_a_class_of_twice_as_many_methods_is_twice_the_work() -> None:
    """Each looked through all before it for signatures of its own."""

    def work(count: int) -> int:
        data = ("class C {\n" + _lines("m{0}() {{}}\n", count) + "}\n").encode()
        return steps(lambda: worlds.facts("a.ts", data), "javascript_definitions.py")

    assert work(200) < 2.4 * work(100)


def test_a_name_with_more_declarations_than_are_looked_at_is_never_certain() -> None:
    """What a call of it means may be any of them; of signatures of one function it is that function."""
    for line, status in (("function f(x) {{}}\n", Status.AMBIGUOUS), ("function f(x: T{0}): void;\n", Status.RESOLVED)):
        text = _lines(line, 1_200) + "function f(x) {}\nf(1);\n"
        sites = MemoryWorld({"a.ts": text.encode()}).graphs()["a.ts"].sites
        (call,) = [site for site in sites if site.role is Role.CALL]
        assert call.status is status


def test_a_call_means_the_signature_that_takes_its_arguments_whoever_asked_before() -> None:
    """What one call means holds for another only with the same arguments."""
    text = (
        "declare function f(x: string): void;\ndeclare function f(x: number): void;\n"
        "declare function f(x: number, y: number): void;\n"
        "f(1);\nf('a');\nf(1, 2);\nf('b');\nf(2);\nf(...a);\n"
    )
    sites = MemoryWorld({"a.ts": text.encode()}).graphs()["a.ts"].sites
    meant = {site.line: [target.key for target in site.targets] for site in sites if site.role is Role.CALL}
    assert [meant[line] for line in range(4, 9)] == [["f~2"], ["f"], ["f~3"], ["f"], ["f~2"]]
    assert len(meant[9]) == 3
