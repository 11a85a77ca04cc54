"""Answers of any length come in pages that are bounded by their bytes, and all pages together are the whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everdex
from everdex import limits
from everdex.service import paging
from everdex.service.index import Index, Reading
from everdex.service.mutation import GateQuestion
from everdex.service.paging import of_files, size
from everdex.surfaces.cli import files
from everdex.surfaces.cli.app import run
from everdex.surfaces.cli.options import Common
from everdex.surfaces.daemon import thin, wire
from everdex.surfaces.mcp.proxy import Proxy
from everdex.sync.model import silent
from support.asked import asked
from support.daemons import resident
from support.graphs import Ask, asker
from support.stores import synced
from support.trees import tree

PAGE = 20_000
_CALLS = "".join("    used(1)\n" if n % 3 else f"    print({n})\n    unknown.x{n}()\n" for n in range(60))
FILES = {
    "used.py": "def used(x):\n    pass\n",
    "many.py": f"from used import used\n\n\ndef busy(unknown):\n{_CALLS}",
    **{
        f"tests/test_{n}.py": f"from used import used\n\n\ndef test_{n}():\n    used({n})\n    used({n})\n"
        for n in range(40)
    },
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    return asker(synced(tmp_path_factory.mktemp("long") / "tree", FILES))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer holds little."""
    monkeypatch.setattr(limits, "MAX_PAGE_BYTES", PAGE)
    monkeypatch.setattr(limits, "MAX_BESIDE_BYTES", 500)
    monkeypatch.setattr(limits, "MAX_LISTING_BYTES", 1_000)


def _pages(ask: Ask, method: str, symbol: str, **more: Any) -> Iterator[dict[str, Any]]:
    cursor: dict[str, Any] = {"offset": 0}
    while cursor:
        at = {name: cursor[name] for name in ("offset", "site_offset") if name in cursor}
        answer = ask(method, symbol, Reading(snapshot_id=cursor.get("snapshot_id")), limit=2_000, **at, **more)
        assert size(answer) < PAGE + 10_000
        yield answer
        assert cursor != answer["cursor"]
        cursor = answer["cursor"]


def _places(items: list[dict[str, Any]]) -> list[tuple[str, int, int]]:
    return [(item["path"], item["line"], item["column"]) for item in items]


def _sites(edges: list[dict[str, Any]]) -> list[tuple[str, int, int]]:
    return [place for edge in edges for place in _places(edge["sites"])]


