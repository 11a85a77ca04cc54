"""The index may only leave out files that cannot match."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from everdex.search import regex_syntax
from everdex.search.candidates import candidates
from everdex.search.grep import grep
from everdex.search.matcher import Matcher
from everdex.search.required import NOTHING, required
from everdex.terms.split import ENDINGS, MAX_STRIP, stem
from everdex.view import SnapshotView, open_view
from support.stores import synced, use_home

WORDS = [
    "parse", "parser", "parsing", "stopped", "running", "runner", "planned", "settings", "tries", "boxes", "actor",
    "actions", "HTTPServer", "get_value", "getValue", "x2y", "aaa", "aa", "aaaa", "Straße", "éclair", "naïve",
    "the", "ing", "er", "_", "__init__", "42", "a" * 70 + "needle", "foo²", "日本語", "ed", "classes",
]  # fmt: skip
PUNCTUATION = [" ", ".", "(", "-", "\t", "=", "", "_", "::", "é"]


def made_up_files(seed: int) -> dict[str, str | bytes]:
    chance = random.Random(seed)
    files: dict[str, str | bytes] = {}
    for number in range(60):
        lines = [
            "".join(chance.choice(WORDS) + chance.choice(PUNCTUATION) for _ in range(chance.randrange(6)))
            for _ in range(chance.randrange(1, 4))
        ]
        files[f"f{number:02}.{chance.choice(['txt', 'py', 'md'])}"] = chance.choice(["\n", "\r\n"]).join(lines)
    files["giant.txt"] = "".join(chance.choice(WORDS) for _ in range(3_000))  # chunks end inside its words
    files["page.md"] = "word```\nfenced\n```\n" + "running\n" * 5
    return files


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotView]:
    directory = tmp_path_factory.mktemp("prefilter")
    with pytest.MonkeyPatch.context() as patch:
        use_home(patch, directory)
        made = synced(directory / "tree", made_up_files(1))
        # A second segment and dead rows in the first.
        made.write({name: text for name, text in made_up_files(2).items() if name.startswith(("f1", "f2"))})
        made.remove(next(path.name for path in made.path.iterdir() if path.name.startswith("f3")))
        made.sync()
        with open_view(made.store) as opened:
            yield opened


def expected(view: SnapshotView, pattern: re.Pattern[str]) -> list[tuple[str, int, int]]:
    """Line by line with Python's own engine, over every file."""
    found = []
    for path_key in view.paths:
        for number, line in enumerate(view.source(path_key).decode().split("\n"), 1):
            match = pattern.search(line)
            if match and (line or number <= view.source(path_key).count(b"\n")):
                found.append((path_key, number, len(line[: match.start()].encode())))
    return found


def found(view: SnapshotView, pattern: str, *, literal: bool, ignore_case: bool) -> list[tuple[str, int, int]]:
    result = grep(view, pattern, literal=literal, ignore_case=ignore_case, keep=None, limit=1_000_000)
    return [(match.path_key, match.line, match.column) for match in result.matches]


def pieces(word: str) -> st.SearchStrategy[str]:
    return st.tuples(st.integers(0, len(word)), st.integers(0, len(word))).map(lambda ends: word[min(ends) : max(ends)])


PIECE = st.sampled_from(WORDS).flatmap(pieces) | st.sampled_from(PUNCTUATION)
LITERAL = st.lists(PIECE, min_size=1, max_size=3).map("".join)


@given(text=LITERAL.filter(bool), ignore_case=st.booleans())
@example(text="ing", ignore_case=False)
@example(text="ning", ignore_case=False)
@example(text="needle", ignore_case=True)
@example(text="STRASSE", ignore_case=True)
@settings(max_examples=250)
def test_a_literal_is_found_wherever_it_stands(view: SnapshotView, text: str, ignore_case: bool) -> None:
    """Any piece of any text is found, inside words, across them and where an ending was cut off."""
    if ignore_case and not text.isascii():
        text = text.encode("ascii", "ignore").decode() or "x"  # Python folds a few letters otherwise than Unicode
    flags = re.IGNORECASE if ignore_case else 0
    reference = expected(view, re.compile(re.escape(text), flags))
    assert found(view, text, literal=True, ignore_case=ignore_case) == reference


ATOM = st.one_of(
    st.sampled_from(WORDS).flatmap(pieces).filter(bool).map(re.escape).map(lambda text: f"(?:{text})"),
    st.sampled_from(["[a-f]", "[Pp]", "[^a]", r"\d", ".", r"\b", r"\B", "^", "$", r"\(", "s", "[_.]", r"[\d_]"]),
)


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{1,2}"])).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    )


