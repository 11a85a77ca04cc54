"""Bags: what is counted where, and that the count depends on the files alone."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import fields

from everdex.numeric import np
from everdex.parse.model import Chunk, ParsedFile, ParseStatus, Symbol
from everdex.terms import bags as bags_module
from everdex.terms import vocabulary
from everdex.terms.bags import BagExtractor
from everdex.terms.model import Bags, Field, WordBags
from everdex.terms.vocabulary import TokenTable
from everdex.terms.words import words_of

SOURCE = b"def fetchRows(limit):\n    # fetch caf\xc3\xa9 rows\n    return rows[limit]\nx = 1\n"


def chunk(ordinal: int, start: int, end: int, *, crumbs: tuple[str, ...] = (), defines: tuple[int, ...] = ()) -> Chunk:
    return Chunk(ordinal, "text", start, end, 1, 1, "python", "", crumbs, None, defines)


def parsed_file(*chunks: Chunk, symbols: tuple[Symbol, ...] = (), docs: tuple[tuple[int, int], ...] = ()) -> ParsedFile:
    return ParsedFile("python", ParseStatus.PARSED, chunks, symbols, docs)


def example() -> tuple[str, bytes, ParsedFile]:
    cut = SOURCE.index(b"x = 1")
    comment = SOURCE.index(b"#")
    symbol = Symbol(
        "fetchRows", "fetchRows", "function", 0, cut, 1, 3, 1, 4, "def fetchRows(limit)", "fetch café rows", True
    )
    parsed = parsed_file(
        chunk(0, 0, cut, crumbs=("fetchRows",), defines=(0,)),
        chunk(1, cut, len(SOURCE)),
        symbols=(symbol,),
        docs=((comment, SOURCE.index(b"\n", comment)),),
    )
    return "app/row_store.py", SOURCE, parsed


def terms_of(bags: Bags, doc: int, field: Field) -> Counter[str]:
    batch = bags.terms
    chosen = (batch.posting_docs == doc) & (batch.posting_fields == field)
    return Counter(
        {
            batch.vocabulary[term]: int(tf)
            for term, tf in zip(batch.posting_terms[chosen], batch.posting_tfs[chosen], strict=True)
        }
    )


def words(bags: WordBags, item: int) -> dict[str, int]:
    span = slice(bags.offsets[item], bags.offsets[item + 1])
    return {bags.vocabulary[i]: int(n) for i, n in zip(bags.ids[span], bags.counts[span], strict=True)}


def plain(bags: Bags) -> list[object]:
    """Every value of a result, comparable with ==."""
    return [
        value.tolist() if isinstance(value, np.ndarray) else value
        for part in (bags.terms, bags.chunk_words, bags.path_words)
        for value in (getattr(part, field.name) for field in fields(part))
    ]


def test_each_field_counts_its_own_text() -> None:
    """Comments, names, path and signature are counted apart from the code around them."""
    bags = BagExtractor().extract([example()])
    assert terms_of(bags, 0, Field.BODY) == Counter(
        {"def": 1, "fetchrows": 1, "fetch": 1, "row": 2, "limit": 2, "return": 1}
    )
    assert terms_of(bags, 0, Field.DOC) == Counter({"fetch": 1, "café": 1, "row": 1})
    assert terms_of(bags, 0, Field.NAME) == Counter({"fetchrows": 2, "fetch": 2, "row": 2})
    assert terms_of(bags, 0, Field.SIGNATURE) == Counter({"def": 1, "fetchrows": 1, "fetch": 1, "row": 1, "limit": 1})
    assert terms_of(bags, 1, Field.BODY) == Counter({"x": 1, "1": 1})
    assert terms_of(bags, 1, Field.NAME) == Counter()


def test_a_file_stem_counts_twice_in_the_path() -> None:
    """The name of the file weighs more than its directories, in every chunk of the file."""
    bags = BagExtractor().extract([example()])
    expected = Counter({"app": 1, "row_store": 2, "row": 2, "stor": 2, "py": 1})
    assert terms_of(bags, 0, Field.PATH) == terms_of(bags, 1, Field.PATH) == expected


def test_lengths_are_the_sums_of_frequencies() -> None:
    """A document's length in a field is the number of terms counted there."""
    bags = BagExtractor().extract([example()])
    assert bags.terms.lengths.sum(axis=0).all()
    for doc in range(2):
        for field in Field:
            assert bags.terms.lengths[doc, field] == sum(terms_of(bags, doc, field).values())


