"""From an event of Claude Code on standard input to what it means here: which files, which moment.

The fields are another program's and may change: whatever is missing or of another type makes the event one that
concerns nobody, never an error. Imports nothing that a hook has not paid for.
"""

from __future__ import annotations

import os

from everdex.surfaces.hooks.shell import writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

START, BEFORE, AFTER = "start", "before", "after"
_EDITING = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
_MAX_PATHS = 20
_MAX_NAME = 100


class Event:
    """What happened: at `moment`, to `paths` (and with `tree` to others), in `directory`; `names` were looked for."""

    __slots__ = ("directory", "hook", "moment", "names", "paths", "source", "tool", "tree", "written")

    def __init__(self, hook: str, moment: str, directory: str, tool: str = "") -> None:
        self.hook = hook
        self.moment = moment
        self.directory = directory
        self.tool = tool
        self.paths: list[str] = []
        self.names: list[str] = []
        self.written = False
        self.tree = False
        self.source = ""  # of a session's start


def understood(document: Any) -> Event | None:
    """The event in a document; None when there is nothing to do or to say."""
    if not isinstance(document, dict):
        return None
    hook = _text(document, "hook_event_name")
    directory = _text(document, "cwd") or os.getcwd()
    if hook == "SessionStart":
        event = Event(hook, START, directory)
        event.source = _text(document, "source")[:_MAX_NAME]
        return event
    tool, given = _text(document, "tool_name"), document.get("tool_input")
    if hook not in ("PreToolUse", "PostToolUse") or not isinstance(given, dict):
        return None
    event = Event(hook, BEFORE if hook == "PreToolUse" else AFTER, directory, tool)
    if tool in _EDITING:
        event.written = True
        event.paths = _paths(directory, _text(given, "file_path") or _text(given, "notebook_path"))
    elif event.moment == BEFORE:
        return None  # nothing is known of a file that has not been read, searched or written yet
    elif tool == "Bash":
        done = writes(_text(given, "command"), directory)
        event.written, event.tree = bool(done), done.tree
        event.paths = done.paths[:_MAX_PATHS]
    elif tool == "Read" and ("offset" in given or "limit" in given):
        event.paths = _paths(directory, _text(given, "file_path"))  # of a file seen whole there is nothing to add
    elif tool == "Grep":
        event.names = _names(_text(given, "pattern"))
    return event if event.paths or event.tree or event.names else None


def _text(document: dict[str, Any], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) else ""


def _paths(directory: str, path: str) -> list[str]:
    return [os.path.normpath(os.path.join(directory, path))] if path and "\0" not in path else []


def _names(pattern: str) -> list[str]:
    """The one name a pattern looks for; a pattern that is more than a name asks for lines, not for a definition."""
    bare = pattern.removeprefix("\\b").removesuffix("\\b")
    for word in ("def ", "class ", "function ", "func ", "fn "):
        bare = bare.removeprefix(word)
    bare = bare.removesuffix("\\(").removesuffix("(")
    return [bare] if bare.replace(".", "_").isidentifier() and 2 < len(bare) <= _MAX_NAME else []
