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
            lambda: f"self.{pick(_KEPT)}(self)",
            lambda: f"x = type('M', ({pick(_CLASSES)},), {{'{pick(_NAMES)}': {pick(_NAMES)}}})(x)",
            lambda: f"for each in ({pick(_NAMES)}, {pick(_NAMES)}): x = each(x)",
            lambda: f"x = ([{pick(_NAMES)}] + [{pick(_NAMES)}])[1]",
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

_CLOCK = "def now(): pass\n\ndef tick():\n    now()\n"
_BUS = (
    "class Event:\n    def name(self): pass\n\n"
    "class Bus:\n    def __init__(self):\n        self.handlers = []\n\n"
    "    def add(self, handler):\n        self.handlers.append(handler)\n\n"
    "    def send(self):\n        for handler in self.handlers:\n            handler(Event())\n"
)
_GREET = "def greet(event):\n    event.name()\n"
_SHOWS = "class App:\n    def show(self):\n        self.store.find()\n"
_STORE = "from app import App\n\nclass Store:\n    def find(self): pass\n\ndef prepare(app: App):\n    {0}\n"
_ADDS = (
    "class Field:\n    def clean(self): pass\n\n"
    "class Meta(type):\n    def {0}(cls, name, bases, namespace):\n        {1}\n"
)
_MODEL = "from meta import Meta\n\nclass Model(metaclass=Meta): pass\n\nModel.field.clean()\n"
_CALLED = (
    "class Request:\n    def header(self): pass\n\n"
    "class App:\n    def __call__(self, request):\n        request.header()\n"
)
_CALLS = (
    "from app import App, Request\n\nclass Client:\n    def __init__(self, app):\n        self.app = app\n\n"
    "    def get(self):\n        self.app({0})\n\napp = App()\nClient(app).get()\n"
)
_ACTION = "class Action:\n    def describe(self): pass\n\n    def perform(self):\n        self.describe()\n"
_BELOW = (
    "from base import Action\n\nclass Copy(Action):\n    def describe(self): pass\n\n"
    "    def perform(self):\n        {0}.perform()\n\nclass Plain(Action): pass\n\n"
    "Copy().perform()\nPlain().perform()\n"
)
_GOES_THROUGH = (
    "def logged(function):\n    def inner(*given): pass\n    return inner\n\n"
    "def watched(cls):\n    for name, value in vars(cls).items():\n        {0}\n    return cls\n"
)
_WATCHED = "from watch import watched\n\n@watched\nclass Job:\n    def run(self): pass\n\nJob().run()\n"
_MAKES = "class Meta(type):\n    def __init__(cls, *given): pass\n\nclass Root: pass\n\nBase = {0}\n"


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
        (
            {"clock.py": _CLOCK}, "patch.py", "import clock\n\ndef frozen(): pass\n",
            "import clock\n\ndef frozen(): pass\n\nclock.now = frozen\n", ("clock.tick", "patch.frozen"),
        ),
        (
            {"bus.py": _BUS, "handlers.py": _GREET},
            "client.py", "from bus import Bus\nfrom handlers import greet\n\nprint(greet)\n",
            "from bus import Bus\nfrom handlers import greet\n\nBus().add(greet)\n",
            ("handlers.greet", "bus.Event.name"),
        ),
        (
            {"app.py": _SHOWS}, "store.py", _STORE.format("app.other = Store()"), _STORE.format("app.store = Store()"),
            ("app.App.show", "store.Store.find"),
        ),
        (
            {"model.py": _MODEL}, "meta.py", _ADDS.format("make", "namespace['field'] = Field()"),
            _ADDS.format("__new__", "namespace['field'] = Field()"), ("model", "meta.Field.clean"),
        ),
        (
            {"app.py": _CALLED}, "client.py", _CALLS.format("1"), _CALLS.format("Request()"),
            ("app.App.__call__", "app.Request.header"),
        ),
        (
            {"base.py": _ACTION}, "below.py", _BELOW.format("self.inner"), _BELOW.format("super()"),
            ("base.Action.perform", "below.Copy.describe"),
        ),
        (
            {"job.py": _WATCHED}, "watch.py", _GOES_THROUGH.format("print(name)"),
            _GOES_THROUGH.format("setattr(cls, name, logged(value))"),
            ("job", "watch.logged.inner"),
        ),
        (
            {"job.py": _WATCHED}, "watch.py", _GOES_THROUGH.format("setattr(cls, name, str(value))"),
            _GOES_THROUGH.format("setattr(cls, name, logged(value))"),
            ("job", "watch.logged.inner"),
        ),
        (
            {"low.py": "from base import Base\n\nclass Low(Base): pass\n"}, "base.py", _MAKES.format("Root"),
            _MAKES.format("Meta('Base', (Root,), {})"), ("low", "base.Meta.__init__"),
        ),
    ],
    ids=[
        "a class is given another name", "its class uses a method", "a metaclass is named", "a wrapper passes on",
        "something is handed up", "a constructor hands it up", "a metaclass has a class", "a class is put in below",
        "a variable is filled", "a function is replaced", "a function is passed on", "an attribute is assigned",
        "a metaclass adds something", "an object is called", "an override calls what it overrides",
        "methods are replaced", "methods are replaced otherwise", "a metaclass is called",
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
