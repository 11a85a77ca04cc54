"""What an answer promises whatever is asked: bounded, exact, pageable, explained, and never a traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everdex import limits
from everdex.config import PROFILE_NAMES
from everdex.embed import bundled
from everdex.errors import EmbedderUnavailable, QueryError
from everdex.search.model import Mode, SearchRequest
from everdex.service.index import Index, Reading
from everdex.service.searcher import Searcher
from support.commands import COMMAND, everdex
from support.stores import Workspace, synced

AS_IT_IS = Reading(sync=False)


def _many() -> dict[str, str]:
    """More equals than any pool of candidates holds: code, documents and tests about the same thing."""
    code = {
        f"src/widget_{n:03}.py": f'def open_widget_{n}(path):\n    """Open the widget."""\n    return {n}\n'
        for n in range(120)
    }
    documents = {f"docs/page{n:02}.md": f"# Widget {n}\n\nHow to open the widget {n}.\n" for n in range(40)}
    tests = {f"tests/test_{n:02}.py": f"def test_open_{n}():\n    assert open_widget({n})\n" for n in range(40)}
    return {**code, **documents, **tests}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Index, Path]:
    """One index for the tests that only read, and its home."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("EVERDEX_HOME", os.fspath(home))
        patched.setenv("EVERDEX_EMBEDDER", "fake")
        made = synced(tmp_path_factory.mktemp("many") / "tree", _many())
        return Index.open(made.path), home


