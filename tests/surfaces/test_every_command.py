"""What DESIGN promises of all commands alike: one document each, its envelope, its errors, its exit code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from everdex import errors
from everdex.surfaces.cli import app
from support.commands import everdex
from support.stores import use_home
from support.trees import tree

# DESIGN's "every answer", in its order.
ENVELOPE = (
    "schema_version", "request_id", "store_id", "snapshot_id", "digest", "config_fingerprint", "ignore_fingerprint",
    "query_fingerprint", "git", "degraded", "freshness", "limits_hit", "warnings", "timings_ms",
)  # fmt: skip
OF_NO_INDEX = ("schema_version", "request_id", "limits_hit", "warnings", "timings_ms")
ERROR = ("code", "message", "hint", "retry_after_ms", "snapshot_id", "request_id")
PINNABLE = "snapshot"  # what answers from a snapshot, and from one that is named
SNAPSHOT = "active"  # what answers from the active snapshot and takes no other
TREE = "tree"  # what speaks of the tree or of the store: snapshot_id and digest are null
NOWHERE = "no index"  # what speaks of the home, this machine or an agent's settings
APART = ("hook", "serve")  # a hook prints what Claude Code defines; a daemon is started below

COMMANDS: dict[str, tuple[str, str]] = {
    "index": ("index", SNAPSHOT),
    "search": ("search helper", PINNABLE),
    "symbols": ("symbols helper", PINNABLE),
    "refs": ("refs helper", PINNABLE),
    "callers": ("callers helper", PINNABLE),
    "callees": ("callees run", PINNABLE),
    "impact": ("impact helper", PINNABLE),
    "map": ("map", PINNABLE),
    "architecture": ("architecture", PINNABLE),
    "explore": ("explore", PINNABLE),
    "graph": ("graph export", PINNABLE),
    "rename": ("rename helper other --plan", PINNABLE),
    "gate": ("gate app.py", PINNABLE),
    "board": ("board", PINNABLE),
    "state": ("state", PINNABLE),
    "contexts": ("contexts", PINNABLE),
    "refresh": ("refresh", TREE),
    "jobs": ("jobs", TREE),
    "files": ("files", TREE),
    "explain": ("explain app.py", TREE),
    "chunks": ("chunks", PINNABLE),
    "status": ("status", PINNABLE),
    "health": ("health", PINNABLE),
    "audit": ("audit", PINNABLE),
    "repair": ("repair --dry-run", SNAPSHOT),
    "gc": ("gc", SNAPSHOT),
    "compact": ("compact", SNAPSHOT),
    "stores": ("stores", NOWHERE),
    "mcp": ("mcp", NOWHERE),
    "stop": ("stop", NOWHERE),
    "install": ("install codex --dry-run", NOWHERE),
    "uninstall": ("uninstall codex", NOWHERE),
    "doctor": ("doctor", NOWHERE),
    "completions": ("completions bash", NOWHERE),
    "upgrade-store": ("upgrade-store", SNAPSHOT),
}
READING = [name for name, (_, of) in COMMANDS.items() if of == PINNABLE] + ["files", "explain", "jobs"]
Run = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path, str]]:
    """An indexed repository with its graph, the home it is in, and a snapshot that is retained and no longer active."""
    root = tree(
        tmp_path_factory.mktemp("every") / "project",
        {"core.py": "def helper(a):\n    return a\n",
         "app.py": "from core import helper\n\n\ndef run():\n    return helper(1)\n"},
        git=True,
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        home = use_home(patch, tmp_path_factory.mktemp("home"))
        older = str(everdex("index", "--json", cwd=root).json["snapshot_id"])
        (root / "more.py").write_text("from app import run\n\nrun()\n")
        assert everdex("callers", "helper", cwd=root).code == 0
        yield root, home, older


@pytest.fixture
def run(
    store: tuple[Path, Path, str], monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """A command line in this process, in the prepared repository: its exit code and its one document."""
    monkeypatch.setenv("EVERDEX_HOME", str(store[1]))
    monkeypatch.chdir(store[0])

    def run(*arguments: str) -> tuple[int, dict[str, Any]]:
        capfdbinary.readouterr()
        code = app.run(arguments)
        out, _ = capfdbinary.readouterr()
        assert out.count(b"\n") == 1, out
        return code, json.loads(out)

    return run


def _flags(name: str) -> set[str]:
    command = app.everdex.get_command(click.Context(app.everdex), name)
    assert command is not None
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    return {flag for item in (command, *inner) for parameter in item.params for flag in parameter.opts}


def test_every_command_is_here() -> None:
    """A new command says which envelope it answers in."""
    assert {*COMMANDS, *APART} == set(app.COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_answer_has_the_whole_envelope(name: str, run: Run) -> None:
    """`--json` is one document; what speaks of an index has DESIGN's fourteen fields, and says which snapshot."""
    line, speaks_of = COMMANDS[name]
    code, document = run(*line.split(), "--json")
    assert code in (0, 1), document
    if speaks_of == NOWHERE:
        assert tuple(field for field in OF_NO_INDEX if field not in document) == ()
        return
    assert tuple(document)[: len(ENVELOPE)] == ENVELOPE
    assert set(document["git"]) == {"head_sha", "dirty", "untracked_included"}
    assert set(document["freshness"]) == {"state", "dirty_count", "checked_at"}
    for field in ("request_id", "store_id", "config_fingerprint", "query_fingerprint"):
        assert document[field], field
    named = (document["snapshot_id"], document["digest"], document["git"]["head_sha"])
    assert all(named) if speaks_of != TREE else not any(named), named


