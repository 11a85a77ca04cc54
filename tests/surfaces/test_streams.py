"""Standard streams that are full, closed or given up in the middle: a true exit code, and never a traceback."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from everdex.surfaces.cli import failures
from everdex.surfaces.cli.output import HalfWritten
from support.commands import COMMAND, everdex
from support.daemons import Daemon
from support.processes import PATIENCE_S
from support.trees import tree

FILES = {f"m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(40)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tree(tmp_path / "tree", FILES)
    assert everdex("index", cwd=root).code == 0
    return root


def _shell(root: Path, line: str) -> subprocess.CompletedProcess[str]:
    said = ["sh", "-c", line.replace("everdex", " ".join(COMMAND))]
    return subprocess.run(said, cwd=root, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


COMMANDS = ["status", "status --json", "search f3 --json", "search f3", "graph export", "chunks", "--help"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_under_stdout_is_an_error(root: Path, command: str) -> None:
    """70 and one message; 1 would mean that nothing was found."""
    done = _shell(root, f"everdex {command} > /dev/full")
    assert done.returncode == 70
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    if command != "--help":
        assert done.stderr.splitlines()[-2:] == [
            "everdex: standard output: No space left on device", "hint: what it holds is incomplete"
        ]  # fmt: skip


@pytest.mark.parametrize("command", ["status", "status --json", "search f3"])
def test_a_full_disk_under_stdout_is_an_error_through_a_daemon(root: Path, command: str) -> None:
    """The thin client says the same."""
    with Daemon(root):
        done = _shell(root, f"everdex {command} > /dev/full")
    assert (done.returncode, "Traceback" in done.stderr) == (70, False)
    assert "everdex: standard output: No space left on device" in done.stderr


@pytest.mark.parametrize("command", ["bogus 2> /dev/full", "bogus --json > /dev/full", "bogus 2>&-"])
def test_an_error_that_nobody_can_be_told_keeps_its_code(root: Path, command: str) -> None:
    """A usage error is one, whoever hears of it."""
    done = _shell(root, f"everdex {command}")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("command", ["status", "status --json", "index", "search f3"])
def test_a_stream_that_was_closed_is_not_missed(root: Path, command: str, closed: str) -> None:
    """As cron and agents start programs: done, and none of our files came to lie where a stream should be."""
    (root / "m3.py").write_text("def f3():\n    return 'another'\n")
    done = _shell(root, f"everdex {command} {closed}")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done
    assert everdex("health", "--json", cwd=root).json["status"] != "corrupt"


def test_nothing_follows_half_a_document(root: Path) -> None:
    """An interrupt in the middle of an export: the error goes to stderr, and stdout is not continued with it."""
    tree(root, {f"large/m{number}.py": "def f():\n    return g()\n\n\n" * 300 for number in range(12)})
    assert everdex("map", cwd=root).code == 0
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [*COMMAND, "graph", "export", "--json"], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    signal.signal(signal.SIGINT, before)
    assert process.stdout is not None
    first = process.stdout.read(1)  # more is to come than a pipe holds
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 12
    assert b'{"error"' not in out
    assert err.startswith(b"everdex: interrupted")
    with pytest.raises(json.JSONDecodeError):
        json.loads(first + out)


class _Interrupted:
    def __set_name__(self, owner: type, name: str) -> None:
        raise KeyboardInterrupt


def test_an_interrupt_that_the_interpreter_wrapped_is_one() -> None:
    """Python 3.11 makes a RuntimeError of what is raised while a class is made; it was `internal`, a bug."""
    with pytest.raises((RuntimeError, KeyboardInterrupt)) as raised:
        type("Made", (), {"field": _Interrupted()})
    assert failures.as_everdex(raised.value).code == "cancelled"
    assert failures.as_everdex(RuntimeError("no interrupt")).code == "internal"


def test_half_a_document_is_named_after_its_cause() -> None:
    """What ended it, not that it was ended."""
    for cause, code in ((KeyboardInterrupt(), "cancelled"), (OSError(28, "full"), "io_error")):
        half = HalfWritten()
        half.__cause__ = cause
        assert failures.as_everdex(half).code == code


_LATE = """
import atexit, os, signal, sys
from everdex import __main__
atexit.register(os.kill, os.getpid(), signal.SIGINT)  # while the interpreter is being taken down
sys.argv = ["everdex", "--version"]
__main__.main()
"""


def test_an_interrupt_after_the_last_word_changes_nothing(root: Path) -> None:
    """What was printed stands, and so does its exit code."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    done = subprocess.run([sys.executable, "-c", _LATE], cwd=root, capture_output=True, text=True, check=False)
    signal.signal(signal.SIGINT, before)
    assert (done.returncode, done.stdout.split()[0], done.stderr) == (0, "everdex", "")