@pytest.fixture
def searcher(many: tuple[Index, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Searcher]:
    index, home = many
    monkeypatch.setenv("EVERDEX_HOME", os.fspath(home))
    with index.searcher(AS_IT_IS) as opened:
        yield opened


def _ask(searcher: Searcher, query: str, **how: Any) -> dict[str, Any]:
    explain = how.pop("explain", False)
    return searcher.answer(SearchRequest(query, **how), explain=explain).to_dict()


def _places(answer: dict[str, Any]) -> list[tuple[str, int]]:
    return [(result["path"], result["start_line"]) for result in answer["results"]]


_PAGED = [
    *({"mode": mode} for mode in Mode if mode not in (Mode.REGEX, Mode.LITERAL)),
    *({"profile": profile} for profile in PROFILE_NAMES),
]


@pytest.mark.parametrize("how", _PAGED, ids=lambda how: str(next(iter(how.values()))))
def test_pages_neither_overlap_nor_lose_anything(searcher: Searcher, how: dict[str, Any]) -> None:
    """Following the cursor to its end gives every result once; page by page is the same list as all at once."""
    pages: list[tuple[str, int]] = []
    offset: int | None = 0
    while offset is not None:
        answer = _ask(searcher, "how to open a widget", k=10, offset=offset, **how)
        pages += _places(answer)
        assert len(answer["results"]) == 10 or answer["cursor"] is None
        offset = answer["cursor"] and answer["cursor"]["offset"]
    assert len(pages) == len(set(pages))
    if "profile" not in how:
        whole = _ask(searcher, "how to open a widget", k=200, **how)
        assert whole["cursor"] is None
        assert pages == _places(whole)
    if how.get("mode") is not Mode.SEMANTIC:
        holding = {path for path in _many() if "open" in _many()[path]}
        assert {path for path, _ in pages} >= holding


def test_pages_of_lines_neither_overlap_nor_lose_anything(searcher: Searcher) -> None:
    """Regex and literal answers page through every matching line in path order."""
    for mode, pattern in ((Mode.REGEX, "open_?w"), (Mode.LITERAL, "Open the widget")):
        whole = _places(_ask(searcher, pattern, mode=mode, k=200))
        pages: list[tuple[str, int]] = []
        offset: int | None = 0
        while offset is not None:
            answer = _ask(searcher, pattern, mode=mode, k=37, offset=offset)
            pages += _places(answer)
            offset = answer["cursor"] and answer["cursor"]["offset"]
        assert pages == whole == sorted(whole)
        assert len(whole) == len(set(whole)) >= 120


@pytest.mark.parametrize("k", [1, 2, 9, 50, limits.MAX_RESULTS])
def test_k_bounds_every_mode(searcher: Searcher, k: int) -> None:
    """At most k results, the rest counted; a shorter list is the beginning of a longer one."""
    asked = ((Mode.HYBRID, "open widget"), (Mode.LEXICAL, "open"), (Mode.REGEX, "open"), (Mode.LITERAL, "o"))
    for mode, query in asked:
        answer = _ask(searcher, query, mode=mode, k=k)
        assert 0 < len(answer["results"]) == min(k, len(answer["results"]) + answer["omitted"])
        assert _places(_ask(searcher, query, mode=mode, k=limits.MAX_RESULTS))[:k] == _places(answer)


@pytest.mark.parametrize("k", [0, -1, limits.MAX_RESULTS + 1])
def test_k_outside_its_bounds_is_refused(searcher: Searcher, k: int) -> None:
    """The message names the bound."""
    with pytest.raises(QueryError, match=str(limits.MAX_RESULTS)):
        _ask(searcher, "open", k=k)


def test_an_offset_outside_its_bounds_is_refused_and_beyond_the_end_is_empty(searcher: Searcher) -> None:
    """Passing over everything leaves nothing, and that is no error."""
    for offset in (-1, limits.MAX_CANDIDATES + 1):
        with pytest.raises(QueryError, match="offset"):
            _ask(searcher, "open", offset=offset)
    answer = _ask(searcher, "open widget", offset=limits.MAX_CANDIDATES)
    assert (answer["results"], answer["cursor"]) == ([], None)


@pytest.mark.parametrize("profile", PROFILE_NAMES)
@pytest.mark.parametrize("query", ["open widget", "open_widget_7", "src/widget_007.py", "opn_widget_7", "OpnWdgt"])
def test_shares_add_up_to_the_score_in_every_profile(searcher: Searcher, query: str, profile: str) -> None:
    """Added in their order the shares of each result give its score to the last bit."""
    results = _ask(searcher, query, k=60, profile=profile, explain=True)["results"]
    assert results
    for result in results:
        total = 0.0
        for share in result["explain"]:
            total += share["value"]
        assert total == result["score"] or abs(total - result["score"]) < 1e-12


def test_profiles_change_the_mix_and_the_query_fingerprint_but_never_the_index(searcher: Searcher) -> None:
    """Planning shows more documents than implementation, from the same store, snapshot and configuration."""
    answers = {name: _ask(searcher, "how to open a widget", profile=name) for name in PROFILE_NAMES}
    documents = {
        name: sum(path.startswith("docs/") for path, _ in _places(answer)) for name, answer in answers.items()
    }
    assert documents["planning"] > documents["implementation"]
    assert documents["planning"] >= 6
    assert len({answer["query_fingerprint"] for answer in answers.values()}) == len(PROFILE_NAMES)
    for field in ("store_id", "snapshot_id", "digest", "config_fingerprint"):
        assert len({answer[field] for answer in answers.values()}) == 1


def test_a_configured_profile_is_the_same_store(tmp_path: Path) -> None:
    """[query] changes query_fingerprint and nothing that is stored: no sync publishes because of it."""
    ignored = {".everdexignore": ".everdex.toml\n", "a.py": "def open_widget():\n    return 1\n"}
    made = synced(tmp_path / "tree", ignored)
    before = Index.open(made.path).search(SearchRequest("open widget"), AS_IT_IS).to_dict()
    made.write({".everdex.toml": '[query]\nprofile = "debug"\nk = 3\n'})
    index = Index.open(made.path)
    assert not index.sync().published
    after = index.search(SearchRequest("open widget"), AS_IT_IS).to_dict()
    assert after["query_fingerprint"] != before["query_fingerprint"]
    for field in ("store_id", "snapshot_id", "config_fingerprint"):
        assert after[field] == before[field]


def test_how_much_vectors_count_is_a_matter_of_the_query(tmp_path: Path) -> None:
    """`dense_weight` and `file_mean_share` change scores and query_fingerprint in the same store."""
    text = "".join(f"def open_{name}():\n    return '{name}'\n\n\n" * 12 for name in ("widget", "gadget"))
    made = synced(tmp_path / "tree", {".everdexignore": ".everdex.toml\n", "a.py": text, "b.py": "def widget(): ...\n"})
    seen = []
    for settings in ("", "dense_weight = 0", "dense_weight = 2.5", "file_mean_share = 0", "file_mean_share = 3"):
        made.write({".everdex.toml": f"[query]\n{settings}\n"})
        index = Index.open(made.path)
        assert not index.sync().published
        answer = index.search(SearchRequest("open the widget"), AS_IT_IS, explain=True).to_dict()
        first = {share["feature"]: share["value"] for share in answer["results"][0]["explain"]}
        assert ("dense" in first) == (settings != "dense_weight = 0")
        seen.append((answer["query_fingerprint"], [result["score"] for result in answer["results"]]))
        assert answer["store_id"] == index.store().store_id
    assert len({fingerprint for fingerprint, _ in seen}) == len({tuple(scores) for _, scores in seen}) == 5


_ODD = {
    "crlf.py": b"def first():\r\n    return 1\r\n\r\n\r\ndef second_widget():\r\n    return 2\r\n",
    "no_end.py": b"def widget_without_a_last_newline():\n    return 3",
    "unicode.md": "# Übersicht\n\nDas wídget ist 組み込み 😀 widget.\n\n```python\nwidget = 'é'\n```\n".encode(),
    "long_line.js": b"const widget = [" + b"12345, " * 3000 + b"];\nlet after = widget;\n",
    "bom.py": b"\xef\xbb\xbfwidget = 1\n",
    "formfeed.py": b"widget = 1\x0c\n\x0bother_widget = 2\n\xe2\x80\xa8widget = 3\n",
}


@pytest.mark.parametrize("mode", Mode)
def test_a_snippet_is_exactly_the_files_bytes(tmp_path: Path, mode: Mode) -> None:
    """Bytes, lines and text agree, with CRLF, no last newline, long lines, BOM, form feeds and other scripts."""
    made = synced(tmp_path / "tree", _ODD)
    results = Index.open(made.path).search(SearchRequest("widget", mode, k=100), AS_IT_IS).body["results"]
    assert mode is Mode.SEMANTIC or {result["path"] for result in results} == _ODD.keys()
    for result in results:
        data = _ODD[result["path"]]
        start, end = result["byte_start"], result["byte_end"]
        assert data[start:end].decode() == result["snippet"]
        assert result["start_line"] == data.count(b"\n", 0, start) + 1
        assert result["end_line"] == data.count(b"\n", 0, max(start, end - 1)) + 1


_BAD = {
    "empty": "", "blank": " \t\n", "only punctuation": "()[]{}*", "100 kB": "x" * 100_000, "words": "ab " * 34_000,
    "unbalanced": 'open "the widget', "NUL": "a\0b", "lone surrogate": "a\ud800b", "only a filter": "file:*.py",
    "only an exclusion": "-widget", "unknown language": "lang:klingon widget", "empty phrase": '""',
}  # fmt: skip


@pytest.mark.parametrize("query", _BAD.values(), ids=_BAD.keys())
@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.LEXICAL, Mode.SEMANTIC])
def test_a_question_that_cannot_be_asked_is_a_query_error(searcher: Searcher, query: str, mode: Mode) -> None:
    """Empty, oversized, unbalanced, not text, nothing but filters: a clear error of one line, in every ranked mode."""
    with pytest.raises(QueryError) as caught:
        _ask(searcher, query, mode=mode)
    assert len(caught.value.message) < 200
    assert "\n" not in caught.value.message


