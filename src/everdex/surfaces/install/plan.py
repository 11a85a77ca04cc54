"""From an agent and a scope to changes of files, each known byte for byte before the first is written.

Every file is read, understood and planned first; one that is refused stops all of them. Writing is a rename over what
was planned from, so a file is either as before or as shown; one that changed meanwhile is left alone. A project's
links must not lead out of it: the files there are somebody else's.
"""

from __future__ import annotations

import difflib
import os
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from everdex import limits
from everdex.durable import Permissions, replace_atomically
from everdex.errors import InstallRefused
from everdex.roots import canonical_root, git_environment, required_home
from everdex.surfaces.install.agents import AGENTS, Place
from everdex.surfaces.install.edits import Edit

_MAX_BYTES: Final = 16_777_216


@dataclass(frozen=True, slots=True)
class Change:
    """What an installation does to one file: the bytes before and after (None: no file), and a remark for the user."""

    path: Path
    before: bytes | None
    after: bytes | None
    mode: int
    remark: str = ""

    @property
    def action(self) -> str:
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "change"

    def diff(self) -> list[str]:
        """The change as a unified diff, without line ends."""
        name = os.fspath(self.path)
        old, new = ("/dev/null" if raw is None else name for raw in (self.before, self.after))
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), old, new, lineterm="")
        return list(lines)


def plan(agent: str, place: Place, *, uninstall: bool) -> list[Change]:
    """Every change, in order; raises `InstallRefused` before anything is touched."""
    changes: dict[Path, Change] = {}
    for edit in AGENTS[agent](place):
        path = _real(edit, place)
        raw, mode = changes[path].after if path in changes else None, edit.mode
        if path not in changes:
            raw, mode = _read(path, edit.mode)
        first = changes[path].before if path in changes else raw
        after = edit.uninstall(raw) if uninstall else edit.install(raw)
        changes[path] = Change(path, first, after, mode, edit.remark(raw))
    return list(changes.values())


def place_of(path: Path, *, user: bool, agent: str) -> Place:
    """Where `--user` or `--project` leads from a path."""
    home = required_home()
    root = None if user else canonical_root(path).path
    return Place(home, root, _git_hooks(root) if agent == "git-hooks" else None)


def apply(changes: Sequence[Change], place: Place) -> None:
    """Write what was planned."""
    for change in changes:
        if change.action == "unchanged":
            continue
        if _read(change.path, change.mode)[0] != change.before:
            raise InstallRefused(f"{change.path}: it changed meanwhile", hint="run the command again")
        if change.after is None:
            change.path.unlink()
            _remove_empty(change.path.parent, place)
        else:
            change.path.parent.mkdir(parents=True, exist_ok=True)
            replace_atomically(change.path, change.after, Permissions(0o755, change.mode))


def _remove_empty(directory: Path, place: Place) -> None:
    """Directories that held nothing but what was taken out; never the project or the home itself."""
    kept = {place.home, place.root, place.git_hooks}
    while directory not in kept and not any(directory.iterdir()):
        directory.rmdir()
        directory = directory.parent


def _real(edit: Edit, place: Place) -> Path:
    """The file behind a path; a link that leads out of the project is refused."""
    real = Path(os.path.realpath(edit.path))
    allowed = [place.root, place.git_hooks] if place.root is not None else []
    if allowed and not any(real.is_relative_to(os.path.realpath(base)) for base in allowed if base is not None):
        hint = "remove the link" if place.git_hooks is not None else "pass --user, or remove the link"
        raise InstallRefused(f"{edit.path}: a link leads out of the project, to {real}", hint=hint)
    return real


def _read(path: Path, mode: int) -> tuple[bytes | None, int]:
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None, mode
    if not stat.S_ISREG(found.st_mode):
        raise InstallRefused(f"{path}: not a regular file")
    if found.st_size > _MAX_BYTES:
        raise InstallRefused(f"{path}: larger than {_MAX_BYTES:,} bytes")
    return path.read_bytes(), stat.S_IMODE(found.st_mode)


def _git_hooks(root: Path | None) -> Path:
    """The directory git runs hooks from; for the user's own it must be configured."""
    if root is None:
        chosen = _git(None, "config", "--global", "--type=path", "--get", "core.hooksPath")
        if not chosen:
            raise InstallRefused(
                "git has no hooks for all repositories",
                hint="set core.hooksPath with git config --global, or pass --project",
            )
        return Path(chosen)
    found = _git(root, "rev-parse", "--git-path", "hooks")
    if not found:
        raise InstallRefused(f"{root} is not a git repository", hint="run `git init` first")
    hooks = Path(os.path.normpath(root / found))
    common = os.path.realpath(root / _git(root, "rev-parse", "--git-common-dir"))
    if not any(Path(os.path.realpath(hooks)).is_relative_to(base) for base in (root, common)):
        raise InstallRefused(
            f"core.hooksPath leads out of the project, to {hooks}", hint="add `everdex index --quiet &` to those hooks"
        )
    return hooks


def _git(root: Path | None, *arguments: str) -> str:
    """git's answer with the user's own configuration (it says where hooks are); empty when it has none."""
    environment = {key: value for key, value in git_environment().items() if key != "GIT_CONFIG_NOSYSTEM"}
    where = ["-C", os.fspath(root)] if root is not None else []
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", *where, *arguments],
            capture_output=True, check=False, env=environment, timeout=limits.GIT_TIMEOUT_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InstallRefused(f"git cannot be asked: {error}", hint="install git") from error
    return os.fsdecode(done.stdout.rstrip(b"\n")) if done.returncode == 0 else ""


def _lines(raw: bytes | None) -> list[str]:
    return [] if raw is None else raw.decode("utf-8", "backslashreplace").splitlines()
