"""C and C++ as people write them: headers named `.h` that are C++, and macros where the grammar allows no word.
Rust as people write it: macros that are called like a type (`str![…]`). Go since 1.26: `new` of a value. Kotlin since
2.2: strings with several dollars; constructors on a line of their own, bodies of classes behind `by`.

`class API Name {` and `API Type name(…)` are errors to a grammar that runs no preprocessor, and cost a header its
classes. Such a word is blanked before parsing: all bytes keep their places, and every text is still taken from the file
as it is. Knows words only; expands nothing.
"""

from __future__ import annotations

import re
from typing import Final

from everdex.languages import C_FAMILY, language_in
from everdex.parse import conditionals

_COMMENT: Final = re.compile(rb"/\*.*?(?:\*/|\Z)", re.DOTALL)
# Lines that no C file has.
_CPP_LINE: Final = re.compile(
    rb"^[ \t]*(?:(?:inline[ \t]+)?namespace\b[\w \t:]*(?:\{|$)|template[ \t]*<|(?:public|private|protected)[ \t]*:|"
    rb"using[ \t]+[\w:]+|class[ \t]+\w[\w \t]*(?:[:;{]|$)|#[ \t]*include[ \t]*<[a-z_]+>)",
    re.MULTILINE,
)
_CPP_OPERATOR: Final = re.compile(rb"\boperator[ \t]*+(?:[-+*/%^&|~!=<>]{1,3}|\(\)|\[\])[ \t]*+\(")
# A comment in a macro of several lines ends the macro for the grammar: what follows would be read as code.
_DEFINE: Final = re.compile(rb"^[ \t]*#[ \t]*define\b[^\n]*\\\r?\n(?:[^\n]*\\\r?\n)*[^\n]*", re.MULTILINE)
_COMMENTED: Final = re.compile(rb"/\*.*?\*/", re.DOTALL)
_NOT_CONTINUING: Final = re.compile(rb"[^\\\r\n]")
# Modules of C++, which the grammar takes for variables.
_MODULE: Final = re.compile(rb"^[ \t]*(?:export[ \t]+)?(?:import|module)\b[^\n;(){}=]*;", re.MULTILINE)
# `->*` and `.*`, which the grammar does not know: what stands behind is a member by another way.
_THROUGH: Final = re.compile(rb"(?<!operator)->\*|(?<=[A-Za-z_)\]])\.\*(?=[A-Za-z_])")
_WORD: Final = re.compile(
    rb"\b[A-Z][A-Z0-9]*_[A-Z0-9_]*\b(?:\((?:\"(?:[^\"\\\n]|\\.)*\"|[^()\"\n])*\))?"
    rb"|\b(?:class|struct|union)[ \t]+([A-Z][A-Z0-9]+)\b"
)
# `static void printflike(3, 4) name(`: numbers alone are nobody's parameters. `(__unused int fd,`: a word of the
# compiler's or the system's before a whole parameter.
# A macro that is a statement, and has the semicolon in its text: one is put into the blank before the next statement.
_UNENDED: Final = re.compile(
    rb"((?<=[;{}:]\n)[ \t]*+[A-Z][A-Z0-9_]*+\([^;{}()\n]*+\)[ \t]*+(?://[^\n]*+)?\r?\n)[ \t]"
    rb"(?=[ \t]*+(?:case|default|return|if|for|while|switch|break|goto|do)\b)"
)
# In parentheses, with others in them. No group is possessive: before 3.11.5 one takes what it could not match.
_PASSED: Final = rb"\([^(){}]*+(?>(?:\([^(){}]*+\)[^(){}]*+){0,256})\)"
# `class Store(val map: Map) : Map by map {`: the grammar takes the body of the class for a function that is passed.
# It is looked for no further than to the next class: each is read once, however many begin and go nowhere.
_DELEGATED: Final = re.compile(
    rb"(\b(?:class|object)\s+\w++\s*+(?:<[^{}()]{0,200}?>\s*+)?"
    rb"(?:\([^(){}]*+(?>(?:%s[^(){}]*+){0,256})\)\s*+)?:"
    rb"(?:(?!\b(?:class|object)\b)[^(){}\n]|\n(?!\s*+(?:val|var|fun|class|object|interface)\b)"
    rb"|%s){1,600}?)"
    rb"(\bby\s++[\w.]++)(?=\s*+\{)" % (_PASSED, _PASSED)
)
_NOT_A_LINE: Final = re.compile(rb"[^\r\n]")
# `UNUSED(static int size(int n)) {`
_WRAPPED: Final = re.compile(
    rb"^([A-Z][A-Z0-9_]*+\()((?:static|extern|inline|const|unsigned|void|int|char|struct)\b[^;{}()]*+"
    rb"\([^;{}()]*+(?>(?:\([^;{}()]*+\)[^;{}()]*+){0,256})\)\s*+)\)(?=\s*+\{)", re.MULTILINE
)
_NUMBERED: Final = re.compile(
    rb"^([ \t]*([A-Za-z_]\w*+)[\w \t*]*(?<=[ \t*]))([A-Za-z_]\w*\([ \t]*\d+[ \t]*(?:,[ \t]*\d+[ \t]*)*\))"
    rb"(?=\s+\**[A-Za-z_]\w*[ \t]*\()",
    re.MULTILINE,
)
_BEFORE_PARAMETER: Final = re.compile(
    rb"([(,]\s*)(__(?!attribute|declspec|extension|restrict|const|volatile|signed|inline)\w+)"
    rb"(?=\s+(?:(?:const|struct|union|enum|unsigned|signed)\s+)*(?!__)[A-Za-z_]\w*(?:\s+\**|\*+)\w+\s*[,)\[])"
)
# A nested class's constructor on the next line is the outer one's to the grammar; to the language it is not.
_NEXT_LINE: Final = re.compile(
    rb"(\bclass[ \t]+\w+(?:<[^<>\n]*>)?)(\s+)(?=(?:(?:private|protected|internal|public)[ \t]+)?constructor[ \t]*\()"
)
_LAST_LINE: Final = re.compile(rb"^[ \t]*#[^\n]*\Z", re.MULTILINE)  # a directive that no line follows, in C#
_DOLLARS: Final = re.compile(rb'(?<![\w$"])(\$\$+)("""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*")')
_DOLLAR_RUN: Final = re.compile(rb"\$+")
# Names of Rust's that the grammar has as types only; a macro may have any name.
_TYPE: Final = rb"(?:str|bool|char|[iuf](?:8|16|32|64|128|size))"
_TYPE_MACRO: Final = re.compile(rb"\b%s(?=! ?[\[({])|(?<=macro_rules! )%s\b" % (_TYPE, _TYPE))
# Go's `new("text")`: to the grammar it takes a type. What begins so is none.
_NEW_OF_VALUE: Final = re.compile(
    rb"\bnew(?=\(\s*(?!(?:struct|interface|func|map|chan)\b)"
    rb"(?:[\"'`\d!&+-]|(?:true|false)\b|[A-Za-z_]\w*(?:\.\w+)*(?:\[[^\]\n]*\])?\s*[({+\-*/%<>=|&]"
    rb"|\w+\.\w+\.|(?:\[[^\]\n]*\])+(?!(?:struct|interface)\b)\*?[\w.]+\{))"
)
# Macros for words of C++, by their names or by where they stand: `X_TRY {`, `X_CATCH(…) {`, `if X_CONSTEXPR (`.
_TRY: Final = re.compile(rb"\b[A-Z][A-Z0-9_]*_TRY(?=\s*\{)")
_CATCH: Final = re.compile(rb"(?<=[}\s])[A-Z][A-Z0-9_]*_CATCH(?=[ \t]*\()")
_AFTER_IF: Final = re.compile(rb"(\b(?:if|while|for|switch)[ \t]+)([A-Z][A-Z0-9]*_[A-Z0-9_]*)(?=[ \t]*\()")
# Alone on their lines: `X_PRAGMA(push)`, `X_DIAG_OFF(padded)`, `NON_NULL(1, 2)`.
_ALONE: Final = re.compile(
    rb"^[ \t]*(?:[A-Z][A-Z0-9_]{0,40}?(?:PRAGMA|DIAG_(?:PUSH|POP|OFF)|(?:PUSH|POP|DISABLE)_WARNING)[A-Z0-9_]*+"
    rb"(?:\([^\n;{}]*\))?"
    rb"|[A-Z][A-Z0-9]*_[A-Z0-9_]*\([ \t]*\d+(?:,[ \t]*\d+)*[ \t]*\))(?=[ \t]*(?://[^\n]*)?\r?\n)", re.MULTILINE
)
# `extern template auto f(int) -> char;` instantiates what is written elsewhere, in a way that is new to the grammar.
_INSTANTIATED: Final = re.compile(
    rb"^[ \t]*extern[ \t]+template\s(?>[^;{}]{0,1000}?\bauto\b)[^;{}]{0,2000}+;", re.MULTILINE
)
# `#if HAS_INCLUDE(<x.h>)`
_INCLUDED: Final = re.compile(rb"^([ \t]*#[ \t]*(?:el)?if\b[^\n]*?\()([<\"][\w./+-]+[>\"])(?=\))", re.MULTILINE)
# `template <typename T, ENABLE_IF(f<T>())>`: the macro is a parameter.
_TEMPLATE: Final = re.compile(rb"\btemplate\s*<")
_IN_TEMPLATE: Final = re.compile(rb"[<>(){};]|([A-Z][A-Z0-9]*_[A-Z0-9_]*)(?=\()|\w+")
_MAX_TEMPLATE: Final = 1_000
_BEFORE: Final = 240  # bytes that are looked at before a word
_NEAR: Final = 8
_MAX_WORDS: Final = 30_000  # about two seconds' worth; no file that a person wrote has so many outside expressions
_OPERATORS: Final = frozenset(bytes((byte,)) for byte in b"(,=&|+-!<[?.%^~\"'")

