"""`everdex index`: bring the index up to date, or with --dry-run say what that would do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, duration, escape, plural, size
from everdex.surfaces.cli.progress import Progress

_SHOWN = 20
_MISSED: Final = {
    "submodule": ("submodule", "{}"),
    "nested_repository": ("folder", "{} with its own repository"),
    "too_large": ("file", "{} above the size limit"),
    "unreadable": ("file", "{} that may not be read"),
}  # fmt: skip


@click.command("index", short_help="Bring the index of a repository up to date.")
@options.path_argument
@click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")
@click.option("--rebuild", is_flag=True, help="Index every file again, whatever is indexed.")
@click.option(
    "--allow-degraded", is_flag=True, help="Publish even when a file cannot be read; its old rows do not answer."
)
@click.option(
    "--large", is_flag=True, help="Index up to 4 GiB of changed files at once; unasked it is 256 MiB."
)
@click.option("--force-root", is_flag=True, help="Allow $HOME, / or git's own directory as the root.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors; for hooks and cron.")
@click.option("--wait", is_flag=True, help="Wait for another writer for 10 minutes instead of 5 seconds.")
@options.common(options.workers_option)
def index_command(
    path: Path, dry_run: bool, rebuild: bool, allow_degraded: bool, large: bool, force_root: bool, quiet: bool,
    wait: bool, common: Common,
) -> int:  # fmt: skip
    """Bring the index of the repository around PATH (default: here) up to date.

    Only files whose content changed are read and parsed. The result becomes visible at once or not at all: when
    the command is killed, the last snapshot goes on answering.

    \b
    Examples:
      everdex index
      everdex index --dry-run ~/src/project
      everdex index --rebuild --workers 4
      everdex index --quiet
      everdex index --json | jq .changes
    """
    from everdex.service.index import Index
    from everdex.service.maintain import patiently
    from everdex.sync.model import SyncOptions

    index = Index.open(path, force_root=force_root, shared_store=common.shared_store)
    with Progress(quiet=common.as_json or quiet) as progress:
        chosen = SyncOptions(
            allow_degraded=allow_degraded, rebuild=rebuild, large=large, workers=common.workers, progress=progress
        )
        if dry_run:
            answer = index.plan(chosen)
        elif wait:
            answer = index.report(index.sync(chosen, wait=True))
        else:
            answer = index.report(patiently(lambda: index.sync(chosen)))
    if quiet and not common.as_json:
        return 0
    return common.show(answer.to_dict(), PLAN if dry_run else REPORT)


def _report(document: dict[str, Any]) -> Iterator[Line]:
    counts, changes = document["counts"], document["changes"]
    totals = f"{plural(counts['files_indexed'], 'file')}, {plural(counts['chunks_indexed'], 'chunk')}"
    # Known only once a file is read: such a file counts as added and is not among the files.
    unread = sum(document["skipped"].get(reason, 0) for reason in ("binary", "encoding", "too_many_chunks"))
    if unread:
        totals += f", {plural(unread, 'file')} left out by content"
    where = f"snapshot {document['snapshot_id']}, {duration(document['timings_ms']['total'])}"
    if not document["published"]:
        yield True, f"up to date: {totals}, {where}"
        yield from _missed(document["skipped"])
        return
    done = [f"{changes[kind]:,} {kind}" for kind in ("added", "modified", "deleted", "renamed") if changes[kind]]
    if document["reused"]:
        done.append(f"{document['reused']:,} of them as another worktree has them")
    yield True, f"indexed: {', '.join(done) or 'nothing changed'}; now {totals}, {where}"
    for error in document["errors"]:
        yield False, f"degraded: {escape(error['path'])}: {escape(error['message'])}"
    yield from _missed(document["skipped"])


def _missed(skipped: dict[str, int]) -> Iterator[Line]:
    """Code that is not indexed although a user may expect it to be: submodules, and files too large or unreadable."""
    missed = [
        words.format(plural(skipped[reason], noun)) for reason, (noun, words) in _MISSED.items() if reason in skipped
    ]
    if missed:
        yield False, f"not in the index: {', '.join(missed)}; `everdex files --skipped` lists what is out"


def _plan(document: dict[str, Any]) -> Iterator[Line]:
    yield True, f"{escape(document['canonical_root'])}: {plural(document['eligible'], 'eligible file')}"
    for kind in ("add", "modify", "delete", "rename"):
        items = document[kind]
        if not items:
            continue
        yield True, f"{kind}: {len(items):,}"
        for item in items[:_SHOWN]:
            yield True, "  " + escape(f"{item['from']} -> {item['to']}" if kind == "rename" else item)
        if len(items) > _SHOWN:
            yield True, f"  … {len(items) - _SHOWN:,} more"
    yield True, f"unchanged: {document['unchanged']:,}"
    yield True, f"to index: {size(document['bytes_to_index'])} (limit {size(document['bytes_limit'])})"
    for reason, count in document["skipped"].items():
        yield True, f"skipped, {reason}: {count:,}"
    for collision in document["collisions"]:
        yield True, "collision: " + escape(", ".join(collision["paths"]))
    yield True, "nothing was written"


REPORT, PLAN = Shown(_report), Shown(_plan)
