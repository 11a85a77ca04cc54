"""`everdex install` and what it shares with `everdex uninstall`: the diff first, then the files."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from everdex.errors import Cancelled
from everdex.service.answers import of_no_index
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import escape, write, write_error, write_json

if TYPE_CHECKING:
    from everdex.surfaces.install.plan import Change

AGENT_NAMES: Final = ("claude-code", "codex", "gemini", "opencode", "cursor", "vscode", "git-hooks")
_DONE: Final = {"create": "created", "change": "changed", "delete": "deleted", "unchanged": "unchanged"}


def arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """The agent, the place and how to go about it, the same for both commands."""
    for decorate in reversed(
        (
            click.argument("agent", type=click.Choice(AGENT_NAMES)),
            options.path_argument,
            click.option("--user/--project", default=False, help="For all your projects, or (default) for this one."),
            click.option("--dry-run", is_flag=True, help="Show the diff; write nothing."),
            click.option("-y", "--yes", is_flag=True, help="Do not ask on a terminal after showing the diff."),
            options.json_option,
        )
    ):
        function = decorate(function)
    return function


@click.command("install", short_help="Set up an agent or git to use everdex; shows the diff first.")
@arguments
def install_command(agent: str, path: Path, user: bool, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Set up AGENT to use everdex in the project around PATH (default: here), or with --user in all of them.

    Written are the MCP server's entry, a block in CLAUDE.md, AGENTS.md or GEMINI.md that says when to use which
    command, and for claude-code also hooks and a skill. git-hooks makes git bring the index up to date in the
    background after a checkout, merge, commit or rewrite.

    The diff is shown first. Whatever else is in a file stays as it is, to the byte; a file that cannot be understood is
    refused, and then nothing is written. Installing again changes nothing; `everdex uninstall` puts everything back.

    \b
    Examples:
      everdex install claude-code
      everdex install codex --user
      everdex install cursor ~/src/flask --dry-run
      everdex install git-hooks --yes
      everdex install vscode --json | jq -r '.files[].path'
    """
    if shutil.which("everdex") is None and not as_json:
        write_error("warning: everdex is not on PATH, where agents look for it")
    return carry_out(agent, path, uninstall=False, user=user, dry_run=dry_run, yes=yes, as_json=as_json)


def carry_out(agent: str, path: Path, *, uninstall: bool, user: bool, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Plan, show, ask if there is somebody to ask, write."""
    from everdex.surfaces.install import plan as planning

    place = planning.place_of(path, user=user, agent=agent)
    changes = planning.plan(agent, place, uninstall=uninstall)
    todo = [change for change in changes if change.action != "unchanged"]
    if not as_json:
        _show(changes)
        if todo and not dry_run and not yes and sys.stdin.isatty() and sys.stdout.isatty():
            sys.stdout.flush()
            if not click.confirm("write this?", default=False, err=True):
                raise Cancelled("nothing was written", hint="")
    if not dry_run:
        planning.apply(changes, place)
    if as_json:
        scope = "user" if user else "project"
        write_json(of_no_index({"agent": agent, "scope": scope, "dry_run": dry_run, "files": _files(changes)}))
    elif not todo:
        write_error("nothing to do")
    elif dry_run:
        write_error("nothing was written")
    else:
        for change in todo:
            write_error(f"{_DONE[change.action]} {escape(str(change.path))}")
    return 0


def _files(changes: list[Change]) -> list[dict[str, Any]]:
    return [
        {"path": str(change.path), "action": change.action, "remark": change.remark, "diff": "\n".join(change.diff())}
        for change in changes
    ]


def _show(changes: list[Change]) -> None:
    for change in changes:
        if change.remark:
            write_error(f"{escape(str(change.path))}: {escape(change.remark)}")
        for line in change.diff():
            write(escape(line))
