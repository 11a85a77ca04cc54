"""An empty or short list of callers as a user meets it: what could be missing is said below it."""

from __future__ import annotations

from pathlib import Path

from support.commands import answer_of, everdex
from support.trees import tree


def test_no_callers_of_an_overridden_method_is_never_said_alone(tmp_path: Path) -> None:
    """Calls that lead to an override may be made through the base: an empty list says how many there are."""
    text = (
        "class Base:\n    def open(self): raise NotImplementedError\n\n\n"
        "class Real(Base):\n    def open(self): return 1\n\n\n"
        "class More(Real):\n    def open(self): return 2\n\n\n"
        "Real().open()\nMore().open()\n"
    )
    project = tree(tmp_path / "project", {"a.py": text}, git=True)
    done = everdex("callers", "Base.open", cwd=project)
    assert (done.code, done.lines) == (1, [])
    assert "2 calls of methods that override it may be made through it" in done.err
    assert answer_of("callers", "Real.open", project)["could_add"]["overriding"] == 1
    assert answer_of("callers", "More.open", project)["could_add"]["overriding"] == 0


def test_no_callers_of_an_overriding_method_is_never_said_alone(tmp_path: Path) -> None:
    """A call on a base's or an interface's type may reach any method that replaces it: Java by words, Go by shape."""
    java = (
        "class Base {\n  void open() {}\n}\nclass Real extends Base {\n  void open() {}\n}\n"
        "class Use {\n  void go(Base base) { base.open(); }\n}\n"
    )
    types = "".join(f"type T{number} struct{{ Common }}\n\nfunc (t *T{number}) Dump() {{}}\n\n" for number in range(50))
    go = (
        "package dump\n\ntype Node interface {\n\tDump()\n\tKind() int\n}\n\ntype Common struct{}\n\n"
        "func (c *Common) Kind() int { return 1 }\n\n" + types + "func Go(n Node) { n.Dump() }\n"
    )
    files = {"Base.java": java, "dump.go": go, "go.mod": "module example.com/dump\n"}
    project = tree(tmp_path / "project", files, git=True)
    done = everdex("callers", "Real.open", cwd=project)
    assert (done.code, done.lines) == (1, [])
    assert "1 call of what it overrides or inherits may reach it" in done.err
    assert answer_of("callers", "T7.Dump", project, code=1)["could_add"]["overridden"] == 1
    assert answer_of("callers", "Base.open", project)["could_add"]["overridden"] == 0


def test_too_many_overrides_to_list_are_no_reason_to_say_nobody(tmp_path: Path) -> None:
    """With fifty methods in place of one, a call of the one says of each that it may reach it, in TypeScript among its
    candidates; so does `cls()` of the classes below. What is certainly another, `super()` and a class by its name, is
    not counted."""
    python = "class Base:\n    def open(self): pass\n    @classmethod\n    def make(cls): return cls()\n\n" + "".join(
        f"class S{number}(Base):\n    def __init__(self): pass\n    def open(self): super().open()\n\n"
        for number in range(50)
    )
    script = "export class Root { open() {} }\n" + "".join(
        f"export class T{number} extends Root {{ open() {{ super.open(); }} }}\n" for number in range(50)
    )
    files = {
        "a.py": python + "def run(base: Base): base.open()\n\nBase()\n",
        "b.ts": script + "export function run(root: Root) { root.open(); }\n",
    }
    project = tree(tmp_path / "project", files, git=True)
    for name in ("S7.open", "S7.__init__"):
        done = everdex("callers", name, cwd=project)
        assert (done.code, done.lines) == (1, [])
        assert "1 call of what it overrides or inherits may reach it" in done.err
    assert answer_of("callers", "Base.open", project)["could_add"]["overridden"] == 0
    assert answer_of("callers", "T7.open", project)["counts"]["ambiguous"] == 1


def test_a_base_with_a_common_name_is_no_reason_to_say_nobody(tmp_path: Path) -> None:
    """Where too many files inherit from something called so, in Python nobody looks for the classes below: calls of the
    base's method may reach the one in its place all the same."""
    files = {
        "a.py": "class Base:\n    def open(self): pass\n\n\ndef run(base: Base): base.open()\n",
        "real.py": "from a import Base\n\n\nclass Real(Base):\n    def open(self): pass\n",
        "a.ts": "export class Root { open() {} }\nexport function run(root: Root) { root.open(); }\n",
        "real.ts": "import { Root } from './a';\nexport class Live extends Root { open() {} }\n",
        **{f"more/m{number}.py": "import lib\n\n\nclass Other(lib.Base): pass\n" for number in range(26)},
        **{
            f"more/m{number}.ts": "import { Root } from 'lib';\nexport class Other extends Root {}\n"
            for number in range(42)
        },
    }
    project = tree(tmp_path / "project", files, git=True)
    assert answer_of("callers", "Real.open", project, code=1)["could_add"]["overridden"] == 1
    assert answer_of("callers", "Live.open", project)["counts"]["resolved"] == 1


def test_a_call_that_is_known_in_part_may_mean_another_of_the_name(tmp_path: Path) -> None:
    """Where one thing that is called is known and another is not, the others of its name are told; None is nothing."""
    text = (
        "class Known:\n    def send(self): pass\n\n\nclass Other:\n    def send(self): pass\n\n\n"
        "def run(name, given):\n    target = Known() if name else given.target\n    target.send()\n\n\n"
        "def plain(name):\n    target = None\n    if name:\n        target = Known()\n    target.send()\n"
    )
    project = tree(tmp_path / "project", {"a.py": text}, git=True)
    done = everdex("callers", "Other.send", cwd=project)
    assert (done.code, done.lines) == (1, [])
    assert "could add to it, by name: 1 ambiguous" in done.err
    known = answer_of("callers", "Known.send", project)
    assert (known["counts"]["resolved"], known["could_add"]["ambiguous"]) == (2, 0)


def test_of_more_callers_than_are_asked_the_others_are_not_forgotten(tmp_path: Path) -> None:
    """What a function of a common name is given is looked for in its own file; that there is more is said."""
    files = {
        "a.py": "class Known:\n    def send(self): pass\n\n\ndef run(given):\n    given.send()\n\n\nrun(Known())\n",
        "b.py": "from a import run\n\n\nclass Other:\n    def send(self): pass\n\n\n" + "run(Other())\n" * 30,
    }
    project = tree(tmp_path / "project", files, git=True)
    done = everdex("callers", "Other.send", cwd=project)
    assert (done.code, done.lines) == (1, [])
    assert "could add to it, by name: 1 ambiguous" in done.err
    assert answer_of("callers", "Known.send", project)["could_add"]["ambiguous"] == 0


def test_what_a_decorator_of_the_root_is_given_may_be_called_by_it(tmp_path: Path) -> None:
    """A registry's decorator hands the function on: that nobody calls it by its name is not all that is said."""
    text = (
        "HANDLERS = []\n\n\ndef handler(function):\n    HANDLERS.append(function)\n    return function\n\n\n"
        "@handler\ndef on_start(): pass\n\n\ndef alone(): pass\n"
    )
    project = tree(tmp_path / "project", {"a.py": text}, git=True)
    done = everdex("callers", "on_start", cwd=project)
    assert (done.code, done.lines) == (1, [])
    assert "named without being called in 1 place" in done.err
    assert answer_of("callers", "alone", project, code=1)["could_add"]["named"] == 0
