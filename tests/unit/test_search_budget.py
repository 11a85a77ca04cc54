"""Packing under a token budget: never over it, in order of rank, whole lines, nothing left out silently."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from everdex.search.budget import pack, tokens_of
from everdex.search.model import Hit
from everdex.segment.model import ChunkRow


def hit(path: str, start_line: int, text: str, score: float, byte_start: int = 0) -> Hit:
    lines = text.count("\n")
    row = ChunkRow(
        row_id="", chunk_id="", path_key=path, path_key_ci=path, ordinal=0, file_hash="", chunk_hash="",
        chunker_version="1", kind="text", text=text, start_line=start_line, end_line=start_line + max(lines, 1) - 1,
        byte_start=byte_start, byte_end=byte_start + len(text.encode()), language="python", segment_id="",
        symbol="", symbol_kind="", breadcrumb=(), range_id="", chunk_uid=f"cu:{path}:{start_line}", span_hash="",
        pre_hash="", post_hash="", collision_of=None,
    )  # fmt: skip
    return Hit(0, row, score)


def test_everything_that_fits_is_whole() -> None:
    """With room enough every result is there, untrimmed, in order of rank."""
    packed = pack([hit("b.py", 1, "x = 1\n", 2.0), hit("a.py", 1, "y = 2\n", 1.0)], 1_000, ["x"])
    assert [(item.path_key, item.trimmed) for item in packed.snippets] == [("b.py", False), ("a.py", False)]
    assert packed.left_out == ()


def test_neighbouring_chunks_become_one_snippet() -> None:
    """Two results that touch are one run of lines, in the place of the better one."""
    first, second = hit("a.py", 1, "one\ntwo\n", 1.0), hit("a.py", 3, "three\nfour\n", 3.0, byte_start=8)
    packed = pack([second, first], 1_000, [])
    assert len(packed.snippets) == 1
    joined = packed.snippets[0]
    assert (joined.start_line, joined.end_line, joined.text) == (1, 4, "one\ntwo\nthree\nfour\n")
    assert (joined.byte_start, joined.byte_end, joined.score) == (0, 19, 3.0)
    assert joined.chunk_uids == ("cu:a.py:1", "cu:a.py:3")


def test_a_long_result_is_trimmed_to_its_best_lines() -> None:
    """What does not fit whole shows the lines that have the query's words, with their true line numbers."""
    lines = [f"filler\f number\u2028 {n}\r\n" for n in range(60)]  # what else ends lines somewhere ends none here
    lines[40] = "the needle is here\n"
    packed = pack([hit("a.py", 101, "".join(lines), 1.0)], 80, ["needl"])
    (snippet,) = packed.snippets
    assert snippet.trimmed
    assert "needle" in snippet.text
    offset = snippet.start_line - 101
    assert snippet.text == "".join(lines[offset : snippet.end_line - 100])
    assert snippet.byte_start == len("".join(lines[:offset]).encode())
    assert packed.used <= 80


def test_lines_without_a_word_of_the_query_are_not_worth_the_rest() -> None:
    """A trimmed snippet that would hold nothing asked for is left out and counted."""
    long = hit("a.py", 1, "".join(f"filler {n}\n" for n in range(200)), 1.0)
    packed = pack([long], 120, ["absent"])
    assert packed.snippets == ()
    assert packed.left_out == (long,)


texts = st.lists(st.text(alphabet="abc é\n", min_size=1, max_size=400), min_size=1, max_size=8)


@given(texts, st.integers(100, 600))
def test_the_budget_is_never_exceeded(bodies: list[str], budget: int) -> None:
    """Whatever the results, the estimate stays within the budget and every result is packed or named."""
    hits = [hit(f"{n}.py", 1, body, float(-n)) for n, body in enumerate(bodies)]
    packed = pack(hits, budget, ["abc"])
    assert packed.used <= budget
    assert sum(tokens_of(item.text) for item in packed.snippets) <= budget
    assert len(packed.snippets) + len(packed.left_out) == len(hits)