_ODD_QUERIES = {
    "only stop words": "the of and to", "control characters": "open\x01\x1b[31mwidget\x7f", "emoji": "😀 open",
    "an empty exclusion": 'open -""', "dashes": "-- open --- -- widget", "colons": "file: lang: symbol: open",
    "nested quotes": '"" "open" ""',
    "16 kB of one word": "w" * 16_000, "8,000 words": "a " * 8_000, "2,000 exclusions": "open " + "-x " * 2_000,
    "right-to-left": "\u202eopen", "sharp s": "straße ŒÆ ĳ", "a path": "../../../etc/passwd", "a glob": "open file:[",
    "regex characters": "open(.*)+$[", "a number": "7", "one letter": "w", "a long glob": "open file:" + "*a" * 500,
    "sql": "'; DROP TABLE chunks; --", "percent": "symbol:% open", "combining": "e\u0301" * 200, "a URL": "x://y/z?a=b",
}  # fmt: skip


@pytest.mark.parametrize("query", _ODD_QUERIES.values(), ids=_ODD_QUERIES.keys())
@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.SEMANTIC])
def test_odd_questions_get_a_bounded_answer(searcher: Searcher, query: str, mode: Mode) -> None:
    """Whatever can be read as a question is answered within k, in valid JSON."""
    answer = _ask(searcher, query, mode=mode, explain=True)
    assert len(answer["results"]) <= 10
    json.loads(json.dumps(answer, allow_nan=False))


