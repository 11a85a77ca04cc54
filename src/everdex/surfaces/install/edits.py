"""What an installation does to one file, as pure functions from bytes to bytes: JSON entries, a fenced block, a file.

`install` of what is there already changes nothing; `uninstall` of an untouched result gives the bytes from before;
`remark` says what a person should know about the file as it is.
None stands for a file that does not exist. A file that cannot be understood is refused with its name, never guessed at.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from operator import eq
from pathlib import Path
from typing import Any, Final, TypeAlias

from everdex.errors import InstallRefused
from everdex.surfaces.install import fence, jsonc

_BOM: Final = "\ufeff"
_SHELLS: Final = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh"})
Entry: TypeAlias = tuple[jsonc.Path, Any]
OWNED_MARK: Final = "<!-- written by everdex install; everdex uninstall removes this file -->"


@dataclass(frozen=True, slots=True)
class JsonEdit:
    """Members (a path of keys and a value) and elements of arrays (the array's path and a value)."""

    path: Path
    members: tuple[Entry, ...] = ()
    elements: tuple[Entry, ...] = ()
    # The elements as earlier versions wrote them, each time all: an installation of theirs is replaced, not joined.
    former: tuple[tuple[Entry, ...], ...] = ()
    # Where the members go when the file says so; opencode has two spellings.
    relocate: Callable[[Any, jsonc.Path], jsonc.Path] = field(default=lambda _document, path: path)
    mode: int = 0o644

    def install(self, raw: bytes | None) -> bytes | None:
        if raw is None or raw in self._ever_created():
            return self._created(self.elements)
        text, bom = _text(self.path, raw)
        with _refusing(self.path):
            for path, value in self._outdated():
                text = jsonc.discard(text, path, partial(eq, value))
            for path, value in self._placed(text):
                if jsonc.get(text, path) is None:
                    text = jsonc.put(text, path, value)
            for path, value in self.elements:
                if value not in (jsonc.get(text, path) or []):
                    text = jsonc.append(text, path, value)
            jsonc.parse(text)  # what we leave behind can be read
        return (bom + text).encode()

    def uninstall(self, raw: bytes | None) -> bytes | None:
        if raw is None or raw in self._ever_created():
            return None
        text, bom = _text(self.path, raw)
        with _refusing(self.path):
            for path, value in (*reversed(self.elements), *self._outdated()):
                text = jsonc.discard(text, path, partial(eq, value))
            for path, value in reversed(self._placed(text)):
                text = jsonc.drop(text, path, partial(eq, value))
        return (bom + text).encode()

    def remark(self, raw: bytes | None) -> str:
        if raw is None:
            return ""
        text, _ = _text(self.path, raw)
        with _refusing(self.path):
            placed = [(path, jsonc.get(text, path), value) for path, value in self._placed(text)]
        other = [".".join(path) for path, found, value in placed if found is not None and found != value]
        return f"{', '.join(other)} was written by somebody else and is left as it is" if other else ""

    def _placed(self, text: str) -> tuple[Entry, ...]:
        document = jsonc.parse(text).value
        return tuple((self.relocate(document, path), value) for path, value in self.members)

    def _outdated(self) -> list[Entry]:
        ever = [entry for elements in self.former for entry in elements]
        return [entry for entry in reversed(ever) if entry not in self.elements]

    def _ever_created(self) -> list[bytes]:
        """The whole file as this or an earlier version made it."""
        return [self._created(elements) for elements in (self.elements, *self.former)]

    def _created(self, elements: tuple[Entry, ...]) -> bytes:
        document: dict[str, Any] = {}
        for path, value in self.members:
            _set(document, path, value)
        for path, value in elements:
            _set(document, path, [*_get(document, path), value])
        return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


@dataclass(frozen=True, slots=True)
class FencedEdit:
    """A block between markers, for an owner; in TOML only when nobody else has the same table."""

    path: Path
    body: str
    owner: str
    marks: fence.Marks
    at_top: bool = False
    mode: int = 0o644
    is_toml: bool = False

    def install(self, raw: bytes | None) -> bytes | None:
        if raw is None:
            return fence.put(None, self.body, self.owner, self.marks, at_top=self.at_top).encode()
        text, bom = _text(self.path, raw)
        if self.at_top:
            _need_shell(self.path, text)
        if self.is_toml and self._taken(text):
            return raw
        with _refusing(self.path):
            text = fence.put(text, self.body, self.owner, self.marks, at_top=self.at_top)
        if self.is_toml:
            _toml(self.path, text)
        return (bom + text).encode()

    def uninstall(self, raw: bytes | None) -> bytes | None:
        if raw is None:
            return None
        text, bom = _text(self.path, raw)
        with _refusing(self.path):
            left = fence.drop(text, self.body, self.owner, self.marks, at_top=self.at_top)
        return None if left is None else (bom + left).encode()

    def remark(self, raw: bytes | None) -> str:
        if raw is None or not self.is_toml or not self._taken(_text(self.path, raw)[0]):
            return ""
        return "mcp_servers.everdex was written by somebody else and is left as it is"

    def _taken(self, text: str) -> bool:
        """Whether the same table stands outside our block."""
        with _refusing(self.path):
            outside = fence.without(text, self.marks)
        servers = _toml(self.path, outside).get("mcp_servers")
        return isinstance(servers, dict) and "everdex" in servers


@dataclass(frozen=True, slots=True)
class OwnedFile:
    """A whole file of ours, known by its mark; a stranger's file of that name is left alone."""

    path: Path
    content: str
    mode: int = 0o644

    def install(self, raw: bytes | None) -> bytes | None:
        return self.content.encode() if raw is None or self._ours(raw) else raw

    def uninstall(self, raw: bytes | None) -> bytes | None:
        return None if raw is None or self._ours(raw) else raw

    def remark(self, raw: bytes | None) -> str:
        return "" if raw is None or self._ours(raw) else "was written by somebody else and is left as it is"

    def _ours(self, raw: bytes) -> bool:
        return OWNED_MARK.encode() in raw


Edit: TypeAlias = JsonEdit | FencedEdit | OwnedFile


class _refusing:
    """Turns what the text says no to into an error that names the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, (jsonc.JsoncError, fence.FenceError)):
            raise InstallRefused(f"{self._path}: {error}") from error


def _text(path: Path, raw: bytes) -> tuple[str, str]:
    """The file's text and its byte order mark, if it has one."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise InstallRefused(f"{path}: not UTF-8 (byte {error.start})") from error
    return (text[1:], _BOM) if text.startswith(_BOM) else (text, "")


def _toml(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InstallRefused(f"{path}: not TOML: {error}") from error


def _need_shell(path: Path, text: str) -> None:
    words = [os.path.basename(word) for word in text.split("\n", 1)[0].removeprefix("#!").split()]
    named = next((word for word in words if word != "env" and not word.startswith("-")), "")
    if text.startswith("#!") and named not in _SHELLS:
        raise InstallRefused(f"{path}: not a shell script", hint="call `everdex index --quiet` from it yourself")


def _set(document: dict[str, Any], path: jsonc.Path, value: Any) -> None:
    for key in path[:-1]:
        document = document.setdefault(key, {})
    document[path[-1]] = value


def _get(document: dict[str, Any], path: jsonc.Path) -> list[Any]:
    value: Any = document
    for key in path:
        value = value.get(key, {})
    return value or []
