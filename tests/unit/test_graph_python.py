"""The Python resolver: nodes and roles, and that answers depend on nothing but the world."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from everdex.facts.python import model as m
from everdex.graph.model import FileGraph, Role, Since, Status, Target
from everdex.graph.python.engine import engine, held
from everdex.graph.python.engine.evaluate import HANDLERS
from everdex.graph.python.file import files as decoded_files
from everdex.graph.python.file.files import Decoded
from everdex.graph.python.resolver import RESOLVER
from fixtures.callgraph.python.harness import Case, MemoryWorld, cases, graph, plain, resolve, world


def sites(found: FileGraph, role: Role) -> list[tuple[str, str, tuple[Target, ...]]]:
    return [(found.nodes[site.source].key, site.text, site.targets) for site in found.sites if site.role is role]


def test_nodes_carry_places_and_signatures() -> None:
    """The file comes first; a definition begins at its decorators and keeps its signature on one line."""
    text = "@d\nclass A(B):\n    def f(self,\n          x: int = 1) -> str:\n        return ''\n\n_x = lambda a: a\n"
    found = graph(text)
    module, a, method, variable, function = found.nodes
    assert (module.key, module.qualified_name, module.kind, module.parent) == ("", "main", "module", -1)
    assert (a.key, a.kind, a.start_line, a.end_line, a.name_line, a.name_column) == ("A", "class", 1, 5, 2, 6)
    assert (method.qualified_name, method.kind, method.parent) == ("main.A.f", "method", 1)
    assert method.signature == "(self, x: int = 1) -> str"
    assert (function.key, function.kind, function.public, a.public) == ("<lambda1>", "lambda", False, True)
    assert (variable.key, variable.kind, variable.public) == ("_x", "variable", False)


def test_a_script_under_another_name_is_no_module() -> None:
    """What no import can name is offered under no module's key, and makes no package of its directory."""
    text = b"#!/usr/bin/env python3\ndef f(): ...\n"
    found = MemoryWorld({"tools/run": text, "tools/run.cgi": text, "tools/run.py": text}).offers
    kinds = ("py:module:", "py:within:")
    modules = {path: {key for key in keys if key.startswith(kinds)} for path, keys in found.items()}
    whole = {"py:module:run", "py:module:tools.run", "py:within:tools"}
    assert modules == {"tools/run": set(), "tools/run.cgi": set(), "tools/run.py": whole}


def test_an_answer_needs_what_it_was_asked_whether_it_can_spend() -> None:
    """Who has less does not get what somebody with more was told: else answers would depend on who asks first."""
    asking = engine.Engine(world(main=""), HANDLERS, Decoded())
    asking.begin("main.py")

    def ask(fuel: int) -> Any:
        return asking.ask(("may it",), fuel, lambda left: asking.can_spend(left, 2), None)

    assert [ask(5), ask(1), ask(2), ask(1)] == [True, False, True, False]


def test_the_interface_hash_is_of_public_signatures() -> None:
    """Bodies and private names do not change it; a public signature does."""
    plain = graph("def f(a): return 1\ndef _g(): pass\n").interface
    assert graph("def _g(x): return 2\n\n\ndef f(a):\n    return 3\n").interface == plain
    assert graph("def f(a, b): return 1\ndef _g(): pass\n").interface != plain


def test_roles_besides_calls() -> None:
    """Imports, bases, overridden methods, decorators and plain references are sites too."""
    found = resolve(
        world(
            main="from lib import Base, deco, f\nimport os\n\n"
            "@deco\nclass A(Base):\n    def go(self): pass\n\nx = [f]\n",
            lib="def deco(c): return c\ndef f(): pass\nclass Base:\n    def go(self): pass\n",
        )
    )["main.py"]
    lib = "lib.py"
    assert sites(found, Role.IMPORT) == [
        ("", "Base", (Target(lib, "Base"),)),
        ("", "deco", (Target(lib, "deco"),)),
        ("", "f", (Target(lib, "f"),)),
        ("", "os", (Target("", "os"),)),
    ]
    assert sites(found, Role.INHERIT) == [("A", "Base", (Target(lib, "Base"),))]
    assert sites(found, Role.OVERRIDE) == [("A.go", "go", (Target(lib, "Base.go"),))]
    assert sites(found, Role.DECORATE) == [("A", "deco", (Target(lib, "deco"),))]
    assert ("", "f", (Target(lib, "f"),)) in sites(found, Role.REFERENCE)
    assert [(each.target, each.line, each.names) for each in found.dependencies] == [
        (Target(lib, ""), 1, ("Base", "deco", "f")),
        (Target("", "os"), 2, ()),
    ]


def test_a_partial_file_says_so_and_keeps_the_rest() -> None:
    """A syntax error taints the file's graph, not its other answers."""
    found = graph("def f(): pass\n\nf()\n\nx = = 3\n")
    assert found.partial
    assert sites(found, Role.CALL) == [("", "f", (Target("main.py", "f"),))]


