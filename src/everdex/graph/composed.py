"""Which files may put a name together of texts: found by what they write, without parsing one of them.

It follows what the resolver of Python makes of such texts (`graph/python/spelling.py`): it knows how they begin, how
they end, or all of their parts, wherever these are kept, put together and looked up. So any text of Python's that
begins or ends like a name may become it (`may_be_spelt`): which ones are asked for, only the finished graph tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from everdex.numeric import np
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


def files_composing(view: SnapshotView, name: str) -> Iterator[str]:
    """The files with a text that begins or ends like a name and goes on with something else."""
    heads = [name[:end] for end in range(_SHORTEST_START, len(name))]
    tails = [name[start:] for start in range(1, len(name) - _SHORTEST_END + 1)]
    yield from _matching(view, heads, heads, _BEGUN)
    yield from _matching(view, [mark + tail for tail in tails for mark in _BEFORE_ENDS], tails, _ENDED)


def looks_up_names(view: SnapshotView) -> bool:
    """Whether a file of Python looks something up by a text that does not stand there."""
    return any(
        _DOOR.search(_CLOSED.sub(b"", view.source(path))) for path in _holding(view, _DOORS, "python")
    )


def may_be_spelt(view: SnapshotView, name: str) -> bool:
    """Whether a text of Python, in whatever case and with whatever marks, is a name, or begins or ends like it; or what
    another definition is called, where such names are read."""
    heads = [name[:end] for end in range(_SHORTEST_START, len(name) + 1)]
    tails = [name[start:] for start in range(1, len(name) - _SHORTEST_END + 1)]
    ends = [name, *tails]
    spelt = (
        _matching(view, heads, heads, _STARTING, "python"),
        _matching(view, [mark + end for end in ends for mark in _BEFORE_ENDS], ends, _ENDING, "python"),
    )
    return any(map(any, spelt)) or _may_be_another_name(view, name, [*heads[:-1], *tails])


def _may_be_another_name(view: SnapshotView, name: str, parts: Sequence[str]) -> bool:
    if not any(_NAMES_READ.search(view.source(path)) for path in _holding(view, ("__name__",), "python")):
        return False
    if any(_matching(view, parts, parts, _NAMED, "python")):
        return True
    same = re.compile(_NAMED.replace(b"%s", re.escape(name.encode())))
    return sum(len(same.findall(view.source(path))) for path in _holding(view, (name,), "python")) > 1


def has_parts(view: SnapshotView, name: str) -> bool:
    """Whether parts of a name are written somewhere by themselves: any file may put them together."""
    joints = [match.start() for match in _JOINTS.finditer(name)]
    heads = [name[:joint] for joint in joints]
    if any(_matching(view, heads, heads, _ALONE)):
        return True
    bare = [head.rstrip("_") for head in heads]
    tails = [part for joint in joints for part in (name[joint:], f"_{name[joint:]}")]
    return any(_matching(view, bare, bare, _ALONE)) and any(_matching(view, tails, tails, _ALONE))


def _matching(
    view: SnapshotView, words: Sequence[str], texts: Sequence[str], pattern: bytes, language: str = ""
) -> Iterator[str]:
    """The files with one of these words, and a string in which one of some texts stands as a pattern says."""
    any_of = b"|".join(re.escape(text.encode()) for text in texts)
    fits = re.compile(pattern.replace(b"%s", any_of).replace(b"%%", b"%"))
    return (path for path in _holding(view, words, language) if fits.search(view.source(path)))


def _holding(view: SnapshotView, words: Sequence[str], language: str) -> Iterator[str]:
    """The files of a language, or of any, that hold one of these words."""
    holding = np.zeros(len(view.paths), dtype=np.bool_)
    for word in words:
        holding |= files_with_token(view, fold(word))
    for number in np.flatnonzero(holding).tolist():
        if language in ("", view.file_languages[number]):
            yield view.paths[number]
