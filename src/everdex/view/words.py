"""Which files of a view hold a word, from the inverted index and without opening one of them.

Sound by the promises of terms/split.py: a file that has the word is never left out; one that has it in other letter
cases, or a word of the same stem, may be among them.
"""

from __future__ import annotations

from everdex.numeric import np, npt
from everdex.segment.lexical_read import LexicalReader
from everdex.terms.model import Field
from everdex.terms.split import stem
from everdex.view.snapshot_view import SnapshotView

Files = npt.NDArray[np.bool_]

TEXT_FIELDS = (Field.BODY, Field.DOC)


def files_with_token(view: SnapshotView, token: str) -> Files:
    """One flag per file of the view; the token is folded, and whole."""
    rows = np.zeros(view.row_count, dtype=np.bool_)
    for base, segment in zip(view.bases, view.segments, strict=True):
        reader = segment.lexical
        here = rows[base : base + reader.n_docs]
        here |= reader.overlong
        _add(reader, token, here)
    return files_of_rows(view, rows)


def files_of_rows(view: SnapshotView, rows: npt.NDArray[np.bool_]) -> Files:
    """The files in which these rows are."""
    files: Files = np.zeros(len(view.paths), dtype=np.bool_)
    files[view.doc_files[rows[view.doc_rows]]] = True
    return files


def _add(reader: LexicalReader, token: str, has: npt.NDArray[np.bool_]) -> None:
    """Documents with exactly this token, in whatever case: as one word it is stemmed, as several it is not."""
    for fields in reader.lookup(list(dict.fromkeys((token, stem(token))))):
        for field in TEXT_FIELDS:
            if field in fields:
                has[fields[field][0]] = True
