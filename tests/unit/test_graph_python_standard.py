"""What Python has of its own is written down: the same tree has the same graph whichever Python runs everdex."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from everdex.graph.python.names import standard
from support import standard as running

_TESTS = str(Path(running.__file__).parents[1])
_RESOLVE = """
import builtins, collections.abc, sys
if sys.argv[1] == "other":
    builtins.display = print
    del builtins.breakpoint, builtins.EncodingWarning
    sys.stdlib_module_names = frozenset(sys.stdlib_module_names) - {"queue", "threading"} | {"helpers"}
    collections.abc.__all__ = ["Sized"]
from everdex.graph.packages import package_of
from everdex.graph.resolvers import Resolvers
from support.worlds import MemoryWorld
files = {
    "app.py": b'''import helpers, queue
from functools import singledispatch
class Lost(EncodingWarning):
    def run(self):
        self.add_note("x")
        self.nothing()
        display(helpers.help())
        breakpoint()
        queue.put(show([]))
@singledispatch
def show(x): pass
@show.register(list)
def shown(x): x.append(1)
''',
    "src/helpers.py": b"def help(): pass", "tools/queue.py": b"def put(x): pass",
    "waits.py": b'''import threading
class Made:
    def run(self): pass
first = threading.Thread()
first.made = Made()
''',
    "waits_too.py": b'''import threading
second = threading.Timer(1, print)
second.made.run()
''',
}
made = MemoryWorld(files, Resolvers().of("python"))
for path, graph in sorted(made.graphs().items()):
    print(path, [(site.line, site.column, site.text, str(site.status), site.reason, site.targets)
                 for site in graph.sites])
print(package_of("python", "queue.Queue"), package_of("python", "helpers.help"))
"""


def _resolved(which: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _RESOLVE, which], capture_output=True, text=True, cwd=_TESTS, check=False, timeout=60,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    return done.stdout


def test_the_python_that_runs_does_not_matter() -> None:
    """A prompt puts names of its own among the builtins, and every Python has some modules and names more or less."""
    usual = _resolved("this")
    assert "breakpoint" in usual
    assert "tools" not in usual.partition("src/helpers.py")[0]
    assert _resolved("other") == usual


def test_all_that_this_python_has_is_written_down() -> None:
    """Else run `python tests/support/standard.py` with it, look at the difference and raise RESOLVERS_VERSION."""
    known = running.known()
    if known["pythons"] not in standard.PYTHONS:
        pytest.skip(f"Python {known['pythons']} is newer than what is written down")
    assert set(known["modules"].split()) <= standard.MODULES
    assert set(known["names"].split()) <= standard.BUILTIN_NAMES
    for name, (_, own) in known["types"].items():
        assert standard.attributes(name) >= set(own.split()), name


@pytest.mark.parametrize(
    ("name", "wanted", "expected"),
    [
        ("str", "join", False), ("str", "jion", True), ("str", "mro", False), ("OSError", "errno", False),
        ("IOError", "errno", False), ("ValueError", "errno", True), ("frobnicate", "errno", False),
    ],
)  # fmt: skip
def test_what_a_builtin_type_is_known_not_to_have(name: str, wanted: str, expected: bool) -> None:
    assert standard.is_without(name, wanted) is expected


def test_types_above_a_builtin_one_stand_nearest_first() -> None:
    assert standard.above("bool")[:2] == ("builtins.int", "collections.abc.Hashable")
    assert standard.above("str")[-1] == "builtins.object"
    assert standard.above("list")[:2] == ("collections.abc.MutableSequence", "collections.abc.Sequence")
    assert standard.is_error("IOError")
    assert not standard.is_error("str")