def test_a_catastrophic_regex_on_a_long_line_is_answered(tmp_path: Path) -> None:
    """Nested repetition over a line that almost matches ends at once: this test would not end otherwise."""
    made = synced(tmp_path / "tree", {"long.txt": "a" * 60_000 + "!\nshort\n", "ok.txt": "aaaa\n"})
    index = Index.open(made.path)
    for pattern in ("(a+)+$", "(a|aa)+$", "(a|a?)+$", "^(a*)*$"):
        found = index.search(SearchRequest(pattern, Mode.REGEX), AS_IT_IS).body["results"]
        assert "ok.txt" in {result["path"] for result in found}
    assert index.search(SearchRequest("(x+x+)+y", Mode.REGEX), AS_IT_IS).body["results"] == []


def test_camel_humps_do_not_explode(tmp_path: Path) -> None:
    """A name made to backtrack, asked for by humps that almost match it: this test would not end otherwise."""
    name = "a" * 60
    made = synced(tmp_path / "tree", {"long.py": f"def {name}():\n    return 1\n"})
    index = Index.open(made.path)
    for query in ("A" + "a" * 20 + "B", "A" * 25 + "b", "Aa" * 12 + "B"):
        assert index.search(SearchRequest(query), AS_IT_IS).body["suggestions"] == []


def test_bad_queries_on_the_command_line_are_exit_code_2(tmp_path: Path) -> None:
    """One line and a hint on stderr, or a document; the same for lines of a batch, which go on."""
    made = synced(tmp_path / "tree", {"a.py": "def open_widget():\n    return 1\n"})
    for mode, query in (("regex", "(open"), ("regex", "a{2,1}"), ("regex", ""), ("hybrid", 'say "hi')):
        done = everdex("search", "--mode", mode, query, made.path, "--no-sync")
        assert (done.code, done.out) == (2, "")
        message, hint = done.err.splitlines()
        assert message.startswith("everdex: ")
        assert hint.startswith("hint: ")
    good = [b"open widget", b"the", b"open"]
    lines = [good[0], b"", b'"', b"bad \xff utf-8", b"a\0b", good[1], b"(", b"x" * 100_000, good[2]]
    done = everdex("search", "--batch", "-", made.path, "--no-sync", stdin=b"\n".join(lines) + b"\n")
    documents = [json.loads(line) for line in done.lines]
    assert done.code == 2
    assert ["error" not in document for document in documents] == [line in good for line in lines]
    assert {document["error"]["code"] for document in documents if "error" in document} == {"query_invalid"}


