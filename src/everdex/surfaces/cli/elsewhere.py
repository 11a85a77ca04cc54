"""What other tools call our commands and options: what a mistyped or foreign one may mean, for the error message.

Nothing is ever run by a name from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

import click

_COMMANDS: Final = {
    "grep": "search --mode regex", "find": "search", "query": "search", "ask": "search", "def": "symbols",
    "definition": "symbols", "outline": "symbols", "tags": "graph export --format ctags", "ls": "files",
    "references": "refs", "usages": "refs", "uses": "refs", "overview": "map", "tree": "map", "init": "index",
    "sync": "index", "update": "index", "watch": "serve", "daemon": "serve", "start": "serve", "why": "explain",
    "clean": "gc", "check": "health", "verify": "health", "version": "--version",
}  # fmt: skip
# Of several the first that the command has.
_OPTIONS: Final = {
    **dict.fromkeys(("-n", "-m", "--limit", "--max-count", "--max-results", "--num", "--top", "--top-k"), ("-k",)),
    **dict.fromkeys(("-t", "--type", "--kind"), ("--role", "--lang")),
    **dict.fromkeys(("-l", "--language", "--languages"), ("--lang",)),
    **dict.fromkeys(("-g", "--glob", "--include", "--paths", "--files"), ("--path",)),
    **dict.fromkeys(("-e", "-E", "-P", "--regex", "--regexp"), ("--mode regex",)),
    **dict.fromkeys(("-F", "--fixed-strings", "--literal", "--exact"), ("--mode literal",)),
    **dict.fromkeys(("--tokens", "--max-tokens", "--budget-tokens"), ("--budget",)),
    **dict.fromkeys(("-d", "-L", "--level", "--levels", "--max-depth"), ("--depth",)),
    **dict.fromkeys(("--out", "--svg", "--png"), ("--output", "--picture")),
    "--dry-run": ("--plan",),
}


def command_meant(name: str, commands: Iterable[str]) -> str:
    """Commands that a name may mean; '' if none is like it."""
    word, known = name.lower(), list(commands)
    longer = [command for command in known if command.startswith(word)]
    near = [_COMMANDS[word]] if word in _COMMANDS else longer or get_close_matches(word, known, n=2, cutoff=0.6)
    return " or ".join(f"`everdex {command}`" for command in near[:2])


def option_meant(error: click.NoSuchOption) -> str:
    """The option of the command that one may mean; '' if there is none. What merely sounds like a foreign name is
    not meant by it."""
    known = {name for each in error.ctx.command.params for name in each.opts} if error.ctx else set[str]()
    if error.option_name in _OPTIONS:
        near = [each for each in _OPTIONS[error.option_name] if each.partition(" ")[0] in known][:1]
    else:
        near = list(error.possibilities or ())[:1]
    return " or ".join(f"`{each}`" for each in near)
