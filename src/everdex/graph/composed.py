"""Which files may put a name together of texts: found by what they write, without parsing one of them.

It follows what the resolver of Python makes of such texts (`graph/python/spelling.py`): it knows how they begin, how
they end, or all of their parts.
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
_SHORTEST_END: Final = 3
_BEFORE_ENDS: Final = ("", "s", "d")  # the letter of `%s` belongs to the word that follows it


def files_composing(view: SnapshotView, name: str) -> Iterator[str]:
    """The files with a text that begins or ends like a name and goes on with something else."""
    heads = [name[:end] for end in range(2, len(name))]
    tails = [name[start:] for start in range(1, len(name) - _SHORTEST_END + 1)]
    yield from _matching(view, heads, heads, _BEGUN)
    yield from _matching(view, [mark + tail for tail in tails for mark in _BEFORE_ENDS], tails, _ENDED)


def has_parts(view: SnapshotView, name: str) -> bool:
    """Whether parts of a name are written somewhere by themselves: any file may put them together."""
    joints = [match.start() for match in _JOINTS.finditer(name)]
    heads = [name[:joint] for joint in joints]
    if any(_matching(view, heads, heads, _ALONE)):
        return True
    bare = [head.rstrip("_") for head in heads]
    tails = [part for joint in joints for part in (name[joint:], f"_{name[joint:]}")]
    return any(_matching(view, bare, bare, _ALONE)) and any(_matching(view, tails, tails, _ALONE))


def _matching(view: SnapshotView, words: Sequence[str], texts: Sequence[str], pattern: bytes) -> Iterator[str]:
    """The files with one of these words, and a string in which one of some texts stands as a pattern says."""
    holding = np.zeros(len(view.paths), dtype=np.bool_)
    for word in words:
        holding |= files_with_token(view, fold(word))
    any_of = b"|".join(re.escape(text.encode()) for text in texts)
    fits = re.compile(pattern.replace(b"%s", any_of).replace(b"%%", b"%"))
    for number in np.flatnonzero(holding).tolist():
        if fits.search(view.source(view.paths[number])):
            yield view.paths[number]