def test_an_argument_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """The shell passes any bytes; those that are no text are a bad query, not a crash."""
    made = synced(tmp_path / "tree", {"a.py": "x = 1\n"})
    for mode in ("hybrid", "literal", "regex"):
        command = [*map(os.fsencode, COMMAND), b"search", b"--mode", mode.encode(), b"caf\xe9", os.fsencode(made.path)]
        done = subprocess.run([*command, b"--no-sync", b"--json"], capture_output=True, check=False)
        assert done.returncode == 2, done.stderr
        assert json.loads(done.stdout)["error"]["code"] == "query_invalid"
        assert b"Traceback" not in done.stderr


def test_a_lexical_only_index_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EVERDEX_EMBEDDER=none: words, names and lines are found; asking for meaning alone says what is missing."""
    monkeypatch.setenv("EVERDEX_EMBEDDER", "none")
    made = synced(tmp_path / "tree", {"a.py": "def open_widget():\n    return 1\n", "b.md": "# Nothing\n"})
    index = Index.open(made.path)
    for mode in (Mode.HYBRID, Mode.LEXICAL, Mode.LITERAL, Mode.REGEX):
        answer = index.search(SearchRequest("widget", mode), AS_IT_IS)
        assert [result["path"] for result in answer.body["results"]] == ["a.py"]
    with pytest.raises(QueryError, match="embedder"):
        index.search(SearchRequest("widget", Mode.SEMANTIC), AS_IT_IS)


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A tree indexed with the default model, one byte of which then changes."""
    monkeypatch.delenv("EVERDEX_EMBEDDER")
    copy = tmp_path / bundled.NAME
    shutil.copy(bundled.model_path(), copy)
    monkeypatch.setattr(bundled, "model_path", lambda: copy)
    made = synced(tmp_path / "tree", {"a.py": "def open_widget():\n    return 1\n"})
    with open(copy, "r+b") as stream:
        stream.seek(5_000_000)
        stream.write(b"\xaa\x55")
    return made


def test_a_damaged_model_leaves_lexical_search_with_a_warning(damaged: Workspace) -> None:
    """What is indexed is still found by its words, and the answer says that meaning was not asked."""
    index = Index.open(damaged.path)
    for reading in (AS_IT_IS, Reading()):
        answer = index.search(SearchRequest("open widget"), reading)
        assert [result["path"] for result in answer.body["results"]] == ["a.py"]
        assert [warning for warning in answer.warnings if "lexical search only" in warning and "model file" in warning]
    with pytest.raises(QueryError, match=r"embedder: .*model file"):
        index.search(SearchRequest("open widget", Mode.SEMANTIC), AS_IT_IS)


def test_a_damaged_model_cannot_index(damaged: Workspace) -> None:
    """A new file would get wrong vectors: `embedder_unavailable`, and the last snapshot stays."""
    index = Index.open(damaged.path)
    before = index.search(SearchRequest("open widget"), AS_IT_IS).to_dict()["snapshot_id"]
    damaged.write({"b.py": "def close_gadget():\n    return 2\n"})
    with pytest.raises(EmbedderUnavailable, match="model file"):
        index.sync()
    assert index.search(SearchRequest("open widget"), AS_IT_IS).to_dict()["snapshot_id"] == before


@pytest.mark.parametrize("mode", [Mode.REGEX, Mode.LITERAL])
def test_nothing_found_says_what_was_not_looked_at(tmp_path: Path, mode: Mode) -> None:
    """Files that the index does not have may hold it: whoever trusts an empty answer must know of them."""
    made = synced(tmp_path / "tree", {"a.py": "x = 1\n", "rules.custom": "wanted\n", "run-all": "wanted\n"})
    index = Index.open(made.path)
    asked = [
        SearchRequest("wanted", mode), SearchRequest("x = 1", mode),
        SearchRequest("wanted", mode, languages=("python",)),
    ]  # fmt: skip
    with index.searcher(AS_IT_IS) as searcher:
        missed, found, filtered = (searcher.answer(request).to_dict()["warnings"] for request in asked)
    assert missed == ["2 files are not in the index and were not looked at; `everdex files --skipped` lists them"]
    assert (found, filtered) == ([], [])


