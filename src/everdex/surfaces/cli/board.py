"""`everdex board`: what was looked at, what is believed and what was decided, and which of it went stale."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.board_shown import SHOWN
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import escape, warn, write_error, write_json
from everdex.surfaces.cli.paths import named_from_root

if TYPE_CHECKING:
    from everdex.service.index import Index

_IN_FILE: Final = re.compile(r"(.+?)(::.*|:\d+(?:-\d+)?)?\Z", re.DOTALL)
_PICTURES: Final = (".svg", ".png")
_CLAIM_KINDS: Final = ("finding", "hypothesis", "question")
_DECISION_KINDS: Final = ("plan", "edit", "skip", "test")
_STATES: Final = ("open", "supported", "refuted", "done", "dropped")


# What every part of the command takes, and what every change takes: who makes it.
_reading = options.common(options.root_option, options.no_sync_option, options.way_options, color=True)
_writing = options.common(
    click.option("--by", "author", metavar="NAME", help="Who you are (default: the user's name)."),
    click.option("--session", metavar="ID", help="Which session of yours this is."),
    options.root_option, options.no_sync_option, options.way_options, color=True,
)  # fmt: skip


@click.group("board", invoke_without_command=True, short_help="Keep evidence, claims and decisions about a change.")
@click.option("--all", "everything", is_flag=True, help="Also list what was dropped.")
@click.option("--snapshot", "snapshot_id", metavar="ID", help="Compare with this retained snapshot.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Draw it: .svg or .png."
)
@_reading
@click.pass_context
def board_command(
    context: click.Context, everything: bool, output: Path | None, root: Path | None, common: Common
) -> int | None:
    """Show the evidence board of a repository: working memory that outlives a session.

    Evidence (E1, …) is what was looked at: it is compared with the files as they are now, and is current, moved (the
    same text elsewhere), changed or gone. Claims (C1, …) cite evidence, decisions (D1, …) cite claims and evidence;
    whatever rests on changed evidence says so. The index is brought up to date first.

    \b
    Examples:
      everdex board
      everdex board add-evidence src/app.py:10-40 Index.search --note "cookies are signed here"
      everdex board add-evidence "search:where is the cookie signed" impact:sign_cookie "run:pytest -q"
      everdex board claim "only sign_cookie reads the key" --evidence E1,E2 --kind finding
      everdex board decide "pass the key as an argument" --on C1 --kind edit
      everdex board update D1 --state done
      everdex board update E1 --again
      everdex board drop C1
      everdex board reset
      everdex board -o board.svg
      everdex board --json | jq '.claims[] | select(.rests_on_changed != [])'
    """
    if context.invoked_subcommand is not None:
        given = [name for name, source in _sources(context) if source is click.core.ParameterSource.COMMANDLINE]
        if given:
            raise click.UsageError(f"options of `everdex board` come after {context.invoked_subcommand}: {given[0]}")
        return None
    if output is not None and output.suffix.lower() not in _PICTURES:
        raise click.UsageError(f"{output}: a picture is .svg or .png")
    document = _asked(common.index(root), {"action": "show", "everything": everything}, common)
    return common.show(document, SHOWN) if output is None else _drawn(document, output, as_json=common.as_json)


def _sources(context: click.Context) -> list[tuple[str, Any]]:
    return [(name, context.get_parameter_source(name)) for name in context.params]


@board_command.command("add-evidence", short_help="Remember files, lines, definitions, answers or runs.")
@click.argument("targets", nargs=-1, required=True)
@click.option("--note", "text", metavar="TEXT", help="What is to be seen there.")
@_writing
def add_evidence_command(
    targets: tuple[str, ...], text: str | None, author: str | None, session: str | None, root: Path | None,
    common: Common,
) -> int:  # fmt: skip
    """Put evidence on the board, one item for each of TARGETS.

    \b
    A target is
      PATH, PATH:LINE, PATH:FIRST-LAST   a file, or lines of it
      NAME, Class.name, PATH::NAME       a definition
      search:QUERY                       the five best results of a search
      impact:NAME                        what a change of a definition may affect
      run:COMMAND                        that you ran a command (say with --note how it went): it is not run here
    """
    index = common.index(root)
    named = [_from_root(target, index.root.path, root) for target in targets]
    edit = {"action": "add_evidence", "targets": named, "text": text, "author": author, "session": session}
    return common.show(_asked(index, edit, common), SHOWN)


@board_command.command("claim", short_help="State what you believe, and on what evidence.")
@click.argument("text")
@click.option("--evidence", metavar="IDS", help="The evidence it rests on: E1,E2.")
@click.option("--kind", type=click.Choice(_CLAIM_KINDS), help="What it is (default: finding).")
@click.option("--state", type=click.Choice(_STATES[:3]), help="How it stands (default: open).")
@_writing
def claim_command(
    text: str, evidence: str | None, kind: str | None, state: str | None, author: str | None, session: str | None,
    root: Path | None, common: Common,
) -> int:  # fmt: skip
    """Put a claim on the board: TEXT, which is believed, suspected or asked."""
    edit = {
        "action": "claim", "text": text, "kind": kind, "state": state, "cites": _ids(evidence), "author": author,
        "session": session,
    }  # fmt: skip
    return _changed(edit, root, common)


@board_command.command("decide", short_help="Record what is to be done, and why.")
@click.argument("text")
@click.option("--on", "cites", metavar="IDS", help="The claims and evidence it rests on: C1,E2.")
@click.option("--kind", type=click.Choice(_DECISION_KINDS), help="What it is (default: plan).")
@click.option("--state", type=click.Choice(("open", "done", "dropped")), help="How it stands (default: open).")
@_writing
def decide_command(
    text: str, cites: str | None, kind: str | None, state: str | None, author: str | None, session: str | None,
    root: Path | None, common: Common,
) -> int:  # fmt: skip
    """Put a decision on the board: TEXT, which is to be done, or left."""
    edit = {
        "action": "decide", "text": text, "kind": kind, "state": state, "cites": _ids(cites), "author": author,
        "session": session,
    }  # fmt: skip
    return _changed(edit, root, common)


@board_command.command("update", short_help="Change an item: its state, text, kind or what it rests on.")
@click.argument("item", metavar="ID")
@click.option("--state", type=click.Choice(_STATES), help="How a claim or a decision stands now.")
@click.option("--text", metavar="TEXT", help="Say it anew (of evidence: the note).")
@click.option("--kind", type=click.Choice((*_CLAIM_KINDS, *_DECISION_KINDS)), help="What it is.")
@click.option("--cite", "cites", metavar="IDS", help="All that it rests on from now on: E1,E3.")
@click.option("--again", is_flag=True, help="You looked at this evidence again: it stands on what is there now.")
@_writing
def update_command(
    item: str, state: str | None, text: str | None, kind: str | None, cites: str | None, again: bool,
    author: str | None, session: str | None, root: Path | None, common: Common,
) -> int:  # fmt: skip
    """Change the item ID of the board."""
    edit = {
        "action": "update", "id": item, "state": state, "text": text, "kind": kind, "cites": _ids(cites),
        "again": again, "author": author, "session": session,
    }  # fmt: skip
    return _changed(edit, root, common)


@board_command.command("drop", short_help="Take an item off the board; that is recorded.")
@click.argument("item", metavar="ID")
@_writing
def drop_command(item: str, author: str | None, session: str | None, root: Path | None, common: Common) -> int:
    """Take the item ID off the board. Its beginning stays on record, and its number is not given again."""
    edit = {"action": "drop", "id": item, "author": author, "session": session}
    return _changed(edit, root, common)


@board_command.command("reset", short_help="Put the board aside and begin a new one.")
@_reading
def reset_command(root: Path | None, common: Common) -> int:
    """Put the whole board aside, also a damaged one, and begin a new one; says where the old one is kept."""
    return _changed({"action": "reset"}, root, common)


def _changed(edit: dict[str, Any], root: Path | None, common: Common) -> int:
    """Make a change and show what it touched."""
    return common.show(_asked(common.index(root), edit, common), SHOWN)


def _asked(index: Index, given: dict[str, Any], common: Common) -> dict[str, Any]:
    """The board, or what an edit changed of it."""
    from everdex.canvas.board.edits import checked, edit_of

    edit = checked(edit_of(given))
    return common.ask(
        index, "board", given, lambda reader, freshness, reading: reader.board(edit, freshness, reading)
    )


def _drawn(document: dict[str, Any], output: Path, *, as_json: bool) -> int:
    """The board as a picture in a file; with --json the envelope and what was written."""
    from everdex.canvas.board.picture import board_scene
    from everdex.canvas.png import png
    from everdex.canvas.svg import svg
    from everdex.service.exporting import to_file

    scene = board_scene(document)
    form = output.suffix.lower().removeprefix(".")
    written = to_file([svg(scene).encode() if form == "svg" else png(scene)], output)
    if as_json:
        write_json({**document, "output": str(output), "format": form, "bytes": written})
    else:
        warn(document)
        write_error(f"wrote {written:,} bytes to {escape(str(output))}")
    return SHOWN.code(document)


def _ids(text: str | None) -> list[str] | None:
    return None if text is None else [part for part in re.split(r"[,\s]+", text) if part]


def _from_root(target: str, top: Path, root: Path | None) -> str:
    """A target that names a file from the current directory, with the path from the root; any other target as it is."""
    match = _IN_FILE.fullmatch(target)
    start = Path(root or ".")
    if match is None or not (start / match[1]).is_file():
        return target
    (named,) = named_from_root([match[1]], top, root)
    return named + (match[2] or "")
