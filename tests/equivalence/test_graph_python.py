"""Python edited at random: the graph made edit by edit is the graph made from nothing, byte for byte.

What a resolver forgets to say it read, or leaves out of what a file offers, shows here as a stale edge.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from everdex.graph.resolvers import Resolvers
from fixtures.callgraph.python.harness import MemoryWorld, edges, resolve
from support.graphs import kept, rebuilt, same_bytes
from support.stores import Workspace, synced

_PYTHON = Resolvers(("everdex.graph.python",))
_MODULES = ("base", "store", "view", "tools", "pkg.inner", "pkg")
_NAMES = ("open", "read", "close", "Reader", "Writer", "make")
_CLASSES = ("Reader", "Writer", "Store")
_KEPT = ("kept", "other")
_LIMITS = ("LIMIT", "open")


class _Author:
    """Writes modules that import, inherit from and call each other by few names."""

    def __init__(self, made: Workspace, seed: int) -> None:
        self._made = made
        self._chance = random.Random(seed)

    def _imports(self) -> list[str]:
        pick = self._chance.choice
        forms = (
            lambda: f"import {pick(_MODULES)}",
            lambda: f"from {pick(_MODULES)} import {pick(_NAMES)}",
            lambda: f"from {pick(_MODULES)} import {pick(_NAMES)} as {pick(_NAMES)}",
            lambda: f"from {pick(_MODULES)} import *",
            lambda: "from . import inner",
        )
        return [pick(forms)() for _ in range(self._chance.randint(0, 4))]

    def _body(self, indent: str) -> list[str]:
        pick = self._chance.choice
        forms = (
            lambda: f"{pick(_NAMES)}()",
            lambda: f"x = {pick(_CLASSES)}()",
            lambda: f"x = {pick(_MODULES)}.{pick(_NAMES)}",
            lambda: f"x.{pick(_NAMES)}(1)",
            lambda: f"return {pick(_NAMES)}",
            lambda: f"self.{pick(_NAMES)}()",
            lambda: f"super().{pick(_NAMES)}()",
            lambda: f"x = [{pick(_NAMES)}, {pick(_NAMES)}][0]()",
            lambda: f"self.{pick(_KEPT)} = {pick(_CLASSES)}()",
            lambda: f"self.{pick(_KEPT)}.{pick(_NAMES)}()",
            lambda: f"x.{pick(_KEPT)} = {pick(_NAMES)}",
            lambda: f"{pick(_MODULES)}.table['a'] = {pick(_NAMES)}",
            lambda: f"table['{pick('ab')}'] = {pick(_NAMES)}",
            lambda: f"{pick(_MODULES)}.table['{pick('ab')}']()",
            lambda: f"{pick(_NAMES)}({pick(_NAMES)})",
            lambda: "x()",
            lambda: f"later = {pick(_NAMES)}()",
            lambda: f"self.{pick(_KEPT)} += self.{pick(_KEPT)}",
            lambda: f"del x.{pick(_KEPT)}, {pick(_MODULES)}.{pick(_LIMITS)}",
            lambda: f"{pick(_MODULES)}.{pick(_LIMITS)} = {pick(_LIMITS)}",
            lambda: f"x = {pick(_MODULES)}.{pick(_LIMITS)} + {pick(_CLASSES)}().{pick(_KEPT)}",
        )
        return [indent + pick(forms)() for _ in range(self._chance.randint(1, 3))]

    def _member(self) -> str:
        """A statement of a class, or what decorates the method that follows."""
        pick = self._chance.choice
        forms = (
            lambda: f"{pick(_NAMES)} = {pick(_NAMES)}",
            lambda: f"{pick(_KEPT)} = {pick(_CLASSES)}",
            lambda: f"{pick(_NAMES[:3])} = lambda self: {pick(_NAMES)}()",
            lambda: f"if x: {pick(_NAMES)} = {pick(_NAMES)}",
            lambda: pick(("@property", "@staticmethod", "@classmethod", f"@{pick(_NAMES)}")),
            lambda: f"@{pick(_NAMES[:3])}.setter",
            lambda: f"{pick(_NAMES)}()",
        )
        return pick(forms)()

    def text(self) -> str:
        pick = self._chance.choice
        lines = self._imports()
        loose = (
            lambda: "table = {}",
            lambda: f"table = {{'a': {pick(_NAMES)}}}",
            lambda: f"{pick(_NAMES)} = lambda x: x()",
            lambda: f"{pick(_NAMES)} = {pick(_MODULES)}.{pick(_NAMES)}",
            lambda: f"if x:\n    from {pick(_MODULES)} import {pick(_NAMES)}\nelse:\n    {pick(_NAMES)} = 1",
            lambda: f"__all__ = ['{pick(_NAMES)}', '{pick(_NAMES)}']",
            lambda: f"{pick(_NAMES)}.{pick(_KEPT)} = {pick(_NAMES)}",
            lambda: f"{pick(_LIMITS)} = {pick(_LIMITS)} = 1",
            lambda: f"{pick(_LIMITS)}: int",
            lambda: f"from {pick(_MODULES)} import {pick(_LIMITS)}",
        )
        lines += [pick(loose)() for _ in range(self._chance.randint(0, 3))]
        for _ in range(self._chance.randint(0, 3)):
            if self._chance.random() < 0.5:
                lines += [f"def {pick(_NAMES[:3])}(x: {pick(_CLASSES)} = None):", *self._body("    ")]
            else:
                base = pick(("", f"({pick(_CLASSES)})", "(base.Reader)"))
                lines.append(f"class {pick(_CLASSES)}{base}:")
                if self._chance.random() < 0.4:
                    lines.append(f"    {pick(_KEPT)}{pick(('', ': int'))} = {pick(_NAMES)}")
                for _ in range(self._chance.randint(1, 3)):
                    if self._chance.random() < 0.3:
                        lines.append(f"    {self._member()}")
                    lines += [f"    def {pick(_NAMES[:3])}(self, x=None):", *self._body("        ")]
                    if self._chance.random() < 0.2:
                        lines += [f"        global {pick(_NAMES)}", f"        {pick(_NAMES)} = {pick(_NAMES)}"]
        lines += [line.removeprefix("return ") for line in self._body("")]
        if self._chance.random() < 0.05:
            lines.append("def broken(:")
        return "\n".join(lines) + "\n"

    def step(self) -> str:
        path = self._chance.choice((*(f"{name}.py" for name in _MODULES[:4]), "pkg/__init__.py", "pkg/inner.py"))
        kind = self._chance.choice(
            ("write", "write", "add", "change", "change", "member", "member", "member", "shift", "delete", "rename")
        )
        place = self._made.path / path
        if kind == "write" or not place.is_file():
            place.parent.mkdir(exist_ok=True)
            place.write_text(self.text())
        elif kind == "shift":
            place.write_text("\n# moved\n" + place.read_text())
        elif kind == "add":
            place.write_text(place.read_text() + self.text())
        elif kind == "change":
            lines = place.read_text().splitlines()
            inside = [number for number, line in enumerate(lines) if line.startswith("    ") and ":" not in line]
            for number in inside[:1] and [self._chance.choice(inside)]:
                indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
                lines[number : number + 1] = self._body(indent)
            place.write_text("\n".join(lines) + "\n")
        elif kind == "member":
            lines = place.read_text().splitlines()
            inside = [number for number, line in enumerate(lines) if line.startswith("    def ")]
            for number in inside[:1] and [self._chance.choice(inside)]:
                added = [f"    def {self._chance.choice(_NAMES[:3])}(self, x=None):", *self._body("        ")]
                lines[number:number] = [f"    {self._member()}"] if self._chance.random() < 0.5 else added
            place.write_text("\n".join(lines) + "\n")
        elif kind == "delete":
            place.unlink()
        else:
            place.rename(place.with_name(f"{self._chance.choice(('store', 'view', 'inner', 'other'))}.py"))
        return f"{kind} {path}"


@pytest.mark.parametrize("seed", range(6))
def test_random_python_edits_end_in_what_a_rebuild_would_make(tmp_path: Path, seed: int) -> None:
    """Imports, re-exports, inheritance and flow follow every edit, rename and delete."""
    made = synced(tmp_path / "tree", {"base.py": "class Reader:\n    def open(self):\n        return 1\n"})
    author = _Author(made, seed)
    history = []
    for _ in range(14):
        history += [author.step() for _ in range(author._chance.choice((1, 1, 1, 3)))]
        made.sync()
        found = kept(made, resolvers=_PYTHON)
        assert not [entry for entry in found.graph.files if entry.failed]
        assert same_bytes(found.graph, rebuilt(made, _PYTHON).data), history


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
    made.sync()
    found = kept(made, resolvers=_PYTHON)
    assert same_bytes(found.graph, rebuilt(made, _PYTHON).data)
    return found.resolved


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
    made.sync()
    found = kept(made, resolvers=_PYTHON)
    assert same_bytes(found.graph, rebuilt(made, _PYTHON).data)
    return found.resolved


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
    made.sync()
    found = kept(made, resolvers=_PYTHON)
    assert same_bytes(found.graph, rebuilt(made, _PYTHON).data)
    assert found.resolved == 2


def _making(made: Workspace, files: int) -> int:
    """How many files are resolved when so many make a `Low`."""
    for number in range(16):
        call = "Low" if number < files else "other"
        (made.path / f"make{number}.py").write_text(f"from low import Low, other\n\ndef run(x):\n    {call}(x)\n")
    made.sync()
    found = kept(made, resolvers=_PYTHON)
    assert same_bytes(found.graph, rebuilt(made, _PYTHON).data)
    return found.resolved


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
    assert _making(made, 10) == 3  # and those two that look what `kept` is, and follow them now
    assert _making(made, 9) == 3


def test_among_many_that_make_a_class_below_those_of_the_own_file_are_looked_at(tmp_path: Path) -> None:
    """A call of a name that a file does not define has a key, too; calls of a few other names may share it."""
    made = synced(tmp_path / "tree", {"home.py": f"from low import Low\n{_BASE}", "low.py": _LOW, "reader.py": _READER})
    _making(made, 14)
    for more, files in ((_MAKES.format("A"), 2), (_MAKES.format("A") + _MAKES.format("B"), 2), ("", 2)):
        (made.path / "home.py").write_text(f"from low import Low\n{_BASE}{more}")
        made.sync()
        found = kept(made, resolvers=_PYTHON)
        assert same_bytes(found.graph, rebuilt(made, _PYTHON).data)
        assert found.resolved == files


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
        made.sync()
        found = kept(made, resolvers=_PYTHON)
        assert same_bytes(found.graph, rebuilt(made, _PYTHON).data)
        return found.resolved

    more = reader + "    def flush(self):\n        return 1\n\n" + opening
    assert resolved(more) == 1
    assert resolved(more.replace("return 1\n\n    def open", "self.kept = 1\n\n    def open")) == 2  # and stores
    assert resolved(more.replace("flush", "seek")) == 3  # stores, and misses
    assert resolved(more.replace("open(self)", "open(self, mode=None)")) == 4  # seek is gone, too; finds and inherits
    assert resolved(more.replace("self.kept", "self.other")) == 4  # open is as it was; and stores


def test_a_set_that_is_cut_does_not_depend_on_how_many_digits_numbers_have(tmp_path: Path) -> None:
    """One more function above sixty that a table holds: whoever calls out of the table is not resolved again, and has
    the same targets as if it were."""
    functions = "".join(f"def f{number}():\n    pass\n\n\n" for number in range(120))
    table = f"TABLE = [{', '.join(f'f{number}' for number in range(0, 120, 2))}]\n"
    use = "from many import TABLE\n\n\ndef run():\n    for each in TABLE:\n        each()\n"
    made = synced(tmp_path / "tree", {"many.py": functions + table, "use.py": use})
    kept(made, resolvers=_PYTHON)
    for more in range(1, 9):
        above = "".join(f"def g{number}():\n    pass\n\n\n" for number in range(more))
        made.write({"many.py": above + functions + table})
        made.sync()
        assert same_bytes(kept(made, resolvers=_PYTHON).graph, rebuilt(made, _PYTHON).data)


_LIBRARY = "class Base:\n    def go(self):\n        return self.send()\n\n    def send(self): pass\n"
_CLIENT = "from names import Client\n\nclass Mine(Client):\n    def send(self): pass\n\nMine().go()\n"
_STEPS = (
    "class Machine:\n    def step(method):\n        def inner(self):\n            return method(self)\n"
    "        return inner\n\n"
    "    def go(self): pass\n\n    def done(self): pass\n"
)
_SINGLE = "class Single(type):\n    def __call__(cls, *given):\n        return super().__call__(*given)\n"
_WRAP = "def wrap(function):\n    def inner(*given):\n        return {call}\n    return inner\n"
_HELD = (
    "class Base:\n    def __init__(self, held):\n        self.held = held\n\n"
    "    def run(self):\n        self.held.step()\n"
)
_OTHERS = {
    f"other_{n}.py": "class Other(Exception):\n    def __init__(self):\n        super().__init__()\n" for n in range(11)
}
_HANDED = (
    "from base import Base\n\nclass Machine:\n    def step(self): pass\n\n"
    "class Below(Base):\n    def {0}(self, given):\n        super().__init__({1})\n"
)
_BUILDS = "class Meta(type):\n    def build(cls):\n        cls.setup()\n"
_PUT = "class Plain: pass\n\nclass Maker:\n    kind = Plain\n\n    def make(self):\n        return self.kind()\n"
_FILLS = (
    "from typing import Generic, TypeVar\n\nT = TypeVar('T')\n\n"
    "class Repository(Generic[T]):\n    def get(self) -> T: ...\n"
)
_FILLED = "class User:\n    def greet(self): pass\n\nclass Users(Repository{0}): pass\n\nUsers().get().greet()\n"
_WRAPPED = "from library import wrap\n\n@wrap\ndef run(action):\n    action()\n\ndef hello(): pass\n\nrun(hello)\n"


@pytest.mark.parametrize(
    ("files", "edited", "before", "after", "edge"),
    [
        (
            {"library.py": _LIBRARY, "client.py": _CLIENT},
            "names.py", "from library import Base\n", "from library import Base as Client\n",
            ("library.Base.go", "client.Mine.send"),
        ),
        (
            {}, "machine.py", _STEPS, _STEPS.replace("    def go", "    @step\n    def go"),
            ("machine.Machine.step.inner", "machine.Machine.go"),
        ),
        (
            {"meta.py": _SINGLE}, "client.py", "class Config:\n    def __init__(self): pass\n",
            "from meta import Single\n\nclass Config(metaclass=Single):\n    def __init__(self): pass\n",
            ("meta.Single.__call__", "client.Config.__init__"),
        ),
        (
            {"client.py": _WRAPPED},
            "library.py", _WRAP.format(call="function()"), _WRAP.format(call="function(*given)"),
            ("client.run", "client.hello"),
        ),
        (
            {"base.py": _HELD, **_OTHERS},
            "below.py", _HANDED.format("__init__", "given"), _HANDED.format("__init__", "Machine()"),
            ("base.Base.run", "below.Machine.step"),
        ),
        (
            {"base.py": _HELD, **_OTHERS},
            "below.py", _HANDED.format("again", "Machine()"), _HANDED.format("__init__", "Machine()"),
            ("base.Base.run", "below.Machine.step"),
        ),
        (
            {"meta.py": _BUILDS}, "client.py", "class Model:\n    @classmethod\n    def setup(cls): pass\n",
            "from meta import Meta\n\nclass Model(metaclass=Meta):\n    @classmethod\n    def setup(cls): pass\n",
            ("meta.Meta.build", "client.Model.setup"),
        ),
        (
            {"maker.py": _PUT}, "client.py",
            "from maker import Maker\n\nclass Mine(Maker): pass\n\nclass Made:\n    def __init__(self): pass\n",
            "from maker import Maker\n\nclass Mine(Maker): pass\n\nclass Made:\n    def __init__(self): pass\n\n"
            "Mine.kind = Made\n",
            ("maker.Maker.make", "client.Made.__init__"),
        ),
        (
            {"repository.py": _FILLS},
            "client.py", "from repository import Repository\n\n" + _FILLED.format(""),
            "from repository import Repository\n\n" + _FILLED.format("[User]"),
            ("client", "client.User.greet"),
        ),
    ],
    ids=[
        "a class is given another name", "its class uses a method", "a metaclass is named", "a wrapper passes on",
        "something is handed up", "a constructor hands it up", "a metaclass has a class", "a class is put in below",
        "a variable is filled",
    ],
)  # fmt: skip
def test_what_is_found_through_another_file_is_found_when_that_changes(
    tmp_path: Path, files: dict[str, str], edited: str, before: str, after: str, edge: tuple[str, str]
) -> None:
    """Nothing of it before the edit, the edge after it, and at each step what a rebuild would make."""
    made = synced(tmp_path / "tree", {**files, edited: before})
    for text, is_there in ((before, False), (after, True), (before, False)):
        (made.path / edited).write_text(text)
        made.sync()
        assert same_bytes(kept(made, resolvers=_PYTHON).graph, rebuilt(made, _PYTHON).data)
        sources = {each: (made.path / each).read_bytes() for each in (*files, edited)}
        assert (edge in edges(resolve(MemoryWorld(sources)))) is is_there


def test_what_a_decorator_of_many_files_is_put_on_follows_edits(tmp_path: Path) -> None:
    """A decorator that too many files call is looked for above definitions: one more, one fewer, one in a body."""
    part = "from deco import action\n\n@action\ndef do_{0}(value):\n    return 1\n"
    part += "\ndef call_{0}():\n    return do_{0}(1)\n"
    deco = "def action(wrapped):\n    def wrapper(value):\n        return wrapped(value)\n    return wrapper\n"
    made = synced(tmp_path / "tree", {"deco.py": deco, **{f"part_{n}.py": part.format(n) for n in range(13)}})
    more = part.format(3) + "\n@action\ndef more(value):\n    return value\n"
    nested = "    @action\n    def inner(value):\n        return value\n    return inner(1)"
    inside = part.format(5).replace("    return do_5(1)", nested)
    for path, text, reached in (
        ("part_3.py", more, {"do_3", "more"}),
        ("part_4.py", part.format(4).replace("@action\n", ""), set()),
        ("part_5.py", inside, {"do_5", "call_5.inner"}),
        ("part_6.py", "\n\n" + part.format(6), {"do_6"}),
    ):
        (made.path / path).write_text(text)
        made.sync()
        found = kept(made, resolvers=_PYTHON)
        assert same_bytes(found.graph, rebuilt(made, _PYTHON).data), path
        files = {each.name: each.read_bytes() for each in made.path.glob("*.py")}
        called = {callee for caller, callee in edges(resolve(MemoryWorld(files))) if caller == "deco.action.wrapper"}
        module = path.removesuffix(".py")
        assert {each for each in called if each.startswith(f"{module}.")} == {f"{module}.{name}" for name in reached}
