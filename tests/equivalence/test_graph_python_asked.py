"""Python edited by hand: only those are asked again who could tell, and the graph is the one made from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everdex.graph.making import crew
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.record import FileRecord, record
from support.graphs import kept, rebuilt, resolved_now, same_bytes
from support.stores import Workspace, synced

_PYTHON = Resolvers(("everdex.graph.python",))
_FOLLOWED = """\
class Reader:
    def open(self): pass

class Writer:
    def open(self): pass

def make(kind):
    made = Reader()
    return made
"""


def _after(made: Workspace, text: str) -> int:
    """How many files an edit of base.py resolves."""
    (made.path / "base.py").write_text(text)
    return resolved_now(made, _PYTHON)


@pytest.mark.parametrize(
    ("more", "files"),
    [
        ("    count = 1\n", 1),
        ("    print(kind)\n", 1),
        ("    for each in kind:\n        kind.open()\n", 1),
        ("    made = Writer()\n", 3),
        ("    return Writer()\n", 3),
        ("    yield kind\n", 3),
        ("    if kind:\n        made = Writer()\n", 3),
    ],
)
def test_a_statement_that_nobody_can_see_asks_nobody_else(tmp_path: Path, more: str, files: int) -> None:
    """A body that others follow: they are asked again when something else can be seen of it."""
    follows = "from base import make\n\nmake(1).open()\n"
    made = synced(tmp_path / "tree", {"base.py": _FOLLOWED, "first.py": follows, "second.py": follows})
    assert kept(made, resolvers=_PYTHON).resolved == 3
    assert _after(made, _FOLLOWED.replace("    return made\n", f"{more}    return made\n")) == files


def test_who_is_asked_again_and_says_the_same_is_not_packed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what it looked at is written anew; one that says something else is packed as before."""
    packed: list[str] = []

    def noting(path: str, *rest: Any) -> FileRecord:
        packed.append(path)
        return record(path, *rest)

    monkeypatch.setattr(crew, "record", noting)
    follows, passes = "from base import make\n\nmake(1).open()\n", "from base import make\n\nmake(2).missing()\n"
    made = synced(tmp_path / "tree", {"base.py": _FOLLOWED, "first.py": follows, "second.py": passes})
    kept(made, resolvers=_PYTHON)
    for returned, expected in (("made or Reader()", ["base.py"]), ("Writer()", ["base.py", "first.py"])):
        made.write({"base.py": _FOLLOWED.replace("return made", f"return {returned}")})
        made.sync()
        packed.clear()
        found = kept(made, resolvers=_PYTHON)
        assert (found.resolved, sorted(packed)) == (3, expected)
        assert same_bytes(found.graph, rebuilt(made, _PYTHON).data)


def test_a_file_of_other_bytes_is_known_by_them_though_it_says_the_same(tmp_path: Path) -> None:
    """A letter of a comment: every definition and site is what and where it was, and the content is another."""
    made = synced(tmp_path / "tree", {"base.py": f"{_FOLLOWED}# a\n"})
    kept(made, resolvers=_PYTHON)
    made.write({"base.py": f"{_FOLLOWED}# b\n"})
    made.sync()
    assert same_bytes(kept(made, resolvers=_PYTHON).graph, rebuilt(made, _PYTHON).data)


_SEVERAL = """\
from typing import overload

def early():
    return make(0)

@overload
def make(kind: int) -> int: ...
def make(kind):
    return Reader()

class Reader:
    def open(self): pass

try:
    import fast
except ImportError:
    fast = None
else:
    fast.open()

def late():
    return Reader()
"""


@pytest.mark.parametrize(
    ("old", "new", "files"),
    [
        ("def late():\n    return Reader()\n", "def late():\n    return early()\n", 1),
        ("def late", "class Other:\n    pass\n\nLIMIT = 1\n\ndef late", 1),
        ("class Reader:\n", "class Reader:\n    size = 1\n", 1),
        ("def early", "def earliest(): pass\n\ndef early", 3),  # it could be one that sees another `make`
        ("fast = None", "fast = late", 2),
        ("(kind: int)", "(kind: str)", 3),
        ("def make(kind):\n    return Reader()\n", "def make(kind):\n    return Reader()\n\nmake = early\n", 3),
        ("fast.open()\n", "fast.open()\n\nmake = late\nfast = early\n", 4),
    ],
)
def test_of_several_bindings_who_looks_sees_no_other_statements(
    tmp_path: Path, old: str, new: str, files: int
) -> None:
    """Overloads, imports that may fail: what else a module has is not what their name means."""
    follows, other = "from base import make\n\nmake(1).open()\n", "from base import fast\n\nfast()\n"
    made = synced(tmp_path / "tree", {"base.py": _SEVERAL, "a.py": follows, "b.py": follows, "c.py": other})
    assert kept(made, resolvers=_PYTHON).resolved == 4
    assert _after(made, _SEVERAL.replace(old, new)) == files


