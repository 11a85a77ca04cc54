"""The order of results: what comes first, what gives way, and that every tie is broken the same way."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from everdex.config import PROFILE_NAMES
from everdex.numeric import np
from everdex.search.features import function_share
from everdex.search.model import Mode, SearchRequest
from everdex.search.profiles import PROFILES, in_pages
from everdex.search.rank import best
from everdex.service.index import Index, Reading
from support.stores import synced


def _search(tmp_path: Path, files: Mapping[str, str], query: str, **how: Any) -> dict[str, Any]:
    made = synced(tmp_path / "tree", files)
    return Index.open(made.path).search(SearchRequest(query, **how), Reading(sync=False), explain=True).to_dict()


def _paths(answer: dict[str, Any]) -> list[str]:
    return [result["path"] for result in answer["results"]]


_DEFINITION = "def sign_cookie(value):\n    return value\n"
_USES = "".join(f"print(sign_cookie({number}))\n" for number in range(12))


def test_the_definition_comes_first_for_a_symbol(tmp_path: Path) -> None:
    """However often others use the name, the file that defines it is the answer."""
    files = {f"a_use{number}.py": _USES for number in range(5)} | {"z_crypto.py": _DEFINITION}
    answer = _search(tmp_path, files, "sign_cookie")
    assert _paths(answer)[0] == "z_crypto.py"
    assert "defines_exactly" in {share["feature"] for share in answer["results"][0]["explain"]}


@pytest.mark.parametrize("query", ["sign_cookie", "sign cookie", "how is the cookie signed"])
def test_tests_examples_and_vendored_code_rank_below_source(tmp_path: Path, query: str) -> None:
    """The same text ranks by its role; nothing else differs."""
    files = {f"{place}/cookie.py": _DEFINITION for place in ("src", "tests", "examples", "vendor/pkg")}
    answer = _search(tmp_path, files, query)
    assert _paths(answer)[0] == "src/cookie.py"
    scores = {result["path"]: result["score"] for result in answer["results"]}
    assert all(scores["src/cookie.py"] > score for path, score in scores.items() if path != "src/cookie.py")


def test_a_document_called_for_by_its_name_is_not_put_back(tmp_path: Path) -> None:
    """README in a question means the README; any other document still gives way to code about the same thing."""
    text = "# Start\n\nHow the project is started.\n"
    files = {"README.md": text, "docs/start.md": text, "src/readmes.py": "def load():\n    return 'project start'\n"}
    answer = _search(tmp_path, files, "README project start")
    assert _paths(answer)[0] == "README.md"
    roles = {
        result["path"]: [share["feature"] for share in result["explain"]].count("role") for result in answer["results"]
    }
    assert roles["README.md"] == 0
    assert roles["docs/start.md"] == 1


def _long(name: str, number: int) -> str:
    body = "".join(f"    cookie_{line} = sign(cookie, {line})\n" for line in range(14))
    return f"def {name}_{number}(cookie):\n{body}\n\n"


def test_one_strong_hit_a_file_before_the_second(tmp_path: Path) -> None:
    """Three equal files of equal chunks: each file speaks once before any speaks twice."""
    files = {f"{letter}.py": "".join(_long("sign", number) for number in range(3)) for letter in "abc"}
    answer = _search(tmp_path, files, "sign the cookie", k=9)
    paths = _paths(answer)
    assert len(paths) == 9
    assert sorted(paths[:3]) == sorted(paths[3:6]) == sorted(paths[6:]) == ["a.py", "b.py", "c.py"]
    repeats = [sum(share["feature"] == "repeat" for share in result["explain"]) for result in answer["results"]]
    assert repeats == [0] * 3 + [1] * 6


def test_a_further_hit_loses_only_what_its_file_brings(tmp_path: Path) -> None:
    """The second function of a file that is meant stands before other files that are hardly."""
    meant = "".join(_long(f"sign_{kind}_cookie", 0) for kind in ("old", "new"))
    files = {"a.py": meant} | {f"z{number}.py": f"cookie_{number} = {number}\n" for number in range(5)}
    answer = _search(tmp_path, files, "sign the cookie", mode=Mode.LEXICAL)
    assert _paths(answer)[:2] == ["a.py", "a.py"]
    explained = [{share["feature"]: share["value"] for share in result["explain"]} for result in answer["results"]]
    first, second = explained[:2]
    of_file = sum(value for name, value in second.items() if name in ("file_lexical", "size", "stem", "stem_query"))
    assert "repeat" not in first
    assert second["repeat"] == pytest.approx(-of_file / 2)


_TYPE = "class SignedCookie:\n    cookie = 'signed'\n    signed = 'cookie'\n"
_FUNCTION = "def sign(cookie):\n    return 'signed' + cookie\n"


def test_what_code_does_is_asked_of_functions(tmp_path: Path) -> None:
    """A sentence that begins with a verb prefers functions to types, and says so; a subject does not."""
    files = {"a_type.py": _TYPE, "b_function.py": _FUNCTION}
    explained = {}
    for query in ("return the signed cookie", "how the signed cookie is returned"):
        answer = _search(tmp_path / query.split()[0], files, query)
        explained[query] = [
            (result["path"], {share["feature"]: share["value"] for share in result["explain"]}.get("function", 0.0))
            for result in answer["results"]
        ]
    asked, about = explained.values()
    assert asked[0][0] == "b_function.py"
    assert dict(asked)["b_function.py"] > dict(asked)["a_type.py"] == 0.0
    assert {share for _, share in about} == {0.0}


@pytest.mark.parametrize(
    ("found", "share"),
    [
        ([], 1.0),
        ([("f", "", "function"), ("x", "", "variable")], 1.0),
        ([("C", "", "class"), ("f", "C", "method")], 0.5),
        ([("C", "", "class"), ("x", "C", "field")], 0.0),
        ([("x", "", "variable")], 0.0),
    ],
)
def test_how_much_a_chunk_is_functions(found: list[tuple[str, str, str]], share: float) -> None:
    """Functions and the inside of one count whole, a type with its first methods half, types and values not."""
    assert function_share(found) == share


def test_ties_are_broken_by_path_and_place(tmp_path: Path) -> None:
    """Files equal in every way that counts stand in path order, written in whatever order they were."""
    names = [f"{letter}{letter}.txt" for letter in "qzmabx"]
    files = dict.fromkeys(names, "one cookie is signed\n")
    # The fake embedder sees the path, so only words decide here.
    answer = _search(tmp_path, files, "signed cookie", mode=Mode.LEXICAL)
    assert _paths(answer) == sorted(names)
    assert len({result["score"] for result in answer["results"]}) == 1


def test_scores_fall_from_top_to_bottom(tmp_path: Path) -> None:
    """A result never stands above one with a higher score."""
    files = {f"m{number}.py": _long("sign", number) * (1 + number % 3) for number in range(20)}
    for query in ("sign the cookie", "sign_3", "cookie"):
        scores = [result["score"] for result in _search(tmp_path, files, query, k=60)["results"]]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("query", ["frobnicate quuxification", "zzqqxx", "Ωμέγα τίποτα"])
def test_nonsense_is_no_strong_match(tmp_path: Path, query: str) -> None:
    """At most three weak results, marked as such, with no further page; or none at all."""
    files = {f"m{number}.py": _long("sign", number) for number in range(20)}
    answer = _search(tmp_path, files, query)
    assert answer["no_strong_match"]
    assert len(answer["results"]) <= 3
    assert answer["cursor"] is None


def test_a_real_question_is_a_strong_match(tmp_path: Path) -> None:
    """Words, a name, a path: each is an answer."""
    files = {"src/cookie.py": _DEFINITION, "src/other.py": "x = 1\n"}
    for query in ("sign the cookie value", "sign_cookie", "src/cookie.py", "cookie.py"):
        answer = _search(tmp_path, files, query)
        assert not answer["no_strong_match"]
        assert _paths(answer)[0] == "src/cookie.py"


def test_a_misspelt_symbol_gets_suggestions(tmp_path: Path) -> None:
    """Did you mean: the closest names first; never for a name that exists."""
    files = {"a.py": _DEFINITION + "\n\ndef sign_cookies():\n    return 1\n", "b.py": "def other():\n    return 2\n"}
    assert _search(tmp_path, files, "sing_cookie")["suggestions"][0] == "sign_cookie"
    assert _search(tmp_path, files, "sign_cookie")["suggestions"] == []
    assert _search(tmp_path, files, "totally_different_name")["suggestions"] == []


@pytest.mark.parametrize(("asked", "wanted"), [("SnpVw", "SnapshotView"), ("SgmntRdr", "SegmentReader")])
def test_camel_humps_find_the_definition_first(tmp_path: Path, asked: str, wanted: str) -> None:
    """A name spelt by its humps is an answer, not a guess from meaning."""
    files = {f"n{number}.py": _long("other", number) for number in range(30)}
    files["view.py"] = f"class {wanted}:\n    def read(self):\n        return 1\n"
    answer = _search(tmp_path, files, asked)
    assert _paths(answer)[0] == "view.py"
    assert answer["suggestions"] == [wanted]


_FILTERED = {
    "src/a.py": "class View:\n    def open(self):\n        return 'the cookie jar'\n",
    "src/b.go": "package b\n\n// the jar of the cookie\nfunc Open() int { return 1 }\n",
    "docs/c.md": "# Cookies\n\nOpen the cookie jar.\n",
    "tests/test_a.py": "def test_open():\n    # cookie, but no container\n    assert True\n",
}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("cookie file:src", {"src/a.py", "src/b.go"}),
        ("cookie file:*.py", {"src/a.py", "tests/test_a.py"}),
        ("cookie file:src/*.go", {"src/b.go"}),
        ("cookie file:a.py", {"src/a.py"}),
        ("cookie file:src file:docs", {"src/a.py", "src/b.go", "docs/c.md"}),
        ("cookie file:nowhere", set()),
        ("cookie lang:python", {"src/a.py", "tests/test_a.py"}),
        ("cookie lang:go lang:markdown", {"src/b.go", "docs/c.md"}),
        ("cookie file:src lang:go", {"src/b.go"}),
        ("cookie -container", {"src/a.py", "src/b.go", "docs/c.md"}),
        ('cookie -"the cookie jar"', {"src/b.go", "tests/test_a.py"}),
        ('"the cookie jar"', {"src/a.py", "docs/c.md"}),
        ('"THE COOKIE jar"', {"src/a.py", "docs/c.md"}),
        ('"jar of the"', {"src/b.go"}),
        ('"cookie the jar"', set()),
        ("cookie symbol:View", {"src/a.py"}),
        ("symbol:open", {"src/a.py", "src/b.go"}),
        ("symbol:View.open", {"src/a.py"}),
        ("symbol:Other.open", set()),
        ("symbol:nothing", set()),
    ],
)  # fmt: skip
def test_filters_keep_exactly_what_they_name(tmp_path: Path, query: str, wanted: set[str]) -> None:
    """Several files or languages widen, different filters narrow; phrases hold word by word, case aside."""
    assert set(_paths(_search(tmp_path, _FILTERED, query))) == wanted


@pytest.mark.parametrize("name", PROFILE_NAMES)
def test_every_item_is_on_one_page_in_its_order(name: str) -> None:
    """Quotas move items between pages, never out of them, and a page keeps the order of the ranking."""
    chance = random.Random(5)
    for _ in range(50):
        items = list(enumerate(chance.choices(("code", "docs", "graph"), (6, 3, 1), k=chance.randint(0, 60))))
        page = chance.randint(1, 12)
        ordered = in_pages(PROFILES[name], items, lambda item: item[1], page)
        assert sorted(ordered) == items
        for start in range(0, len(items), page):
            assert ordered[start : start + page] == sorted(ordered[start : start + page])


def test_quotas_fill_a_page_and_free_places_go_to_the_best_of_the_rest() -> None:
    """Planning is two of code, six documents, two diagrams of ten; without diagrams their places are given away."""
    items = [*((n, "code") for n in range(20)), *((n, "docs") for n in range(20, 40)), (40, "graph")]
    planned = in_pages(PROFILES["planning"], items, lambda item: item[1], 10)
    assert planned[:10] == [*items[:3], *items[20:26], (40, "graph")]
    assert planned[10:20] == [*items[3:7], *items[26:32]]
    assert in_pages(PROFILES["balanced"], items, lambda item: item[1], 10) == items


def test_the_best_are_cut_by_place_when_they_tie() -> None:
    """Which of many equals become candidates does not depend on the machine's sort."""
    chance = random.Random(3)
    for _ in range(200):
        values = np.array([chance.choice((0.0, 0.25, 0.5, 0.5, 1.0)) for _ in range(chance.randint(0, 60))])
        allowed = np.array([chance.random() < 0.7 for _ in values], dtype=np.bool_)
        count = chance.randint(1, 20)
        expected = sorted((-value, place) for place, value in enumerate(values) if value > 0 and allowed[place])
        assert best(values, allowed, count).tolist() == [place for _, place in expected[:count]]


@pytest.mark.parametrize("levels", [3, 50, 100_000])
def test_the_best_of_many_are_those_of_a_plain_sort(levels: int) -> None:
    """Looking at the largest of each column first leaves nothing out, ties and masks included."""
    chance = np.random.default_rng(levels)
    for size, count in ((64, 1), (5_000, 40), (20_000, 80), (20_001, 400)):
        values = np.maximum(chance.integers(-levels, levels, size=size) / levels, 0.0)
        for allowed in (None, chance.random(size) < 0.3, np.zeros(size, dtype=np.bool_)):
            kept = values if allowed is None else values * allowed
            order = np.lexsort((np.arange(size), -kept))
            assert best(values, allowed, count).tolist() == order[kept[order] > 0][:count].tolist()
