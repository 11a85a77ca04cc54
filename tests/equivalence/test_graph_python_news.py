"""One more of something in Python: who asks only whether there is any, or of another name, is not asked again."""

from __future__ import annotations

from pathlib import Path

from everdex.graph.python.calls.callers import MAX_DECORATIONS
from everdex.graph.python.file.keys import MAX_BASE_FILES
from everdex.graph.python.file.slots import MAX_CALL_SITES
from everdex.graph.resolvers import Resolvers
from support.graphs import kept, resolved_now
from support.stores import Workspace, synced

_PYTHON = Resolvers(("everdex.graph.python",))


def _written(made: Workspace, files: dict[str, str]) -> int:
    """How many files are resolved when some are written."""
    made.write(files)
    return resolved_now(made, _PYTHON)


def test_one_more_file_of_a_directory_is_no_news_for_who_imports_its_name(tmp_path: Path) -> None:
    """`tests/typing` is no `typing`; of a namespace package it matters that there is one, not what is in it."""
    reader = "import typing\nimport space.first\n\ntyping.cast(int, space.first.go())\n"
    made = synced(tmp_path / "tree", {"reader.py": reader, "space/first.py": "def go(): pass\n"})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"tests/typing/one.py": "x = 1\n"}) == 1
    assert _written(made, {"tests/typing/two.py": "x = 1\n", "space/second.py": "x = 1\n"}) == 2
    assert _written(made, {"typing/three.py": "x = 1\n"}) == 2  # now there is one


def test_a_module_that_is_called_like_a_package_is_no_news(tmp_path: Path) -> None:
    """Whether a directory is a package is asked by its path: `app/tests.py` is not `tests`."""
    files = {"tests/helper.py": "def go(): pass\n", "tests/reader.py": "import helper\n\nhelper.go()\n"}
    made = synced(tmp_path / "tree", files)
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"app/tests.py": "x = 1\n"}) == 1
    assert _written(made, {"app/more/tests/__init__.py": "x = 1\n"}) == 1
    assert _written(made, {"tests/__init__.py": ""}) == 2  # now `helper` is nowhere to be found by itself


def test_one_more_use_of_a_class_is_no_news(tmp_path: Path) -> None:
    """Whether a class can have instances is asked by who finds its methods through it: one use is enough."""
    home = "class Base:\n    def go(self): pass\n\nclass Low(Base):\n    def go(self): pass\n"
    reader = "from home import Base\n\ndef read(base: Base):\n    base.go()\n"
    made = synced(tmp_path / "tree", {"home.py": home, "reader.py": reader, "low.py": "from home import Low\nLow()\n"})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"other.py": "from home import Low\nkinds = [Low]\n"}) == 1
    assert _written(made, {"another.py": "from home import Base\nkinds = [Base]\n"}) == 2  # and reader.py


_TAKING = """
class A:
    def stop(self): pass

class B:
    def stop(self): pass

class Box:
    def __init__(self, first, second=None, *, third=None):
        self.second = second
        self.third = third
"""


def test_one_more_call_is_no_news_for_who_asks_what_it_does_not_pass(tmp_path: Path) -> None:
    """Of the calls of a constructor those are looked at that pass what is asked for."""
    reader = "from home import Box\n\ndef read(box: Box):\n    box.{0}.stop()\n"
    making = "from home import A, B, Box\n\ndef make(x, *xs, **named):\n    {}\n"
    files = {"home.py": _TAKING, "make.py": making.format("Box(x)")}
    readers = {f"{name}.py": reader.format(name) for name in ("second", "third")}
    made = synced(tmp_path / "tree", {**files, **readers})
    kept(made, resolvers=_PYTHON)
    for call, resolved in (
        ("Box(x)\n    Box(1)", 1),
        ("Box(x, A())", 2),
        ("Box(x, third=A())", 3),  # one passes no longer what the other does
        ("Box(x, third=B())", 2),
        ("Box(x)\n    Box(x, third=B())", 1),
        ("Box(*xs)", 3),
        ("Box(**named)", 3),
    ):
        assert _written(made, {"make.py": making.format(call)}) == resolved, call


