"""Brings the texts of expressions, types and parameters of many languages into one short form.

`a->b(x, y).c` and `a::b(1)!!.c` both become `a.b().c`. A chain is a head and steps, `.`-separated: a step is a name, a
call `name()` or an index `[]`; a head that states its type is `@{Type}`; `?` is an expression whose value its text does
not tell. Where calls are told apart by how many arguments they have, each stands for one: `name(_,_)`, and `name(?)`
where nobody can count them. Knows no syntax tree and resolves no name.
"""

from __future__ import annotations

import re
from typing import Final

# Longer receivers are chains of builders around whole blocks; their text says nothing that a reader could use.
MAX_EXPRESSION: Final = 4_000
_MAX_TYPE: Final = 200
MAX_DEPTH: Final = 24
_DOTTED: Final = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*|[$@]\w+")
_STRINGS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`', re.DOTALL)
_ESCAPED: Final = re.compile(r"`(\w+)`")
_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'", re.DOTALL)
_CHARACTER: Final = re.compile(r"'(?:\\.[^']*|[^'\\])'")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_OTHER_COMMENT: Final = {
    "lua": re.compile(r"--\[\[.*?\]\]|--[^\n]*", re.DOTALL), "ruby": re.compile(r"(?<!\S)#[^\n]*"),
    "php": re.compile(r"(?<!\S)#[^\n]*"),
}  # fmt: skip
_BRACKETS: Final = re.compile(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]|\{[^()\[\]{}]*\}")
_GENERIC: Final = re.compile(r"(?:::)?<[^<>]*>")
_SEPARATOR: Final = re.compile(r"\?->|->|\?\.|!!\.|!\.|&\.|::|\\|\.")
# A word is a prefix before a space only: `ref.lines()` and `move(x)` begin with names.
PREFIX: Final = re.compile(
    r"(?:await|try[?!]?|mut|clone|ref|move|return|throw|yield|not|async|co_await)\s+|[&*!+~-]\s*"
)
_CAST: Final = re.compile(r"\((\s*[\w.:]+(?:<[\w\s.,:<>?]*>)?\??[\s*&\[\]?]*)\)\s*(?=[\w($\"])")
_AS: Final = re.compile(r"\bas[?!]?\s+([\w.:]+(?:<[\w\s.,:<>]*>)?\??)$")
_NEW: Final = re.compile(r"new\s+([\w.:\\]+(?:<[\w\s.,:<>?\[\]&*]*>)?)\s*(\([_,?]*\)|\[\])?(?:\s*\{\})?")
_LITERAL: Final = re.compile(r"((?:\[\]\*?|map\[\]\*?)?(?:\w+(?:\.|::))*\w+(?:<[^<>]*>)?)\s*\{\}")
_ASSERTION: Final = re.compile(r"\.\((\*?[\w.\[\]]+)\)")
_GO_NEW: Final = re.compile(r"new\(([\w.]+)\)")
_GO_MAKE: Final = re.compile(r"make\(((?:\[\]|\*|chan |map\[[\w.*]+\])*[\w.]+)(?:,[^()]*(?:\([^()]*\)[^()]*)*)?\)")
_CPP_MADE: Final = re.compile(r"(?:std::)?(?:\w+_cast|make_unique|make_shared|static_pointer_cast)<([^()]*)>\s*(?=\()")
_SCALA_GIVEN: Final = re.compile(r"(?:implicitly|summon)\[([\w.]+(?:\[[\w\s.,\[\]]*\])?)\]")  # what has the type
# Lua: of a name that begins with a variable, the end is what the file is called.
_REQUIRE: Final = re.compile(r"""require\s*\(?\s*(?:\w+\s*\.\.\s*)?["']([\w./-]+)["']\s*\)?""")
_ASSERTED: Final = re.compile(r"assert\s*\(")  # Lua: it gives back what it is given
_UNNAMED: Final = re.compile(r"new\s+class\b")
_MADE_CLASS: Final = re.compile(r"Class\.new\s*\(?\s*((?:::)?[A-Z][\w:]*)\s*\)?")  # Ruby, without a body
_COMMAND_CALL: Final = re.compile(r"([\w@]+(?:(?:\.|::|&\.)\w+)*[?!]?) +(?=[\w:\"@\[{*&])(?!(?:and|or|if|unless|do)\b)")
# In one go: each `()` has two places in a step, so a chain that is none after all would be tried in 2ⁿ ways.
_CALL: Final = r"\([_,?]*+\)"
_STEP: Final = rf"[\w$@]++[?!]?+(?>(?:{_CALL})*(?:\[\])*(?:{_CALL})*)"
_CALLS: Final = re.compile(rf"(?:{_CALL}){{2,}}")
_CHAIN: Final = re.compile(rf"\.?(?:@\{{[^{{}}]*\}}(?>(?:\[\])*)|{_STEP})(?>(?:\.{_STEP})*)")
_BLOCK: Final = re.compile(r"(?<=[\w)])\s*\{\}")
_FORCED: Final = re.compile(r"(?<=[\])])[?!]+|!!")
_MARKED: Final = re.compile(r"(?<=\w)[?!]+")
_THIS: Final = re.compile(r"^\$this\b")
_PARENTHESIS: Final = re.compile(r"[()]")
_ANGLES: Final = re.compile(r"<[^<>]*>")
_KEYWORD: Final = re.compile(r"(?:when|if|match|switch|case|unless|begin|while|for|loop|unsafe|function|fn|func)\b")
_LEFT_OUT: Final = re.compile(r"\?:\s*(?:throw|return|continue|break|error)\b.*", re.DOTALL)  # Kotlin: if it is null
_STATEMENT: Final = re.compile(rf"{_KEYWORD.pattern}\s")
_WORDS: Final = re.compile(r"[\w)\]]\s+\w")  # that are two names, not one
_NUMBER: Final = re.compile(r"\d[\w.]*")

_CAST_LANGUAGES: Final = frozenset(("java", "c", "cpp", "cuda", "csharp"))
ESCAPING_LANGUAGES: Final = frozenset(("kotlin", "scala", "swift"))  # a keyword between backticks is a name
_BLOCK_LANGUAGES: Final = frozenset(("rust", "scala"))  # what stands in braces is a block, which has a value
_DEFAULTING: Final = frozenset(("csharp", "php", "swift"))  # `a ?? b`
_LITERAL_LANGUAGES: Final = frozenset(("go", "rust", "cpp", "cuda"))
_CHARACTER_LANGUAGES: Final = frozenset(("go", "rust", "java", "c", "cpp", "cuda", "csharp", "kotlin", "scala"))
_STRING_TYPES: Final = {
    "java": "@{String}", "kotlin": "@{String}", "scala": "@{String}", "swift": "@{String}", "csharp": "@{string}",
    "lua": "@{string}",
}  # fmt: skip
COUNTED: Final = frozenset(("java", "kotlin", "csharp"))  # whose calls stand with their arguments
_MOST_COUNTED: Final = 12
_LISTS: Final = tuple(chr(0xE000 + count) for count in range(_MOST_COUNTED + 1))  # the last one: nobody can count them
_HIDDEN: Final = str.maketrans({**dict.fromkeys(_LISTS, "()"), "\x02": "[]", "\x03": "{}"})
_HIDE: Final = {"[": "\x02", "{": "\x03"}
_HIDDEN_COUNTED: Final = _HIDDEN | {
    ord(each): f"({','.join('_' * count)})" if count < _MOST_COUNTED else "(?)" for count, each in enumerate(_LISTS)
}


def chain_of(text: str, language: str) -> str:
    """The chain that an expression's text is, or '?'."""
    text = text.strip()
    if len(text) > MAX_EXPRESSION:
        return "?"
    if language == "rust" and "**self" in text:
        return "?"  # what the type itself points to: `impl Trait for &T`, `for Box<T>`
    if _DOTTED.fullmatch(text):
        return text.removeprefix("$") if text == "$this" else text
    escaped = language in ESCAPING_LANGUAGES and text.startswith("`")
    if language in ESCAPING_LANGUAGES and "`" in text:
        text = _ESCAPED.sub(r"\1", text)
    if language == "php" and _UNNAMED.match(text):
        return "?"
    if language == "ruby":
        made = _MADE_CLASS.fullmatch(text)
        if made:
            return chain_of(made[1], language)
    if language == "lua":
        given = _ASSERTED.match(text)
        if given:
            return _first_argument(text, given.end() - 1)
        text = _REQUIRE.sub(r"@{require \1}", text)
        if text.startswith("@{"):
            required, _, rest = text.partition("}")
            inner = chain_of(f"x{rest}", language)
            return "?" if inner == "?" else required + "}" + inner[1:]
    text = _STRINGS.sub('""', text)
    text = (_CHARACTER if language in _CHARACTER_LANGUAGES else _QUOTED).sub('""', text)
    if "//" in text or "/*" in text:
        text = _COMMENT.sub(" ", text)
    if language in _OTHER_COMMENT:
        text = _OTHER_COMMENT[language].sub(" ", text)
    if language == "ruby":
        command = _COMMAND_CALL.match(text)
        if command:
            text = f"{command[1]}()"
    if language == "kotlin" and "?:" in text:
        text = _LEFT_OUT.sub("", text).rstrip()
    text, head = _head(text, language)
    in_block = text.startswith("{") and language in _BLOCK_LANGUAGES
    if head is None and not escaped and (in_block or _STATEMENT.match(text)):
        return "?"
    if head is None and text.startswith(('""', "[", "{")) and language != "go":
        head = _STRING_TYPES.get(language, "@{literal}") if text.startswith('""') else "@{literal}"
        text = hidden_of(text, language in COUNTED)[2:]
    counted = language in COUNTED
    hidden = hidden_of(text, counted)
    if head is None:
        new = _NEW.match(hidden)
        literal = _LITERAL.match(hidden) if language in _LITERAL_LANGUAGES else None
        if new:
            shape = "[]" if new[2] == "[]" else ""
            head, hidden = f"@{{{' '.join(new[1].split())}{shape}}}", hidden[new.end() :]
        elif literal:
            head, hidden = f"@{{{literal[1]}}}", hidden[literal.end() :]
    if language == "lua":
        hidden = hidden.partition(" or ")[0]  # a default for what is missing
        if " and " in hidden:
            return "?"
    if language in _DEFAULTING:
        hidden = hidden.partition("??")[0].rstrip()  # a default is of the same type
    hidden = hidden.replace("->", ".").replace("?.", ".")
    for _ in range(MAX_DEPTH):
        shorter = _GENERIC.sub("", hidden)
        if shorter == hidden:
            break
        hidden = shorter
    unknown = "(?)" if counted else "()"
    hidden = _CALLS.sub(unknown, _BLOCK.sub(unknown, hidden))
    hidden = _SEPARATOR.sub(".", hidden).strip()
    if _WORDS.search(hidden):
        hidden = _infix(hidden.split()) if language == "scala" else "?"
    hidden = "".join(hidden.split())
    hidden = _FORCED.sub("", hidden)
    if language not in ("ruby",):
        hidden = _MARKED.sub("", hidden)
    if language == "lua":
        hidden = hidden.replace(":", ".")
    elif language == "scala":
        hidden = hidden.replace("[]", "")
        if hidden.startswith("_."):
            return "?"
    hidden = _THIS.sub("this", hidden)
    whole = (head or "") + hidden
    if not _CHAIN.fullmatch(whole) or (_KEYWORD.match(whole) and not escaped):
        return "?"
    return "@{literal}" if _NUMBER.fullmatch(whole) else whole


