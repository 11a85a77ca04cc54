"""One call of a tool: in a worker thread, with progress told to the client, and every failure as a coded result.

Knows nothing of what is asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from anyio import from_thread, to_thread
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent

from everdex import clock
from everdex.errors import EverdexError, NotIndexed, QueryError
from everdex.surfaces.cli.failures import as_everdex
from everdex.surfaces.mcp import text
from everdex.sync.model import Progress

_REPORT_EVERY_S: Final = 0.2
_PHASES: Final = {
    "starting": "waiting for the daemon",
    "wait": "waiting for another process that is at work on the index",
    "index": "indexing",
    "offers": "reading definitions",
    "graph": "resolving calls",
}


async def run(ctx: Context[Any], ask: Callable[[Progress], CallToolResult]) -> CallToolResult:
    try:
        return await to_thread.run_sync(ask, _Progress(ctx))
    except Exception as error:  # noqa: BLE001 - the one place where a call ends
        return failed(error)


def failed(error: BaseException) -> CallToolResult:
    """Any exception as the result of a failed call: code, message, hint."""
    result = plain({"error": coded(error).to_dict(clock.new_ulid())})
    result.is_error = True
    return result


def answered(reply: dict[str, Any], lines: Iterable[str]) -> CallToolResult:
    """A reply beside its text."""
    return _result(reply, text.text_of(reply, lines))


def plain(reply: dict[str, Any]) -> CallToolResult:
    """A reply that no text says shorter."""
    return _result(reply, text.as_json(reply))


def _result(reply: dict[str, Any], readable: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=readable)], structured_content=reply)


def coded(raised: BaseException) -> EverdexError:
    """Any exception as a typed one. Hints that name commands and options are for people; a model has tools."""
    error = as_everdex(raised)
    if isinstance(error, NotIndexed):
        return NotIndexed(error.message, hint="call `search` once: it builds the index")
    if isinstance(error, QueryError) and error.hint == QueryError.default_hint:
        return QueryError(error.message, hint="change the arguments; the tool's description says what they may be")
    return error


class _Progress:
    """Tells the client how far an index or a graph is; a client that has hung up ends the work."""

    def __init__(self, ctx: Context[Any]) -> None:
        self._ctx = ctx
        self._phase = ""
        self._before, self._last = 0, -1  # progress must grow with every word, from one phase to the next too
        self._told = 0.0

    def __call__(self, phase: str, done: int, total: int) -> None:
        from_thread.check_cancelled()
        if phase not in _PHASES:
            return
        if phase != self._phase:
            self._phase, self._before = phase, max(0, self._last)
        finished = bool(total) and done == total
        if not finished and time.monotonic() - self._told < _REPORT_EVERY_S:
            return
        if not total:
            self._tell(self._last + 1, None, _PHASES[phase])
        elif self._before + done > self._last:
            self._tell(self._before + done, self._before + total, f"{_PHASES[phase]}, {done:,} of {total:,} files")

    def _tell(self, done: int, total: int | None, message: str) -> None:
        self._told, self._last = time.monotonic(), done
        from_thread.run(self._ctx.report_progress, done, total, message)
