"""Words: how text becomes tokens, identifier parts, stems and index terms.

Pure functions of their input, the same at index and at query time. Two promises hold for every token, so
that a regex can be answered from the vocabulary: `fold` maps character by character, and each token is
indexed under a term that is the folded token less at most `MAX_STRIP` trailing characters. Only tokens
longer than `MAX_TOKEN_CHARS` break the second promise; whoever indexes one must flag the document.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

MAX_TOKEN_CHARS: Final = 64
MAX_STRIP: Final = 4
# All that `stem` ever cuts off; a letter doubled before it may go too (stop-p-ed), within MAX_STRIP.
ENDINGS: Final = (
    "e", "ed", "eds", "er", "ers", "es", "ies", "ing", "ings", "ion", "ions", "or", "ors", "s", "y", "ys"
)  # fmt: skip
# A hash or a base64 run alternates letters and digits endlessly; its parts mean nothing.
_MAX_PARTS: Final = 16
_CACHE_SIZE: Final = 65_536

WORD: Final = re.compile(r"\w+")

# `v-for`, `b-tree`, `z-index`: code writes them as one (`vFor`, `btree`), and a letter alone says nothing.
_LETTER_AND_WORD: Final = re.compile(r"(?<![\w-])([^\W\d_])-([^\W\d_]+)(?![\w-])")

STOP_WORDS: Final = frozenset(
    WORD.findall("""
    a about also an and are as at be been but by can could did do does for from had has have how i if in into is it
    its me my of on or our should so some such than that the their them then there these they this to us was we
    were what when where which while who whom why will with would you your
    """)
)

# Over the shape of a token: A upper, a lower or caseless, s the letter s, 0 digit, c ideograph, _ anything else.
_PARTS: Final = re.compile(
    r"A{2,}s(?![as])"  # a plural acronym: URLs
    r"|A+(?=A[as])"  # an acronym before a word: HTTPServer
    r"|A?[as]+"
    r"|A+"
    r"|0+"
    r"|c+"
)
_ASCII_PARTS: Final = re.compile(
    r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+"
)  # the same rules, straight on the token

# Not a pattern: the ranges of a large one take milliseconds to compile.
_IDEOGRAPHS: Final = (range(0x2E80, 0xA000), range(0xAC00, 0xD7A4), range(0xF900, 0xFB00), range(0x20000, 0x40000))


def fold(text: str) -> str:
    """Casefolding that depends on one character at a time and joins the i's that `re.IGNORECASE` joins."""
    if text.isascii():
        return text.lower()
    return text.replace("İ", "i").replace("ı", "i").casefold()


def tokens(text: str) -> list[str]:
    """Maximal runs of word characters, as written."""
    return WORD.findall(text)


@lru_cache(maxsize=_CACHE_SIZE)
def parts(token: str) -> tuple[str, ...]:
    """The folded words inside an identifier: `HTTPServer2Go` is http, server, 2, go."""
    token = token[:MAX_TOKEN_CHARS]
    if token.isascii():
        found = [part.lower() for part in _ASCII_PARTS.findall(token)]
    else:
        found = _shaped_parts(token)
    if len(found) > _MAX_PARTS:
        return (fold(token),)
    return tuple(found)


def _shaped_parts(token: str) -> list[str]:
    found: list[str] = []
    for match in _PARTS.finditer("".join(map(_shape, token))):
        piece = token[match.start() : match.end()]
        if match.group()[0] == "c" and len(piece) > 2:
            # Ideographs are written without spaces: overlapping pairs stand in for words.
            found.extend(piece[at : at + 2] for at in range(len(piece) - 1))
        else:
            found.append(fold(piece))
    return found


def _shape(character: str) -> str:
    if character.isalpha():
        if character == "s":
            return "s"
        if character.isupper():
            return "A"
        return "c" if any(ord(character) in span for span in _IDEOGRAPHS) else "a"
    return "0" if character.isnumeric() else "_"


@lru_cache(maxsize=_CACHE_SIZE)
def stem(part: str) -> str:
    """Cut an English ending off, so that parse, parses, parser and parsing meet; never adds a letter."""
    if len(part) < 4 or not part.isascii() or not part.isalpha():
        return part
    word = _without_plural(part)
    if word.endswith("ies"):
        return word[:-3]
    shorter = _without_suffix(word)
    if len(shorter) < len(word) and len(part) - len(shorter) < MAX_STRIP and _doubled(shorter):
        return shorter[:-1]
    return shorter


def _without_plural(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "as")):
        return word
    if word.endswith("ies"):
        return word if len(word) >= 7 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")) and len(word) >= 5:
        return word[:-2]
    return word[:-1]


def _without_suffix(word: str) -> str:
    for suffix, keep in (("ing", 4), ("ed", 4), ("er", 4), ("e", 4)):
        if word.endswith(suffix):
            return word[: -len(suffix)] if len(word) - len(suffix) >= keep else word
    if word.endswith(("tion", "sion")) and len(word) >= 7:
        return word[:-3]
    if word.endswith("tor") and len(word) >= 7:
        return word[:-2]
    if word.endswith("y") and len(word) >= 5 and word[-2] not in "aeiou":
        return word[:-1]
    return word


def _doubled(word: str) -> bool:
    return len(word) >= 5 and word[-1] == word[-2] and word[-1] not in "aeioulsz"


def index_terms(token: str) -> tuple[str, ...]:
    """What one token is indexed under: itself when it is more than one plain word, and its stemmed parts."""
    whole = fold(token[:MAX_TOKEN_CHARS])
    found = parts(token)
    if found == (whole,):
        return (stem(whole),)
    return (whole, *map(stem, found))


def embedding_words(token: str) -> list[str]:
    """What one token is embedded as: numbers and filler have no meaning, and would pull every vector to one place."""
    return [part for part in parts(token) if not part.isnumeric() and part not in STOP_WORDS]


def overlong(token: str) -> bool:
    """Whether the vocabulary knows only the beginning of this token."""
    return len(token) > MAX_TOKEN_CHARS


def query_terms(text: str) -> list[str]:
    """Distinct index terms of a query in order; English filler counts only when there is nothing else."""
    words = tokens(text)
    telling = [word for word in words if fold(word) not in STOP_WORDS]
    found = [term for word in telling or words for term in index_terms(word)]
    joined = [fold(letter + word) for letter, word in _LETTER_AND_WORD.findall(text)]
    return list(dict.fromkeys([*found, *(term for word in joined for term in (word, stem(word)))]))
