"""Running git on a repository that is not trusted, and asking it for the paths it sees.

Every call goes through `SAFE_GIT` and a cleaned environment, is tried again while another process holds git's
locks, and hands back bytes. What the paths mean for the index is decided elsewhere.
"""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

import msgspec

from everdex import limits
from everdex.roots import SAFE_GIT, Root, git_environment

# A pipe that holds a whole listing: git need not wait until somebody reads it.
_PIPE_BYTES: Final = 1 << 20


class GitFailed(Exception):
    """git could not answer, after every retry; control flow between rooms, never shown to a user as such."""


class GitListing(msgspec.Struct, frozen=True):
    """What `git ls-files` shows: tracked and unignored untracked paths; nested repositories end in `/`."""

    paths: tuple[bytes, ...]
    untracked: frozenset[bytes]


class GitProcess:
    """One git command, already running; `result()` waits for it and retries it when it failed."""

    __slots__ = ("_command", "_environment", "_given", "_process")

    def __init__(
        self, root: Root, arguments: Sequence[str | bytes], settings: Mapping[str, str] | None = None,
        given: bytes | None = None,
    ) -> None:  # fmt: skip
        """`settings` are configuration values that override the repository's; `given` goes to its standard input."""
        self._given = given
        # A repository's own core.ignoreCase must not change what is eligible from one machine to the next.
        self._command = [*SAFE_GIT, "-c", "core.ignoreCase=false", "-C", os.fspath(root.path), *arguments]
        # Through the environment, because a name with "=" in it cannot be given with -c.
        self._environment = {**git_environment(), "GIT_CONFIG_COUNT": str(len(settings or {}))}
        for number, (key, value) in enumerate((settings or {}).items()):
            self._environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        self._process: subprocess.Popen[bytes] | None = self._start()

    def _start(self) -> subprocess.Popen[bytes] | None:
        try:
            process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL if self._given is None else subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self._environment,
            )  # fmt: skip
        except OSError:
            return None  # git is not installed or cannot be run: result() says so
        assert process.stdout is not None
        with suppress(OSError):  # a user may own only so much of pipes; an ordinary one is only slower
            fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        return process

    def abandon(self) -> None:
        """End it: nobody will ask for the result."""
        if self._process is not None:
            with self._process as process:
                process.kill()

    def result(
        self, accepted: frozenset[int] = frozenset({0}), if_slow: Callable[[], None] | None = None
    ) -> tuple[int, bytes]:
        """Exit status and output; raises `GitFailed` when no try ends with an accepted status.

        `if_slow` is called once when git takes long, and may raise `GitFailed` when it will never answer.
        """
        for attempt in range(limits.GIT_RETRIES + 1):
            if self._process is None:
                raise GitFailed("git cannot be run")
            with self._process as process:
                try:
                    output = self._output(process, if_slow)
                except BaseException as error:
                    process.kill()
                    if isinstance(error, subprocess.TimeoutExpired):
                        raise GitFailed(f"git did not answer within {limits.GIT_TIMEOUT_S} s") from error
                    raise
            if process.returncode in accepted:
                return process.returncode, output
            if attempt < limits.GIT_RETRIES:
                time.sleep(limits.GIT_BACKOFF_MS * 2**attempt / 1000)
                self._process = self._start()
        raise GitFailed(f"git ended with status {process.returncode}")

    def _output(self, process: subprocess.Popen[bytes], if_slow: Callable[[], None] | None) -> bytes:
        given = self._given
        if if_slow is not None:
            try:
                return process.communicate(given, timeout=limits.GIT_SLOW_S)[0]
            except subprocess.TimeoutExpired:
                given = None  # it has been handed over; what was read meanwhile is not lost
                if_slow()
        return process.communicate(given, timeout=limits.GIT_TIMEOUT_S)[0]


def run_git(root: Root, arguments: Sequence[str | bytes], accepted: frozenset[int] = frozenset({0})) -> bytes:
    """Output of one git command; raises `GitFailed`."""
    return GitProcess(root, arguments).result(accepted)[1]


def start_listing(root: Root) -> GitProcess:
    """Ask for tracked and untracked paths, ignore rules of the tree only: one look at the index for both."""
    return GitProcess(root, ["ls-files", "-z", "-t", "-c", "-o", "--exclude-per-directory=.gitignore"])


def listing_of(process: GitProcess, root: Root) -> GitListing:
    """What `start_listing` found; raises `GitFailed`."""
    tagged = process.result(if_slow=lambda: _refuse_pipes(root))[1].split(b"\0")[:-1]
    # Unmerged paths are listed once a stage: the dictionary keeps one.
    paths = dict.fromkeys([entry[2:] for entry in tagged])
    return GitListing(tuple(paths), frozenset([entry[2:] for entry in tagged if entry[0] == 0x3F]))  # "?"


def _refuse_pipes(root: Root) -> None:
    """git opens whatever is named `.gitignore`, and waits for ever for somebody to write into a FIFO."""
    until = time.monotonic() + limits.GIT_SLOW_S
    for directory, below, names in os.walk(os.fsencode(root.path)):
        below[:] = [name for name in below if name != b".git"]
        path = os.path.join(directory, b".gitignore")
        if b".gitignore" in names and stat.S_ISFIFO(os.lstat(path).st_mode):
            raise GitFailed(f"git would wait for {os.fsdecode(path)}, which is a FIFO")
        if time.monotonic() > until:
            return  # a large tree, and git has work to do


def submodules(root: Root, paths: Sequence[bytes]) -> frozenset[bytes]:
    """Those of the tracked paths that are gitlinks; raises `GitFailed`."""
    output = run_git(root, ["--literal-pathspecs", "ls-files", "-z", "-s", "--", *paths])
    found = set()
    for entry in output.split(b"\0")[:-1]:
        about, _, path = entry.partition(b"\t")
        if about.startswith(b"160000 "):
            found.add(path)
    return frozenset(found)


def ignored_directories(root: Root, paths: Sequence[bytes]) -> frozenset[bytes]:
    """Those of the untracked directories that a `.gitignore` of the tree leaves out; raises `GitFailed`."""
    arguments = ["-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-v", "-z", "--stdin"]
    asked = GitProcess(root, arguments, given=b"".join(path + b"\0" for path in paths))
    # 128 is a path that git will not speak of, such as one in a submodule: asking again would not help.
    status, output = asked.result(frozenset({0, 1, 128}))
    if status == 128:
        raise GitFailed("git would not say what is ignored")
    fields = output.split(b"\0")[:-1]
    found = set()
    for source, pattern, path in zip(fields[::4], fields[2::4], fields[3::4], strict=True):
        # A pattern of .git/info/exclude is no rule of the tree; a negated one leaves the path in.
        if os.path.basename(source) == b".gitignore" and not pattern.startswith(b"!"):
            found.add(path)
    return frozenset(found)