def _infix(words: list[str]) -> str:
    """Scala's `a put b` and `a each { … }` as chains; '?' where something else stands between blanks."""
    chain, waiting = words[0], words[1:]
    while waiting:
        called = waiting.pop(0)
        if called.isidentifier() and waiting:
            waiting.pop(0)
            chain += f".{called}()"
        elif called.endswith("()") and called[:-2].isidentifier():
            chain += f".{called}"
        else:
            return "?"
    return chain


def _first_argument(text: str, opening: int) -> str:
    """Lua: the chain of what `assert` is given, and of what follows."""
    close = _closing(text, opening)
    inner = _STRINGS.sub('""', _QUOTED.sub('""', text[opening + 1 : close]))
    hidden, depth = "", 0
    for at, character in enumerate(inner):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            hidden = inner[:at]
            break
    chain = chain_of(hidden or inner, "lua") if close >= 0 else "?"
    rest = chain_of(f"x{text[close + 1 :]}", "lua") if chain != "?" else "?"
    return "?" if rest == "?" else chain + rest[1:]


def _head(text: str, language: str) -> tuple[str, str | None]:
    """Without prefixes and parentheses around it; the type that a cast or an assertion states stands first."""
    for _ in range(MAX_DEPTH):
        prefix = PREFIX.match(text)
        if prefix:
            text = text[prefix.end() :]
            continue
        if language == "go" and text.startswith("<-"):
            channel = "?" if "<-" in text[2:] else chain_of(text[2:], language)
            head, _, steps = channel.rpartition("}")
            return ("?" if channel == "?" else f"{steps}[]"), head + "}" if head else None
        if language == "go":
            made = _GO_NEW.fullmatch(text) or _GO_MAKE.fullmatch(text) or _asserted(text)
            if made:
                return text[made.end() :], f"@{{{made[1]}}}"
        if language in ("cpp", "cuda"):
            made = _CPP_MADE.match(text)
            if made:
                close = _closing(text, made.end())
                return text[close + 1 :], f"@{{{' '.join(made[1].split())}}}"
        if language == "scala":
            made = _SCALA_GIVEN.match(text)
            if made:
                return text[made.end() :], f"@{{{made[1]}}}"
        cast = _CAST.match(text) if language in _CAST_LANGUAGES else None
        if cast:
            return "", f"@{{{' '.join(cast[1].split())}}}"
        stated = _AS.search(text) if " as" in text else None
        if stated and language not in ("ruby", "go", "c", "cpp", "cuda"):
            return "", f"@{{{stated[1]}}}"
        if not text.startswith("("):
            return text, None
        close = _closing(text, 0)
        if close < 0:
            return text, None
        inner, rest = text[1:close].strip(), text[close + 1 :]
        if not rest.strip():
            text = inner
            continue
        chain = chain_of(inner, language)
        if chain.startswith("@{"):
            head, _, steps = chain.partition("}")
            return steps + rest, head + "}"
        return (chain + rest if chain != "?" else "?"), None
    return "?", None


