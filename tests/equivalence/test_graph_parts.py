"""Functions edited, moved, renamed, wrapped and broken at random: parts that are kept are what would be found.

Every step resolves each file in parts from what the step before kept, and from nothing.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from equivalence.parts import KeptTree, differ, step, text_of
from everdex.graph.python.resolver import RESOLVER as PYTHON

_PATHS = ("base.py", "tools.py", "pkg/__init__.py", "pkg/inner.py", "test_all.py")
_MODULES = ("base", "tools", "pkg", "pkg.inner")
_NAMES = ("open", "read", "close", "make", "each", "Reader", "Writer")
_CLASSES = ("Reader", "Writer", "Store")
_ATTRIBUTES = ("kept", "other", "open")
_EDITS = (
    "add", "drop", "move", "line", "line", "line", "grow", "grow", "rename", "wrap", "decorate", "break", "head",
    "shift",
)  # fmt: skip


class _Author:
    """Writes files of many functions that call, store, decorate and pass on each other by few names."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.pick = self.chance.choice

    def _line(self) -> list[str]:
        pick = self.pick
        name, other, kind, kept = pick(_NAMES), pick(_NAMES), pick(_CLASSES), pick(_ATTRIBUTES)
        return pick(
            (
                [f"{name}()"], [f"x = {kind}()"], [f"x = {pick(_MODULES)}.{name}"], [f"x.{name}({other})"],
                [f"return {name}"], [f"return x.{kept}"], [f"self.{name}()"], [f"super().{name}()"],
                [f"self.{kept} = {kind}()"], [f"self.{kept}.{name}()"], [f"x.{kept} = {name}"],
                [f"{name} = {other}"], [f"{name}({other})"], ["x()"], [f"yield {kind}()"],
                [f"for x in {name}():", f"    x.{other}()"], [f"with {name}() as x:", f"    x.{kept}.{other}()"],
                [f"x = lambda x=None: {name}(x)", f"x({kind})"], [f"x = [x.{name} for x in {other}()]"],
                [f"table['{pick('ab')}'] = {name}"], [f"{pick(_MODULES)}.table['{pick('ab')}']()"],
                [f"global {name}", f"{name} = {kind}"], [f"if isinstance(x, {kind}):", f"    x.{name}()"],
                [f"def {name}(x=None):", f"    nonlocal_ = {other}", "    return nonlocal_(x)"],
                ["y = None", "def inner():", "    nonlocal y", f"    y = {name}", "y()"],
                [f"class {kind}({pick(_CLASSES)}):", f"    {kept} = {name}", f"    def open(self): {other}()"],
                [f"from {pick(_MODULES)} import {name}"], ["# nothing"], [f"x = {kind}.{kept} + x"], [f"del x.{kept}"],
                [f"import {pick(_MODULES)}; import base"],
            )
        )  # fmt: skip

    def _added(self) -> list[str]:
        """Lines that change what others of the body mean, or do not."""
        name = self.pick(_NAMES)
        return self.pick(
            (
                ["if x: pass"], [f"if open: x.{name}()"], ["x = None"], [f"open.{name}"], ["return 1"], ["'Reader'"],
                [f"x: {self.pick(_CLASSES)} = open"], [""], ["if not x:", "    return open"], ["raise Reader"],
                ["try:", "    x()", "except base.Reader as x:", "    x.open()"], ["assert isinstance(x, Reader)"],
                ["x += open()"], ["f'{x}{open}'"], ["x['a'] = open"], ["x.append(open)"], ["table = []"],
                [f"table.append({name})"], ["table[0]()"], ["for each in table: each()"],
            )
        )  # fmt: skip

    def function(self, indent: str = "", name: str = "") -> list[str]:
        """A definition; as a method when it is indented."""
        pick = self.pick
        head = [f"@{pick(('property', 'staticmethod', *_NAMES[:5]))}"] if self.chance.random() < 0.2 else []
        first = "self, " if indent else ""
        name = name or pick((*_NAMES[:5], "test_it"))
        annotation = pick(("", f": {pick(_CLASSES)}", f": '{pick(_CLASSES)}'"))
        head.append(f"def {name}({first}x{annotation} = {pick(('None', *_NAMES))}, open=None):")
        body = [f"    {line}" for _ in range(self.chance.randint(1, 4)) for line in self._line()]
        return [indent + line for line in (*head, *body)]

    def block(self) -> list[str]:
        pick = self.pick
        kind = self.chance.random()
        if kind < 0.45:
            return self.function()
        if kind < 0.75:
            lines = [f"class {pick(_CLASSES)}{pick(('', f'({pick(_CLASSES)})', '(base.Reader)'))}:"]
            if self.chance.random() < 0.5:
                lines.append(f"    {pick(_ATTRIBUTES)} = {pick(_NAMES)}")
            for _ in range(self.chance.randint(1, 4)):
                lines += self.function("    ")
            return lines
        return pick(
            (
                [f"from {pick(_MODULES)} import {pick(_NAMES)} as {pick(_NAMES)}"], [f"from {pick(_MODULES)} import *"],
                [f"import {pick(_MODULES)}"], ["table = {}"], [f"{pick(_NAMES)} = lambda x: x()"],
                [f"{pick(_NAMES)} = {pick(_NAMES)}"], [f"__all__ = ['{pick(_NAMES)}']"], [f"{pick(_NAMES)}()"],
                [f"{pick(_NAMES)}.{pick(_ATTRIBUTES)} = {pick(_NAMES)}"], ["import pytest", "@pytest.fixture"],
                ["if x:", f"    def {pick(_NAMES)}(): return {pick(_NAMES)}()"],
                [f"{pick(_NAMES)} = {pick(_NAMES)} = {pick(_CLASSES)}()"],
            )
        )  # fmt: skip

    def edited(self, blocks: list[list[str]]) -> tuple[str, list[list[str]]]:
        """Another version of a file, and what was done."""
        blocks = [list(block) for block in blocks]
        what = self.pick(_EDITS)
        if what == "add" or not blocks:
            blocks.insert(self.chance.randint(0, len(blocks)), self.block())
            return "add", blocks
        block = self.pick(blocks)
        inside = [number for number, line in enumerate(block) if line.startswith("    ") and not line.endswith(":")]
        if what == "drop":
            blocks.remove(block)
        elif what == "move":
            blocks.remove(block)
            blocks.insert(self.chance.randint(0, len(blocks)), block)
        elif what == "line" and inside:
            number = self.pick(inside)
            indent = " " * (len(block[number]) - len(block[number].lstrip()))
            keep = self.chance.random() < 0.5
            block[number : number + (not keep)] = [indent + line for line in self._line()]
        elif what == "grow" and inside:
            number = self.pick(inside)
            indent = " " * (len(block[number]) - len(block[number].lstrip()))
            place = number + self.pick((0, 1))
            block[place:place] = [indent + line for line in self.pick((self._line, self._added))()]
        elif what == "rename":
            block[:] = [line.replace(f"def {self.pick(_NAMES)}(", f"def {self.pick(_NAMES)}(") for line in block]
        elif what == "wrap":
            block[:] = [f"class {self.pick(_CLASSES)}:", *(f"    {line}" for line in block)]
        elif what == "decorate":
            block.insert(0, f"@{self.pick(_NAMES)}")
        elif what == "break":
            block.insert(self.chance.randint(0, len(block)), self.pick(("def broken(:", ")", "    x = (", "class")))
        elif what == "head":
            block[:] = [line.replace("open=None", self.pick(("open=None", "close=open"))) for line in block]
        else:
            block.insert(0, "# moved")
        return what, blocks