def test_which_of_several_bindings_a_definition_sees_is_seen(tmp_path: Path) -> None:
    """A function that is moved behind another binding calls that one, and its text is what it was."""
    one, two, use = "def go():\n    return 1\n\n", "def go():\n    return run\n\n", "def run():\n    go()\n\n"
    made = synced(tmp_path / "tree", {"base.py": one + use + two, "a.py": "import base\n\nbase.run()()()\n"})
    kept(made, resolvers=_PYTHON)
    for text in (one + two + use, use + one + two, one + use + two, two + use + one, two + one + use):
        _after(made, text)


_IMPORTING = """\
from typing import TYPE_CHECKING
from kinds import Reader, Writer

if TYPE_CHECKING:
    from kinds import Other, More

def make(given: "Other"):
    given.open()
    return Reader()
"""
_KINDS = "".join(f"class {name}:\n    def open(self): pass\n\n" for name in ("Reader", "Writer", "Other", "More"))


@pytest.mark.parametrize(
    ("old", "new", "files"),
    [
        ("Reader, Writer", "More, Reader, Writer", 1),
        ("Reader, Writer", "Reader", 2),
        ("Reader, Writer", "Reader, Other as Writer", 2),
        ("import TYPE_CHECKING", "import TYPE_CHECKING, Any", 1),
        ("Other, More\n", "Other\n    from kinds import More, Writer as W\n", 1),
        ("if TYPE_CHECKING:", "if True:", 1),
        ("Other, More", "More, Reader as Other", 2),
        ("Reader, Writer", "Writer as Reader, Writer", 2),
    ],
)
def test_of_what_a_statement_imports_each_name_is_by_itself(tmp_path: Path, old: str, new: str, files: int) -> None:
    """One more name in a list of imports asks nobody about the others."""
    texts = {"base.py": _IMPORTING, "kinds.py": _KINDS, "a.py": "from base import Reader\n\nReader().open()\n"}
    texts["b.py"] = "from base import Writer\n\nWriter().open()\n"
    texts["c.py"] = "from base import make\n\ndef use(given):\n    make(given)\n    given.open()\n"
    texts["d.py"] = "from base import Other\n\nOther().open()\n"
    made = synced(tmp_path / "tree", texts)
    assert kept(made, resolvers=_PYTHON).resolved == 6
    assert _after(made, _IMPORTING.replace(old, new)) == files


def test_whether_a_name_or_an_attribute_is_passed_on_is_seen(tmp_path: Path) -> None:
    """A local name may be the function of that name, an attribute of something may not."""
    base = """\
class Item:
    def open(self): pass

class Box:
    def size(self, new):
        self.kept = new

    def options(self):
        return Options(size=self.size)

class Options:
    def __init__(self, size): pass

def fill():
    Box().size(Item())
"""
    made = synced(tmp_path / "tree", {"base.py": base, "a.py": "from base import Box\n\nBox().kept.open()\n"})
    kept(made, resolvers=_PYTHON)
    _after(made, base.replace("return Options(size=self.size)", "size = self.size\n        return Options(size=size)"))
    _after(made, base)


def _calling(made: Workspace, files: int) -> int:
    """How many files are resolved when so many call `go`, besides the one that defines it."""
    for number in range(16):
        (made.path / f"call{number}.py").write_text(f"def run(x):\n    x.{'go' if number < files else 'stop'}(x)\n")
    return resolved_now(made, _PYTHON)


def test_that_many_call_a_name_is_all_that_was_seen_of_them(tmp_path: Path) -> None:
    """One more or one less among many asks nobody else; the one after which they are few asks who looked."""
    home = "class A:\n    def stop(self): pass\n\ndef go(x):\n    x.stop()\n\ndef here():\n    go(A())\n"
    made = synced(tmp_path / "tree", {"home.py": home})
    _calling(made, 12)
    assert _calling(made, 13) == 1
    assert _calling(made, 11) == 1
    assert _calling(made, 10) == 1  # home.py calls it, too
    assert _calling(made, 9) == 2  # and home.py, where it is followed
    assert _calling(made, 8) == 2


