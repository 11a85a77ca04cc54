"""`everdex mcp`: the door for coding agents. The SDK is an extra, so only this command imports it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from everdex.errors import UsageError
from everdex.service.answers import of_no_index
from everdex.surfaces.cli import options
from everdex.surfaces.cli.output import write_json


@click.command("mcp", short_help="Serve a repository to coding agents (Model Context Protocol).")
@options.path_argument
@click.option(
    "--http", "port", type=click.IntRange(0, 65535), metavar="PORT",
    help="Serve streamable HTTP on 127.0.0.1:PORT/mcp instead of stdio; 0 takes a free port.",
)  # fmt: skip
@options.shared_option
@click.option("--json", "as_json", is_flag=True, help="Print the tools as one JSON document and serve nothing.")
def mcp_command(path: Path, port: int | None, shared_store: Path | None, as_json: bool) -> int:
    """Serve the repository around PATH over the Model Context Protocol, for an agent to start.

    Speaks on standard input and output, and ends when its input does. The first question indexes a repository that
    was never seen; every question brings the index up to date first. Nothing but the index is ever written.

    With --http it listens on this machine only. Every local user can reach that port; stdio has no such door.

    \b
    Examples:
      everdex mcp
      everdex mcp ~/src/flask
      everdex mcp --http 7007
      everdex mcp --json | jq -r '.tools[].name'
      claude mcp add everdex -- everdex mcp
    """
    if find_spec("mcp") is None:
        raise UsageError("the MCP server needs the `mcp` package", hint="pip install 'everdex[mcp]'")
    from everdex.service.index import Index

    index = Index.open_to_read(path, shared_store=shared_store)
    if not as_json and port is None:
        from everdex.surfaces.mcp.greeting import Greeter

        if not Greeter(index.root.path).greet("everdex.surfaces.mcp.server"):
            return 0
    from everdex.surfaces.mcp.server import describe, serve_http, serve_stdio

    if as_json:
        write_json(of_no_index(describe(index)))
    elif port is not None:
        serve_http(index, port)
    else:
        serve_stdio(index)
    return 0
