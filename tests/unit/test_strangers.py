"""TOML of a repository: read, or refused before it takes long."""

from __future__ import annotations

import tomllib

import pytest

from everdex.strangers import read_toml


@pytest.mark.parametrize(
    "raw",
    [
        b"a" + b".a" * 500_000 + b" = 1\n",
        b"[a" + b".a" * 5_000 + b"]\n" + b"".join(b"k%d = 1\n" % number for number in range(100_000)),
        b"x = {a" + b".a" * 500_000 + b" = 1}\n",
        b"a = " + b"[" * 100_000,
        b"a = \xff\n",
        b"a = \n",
    ],
    ids=["key", "table", "inline", "nested", "bytes", "broken"],
)
def test_what_is_slow_or_no_toml_is_refused(raw: bytes) -> None:
    """By one error, whatever is wrong with it; the test would not end otherwise."""
    with pytest.raises(tomllib.TOMLDecodeError):
        read_toml(raw)


def test_large_manifests_are_read() -> None:
    """Thousands of lines with versions, also all of them on one."""
    versions = ", ".join(f'"package-{number} == 1.2.{number}"' for number in range(1_000))
    lines = "".join(f'[a.b{number}]\nversion = "1.2.3"\n' for number in range(5_000))
    assert len(read_toml(f"all = [{versions}]\n{lines}".encode())["all"]) == 1_000
