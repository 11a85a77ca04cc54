"""Words: splitting, stemming, and the promises that a regex prefilter relies on."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everdex.terms import split


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("HTTPServer2Go", ("http", "server", "2", "go")),
        ("getURLs", ("get", "urls")),
        ("snake_case_name", ("snake", "case", "name")),
        ("__init__", ("init",)),
        ("XMLHttpRequest", ("xml", "http", "request")),
        ("parseÜberÉtat", ("parse", "über", "état")),
        ("用户登录", ("用户", "户登", "登录")),
        ("_", ()),
    ],
)
def test_identifiers_split_into_their_words(token: str, expected: tuple[str, ...]) -> None:
    """Camel case, snake case, digits, acronyms and unspaced scripts come apart where a reader would cut."""
    assert split.parts(token) == expected


@pytest.mark.parametrize(
    "family",
    [
        "parse parses parser parsers parsed parsing",
        "cache caches cached caching",
        "query queries",
        "index indexes indexed indexing indexer",
        "create creates created creating creation",
        "connect connection connections connected",
        "scan scans scanner scanners scanning scanned",
        "iterate iterator iterators",
        "key keys",
        "class classes",
        "file files",
    ],
)
def test_forms_of_a_word_share_a_stem(family: str) -> None:
    """A search for one form of a word finds the others."""
    assert len({split.stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("word", ["this", "status", "class", "string", "axis", "need", "use", "2024", "été"])
def test_words_that_only_look_inflected_are_kept(word: str) -> None:
    """An ending that belongs to the word stays."""
    assert split.stem(word) == word


@given(st.text(alphabet="abcdefinogrstxyz", max_size=14))
@example("formattings")
def test_the_stemmer_only_truncates(word: str) -> None:
    """A stem is a prefix of its word and lacks at most MAX_STRIP characters."""
    found = split.stem(word)
    assert word.startswith(found)
    assert len(word) - len(found) <= split.MAX_STRIP


@given(st.text(min_size=1, max_size=100))
@example("__init__ _private __")
def test_every_token_can_be_found_by_what_it_contains(text: str) -> None:
    """Each token has a term that is the folded token less at most MAX_STRIP characters, unless it is overlong."""
    for token in split.tokens(text):
        folded = split.fold(token)
        found = any(
            folded.startswith(term) and len(folded) - len(term) <= split.MAX_STRIP for term in split.index_terms(token)
        )
        assert found or split.overlong(token)


@given(st.text(max_size=20), st.text(max_size=20))
def test_folding_is_character_by_character(left: str, right: str) -> None:
    """The fold of a piece is a piece of the fold, so substrings survive (final sigma included)."""
    assert split.fold(left + right) == split.fold(left) + split.fold(right)


@pytest.mark.parametrize(("pattern", "text"), [("i", "İ"), ("I", "ı"), ("s", "ſ"), ("k", "K"), ("Σ", "ς")])
def test_folding_joins_what_ignorecase_joins(pattern: str, text: str) -> None:
    """Letters that a case-insensitive regex takes for equal fold to the same text."""
    assert re.fullmatch(pattern, text, re.IGNORECASE)
    assert split.fold(pattern) == split.fold(text)


def test_an_overlong_token_is_indexed_by_its_beginning() -> None:
    """A token over 64 characters keeps its first 64 and says that it was cut."""
    token = "a" * 80
    assert split.overlong(token)
    assert split.index_terms(token) == ("a" * 64,)
    assert not split.overlong("a" * 64)


def test_filler_words_count_only_when_alone() -> None:
    """English filler is left out of a query unless the query is nothing else."""
    assert split.query_terms("how does the HTTPServer parse it") == ["httpserver", "http", "serv", "pars"]
    assert split.query_terms("what is this") == ["what", "is", "this"]
    assert split.query_terms(" …! ") == []


def test_a_letter_and_a_word_with_a_hyphen_are_also_looked_for_as_one_word() -> None:
    """Code writes `v-for` as vFor and `b-tree` as btree; a hyphen between two words joins nothing: both are telling."""
    assert split.query_terms("compile v-for") == ["compil", "v", "vfor"]
    assert split.query_terms("B-Tree pages") == ["b", "tree", "page", "btree", "btre"]
    assert split.query_terms("real-time x--for a-b-c u-8") == ["real", "time", "x", "b", "c", "u", "8"]