def test_an_attribute_that_is_assigned_is_no_news_for_who_asks_for_another(tmp_path: Path) -> None:
    """Of the assignments in the files of a class those are looked at that are to the attribute, by their names."""
    home = "class A:\n    def stop(self): pass\n\nclass Box: pass\n\ndef fill(box: Box):\n    {}\n"
    reader = "from home import Box\n\ndef read(box: Box):\n    box.kept.stop()\n"
    made = synced(tmp_path / "tree", {"home.py": home.format("pass"), "reader.py": reader})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"home.py": home.format("box.other = A()")}) == 1
    assert _written(made, {"home.py": home.format("box.kept = A()")}) == 2
    assert _written(made, {"home.py": home.format("setattr(box, str(box), A())")}) == 2  # any, and the one is gone
    assert _written(made, {"home.py": home.format("setattr(box, str(box), Box())")}) == 2


def test_a_name_that_is_exported_is_no_news_for_who_takes_another(tmp_path: Path) -> None:
    """`__all__` is looked at name by name."""
    home = "__all__ = [{}]\n\ndef go(): pass\n\ndef stop(): pass\n"
    files = {"home.py": home.format("'go'"), "hub.py": "from home import *\n", "reader.py": "import hub\n\nhub.go()\n"}
    made = synced(tmp_path / "tree", files)
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"home.py": home.format("'go', 'stop'")}) == 1
    assert _written(made, {"home.py": home.format("'stop'")}) == 2
    assert _written(made, {"home.py": home.format("'stop', 'go'")}) == 2


def test_one_more_class_below_one_that_many_inherit_from_is_no_news(tmp_path: Path) -> None:
    """Who looks for the classes below one does not where they are in too many files: how many more does not matter."""
    home = "class Base:\n    def go(self): pass\n"
    low = "from home import Base\n\nclass Low{0}(Base):\n    def go(self): pass\n"
    files = {f"low{number}.py": low.format(number) for number in range(MAX_BASE_FILES)}
    reader = "from home import Base\n\ndef read(base: Base):\n    base.go()\n"
    made = synced(tmp_path / "tree", {"home.py": home, "reader.py": reader, **files})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"more.py": low.format("More")}) == 2  # one too many, for reader.py
    assert _written(made, {"another.py": low.format("Another")}) == 1
    assert _written(made, {"another.py": "x = 1\n"}) == 1
    assert _written(made, {"more.py": "x = 1\n"}) == 2


def test_a_fixture_of_another_directory_is_no_news(tmp_path: Path) -> None:
    """A test takes a fixture from its own file, or from a conftest.py above it."""
    fixture = "import pytest\n\nclass A:\n    def go(self): pass\n\n@pytest.fixture\ndef app():\n    return A()\n"
    test = "def test_it(app):\n    app.go()\n"
    made = synced(tmp_path / "tree", {"tests/conftest.py": fixture, "tests/one/test_one.py": test})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"tests/two/test_two.py": fixture + test}) == 1
    assert _written(made, {"tests/one/conftest.py": fixture}) == 2


def test_what_a_function_does_is_no_news_where_its_declaration_says_all(tmp_path: Path) -> None:
    """`-> None` and `-> int` leave nothing to be found in a body; any other declaration may."""
    home = "class A:\n    def stop(self): pass\n\ndef go(given) -> {}:\n    {}\n    return given\n"
    reader = "from home import go\n\ndef read():\n    go(1).stop()\n"
    made = synced(tmp_path / "tree", {"home.py": home.format("None", "pass"), "reader.py": reader})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"home.py": home.format("None", "given = A()")}) == 1
    assert _written(made, {"home.py": home.format("int", "given = A()")}) == 2
    assert _written(made, {"home.py": home.format("int", "pass")}) == 1
    assert _written(made, {"home.py": "from numbers import int\n" + home.format("int", "pass")}) == 2  # another one
    assert _written(made, {"home.py": "from numbers import int\n" + home.format("int", "given = A()")}) == 2


def test_a_method_that_is_written_otherwise_is_no_news_for_who_only_finds_it(tmp_path: Path) -> None:
    """Who looks whether a method is there to be overridden looks whether it has a body, not what that does."""
    home = "class Base:\n    def go(self):\n        {}\n\nclass Low(Base):\n    def go(self): return 1\n\nLow()\n"
    reader = "from home import Base\n\ndef read(base: Base):\n    base.go()\n"
    made = synced(tmp_path / "tree", {"home.py": home.format("return 2"), "reader.py": reader})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"home.py": home.format("return self")}) == 1
    assert _written(made, {"home.py": home.format("raise NotImplementedError")}) == 2