@pytest.mark.parametrize("seed", range(8))
def test_parts_that_are_kept_are_what_a_rebuild_would_find(seed: int) -> None:
    """Sites, targets, places and what was looked at: byte for byte, while most parts are not resolved again."""
    author = _Author(seed)
    tree = {path: [author.block() for _ in range(4)] for path in _PATHS}
    kept, history, whole, again = KeptTree(), [], 0, 0
    for _ in range(25):
        for _ in range(author.pick((1, 1, 1, 2))):
            path = author.pick(_PATHS)
            what, tree[path] = author.edited(tree[path])
            history.append(f"{what} {path}")
        files = {path: text_of(blocks) for path, blocks in tree.items()}
        kept, parts, resolved = step(kept, files)
        whole, again = whole + parts, again + resolved
        clean, _, _ = step(KeptTree(), files)
        assert differ(kept, clean) == [], history
    assert again < 0.7 * whole


@pytest.mark.parametrize("seed", range(8))
def test_what_is_known_from_before_an_edit_changes_no_answer(seed: int) -> None:
    """A resolver that stays finds in every part what one finds that knows nothing, whatever was edited meanwhile."""
    author, staying = _Author(seed), PYTHON.begin()
    tree = {path: [author.block() for _ in range(4)] for path in _PATHS}
    known, history = KeptTree(), []
    for _ in range(25):
        path = author.pick(_PATHS)
        what, tree[path] = author.edited(tree[path])
        history.append(f"{what} {path}")
        files = {path: text_of(blocks) for path, blocks in tree.items()}
        known, _, _ = step(replace(known, records={}), files, staying, stays=True)  # no part is kept: all are asked
        clean, _, _ = step(KeptTree(), files)
        assert differ(known, clean) == [], history


