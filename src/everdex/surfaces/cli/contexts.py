"""`everdex contexts`: the projects that an indexer can be run for, what each needs and how current it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from everdex.surfaces.cli import options, rows
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, Style, escape, plural, write

_COLOURS: Final = {
    "current": "green", "imported": "green", "behind": "yellow", "failed": "red", "running": "cyan", "queued": "cyan",
}  # fmt: skip
_WIDEST: Final = 40  # a longer name moves what follows it


@click.command("contexts", short_help="List the projects of a repository that an indexer can be run for.")
@options.path_argument
@options.common(options.no_sync_option, options.reading_options, color=True)
def contexts_command(path: Path, common: Common) -> int:
    """List the semantic contexts of the repository around PATH: projects that a one-shot indexer knows the meaning of.

    Each is found by its build file and owns the files of its languages below, down to the next one. Shown are how many
    of them the last index still holds for, the indexer, and where it is; it is looked for in PATH, never in the
    repository. Nothing is run but the indexers' --version; `everdex refresh --semantic` runs them. Exit code 1 when
    there is none.

    \b
    Examples:
      everdex contexts
      everdex contexts --json | jq -r '.contexts[] | select(.tool.path == null) | .tool.install'
    """
    document = common.ask(
        common.index(path), "contexts", {}, lambda reader, freshness, reading: reader.contexts(freshness, reading)
    )
    return common.show(document, SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for context in document["contexts"]:
        known = f"{context['current_files']:,} of {plural(context['files'], 'file')}"
        yield True, escape(f"{context['name']}: {context['state']}, {known}, {_tool(context)}")
    yield False, _summary(document)


def _draw(document: dict[str, Any], shown: Style) -> None:
    found = document["contexts"]
    widest = min(_WIDEST, max((len(escape(context["name"])) for context in found), default=0))
    for context in found:
        name, state = f"{escape(context['name']):<{widest}}", f"{context['state']:<8}"
        known = f"{context['current_files']:,} of {plural(context['files'], 'file')}"
        if shown.coloured:
            name = click.style(name, bold=True)
            state = click.style(state, fg=_COLOURS.get(context["state"]), dim=context["state"] == "never")
        write(f"{name}  {state}  {known}")
        rows.wrapped(f"  {_details(context)}")
        if context["error"] is not None:
            rows.wrapped(f"  job {context['error']['job_id']}: {context['error']['message']}")


def _details(context: dict[str, Any]) -> str:
    parts = [context["config_path"], _tool(context)]
    if context["refreshed_at"] is not None:
        parts.append(f"indexed {context['refreshed_at']}")
    return " · ".join(filter(None, parts))


def _tool(context: dict[str, Any]) -> str:
    tool = context["tool"]
    if context["state"] == "imported":
        return f"{tool['name']} {tool['version']}".strip()
    if tool["path"] is None:
        return f"{tool['name']} is not installed: {tool['install']}"
    if tool["version"] is None:
        return f"{tool['path']} does not run: {tool['problem']}"
    return f"{tool['name']} {tool['version']} ({tool['path']})"


def _summary(document: dict[str, Any]) -> str:
    found, files = document["contexts"], document["files"]
    if not found:
        return "no contexts: no build file of a known kind has sources below it"
    more = f" ({document['omitted']:,} more not shown)" if document["omitted"] else ""
    runs = "runs indexers unasked" if document["unasked"] else "does not run indexers unasked"
    if "writes" not in document["confined"]:
        runs += "; this kernel cannot keep one from writing anywhere"
    return f"{plural(len(found), 'context')}{more}; {plural(files['others'], 'file')} in none; the daemon {runs}"


SHOWN = Shown(_lines, lambda document: 0 if document["contexts"] else 1, _draw)