# What stands before a word that may be a macro in front of a declaration; what such a word is followed by.
_FRONT: Final = re.compile(
    rb"(?:\A|\n|\b(?:static|inline|extern|constexpr|virtual|friend|explicit|template)|>|\]\])[ \t\n]*\Z"
)
_NAMED_TYPE: Final = re.compile(rb"\b(?:(class)|struct|union)[ \t]+\Z")
_TYPE_HEAD: Final = re.compile(rb"\s+[A-Za-z_]\w*\s*(?:<[^\n;{}]*>\s*)?(?:final\s*)?(?:(;)|\{|:[^:])")
_FUNCTION: Final = re.compile(  # Type name(
    rb"\s+(?:[A-Za-z_][\w:]*(?:<[^\n;{}()]*>)?[\s*&]+){1,5}"
    rb"(?:(?:\w+::)*operator[ \t]*[^\w\n(]{1,3}|~?[A-Za-z_][\w:~]*)(?:<[^\n;{}()]*>)?[ \t]*\("
)
_CONSTRUCTOR: Final = re.compile(rb"\s+(?:\w+::)*(?P<owner>\w+)::~?(?P=owner)[ \t]*\(")
# `CONSTEXPR Name(const T& x) : x_(x)`
_INITIALIZED: Final = re.compile(
    rb"[ \t]+\w+[ \t]*\((?:[^(){};]|\((?:[^(){};]|\([^(){};]*\))*\))*\)\s*(?:noexcept\s*)?:[^:]"
)
# `MACRO Type name;`
_VARIABLE: Final = re.compile(
    rb"[ \t]+(?!(?:const|volatile|final|override)\b)[A-Za-z_][\w:]*(?:<[^\n;{}()]*>)?[ \t*&]+[A-Za-z_]\w*[ \t]*[=;\[{]"
)
_EXPLICIT: Final = re.compile(rb"\bexplicit[ \t]+\Z")
_CALLED: Final = re.compile(rb"[ \t]+\w+[ \t]*\(")
_KEYWORD: Final = re.compile(
    rb"\s+(?:static|constexpr|inline|extern|virtual|explicit|template|friend|auto|void|struct|class|enum|unsigned|int|"
    rb"char|bool|long|float|double|namespace|using|typedef|operator)\b|\s+~\w+[ \t]*\("
)
# `name(…) NOEXCEPT {` and `int field GUARDED_BY(mutex);`
_AFTER_LIST: Final = re.compile(rb"\)\s*(?:const\s*)?\Z")
# The parenthesis of `#if defined(X)` closes no list of parameters.
_AFTER_DIRECTIVE: Final = re.compile(rb"(?:\A|\n)[ \t]*#(?:[^\n\\]|\\\r?\n?)*\)[ \t\r]*\n\s*\Z")
_BODY: Final = re.compile(rb"\s*(?:[{;]|override\b|final\b|->|:[^:])")
_AFTER_FIELD: Final = re.compile(rb"(\w+|[>*&](?:[ \t]*(?:const|volatile))?)[ \t]+([*&]*)([a-z_]\w*)[ \t]+\Z")
_FIELD_END: Final = re.compile(rb"\s*(?:[;=]|\{[^{}\n]*\}[ \t]*;)")
# Words that a type follows, or another word of it: behind them stands no field's name yet.
_OF_TYPES: Final = frozenset(
    (b"static", b"extern", b"inline", b"const", b"volatile", b"register", b"constexpr", b"virtual", b"friend",
     b"unsigned", b"signed", b"struct", b"union", b"enum", b"class", b"typename")
)  # fmt: skip
_TYPES: Final = frozenset(
    (b"void", b"char", b"short", b"int", b"long", b"float", b"double", b"bool", b"unsigned", b"signed", b"auto")
)
_STATEMENTS: Final = frozenset(
    (b"if", b"while", b"for", b"switch", b"return", b"sizeof", b"else", b"case", b"catch", b"throw", b"goto", b"new",
     b"delete", b"do", b"typedef")
)  # fmt: skip
_LAST_NAME: Final = re.compile(rb"([A-Za-z_]\w*|\boperator[ \t]*(?:\(\)|[^\w\s(]{1,3}))[ \t]*\Z")
# In a directive, or a line that goes on with one: text, whatever it looks like.
_IN_DIRECTIVE: Final = re.compile(rb"(?:\A|\n)[ \t]*#[^\n]*\Z|\\\r?\n[^\n]*\Z")
# Alone on its line: after a statement or a field, first in a struct, or before a declaration.
_LINE_START: Final = re.compile(rb"(?:\A|\n)[ \t]*\Z")
_LINE_END: Final = re.compile(rb"[ \t]*(?:\n|\Z)")
_STATEMENT_BEFORE: Final = re.compile(
    rb"(?:[;}]|\b(?:struct|union|class)[ \t]+\w+[^;{}()=]*\{)\s*(?:/\*[^*]*\*/\s*)?\Z"
)
_DECLARATION_AFTER: Final = re.compile(
    rb"[ \t]*\n\s*(?:(?:public|private|protected)[ \t]*:|(?:[A-Za-z_][\w:<>]*[\s*&]+){1,6}\w[\w:~]*\s*[({;:=]|#|"
    rb"[A-Z][A-Z0-9]*_[A-Z0-9_]*[ \t]*\n|/[/*]|\Z)"
)


