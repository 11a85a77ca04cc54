"""`.everdex.toml` belongs to the repository, so it is checked like any other untrusted input."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everdex import config, languages, limits, versions
from everdex.config import IndexConfig, QueryConfig
from everdex.errors import ConfigError


def _refused(text: str | bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        config.parse(text.encode() if isinstance(text, str) else text)
    return caught.value.message


def test_a_missing_file_gives_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration is a configuration."""
    monkeypatch.delenv("EVERDEX_EMBEDDER")
    assert config.load(tmp_path) == config.Config()


def test_values_are_taken(tmp_path: Path) -> None:
    """What the file says is what is used."""
    parsed = config.parse(b'[index]\nexclude = ["vendor/"]\nuntracked = false\n[query]\nk = 3\n')
    assert parsed.index.exclude == ("vendor/",)
    assert parsed.index.untracked is False
    assert parsed.query.k == 3


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[index]\nunknown = 1", ["index.unknown", "max_file_size_bytes"]),
        ("[other]\nx = 1", ["'other'", "[index]"]),
        ("top = 1", ["'top'"]),
        ('[index]\nmax_file_size_bytes = "big"', ["index.max_file_size_bytes", "'big'"]),
        ("[index]\nmax_file_size_bytes = true", ["index.max_file_size_bytes", "whole number"]),
        ("[index]\nmax_file_size_bytes = 1.5", ["index.max_file_size_bytes"]),
        ("[index]\nuntracked = 1", ["index.untracked", "true or false"]),
        ("[index]\nmax_file_size_bytes = 0", ["index.max_file_size_bytes", "0", "1 to"]),
        ("[query]\nk = 201", ["query.k", "201", "1 to 200"]),
        ("[query]\ndense_weight = -0.1", ["query.dense_weight", "-0.1", "0 to 10.0"]),
        ("[query]\ndense_weight = nan", ["query.dense_weight", "nan"]),
        ("[query]\ndense_weight = true", ["query.dense_weight", "a number"]),
        ("[query]\nfile_mean_share = 1e9", ["query.file_mean_share", "0 to 4.0"]),
        ('[query]\nfile_mean_share = "all"', ["query.file_mean_share", "'all'"]),
        ('[index]\ninclude = "x"', ["index.include", "list"]),
        ("[index]\ninclude = [1]", ["index.include"]),
        ('[index]\nexclude = [""]', ["index.exclude"]),
        ('[index]\nexclude = ["a\\nb"]', ["index.exclude"]),
        ("index = 1", ["[index]", "table"]),
        ('[index]\nembedder = "evil"', ["index.embedder", "'evil'"]),
        ('[index]\nembedder = "fake"', ["index.embedder"]),
        ('[index]\nembedder = "model2vec:/etc"', ["index.embedder", "inside the repository"]),
        ('[index]\nembedder = "model2vec:../up"', ["index.embedder", "inside the repository"]),
        ("[index", ["not valid TOML"]),
        (b"\xff", ["not UTF-8"]),
        ("[index]\nx = " + "[" * 5000, [".everdex.toml"]),
    ],
)
def test_a_bad_value_is_refused_by_name(text: str | bytes, named: list[str]) -> None:
    """An unknown key, a wrong type or a value out of bounds: the error names the key and the bound."""
    message = _refused(text)
    assert [part for part in named if part not in message] == []


def test_no_limit_can_be_raised_above_its_cap() -> None:
    """A repository may lower a limit, never raise one."""
    caps = {
        "max_file_size_bytes": limits.MAX_FILE_SIZE_BYTES,
        "max_chunks_per_file": limits.MAX_CHUNKS_PER_FILE,
        "max_bytes_per_sync": limits.MAX_BYTES_PER_SYNC,
        "chunk_max_lines": limits.MAX_CHUNK_LINES,
        "chunk_max_chars": limits.MAX_CHUNK_CHARS,
    }
    for key, cap in caps.items():
        assert getattr(config.parse(f"[index]\n{key} = {cap}".encode()).index, key) == cap
        assert str(cap) in _refused(f"[index]\n{key} = {cap + 1}")


def test_an_oversized_file_is_refused(tmp_path: Path) -> None:
    """The file is not read beyond its cap."""
    (tmp_path / ".everdex.toml").write_bytes(b"#" * (limits.MAX_CONFIG_BYTES + 1))
    with pytest.raises(ConfigError, match="larger than"):
        config.load(tmp_path)


def test_a_symlink_is_not_followed(tmp_path: Path) -> None:
    """A link could make an error message quote a file outside the root."""
    secret = tmp_path / "secret"
    secret.write_text("password")
    root = tmp_path / "root"
    root.mkdir()
    (root / ".everdex.toml").symlink_to(secret)
    with pytest.raises(ConfigError) as caught:
        config.load(root)
    assert "password" not in caught.value.message


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_not_a_regular_file_is_refused_at_once(tmp_path: Path, make: object) -> None:
    """A FIFO or a directory in its place neither hangs nor passes for a configuration."""
    make(tmp_path / ".everdex.toml")  # type: ignore[operator]
    with pytest.raises(ConfigError):
        config.load(tmp_path)


def test_ranking_settings_do_not_change_the_index() -> None:
    """[query] changes the query fingerprint only; [index] changes the config fingerprint."""
    one, other = IndexConfig(), IndexConfig(exclude=("vendor/",))
    assert config.config_fingerprint(one, "e") != config.config_fingerprint(other, "e")
    assert config.config_fingerprint(one, "e") != config.config_fingerprint(one, "f")
    assert config.query_fingerprint(QueryConfig()) != config.query_fingerprint(QueryConfig(k=3))


@pytest.mark.parametrize("name", ["CHUNKER_VERSION", "WORDS_VERSION", "VECTORS_VERSION"])
def test_everything_that_decides_a_vector_changes_both_fingerprints(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version, model or limit is another index and another half of the embedding cache's key."""
    both = (config.config_fingerprint, config.embed_config_fingerprint)
    before = [of(IndexConfig(), "e") for of in both]
    assert all(of(IndexConfig(), "f") not in before for of in both)
    assert all(of(IndexConfig(chunk_max_lines=20), "e") not in before for of in both)
    monkeypatch.setattr(versions, name, "next")
    assert all(of(IndexConfig(), "e") not in before for of in both)


def test_what_decides_no_vector_leaves_the_cache_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which files there are, grammars, schemas and ranking are no part of the embedding cache's key."""
    before = config.embed_config_fingerprint(IndexConfig(), "e")
    monkeypatch.setattr(languages, "GRAMMAR_VERSIONS", {"python": "0"})
    monkeypatch.setattr(versions, "RANKING_VERSION", "next")
    assert config.embed_config_fingerprint(IndexConfig(exclude=("vendor/",), untracked=False), "e") == before
    assert config.config_fingerprint(IndexConfig(exclude=("vendor/",)), "e") != config.config_fingerprint(
        IndexConfig(), "e"
    )


def test_the_embedder_of_the_user_overrides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EVERDEX_EMBEDDER may name what a repository may not."""
    monkeypatch.setenv("EVERDEX_EMBEDDER", "model2vec:/somewhere")
    assert config.load(tmp_path).index.embedder == "model2vec:/somewhere"
