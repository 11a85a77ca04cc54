"""JSON for hooks: what `json` says, without what it brings along."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from everdex.surfaces.hooks.plain_json import dumps, loads


def _outcome(read: Callable[[bytes], Any], data: bytes) -> tuple[str, str]:
    try:
        return "", repr(read(data))
    except (ValueError, RecursionError) as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize(
    "data",
    [
        b' {"a": [1, 2.5, "x\\u00e9\\ud83d\\ude00", null, true], "a": 2} \n', b"\xef\xbb\xbf{}",
        '{"a": "é"}'.encode("utf-16"),
        b'{"a": 1} x', b"", b"  ", b"[1,", b"[NaN, -Infinity, 1e999]", b'"\\ud800"', b"\xff", b'"a\nb"', b"[" * 100_000,
    ],
)  # fmt: skip
def test_documents_read_as_ever(data: bytes) -> None:
    """Whole ones, broken ones, and those in other encodings: the same value or the same error."""
    assert _outcome(loads, data) == _outcome(json.loads, data)


@pytest.mark.parametrize("value", [{"id": 1, "p": {"a": ['é\n"', None, True, 1.5], "w": (1, 2)}}, "\ud800", {1: []}])
def test_documents_are_written_as_ever(value: object) -> None:
    """To the letter."""
    assert dumps(value) == json.dumps(value)
