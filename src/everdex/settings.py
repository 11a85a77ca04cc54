"""What a user has chosen for all repositories: `config.toml` in the home, and the environment.

Apart from `.everdex.toml` on purpose: that file belongs to a repository, which may not decide that processes are
started on the user's machine. A key that is not known is refused here too.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Final

from everdex import limits
from everdex.errors import ConfigError
from everdex.roots import everdex_home

AUTOSTART: Final = "EVERDEX_AUTOSTART"
SETTINGS_NAME: Final = "config.toml"


def auto_start() -> bool:
    """Whether a reading command starts the daemon it does not find: EVERDEX_AUTOSTART, else `[daemon] auto_start`."""
    chosen = os.environ.get(AUTOSTART)
    if not chosen:
        return _of_file(everdex_home() / SETTINGS_NAME)
    if chosen not in ("0", "1"):
        raise ConfigError(f"{AUTOSTART} is {chosen[:40]!r}; known are 0 and 1", hint=f"set {AUTOSTART} to 0 or 1")
    return chosen == "1"


def _of_file(path: Path) -> bool:
    hint = f"correct {path}; it may say [daemon] auto_start = true"
    try:
        with path.open("rb") as stream:
            raw = stream.read(limits.MAX_CONFIG_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", hint=hint) from error
    if len(raw) > limits.MAX_CONFIG_BYTES:
        raise ConfigError(f"{path} is larger than {limits.MAX_CONFIG_BYTES} bytes", hint=hint)
    try:
        document = tomllib.loads(raw.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", hint=hint) from error
    table = document.pop("daemon", {})
    if document or not isinstance(table, dict) or set(table) - {"auto_start"}:
        unknown = next(iter(document or (set(table) - {"auto_start"} if isinstance(table, dict) else ["daemon"])))
        raise ConfigError(f"{path}: unknown key {unknown!r}; known is [daemon] auto_start", hint=hint)
    value = table.get("auto_start", False)
    if not isinstance(value, bool):
        raise ConfigError(f"{path}: daemon.auto_start must be true or false, not {value!r}", hint=hint)
    return value
