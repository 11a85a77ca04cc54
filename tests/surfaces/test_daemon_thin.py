"""The thin client: it imports next to nothing, and understands what it forwards as the full command line does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everdex.__main__ import _READING
from everdex.config import PROFILE_NAMES
from everdex.search.model import Mode
from everdex.service import relations
from everdex.surfaces.cli.paths import from_root
from everdex.surfaces.daemon import thin
from everdex.surfaces.daemon.methods import METHODS
from support.daemons import Daemon
from support.trees import tree

FILES = {
    "src/session.py": (
        "import hmac\n\n\nclass Session:\n    def sign_cookie(self, value):\n"
        "        return hmac.new(self.key, value)\n\n    def open(self):\n        return self.load()\n"
    ),
}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    base = tmp_path_factory.mktemp("thin")
    with Daemon(tree(base / "project", FILES, git=True), base / "home") as running:
        yield running


@pytest.mark.parametrize(
    "command",
    [
        "search cookie", "symbols Session", "files", "status", "explain src/session.py", "health --json", "audit",
        "refs sign_cookie", "callers sign_cookie", "callees Session.open", "impact sign_cookie", "map", "architecture",
        "gate src/session.py", "state src/session.py",
    ],
)  # fmt: skip
def test_the_thin_client_imports_next_to_nothing(daemon: Daemon, command: str) -> None:
    """On the way to a running daemon neither click nor json, re, typing or the socket module is loaded."""
    daemon.run("map")  # while a graph is made, the full command line shows how far it is
    script = (
        f"import sys\nbefore = set(sys.modules)\nsys.argv = ['everdex', *{command.split()!r}]\n"
        "from everdex.__main__ import main\n"
        "try: main()\nexcept SystemExit as done: code = done.code\n"
        "print(code, *sorted(set(sys.modules) - before), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path[:0] = {[p for p in sys.path if p]!r}\n{script}"],
        cwd=daemon.root, capture_output=True, text=True, check=True, env={**os.environ, **daemon.env},
    )  # fmt: skip
    code, *loaded = done.stderr.splitlines()[-1].split()  # remarks come before
    assert code in ("0", "1"), done.stderr  # found or not
    assert [name for name in loaded if not name.startswith("everdex")] == ["__future__", "_socket"]


def test_the_thin_client_knows_the_choices_of_the_full_one() -> None:
    """Modes and profiles are spelled twice, because the thin client imports nothing; they agree."""
    assert list(thin.MODES) == [str(mode) for mode in Mode]
    assert thin.PROFILES == PROFILE_NAMES
    assert set(thin.ROLES) == set(relations.ROLES)
    assert [[name] for name in thin.COMMANDS] == _READING
    assert all(METHODS[name].shown is not None for name in thin.COMMANDS)


def _understood(arguments: list[str]) -> dict[str, Any] | None:
    """What the thin client would send, from a root that is elsewhere."""
    parsed = thin.parse(arguments)
    request = thin.request(*parsed[0], "/elsewhere") if parsed is not None else None
    return None if request is None else json.loads(request)


@pytest.mark.parametrize(
    "arguments",
    [["x", "--speed"], ["x", "-k", "0"], ["x", "-k"], ["x", "-k5"], ["x", "--mode", "none"], ["x", "--lang", ""],
     [], ["a", "b", "c"], ["--batch", "-"], ["x", "--color", "always"], ["x", "--offline"], ["--", "-x"], ["-"],
     ["\udcff"]],
)  # fmt: skip
def test_what_the_thin_client_does_not_understand_it_leaves(arguments: list[str]) -> None:
    """Another option, a bad value or no text: the full command line decides what to say."""
    assert _understood(["search", *arguments]) is None


@pytest.mark.parametrize(
    "symbol",
    ["name", "Class.name", "a.py", "a.py:3", "a.py:3:1", "a.py::f", "a.py::A::f", "../b.py::g", "../b.py", "none.py:3",
     "link.py::f", "a.py:", "a.py:x", "::f", ":3", "a.py:1:2:3", "../../out.py::f", "sub::a.py", "crate::name",
     "a.py:A.f", "../b.py:g", "none.py:x"],
)  # fmt: skip
def test_the_thin_client_places_a_symbol_as_the_full_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, symbol: str
) -> None:
    """A file is named from where one stands, on either way."""
    root = tree(tmp_path / "root", {"sub/a.py": "", "b.py": ""})
    (tmp_path / "out.py").write_text("")
    (root / "sub" / "link.py").symlink_to(root / "b.py")
    monkeypatch.chdir(root / "sub")
    assert thin.placed(symbol, str(root)) == from_root(symbol, root)


@pytest.mark.parametrize("query", ['a "quoted" \\ back', "tab\tnew\nline\x00", "ünï ✓ \U0001f600", "plain"])
def test_the_thin_client_writes_real_json(query: str) -> None:
    """Whatever the query holds, the daemon reads the same text."""
    understood = _understood(
        ["search", query, "-k", "3", "--lang", "python", "--lang=go", "--explain", "--json"]
    )
    assert understood == {
        "id": 1, "method": "search", "render": "json",
        "params": {"query": query, "k": 3, "languages": ["python", "go"], "explain": True},
    }  # fmt: skip
