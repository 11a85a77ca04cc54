"""What can be seen of a Python function from outside, one way to see it after the other."""

from __future__ import annotations

import pytest

from everdex.graph.python.edits.alike import MAX_EDITED
from everdex.graph.python.resolver import RESOLVER
from everdex.graph.stored.offers import changed_keys, file_offers
from everdex.graph.stored.postings import key64
from fixtures.callgraph.python.harness import MemoryWorld

_AROUND = """\
import other
from typing import cast
class A: pass
class B: pass
table = []
def known(): pass
class C:
    def f(self, x, y=None):
        {body}
"""
_INNER = "def g(): return y"


def _unseen(before: str, after: str) -> list[str]:
    """The keys of functions that changed, of which nobody can tell."""
    return _unseen_in(_AROUND.format(body=before), _AROUND.format(body=after), {"C.f", "C.f.g"})


def _unseen_in(before: str, after: str, edited: set[str]) -> list[str]:
    worlds = [MemoryWorld({"m.py": text.encode()}) for text in (before, after)]
    old, new = (RESOLVER.offers("m.py", world.facts("m.py"), world.source("m.py")) for world in worlds)
    changed = changed_keys(file_offers(old), file_offers(new))
    assert not {f"py:scope:m.py:{key}" for key in edited}.isdisjoint(
        key for key in old.keys() | new.keys() if old.get(key) != new.get(key)
    )
    facts = [world.facts("m.py") for world in worlds]
    return list(RESOLVER.unseen("m.py", *facts, lambda key: changed.get(key64(key), 0)))


def _body(*lines: str) -> str:
    return "\n        ".join(lines)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(_body("return x"), _body("added = 1", "return x"), id="a constant"),
        pytest.param(_body("return x"), _body("x.go(A)", "return x"), id="a call"),
        pytest.param(_body("x.go(A)", "return x"), _body("x.go(A)", "x.go(B)", "return x"), id="one more call"),
        pytest.param(_body("return x"), _body(*["x.go(A)"] * 40, "return x"), id="that it is large"),
        pytest.param(_body("self.a = A()"), _body("self.a = A()", "self.b = B()"), id="another attribute"),
        pytest.param(_body("z = A()", "return z"), _body("w = B()", "z = A()", "return z"), id="another variable"),
        pytest.param(_body("return [1 for a in x]"), _body("z = 1", "return [1 for a in x]"), id="a literal"),
        pytest.param(_body(_INNER, "return g"), _body("added = 1", _INNER, "return g"), id="what nobody inside takes"),
    ],
)
def test_nobody_can_tell(before: str, after: str) -> None:
    """Statements that others do not follow, put in and taken out."""
    assert _unseen(before, after) == _unseen(after, before) == ["py:scope:m.py:C.f"]


