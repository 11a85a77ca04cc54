"""One training example, and what may be one: the words that everdex embeds, and sentences that say something."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec

from everdex.terms import split

MAX_WORDS: Final = 220  # a document
MIN_DOCUMENT_WORDS: Final = 6
MIN_QUERY_WORDS, MAX_QUERY_WORDS = 3, 40
# Few packages have these: each gives more of them, and more of the packages are held out, so that each has a figure.
THIN_LANGUAGES: Final = frozenset(("csharp", "elixir", "kotlin", "lua", "scala", "swift", "zig"))
_BOILERPLATE: Final = re.compile(
    r"copyright|licen[cs]e|generated|noqa|eslint|pylint|todo|fixme|deprecated|inheritdoc|^\W*@|type: ignore"
    r"|prettier-ignore|ts-ignore|https?://|@param|@return|nolint|clang-format|coverage:|istanbul|-{5}|={5}",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r":[a-z:]+:`~?|``?|\*\*|</?[a-zA-Z]+[^>]*>|\{@\w+ |\[[A-Z]\w+\]")


class Pair(msgspec.Struct, frozen=True):
    """One training example; every text is embedding words joined by spaces."""

    language: str
    kind: str
    query: str
    name: str
    path: str
    body: str


@lru_cache(maxsize=400_000)
def _words_of_token(token: str) -> tuple[str, ...]:
    return tuple(part for part in split.parts(token) if not part.isnumeric() and part not in split.STOP_WORDS)


def embedding_words(text: str) -> list[str]:
    """The words that everdex embeds of a text, in order."""
    return [word for token in split.tokens(text) for word in _words_of_token(token)]


def question(sentence: str) -> str | None:
    """The sentence's words; None for boilerplate, markup, and what is too short or too long to ask anything."""
    if _BOILERPLATE.search(sentence) is not None:
        return None
    text = _MARKUP.sub(" ", sentence)
    letters = sum(character.isalpha() and character.isascii() for character in text)
    words = embedding_words(text)
    if not MIN_QUERY_WORDS <= len(words) <= MAX_QUERY_WORDS or letters < 0.7 * len(text.replace(" ", "")):
        return None
    return " ".join(words)
