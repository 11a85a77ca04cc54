"""Is this machine fit for everdex? One check a question, each ok, warn or fail, with what to do about it.

A failed check means that something will not work, a warning that something works less well or is not set up. Changes
nothing but for a lock file of its own, which it removes. Knows no daemon and no agent: those checks belong to the
surfaces that have them.
"""

from __future__ import annotations

import fcntl
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from everdex import __version__, config, limits
from everdex.discover.beneath import openat2_works
from everdex.embed import open_embedder
from everdex.errors import ConfigError, EmbedderUnavailable, EverdexError, NotIndexed
from everdex.languages import GRAMMARS
from everdex.roots import Root, canonical_root, everdex_home, git_environment
from everdex.service import maintain
from everdex.service.index import Index, Reading
from everdex.settings import auto_start, daemon_settings

OK: Final = "ok"
WARN: Final = "warn"
FAIL: Final = "fail"
_FREE_BYTES: Final = 1 << 30
_LEAST_BYTES: Final = 64 << 20  # with less, not even a small index can be written beside the one before
_INOTIFY: Final = Path("/proc/sys/fs/inotify")


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's report."""

    code: str
    status: str
    message: str
    hint: str = ""


def examine(path: Path) -> Iterator[Finding]:
    """Every check that needs no other process; the last ones speak of the repository around `path`."""
    yield _python()
    yield _command()
    yield _git()
    yield _grammars()
    places = [*_home()]
    yield from places
    yield _settings()
    yield _openat2()
    yield _inotify()
    yield from _repository(path, stores_work=all(finding.status != FAIL for finding in places))


def _repository(path: Path, *, stores_work: bool) -> Iterator[Finding]:
    """The root, its model and its store; what cannot be told for want of what came before is left out."""
    try:
        index = Index.open_to_read(path)
    except EmbedderUnavailable as error:
        yield _root(canonical_root(path))
        yield _no_model(config.load(canonical_root(path).path), error)
        return
    except EverdexError as error:
        yield Finding("root", WARN if error.code == "root_refused" else FAIL, error.message, error.hint)
        return
    yield _root(index.root)
    try:
        yield _model(index)
    except EmbedderUnavailable as error:
        yield _no_model(index.config, error)
        return
    if stores_work:
        yield _store(index)


def _python() -> Finding:
    message = f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})"
    return Finding("python", OK, message)


def _command() -> Finding:
    found = shutil.which("everdex")
    if found is None:
        hint = "add the directory of the everdex script to PATH: agents and hooks call it by name"
        return Finding("command", WARN, f"everdex {__version__} is not on PATH", hint)
    return Finding("command", OK, f"everdex {__version__} ({found})")


def _git() -> Finding:
    try:
        done = subprocess.run(
            ["git", "--version"], capture_output=True, check=True, env=git_environment(), timeout=limits.GIT_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError):
        return Finding("git", WARN, "git cannot be run", "install git; without it ignore rules of git do not count")
    version = re.search(rb"\d+(\.\d+)+", done.stdout)
    return Finding("git", OK, version[0].decode() if version else "version unknown")


def _grammars() -> Finding:
    from everdex.parse import grammar

    broken = []
    for name in GRAMMARS:
        try:
            grammar.query(name)
        except Exception as error:  # noqa: BLE001 - whatever a foreign module raises, this grammar does not load
            broken.append(f"{name} ({type(error).__name__})")
    if broken:
        return Finding("grammars", FAIL, f"{len(broken)} do not load: {', '.join(broken)}", "reinstall everdex")
    return Finding("grammars", OK, f"all {len(GRAMMARS)} load")


