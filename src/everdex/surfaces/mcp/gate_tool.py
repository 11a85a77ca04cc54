"""The gate as a tool: may these files be changed now, and what was decided about what is open in them.

It changes no file. With `decide` it remembers in the index that somebody looked and went on, so it is not marked as one
that only reads: whoever runs agents may want to be asked.
"""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from everdex.surfaces.mcp import gated
from everdex.surfaces.mcp.budget import DEFAULT_TOKENS, Budget
from everdex.surfaces.mcp.call import answered, run
from everdex.surfaces.mcp.proxy import Proxy
from everdex.sync.model import Progress

_REMEMBERING: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


class GateTool:
    """The gate of one root."""

    def __init__(self, proxy: Proxy) -> None:
        self._ask = proxy.ask

    def tool(self) -> Tool:
        return Tool.from_function(self.gate, description=inspect.getdoc(self.gate), annotations=_REMEMBERING)

    async def gate(
        self,
        ctx: Context[Any],
        paths: Annotated[
            list[str], Field(min_length=1, max_length=100, description="the files you are about to change")
        ],
        seen: Annotated[
            dict[str, str] | None,
            Field(description="SHA-256 of each file's content as you read it, by path: is it still that?"),
        ] = None,
        since: Annotated[
            str | None, Field(description="the snapshot_id of the answer you know the files from: what changed since?")
        ] = None,
        intent: Annotated[
            Literal["edit", "semantic"],
            Field(description="semantic: the change is computed from references, such as a rename"),
        ] = "edit",
        decide: Annotated[
            str | None,
            Field(
                description="after needs_decision, with intent semantic: you looked at every open reference of the"
                " files and go on; say why. It is remembered for exactly these contents"
            ),
        ] = None,
        budget_tokens: Budget = DEFAULT_TOKENS,
    ) -> Annotated[CallToolResult, gated.GateReply]:
        """Tell whether files may be changed now, before you change them: allow, warn or block, and what to do first.

        Blocks when a file changed since you read it (`seen` or `since`), or when it uses a function or class whose
        signature changed since its references were resolved, and says which. Warns of files that are generated,
        vendored, outside the index or in an unmerged conflict. It changes no file.
        """

        def ask(progress: Progress) -> CallToolResult:
            params = {"paths": paths, "seen": seen or {}, "since": since, "intent": intent, "decide": decide}
            reply = gated.gate(self._ask("gate", params, progress), budget_tokens)
            return answered(reply, gated.lines(reply))

        return await run(ctx, ask)
