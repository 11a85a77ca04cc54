"""Packing under a token budget: never over it, in order of rank, many before long, whole lines, nothing left out
silently."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from everdex.search import budget as budgets
from everdex.search.budget import Packed, tokens_of
from everdex.search.model import Hit
from everdex.segment.model import ChunkRow


def hit(path: str, start_line: int, text: str, score: float, byte_start: int = 0, symbol: str = "") -> Hit:
    lines = text.count("\n")
    row = ChunkRow(
        row_id="", chunk_id="", path_key=path, path_key_ci=path, ordinal=0, file_hash="", chunk_hash="",
        chunker_version="1", kind="text", text=text, start_line=start_line, end_line=start_line + max(lines, 1) - 1,
        byte_start=byte_start, byte_end=byte_start + len(text.encode()), language="python", segment_id="",
        symbol=symbol, symbol_kind="", breadcrumb=(), range_id="", chunk_uid=f"cu:{path}:{start_line}", span_hash="",
        pre_hash="", post_hash="", collision_of=None,
    )  # fmt: skip
    return Hit(0, row, score)


def pack(hits: list[Hit], budget: int, terms: list[str], most: int) -> Packed:
    """Packed from chunks in which no definition begins."""
    return budgets.pack(hits, budget, terms, most, lambda _: ())


def test_everything_that_fits_is_whole() -> None:
    """With room enough every result is there, untrimmed, in order of rank."""
    packed = pack([hit("b.py", 1, "x = 1\n", 2.0), hit("a.py", 1, "y = 2\n", 1.0)], 1_000, ["x"], 10)
    assert [(item.path_key, item.part_of) for item in packed.snippets] == [("b.py", None), ("a.py", None)]
    assert packed.left_out == ()


def test_neighbouring_chunks_become_one_snippet() -> None:
    """Two results that touch are one run of lines, in the place of the better one."""
    first, second = hit("a.py", 1, "one\ntwo\n", 1.0), hit("a.py", 3, "three\nfour\n", 3.0, byte_start=8)
    packed = pack([second, first], 1_000, [], 10)
    assert len(packed.snippets) == 1
    joined = packed.snippets[0]
    assert (joined.start_line, joined.end_line, joined.text) == (1, 4, "one\ntwo\nthree\nfour\n")
    assert (joined.byte_start, joined.byte_end, joined.score) == (0, 19, 3.0)
    assert joined.chunk_uids == ("cu:a.py:1", "cu:a.py:3")


def test_neighbours_of_which_one_is_cut_say_what_both_are_part_of() -> None:
    """The lines that are shown touch; those that are not belong to what the snippet is part of."""
    long = "".join(f"filler {n}\n" for n in range(300)) + "".join(f"needle {n}\n" for n in range(8))
    packed = pack(
        [hit("a.py", 1, long, 2.0), hit("a.py", 309, "a needle\n", 1.0, byte_start=len(long))], 500, ["needl"], 10
    )
    (snippet,) = packed.snippets
    assert snippet.start_line > 100
    assert snippet.end_line == 309
    assert snippet.part_of == (1, 309)


def test_a_long_result_is_trimmed_to_its_best_lines() -> None:
    """What does not fit whole shows the lines that have the query's words, with their true line numbers."""
    lines = [f"filler\f number\u2028 {n}\r\n" for n in range(60)]  # what else ends lines somewhere ends none here
    lines[40] = "the needle is here\n"
    packed = pack([hit("a.py", 101, "".join(lines), 1.0)], 80, ["needl"], 10)
    (snippet,) = packed.snippets
    assert snippet.part_of == (101, 160)
    assert "needle" in snippet.text
    offset = snippet.start_line - 101
    assert snippet.text == "".join(lines[offset : snippet.end_line - 100])
    assert snippet.byte_start == len("".join(lines[:offset]).encode())
    assert packed.used <= 80