def _asserted(text: str) -> re.Match[str] | None:
    """Go's last `.(T)` that is in no brackets: what stands before it does not matter."""
    at = text.rfind(".(")
    asserted = _ASSERTION.match(text, at) if at >= 0 else None
    return asserted if asserted and text.count("(", 0, at) == text.count(")", 0, at) else None


def _closing(text: str, opening: int) -> int:
    depth = 0
    for match in _PARENTHESIS.finditer(text, opening):
        depth += 1 if match[0] == "(" else -1
        if not depth:
            return match.start()
    return -1


def hidden_of(text: str, counted: bool = False) -> str:
    """With nothing between its brackets, or with what stands for arguments that are counted."""
    for _ in range(MAX_DEPTH):
        shorter = _BRACKETS.sub(_hide, text)
        if shorter == text:
            break
        text = shorter
    return text.translate(_HIDDEN_COUNTED if counted else _HIDDEN)


def _hide(match: re.Match[str]) -> str:
    inner = match[0][1:-1].strip()
    if match[0][0] != "(":
        return _HIDE[match[0][0]]
    if "<" in inner:
        inner = _ANGLES.sub("", inner)
    return _LISTS[0 if not inner else -1 if inner == "?" else min(inner.count(",") + 1, _MOST_COUNTED)]