def test_a_function_that_passes_on_what_it_is_given_is_no_news_for_who_gives_it_to_another(tmp_path: Path) -> None:
    """Where a callback goes is looked at function by function."""
    home = "def first(each):\n    each()\n\ndef second(each):\n    {}\n"
    reader = "from home import first\n\nclass A:\n    def go(self): pass\n\ndef done(a):\n    a.go()\n\nfirst(done)\n"
    made = synced(tmp_path / "tree", {"home.py": home.format("pass"), "reader.py": reader})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"home.py": home.format("print(each)")}) == 1
    assert _written(made, {"home.py": home.format("print(each)").replace("each()", "print(each(1))")}) == 2


def test_an_attribute_of_another_class_of_the_file_is_no_news(tmp_path: Path) -> None:
    """What a class has under a name is looked at class by class."""
    home = "class A:\n    def stop(self): pass\n\nclass Box:\n    kept = A()\n\nclass Other:\n    {}\n"
    reader = "from home import Box\n\ndef read():\n    Box().kept.stop()\n"
    made = synced(tmp_path / "tree", {"home.py": home.format("pass"), "reader.py": reader})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"home.py": home.format("kept = 1")}) == 1
    assert _written(made, {"home.py": home.format("kept = 1").replace("kept = A()", "kept = Other()")}) == 2


def test_a_field_that_is_passed_on_is_news_for_who_fills_it(tmp_path: Path) -> None:
    """Where a method passes on what a field of its record holds, or what its constructor was given."""
    record = "from dataclasses import dataclass\n\n@dataclass\nclass Job:\n    go: object\n"
    plain = "class Job:\n    def __init__(self, go):\n        self.go = go\n"
    rest = "\n    def start(self):\n        {}\n\nclass A:\n    def stop(self): pass\n\ndef run(f):\n    f(A())\n"
    reader = "from home import Job\n\ndef done(a):\n    a.stop()\n\nJob(done)\n"
    for number, home in enumerate((record + rest, plain + rest)):
        made = synced(tmp_path / str(number), {"home.py": home.format("pass"), "reader.py": reader})
        kept(made, resolvers=_PYTHON)
        _written(made, {"home.py": home.format("run(self.go)")})
        _written(made, {"home.py": home.format("self.go(A())")})


def test_one_more_place_of_a_decorator_is_no_news_where_there_are_too_many(tmp_path: Path) -> None:
    """Of a decorator that stands in more places than are looked through it matters only that they are more."""
    base = "def mark(function):\n    function()\n    return function\n"
    uses = "from base import mark\n\n" + "".join(f"@mark\ndef go{each}(): pass\n\n" for each in range(6))
    files = {f"use{number}.py": uses for number in range(MAX_DECORATIONS // 6 + 1)}
    made = synced(tmp_path / "tree", {"base.py": base, **files})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"more.py": uses}) == 1
    assert _written(made, {"more.py": ""}) == 1
    assert _written(made, {"use1.py": ""}) == 2  # and base.py: now they are looked through
    assert _written(made, {"more.py": uses.replace("go1", "other")}) == 2


def test_one_more_call_is_no_news_where_a_file_has_too_many(tmp_path: Path) -> None:
    """A file that calls a function often is not looked at where all calls are too many; one that seldom does is."""
    base = "def take(given):\n    given.go()\n"
    head = "from base import take\n\nclass {0}:\n    def go(self): pass\n\ndef use():\n"
    often, seldom = (head.format(name) + f"    take({name}())\n" for name in ("Often", "Seldom"))
    more = [f"def more{number}():\n    take(Often())\n" for number in range(MAX_CALL_SITES + 4)]
    files = {"base.py": base, "often.py": often + "".join(more[:-2]), "seldom.py": seldom}
    made = synced(tmp_path / "tree", files)
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"often.py": often + "".join(more[:-1])}) == 1
    assert _written(made, {"often.py": often + "".join(reversed(more))}) == 1
    assert _written(made, {"seldom.py": seldom + "    take(use())\n"}) == 2  # and base.py
    assert _written(made, {"often.py": often + "".join(more[:9])}) == 2  # now they are few enough for all
    assert _written(made, {"often.py": often + "".join(more[:10])}) == 2  # about as many
    assert _written(made, {"often.py": often + "".join(more[:9]) + more[9].replace("Often", "use")}) == 2


