"""Who leaves out a call, a store or a fill of a name has looked at it, too: after an edit it may be what is meant."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from equivalence.memory import History

_KINDS: Final = "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\ndef ask(x): x.go()\n"
_BASE: Final = "class Base:\n    def __init__(self, x):\n        x.go()\n"
_LOW: Final = (
    "from kinds import A\nfrom base import Base\nclass Else:\n    def __init__(self, x): pass\n"
    "class Low(Base, Else):\n    def __init__(self):\n        %s\n"
)
_TAKE: Final = "def take(x, y=None, z=None):\n    y.go()\n"
_TAKES: Final = "from take import take\nfrom kinds import A, B\n"
_TESTS: Final = {f"test_{number}.py": f"{_TAKES}def test_it():\n    take(A(), A())\n" for number in range(12)}
_DECO: Final = "def deco(f):\n    def inner(x):\n        x.go()\n    return inner\n"


class _Case(NamedTuple):
    name: str
    files: dict[str, str]
    path: str
    text: str  # with a place for one of the words
    words: tuple[str, str]


_CASES: Final = (
    _Case(
        "a call by a method's name on another object",
        {"box.py": "class Box:\n    def add(self, x):\n        x.go()\n",
         "use.py": "from box import Box\nfrom kinds import B\nBox().add(B())\nBox().add(B())\n"},
        "other.py",
        "from kinds import A\nclass Other:\n    def add(self, x): pass\n    def run(self, box):\n        %s.add(A())\n",
        ("self", "box"),
    ),
    _Case(
        "the constructor of another base", {"base.py": _BASE}, "low.py", _LOW,
        ("Else.__init__(self, A())", "Base.__init__(self, A())"),
    ),
    _Case(
        "the constructor above", {"base.py": _BASE}, "low.py", _LOW, ("Else.__init__(A())", "super().__init__(A())"),
    ),
    _Case(
        "one more argument where many calls have one", {"take.py": _TAKE}, "use.py",
        f"{_TAKES}def use():\n" + "    take(A(), A())\n" * 8 + "def more():\n    take(A()%s)\n", ("", ", B()"),
    ),
    _Case(
        "one more argument where many tests pass one", {"take.py": _TAKE, **_TESTS}, "use.py",
        f"{_TAKES}def more():\n    take(A()%s)\n", ("", ", B()"),
    ),
    _Case(
        "another argument", {"take.py": _TAKE, **_TESTS}, "use.py", f"{_TAKES}def more():\n    take(A(), %sB())\n",
        ("z=", ""),
    ),
    _Case(
        "a call of what an object holds",
        {"holder.py": "class Holder:\n    def __init__(self, fn):\n        self.fn = fn\n",
         "use.py": "from holder import Holder\ndef show(x):\n    x.go()\ndef start():\n    return Holder(show)\n"},
        "run.py", "from holder import Holder\nfrom kinds import A\ndef fn(x): pass\ndef run(h: Holder):\n    %s(A())\n",
        ("fn", "h.fn"),
    ),
    _Case(
        "a call becomes a decorator",
        {"deco.py": _DECO, "call.py": "from use import shown\nfrom kinds import A\nshown(A())\n"},
        "use.py", "from deco import deco\n%s\ndef shown(x):\n    pass\n", ("deco(3)", "@deco"),
    ),
    _Case(
        "an item is not deleted but put in",
        {"use.py": "from table import TABLE\nfrom kinds import A\ndef use(k):\n    TABLE[k](A())\n"},
        "table.py", "from kinds import ask\nTABLE = {}\ndef fill():\n    %s\n",
        ("del TABLE['a'], ask", "TABLE['a'] = ask"),
    ),
    _Case(
        "an attribute of another module",
        {"use.py": "import mod\nfrom kinds import A\ndef use():\n    mod.x(A())\n"},
        "mod.py", "import mod, kinds\nx = None\ndef set_up():\n    %s.x = kinds.ask\n", ("kinds.mod", "mod"),
    ),
    _Case(
        "another function of the name becomes a method", {}, "mod.py",
        "class K:\n    def go(self): pass\ndef show(self):\n    self.go()\ndef other(self): pass\n"
        "def install(cls=K):\n    %sK.show = show\n",
        ("show = other\n    ", ""),
    ),
    _Case(
        "a type is imported as another",
        {"use.py": "from give import give\ndef use():\n    for each in give():\n        each.go()\n    give().go()\n"},
        "give.py",
        "from typing import %s as Some\nfrom kinds import A\ndef give() -> Some[A]:\n    return unknown()\n",
        ("Optional", "Iterable"),
    ),
    _Case(
        "what gives a class a metaclass is imported as something else",
        {"meta.py": "class Meta(type):\n    def make(cls): pass\n", "use.py": "from mod import K\nK.make()\n"},
        "mod.py",
        "from six import %s as given\nfrom meta import Meta\nclass K(given(Meta, object)): pass\n",
        ("other", "with_metaclass"),
    ),
    _Case(
        "a class has what a builtin type is called", {"use.py": "from mod import K\ndef use():\n    K().f().go()\n"},
        "mod.py",
        "from kinds import A\nclass K:\n    def f(self) -> bool:\n        return unknown()\n    %s\n",
        ("pass", "bool = A"),
    ),
    _Case(
        "what a mark with a name lists",
        {"test_use.py": "from marks import kinds\n@kinds\ndef test_it(x):\n    x.go()\n"},
        "marks.py", "import pytest\nfrom kinds import A, B\nkinds = pytest.mark.parametrize(%s)\n",
        ("'x', [A()]", "'x', [B()]"),
    ),
    _Case(
        "the parameter that a mark with a name is for",
        {"test_use.py": "import marks\n@marks.kinds\ndef test_it(x):\n    x.go()\n"},
        "marks.py", "import pytest\nfrom kinds import A, B\nkinds = pytest.mark.parametrize('%s', [A()])\n", ("y", "x"),
    ),
    _Case(
        "a mark for a class", {}, "test_use.py",
        "import pytest\nfrom kinds import A\nclass TestIt:\n    %s = pytest.mark.parametrize('x', [A()])\n"
        "    def test_it(self, x):\n        x.go()\n", ("mark", "pytestmark"),
    ),
    _Case(
        "a mark for a module", {}, "test_use.py",
        "import pytest\nfrom kinds import A\ndef test_it(x):\n    x.go()\n"
        "%s = pytest.mark.parametrize('x', [A()])\n", ("mark", "pytestmark"),
    ),
)  # fmt: skip


@pytest.mark.parametrize("case", _CASES, ids=[case.name for case in _CASES])
def test_what_was_left_out_is_looked_at_again(tmp_path: Path, case: _Case) -> None:
    """Both ways, what a clean build would make."""
    history = History(tmp_path, random.Random(1))
    for word in (*case.words, *case.words):
        tree = {"kinds.py": _KINDS, **case.files, case.path: case.text % word}
        assert history.step({path: text.encode() for path, text in tree.items()}) == []
