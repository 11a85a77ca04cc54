"""Ignore files: reading them safely, everdex's own rules on top of git's, and the fingerprint of them all.

Only files in the tree count: `.gitignore` anywhere, `.everdexignore` at the root, `[index] exclude` and
`include`. The user's global excludes and `.git/info/exclude` never do, or two agents would index two
different sets.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterable
from typing import Final

from everdex import limits
from everdex.config import CONFIG_NAME, IGNORE_NAME, IndexConfig
from everdex.discover.beneath import read_beneath
from everdex.discover.patterns import RuleSet
from everdex.errors import ConfigError

GIT_IGNORE: Final = b".gitignore"
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV, errno.ENXIO, errno.EISDIR})


class TreeMatcher:
    """One set of rules over a whole tree: a path is matched when it or a directory above it is."""

    __slots__ = ("_memory", "_rules")

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._memory: dict[bytes, str | None] = {b"": None}

    def matching(self, path: bytes, is_directory: bool = False) -> str | None:
        """`source:line: pattern` of the rule that matches, or None."""
        if is_directory:
            return self._directory(path)
        above, _, name = path.rpartition(b"/")
        return self._directory(above) or self._own(path, name, False)

    def _directory(self, path: bytes) -> str | None:
        try:
            return self._memory[path]
        except KeyError:
            above, _, name = path.rpartition(b"/")
            answer = self._directory(above) or self._own(path, name, True)
            self._memory[path] = answer
            return answer

    def _own(self, path: bytes, name: bytes, is_directory: bool) -> str | None:
        rule = self._rules.decide(path, name, is_directory)
        return None if rule is None or rule.negated else self._rules.describe(rule)


class OwnRules:
    """`.everdexignore`, `[index] exclude` and `include`; the first two win over git and over include."""

    __slots__ = ("_exclude", "_include", "ignore_file")

    def __init__(self, root_descriptor: int, config: IndexConfig) -> None:
        self.ignore_file = read_ignore_file(root_descriptor, IGNORE_NAME.encode())
        sources = [
            RuleSet(IGNORE_NAME, self.ignore_file or b""),
            RuleSet(f"{CONFIG_NAME} [index] exclude", _lines(config.exclude)),
        ]
        self._exclude = [TreeMatcher(rules) for rules in sources if rules.rules]
        include = RuleSet(f"{CONFIG_NAME} [index] include", _lines(config.include))
        self._include = TreeMatcher(include) if include.rules else None

    @property
    def excludes(self) -> bool:
        return bool(self._exclude)

    def excluding(self, path: bytes, is_directory: bool) -> str | None:
        for matcher in self._exclude:
            if (rule := matcher.matching(path, is_directory)) is not None:
                return rule
        return None

    def included(self, path: bytes) -> bool:
        return self._include is not None and self._include.matching(path) is not None


def _lines(patterns: tuple[str, ...]) -> bytes:
    return "\n".join(patterns).encode("utf-8", "surrogatepass")


def read_ignore_file(root_descriptor: int, path: bytes) -> bytes | None:
    """The bytes of an ignore file, None when there is none; a symlink is not followed, as in git."""
    try:
        descriptor = read_beneath(root_descriptor, path)
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        raise ConfigError(f"{display(path)} cannot be read: {error.strerror}", hint="make it readable") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as stream:
        data = stream.read(limits.MAX_IGNORE_FILE_BYTES + 1)
    if len(data) > limits.MAX_IGNORE_FILE_BYTES:
        raise ConfigError(
            f"{display(path)} is larger than {limits.MAX_IGNORE_FILE_BYTES} bytes",
            hint="shorten the ignore file",
        )
    return data


def fingerprint(root_descriptor: int, git_ignores: Iterable[bytes], everdex_ignore: bytes | None) -> str:
    """SHA-256 over path_key, NUL and content of every ignore file, in byte order of path_key.

    A `.gitignore` counts when something at or below its directory is not ignored: a directory in which
    everything is ignored counts as ignored itself, because git's listing cannot tell the two apart.
    """
    everything: dict[bytes, bytes] = {}
    for path in git_ignores:
        data = read_ignore_file(root_descriptor, path)
        if data is not None:
            everything[_key(path)] = data
    if everdex_ignore is not None:
        everything[IGNORE_NAME.encode()] = everdex_ignore
    digest = hashlib.sha256()
    for key in sorted(everything):
        digest.update(key + b"\0" + everything[key])
    return digest.hexdigest()


def _key(path: bytes) -> bytes:
    try:
        return unicodedata.normalize("NFC", path.decode()).encode()
    except UnicodeDecodeError:
        return path


def display(path: bytes) -> str:
    """A path as it can be shown: bytes that are not UTF-8 and control characters become escapes."""
    text = path.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or not is_control(character) else f"\\x{ord(character):02x}"
        for character in text
    )


def is_control(character: str) -> bool:
    """C0, DEL and C1, which includes every newline a terminal or a line reader would believe."""
    return character < " " or "\x7f" <= character <= "\x9f"
