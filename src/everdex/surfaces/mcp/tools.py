"""The tools, described for a model that has never heard of everdex.

Each one asks the daemon, from a worker thread, and shapes its answer; whatever is raised comes back as a coded
error, never as a broken connection. A first index is built inside the first call, which reports its progress.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from everdex import limits
from everdex.errors import QueryError, UsageError
from everdex.search.check import check
from everdex.search.model import Mode, SearchRequest
from everdex.search.place import parse_place
from everdex.search.query import known_language
from everdex.surfaces.mcp import model, pictured, related, renamed, replies, text
from everdex.surfaces.mcp.board_tool import BoardTool
from everdex.surfaces.mcp.budget import DEFAULT_TOKENS, Budget
from everdex.surfaces.mcp.call import answered, plain, run
from everdex.surfaces.mcp.gate_tool import GateTool
from everdex.surfaces.mcp.proxy import Proxy
from everdex.sync.model import Progress

_READ_ONLY: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
# Ranked snippets are packed before they become JSON: its frame, keys and escapes cost about the rest.
_SNIPPET_SHARE: Final = 0.75
_FRAME_TOKENS: Final = 120
_REFERENCES: Final = 50  # beside a definition; `references` lists them all
_MAP_TOKENS: Final = 8_000  # of the resource, which nobody can give a budget
# Lines of a map become strings of JSON, with quotes, commas and the answer's own frame.
_MAP_SHARE: Final = 0.7

Paths = Annotated[
    list[str] | None,
    Field(description="only files that match any of these globs or lie below these directories: src, *.py, docs/**"),
]
Languages = Annotated[
    list[str] | None, Field(description="only files in these languages: python, typescript, go, markdown, …")
]
SymbolName = Annotated[
    str,
    Field(description="a name (open_view), Class.name, path:line, path::Class.name, or a file's path"),
]
TakenPlaces = Annotated[
    list[str] | None,
    Field(description="doubts to edit as well: path:line of one, or a path for all in it; . for all that may mean it"),
]
Count = Annotated[int, Field(ge=1, le=limits.MAX_RESULTS, description="at most this many results")]


class Tools:
    """The tools of one root."""

    def __init__(self, proxy: Proxy) -> None:
        self._ask = proxy.ask
        self._files = proxy.files
        self._gate = GateTool(proxy)
        self._board = BoardTool(proxy)

    def all(self) -> list[Tool]:
        """Every tool, with a closed input schema: an argument it does not name is refused."""
        functions: tuple[Callable[..., Any], ...] = (
            self.search, self.grep, self.symbol, self.references, self.impact, self.map, self.architecture,
            self.rename_plan, self.files, self.explain_path, self.status, self.health,
        )  # fmt: skip
        tools = [
            Tool.from_function(function, description=inspect.getdoc(function), annotations=_READ_ONLY)
            for function in functions
        ]
        tools += [self._gate.tool(), self._board.tool()]
        for tool in tools:
            tool.parameters = {**_untitled(tool.parameters), "additionalProperties": False}
            if tool.fn_metadata.output_schema is not None:
                tool.fn_metadata.output_schema = _untitled(tool.fn_metadata.output_schema)
        return tools

    async def search(
        self,
        ctx: Context[Any],
        query: Annotated[str | None, Field(description="a question, a name or an error message")] = None,
        like: Annotated[
            str | None,
            Field(description="in place of query: a place, path:line; finds the code most like the code there"),
        ] = None,
        mode: Annotated[
            Literal["hybrid", "lexical", "semantic"],
            Field(description="hybrid: words and meaning; lexical: words only; semantic: meaning only"),
        ] = "hybrid",
        k: Count = 10,
        paths: Paths = None,
        languages: Languages = None,
        profile: Annotated[
            Literal["balanced", "discovery", "implementation", "planning", "debug"] | None,
            Field(description="what the answer is for; null takes the repository's setting"),
        ] = None,
        budget_tokens: Budget = DEFAULT_TOKENS,
        explain: Annotated[bool, Field(description="say which feature gave each result its score")] = False,
    ) -> Annotated[CallToolResult, model.SearchReply]:
        """Find the code, tests and docs of this repository that answer a question or define a name.

        Use it first, before reading files: it ranks whole functions, classes and sections by words, meaning and
        names and returns the lines of each that say most, with path and line numbers; a larger budget_tokens shows
        them whole. The index is brought up to date with the files on disk before every answer. The query may hold
        filters: file:GLOB lang:NAME symbol:NAME "exact phrase" -word. For every occurrence of a text use `grep`; for a
        definition whose name you know use `symbol`.
        """

        def ask(progress: Progress) -> CallToolResult:
            if like is not None:
                params = _like(like, query, mode, profile)
                params |= {"k": k, "languages": languages or [], "paths": paths or [], "explain": explain}
                reply = replies.search(self._ask("similar", params, progress), k, budget_tokens)
                return answered(reply, text.search(reply))
            if query is None:
                raise UsageError("search needs query, or like", hint="say what to look for")
            _check(query, mode, languages)
            # Shares of a score belong to single results, and packing joins neighbours: explained ones stay apart.
            room = None if explain else int((budget_tokens - _FRAME_TOKENS) * _SNIPPET_SHARE)
            params = {
                "query": query, "mode": mode, "k": k, "languages": languages or [], "paths": paths or [],
                "profile": profile, "budget": room, "explain": explain,
            }  # fmt: skip
            document = self._ask("search", params, progress)
            reply = replies.search(document, k, budget_tokens)
            return answered(reply, text.search(reply))

        return await run(ctx, ask)

    async def grep(
        self,
        ctx: Context[Any],
        pattern: Annotated[str, Field(description="a regular expression (RE2), or plain text with literal")],
        literal: Annotated[bool, Field(description="take the pattern as plain text")] = False,
        ignore_case: bool = False,
        paths: Paths = None,
        languages: Languages = None,
        k: Count = 50,
        budget_tokens: Budget = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, model.GrepReply]:
        """List every line of the indexed files that matches a regular expression or a text, by path and line.

        Complete, not ranked: `omitted` counts the matching lines that are not shown. Faster than reading files;
        what is ignored or binary is not looked into.
        """

        def ask(progress: Progress) -> CallToolResult:
            mode = "literal" if literal else "regex"
            _check(pattern, mode, languages)
            params = {
                "query": pattern, "mode": mode, "k": k, "languages": languages or [],
                "paths": paths or [], "ignore_case": ignore_case,
            }  # fmt: skip
            reply = replies.grep(self._ask("search", params, progress), budget_tokens)
            return answered(reply, text.grep(reply))

        return await run(ctx, ask)

    async def symbol(
        self,
        ctx: Context[Any],
        name: Annotated[str, Field(description="a name (Index, Index.search, parse_*, Index.*) or a file's path")],
        budget_tokens: Budget = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, model.SymbolReply]:
        """Show where a function, class, variable, type or heading is defined and who uses it, or a file's outline.

        A name gives every definition that has it, with kind, signature, first sentence of its documentation and
        source lines, plus the outline of the file when there is only one, and when one definition fits the places
        that call, read, write or import it; when nothing has the name, names like it are listed apart as suggestions.
        A * stands for any letters: all that fit are listed.
        A path (src/app.py) gives the outline of that file.
        """

        def ask(progress: Progress) -> CallToolResult:
            params = {"name": name, "references": _REFERENCES}
            reply = replies.symbol(self._ask("symbols", params, progress), budget_tokens)
            return answered(reply, text.symbol(reply))

        return await run(ctx, ask)

    async def references(
        self,
        ctx: Context[Any],
        symbol: SymbolName,
        role: Annotated[
            Literal["definition", "read", "call", "reference", "write", "import", "inherit", "decorate", "override"]
            | None,
            Field(description="only places that do this with it; null: all"),
        ] = None,
        wait: Annotated[bool, Field(description="wait for the finished graph, if an answer had a reservation")] = False,
        k: Count = 50,
        budget_tokens: Budget = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, related.ReferencesReply]:
        """List every place that names a function, class, method or variable: calls, reads, writes, imports, overrides.

        Complete as far as static resolution goes, and it says how far that is: `could_add` counts places that ask for
        the same name and could not be decided. When several definitions have the name they are listed and nothing
        else is; ask again with path:line of the one you mean. Use it instead of grep to find callers. A `reservation`
        says that the list may still grow, and why: do not take it for all before you asked with wait: true.
        """

        def ask(progress: Progress) -> CallToolResult:
            document = self._ask("refs", {"symbol": symbol, "k": k, "role": role or "", "wait": wait}, progress)
            reply = related.references(document, budget_tokens)
            return answered(reply, related.lines(reply))

        return await run(ctx, ask)

    async def impact(
        self,
        ctx: Context[Any],
        symbol: SymbolName,
        depth: Annotated[int, Field(ge=1, le=20, description="how many steps back to go")] = 3,
        picture: Annotated[bool, Field(description="also draw callers by distance and callees, as an image")] = False,
        k: Count = 50,
        budget_tokens: Budget = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, related.ImpactReply]:
        """Tell what a change of a function, class or method may affect, before you make it.

        Everything that leads to it within `depth` steps of calls and references, each with one shortest way and
        whether that way is certain; overriding methods and subclasses are considered. `tests` lists affected test
        files.
        """

        def ask(progress: Progress) -> CallToolResult:
            params = {"symbol": symbol, "depth": depth, "k": k, **pictured.asked(picture)}
            document = self._ask("impact", params, progress)
            reply = related.impact(document, budget_tokens)
            return pictured.with_image(answered(reply, related.lines(reply)), document)

        return await run(ctx, ask)

    async def map(
        self, ctx: Context[Any], budget_tokens: Budget = DEFAULT_TOKENS
    ) -> Annotated[CallToolResult, related.MapReply]:
        """Show what this repository consists of: structure, entry points, dependencies, tests, what is most central.

        Use it once, at the start, to know where to look.
        """

        def ask(progress: Progress) -> CallToolResult:
            room = int(budget_tokens * _MAP_SHARE)
            reply = related.repo_map(self._ask("map", {"budget": room}, progress), budget_tokens)
            return answered(reply, related.lines(reply))

        return await run(ctx, ask)

    async def architecture(
        self,
        ctx: Context[Any],
        depth: Annotated[
            int | None, Field(ge=1, le=8, description="open directories so far; null: as far as fits one sheet")
        ] = None,
        picture: Annotated[bool, Field(description="also draw it: an image of the parts and their uses")] = True,
        budget_tokens: Budget = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, pictured.ArchitectureReply]:
        """Show the parts of this repository and which uses which, as an image and in words: layers, cycles, tests.

        Users stand above, or left of, what they use. Edges that close a cycle are marked. Use it to see where a change
        belongs and what must not depend on what.
        """

        def ask(progress: Progress) -> CallToolResult:
            params = {"levels": depth, **pictured.asked(picture)}
            document = self._ask("architecture", params, progress)
            reply = pictured.architecture(document, budget_tokens)
            return pictured.with_image(answered(reply, pictured.lines(reply)), document)

        return await run(ctx, ask)

    async def rename_plan(
        self,
        ctx: Context[Any],
        symbol: SymbolName,
        new_name: Annotated[str, Field(description="the new name, without dots")],
        take: TakenPlaces = None,
        k: Count = 50,
        budget_tokens: Budget = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, renamed.RenamePlanReply]:
        """Plan the renaming of a function, class or method: every place to edit, and apart every place in doubt.

        Edits are certain: resolved references, with the old name written there. Places that ask for the same name and
        could not be decided are `doubts`; look at them, and ask again with `take` for those that are right. A method
        is renamed with those that override it. `left` are comments, strings and documents with the old name. Nothing
        is changed: make the edits yourself, or run what the last line says.
        """

        def ask(progress: Progress) -> CallToolResult:
            document = self._ask("rename", {"symbol": symbol, "new": new_name, "take": take or [], "k": k}, progress)
            reply = renamed.rename_plan(document, new_name, budget_tokens)
            return answered(reply, renamed.lines(reply))

        return await run(ctx, ask)

    def map_reply(self, budget_tokens: int, progress: Progress) -> dict[str, Any]:
        room = int(min(budget_tokens, _MAP_TOKENS) * _MAP_SHARE)
        return related.repo_map(self._ask("map", {"budget": room}, progress, build=False), budget_tokens)

    async def files(
        self, ctx: Context[Any], paths: Paths = None, budget_tokens: Budget = DEFAULT_TOKENS
    ) -> Annotated[CallToolResult, model.FilesReply]:
        """Tell what this repository consists of: how many files by language and role, and the largest directories.

        With `paths` it speaks of those files only and lists them, as many as fit.
        """

        def ask(progress: Progress) -> CallToolResult:
            document = self._files(paths or [], progress)
            return plain(replies.files(document, budget_tokens, listed=bool(paths)))

        return await run(ctx, ask)

    async def explain_path(
        self,
        ctx: Context[Any],
        path: Annotated[str, Field(description="relative to the repository's root, or absolute")],
    ) -> Annotated[CallToolResult, model.PathReply]:
        """Tell why one file is in or out of the index (ignored, binary, too large, outside, …).

        Use it when `search` or `grep` does not find something in a file that exists.
        """

        def ask(progress: Progress) -> CallToolResult:
            return plain(replies.explain_path(self._ask("explain", {"path": path}, progress)))

        return await run(ctx, ask)

    async def status(
        self, ctx: Context[Any], budget_tokens: Budget = DEFAULT_TOKENS
    ) -> Annotated[CallToolResult, model.StatusReply]:
        """Show the state of the index: root, snapshot, numbers of files and chunks, what changed since, errors."""
        return await run(ctx, lambda progress: plain(self.status_reply(budget_tokens, progress)))

    async def health(
        self, ctx: Context[Any], budget_tokens: Budget = DEFAULT_TOKENS
    ) -> Annotated[CallToolResult, model.HealthReply]:
        """Verify the whole index: every checksum, limits, the embedding model, drift from the files on disk.

        Takes seconds on a large repository. Only needed when an answer looks wrong.
        """
        return await run(ctx, lambda progress: plain(self.health_reply(budget_tokens, progress)))

    def status_reply(self, budget_tokens: int, progress: Progress) -> dict[str, Any]:
        return replies.status(self._ask("status", {}, progress, build=False), budget_tokens)

    def health_reply(self, budget_tokens: int, progress: Progress) -> dict[str, Any]:
        return replies.health(self._ask("health", {}, progress, build=False), budget_tokens)

    def contexts_reply(self, budget_tokens: int, progress: Progress) -> dict[str, Any]:
        return replies.contexts(self._ask("contexts", {}, progress, build=False), budget_tokens)


def _untitled(schema: Any) -> Any:
    """A schema without titles: they only say its keys again, to whoever pays for every word."""
    if isinstance(schema, dict):
        titled = isinstance(schema.get("title"), str)  # else a property is called so
        return {name: _untitled(value) for name, value in schema.items() if name != "title" or not titled}
    return [_untitled(item) for item in schema] if isinstance(schema, list) else schema


def _check(query: str, mode: str, wanted: list[str] | None) -> None:
    """What can be refused here: a query that no daemon has to be started, or sent megabytes, for."""
    check(SearchRequest(query, Mode(mode), 1))
    for name in wanted or ():
        known_language(name)


def _like(place: str, query: str | None, mode: str, profile: str | None) -> dict[str, Any]:
    """The parameters of a search by example; what has no meaning beside it is refused."""
    for name, given in (("query", query is not None), ("mode", mode != "hybrid"), ("profile", profile is not None)):
        if given:
            raise QueryError(f"{name} does not go with like", hint="give only one of query and like")
    parse_place(place)
    return {"place": place}
