"""The gate's answer for a model: may these files be changed, what speaks against it, what to do first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, Field

from everdex.state.model import DECIDED, NO_SUCH_FILE
from everdex.surfaces.cli.gate import open_places
from everdex.surfaces.mcp import model
from everdex.surfaces.mcp.budget import Spendable, fit

_MAX_MESSAGE = 400


class GateReason(BaseModel):
    code: str
    decision: str = Field(description="warn or block; allow of what was decided, or is not there")
    message: str
    action: str = Field(description="what to do first; may be empty")
    dependency: str | None = Field(description="the file whose change is the reason")
    places: list[str] = Field(description="what to look at, when references are not all certain")


class GatedFile(BaseModel):
    path: str
    decision: str = Field(description="allow, warn or block")
    freshness: str | None = Field(description="clean, dirty, stale, pending_check or unindexed")
    certainty: str | None = Field(description="whether its references are all certain, ambiguous or unknown")
    content_hash: str | None = Field(description="SHA-256 of the file as it is indexed; pass it as `seen` later")
    reasons: list[GateReason]


class GateReply(model.Reply):
    decision: str = Field(description="the worst of the files': allow, warn or block")
    files: list[GatedFile]
    actions: list[str] = Field(description="what to do before changing the files")


def gate(document: Mapping[str, Any], budget: int) -> dict[str, Any]:
    files = [_file(item) for item in document["files"]]
    reply: dict[str, Any] = {
        **model.frame(document),
        "decision": document["decision"],
        "files": files,
        "actions": list(document["actions"]),
    }
    reply["omitted"] = {
        "reasons": sum(item["reasons_omitted"] for item in document["files"]), "actions": document["actions_omitted"],
    }  # fmt: skip
    worst = {"block": 2, "warn": 1, "allow": 0}
    fit(
        reply, budget,
        [Spendable("files", files, lambda file: (worst[file["decision"]],)), Spendable("actions", reply["actions"])],
    )  # fmt: skip
    return reply


def _file(item: Mapping[str, Any]) -> dict[str, Any]:
    state = item["state"] or {}
    return {
        "path": item["path"],
        "decision": item["decision"],
        "freshness": state.get("freshness"),
        "certainty": state.get("certainty"),
        "content_hash": state.get("content_hash"),
        "reasons": [
            {
                "code": reason["code"], "decision": reason["decision"], "message": reason["message"][:_MAX_MESSAGE],
                "action": reason["action"], "dependency": (reason["reason"] or {}).get("path") or None,
                "places": list(open_places(reason["places"])),
            }
            for reason in item["reasons"]
            if reason["decision"] != "allow" or reason["code"] in (DECIDED, NO_SUCH_FILE)
        ],
    }  # fmt: skip


def lines(reply: Mapping[str, Any]) -> Iterator[str]:
    for file in reply["files"]:
        about = f" ({file['freshness']}, {file['certainty']})" if file["freshness"] else ""
        yield f"{file['decision']}: {file['path']}{about}"
        for reason in file["reasons"]:
            yield f"  {reason['code']}: {reason['message']}"
            yield from (f"    {line}" for line in reason["places"])
    for action in reply["actions"]:
        yield f"next: {action}"
