"""The Python resolver: what a file offers, and who has to be asked again when that changes."""

from __future__ import annotations

import random

import pytest

from everdex.graph.model import LIMITS, PLACES, FileGraph, more_key, more_places_key
from everdex.graph.python.resolver import RESOLVER
from fixtures.callgraph.python.harness import MemoryWorld, edges, has_read, resolve, world


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
    changed |= {
        more_key(key, limit) for key in changed for limit in LIMITS
        if (len(before.offering(key)) > limit) != (len(after.offering(key)) > limit)
    } | {
        more_places_key(key, limit) for key in changed for limit in PLACES
        if (before.total(key) > limit) != (after.total(key) > limit)
    }  # fmt: skip
    edited = {path for path in after.paths if before.files.get(path) != after.files[path]}
    return edited | {path for path in after.paths if path in graphs and has_read(graphs[path], changed)}


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


def test_a_line_moved_into_a_block_behind_a_blank_line_changes_its_function() -> None:
    """Python before 3.11.5 matched the blank line and took what the next is indented by with it."""
    before = "def f(x):\n    if x:\n        x()\n\n    return x\n"
    after = before.replace("    return", "        return")
    assert _changed(world(lib=before), world(lib=after))


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


def test_comments_and_blank_lines_are_nobody_elses_business() -> None:
    """Lines that say nothing change no offer, wherever they stand; a line that says something does."""
    text = "import b\n\n\nclass A:\n    x = 1\n\n    def f(self):\n        return b.g()\n"
    noted = text.replace("    x = 1\n", "    x = 1\n    # why\n\n").replace("        return", "\n# so\n        return")
    assert _changed(world(m=text), world(m=f"# top\n{noted}\n# end")) == set()
    assert _changed(world(m=text), world(m=f"{text}y = 2\n")) == {"py:scope:m.py:", "py:names:m.py:", "py:name:m.py:y"}


def test_a_function_around_that_begins_to_bind_a_name_is_seen_from_inside() -> None:
    """Whoever follows a call inside a lambda has looked at the functions around it: they might bind what it calls."""
    user = "def each(x):\n    x()\n"
    lib = "from user import each\ndef f(): pass\ndef make():\n    return lambda: each(f)\n"
    before = world(lib=lib, user=user)
    after = world(lib=lib.replace("    return", "    from os import each\n    return"), user=user)
    assert resolve(before)["user.py"].sites != resolve(after)["user.py"].sites
    assert "user.py" in _again(resolve(before), before, after)


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
    assert old.sites == new.sites or has_read(old, _changed(first, second))


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


def test_what_a_decorator_puts_on_a_class_is_news_for_who_asks_for_the_name() -> None:
    """A third file decorates something of the name: who asked the class for it is asked again."""
    put = "def put(f):\n        setattr(cls, f.__name__, f)\n        return f\n"
    files = {
        "patching": f"def patch(cls):\n    {put}    return put\n",
        "shapes": "class Shape: pass\n",
        "third": "from patching import patch\nfrom shapes import Shape\n",
        "asking": "from shapes import Shape\nShape().double()\n",
        "other": "from shapes import Shape\nShape().triple()\n",
    }
    before = world(**files)
    graphs = resolve(before)
    assert ("asking", "third.double") not in edges(graphs)
    after = world(**{**files, "third": f"{files['third']}\n@patch(Shape)\ndef double(self): pass\n"})
    assert ("asking", "third.double") in edges(resolve(after))
    assert _again(graphs, before, after) == {"asking.py", "patching.py", "third.py"}