def test_what_has_no_word_of_the_query_shows_what_it_is() -> None:
    """A long result that was found by its meaning shows the line with its name, not nothing."""
    lines = [f"filler {n}\n" for n in range(200)]
    lines[30] = "def weigh(cart):\n"
    packed = pack([hit("a.py", 1, "".join(lines), 1.0, symbol="Shop.weigh")], 120, ["absent"], 10)
    (snippet,) = packed.snippets
    assert "def weigh" in snippet.text
    assert snippet.part_of == (1, 200)


def test_many_results_are_shown_before_one_is_long() -> None:
    """Ten long results share a budget, the best has twice as much, and nobody's lines are all blank."""
    text = "\n" * 3 + "".join(f"the needle {n} is here\n" for n in range(100)) + "\n" * 3
    packed = pack([hit(f"{n}.py", 1, text, float(-n)) for n in range(12)], 2_000, ["needl"], 20)
    assert len(packed.snippets) >= 9
    tokens = [item.tokens for item in packed.snippets]
    assert tokens[0] > 1.5 * tokens[1]
    assert max(tokens[1:]) < 300
    assert not any(item.text[0] == "\n" or item.text.endswith("\n\n") for item in packed.snippets)


def test_what_is_left_makes_the_best_result_longer() -> None:
    """Beside one short result a long one is not kept to its share."""
    long = hit("a.py", 1, "".join(f"the needle {n} is here\n" for n in range(200)), 2.0)
    packed = pack([long, hit("b.py", 1, "a needle\n", 1.0)], 1_000, ["needl"], 10)
    assert packed.used > 950
    assert [item.path_key for item in packed.snippets] == ["a.py", "b.py"]


def test_a_word_that_comes_again_and_again_is_one_word() -> None:
    """Lines with two words of the query are better than many more with one."""
    lines = [f"needle {n}\n" for n in range(50)] + [f"filler {n}\n" for n in range(50)]
    lines[80:82] = ["a needle\n", "in the haystack\n"]
    (snippet,) = pack([hit("a.py", 1, "".join(lines), 1.0)], 80, ["needl", "haystack"], 10).snippets
    assert "haystack" in snippet.text


def test_long_lines_are_lines() -> None:
    """A paragraph on one line is shown where it fits; the best result also where it takes more than its share."""
    paragraph = "a needle " * 40 + "\n"
    hits = [hit(f"{n}.md", 1, paragraph * 3, float(-n)) for n in range(3)]
    packed = pack(hits, 1_000, ["needl"], 10)
    assert packed.snippets[0].path_key == "0.md"
    assert all(len(item.text) % len(paragraph) == 0 for item in packed.snippets)
    dense = hit("a.md", 1, "a needle in the haystack " * 30 + "\n" + "a needle\n" * 30, 1.0)
    (snippet,) = pack([dense], 250, ["needl", "haystack"], 10).snippets
    assert snippet.text.count("\n") >= 4  # what fits, not nothing because the best line does not


def test_at_most_so_many_results() -> None:
    """What is past the number asked for is named, however much room there is."""
    hits = [hit(f"{n}.py", 1, "x = 1\n", float(-n)) for n in range(5)]
    packed = pack(hits, 10_000, ["x"], 3)
    assert [item.path_key for item in packed.snippets] == ["0.py", "1.py", "2.py"]
    assert packed.left_out == tuple(hits[3:])


texts = st.lists(st.text(alphabet="abc é\n", min_size=1, max_size=400), min_size=1, max_size=8)


@given(texts, st.integers(100, 600))
def test_the_budget_is_never_exceeded(bodies: list[str], budget: int) -> None:
    """Whatever the results, the estimate stays within the budget and every result is packed or named."""
    hits = [hit(f"{n}.py", 1, body, float(-n)) for n, body in enumerate(bodies)]
    packed = pack(hits, budget, ["abc"], 10)
    assert packed.used <= budget
    assert sum(tokens_of(item.text) for item in packed.snippets) <= budget
    assert len(packed.snippets) + len(packed.left_out) == len(hits)