def test_every_call_has_an_answer() -> None:
    """No call site is dropped: unresolved ones say why and name no target."""
    found = graph("a.b().c[0](*d)(**e)\ng(lambda: h())\n(yield)()\n")
    answers = [site for site in found.sites if site.role is Role.CALL]
    assert len(answers) == 6
    assert all(site.reason and not site.targets for site in answers if site.status is Status.UNRESOLVED)


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_answers_do_not_depend_on_the_order_of_asking(case: Case) -> None:
    """Each file alone, and all of them backwards, give what all of them forwards give."""
    memory = MemoryWorld(case.files)
    forwards = resolve(memory)
    backwards = RESOLVER.open(memory)
    for path in reversed(memory.paths):
        assert plain(backwards.resolve(path)) == plain(forwards[path])
        assert plain(RESOLVER.open(memory).resolve(path)) == plain(forwards[path])


def test_answers_do_not_depend_on_what_is_still_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolution that forgets all the time, of answers and of files, finds what one finds that never does."""
    files = {f"{n}/{path}": data for n, each in enumerate(cases()) for path, data in each.files.items()}
    memory = MemoryWorld(files)
    whole = {path: plain(found) for path, found in resolve(memory).items()}
    monkeypatch.setattr(engine, "_MAX_ANSWERS", 50)
    monkeypatch.setattr(held, "MAX_HELD", 2_000)
    monkeypatch.setattr(decoded_files, "_MAX_HELD", 2_000)
    assert {path: plain(found) for path, found in resolve(memory).items()} == whole


def test_what_is_known_of_a_file_outlives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for one file at a time as many questions are answered as with room for all: however little there is,
    nothing is worked out again and again."""
    count = 12
    files = {
        f"part{each}": f"from part{(each + 1) % count} import step as other\n\n\n"
        f"class Kind{each}:\n    def run(self, given):\n        return other(given, self)\n\n\n"
        f"def step(given, kind):\n    if kind:\n        return given\n"
        f"    return Kind{each}().run(other(given, None))\n\n\n"
        f"step(Kind{each}(), other(Kind{each}, 1)()).run(step)\n"
        for each in range(count)
    }
    memory = world(**files)
    asked: list[int] = []
    evaluated = engine.Engine.evaluated

    def counted(*question: Any, **more: Any) -> Any:
        asked.append(question[3])
        return evaluated(*question, **more)

    monkeypatch.setattr(engine.Engine, "evaluated", counted)
    whole = {path: plain(found) for path, found in resolve(memory).items()}
    first, asked[:] = asked[:], []
    monkeypatch.setattr(held, "MAX_HELD", max(len(memory.facts(path)) for path in memory.paths))
    monkeypatch.setattr(decoded_files, "_MAX_HELD", 0)
    assert {path: plain(found) for path, found in resolve(memory).items()} == whole
    assert asked == first


def test_files_that_were_asked_for_lately_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not all have room, those go first that nobody has asked for since some had to go the last time."""
    memory = world(**{name: f"def {name}(): pass\n" for name in "abcdefg"})
    monkeypatch.setattr(held, "MAX_HELD", 4 * len(memory.facts("a.py")))
    kept = held.Held(memory, Decoded(), {})
    first = {path: kept[path] for path in ("a.py", "b.py", "c.py", "d.py")}
    later = {path: kept[path] for path in ("e.py", "c.py", "f.py", "g.py")}  # a and b go for e, d and e for g
    assert later["c.py"] is first["c.py"]
    assert all(kept[path] is later[path] for path in ("c.py", "f.py", "g.py"))
    assert kept["a.py"] is not first["a.py"]


def test_what_a_property_gives_is_no_attribute_in_a_file_that_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that is remembered longer than the file it is about: its site still leads to the property."""
    memory = world(
        a="class Part:\n    def go(self): ...\nclass Box:\n    @property\n    def size(self): return Part()\n"
        "def take(part): part.go()\ndef make():\n    size = Box().size\n    take(size)\n    return size\n",
        b="from a import make\nmake().go()\n",
        big="def thing():\n" + "".join(f"    x{number} = {number}\n" for number in range(400)) + "    return x1\n",
        c="from big import thing\nthing()\n",
    )
    whole = plain(resolve(memory)["a.py"])
    monkeypatch.setattr(engine, "_MAX_ANSWERS", 0)
    monkeypatch.setattr(held, "MAX_HELD", sum(len(memory.facts(path)) for path in ("a.py", "b.py", "c.py")))
    assert len(memory.facts("big.py")) > held.MAX_HELD
    resolution = RESOLVER.open(memory)
    resolution.resolve("b.py")
    resolution.resolve("c.py")
    monkeypatch.setattr(engine, "_MAX_ANSWERS", 1_000)
    assert plain(resolution.resolve("a.py")) == whole


