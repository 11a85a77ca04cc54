"""The `everdex` command: finds the subcommand, runs it, and turns whatever happens into an exit code.

Promises that nobody sees a traceback (unless EVERDEX_DEBUG=1), that `--json` prints one document also for an
error, and that a closed pipe is not an error. Knows no command beyond its name and summary.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, TextIO

import click

from everdex import __version__
from everdex.memory import roomy

# by what they are for: name -> summary, which stands here so that `--help` need not import every command
GROUPS: Final[dict[str, dict[str, str]]] = {
    "Find code": {
        "search": "Search a repository; indexes it first when it is new or has changed.",
        "symbols": "Show where a name is defined, or the outline of a file.",
        "map": "Show what a repository consists of and what matters most in it.",
        "files": "List the files that are in, or with --skipped those that are out and why.",
        "explain": "Tell why one path is in or out, and what the index knows of it.",
    },
    "Who uses what": {
        "refs": "List every place that names a symbol.",
        "callers": "List who calls a symbol.",
        "callees": "List what a symbol calls.",
        "impact": "List what a change of a symbol may affect.",
        "architecture": "Draw the parts of a repository and which uses which.",
        "explore": "Write a page to walk a repository in a browser, offline.",
        "graph": "Export the graph of definitions, calls and references.",
    },
    "Change code": {
        "gate": "Tell whether files may be changed now, and what to do first.",
        "state": "Show which files are dirty, stale or pending, and why.",
        "rename": "Plan the renaming of a symbol, and carry a plan out.",
        "board": "Keep evidence, claims and decisions about a change.",
    },
    "Keep it current": {
        "index": "Bring the index of a repository up to date.",
        "refresh": "Bring files and what refers to what up to date, as a job.",
        "jobs": "List refresh jobs, newest first.",
        "contexts": "List the projects of a repository that an indexer can be run for.",
        "serve": "Run the daemon that answers for a repository from a warm index.",
        "stop": "Stop the daemon of a repository.",
    },
    "Agents and this machine": {
        "install": "Set up an agent or git to use everdex; shows the diff first.",
        "uninstall": "Take out what install wrote for an agent; shows the diff first.",
        "mcp": "Serve a repository to coding agents (Model Context Protocol).",
        "hook": "Handle one event of Claude Code on standard input.",
        "doctor": "Check this machine, the repository and what is set up; say what to do.",
        "completions": "Print the completion script for a shell.",
    },
    "Look after the store": {
        "status": "Show the store, its active snapshot and how fresh it is.",
        "health": "Check the index in full: whole, current, within its limits.",
        "audit": "Count every number of a snapshot again and report what differs.",
        "repair": "Mend a damaged store from what is left of it and the tree.",
        "gc": "Show what no retained snapshot needs; with --apply delete it.",
        "compact": "Merge segments when it is due; with --force now.",
        "stores": "List every store below EVERDEX_HOME.",
        "chunks": "Export the map of chunk identities (chunk_uid_map.jsonl).",
        "upgrade-store": "Say whether this everdex can go on with a store; migrate if it must.",
    },
}
COMMANDS: Final = tuple(name for group in GROUPS.values() for name in group)

HELP: Final = """Search a repository, and keep the index of it current and never silently wrong.

    everdex search "where is the session cookie signed"

indexes the repository around the current directory when it is new, brings the index up to date when files have
changed, and answers from one snapshot. Everything stays on this machine.

\b
Environment:
  EVERDEX_HOME            where stores live (default ~/.everdex)
  EVERDEX_EMBEDDER        overrides [index] embedder of .everdex.toml
  EVERDEX_ALWAYS_REHASH=1 compare by content, never by size and times
  EVERDEX_AUTOSTART=1     start the daemon when a reading command finds none
  EVERDEX_SEMANTIC=1      let the daemon run indexers (and so builds) unasked
  EVERDEX_DEBUG=1         show tracebacks
  NO_COLOR                no colours
  FORCE_HYPERLINK         1 or 0: links in results on a terminal, or none

\b
Exit codes:
  0 found or done       10 busy           14 corrupt
  1 nothing found       11 timeout        15 degraded, refused
  2 usage or input      12 cancelled      70 internal or disk
  3 gate: warn          13 incompatible
  4 gate: block
"""


class LazyGroup(click.Group):
    """Imports a command's module when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"everdex.surfaces.cli.{name}"), f"{name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in COMMANDS or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from everdex.errors import UsageError
        from everdex.surfaces.cli.elsewhere import command_meant

        if len(name.split()) > 1:
            raise UsageError(f"no command is called {name!r}", hint=f'to ask that: everdex search "{name}"')
        near = command_meant(name, COMMANDS)
        raise UsageError(
            f"no command is called {name!r}" + (f"; did you mean {near}?" if near else ""), hint="run `everdex --help`"
        )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), summary) for name, summary in group.items()])


# How the shell's script asks for completions; click's convention.
COMPLETION: Final = "_EVERDEX_COMPLETE"
_SETTINGS: Final[dict[str, Any]] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=LazyGroup, name="everdex", help=HELP, context_settings=_SETTINGS)
@click.version_option(__version__, "-V", "--version", prog_name="everdex", message="%(prog)s %(version)s")
def everdex() -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code."""
    if COMPLETION in os.environ:
        return _complete()
    try:
        code = _invoke(list(arguments) or ["--help"])
        _hand_over()
        return code
    except BrokenPipeError:
        _give_up(sys.stdout)
        _flush(sys.stderr)  # which may be the same pipe
        return 0
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the one place where everything ends
        from everdex.surfaces.cli.failures import report

        code = report(error, as_json=_wants_json(arguments))
        _flush(sys.stdout)
        _flush(sys.stderr)
        return code


@roomy  # where a command's loops begin, a piece of the interpreter's stack ends by chance: 3,000 maps for one search
def _invoke(arguments: list[str]) -> int:
    # Not Command.main(): it would turn a closed pipe into exit code 1.
    try:
        with everdex.make_context("everdex", arguments) as context:
            result = everdex.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return result if isinstance(result, int) else 0


def _complete() -> int:
    """Answer the script that `everdex completions` printed."""
    from click.shell_completion import shell_complete

    return shell_complete(everdex, {}, "everdex", COMPLETION, os.environ[COMPLETION])


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether --json is among the arguments, read from the raw list so that it holds when parsing failed."""
    before = list(arguments)
    if "--" in before:
        before = before[: before.index("--")]
    return "--json" in before


def _hand_over() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        from everdex.surfaces.cli.output import HalfWritten

        raise HalfWritten from error


def _flush(stream: TextIO) -> None:
    try:
        stream.flush()
    except OSError:
        _give_up(stream)


def _give_up(stream: TextIO) -> None:
    # The interpreter flushes it once more at exit; give that somewhere to go.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
