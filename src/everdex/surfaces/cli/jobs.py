"""`everdex jobs`: refresh jobs, newest first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown
from everdex.surfaces.cli.refresh import job_line


@click.command("jobs", short_help="List refresh jobs, newest first.")
@options.path_argument
@click.option("--id", "number", type=click.IntRange(1), metavar="N", help="Only this job.")
@click.option("-k", "most", type=click.IntRange(1, 200), default=20, show_default=True, metavar="N", help="How many.")
@options.common(options.reading_options)
def jobs_command(path: Path, number: int | None, most: int, common: Common) -> int:
    """List the refresh jobs of the repository around PATH, newest first, with what became of them.

    With --snapshot only those that ended in that snapshot.

    \b
    Examples:
      everdex jobs
      everdex jobs --json | jq '.jobs[] | select(.status == "failed")'
    """
    from everdex.service.refreshing import jobs_answer

    index = common.index(path)
    params = {"k": most, "job_id": number}
    document = common.tell(index, "jobs", params, lambda reading: jobs_answer(index, most, number, reading))
    return common.show(document, SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for job in document["jobs"]:
        yield True, f"{job['created_at']}  {job_line(job)}"
    if document["omitted"]:
        total = len(document["jobs"]) + document["omitted"]
        yield False, f"{document['omitted']:,} older not shown (-k {total} shows all)"
    if not document["jobs"]:
        yield False, "no jobs"


SHOWN = Shown(_lines, lambda document: 0 if document["jobs"] else 1)
