"""Hyperlinks on terminals that have them (OSC 8): a file of a result can be opened with a click.

On only where the terminal is known to understand them, so that no other shows their bytes; `FORCE_HYPERLINK` decides
otherwise. Colours have nothing to do with it. The address is percent-encoded: a file's name cannot end it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

_PROGRAMS: Final = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "WarpTerminal"})
_TERMS: Final = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour")
VARIABLES: Final = ("WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "KITTY_WINDOW_ID", "WEZTERM_PANE")
_VTE: Final = 5000  # GNOME Terminal and its kin, from 0.50 on
END: Final = "\x1b]8;;\x1b\\"


class Links:
    """Makes the beginning of a link to a file below a root; `END` ends it."""

    def __init__(self, root: Path) -> None:
        self._base = f"file://{quote(os.uname().nodename)}{quote(os.fspath(root))}"

    def begin(self, path: str, line: int | None = None) -> str:
        anchor = f"#{line}" if line is not None else ""
        encoded = quote(path.encode("utf-8", "surrogateescape"))
        return f"\x1b]8;;{self._base}/{encoded}{anchor}\x1b\\"


def links(root: Path) -> Links | None:
    """For files below a root, or None where links would not be understood."""
    return Links(root) if wanted(os.environ, terminal=sys.stdout.isatty()) else None


def wanted(environment: Mapping[str, str], *, terminal: bool) -> bool:
    """Whether stdout is something that shows links."""
    forced = environment.get("FORCE_HYPERLINK")
    if forced:
        return forced != "0"
    term = environment.get("TERM", "")
    if not terminal or term == "dumb":
        return False
    if environment.get("TERM_PROGRAM") in _PROGRAMS or term.startswith(_TERMS):
        return True
    vte = environment.get("VTE_VERSION", "")
    return (vte.isdigit() and int(vte) >= _VTE) or any(environment.get(name) for name in VARIABLES)
