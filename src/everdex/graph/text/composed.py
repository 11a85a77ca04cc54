"""Which files may put a name together of texts: found by what they write, without parsing one of them.

It follows what the resolver of Python makes of such texts (`graph/python/names/spelling.py`): it knows how they begin,
how they end, or all of their parts, wherever these are kept, put together and looked up. So any text of Python's that
begins or ends like a name may become it (`may_be_spelt`): which ones are asked for, only the finished graph tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from everdex.numeric import np, npt
from everdex.terms.split import fold
from everdex.view import SnapshotView
from everdex.view.words import files_with_token

_JOINTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z0-9]_)(?=[A-Za-z0-9])")  # where names are put together
_BEGUN: Final = rb"[\"'`](?:%s)(?:[{$%%#]|[\"'`]\s*\+)|startswith\(\(?\s*[\"'](?:%s)[\"']"
_ENDED: Final = rb"(?:\}|%%[-#0 +\d.*]*[a-zA-Z]|\+\s*[\"'])(?:%s)[\"']"
_ALONE: Final = rb"[\"'`](?:%s)[\"'`](?!\s*\+)"  # kept, and put together elsewhere
# The same anywhere, whatever is done with it: marks may be replaced, letters changed.
_STARTING: Final = rb"(?i)(?:[\"'}]|%%[a-z])\s*(?:%s)(?=[\"'{%%./:-])"
_ENDING: Final = rb"(?i)(?:[\"'}./:-]|%%[a-z])(?:%s)\s*[\"']"
_NAMED: Final = rb"(?i)\b(?:class|def)\s+(?:%s)\b"
_NAMES_READ: Final = re.compile(rb"\.\s*__name__\b")
# What finds something by a text, and where the text stands in the same place.
_DOORS: Final = ("getattr", "__getattribute__", "attrgetter", "methodcaller", "globals", "locals", "vars", "__dict__")
_DOOR: Final = re.compile(rb"\b(?:%s)\b" % "|".join(_DOORS).encode())
_CLOSED: Final = re.compile(rb"\b(?:getattr\(\s*[\w.]+,|attrgetter\(|methodcaller\()\s*[\"'][\w.]*[\"']\s*[,)]")
_SHORTEST_START: Final = 2
_SHORTEST_END: Final = 3
_BEFORE_ENDS: Final = ("", "s", "d")  # the letter of `%s` belongs to the word that follows it


class _Sought(NamedTuple):
    """A string in which one of some texts stands as a pattern says."""

    words: Sequence[str]  # the file holds one of them
    pattern: re.Pattern[bytes]
    marks: Sequence[bytes] = ()  # and one of these: to look for them takes a fraction of what the pattern takes

    def stands_in(self, source: bytes) -> bool:
        is_there = not self.marks or any(mark in source for mark in self.marks)
        return is_there and self.pattern.search(source) is not None


def _sought(words: Sequence[str], texts: Sequence[str], pattern: bytes, marks: Sequence[bytes] = ()) -> _Sought:
    any_of = b"|".join(re.escape(text.encode()) for text in texts)
    return _Sought(words, re.compile(pattern.replace(b"%s", any_of).replace(b"%%", b"%")), marks)


def files_composing(view: SnapshotView, name: str) -> Iterator[str]:
    """The files with a text that begins or ends like a name and goes on with something else."""
    heads = [name[:end] for end in range(_SHORTEST_START, len(name))]
    tails = [name[start:] for start in range(1, len(name) - _SHORTEST_END + 1)]
    begins, ends = name[:_SHORTEST_START].encode(), name[-_SHORTEST_END:].encode()
    return _matching(view, (
        _sought(heads, heads, _BEGUN, [quote + begins for quote in (b'"', b"'", b"`")]),
        _sought(
            [mark + tail for tail in tails for mark in _BEFORE_ENDS], tails, _ENDED,
            [ends + quote for quote in (b'"', b"'")],
        ),
    ))  # fmt: skip


def looks_up_names(view: SnapshotView) -> bool:
    """Whether a file of Python looks something up by a text that does not stand there."""
    return any(
        _DOOR.search(_CLOSED.sub(b"", view.source(path))) for path in _holding(view, _DOORS)
    )


def may_be_spelt(view: SnapshotView, name: str) -> bool:
    """Whether a text of Python, in whatever case and with whatever marks, is a name, or begins or ends like it; or what
    another definition is called, where such names are read."""
    heads = [name[:end] for end in range(_SHORTEST_START, len(name) + 1)]
    tails = [name[start:] for start in range(1, len(name) - _SHORTEST_END + 1)]
    ends = [name, *tails]
    spelt = (
        _sought(heads, heads, _STARTING),
        _sought([mark + end for end in ends for mark in _BEFORE_ENDS], ends, _ENDING),
    )
    return any(_matching(view, spelt, "python")) or _may_be_another_name(view, name, [*heads[:-1], *tails])


def _may_be_another_name(view: SnapshotView, name: str, parts: Sequence[str]) -> bool:
    if not any(_NAMES_READ.search(view.source(path)) for path in _holding(view, ("__name__",))):
        return False
    if any(_matching(view, (_sought(parts, parts, _NAMED),), "python")):
        return True
    same = re.compile(_NAMED.replace(b"%s", re.escape(name.encode())))
    return sum(len(same.findall(view.source(path))) for path in _holding(view, (name,))) > 1


def has_parts(view: SnapshotView, name: str) -> bool:
    """Whether parts of a name are written somewhere by themselves: any file may put them together."""
    joints = [match.start() for match in _JOINTS.finditer(name)]
    heads = [name[:joint] for joint in joints]
    if any(_matching(view, (_sought(heads, heads, _ALONE),))):
        return True
    bare = [head.rstrip("_") for head in heads]
    tails = [part for joint in joints for part in (name[joint:], f"_{name[joint:]}")]
    return all(any(_matching(view, (_sought(parts, parts, _ALONE),))) for parts in (bare, tails))


def _matching(view: SnapshotView, sought: Sequence[_Sought], language: str = "") -> Iterator[str]:
    """The files of a language, or of any, in which one of these stands."""
    holding = [_holders(view, each.words) for each in sought]
    for number in np.flatnonzero(np.logical_or.reduce(holding)).tolist():
        if language in ("", view.file_languages[number]):
            source = view.source(view.paths[number])
            if any(held[number] and each.stands_in(source) for held, each in zip(holding, sought, strict=True)):
                yield view.paths[number]


def _holding(view: SnapshotView, words: Sequence[str]) -> Iterator[str]:
    """The files of Python that hold one of these words."""
    for number in np.flatnonzero(_holders(view, words)).tolist():
        if view.file_languages[number] == "python":
            yield view.paths[number]


def _holders(view: SnapshotView, words: Sequence[str]) -> npt.NDArray[np.bool_]:
    holding = np.zeros(len(view.paths), dtype=np.bool_)
    for word in words:
        holding |= files_with_token(view, fold(word))
    return holding
