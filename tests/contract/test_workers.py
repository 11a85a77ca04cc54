"""Worker processes: nothing of the tree under index runs in them, and they end with their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from everdex import limits
from everdex.errors import InternalError, WorkerGone
from everdex.sync.processes import WorkerProcess
from support.processes import alive, children, running, until

# Enough bytes that a sync starts workers, and little to do for each.
_TEXT = ("so many words and none of them new " * 3 + "\n") * 3_200


def _big_tree(root: Path) -> None:
    root.mkdir()
    for n in range(10):
        (root / f"notes_{n}.txt").write_text(_TEXT)


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "EVERDEX_HOME": str(home), "EVERDEX_EMBEDDER": "fake"}


def test_modules_of_the_tree_are_never_imported(tmp_path: Path) -> None:
    """A numpy.py or pickle.py at the root of the tree is indexed, not run, though it is the current directory."""
    root = tmp_path / "tree"
    _big_tree(root)
    for name in ("numpy.py", "pickle.py", "ctypes.py", "sitecustomize.py"):
        (root / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    program = [sys.executable, "-P", "-m", "everdex", "index", "."]
    done = subprocess.run(program, cwd=root, env=_environment(tmp_path / "home"), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert not (tmp_path / "ran").exists()


def test_a_script_without_a_main_guard_can_index(tmp_path: Path) -> None:
    """Workers do not run the caller's script again."""
    root = tmp_path / "tree"
    _big_tree(root)
    script = tmp_path / "script.py"
    script.write_text(
        "from everdex.service.index import Index\n"
        f"report = Index.open({str(root)!r}).sync()\n"
        "print('chunks', report.manifest.counts.chunks_indexed > 100)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], env=_environment(tmp_path / "home"), capture_output=True, text=True, check=False
    )
    assert done.stdout == "chunks True\n", done.stderr


def test_a_worker_that_was_being_written_to_can_be_ended() -> None:
    """An interrupt between two bytes of a message is still an interrupt, not a closed pipe that ends in success."""
    worker = WorkerProcess("everdex.sync.worker_main", "an indexing worker", None)
    worker._process.kill()
    worker._process.wait()
    worker._stdin.write(b"half of a message")  # stays in the buffer
    worker.end()
    assert worker._stdin.closed


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_was_killed_is_no_bug(number: int) -> None:
    """The kernel ends what takes too much memory: the error says by what and what to do, whoever notices it first."""
    worker = WorkerProcess("everdex.sync.worker_main", "an indexing worker", None)
    os.kill(worker._process.pid, number)
    for _ in range(2):  # at the end of the answer, then at the broken pipe
        with pytest.raises(WorkerGone, match=f"an indexing worker was ended by {signal.Signals(number).name}") as told:
            worker.ask(())
        assert "--workers 1" in told.value.hint
    worker.end()


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_worker_that_is_stopped_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Neither for its answer nor, with a message longer than a pipe takes, for its ear: it is ended, and that told."""
    monkeypatch.setattr(limits, "STOPPED_S", 0.2)
    worker = WorkerProcess("everdex.sync.worker_main", "an indexing worker", None)
    os.kill(worker._process.pid, signal.SIGSTOP)
    with pytest.raises(WorkerGone, match="an indexing worker was stopped and stood still") as told:
        worker.ask(bytes(size))
    assert told.value.hint == "run the command again"
    worker.end()


def test_a_worker_that_goes_on_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped for a moment, as a debugger or a shell does it, it answers all the same."""
    monkeypatch.setattr(limits, "STOPPED_S", 600)
    worker = WorkerProcess("everdex.sync.worker_main", "an indexing worker", None)
    os.kill(worker._process.pid, signal.SIGSTOP)
    threading.Timer(1.5, os.kill, (worker._process.pid, signal.SIGCONT)).start()
    with pytest.raises(InternalError, match="indexing failed"):  # what it says to a message that is none
        worker.ask(())
    worker.end()


def test_a_worker_that_crashes_is_a_bug() -> None:
    """One that ends by itself, or by a signal that only a fault in it can raise, is reported as such."""
    for number in (signal.SIGSEGV, None):
        worker = WorkerProcess("everdex.sync.worker_main" if number else "everdex.no_such_module", "a worker", None)
        if number:
            os.kill(worker._process.pid, number)
        with pytest.raises(InternalError, match="SIGSEGV" if number else "code 1"):
            worker.ask(())
        worker.end()


def test_workers_die_with_their_parent(tmp_path: Path) -> None:
    """A killed sync leaves no worker running."""
    root = tmp_path / "tree"
    _big_tree(root)
    program = [sys.executable, "-P", "-m", "everdex", "index", str(root)]
    parent = subprocess.Popen(program, env=_environment(tmp_path / "home"), stderr=subprocess.DEVNULL)
    workers = until(lambda: running("worker_main", children(parent.pid)), "workers")
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    until(lambda: not any(map(alive, workers)), "their end")
