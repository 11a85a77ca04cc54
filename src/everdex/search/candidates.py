"""Which files can match: a requirement answered from the inverted index, without opening a file.

Sound by the promises of terms/split.py: each token of a text is indexed under its folded self less at most an
English ending, or its document is flagged. Requirements that would hardly exclude a file are not asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from everdex.numeric import distinct, np, npt
from everdex.search.required import AllOf, AnyOf, Fragment, Requirement, Side
from everdex.segment.lexical_read import LexicalReader
from everdex.terms.split import ENDINGS, MAX_STRIP
from everdex.view import SnapshotView
from everdex.view.words import TEXT_FIELDS, Files, files_of_rows, files_with_token

# Past this many terms reading their postings costs more than it saves.
_MAX_TERMS: Final = 2_000
# So few files are read faster than another fragment is looked up.
_FEW_FILES: Final = 16
_END: Final = ord("\n")


def candidates(view: SnapshotView, requirement: Requirement) -> Files | None:
    """One flag per file of the view; None when the index cannot tell."""
    match requirement:
        case Fragment():
            return _with_fragment(view, requirement)
        case AnyOf(parts):
            return _any(view, parts)
        case AllOf(parts):
            return _all(view, parts)


def _any(view: SnapshotView, parts: tuple[Requirement, ...]) -> Files | None:
    found: Files = np.zeros(len(view.paths), dtype=np.bool_)
    for part in parts:
        files = candidates(view, part)
        if files is None:
            return None
        found |= files
    return found


def _all(view: SnapshotView, parts: tuple[Requirement, ...]) -> Files | None:
    found: Files | None = None
    for part in sorted(dict.fromkeys(parts), key=_likely_rare, reverse=True):
        files = candidates(view, part)
        if files is not None:
            found = files if found is None else found & files
            if np.count_nonzero(found) <= _FEW_FILES:
                break
    return found


def _likely_rare(part: Requirement) -> int:
    """A guess at how much a part excludes: long words are rare."""
    match part:
        case Fragment(text):
            return len(text)
        case AnyOf(parts):
            return min(map(_likely_rare, parts), default=0)
        case AllOf(parts):
            return max(map(_likely_rare, parts), default=0)


def _with_fragment(view: SnapshotView, fragment: Fragment) -> Files | None:
    if fragment.left is fragment.right is Side.CLOSED:
        return files_with_token(view, fragment.text)
    if _may_vanish(fragment.text):
        return None
    rows = np.zeros(view.row_count, dtype=np.bool_)
    budget = _MAX_TERMS
    for base, segment in zip(view.bases, view.segments, strict=True):
        reader = segment.lexical
        here = rows[base : base + reader.n_docs]
        here |= reader.overlong
        numbers = distinct(np.concatenate(list(_terms(reader, fragment))))
        budget -= len(numbers)
        if budget < 0:
            return None
        here |= reader.postings_of(numbers, TEXT_FIELDS)
    return files_of_rows(view, rows)


def _terms(reader: LexicalReader, fragment: Fragment) -> Iterator[npt.NDArray[np.int64]]:
    """Numbers of the terms that a token with this fragment may be indexed under."""
    numbers, before, after = reader.vocabulary_places(fragment.text.encode())
    yield numbers[_fits(before, fragment.left) & _fits(after, fragment.right)]
    for start in _beginnings(fragment.text):
        numbers, before, after = reader.vocabulary_places(start.encode())
        yield numbers[_fits(before, fragment.left) & (after == _END)]


def _fits(beside: npt.NDArray[np.uint8], side: Side) -> npt.NDArray[np.bool_]:
    if side is Side.OPEN:
        return np.ones(len(beside), dtype=np.bool_)
    # Terms hold only word characters, so what is not their edge and not beyond ASCII goes on with the word.
    fits: npt.NDArray[np.bool_] = (beside == _END) | (beside >= 0x80)
    return fits


def _beginnings(text: str) -> Iterator[str]:
    """What can be left of a fragment at the end of a term whose ending `stem` has cut through it."""
    if not (text.isascii() and text.isalpha()):
        return
    for cut in range(1, min(MAX_STRIP, len(text) - 1) + 1):
        start, tail = text[:-cut], text[-cut:]
        doubled = tail[0] == start[-1] and _begins_ending(tail[1:])
        if doubled or _begins_ending(tail):
            yield start


def _begins_ending(tail: str) -> bool:
    return any(ending.startswith(tail) for ending in ENDINGS)


def _may_vanish(text: str) -> bool:
    """Whether a fragment can lie wholly in what `stem` cuts off, so that no term shows it."""
    if not (text.isascii() and text.isalpha()):
        return False
    return any(text in ending for ending in ENDINGS) or _begins_ending(text[1:])