def test_who_looked_for_calls_by_a_name_hears_that_the_file_begins_or_ceases_to_define_it() -> None:
    """Then another key tells of these calls, also where there are none yet."""
    above = b"class Above:\n    def step(self, x):\n        self.Above()\n"
    above += b"class Kind(Above):\n    def step(self, x): pass\n"
    below = b"from above import *\nclass Below(Kind): pass\n"
    defined = below + b"def step(x): pass\n"
    known = KeptTree()
    for text in (below, defined, defined + b"Kind.step(Below())\n", defined, below, below + b"Kind.step(Below())\n"):
        files = {"above.py": above, "below.py": text}
        known, _, _ = step(known, files)
        clean, _, _ = step(KeptTree(), files)
        assert differ(known, clean) == []


def test_what_another_file_begins_to_put_into_a_table_is_known_to_who_stays() -> None:
    """Where it was looked for is part of what was looked at, not only what was found there."""
    tables = b"def fill():\n    table['b'] = each\ntable = {}\ndef each(): pass\n"
    using = b"from tables import *\nimport tables\ntables.table['b']()\n"
    staying, known = PYTHON.begin(), KeptTree()
    for text in (using, using + b"def later():\n    table['b'] = later\n", using):
        files = {"tables.py": tables, "using.py": text}
        known, _, _ = step(replace(known, records={}), files, staying, stays=True)
        clean, _, _ = step(KeptTree(), files)
        assert differ(known, clean) == []


_BODY = b"""\
import base
class Kept:
    def go(self, other): pass
def f(x, flag, other=None):
    kept = Kept()
    def inner():
        kept.go(other)
    if flag:
        x.go(kept)
%s    class Inside(Kept):
        pass
%s    return inner
f(Kept(), 1)
"""


@pytest.mark.parametrize(
    ("place", "added"),
    [
        pytest.param(0, b"    kept.go(x)\n", id="a call"),
        pytest.param(0, b"        kept.go(x)\n        base.go()\n", id="lines of a block"),
        pytest.param(1, b"    new = [each.go(x) for each in (kept, x)]\n", id="a name nobody reads"),
        pytest.param(1, b"    # said\n\n", id="a comment"),
    ],
)
def test_of_a_function_that_has_grown_only_what_was_added_is_asked(place: int, added: bytes) -> None:
    assert "f" not in _asked_of_grown(place, added)


@pytest.mark.parametrize(
    ("place", "added"),
    [
        pytest.param(0, b"    kept = base.Kept()\n", id="a name that is read"),
        pytest.param(1, b"    x = base.Kept()\n    x.go()\n    other = x\n", id="a name that a function inside takes"),
        pytest.param(0, b"    flag.go()\n", id="an attribute of what was only tested"),
        pytest.param(0, b"    def more(): pass\n", id="a function inside"),
        pytest.param(1, b"        go = base.go\n", id="a member of a class inside"),
        pytest.param(0, b"    if other: return kept\n", id="another result"),
    ],
)
def test_a_function_is_asked_as_a_whole_where_what_was_added_changes_the_rest(place: int, added: bytes) -> None:
    assert "f" in _asked_of_grown(place, added)


def _asked_of_grown(place: int, added: bytes) -> set[str]:
    """The parts that were not kept, by their nodes, after comparing with a rebuild."""
    lines = [b"", b""]
    lines[place] = added
    others = {"base.py": b"from m import Kept, f\ndef go(): f(go, None)", "other.py": b"import m\nm.f(m.Kept(), 0)()"}
    old, _, _ = step(KeptTree(), {"m.py": _BODY % (b"", b""), **others})
    files = {"m.py": _BODY % tuple(lines), **others}
    new, _, _ = step(old, files)
    clean, _, _ = step(KeptTree(), files)
    assert differ(new, clean) == []
    return new.asked["m.py"]