def type_of(text: str) -> str:
    """A type's text in one line, short."""
    return " ".join(text[: _MAX_TYPE * 2].split()).removeprefix(": ").removeprefix("->").strip()[:_MAX_TYPE]


_OPTIONAL: Final = re.compile(r"\[(?:[\w.]+\.)?Optional\b")  # of C#


def parameters_of(text: str) -> list[str]:
    """The parameters of a list, one text each."""
    text = text.strip()
    if text.startswith(("(", "|")):
        text = text[1:-1]
    text = _STRINGS.sub('""', text[:MAX_EXPRESSION])
    text = _COMMENT.sub(" ", text).replace("->", "").replace("=>", "")
    hidden = hidden_of(_OPTIONAL.sub("= [", text))
    for _ in range(MAX_DEPTH):
        shorter = _ANGLES.sub("", hidden)
        if shorter == hidden:
            break
        hidden = shorter
    return [part.strip() for part in hidden.split(",") if part.strip()]


_SELF: Final = re.compile(r"&?\s*(?:'\w+\s+)?(?:mut\s+)?self\b")
_MANY: Final = re.compile(r"\.\.\.|\bvararg\b|\bparams\b|^\*|^&|\*$")


def arity_of(parameters: list[str], language: str) -> tuple[int, int]:
    """The least and the most arguments a call may have; -1 when there is no most."""
    if language == "rust":
        parameters = [part for part in parameters if not _SELF.match(part)]
    if language in ("c", "cpp") and parameters == ["void"]:
        return 0, 0
    many = any(_MANY.search(part) for part in parameters if language in _VARIADIC[part[:1] in "*&"])
    required = sum("=" not in part and not _MANY.search(part) for part in parameters)
    if language == "go":
        # `a, b int` are two, and so are two types without names.
        required = len([part for part in parameters if "..." not in part])
    return required, -1 if many else len(parameters)


_EVERY: Final = frozenset((
    "go", "java", "rust", "c", "cpp", "cuda", "csharp", "ruby", "php", "kotlin", "scala", "swift", "lua", "bash",
))  # fmt: skip
# A star or an ampersand in front says "many" in Ruby only; elsewhere it is a pointer.
_VARIADIC: Final = {True: frozenset(("ruby",)), False: _EVERY}
