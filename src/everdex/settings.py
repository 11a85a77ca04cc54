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
SEMANTIC: Final = "EVERDEX_SEMANTIC"
SETTINGS_NAME: Final = "config.toml"


class DaemonSettings(msgspec.Struct, frozen=True):
    """The table [daemon]."""

    auto_start: bool = False  # a reading command starts the daemon it does not find
    graph: bool = True  # the daemon makes the graph before anyone asks for it


class SemanticSettings(msgspec.Struct, frozen=True):
    """The table [semantic]."""

    unasked: bool = False  # the daemon runs indexers, which run a repository's build configuration


_TABLES: Final[dict[str, type[DaemonSettings] | type[SemanticSettings]]] = {
    "daemon": DaemonSettings, "semantic": SemanticSettings,
}  # fmt: skip


def auto_start() -> bool:
    """Whether a reading command starts the daemon it does not find: EVERDEX_AUTOSTART, else `[daemon] auto_start`."""
    chosen = _switch(AUTOSTART)
    return daemon_settings().auto_start if chosen is None else chosen


def semantic_unasked() -> bool:
    """Whether the daemon runs indexers that nobody asked for: EVERDEX_SEMANTIC, else `[semantic] unasked`."""
    chosen = _switch(SEMANTIC)
    return SemanticSettings(**_settings()["semantic"]).unasked if chosen is None else chosen


def daemon_settings() -> DaemonSettings:
    """What `config.toml` says of daemons; the defaults where there is no such file."""
    return DaemonSettings(**_settings()["daemon"])


def _switch(name: str) -> bool | None:
    chosen = os.environ.get(name)
    if not chosen:
        return None
    if chosen not in ("0", "1"):
        raise ConfigError(f"{name} is {chosen[:40]!r}; known are 0 and 1", hint=f"set {name} to 0 or 1")
    return chosen == "1"


def _settings() -> dict[str, dict[str, bool]]:
    """Every table of `config.toml`, checked; empty ones where there is no such file."""
    path = everdex_home() / SETTINGS_NAME
    known = [f"[{table}] {', '.join(shape.__struct_fields__)}" for table, shape in _TABLES.items()]
    hint = f"correct {path}; known are {' and '.join(known)}, each true or false"
    document = _read(path, hint)
    for table, values in document.items():
        if table not in _TABLES or not isinstance(values, dict):
            raise ConfigError(f"{path}: unknown key {table!r}; known are {' and '.join(known)}", hint=hint)
        for name, value in values.items():
            if name not in _TABLES[table].__struct_fields__:
                raise ConfigError(f"{path}: unknown key {name!r}; known are {' and '.join(known)}", hint=hint)
            if not isinstance(value, bool):
                raise ConfigError(f"{path}: {table}.{name} must be true or false, not {value!r}", hint=hint)
    return {table: document.get(table, {}) for table in _TABLES}


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
