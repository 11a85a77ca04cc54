"""Little address space, a clock that is wrong, no room for watches: a right answer or a typed error, never a guess."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.commands import COMMAND, Done, everdex
from support.processes import PATIENCE_S
from support.trees import tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "tree", {"a.py": "def alpha():\n    return 1\n", "b.py": "import a\n\na.alpha()\n"})


def _run(root: Path, *command: object) -> Done:
    done = subprocess.run(
        [*map(str, command)], cwd=root, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("kib", [90_000, 100_000])
def test_little_address_space_is_not_nothing_found(root: Path, kib: int) -> None:
    """Where OpenBLAS finds no room it ends a process with code 1, which means something else here."""
    assert everdex("index", cwd=root).code == 0
    done = _run(root, "sh", "-c", f'ulimit -v {kib}; exec "$@"', "sh", *COMMAND, "search", "alpha")
    assert (done.code, done.out) in ((0, "a.py:1:def alpha():\nb.py:3:a.alpha()\n"), (70, ""))
    assert done.code == 0 or "out of memory: `ulimit -v` leaves less than" in done.err


@pytest.mark.parametrize("offset", ["+1y", "-1y", "-40y"])
def test_a_clock_that_jumps_costs_no_answer(root: Path, offset: str) -> None:
    """Indexed before, during or after the jump, every edit is in the next answer, and nothing waits for the future."""
    if shutil.which("faketime") is None:
        pytest.skip("no faketime here")
    then = ("faketime", "-f", offset, *COMMAND)
    assert _run(root, *then, "index").code == 0
    for number, command in enumerate((COMMAND, then, COMMAND, then)):
        (root / "a.py").write_text(f"def alpha():\n    return {number}\n\n\ndef beta_{number}():\n    return alpha()\n")
        assert _run(root, *command, "search", f"beta_{number}").out.startswith(f"a.py:5:def beta_{number}")
        assert _run(root, *command, "callers", "alpha").out.splitlines()[:2] == [
            "a.py:6:return alpha()", "b.py:3:a.alpha()",
        ]  # fmt: skip
    for command in (COMMAND, then):
        assert _run(root, *command, "gc", "--apply").code == 0
        assert _run(root, *command, "health").code == 0


@pytest.mark.parametrize("date", ["2099-01-01", "1970-01-01", "1901-12-14"])
def test_files_of_another_time_are_read_all_the_same(root: Path, date: str) -> None:
    """A time in the future or before all time, given back after each edit, hides none."""
    for number in range(3):
        (root / "a.py").write_text(f"def alpha_{number}():\n    return 1\n")
        subprocess.run(["touch", "-d", f"{date} 00:00:00 UTC", root / "a.py"], check=True)
        assert everdex("search", f"alpha_{number}", cwd=root).out.startswith(f"a.py:1:def alpha_{number}")


@pytest.mark.parametrize("limit", ["max_inotify_watches", "max_inotify_instances"])
def test_a_daemon_without_watches_looks_for_itself(root: Path, limit: str) -> None:
    """Where the kernel has none left for this user, an edit is in the next answer all the same."""
    if subprocess.run(["unshare", "-Ur", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    run = " ".join(map(str, COMMAND))
    script = (
        f"echo 0 > /proc/sys/user/{limit} && {run} serve --detach && echo 'def beta(): pass' >> a.py && "
        f"{run} search --daemon beta; {run} stop"
    )
    done = _run(root, "unshare", "-Ur", "sh", "-c", script)
    assert "a.py:3:def beta(): pass" in done.out.splitlines(), (done.out, done.err)
