"""A copy of a snapshot's files for an indexer: it reads the very bytes that were indexed, and writes beside them.

The user's tree is never what a tool is run in: builds write where they are run, and an edit meanwhile would make the
tool's answer one about bytes that nobody has. What a tool needs beyond indexed files (lock files, installed packages)
is copied or linked by name. Links of the tree that lead out of it are not followed.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from posixpath import dirname
from typing import Final

from everdex import limits
from everdex.durable import storage_errors
from everdex.errors import LimitExceeded
from everdex.semantic.tools import Tool

_DATABASE: Final = "compile_commands.json"
_PYRIGHT: Final = "pyrightconfig.json"


def make(tree: Path, root: Path, paths: Iterable[str], source: Callable[[str], bytes], tool: Tool) -> None:
    """Write the files `paths` of a snapshot below `tree`, and what else the tool needs of the repository `root`."""
    total = 0
    made: set[str] = set()
    with storage_errors(tree):
        for path in paths:
            directory = dirname(path)
            if directory not in made:
                (tree / directory).mkdir(parents=True, exist_ok=True)
                made.update((directory, *map(str, Path(directory).parents)))
            data = source(path)
            total += len(data)
            if total > limits.SEMANTIC_SCRATCH_BYTES // 2:
                raise LimitExceeded(f"the indexed files have more than {limits.SEMANTIC_SCRATCH_BYTES >> 21:,} MiB")
            (tree / path).write_bytes(data)
        for directory in sorted("" if name == "." else name for name in made | {""}):
            _add_needed(tree, root, directory, tool)


def _add_needed(tree: Path, root: Path, directory: str, tool: Tool) -> None:
    if not tool.needs and not tool.links:
        return
    place = root / directory
    # The directory may be another by now than when it was indexed: never through a link out of the repository.
    if os.path.realpath(place) != os.fspath(place):
        return
    try:
        entries = list(os.scandir(place))
    except OSError:
        return  # gone since
    for entry in entries:
        target = tree / directory / entry.name
        if os.path.lexists(target) or entry.is_symlink():
            continue
        if entry.name in tool.links and entry.is_dir():
            target.symlink_to(entry.path, target_is_directory=True)
        elif any(fnmatchcase(entry.name, pattern) for pattern in tool.needs):
            found = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and found.st_size <= limits.MAX_FILE_SIZE_BYTES:
                shutil.copy(entry.path, target, follow_symlinks=False)


def adjust(tree: Path, root: Path, directory: str, tool: Tool) -> None:
    """What tools would get wrong in a copy, or without an installation, of the context in `directory`."""
    place = tree / directory
    database, own = place / _DATABASE, place / _PYRIGHT
    if tool.name == "scip-clang" and database.is_file():
        # It names files by where they were built: have it name those of the copy.
        database.write_bytes(database.read_bytes().replace(os.fsencode(root) + b"/", os.fsencode(tree) + b"/"))
    if tool.name == "scip-python" and (place / "src").is_dir() and not own.exists():
        project = place / "pyproject.toml"
        if not (project.is_file() and b"[tool.pyright" in project.read_bytes()):
            # Packages below src are installed under their own names, which nobody has done here.
            own.write_bytes(b'{"extraPaths":["src"]}')
