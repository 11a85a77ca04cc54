"""`everdex search`: one question (or a file of them) and its answer, for a person, a pipe or a program."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click
import msgspec

from everdex import clock, languages, limits
from everdex.config import PROFILE_NAMES
from everdex.errors import DaemonGone, DaemonStopping, QueryError, UsageError
from everdex.surfaces.cli import options
from everdex.surfaces.cli.failures import as_everdex
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import warn, write_json
from everdex.surfaces.cli.paths import told_of_all
from everdex.surfaces.cli.piped import SHOWN, VIMGREP
from everdex.surfaces.cli.progress import Progress
from everdex.surfaces.daemon.thin import MODES

if TYPE_CHECKING:
    from everdex.search.model import SearchRequest
    from everdex.service.index import Index
    from everdex.service.searcher import Searcher
    from everdex.surfaces.daemon.client import Connection


@click.command("search", short_help="Search a repository; indexes it first when it is new or has changed.")
@click.argument("query", required=False)
@click.argument("path", required=False)
@click.option("--mode", type=click.Choice(MODES), default="hybrid", show_default=True, help="How to look; see above.")
@click.option(
    "-k", "k", type=click.IntRange(1, limits.MAX_RESULTS), metavar="N",
    help="How many results (default: [query] k of .everdex.toml, 10).",
)  # fmt: skip
@click.option("--lang", "wanted", multiple=True, metavar="NAME", help="Only files in this language; may be repeated.")
@click.option("--path", "globs", multiple=True, metavar="GLOB", help="Only files that match; may be repeated.")
@click.option(
    "--profile", type=click.Choice(PROFILE_NAMES), help="What the answer is for (default: [query] profile, balanced)."
)
@click.option(
    "--offset", type=click.IntRange(0), default=0, metavar="N", help="Pass over the first N results; see `cursor`."
)
@click.option(
    "--budget", type=click.IntRange(min=100), metavar="TOKENS",
    help="Pack the best lines of the best results under this many tokens, for a model's context.",
)  # fmt: skip
@click.option(
    "--rerank/--no-rerank", default=None,
    help="Let a small transformer read the best 50 again; needs everdex[rerank] (default: [query] rerank, false).",
)  # fmt: skip
@click.option("-i", "--ignore-case", is_flag=True, help="Ignore case (regex and literal).")
@click.option("--explain", is_flag=True, help="Say which feature gave each result which share of its score.")
@click.option(
    "--batch", type=click.Path(allow_dash=True), metavar="FILE|-",
    help="Read one query a line (- is stdin) and print one JSON document a line.",
)  # fmt: skip
@click.option("--vimgrep", is_flag=True, help="Print path:line:column:text, for an editor's list of places.")
@click.option(
    "--like", metavar="PATH:LINE", help="In place of QUERY: find the code most like the code at this line."
)
@options.common(options.no_sync_option, options.reading_options, options.workers_option, color=True)
def search_command(
    query: str | None, path: str | None, mode: str, k: int | None, wanted: tuple[str, ...], globs: tuple[str, ...],
    profile: str | None, offset: int, budget: int | None, rerank: bool | None, ignore_case: bool, explain: bool,
    batch: str | None, like: str | None, vimgrep: bool, common: Common,
) -> int:  # fmt: skip
    """Search the repository around PATH (default: here) for QUERY: all of it, --path narrows.

    A repository that was never seen is indexed first, one that changed is brought up to date first; the answer
    comes from one snapshot and names it. --no-sync answers from the active snapshot as it is.

    \b
    Modes:
      hybrid    words and meaning together: questions, names, error messages
      lexical   words only
      semantic  meaning only
      regex     lines that match a regular expression, every file of the index
      literal   lines that contain exactly this text

    In hybrid, lexical and semantic mode a query may contain filters: file:GLOB, lang:NAME, symbol:NAME,
    "a phrase", -word.

    In a pipe every result is one line, path:line:text. On a terminal results are grouped by file, each with its
    best lines, and file names are links where the terminal has them (FORCE_HYPERLINK=1 or 0 decides). Exit code 0
    means found, 1 nothing found.

    \b
    Examples:
      everdex search "where is the session cookie signed"
      everdex search SecureCookieSessionInterface ~/src/flask
      everdex search --mode regex 'def \\w+_session' --lang python
      everdex search --json "open session" -k 3 | jq -r '.results[].path'
      everdex search --budget 2000 "how are sessions saved"
      everdex search --batch questions.txt > answers.jsonl
      vim -q <(everdex search --vimgrep "session cookie")
      everdex search --like src/session.py:120
    """
    from everdex.search.check import check
    from everdex.search.model import Mode, SearchRequest

    if vimgrep and budget is not None:
        raise UsageError("--vimgrep lists places; --budget packs text")
    if like is not None:
        _only_like(path, mode, batch, budget, rerank, profile, offset)
    query, root = _positionals(query, path, batch, like)
    known_languages(wanted)
    index = common.index(root)
    request = SearchRequest(
        query or "", Mode(mode), k or index.config.query.k, wanted, globs, ignore_case, offset, profile, budget, rerank
    )
    if query is not None:
        check(request)
    started = clock.now()
    if like is not None:
        document = _like(index, request, like, common, explain=explain)
        return _print(document, common, started, index, vimgrep=vimgrep)
    with _Answers(index, root, request, common, quiet=common.as_json or batch is not None, explain=explain) as ask:
        if query is None:
            assert batch is not None
            return _batch(ask, batch)
        document = ask(query)
    return _print(document, common, started, index, vimgrep=vimgrep)


def _print(document: dict[str, Any], common: Common, started: float, index: Index, *, vimgrep: bool) -> int:
    if vimgrep:
        return common.show(document, VIMGREP)
    layout = common.layout
    if layout is None or "budget" in document:
        return common.show(document, SHOWN)
    from everdex.surfaces.cli.links import links
    from everdex.surfaces.cli.results import draw

    warn(document)
    elapsed_ms = (clock.now() - started) * 1000
    draw(
        document, layout, elapsed_ms=elapsed_ms, window=index.config.query.snippet_lines,
        links=links(index.root.path),
    )  # fmt: skip
    return SHOWN.code(document)


class _Answers:
    """Answers queries from one snapshot: over the daemon if there is one to ask, else from the store."""

    def __init__(
        self, index: Index, asked: str, request: SearchRequest, common: Common, *, quiet: bool, explain: bool
    ) -> None:
        self._asked = asked  # the place in the repository that was named
        self._index, self._request, self._common = index, request, common
        self._quiet, self._explain = quiet, explain
        self._freshness: dict[str, Any] | None = None  # of the first answer: the others are from its snapshot
        self._connection: Connection | None = None
        self._searcher: Searcher | None = None
        self._stack = ExitStack()

    def __enter__(self) -> _Answers:
        self._connection = self._common.reach(self._index)
        if self._connection is None:
            self._open()
        else:
            self._stack.enter_context(self._connection)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __call__(self, query: str) -> dict[str, Any]:
        request = msgspec.structs.replace(self._request, query=query)
        document = self._over_daemon(request) if self._connection is not None else None
        if document is None:
            searcher = self._searcher or self._open()
            document = searcher.answer(request, explain=self._explain).to_dict()
        if self._freshness is None:
            self._freshness = document["freshness"]
            self._common = msgspec.structs.replace(self._common, snapshot_id=document["snapshot_id"])
        document["freshness"] = self._freshness
        told_of_all(document, self._asked, self._index.root.path, "--path")
        return document

    def _over_daemon(self, request: SearchRequest) -> dict[str, Any] | None:
        """The daemon's answer; None when it is leaving and the store has to be read."""
        assert self._connection is not None
        params = {
            **msgspec.to_builtins(request), "explain": self._explain,
            "always_rehash": os.environ.get("EVERDEX_ALWAYS_REHASH") == "1", **self._common.asked,
        }  # fmt: skip
        try:
            return self._connection.call("search", params)
        except DaemonStopping:
            self._connection = None
            return None
        except DaemonGone:
            self._connection = None  # the next line of a batch must not ask a dead one
            raise

    def _open(self) -> Searcher:
        from everdex.sync.model import SyncOptions

        progress = self._stack.enter_context(Progress(quiet=self._quiet))
        options = SyncOptions(workers=self._common.workers, progress=progress)
        self._searcher = self._stack.enter_context(self._index.searcher(self._common.reading, options))
        progress.finish()
        return self._searcher