def test_embedding_words_are_unstemmed_and_leave_out_the_path_and_numbers() -> None:
    """Chunk words come from text and breadcrumb; path words are a bag per file."""
    bags = BagExtractor().extract([example()])
    assert words(bags.chunk_words, 0) == {"café": 1, "def": 1, "fetch": 3, "limit": 2, "return": 1, "rows": 4}
    assert words(bags.chunk_words, 1) == {"x": 1}
    assert words(bags.path_words, 0) == {"app": 1, "row": 1, "store": 1, "py": 1}
    assert bags.doc_files.tolist() == [0, 0]


def test_a_range_edge_inside_a_word_does_not_cut_it() -> None:
    """A comment range that ends within a word or a character leaves the word whole."""
    data = "alpha naïve omega".encode()
    middle = data.index(b"\xaf")  # the second byte of ï
    bags = BagExtractor().extract([("a.txt", data, parsed_file(chunk(0, 0, len(data)), docs=((3, middle),)))])
    assert terms_of(bags, 0, Field.BODY) + terms_of(bags, 0, Field.DOC) == Counter({"alpha": 1, "naïve": 1, "omega": 1})


def test_a_range_over_several_chunks_is_documentation_in_each() -> None:
    """A docstring longer than a chunk goes on in the next one."""
    data = b"one two three four five"
    parsed = parsed_file(chunk(0, 0, 8), chunk(1, 8, 14), chunk(2, 14, len(data)), docs=((4, 18),))
    bags = BagExtractor().extract([("a.txt", data, parsed)])
    assert [set(terms_of(bags, doc, Field.DOC)) for doc in range(3)] == [{"two"}, {"thre"}, {"four"}]
    assert [set(terms_of(bags, doc, Field.BODY)) for doc in range(3)] == [{"one"}, set(), {"five"}]


def test_an_overlong_token_flags_its_document_only() -> None:
    """The document with a token that was cut is told apart from its neighbours."""
    data = b"short " + b"x" * 70
    bags = BagExtractor().extract([("a.txt", data, parsed_file(chunk(0, 0, 6), chunk(1, 6, len(data))))])
    assert bags.terms.overlong.tolist() == [False, True]


def test_what_was_seen_before_changes_nothing() -> None:
    """A warm process and a fresh one count the same file to the same numbers."""
    other = b"zebra rows earlier Words fetch_all"
    warm = BagExtractor()
    warm.extract([("z.py", other, parsed_file(chunk(0, 0, len(other))))])
    assert plain(warm.extract([example()])) == plain(BagExtractor().extract([example()]))


def test_the_memory_of_tokens_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has seen too many tokens starts over, with the same result."""
    tables: list[TokenTable] = []

    class Counted(TokenTable):
        def __init__(self) -> None:
            super().__init__()
            tables.append(self)

    monkeypatch.setattr(bags_module, "TokenTable", Counted)
    monkeypatch.setattr(vocabulary, "MAX_TOKENS", 3)
    extractor = BagExtractor()
    assert plain(extractor.extract([example()])) == plain(extractor.extract([example()]))
    assert len(tables) == 2


def test_nothing_counts_as_nothing() -> None:
    """No files, and a file without chunks, give empty bags."""
    assert BagExtractor().extract([]).terms.n_docs == 0
    bags = BagExtractor().extract([("empty.py", b"", parsed_file())])
    assert (bags.terms.n_docs, bags.path_words.n_items, len(bags.terms.vocabulary)) == (0, 1, 0)
    assert words_of("").ids.tolist() == []


def test_colliding_hashes_are_ordered_by_string(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two terms with one hash still have a well-defined order."""
    monkeypatch.setattr(bags_module, "hash_terms", lambda terms: np.zeros(len(terms), dtype=np.uint64))
    terms = BagExtractor().extract([example()]).terms.vocabulary
    assert terms == sorted(terms)
