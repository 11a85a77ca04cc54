"""`graph_meta.json`: of which content the kept pictures are, and how well it was understood. (DIGEST, version 1.)

The digest is the snapshot's Merkle root. Leaves carry what each file looked like, so that whoever publishes can see
whether the tree has moved on meanwhile. Where this differs from DIGEST is told in docs/adr/0017-pictures.md.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import msgspec

from everdex import clock, versions
from everdex.durable import decode_json, hash_file
from everdex.graph.definitions.atlas import CONTAINERS, Atlas
from everdex.identity.merkle import config_leaf


class Parser(msgspec.Struct, frozen=True):
    resolvers: str
    config_fingerprint: str


class Leaf(msgspec.Struct, frozen=True):
    mtime_ns: int
    ctime_ns: int
    inode: int
    size: int
    content_sha256: str
    leaf: str
    missing: bool = False


class Merkle(msgspec.Struct, frozen=True):
    algo: str
    strategy: str
    root: str
    leaf_count: int
    leaves: dict[str, Leaf]  # by path_key
    config_leaf: str


class Quality(msgspec.Struct, frozen=True):
    parsed_files: int
    skipped_files: int
    resolved_files: int
    tree_sitter_files: int

    def rank(self) -> tuple[int, int, int, int]:
        return self.parsed_files, -self.skipped_files, self.resolved_files, self.tree_sitter_files


class GraphPart(msgspec.Struct, frozen=True):
    digest: str
    stats: dict[str, int]
    parse_summary: dict[str, int]
    quality: Quality
    symbol_files: dict[str, str]  # symbolId -> path_key


class Drawn(msgspec.Struct, frozen=True):
    latest_png: str
    digest_png: str
    digest: str
    rendered_at: str
    pictures_version: str
    sha256: str


class UpdatedBy(msgspec.Struct, frozen=True):
    pid: int
    action: str


class GraphMeta(msgspec.Struct, frozen=True):
    version: int
    project_path: str
    snapshot_id: str
    generated_at: str
    parser: Parser
    merkle: Merkle
    graph: GraphPart
    architecture: Drawn
    updated_by: UpdatedBy


class Claim(msgspec.Struct, frozen=True):
    """The snapshot that a picture is to be published of, its files, and how many of them were parsed and resolved."""

    snapshot_id: str
    digest: str
    project_path: str
    parser: Parser
    quality: Quality
    leaves: dict[str, Leaf]


def claim(atlas: Atlas) -> Claim:
    manifest = atlas.view.manifest
    leaves = {
        line.path_key: Leaf(line.mtime_ns, line.ctime_ns, line.inode, line.size, line.content_hash, line.leaf)
        for line in atlas.view.file_lines()
    }
    coverage = atlas.coverage
    quality = Quality(
        coverage["files"], coverage["without_resolver"], coverage["files"] - coverage["partial"] - coverage["failed"],
        coverage["files"] - coverage["failed"],
    )  # fmt: skip
    parser = Parser(atlas.graph.resolvers, manifest.config_fingerprint)
    return Claim(manifest.snapshot_id, atlas.graph.digest, manifest.canonical_root, parser, quality, leaves)


def graph_meta(atlas: Atlas, claimed: Claim, drawn: Drawn) -> GraphMeta:
    """What is known of a graph's snapshot."""
    manifest, leaves = atlas.view.manifest, claimed.leaves
    return GraphMeta(
        versions.ARTIFACTS["graph_meta"].writable,
        claimed.project_path,
        claimed.snapshot_id,
        clock.rfc3339(),
        claimed.parser,
        Merkle(
            "sha256", "content_sha256_with_stat_reuse", manifest.digest, len(leaves), leaves,
            config_leaf(manifest.config_fingerprint).hex(),
        ),
        _graph(atlas, claimed.quality),
        drawn,
        UpdatedBy(os.getpid(), "architecture"),
    )  # fmt: skip


def _graph(atlas: Atlas, quality: Quality) -> GraphPart:
    stats: Counter[str] = Counter(modules=0, classes=0, funcs=0, import_edges=0, call_edges=0, contains_edges=0)
    symbol_files: dict[str, str] = {}
    for file, entry in enumerate(atlas.graph.files):
        stats["modules"] += 1
        stats["call_edges"] += entry.calls[0] + entry.calls[1]
        stats["import_edges"] += sum(1 for item in atlas.columns(file).dependencies() if item.target.path)
        for item in atlas.definitions(file):
            if item.is_file:
                continue
            stats["contains_edges"] += 1
            stats["classes" if item.node.kind in CONTAINERS else "funcs"] += 1
            symbol_files[atlas.names(item).symbol_id] = entry.path
    coverage = atlas.coverage
    summary = {
        "parsed_files": quality.parsed_files, "skipped_files": quality.skipped_files,
        "partial_files": coverage["partial"], "failed_files": coverage["failed"],
        "tree_sitter_files": quality.tree_sitter_files,
    }  # fmt: skip
    return GraphPart(atlas.graph.digest, dict(stats), summary, quality, symbol_files)


def read_meta(path: Path) -> GraphMeta | None:
    """What is published; None when there is nothing that can be read, which the next publish replaces."""
    try:
        document = decode_json(path.read_bytes())
        readable = versions.ARTIFACTS["graph_meta"]
        if not isinstance(document, dict) or document.get("version") not in range(
            readable.min_readable, readable.max_readable + 1
        ):
            return None
        return msgspec.convert(document, GraphMeta)
    except (FileNotFoundError, msgspec.DecodeError, msgspec.ValidationError):
        return None


def moved_on(claimed: Claim) -> str:
    """The first file that is not as it was when its content was taken; '' when all are.

    A stat that differs proves nothing by itself: a file may be touched and stay what it was.
    """
    root = Path(claimed.project_path)
    for path_key, leaf in claimed.leaves.items():
        path = root / path_key
        try:
            seen = os.stat(path)
        except OSError:
            return path_key
        if (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino) == (
            leaf.size, leaf.mtime_ns, leaf.ctime_ns, leaf.inode,
        ):  # fmt: skip
            continue
        if seen.st_size != leaf.size or hash_file(path)[1] != leaf.content_sha256:
            return path_key
    return ""
