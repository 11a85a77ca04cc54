"""`everdex hook` with its help; without arguments `__main__` goes straight to the handler."""

from __future__ import annotations

import click


@click.command("hook", short_help="Handle one event of Claude Code on standard input.")
@click.option(
    "--json", "as_json", is_flag=True, help="Changes nothing: what is printed is one JSON document or nothing."
)
def hook_command(as_json: bool) -> int:
    """Handle one event of Claude Code, given as JSON on standard input.

    `everdex install claude-code` registers it. The daemon of the repository (`everdex serve --detach`) is told which
    files were written, and what the agent should know about them, 900 characters at most, is printed as
    additionalContext. Without a daemon nothing happens: a hook never indexes.

    A hook never disturbs the agent: whatever goes wrong, it prints nothing and exits with 0; failures are noted in
    EVERDEX_HOME/logs/hook.log.jsonl, without paths, commands or content.

    \b
    Examples:
      everdex install claude-code
      echo '{"hook_event_name":"SessionStart","cwd":"."}' | everdex hook
    """
    from everdex.surfaces.hooks.run import run

    return run()
