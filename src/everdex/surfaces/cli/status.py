"""`everdex status`: the store, its active snapshot, and how fresh it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from everdex.surfaces.cli import options
from everdex.surfaces.cli.options import Common
from everdex.surfaces.cli.output import Line, Shown, escape, plural, size

_SHOWN = 5


@click.command("status", short_help="Show the store, its active snapshot and how fresh it is.")
@options.path_argument
@options.common(options.no_sync_option, options.reading_options)
def status_command(path: Path, common: Common) -> int:
    """Show the store of the repository around PATH, its active snapshot and how fresh it is.

    The tree is compared with the snapshot but nothing is indexed; --no-sync leaves the comparison out.

    \b
    Examples:
      everdex status
      everdex status --json | jq .freshness
    """
    index = common.index(path)
    return common.show(common.tell(index, "status", {}, lambda reading: index.status(reading=reading)), SHOWN)


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for name, value in _entries(document):
        yield True, f"{name:<11} {escape(value)}".rstrip()


SHOWN = Shown(_lines)


def _entries(document: dict[str, Any]) -> list[tuple[str, str]]:
    counts, writer = document["counts"], document["writer"]
    lines = [
        ("root", document["canonical_root"]),
        ("store", document["store_path"] + (" (shared)" if document["shared"] else "")),
        ("snapshot", f"{document['snapshot_id']}, number {document['seq']}, {document['created_at']}"),
        ("digest", document["digest"]),
        ("git", _git(document["git"])),
        ("freshness", _freshness(document)),
        ("files", f"{counts['files_indexed']:,}"),
        ("chunks", f"{counts['chunks_indexed']:,}"),
        ("segments", f"{document['segments']:,}, {plural(document['tombstones'], 'tombstone')}"),
        ("retained", plural(document["retained_snapshots"], "snapshot")),
        *(("", f"{item['snapshot_id']}, {item['created_at']}") for item in document["snapshots"][1 : _SHOWN + 1]),
        ("size", size(document["size_bytes"])),
        ("embedder", document["embedder"]),
        ("writer", _writer(writer) if writer else "none"),
        ("daemon", _daemon(document["daemon"]) if document["daemon"] else "none"),
    ]
    if document["daemon"]:
        lines += [("", _load(document["daemon"])), ("graph", _graph(document["daemon"]["graph"]))]
        lines += [("indexers", _indexers(document["daemon"]["indexers"]))]
    if document["refresh_summary"]:
        lines.append(("references", _refreshed(document["refresh_summary"])))
    skipped = ", ".join(f"{reason} {count:,}" for reason, count in document["skipped"].items())
    lines.append(("skipped", skipped or "nothing"))
    if document["degraded"]:
        lines.append(("degraded", plural(len(document["errors"]), "file") + " could not be indexed"))
        lines += [("", f"{error['path']}: {error['code']}") for error in document["errors"][:_SHOWN]]
        if len(document["errors"]) > _SHOWN:
            lines.append(("", f"… {len(document['errors']) - _SHOWN:,} more (--json has all)"))
    lines.append(("board", _board(document["board"])))
    bounds = document["limits"]
    lines.append(("limits", f"file {size(bounds['max_file_size_bytes'])}, sync {size(bounds['max_bytes_per_sync'])}"))
    return lines


def _refreshed(summary: dict[str, Any]) -> str:
    again = f"{plural(summary['call_edges_updated_files'], 'file')} resolved"
    return f"{summary['last_refresh_at']}: {again}, {plural(summary['edges_total'], 'call')} inside the repository"


def _board(board: dict[str, Any]) -> str:
    if board["error"]:
        return f"cannot be read: {board['error']}"
    if not board["evidence"] + board["claims"] + board["decisions"]:
        return "empty"
    decisions = f"{plural(board['decisions'], 'decision')} ({board['open_decisions']:,} open)"
    return f"{decisions}, {plural(board['claims'], 'claim')}, {board['evidence']:,} evidence"


def _git(git: dict[str, Any]) -> str:
    if git["head_sha"] is None:
        return "no repository, or no commit yet"
    return f"{git['head_sha'][:12]}, {'dirty' if git['dirty'] else 'clean'} when indexed"


def _freshness(document: dict[str, Any]) -> str:
    state, pending = document["freshness"]["state"], document["pending"]
    if state != "stale":
        return str(state)
    parts = [f"{count:,} to {kind}" for kind, count in pending.items() if count]
    return f"stale: {', '.join(parts)}"


def _writer(writer: dict[str, Any]) -> str:
    return f"process {writer['pid']} on {writer['hostname']} since {writer['started_at']}"


def _daemon(daemon: dict[str, Any]) -> str:
    return f"process {daemon['pid']}, {size(daemon['rss_bytes'])}, {daemon['answered']:,} answered"


def _load(daemon: dict[str, Any]) -> str:
    latency = f"p50 {daemon['p50_ms']:.0f} ms, p95 {daemon['p95_ms']:.0f} ms"
    return f"{latency}, {daemon['in_flight']} at work, {daemon['queued']} waiting"


def _indexers(indexers: dict[str, Any]) -> str:
    if indexers["context"] is not None:
        return f"running for {indexers['context']} since {indexers['seconds']:.0f} s"
    return "run unasked when the tree is quiet" if indexers["allowed"] else "run only when asked for"


def _graph(graph: dict[str, Any]) -> str:
    if graph["state"] == "making":
        return f"being made: {graph['done']:,} of {graph['total']:,} files" if graph["total"] else "being made"
    said = {"due": "about to be made", "ready": "made", "unasked": "made when somebody asks for it"}
    return said[graph["state"]] if graph["state"] in said else f"not made: {escape(graph['failure']['message'])}"
