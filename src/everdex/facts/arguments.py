"""What calls pass and what definitions take, where a language tells definitions of one name apart by types.

What is passed is a chain (facts/expressions.py) or, of what has no name, its KIND and what it is: `#int`, `#string`,
`#function`. What is taken is the text of a type, with `...` behind it where any number of values is taken. Resolves no
name; what a text does not tell is `?`.

Swift tells definitions apart by what arguments are called: there both are labels, `_` where there is none. One that is
taken has `=` behind it where it need not be given; a block behind the arguments is given as `#function`.
"""

from __future__ import annotations

import re
from typing import Final

from everdex.facts.expressions import chain_of, hidden_of

LANGUAGES: Final = frozenset(("java", "kotlin", "scala", "csharp"))
KIND: Final = "#"
UNKNOWN: Final = "?"
FUNCTION: Final = "#function"
MANY: Final = "..."
MAX_ARGUMENTS: Final = 8
MAX_TEXT: Final = 240
NO_LABEL: Final = "_"
DEFAULT: Final = "="
_NUMBER: Final = re.compile(
    r"[+-]?(?:0[xXbB][\da-fA-F_]+|\d[\d_]*)(?P<real>\.\d[\d_]*)?(?:[eE][+-]?\d+)?(?P<suffix>[a-zA-Z]*)"
)
_SUFFIXES: Final = {"": "int", "l": "long", "f": "float", "d": "double"}
_WORDS: Final = {"true": "#boolean", "false": "#boolean", "null": "#null"}
_CHARACTER: Final = re.compile(r"'(?:\\.[^']*|[^'\\])'")
_STRING: Final = re.compile(r'(?:\$@?|@\$?|s|f|raw)?"(?:[^"\\]|\\.)*"|"""(?s:.*)"""')
_COMPARISON: Final = re.compile(r"[=!]=|[<>]=|&&|\|\|")
_LAMBDA: Final = re.compile(r"^(?:async\s+|static\s+)*(?:\(\)|\w+)\s*(?:->|=>)")
_REFERENCE: Final = re.compile(r"[\w.$]*::\w+")  # of Java and Kotlin, to a function
_TAKEN_LABEL: Final = re.compile(r"(?:@\w+(?:\([^()]*\))?\s+)*(\w+)[^:]*:")
_LABEL: Final = re.compile(r"\w+\s*[:=](?![:=>])")
_ANNOTATION: Final = re.compile(r"^(?:@[\w.]+(?:\([^()]*\))?|\[[\w\s.,()\"=]*\])\s*")
_MODIFIER: Final = re.compile(
    r"^(?:final|this|ref|out|in|params|scoped|readonly|vararg|noinline|crossinline|val|var|private|protected|public|"
    r"internal|override|open|implicit|using|inline)\s+"
)
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_GIVEN_BEFORE: Final = re.compile(r"(?:^|\s)<")
_GIVEN_BEHIND: Final = re.compile(r"\s*[<\[]")
_PARAMETER: Final = re.compile(r"(?:(?:in|out|reified)\s+|@\w+\s+|[+-])*(\w+)")
_DEFAULT: Final = re.compile(r"(?<![=<>!])=(?![=>])")


def passed(text: str, language: str) -> str:
    """What an argument is."""
    text = text.strip()
    if len(text) > MAX_TEXT or not text:
        return UNKNOWN
    number = _NUMBER.fullmatch(text)
    if number:
        suffix = number["suffix"].lower()
        return KIND + ("double" if number["real"] and not suffix else _SUFFIXES.get(suffix, "number"))
    if text in _WORDS:
        return _WORDS[text]
    if _CHARACTER.fullmatch(text):
        return "#char"
    if _STRING.fullmatch(text):
        return "#string"
    hidden = hidden_of(_CHARACTER.sub("c", _STRING.sub('""', text)))
    if hidden == "{}" or _LAMBDA.match(hidden) or (_REFERENCE.fullmatch(hidden) and language != "csharp"):
        return FUNCTION
    if language in ("kotlin", "csharp", "scala") and _LABEL.match(hidden):
        return UNKNOWN
    if "?" not in hidden and "if" not in hidden and _COMPARISON.search(hidden):
        return "#boolean"
    if "?" not in hidden and ('"" +' in hidden or '+ ""' in hidden):
        return "#string"
    return chain_of(text, language)