@pytest.mark.parametrize("method", ["callers", "callees"])
def test_calls_are_all_on_some_page(ask: Ask, small: None, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of one caller whose calls alone are more than an answer holds: the next page goes on with its others."""
    symbol = "used" if method == "callers" else "busy"
    pages = list(_pages(ask, method, symbol))
    monkeypatch.undo()
    whole = ask(method, symbol)
    assert whole["cursor"] is None
    assert len(pages) > 2
    assert [place for page in pages for place in _sites(page[method])] == _sites(whole[method])
    assert any(page[method] and page[method][-1]["sites_omitted"] for page in pages)
    for name in ("external", "unresolved"):
        if method == "callees":
            left = [page[f"{name}_omitted"] for page in pages]
            assert left[-1] == 0 < max(left)
            assert [place for page in pages for place in _places(page[name])] == _places(whole[name])
    listed = 0
    for page in pages:
        listed += len(page[method]) - bool(page[method] and page[method][-1]["sites_omitted"])
        first = bool(page[method] and page[method][-1]["sites_omitted"])
        assert page["omitted"] == whole["total"] - listed - first


def test_references_and_affected_definitions_are_all_on_some_page(
    ask: Ask, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands beside the list and does not fit is counted."""
    refs, impact = list(_pages(ask, "refs", "used")), list(_pages(ask, "impact", "used"))
    monkeypatch.undo()
    every, affected = ask("refs", "used"), ask("impact", "used")
    assert min(len(refs), len(impact)) > 1
    assert [place for page in refs for place in _places(page["references"])] == _places(every["references"])
    names = [item["qualified_name"] for page in impact for item in page["affected"]]
    assert names == [item["qualified_name"] for item in affected["affected"]]
    for page in impact:
        assert 0 < len(page["tests"]) < len(affected["tests"]) == len(page["tests"]) + page["tests_omitted"]
        assert len(page["files"]) + page["files_omitted"] == len(affected["files"])


def test_edits_of_a_rename_are_all_on_some_page(ask: Ask, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever carries them out by itself needs each; the plan is one whichever page is looked at."""
    pages = list(_pages(ask, "rename", "used", new="spent"))
    monkeypatch.undo()
    whole = ask("rename", "used", new="spent")
    assert len(pages) > 1
    assert {page["plan_id"] for page in pages} == {whole["plan_id"]}
    assert [edit for page in pages for edit in page["edits"]] == whole["edits"]
    assert [page["edits_omitted"] > 0 for page in pages] == [True] * (len(pages) - 1) + [False]
    assert len(pages[0]["files"]) + pages[0]["files_omitted"] == pages[0]["counts"]["files"] == len(whole["files"])


def test_outlines_and_states_go_on_where_they_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An outline of many definitions, and the states of many files."""
    written = {"a.py": "".join(f"def f{n}():\n    pass\n" for n in range(200)), **{f"b{n}.py": "" for n in range(100)}}
    path = synced(tmp_path / "tree", written).path
    for n in range(100):
        (path / f"b{n}.py").write_text("x = 1\n")
    monkeypatch.setattr(limits, "MAX_PAGE_BYTES", PAGE)
    with resident(path) as kept:
        names, offset = [], 0
        while True:
            answer = kept.symbols("a.py", Reading(sync=False), offset=offset).to_dict()
            assert size(answer) < PAGE + 10_000
            names += [item["name"] for item in answer["outline"]["symbols"]]
            if answer["cursor"] is None:
                break
            offset = answer["cursor"]["offset"]
        assert names == [f"f{n}" for n in range(200)]
    for n in range(100):
        (path / f"b{n}.py").write_text("x = 2\n")
    index, paths, offset = Index.open(path), [], 0
    while True:
        found = asked(index, "states", (), None, reading=Reading(sync=False), offset=offset)
        paths += [item["path"] for item in found["files"]]
        if found["cursor"] is None:
            break
        offset = found["cursor"]["offset"]
    assert len(set(paths)) == len(paths) == 101
    monkeypatch.setattr(limits, "MAX_PAGE_BYTES", 3_000)
    gate = asked(index, "gate", GateQuestion(tuple(paths)), reading=Reading(sync=False))
    assert [file["path"] for file in gate["files"]] == paths
    said = sum(len(file["reasons"]) + file["reasons_omitted"] for file in gate["files"])
    assert said == 100  # nothing speaks against the file that did not change
    assert gate["files"][-1]["decision"] == "block"
    assert gate["files"][-1]["reasons_omitted"] == 1


def test_files_are_listed_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is skipped comes behind what is in."""
    names = [f"file{n:03}.txt" for n in range(60)]
    root = tree(tmp_path / "tree", {**dict.fromkeys(names, "x\n"), **{f"p{n}.png": "x" for n in range(60)}})
    whole = Index.open(root).files(skipped=True)
    monkeypatch.setattr(limits, "MAX_LISTING_BYTES", 1_000)
    offset, found = 0, []
    while True:
        page = of_files(whole, offset).to_dict()
        assert size(page) < 3_000
        found += [item["path"] for item in (*page["files"], *page["skipped"])]
        assert page["omitted"] == 120 - len(found)
        if page["cursor"] is None:
            break
        offset = page["cursor"]["offset"]
    assert found == [item["path"] for item in (*whole.body["files"], *whole.body["skipped"])]
    assert len(found) == 120


def test_a_place_in_a_long_line_is_shown_with_what_is_around_it(tmp_path: Path) -> None:
    """A minified file is one line: that line beside each of its places would be the square of the file."""
    text = "function used(){}" + "".join(f"var v{n}=used({n});" for n in range(3_000)) + "\n"
    ask = asker(synced(tmp_path / "tree", {"a.js": text}))
    answer = ask("refs", "used", limit=2_000)
    assert answer["total"] == 3_000
    for item in answer["references"]:
        assert len(item["text"]) <= limits.MAX_LINE_BYTES + 2
        assert "used(" in item["text"][:150]
    assert answer["cursor"] is not None
    assert answer["references"][900]["text"].startswith("…")
    assert answer["references"][900]["text"].endswith("…")


def test_a_name_that_is_not_utf8_has_a_size() -> None:
    """Paths of such files are text with half surrogates."""
    assert paging.size({"path": "a\udcff"}) > len('{"path":"a"}')


@pytest.fixture
def tree_of_three(tmp_path: Path) -> Path:
    return tree(tmp_path / "tree", {"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"})


def _first_page(path: Path) -> dict[str, Any]:
    """What a daemon sends of more files than it can send."""
    whole = Index.open(path).files().to_dict()
    return {**whole, "files": whole["files"][:1], "omitted": 2, "cursor": {"snapshot_id": None, "offset": 1}}


def test_a_command_lists_the_files_that_a_daemon_left_out(
    tree_of_three: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both the short way to a daemon, which prints nothing of a page, and the long one."""
    page = _first_page(tree_of_three)
    assert files.SHOWN.code(page) == thin._BUSY
    rendered = wire.rendered(thin._BUSY, [(wire.STDOUT, b"a.txt\n")])
    monkeypatch.setattr(thin, "find", lambda start: ("socket", start))
    monkeypatch.setattr(thin, "exchange", lambda *_: rendered)
    monkeypatch.chdir(tree_of_three)
    assert thin.run(["files"]) is None
    monkeypatch.setattr(Common, "ask", lambda *_: page)
    assert run(["files"]) == 0
    assert capsys.readouterr().out == "a.txt\nb.txt\nc.txt\n"


def test_python_and_agents_get_the_files_that_a_daemon_left_out(
    tree_of_three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts of a part would be taken for those of the tree."""
    page = _first_page(tree_of_three)
    with everdex.open(tree_of_three, daemon=False) as index:
        monkeypatch.setattr(index, "_over_daemon", lambda *_: page)
        assert [file.path for file in index.files().files] == ["a.txt", "b.txt", "c.txt"]
    proxy = Proxy(Index.open(tree_of_three))
    monkeypatch.setattr(proxy, "ask", lambda *_: page)
    assert len(proxy.files([], silent)["files"]) == 3
