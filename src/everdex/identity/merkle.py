"""The Merkle digest that names a snapshot's content: same files and configuration, same root."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

_CONFIG_KEY = "\x00config"  # sorts before every path


def file_leaf(path_key: str, content_hash: str) -> bytes:
    return hashlib.sha256(b"file\0" + path_key.encode() + b"\0" + bytes.fromhex(content_hash)).digest()


def config_leaf(config_fingerprint: str) -> bytes:
    return hashlib.sha256(b"config\0" + config_fingerprint.encode()).digest()


def merkle_root(leaves: Iterable[tuple[str, bytes]]) -> str:
    """Root over (key, leaf) pairs in key order; the last node of an odd level is paired with itself."""
    level = [leaf for _, leaf in sorted(leaves)]
    if not level:
        return hashlib.sha256(b"empty").hexdigest()
    sha256 = hashlib.sha256
    while len(level) > 1:
        if len(level) % 2:
            level.append(level[-1])
        level = [sha256(b"node\0" + level[i] + level[i + 1]).digest() for i in range(0, len(level), 2)]
    return level[0].hex()


def snapshot_digest(leaves: Iterable[tuple[str, bytes]], config_fingerprint: str) -> str:
    """The digest of files, given as (path_key, `file_leaf`) pairs, under a configuration."""
    return merkle_root([*leaves, (_CONFIG_KEY, config_leaf(config_fingerprint))])
