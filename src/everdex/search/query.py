"""Understanding a query: what kind of question it is, which words carry it, and which filters it names.

`file:GLOB`, `lang:NAME`, `symbol:NAME`, `-word` and "quoted phrases" are taken out of the text, and so are globs and
courtesy around a question; the rest is classified by its shape alone. Nothing here looks at the index.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

import msgspec

from everdex import languages, limits
from everdex.errors import QueryError
from everdex.search.courtesy import without_courtesy
from everdex.search.sentence import asks_directly, says_what_code_does
from everdex.search.shapes import defined_by, is_glob
from everdex.terms import split

_TOKEN: Final = re.compile(r'-?"[^"]*"|\S+')
_FILTER: Final = re.compile(r"(file|path|lang|language|symbol):(.+)", re.DOTALL)
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#|/)[A-Za-z_$][\w$]*)*[!?]?(?:\(\))?")
_COMPOUND: Final = re.compile(r"[a-z0-9][A-Z]|_|::|->|[a-z]\.[a-zA-Z_]|[A-Z]{2,}[a-z]|\(\)$")
_ERROR: Final = re.compile(
    r"\b\w*(?:Error|Exception|Panic)\b:?|\btraceback\b|\bpanicked at\b|\bundefined (?:is not|reference)\b"
    r"|\bcannot (?:read|find|import)\b|\bno such\b",
    re.IGNORECASE,
)


class Intent(StrEnum):
    SYMBOL = "symbol"  # an identifier, alone
    PATH = "path"
    ERROR = "error"
    ACTION = "action"  # a sentence about what a piece of code does
    NATURAL = "natural"


class Query(msgspec.Struct, frozen=True):
    """A query taken apart. `terms` are distinct index terms, in order."""

    text: str
    intent: Intent
    terms: tuple[str, ...]
    identifiers: tuple[str, ...]  # words of the text that look like code, as written
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()


@lru_cache(maxsize=64)  # each is checked before anything is opened for it, and asked after
def parse_query(raw: str) -> Query:
    """Take a query apart; raises `QueryError` when there is nothing to search for."""
    _check(raw)
    words: list[str] = []
    filters: dict[str, list[str]] = {"file": [], "lang": [], "symbol": []}
    phrases: list[str] = []
    excluded: list[str] = []
    for token in _TOKEN.findall(raw):
        negated = token.startswith("-") and len(token) > 1 and not token.startswith("--")
        body = token[1:] if negated else token
        named = _FILTER.fullmatch(body)
        if body.startswith('"') and body.endswith('"') and len(body) > 2:
            (excluded if negated else phrases).append(body[1:-1])
            if not negated:
                words.append(body[1:-1])
        elif negated and split.tokens(body):
            excluded.append(body)
        elif named and not named[2].startswith((":", "//")):
            kind = {"path": "file", "language": "lang"}.get(named[1], named[1])
            filters[kind].append(named[2].strip('"'))
        else:
            words.append(token)
    for name in filters["lang"]:
        known_language(name)
    if any(split.tokens(word) for word in words if not is_glob(word)):
        filters["file"] += filter(is_glob, words)
        words = [word for word in words if not is_glob(word)]
    text = without_courtesy(" ".join([*words, *filters["symbol"]]).strip())
    text = defined_by(text) or text
    if not split.tokens(text):
        raise QueryError(f"the query {raw[:60]!r} has no word to search for")
    return Query(
        text=text,
        intent=intent_of(text),
        terms=tuple(split.query_terms(text)),
        identifiers=tuple(dict.fromkeys(word for word in text.split() if _is_code(word))),
        phrases=tuple(phrases),
        excluded=tuple(excluded),
        files=tuple(filters["file"]),
        languages=tuple(filters["lang"]),
        symbols=tuple(filters["symbol"]),
    )


def _check(raw: str) -> None:
    if len(raw.encode("utf-8", "surrogatepass")) > limits.MAX_QUERY_BYTES:
        raise QueryError(f"the query is longer than {limits.MAX_QUERY_BYTES:,} bytes")
    if not raw.strip():
        raise QueryError("the query is empty")
    if "\0" in raw or any(0xD800 <= ord(char) <= 0xDFFF for char in raw):
        raise QueryError("the query contains bytes that are not text")
    if raw.count('"') % 2:
        raise QueryError("the query has an unbalanced double quote", hint="close the quote, or leave it out")


def known_language(name: str) -> None:
    """Refuse a language that nothing is ever written in, and say which one may be meant."""
    if name in languages.KNOWN:
        return
    from difflib import get_close_matches  # only who misspelt it waits for it

    short = name.lower()[:60]
    by_ending = languages.parsed_language(short) or languages.language_of(f"a.{short}")
    near = [by_ending] if by_ending else get_close_matches(short, sorted(languages.KNOWN), 2)
    known = f"known are {', '.join(sorted(languages.KNOWN))}"
    hint = f"did you mean {' or '.join(near)}?" if near else known
    raise QueryError(f"unknown language {name[:60]!r}", hint=hint)


def _is_code(word: str) -> bool:
    bare = word.strip("\"'`,;:?!.()[]{}") or word
    return bool(_IDENTIFIER.fullmatch(bare) and _COMPOUND.search(bare))


def intent_of(text: str) -> Intent:
    """What kind of question a text is, by its shape."""
    words = text.split()
    if len(words) == 1:
        word = words[0].strip("`'\"")
        if "/" in word or (languages.language_of(word) is not None and "." in word):
            return Intent.PATH
        if _IDENTIFIER.fullmatch(word):
            return Intent.SYMBOL
    if _ERROR.search(text) and len(words) > 2:
        return Intent.ERROR
    # Who spells a name out asks about what has it: "what does SnapshotView do".
    asks = asks_directly(text) and not any(map(_is_code, words))
    return Intent.ACTION if asks or says_what_code_does(text) else Intent.NATURAL