def test_a_file_that_was_rewritten_is_not_compared() -> None:
    """Comparing costs a look through the file for each function, so it ends at some number of them."""
    texts = ["".join(f"def f{each}():\n    x = {value}\n" for each in range(MAX_EDITED + 1)) for value in (1, 2)]
    before, after = (MemoryWorld({"m.py": text.encode()}).facts("m.py") for text in texts)
    assert RESOLVER.unseen("m.py", before, after, lambda key: -(not key.endswith("f0"))) != []
    assert RESOLVER.unseen("m.py", before, after, lambda key: -1) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(_body("return A"), _body("return B"), id="what it returns"),
        pytest.param(_body("if x == 'a': return A"), _body("if x == 'b': return A"), id="when it returns"),
        pytest.param(_body("if x: return A"), _body("if not x: return A"), id="that it returns otherwise"),
        pytest.param(
            _body("d = {1: A}", "d[1] = B", "return d[1]"), _body("d = {1: A}", "z = d[1]", "d[1] = B", "return z"),
            id="what it has put there before",
        ),
        pytest.param(
            _body("d = {1: A}", "d[1] = B", "return d[1]"), _body("d = {1: A}", "if y:", "    d[1] = B", "return d[1]"),
            id="what it has always put there",
        ),
        pytest.param(_body("return [A, B][1:]"), _body("return [A, B][:1]"), id="between which places it returns"),
        pytest.param(_body("z = A", "return z"), _body("z = B", "return z"), id="what a variable is that it returns"),
        pytest.param(_body("return x"), _body("if x: x = B", "return x"), id="another binding that reaches it"),
        pytest.param(_body("yield A"), _body("yield B"), id="what it yields"),
        pytest.param(_body("return x"), _body("return x", "yield x"), id="that it yields"),
        pytest.param(_body("return known()"), _body("return known(x)"), id="with what it calls what it returns"),
        pytest.param(_body("known(A)"), _body("known(B)"), id="with what it calls a name"),
        pytest.param(_body("known()", "known(y=A)"), _body("known(y=B)"), id="what a call passes, of fewer"),
        pytest.param(_body("known(cast, A)", "known()"), _body("known(cast, B)"), id="what goes with an import"),
        pytest.param(_body("table[0](A)"), _body("table[0](B)"), id="with what it calls what has no name"),
        pytest.param(_body("(x or y)(known, A)"), _body("(x or y)(known, B)"), id="what it passes with a function"),
        pytest.param(_body("(x or y)(self.f, A)"), _body("(x or y)(self.f, B)"), id="what it passes with a method"),
        pytest.param(_body("(x or y)(A, 1)"), _body("(x or y)(A, 2)"), id="what it passes with a class"),
        pytest.param(_body("(x or y)(cast, A)"), _body("(x or y)(cast, B)"), id="what it passes with an import"),
        pytest.param(_body("(x or y)(known(), A)"), _body("(x or y)(known(), B)"), id="what it passes with a result"),
        pytest.param(_body("x << A"), _body("x << B"), id="what an operator is given"),
        pytest.param(_body("A in x"), _body("B in x"), id="what is looked for"),
        pytest.param(_body("self.a = A"), _body("self.a = B"), id="what it stores"),
        pytest.param(_body("x.a = A"), _body("x.a = B"), id="what it stores elsewhere"),
        pytest.param(_body("table.append(A)"), _body("table.append(B)"), id="what it puts into a container"),
        pytest.param(_body("z = {}", "z['a'] = A", "z"), _body("z = {}", "z['a'] = B", "z"), id="an item"),
        pytest.param(_body("other.t['a'] = A"), _body("other.t['a'] = B", "self.t['a'] = A"), id="elsewhere"),
        pytest.param(_body("global table", "table = A"), _body("global table", "table = B"), id="a name outside"),
        pytest.param(_body("z = []", "return z"), _body("z = w = []", "return z"), id="how else a container is called"),
        pytest.param(_body("return known"), _body("return known", "known = 1"), id="that a name is its own"),
        pytest.param(_body("z: 'A' = x", "return z"), _body("A = B", "z: 'A' = x", "return z"), id="a type in quotes"),
        pytest.param(_body("return cast('A', x)"), _body("A = B", "return cast('A', x)"), id="one that is passed"),
        pytest.param(_body("z = A()", "w = A()", "return z, w"), _body("z = w = A()", "return z, w"), id="two or one"),
        pytest.param(_body("pass"), _body("..."), id="that it is only declared"),
        pytest.param(_body("y = A", _INNER, "return g"), _body("y = B", _INNER, "return g"), id="what g takes"),
        pytest.param(_body(_INNER, "y = A"), _body(_INNER, "y = A", "y = B"), id="how much g may take"),
        pytest.param(_body("y = A", "y = B", _INNER), _body("y = A", _INNER, "y = B"), id="when g takes it"),
        pytest.param(_body("def g(z=A): pass", "g"), _body("def g(z=B): pass", "g"), id="a default inside"),
        pytest.param(_body("return x"), _body("z = lambda: x", "return x"), id="another definition inside"),
        pytest.param(
            _body("def g():", "    nonlocal y", "    y = A", "return y"),
            _body("def g():", "    nonlocal y", "    y = B", "return y"),
            id="what one inside binds here",
        ),
        pytest.param(
            _body("def g():", "    nonlocal y", "    y = A", "return y"),
            _body("def g():", "    nonlocal y", "    y = A", "    y = B", "return y"),
            id="how often",
        ),
        pytest.param(
            _body("if x: z = A()", "return z"), _body("[(z := A()) for w in x]", "return z"), id="in a comprehension"
        ),
        pytest.param(_body("return x"), _body("return x", "x = ("), id="a syntax error"),
    ],
)  # fmt: skip
def test_somebody_could_tell(before: str, after: str) -> None:
    """Each way in which an edit shows outside its function, in both directions."""
    assert _unseen(before, after) == _unseen(after, before) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(_body("x.go(y, A)"), _body("x.go(y, B)", "x.go(1, 1)"), id="what goes with a parameter"),
        pytest.param(_body("x.h = known"), _body("y.h = known", "x.h = 1"), id="on what a function is stored"),
        pytest.param(_body("setattr(x, y, A)"), _body("setattr(x, y, B)", "setattr(x, 'n', 1)"), id="a computed name"),
        pytest.param(_body("table[0] = A"), _body("table[0] = B", "x[0] = 1"), id="what is put into a container"),
        pytest.param(_body("other.t['a'](A)"), _body("other.t['a'](B)", "table[0]()"), id="what is taken from one"),
    ],
)
def test_one_change_does_not_hide_another(before: str, after: str) -> None:
    """Who comes by one way is asked again because of what is new there, and who comes by another must be, too."""
    assert _unseen(before, after) == _unseen(after, before) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("def f(x): return 1", "async def f(x): return 1", id="that it is awaited"),
        pytest.param("def f(): n = 2", "def f():\n    global n\n    n = 2", id="whose a name is"),
        pytest.param(
            "def f(x):\n    def g(a): pass\n    return g", "def f(x):\n    def g(b): pass\n    return g",
            id="a parameter inside",
        ),
        pytest.param(
            "def f(x):\n    n = 1\n    def g(): n = 2\n    return g",
            "def f(x):\n    n = 1\n    def g():\n        nonlocal n\n        n = 2\n    return g",
            id="whose a name inside is",
        ),
        pytest.param(
            "def f(a, *rest): a.go(*rest)", "def f(a, *rest):\n    a.go(*rest)\n    a.went(a, *rest)",
            id="that it passes on what it takes",
        ),
    ],
)  # fmt: skip
def test_a_head_is_seen(before: str, after: str) -> None:
    """Who calls a function goes by what it is, and by whether it only hands on what its parameters take."""
    for one, other in ((before, after), (after, before)):
        assert _unseen_in(f"n = 1\n{one}\n", f"n = 1\n{other}\n", {"f", "f.g"}) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("def f(x, y=None): return y", "def f(x, z=None): return z", id="its name"),
        pytest.param("def f(x, y=None): return y", "def f(x, *, y=None): return y", id="how it is passed"),
        pytest.param("def f(x, y): return y", "def f(x, z, y): return y", id="its place"),
        pytest.param("def f(x, y=1): return y", "def f(x, y=2): return y", id="its default"),
    ],
)
def test_what_a_parameter_is_that_comes_out_again_is_seen_by_who_asks_that(before: str, after: str) -> None:
    """The function is what it was to who only follows it, and another to who asked what is passed for the parameter."""
    for one, other in ((before, after), (after, before)):
        found = _unseen_in(f"{one}\n", f"{other}\n", {"f"})
        assert "py:scope:m.py:f" in found
        assert "py:parameters:m.py:f" not in found


