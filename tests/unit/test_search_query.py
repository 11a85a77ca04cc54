"""Understanding a query: its kind, its words, its filters, and what cannot be asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everdex import limits
from everdex.errors import QueryError
from everdex.search.query import Intent, parse_query

_KINDS = {
    Intent.SYMBOL: [
        "SnapshotView", "open_view", "parse", "snapshot.open_view", "std::vector", "ptr->field", "Foo#bar", "render()",
        "`open_view`", "__init__", "$scope", "empty?", "HTTPServer2",
    ],
    Intent.PATH: ["src/everdex/roots.py", "roots.py", "docs/", "a/b", "Makefile.toml", "./setup.py"],
    Intent.ERROR: [
        "TypeError: cannot read properties of undefined", "ValueError: bad magic number in header",
        "thread main panicked at src/lib.rs", "undefined reference to symbol foo", "ENOENT: no such file or directory",
    ],
    Intent.NATURAL: [
        "open view", "an Exception", "retry with backoff", "c++ templates",
        "what does SnapshotView do", "100", "how requests are routed", "request routing and its tests",
        "format strings and errors", "serialize and deserialize traits", "show_errors middleware for pages",
        "set of open files", "html escape functions", "python check if a path exists", "how retries work",
        "where is open_view called", "which way",
    ],
    Intent.ACTION: [
        "return the names of all files", "Returns names in order", "how to read a file",
        "How do I sort a list by value", "recursively create the folders", "sets the default value",
        "formats a date as text", "where is the session cookie signed", "where are names checked",
        "the number of open files", "matches every glob", "parses json from text", "how are requests routed",
        "what decides which file wins", "which version wins", "in what order do names sort", "why is it slow",
        "does it check the names", "is there a limit",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("query", "kind"), [(query, kind) for kind, queries in _KINDS.items() for query in queries])
def test_the_kind_of_a_question_follows_from_its_shape(query: str, kind: Intent) -> None:
    """A lone identifier, a path, an error message, what code does, or a subject."""
    assert parse_query(query).intent is kind


def test_filters_are_taken_out_of_the_text() -> None:
    """What a filter names is not searched for as a word, except a symbol, which is."""
    query = parse_query('open file:*.py path:src lang:python language:go symbol:View -cache -"no longer" "to the" fast')
    assert query.files == ("*.py", "src")
    assert query.languages == ("python", "go")
    assert query.symbols == ("View",)
    assert query.excluded == ("cache", "no longer")
    assert query.phrases == ("to the",)
    assert query.text == "open to the fast View"


def test_what_only_looks_like_a_filter_is_text() -> None:
    """C++ scopes, URLs, unknown keys, options and lone dashes are words of the question."""
    for raw in ("file::open", "file://x/y", "kind:function", "--verbose flag", "a - b", "std::file:", "lang: x"):
        query = parse_query(raw)
        assert (query.files, query.languages, query.symbols, query.excluded) == ((), (), (), ())
        assert query.text == raw


def test_quoted_values_and_quotes_around_one_word() -> None:
    """A phrase is also searched for by its words; a filter's value may be quoted."""
    assert parse_query('"retry"').phrases == ("retry",)
    assert parse_query('symbol:"View" x').symbols == ("View",)
    assert parse_query('"retry later" soon').text == "retry later soon"


def test_filler_words_count_only_when_there_is_nothing_else() -> None:
    """`the` is no reason to find a file, unless it is all that was asked."""
    assert parse_query("where is the parser").terms == parse_query("parser").terms
    assert set(parse_query("to be or the").terms) == {"to", "be", "or", "the"}


def test_terms_are_distinct_and_identifiers_are_kept_as_written() -> None:
    """A repeated word counts once; words that look like code keep their case."""
    query = parse_query("parse parse parsing SnapshotView.open and load_file() now")
    assert len(query.terms) == len(set(query.terms))
    assert query.identifiers == ("SnapshotView.open", "load_file()")


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ("", "empty"), (" \n\t", "empty"), ("a\0b", "not text"), ("\udcff", "not text"), ('say "x', "unbalanced"),
        ("()", "no word"), ('""', "no word"), ("file:a.py", "no word"), ("-x", "no word"), ('-"a b"', "no word"),
        ("lang:klingon x", "klingon"), ("x" * (limits.MAX_QUERY_BYTES + 1), "16,384"),
        ("é" * (limits.MAX_QUERY_BYTES // 2 + 1), "16,384"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_named(raw: str, named: str) -> None:
    """A short message says what is wrong, without repeating 100 kB of it."""
    with pytest.raises(QueryError, match=named) as caught:
        parse_query(raw)
    assert len(caught.value.message) < 120


def test_the_longest_question_is_accepted() -> None:
    """The bound is inclusive, in bytes."""
    assert parse_query("x" * limits.MAX_QUERY_BYTES).terms
    assert parse_query("é" * (limits.MAX_QUERY_BYTES // 2)).terms


@given(st.text(max_size=200))
def test_any_text_is_a_query_or_a_query_error(raw: str) -> None:
    """Nothing else ever comes out, and what is accepted has a word to search for."""
    try:
        query = parse_query(raw)
    except QueryError:
        return
    assert query.text
    assert query.terms
