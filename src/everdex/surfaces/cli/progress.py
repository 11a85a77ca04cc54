"""What a person sees while the index is being brought up to date: phase, counts, rate and time left.

A bar on a terminal's stderr, a plain line elsewhere and a further one every ten seconds, and nothing at all for work
too small to notice.
rich is imported only when there is something to draw.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from everdex import clock
from everdex.surfaces.cli.output import escape, write_error

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

# Fewer files are done before a bar could be read.
_WORTH_SHOWING: Final = 24
_REMIND_EVERY_S: Final = 10.0
_SETTLED_S: Final = 1.0  # what is said of speed before is chance
_INDEXER: Final = "indexer"  # the phase of another program, which is named after it
_PHASES: Final = {
    "index": "indexing",
    "seal": "writing",
    "publish": "publishing",
    "names": "looking for the name",
    "offers": "reading definitions",
    "graph": "resolving",
    "wait": "waiting for another writer",
}
# Time left is that of a phase: who sees the first of two end must know that there is another.
_STEPS: Final = {"offers": "1/2 ", "graph": "2/2 "}


class Progress:
    """A callback for `SyncOptions.progress`, and the context that cleans the screen up."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._counted = ""  # the phase whose files the bar counts
        self._program = ""  # that the bar is about
        self._said: set[str] = set()
        self._said_at = 0.0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def finish(self) -> None:
        """Clear the bar; results may be printed now."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
            self._counted = self._program = ""

    def __call__(self, phase: str, done: int, total: int) -> None:
        if self._quiet:
            return
        kind, _, program = phase.partition(" ")
        if kind == _INDEXER:
            self._run(f"running {escape(program)}", done)
            return
        if phase not in _PHASES:
            return
        if self._program:
            self.finish()
        if self._bar is None and not (phase == "wait" or total >= _WORTH_SHOWING):
            return
        if self._terminal:
            self._draw(phase, done, total)
        else:
            self._say(phase, done, total)

    def _run(self, what: str, seconds: int) -> None:
        """Show that an indexer runs; it does not report how far it is."""
        if self._terminal:
            if self._program != what:
                self.finish()
                self._bar, self._task = _clock(what)
                self._program = what
                self._bar.start()
        elif what not in self._said:
            write_error(what)
            self._said.add(what)
            self._said_at = clock.now()
        elif clock.now() - self._said_at >= _REMIND_EVERY_S:
            write_error(f"{what}, {seconds:,} s")
            self._said_at = clock.now()

    def _say(self, phase: str, done: int, total: int) -> None:
        # Reading definitions is the first half of resolving: one line is enough to know what is waited for.
        job = "graph" if phase == "offers" else phase
        first = job in ("wait", "index", "graph") and job not in self._said
        if first:
            write_error(f"{_PHASES[job]} {total:,} files" if total else _PHASES[job])
        elif total and clock.now() - self._said_at >= _REMIND_EVERY_S:
            write_error(f"{_PHASES[phase]}, {done:,} of {total:,} files")
        else:
            return
        self._said.add(job)
        self._said_at = clock.now()

    def _draw(self, phase: str, done: int, total: int) -> None:
        if self._bar is None:
            self._bar, self._task = _bar()
        assert self._task is not None
        if phase not in ("index", "names", "offers", "graph"):
            # A finished count stays on the screen while the segment is written and published.
            self._bar.update(self._task, description=_PHASES[phase])
        elif phase == self._counted:
            self._bar.update(self._task, completed=done, total=total)
        else:
            # Rate and time left are those of the new phase: a bar that was full once would stand still for ever.
            self._counted = phase
            described = _STEPS.get(phase, "") + _PHASES[phase]
            self._bar.reset(self._task, description=described, completed=done, total=total)
        self._bar.start()


def _clock(what: str) -> tuple[RichProgress, TaskID]:
    from rich.console import Console
    from rich.markup import escape as plain
    from rich.progress import Progress as RichProgress
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
    return bar, bar.add_task(plain(what), total=None)


def _bar() -> tuple[RichProgress, TaskID]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
    )
    from rich.progress import Progress as RichProgress
    from rich.text import Text

    class Rate(ProgressColumn):
        """Over the whole phase: files come in batches, and a batch says nothing of how fast they come."""

        def render(self, task: Task) -> Text:
            elapsed = task.elapsed or 0.0
            if elapsed < _SETTLED_S or not task.completed:
                return Text("")
            speed = task.completed / elapsed
            left = round(((task.total or 0) - task.completed) / speed)
            return Text(f"{speed:,.0f} files/s {left // 60:02}:{left % 60:02}")

    bar = RichProgress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        Rate(),
        console=Console(stderr=True),
        transient=True,
    )
    return bar, bar.add_task("", total=None)
