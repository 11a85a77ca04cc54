"""Positions become bytes: in every encoding, at every line's end, and only where a name is."""

from __future__ import annotations

import pytest

from everdex.semantic import scip
from everdex.semantic.model import DEFINITION, MISPLACED, NOT_UTF8, UNCLEAR, UNPROVEN
from everdex.semantic.placing import LeftOut, placed
from everdex.semantic.reading import Occurrence
from support.scips import symbol

_RUN = symbol("m/", "run().")


def _spans(source: bytes, encoding: int, *places: tuple[int, int, int]) -> list[bytes]:
    said = [Occurrence(line, start, line, end, _RUN, 0) for line, start, end in places]
    found, _ = placed(said, source, encoding, by_name=False)
    return [source[item.start : item.end] for item in found]


@pytest.mark.parametrize(
    ("encoding", "start"), [(scip.UTF8, 9), (scip.UTF16, 6), (scip.UTF32, 5)]
)
def test_characters_count_as_the_document_says(encoding: int, start: int) -> None:
    """Behind an umlaut and a character of two UTF-16 units, in bytes, units and characters."""
    source = "ä 😀; run()\n".encode()
    assert _spans(source, encoding, (0, start, start + 3)) == [b"run"]


def test_carriage_returns_end_no_line_of_their_own() -> None:
    """CRLF files have the same lines and columns."""
    assert _spans(b"a\r\nrun()\r\n", scip.UTF16, (1, 0, 3)) == [b"run"]


def test_what_nobody_says_is_clear_behind_ascii_only() -> None:
    """Without an encoding, positions behind other letters are left out and counted; the others are taken."""
    source = "run() # ä run\nrun()\n".encode()
    said = [Occurrence(line, start, line, start + 3, _RUN, 0) for line, start in ((0, 0), (0, 10), (1, 0))]
    found, left = placed(said, source, scip.UNSPECIFIED, by_name=False)
    assert [item.start for item in found] == [0, 15]
    assert left[UNCLEAR] == 1


@pytest.mark.parametrize(
    ("line", "start", "end"), [(0, 1, 3), (0, 0, 2), (0, 4, 99), (7, 0, 1), (0, 3, 3), (0, 3, 1), (1 << 40, 0, 1)]
)
def test_a_range_that_is_on_no_name_puts_the_document_out(line: int, start: int, end: int) -> None:
    """Inside a name, behind the line, behind the file, empty or backwards: it is about other bytes."""
    with pytest.raises(LeftOut, match=MISPLACED):
        _spans(b"run()\n", scip.UTF8, (line, start, end))


def test_bytes_that_are_no_text_are_left_out() -> None:
    """Characters cannot be counted in what is not UTF-8; bytes can."""
    source = b"\xff run()\n"
    assert _spans(source, scip.UTF8, (0, 2, 5)) == [b"run"]
    with pytest.raises(LeftOut, match=NOT_UTF8):
        _spans(source, scip.UTF16, (0, 2, 5))


def test_names_prove_what_nobody_vouches_for() -> None:
    """A definition by another name puts the document out, a reference only itself; parts of made-up names are fine."""
    source = b"go()\nrun()\n"
    get = symbol("m/", "`<get>go`().")
    said = [Occurrence(0, 0, 0, 2, get, DEFINITION), Occurrence(0, 0, 0, 2, _RUN, 0), Occurrence(1, 0, 1, 3, _RUN, 0)]
    found, left = placed(said, source, scip.UTF8, by_name=True)
    assert [item.symbol for item in found] == [get, _RUN]
    assert left[UNPROVEN] == 1
    with pytest.raises(LeftOut, match=MISPLACED):
        placed([Occurrence(0, 0, 0, 2, _RUN, DEFINITION)], source, scip.UTF8, by_name=True)


def test_ranges_around_a_name_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is longer than any symbol is no name of one; nobody looks into it."""
    source = b"run" * 10_000 + b"\n"
    found, left = placed([Occurrence(0, 0, 0, 30_000, _RUN, DEFINITION)], source, scip.UTF8, by_name=True)
    assert (found, left[UNPROVEN]) == ([], 1)


def test_a_place_behind_the_line_is_outside_in_any_encoding() -> None:
    """No encoding has more units than bytes."""
    with pytest.raises(LeftOut, match=MISPLACED):
        _spans("ä run\n".encode(), scip.UNSPECIFIED, (0, 7, 10))
