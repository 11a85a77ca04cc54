"""The texts of types taken apart: which name is meant, what its arguments are. Text only; resolves nothing."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from everdex.facts import names_model as facts
from everdex.facts.arguments import split

_NOISE: Final = re.compile(
    r"\b(?:const|volatile|mut|struct|union|enum|class|typename|final|dyn|impl|readonly|ref|out|in|static|inout|some|"
    r"any|register|unsigned|signed|extern|restrict|annotated|lateinit|suspend|async|escaping|autoclosure|vararg|new)\b(?=\s)"
    r"|'\w+\b|@\w+(?:\([^)]*\))?"
)
_NAME: Final = re.compile(r"[\w$]+(?:(?:\.|::|\\)[\w$]+)*")
_RANKS: Final = re.compile(r"\[,*\]\Z")
FOR_REFERENCE: Final = re.compile(r"\bfor\s*&")  # Rust: `impl Add for &V`
LIST: Final = "[]"
CHANNEL: Final = "chan"  # of Go
# Of a union of PHP, what nobody calls a member of.
_WITHOUT_MEMBERS: Final = frozenset((
    "array", "bool", "callable", "false", "float", "int", "iterable", "mixed", "never", "null", "string", "true",
    "void",
))  # fmt: skip


@lru_cache(maxsize=16_384)
def parse_type(text: str) -> tuple[str, tuple[str, ...]]:
    """A dotted name and the texts of its arguments; LIST with one argument for arrays; '' when it names nothing."""
    text = _NOISE.sub(" ", text).strip().lstrip(":").strip()
    absolute = text.startswith(("\\", "::"))
    text = text.lstrip("\\*&?:! ").rstrip("?!*& ")
    if not text:
        return "", ()
    if text.startswith(("[]", "...")):
        return LIST, (text.removeprefix("...").removeprefix("[]").strip(),)
    if text.startswith("map[]"):
        return LIST, (text[5:],)
    if text.startswith("map["):
        return LIST, (text[text.find("]") + 1 :],)
    if text.startswith("["):
        inner = text[1 : text.rfind("]")] if "]" in text else text[1:]
        if text.endswith("]") or not text[text.rfind("]") + 1 :].strip():
            return LIST, (re.split(r"[;:]", inner)[-1].strip(),)
        return LIST, (text[text.find("]") + 1 :],)
    if text.startswith("("):
        return ("", ()) if "->" in text or "=>" in text else parse_type(result_type(text, 0))
    if text.startswith(("chan ", "<-chan ")):
        return CHANNEL, (text.partition("chan ")[2],)
    if text.startswith("func"):
        return "", ()
    ranks = _RANKS.search(text)
    if ranks:
        return LIST, (text[: ranks.start()],)
    if "|" in text:
        members = [part.strip(" ?") for part in text.split("|")]
        named = [part for part in members if part.lower() not in _WITHOUT_MEMBERS]
        if len(named) > 1:
            return "", ()  # one of several: which, only the flow of values says
        text = (named or members)[0]
    # An intersection is known by its first member.
    text = re.split(r"\s*\+\s*|\s+&\s+", text)[0].lstrip("\\")
    match = _NAME.match(text)
    if not match:
        return "", ()
    name = match[0].replace("::", ".").replace("\\", ".")
    rest = text[match.end() :].strip()
    if rest.startswith(("<", "[")):
        close = rest.rfind(">" if rest[0] == "<" else "]")
        after = rest[close + 1 :]
        arguments = split(rest[1:close])
        if after.lstrip().startswith(("::", ".")):
            name += "." + after.strip(":. ").replace("::", ".")
        return ("." + name if absolute else name), tuple(arguments)
    return ("." + name if absolute else name), ()


def result_type(text: str, number: int) -> str:
    """One of several results; '' when there are not so many."""
    results = split(text[1:].removesuffix(")")) if text.startswith("(") else [text]
    # Go may name its results: `(c *Context, err error)`.
    return re.sub(r"^\w+ (?=[*\[\w])", "", results[number]) if number < len(results) else ""


def last_name(text: str) -> str:
    """`Base` of `pkg.Base<T>`."""
    return parse_type(text)[0].rpartition(".")[2]


@lru_cache(maxsize=4_096)
def parameters_after(name: str, signature: str) -> frozenset[str]:
    """The words between a definition's name and what it takes, where the parameters stand that are types."""
    front = signature.partition("(")[0]
    found = re.search(rf"(?:\bimpl|(?<!\w){re.escape(name)})\s*[<\[](.*)", front)
    return frozenset(re.findall(r"\w+", found[1])) if found else frozenset()


_VARIANCE: Final = re.compile(r"(?:in|out|const|reified|typename|class)\s+")


@lru_cache(maxsize=4_096)
def parameters_named(name: str, signature: str) -> frozenset[str]:
    """The type parameters that stand behind a definition's name, without what is asked of them."""
    found = re.search(rf"(?<!\w){re.escape(name)}\s*[<\[]", signature.partition("(")[0])
    if found is None:
        return frozenset()
    depth, end = 1, found.end()
    while end < len(signature) and depth:
        depth += (signature[end] in "<[(") - (signature[end] in ">])")
        end += 1
    parts = (_VARIANCE.sub("", part.strip(), count=1) for part in split(signature[found.end() : end - 1]))
    return frozenset(word[0] for part in parts if (word := re.match(r"\w+", part)))


@lru_cache(maxsize=4_096)
def _listed_behind(name: str, signature: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(name)}<", signature)
    if found is None:
        return 0
    depth, count = 1, 1
    for letter in signature[found.end() :]:
        depth += (letter in "<([") - (letter in ">)]")
        count += letter == "," and depth == 1
        if not depth:
            break
    return count


def types_taken(item: facts.Defined) -> int:
    """How many types a type of C# takes."""
    return _listed_behind(item.name, item.signature)


class Step(NamedTuple):
    """A step of a chain."""

    name: str
    calls: int  # how often it is called
    indices: int  # how often something is taken out of it
    arguments: int = -1  # of its call, where the language's are counted
    is_taken_first: bool = False  # what is called is what was taken out: `each[0]()`; of Go perhaps `New[int]()`


@lru_cache(maxsize=65_536)
def parse_chain(chain: str) -> tuple[str, tuple[Step, ...]]:
    """A chain's head and its steps. The head is step 0 without its calls."""
    absolute = chain.startswith(".")
    if absolute:
        chain = chain[1:]
    if chain.startswith("@{"):
        head, _, rest = chain.partition("}")
        pieces = rest.lstrip(".").split(".") if rest.strip(".") else []
        first = Step(head + "}", 0, 0)
        if rest.startswith("["):
            first = Step(head + "}", 0, pieces.pop(0).count("["))
        return head + "}", (first, *map(_step, pieces))
    pieces = chain.split(".")
    steps = tuple(map(_step, pieces))
    return ("." if absolute else "") + steps[0].name, steps


def _step(piece: str) -> Step:
    cut = min((at for at in (piece.find("("), piece.find("[")) if at >= 0), default=len(piece))
    counted = piece[cut + 1 : piece.find(")")] if piece[cut : cut + 1] == "(" else "?"
    count = -1 if counted == "?" else counted.count("_")
    return Step(piece[:cut], piece.count("("), piece.count("["), count, piece[cut : cut + 1] == "[" and "(" in piece)