def test_a_file_is_decoded_once_for_its_offers_and_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is asked for its offers before any is resolved; resolving takes it as it was decoded then."""
    memory = world(**{f"part{number}": f"def f{number}():\n    return f{number}()\n" for number in range(20)})
    decoded: list[bytes] = []
    decode = m.decode

    def counted(data: bytes) -> m.Facts:
        decoded.append(data)
        return decode(data)

    monkeypatch.setattr(m, "decode", counted)
    begun = RESOLVER.begin()
    for path in memory.paths:
        begun.offers(path, memory.facts(path), memory.source(path))
    resolution = begun.open(memory)
    for path in memory.paths:
        resolution.resolve(path)
    assert len(decoded) == len(memory.paths)


def test_files_decoded_for_their_offers_are_let_go_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest known go first; one that changed does not count twice."""
    monkeypatch.setattr(decoded_files, "_MAX_HELD", 280)
    memory = world(a="def f(): pass\n", b="def g(): pass\n", c="def h(): pass\n")
    kept = Decoded()
    facts = {path: memory.facts(path) for path in memory.paths}
    assert 280 / 3 < len(facts["a.py"]) < 280 / 2
    first, second = kept.of("a.py", facts["a.py"]), kept.of("b.py", facts["b.py"])
    assert kept.of("a.py", facts["a.py"]) is first
    assert kept.of("b.py", facts["c.py"]) is not second
    assert kept.of("a.py", facts["a.py"]) is first
    kept.of("c.py", facts["c.py"])
    assert kept.of("a.py", facts["a.py"]) is not first


_DIGESTS = """
import hashlib
from fixtures.callgraph.python.harness import MemoryWorld, cases, parts_of, resolve
digest = hashlib.sha256()
for case in cases():
    for path, found in sorted(resolve(MemoryWorld(case.files)).items()):
        parts = [sorted(looked) for *_, looked in parts_of(found)]
        digest.update(repr((path, found.nodes, found.sites, found.dependencies, parts)).encode())
print(digest.hexdigest())
"""


def _told_by(script: str, *arguments: str) -> set[str]:
    """What processes print that order their sets differently."""
    tests = str(Path(__file__).parents[1])
    return {
        subprocess.run(
            [sys.executable, "-c", script, *arguments],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": tests}, check=True, capture_output=True, text=True,
        ).stdout
        for seed in ("1", "3", "6", "7")
    }  # fmt: skip


def test_answers_do_not_depend_on_how_strings_are_hashed() -> None:
    """Processes that order their sets differently find the same and look at the same."""
    assert len(_told_by(_DIGESTS)) == 1


@pytest.mark.parametrize(
    "asked",
    ["hasattr(one, 'name')", "kind[int]", "map(made, ())", "later()", "[one].sort(key=getter)", "each(one)"],
)
def test_several_sites_at_one_place_stand_in_one_order(asked: str) -> None:
    """Where each of several values runs something of its own, the order of those sites is not that of a set."""
    script = (
        "import sys; from fixtures.callgraph.python.harness import MemoryWorld, resolve\n"
        "print([site.targets for site in resolve(MemoryWorld({'m.py': sys.argv[1].encode()}))['m.py'].sites])\n"
    )
    text = "from functools import partial\nfrom operator import attrgetter, methodcaller\nfrom os import n\n"
    for name in "ABCDE":
        text += f"class {name}:\n    @property\n    def name(self): return 1\n    def run(self): pass\n"
        text += "    def __class_getitem__(cls, key): pass\n    def __str__(self): return ''\n"
        text += f"    def __len__(self): return 1\ndef make{name}(item): return {name}()\n"
    text += "one = (A(), B(), C(), D(), E())[n]\nkind = (A, B, C, D, E)[n]\nmade = (makeA, makeB, makeC, makeD)[n]\n"
    text += "later = (partial(makeA, 1), partial(makeB, 1), partial(makeC, 1))[n]\neach = (str, len, bool)[n]\n"
    text += "getter = (attrgetter('name'), methodcaller('run'), partial(makeA))[n]\n"
    assert len(_told_by(script, f"{text}{asked}\n")) == 1


def test_a_resolver_that_stays_keeps_what_it_knows_while_nothing_is_made() -> None:
    """Whoever finds a graph that was made before has not begun another world: the next edit goes on from the last."""
    read: list[str] = []

    class Counting(MemoryWorld):
        def facts(self, path: str) -> bytes:
            read.append(path)
            return super().facts(path)

    staying = RESOLVER.begin()
    files = {"base.py": b"class A:\n    def go(self): pass\n", "app.py": b"from base import A\n\nA().go()\n"}
    staying.open(Counting(files), Since("", "first", frozenset(), frozenset())).resolve("app.py")
    staying.rest()
    staying.rest()
    read.clear()
    edited = files | {"app.py": b"from base import A\n\nA().go()\nA()\n"}
    since = Since("first", "second", frozenset(("app.py",)), frozenset())
    staying.open(Counting(edited), since).resolve("app.py")
    assert read == ["app.py"]
