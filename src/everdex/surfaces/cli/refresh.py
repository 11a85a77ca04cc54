"""`everdex refresh`: bring files and their references up to date, as a job."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, escape, plural
from everdex.surfaces.cli.paths import named_from_root
from everdex.surfaces.cli.progress import Progress


@click.command("refresh", short_help="Bring files and what refers to what up to date, as a job.")
@click.argument("paths", nargs=-1, type=click.Path())
@options.root_option
@click.option("--package", "packages", multiple=True, metavar="DIR", help="Everything below this directory.")
@click.option("--changed-since", type=float, metavar="SECONDS", help="Files that changed after this time (epoch).")
@click.option(
    "--scip", "scip_file", type=click.Path(path_type=Path), metavar="FILE",
    help="Import a SCIP index that an indexer made of this repository.",
)
@click.option(
    "--semantic", is_flag=False, flag_value="", metavar="[CONTEXT]",
    help="Run the indexers of the semantic contexts, or of CONTEXT (see `everdex contexts`).",
)
@click.option("--queue", is_flag=True, help="Only queue it: the daemon of the repository will run it.")
@click.option(
    "--budget", "budget_ms", type=click.IntRange(1), metavar="MS", help="Give up after so many milliseconds."
)
@options.common()
def refresh_command(
    paths: tuple[str, ...], root: Path | None, packages: tuple[str, ...], changed_since: float | None,
    scip_file: Path | None, semantic: str | None, queue: bool, budget_ms: int | None, common: Common,
) -> int:  # fmt: skip
    """Index what changed in the files PATHS and resolve references again; without any, in the whole repository.

    The scope says what must be current at the end; more may be. Requests are merged: a queued job is widened, a running
    one is followed by what it did not cover. Exit code 1 when there was nothing to do.

    With --scip the index of a compiler or type checker is imported: it decides what names mean in the files whose very
    bytes it is about, and files that it does not fit are left out and counted.

    An indexer runs the repository's build configuration, on a copy of its files; --semantic is how you ask for that.
    Files that change meanwhile are left out and queued again. --queue needs a daemon that may run indexers.

    \b
    Examples:
      everdex refresh
      everdex refresh src/app.py --package src/core
      everdex refresh --queue --json | jq .job_id
      everdex refresh --scip index.scip
      everdex refresh --semantic
      everdex refresh --semantic=typescript:web --budget 1200000
    """
    from everdex import limits
    from everdex.errors import UsageError
    from everdex.service import refreshing, semantics
    from everdex.state import scopes
    from everdex.state.scopes import RefreshScope

    index = common.index(root)
    if scip_file is not None:
        if paths or packages or changed_since is not None or semantic is not None or queue or budget_ms is not None:
            raise UsageError("--scip imports a whole index, now", hint="leave out everything but --root and --json")
        return common.show(semantics.import_index(index, scip_file).to_dict(), IMPORTED)
    files = named_from_root(paths, index.root.path, root)
    below = named_from_root(packages, index.root.path, root)
    named = bool(files or below or changed_since is not None)
    scope = scopes.checked(RefreshScope(tuple(files), tuple(below), changed_since)) if named else None
    budget = limits.JOB_BUDGET_MS if budget_ms is None else budget_ms
    if semantic is not None:
        with Progress(quiet=common.as_json) as shown:
            asked = refreshing.semantic_answer(
                index, semantic or None, scope, budget_ms=budget, queue=queue, shown=shown
            )
        return common.show(asked.to_dict(), SEMANTIC)
    if queue:
        found = refreshing.enqueue_answer(index, scope, budget_ms=budget)
    else:
        with Progress(quiet=common.as_json) as shown:
            found = refreshing.refresh_answer(index, scope, budget_ms=budget, shown=shown)
    return common.show(found.to_dict(), SHOWN)


def job_line(job: dict[str, Any]) -> str:
    """A job in one line."""
    scope = job["scope"]
    what = "everything" if scope is None else ", ".join((*(scope["files"] or ()), *(scope["packages"] or ())))
    parts = [f"job {job['id']}: {job['status']}", escape(what or "what changed")]
    if job["context"] is not None:
        parts.insert(1, escape(job["context"]))
    if job["result"] is not None:
        parts.append(f"{plural(job['result']['indexed'], 'file')} indexed")
        if job["result"]["left"]:
            parts.append(f"{job['result']['left']:,} left: they changed meanwhile")
    if job["error"]:
        parts.append(escape(f"{job['error_code']}: {job['error']}"))
    return "  ".join(parts)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    job = document["job"]
    yield (False, "nothing to do") if job is None else (True, job_line(job))


def _code(document: dict[str, Any]) -> int:
    return 1 if document["job"] is None else _code_of(document["job"])


def _code_of(job: dict[str, Any]) -> int:
    return 11 if job["error_code"] == "timeout" else 70 if job["status"] == "failed" else 0


SHOWN = Shown(_lines, _code)


def _imported_lines(document: dict[str, Any]) -> Iterator[Line]:
    found = document["imported"]
    documents = plural(found["documents"], "document")
    kept = f", {found['kept']:,} kept from before" if found["kept"] else ""
    yield True, f"imported {documents} of {escape(found['context']['name'])}: {found['occurrences']:,} places{kept}"
    for reason, count in found["skipped"].items():
        yield False, f"left out: {count:,} {reason.replace('_', ' ')}"


IMPORTED = Shown(_imported_lines, lambda document: 0 if document["imported"]["documents"] else 1)


def _semantic_lines(document: dict[str, Any]) -> Iterator[Line]:
    for job in document["jobs"]:
        yield True, job_line(job)
        if job["result"] is not None and "writes" not in job["result"].get("confined", "writes"):
            yield False, "warning: this kernel has no Landlock: nothing kept the indexer from writing elsewhere"
    for missing in document["missing"]:
        yield False, escape(f"warning: {missing['message']} (hint: {missing['hint']})")
    if not document["jobs"]:
        yield False, "nothing to do"


SEMANTIC = Shown(_semantic_lines, lambda document: max(map(_code_of, document["jobs"]), default=1))
