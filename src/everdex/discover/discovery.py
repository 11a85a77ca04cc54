"""Which files are in and which are out: git's list or our own walk, everdex's rules, then eligibility.

Tracked wins: a tracked file is listed even where a `.gitignore` matches it, because that is git's own view of
the tree. `.everdexignore` and `[index] exclude` win over everything, tracked or not. When git does not answer
the walker does, with a warning, and then a tracked file that is also ignored is out.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from everdex.config import IndexConfig
from everdex.discover.beneath import open_root
from everdex.discover.collisions import unique
from everdex.discover.eligible import Judge
from everdex.discover.git import GitFailed, GitListing, GitProcess, listing_of, start_listing, submodules
from everdex.discover.ignore import OwnRules, display, fingerprint
from everdex.discover.model import Candidate, Discovery, Known, Listed, Skip, SkipReason
from everdex.discover.walk import walk
from everdex.errors import Busy, UsageError
from everdex.nearby import meant
from everdex.roots import Root


def discover(
    root: Root,
    config: IndexConfig,
    *,
    include_untracked: bool = True,
    everdex_home: Path | None = None,
    with_ignored: bool = False,
) -> Discovery:
    """The eligible files of a root, and every other path with the reason why it is out.

    Ignored paths, FIFOs and `.git` are only looked for when `with_ignored` is set: git does not show them,
    and finding them costs a second walk.
    """
    with start_discovery(
        root, config, include_untracked=include_untracked, everdex_home=everdex_home, with_ignored=with_ignored
    ) as search:
        return search.result()


@contextmanager
def start_discovery(
    root: Root,
    config: IndexConfig,
    *,
    include_untracked: bool = True,
    everdex_home: Path | None = None,
    with_ignored: bool = False,
) -> Iterator[Discovering]:
    """Begin to `discover`: git walks the tree while the caller does something else, such as `judge_ahead`."""
    walking = start_listing(root) if root.is_git else None
    try:
        descriptor = open_root(root.path)
        try:
            untracked = include_untracked and config.untracked
            yield Discovering(root, config, descriptor, everdex_home, walking, untracked, with_ignored)
        finally:
            os.close(descriptor)
    finally:
        if walking is not None:
            walking.abandon()


def candidates(root: Root, config: IndexConfig, listed: Sequence[bytes]) -> dict[bytes, Candidate]:
    """Those of some paths that are eligible now, by path on disk; that they are listed the caller knows."""
    descriptor = open_root(root.path)
    try:
        judge = Judge(os.fsencode(root.path), descriptor, config, OwnRules(descriptor, config))
        return judge.eligible(listed).files
    finally:
        os.close(descriptor)


class Discovering:
    """A discovery under way."""

    def __init__(
        self, root: Root, config: IndexConfig, descriptor: int, everdex_home: Path | None,
        walking: GitProcess | None, untracked: bool, with_ignored: bool,
    ) -> None:  # fmt: skip
        self._root = root
        self._walking = walking
        self._untracked = untracked
        self._with_ignored = with_ignored
        self._descriptor = descriptor
        self._root_bytes = os.fsencode(root.path)
        self._home = _below(self._root_bytes, everdex_home)
        self._own = OwnRules(descriptor, config)
        self._judge = Judge(self._root_bytes, descriptor, config, self._own)
        self._skipped: list[Skip] = []
        self._warnings: list[str] = []
        self.listed: Listed | None = None  # once it is known

    @property
    def home(self) -> bytes | None:
        """everdex's own directory, when it lies below the root."""
        return self._home

    def judge_ahead(self, known: Mapping[str, Known]) -> None:
        """Look at files that are likely to be listed while git finds out; only a listed path is ever a candidate."""
        if self._walking is not None:
            self._judge.judge_known(known)

    def result(self) -> Discovery:
        """Wait for git, judge the rest. To be asked for once."""
        with_ignored = self._with_ignored
        listing = self._git_listing(self._walking) if self._walking is not None else None
        if listing is None:
            walked = walk(self._descriptor, self._own, self._home)
            paths: tuple[bytes, ...] = walked.paths
            hidden = walked.skipped
        else:
            self.listed = Listed(listing.paths)
            paths = self._kept(listing)
            hidden = self._hidden(listing) if with_ignored else ()
        wanted = {SkipReason.NOT_REGULAR, SkipReason.UNREADABLE, SkipReason.PATH_TOO_LONG}
        self._skipped += (skip for skip in hidden if with_ignored or skip.reason in wanted)
        eligible = self._judge.eligible(paths)
        if listing is None:
            # What is out by its name alone may hold what it likes.
            told = tuple(path for path in paths if not self._judge.out_by_name(path))
            self.listed = Listed(told, walked.entered, walked.closed)
        files, collisions = unique(eligible.files)
        self._skipped += eligible.skipped
        self._add_submodules(eligible.listed_directories)
        return Discovery(
            files=files,
            skipped=tuple(sorted(set(self._skipped), key=lambda skip: (skip.path_key, skip.reason))),
            collisions=collisions,
            ignore_fingerprint=fingerprint(self._descriptor, eligible.ignore_files, self._own.ignore_file),
            source="walk" if listing is None else "git",
            warnings=tuple(self._warnings),
        )

    def _git_listing(self, walking: GitProcess) -> GitListing | None:
        try:
            return listing_of(walking, self._root)
        except GitFailed as error:
            if not self._untracked:
                raise Busy(f"{error}, and without it untracked files cannot be told apart") from error
            self._warnings.append(f"{error}; the tree was walked without it")
            return None

    def _kept(self, listing: GitListing) -> tuple[bytes, ...]:
        """Listed paths that everdex's own rules leave in."""
        paths = listing.paths
        if self._own.excludes:
            excluding = self._own.excluding
            paths = tuple(path for path in paths if excluding(path.removesuffix(b"/"), path.endswith(b"/")) is None)
        if self._home is not None:
            inside = self._home + b"/"
            paths = tuple(path for path in paths if not path.startswith(inside) and path != self._home)
        if not self._untracked:
            self._skipped += (Skip(display(path), SkipReason.UNTRACKED) for path in paths if path in listing.untracked)
            paths = tuple(path for path in paths if path not in listing.untracked)
        return paths

    def _hidden(self, listing: GitListing) -> tuple[Skip, ...]:
        """What git does not show, with the rule that hides it."""
        tracked: set[bytes] = set()
        for path in listing.paths:
            while path and path not in tracked and path not in listing.untracked:
                tracked.add(path)
                path = path.rpartition(b"/")[0]
        return walk(self._descriptor, self._own, self._home, tracked).skipped

    def _add_submodules(self, directories: tuple[bytes, ...]) -> None:
        if not directories:
            return
        try:
            found = submodules(self._root, directories)
        except GitFailed as error:
            self._warnings.append(f"{error}; submodules are not reported")
            return
        # Any other is a tracked file that a directory has replaced: gone, with nothing to report.
        self._skipped += (Skip(display(path) + "/", SkipReason.SUBMODULE) for path in found)


