"""Files that are removed the moment somebody has listed them: what a second process does once in a thousand times."""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


class _Listed:
    """What `os.scandir` gives, read to its end already."""

    def __init__(self, entries: list[os.DirEntry[Any]]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[os.DirEntry[Any]]:
        return self._entries

    def __next__(self) -> os.DirEntry[Any]:
        return next(self._entries)

    def __enter__(self) -> _Listed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._entries = iter(())


def vanish_when_listed(monkeypatch: pytest.MonkeyPatch, *paths: Path, times: int = 1) -> Callable[[], bool]:
    """Remove each of these when a listing has shown it so many times; tells afterwards whether all are gone."""
    scandir, listdir = os.scandir, os.listdir
    removing = False  # rmtree lists too
    shown = dict.fromkeys(paths, 0)

    def remove(directory: Any) -> None:
        nonlocal removing
        if removing or isinstance(directory, int):
            return
        removing = True
        for path in paths:
            if os.fspath(path.parent) == os.path.normpath(os.fsdecode(directory)) and os.path.lexists(path):
                shown[path] += 1
                if shown[path] == times:
                    _remove(path)
        removing = False

    def scan(directory: Any = ".") -> _Listed:
        with scandir(directory) as entries:
            found = list(entries)
        remove(directory)
        return _Listed(found)

    def names(directory: Any = ".") -> list[Any]:
        found = listdir(directory)
        remove(directory)
        return found

    monkeypatch.setattr(os, "scandir", scan)
    monkeypatch.setattr(os, "listdir", names)
    globber = getattr(glob, "_StringGlobber", None)
    if getattr(globber, "scandir", None) is scandir:  # Python 3.13's pathlib took it when it was loaded
        monkeypatch.setattr(globber, "scandir", staticmethod(scan))
    return lambda: not any(map(os.path.lexists, paths))


def vanish_when_seen(monkeypatch: pytest.MonkeyPatch, path: Path) -> Callable[[], bool]:
    """Remove this when somebody has looked at its status; tells afterwards whether it is gone."""
    real = {name: getattr(os, name) for name in ("stat", "lstat")}

    def looking(name: str) -> Callable[..., os.stat_result]:
        def look(place: Any, **options: Any) -> os.stat_result:
            found: os.stat_result = real[name](place, **options)
            if not isinstance(place, int) and os.fsdecode(place) == os.fspath(path):
                monkeypatch.setattr(os, "stat", real["stat"])
                monkeypatch.setattr(os, "lstat", real["lstat"])
                _remove(path)
            return found

        return look

    for name in real:
        monkeypatch.setattr(os, name, looking(name))
    return lambda: not os.path.lexists(path)


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
