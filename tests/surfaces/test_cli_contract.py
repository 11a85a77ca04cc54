"""What holds for every command: help, JSON errors, no tracebacks, a light start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest

from everdex import __version__, limits
from everdex.surfaces.cli import app
from support.commands import everdex
from support.examples import examples_of, parse
from support.trees import tree


def _command(name: str) -> click.Command:
    found = app.everdex.get_command(click.Context(app.everdex), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", app.COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    """A summary that is the same in the list and in the command, prose, an example, and help for each option."""
    command = _command(name)
    assert command.short_help in [group.get(name) for group in app.GROUPS.values()]
    text = command.help or ""
    assert "Example" in text
    assert f"everdex {name}" in text
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert [option.name for option in options if not option.help] == []
    assert "--json" in [flag for option in options for flag in option.opts]


@pytest.mark.parametrize("name", app.COMMANDS)
def test_every_example_is_accepted(name: str) -> None:
    """Each command line under Examples is one that the real parser takes."""
    _, heading, below = (_command(name).help or "").partition("Examples:\n")
    assert heading
    commands = examples_of(below)
    assert commands
    for command in commands:
        parse(command)


def test_help_and_version() -> None:
    """Both on stdout with exit code 0; nothing at all means help."""
    assert everdex("--version").out == f"everdex {__version__}\n"
    assert everdex("--help").out == everdex().out
    for line in ("search", "Exit codes:", "EVERDEX_HOME"):
        assert line in everdex("-h").out


@pytest.mark.parametrize(
    "arguments",
    [("nonsense",), ("search",), ("search", "x", "--mode", "none"), ("search", "x", "-k", "0"), ("index", "--speed")],
)
def test_a_usage_error_is_one_message_and_a_hint(arguments: tuple[str, ...]) -> None:
    """Exit code 2 with the reason on stderr, or as a document on stdout with --json."""
    plain = everdex(*arguments)
    assert (plain.code, plain.out) == (2, "")
    assert plain.err.startswith("everdex: ")
    assert plain.err.splitlines()[-1].startswith("hint: run `everdex")
    as_json = everdex(*arguments, "--json")
    assert (as_json.code, as_json.json["error"]["code"], as_json.err) == (2, "usage", "")


def test_a_missing_directory_is_refused(tmp_path: Path) -> None:
    """Whatever the command."""
    for name in ("index", "files", "status", "chunks", "gc", "compact", "health", "audit", "repair", "upgrade-store"):
        done = everdex(name, tmp_path / "none", "--json")
        assert (done.code, done.json["error"]["code"]) == (2, "root_refused")


def test_an_unexpected_exception_is_one_line(tmp_path: Path) -> None:
    """Exit code 70 and no traceback, unless EVERDEX_DEBUG asks for it."""
    root = tree(tmp_path / "r", {"a.py": "x = 1\n"})
    broken = (
        "import sys\nfrom everdex.service.index import Index\nfrom everdex.surfaces.cli.app import run\n"
        "def fail(*_, **__): raise ZeroDivisionError('planted')\n"
        "Index.status = fail\nsys.exit(run(['status', sys.argv[1]]))\n"
    )
    for debug in ("", "1"):
        done = subprocess.run(
            [sys.executable, "-c", broken, root], capture_output=True, text=True, check=False,
            env={**os.environ, "EVERDEX_DEBUG": debug},
        )  # fmt: skip
        assert done.returncode == 70
        assert "everdex: ZeroDivisionError: planted at" in done.stderr
        assert ("Traceback" in done.stderr) == (debug == "1")


def test_a_full_or_forbidden_home_is_an_error_of_the_disk(tmp_path: Path) -> None:
    """A file where the home should be: exit code 70, named."""
    root = tree(tmp_path / "r", {"a.py": "x = 1\n"})
    (tmp_path / "file").write_text("")
    done = everdex("index", root, "--json", env={"EVERDEX_HOME": str(tmp_path / "file" / "home")})
    assert (done.code, done.json["error"]["code"]) == (70, "io_error")
    assert str(tmp_path / "file") in done.json["error"]["message"]


def test_a_home_whose_path_no_database_can_have_is_named(tmp_path: Path) -> None:
    """SQLite opens paths of 512 bytes only: a longer home is a usage error that says so, not a full disk."""
    root = tree(tmp_path / "r", {"a.py": "x = 1\n"})
    room = limits.MAX_HOME_BYTES - len(str(tmp_path)) - 1
    longest = tmp_path / ("h" * 100) / ("h" * (room - 101))
    assert everdex("index", root, env={"EVERDEX_HOME": str(longest)}).code == 0
    done = everdex("index", root, "--json", env={"EVERDEX_HOME": f"{longest}h"})
    assert (done.code, done.json["error"]["code"]) == (2, "usage")
    assert "EVERDEX_HOME is too long" in done.json["error"]["message"]
    assert "shorter" in done.json["error"]["hint"]


HEAVY = ("numpy", "rich", "tree_sitter", "tokenizers", "safetensors", "xxhash", "multiprocessing", "asyncio")


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["search", "--help"], ["index", "."], ["files", "."], ["explain", "a.py"],
     ["status", "."], ["stores"]],
)  # fmt: skip
def test_a_light_command_loads_nothing_heavy(tmp_path: Path, arguments: list[str]) -> None:
    """Cold start is a feature: neither numpy, rich nor a grammar on the way to these, nor to a no-change index."""
    root = tree(tmp_path / "r", {"a.py": "x = 1\n"})
    everdex("index", cwd=root)
    assert _loaded(root, arguments, HEAVY) == [0, []]


# What graphs are made with, or what is resolved before one is made: nothing of a graph that is there.
MAKING = tuple(f"graph.{each}" for each in ("making.build", "making.world", "answers.begun", "answers.unmade"))


def test_a_question_loads_only_the_resolvers_of_what_was_edited(tmp_path: Path) -> None:
    """Of a graph that is made none, and nothing that draws; nothing of a graph where none is asked. Without a daemon
    every command begins by loading."""
    root = tree(tmp_path / "r", {"a.py": "def go(): pass\ngo()\n", "b.js": "b()\n", "c.go": "package c\n"})
    packages = ("python", "javascript", "names")
    wanted = [f"everdex.graph.{each}.resolver" for each in packages]
    asking = ["service.relations", *MAKING, "graph.definitions.declarations", "graph.definitions.atlas"]
    assert _loaded(root, ["symbols", "go"], [f"everdex.{each}" for each in asking]) == [0, []]
    everdex("callers", "go", cwd=root)
    unasked = ["canvas.sheet", "canvas.impact", "graph.overview", "graph.answers.impact", "state.rename", *MAKING]
    assert _loaded(root, ["callers", "go"], [*wanted, *(f"everdex.{each}" for each in unasked)]) == [0, []]
    unasked = ["graph.answers.queries", "graph.answers.ways", "parse.interface", "state.rename_model", *MAKING]
    everdex("gate", "a.py", cwd=root)
    assert _loaded(root, ["gate", "a.py"], [*wanted, *(f"everdex.{each}" for each in unasked)]) == [0, []]
    (root / "a.py").write_text("def go(): pass\ngo()\ngo()\n")
    assert _loaded(root, ["callers", "go"], wanted) == [0, ["everdex.graph.python.resolver"]]


def _loaded(root: Path, arguments: list[str], modules: Sequence[str]) -> list[Any]:
    """The exit code of a command, and which of these modules it has loaded."""
    script = (
        "import json, sys\nfrom everdex.surfaces.cli.app import run\ncode = run(json.loads(sys.argv[1]))\n"
        "print(json.dumps([code, sorted(set(json.loads(sys.argv[2])) & set(sys.modules))]), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(arguments), json.dumps(modules)], cwd=root, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    found: list[Any] = json.loads(done.stderr.splitlines()[-1])
    return found
