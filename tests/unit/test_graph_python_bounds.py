"""The Python resolver: cyclic, deep, long and repetitive code ends, at a price that stays in bounds."""

from __future__ import annotations

from typing import Any

import pytest

from everdex.facts.python import model as m
from everdex.graph.model import Role, Status
from everdex.graph.python.classes import classes
from everdex.graph.python.engine import engine
from everdex.graph.python.engine.contexts import MAX_TEXT, Argument, Context, Contexts
from everdex.graph.python.engine.evaluate import HANDLERS
from everdex.graph.python.engine.values import LITERAL, MAX_VALUES, Values
from everdex.graph.python.file.files import Decoded
from everdex.graph.python.file.parts import MAX_PARTS
from fixtures.callgraph.python.harness import MemoryWorld, graph, resolve, world


def _looked_at(text: str, count: int) -> float:
    """How many keys a file reads on average where each imports the next and the last the first."""
    files = {f"m{each}.py": text.format(next=(each + 1) % count).encode() for each in range(count)}
    return sum(len(found.parts.keys) for found in resolve(MemoryWorld(files)).values() if found.parts) / count


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


@pytest.mark.parametrize("reading", ["return chosen\n    chosen = None", "chosen = None\n    del chosen\n    chosen()"])
def test_a_name_that_is_read_where_no_binding_of_its_function_reaches_ends(reading: str) -> None:
    """Behind a `return` or `del`, in a call that is told apart: who looked for the function around went on for ever."""
    taken = "if kind:\n        chosen = kind\n    return chosen\n"
    code = f"def given(): ...\n\ndef pick(kind):\n    {reading}\n    {taken}"
    found = resolve(world(main=f"{code}\npick(given)()\n"))
    assert [site for site in found["main.py"].sites if site.role is Role.CALL]


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
    assert sum(site.role is Role.CALL for site in found.sites) > 400


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
    assert 1 < len(site.targets) <= MAX_VALUES


def test_calls_that_are_not_looked_at_are_told() -> None:
    """Where a function is called more often than is looked at, what a parameter holds is not said to be all."""
    found = graph("def f(): pass\ndef g(): pass\ndef run(act):\n    act()\n" + "run(f)\n" * 300 + "run(g)\n")
    (site,) = [each for each in found.sites if each.role is Role.CALL and each.text == "act"]
    assert site.reason == "too many callers"


def test_callers_outside_tests_count_where_many_tests_call() -> None:
    """Many tests that call something do not hide what the program passes; that there are more calls is told."""
    shop = "class Store:\n    def __init__(self, act):\n        self.act = act\n    def go(self):\n        self.act()\n"
    tests = {f"tests__test_{number}": "from shop import Store\ndef act(): pass\nStore(act)\n" for number in range(12)}
    main = "from shop import Store\ndef work(): pass\nStore(work)\n"
    found = resolve(world(shop=shop, main=main, **tests))["shop.py"]
    (site,) = [each for each in found.sites if each.role is Role.CALL]
    assert [(target.path, target.key) for target in site.targets] == [("main.py", "work")]
    assert site.reason == "too many callers"


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


_METACLASS = """\
class Options:
    def adopt(self, maker):
        self.maker = maker
    def make(self):
        self.maker.create()
class Meta(type):
    def __new__(mcs, name, bases, attrs):
        meta = Options()
        made = super().__new__(mcs, name, bases, attrs)
        meta.adopt(made)
        return made
class Maker(metaclass=Meta):
    meta = Options()
    @classmethod
    def create(cls): pass
"""
_MUTING = """\
import base
def quiet(): pass
def mute(maker):
    if isinstance(maker, base.Meta): maker.create = quiet
"""


def test_what_another_file_assigns_to_one_of_many_classes_stands_beside_what_they_have() -> None:
    """More classes of a metaclass than are told apart: each has its own method, or the one that it was given."""
    many = "from base import Maker\n" + "".join(f"class M{number}(Maker): pass\n" for number in range(40))
    graphs = resolve(world(base=_METACLASS, muting=_MUTING, many=many))
    (site,) = [site for site in graphs["base.py"].sites if site.text == "self.maker.create" and site.role is Role.CALL]
    assert {target.key for target in site.targets} == {"Maker.create", "quiet"}


