"""JSON lines: the same document as the standard library's, and no character that could drive a terminal."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from everdex.surfaces.cli.output import encode, escape, json_bytes

_LETTERS = [*'aé日😀"\\\n', *"\x00\x1b\x7f\x85\u202e\u2028\u2069\u061c\u2062\ufffa\U000e0041\udc80"]
_UNSAFE = re.compile(f"[{''.join(_LETTERS[9:])}]")


def _plainly(document: dict[str, Any]) -> str:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1].replace("\x7f", r"\u007f"), text)


def test_json_is_that_of_the_standard_library_with_unsafe_characters_escaped() -> None:
    """Byte for byte, however long it is and wherever such a character stands; half of a surrogate pair, too."""
    chosen = random.Random(3)
    for length in (0, 1, 50, 5_000):
        for letters in (_LETTERS[:1], _LETTERS[:4], _LETTERS[:-1], _LETTERS):
            texts = ["".join(chosen.choices(letters, k=length)) for _ in range(3)]
            document = {"texts": texts, "x" * 3_000: [1, -2, 0.25, 1.0, True, None, {"deep": ("é", texts[0])}]}
            assert encode(document) == _plainly(document)
            assert json_bytes(document).decode() == encode(document)
            assert json.loads(encode(document))["texts"] == texts


def test_a_line_is_escaped_where_a_terminal_would_obey() -> None:
    """Text and tabs stay as they are."""
    assert escape("plain ünï\t日") == "plain ünï\t日"
    assert escape("a\x1b[1m\u202e\udc80\n") == "a\\x1b[1m\\u202e\\udc80\\x0a"
    assert escape("\U000e0041") == r"\U000e0041"
    for letter in _LETTERS:
        assert not _UNSAFE.search(escape(f"a{letter}b"))
