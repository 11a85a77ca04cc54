"""`everdex uninstall`: take out what `everdex install` put in."""

from __future__ import annotations

from pathlib import Path

import click

from everdex.surfaces.cli.install import arguments, carry_out


@click.command("uninstall", short_help="Take out what install wrote for an agent; shows the diff first.")
@arguments
def uninstall_command(agent: str, path: Path, user: bool, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Take out what `everdex install AGENT` wrote, in the project around PATH (default: here) or with --user.

    Exactly that is removed: the files are then as they were before, to the byte, also when something else was written
    into them meanwhile. An entry that somebody changed by hand stays. The index itself is not touched; `everdex gc
    --stores` removes indexes.

    \b
    Examples:
      everdex uninstall claude-code
      everdex uninstall codex --user --dry-run
      everdex uninstall git-hooks --yes
    """
    return carry_out(agent, path, uninstall=True, user=user, dry_run=dry_run, yes=yes, as_json=as_json)
