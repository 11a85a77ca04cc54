"""What operators call, in the languages where a type may say what they do: by which name, on which operand.

Data and what follows from it; knows no file. Operators that no type can define (`&&`, assignment) have no name.
"""

from __future__ import annotations

from typing import Final

LANGUAGES: Final = frozenset(("cpp", "cuda", "csharp", "kotlin", "ruby", "rust", "scala", "swift"))
BOOLEAN: Final = frozenset((
    "==", "!=", "<", ">", "<=", ">=", "===", "!==", "&&", "||", "!", "and", "or", "not", "in", "!in", "=~", "!~",
))  # fmt: skip
READ, STORED, BOTH = "indexed", "stored", "updated"  # what is done with what brackets hand out

_ARITHMETIC: Final = {"+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem"}
_ORDER: Final = ("<", ">", "<=", ">=")
_OF_RUST: Final = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "&": "bitand", "|": "bitor", "^": "bitxor",
    "<<": "shl", ">>": "shr",
}  # fmt: skip
# By which names a type may define an operator: the first that it has is run. `a != b` runs `==` where nobody defined
# `!=`, and so does what all comparisons are made of; in Rust and Ruby a library stands between them.
_BINARY: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "kotlin": {
        **{sign: (name,) for sign, name in _ARITHMETIC.items()}, "..": ("rangeTo",), "..<": ("rangeUntil",),
        "in": ("contains",), "!in": ("contains",), **dict.fromkeys(_ORDER, ("compareTo",)),
        **dict.fromkeys(("==", "!="), ("equals",)),
        **{f"{sign}=": (f"{name}Assign", name) for sign, name in _ARITHMETIC.items()},
    },
    "rust": {
        **{sign: (name,) for sign, name in _OF_RUST.items()},
        **{f"{sign}=": (f"{name}_assign",) for sign, name in _OF_RUST.items()},
        "==": ("eq",), "!=": ("ne", "eq"), "<": ("lt", "partial_cmp"), ">": ("gt", "partial_cmp"),
        "<=": ("le", "partial_cmp"), ">=": ("ge", "partial_cmp"),
    },
    "cpp": {"!=": ("operator!=", "operator=="), **{sign: (f"operator{sign}", "operator<=>") for sign in _ORDER}},
    "ruby": {"!=": ("!=", "=="), "!~": ("!~", "=~"), **{sign: (sign, "<=>") for sign in _ORDER}},
    "scala": {"==": ("equals",), "!=": ("equals",)},
    "swift": {"!=": ("!=", "=="), ">": (">", "<"), "<=": ("<=", "<"), ">=": (">=", "<")},
    "csharp": {},
}  # fmt: skip
_UNARY: Final = {
    "kotlin": {"-": "unaryMinus", "+": "unaryPlus", "!": "not", "++": "inc", "--": "dec"},
    "rust": {"-": "neg", "!": "not"},
    "ruby": {"-": "-@", "+": "+@", "~": "~", "!": "!"},
    "scala": {sign: f"unary_{sign}" for sign in "+-!~"},
}
_INDEXED: Final = {
    "kotlin": "get", "scala": "apply", "rust": "index", "ruby": "[]", "swift": "subscript", "csharp": "this",
    "cpp": "operator[]",
}  # fmt: skip
_STORED: Final = {**_INDEXED, "kotlin": "set", "rust": "index_mut", "ruby": "[]=", "scala": "update"}
_SPLIT: Final = frozenset(("kotlin", "ruby", "rust"))  # where reading and storing are two methods
_COMPARED: Final = frozenset(("==", "!=", "<=", ">=", "<=>", "===", "!==", "=~", "~="))
_BY_PLAIN: Final = frozenset(("csharp", "ruby"))  # `a += b` runs what `a + b` does
_OR_PLAIN: Final = frozenset(("scala",))  # it does so where nothing else is defined
_OF_NOBODY: Final = {
    "csharp": frozenset(("=", "&&", "||", "??", "??=")), "swift": frozenset("="), "scala": frozenset("="),
    "ruby": frozenset(("=", "&&", "||", "and", "or", "not", "&&=", "||=", "..", "...", "defined?")), "cpp": frozenset(),
}  # fmt: skip
CALLED: Final = {
    "cpp": "operator()", "cuda": "operator()", "kotlin": "invoke", "scala": "apply", "swift": "callAsFunction",
}  # fmt: skip
_TRAITS: Final = {
    **dict.fromkeys(("eq", "ne"), "PartialEq"), **dict.fromkeys(("lt", "gt", "le", "ge", "partial_cmp"), "PartialOrd"),
    "neg": "Neg", "not": "Not", "index": "Index", "index_mut": "IndexMut", "add": "Add", "sub": "Sub", "mul": "Mul",
    "div": "Div", "rem": "Rem", "bitand": "BitAnd", "bitor": "BitOr", "bitxor": "BitXor", "shl": "Shl", "shr": "Shr",
}  # fmt: skip


def family(language: str) -> str:
    return "cpp" if language == "cuda" else language


def named(language: str, sign: str, operands: int) -> tuple[str, ...]:
    """The names by which a type may define an operator, the first before the others; none where no type can."""
    language = family(language)
    if operands == 1 and language in _UNARY:
        name = _UNARY[language].get(sign, "")
        return (name,) if name else ()
    if sign in _BINARY[language]:
        return _BINARY[language][sign]
    if sign in _OF_NOBODY.get(language, (sign,)):
        return ()
    assigns = sign.endswith("=") and sign not in _COMPARED and len(sign) > 1
    if assigns and language in _BY_PLAIN:
        return (sign[:-1],)
    if assigns and language in _OR_PLAIN:
        return sign, sign[:-1]
    return (f"operator{sign}" if language == "cpp" else sign,)


def indexing(language: str, done: str) -> tuple[str, ...]:
    """What brackets behind a value call: all of these."""
    language = family(language)
    if done == READ:
        return (_INDEXED[language],)
    if done == BOTH and language in _SPLIT:
        return _INDEXED[language], _STORED[language]
    return (_STORED[language],)


def is_of_last(language: str, sign: str) -> bool:
    """Whether it is a member of the operand that stands last."""
    return (language == "kotlin" and sign in ("in", "!in")) or (language == "scala" and sign.endswith(":"))


def runs_by_sign(language: str, name: str) -> bool:
    """Whether a word is what an operator or brackets call: who uses it need not write it."""
    return name in _WORDS.get(family(language), ())


def trait(name: str) -> str:
    """Rust: the trait that has the method of an operator."""
    if name.endswith("_assign"):
        return f"{_TRAITS.get(name.removesuffix('_assign'), '')}Assign"
    return _TRAITS.get(name, "")


_WORDS: Final = {
    language: {
        *(name for names in _BINARY[language].values() for name in names), *_UNARY.get(language, {}).values(),
        _INDEXED[language], _STORED[language],
    }
    for language in ("kotlin", "rust", "scala", "swift", "csharp")
}
