"""`everdex jobs`: refresh jobs, newest first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import Line, Shown
from everdex.surfaces.cli.refresh import job_line


@click.command("jobs", short_help="List refresh jobs, newest first.")
@options.root_argument
@click.option("--id", "number", type=click.IntRange(1), metavar="N", help="Only this job.")
@click.option("-k", "most", type=click.IntRange(1, 200), default=20, show_default=True, metavar="N", help="How many.")
@options.shared_option
@options.json_option
def jobs_command(path: Path, number: int | None, most: int, shared_store: Path | None, as_json: bool) -> int:
    """List the refresh jobs of the repository around PATH, newest first, with what became of them.

    \b
    Examples:
      everdex jobs
      everdex jobs --json | jq '.jobs[] | select(.status == "failed")'
    """
    from everdex import refreshing
    from everdex.service import Index

    index = Index.open_to_read(path, shared_store=shared_store)
    found = refreshing.jobs_answer(index, most, number)
    return SHOWN.print(found.to_dict(), as_json=as_json)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for job in document["jobs"]:
        yield True, f"{job['created_at']}  {job_line(job)}"
    if not document["jobs"]:
        yield False, "no jobs"


SHOWN = Shown(_lines, lambda document: 0 if document["jobs"] else 1)