def test_what_says_just_what_was_asked_stands_first(tmp_path: Path) -> None:
    """Whoever asks with an error message has copied it: no file that only speaks of the same stands above."""
    about = "".join(f"def command_memory_{n}(used):\n    return allowed_memory(used, {n})\n\n\n" for n in range(40))
    says = "def refuse(reply):\n    x = 1\n    reply(\"-OOM Command not  allowed when used memory > 'maxmemory'.\")\n"
    files = {f"src/memory/command_memory_{n}.py": about for n in range(6)}
    tests = {"tests/test_it.py": "def test_it():\n    refuse('OOM command not allowed when used memory > maxmemory')\n"}
    made = synced(tmp_path / "tree", {**files, **tests, "src/reply.py": says})
    with Index.open(made.path).searcher(AS_IT_IS) as searcher:
        found = _ask(searcher, "OOM command not allowed when used memory > 'maxmemory'.", explain=True)["results"]
        assert (found[0]["path"], found[0]["named_line"]) == ("src/reply.py", 3)
        assert any(part["feature"] == "verbatim" for part in found[0]["explain"])
        assert sum(part["value"] for part in found[0]["explain"]) == pytest.approx(found[0]["score"])
        few = _ask(searcher, "command not allowed", explain=True)["results"]
        assert not any(part["feature"] == "verbatim" for item in few for part in item["explain"])


def test_a_misspelt_name_finds_what_is_meant(tmp_path: Path) -> None:
    """However often its other words stand elsewhere; one that stands in a text as it is asked for is not misspelt."""
    masks = {f"mask{n}.py": "masked = 1\n\n\ndef mask(masked):\n    return masked\n" for n in range(5)}
    made = synced(tmp_path / "tree", {
        **masks, "core.py": "import masks\n\n\nclass MaskedArray:\n    size = 1\n",
        "maskedarrays.py": "go(MaskedArrays=MaskedArrays)\n",
    })  # fmt: skip
    index = Index.open(made.path)
    for asked in ("MaskedArry", "MaskdeArray", "MaskedArraz"):
        best = index.search(SearchRequest(asked), AS_IT_IS).body["results"][0]
        assert (best["path"], best["symbol"]) == ("core.py", "MaskedArray"), asked
    assert index.search(SearchRequest("MaskedArrays"), AS_IT_IS).body["results"][0]["path"] == "maskedarrays.py"


def test_lines_are_called_by_what_they_are_of(tmp_path: Path) -> None:
    """A chunk has the name of its first definition; where a budget leaves only lines of the next one, with what is said
    above it, they have that one's name."""
    filler = "".join(f"    one_of_many_fillers_{n} = {n}\n" for n in range(8))
    code = (
        f"def first():\n{filler}    return 1\n\n\n# The haystack with the needle.\ndef second():\n"
        f"{filler}    haystack = needle()\n    return haystack\n"
    )
    index = Index.open(synced(tmp_path / "tree", {"a.py": code}).path)
    with index.searcher(AS_IT_IS) as searcher:
        whole = searcher.answer(SearchRequest("needle in the haystack", Mode.LEXICAL)).to_dict()["results"][0]
        short = searcher.answer(SearchRequest("needle in the haystack", Mode.LEXICAL, budget=100)).to_dict()
    (cut,) = short["results"]
    assert "first" not in cut["snippet"]
    assert cut["part_of"] == (whole["start_line"], whole["end_line"])
    assert whole["symbol"] == "first"
    assert (cut["symbol"], cut["breadcrumb"]) == ("second", ["second"])
