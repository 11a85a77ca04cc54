"""Which directory is indexed, and where its store lives.

A root is canonical: git's top level when there is one, otherwise the requested directory, always after
`realpath`. The store id carries the root's hash (two worktrees never share) and the configuration's
(two configurations never mix).
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path

import msgspec

from everdex import limits
from everdex.errors import RootRefused, UsageError


class Root(msgspec.Struct, frozen=True):
    """A canonical root: `path` is a realpath; `is_git` tells whether git answers for it."""

    path: Path
    is_git: bool


# Settings of a repository's own .git/config can run programs; none of them may run because we looked.
SAFE_GIT = (
    "git",
    "--no-optional-locks",
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.quotePath=false",
    "-c", "submodule.recurse=false",
)  # fmt: skip


def git_environment() -> dict[str, str]:
    """The environment for git: no prompts, no network, and none of the caller's GIT_* redirections."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    # A partial clone's own config says where missing objects come from, and that may be any program.
    offline = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
    return {**kept, **offline, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}


def canonical_root(requested: str | os.PathLike[str], *, force: bool = False) -> Root:
    """Resolve a requested path to its root; refuses `/`, `$HOME`, git's own files and what is not a directory."""
    path = Path(requested)
    if not path.exists():
        raise RootRefused(f"{path} does not exist", hint="name an existing directory")
    directory = path if path.is_dir() else path.parent
    try:
        real = Path(os.path.realpath(directory))
    except FileNotFoundError as error:  # the working directory itself was deleted
        raise RootRefused("the current directory no longer exists", hint="change to an existing directory") from error
    top = _git_top(real)
    root = Root(top, True) if top is not None else Root(real, False)
    try:
        os.fspath(root.path).encode()
    except UnicodeEncodeError as error:
        raise RootRefused(f"the path {str(root.path)!a} is not UTF-8", hint="rename the directory") from error
    if not force:
        _refuse_dangerous(root.path)
        if not root.is_git:
            _refuse_git_directory(root.path)
    return root


def _git_top(directory: Path) -> Path | None:
    try:
        answer = subprocess.run(
            [*SAFE_GIT, "-C", os.fspath(directory), "rev-parse", "--show-toplevel"],
            capture_output=True, check=False, env=git_environment(), timeout=limits.GIT_TIMEOUT_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    if answer.returncode != 0:
        return None
    top = os.fsdecode(answer.stdout.rstrip(b"\n"))
    if not top:
        return None
    real = Path(os.path.realpath(top))
    # core.worktree in an untrusted .git/config can name any directory: only one around us is our root.
    return real if real == directory or real in directory.parents else None


def _refuse_dangerous(path: Path) -> None:
    home = user_home()
    if path == Path(path.anchor):
        raise RootRefused(f"refusing to index the whole file system ({path})")
    if home is not None and path == Path(os.path.realpath(home)):
        raise RootRefused(f"refusing to index the home directory ({path})")


def _refuse_git_directory(path: Path) -> None:
    """A bare repository, or inside of .git: there are hooks and objects, and none of the files that one looks for."""
    for directory in (path, *path.parents):
        if (directory / "HEAD").is_file() and (directory / "objects").is_dir() and (directory / "refs").is_dir():
            raise RootRefused(
                f"{directory} holds git's own files and no checkout",
                hint="name a checkout (`git worktree add DIR` makes one), or pass --force-root if you mean it",
            )


def user_home() -> Path | None:
    """The user's home directory; None where there is none to be known, as for a bare user id in a container."""
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home if home.is_absolute() else None


def required_home() -> Path:
    """The same; `UsageError` where there is none."""
    home = user_home()
    if home is None:
        hint = "set HOME to an absolute path; for the index alone EVERDEX_HOME will do"
        said = "this user has no home directory: HOME is not set to one, and the system knows none"
        raise UsageError(said, hint=hint)
    return home


def everdex_home() -> Path:
    """`EVERDEX_HOME`, or `~/.everdex`."""
    chosen = os.environ.get("EVERDEX_HOME")
    home = Path(os.path.abspath(chosen)) if chosen else required_home() / ".everdex"
    length = len(os.fsencode(home))
    if length > limits.MAX_HOME_BYTES:
        raise UsageError(
            f"the path of EVERDEX_HOME is too long: it has {length} bytes, and SQLite opens no database below "
            f"one of more than {limits.MAX_HOME_BYTES}",
            hint="set EVERDEX_HOME to a shorter path",
        )
    return home


def elsewhere() -> dict[str, str]:
    """The environment for a process that starts in another directory: where stores live is the same there."""
    return {**os.environ, "EVERDEX_HOME": os.fspath(everdex_home())}


def root_hash(root: Path) -> str:
    return hashlib.sha256(os.fsencode(root)).hexdigest()


def store_id(root: Path, config_fingerprint: str) -> str:
    """`slug-roothash12-cfghash12`."""
    slug = re.sub(r"[^a-z0-9]+", "-", root.name.lower()).strip("-")[:32] or "root"
    return f"{slug}-{root_hash(root)[:12]}-{config_fingerprint[:12]}"
