"""`everdex board`: what was looked at, what is believed and what was decided, and which of it went stale."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.board_shown import SHOWN, finish
from everdex.surfaces.cli.output import escape, warn, write_error, write_json
from everdex.surfaces.cli.pathed import gathered, named_from_root

_Function = TypeVar("_Function", bound=Callable[..., Any])
_IN_FILE: Final = re.compile(r"(.+?)(::.*|:\d+(?:-\d+)?)?\Z", re.DOTALL)
_PICTURES: Final = (".svg", ".png")
_CLAIM_KINDS: Final = ("finding", "hypothesis", "question")
_DECISION_KINDS: Final = ("plan", "edit", "skip", "test")
_STATES: Final = ("open", "supported", "refuted", "done", "dropped")


def _common(function: _Function) -> _Function:
    """What every part of the command takes."""
    root = click.option("--root", type=click.Path(path_type=Path), metavar="DIR", help="The repository to look in.")
    for option in (
        options.json_option, options.color_option, options.shared_option, options.way_options, options.no_sync_option,
        root,
    ):  # fmt: skip
        function = option(function)
    return function


def _writing(function: _Function) -> _Function:
    """What every change takes: who makes it."""
    author = click.option("--by", "author", metavar="NAME", help="Who you are (default: the user's name).")
    session = click.option("--session", metavar="ID", help="Which session of yours this is.")
    return author(session(_common(function)))


@click.group("board", invoke_without_command=True, short_help="Keep evidence, claims and decisions about a change.")
@click.option("--all", "everything", is_flag=True, help="Also list what was dropped.")
@click.option("--snapshot", "snapshot_id", metavar="ID", help="Compare with this retained snapshot.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Draw it: .svg or .png."
)
@_common
@click.pass_context
def board_command(
    context: click.Context, everything: bool, snapshot_id: str | None, output: Path | None, root: Path | None,
    no_sync: bool, offline: bool, shared_store: Path | None, color: str, as_json: bool,
) -> int | None:  # fmt: skip
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
    from everdex.service.index import Index

    if output is not None and output.suffix.lower() not in _PICTURES:
        raise click.UsageError(f"{output}: a picture is .svg or .png")
    index = Index.open_to_read(root or ".", shared_store=shared_store)
    edit = {"action": "show", "everything": everything}
    return _done(index, edit, snapshot_id, output, no_sync=no_sync, offline=offline, color=color, as_json=as_json)


def _sources(context: click.Context) -> list[tuple[str, Any]]:
    return [(name, context.get_parameter_source(name)) for name in context.params]


@board_command.command("add-evidence", short_help="Remember files, lines, definitions, answers or runs.")
@click.argument("targets", nargs=-1, required=True)
@click.option("--note", "text", metavar="TEXT", help="What is to be seen there.")
@_writing
def add_evidence_command(
    targets: tuple[str, ...], text: str | None, author: str | None, session: str | None, root: Path | None,
    no_sync: bool, offline: bool, shared_store: Path | None, color: str, as_json: bool,
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
    from everdex.service.index import Index

    index = Index.open_to_read(root or ".", shared_store=shared_store)
    named = [_from_root(target, index.root.path, root) for target in targets]
    edit = {"action": "add_evidence", "targets": named, "text": text, "author": author, "session": session}
    return _done(index, edit, no_sync=no_sync, offline=offline, color=color, as_json=as_json)


@board_command.command("claim", short_help="State what you believe, and on what evidence.")
@click.argument("text")
@click.option("--evidence", metavar="IDS", help="The evidence it rests on: E1,E2.")
@click.option("--kind", type=click.Choice(_CLAIM_KINDS), help="What it is (default: finding).")
@click.option("--state", type=click.Choice(_STATES[:3]), help="How it stands (default: open).")
@_writing
def claim_command(
    text: str, evidence: str | None, kind: str | None, state: str | None, author: str | None, session: str | None,
    root: Path | None, no_sync: bool, offline: bool, shared_store: Path | None, color: str, as_json: bool,
) -> int:  # fmt: skip
    """Put a claim on the board: TEXT, which is believed, suspected or asked."""
    edit = {
        "action": "claim", "text": text, "kind": kind, "state": state, "cites": _ids(evidence), "author": author,
        "session": session,
    }  # fmt: skip
    return _changed(edit, root, shared_store, no_sync=no_sync, offline=offline, color=color, as_json=as_json)


@board_command.command("decide", short_help="Record what is to be done, and why.")
@click.argument("text")
@click.option("--on", "cites", metavar="IDS", help="The claims and evidence it rests on: C1,E2.")
@click.option("--kind", type=click.Choice(_DECISION_KINDS), help="What it is (default: plan).")
@click.option("--state", type=click.Choice(("open", "done", "dropped")), help="How it stands (default: open).")
@_writing
def decide_command(
    text: str, cites: str | None, kind: str | None, state: str | None, author: str | None, session: str | None,
    root: Path | None, no_sync: bool, offline: bool, shared_store: Path | None, color: str, as_json: bool,
) -> int:  # fmt: skip
    """Put a decision on the board: TEXT, which is to be done, or left."""
    edit = {
        "action": "decide", "text": text, "kind": kind, "state": state, "cites": _ids(cites), "author": author,
        "session": session,
    }  # fmt: skip
    return _changed(edit, root, shared_store, no_sync=no_sync, offline=offline, color=color, as_json=as_json)


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
    author: str | None, session: str | None, root: Path | None, no_sync: bool, offline: bool,
    shared_store: Path | None, color: str, as_json: bool,
) -> int:  # fmt: skip
    """Change the item ID of the board."""
    edit = {
        "action": "update", "id": item, "state": state, "text": text, "kind": kind, "cites": _ids(cites),
        "again": again, "author": author, "session": session,
    }  # fmt: skip
    return _changed(edit, root, shared_store, no_sync=no_sync, offline=offline, color=color, as_json=as_json)


@board_command.command("drop", short_help="Take an item off the board; that is recorded.")
@click.argument("item", metavar="ID")
@_writing
def drop_command(
    item: str, author: str | None, session: str | None, root: Path | None, no_sync: bool, offline: bool,
    shared_store: Path | None, color: str, as_json: bool,
) -> int:  # fmt: skip
    """Take the item ID off the board. Its beginning stays on record, and its number is not given again."""
    edit = {"action": "drop", "id": item, "author": author, "session": session}
    return _changed(edit, root, shared_store, no_sync=no_sync, offline=offline, color=color, as_json=as_json)


@board_command.command("reset", short_help="Put the board aside and begin a new one.")
@_common
def reset_command(
    root: Path | None, no_sync: bool, offline: bool, shared_store: Path | None, color: str, as_json: bool
) -> int:
    """Put the whole board aside, also a damaged one, and begin a new one; says where the old one is kept."""
    edit = {"action": "reset"}
    return _changed(edit, root, shared_store, no_sync=no_sync, offline=offline, color=color, as_json=as_json)


def _changed(edit: dict[str, Any], root: Path | None, shared_store: Path | None, **shown: Any) -> int:
    from everdex.service.index import Index

    return _done(Index.open_to_read(root or ".", shared_store=shared_store), edit, **shown)


def _done(
    index: Any, given: dict[str, Any], snapshot_id: str | None = None, output: Path | None = None, *, no_sync: bool,
    offline: bool, color: str, as_json: bool,
) -> int:  # fmt: skip
    """Ask the running daemon, or this process, and show the answer."""
    from everdex.canvas.board.edits import checked, edit_of
    from everdex.service import boarding

    edit = checked(edit_of(given))
    document = gathered(
        index, "board", given, no_sync=no_sync, offline=offline, quiet=as_json, snapshot_id=snapshot_id,
        here=lambda reading, options: boarding.ask(index, edit, reading, options),
    )  # fmt: skip
    if output is not None:
        return _drawn(document, output, as_json=as_json)
    return finish(document, SHOWN, as_json=as_json, color=color)


def _drawn(document: dict[str, Any], output: Path, *, as_json: bool) -> int:
    """The board as a picture in a file; with --json the envelope and what was written."""
    from everdex.canvas.board.picture import board_scene
    from everdex.canvas.png import png
    from everdex.canvas.svg import svg
    from everdex.service.exporting import to_file

    scene = board_scene(document)
    form = output.suffix.lower().removeprefix(".")
    written = to_file(iter([svg(scene).encode() if form == "svg" else png(scene)]), output)
    if as_json:
        write_json({**document, "output": str(output), "format": form, "bytes": written})
    else:
        warn(document)
        write_error(f"wrote {written:,} bytes to {escape(str(output))}")
    return SHOWN.code(document)


def _ids(text: str | None) -> list[str] | None:
    return None if text is None else [part for part in re.split(r"[,\s]+", text) if part]


def _from_root(target: str, top: Path, root: Path | None) -> str:
    """A file named from where we are, named from the root; everything else as it is."""
    match = _IN_FILE.fullmatch(target)
    start = Path(root or ".")
    if match is None or not (start / match[1]).is_file():
        return target
    (named,) = named_from_root([match[1]], top, root)
    return named + (match[2] or "")
