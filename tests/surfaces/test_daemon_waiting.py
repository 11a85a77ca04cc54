"""A question to a daemon that brings the index up to date first, for long: who waits sees how far it is."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from everdex.errors import Busy
from everdex.service.index import Index, Reading
from everdex.surfaces.daemon.client import Connection
from everdex.sync.model import SyncOptions, SyncReport
from support.daemons import frame, resident
from support.trees import tree


@contextmanager
def _answering(path: Path, after_s: float) -> Iterator[None]:
    """A daemon that indexes: it tells so when pinged, and answers everything else after a while."""

    def converse(client: socket.socket) -> None:
        with suppress(OSError), client, client.makefile("rb") as stream:
            while head := stream.read(4):
                asked = json.loads(stream.read(int.from_bytes(head, "big")))
                if "hello" in asked:
                    reply: dict[str, Any] = {"hello": {"pid": 1}}
                elif asked["method"] == "ping":
                    reply = {"id": asked["id"], "result": {"indexing": [1_200, 80_000], "graph": {"state": "due"}}}
                else:
                    time.sleep(after_s)
                    reply = {"id": asked["id"], "result": {"answer": 42}}
                client.sendall(frame(reply))

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=converse, args=(client,), daemon=True).start()

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        threading.Thread(target=accept, daemon=True).start()
        yield
        listener.shutdown(socket.SHUT_RDWR)


def test_who_waits_for_an_answer_sees_how_far_the_index_is(tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    with _answering(tmp_path / "s", 1.5), Connection(tmp_path / "s") as connection:
        found = connection.call_patiently("search", {}, lambda *told: heard.append(told))
    assert found == {"answer": 42}
    assert set(heard) == {("index", 1_200, 80_000)}


def test_who_cannot_wait_longer_is_told_how_far_it_is(tmp_path: Path) -> None:
    """An agent's client gives up after a minute: before that it hears when to ask again."""
    with _answering(tmp_path / "s", 30), Connection(tmp_path / "s") as connection, pytest.raises(Busy) as raised:
        connection.call_patiently("search", {}, lambda *_: None, seconds=3)
    assert raised.value.message == "the index is being brought up to date: 1,200 of 80,000 files"
    assert raised.value.retry_after_ms


def test_a_daemon_knows_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a look indexes, and not after it, however it ends."""
    root = tree(tmp_path / "project", {"a.py": "def alpha(): ...\n"}, git=True)
    seen: list[tuple[int, int] | None] = []
    sync = Index.sync

    def slow(index: Index, options: SyncOptions | None = None, *, wait: bool = False) -> SyncReport:
        assert options is not None
        options.progress("index", 3, 9)
        seen.append(warm.indexing)
        options.progress("publish", 9, 9)
        seen.append(warm.indexing)
        return sync(index, options, wait=wait)

    with resident(root) as warm:
        monkeypatch.setattr(Index, "sync", slow)
        assert warm.indexing is None
        assert warm.stated(Reading()).state == "fresh"
        assert (seen, warm.indexing) == ([(3, 9), (3, 9)], None)