def spoken(path_key: str, data: bytes) -> str:
    """The language a file is in: its name or first line says it, but C++ headers are called `.h` as well."""
    language = language_in(path_key, data) or "text"
    if language == "c" and path_key.lower().endswith(".h"):
        code = _COMMENT.sub(b"", data)
        return "cpp" if _CPP_LINE.search(code) or _CPP_OPERATOR.search(code) else "c"
    return language


def readable(language: str, data: bytes) -> bytes:
    """As the grammar can read it: the same length, the same places."""
    if language == "rust":
        return _TYPE_MACRO.sub(lambda found: b"_" * len(found[0]), data)
    if language == "go":
        return _NEW_OF_VALUE.sub(b"___", data)
    if language == "kotlin":
        data = _NEXT_LINE.sub(lambda found: found[1] + b" " * len(found[2]), data)
        if b"by " in data:
            data = _DELEGATED.sub(lambda found: found[1] + _NOT_A_LINE.sub(b" ", found[2]), data)
        return _DOLLARS.sub(_single_dollars, data) if b'$$' in data else data
    if language == "csharp" and b"#" in data:
        data = conditionals.read(data, language).data
        return _LAST_LINE.sub(lambda found: b" " * len(found[0]), data)
    return _readable_c(language, data) if language in C_FAMILY else data