def _like(index: Index, request: SearchRequest, place: str, common: Common, *, explain: bool) -> dict[str, Any]:
    """The answer to --like: the running daemon's, or this process's."""
    from everdex.search.place import parse_place
    from everdex.surfaces.cli.paths import from_root

    place = from_root(place, index.root.path)
    parse_place(place)
    params = {
        "place": place, "k": request.k, "languages": request.languages, "paths": request.paths, "explain": explain,
    }  # fmt: skip
    return common.ask(
        index, "similar", params,
        lambda reader, freshness, reading: reader.similar(
            place, request.k, freshness, reading, languages=request.languages, paths=request.paths, explain=explain
        ),
    )  # fmt: skip


def _only_like(
    path: str | None, mode: str, batch: str | None, budget: int | None, rerank: bool | None, profile: str | None,
    offset: int,
) -> None:  # fmt: skip
    """Refuse what has no meaning beside --like."""
    if path is not None:
        raise UsageError("with --like give only PATH: the place stands for the query")
    others = {
        "--mode": mode != "hybrid", "--batch": batch is not None, "--budget": budget is not None,
        "--rerank": rerank is not None, "--profile": profile is not None, "--offset": offset > 0,
    }  # fmt: skip
    for name, given in others.items():
        if given:
            raise UsageError(f"{name} does not go with --like", hint="-k, --lang, --path and --explain do")


def _positionals(query: str | None, path: str | None, batch: str | None, like: str | None) -> tuple[str | None, str]:
    """With --batch or --like the question is there already, so the one positional is the root."""
    if like is not None:
        return None, query or "."
    if batch is not None:
        if path is not None:
            raise UsageError("with --batch give only PATH: the queries come from the file")
        return None, query or "."
    if query is None:
        raise UsageError("what to search for? QUERY is missing", hint="run `everdex search --help`")
    return query, path or "."


def known_languages(wanted: tuple[str, ...]) -> None:
    """Refuse a language that nothing is ever written in."""
    for name in wanted:
        if name not in languages.KNOWN:
            from everdex.search.query import known_language

            known_language(name)


def _batch(ask: _Answers, source: str) -> int:
    """Answer line by line; a bad line gets an error document and the rest goes on."""
    found, failed = False, 0
    for raw in _lines(source):
        try:
            document = ask(_text(raw))
            found = found or bool(document["results"])
        except Exception as error:  # noqa: BLE001 - even a bug must not cost the other lines their answers
            known = as_everdex(error)
            failed = failed or known.exit_code
            document = {"error": known.to_dict(clock.new_ulid())}
        write_json(document)
    return failed or (0 if found else 1)


def _lines(source: str) -> Iterator[bytes]:
    if source == "-":
        yield from sys.stdin.buffer
        return
    try:
        with open(source, "rb") as stream:
            yield from stream
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise UsageError(f"--batch {source}: {error.strerror}", hint="name a readable file, or - for stdin") from error


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise QueryError(f"the query is not UTF-8 (byte {error.start})") from error
