"""Which files write a name, and which of them may define it: found without parsing one of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from functools import lru_cache
from typing import Final

from everdex.numeric import np
from everdex.terms.split import WORD, fold
from everdex.view import SnapshotView
from everdex.view.words import files_with_token

# In names that are made (`<lambda1>`), put together without the blanks of the text (`operator ==`), or those of a
# module in quotes, in which a dot is another sign.
_MADE: Final = re.compile(r"[\s<>=()\[\]]|operator|\w/")
_NEVER_AFTER_A_DOT: Final = frozenset(("java", "go", "rust"))  # no definition's name stands behind one
_NEVER_CALLED_AFTER_A_DOT: Final = frozenset(("javascript", "typescript", "tsx"))  # `a.b = ` defines, `a.b(` does not
# Of Python:
_USED: Final = re.compile(  # what follows a name that is not bound there: a call, an item, another word, a comparison
    rb"[ \t]*(?:[(\[.!]|==|[<>](?![<>]))|[ \t]+(?!(?:in|if|as)\b)\w"
)
_STORED_BY_TEXT: Final = re.compile(rb"setattr|__dict__|\b(?:vars|locals|globals)\b")
_INTRODUCED_BY: Final = (b"def", b"class", b"type")
_BLANK: Final = b" \t\f\r\n\\"
_LOOKED_BACK: Final = 100  # bytes
_IMPORTS: Final = re.compile(  # without a quote: what begins in a string ends in it
    rb"^[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import(?:[ \t]*\([\w\s,]*\)|[ \t][\w \t,.]*)", re.MULTILINE
)


def can_be_looked_up(name: str) -> bool:
    """Whether a name is one word; of any other the inverted index knows only the words in it."""
    return bool(WORD.fullmatch(fold(name)))


def stands_in_text(name: str) -> bool:
    """Whether a definition of this name has it in its file, letter by letter."""
    return not _MADE.search(name)


@lru_cache(maxsize=64)
def _pattern(name: str) -> re.Pattern[bytes]:
    """Where a name is written, as a whole word if it begins or ends like one."""
    written = re.escape(name.encode("utf-8", "surrogatepass"))
    after = rb"(?![\w$])" if WORD.match(name[-1:]) else b""
    before = rb"(?<!\w%s)" % written if WORD.match(name) else b""  # PHP writes `$name` where it declares one
    return re.compile(written + after + before)


def writes(source: bytes, name: str) -> bool:
    """Whether a file writes a name."""
    return _pattern(name).search(source) is not None


def writing_one(names: Collection[str]) -> Callable[[bytes], bool]:
    """Whether a text writes one of these names, in whatever letters Python takes for theirs."""

    def is_written(text: bytes) -> bool:
        return any(writes(*each) for name in names for each in {(text, name), _in_one_spelling(text, name)})

    return is_written


def files_writing(view: SnapshotView, name: str, among: Container[str]) -> Iterator[str]:
    """The files that write a name, by path; the name is one that stands in the text."""
    holding = np.ones(len(view.paths), dtype=np.bool_)
    for word in WORD.findall(fold(name)):
        holding &= files_with_token(view, word)
    for path, held in zip(view.paths, holding, strict=True):
        if held and path in among and writes(view.source(path), name):
            yield path


def files_aliasing(view: SnapshotView, name: str, writing: Iterable[str]) -> Iterator[str]:
    """Those of the files `writing` a name that take it over under another, from which others may have it."""
    alias = re.compile(rb"(?<![\w$])%s\s*(?:(?<=\s)as\b|=>)" % re.escape(name.encode()))
    return (path for path in writing if alias.search(view.source(path)))


def may_define(source: bytes, name: str, language: str) -> bool:
    """Whether a definition of a name may stand where a file writes it: most files only call what they name, or import
    it, and need not be parsed to be told apart."""
    if language == "python":
        source, name = _in_one_spelling(source, name)
        return _is_bound_in(source, name) and _is_bound_in(_IMPORTS.sub(b"", source), name)
    found = _pattern(name).finditer(source)
    if language in _NEVER_AFTER_A_DOT:
        return any(_before(source, match) != b"." for match in found)
    if language in _NEVER_CALLED_AFTER_A_DOT:
        return any(_before(source, match) != b"." or source[match.end() : match.end() + 1] != b"(" for match in found)
    return next(found, None) is not None


def files_defining(
    view: SnapshotView, name: str, among: Container[str], writing: Container[str]
) -> Iterator[str]:
    """The files that may define a name, of those `writing` it, or that may be called by it, by path."""
    for path, language in zip(view.paths, view.file_languages, strict=True):
        if (path in among and name in path) or (path in writing and may_define(view.source(path), name, language)):
            yield path


def may_define_heir(source: bytes, name: str, language: str) -> bool:
    """Whether a class of this name that inherits from something may stand there."""
    if language != "python":
        return may_define(source, name, language)
    source, name = _in_one_spelling(source, name)
    return any(_is_introduced(source, match) for match in _pattern(name).finditer(source))


def _in_one_spelling(source: bytes, name: str) -> tuple[bytes, str]:
    """A text and a name in the letters that Python takes for theirs: it may be defined in others than it is used in."""
    if source.isascii():
        return source, name
    text = unicodedata.normalize("NFKC", source.decode("utf-8", "replace"))
    return text.encode("utf-8", "surrogatepass"), unicodedata.normalize("NFKC", name)


def _before(source: bytes, match: re.Match[bytes]) -> bytes:
    return source[max(0, match.start() - 1) : match.start()]


def _is_bound_in(source: bytes, name: str) -> bool:
    """Whether Python may define a name in a text: what is called, subscripted or compared in a place is defined in
    another, and what ends in a quote stands in a string."""
    is_in_string = () if _STORED_BY_TEXT.search(source) else (b"'", b'"')
    return any(
        not (_USED.match(source, match.end()) or source.startswith(is_in_string, match.end()))
        or _is_introduced(source, match)
        for match in _pattern(name).finditer(source)
    )


def _is_introduced(source: bytes, match: re.Match[bytes]) -> bool:
    """Whether a keyword before a name defines it; blanks and broken lines may stand between."""
    before = source[max(0, match.start() - _LOOKED_BACK) : match.start()].rstrip(_BLANK)
    return before.endswith(_INTRODUCED_BY) or (not before and match.start() > _LOOKED_BACK)
