"""Which files and documents a search may return: globs, languages, `-word`, "phrases" and `symbol:`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import Final

from everdex.numeric import np, npt
from everdex.search.bm25 import Bm25
from everdex.search.model import SearchRequest
from everdex.search.query import Query
from everdex.terms import split
from everdex.view import SnapshotView

Flags = npt.NDArray[np.bool_]

_QUALIFIER: Final = re.compile(r"\.|::|#|->")


def path_matches(path_key: str, pattern: str) -> bool:
    """A glob over the whole path or its last part, or a directory above it."""
    trimmed = pattern.removeprefix("./").strip("/")
    if "**/" in trimmed and path_matches(path_key, trimmed.replace("**/", "")):
        return True  # no directory is some directories, too
    return (
        fnmatch.fnmatchcase(path_key, trimmed)
        or fnmatch.fnmatchcase(path_key.rpartition("/")[2], trimmed)
        or path_key.startswith(trimmed + "/")
        or fnmatch.fnmatchcase(path_key, trimmed + "/*")
        or fnmatch.fnmatchcase(path_key, "*/" + trimmed)
    )


def file_filter(
    view: SnapshotView, paths: tuple[str, ...], languages: tuple[str, ...]
) -> Callable[[int], bool] | None:
    """A test by file index; None lets every file pass."""
    if not paths and not languages:
        return None

    def keep(index: int) -> bool:
        if paths and not any(path_matches(view.paths[index], pattern) for pattern in paths):
            return False
        return not languages or view.file_languages[index] in languages

    return keep


def fitting_nothing(view: SnapshotView, paths: tuple[str, ...], languages: tuple[str, ...]) -> tuple[str, ...]:
    """What an empty answer is due to: patterns that no indexed file fits, languages that none is in."""
    empty = [path for path in paths if not any(path_matches(key, path) for key in view.paths)]
    absent = sorted(set(languages) - set(view.file_languages))
    return (
        *(f"no indexed file fits the path {path!r}" for path in empty),
        *(f"no indexed file is written in {language}" for language in absent),
    )


def allowed_documents(view: SnapshotView, bm25: Bm25, request: SearchRequest, query: Query) -> Flags | None:
    """By docId, which documents may be returned; None means all."""
    allowed: Flags | None = None
    for paths in (request.paths, query.files):
        keep = file_filter(view, paths, ())
        if keep is not None:
            allowed = _both(allowed, _files(view, keep))
    languages = (*request.languages, *query.languages)
    keep = file_filter(view, (), languages)
    if keep is not None:
        allowed = _both(allowed, _files(view, keep))
    for word in query.excluded:
        allowed = _both(allowed, ~_holding(view, bm25, word))
    for phrase in query.phrases:
        allowed = _both(allowed, _holding(view, bm25, phrase))
    for name in query.symbols:
        allowed = _both(allowed, _defining(view, name))
    return allowed


def _both(first: Flags | None, second: Flags) -> Flags:
    return second if first is None else first & second


def _files(view: SnapshotView, keep: Callable[[int], bool]) -> Flags:
    flags = np.fromiter((keep(index) for index in range(len(view.paths))), np.bool_, len(view.paths))
    return flags[view.doc_files]


def _holding(view: SnapshotView, bm25: Bm25, phrase: str) -> Flags:
    """Documents whose text has the phrase, case ignored: its words by the index, the phrase itself by reading."""
    flags: Flags = np.ones(view.doc_count, dtype=np.bool_)
    for token in split.tokens(phrase):
        for term in split.index_terms(token):
            having = np.zeros(view.doc_count, dtype=np.bool_)
            having[bm25.documents_with(term)] = True
            flags &= having
    wanted = split.fold(phrase)
    for doc in np.flatnonzero(flags).tolist():
        flags[doc] = wanted in split.fold(view.document(doc).row.text)
    return flags


def _defining(view: SnapshotView, name: str) -> Flags:
    """Documents that define the name, or end in a qualified one: `View.open` is also Snapshot.View.open."""
    flags = np.zeros(view.doc_count, dtype=np.bool_)
    wanted = [part for part in _QUALIFIER.split(split.fold(name)) if part]
    for symbol in (*view.symbols_named(name), *(view.symbols_named(wanted[-1]) if len(wanted) > 1 else ())):
        chain = split.fold(symbol.qualified_name).split(".")
        if symbol.name.lower() == name.lower() or chain[-len(wanted) :] == wanted:
            flags[view.doc_of(symbol.path_key, symbol.row_no)] = True
    return flags