def test_among_many_that_call_a_name_those_of_its_own_file_are_looked_at(tmp_path: Path) -> None:
    """What the file that defines a function passes it there is followed from elsewhere."""
    home = "class A:\n    def stop(self): pass\n\nclass B:\n    def stop(self): pass\n\n"
    home += "class Box:\n    def go(self, x):\n        self.kept = x\n\ndef here(box: Box):\n    box.go(A())\n\n"
    reader = "from home import Box\n\ndef read():\n    Box().kept.stop()\n"
    made = synced(tmp_path / "tree", {"home.py": home, "reader.py": reader})
    _calling(made, 14)
    (made.path / "home.py").write_text(home + "def other(box: Box):\n    box.go(B())\n")
    assert resolved_now(made, _PYTHON) == 2


def _making(made: Workspace, files: int) -> int:
    """How many files are resolved when so many make a `Low`."""
    for number in range(16):
        call = "Low" if number < files else "other"
        (made.path / f"make{number}.py").write_text(f"from low import Low, other\n\ndef run(x):\n    {call}(x)\n")
    return resolved_now(made, _PYTHON)


_BASE = """
class A:
    def stop(self): pass

class B:
    def stop(self): pass

class Base:
    def __init__(self, x):
        self.kept = x
"""
_LOW = "from home import Base\n\nclass Low(Base): pass\n\ndef other(x): pass\n"
_READER = "from home import Base\n\ndef read(base: Base):\n    base.kept.stop()\n"


def test_that_many_make_a_class_below_is_all_that_was_seen_of_them(tmp_path: Path) -> None:
    """Who looks for what a constructor is given looks for calls of the classes below: of many, in its own file."""
    made = synced(tmp_path / "tree", {"home.py": _BASE, "low.py": _LOW, "reader.py": _READER})
    _making(made, 12)
    assert _making(made, 13) == 1
    assert _making(made, 11) == 1
    assert _making(made, 10) == 2  # and the one that looks what `kept` is, and follows them now
    assert _making(made, 9) == 2


def test_among_many_that_make_a_class_below_those_of_the_own_file_are_looked_at(tmp_path: Path) -> None:
    """A call of a name that a file does not define has a key, too; calls of a few other names may share it."""
    made = synced(tmp_path / "tree", {"home.py": f"from low import Low\n{_BASE}", "low.py": _LOW, "reader.py": _READER})
    _making(made, 14)
    for more, files in ((_MAKES.format("A"), 2), (_MAKES.format("A") + _MAKES.format("B"), 2), ("", 2)):
        (made.path / "home.py").write_text(f"from low import Low\n{_BASE}{more}")
        assert resolved_now(made, _PYTHON) == files


@pytest.mark.parametrize("name", [f"run{number}" for number in range(8)])
def test_who_goes_by_names_of_classes_is_not_asked_for_a_call_written_like_a_functions(
    tmp_path: Path, name: str
) -> None:
    made = synced(tmp_path / "tree", {"home.py": f"from low import Low\n{_BASE}", "low.py": _LOW, "reader.py": _READER})
    _making(made, 14)
    (made.path / "home.py").write_text(f"from low import Low\n{_BASE}\ndef more():\n    {name}()\n")
    made.sync()
    assert kept(made, resolvers=_PYTHON).resolved == 1


_MAKES = "\ndef make_{0}():\n    Low({0}())\n"


def test_where_the_old_facts_are_forgotten_all_that_followed_are_asked(tmp_path: Path) -> None:
    """What is remembered of contents saves work and decides nothing."""
    follows = "from base import make\n\nmake(1).open()\n"
    made = synced(tmp_path / "tree", {"base.py": _FOLLOWED, "first.py": follows})
    assert kept(made, resolvers=_PYTHON).resolved == 2
    for each in made.store.graphs.glob("facts.db*"):
        each.unlink()
    assert _after(made, _FOLLOWED.replace("    return made\n", "    count = 1\n    return made\n")) == 2


