"""Indexers for tests: small programs under the names of real ones, in a directory that is all of PATH."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from everdex.service import exporting
from everdex.service.index import Index, Reading
from everdex.sync.model import SyncOptions

_PROGRAM = """#!{python} -I
import json, os, signal, socket, subprocess, sys, time
if "--version" in sys.argv:
    print("{version}")
    sys.exit(0)
output = next((sys.argv[n + 1] for n, word in enumerate(sys.argv) if word == "--output"), None)
{body}
"""


def put_indexer(
    directory: Path, monkeypatch: pytest.MonkeyPatch, body: str, *, name: str = "scip-python", version: str = "9.9.9"
) -> Path:
    """A program of that name on PATH, before git's directory; `output` is the file it is to write."""
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / name
    program.write_text(_PROGRAM.format(python=os.path.realpath(sys.executable), version=version, body=body))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:/usr/bin:/bin")
    return program


def export_index(made: Path, target: Path) -> Path:
    """What a perfect indexer would write of the tree as it is: everdex's own answer, as SCIP."""
    printing = exporting.Printing(str, str)
    options = SyncOptions(workers=1)
    with exporting.export(Index.open(made), "scip", Reading(), options, printing) as found:
        exporting.to_file(found.pieces, target)
    return target


def copying(index: Path) -> str:
    """The body of an indexer that writes that file."""
    return f'open(output, "wb").write(open({str(index)!r}, "rb").read())'
