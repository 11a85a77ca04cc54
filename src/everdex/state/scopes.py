"""What a refresh is to cover: some files, some directories, what changed since a time, or everything.

Scopes only widen: the union of two covers both, so that no request for a refresh is ever lost to a narrower one.
`None` is the widest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from everdex import limits
from everdex.errors import UsageError

_ENCODER: Final = msgspec.json.Encoder(order="sorted")


class RefreshScope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Keys of files, of directories (`packages`), and a time in seconds since the epoch; what is None adds nothing."""

    files: tuple[str, ...] | None = None
    packages: tuple[str, ...] | None = None
    changed_since: float | None = None


def checked(scope: RefreshScope | None) -> RefreshScope | None:
    """A scope in its one form: sorted, without repetition, no file that a package has; refuses what means nothing."""
    if scope is None:
        return None
    since = scope.changed_since
    if since is not None and not (math.isfinite(since) and since >= 0):
        raise UsageError(f"changed_since is {since!r}; it must be a time in seconds since the epoch")
    names = (*(scope.files or ()), *(scope.packages or ()))
    if any(not name or "\0" in name or name.startswith("/") or ".." in name.split("/") for name in names):
        raise UsageError("a scope names files and directories below the root", hint="name them from the root")
    packages = sorted({name.rstrip("/") for name in scope.packages or ()})
    packages = [name for name in packages if not any(_within(name, other) for other in packages if other != name)]
    files = sorted({name for name in scope.files or () if not any(_within(name, other) for other in packages)})
    if len(files) + len(packages) > limits.MAX_SCOPE_NAMES:
        return None  # so many that everything is as well
    if not files and not packages and since is None:
        raise UsageError("the scope is empty", hint="name files or packages, or leave it out for everything")
    return RefreshScope(tuple(files) or None, tuple(packages) or None, since)


def merged(one: RefreshScope | None, other: RefreshScope | None) -> RefreshScope | None:
    """The narrowest scope that covers both."""
    if one is None or other is None:
        return None
    times = [since for since in (one.changed_since, other.changed_since) if since is not None]
    return checked(
        RefreshScope(
            (*(one.files or ()), *(other.files or ())), (*(one.packages or ()), *(other.packages or ())),
            min(times, default=None),
        )
    )  # fmt: skip


def contains(scope: RefreshScope | None, path: str, changed_at: float | None) -> bool:
    """Whether a file belongs to a scope; `changed_at` is None when nobody knows: then it may."""
    if scope is None or path in (scope.files or ()):
        return True
    if any(_within(path, package) for package in scope.packages or ()):
        return True
    return scope.changed_since is not None and (changed_at is None or changed_at >= scope.changed_since)


def encode(scope: RefreshScope | None) -> str:
    return _ENCODER.encode(scope).decode()


def decode(text: str) -> RefreshScope | None:
    return msgspec.json.decode(text, type=RefreshScope | None)


def of_document(document: dict[str, Any] | None) -> RefreshScope | None:
    """A scope as a caller writes it; `UsageError` for what is none."""
    try:
        return checked(msgspec.convert(document, RefreshScope | None))
    except msgspec.ValidationError as error:
        raise UsageError(f"not a scope: {error}", hint="files, packages and changed_since are known") from error


def of_files(paths: Iterable[str]) -> RefreshScope | None:
    return checked(RefreshScope(files=tuple(paths)))


def _within(path: str, directory: str) -> bool:
    return directory in ("", ".") or path == directory or path.startswith(f"{directory}/")
