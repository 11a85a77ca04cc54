"""A block of ours in somebody's text file, between two marker lines, put in and taken out without a trace.

The first marker says for whom the block stands there (several agents read one AGENTS.md; the last to go takes it
along) and, when it matters for putting things back, how the file was before: `created` or without a final line end
(`joined`). What is inside belongs to everdex and is renewed; what is outside is never touched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SHEBANG: Final = "#!/bin/sh"


class FenceError(Exception):
    """The markers in a file do not pair up."""


@dataclass(frozen=True, slots=True)
class Marks:
    """How a marker line is written in a kind of file."""

    before: str
    after: str

    def begin(self, owners: Sequence[str], state: str) -> str:
        shown = f"; {state}" if state else ""
        return f"{self.before}everdex begin: {', '.join(owners)}{shown}{self.after}"

    @property
    def end(self) -> str:
        return f"{self.before}everdex end{self.after}"

    @property
    def beginning(self) -> re.Pattern[str]:
        before, after = re.escape(self.before), re.escape(self.after)
        return re.compile(rf"^{before}everdex begin: ([a-z, -]*)(?:; (created|joined))?{after}$")


MARKDOWN: Final = Marks("<!-- ", " -->")
HASH: Final = Marks("# ", "")


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    owners: tuple[str, ...]
    state: str


def put(text: str | None, body: str, owner: str, marks: Marks, *, at_top: bool = False) -> str:
    """The text with the block for one more owner; at the end, or behind a script's first line."""
    newline = "\r\n" if text is not None and "\r\n" in text else "\n"
    found = _find(text, marks) if text is not None else None
    if text is not None and found is not None:
        owners = tuple(dict.fromkeys((*found.owners, owner)))
        return text[: found.start] + _block(body, owners, found.state, marks, newline) + text[found.end :]
    if text is None:
        first = f"{SHEBANG}\n" if at_top else ""
        return first + _block(body, (owner,), "created", marks, newline)
    if at_top:
        place = _behind_shebang(text)
        state = "joined" if text and place == len(text) and not text.endswith("\n") else ""
        joint = newline if state else ""
    else:
        place = len(text)
        state = "joined" if text and not text.endswith("\n") else ""
        joint = (newline * 2 if state else newline) if text else ""
    return text[:place] + joint + _block(body, (owner,), state, marks, newline) + text[place:]


def drop(text: str, body: str, owner: str, marks: Marks, *, at_top: bool = False) -> str | None:
    """The text without the block for this owner; None when the file was made for it and holds nothing else."""
    found = _find(text, marks)
    if found is None or owner not in found.owners:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    others = tuple(name for name in found.owners if name != owner)
    before, after = text[: found.start], text[found.end :]
    if others:
        return before + _block(body, others, found.state, marks, newline) + after
    if found.state == "created" and not after and before in ("", f"{SHEBANG}\n"):
        return None
    if found.state == "joined":
        joint = newline if at_top else newline * 2
        # With text behind the block the line end in front of it is needed after all.
        return before.removesuffix(joint) + ((newline + after) if after else "")
    return (before if at_top else before.removesuffix(newline) if before else before) + after


def without(text: str, marks: Marks) -> str:
    """The text without our block: what others wrote."""
    found = _find(text, marks)
    return text if found is None else text[: found.start] + text[found.end :]


def _block(body: str, names: Sequence[str], state: str, marks: Marks, newline: str) -> str:
    lines = [marks.begin(names, state), *body.rstrip("\n").split("\n"), marks.end]
    return newline.join(lines) + newline


def _behind_shebang(text: str) -> int:
    if not text.startswith("#!"):
        return 0
    end = text.find("\n")
    return len(text) if end < 0 else end + 1


def _find(text: str, marks: Marks) -> _Found | None:
    begun: tuple[int, tuple[str, ...], str] | None = None
    found: _Found | None = None
    place = 0
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        beginning = marks.beginning.match(bare)
        if beginning:
            if begun is not None or found is not None:
                raise FenceError("it has the line `everdex begin` twice")
            names = tuple(filter(None, (name.strip() for name in beginning[1].split(","))))
            begun = (place, names, beginning[2] or "")
        elif bare == marks.end:
            if begun is None:
                raise FenceError("it has a line `everdex end` without `everdex begin`")
            found = _Found(begun[0], place + len(line), begun[1], begun[2])
            begun = None
        place += len(line)
    if begun is not None:
        raise FenceError("it has a line `everdex begin` without `everdex end`")
    return found
