"""From the service's answers to the replies of the tools: fewer fields, a fixed size, and a text form for reading.

Every function takes an answer's document and gives the reply as plain values in the shape that `model` declares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from everdex.search.budget import BYTES_PER_TOKEN
from everdex.surfaces.mcp.budget import Spendable, fit, size, whole_lines
from everdex.surfaces.mcp.model import frame
from everdex.surfaces.mcp.related import reservation, use

Document = Mapping[str, Any]
Reply = dict[str, Any]

_MAX_LINE: Final = 300  # characters of a matching line: a minified file is one line
_DIRECTORIES: Final = 20
_LANGUAGES: Final = 20
_POINTERS: Final = 10
_WORST_FIRST: Final = {"fail": 0, "warn": 1, "ok": 2}


def search(document: Document, k: int, budget: int) -> Reply:
    found = document["results"]
    packed = document.get("budget")
    # What was not packed under a budget still has to share this one.
    room = None if packed else budget * BYTES_PER_TOKEN // 2 // max(1, len(found))
    reply = {
        **frame(document),
        "results": [_result(item, room) for item in found[:k]],
        "left_out": packed["left_out"][:_POINTERS] if packed else [],
        "no_strong_match": document["no_strong_match"],
        "suggestions": document["suggestions"],
    }
    reply["omitted"] = {"results": document["omitted"] + max(0, len(found) - k)}
    fit(reply, budget, [Spendable("left_out", reply["left_out"]), Spendable("results", reply["results"])])
    return reply


def _result(item: Document, room: int | None) -> Reply:
    kept = {name: item[name] for name in ("path", "start_line", "end_line", "symbol", "breadcrumb", "language")}
    snippet = item["snippet"] if room is None else whole_lines(item["snippet"], room)
    part_of = item.get("part_of")
    if len(snippet) < len(item["snippet"]):
        part_of = [item["start_line"], item["end_line"]]
        kept["end_line"] = item["start_line"] + snippet.count("\n", 0, -1)
    result = {**kept, "score": round(item["score"], 4), "part_of": part_of}
    if "explain" in item:
        result["explain"] = item["explain"]
    return {**result, "snippet": snippet}


def grep(document: Document, budget: int) -> Reply:
    reply = {**frame(document), "matches": [_match(item) for item in document["results"]]}
    reply["omitted"] = {"matches": document["omitted"]}
    fit(reply, budget, [Spendable("matches", reply["matches"])])
    return reply


def _match(item: Document) -> Reply:
    text = item["snippet"].rstrip("\r\n")
    if len(text) > _MAX_LINE:
        # `column` counts bytes; as a character place it is never too small, and near enough for a window.
        start = max(0, min(item["column"], len(text)) - _MAX_LINE // 3)
        text = ("…" if start else "") + text[start : start + _MAX_LINE] + "…"
    return {"path": item["path"], "line": item["start_line"], "column": item["column"], "text": text}


def symbol(document: Document, budget: int) -> Reply:
    outline, found = document["outline"], document["references"] or {}
    reply = {
        **frame(document),
        "by": document["by"],
        "definitions": [_definition(item, 0) for item in document["definitions"]],
        "suggestions": list(document["suggestions"]),
        "outline": None if outline is None else {**outline, "symbols": []},
        "references": [],
        "reservation": reservation(found),
        "roles": found.get("roles", {}),
        "could_add": found.get("could_add", {}),
        "outside": list(found.get("outside", ())),
    }
    names = {"path": "outline", "name": "definitions"}
    reply["omitted"] = {names[document["by"]]: document["omitted"], "references": found.get("omitted", 0)}
    # Sources get at most two thirds, and no more than the answer's frame leaves (escapes take some, too).
    room = min(budget * BYTES_PER_TOKEN * 2 // 3, (budget * BYTES_PER_TOKEN - size(reply)) * 3 // 4)
    room //= max(1, len(document["definitions"]))
    reply["definitions"] = [_definition(item, max(0, room)) for item in document["definitions"]]
    reply["references"] = [use(item) for item in found.get("references", ())]
    entries = list(outline["symbols"]) if outline is not None else []
    if outline is not None:
        reply["outline"] = {**outline, "symbols": entries}
    fit(
        reply, budget,
        [Spendable("outline", entries, _outline_worth), Spendable("references", reply["references"]),
         Spendable("suggestions", reply["suggestions"]), Spendable("definitions", reply["definitions"])],
    )  # fmt: skip
    return reply


def _definition(item: Document, room: int) -> Reply:
    source = whole_lines(item["source"], room)
    dropped = {"name_line", "name_column", "byte_start", "byte_end", "source"}
    kept = {name: value for name, value in item.items() if name not in dropped}
    return {**kept, "trimmed": len(source) < len(item["source"]), "source": source}


def _outline_worth(entry: Document) -> tuple[Any, ...]:
    """What is public and outermost says most about a file; of equals the earlier one."""
    return entry["public"], -entry["qualified_name"].count("."), -entry["start_line"]


def files(document: Document, budget: int, *, listed: bool) -> Reply:
    chosen = document["files"]
    above = Counter(directory for file in chosen for directory in _directories(file["path"]))
    shown = sorted(above.items(), key=lambda item: (-item[1], item[0]))[:_DIRECTORIES]
    reply = {
        **frame(document),
        "total": len(chosen),
        "by_language": _counted(file["language"] or "unknown" for file in chosen),
        "by_role": _counted(file["role"] for file in chosen),
        "directories": [{"path": path, "files": count} for path, count in shown],
        # A list of everything tells less than the counts and costs the whole budget.
        "files": list(chosen) if listed else [],
        "skipped_by_reason": document["skipped_by_reason"],
    }
    reply["omitted"] = {"files": 0 if listed else len(chosen), "directories": len(above) - len(shown)}
    fit(reply, budget, [Spendable("files", reply["files"]), Spendable("directories", reply["directories"])])
    return reply


def _directories(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, min(2, len(parts)) + 1)]


def _counted(values: Iterable[str]) -> dict[str, int]:
    ranked = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))
    rest = sum(count for _, count in ranked[_LANGUAGES:])
    return {**dict(ranked[:_LANGUAGES]), **({"other": rest} if rest else {})}


def explain_path(document: Document) -> Reply:
    indexed = document["indexed"]
    return {
        **frame(document),
        "path": document["path"],
        "eligible": document["eligible"],
        "reason": document["reason"],
        "detail": document["detail"],
        "language": document.get("language"),
        "role": document.get("role"),
        "chunks": None if indexed is None else indexed["chunks"],
        "changed_since_indexed": None if indexed is None else not indexed["same_content"],
    }


def status(document: Document, budget: int) -> Reply:
    reply = {
        **frame(document),
        "root": document["canonical_root"],
        "created_at": document["created_at"],
        "files_indexed": document["counts"]["files_indexed"],
        "chunks_indexed": document["counts"]["chunks_indexed"],
        "pending": document["pending"],
        "embedder": document["embedder"],
        "size_bytes": document["size_bytes"],
        "degraded": document["degraded"],
        "errors": list(document["errors"]),
        "skipped": document["skipped"],
        "board": document["board"],
    }
    fit(reply, budget, [Spendable("errors", reply["errors"])])
    return reply


def health(document: Document, budget: int) -> Reply:
    checks = [{name: check[name] for name in ("code", "status", "message")} for check in document["checks"]]
    checks.sort(key=lambda check: _WORST_FIRST[check["status"]])
    reply = {**frame(document), "status": document["status"], "checks": checks}
    fit(reply, budget, [Spendable("checks", checks)])
    return reply


def contexts(document: Document, budget: int) -> Reply:
    """What an agent may want to know of them; having one indexed is for the user to ask."""
    names = ("name", "state", "files", "current_files", "refreshed_at")
    found = [{**{name: item[name] for name in names}, "indexer": item["tool"]} for item in document["contexts"]]
    reply = {**frame(document), "contexts": found}
    fit(reply, budget, [Spendable("contexts", found)])
    return reply
