"""`everdex gate`: may these files be changed now, and if not, what to do first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, escape
from everdex.surfaces.cli.paths import named_from_root

_PLACES: Final = 20


@click.command("gate", short_help="Tell whether files may be changed now, and what to do first.")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@options.root_option
@click.option(
    "--seen", multiple=True, metavar="SHA256",
    help="The content you saw: SHA-256 of the file, once for each PATH in turn.",
)
@click.option("--since", metavar="ID", help="The snapshot you know the files from: what changed since then counts.")
@click.option(
    "--semantic", is_flag=True, help="The change is computed from references (a rename): they must be current."
)
@click.option(
    "--decide", metavar="WHY",
    help="With --semantic: you looked at every open reference of the files and go on; say why. It is remembered.",
)
@options.common(options.no_sync_option, options.reading_options)
def gate_command(
    paths: tuple[str, ...], root: Path | None, seen: tuple[str, ...], since: str | None, semantic: bool,
    decide: str | None, common: Common,
) -> int:  # fmt: skip
    """Tell whether the files PATHS may be changed now: allow, warn or block, each with why and what to do.

    Blocked is a file that is not indexed as it is now, that changed since you saw it, or that uses something whose
    signature changed since its references were resolved. Warned is of files that are generated, vendored, outside the
    index, in an unmerged conflict, or less surely affected. A file that does not exist is allowed, and said to be none.
    Nothing is changed. With --snapshot that snapshot is taken for the tree.

    \b
    Exit codes: 0 allow, 3 warn, 4 block.

    \b
    Examples:
      everdex gate src/app.py
      everdex gate src/app.py src/core.py --since 01M7GKD12H6R7QZE62RSHB11DX
      everdex gate --semantic src/app.py --decide "every x.go() is a Runner's"
      everdex gate --json src/app.py | jq -r '.actions[]'
    """
    from everdex.errors import UsageError
    from everdex.service import mutation

    index = common.index(root)
    named = named_from_root(paths, index.root.path, root)
    if len(seen) > len(named):
        raise UsageError(f"{len(seen)} contents were seen of {len(named)} files", hint="give --seen once for each PATH")
    known = dict(zip(named, seen, strict=False))
    question = mutation.GateQuestion(tuple(named), known, "semantic" if semantic else "edit", since, decide)
    mutation.check(question)
    params = {"paths": named, "seen": known, "intent": question.intent, "since": since, "decide": decide}
    document = common.ask(
        index, "gate", params, lambda reader, freshness, reading: reader.gate(question, freshness, reading)
    )
    return common.show(document, SHOWN)


def open_places(places: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The open places of a reason, one line each: the place, its text, and the candidates it may mean."""
    for place in places[:_PLACES]:
        candidates = [candidate.partition("::")[2] for candidate in place["candidates"]]
        between = f": {' or '.join(candidates)}" if candidates else ""
        yield f"{place['path']}:{place['line']}:{place['column'] + 1}: {place['text']} ({place['reason']}){between}"
    if len(places) > _PLACES:
        yield "…"


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for file in document["files"]:
        state = file["state"]
        about = f" ({state['freshness'].replace('_', ' ')}, {state['certainty']})" if state else ""
        yield True, f"{file['decision']}: {escape(file['path'])}{about}"
        for reason in file["reasons"]:
            if reason["decision"] != "allow" or reason["code"] in ("decided", "no_such_file"):
                yield True, f"  {reason['code']}: {escape(reason['message'])}"
                yield from ((True, f"    {escape(line)}") for line in open_places(reason["places"]))
    for action in document["actions"] if document["decision"] != "allow" else ():
        yield False, f"next: {escape(action)}"
    if document["graph"] == "behind":
        yield False, "references are as of an older snapshot"


_CODES = {"allow": 0, "warn": 3, "block": 4}
SHOWN = Shown(_lines, lambda document: _CODES[document["decision"]])
