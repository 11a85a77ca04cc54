"""Directories of the store whose insides come from strangers: measured and removed whatever was made of them.

What an indexer leaves may be nested deeper than a path can be long or Python recurse, and closed to its owner. No link
is followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from everdex import clock
from everdex.durable import storage_errors


def tree_size(path: Path, failed: Callable[[OSError], None] = lambda _error: None) -> int:
    """Bytes of a file, or below a directory, by share where one has several names.

    What cannot be looked at (gone since, mostly) counts nothing, and is told to `failed`.
    """
    total, pending = 0, [os.fspath(path)]
    while pending:
        place = pending.pop()
        try:
            if not stat.S_ISDIR((found := os.lstat(place)).st_mode):
                total += _share(found)
                continue
            entries = list(os.scandir(place))
        except OSError as error:
            failed(error)
            continue
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    total += _share(entry.stat(follow_symlinks=False))
            except OSError as error:
                failed(error)
    return total


def _share(found: os.stat_result) -> int:
    return found.st_size // max(found.st_nlink, 1)


def remove_all(directory: Path) -> None:
    """Delete a directory and all that is in it; nothing when there is none."""
    with storage_errors(directory):
        while entries := _entries(directory):
            for entry in entries:
                with suppress(FileNotFoundError):  # somebody else removes it, too
                    if entry.is_dir(follow_symlinks=False):
                        _flatten(entry, directory)
                    else:
                        os.unlink(entry.path)
        with suppress(FileNotFoundError):
            directory.rmdir()


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(directory))
    except FileNotFoundError:
        return []


def _flatten(entry: os.DirEntry[str], top: Path) -> None:
    """Delete a directory of `top`, with its own directories moved up there: so no path is ever long."""
    os.chmod(entry.path, 0o700)
    for inner in list(os.scandir(entry.path)):
        if inner.is_dir(follow_symlinks=False):
            os.chmod(inner.path, 0o700)  # what changes its parent has to be writable itself
            os.rename(inner.path, top / clock.new_ulid())
        else:
            os.unlink(inner.path)
    os.rmdir(entry.path)