def _readable_c(language: str, data: bytes) -> bytes:
    """C and C++ without what only the preprocessor understands."""
    data = _NUMBERED.sub(_unnumbered, data)
    data = _UNENDED.sub(lambda found: found[1] + b";", data)
    data = _WRAPPED.sub(lambda found: b" " * len(found[1]) + found[2] + b" ", data)
    if b"__" in data:
        data = _BEFORE_PARAMETER.sub(lambda found: found[1] + b" " * len(found[2]), data)
    if b"#" in data:
        data = _DEFINE.sub(_uncommented, conditionals.read(data).data)
    if language != "c" and (b"import" in data or b"module" in data):
        data = _MODULE.sub(lambda found: b" " * len(found[0]), data)
    if b">*" in data or b".*" in data:
        data = _THROUGH.sub(lambda found: found[0][:-1] + b" ", data)
    return _without_macros(data if language == "c" else _worded(data))


def _without_macros(data: bytes) -> bytes:
    """Words that can only be macros, with or without their arguments, as blanks."""
    out: bytearray | None = None
    words = 0
    for found in _WORD.finditer(data):
        start, end = found.span(1) if found[1] else found.span()
        if data[max(0, start - _NEAR) : start].rstrip(b" \t")[-1:] in _OPERATORS:
            continue  # a constant in an expression, as most are
        words += 1
        if words > _MAX_WORDS:
            break
        before = bytes((data if out is None else out)[max(0, start - _BEFORE) : start])
        name_end = end if found[1] else start + len(found[0].partition(b"(")[0])
        if _is_macro(data, before, name_end, end):
            out = bytearray(data) if out is None else out
            out[start:end] = b" " * (end - start)
        elif name_end < end and _is_macro(data, before, name_end, name_end):
            out = bytearray(data) if out is None else out
            out[start:name_end] = b" " * (name_end - start)
    return data if out is None else bytes(out)


