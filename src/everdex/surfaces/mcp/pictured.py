"""Pictures for a model that sees images: how they are asked for, the image content they become, and the architecture.

An image never takes more than AGENT_PICTURE_BYTES; what the structured reply says of it is its size, not its bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, ImageContent
from pydantic import BaseModel, Field

from everdex import limits
from everdex.surfaces.cli.architecture import tree
from everdex.surfaces.mcp import model
from everdex.surfaces.mcp.budget import Spendable, fit
from everdex.wording import plural

Document = Mapping[str, Any]
Reply = dict[str, Any]


class PictureInfo(BaseModel):
    width: float
    height: float
    bytes: int


class ArchitectureReply(model.Reply):
    parts: list[str] = Field(description="directories and files as boxes of the picture, indented by what holds them")
    edges: list[str] = Field(description="which part uses which, how often; those that follow from others are left out")
    cycles: list[str]
    picture: PictureInfo | None = Field(description="of the image beside this text")


def asked(wanted: bool) -> dict[str, Any]:
    """The parameters that ask the daemon for an image."""
    return {"picture": "png", "max_bytes": limits.AGENT_PICTURE_BYTES} if wanted else {}


def info(document: Document) -> Reply | None:
    picture = document.get("picture")
    return {name: picture[name] for name in ("width", "height", "bytes")} if picture else None


def with_image(result: CallToolResult, document: Document) -> CallToolResult:
    """The result with the answer's picture behind its text."""
    picture = document.get("picture")
    if picture:
        result.content.append(ImageContent(type="image", data=picture["data"], mime_type=picture["media_type"]))
    return result


def architecture(document: Document, budget: int) -> Reply:
    found = document["architecture"]
    parts = list(tree(found["parts"]))
    shown = sorted((edge for edge in found["edges"] if not edge["implied"]), key=_often)
    edges = [_edge(edge) for edge in shown]
    cycles = [", ".join(cycle) for cycle in found["cycles"]]
    drawn = {"parts": parts, "edges": edges, "cycles": cycles, "picture": info(document)}
    reply = {**model.frame(document), **drawn}
    fit(reply, budget, [Spendable("edges", edges), Spendable("parts", parts), Spendable("cycles", cycles)])
    return reply


def _often(edge: Document) -> tuple[bool, int, str, str]:
    return not edge["against"], -edge["imports"] - edge["uses"], edge["from"], edge["to"]


def _edge(edge: Document) -> str:
    doubt = f", {edge['ambiguous']:,} in doubt" if edge["ambiguous"] else ""
    closes = ", closes a cycle" if edge["against"] else ""
    counts = f"{plural(edge['imports'], 'import')}, {plural(edge['uses'], 'use')}"
    return f"{edge['from']} -> {edge['to']}: {counts}{doubt}{closes}"


def lines(reply: Reply) -> list[str]:
    cycles = ["# cycles", *reply["cycles"]] if reply["cycles"] else []
    return ["# parts", *reply["parts"], "# who uses whom", *reply["edges"], *cycles]
