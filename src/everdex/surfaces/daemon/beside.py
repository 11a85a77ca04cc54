"""Processes of ours beside this one: how they are started, which index they open, and the JSON lines they report in.

A daemon starts helpers and makers of graphs, a command starts the daemon. Knows nothing of what they do.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from everdex.errors import DaemonStopping
from everdex.service.index import Index

_TELL_S: Final = 0.1


def command(module: str, *arguments: str) -> list[str]:
    """The command line of a module of ours."""
    # -P: the working directory may be a hostile repository and must not be imported from.
    return [sys.executable, "-P", "-m", module, *arguments]


def identity(index: Index) -> list[str]:
    """The arguments of `open_same` in another process."""
    shared = "" if index.shared_store is None else os.fspath(index.shared_store)
    return [os.fspath(index.root.path), shared, index.config_fingerprint, index.query_fingerprint]


def open_same(root: str, shared_store: str, config_fingerprint: str, query_fingerprint: str) -> Index:
    """The index that another process has open; `DaemonStopping` when its configuration was changed meanwhile."""
    index = Index.open(root, force_root=True, shared_store=Path(shared_store) if shared_store else None)
    if (index.config_fingerprint, index.query_fingerprint) != (config_fingerprint, query_fingerprint):
        raise DaemonStopping("the configuration is another than the daemon's")
    return index


class Telling:
    """A progress callback that says it as documents: where a phase begins and ends, and between now and then."""

    def __init__(self, say: Callable[[dict[str, Any]], None]) -> None:
        self._say = say
        self._at = 0.0
        self._phase = ""

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase != self._phase or done == total or time.monotonic() - self._at >= _TELL_S:
            self._at, self._phase = time.monotonic(), phase
            self._say({"progress": [phase, done, total]})


def documents(pipe: int, look: Callable[[], None], every_s: float) -> Iterator[dict[str, Any]]:
    """The JSON lines that come from a pipe, until it is closed; before each wait for more, `look` is called."""
    pending = b""
    while True:
        look()
        if not select.select([pipe], [], [], every_s)[0]:
            continue
        piece = os.read(pipe, 65_536)
        if not piece:
            return
        *lines, pending = (pending + piece).split(b"\n")
        yield from (json.loads(line) for line in lines)