def test_which_function_inside_binds_a_name_is_seen() -> None:
    """The same expression in another function: who followed the name has looked into the one that bound it."""
    binds, declares = ("    nonlocal y", "    y = A"), ("    nonlocal y",)
    before = _body("def g():", *binds, "def h():", *declares, "return y")
    after = _body("def g():", *declares, "def h():", *binds, "return y")
    for unseen, left in ((_unseen(before, after), "g"), (_unseen(after, before), "h")):
        assert not {"py:scope:m.py:C.f", f"py:scope:m.py:C.f.{left}"} & set(unseen)


_METHOD = """\
import other
class C(other.C):
    def before(self): return 1
    {head}
        {body}
    def after(self, x=1): return x
"""
_ALL = ["py:scope:m.py:C.f", "py:parameters:m.py:C.f", "py:scope:m.py:C", "py:member:m.py:C:f"]


def _takes(before: str, after: str, name: str = "f") -> list[str]:
    texts = [_METHOD.format(head=head, body="return self.copy()") for head in (before, after)]
    return _unseen_in(texts[0], texts[1], {f"C.{name}"})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("def f(self):", "def f(self, deep=False):", id="one more"),
        pytest.param("def f(self, x):", "def f(self, x, deep: bool = False, *, far=None):", id="two more, with a type"),
        pytest.param("def f(self, *x):", "def f(self, *x, deep=False):", id="by name alone, behind a star"),
        pytest.param("def f(self, x) -> A:", "def f(self, x, deep: bool = False) -> A:", id="of another type"),
        pytest.param("async def f(self):", "async def f(self, deep=False):", id="of a coroutine"),
        pytest.param("def __init__(self, x):", "def __init__(self, x, deep=False):", id="of a constructor"),
        pytest.param("def f(self, x):", "def f(self, deep=False, x=None):", id="before another"),
        pytest.param("def f(self, x):", "def f(self, x, deep):", id="without a default"),
        pytest.param("def f(self, **x):", "def f(self, *, deep=1, **x):", id="what the rest holds"),
        pytest.param("def f(self, *x):", "def f(self, deep=1, *x):", id="before a star"),
        pytest.param("def f(self, x):", "def f(self, x, *y):", id="a star"),
        pytest.param("def f(self, x):", "def f(self, x, **y):", id="two stars"),
    ],
)
def test_nobody_can_tell_that_something_else_may_be_passed(before: str, after: str) -> None:
    """Parameters of which nothing comes out again are nothing to anybody: neither they, nor the function, nor what its
    class has under its name, nor the class is another."""
    name = "__init__" if "__init__" in before else "f"
    texts = [_METHOD.format(head=head, body="return self.copy()") for head in (before, after)]
    for found in (_unseen_in(*texts, {f"C.{name}"}), _unseen_in(*reversed(texts), {f"C.{name}"})):
        assert found == [each.replace("C.f", f"C.{name}").replace("C:f", f"C:{name}") for each in _ALL]