def _below(root: bytes, everdex_home: Path | None) -> bytes | None:
    """The home's path inside the root, when it is there: the store must never index itself."""
    if everdex_home is None:
        return None
    home = os.fsencode(os.path.realpath(everdex_home))
    inside = root.rstrip(b"/") + b"/"
    return home[len(inside) :] if home.startswith(inside) else None


def explain(
    root: Root,
    config: IndexConfig,
    path: str | os.PathLike[str],
    *,
    include_untracked: bool = True,
    everdex_home: Path | None = None,
) -> Skip | Candidate:
    """Why a path (absolute, or relative to the root) is in or out; raises `UsageError` if there is none."""
    lexical = os.path.normpath(os.path.join(root.path, path))
    relative = os.path.relpath(lexical, root.path)
    if relative == os.pardir or relative.startswith(os.pardir + os.sep):
        return Skip(display(os.fsencode(path)), SkipReason.OUT_OF_ROOT)
    found = discover(root, config, include_untracked=include_untracked, everdex_home=everdex_home, with_ignored=True)
    raw = os.fsencode(relative)
    key = unicodedata.normalize("NFC", raw.decode("utf-8", "surrogateescape"))
    for candidate in found.files:
        if candidate.path_key == key:
            return candidate
    shown = key if key.isprintable() else display(raw)
    by_key = {skip.path_key.removesuffix("/"): skip for skip in found.skipped}
    above = shown
    while above:
        if (skip := by_key.get(above)) is not None:
            return skip if above == shown else Skip(shown, skip.reason, skip.detail or f"below {skip.path_key}")
        above = above.rpartition("/")[0]
    if os.path.isdir(lexical):
        raise UsageError(f"{shown} is a directory", hint="name a file")
    question = meant(shown, (candidate.path_key for candidate in found.files))
    raise UsageError(f"{shown} does not exist below {root.path}", hint=question or "name an existing file")