def _worded(data: bytes) -> bytes:
    """With the words of C++ in the place of macros that stand for them."""
    if b"_TRY" in data:
        data = _TRY.sub(lambda found: b"try".ljust(len(found[0])), data)
        data = _CATCH.sub(lambda found: b"catch".ljust(len(found[0])), data)
    data = _ALONE.sub(lambda found: b" " * len(found[0]), data)
    if b"extern template" in data:
        data = _INSTANTIATED.sub(lambda found: _NOT_A_LINE.sub(b" ", found[0]), data)
    data = _AFTER_IF.sub(lambda found: found[1] + b" " * len(found[2]), data)
    data = _INCLUDED.sub(lambda found: found[1] + b"0".ljust(len(found[2])), data)
    out: bytearray | None = None
    looked = 0  # how far: each place once
    for opened in _TEMPLATE.finditer(data):
        if opened.start() < looked:
            continue
        looked, macros = _macros_in(data, opened.end())
        for start, end in macros:
            out = bytearray(data) if out is None else out
            out[start:end] = b"int" + _NOT_A_LINE.sub(b" ", data[start + 3 : end])
    return data if out is None else bytes(out)


def _macros_in(data: bytes, start: int) -> tuple[int, list[tuple[int, int]]]:
    """How far the list of a template's parameters goes that begins here; which of them are macros with arguments."""
    found: list[tuple[int, int]] = []
    angles, parentheses, begun = 1, 0, -1
    for part in _IN_TEMPLATE.finditer(data, start, start + _MAX_TEMPLATE):
        if part[0] in b"({":
            parentheses += 1
        elif part[0] in b")}":
            parentheses -= 1
            if not parentheses and begun >= 0:
                found.append((begun, part.end()))
                begun = -1
        elif part[0] == b";" or parentheses:
            if part[0] == b";":
                return part.start(), []
        elif part[0] == b"<":
            angles += 1
        elif part[0] == b">":
            angles -= 1
            if not angles:
                return part.end(), found
        elif part[1] and angles == 1 and data[start - 1 : part.start()].rstrip()[-1:] in b",<":
            begun = part.start()
    return start + _MAX_TEMPLATE, []