def is_tame(pattern: str) -> bool:
    """Python's engine backtracks: an unbounded repetition of what can be read in two ways keeps it busy for hours."""
    repeats = re.findall(r"\)([?*+{])", pattern)
    return not {"*", "+"} & set(repeats) or (len(repeats) == 1 and "|" not in pattern)


@given(pattern=st.recursive(ATOM, grown, max_leaves=6).filter(is_tame))
@settings(max_examples=250)
def test_a_regex_finds_what_a_plain_scan_of_every_line_finds(view: SnapshotView, pattern: str) -> None:
    """Leaving out files by the index changes no answer."""
    answer = found(view, pattern, literal=False, ignore_case=False)
    reference = expected(view, re.compile(pattern))
    assert [item for item in answer if agreed(view, item)] == [item for item in reference if agreed(view, item)]


def agreed(view: SnapshotView, item: tuple[str, int, int]) -> bool:
    r"""Python alone counts superscripts as word characters, and says that an empty text has no `\B`."""
    line = view.source(item[0]).decode().split("\n")[item[1] - 1]
    return bool(line) and "²" not in line


@given(pattern=st.recursive(ATOM, grown, max_leaves=5), ignore_case=st.booleans())
@settings(max_examples=200)
def test_a_file_that_matches_is_always_a_candidate(view: SnapshotView, pattern: str, ignore_case: bool) -> None:
    """Also for superscripts and other cases: what the engine finds in a file, the index had not excluded."""
    tree = regex_syntax.parse(pattern, ignore_case=ignore_case)
    possible = candidates(view, required(tree))
    matcher = Matcher(tree)
    for index, path_key in enumerate(view.paths):
        if any(matcher.lines(view.source(path_key))):
            assert possible is None or possible[index]


@given(word=st.text("abcdeghilnoprstuxyz", min_size=1, max_size=9))
@settings(max_examples=1_500)
def test_stems_lose_only_the_listed_endings(word: str) -> None:
    """The list of endings that the index search relies on is complete."""
    kept = stem(word)
    lost = word[len(kept) :]
    assert word.startswith(kept)
    assert len(lost) <= MAX_STRIP
    assert not lost or lost in ENDINGS or (lost[0] == kept[-1] and lost[1:] in ENDINGS)


@pytest.mark.parametrize(
    ("pattern", "few"),
    [("HTTPServer", True), ("get_val", True), ("getV|x2y", True), ("[Gg]et_value", True), (r"\bnaïve\b", True),
     ("->", False), ("(get_value)?", False), ("x2y|.", False), ("e", False)],
)  # fmt: skip
def test_a_rare_word_spares_most_files(view: SnapshotView, pattern: str, few: bool) -> None:
    """The index is used when the pattern has a word in it, and only then."""
    result = grep(view, pattern, literal=False, ignore_case=False, keep=None, limit=1)
    assert (result.files_scanned < result.files_total) == few


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("(httpServers)", r"\(httpServers\)"),  # several words in one are indexed whole, with their ending
        ("x2²", r"\bx2\b"),  # one token for us, a word and a superscript for rg
        ("²x2", r"\bx2\b"),
        ("111", r"11\b"),  # the second of two places that overlap
        ("aaa", r"\baa"),
        ("cafe\u0301", "cafe\u0301"),
        ("stopped", "pped"),
        ("K", "(?i)k"),
    ],
)
def test_a_text_that_stands_alone_in_its_file_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, pattern: str
) -> None:
    """Nothing else in the file makes it a candidate."""
    use_home(monkeypatch, tmp_path)
    made = synced(tmp_path / "tree", {"a.txt": text, "b.txt": "nothing"})
    with open_view(made.store) as opened:
        assert [item[0] for item in found(opened, pattern, literal=False, ignore_case=False)] == ["a.txt"]


def test_a_word_cut_by_two_chunks_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line longer than a chunk is cut somewhere; the word under the knife is still found."""
    use_home(monkeypatch, tmp_path)
    names = [f"f{before:02}.txt" for before in range(12)]
    made = synced(
        tmp_path / "tree",
        {name: "(" * (1_989 + before) + "needleword" + "(" * 900 for before, name in enumerate(names)},
    )
    with open_view(made.store) as opened:
        assert opened.doc_count == 2 * len(names)
        for text in ("needleword", "(needle", "dlewor", "word("):
            assert [item[0] for item in found(opened, text, literal=True, ignore_case=False)] == names


def test_nothing_is_required_of_what_may_be_absent() -> None:
    """An optional part or an alternative without words asks for nothing."""
    for pattern in ("(foo)?", "foo|", "foo*|(bar){0}", "[a-z]+", "^$"):
        parsed = required(regex_syntax.parse(pattern, ignore_case=False))
        assert parsed == NOTHING, pattern
