"""`everdex upgrade-store`: can this build go on with a store?"""

from __future__ import annotations

from pathlib import Path

import click

from everdex.errors import Incompatible
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import warn, write, write_error, write_json


@click.command("upgrade-store", short_help="Say whether this everdex can go on with a store; migrate if it must.")
@options.root_argument
@options.shared_option
@options.json_option
def upgrade_store_command(path: Path, shared_store: Path | None, as_json: bool) -> int:
    """Check every schema version and checksum of the store of the repository around PATH.

    A store written by a newer everdex is refused and left as it is (exit code 13); one that is too old says that it
    must be indexed anew.

    \b
    Examples:
      everdex upgrade-store
    """
    from everdex.service.index import Index
    from everdex.service.maintain import upgrade

    document = upgrade(Index.open_to_read(path, shared_store=shared_store)).to_dict()
    if as_json:
        write_json(document)
    else:
        warn(document)
        for item in document["artifacts"]:
            found = "missing" if item["found"] is None else f"version {item['found']}"
            write(f"{item['artifact']:<13} {found} (reads {item['min_readable']} to {item['max_readable']})")
        write(document["status"].replace("_", " "))
        if document["hint"]:
            write_error(f"hint: {document['hint']}")
    return 0 if document["status"] == "up_to_date" else Incompatible.exit_code
