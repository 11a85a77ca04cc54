"""`.everdex.toml`, the effective configuration, and the fingerprints made from it.

The file belongs to the repository under index, so it is untrusted: every key is known, every value is
checked against a type and a cap, and nothing in it can widen what is read beyond the root. `[index]`
decides what is stored and so belongs to `config_fingerprint`; `[query]` only changes how answers are
ranked and shown, so it goes to `query_fingerprint` and never causes a reindex. `[hooks]` goes to neither.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import asdict, fields, replace

from everdex import languages, limits, versions
from everdex.errors import ConfigError

CONFIG_NAME: Final = ".everdex.toml"
IGNORE_NAME: Final = ".everdexignore"
GATES: Final = ("off", "warn", "block")
PROFILE_NAMES: Final = ("balanced", "discovery", "implementation", "planning", "debug")


class IndexConfig(msgspec.Struct, frozen=True):
    """What is indexed and how it is represented; any change makes another store."""

    embedder: str = "bundled"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    untracked: bool = True
    max_file_size_bytes: int = limits.MAX_FILE_SIZE_BYTES
    max_chunks_per_file: int = limits.MAX_CHUNKS_PER_FILE
    max_bytes_per_sync: int = limits.MAX_BYTES_PER_SYNC
    chunk_max_lines: int = limits.MAX_CHUNK_LINES
    chunk_max_chars: int = limits.MAX_CHUNK_CHARS


class QueryConfig(msgspec.Struct, frozen=True):
    """How answers are ranked and shown; never part of the index."""

    k: int = 10
    snippet_lines: int = 12
    profile: str = "balanced"
    rerank: bool = False  # needs everdex[rerank]
    dense_weight: float = 1.0  # how much vectors count, beside what was fitted
    file_mean_share: float = 1.0  # how much its file's mean vector counts in a chunk's, beside what was fitted


class HooksConfig(msgspec.Struct, frozen=True):
    """What an agent's hooks do; part of no fingerprint."""

    gate: str = "off"  # of GATES: whether an edit asks the mutation gate first


class Config(msgspec.Struct, frozen=True):
    index: IndexConfig = msgspec.field(default_factory=IndexConfig)
    query: QueryConfig = msgspec.field(default_factory=QueryConfig)
    hooks: HooksConfig = msgspec.field(default_factory=HooksConfig)


# key -> (smallest, largest) accepted value
_BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "index.max_file_size_bytes": (1, limits.MAX_FILE_SIZE_BYTES),
    "index.max_chunks_per_file": (1, limits.MAX_CHUNKS_PER_FILE),
    "index.max_bytes_per_sync": (1, limits.MAX_BYTES_PER_SYNC),
    "index.chunk_max_lines": (5, limits.MAX_CHUNK_LINES),
    "index.chunk_max_chars": (200, limits.MAX_CHUNK_CHARS),
    "query.k": (1, limits.MAX_RESULTS),
    "query.snippet_lines": (1, 24),
    "query.dense_weight": (0, limits.MAX_DENSE_WEIGHT),
    "query.file_mean_share": (0, limits.MAX_FILE_MEAN_SHARE),
}
_MAX_PATTERNS: Final = 200
_MAX_PATTERN_BYTES: Final = 512


def load(root: Path) -> Config:
    """The effective configuration of a root; raises `ConfigError` naming the key and the bound."""
    path = root / CONFIG_NAME
    try:
        # A symlink could make everdex quote a file outside the root in an error message.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return _with_environment(Config())
    except OSError as error:
        raise ConfigError(f"{CONFIG_NAME} cannot be read: {error.strerror}") from error
    try:
        # A directory or a FIFO has nothing to say, and must not pass for an empty file.
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ConfigError(f"{CONFIG_NAME} is not a regular file")
        raw = os.read(handle, limits.MAX_CONFIG_BYTES + 1)
    finally:
        os.close(handle)
    if len(raw) > limits.MAX_CONFIG_BYTES:
        raise ConfigError(f"{CONFIG_NAME} is larger than {limits.MAX_CONFIG_BYTES} bytes")
    return _with_environment(parse(raw))


def parse(raw: bytes) -> Config:
    """Validate the bytes of a `.everdex.toml`."""
    from everdex.strangers import read_toml  # most repositories have none

    try:
        document = read_toml(raw)
    except ValueError as error:
        raise ConfigError(f"{CONFIG_NAME} is not valid TOML: {error}") from error
    unknown = sorted(set(document) - {"index", "query", "hooks"})
    if unknown:
        raise ConfigError(f"{CONFIG_NAME}: unknown table or key {unknown[0]!r}; known are [index], [query] and [hooks]")
    return Config(
        index=IndexConfig(**_table(document, "index", IndexConfig)),
        query=QueryConfig(**_table(document, "query", QueryConfig)),
        hooks=HooksConfig(**_table(document, "hooks", HooksConfig)),
    )


def _with_environment(config: Config) -> Config:
    """EVERDEX_EMBEDDER is the user's own choice, so it may name what a repository may not."""
    chosen = os.environ.get("EVERDEX_EMBEDDER")
    if not chosen:
        return config
    return replace(config, index=replace(config.index, embedder=chosen))