def test_what_a_decorator_asks_of_a_function_is_news(tmp_path: Path) -> None:
    """Whether it is a coroutine function or a class is looked at where it is defined."""
    home = (
        "from inspect import isclass, iscoroutinefunction\n\ndef timed(each):\n    def plain(): pass\n"
        "    async def waiting(): pass\n    if isclass(each):\n        return each\n"
        "    return waiting if iscoroutinefunction(each) else plain\n"
    )
    reader = "from home import timed\nfrom work import job\n\ntimed(job)()\n"
    made = synced(tmp_path / "tree", {"home.py": home, "reader.py": reader, "work.py": "def job(): pass\n"})
    kept(made, resolvers=_PYTHON)
    for text in ("async def job(): pass\n", "class job: pass\n", "def job(): yield 1\n"):
        assert _written(made, {"work.py": text}) == 2


def test_what_a_module_is_called_is_news(tmp_path: Path) -> None:
    """A package that comes gives its modules other names, and one more module is one more that a name may mean."""
    loader = (
        "import sys\nfrom importlib import import_module\n\ndef load(name):\n"
        "    import_module(f'{__package__}.part_{name}').go()\n    sys.modules[__name__ + '.' + name].go()\n"
    )
    made = synced(tmp_path / "tree", {"src/ext/load.py": loader, "src/ext/part_one.py": "def go(): pass\n"})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"src/ext/__init__.py": ""}) == 2
    assert _written(made, {"src/ext/part_two.py": "def go(): pass\n"}) == 2
    assert _written(made, {"src/ext/load/__init__.py": "def go(): pass\n"}) == 2
    assert _written(made, {"src/__init__.py": ""}) >= 2


def test_what_another_class_stores_is_news_for_who_asks_a_method_of_that_name(tmp_path: Path) -> None:
    """And so is a method that is prepared with something, and what is assigned to one of a class below."""
    home = "class A:\n    def go(self): pass\n\nclass Book:\n    def check(self, each):\n        each.go()\n"
    rule = "from home import A, Book\n\nclass Rule:\n    def __init__(self, each):\n        {}\n\n"
    rule += "    def go(self):\n        {}\n"
    made = synced(tmp_path / "tree", {"home.py": home, "rule.py": rule.format("pass", "self.check(A())")})
    kept(made, resolvers=_PYTHON)
    _written(made, {"use.py": "from home import A, Book\n\nBook().check(A())\n"})
    _written(made, {"rule.py": rule.format("self.check = each", "self.check(A())")})
    _written(made, {"rule.py": rule.format("self.other = each", "self.check(A())")})
    _written(made, {"home.py": home + "\nfrom functools import partial\n\nclass Low(Book):\n    def make(self):\n"
                    "        return partial(self.check, A())\n"})  # fmt: skip
    _written(made, {"rule.py": "from home import Low, A\n\nLow().up = A()\n"})
    _written(made, {"home.py": home + "\nclass Low(Book):\n    def make(self):\n        return self.up.go()\n"})


def test_what_a_class_holds_is_no_news_for_who_goes_by_its_names(tmp_path: Path) -> None:
    """A computed name may mean each method that fits: it matters which there are, not what other names stand for."""
    home = "class Writer:\n    def write(self, kind):\n        return getattr(self, f'{kind}_text')()\n"
    low = "from home import Writer\n\nclass Low(Writer):\n    table = {}\n\n    def rich_text(self): pass\n"
    made = synced(tmp_path / "tree", {"home.py": home, "low.py": low})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"low.py": low.replace("{}", "{1: 2}")}) == 1
    assert _written(made, {"low.py": low.replace("{}", "{1: 2}").replace("table", "table_text")}) == 2


def test_a_descriptor_that_a_class_comes_to_hold_is_news_for_who_asks_by_any_name(tmp_path: Path) -> None:
    """Under a name that is not known each descriptor may answer: a name that is bound to a call may be one."""
    home = "class Field:\n    def __get__(self, instance, owner): pass\n\nclass Row:\n    size = {}\n    width = {}\n"
    reader = "from home import Row\n\ndef read(row: Row, name):\n    getattr(row, name)\n"
    made = synced(tmp_path / "tree", {"home.py": home.format(1, 1), "reader.py": reader})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"home.py": home.format(1, 2)}) == 1
    assert _written(made, {"home.py": home.format(1, "Field()")}) == 2
    assert _written(made, {"home.py": home.format(2, "Field()")}) == 1