def test_nobody_can_tell_of_a_function_of_a_module() -> None:
    """The same of functions; and of two of them that stand in one class or module."""
    before, after = "def f(x): return x\ndef g(x): return x\n", "def f(x, y=1): return x\ndef g(x, *, z=2): return x\n"
    keys = {f"py:{kind}:m.py:{name}" for kind in ("scope", "parameters", "name") for name in ("f", "g")}
    assert set(_unseen_in(before, after, {"f", "g"})) == {*keys, "py:scope:m.py:"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("def f(self, x):", "def f(self, x, deep=A()):", id="with something as its default"),
        pytest.param("def f(self, x) -> T:", "def f(self, x, y: T = None) -> T:", id="what tells what it gives"),
        pytest.param("def f(self, x) -> A | T:", "def f(self, x, y: T = None) -> A | T:", id="or may tell it"),
        pytest.param("def f():", "def f(x=1):", id="the first"),
        pytest.param("@g.reg\n    def f(self):", "@g.reg\n    def f(self, x: A):", id="of what is registered"),
        pytest.param("def f(self, x):", "async def f(self, x, y=1):", id="what it is"),
        pytest.param("def f(self, x):", "def f(this, x):", id="what its object is called"),
        pytest.param("def __eq__(self, x):", "def __eq__(self, y):", id="of an operator"),
    ],
)
def test_somebody_can_tell_what_else_may_be_passed(before: str, after: str) -> None:
    """Whatever else changes before the body may be seen by who calls it."""
    name = "__eq__" if "__eq__" in before else "f"
    for first, second in ((before, after), (after, before)):
        found = _takes(first, second, name=name)
        assert f"py:member:m.py:C:{name}" not in found
        assert "py:scope:m.py:C" not in found


def test_somebody_can_tell_what_stands_around_a_head() -> None:
    """A class or statement in which something else has changed, too, is another to who looked at that."""
    before = _METHOD.format(head="def f(self):", body="return 1")
    after = _METHOD.format(head="def f(self, deep=False):", body="return 1")
    own = ["py:scope:m.py:C.f", "py:parameters:m.py:C.f", "py:member:m.py:C:f"]
    assert _unseen_in(before, after.replace("x=1", "x=other"), {"C.f"}) == own
    assert _unseen_in(before, after.replace("    def after", "    n = 1\n    def after"), {"C.f"}) == own
    inside = "if other:\n    def f(x{}): return x\nelse:\n    def f(x{}): return x\n"
    found = _unseen_in(inside.format("", ""), inside.format(", y=1", ", y=other"), {"f", "f~2"})
    assert found == ["py:scope:m.py:f", "py:parameters:m.py:f"]


def test_a_head_that_is_written_over_several_lines_is_the_same() -> None:
    """How a head is wrapped and commented says nothing."""
    before, after = "def f(self, x, y=None):", "def f(\n        self,  # me\n        x,\n        y=None,\n    ):"
    assert _takes(before, after) == _takes(after, before) == _ALL
