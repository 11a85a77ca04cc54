"""What is written where for each agent: the one table of paths and formats, by product and scope.

Formats are those the products document; docs/agents.md shows each result. Nothing is read or written here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from everdex.surfaces.install import fence, jsonc
from everdex.surfaces.install.edits import Edit, Entry, FencedEdit, JsonEdit, OwnedFile

COMMAND: Final = "everdex"
GIT_HOOKS: Final = ("post-checkout", "post-merge", "post-commit", "post-rewrite")
_SERVER: Final[dict[str, Any]] = {"command": COMMAND, "args": ["mcp"]}
_IN_WORKSPACE: Final[dict[str, Any]] = {"command": COMMAND, "args": ["mcp", "${workspaceFolder}"]}


def _claude_hooks(command: str, writing: str) -> tuple[Entry, ...]:
    hook = {"type": "command", "command": command, "timeout": 5}
    return (
        (("hooks", "SessionStart"), {"hooks": [hook]}),
        (("hooks", "PreToolUse"), {"matcher": writing, "hooks": [hook]}),
        (("hooks", "PostToolUse"), {"matcher": f"Read|{writing}|Bash|Grep", "hooks": [hook]}),
    )


# Whoever shares the project may not have everdex: then there is nothing to be said about it.
_QUIETLY: Final = f"{COMMAND} hook 2>/dev/null || true"
_CLAUDE_HOOKS: Final = _claude_hooks(_QUIETLY, "Edit|MultiEdit|Write|NotebookEdit")
# What was written before, oldest first. Add the present one here when it changes.
_FORMER_CLAUDE_HOOKS: Final = (
    _claude_hooks(f"{COMMAND} hook", "Edit|MultiEdit|Write"),
    _claude_hooks(_QUIETLY, "Edit|MultiEdit|Write"),
)
# The first question of a large repository indexes it, which takes longer than Codex waits by itself.
_CODEX_TABLE: Final = f'[mcp_servers.everdex]\ncommand = "{COMMAND}"\nargs = ["mcp"]\ntool_timeout_sec = 600\n'
_GIT_HOOK: Final = f"""if command -v {COMMAND} >/dev/null 2>&1; then
    ({COMMAND} index --quiet </dev/null >/dev/null 2>&1 &)
fi
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an installation goes: a project's root, or (without one) the user's own configuration."""

    home: Path
    root: Path | None
    git_hooks: Path | None = None

    @property
    def configuration(self) -> Path:
        chosen = os.environ.get("XDG_CONFIG_HOME")
        return Path(chosen) if chosen and os.path.isabs(chosen) else self.home / ".config"


def _text(name: str) -> str:
    return resources.files("everdex.surfaces.install").joinpath(name).read_text("utf-8")


def _instructions(path: Path, owner: str) -> Edit:
    return FencedEdit(path, _text("AGENTS_BLOCK.md"), owner, fence.MARKDOWN)


def _claude_code(place: Place) -> list[Edit]:
    base = place.root or place.home
    folder = base / ".claude"
    servers = base / (".mcp.json" if place.root else ".claude.json")
    return [
        JsonEdit(servers, members=((("mcpServers", "everdex"), {"type": "stdio", **_SERVER}),)),
        JsonEdit(folder / "settings.json", elements=_CLAUDE_HOOKS, former=_FORMER_CLAUDE_HOOKS),
        OwnedFile(folder / "skills" / "everdex" / "SKILL.md", _text("SKILL.md")),
        _instructions((base if place.root else folder) / "CLAUDE.md", "claude-code"),
    ]


def _codex(place: Place) -> list[Edit]:
    chosen = os.environ.get("CODEX_HOME")
    folder = place.root / ".codex" if place.root else Path(chosen) if chosen else place.home / ".codex"
    return [
        FencedEdit(folder / "config.toml", _CODEX_TABLE, "codex", fence.HASH, is_toml=True),
        _instructions((place.root or folder) / "AGENTS.md", "codex"),
    ]


def _gemini(place: Place) -> list[Edit]:
    folder = (place.root or place.home) / ".gemini"
    return [
        JsonEdit(folder / "settings.json", members=((("mcpServers", "everdex"), _SERVER),)),
        _instructions((place.root or folder) / "GEMINI.md", "gemini"),
    ]


def _opencode(place: Place) -> list[Edit]:
    folder = place.root or place.configuration / "opencode"
    plain, commented = folder / "opencode.json", folder / "opencode.jsonc"
    path = commented if commented.exists() and not plain.exists() else plain
    server = {"type": "local", "command": [COMMAND, "mcp"], "enabled": True}
    return [
        JsonEdit(path, members=((("mcp", "everdex"), server),), relocate=_opencode_servers),
        _instructions(folder / "AGENTS.md", "opencode"),
    ]


def _opencode_servers(document: Any, path: jsonc.Path) -> jsonc.Path:
    """opencode 2 writes servers below `mcp.servers` and reads both; a file that does so stays that way."""
    servers = document.get("mcp", {}) if isinstance(document, dict) else {}
    nested = servers.get("servers") if isinstance(servers, dict) else None
    is_map = isinstance(nested, dict) and not {"type", "command", "url"} & nested.keys()
    return (path[0], "servers", *path[1:]) if is_map else path


def _cursor(place: Place) -> list[Edit]:
    path = (place.root or place.home) / ".cursor" / "mcp.json"
    edits: list[Edit] = [JsonEdit(path, members=((("mcpServers", "everdex"), _IN_WORKSPACE),))]
    # Cursor has no instruction file for all projects.
    return [*edits, _instructions(place.root / "AGENTS.md", "cursor")] if place.root else edits


def _vscode(place: Place) -> list[Edit]:
    support = place.home / "Library" / "Application Support" if sys.platform == "darwin" else place.configuration
    folder = place.root / ".vscode" if place.root else support / "Code" / "User"
    server = {"type": "stdio", **_IN_WORKSPACE}
    edits: list[Edit] = [JsonEdit(folder / "mcp.json", members=((("servers", "everdex"), server),))]
    return [*edits, _instructions(place.root / "AGENTS.md", "vscode")] if place.root else edits


def _git_hooks(place: Place) -> list[Edit]:
    assert place.git_hooks is not None
    return [
        FencedEdit(place.git_hooks / name, _GIT_HOOK, "git-hooks", fence.HASH, at_top=True, mode=0o755)
        for name in GIT_HOOKS
    ]


AGENTS: Final[dict[str, Callable[[Place], list[Edit]]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
    "cursor": _cursor,
    "vscode": _vscode,
    "git-hooks": _git_hooks,
}