@pytest.mark.parametrize("name", READING)
def test_every_reading_command_answers_from_a_snapshot_that_is_named(
    name: str, run: Run, store: tuple[Path, Path, str]
) -> None:
    """`--snapshot` and `--offline` everywhere: the answer names that snapshot and says what offline means."""
    assert _flags(name) >= {"--snapshot", "--offline", "--json"}
    code, document = run(*COMMANDS[name][0].split(), "--snapshot", store[2], "--offline", "--json")
    assert code in (0, 1), document
    assert any(warning.startswith("offline: ") for warning in document["warnings"])
    assert (document["snapshot_id"], document["freshness"]["state"]) == (store[2], "pinned")


@pytest.mark.parametrize("name", READING)
def test_a_snapshot_that_is_not_retained_is_an_error_with_every_field(name: str, run: Run) -> None:
    """The same error of every reading command: six fields, exit code 2, nothing else on stdout."""
    code, document = run(*COMMANDS[name][0].split(), "--snapshot", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--json")
    assert (code, tuple(document)) == (errors.SnapshotNotFound.exit_code, ("error",))
    assert tuple(document["error"]) == ERROR
    assert document["error"]["code"] == "snapshot_unknown"
    assert document["error"]["hint"]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("stores", "completions")])
def test_a_refused_root_is_an_error_with_every_field(
    name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No command answers for a directory that is the user's home; doctor says so among its checks."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    code, document = run(*COMMANDS[name][0].split(), "--json")
    if name in ("doctor", "install", "uninstall"):
        assert "error" not in document or tuple(document["error"]) == ERROR
        return
    assert (code, document["error"]["code"]) == (2, "root_refused")
    assert tuple(document["error"]) == ERROR


@pytest.mark.parametrize("name", [*COMMANDS, *APART])
def test_a_usage_error_of_any_command_is_an_error_with_every_field(name: str, run: Run) -> None:
    """An option that nobody has: exit code 2 and the error object."""
    code, document = run(name, "--no-such-option", "--json")
    assert (code, tuple(document["error"]), document["error"]["code"]) == (2, ERROR, "usage")


def test_a_daemon_that_is_started_and_stopped_says_so_in_one_document_each(store: tuple[Path, Path, str]) -> None:
    """`serve --detach --json` and `stop --json`."""
    environment = {"EVERDEX_HOME": str(store[1])}
    served = everdex("serve", "--detach", "--json", cwd=store[0], env=environment).json
    stopped = everdex("stop", "--json", cwd=store[0], env=environment).json
    assert all(field in document for document in (served, stopped) for field in OF_NO_INDEX)
    assert (stopped["stopped"], stopped["pid"]) == (True, served["pid"])
