"""`everdex files`: the eligible set, and every path that is out with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import Line, Shown, escape


@click.command("files", short_help="List the files that are in, or with --skipped those that are out and why.")
@options.root_argument
@click.option("--skipped", is_flag=True, help="List the paths that are out, each with its reason, instead.")
@options.reading_options
@options.shared_option
@options.json_option
def files_command(
    path: Path, skipped: bool, snapshot_id: str | None, offline: bool, shared_store: Path | None, as_json: bool
) -> int:
    """List the files of the repository around PATH that are eligible, as the tree is now.

    With --snapshot, list the files as that snapshot has them. With --skipped, list what is out: one line a path
    with its reason, tab-separated; an ignored directory appears once, ending in a slash. `--json --skipped` has both.

    \b
    Examples:
      everdex files
      everdex files --skipped | grep too_large
      everdex files --json | jq -r '.files[] | select(.language == "python") | .path'
    """
    from everdex.service.index import Index, Reading
    from everdex.surfaces.daemon.client import ask

    index = Index.open_to_read(path, shared_store=shared_store)
    reading = Reading(snapshot_id=snapshot_id, offline=offline)
    params = {"skipped": skipped, "snapshot_id": snapshot_id}
    document = ask(index, reading, "files", params, lambda: index.files(skipped=skipped, reading=reading))
    return SHOWN.print(document, as_json=as_json)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    if "skipped" not in document:
        for item in document["files"]:
            yield True, escape(item["path"])
        return
    for item in document["skipped"]:
        detail = f"\t{escape(item['detail'])}" if item["detail"] else ""
        yield True, f"{escape(item['path'])}\t{item['reason']}{detail}"


SHOWN = Shown(_lines)
