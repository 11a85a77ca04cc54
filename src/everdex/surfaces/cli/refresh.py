"""`everdex refresh`: bring files and their references up to date, as a job."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import Line, Shown, escape, plural
from everdex.surfaces.cli.pathed import named_from_root


@click.command("refresh", short_help="Bring files and what refers to what up to date, as a job.")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--root", type=click.Path(path_type=Path), metavar="DIR", help="The repository to look in.")
@click.option("--package", "packages", multiple=True, metavar="DIR", help="Everything below this directory.")
@click.option("--changed-since", type=float, metavar="SECONDS", help="Files that changed after this time (epoch).")
@click.option("--queue", is_flag=True, help="Only queue it: the daemon of the repository will run it.")
@click.option(
    "--budget", "budget_ms", type=click.IntRange(1), metavar="MS", help="Give up after so many milliseconds."
)
@options.shared_option
@options.json_option
def refresh_command(
    paths: tuple[str, ...], root: Path | None, packages: tuple[str, ...], changed_since: float | None, queue: bool,
    budget_ms: int | None, shared_store: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Index what changed in the files PATHS and resolve references again; without any, in the whole repository.

    The scope says what must be current at the end; more may be. Requests are merged: a queued job is widened, a running
    one is followed by what it did not cover. Exit code 1 when there was nothing to do.

    \b
    Examples:
      everdex refresh
      everdex refresh src/app.py --package src/core
      everdex refresh --queue --json | jq .job_id
    """
    from everdex import limits, refreshing
    from everdex.service import Index
    from everdex.state import scopes
    from everdex.state.scopes import RefreshScope

    index = Index.open_to_read(root or ".", shared_store=shared_store)
    files = named_from_root(paths, index.root.path, root)
    below = named_from_root(packages, index.root.path, root)
    named = bool(files or below or changed_since is not None)
    scope = scopes.checked(RefreshScope(tuple(files), tuple(below), changed_since)) if named else None
    budget = limits.JOB_BUDGET_MS if budget_ms is None else budget_ms
    if queue:
        found = refreshing.enqueue_answer(index, scope, budget_ms=budget)
    else:
        found = refreshing.refresh_answer(index, scope, budget_ms=budget)
    return SHOWN.print(found.to_dict(), as_json=as_json)


def job_line(job: dict[str, Any]) -> str:
    """A job in one line."""
    scope = job["scope"]
    what = "everything" if scope is None else ", ".join((*(scope["files"] or ()), *(scope["packages"] or ())))
    parts = [f"job {job['id']}: {job['status']}", escape(what or "what changed")]
    if job["result"] is not None:
        parts.append(f"{plural(job['result']['indexed'], 'file')} indexed")
    if job["error"]:
        parts.append(escape(f"{job['error_code']}: {job['error']}"))
    return "  ".join(parts)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    job = document["job"]
    yield (False, "nothing to do") if job is None else (True, job_line(job))


def _code(document: dict[str, Any]) -> int:
    job = document["job"]
    if job is None:
        return 1
    return 11 if job["error_code"] == "timeout" else 70 if job["status"] == "failed" else 0


SHOWN = Shown(_lines, _code)