def test_what_is_only_declared_is_not_taken_for_what_very_many_define() -> None:
    """A method that only raises NotImplementedError never runs where eighty define it: these are its candidates."""
    for count, status in ((40, Status.RESOLVED), (80, Status.AMBIGUOUS), (MAX_VALUES, Status.RESOLVED)):
        below = "".join(f"class C{each}(Base):\n    def step(self): return {each}\n\n" for each in range(count))
        base = "class Base:\n    def go(self): self.step()\n    def step(self): raise NotImplementedError\n\n"
        sites = [site for site in graph(base + below).sites if site.text == "self.step"]
        (called,) = [site for site in sites if site.role is Role.CALL]
        assert called.status is status
        wanted = {f"C{each}.step" for each in range(count)} if count < MAX_VALUES else {"Base.step"}
        assert {target.key for target in called.targets} == wanted


def test_calls_of_which_too_much_is_to_be_said_are_not_told_apart() -> None:
    """What is passed may have been made in calls itself: what is said of a call ends somewhere, however it goes on."""
    contexts = Contexts()
    short, long = (
        Context("a.py", 0, 0, (Argument("", -1, 0, frozenset(((LITERAL, "str", "x" * count),))),), ())
        for count in (10, MAX_TEXT)
    )
    assert contexts.enter(short) != 0
    assert contexts.enter(long) == 0


@pytest.mark.parametrize(("count", "status"), [(60, Status.RESOLVED), (70, Status.AMBIGUOUS)])
def test_a_name_with_more_bindings_than_are_kept_is_not_decided(count: int, status: Status) -> None:
    """A call of what one of many arms assigned leads to all of them, or is ambiguous: never to some as if to all."""
    arms = "".join(f"    elif a == {each}: x = f{each}\n" for each in range(count))
    text = "".join(f"def f{each}(): ...\n" for each in range(count))
    text += f"def run(a):\n    if a is None: return\n{arms}    else: return\n    x()\n"
    (call,) = [site for site in resolve(world(main=text))["main.py"].sites if site.role is Role.CALL]
    assert call.status is status
    assert status is Status.AMBIGUOUS or len(call.targets) == count


def test_of_many_definitions_of_one_name_each_body_may_mean_the_later_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few are all told; of many the call is ambiguous, and twice as many are twice the work."""
    values, asked = engine.Engine.values, 0

    def counted(*question: Any) -> Values:
        nonlocal asked
        asked += 1
        return values(*question)

    monkeypatch.setattr(engine.Engine, "values", counted)
    prices = []
    for count in (40, 300, 600):
        asked = 0
        found = resolve(world(main="def same():\n    same()\n" * count))["main.py"]
        statuses = [site.status for site in found.sites if site.role is Role.CALL]
        assert statuses[-1] is Status.RESOLVED
        assert statuses[0] is (Status.RESOLVED if count < 50 else Status.AMBIGUOUS)
        prices.append(asked)
    assert prices[2] < 2.4 * prices[1]


def test_a_long_line_of_bases_is_merged_by_passing_each_once() -> None:
    """A line that is twice as long is compared twice as often, not eight times."""
    compared = 0

    class Class(tuple[Any, ...]):
        __slots__ = ()
        __hash__ = tuple.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return tuple.__eq__(self, other)

    prices = []
    for count in (100, 200):
        compared = 0
        line = [Class(("class", "main.py", each)) for each in range(count)]
        # Equal, and not the same: values are compared by what they are.
        merged = classes._merge([line, [Class(each) for each in line[::2]], [Class(line[0]), Class(line[1])]])
        assert merged == line
        prices.append(compared)
    assert prices[1] < 2.4 * prices[0]


def test_a_function_that_zips_what_it_gives_itself_ends() -> None:
    """Taking a table apart costs a step: of rows that come from there themselves there is no end."""
    text = (
        "def scan(given):\n    if not given: return [given], ()\n"
        "    rows, shapes = zip(*[scan(each) for each in given])\n"
        "    return rows, (len(shapes),) + shapes[0]\n"
    )
    (called,) = [site for site in graph(text).sites if site.text == "scan" and site.role is Role.CALL]
    assert called.status is Status.RESOLVED
