"""`everdex upgrade-store`: can this build go on with a store?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.errors import Incompatible
from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown


@click.command("upgrade-store", short_help="Say whether this everdex can go on with a store; migrate if it must.")
@options.path_argument
@options.common()
def upgrade_store_command(path: Path, common: Common) -> int:
    """Check every schema version and checksum of the store of the repository around PATH.

    A store written by a newer everdex is refused and left as it is (exit code 13); one that is too old says that it
    must be indexed anew.

    \b
    Examples:
      everdex upgrade-store
    """
    from everdex.service.maintain import upgrade

    return common.show(upgrade(common.index(path)).to_dict(), SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for item in document["artifacts"]:
        found = "missing" if item["found"] is None else f"version {item['found']}"
        yield True, f"{item['artifact']:<13} {found} (reads {item['min_readable']} to {item['max_readable']})"
    yield True, document["status"].replace("_", " ")
    if document["hint"]:
        yield False, f"hint: {document['hint']}"


SHOWN = Shown(_lines, lambda document: 0 if document["status"] == "up_to_date" else Incompatible.exit_code)
