"""C and C++ as people write them: headers named `.h` that are C++, and macros where the grammar allows no word.

`class API Name {` and `API Type name(…)` are errors to a grammar that runs no preprocessor, and cost a header its
classes. Such a word is blanked before parsing: all bytes keep their places, and every text is still taken from the file
as it is. Knows words only; expands nothing.
"""

from __future__ import annotations

import re
from typing import Final

from everdex.parse import conditionals

_FAMILY: Final = frozenset(("c", "cpp", "cuda"))
_ROUNDS: Final = 3  # words in a row: `FMT_NORETURN FMT_API void fail();`
_COMMENT: Final = re.compile(rb"/\*.*?(?:\*/|\Z)", re.DOTALL)
# Lines that no C file has.
_CPP_LINE: Final = re.compile(
    rb"^[ \t]*(?:(?:inline[ \t]+)?namespace\b[\w \t:]*(?:\{|$)|template[ \t]*<|(?:public|private|protected)[ \t]*:|"
    rb"using[ \t]+[\w:]+|class[ \t]+\w[\w \t]*(?:[:;{]|$)|#[ \t]*include[ \t]*<[a-z_]+>)",
    re.MULTILINE,
)
_WORD: Final = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]*"
_FRONT: Final = rb"(?:^[ \t]*|\b(?:static|inline|extern|constexpr|virtual|friend|explicit)[ \t]+|>[ \t\n]+|\]\][ \t]*)"
_NOT_BEFORE: Final = rb"\b(?!(?:if|while|for|switch|return|sizeof|else|case|catch|throw|goto|new|delete|do|typedef)\b)"
_MACROS: Final = (
    # class API Name
    re.compile(
        rb"\b(?:class|struct|union)[ \t]+([A-Z][A-Z0-9_]+(?:\([^()\n]*\))?)(?=\s+[A-Za-z_]\w*\s*"
        rb"(?:<[^\n;{}]*>\s*)?(?:final\s*)?(?:[{;]|:[^:]))"
    ),
    # API Type name(…)
    re.compile(
        _FRONT + rb"(" + _WORD + rb")(?=\s+(?:[A-Za-z_][\w:]*(?:<[^\n;{}()]*>)?[\s*&]+){1,5}"
        rb"(?:operator[^\w\n(]{1,3}|~?[A-Za-z_][\w:~]*)[ \t]*\()",
        re.MULTILINE,
    ),
    # API Class::Class(…), explicit API Class(…)
    re.compile(
        rb"(?:^[ \t]*|\binline[ \t]+)(" + _WORD + rb")(?=\s+(?:\w+::)*(?P<owner>\w+)::~?(?P=owner)[ \t]*\()"
        rb"|\bexplicit[ \t]+(" + _WORD + rb")(?=[ \t]+\w+[ \t]*\()",
        re.MULTILINE,
    ),
    # API static …: a word of the language follows
    re.compile(
        _FRONT + rb"(" + _WORD + rb")(?=\s+(?:static|constexpr|inline|extern|virtual|explicit|template|friend|auto|"
        rb"void|struct|class|enum|unsigned|int|char|bool|long|float|double|namespace|using|typedef)\b)",
        re.MULTILINE,
    ),
    # name(…) NOEXCEPT {
    re.compile(
        _NOT_BEFORE + rb"[A-Za-z_]\w*[ \t]*\((?:[^(){};]|\([^(){};]*\)){0,400}\)\s*(?:const\s*)?(" + _WORD
        + rb"(?:\([^()\n;]*\))?)(?=\s*(?:[{;]|override\b|final\b|->|:[^:]))"
    ),
    # int field GUARDED_BY(mutex);
    re.compile(rb"[\w>*&][ \t]+[*&]*" + _NOT_BEFORE + rb"[a-z_]\w*[ \t]+(" + _WORD + rb"\([^()\n]*\))(?=\s*[;={])"),
    # a word alone on its line after a statement or a field, or first in a struct
    re.compile(
        rb"(?:[;}]|\b(?:struct|union|class)[ \t]+\w+[^;{}()=]{0,200}\{)\s*(?:/\*[^*]*\*/\s*)?\n[ \t]*("
        + _WORD + rb")[ \t]*(?=\n)"
    ),
    # a word alone on its line before a declaration, as BEGIN_NAMESPACE and Q_OBJECT stand
    re.compile(
        rb"^[ \t]*(" + _WORD + rb")[ \t]*(?=\n\s*(?:(?:public|private|protected)[ \t]*:|"
        rb"(?:[A-Za-z_][\w:<>]*[\s*&]+){1,6}\w[\w:~]*\s*[({;:=]|#|/[/*]|\Z))",
        re.MULTILINE,
    ),
)


def spoken(path_key: str, language: str, data: bytes) -> str:
    """The language a file is in: its name says it, but C++ headers are called `.h` as well."""
    if language == "c" and path_key.lower().endswith(".h") and _CPP_LINE.search(_COMMENT.sub(b"", data)):
        return "cpp"
    return language


def readable(language: str, data: bytes) -> bytes:
    """As the grammar can read it: the same length, the same places."""
    if language not in _FAMILY:
        return data
    if b"#" in data:
        data = conditionals.read(data).data
    for pattern in _MACROS:
        for _ in range(_ROUNDS):
            changed = pattern.sub(_blanked, data)
            if changed == data:
                break
            data = changed
    return data


def leaves_out(language: str, data: bytes) -> bool:
    """Whether some branch of a conditional is not read."""
    return language in _FAMILY and (b"#el" in data or b"# el" in data) and not conditionals.read(data).whole


def _blanked(found: re.Match[bytes]) -> bytes:
    word = next(number for number, text in enumerate(found.groups(), 1) if text is not None)
    start, end = found.start(word) - found.start(), found.end(word) - found.start()
    return found[0][:start] + b" " * (end - start) + found[0][end:]