def type_parameters(before: str, behind: str) -> set[str]:
    """The types that a definition is given, from what stands before its name and behind it."""
    opened = [_GIVEN_BEFORE.search(before), _GIVEN_BEHIND.match(behind)]
    parts = [part for found in opened if found for part in split(_group(found.string[found.end() - 1 :]))]
    names = [_PARAMETER.match(part) for part in parts]
    return {name[1] for name in names if name}


def _group(text: str) -> str:
    """What stands in the brackets that a text begins with."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character in "<[(") - (character in "]>)" and text[position - 1] not in "-=")
        if not depth:
            return text[1:position]
    return ""


def taken(text: str, language: str, generic: set[str]) -> tuple[str, ...]:
    """The types of the parameters in a list; what is one of the types that the definition is given is unknown."""
    text = _COMMENT.sub(" ", _STRING.sub('""', text.strip()))
    parts = split(text[1:].removesuffix(")"))
    types = [_type(part, language) for part in parts if part and not part.startswith("this ")]
    return tuple(each if each.strip("?.[] ") not in generic else UNKNOWN for each in types)


def labels_taken(parameters: list[str]) -> tuple[str, ...]:
    """What the parameters of a function of Swift are called by who calls it."""
    found = [_TAKEN_LABEL.match(part) for part in parameters]
    ends = [MANY if MANY in part else DEFAULT if "=" in part else "" for part in parameters]
    return tuple((label[1] if label else UNKNOWN) + end for label, end in zip(found, ends, strict=True))


def are_labelled(given: tuple[str, ...], takes: tuple[str, ...]) -> bool:
    """Whether a function that takes these may be called with arguments that are called so."""
    if any(label.endswith(MANY) or label.startswith(UNKNOWN) for label in takes):
        return True
    waiting = list(takes)
    for label in given:
        if label == FUNCTION:
            break
        while waiting and waiting[0].removesuffix(DEFAULT) != label:
            if not waiting.pop(0).endswith(DEFAULT):
                return False
        if not waiting:
            return False
        waiting.pop(0)
    needed = sum(not label.endswith(DEFAULT) for label in waiting)
    return needed <= given.count(FUNCTION) <= len(waiting)


def split(text: str) -> list[str]:
    """What stands between commas that are in no brackets; types have angles for brackets, and arrows are none."""
    parts, depth, begin = list[str](), 0, 0
    for position, character in enumerate(text):
        if character in "<([{":
            depth += 1
        elif character in ")]}" or (character == ">" and text[position - 1] not in "-="):
            depth -= 1
        elif character == "," and not depth:
            parts.append(text[begin:position].strip())
            begin = position + 1
    return [*parts, text[begin:].strip()]


def _type(text: str, language: str) -> str:
    many = False
    while True:
        front = _ANNOTATION.match(text) or _MODIFIER.match(text)
        if front is None:
            break
        many = many or front[0].startswith(("params", "vararg"))
        text = text[front.end() :]
    text = _DEFAULT.split(text)[0].strip()
    if language in ("kotlin", "scala"):
        text = text.partition(":")[2].strip()
        many = many or text.endswith("*")
        text = text.rstrip("*").strip()
    else:
        text, _, name = text.rpartition(" ")
        text = " ".join(text.split()) + "[]" * name.count("[]")
        many = many or text.endswith(MANY)
        text = text.removesuffix(MANY).strip()
        if language == "csharp" and many:
            text = text.removesuffix("[]")
    return (" ".join(text.split())[:MAX_TEXT] or UNKNOWN) + (MANY if many else "")
