"""Parameters that come, go, are called or stand otherwise: those are asked again who asked what one is, or what takes
what they pass on; who only follows the function is not. The graph is the one made from nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.graph.resolvers import Resolvers
from support.graphs import kept, resolved_now
from support.stores import synced

_PYTHON = Resolvers(("everdex.graph.python",))
_BASE = """\
class Reader:
    def open(self): pass

class Store:
    def make(self, kind, size=1, *, deep=False, **rest):
        print(kind, deep)
        if size or rest:
            print(kind)
        return Reader()

    def given(self, first, second=None):
        return second

    def calls(self, first, done=None):
        done()
        return Reader()

def make(kind, size=1):
    print(kind)
    return Reader()
"""
_FOLLOWS = """\
from base import Store, make

Store().make(1).open()
make(1).open()
"""
_ASKS = """\
from base import Store

class Own:
    def go(self): pass

Store().given(1, Own()).go()
Store().given(1, second=Own()).go()
"""
_PASSES = """\
from base import Store

def finished(): pass

Store().calls(1, done=finished).open()
Store().calls(1, finished).open()
"""
_FILES = {"follows.py": _FOLLOWS, "asks.py": _ASKS, "passes.py": _PASSES}


@pytest.mark.parametrize(
    ("head", "now", "asked"),
    [
        pytest.param("kind, size=1, *, deep", "kind, *, deep", set(), id="taken away"),
        pytest.param("make(self, kind, size", "make(self, sort, size", set(), id="called otherwise"),
        pytest.param("deep=False, **rest", "deep=False, more=None, **rest", set(), id="one before what is left"),
        pytest.param("make(self, kind, size=1", "make(self, kind, must", set(), id="one that has to be passed"),
        pytest.param("size=1, *,", "size=2, *,", set(), id="another default"),
        pytest.param("make(self, kind, size=1,", "make(self, size=1, kind=2,", set(), id="in another order"),
        pytest.param("def make(kind, size=1)", "def make(kind)", set(), id="taken away from a function"),
        pytest.param("self, first, second=None", "self, second=None", {"asks.py"}, id="what is given stands first"),
        pytest.param("first, second=None", "first, *, second=None", {"asks.py"}, id="what is given by name"),
        pytest.param("first, done=None", "first, ended=None", {"passes.py"}, id="what takes it is called otherwise"),
        pytest.param("first, done=None", "first", {"passes.py"}, id="what takes it is taken away"),
        pytest.param("def make(kind, size=1)", "def make()", {"follows.py"}, id="nothing is taken any more"),
    ],
)
def test_who_only_follows_a_function_is_not_asked_for_its_parameters(
    tmp_path: Path, head: str, now: str, asked: set[str]
) -> None:
    made = synced(tmp_path / "tree", {"base.py": _BASE, **_FILES})
    kept(made, resolvers=_PYTHON)
    assert head in _BASE
    text = _BASE.replace(head, now)
    text = text.replace("size or ", "") if "size" not in now.partition(")")[0] else text
    if "sort" in now:
        text = text.replace("print(kind", "print(sort", 2)
    (made.path / "base.py").write_text(text)
    assert resolved_now(made, _PYTHON) == 1 + len(asked)
