"""`everdex files`: the eligible set, and every path that is out with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.errors import Busy
from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, escape
from everdex.surfaces.cli.paths import told_of_all


@click.command("files", short_help="List the files that are in, or with --skipped those that are out and why.")
@options.path_argument
@click.option("--skipped", is_flag=True, help="List the paths that are out, each with its reason, instead.")
@options.common(options.reading_options)
def files_command(path: Path, skipped: bool, common: Common) -> int:
    """List the files of the repository around PATH that are eligible, as the tree is now.

    With --snapshot, list the files as that snapshot has them. With --skipped, list what is out: one line a path
    with its reason, tab-separated; an ignored directory appears once, ending in a slash. `--json --skipped` has both.

    \b
    Examples:
      everdex files
      everdex files --skipped | grep too_large
      everdex files --json | jq -r '.files[] | select(.language == "python") | .path'
    """
    index = common.index(path)
    document = common.tell(
        index, "files", {"skipped": skipped}, lambda reading: index.files(skipped=skipped, reading=reading)
    )
    if document["cursor"]:  # of more than a daemon sends at once; this process can have all of one moment
        document = index.files(skipped=skipped, reading=common.reading).to_dict()
    told_of_all(document, path, index.root.path)
    return common.show(document, SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    if "skipped" not in document:
        for item in document["files"]:
            yield True, escape(item["path"])
        return
    for item in document["skipped"]:
        detail = f"\t{escape(item['detail'])}" if item["detail"] else ""
        yield True, f"{escape(item['path'])}\t{item['reason']}{detail}"


SHOWN = Shown(_lines, lambda document: Busy.exit_code if document["cursor"] else 0)