def test_a_name_that_a_function_binds_outside_is_nobody_elses_business() -> None:
    """What a name of one binding costs does not depend on other functions of the file."""
    way = b"def f():\n    a = Kept()\n" + b"".join(b"    %c = %c\n" % (97 + n, 96 + n) for n in range(1, 15))
    source = b"class Kept:\n    def go(self): pass\n" + way + b"    o.go()\ndef other():\n    %s\n"
    old, _, _ = step(KeptTree(), {"m.py": source % b"pass"})
    new, _, _ = step(old, {"m.py": source % b"global told; told = 1"})
    clean, _, _ = step(KeptTree(), {"m.py": source % b"global told; told = 1"})
    assert differ(new, clean) == []


_ADDING = """\
class Num:
    def go(self): pass
    def __add__(self, other):
{}        kept = other
        return kept
def use(one: Num, other):
    (one + other).go()
"""
_WRAPPING = """\
class Thing:
    def go(self): pass
def wrap(f):
    def inner(a, *rest):
{}        return f(a)
    return inner
@wrap
def use(x): x.go()
use(Thing())
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(_ADDING, "        other.go()\n", id="what is asked of what stands beside an operator"),
        pytest.param(_WRAPPING, "        f(a, *rest)\n", id="that a wrapper passes on all it takes"),
    ],
)
def test_what_a_body_does_with_its_parameters_is_seen(text: str, line: str) -> None:
    """With the line and without it, whichever was first."""
    with_it, without = ({"m.py": text.format(each).encode()} for each in (line, ""))
    for first, second in ((with_it, without), (without, with_it)):
        old, _, _ = step(KeptTree(), first)
        new, _, _ = step(old, second)
        clean, _, _ = step(KeptTree(), second)
        assert differ(new, clean) == []
        assert "use" in new.asked["m.py"]


_HEAD = """\
import base

class A:
    def go(self): pass
class B(A):
    first = None
    def go(self):
        {method}
both = either = A
made = either()

# said before
def f(x="{string}"):
{silent}    {body}
after = f(either())
after.go()
"""


def _asked_again(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """The parts of the file that were not kept, by their nodes, after comparing with a rebuild."""
    said = {"string": "", "silent": "", "body": "pass", "method": "pass"}
    others = {"base.py": b"class Base: pass", "other.py": b"import m\nm.made.go()"}
    trees = [{"m.py": _HEAD.format(**said | each).encode(), **others} for each in (before, after)]
    old, _, _ = step(KeptTree(), trees[0])
    new, _, _ = step(old, trees[1])
    clean, _, _ = step(KeptTree(), trees[1])
    assert differ(new, clean) == []
    return new.asked["m.py"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"body": "pass"}, {"body": "x = 1"}, id="a body"),
        pytest.param({"body": "x = 1"}, {"body": "x = 1\n    x = 2\n"}, id="lines more"),
        pytest.param({"silent": ""}, {"silent": "    # said\n\n"}, id="a comment before a body"),
    ],
)
def test_statements_around_a_body_are_kept(before: dict[str, str], after: dict[str, str]) -> None:
    """What moves with a body is only moved, whichever way."""
    assert "" not in _asked_again(before, after) | _asked_again(after, before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"body": "pass"}, {"body": "import base"}, id="an import more"),
        pytest.param({"body": "import base; import m"}, {"body": "import base\n    import m"}, id="lines of imports"),
        pytest.param({"body": "pass"}, {"body": "global either; either = B"}, id="a name that a function binds"),
        pytest.param({"method": "pass"}, {"method": "self.second = 1"}, id="an attribute that a method stores"),
        pytest.param({"string": ""}, {"string": "# said"}, id="what stands before a body"),
        pytest.param({"string": '""\n# said""'}, {"string": '""\n# told""'}, id="a string like a comment"),
    ],
)
def test_statements_around_a_body_are_asked_again(before: dict[str, str], after: dict[str, str]) -> None:
    """What a body does to the statements around it, whichever way."""
    assert "" in _asked_again(before, after) & _asked_again(after, before)
