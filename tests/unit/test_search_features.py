"""What a name says about a question: the fast way and the plain one agree."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from everdex.search.features import NameMatcher, query_stems, same_family, stems
from everdex.search.query import parse_query

WORDS = ("parse", "parser", "Parsing", "HTTP", "server", "id", "Größe", "größe", "İstanbul", "解析", "url", "URLs", "2")


def _plain(query: str, name: str) -> float:
    """Share of the name's words in the query times share of the query's words in the name, word by word."""
    asked, parts = query_stems(query), stems(name)
    if not parts or not asked:
        return 0.0
    named = sum(any(same_family(part, word) for word in asked) for part in parts)
    return named / len(parts) * (sum(any(same_family(part, word) for part in parts) for word in asked) / len(asked))


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    st.sampled_from(["", "_"]),
)
@example(["größe"], ["GRÖSSE"], "")
@example(["istanbul"], ["İstanbul"], "_")
def test_no_name_is_passed_over(asked: list[str], named: list[str], glue: str) -> None:
    """Names are ruled out by their letters before they are taken apart, and never one that shares a word."""
    query, name = " ".join(asked), glue.join(named)
    found = NameMatcher(parse_query(query)).definitions([(name, "", "function")])
    assert found.covers == _plain(query, name)
