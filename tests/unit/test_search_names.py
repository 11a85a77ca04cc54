"""The symbol table by name: exact, prefix, camel humps and near misses, whatever segment a name lies in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everdex.search.names import SymbolNames, edit_distance
from everdex.upkeep.housekeeping import compact_now
from everdex.view import SnapshotView, open_view
from support.stores import synced


def _module(*names: str) -> str:
    return "".join(f"class {name}:\n    def run_{name.lower()}(self):\n        return 1\n\n\n" for name in names)


FILES = {
    "view.py": _module("SnapshotView", "SegmentReader"),
    "store.py": _module("Snapshot", "SnapshotStore", "HTTPServer"),
    "other.py": "def open_view():\n    return 1\n\n\ndef opened():\n    return 2\n",
    "web.js": "export function loadFile(p) { return p; }\n",
}


@pytest.fixture
def view(tmp_path: Path) -> Iterator[SnapshotView]:
    made = synced(tmp_path / "tree", FILES)
    with open_view(made.store) as opened:
        yield opened


def _found(view: SnapshotView, name: str) -> list[tuple[str, str]]:
    return [(hit.name, hit.how) for hit in SymbolNames(view).near(name)]


def test_exact_names_ignore_case_and_say_so(view: SnapshotView) -> None:
    """The very name is closer than the same letters in another case."""
    names = SymbolNames(view)
    assert [(hit.name, hit.closeness) for hit in names.exact("SnapshotView")] == [("SnapshotView", 1.0)]
    assert [(hit.name, hit.closeness) for hit in names.exact("snapshotview")] == [("SnapshotView", 0.8)]
    assert names.exact("Snapshot")[0].name == "Snapshot"
    assert names.exact("Nothing") == []


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("SnpVw", "SnapshotView"), ("SgmntRdr", "SegmentReader"), ("SnStore", "SnapshotStore"), ("ldFl", "loadFile"),
        ("SV", "SnapshotView"), ("opVw", "open_view"),
    ],
)  # fmt: skip
def test_camel_humps(view: SnapshotView, asked: str, wanted: str) -> None:
    """Letters of the words, in order, each word by its first letter."""
    assert (wanted, "humps") in _found(view, asked)


@pytest.mark.parametrize("asked", ["VwSnp", "SnpVx", "snpvw", "XSnpVw", "SHOT", "SnIew", "SO"])
def test_humps_in_another_order_or_with_other_letters_are_not_found(view: SnapshotView, asked: str) -> None:
    """A hump match never invents or reorders a letter, and a hump begins a word."""
    assert ("SnapshotView", "humps") not in _found(view, asked)


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [("SnapshotVeiw", "SnapshotView"),
     ("SnapshtView", "SnapshotView"), ("open_veiw", "open_view"), ("opend", "opened")],
)
def test_misspelt_names_are_found(view: SnapshotView, asked: str, wanted: str) -> None:
    """One or two slips of the finger; a swap of neighbours is one."""
    assert wanted in {name for name, _ in _found(view, asked)}


def test_prefixes_come_closest_first(view: SnapshotView) -> None:
    """The shorter the rest, the closer."""
    found = [name for name, how in _found(view, "Snapsho") if how == "prefix"]
    assert found == ["Snapshot", "SnapshotView", "SnapshotStore"]


def test_short_and_long_names_are_not_guessed(view: SnapshotView) -> None:
    """Two letters away from a three-letter word is another word."""
    assert _found(view, "x") == []
    assert [hit for hit in _found(view, "opx") if hit[1] == "fuzzy"] == []
    assert _found(view, "q" * 500) == []


def test_what_is_found_does_not_depend_on_where_rows_lie(tmp_path: Path) -> None:
    """Many definitions of one name in segments written in any order: the same documents before and after compaction."""
    names = [f"f{number}.py" for number in range(9)]
    made = synced(tmp_path / "tree", {names[8]: _module("SnapshotView")})
    for name in (*reversed(names[:8]), names[8]):
        made.write({name: _module("SnapshotView") + f"# {name}\n"})
        made.sync(auto_compact=False)

    def documents(segments: int) -> list[tuple[int, str, str, float]]:
        with open_view(made.store) as opened:
            assert len(opened.segments) == segments
            return [
                (hit.doc_id, hit.name, hit.how, hit.closeness)
                for asked in ("SnpVw", "SnapshotVeiw", "Snapsh", "SnapshotView")
                for hit in (*SymbolNames(opened).near(asked), *SymbolNames(opened).exact(asked))
            ]

    before = documents(9)
    compact_now(made.store, force=True)
    assert before == documents(1)


def _slow_distance(first: str, second: str) -> int:
    """Optimal string alignment, straight from the definition."""
    rows = [[i + j if not (i and j) else 0 for j in range(len(second) + 1)] for i in range(len(first) + 1)]
    for i, a in enumerate(first, 1):
        for j, b in enumerate(second, 1):
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(st.text("abc", max_size=8), st.text("abc", max_size=8), st.integers(1, 3))
def test_the_edit_distance_is_exact_up_to_its_limit(first: str, second: str, limit: int) -> None:
    """The banded computation equals the plain one; above the limit it only says so."""
    assert edit_distance(first, second, limit) == min(_slow_distance(first, second), limit + 1)
