"""A Python function of many branches is walked, and told of, in proportion to its length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from everdex.facts.python.extraction import extract
from everdex.graph.model import Role
from everdex.parse import trees_of
from fixtures.callgraph.python.harness import resolve, world
from support.work import calls


def _lines(line: str) -> Callable[[int], str]:
    return lambda count: "".join(line.format(n) for n in range(count))


_HEAD: Final = "def f(a, b):\n"
_BODIES: Final[dict[str, Callable[[int], str]]] = {
    "returns": _lines("    if a == {0}:\n        return {0}\n"),
    "refusals": _lines("    if isinstance(a, C{0}):\n        return a.m()\n"),
    "arms": lambda n: "    if a: pass\n" + _lines("    elif a == {0}: x{0} = b\n")(n),
    "arms that rule out": lambda n: "    if a: pass\n" + _lines("    elif not isinstance(a, C{0}): a.m()\n")(n),
    "cases": lambda n: "    match a:\n" + _lines("        case {0}: x{0} = b\n")(n),
    "cases of classes": lambda n: "    match a:\n" + _lines("        case C{0}(): b(a)\n")(n),
    "handlers": lambda n: "    try:\n" + _lines("        x{0} = b\n")(n) + _lines("    except E{0} as e: y = e\n")(n),
    "continues": lambda n: "    while a:\n" + _lines("        x{0} = b\n        if b: continue\n")(n),
    "conjunction": lambda n: f"    if {' and '.join(['a == 1'] * n)}:\n" + _lines("        b(a)\n")(n),
}


def _facts(body: str) -> bytes:
    data = (_HEAD + body).encode()
    (read,) = trees_of("a.py", data)
    return extract("a.py", read, data)


@pytest.mark.parametrize("shape", _BODIES)
def test_twice_as_many_branches_are_twice_the_work(shape: str) -> None:
    """However much holds, is assigned or may be caught at each of them."""
    once, twice = (_BODIES[shape](count) for count in (150, 300))
    assert calls(lambda: _facts(twice)) < 2.4 * calls(lambda: _facts(once))


@pytest.mark.parametrize("shape", _BODIES)
def test_twice_as_many_branches_have_twice_the_facts(shape: str) -> None:
    """What is stored of each place does not grow with what stands before it."""
    once, twice = (_BODIES[shape](count) for count in (200, 400))
    assert len(_facts(twice)) < 2.4 * len(_facts(once))


def test_a_long_loop_still_says_what_its_breaks_leave() -> None:
    """What was assigned before a break is seen after the loop, also of one with too many of them to look at each."""
    many = "".join(f"        x{each} = a\n        if a: break\n" for each in range(500))
    text = f"def g(): ...\ndef h(): ...\ndef f(a):\n    while a:\n{many}"
    text += "        x = g\n        if a: break\n        x = h\n    x()\n"
    sites = resolve(world(main=text))["main.py"].sites
    (call,) = [site for site in sites if site.role is Role.CALL]
    assert {target.key for target in call.targets} == {"g", "h"}