def _unnumbered(found: re.Match[bytes]) -> bytes:
    return found[0] if found[2] in _STATEMENTS else found[1] + b" " * len(found[3])


def _single_dollars(found: re.Match[bytes]) -> bytes:
    """A string in which so many dollars insert a value, as one in which a single one does."""
    many = len(found[1])

    def single(run: re.Match[bytes]) -> bytes:
        return b"_" * (len(run[0]) - 1) + (b"$" if len(run[0]) >= many else b"_")

    return b" " * many + _DOLLAR_RUN.sub(single, found[2])


def _uncommented(define: re.Match[bytes]) -> bytes:
    # Behind the last end no comment is whole: looking for its end from every beginning would be quadratic.
    text, end, rest = define[0].rpartition(b"*/")
    return _COMMENTED.sub(lambda found: _NOT_CONTINUING.sub(b" ", found[0]), text + end) + rest


def _is_macro(data: bytes, before: bytes, name_end: int, end: int) -> bool:
    """Whether a word, with its arguments if it ends behind its name, stands where the language allows none."""
    if _IN_DIRECTIVE.search(before):
        return False
    if named := _NAMED_TYPE.search(before):
        head = _TYPE_HEAD.match(data, end)
        return head is not None and (head[1] is None or named[1] is not None)  # `struct DIR DIR;` names a type
    if data[name_end : name_end + 2] == b'("' and end > name_end and _FRONT.search(before):
        return _FUNCTION.match(data, end) is not None or _KEYWORD.match(data, end) is not None  # DEPRECATED("why")
    if end > name_end or not _FRONT.search(before):
        return _is_trailing(data, before, end, end > name_end)
    if any(form.match(data, end) for form in (_FUNCTION, _CONSTRUCTOR, _KEYWORD, _VARIABLE)):
        return True
    if (_EXPLICIT.search(before) and _CALLED.match(data, end)) or _INITIALIZED.match(data, end):
        return True
    if not _LINE_START.search(before) or not _LINE_END.match(data, end):
        return False
    return _STATEMENT_BEFORE.search(before) is not None or _DECLARATION_AFTER.match(data, end) is not None


def _is_trailing(data: bytes, before: bytes, end: int, with_arguments: bool) -> bool:
    closed = _AFTER_LIST.search(before)
    if closed:
        if _AFTER_DIRECTIVE.search(before):
            return False
        named = _LAST_NAME.search(before[: _opening(before, closed.start())])
        return named is not None and named[1] not in _STATEMENTS and _BODY.match(data, end) is not None
    field = _AFTER_FIELD.search(before) if with_arguments else None
    if field is None or field[3] in _STATEMENTS or field[3] in _TYPES or (field[1] in _OF_TYPES and not field[2]):
        return False
    return _FIELD_END.match(data, end) is not None


def _opening(text: bytes, closing: int) -> int:
    """Where the parenthesis opens that closes here; 0 when that is not in the text."""
    depth = 0
    for place in range(closing, -1, -1):
        if text[place] == 0x29:
            depth += 1
        elif text[place] == 0x28:
            depth -= 1
            if not depth:
                return place
    return 0


def leaves_out(language: str, data: bytes) -> bool:
    """Whether some branch of a conditional is not read."""
    has_branches = language == "csharp" or (language in C_FAMILY and (b"#el" in data or b"# el" in data))
    return has_branches and b"#" in data and not conditionals.read(data, language).whole
