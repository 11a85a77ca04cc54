"""The server: one root, its tools and four resources, over stdio or over HTTP on this machine only.

Over stdio it lives as long as its standard input: when the agent that started it dies, it ends. Arguments are
checked here, because the SDK lets unknown ones pass and reports bad ones without a code.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from typing import Any, Final

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, CallToolResult, InputRequiredResult
from pydantic import ValidationError

from everdex import __version__, clock
from everdex.errors import UsageError
from everdex.service.index import Index
from everdex.surfaces.cli.output import escape, write_error
from everdex.surfaces.mcp.budget import MOST_TOKENS
from everdex.surfaces.mcp.call import coded, failed
from everdex.surfaces.mcp.greeting import NAME, instructions
from everdex.surfaces.mcp.proxy import Proxy
from everdex.surfaces.mcp.text import as_json
from everdex.surfaces.mcp.tools import Tools
from everdex.sync.model import Progress

_HOST: Final = "127.0.0.1"


class EverdexServer(MCPServer[Any]):
    """An MCP server whose every failure has a code."""

    def __init__(self, proxy: Proxy) -> None:
        tools = Tools(proxy)
        known = tools.all()
        super().__init__(
            NAME,
            version=__version__,
            instructions=instructions(proxy.index.root.path),
            tools=known,
            log_level="ERROR",
        )
        self._arguments = {tool.name: frozenset(tool.parameters.get("properties", ())) for tool in known}
        self._lists = {tool.name: _lists(tool.parameters) for tool in known}
        self._add_resource("status", "The state of the index", tools.status_reply)
        self._add_resource("health", "Every check of the index, verified in full", tools.health_reply)
        self._add_resource("contexts", "Projects that an indexer can be run for", tools.contexts_reply)
        self._add_resource("map", "What the repository consists of and what is central in it", tools.map_reply)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; unknown tools, unknown arguments and bad values are coded errors."""
        if name not in self._arguments:
            return failed(UsageError(f"no tool is called {name!r}", hint=f"tools: {', '.join(self._arguments)}"))
        unknown = sorted(set(arguments) - self._arguments[name])
        if unknown:
            hint = f"{name} takes {', '.join(sorted(self._arguments[name])) or 'no arguments'}"
            return failed(UsageError(f"{name} has no argument {unknown[0][:60]!r}", hint=hint))
        try:
            return await super().call_tool(name, _in_lists(arguments, self._lists[name]), context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            return failed(UsageError(_first(name, error.__cause__), hint="see the tool's input schema"))

    def _add_resource(self, name: str, description: str, reply: Callable[[int, Progress], dict[str, Any]]) -> None:
        @self.resource(f"everdex://{name}", name=name, description=description, mime_type="application/json")
        async def read() -> str:
            try:
                return as_json(await anyio.to_thread.run_sync(reply, MOST_TOKENS, _unheard))
            except Exception as error:
                # A resource has no result that could carry an error.
                known = coded(error)
                raise MCPError(INTERNAL_ERROR, known.message, known.to_dict(clock.new_ulid())) from error


def _lists(schema: dict[str, Any]) -> frozenset[str]:
    """The arguments of a tool that are lists."""
    return frozenset(
        name for name, each in schema.get("properties", {}).items()
        if any(form.get("type") == "array" for form in each.get("anyOf", (each,)))
    )  # fmt: skip


def _in_lists(arguments: dict[str, Any], lists: frozenset[str]) -> dict[str, Any]:
    """One text where a list is taken is a list of it: models write that. A list written as JSON is read later."""
    return {
        name: [value] if name in lists and isinstance(value, str) and not value.startswith("[") else value
        for name, value in arguments.items()
    }


def _unheard(_phase: str, _done: int, _total: int) -> None:
    """A resource is read without anyone listening for progress."""


def _first(name: str, error: ValidationError) -> str:
    """The first thing wrong with the arguments, without the value: it may be huge."""
    found = error.errors(include_url=False, include_input=False)[0]
    return f"{name}: {'.'.join(str(part) for part in found['loc'])}: {found['msg']}"


def serve_stdio(index: Index) -> None:
    """Answer on standard input and output, once the `Greeter` has had the first word, until the input ends."""
    _serve(index, lambda server: server.run_stdio_async())


def serve_http(index: Index, port: int) -> None:
    """Answer on this machine's loopback interface until interrupted; port 0 takes a free one."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_HOST, port))
            listener.listen()  # before the address is told: whoever reads it may connect at once
        except OSError as error:
            message = f"port {port} cannot be used: {error.strerror}"
            raise UsageError(message, hint="choose another --http PORT") from error
        address = f"http://{_HOST}:{listener.getsockname()[1]}/mcp"
        write_error(f"everdex: serving {escape(str(index.root.path))} on {address}")
        _serve(index, lambda server: _http(server, listener))


async def _http(server: EverdexServer, listener: socket.socket) -> None:
    import uvicorn

    # With a loopback host the SDK refuses requests whose Host or Origin is another: no web page can ask.
    application = server.streamable_http_app(host=_HOST)
    await uvicorn.Server(uvicorn.Config(application, log_level="error")).serve(sockets=[listener])


def _serve(index: Index, run: Callable[[EverdexServer], Awaitable[None]]) -> None:
    anyio.run(run, EverdexServer(Proxy(index)))


def describe(index: Index) -> dict[str, Any]:
    """What a client sees when it connects, without connecting."""

    async def ask() -> dict[str, Any]:
        server = EverdexServer(Proxy(index))
        tools, resources = await server.list_tools(), await server.list_resources()
        return {
            "name": server.name,
            "version": server.version,
            "root": str(index.root.path),
            "instructions": server.instructions,
            "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools],
            "resources": [item.model_dump(mode="json", by_alias=True, exclude_none=True) for item in resources],
        }

    return anyio.run(ask)
