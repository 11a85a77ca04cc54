"""The Python resolver: nodes, roles, what it reads, and that answers depend on nothing but the world."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from everdex.facts.python import model as m
from everdex.graph.model import FileGraph, Role, Status, Target
from everdex.graph.python import RESOLVER, engine
from everdex.graph.python import files as decoded_files
from everdex.graph.python.evaluate import HANDLERS
from everdex.graph.python.files import Decoded
from everdex.graph.python.parts import MAX_PARTS
from everdex.graph.python.values import Values
from fixtures.callgraph.python.harness import Case, MemoryWorld, cases, edges, plain, resolve


def world(**files: str) -> MemoryWorld:
    return MemoryWorld({f"{name.replace('__', '/')}.py": text.encode() for name, text in files.items()})


def graph(text: str) -> FileGraph:
    return resolve(world(main=text))["main.py"]


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


def _looked_at(text: str, count: int) -> float:
    """How many keys a file reads on average where each imports the next and the last the first."""
    files = {f"m{each}.py": text.format(next=(each + 1) % count).encode() for each in range(count)}
    return sum(len(found.reads) for found in resolve(MemoryWorld(files)).values()) / count


@pytest.mark.parametrize("taken", ["name", "*"])
def test_a_circle_of_imports_is_not_gone_round_by_everybody(taken: str) -> None:
    """Twice as many files that pass one name on to each other are twice the work, not four times."""
    text = f"from m{{next}} import {taken}\n\n\ndef f():\n    return name()\n"
    assert _looked_at(text, 520) == _looked_at(text, 260)


def test_a_name_is_found_behind_many_modules() -> None:
    """Further than a step goes for nothing, and not further than there are steps."""
    for count, status in ((100, Status.RESOLVED), (400, Status.UNRESOLVED)):
        files = {f"m{each}.py": f"from m{each + 1} import name\n".encode() for each in range(count)}
        files |= {f"m{count}.py": b"def name(): ...\n", "user.py": b"from m0 import name\n\nname()\n"}
        (site,) = [site for site in resolve(MemoryWorld(files))["user.py"].sites if site.role is Role.CALL]
        assert site.status is status


def test_an_import_costs_no_more_fuel_than_its_steps() -> None:
    """What an import leads to is worked out once, and not again for everybody who has less fuel left."""
    files = world(main="from lib import f\n", lib="from deep import f\n", deep="def f(): pass\n")
    asked: list[int] = []

    def counted(*question: Any) -> Values:
        asked.append(question[3])
        return HANDLERS[m.FROM](*question)

    asking = engine.Engine(files, {**HANDLERS, m.FROM: counted}, Decoded())
    (number,) = asking.begin("main.py").of_kind(m.FROM)
    answers = [asking.values("main.py", number, 0, fuel) for fuel in (engine.FUEL, 2, 1)]
    assert answers == [frozenset((("function", "deep.py", 1, 0, None),))] * 3
    assert asked == [number]


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
    monkeypatch.setattr(engine, "_MAX_HELD", 2_000)
    monkeypatch.setattr(decoded_files, "_MAX_HELD", 2_000)
    assert {path: plain(found) for path, found in resolve(memory).items()} == whole


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
    monkeypatch.setattr(decoded_files, "_MAX_HELD", 250)
    memory = world(a="def f(): pass\n", b="def g(): pass\n", c="def h(): pass\n")
    kept = Decoded()
    facts = {path: memory.facts(path) for path in memory.paths}
    assert 250 / 3 < len(facts["a.py"]) < 250 / 2
    first, second = kept.of("a.py", facts["a.py"]), kept.of("b.py", facts["b.py"])
    assert kept.of("a.py", facts["a.py"]) is first
    assert kept.of("b.py", facts["c.py"]) is not second
    assert kept.of("a.py", facts["a.py"]) is first
    kept.of("c.py", facts["c.py"])
    assert kept.of("a.py", facts["a.py"]) is not first


def _offers(memory: MemoryWorld) -> dict[str, dict[str, int]]:
    return {path: dict(RESOLVER.offers(path, memory.facts(path), memory.source(path))) for path in memory.paths}


def _changed(before: MemoryWorld, after: MemoryWorld) -> set[str]:
    old, new = _offers(before), _offers(after)
    changed: set[str] = set()
    for path in {*old, *new}:
        left, right = old.get(path, {}), new.get(path, {})
        changed.update(key for key in {*left, *right} if left.get(key) != right.get(key))
    return changed


def _again(graphs: dict[str, FileGraph], before: MemoryWorld, after: MemoryWorld) -> set[str]:
    """The files that must be resolved again, as the graph decides it."""
    changed = _changed(before, after)
    edited = {path for path in after.paths if before.files.get(path) != after.files[path]}
    return edited | {path for path in after.paths if path in graphs and graphs[path].reads & changed}


LIBRARY = (
    "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return B()\n\n"
    "class B:\n    def three(self): pass\n"
)


def test_a_shifted_line_changes_no_offer() -> None:
    """Moving a definition down changes nothing that others could have seen."""
    before = world(lib=LIBRARY)
    after = world(lib=LIBRARY.replace("class B", "\n\n\nclass B"))
    changed = {key for key in _changed(before, after) if not key.endswith("lib.py:")}
    assert changed == set()


def test_a_body_edit_reaches_only_who_looked_into_it() -> None:
    """Who used only one method is not resolved again when another's body changes; who used its result is."""
    files = {
        "lib": LIBRARY,
        "one": "from lib import A\nA().one()\n",
        "two": "from lib import A\nA().two().three()\n",
    }
    before = world(**files)
    after = world(**{**files, "lib": LIBRARY.replace("return B()", "return A()")})
    again = _again(resolve(before), before, after)
    assert again == {"lib.py", "two.py"}