def _home() -> Iterator[Finding]:
    """Where stores live: writable, roomy, and with locks that exclude."""
    home = everdex_home()
    there = home
    while not os.path.lexists(there):
        there = there.parent
    elsewhere = "set EVERDEX_HOME to a directory of yours"
    if not there.is_dir():
        yield Finding("home", FAIL, f"{there} is not a directory", elsewhere)
        return
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        yield Finding("home", FAIL, f"{home} cannot be written", elsewhere)
        return
    made = "" if home.is_dir() else ", made by the first index"
    free = shutil.disk_usage(there).free
    room = f"{free / (1 << 30):.1f} GiB" if free >= _FREE_BYTES else f"{free >> 20} MiB"
    hint = "" if free >= _FREE_BYTES else "free disk space, or set EVERDEX_HOME to another disk"
    status = OK if not hint else WARN if free >= _LEAST_BYTES else FAIL
    yield Finding("home", status, f"{home}{made}, {room} free", hint)
    yield _flock(there)


def _settings() -> Finding:
    """What the user decided for all repositories."""
    try:
        starts = auto_start()
        daemon_settings()
    except ConfigError as error:
        return Finding("settings", FAIL, error.message, error.hint)
    return Finding("settings", OK, f"daemons are started {'by the first question' if starts else 'by hand'}")


def _flock(directory: Path) -> Finding:
    try:
        with tempfile.TemporaryFile(dir=directory) as first:
            fcntl.flock(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with open(f"/proc/self/fd/{first.fileno()}", "rb") as second:
                try:
                    fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return Finding("flock", OK, "locks exclude each other")
    except OSError as error:
        return Finding("flock", FAIL, f"locks do not work: {error.strerror}", "set EVERDEX_HOME to a local disk")
    return Finding("flock", FAIL, "locks do not exclude each other", "set EVERDEX_HOME to a local disk")


def _openat2() -> Finding:
    if openat2_works():
        return Finding("openat2", OK, "the kernel keeps reads inside the root")
    return Finding("openat2", WARN, "not in this kernel: reads are checked after opening", "Linux 5.6 or newer has it")


def _inotify() -> Finding:
    try:
        watches, instances = (int((_INOTIFY / f"max_user_{name}").read_text()) for name in ("watches", "instances"))
    except (OSError, ValueError):
        return Finding("inotify", WARN, "no inotify here", "a daemon then compares the tree at every question")
    message = f"{watches:,} watches, {instances:,} instances"
    if watches < limits.MAX_WATCHED_DIRECTORIES:
        hint = (
            f"sysctl fs.inotify.max_user_watches={limits.MAX_WATCHED_DIRECTORIES * 2} lets a daemon watch large trees"
        )
        return Finding("inotify", WARN, message, hint)
    return Finding("inotify", OK, message)


def _root(root: Root) -> Finding:
    return Finding("root", OK, f"{root.path} ({'git repository' if root.is_git else 'directory without git'})")


def _model(index: Index) -> Finding:
    spec = index.config.index.embedder
    embedder = open_embedder(spec, index.root.path)
    if embedder is None:
        return Finding("model", OK, "none, as configured: lexical search only")
    return Finding("model", OK, f"{spec}, {embedder.dim} dimensions")


def _no_model(settings: config.Config, error: EmbedderUnavailable) -> Finding:
    mend = f"put the model there, or name another as [index] embedder in {config.CONFIG_NAME}"
    return Finding("model", FAIL, error.message, error.hint if settings.index.embedder == "bundled" else mend)


def _store(index: Index) -> Finding:
    try:
        document = maintain.health(index, Reading()).to_dict()
    except NotIndexed:
        return Finding("store", WARN, "not indexed yet", "run `everdex index`")
    except EverdexError as error:
        return Finding("store", FAIL, error.message, error.hint)
    bad = [check["code"] for check in document["checks"] if check["status"] != "ok"]
    if bad == ["index_drift"] and document["status"] == "degraded":
        since = "the tree has changed since, and the next question looks at it"
        return Finding("store", OK, f"ok: snapshot {document['snapshot_id']}; {since}")
    status = {"ok": OK, "degraded": WARN}.get(document["status"], FAIL)
    message = f"{document['status']}: snapshot {document['snapshot_id']}"
    return Finding(
        "store", status, f"{message}{', ' if bad else ''}{', '.join(bad)}", "see `everdex health`" if bad else ""
    )
