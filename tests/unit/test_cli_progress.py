"""What a person sees while an index is made: how far it is, how fast it goes, how long it will take."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest
import rich.console

from everdex import clock
from everdex.surfaces.cli.progress import Progress
from support.processes import PATIENCE_S

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Screen:
    """A terminal whose clock a test turns; stderr writes to it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self._master, slave = os.openpty()
        self._stderr = os.fdopen(slave, "w")
        monkeypatch.setattr(sys, "stderr", self._stderr)
        monkeypatch.setattr(rich.console, "monotonic", lambda: self.now)
        for name, value in (("COLUMNS", "110"), ("TERM", "xterm"), ("NO_COLOR", "1")):
            monkeypatch.setenv(name, value)

    def until(self, wanted: str) -> str:
        """What was drawn, up to a line that has `wanted` in it."""
        seen = ""
        deadline = time.monotonic() + PATIENCE_S  # a bar is drawn again and again
        while wanted not in seen:
            ready = time.monotonic() < deadline and select.select([self._master], [], [], PATIENCE_S)[0]
            assert ready, f"{wanted!r} was not drawn: {seen[-300:]!r}"
            seen = ESCAPES.sub("", seen + os.read(self._master, 65_536).decode())
        return seen

    def drawn(self) -> bool:
        self._stderr.flush()
        return bool(select.select([self._master], [], [], 0)[0])

    def close(self) -> None:
        self._stderr.close()
        os.close(self._master)


@pytest.fixture
def screens(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Screen]]:
    """Made in the test itself: pytest gives every phase a stderr of its own."""
    made: list[Screen] = []

    def make() -> Screen:
        made.append(Screen(monkeypatch))
        return made[-1]

    yield make
    for screen in made:
        screen.close()


def test_the_bar_tells_how_fast_and_how_long(screens: Callable[[], Screen]) -> None:
    """500 files in each of the last 5 seconds and 2,000 to go: 100 files/s, 20 seconds; then the next phase."""
    screen = screens()
    with Progress() as progress:
        progress("index", 0, 3_000)
        for screen.now, done in ((5.0, 500), (10.0, 1_000)):
            progress("index", done, 3_000)
        line = screen.until("00:20")
        assert "indexing" in line
        assert "1000/3000" in line
        assert "100 files/s" in line
        screen.now = 30.0
        progress("index", 3_000, 3_000)
        progress("publish", 0, 0)
        assert "3000/3000" in screen.until("publishing")


def test_each_phase_has_its_own_rate_and_time(screens: Callable[[], Screen]) -> None:
    """Definitions read in 100 s say nothing of how long resolving will take; as many files, another clock."""
    screen = screens()
    with Progress() as progress:
        progress("offers", 0, 4_000)
        for screen.now, done in ((50.0, 2_000), (100.0, 4_000)):
            progress("offers", done, 4_000)
        progress("graph", 0, 4_000)
        for screen.now, done in ((110.0, 500), (120.0, 1_000)):
            progress("graph", done, 4_000)
        line = screen.until("01:00")
        assert "0/?" not in line
        assert "1000/4000" in line
        assert "50 files/s" in line.rpartition("resolving")[2]


def test_little_work_draws_nothing(screens: Callable[[], Screen]) -> None:
    """A bar that could not be read is not drawn; waiting for another writer is always said."""
    screen = screens()
    with Progress() as progress:
        progress("index", 0, 3)
        progress("index", 3, 3)
        progress("publish", 0, 0)
        assert not screen.drawn()
        progress("wait", 0, 0)
        assert "waiting for another writer" in screen.until("waiting")


def test_quiet_is_quiet(screens: Callable[[], Screen]) -> None:
    """With --json nothing is drawn, however much there is to do."""
    screen = screens()
    with Progress(quiet=True) as progress:
        progress("index", 10, 3_000)
        assert not screen.drawn()


def test_a_pipe_hears_at_once_what_is_resolved(capsys: pytest.CaptureFixture[str]) -> None:
    """Reading definitions is half of resolving: the line comes before it, and only once."""
    with Progress() as progress:
        progress("offers", 0, 3_000)
        assert capsys.readouterr().err == "resolving 3,000 files\n"
        progress("offers", 3_000, 3_000)
        progress("graph", 1, 3_000)
    assert capsys.readouterr().err == ""


def test_a_pipe_hears_every_ten_seconds_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long wait is never silent for longer, and a short one costs no further word."""
    said = [
        (1_000.0, "offers", 0), (1_009.0, "offers", 900), (1_011.0, "offers", 1_200), (1_020.0, "graph", 1),
        (1_022.0, "graph", 40), (1_023.0, "graph", 60),
    ]  # fmt: skip
    with Progress() as progress:
        for moment, phase, done in said:
            monkeypatch.setattr(clock, "now", partial(float, moment))
            progress(phase, done, 3_000)
    assert capsys.readouterr().err.splitlines() == [
        "resolving 3,000 files", "reading definitions, 1,200 of 3,000 files", "resolving, 40 of 3,000 files",
    ]  # fmt: skip


def test_a_pipe_gets_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nobody can see a bar, what is done and to how many files is said once."""
    with Progress() as progress:
        for done in range(0, 3_001, 500):
            progress("index", done, 3_000)
    assert capsys.readouterr().err == "indexing 3,000 files\n"


def test_an_indexer_is_named_while_it_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows how far it is: a pipe hears its name once, and every ten seconds for how long it runs."""
    with Progress() as progress:
        for seconds in (0, 4, 9, 11, 12):
            monkeypatch.setattr(clock, "now", partial(float, 1_000.0 + seconds))
            progress("indexer scip\x1b", seconds, 0)
    assert capsys.readouterr().err.splitlines() == ["running scip\\x1b", "running scip\\x1b, 11 s"]


def test_a_bar_gives_way_to_an_indexer_and_comes_back(screens: Callable[[], Screen]) -> None:
    """A terminal shows the program that runs now, and then what is done with its result."""
    screen = screens()
    with Progress() as progress:
        progress("index", 10, 3_000)
        screen.until("indexing")
        progress("indexer scip-go", 0, 0)
        screen.until("running scip-go")
        progress("indexer scip-python", 0, 0)
        screen.until("running scip-python")
        progress("graph", 10, 3_000)
        screen.until("resolving")