PIECES = (
    "from m{0} import f{0}\nf{0}()\n",
    "from m{0} import *\nf{0}()\nC{0}().go()\n",
    "import m{0}\nm{0}.f{0}(m{0}.C{0})\n",
    "def f{0}(x=None):\n    return x()\n",
    "def f{0}(x=None):\n    return C{0}()\n",
    "class C{0}:\n    def go(self):\n        return self.step()\n    def step(self): pass\n",
    "from m{1} import C{1}\nclass C{0}(C{1}):\n    def step(self):\n        return super().step()\n",
    "def use(thing):\n    thing.step()\n    thing.rare{0}()\n",
    "class D:\n    def rare{0}(self): pass\nx = D()\nx.rare{1}()\n",
    "import m{0}\ndef test_it(box):\n    box.go()\n",
    "import pytest\nfrom m{0} import C{0}\n@pytest.fixture\ndef box():\n    return C{0}()\n",
)


@pytest.mark.parametrize("seed", range(25))
def test_resolving_again_what_was_affected_equals_resolving_everything(seed: int) -> None:
    """Through random edits, additions, renames and deletions, incremental answers are those of a rebuild."""
    chance = random.Random(seed)

    def text() -> bytes:
        parts = [chance.choice(PIECES).format(chance.randrange(5), chance.randrange(5)) for _ in range(3)]
        return "".join(parts).encode()

    files = {f"m{number}.py": text() for number in range(5)}
    memory = MemoryWorld(dict(files))
    graphs = resolve(memory)
    for _ in range(6):
        name = f"m{chance.randrange(6)}.py"
        if name in files and chance.random() < 0.3:
            del files[name]
            if chance.random() < 0.5:
                files[f"m{chance.randrange(6)}.py"] = text()
        else:
            files[name] = text()
        after = MemoryWorld(dict(files))
        resolution = RESOLVER.open(after)
        again = _again(graphs, memory, after)
        graphs = {path: resolution.resolve(path) if path in again else graphs[path] for path in after.paths}
        assert graphs == resolve(after)
        memory = after


def test_cyclic_code_ends() -> None:
    """Imports, bases, aliases, returns and containers that go round in circles give answers."""
    found = resolve(
        world(
            a="from b import *\nfrom b import x\nclass A(B): pass\ny = x\nx()\nA().go()\ny.z.w()\n",
            b="from a import *\nfrom a import y\nx = y\nclass B(A): pass\nd = {}\nd['a'] = d\nd['a']['a']['b']()\n"
            "def f(g): return f(lambda: g(f))(g)\nf(f)\n",
        )
    )
    calls = [site.text for graph_ in found.values() for site in graph_.sites if site.role is Role.CALL]
    assert sorted(calls) == sorted(
        ("x", "A", "A().go", "y.z.w", "d['a']['a']['b']", "f", "f(lambda: g(f))", "g", "f")
    )


def test_thousands_of_definitions_of_one_name() -> None:
    """Five thousand classes with one method name: the call is unresolved, and quickly."""
    text = "".join(f"class C{i}:\n    def same_name(self): pass\n" for i in range(5_000))
    found = graph(f"{text}def run(x):\n    x.same_name()\n")
    (call,) = [site for site in found.sites if site.role is Role.CALL]
    assert (call.status, call.targets) == (Status.UNRESOLVED, ())
    assert call.reason == "untyped parameter"


