"""An agent as everdex meets one: the SDK's real client, and the server in a process of its own.

Needs the `mcp` package; a test module that imports this says `pytest.importorskip("mcp")` before.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import anyio
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult

_PATIENCE = 60  # calls, when a graph is being made


class Agent:
    """A connected client whose calls block; leaving the block hangs up and checks that the server was silent."""

    def __init__(
        self, root: Path | None = None, *, url: str | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        self._stack = ExitStack()
        self._errors: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115 - read after hanging up
        if url is None:
            parameters = StdioServerParameters(
                command=sys.executable, args=["-m", "everdex", "mcp"], cwd=root, env={**os.environ, **(env or {})}
            )
            self._client = Client(stdio_client(parameters, errlog=self._errors))
        else:
            self._client = Client(url)

    def __enter__(self) -> Agent:
        self.portal = self._stack.enter_context(start_blocking_portal())
        self.client = self._stack.enter_context(self.portal.wrap_async_context_manager(self._client))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        self._errors.seek(0)
        errors = self._errors.read()
        self._errors.close()
        assert errors == "", errors

    def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        return self.portal.call(self.client.call_tool, tool, arguments)

    def ask(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call that must succeed; who is told to ask again does."""
        for _ in range(_PATIENCE):
            result = self.call(tool, **arguments)
            told = result.structured_content
            if not result.is_error or not isinstance(told, dict) or told["error"]["code"] != "busy":
                break
            time.sleep(told["error"]["retry_after_ms"] / 1000)
        assert not result.is_error, result.content
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def fail(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The error of a call that must fail."""
        result = self.call(tool, **arguments)
        assert result.is_error
        assert isinstance(result.structured_content, dict)
        error: dict[str, Any] = result.structured_content["error"]
        return error

    def watch(
        self, tool: str, /, heard: Callable[[list[tuple[float, float | None]]], None] = lambda _: None, **arguments: Any
    ) -> list[tuple[float, float | None]]:
        """The progress reports of a call; `heard` is told of each, with those before it."""
        seen: list[tuple[float, float | None]] = []

        async def note(done: float, total: float | None, _: str | None) -> None:
            seen.append((done, total))
            heard(seen)

        self.portal.call(lambda: self.client.call_tool(tool, arguments, progress_callback=note))
        return seen

    def at_once(self, calls: list[tuple[str, dict[str, Any]]]) -> list[CallToolResult]:
        """Several calls in flight together; results in the order of the calls."""
        results: dict[int, CallToolResult] = {}

        async def one(place: int, tool: str, arguments: dict[str, Any]) -> None:
            results[place] = await self.client.call_tool(tool, arguments)

        async def every() -> None:
            async with anyio.create_task_group() as group:
                for place, (tool, arguments) in enumerate(calls):
                    group.start_soon(one, place, tool, arguments)

        self.portal.call(every)
        return [results[place] for place in range(len(calls))]

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Any other method of the client."""
        return self.portal.call(function, *arguments)
