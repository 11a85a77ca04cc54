"""What a daemon does unasked: it finds by itself what no event told it."""

from __future__ import annotations

import mmap
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.daemons import Wire
from support.trees import tree

SERVE = """
import sys
from everdex import limits
from everdex.surfaces.cli.app import run
setattr(limits, sys.argv[1], 3)
sys.exit(run(['serve', sys.argv[2], '--json']))
"""


def _write_silently(path: Path, old: bytes, new: bytes) -> None:
    """Through a mapping: the content and the times change, and inotify reports nothing."""
    with path.open("r+b") as stream, mmap.mmap(stream.fileno(), 0) as mapped:
        at = mapped.find(old)
        mapped[at : at + len(new)] = new
        mapped.flush()


@pytest.mark.parametrize("limit", ["DAEMON_RECONCILE_S", "DAEMON_RECONCILE_IDLE_S"])
def test_what_no_event_reported_is_found_by_comparing(tmp_path: Path, home: Path, limit: str) -> None:
    """From time to time, and once after some time without a question, the tree is compared and what changed indexed."""
    root = tree(tmp_path / "project", {"a.py": "def zebra():\n    return 1\n"}, git=True)
    with subprocess.Popen([sys.executable, "-c", SERVE, limit, root], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline()
            (store,) = home.glob("data/*")
            before = (store / "ACTIVE_SNAPSHOT").read_text()
            _write_silently(root / "a.py", b"zebra", b"hyena")
            with Wire(str(store / "daemon.sock")) as wire:
                # A question that looks at nothing; from here on it is idle.
                found = wire.call("symbols", name="hyena", no_sync=True)["result"]
                assert (found["definitions"], found["snapshot_id"]) == ([], before.strip())
                deadline = time.monotonic() + 60
                while (store / "ACTIVE_SNAPSHOT").read_text() == before:
                    assert time.monotonic() < deadline, "nothing was published"
                    time.sleep(0.1)
                found = wire.call("symbols", name="hyena", no_sync=True)["result"]
                assert [item["path"] for item in found["definitions"]] == ["a.py"]
        finally:
            process.terminate()