def test_deep_expressions_and_long_chains_of_names_end() -> None:
    """Chains of aliases, attributes, calls and functions longer than the fuel are answered without failing."""
    aliases = "".join(f"a{i + 1} = a{i}\n" for i in range(400))
    functions = "".join(f"def f{i}(): return f{i + 1}()\n" for i in range(400))
    found = graph(
        f"def a0(): pass\n{aliases}a400()\n{functions}f0()()\nx = f0()" + ".b()" * 25 + "\nx" + "[0]" * 50 + "()\n"
    )
    assert len(sites(found, Role.CALL)) > 400


def test_comments_and_blank_lines_are_nobody_elses_business() -> None:
    """Lines that say nothing change no offer, wherever they stand; a line that says something does."""
    text = "import b\n\n\nclass A:\n    x = 1\n\n    def f(self):\n        return b.g()\n"
    noted = text.replace("    x = 1\n", "    x = 1\n    # why\n\n").replace("        return", "\n# so\n        return")
    assert _changed(world(m=text), world(m=f"# top\n{noted}\n# end")) == set()
    assert _changed(world(m=text), world(m=f"{text}y = 2\n")) == {"py:scope:m.py:", "py:name:m.py:y"}


def test_a_long_chain_of_operators_is_not_followed() -> None:
    """A polynomial written out is given up at once and says so; a short sum still finds its operator's method."""
    text = "class A:\n    def __add__(self, other) -> 'A': return self\n    def go(self): pass\n"
    found = graph(f"{text}x = A()" + " + A()" * 10 + "\nx.go()\ny = A()" + " + A()" * 100 + "\ny.go()\n")
    short, long = [site for site in found.sites if site.role is Role.CALL and site.text.endswith("go")]
    assert (short.status, [target.key for target in short.targets]) == (Status.RESOLVED, ["A.go"])
    assert long.status is Status.AMBIGUOUS
    assert long.reason == "a long chain of operators"


def test_many_callers_of_one_function_stay_bounded() -> None:
    """A parameter with a thousand callers is not followed through all of them."""
    calls = "".join(f"def g{i}(): pass\nrun(g{i})\n" for i in range(1_000))
    found = graph(f"def run(act):\n    act()\n{calls}")
    (site,) = [each for each in found.sites if each.role is Role.CALL and each.text == "act"]
    assert site.status is Status.AMBIGUOUS
    assert 1 < len(site.targets) <= 48


def test_cycles_that_branch_stay_bounded() -> None:
    """What goes round through several places at once is asked once a level, not once a path."""
    modules = {f"m{i}": "".join(f"from m{j} import *\n" for j in range(12) if j != i) for i in range(12)}
    found = resolve(
        world(
            **modules,
            main="from m0 import *\nfrom typing import Union\nmissing()\n"
            "def walk(x):\n" + "    yield from walk(x)\n" * 12 + "for each in walk(1):\n    each()\n"
            "T = Union[" + ", ".join(["'T'", "T"] * 6) + "]\ndef run(x: T, y: 'T'):\n    x.go_away()\n    y.go_away()\n"
            "def pick(a):\n    return " + " or ".join(["pick(pick)", "pick(a)"] * 6) + "\npick(1)()\n"
            "class A:\n    def go(self):\n        " + "; ".join(["self.x = self.x.y", "self.y = self.y.x.z"] * 6) + "\n"
            "        self.x.y.x.y()\n"
            "d = {}\n" + "".join(f"d[{i}] = d[{i + 1}]\n" for i in range(12)) + "d[0]()\n",
        )
    )
    assert sum(site.role is Role.CALL for site in found["main.py"].sites) > 20


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


def test_a_function_around_that_begins_to_bind_a_name_is_seen_from_inside() -> None:
    """Whoever follows a call inside a lambda has looked at the functions around it: they might bind what it calls."""
    user = "def each(x):\n    x()\n"
    lib = "from user import each\ndef f(): pass\ndef make():\n    return lambda: each(f)\n"
    before = world(lib=lib, user=user)
    after = world(lib=lib.replace("    return", "    from os import each\n    return"), user=user)
    assert resolve(before)["user.py"].sites != resolve(after)["user.py"].sites
    assert "user.py" in _again(resolve(before), before, after)


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


