"""Pairs of a whole file: the first sentence of what stands at its head, with stretches of its code.

Questions about a repository are mostly about files ("request logging middleware"), and no definition's own comment
answers those. The head is a module's docstring or the first comment that is no licence and not the documentation of a
definition. Read without a parser: a wrong guess is one noisy pair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from training.pairs import MAX_WORDS, MIN_DOCUMENT_WORDS, Pair, embedding_words, question

Pattern = re.Pattern[str]

_STRETCHES: Final = 3  # of a long file: its beginning, its middle and its end
_HEAD: Final = 12_000  # characters in which the comment must stand
_MOST: Final = 60_000  # characters of code that are looked at
_PYTHON_HEAD: Final = re.compile(r"""(?:\s|\#[^\n]*\n)*[rRuU]{0,2}(\"\"\"|'''|"|')(.+?)\1""", re.DOTALL)
_BEFORE: Final = r"(?:\s|<\?php|\#![^\n]*\n|['\"]use strict['\"];?)*"
_HASH_BLOCK: Final = re.compile(_BEFORE + r"((?:\#[^\n]*\n)+)")
_SLASH_BLOCK: Final = re.compile(_BEFORE + r"(/\*.*?\*/|(?://[^\n]*\n[ \t]*)+)", re.DOTALL)
_DASH_BLOCK: Final = re.compile(
    _BEFORE + r"(?:\{-\#[^\#]*\#-\}\s*+)*+(--\[\[.*?\]\]|\{-(?!\#).*?-\}|(?:--[^\n]*\n)+)", re.DOTALL
)
# What may follow the head of a file; after anything else the comment is a definition's.
_FOLLOWS: Final = re.compile(
    r"[ \t]*\n|import\b|from\b|package\b|use\b|using\b|namespace\b|require|\#|module\b|(const|local) \w+ = require"
    r"|['\"]use|export \*|defmodule\b|declare\b|/\*|//|extern crate|mod\b"
)
_REST_OF_LINE: Final = re.compile(r"[ \t;]*\n")
_MARKER: Final = re.compile(r"^[ \t/*#!;{}\-|]+|[ \t*/\-}\]]+$", re.MULTILINE)
_SENTENCE: Final = re.compile(r"(.+?[.!?])(\s|$)|(.+)", re.DOTALL)
_HASH_COMMENTS: Final = re.compile(r"\"\"\".*?\"\"\"|'''.*?'''|(?<!\S)#[^\n]*", re.DOTALL)
_SLASH_COMMENTS: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DASH_COMMENTS: Final = re.compile(r"--\[\[.*?\]\]|\{-.*?-\}|--[^\n]*", re.DOTALL)
_HASH: Final = frozenset(("python", "ruby", "elixir", "bash"))
_DASH: Final = frozenset(("lua", "haskell"))


def mine_module(language: str, place: str, text: str) -> Iterator[Pair]:
    """Up to three pairs of one file, all with its head as the question."""
    asked, after = _head(language, text)
    if asked is None:
        return
    code = _kind(language, _HASH_COMMENTS, _DASH_COMMENTS, _SLASH_COMMENTS).sub(" ", text[after : after + _MOST])
    words = embedding_words(code)
    if len(words) < MIN_DOCUMENT_WORDS:
        return
    count = min(_STRETCHES, -(-len(words) // MAX_WORDS))
    for number in range(count):
        start = (len(words) - MAX_WORDS) * number // (count - 1) if count > 1 else 0
        yield Pair(language, "file", asked, "", place, " ".join(words[start : start + MAX_WORDS]))


def _head(language: str, text: str) -> tuple[str | None, int]:
    """The sentence, and where the code begins."""
    if language == "python":
        found = _PYTHON_HEAD.match(text, 0, _HEAD)
        return (_sentence(found[2]), found.end()) if found is not None else (None, 0)
    head = _kind(language, _HASH_BLOCK, _DASH_BLOCK, _SLASH_BLOCK)
    at = 0
    while (block := head.match(text, at, _HEAD)) is not None:
        at = block.end()
        asked = _sentence(block[1])
        if asked is not None:
            below = _REST_OF_LINE.match(text, at) if not block[1].endswith("\n") else None
            at = below.end() if below is not None else at
            return (asked, at) if _FOLLOWS.match(text, at) else (None, at)
    return None, 0


def _kind(language: str, marked: Pattern, dashed: Pattern, slashed: Pattern) -> Pattern:
    """Of three, the one for the way in which the language writes comments."""
    return marked if language in _HASH else dashed if language in _DASH else slashed


def _sentence(comment: str) -> str | None:
    """The first sentence of the comment's first paragraph that says something."""
    plain = _MARKER.sub("", comment)
    for paragraph in re.split(r"\n\s*\n", plain)[:3]:
        found = _SENTENCE.match(" ".join(paragraph.split()))
        if found is not None and (asked := question(found[0])) is not None:
            return asked
    return None