def test_who_looked_for_another_name_of_a_class_is_not_resolved_again(tmp_path: Path) -> None:
    """A new method resolves its own file and who missed the name; a changed one, who found it."""
    reader = "class Reader:\n    @property\n    def size(self):\n        return 1\n\n"
    reader += "    @size.setter\n    def size(self, size):\n        self.kept = size\n\n"
    opening = "    def open(self):\n        return self.size\n"
    made = synced(
        tmp_path / "tree",
        {
            "base.py": reader + opening,
            "finds.py": "from base import Reader\n\nReader().open()\nReader().size\n",
            "inherits.py": "from base import Reader\n\nclass Writer(Reader):\n    pass\n\nWriter().open()\n",
            "misses.py": "from base import Reader\n\nReader().seek()\n",
            "stores.py": "from base import Reader\n\nReader().kept.close()\n",
        },
    )
    assert kept(made, resolvers=_PYTHON).resolved == 5

    def resolved(text: str) -> int:
        (made.path / "base.py").write_text(text)
        return resolved_now(made, _PYTHON)

    more = reader + "    def flush(self):\n        return 1\n\n" + opening
    assert resolved(more) == 1
    assert resolved(more.replace("return 1\n\n    def open", "self.kept = 1\n\n    def open")) == 2  # and stores
    assert resolved(more.replace("flush", "seek")) == 3  # stores, and misses
    assert resolved(more.replace("open(self)", "open(self, mode=None)")) == 2  # seek is gone; nobody passes a mode
    assert resolved(more.replace("open(self)", "open(self, mode)")) == 1  # nobody asks what it is
    assert resolved(more.replace("return self.size", "return self")) == 3  # finds and inherits
    assert resolved(more.replace("self.kept", "self.other")) == 2  # stores; nobody asks what open gives


_CHOOSING = """\
def first(): pass

def second(): pass

def make(given=None):
    chosen = None
    if callable(given):
        chosen = given
    if chosen is None:
        return first
    return second

def around(*args, **named):
    pass
    return make(*args, **named)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("callable(given)", "not callable(given)"),
        ("callable(given)", "callable(given) and given()"),
        ("callable(given)", "isinstance(given, str)"),
        ("        chosen = given", "        pass"),
        ("chosen = None\n", "chosen = 1\n"),
        ("    pass\n    return make", "    named['given'] = first\n    return make"),
        ("    pass\n    return make", "    args = (first,)\n    return make"),
        ("given=None", "given=print"),
    ],
)
def test_who_is_called_by_what_is_passed_follows_the_conditions(tmp_path: Path, old: str, new: str) -> None:
    """What a call comes to is decided by names, conditions and stores of its function, which others look at."""
    reader = "from base import around, make\n\ndef go(): pass\n\nmake()()\nmake(go)()\naround()()\naround(go)()\n"
    made = synced(tmp_path / "tree", {"base.py": _CHOOSING, "reader.py": reader})
    kept(made, resolvers=_PYTHON)
    assert old in _CHOOSING
    assert _after(made, _CHOOSING.replace(old, new)) == 2


def test_a_name_that_is_passed_is_looked_at_where_only_its_truth_matters(tmp_path: Path) -> None:
    """Which of its returns a call comes to depends on how often a module binds the name that is passed."""
    base = _CHOOSING + "\nPICKED = first\n{}\ndef use():\n    return make(PICKED)\n"
    files = {"base.py": base.format("PICKED = None\n"), "reader.py": "from base import use\n\nuse()()\n"}
    made = synced(tmp_path / "tree", files)
    kept(made, resolvers=_PYTHON)
    assert _after(made, base.format("")) == 2
    assert _after(made, base.format("PICKED = second\n")) == 2


def test_what_is_passed_by_a_call_that_passed_nothing_is_seen(tmp_path: Path) -> None:
    """Where many files call a function only the calls of its own file are looked at, whatever these pass."""
    base = (
        "class A:\n    def go(self): pass\n\nclass B:\n    def go(self): pass\n\n"
        "def take(given=None):\n    given.go()\n\ndef caller():\n    take({})\n"
    )
    others = {f"other{number}.py": "from base import A, take\n\ntake(A())\ntake()\n" for number in range(12)}
    made = synced(tmp_path / "tree", {"base.py": base.format(""), **others})
    kept(made, resolvers=_PYTHON)
    assert _after(made, base.format("B()")) == 1
    assert _after(made, base.format(" ")) == 1