def test_a_name_of_a_module_is_no_news_for_who_follows_a_statement_that_binds_none(tmp_path: Path) -> None:
    """What stands by itself in a module is looked at without all that has a name there."""
    home = "import sys\nfrom reader import show\n\nclass A:\n    def stop(self): pass\n\nlimit = 1\n\nshow(A())\n"
    made = synced(tmp_path / "tree", {"home.py": home, "reader.py": "def show(a):\n    a.stop()\n"})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"home.py": home.replace("limit = 1", "limit = 2\nother = 3")}) == 1
    assert _written(made, {"home.py": home.replace("import sys", "import os")}) == 1
    assert _written(made, {"home.py": home.replace("A())", "limit)")}) == 2
    assert _written(made, {"home.py": f"{home}show(limit)\n"}) == 2


def test_one_more_import_is_no_news_where_something_else_is_bound_beside_it(tmp_path: Path) -> None:
    """Of a statement that imports, tries and catches each name that it imports is by itself."""
    home = "try:\n    import fast\nexcept ImportError as error:\n    raise SystemExit\nelse:\n    from kinds import "
    kinds = "class A:\n    def go(self): pass\n\nclass B:\n    def go(self): pass\n"
    made = synced(
        tmp_path / "tree",
        {"home.py": f"{home}A\n", "kinds.py": kinds, "reader.py": "from home import A\n\nA().go()\n"},
    )
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"home.py": f"{home}A, B\n"}) == 1
    assert _written(made, {"home.py": f"{home}A, B\n".replace("SystemExit", "ValueError")}) == 1
    assert _written(made, {"home.py": f"{home}B as A, B\n"}) == 2


def test_one_more_call_that_passes_nothing_is_no_news_for_who_asks_for_the_first_parameter(tmp_path: Path) -> None:
    """`advance()` says nothing of what `advance(times)` is given; who asks for anything that calls it hears of both."""
    home = "class A:\n    def stop(self): pass\n\nclass Box:\n    def advance(self, times=1):\n        times.stop()\n"
    using = "from home import A, Box\n\ndef use(box: Box):\n    {}\n"
    making = "def make():\n    def made(*given):\n        given[0].stop()\n    return made\n"
    texts = {"home.py": home, "make.py": making, "use.py": using.format("box.advance(A())")}
    made = synced(tmp_path / "tree", {**texts, "other.py": using.format("pass")})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"other.py": using.format("box.advance()")}) == 1
    assert _written(made, {"other.py": using.format("[box.advance(), box.advance()]")}) == 1
    assert _written(made, {"other.py": using.format("box.advance(A())")}) == 2
    assert _written(made, {"other.py": using.format("box.advance(times=A())")}) == 2
    assert _written(made, {"other.py": using.format("box.advance()")}) == 2
    assert _written(made, {"other.py": "from make import make\n\nmake()()\n"}) == 2


def test_what_a_class_holds_is_no_news_for_who_looks_for_what_is_marked(tmp_path: Path) -> None:
    """Going through `dir()` finds what a decorator stands before: it matters where one does, and which."""
    home = "class Box:\n    def run(self):\n        for name in dir(self):\n            getattr(self, name)()\n"
    low = "from home import Box\nfrom marks import mark\n\nclass Low(Box):\n    x = {{}}\n{}    def go(self): pass\n"
    marks = "def mark(f):\n    return f\n"
    made = synced(tmp_path / "tree", {"home.py": home, "low.py": low.format(""), "marks.py": marks})
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"low.py": low.format("").replace("{}", "{1: 2}")}) == 1
    assert _written(made, {"low.py": low.format("    @mark\n")}) == 2
    assert _written(made, {"low.py": low.format("    @mark\n").replace("{}", "{1: 2}")}) == 1
    assert _written(made, {"low.py": low.format("    @mark\n    @mark\n")}) == 2


def test_one_more_call_of_what_an_object_holds_is_news_where_a_file_has_many(tmp_path: Path) -> None:
    """Who follows a function into an object looks at all calls by the attribute's name, however many a file has."""
    base = "class Command:\n    def __init__(self, callback):\n        self.callback = callback\n"
    main = "from base import Command\n\ndef go(given):\n    given.run()\n\ncommand = Command(go)\n"
    head = "from main import command\n\nclass A:\n    def run(self): pass\n\nclass B:\n    def run(self): pass\n\n"
    uses = [f"def use{number}():\n    command.callback({'A' if number else 'B'}())\n\n" for number in range(10)]
    files = {"base.py": base, "main.py": main, "other.py": head + "".join(uses[1:9])}
    made = synced(tmp_path / "tree", files)
    kept(made, resolvers=_PYTHON)
    assert _written(made, {"other.py": head + "".join(uses[:9])}) > 1