def test_a_new_function_is_only_for_those_who_ask_for_it() -> None:
    """A name that a module gains resolves who missed it or takes by star, and nobody who uses other names of it."""
    lib = "def old(): pass\n"
    users = {
        "uses": "from lib import old\nold()\n", "misses": "from lib import new\nnew()\n",
        "all": "from lib import *\nnew()\n", "whole": "import lib\nlib.old()\n",
    }  # fmt: skip
    before = world(lib=lib, **users)
    after = world(lib=f"{lib}def new(): pass\n", **users)
    assert _again(resolve(before), before, after) == {"lib.py", "misses.py", "all.py"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("class C:\n    def set(self): pass\n", "class C:\n    def set(self): self.made = f\n"),
        ("c = C()\ndef set(): pass\nclass C: pass\n", "c = C()\ndef set(): c.made = f\nclass C: pass\n"),
        ("table = {}\ndef fill(): pass\n", "table = {}\ndef fill(): table['a'] = f\n"),
        ("def run(act): act()\ndef go(): pass\n", "def run(act): act()\ndef go(): run(f)\n"),
        (
            "act = f\ndef g(): pass\ndef one():\n    global act\n    act = f\ndef two(): pass\n",
            "act = f\ndef g(): pass\ndef one():\n    global act\n    act = f\n"
            "def two():\n    global act\n    act = g\n",
        ),
        (
            "def g(): pass\ndef act():\n    x = f\n    def one():\n        pass\n    one()\n    return x\n",
            "def g(): pass\ndef act():\n    x = f\n    def one():\n        nonlocal x\n        x = g\n"
            "    one()\n    return x\n",
        ),
    ],
)
def test_what_a_body_does_to_others_is_seen_by_them(before: str, after: str) -> None:
    """An attribute assigned, a container filled, a function passed on: no text that the user read has changed."""
    user = "import lib\nlib.C().made()\nlib.table['a']()\nlib.run(lib.act)\nlib.act()()\n"
    first, second = (world(lib=f"def f(): pass\n{text}", user=user) for text in (before, after))
    old, new = resolve(first)["user.py"], resolve(second)["user.py"]
    assert old.sites == new.sites or old.reads & _changed(first, second)


@pytest.mark.parametrize(
    ("filler", "user"),
    [
        ("from lib import table\ntable['a'] = f\n", "import lib\nlib.table['a']()\n"),
        ("import lib\ndef fill():\n    lib.C.hooks.append(f)\n", "import lib\nlib.C.hooks[0]()\n"),
    ],
)
def test_a_container_filled_by_a_third_file_is_seen_by_its_readers(filler: str, user: str) -> None:
    """Who reads a module's or a class's container finds what another file puts there, and is resolved again for it."""
    lib = "table = {}\nclass C:\n    hooks = []\n"
    before = world(lib=lib, user=user, filler="def f(): pass\n")
    after = world(lib=lib, user=user, filler=f"def f(): pass\n{filler}")
    assert ("user", "filler.f") not in edges(resolve(before))
    assert ("user", "filler.f") in edges(resolve(after))
    assert "user.py" in _again(resolve(before), before, after)


def test_a_name_that_many_files_fill_is_not_looked_for() -> None:
    """A container is searched for in as many files as its name can tell apart, and in no more."""
    for many, found in ((8, {("user", "f0.f")}), (9, set())):
        fillers = {f"f{n}": f"from lib import table\ndef f(): pass\ntable[{n}] = f\n" for n in range(many)}
        made = edges(resolve(world(lib="table = {}\n", user="import lib\nlib.table[0]()\n", **fillers)))
        assert {edge for edge in made if edge[0] == "user"} == found


def test_a_function_given_another_name_is_seen_by_who_asked_for_its_callers() -> None:
    """`g = f` makes other files' calls of g calls of f: nothing else changed that a reader of f's container read."""
    lib = "made = []\ndef f(act): made.append(act)\ndef keep(x): pass\ndef other(): keep(f)\n"
    others = {"caller": "import lib\ndef job(): pass\nlib.g(job)\n", "user": "import lib\nlib.made[0]()\n"}
    before, after = world(lib=lib, **others), world(lib=f"{lib}g = f\n", **others)
    assert ("user", "caller.job") not in edges(resolve(before))
    assert ("user", "caller.job") in edges(resolve(after))
    assert "user.py" in _again(resolve(before), before, after)


def test_a_file_of_thousands_of_functions_has_a_bounded_number_of_parts() -> None:
    """A table of parts and keys grows with both: what a program wrote took gigabytes. No call is lost by it."""
    count = MAX_PARTS + 500
    source = "".join(f"def f{number}():\n    f{(number + 1) % count}()\n" for number in range(count))
    graph = resolve(MemoryWorld({"main.py": source.encode()}))["main.py"]
    assert graph.parts is not None
    assert len(graph.parts.all) == MAX_PARTS + 1
    calls = [site for site in graph.sites if site.role is Role.CALL]
    assert len(calls) == count
    assert {len(site.targets) for site in calls} == {1}
