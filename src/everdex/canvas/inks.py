"""The colours of the inks on light and on dark paper. Text on any of the fills here has a contrast of 4.5 or more."""

from __future__ import annotations

from typing import Final

from everdex.canvas.scene import Ink

LIGHT: Final[dict[Ink, str]] = {
    Ink.PAPER: "#ffffff",
    Ink.TEXT: "#1f2328",
    Ink.MUTED: "#57606a",
    Ink.EDGE: "#8c959f",
    Ink.FRAME: "#f6f8fa",
    Ink.FRAME_LINE: "#d0d7de",
    Ink.BOX: "#e6f0fd",
    Ink.BOX_LINE: "#7ea9de",
    Ink.TEST: "#e4f5e8",
    Ink.TEST_LINE: "#79b98a",
    Ink.QUIET: "#eef0f2",
    Ink.QUIET_LINE: "#a5adb5",
    Ink.MARK: "#8250df",
    Ink.WARNING: "#c2410c",
    Ink.WARNING_FILL: "#fdeee4",
    Ink.FOCUS: "#0b57c2",
    Ink.ON_FOCUS: "#ffffff",
}

DARK: Final[dict[Ink, str]] = {
    Ink.PAPER: "#0d1117",
    Ink.TEXT: "#e6edf3",
    Ink.MUTED: "#9da7b3",
    Ink.EDGE: "#6e7681",
    Ink.FRAME: "#151b23",
    Ink.FRAME_LINE: "#30363d",
    Ink.BOX: "#182a44",
    Ink.BOX_LINE: "#3f6eae",
    Ink.TEST: "#14301d",
    Ink.TEST_LINE: "#3c8552",
    Ink.QUIET: "#21262d",
    Ink.QUIET_LINE: "#565e68",
    Ink.MARK: "#b48cf2",
    Ink.WARNING: "#ff9254",
    Ink.WARNING_FILL: "#3a2014",
    Ink.FOCUS: "#1a5fd0",
    Ink.ON_FOCUS: "#ffffff",
}


def palette(*, dark: bool) -> dict[Ink, str]:
    return DARK if dark else LIGHT