def _table(
    document: Mapping[str, Any], name: str, shape: type[IndexConfig] | type[QueryConfig] | type[HooksConfig]
) -> dict[str, Any]:
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{CONFIG_NAME}: [{name}] must be a table, not {type(table).__name__}")
    defaults = {item.name: item.default for item in fields(shape)}
    values: dict[str, Any] = {}
    for key, value in table.items():
        dotted = f"{name}.{key}"
        if key not in defaults:
            raise ConfigError(f"{CONFIG_NAME}: unknown key {dotted}; known are {', '.join(sorted(defaults))}")
        values[key] = _checked(dotted, value, defaults[key])
    return values


def _checked(dotted: str, value: Any, default: Any) -> Any:
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ConfigError(f"{CONFIG_NAME}: {dotted} must be true or false, not {value!r}")
        return value
    if isinstance(default, int | float):
        low, high = _BOUNDS[dotted]
        whole = isinstance(default, int)
        if not isinstance(value, int if whole else int | float) or isinstance(value, bool):
            raise ConfigError(f"{CONFIG_NAME}: {dotted} must be a {'whole ' if whole else ''}number, not {value!r}")
        if not low <= value <= high:  # not a number (`nan`) is in no range
            raise ConfigError(f"{CONFIG_NAME}: {dotted} is {value}; allowed is {low} to {high}")
        return value if whole else float(value)
    if isinstance(default, tuple):
        return _patterns(dotted, value)
    if dotted == "query.profile":
        if value not in PROFILE_NAMES:
            raise ConfigError(f"{CONFIG_NAME}: {dotted} is {value!r}; known are {', '.join(PROFILE_NAMES)}")
        return value
    if dotted == "hooks.gate":
        if value not in GATES:
            raise ConfigError(f"{CONFIG_NAME}: {dotted} is {value!r}; known are {', '.join(GATES)}")
        return value
    return _embedder(dotted, value)


def _patterns(dotted: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{CONFIG_NAME}: {dotted} must be a list of patterns")
    if len(value) > _MAX_PATTERNS:
        raise ConfigError(f"{CONFIG_NAME}: {dotted} has {len(value)} patterns; at most {_MAX_PATTERNS}")
    for item in value:
        if not item.strip() or len(item.encode()) > _MAX_PATTERN_BYTES or "\n" in item or "\0" in item:
            raise ConfigError(f"{CONFIG_NAME}: {dotted} has an empty, multi-line or over-long pattern: {item[:60]!r}")
    return tuple(value)


def _embedder(dotted: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{CONFIG_NAME}: {dotted} must be a string, not {value!r}")
    kind, _, location = value.partition(":")
    if kind in {"bundled", "none"} and not location:
        return value
    if kind == "model2vec" and location:
        inside = Path(location)
        if inside.is_absolute() or ".." in inside.parts:
            raise ConfigError(
                f"{CONFIG_NAME}: {dotted} must name a directory inside the repository",
                hint="a model outside the repository is the user's choice: set EVERDEX_EMBEDDER=model2vec:/path",
            )
        return value
    raise ConfigError(f"{CONFIG_NAME}: {dotted} is {value!r}; known are bundled, none and model2vec:DIRECTORY")


def fingerprint(value: object) -> str:
    """SHA-256 of canonical JSON: sorted keys, no spaces."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def config_fingerprint(index: IndexConfig, embedder_identity: str) -> str:
    """Names everything that decides what the stored rows and vectors mean."""
    return fingerprint(
        {
            "index": asdict(index),
            "embedder": embedder_identity,
            "grammars": languages.GRAMMAR_VERSIONS,
            "chunker": versions.CHUNKER_VERSION,
            "words": versions.WORDS_VERSION,
            "vectors": versions.VECTORS_VERSION,
            # Answers are not stored, graphs and pictures are named by their own versions and made again, jobs are only
            # records, and neither a board, a plan, a decision nor what indexers said is a part of what is indexed.
            "schemas": {
                name: known.writable
                for name, known in versions.ARTIFACTS.items()
                if name not in (
                    "answer", "graph", "graph_meta", "jobs", "board", "rename_plan", "decision", "semantic",
                )
            },
        }
    )


def embed_config_fingerprint(index: IndexConfig, embedder_identity: str) -> str:
    """Names everything that decides the vector of a chunk: half of the embedding cache's key.

    The embedder's identity is a hash of the model, so it says the width, too. Ignore rules decide which files there
    are and no vector: they are not in it, and a changed .gitignore embeds nothing again.
    """
    return fingerprint(
        {
            "embedder": embedder_identity,
            "chunker": versions.CHUNKER_VERSION,
            "words": versions.WORDS_VERSION,
            "vectors": versions.VECTORS_VERSION,
            "chunk_max_lines": index.chunk_max_lines,
            "chunk_max_chars": index.chunk_max_chars,
        }
    )


def query_fingerprint(query: QueryConfig) -> str:
    """Names ranking and output settings; changes never reindex."""
    return fingerprint({"query": asdict(query), "ranking": versions.RANKING_VERSION})
