"""`everdex doctor`: the machine's checks, and those of the daemon, the MCP extra and the agents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from everdex.errors import EverdexError
from everdex.service.answers import of_no_index
from everdex.surfaces.cli import options
from everdex.surfaces.cli.health import MARKS
from everdex.surfaces.cli.install import AGENT_NAMES
from everdex.surfaces.cli.output import Line, Shown, escape

if TYPE_CHECKING:
    from everdex.service.doctor import Finding


@click.command("doctor", short_help="Check this machine, the repository and what is set up; say what to do.")
@options.path_argument
@options.json_option
def doctor_command(path: Path, as_json: bool) -> int:
    """Check this machine, the repository around PATH (default: here) and what is set up for it.

    One line each: Python, the command, git, grammars, home, locks, settings, openat2, inotify, root, model, store,
    daemon, MCP, agents. ok is fine, WARN works less well or is not set up, FAIL does not work; a hint says what to do.
    Exit code 0 means that nothing failed, 1 that something did. Nothing is changed.

    \b
    Examples:
      everdex doctor
      everdex doctor ~/src/flask
      everdex doctor --json | jq -r '.checks[] | select(.status == "fail") | .hint'
    """
    from everdex.service.doctor import examine

    findings = [*examine(path), *_surroundings(path)]
    worst = next((status for status in ("fail", "warn") if any(f.status == status for f in findings)), "ok")
    document = of_no_index({"status": worst, "checks": [asdict(finding) for finding in findings]})
    return SHOWN.print(document, as_json=as_json)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for check in document["checks"]:
        yield True, f"{MARKS[check['status']]}  {check['code']:<9} {escape(check['message'])}"
        if check["hint"]:
            yield True, f"      {'':<9} hint: {escape(check['hint'])}"
    yield True, f"doctor: {document['status']}"


SHOWN = Shown(_lines, lambda document: 1 if document["status"] == "fail" else 0)


def _surroundings(path: Path) -> Iterator[Finding]:
    yield _daemon(path)
    yield _mcp()
    yield _agents(path)


def _daemon(path: Path) -> Finding:
    from everdex.service.doctor import FAIL, OK, Finding
    from everdex.service.index import Index
    from everdex.surfaces.daemon.client import connect

    try:
        index = Index.open_to_read(path)
    except EverdexError:
        return Finding("daemon", OK, "not looked for: it would be the repository's")  # which has a line of its own
    try:
        connection = connect(index)
    except EverdexError as error:
        return Finding("daemon", FAIL, f"none: {error.message}", error.hint)
    if connection is None:
        return Finding("daemon", OK, "none is running", "`everdex serve --detach` makes searches and hooks faster")
    with connection:
        return Finding("daemon", OK, f"process {connection.hello['pid']}, everdex {connection.hello['version']}")


def _mcp() -> Finding:
    from everdex.service.doctor import OK, WARN, Finding

    try:
        return Finding("mcp", OK, f"mcp {version('mcp')}")
    except PackageNotFoundError:
        return Finding("mcp", WARN, "the MCP server's package is not installed", "pip install 'everdex[mcp]'")


def _agents(path: Path) -> Finding:
    """What is installed for whom; half of an installation (an older one, or one edited since) is worth a word."""
    from everdex.service.doctor import OK, WARN, Finding
    from everdex.surfaces.install.plan import place_of, plan

    whole: list[str] = []
    partial: list[str] = []
    for agent in AGENT_NAMES:
        for scope in ("project", "user"):
            try:
                place = place_of(path, user=scope == "user", agent=agent)
                missing = any(change.action != "unchanged" for change in plan(agent, place, uninstall=False))
                present = any(change.action != "unchanged" for change in plan(agent, place, uninstall=True))
            except EverdexError:
                continue  # no project here, no hooks for all repositories, or a file that is not ours to judge
            if present:
                (partial if missing else whole).append(f"{agent} ({scope})")
    if partial:
        commands = ", ".join(f"`everdex install {name.split()[0]} --{name.split()[1].strip('()')}`" for name in partial)
        return Finding("agents", WARN, f"incomplete: {', '.join(partial)}", f"run {commands}")
    if not whole:
        return Finding("agents", OK, "none is set up", "`everdex install claude-code` sets one up")
    return Finding("agents", OK, ", ".join(whole))
