"""What a user has chosen for all repositories: `config.toml` in the home, and the environment.

Apart from `.everdex.toml` on purpose: that file belongs to a repository, which may not decide that processes are
started on the user's machine. A key that is not known is refused here too.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, Final

import msgspec

from everdex import limits
from everdex.errors import ConfigError
from everdex.roots import everdex_home

AUTOSTART: Final = "EVERDEX_AUTOSTART"
SETTINGS_NAME: Final = "config.toml"


class DaemonSettings(msgspec.Struct, frozen=True):
    """The table [daemon]."""

    auto_start: bool = False  # a reading command starts the daemon it does not find
    graph: bool = True  # the daemon makes the graph before anyone asks for it


def auto_start() -> bool:
    """Whether a reading command starts the daemon it does not find: EVERDEX_AUTOSTART, else `[daemon] auto_start`."""
    chosen = os.environ.get(AUTOSTART)
    if not chosen:
        return daemon_settings().auto_start
    if chosen not in ("0", "1"):
        raise ConfigError(f"{AUTOSTART} is {chosen[:40]!r}; known are 0 and 1", hint=f"set {AUTOSTART} to 0 or 1")
    return chosen == "1"


def daemon_settings() -> DaemonSettings:
    """What `config.toml` says of daemons; the defaults where there is no such file."""
    path = everdex_home() / SETTINGS_NAME
    known = DaemonSettings.__struct_fields__
    hint = f"correct {path}; it may say [daemon] {' and '.join(f'{name} = true' for name in known)}"
    document = _read(path, hint)
    table = document.pop("daemon", {})
    if document or not isinstance(table, dict) or set(table) - set(known):
        unknown = next(iter(document or (set(table) - set(known) if isinstance(table, dict) else ["daemon"])))
        raise ConfigError(f"{path}: unknown key {unknown!r}; known are [daemon] {', '.join(known)}", hint=hint)
    for name, value in table.items():
        if not isinstance(value, bool):
            raise ConfigError(f"{path}: daemon.{name} must be true or false, not {value!r}", hint=hint)
    return DaemonSettings(**table)


def _read(path: Path, hint: str) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            raw = stream.read(limits.MAX_CONFIG_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", hint=hint) from error
    if len(raw) > limits.MAX_CONFIG_BYTES:
        raise ConfigError(f"{path} is larger than {limits.MAX_CONFIG_BYTES} bytes", hint=hint)
    try:
        return tomllib.loads(raw.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", hint=hint) from error
